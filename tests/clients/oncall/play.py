"""Plays agents on call: a hub, a host for each client, and tasks that start the client. The model follows a script.

In any other place than a network namespace with loopback alone this refuses to start.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "agents"), str(HERE.parent / "python")]
BIN, WORK = os.environ["CLIENTS_BIN"], Path(os.environ["CLIENTS_WORK"])
ROLE = "full-stack-engineer"
# How long a step may take on a busy machine, in seconds.
PATIENCE = 120.0
CLIENTS = ("claude", "codex", "gemini", "qwen", "opencode", "gemini-acp", "qwen-acp", "opencode-acp")
# By this end of its name a client is known that is spoken to by the Agent Client Protocol: it asks people for its shell.
ACP = "-acp"
# The shell as each client's model calls it, and what lets it do so unasked: what a user adds behind `--`.
SHELLS: dict[str, tuple[str, Callable[[str], dict[str, Any]], list[str]]] = {
    "claude": ("Bash", lambda text: {"command": text, "description": "a step"}, ["--allowedTools", "Bash"]),
    "codex": ("exec_command", lambda text: {"cmd": text}, ["--dangerously-bypass-approvals-and-sandbox"]),
    "gemini": ("run_shell_command", lambda text: {"command": text}, ["-y", "-m", "gemini-2.5-flash"]),
    "qwen": (
        "run_shell_command",
        lambda text: {"command": text, "description": "a step", "is_background": False},
        ["-y"],
    ),
    "opencode": ("bash", lambda text: {"command": text, "description": "a step"}, []),
}
SHELLS |= {
    f"{client}{ACP}": (*SHELLS[client][:2], [word for word in SHELLS[client][2] if word != "-y"])
    for client in ("gemini", "qwen", "opencode")
}
# What the vendors say at a limit, for those clients that do not wait it out in silence.
LIMITS: dict[str, dict[str, Any]] = {
    "claude": {"type": "error", "error": {"type": "rate_limit_error", "message": "This exceeds your rate limit."}},
    "codex": {"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached"}},
    "gemini": {
        "error": {
            "code": 429,
            "message": "You exceeded your current quota",
            "status": "RESOURCE_EXHAUSTED",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
                }
            ],
        }
    },
}
LIMITS[f"gemini{ACP}"] = LIMITS["gemini"]
COMMIT = (
    "echo $CALLBOARD_TASK_ID > made.txt && git add made.txt && "
    "git -c user.name=Ada -c user.email=ada@example.com commit -q -m made"
)


def task_of(task: str) -> dict[str, Any]:
    from rest import task_of

    return task_of(task)


def last_run(task: str) -> dict[str, Any]:
    runs = task_of(task).get("runs") or [{}]
    return runs[-1]


async def until(what: str, found: Callable[[], Any]) -> Any:
    """What `found` finds, as soon as it does."""
    end, seen = time.monotonic() + PATIENCE, None
    while time.monotonic() < end:
        try:
            seen = await asyncio.to_thread(found)
        except OSError:
            seen = None
        if seen:
            return seen
        await asyncio.sleep(0.1)
    raise RuntimeError(f"not within {PATIENCE:.0f} s: {what}")


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return ") Z " not in state


class Place:
    """A hub, where everything is tried."""

    def __init__(self) -> None:
        self.data = WORK / "data"
        self.hub: asyncio.subprocess.Process | None = None
        self.port = 0

    async def serve(self) -> None:
        self.data.mkdir(exist_ok=True)
        os.environ["CALLBOARD_DATA_DIR"] = str(self.data)
        words = [BIN, "serve", "--listen", f"127.0.0.1:{self.port}", "--config", str(WORK / "config")]
        log = (WORK / "hub.log").open("a")
        more = {"CALLBOARD_ONCALL_LINGER": "2s", "CALLBOARD_LEASES_ACK_WITHIN": "60s"}
        self.hub = await asyncio.create_subprocess_exec(
            *words, stdout=asyncio.subprocess.PIPE, stderr=log, env={**os.environ, **more}
        )
        while line := (await self.hub.stdout.readline()).decode():
            if "listening on " in line:
                os.environ["CALLBOARD_URL"] = line.split("listening on ")[1].strip()
                self.port = int(os.environ["CALLBOARD_URL"].rsplit(":", 1)[1])
                break
        os.environ["CALLBOARD_TOKEN_FILE"] = str(self.data / "operator.token")
        os.environ["CLIENTS_TOKENS"] = str(WORK / "tokens")

    async def killed(self) -> None:
        self.hub.kill()
        await self.hub.wait()


class Host:
    """`callboard oncall` for one client."""

    def __init__(self, client: str, name: str, extra: list[str] | None = None) -> None:
        from model import Model, Script
        from programs import PROGRAMS, prepared

        self.client, self.agent, self.place = client, f"{name}-1", WORK / name
        self.script = Script([])
        self.model = Model(self.script)
        self.place.mkdir()
        home = self.place / "home"
        home.mkdir()
        program = PROGRAMS[client.removesuffix(ACP)]
        self.environment = prepared(program, home, self.model.url)
        self.environment |= {key: os.environ[key] for key in ("CALLBOARD_TOKEN_FILE", "CALLBOARD_DATA_DIR")}
        given = [word for key in program.environment for word in ("--env", key)]
        self.repository = self.place / "repository"
        self.git("init", "-q", "-b", "main", str(self.repository), at=self.place)
        self.git("-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "begin")
        extra = SHELLS[client][2] if extra is None else extra
        self.words = [BIN, "oncall", client, "--role", ROLE, "--agent", name, "--max", "1"]
        self.words += ["--workspace", str(self.repository), *given, *(["--", *extra] if extra else [])]
        self.said = self.place / "said"
        self.process: asyncio.subprocess.Process | None = None

    def git(self, *words: str, at: Path | None = None) -> str:
        found = subprocess.run(
            ["git", *words], cwd=at or self.repository, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return found.stdout

    async def start(self) -> None:
        # Counted before it starts: it may be quicker than whoever reads.
        marks = self.text().count("1 of 1 free") if self.said.exists() else 0
        with self.said.open("ab") as said:
            self.process = await asyncio.create_subprocess_exec(
                *self.words, env=self.environment, stdout=said, stderr=said, start_new_session=True
            )
        await until("the host is on call", lambda: self.text().count("1 of 1 free") > marks or self.is_away())

    def is_away(self) -> bool:
        return self.process.returncode is not None

    def text(self) -> str:
        return self.said.read_text(encoding="utf-8")

    def pid_of(self, task: str) -> int | None:
        """The newest process of a task."""
        found = re.findall(rf"{task} .*process (\d+)\)", self.text())
        return int(found[-1]) if found else None

    async def end(self, how: int = signal.SIGTERM) -> None:
        if self.process.returncode is None:
            self.process.send_signal(how)
        await asyncio.wait_for(self.process.wait(), PATIENCE)

    def steps(self, known: dict[str, str]) -> list[Any]:
        shell, call, _ = SHELLS[self.client]
        return [
            lambda: ("update_progress", {"taskId": known["task"], "message": "reading the form"}),
            lambda: (shell, call(COMMIT)),
            lambda: ("request_input", {"question": "Red or blue?", "options": ["red", "blue"], "default_action": "red"}),
        ]

    def reports(self, known: dict[str, str]) -> Any:
        words = {"status": "COMPLETED", "message": "the form is blue"}
        return lambda: ("send_response", {"taskId": known["task"], **words})

    def gives(self, known: dict[str, str], steps: list[Any]) -> str:
        from rest import create_task

        self.script.steps, self.script.seen = steps, []
        known["task"] = create_task(targetAgentId=self.agent, title="The form", prompt="paint the form")
        return known["task"]


class UntilDone(list):
    """Steps of which the last is made again until the task is done, and the one before twice: a call that was broken off
    counts as made in the conversation that goes on, and any model would make it again."""

    def __init__(self, known: dict[str, str], steps: list[Any]) -> None:
        super().__init__(steps)
        self.known = known

    def __len__(self) -> int:
        try:
            done = task_of(self.known["task"])["state"] == "COMPLETED"
        except OSError:
            done = False
        return super().__len__() if done else 1_000

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(min(at, super().__len__() - 1))


async def round_of(host: Host, report: Any) -> None:
    """Task, process, worktree, commit, question, no process, answer, the same conversation, completed."""
    from rest import open_question

    known: dict[str, str] = {}
    since = time.monotonic()
    task = host.gives(known, host.steps(known))
    await until("it is at work", lambda: task_of(task)["state"] == "IN_PROGRESS")
    print(f"     {host.client}: first call {time.monotonic() - since:.1f} s after the task")
    question = await open_question(host.agent)
    if host.client.endswith(ACP):
        question = await answered(host.agent, question, "allow once", report)
    run = await until("it waits without a process", lambda: waits(task))
    pid = host.pid_of(task)
    await until("its process is gone", lambda: not is_there(pid))
    if host.client == f"gemini{ACP}":
        # Its file of a conversation is named after the minute, and within that minute a resumption writes over it.
        await asyncio.sleep(61 - time.time() % 60)
    branch = f"feature/{ROLE}/{task}"
    report.same("its work is a commit on its branch", host.git("show", f"{branch}:made.txt").strip(), task)
    host.script.steps.append(host.reports(known))
    said = subprocess.run([BIN, "question", "answer", question, "blue"], capture_output=True, text=True)
    report.check("the answer is taken", said.returncode == 0, said.stderr)
    await until("it is completed", lambda: task_of(task)["state"] == "COMPLETED")
    after = await until("its run is ended", lambda: ended(task))
    whole = task_of(task)
    report.check("its model read the answer", "blue" in host.script.heard, host.script.heard[-2000:])
    report.same("in the same run", after["runId"], run["runId"])
    report.same("in the same conversation", after.get("conversation"), run.get("conversation"))
    report.check("which has an id", after.get("conversation"), after)
    report.same("at its first attempt", whole["attempt"], 1)
    report.check("what it used is known", (whole.get("usage") or {}).get("inputTokens"), whole.get("usage"))
    await until("its process is gone", lambda: not is_there(host.pid_of(task)))
    folders = [path.name for path in (Path(os.environ["CALLBOARD_DATA_DIR"]) / "oncall").glob("*/run_*")]
    report.check("nothing of the run is left", not any(name == after["runId"] for name in folders), folders)
    listed = host.git("worktree", "list")
    report.check("the worktree with unmerged work is kept", task in listed, listed)


async def answered(agent: str, question: str, answer: str, report: Any) -> str:
    """Answers what is asked; returns the next that is."""
    from rest import open_question

    said = subprocess.run([BIN, "question", "answer", question, answer], capture_output=True, text=True)
    report.check(f"`{answer}` is taken", said.returncode == 0, said.stderr)
    following = question
    while following == question:
        following = await open_question(agent)
    return following


def state_of(run: dict[str, Any]) -> str:
    state = run.get("state")
    return state.get("name", "") if isinstance(state, dict) else state or ""


def waits(task: str) -> dict[str, Any] | None:
    run = last_run(task)
    return run if state_of(run) == "waiting" else None


def ended(task: str) -> dict[str, Any] | None:
    run = last_run(task)
    return run if state_of(run) == "ended" else None


async def limit_of(host: Host, report: Any) -> None:
    """A limit gives the task back without an attempt; when it is over, the work is done with nobody there."""
    known: dict[str, str] = {}
    limit = json.loads(json.dumps(LIMITS[host.client]))
    if host.client == "codex":
        limit["error"]["resets_at"] = int(datetime.now(UTC).timestamp()) + 45
    host.script.limit = limit
    task = host.gives(known, [host.reports(known)])
    run = await until("it is limited", lambda: ended(task))
    report.check("the run says that it met a limit", "limited" in json.dumps(run), run)
    whole = task_of(task)
    report.same("the task is back in its queue", whole["state"], "QUEUED")
    host.script.limit = None
    if host.client == "codex":
        await until("it is done when the limit is over", lambda: task_of(task)["state"] == "COMPLETED")
        report.same("and no attempt was used up", task_of(task)["attempt"], 1)


async def leave_of(client: str, report: Any) -> None:
    """What a client may not do by itself it asks people: allowed once, then denied."""
    from rest import open_question

    host = Host(client, f"oc-{client}-asks", SHELLS[client][2] if client.endswith(ACP) else [])
    try:
        await host.start()
        known: dict[str, str] = {}
        shell, call, _ = SHELLS[client]
        steps = [lambda name=name: (shell, call(f"echo x > {name}.txt")) for name in ("allowed", "denied")]
        task = host.gives(known, [*steps, host.reports(known)])
        denied = await answered(host.agent, await open_question(host.agent), "allow once", report)
        said = subprocess.run([BIN, "question", "answer", denied, "deny"], capture_output=True, text=True)
        report.check("`deny` is taken", said.returncode == 0, said.stderr)
        await until("it is completed", lambda: task_of(task)["state"] == "COMPLETED")
        made = sorted(path.name for path in host.repository.glob(f".callboard/worktrees/**/*{task}*/*.txt"))
        report.same("what was allowed was done, and nothing else", made, ["allowed.txt"])
    except Exception as error:  # whatever it is, the report says it
        report.check("it can ask leave", False, f"{error!r}\n{host.text()[-1500:]}\n{host.script.heard[-3000:]}")
    finally:
        await host.end()
        host.model.close()


async def kills_of(host: Host, place: Place, kills: int, killed: list[str], report: Any) -> None:
    """Client, host and hub killed, each at `kills` moments spread over the time that a run takes undisturbed."""
    known: dict[str, str] = {}
    task = host.gives(known, [*host.steps(known)[:2], host.reports(known)])
    await until("it is started", lambda: host.pid_of(task))
    began = time.monotonic()
    await until("it is completed, undisturbed", lambda: is_done(host, task))
    span, struck = time.monotonic() - began, 0
    for who in killed:
        for nth in range(kills):
            after = nth * span / kills
            try:
                struck += await kill_of(host, place, who, after, report)
            except RuntimeError as error:
                report.check(f"{who} killed after {after:.2f} s", False, f"{error!r}\n{host.text()[-1200:]}")
    print(f"     {host.client}: {len(killed) * kills} kills within {span:.1f} s of work, {struck} before the process had ended")


async def kill_of(host: Host, place: Place, who: str, after: float, report: Any) -> bool:
    """One of them killed `after` so many seconds of work; whether the client's process was there until then."""
    known: dict[str, str] = {}
    what = f"{who} killed after {after:.2f} s: "
    progress, commit, _ = host.steps(known)
    task = host.gives(known, UntilDone(known, [progress, commit, commit, host.reports(known)]))
    pid = await until("it is started", lambda: host.pid_of(task))
    await asyncio.sleep(after)
    struck = is_there(pid)
    if who == "client":
        kill(pid)
    elif who == "host":
        host.process.kill()
        await host.process.wait()
        await until("its process went along", lambda: not is_there(pid))
        await host.start()
    else:
        await place.killed()
        await place.serve()
    await until(f"{what}it is completed", lambda: is_done(host, task))
    report.check(f"{what}completed once", is_once(task), task_of(task))
    await until(f"{what}no process is left", lambda: not is_there(host.pid_of(task)))
    branch = host.git("log", "--format=%s", f"feature/{ROLE}/{task}")
    report.check(f"{what}its work is there", "made" in branch, branch)
    listed = host.git("worktree", "list")
    report.check(f"{what}its worktree is there", task in listed, listed)
    return struck


