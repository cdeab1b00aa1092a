"""Measures how long each client waits, and what happens at its limit; prints the table of docs/clients.md.

Each client waits twice, all of them at once: as long as the hub lets whoever names no time, and for longer than any
limit that is known. Wants a hub whose waits may last that long: see `config/clients.yaml` and `tests/clients/run`.
"""

import asyncio
import json
import os
import re
import sys
import time
from datetime import date
from importlib.metadata import version
from typing import Any, NamedTuple

from killed import SOON
from rest import URL, as_agent, create_task, make_token, task_of, token_of, until_agent_is
from rows import INSPECTOR, NAMES, SCRIPT, Row, call_of, environment

# Longer than the five minutes after which a silent connection is given up by many, with a minute to spare.
LONG = int(os.environ.get("CLIENTS_WAIT", "370"))
# The row, and what else is said to the client.
TRIALS: list[tuple[Row, list[str]]] = [
    (("curl", "none", "http"), []),
    (("mcp", "modern", "http"), []),
    (("mcp", "legacy", "http"), []),
    (("mcp", "modern", "proxy"), []),
    (("fastmcp", "modern", "http"), []),
    (("fastmcp", "modern", "proxy"), []),
    (("ts1", "legacy", "http"), []),
    (("ts1", "legacy", "http"), ["shown"]),
    (("ts1", "legacy", "http"), ["shown", "reset"]),
    (("ts1", "legacy", "ws"), []),
    (("ts1", "legacy", "proxy"), []),
    (("ts2", "modern", "http"), []),
    (("ts2", "modern", "http"), ["shown", "reset"]),
    (("ts2", "legacy", "http"), []),
    (("ts2", "modern", "proxy"), []),
    (("ts2", "modern", "proxy"), ["shown", "reset"]),
    (("inspector", "modern", "http"), []),
    (("inspector", "legacy", "http"), []),
    (("inspector", "modern", "proxy"), []),
]
# So many start at once; all of them wait at once.
STARTING = asyncio.Semaphore(4)
HABITS = {"shown": "`onprogress`", "reset": "`resetTimeoutOnProgress`"}


def words_of(row: Row, agent: str, arguments: Any, habits: list[str]) -> list[str]:
    if row[0] == "curl":
        head = ["-H", f"Authorization: Bearer {token_of(agent)}", "-H", "Content-Type: application/json"]
        return ["curl", "-sS", *head, "-d", json.dumps(arguments), f"{URL}/api/v1/tools/wait_for_prompt"]
    return [*call_of(row, agent, URL, "wait_for_prompt", arguments), *habits]


class End(NamedTuple):
    """After how many seconds a client's wait ended; by the client itself, and why, or else by the hub."""

    took: float
    why: str = ""
    # What became of it in the hub.
    left: str = ""
    holds: bool = True


async def waited(row: Row, habits: list[str], arguments: Any, name: str) -> End:
    agent = f"waits-{name}-{'-'.join((*row, *habits))}"
    await make_token(agent)
    await as_agent(agent, "register_agent", {"agentId": agent, "role": "coding", "capabilities": []})
    pipe = asyncio.subprocess.PIPE
    async with STARTING:
        words = words_of(row, agent, arguments, habits)
        process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=pipe, env=environment(URL))
        try:
            await until_agent_is(agent, "waiting")
        except RuntimeError as fault:
            process.kill()
            return End(0, repr(fault), holds=False)
    began = time.monotonic()
    says = asyncio.create_task(process.stdout.read(65536))
    await asyncio.wait([says], timeout=LONG + 10)
    took = time.monotonic() - began
    if not says.done():
        return await called(agent, says, took)
    said = await says
    if b"IDLE" in said:
        return End(took)
    error = (said + await process.stderr.read()).decode(errors="replace")
    return await gone(agent, took, reason(error))


async def called(agent: str, says: "asyncio.Task[bytes]", took: float) -> End:
    """It waits for as long as nobody calls it: so it is called."""
    task = create_task(targetAgentId=agent, prompt="at last")
    await asyncio.wait([says], timeout=SOON)
    came = says.done() and task.encode() in says.result()
    return End(took, left="called after that, it came at once" if came else "CALLED, IT DID NOT COME", holds=came)


def reason(words: str) -> str:
    """Why a client gave up, in its own words."""
    found = re.search(r'(?:Error: |"message":")(.*?[Tt]imed out[^.("\n]*)', words)
    return found[1].strip() if found else (words.strip().splitlines() or ["?"])[-1][:120]


async def gone(agent: str, took: float, why: str) -> End:
    """It gave up: what became of its wait, and of the task that came next."""
    began = time.monotonic()
    # Offline where the client has said that it ends.
    await until_agent_is(agent, "working", "offline")
    ended = max(time.monotonic() - began, 0.1)
    task = create_task(targetAgentId=agent, prompt="after the end")
    state = task_of(task)["state"]
    offer = await as_agent(agent, "wait_for_prompt", {"timeout": SOON})
    kept = state == "QUEUED" and (offer.get("taskId"), offer.get("leaseEpoch")) == (task, 1)
    left = f"gone {ended:.1f} s later" + ("" if kept else ", AND ITS NEXT TASK WAS LOST")
    return End(took, why, left, kept and ended < SOON)


def versions() -> dict[str, str]:
    def of(folder: Any, package: str) -> str:
        return json.loads((folder / "node_modules" / package / "package.json").read_text())["version"]

    return {
        "curl": "",
        "mcp": version("mcp"),
        "fastmcp": version("fastmcp"),
        "ts1": of(SCRIPT, "@modelcontextprotocol/sdk"),
        "ts2": of(SCRIPT, "@modelcontextprotocol/client"),
        "inspector": of(INSPECTOR, "@modelcontextprotocol/inspector"),
    }


def shown(end: End, asked: int | None) -> str:
    if end.why:
        return f"ends it after {end.took:.0f} s: \"{end.why}\"; {end.left}"
    if end.left:
        return f"waits on after {end.took:.0f} s, by a ticket; {end.left}"
    return f"waits for {end.took:.0f} s" if asked else f"{end.took:.0f} s"


async def main() -> bool:
    async def trial(row: Row, habits: list[str]) -> list[End]:
        spans = (("usual", {}), ("long", {"timeout": LONG}))
        return await asyncio.gather(*(waited(row, habits, arguments, name) for name, arguments in spans))

    ends = await asyncio.gather(*(trial(row, habits) for row, habits in TRIALS))
    known = versions()
    print(f"Measured on {date.today()}.\n")
    print(f"| Client | Its way | Asked for no time | Asked for {LONG} s, it |\n|---|---|---|---|")
    for (row, habits), (usual, long) in zip(TRIALS, ends, strict=True):
        client = f"{NAMES.get(row[0], row[0])} {known[row[0]]}".strip()
        extra = f", {' and '.join(HABITS[habit] for habit in habits)}" if habits else ""
        way = row[2] if row[1] == "none" else f"{row[2]}, {row[1]}"
        print(f"| {client}{extra} | {way} | {shown(usual, None)} | {shown(long, LONG)} |")
    # Whoever names no time is to lose no wait.
    return all(end.holds for both in ends for end in both) and not any(usual.why for usual, _ in ends)


sys.exit(0 if asyncio.run(main()) else 1)
