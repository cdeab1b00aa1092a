"""Clients that others wrote, killed in the middle of their wait: nothing is lost, and nobody waits in their place.

Its arguments: what runs Node for clients that need a WebSocket.
"""

import asyncio
import signal
import sys
import time
from pathlib import Path

import mcp
from agent import Agent
from check import Report
from rest import create_task, proxy_of, task_state, until_agent_is

HERE = Path(__file__).parent
NODE = [*sys.argv[1:], str(HERE.parent / "typescript" / "waits.mjs")]
PYTHON = [sys.executable, str(HERE / "waits.py")]
# By which client and door, and the agent that waits there.
VICTIMS = {
    "killed-lead": (NODE, "ws"),
    "killed-hand": (NODE, "stdio"),
    "killed-artist": (PYTHON, "mcp"),
    "killed-extra": (PYTHON, "fastmcp"),
}


async def killed(agent: str, program: list[str], by: str, report: Report) -> None:
    victim = await asyncio.create_subprocess_exec(*program, agent, by)
    try:
        await until_agent_is(agent, "waiting")
    finally:
        victim.send_signal(signal.SIGKILL)
    await victim.wait()
    began = time.monotonic()
    await until_agent_is(agent, "working")
    took = time.monotonic() - began
    report.check(f"{agent} by {by}: nobody waits any more after {took:.1f} s", took < 1.5, took)
    task = create_task(targetAgentId=agent, prompt="after the end")
    report.same(f"{agent} by {by}: its work waits for it", task_state(task), "QUEUED")
    command, arguments, environment = proxy_of(agent, None)
    server = mcp.StdioServerParameters(command=command, args=arguments, env=environment)
    async with mcp.Client(server) as client:
        heir = Agent(agent, client, (await client.list_tools()).tools, report)
        offer = await heir.does("wait_for_prompt", timeout=10)
        seen = (offer.get("taskId"), offer.get("leaseEpoch"))
        report.same(f"{agent} by {by}: whoever comes next gets it, as its first offer", seen, (task, 1))
        await heir.does("send_response", taskId=task, status="COMPLETED", message="done")


async def main() -> None:
    report = Report()
    for agent, (program, by) in VICTIMS.items():
        try:
            await killed(agent, program, by, report)
        except Exception as error:  # whatever it is, the report says it
            report.check(f"{agent} by {by}: comes to its end", False, repr(error))
    report.close("killed")


asyncio.run(main())
