#!/usr/bin/env python3
"""Records real programs in a real PTY into target/recorded: `just record-prompts [FILTER]`.

`just corpus add GROUP target/recorded` takes what it recorded into the corpus.

Runs as root on a machine that may be thrown away: it makes an ordinary user `user` with a home of its own, and plays
each scenario as that user, below a host name of its own, so that no recording knows where it was made. Programs that
are missing are left out and named. Nothing leaves the machine: programs talk to loopback alone.
"""

import functools
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import scenario
from scenario import ALL, At, Busy, Done, Type
from terminal import Terminal

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE.parents[1] / "target" / "recorded"
LIMIT = 64 * 1024
PATIENCE = 25.0
SETTLED_MS = 400
ESCAPES = re.compile(rb"\x1b(\[[0-9;?<>=!]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-B]|[=>78MDEHc])|[\x00\x0e\x0f]")


def environment(home, extra):
    user = "root" if home == "/root" else "user"
    return {
        "HOME": home, "USER": user, "LOGNAME": user, "SHELL": "/bin/bash", "TERM": "xterm-256color",
        "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOSTNAME": "box", "EDITOR": "vim", "npm_config_update_notifier": "false",
        "PATH": "/opt/js/node_modules/.bin:/opt/py/bin:/opt/rs/bin:/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/sbin:/sbin",
        "NODE_PATH": "/opt/js/node_modules", "PS1": "$ ", **extra,
    }


def play(case):
    """Plays a scenario. Returns what was written and the states, or why it failed."""
    home = "/root" if case.root else "/home/user"
    cwd = f"{home}/play/{case.program}-{case.name}/project"
    shutil.rmtree(os.path.dirname(cwd), ignore_errors=True)
    os.makedirs(cwd)
    env = environment(home, case.env)
    if case.setup:
        made = subprocess.run(["bash", "-c", case.setup], cwd=cwd, env=env, capture_output=True, stdin=subprocess.DEVNULL)
        if made.returncode:
            return None, f"setup failed: {made.stderr[-200:]!r}"
    terminal = Terminal(case.command, *case.size, env, cwd)
    try:
        return states_of(terminal, case), None
    except LookupError as missing:
        return None, f"{missing} in {ESCAPES.sub(b'', bytes(terminal.output))[-160:]!r}"
    finally:
        terminal.close()


def states_of(terminal, case):
    states, since = [], 0
    for step in case.steps:
        if isinstance(step, Type):
            terminal.write(step.keys.encode())
            since = len(terminal.output)
        elif isinstance(step, At):
            before = wait_for(terminal, step.seen, since)
            states += before
            calm(terminal, step.settle)
            if terminal.ended:
                raise LookupError(f"ended before it waited for {step.seen!r}")
            kinds = [step.kind, *step.also]
            states.append(state(terminal, waiting=True, kinds=kinds, dangerous=step.danger, note=step.note))
        elif isinstance(step, Busy):
            states += wait_for(terminal, step.seen, since)
            until = time.monotonic() + step.after
            while time.monotonic() < until:
                terminal.read(0.05)
            states.append(state(terminal, waiting=False, kinds=[], dangerous=False, note=step.note or "busy"))
        elif isinstance(step, Done):
            until = time.monotonic() + 40
            while not terminal.ended:
                terminal.read(0.2)
                if time.monotonic() > until:
                    raise LookupError("it does not end")
            time.sleep(0.5)
            states.append(state(terminal, waiting=False, kinds=[], dangerous=False, note=step.note))
    return bytes(terminal.output), states


def wait_for(terminal, seen, since):
    """Returns the first and the last state before it was seen in which the kernel says that the program was busy."""
    until, before = time.monotonic() + PATIENCE, []
    pattern = re.compile(seen.encode(), re.S)
    while not pattern.search(ESCAPES.sub(b"", bytes(terminal.output[since:]))):
        if time.monotonic() > until or terminal.ended:
            raise LookupError(f"never saw {seen!r}")
        known = len(terminal.output)
        if terminal.read(0.05) and known:
            now = state(terminal, waiting=False, kinds=[], dangerous=False, note="on its way")
            before += [now] if now["host"]["reader"] == "busy" else []
    before = [item for item in before if item["at"] < len(terminal.output)]
    return before[:1] + before[1:][-1:]


def calm(terminal, seconds):
    until = time.monotonic() + seconds + 4
    while time.monotonic() - terminal.last_output < seconds and time.monotonic() < until:
        terminal.read(0.05)


def state(terminal, **label):
    now = time.monotonic()
    answered = terminal.last_input > terminal.last_output and terminal.last_input > terminal.began
    quiet_ms = int((now - terminal.last_output) * 1000)
    host = terminal.host_settled() if quiet_ms >= SETTLED_MS else terminal.host()
    return {"at": len(terminal.output), "quiet_ms": quiet_ms, "answered": answered, "host": host,
            **{k: v for k, v in label.items() if v not in ("", None)}}


def neutral(output):
    """Where the scenario was played is of no interest: the folder becomes `/home/user/project`, a mirror has no name."""
    output = re.sub(rb"\b((deb|security|ftp)\.debian|registry\.npm\w+|py[p]i)\.org", b"mirror.example", output)
    return re.sub(rb"/play/[A-Za-z0-9_.+-]*/project", rb"/project", output)


def keep(case, output, states):
    folder = RECORDED / case.program / case.name
    rows, cols = case.size
    last = max(item["at"] for item in states)
    output = output[:last]
    for item in sorted(states, key=lambda item: item["at"]):
        item["at"] = len(neutral(output[: item["at"]]))
    output = neutral(output)
    if len(output) > LIMIT:
        return f"{len(output)} bytes are too many"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "output.raw").write_bytes(output)
    about = {"program": case.program, "version": version(case.version), "command": " ".join(case.command), "rows": rows,
             "cols": cols, "states": states}
    (folder / "case.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")
    return None


@functools.cache
def version(command):
    if not command:
        return ""
    env = environment("/home/user", {})
    told = subprocess.run(["bash", "-c", command], env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    lines = (told.stdout + told.stderr).decode(errors="replace").strip().splitlines()
    return lines[0][:100] if lines else ""


def main():
    as_root = "--root" in sys.argv
    wanted = [word for word in sys.argv[1:] if not word.startswith("--")]
    for file in sorted((HERE / "programs").glob("*.py")):
        importlib.import_module(f"programs.{file.stem}")
    cases = [case for case in ALL if case.root == as_root]
    cases = [case for case in cases if not wanted or any(f"{case.program}/{case.name}".startswith(word) for word in wanted)]

    def one(case):
        try:
            played, why = play(case)
            why = why or keep(case, *played)
        except Exception as error:  # a scenario that breaks must not take the others along
            why = f"{type(error).__name__}: {error}"
        if why:
            print(f"left out {case.program}/{case.name}: {why}", flush=True)
        return not why

    # What root installs and removes is one for all: one at a time.
    with ThreadPoolExecutor(1 if as_root else 6) as pool:
        kept = sum(pool.map(one, cases))
    print(f"kept {kept} of {len(cases)}")


if __name__ == "__main__":
    main()
