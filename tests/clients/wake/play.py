"""Plays agents that are woken by hooks: registered, parked without a request to the model, woken for a task. And one
whose own tools people are asked about by its hook.

In any other place than a network namespace with loopback alone this refuses to start.
"""

import argparse
import asyncio
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "agents"), str(HERE.parent / "python")]
BIN, WORK = os.environ["CLIENTS_BIN"], Path(os.environ["CLIENTS_WORK"])
ROLE = "full-stack-engineer"
# How long a step may take on a busy machine, in seconds.
PATIENCE = 120.0
# How long after its task a parked client may ask its model, in seconds. The goal is 1 on a machine with nothing
# else to do, and is printed; here others build and play beside it, so that only what is grossly late fails.
WITHIN = 15.0
# After so long without a request to its model a turn is over, in seconds: Qwen Code asks once more after it, on a busy
# machine seconds later, for what it may remember of it.
SETTLED = 15.0
NUDGE = "callboard has something for you. Call wait_for_prompt."
CLIENTS = ("claude", "gemini", "opencode", "qwen", "copilot", "codex")
# Those that wait on a terminal: without one they end with their turn, or have no shell. What is typed.
ON_A_TERMINAL = {
    "opencode": ["opencode", "--prompt"],
    "qwen": ["qwen", "--prompt-interactive"],
    "codex": ["codex", "--dangerously-bypass-approvals-and-sandbox"],
}
# Woken by its proxy, and by no command that waits.
BY_PROXY = {"qwen", "codex"}
# By the socket of its daemon, for which nothing has to be set up.
BY_SOCKET = {"codex"}
# Where is the cursor, and what kind of terminal is this? Codex draws nothing before it is told.
ASKS_ITS_TERMINAL = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?6c"}
# Where `connect` writes.
WRITTEN = ("settings.json", "opencode.json", "plugin/callboard.js", "config.toml")
# Those whose prompt people answer: the shell as each one's model calls it, with the name of its command.
SHELLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "claude": ("Bash", "command", {}),
    "qwen": ("run_shell_command", "command", {"is_background": False}),
    "opencode": ("bash", "command", {}),
    "codex": ("exec_command", "cmd", {"sandbox_permissions": "require_escalated", "justification": "to write"}),
}
# What is typed in place of what is above so that they ask.
ASKING = {
    "codex": ["codex", "--ask-for-approval", "on-request", "--sandbox", "workspace-write"]
    + ["--dangerously-bypass-hook-trust"],
}
# What opencode asks for: unless it is told, for nothing.
ASKS_FOR = {"permission": {"bash": "ask"}}
# Words of its own prompt, and the key that allows.
OWN_PROMPT = {"qwen": ("llow once", b"\r"), "opencode": ("llow once", b"\r"), "codex": ("Would you like", b"y")}


