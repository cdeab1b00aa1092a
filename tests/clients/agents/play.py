"""Plays a whole round with programs of real coding agents whose model follows a script: register, wait, be called,
acknowledge, report, ask a person, complete, wait again; each over the proxy and over HTTP, with nobody at the keyboard.
Then some wait thirty times in a row for nothing, as the answers of the hub say, and must still take a task.

Hub, programs and model run in a network namespace that has loopback and nothing else; in any other place this refuses
to start. Its arguments are beginnings of the names of rows; with `--waits` it measures how long each waits instead.
"""

import asyncio
import fcntl
import importlib
import json
import os
import re
import socket
import struct
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BIN, WORK = os.environ["CLIENTS_BIN"], Path(os.environ["CLIENTS_WORK"])
sys.path.insert(0, str(HERE.parent / "python"))

# How many play at once, and how long a round may take on a busy machine, in seconds.
AT_ONCE, PATIENCE = 3, 180
# Longer than the five minutes after which many give up.
LONG = int(os.environ.get("CLIENTS_WAIT", "330"))
# How often a program waits in vain, and how long each time.
IDLE_WAITS, SHORT = 30, "200ms"
# Of these Gemini CLI and Qwen Code end their run at the fifth call that is equal to the one before, and Cline, too.
IDLES = ("claude", "codex", "opencode", "gemini", "qwen", "copilot", "cline")
ROLE = "full-stack-engineer"
WORKSPACE = {"repo": "paper-works"}


def alone() -> None:
    """Brings loopback up; there must be nothing beside it."""
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if others:
        sys.exit(f"there is more here than loopback ({', '.join(others)}): start this by tests/clients/agents/run")
    get, put, up = 0x8913, 0x8914, 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(door, get, asked))[1]
        fcntl.ioctl(door, put, struct.pack("16sh14x", b"lo", flags | up))


async def serve(name: str, **more: str) -> asyncio.subprocess.Process:
    """Starts a hub, and says in the environment where it is."""
    data = WORK / name
    data.mkdir(exist_ok=True)
    os.environ["CALLBOARD_DATA_DIR"] = str(data)
    words = [BIN, "serve", "--listen", "127.0.0.1:0", "--config", str(WORK / "config")]
    log = (WORK / f"{name}.log").open("w")
    hub = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, stderr=log, env={**os.environ, **more}
    )
    while line := (await hub.stdout.readline()).decode():
        if "listening on " in line:
            os.environ["CALLBOARD_URL"] = line.split("listening on ")[1].strip()
            break
    os.environ["CALLBOARD_TOKEN_FILE"] = str(data / "operator.token")
    os.environ["CLIENTS_TOKENS"] = str(WORK / "tokens")
    # It reads once, when it is loaded, where the hub is.
    if "rest" in sys.modules:
        importlib.reload(sys.modules["rest"])
    return hub


async def run(words: list[str], environment: dict[str, str]) -> tuple[int, str]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *words, stdout=pipe, stderr=asyncio.subprocess.STDOUT, env=environment
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode(errors="replace")


class Session:
    """One program, started for one script."""

    def __init__(self, name: str, way: str, steps: list[Any], about: str) -> None:
        from model import Model, Script
        from programs import ALL

        self.program, self.way = ALL[name], way
        self.agent = f"{about}-{name}-{way}"
        self.script = Script(steps)
        self.model = Model(self.script)
        self.home = Path(tempfile.mkdtemp(prefix=f"{self.agent}-", dir=WORK))

    async def start(self, **more: str) -> None:
        from programs import prepared
        from rest import make_token, token_of

        environment = prepared(self.program, self.home, self.model.url)
        environment |= {"AGENT_ID": self.agent, "CLIENTS_BIN": BIN, **more}
        await make_token(self.agent)
        if self.way == "http":
            environment["CALLBOARD_TOKEN"] = token_of(self.agent)
        if self.program.connects:
            words = [BIN, "connect", self.program.connects, "--agent", self.agent, "--role", ROLE, "--allow"]
            code, said = await run([*words, *(["--http"] if self.way == "http" else [])], environment)
            if code:
                raise RuntimeError(said)
        elif self.program.entry:
            code, said = await run([BIN, "connect", "json", "--agent", self.agent, "--role", ROLE], environment)
            if code:
                raise RuntimeError(said)
            name, more = self.program.entry
            entry = json.loads(said)["mcpServers"]["callboard"]
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(json.dumps({"mcpServers": {"callboard": {**entry, **more}}}))
        (self.home / "work").mkdir()
        self.output = (self.home / "output").open("w+b")
        self.process = await asyncio.create_subprocess_exec(
            *self.program.words,
            env=environment,
            cwd=self.home / "work",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
        )

    async def end(self) -> tuple[int | None, str]:
        """How the program ended, and the last it said; what does not end is ended."""
        from programs import leaves_nothing

        try:
            await asyncio.wait_for(self.process.wait(), PATIENCE)
            code = self.process.returncode
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            code = None
        leaves_nothing(self.home)
        self.output.seek(0)
        said = self.output.read().decode(errors="replace")
        self.output.close()
        self.model.close()
        return code, said[-1500:]


