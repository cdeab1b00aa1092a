"""Lets a hub post its webhooks to the libraries of Standard Webhooks, one for Python and one for JavaScript: what we
sign, they must take, and with one byte more they must not. Then the other way round: what they sign, and the examples
of payloads that GitHub's libraries ship, the hub must take.

Needs CLIENTS_BIN, and the folder of this script set up by `tests/clients/run`.
"""

import base64
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Thread

HERE, HUB = Path(__file__).parent, os.environ["CLIENTS_BIN"]
LIBRARIES = {"python": [sys.executable, str(HERE / "receive.py")], "javascript": ["node", str(HERE / "receive.mjs")]}
SENDERS = {"python": [sys.executable, str(HERE / "send.py")], "javascript": ["node", str(HERE / "send.mjs")]}
# Examples of these stand in the package, and somebody acts on them.
ACTED_ON = {
    "github issue_comment.created",
    "github pull_request.opened",
    "github pull_request.closed",
    "github pull_request_review.submitted",
    "github workflow_run.completed",
    "github push.",
}
# What might be signed otherwise than it is sent: words beyond ASCII, and what JSON may write in two ways.
REASON = 'größer 🛠 "quoted" \\ </script> end'
WITHIN = 20


def made(folder: Path, name: str) -> tuple[str, str]:
    """A secret, and the file that holds it."""
    secret, file = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}", folder / f"{name}.secret"
    file.write_text(secret)
    file.chmod(0o600)
    return secret, str(file)


class Receiver:
    """A program that prints what it took."""

    def __init__(self, words: list[str], folder: Path, name: str) -> None:
        secret, self.file = made(folder, name)
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*words, secret], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self.lines: Queue[dict] = Queue()
        Thread(target=self._read, daemon=True).start()
        self.port = self.next()["port"]

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def next(self) -> dict:
        return self.lines.get(timeout=WITHIN)

    def of_type(self, wanted: str) -> dict:
        """The next event of this type; others are passed over."""
        return next(seen for seen in iter(self.next, None) if json.loads(seen["body"])["type"] == wanted)


def sends(url: str, keys: dict[str, tuple[str, str]], check: Callable[[str, bool, object], None]) -> None:
    """Lets the libraries sign, and looks at what the hub answers."""
    for name, words in SENDERS.items():
        given = [*words, url, keys[name][0], keys["github"][0]]
        lines = subprocess.run(given, check=True, stdout=subprocess.PIPE, text=True, timeout=5 * WITHIN).stdout
        answers = [json.loads(line) for line in lines.splitlines()]
        seen = [(one["what"], one["status"]) for one in answers if not one["what"].startswith("github")]
        wanted = [("changed", 401), ("signed", 202), ("signed", 200)]
        check(f"the hub takes once what the {name} library signed, and nothing that was changed", seen == wanted, seen)
        examples = [one for one in answers if one["what"].startswith("github")]
        if not examples:
            continue
        refused = [one for one in examples if one["status"] not in (200, 202)]
        check(f"the hub refuses none of {len(examples)} examples of GitHub's payloads", not refused, refused[:5])
        kept = {one["what"] for one in examples if one["said"].get("received") == "kept"}
        check("it keeps those that somebody acts on", ACTED_ON <= kept, sorted(ACTED_ON - kept))


def said(*words: str) -> str:
    return subprocess.run([HUB, *words], check=True, stdout=subprocess.PIPE, text=True, timeout=WITHIN).stdout


def main(folder: Path) -> int:
    config = folder / "config"
    config.mkdir()
    receivers = {name: Receiver(words, folder, name) for name, words in LIBRARIES.items()}
    out = {
        name: {
            "url": f"http://127.0.0.1:{one.port}/",
            "secretFile": one.file,
            "events": ["task"],
            "allowPrivate": True,
        }
        for name, one in receivers.items()
    }
    keys = {name: made(folder, f"in-{name}") for name in (*SENDERS, "github")}
    sources = {
        name: {"scheme": "github" if name == "github" else "standard", "secretFile": file}
        for name, (_, file) in keys.items()
    }
    limits = {"requestsPerSecond": 10_000, "burst": 10_000}
    (config / "hub.yaml").write_text(json.dumps({"webhooks": {"out": out, "in": sources}, "limits": limits}))
    os.environ["CALLBOARD_DATA_DIR"] = str(folder / "data")
    for name in ("CALLBOARD_URL", "CALLBOARD_TOKEN_FILE"):
        os.environ.pop(name, None)
    serve = [HUB, "serve", "--listen", "127.0.0.1:0", "--config", str(config)]
    hub = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    failed = 0

    def check(what: str, holds: bool, seen: object) -> None:
        nonlocal failed
        failed += not holds
        print(f"ok   webhooks: {what}" if holds else f"FAIL webhooks: {what}\n     saw: {seen}")

    try:
        while not (url := re.search(r"http://127\.0\.0\.1:\d+", hub.stdout.readline())):
            if hub.poll() is not None:
                raise SystemExit("FAIL webhooks: the hub does not serve")
        task = json.loads(said("task", "add", "any", "wait for me", "-o", "json"))["taskId"]
        said("task", "cancel", task, "--reason", REASON)
        for name, one in receivers.items():
            seen = one.of_type("task.cancelled")
            check(f"the {name} library takes an event", seen["taken"], seen)
            check(f"the {name} library takes no event that was changed", not seen["changed"], seen)
            reason = json.loads(seen["body"])["data"]["reason"]
            check(f"what it took is what was said, for {name}", reason == REASON, seen)
            said("webhook", "test", name)
            tried = one.of_type("webhook.test")
            check(f"the {name} library takes a test", tried["taken"], tried)
        sends(url[0], keys, check)
    finally:
        hub.terminate()
        hub.wait(WITHIN)
        for one in receivers.values():
            one.process.stdin.close()
            one.process.wait(WITHIN)
    print(f"webhooks: {failed} failed")
    return 1 if failed else 0


with tempfile.TemporaryDirectory() as name:
    sys.exit(main(Path(name)))
