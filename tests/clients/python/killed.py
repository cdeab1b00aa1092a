"""Every client that others wrote, killed three times over each way in: while it waits, while it reads its task, and
while it reads that its report was taken. Nothing is lost, and nothing is done twice.
"""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

from check import Report
from gate import Gate
from rest import PATIENCE, as_agent, create_task, make_token, task_of, task_state, until_agent_is
from rows import Row, call_of, environment

# A second is promised; what else would end it takes ten seconds (a connection that broke) or minutes. A busy machine
# is between the two.
SOON = 8.0
TEXT = "half of this is all that its first reader sees"
RECORDED = "Response recorded for"


async def ends(process: Any, agent: str, way: str, report: Report) -> None:
    """Kills it; and with it goes whatever it started."""
    process.send_signal(signal.SIGKILL)
    await process.wait()
    if way != "proxy":
        return
    began = time.monotonic()
    while proxies_of(agent) and time.monotonic() - began < SOON:
        await asyncio.sleep(0.02)
    took = time.monotonic() - began
    report.check(f"its proxy ended {took:.1f} s after it", not proxies_of(agent), took)


def proxies_of(agent: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"proxy" in words and agent.encode() in words:
            found.append(process.name)
    return found


async def next_one(agent: str, task: str, epoch: int, report: Report) -> dict[str, Any]:
    """Whoever waits next gets the task whole; not for the end of a lease, which takes minutes."""
    began = time.monotonic()
    offer = await as_agent(agent, "wait_for_prompt", {"timeout": SOON})
    seen = (offer.get("taskId"), offer.get("prompt"), offer.get("leaseEpoch"))
    report.same(f"the next one has it after {time.monotonic() - began:.1f} s", seen, (task, TEXT, epoch))
    return offer


async def in_wait(start: Any, agent: str, way: str, report: Report) -> None:
    process = await start(os.environ["CALLBOARD_URL"], "wait_for_prompt", {"timeout": 40})
    try:
        await until_agent_is(agent, "waiting")
    finally:
        began = time.monotonic()
        await ends(process, agent, way, report)
    # A proxy outlives its client, and tells the hub that it ended. Over HTTP nobody tells, and a broken WebSocket may be
    # followed by another one within ten seconds: there the agent still counts as present.
    await until_agent_is(agent, "offline" if way == "proxy" else "working")
    took = time.monotonic() - began
    report.check(f"nobody waits any more after {took:.1f} s", took < SOON, took)
    task = create_task(targetAgentId=agent, prompt=TEXT)
    report.same("its work waits", task_state(task), "QUEUED")
    await reports(agent, await next_one(agent, task, 1, report), report)


async def in_delivery(start: Any, agent: str, way: str, report: Report) -> None:
    async with Gate(TEXT) as gate:
        process = await start(gate.url, "wait_for_prompt", {"timeout": 40})
        try:
            await until_agent_is(agent, "waiting")
            task = create_task(targetAgentId=agent, prompt=TEXT)
            await asyncio.wait_for(gate.caught.wait(), PATIENCE)
            report.same("it is offered", task_state(task), "ASSIGNED")
        finally:
            await ends(process, agent, way, report)
        began = time.monotonic()
        while task_state(task) != "QUEUED" and time.monotonic() - began < SOON:
            await asyncio.sleep(0.02)
        report.same(f"its task is back after {time.monotonic() - began:.1f} s", task_state(task), "QUEUED")
        await reports(agent, await next_one(agent, task, 2, report), report)


async def in_response(start: Any, agent: str, way: str, report: Report) -> None:
    task = create_task(targetAgentId=agent, prompt=TEXT)
    offer = await next_one(agent, task, 1, report)
    await as_agent(agent, "ack_task", {"taskId": task, "leaseEpoch": offer["leaseEpoch"]})
    async with Gate(RECORDED) as gate:
        process = await start(gate.url, "send_response", done(offer))
        try:
            await asyncio.wait_for(gate.caught.wait(), PATIENCE)
        finally:
            await ends(process, agent, way, report)
    report.same("its report was taken", task_state(task), "COMPLETED")
    await reports(agent, offer, report)


def done(offer: dict[str, Any]) -> dict[str, Any]:
    about = {"taskId": offer["taskId"], "leaseEpoch": offer["leaseEpoch"]}
    return {**about, "status": "COMPLETED", "message": "done"}


async def reports(agent: str, offer: dict[str, Any], report: Report) -> None:
    """The report, for the first time or again: it is in the task once."""
    said = await as_agent(agent, "send_response", done(offer))
    report.same("the report is taken", said.get("message"), f"{RECORDED} {offer['taskId']}")
    ended = [step for step in task_of(offer["taskId"])["history"] if step["type"] == "task.completed"]
    report.same("and is there once", len(ended), 1)


CELLS = {"wait": in_wait, "delivery": in_delivery, "response": in_response}


async def killed(row: Row, cell: str) -> None:
    """One client, killed once: a cell of the table."""
    suite = "-".join(row)
    agent = f"{suite}-{cell}"
    report = Report(f"{suite} killed in mid-{cell}: ")

    async def start(url: str, tool: str, arguments: Any) -> Any:
        quiet = asyncio.subprocess.DEVNULL
        words, none = call_of(row, agent, url, tool, arguments), {"stdin": quiet, "stdout": quiet, "stderr": quiet}
        return await asyncio.create_subprocess_exec(*words, env=environment(url), **none)

    try:
        await make_token(agent)
        await as_agent(agent, "register_agent", {"agentId": agent, "role": "coding", "capabilities": []})
        await CELLS[cell](start, agent, row[2], report)
    except Exception as error:  # whatever it is, the report says it
        report.check("comes to its end", False, repr(error))
    report.close(suite, cell)