async def play(name: str, way: str, report: Any) -> None:
    from rest import create_task, open_question, task_of, until_agent_is

    known: dict[str, Any] = {}
    steps = [
        lambda: ("register_agent", {"agentId": session.agent, "role": ROLE, "workspace": WORKSPACE}),
        lambda: ("wait_for_prompt", {}),
        lambda: ("ack_task", {"taskId": known["task"], "leaseEpoch": task_of(known["task"])["lease"]["epoch"]}),
        lambda: ("update_progress", {"taskId": known["task"], "message": "reading the form", "percent": 10}),
        lambda: ("request_input", {"question": "Red or blue?", "options": ["red", "blue"], "default_action": "red"}),
        lambda: ("send_response", {"taskId": known["task"], "status": "COMPLETED", "message": "the form is blue"}),
        lambda: ("wait_for_prompt", {"timeout": 1}),
    ]
    session = Session(name, way, steps, "round")
    try:
        await session.start()
        await until_agent_is(session.agent, "waiting")
        known["task"] = create_task(
            targetAgentId=session.agent,
            title="The form",
            prompt="paint the form",
            context={"repository": "paper-works"},
        )
        session.script.facts["leaseEpoch"] = task_of(known["task"])["lease"]["epoch"]
        question = await open_question(session.agent)
        code, said = await run([BIN, "question", "answer", question, "blue"], dict(os.environ))
        report.check("a person's answer is taken", code == 0, said)
    except Exception as error:  # whatever it is, the report says it
        report.check("the round reaches its question", False, repr(error))
        if hasattr(session, "process") and session.process.returncode is None:
            session.process.kill()
    if not hasattr(session, "process"):
        return
    code, said = await session.end()
    seen = session.script.seen
    report.check("the program ends by itself, and well", code == 0, said)
    report.same("its model saw the result of each call", len(seen), len(steps))
    seen = [*seen, *[""] * len(steps)]
    report.check("it reads that it is registered", "registered" in seen[0], seen[0])
    called = all(words in seen[1] for words in ("paint the form", "The form", "paper-works"))
    report.check("it reads its task: text, title and context", called, seen[1])
    report.check("it reads a person's answer", "blue" in seen[4], seen[4])
    if "task" not in known:
        return
    task = task_of(known["task"])
    report.same("the task is completed", task["state"], "COMPLETED")
    report.check("at its first attempt", task["attempt"] == 1, task["attempt"])
    told = json.dumps(task["history"])
    report.check("what it reported is kept", "reading the form" in told and "the form is blue" in told, told[-1500:])


async def idles(name: str, way: str, report: Any) -> None:
    """Thirty waits in a row without work, each with the arguments that the answer before asked for, and then a task:
    some programs end their run over a tool call that is repeated as it is."""
    from rest import create_task, task_of

    known: dict[str, Any] = {}

    def waits() -> tuple[str, Any]:
        told = re.search(r"Give it `timeout` (\d+) this time", session.script.seen[-1])
        return "wait_for_prompt", {"timeout": int(told[1])} if told else {}

    def is_called() -> tuple[str, Any]:
        # It comes here twice where its client has to look for the tool first.
        if "task" not in known:
            known["task"] = create_task(targetAgentId=session.agent, title="The form", prompt="paint the form")
        return waits()

    steps = [
        lambda: ("register_agent", {"agentId": session.agent, "role": ROLE, "workspace": WORKSPACE}),
        *[waits] * IDLE_WAITS,
        is_called,
        lambda: ("send_response", {"taskId": known["task"], "status": "COMPLETED", "message": "the form is blue"}),
    ]
    session = Session(name, way, steps, "rest")
    await session.start()
    code, said = await session.end()
    seen = session.script.seen
    report.check("it ends by itself, and well", code == 0, said)
    report.same("it made each of its calls", len(seen), len(steps))
    idle = sum("No tasks available. Waiting." in text for text in seen)
    report.same("it waited in vain so often", idle, IDLE_WAITS)
    report.check("it was there when a task came", "paint the form" in "".join(seen[IDLE_WAITS + 1 :]), seen[-1:])
    report.check("and did it", "task" in known and task_of(known["task"])["state"] == "COMPLETED", said)


