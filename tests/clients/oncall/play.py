"""Plays agents on call: a hub, a host for each client, and tasks that start the client. The model follows a script.

In any other place than a network namespace with loopback alone this refuses to start.
"""

import argparse
import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "agents"), str(HERE.parent / "python")]

from hosts import (  # noqa: E402  (it has to be known first where modules are)
    ACP,
    BIN,
    ROLE,
    SHELLS,
    WORK,
    Host,
    Place,
    UntilDone,
    ended,
    is_done,
    is_once,
    is_there,
    last_run,
    task_of,
    until,
    waits,
)
from limits import limit_of  # noqa: E402

# How much later than by hand a client may make its first call, in seconds: hub, host, worktree, and its model's turn.
# The goal is 5 on a machine with nothing else to do; here several clients start at once, on one that others share.
BEYOND = 15.0
CLIENTS = (
    *("claude", "codex", "gemini", "qwen", "opencode", "copilot"),
    *("gemini-acp", "qwen-acp", "opencode-acp", "codex-acp", "copilot-acp"),
)
# What a sandboxed run tries; each line that it prints is a way out.
TRIES = """
cat "$HOME/secret.txt" 2>/dev/null
for place in "$HOME/.claude/settings.json" "$HOME/.claude.json" "$TOP/.git/config" "$TOP/.git/hooks/post-commit" \
  .git "$CALLBOARD_TASK_FILE"; do
  { echo x >>"$place"; } 2>/dev/null && echo "wrote $place"
done
# This is written to nowhere.
echo x >"$TOP/outside.txt"
ls -A "$HOME" | grep -vE '^\\.(claude|claude\\.json|cache)$'
echo tried
"""