async def until(what: str, found: Callable[[], Any]) -> Any:
    """What `found` finds, as soon as it does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if seen := await asyncio.to_thread(found):
            return seen
        await asyncio.sleep(0.05)
    raise RuntimeError(f"not within {PATIENCE:.0f} s: {what}")


class Agent:
    """A real client that `callboard connect` has connected, with a model of its own."""

    def __init__(self, client: str, agent: str, flags: list[str], asks: bool = False) -> None:
        from model import Model, Script
        from programs import ALL, ASKED, prepared

        times: list[float] = []

        class Timed(Script):
            def next(self, turn: Any) -> Any:
                times.append(time.monotonic())
                return super().next(turn)

        self.client, self.agent, self.times, self.script = client, agent, times, Timed([])
        self.model = Model(self.script)
        self.place = WORK / agent
        self.place.mkdir()
        self.home = self.place / "home"
        self.works = self.place
        if client in BY_SOCKET:
            # The name of a socket may be no longer than the system allows, and in a repository Codex asks first whether
            # it is to be trusted.
            self.home = Path(tempfile.mkdtemp(prefix="wake-"))
            self.works = self.home / "work"
            self.works.mkdir()
        self.home.mkdir(exist_ok=True)
        self.program = program = ALL[client]
        self.environment = prepared(program, self.home, self.model.url)
        self.words = program.words
        if typed := ON_A_TERMINAL.get(client):
            self.words = [*(ASKING.get(client, typed) if asks else typed), ASKED]
            # With `CI` they draw nothing before they end.
            self.environment = {**self.environment, "TERM": "xterm-256color"}
            del self.environment["CI"]
        if asks and client == "opencode":
            settings = self.home / ".config/opencode/opencode.json"
            own = json.loads(settings.read_text(encoding="utf-8"))
            settings.write_text(json.dumps({**own, **ASKS_FOR}), encoding="utf-8")
        if program.connects:
            self.connect("--role", ROLE, "--allow", *flags)
        else:
            self.by_hand()

    def files(self) -> dict[str, str]:
        """What its user's settings hold."""
        found = (path for name in WRITTEN for path in self.home.glob(f".*/**/{name}"))
        found = (path for path in found if "node_modules" not in path.parts)
        return {str(path.relative_to(self.home)): path.read_text(encoding="utf-8") for path in found}

    def connect(self, *flags: str) -> str:
        words = [BIN, "connect", self.program.connects or "json", "--agent", self.agent, *flags]
        done = subprocess.run([*words, "--data-dir", str(WORK / "data")], env=self.environment, capture_output=True)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode()

    def by_hand(self) -> None:
        """Writes what docs/wake.md says of Copilot, which `connect` does not know."""
        entry = json.loads(self.connect("--role", ROLE))["mcpServers"]["callboard"]
        name, more = self.program.entry
        servers = {"callboard": {**entry, **more, "args": [*entry["args"], "--wake"]}}
        command = f"exec '{BIN}' wake --agent {self.agent} --for {self.client} --data-dir '{WORK}/data'"
        hook = {"type": "command", "bash": command, "timeoutSec": 7200}
        (self.home / ".copilot/hooks").mkdir(parents=True)
        (self.home / name).write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        hooks = json.dumps({"version": 1, "hooks": {"agentStop": [hook]}})
        (self.home / ".copilot/hooks/callboard.json").write_text(hooks, encoding="utf-8")

    async def start(self) -> None:
        from rest import as_agent  # noqa: F401  (the operator's side reads its place when it is loaded)

        said = (self.place / "said").open("wb", buffering=0)
        more: dict[str, Any] = {"stdout": said, "stderr": said}
        if self.client in ON_A_TERMINAL:
            self.keys, end = os.openpty()
            fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            more = dict.fromkeys(("stdin", "stdout", "stderr"), end)
            more["preexec_fn"] = lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = await asyncio.create_subprocess_exec(
            *self.words, cwd=self.works, env=self.environment, start_new_session=True, **more
        )
        if self.client in ON_A_TERMINAL:
            os.close(end)
            threading.Thread(target=self.reads, args=(said,), daemon=True).start()

    def reads(self, said: Any) -> None:
        """What it draws, until it ends."""
        try:
            while drawn := os.read(self.keys, 65536):
                said.write(drawn)
                for question, answer in ASKS_ITS_TERMINAL.items():
                    if question in drawn:
                        os.write(self.keys, answer)
        except OSError:
            pass

    def record(self) -> str:
        path = WORK / f"data/wake/{self.agent}.json"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def text(self) -> str:
        return (self.place / "said").read_text(encoding="utf-8", errors="replace")

    def said(self) -> str:
        return self.text()[-1500:]

    async def end(self) -> None:
        from programs import leaves_nothing

        try:
            # What it started has its group.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        await self.process.wait()
        leaves_nothing(self.home)
        self.model.close()

    def leaves(self) -> None:
        if self.client in BY_SOCKET:
            shutil.rmtree(self.home, ignore_errors=True)