async def matrix(rows: list[tuple[str, str]], play: Any = play, what: str = "Full round") -> bool:
    from check import Report
    from programs import ALL

    places, counts, began = asyncio.Semaphore(AT_ONCE), {}, time.monotonic()

    async def cell(name: str, way: str) -> None:
        async with places:
            report, since = Report(f"{name}, {way}, {what.lower()}: "), time.monotonic()
            try:
                await play(name, way, report)
            except Exception as error:  # whatever it is, the report says it
                report.check("it can be played", False, repr(error))
            counts[name, way] = (report.passed, report.failed, time.monotonic() - since)

    await asyncio.gather(*(cell(*row) for row in rows))
    print(f"\n| Agent | Its way | {what} | Took |\n|---|---|---|---|")
    for name, way in rows:
        passed, failed, took = counts[name, way]
        words = f"{passed} hold" if not failed else f"{failed} of {passed + failed} FAIL"
        print(f"| {ALL[name].name} {version_of(name)} | {way} | {words} | {took:.0f} s |")
    passed, failed = (sum(count[which] for count in counts.values()) for which in (0, 1))
    print(f"\nagents: {passed} passed, {failed} failed, in {time.monotonic() - began:.0f} s")
    return failed == 0


def version_of(name: str) -> str:
    from programs import ALL

    package = ALL[name].package
    folder = HERE / "node_modules" / package
    if folder.is_dir():
        return json.loads((folder / "package.json").read_text())["version"]
    return json.loads(os.environ["CLIENTS_VERSIONS"]).get(package) or version(package)


async def waited(name: str, way: str) -> str:
    """Asked for longer than the hub lets anybody wait by default: who ended the wait, and when."""
    from rest import until_agent_is

    def register() -> tuple[str, Any]:
        return "register_agent", {"agentId": session.agent, "role": ROLE, "workspace": WORKSPACE}

    steps = [register, lambda: ("wait_for_prompt", {"timeout": LONG})]
    session = Session(name, way, steps, "waits")
    try:
        async with STARTING:
            # A framework is left the patience that it comes with.
            await session.start(AGENT_TIMEOUT="0")
            await until_agent_is(session.agent, "waiting")
    except RuntimeError as fault:
        return repr(fault)
    began = time.monotonic()
    while len(session.script.seen) < len(steps) and session.process.returncode is None:
        if time.monotonic() - began > LONG + 20:
            break
        await asyncio.sleep(0.2)
    took, seen = time.monotonic() - began, session.script.seen
    if len(seen) < len(steps) and session.process.returncode is None:
        session.process.kill()
    _, said = await session.end()
    if len(seen) == len(steps) and "No tasks available" in seen[1]:
        return f"waits for {took:.0f} s"
    words = seen[1] if len(seen) == len(steps) else said
    found = re.search(r"[^\n:\"{}]*[Tt]imed out[^\n:\"{}]*", words)
    why = " ".join((found[0] if found else words).split())[:120]
    return f'ends it after {took:.0f} s: "{why}"'


STARTING = asyncio.Semaphore(AT_ONCE)


async def waits(rows: list[tuple[str, str]]) -> bool:
    from programs import PROGRAMS

    ends = await asyncio.gather(*(waited(*row) for row in rows))
    print(f"\nMeasured on {date.today()}.\n")
    print(f"| Agent | Its way | Asked for {LONG} s, it |\n|---|---|---|")
    for (name, way), end in zip(rows, ends, strict=True):
        print(f"| {PROGRAMS[name].name} {version_of(name)} | {way} | {end} |")
    return True


def is_asked(row: tuple[str, str], only: list[str]) -> bool:
    return not only or any("-".join(row).startswith(part) for part in only)


async def main(only: list[str]) -> bool:
    from programs import ALL, PROGRAMS

    measure = "--waits" in only
    only = [name for name in only if name != "--waits"]
    rows = [(name, way) for name in PROGRAMS for way in ("proxy", "http")]
    # A guard against loops looks at names and arguments and not at the door: one is enough.
    idle = [(name, "proxy") for name in IDLES]
    rows, idle = ([row for row in every if is_asked(row, only)] for every in (rows, idle))
    if not rows and not idle:
        print(f"FAIL no row begins with {' or '.join(only)}; they begin with {', '.join(ALL)}")
        return False
    good = True
    if rows:
        hub = await serve("data")
        try:
            good = await (waits if measure else matrix)(rows)
        finally:
            hub.terminate()
            await hub.wait()
    if idle and not measure:
        hub = await serve("short", CALLBOARD_WAITS_DEFAULT=SHORT, CALLBOARD_WAITS_MAX=SHORT)
        try:
            good = await matrix(idle, idles, f"{IDLE_WAITS} waits in a row") and good
        finally:
            hub.terminate()
            await hub.wait()
    errors = [line for log in WORK.glob("*.log") for line in log.read_text().splitlines() if "ERROR" in line]
    if errors:
        print("FAIL the hub logged errors", *errors, sep="\n")
    return good and not errors


alone()
sys.exit(0 if asyncio.run(main(sys.argv[1:])) else 1)