async def by_hand(host: Host) -> float:
    """How long the client takes to its first request, started as its user does, in seconds."""
    from programs import ALL

    words = ALL[host.client.removesuffix(ACP)].words
    host.script.steps, host.script.heard = [], ""
    quiet = {name: asyncio.subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
    since, home = time.monotonic(), host.place / "home"
    process = await asyncio.create_subprocess_exec(
        *words, env=host.environment, cwd=home, start_new_session=True, **quiet
    )
    try:
        await until("it asks its model by hand", lambda: host.script.heard)
        return time.monotonic() - since
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        await process.wait()


async def round_of(host: Host, report: Any) -> float:
    """Task, process, worktree, commit, question, no process, answer, the same conversation, completed. Returns how long
    after the task its client made the first call, in seconds."""
    from rest import open_question

    known: dict[str, str] = {}
    since = time.monotonic()
    task = host.gives(known, host.steps(known))
    await until("it is at work", lambda: task_of(task)["state"] == "IN_PROGRESS")
    first = time.monotonic() - since
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
    host.tried = host.script.seen[0].strip()
    after = await until("its run is ended", lambda: ended(last_run(task)))
    whole = task_of(task)
    report.check("its model read the answer", "blue" in host.script.heard, host.script.heard[-2000:])
    report.same("in the same run", after["runId"], run["runId"])
    report.same("in the same conversation", after.get("conversation"), run.get("conversation"))
    report.check("which has an id", after.get("conversation"), after)
    report.same("at its first attempt", whole["attempt"], 1)
    # Copilot says no tokens but by the protocol.
    part = "durationMs" if host.client == "copilot" else "inputTokens"
    report.check("what it used is known", (whole.get("usage") or {}).get(part), whole.get("usage"))
    await until("its process is gone", lambda: not is_there(host.pid_of(task)))
    folders = [path.name for path in (Path(os.environ["CALLBOARD_DATA_DIR"]) / "oncall").glob("*/run_*")]
    report.check("nothing of the run is left", not any(name == after["runId"] for name in folders), folders)
    listed = host.git("worktree", "list")
    report.check("the worktree with unmerged work is kept", task in listed, listed)
    return first


async def answered(agent: str, question: str, answer: str, report: Any) -> str:
    """Answers what is asked; returns the next that is."""
    from rest import open_question

    said = subprocess.run([BIN, "question", "answer", question, answer], capture_output=True, text=True)
    report.check(f"`{answer}` is taken", said.returncode == 0, said.stderr)
    following = question
    while following == question:
        following = await open_question(agent)
    return following


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


async def sandbox_of(client: str, report: Any) -> None:
    """A round behind what docs/on-call.md puts in front of a run: it does its work, and gets at nothing else."""
    from programs import HERE as PROGRAMS_AT

    host = Host(client, f"oc-{client}-sandbox")
    home, top = host.place / "home", host.repository
    kept = {home / "secret.txt": "a secret\n", home / ".claude/settings.json": "{}\n", home / ".claude.json": "{}\n"}
    for path, text in kept.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept[top / ".git/config"] = (top / ".git/config").read_text(encoding="utf-8")
    (top / "tries.sh").write_text(TRIES.replace("$TOP", str(top)), encoding="utf-8")
    (home / ".claude/projects").mkdir()
    host.git("add", "tries.sh")
    host.git("-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-q", "-m", "tries")
    shell, call, _ = SHELLS[client]
    host.before = [lambda: (shell, call("sh tries.sh"))]
    documented = (HERE.parents[2] / "docs/on-call.md").read_text(encoding="utf-8")
    wrap = re.search(r"```yaml\n(wrap: \[bwrap,.*?)```", documented, re.DOTALL)[1].replace("/home/ada", str(home))
    # The programs are not installed for the whole machine here.
    programs = str(PROGRAMS_AT / "node_modules")
    config = host.place / "config"
    config.mkdir()
    wrap = wrap.replace("[bwrap,", f"[bwrap, --ro-bind, {programs}, {programs},")
    (config / "oncall.yaml").write_text(wrap, encoding="utf-8")
    host.words[2:2] = ["--config", str(config)]
    try:
        await host.start()
        await round_of(host, report)
        # The script begins anew with the conversation: the first that it saw is what the tries printed.
        report.same("it gets at nothing outside of its worktree", host.tried, "tried")
        for path, text in kept.items():
            report.same(f"{path.name} is as it was", path.read_text(encoding="utf-8"), text)
        report.check("nothing was written beside its worktree", not (top / "outside.txt").exists())
        report.check("nor a hook", not (top / ".git/hooks/post-commit").exists())
    except Exception as error:  # whatever it is, the report says it
        report.check("it can be played", False, f"{error!r}\n{host.text()[-1500:]}\n{host.script.seen}")
    finally:
        await host.end()
        host.model.close()


async def kills_of(host: Host, place: Place, kills: int, killed: list[str], report: Any) -> None:
    """Client, host and hub killed, each at `kills` moments spread over the time that a run takes undisturbed."""
    known: dict[str, str] = {}
    task = host.gives(known, [*host.steps(known)[:2], host.reports(known)])
    await until("it is started", lambda: host.pid_of(task))
    began = time.monotonic()
    await until("it is completed, undisturbed", lambda: is_done(task))
    span, struck = time.monotonic() - began, 0
    # Its model would have it go on with the next task.
    await until("its process is gone", lambda: not is_there(host.pid_of(task)))
    for who in killed:
        for nth in range(kills):
            after = nth * span / kills
            try:
                struck += await kill_of(host, place, who, after, report)
            except RuntimeError as error:
                report.check(f"{who} killed after {after:.2f} s", False, f"{error!r}\n{host.text()[-1200:]}")
    figures = f"{len(killed) * kills} kills within {span:.1f} s of work, {struck} before the process had ended"
    print(f"     {host.client}: {figures}")


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
    await until(f"{what}it is completed", lambda: is_done(task))
    report.check(f"{what}completed once", is_once(task), task_of(task))
    await until(f"{what}no process is left", lambda: not is_there(host.pid_of(task)))
    branch = host.git("log", "--format=%s", f"feature/{ROLE}/{task}")
    report.check(f"{what}its work is there", "made" in branch, branch)
    listed = host.git("worktree", "list")
    report.check(f"{what}its worktree is there", task in listed, listed)
    return struck


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
        first = await round_of(host, report)
        own = await by_hand(host)
        figures = f"first call {first:.1f} s after the task; by hand {own:.1f} s to its first request"
        print(f"     {client}: {figures}")
        report.check("its first call is not much later than by hand", first - own <= max(BEYOND, own), figures)
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
    arguments.add_argument("--only", choices=("rounds", "limits", "kills"))
    asked = arguments.parse_args()
    played = asked.clients if asked.only in (None, "rounds") else []
    (WORK / "config/agents.yaml").write_text(f"roles: {{{ROLE}: {{worktree: true}}}}\n", encoding="utf-8")
    place = Place()
    await place.serve()
    reports = {client: Report(f"on call, {client}: ") for client in played}
    at_once = asyncio.Semaphore(2)

    async def one(client: str, report: Any) -> None:
        async with at_once:
            await cell(client, report)

    async def other(play: Any, what: str, client: str) -> None:
        report = reports[f"{client}, {what}"] = Report(f"on call, {what}, {client}: ")
        async with at_once:
            await play(client, report)

    # Most of a limit is waiting for its end, beside which the others are played.
    limits = []
    for client in asked.clients if asked.only in (None, "limits") else []:
        report = reports[f"{client}, limit"] = Report(f"on call, limit, {client}: ")
        limits.append(asyncio.create_task(limit_of(client, at_once, report)))
    await asyncio.gather(*(one(client, reports[client]) for client in played))
    asking = [client for client in played if client == "claude" or client.endswith(ACP)]
    plays = [other(leave_of, "leave", client) for client in asking]
    plays += [other(sandbox_of, "sandbox", client) for client in played if client == "claude"]
    # No hub is killed before that.
    await asyncio.gather(*plays, *limits)
    # The quickest of them, where there is a choice.
    quickest = min(asked.clients, key=("codex", "claude", *CLIENTS).index)
    if asked.kills and asked.only in (None, "kills"):
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