def is_done(host: Host, task: str) -> bool:
    # A new conversation begins the script anew, which commits what is committed already: that is no work.
    return task_of(task)["state"] == "COMPLETED"


def is_once(task: str) -> bool:
    history = task_of(task)["history"]
    return sum("the form is blue" in json.dumps(item) for item in history) == 1


def idle_cost(host: Host) -> str:
    """What a host without a task costs."""
    stat = Path(f"/proc/{host.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    before = int(stat[11]) + int(stat[12])
    time.sleep(5)
    stat = Path(f"/proc/{host.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    status = Path(f"/proc/{host.process.pid}/status").read_text(encoding="utf-8")
    resident = re.search(r"VmRSS:\s+(\d+)", status)
    return f"{int(stat[11]) + int(stat[12]) - before} ticks in 5 s, {int(resident[1]) / 1024:.1f} MB"


async def cell(client: str, report: Any) -> None:
    host = Host(client, f"oc-{client}")
    try:
        await host.start()
        print(f"     {client}: a host without a task: {await asyncio.to_thread(idle_cost, host)}")
        await round_of(host, report)
        if client in LIMITS:
            await limit_of(host, report)
    except Exception as error:  # whatever it is, the report says it
        report.check("it can be played", False, f"{error!r}\n{host.text()[-1500:]}")
    finally:
        await host.end()
        report.same("the host ends well", host.process.returncode, 0)
        host.model.close()


async def main() -> bool:
    from check import Report

    arguments = argparse.ArgumentParser()
    arguments.add_argument("clients", nargs="*", default=CLIENTS)
    arguments.add_argument("--kills", type=int, default=2)
    arguments.add_argument("--killed", default="client,host,hub")
    asked = arguments.parse_args()
    (WORK / "config/agents.yaml").write_text(f"roles: {{{ROLE}: {{worktree: true}}}}\n", encoding="utf-8")
    place = Place()
    await place.serve()
    reports = {client: Report(f"on call, {client}: ") for client in asked.clients}
    at_once = asyncio.Semaphore(2)

    async def one(client: str, report: Any) -> None:
        async with at_once:
            await cell(client, report)

    await asyncio.gather(*(one(client, report) for client, report in reports.items()))
    for client in asked.clients:
        if client == "claude" or client.endswith(ACP):
            reports[f"{client}, leave"] = Report(f"on call, leave, {client}: ")
            await leave_of(client, reports[f"{client}, leave"])
    quickest = next((client for client in ("codex", "claude") if client in asked.clients), None)
    if quickest and asked.kills:
        reports["kills"] = Report("on call, killed: ")
        host = Host(quickest, "oc-kills")
        await host.start()
        try:
            await kills_of(host, place, asked.kills, asked.killed.split(","), reports["kills"])
        except Exception as error:  # whatever it is, the report says it
            reports["kills"].check("it can be played", False, f"{error!r}\n{host.text()[-3000:]}")
        await host.end()
    place.hub.terminate()
    await place.hub.wait()
    log = (WORK / "hub.log").read_text(encoding="utf-8", errors="replace")
    errors = [line for line in log.splitlines() if "ERROR" in line]
    if errors:
        print("FAIL the hub logged errors", *errors[:20], sep="\n")
    if os.environ.get("CLIENTS_KEEP"):
        shutil.copytree(WORK, os.environ["CLIENTS_KEEP"], dirs_exist_ok=True, symlinks=True)
    passed, failed = (sum(getattr(report, which) for report in reports.values()) for which in ("passed", "failed"))
    print(f"\non call: {passed} passed, {failed} failed")
    return not failed and not errors


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def alone() -> None:
    """Brings loopback up; there must be nothing beside it."""
    import socket

    others = [name for _, name in socket.if_nameindex() if name != "lo"]
    if others:
        sys.exit(f"there is more here than loopback ({', '.join(others)}): start this by tests/clients/oncall/run")
    import fcntl
    import struct

    get, put, up = 0x8913, 0x8914, 0x1 | 0x40
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(door, get, asked))[1]
        fcntl.ioctl(door, put, struct.pack("16sh14x", b"lo", flags | up))


alone()
sys.exit(0 if asyncio.run(main()) else 1)