def is_there(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


async def its_hook_ends(agent: Agent, report: Any) -> None:
    """The command that waits for the next task ends with its client."""
    hook = json.loads(await until("its hook waits again", agent.record))["pid"]
    await until("and is another", lambda: json.loads(agent.record())["pid"] != hook or is_there(hook))
    record = json.loads(agent.record())
    # The process of the client that runs hooks: Gemini CLI starts a second one of itself.
    os.kill(record["parent"], signal.SIGKILL)
    await until("what it left behind ends", lambda: not is_there(record["pid"]))
    report.check("its hook ends with it", True)


async def wake_of(client: str, park: float, within: float, report: Any) -> None:
    """Parked without a request, woken by one sentence, and what it fetches itself is what is delivered."""
    from rest import create_task, task_of, task_state, until_agent_is

    agent = Agent(client, f"wake-{client}", [] if client in BY_SOCKET else ["--wake"])
    known: dict[str, str] = {}
    first = [
        lambda: ("register_agent", {"agentId": agent.agent, "role": ROLE}),
        lambda: ("wait_for_prompt", {}),
    ]
    then = [
        lambda: ("wait_for_prompt", {}),
        lambda: ("send_response", {"taskId": known["task"], "status": "COMPLETED", "message": "Done."}),
    ]
    agent.script.steps = first
    try:
        await agent.start()
        if client not in BY_PROXY:
            await until("its hook waits", agent.record)
        await until("it is told to end its turn", lambda: "You will be woken" in (agent.script.seen or [""])[-1])
        report.check("it is told to end its turn", True)
        await until_agent_is(agent.agent, "waiting")
        await until("its turn is over", lambda: time.monotonic() - agent.times[-1] > SETTLED)
        asked = len(agent.times)
        await asyncio.sleep(park)
        report.same(f"no request to its model within {park:.0f} s", len(agent.times) - asked, 0)
        agent.script.steps = first + then
        began = time.monotonic()
        known["task"] = await asyncio.to_thread(lambda: create_task(targetAgentId=agent.agent, prompt="say hello"))
        await until("it is woken", lambda: len(agent.times) > asked)
        took = agent.times[asked] - began
        print(f"     {client}: parked for {park:.0f} s; woken after {took:.2f} s")
        report.check(f"it asked its model within {within:.0f} s of the task", took <= within, took)
        # The newest request may be about something else, as what to remember; the next of the conversation has it, too.
        await until("it is told so by one sentence", lambda: NUDGE in agent.script.heard)
        report.check("by one sentence", True)
        await until("it is completed", lambda: task_state(known["task"]) == "COMPLETED")
        given = sum("say hello" in text for text in agent.script.seen)
        report.same("the task was given once, at its first attempt", (given, task_of(known["task"])["attempt"]), (1, 1))
        if client not in BY_PROXY:
            await its_hook_ends(agent, report)
    except Exception as error:  # whatever it is, the report says it
        report.check("it can be played", False, f"{error!r}\n{agent.said()}\n{agent.record()}\n{agent.script.seen}")
    finally:
        await agent.end()
    if not agent.program.connects:
        return
    agent.connect("--undo")
    left = {name: text for name, text in agent.files().items() if "callboard" in text}
    report.same("--undo leaves nothing of it in its settings", left, {})
    agent.leaves()


async def permission_of(client: str, park: threading.Event, gone: asyncio.Event, report: Any) -> None:
    """What a client may not do by itself its hook asks people: allowed once, denied, and left to it without a hub."""
    agent = Agent(client, f"asks-{client}", ["--permissions"], asks=True)
    shell, command, more = SHELLS[client]

    def does(name: str) -> tuple[str, dict[str, Any]]:
        if name == "alone":
            park.wait()
        described = {} if client == "codex" else {"description": "a step"}
        return shell, {command: f"echo x > {name}.txt", **described, **more}

    steps = [lambda name=name: does(name) for name in ("allowed", "denied", "alone")]
    agent.script.steps = [lambda: ("register_agent", {"agentId": agent.agent, "role": ROLE}), *steps]
    try:
        await asks_people(agent, report)
        drawn = len(agent.text())
        await gone.wait()
        await does_without(agent, drawn, report)
    finally:
        # Its model waits, too, where this is ended from outside.
        park.set()
        await agent.end()
        agent.leaves()


async def asks_people(agent: Agent, report: Any) -> None:
    from rest import answer_question, open_question

    try:
        await agent.start()
        asked = ""
        for answer, own in (("allow once", False), ("Not on a Friday.", True)):
            question = await open_question(agent.agent)
            while question == asked:
                await asyncio.sleep(0.1)
                question = await open_question(agent.agent)
            asked = question
            status, body = await answer_question(question, answer, own)
            report.check(f"`{answer}` is taken", status == 200, body)
        await until("it has heard both", lambda: len(agent.script.seen) >= 3)
        report.check("its model reads why it was denied", "Not on a Friday." in agent.script.seen[2], agent.script.seen)
    except Exception as error:  # whatever it is, the report says it
        report.check("it can ask people", False, f"{error!r}\n{agent.said()}\n{agent.script.seen}")


async def does_without(agent: Agent, drawn: int, report: Any) -> None:
    """The hub is gone. So much was drawn before: a prompt may be in several pieces, far apart."""
    on_a_terminal = agent.client in ON_A_TERMINAL
    try:
        if on_a_terminal:
            own, key = OWN_PROMPT[agent.client]
            asked = ("alone.txt", own)
            await until("it asks its own user", lambda: all(words in agent.text()[drawn:] for words in asked))
            os.write(agent.keys, key)
            await until("who allows it", (agent.works / "alone.txt").exists)
        else:
            await asyncio.wait_for(agent.process.wait(), PATIENCE)
        made = sorted(path.name for path in agent.works.glob("*.txt"))
        alone = ["alone.txt"] if on_a_terminal else []
        report.same("what was allowed was done, without a hub by its own user alone", made, ["allowed.txt", *alone])
    except Exception as error:  # whatever it is, the report says it
        report.check("it does without a hub", False, f"{error!r}\n{agent.said()}\n{agent.script.seen}")


async def serve() -> asyncio.subprocess.Process:
    """Starts a hub, and says in the environment where it is."""
    os.environ.update(CALLBOARD_DATA_DIR=str(WORK / "data"), CLIENTS_TOKENS=str(WORK / "tokens"))
    log = (WORK / "hub.log").open("wb")
    words = [BIN, "serve", "--listen", "127.0.0.1:0", "--config", str(WORK / "config")]
    hub = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, stderr=log)
    while line := (await hub.stdout.readline()).decode():
        if "listening on " in line:
            os.environ["CALLBOARD_URL"] = line.split("listening on ")[1].strip()
            break
    os.environ["CALLBOARD_TOKEN_FILE"] = str(WORK / "data/operator.token")
    return hub


