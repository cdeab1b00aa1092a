"""What plays on call are made of: a hub, a host for each client, and what is known of a task and its runs.

Whoever loads this has `agents` and `python` beside this folder where modules are looked for.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BIN, WORK = os.environ["CLIENTS_BIN"], Path(os.environ["CLIENTS_WORK"])
ROLE = "full-stack-engineer"
# How long a step may take on a busy machine, in seconds.
PATIENCE = 120.0
# So ends the name of a client that is spoken to by the Agent Client Protocol: it asks people for its shell.
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
    "copilot": ("bash", lambda text: {"command": text, "description": "a step"}, ["--allow-all-tools"]),
}
UNASKED = {"-y", "--allow-all-tools"}
SHELLS |= {
    f"{client}{ACP}": (*SHELLS[client][:2], [word for word in SHELLS[client][2] if word not in UNASKED])
    for client in ("gemini", "qwen", "opencode", "copilot")
}
# Codex asks for what its model wants done outside of its sandbox.
SHELLS[f"codex{ACP}"] = (
    "exec_command",
    lambda text: {"cmd": text, "sandbox_permissions": "require_escalated", "justification": "git writes elsewhere"},
    [],
)
COMMIT = (
    "echo $CALLBOARD_TASK_ID > made.txt && git add made.txt && "
    "git -c user.name=Ada -c user.email=ada@example.com commit -q -m made"
)


def task_of(task: str) -> dict[str, Any]:
    from rest import task_of

    return task_of(task)


def runs_of(task: str) -> list[dict[str, Any]]:
    return task_of(task).get("runs") or []


def last_run(task: str) -> dict[str, Any]:
    return (runs_of(task) or [{}])[-1]


async def until(what: str, found: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """What `found` finds, as soon as it does."""
    end, seen = time.monotonic() + patience, None
    while time.monotonic() < end:
        try:
            seen = await asyncio.to_thread(found)
        except OSError:
            seen = None
        if seen:
            return seen
        await asyncio.sleep(0.1)
    raise RuntimeError(f"not within {patience:.0f} s: {what}")


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
        # Longer than any client takes to its first call, and short for who is silent at a limit.
        more["CALLBOARD_ONCALL_SILENCE"] = "90s"
        # Many plays ask at once how their tasks stand.
        more |= {"CALLBOARD_LIMITS_REQUESTS_PER_SECOND": "10000", "CALLBOARD_LIMITS_BURST": "10000"}
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
        from programs import ALL, prepared

        self.client, self.agent, self.place = client, f"{name}-1", WORK / name
        self.script = Script([])
        self.model = Model(self.script)
        self.place.mkdir()
        home = self.place / "home"
        home.mkdir()
        program = ALL[client.removesuffix(ACP)]
        self.environment = prepared(program, home, self.model.url)
        self.environment |= {key: os.environ[key] for key in ("CALLBOARD_TOKEN_FILE", "CALLBOARD_DATA_DIR")}
        given = [word for key in program.environment for word in ("--env", key)]
        self.repository = self.place / "repository"
        self.git("init", "-q", "-b", "main", str(self.repository), at=self.place)
        self.git("-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "begin")
        extra = SHELLS[client][2] if extra is None else extra
        self.words = [BIN, "oncall", client, "--role", ROLE, "--agent", name, "--max", "1"]
        self.words += ["--workspace", str(self.repository), *given, *(["--", *extra] if extra else [])]
        # What its model does first.
        self.before: list[Any] = []
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
            *self.before,
            lambda: ("update_progress", {"taskId": known["task"], "message": "reading the form"}),
            lambda: (shell, call(COMMIT)),
            lambda: (
                "request_input",
                {"question": "Red or blue?", "options": ["red", "blue"], "default_action": "red"},
            ),
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
    """Steps of which the last is made again until the task is done, and the one before twice: a call that was broken
    off counts as made in the conversation that goes on, and any model would make it again."""

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


def state_of(run: dict[str, Any]) -> str:
    state = run.get("state")
    return state.get("name", "") if isinstance(state, dict) else state or ""


def waits(task: str) -> dict[str, Any] | None:
    run = last_run(task)
    return run if state_of(run) == "waiting" else None


def ended(run: dict[str, Any]) -> dict[str, Any] | None:
    return run if state_of(run) == "ended" else None


def is_done(task: str) -> bool:
    # A new conversation begins the script anew, which commits what is committed already: that is no work.
    return task_of(task)["state"] == "COMPLETED"


def is_once(task: str) -> bool:
    history = task_of(task)["history"]
    return sum("the form is blue" in json.dumps(item) for item in history) == 1
