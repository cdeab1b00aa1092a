"""A client's model at its limit: the task waits for the reset, and its conversation goes on then with nobody there."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from hosts import ACP, PATIENCE, Host, ended, is_done, is_once, last_run, runs_of, task_of, until
from model import AtLimit

# What the vendors say at a limit.
OPENAI = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
WORDS: dict[str, dict[str, Any]] = {
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
    "qwen": OPENAI,
    "opencode": OPENAI,
    "copilot": {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}},
}
# Those that wait a limit out in silence, however long it is: their host ends them after `oncall.silence`.
SILENT = {"qwen", "opencode"}
# Where its conversation is known by then: Qwen Code says its id at its end, and it has none in silence.
FORGETS = {"qwen"}
# When a client's limit is over that names no time, in seconds.
UNNAMED = 300.0


class Limited:
    """A task of a client of its own whose model is at its limit after the first call."""

    def __init__(self, client: str, report: Any) -> None:
        self.vendor, self.report = client.removesuffix(ACP), report
        self.host = Host(client, f"oc-{client}-limit")
        self.known: dict[str, str] = {}
        self.is_over = False

    def begins(self) -> tuple[str, dict[str, Any]]:
        return "update_progress", {"taskId": self.known["task"], "message": "reading the form"}

    def ends(self) -> tuple[str, dict[str, Any]]:
        if self.is_over:
            return self.host.reports(self.known)()
        if not self.has_begun():
            # Its first call came to nothing: a client may know its tools a moment later than its model asks for them.
            time.sleep(0.5)
            self.host.script.steps.append(self.ends)
            return self.begins()
        words = json.loads(json.dumps(WORDS[self.vendor]))
        if self.vendor == "codex":
            words["error"]["resets_at"] = int(datetime.now(UTC).timestamp()) + 45
        raise AtLimit(words)

    async def meets_it(self) -> None:
        """Until its model has said so."""
        await self.host.start()
        self.task = self.host.gives(self.known, [self.begins, self.ends])
        await until("it meets the limit", lambda: self.host.script.refused)

    async def said(self, run: dict[str, Any]) -> datetime:
        """What is seen of a limit that the client tells of; returns when it is over."""
        from rest import agents

        self.report.same("its run ended by the limit", run.get("reason"), "limited")
        whole = task_of(self.task)
        self.report.same("the task is back in its queue", whole["state"], "QUEUED")
        shown = next(item for item in await asyncio.to_thread(agents) if item["agentId"] == self.host.agent)
        self.report.check("its slot is shown as limited", "limited" in json.dumps(shown), shown)
        named = (run.get("limited") or {}).get("until")
        self.report.same("its end is told where its vendor tells it", bool(named), self.vendor == "codex")
        return datetime.fromisoformat(named) if named else datetime.now(UTC) + timedelta(seconds=UNNAMED)

    async def goes_on(self) -> None:
        """The limit is over: the work is done once, with nobody there."""
        report, silent = self.report, self.vendor in SILENT
        # Who was silent is started again at once.
        run = await until("its first run is ended", lambda: ended(runs_of(self.task)[0]), PATIENCE * 2)
        self.is_over, over = True, datetime.now(UTC)
        if silent:
            report.same("who is silent is ended without a report", run.get("reason"), "no_report")
            report.check("and its end says why", "printed nothing" in json.dumps(run), run)
        else:
            over = await self.said(run)
        left = max((over - datetime.now(UTC)).total_seconds(), 0.0)
        await until("it is done when the limit is over", lambda: is_done(self.task), left + PATIENCE)
        await until("its run is ended, too", lambda: ended(last_run(self.task)))
        report.check("completed once", is_once(self.task), task_of(self.task))
        report.same("only silence costs an attempt", task_of(self.task)["attempt"], 1 + silent)
        report.same("one run followed", len(runs_of(self.task)), 2)
        if not silent:
            # The hub counts from the moment at which it is told of the limit, a little before this does.
            begun = datetime.fromisoformat(last_run(self.task)["startedAt"])
            report.check("and not before the limit was over", begun >= over - timedelta(seconds=2), (begun, over))
        if self.host.client not in FORGETS:
            self.is_the_same()

    def is_the_same(self) -> None:
        """The conversation."""
        first, second = runs_of(self.task)
        self.report.same("the same conversation went on", second.get("conversation"), first.get("conversation"))
        self.report.check("which has an id", first.get("conversation"), first)
        self.report.same("and its first call was not made again", self.has_begun(), 1)

    def has_begun(self) -> int:
        """How often."""
        return sum("reading the form" in json.dumps(item) for item in task_of(self.known["task"])["history"])


async def limit_of(client: str, at_once: asyncio.Semaphore, report: Any) -> None:
    """Meets the limit when it is its turn to start, and waits for the reset beside the others."""
    play = Limited(client, report)
    try:
        async with at_once:
            await play.meets_it()
        await play.goes_on()
    except Exception as error:  # whatever it is, the report says it
        said = f"{error!r}\n{play.host.text()[-1500:]}\n{play.host.script.seen}\n{runs_of(play.known.get('task', ''))}"
        report.check("it can be at a limit", False, said)
    finally:
        await play.host.end()
        play.host.model.close()