async def plays(clients: list[str], park: float, within: float, hub: asyncio.subprocess.Process) -> list[Any]:
    """All that is asked for; at its end the hub is gone."""
    from check import Report

    reports = {client: Report(f"woken, {client}: ") for client in clients}
    # All are parked at the same time, and nothing starts while they are woken: a model that is made to wait for minutes
    # for its script would be given up by its client.
    await asyncio.gather(*(wake_of(client, park, within, report) for client, report in reports.items()))
    asking = {client: Report(f"hook asks people, {client}: ") for client in clients if client in SHELLS}
    parked, gone = threading.Event(), asyncio.Event()

    async def ends_the_hub() -> None:
        await until("people were asked", lambda: all(one.passed >= 3 or one.failed for one in asking.values()))
        hub.terminate()
        await hub.wait()
        parked.set()
        gone.set()

    asks = (permission_of(client, parked, gone, report) for client, report in asking.items())
    await asyncio.gather(*asks, ends_the_hub())
    return [*reports.values(), *asking.values()]


async def main() -> bool:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("clients", nargs="*", default=CLIENTS)
    arguments.add_argument("--park", type=float, default=5.0)
    arguments.add_argument("--within", type=float, default=WITHIN)
    asked = arguments.parse_args()
    # Whoever ends this ends what it started.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    hub = await serve()
    try:
        reports = await plays(asked.clients, asked.park, asked.within, hub)
    finally:
        if hub.returncode is None:
            hub.terminate()
            await hub.wait()
    said = (WORK / "hub.log").read_text(encoding="utf-8", errors="replace")
    errors = [line for line in said.splitlines() if "ERROR" in line]
    if errors:
        print("FAIL the hub logged errors", *errors[:20], sep="\n")
    passed, failed = (sum(getattr(report, which) for report in reports) for which in ("passed", "failed"))
    print(f"\nwoken: {passed} passed, {failed} failed")
    return not failed and not errors


def alone() -> None:
    """Brings loopback up; there must be nothing beside it."""
    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if others:
        sys.exit(f"there is more here than loopback ({', '.join(others)}): start this by tests/clients/wake/run")
    get, put, up = 0x8913, 0x8914, 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(door, get, asked))[1]
        fcntl.ioctl(door, put, struct.pack("16sh14x", b"lo", flags | up))


alone()
sys.exit(0 if asyncio.run(main()) else 1)
