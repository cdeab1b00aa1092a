"""A session over its tools: questions with their answers, what is found in its history, and a round of review."""

import asyncio
import json
from typing import Any

from agent import Agent
from check import Report
from rest import answer_question, judge, open_question, task_state

DIFF = "--- a/form.py\n+++ b/form.py\n@@ -1,2 +1,3 @@\n one\n+two\n three\n"


async def takes(hand: Agent, task: str) -> dict[str, Any]:
    """What the agent has not heard comes before its work."""
    while (offer := await hand.does("wait_for_prompt", timeout=20))["status"] == "NOTICE":
        pass
    if offer.get("taskId") != task:
        raise RuntimeError(f"{hand.id} is to have {task}: {offer}")
    await hand.does("ack_task", taskId=task, leaseEpoch=offer["leaseEpoch"])
    return offer


async def questions(hand: Agent, report: Report) -> None:
    both = {"options": ["old", "new"], "default_action": "old"}
    waiting = hand.parks("request_input", question="Which database?", **both, wait_seconds=20)
    question = await open_question(hand.id)
    status, _ = await answer_question(question, "new")
    answered = await waiting
    report.same("a person answers over HTTP", (status, answered["question_id"]), (200, question))
    report.same("request_input: the answer comes into the wait", said(answered), ("resolved", "human", "new", "api"))
    status, late = await answer_question(question, "old")
    report.same("a second answer is too late", (status, late.get("code")), (409, "ALREADY_RESOLVED"))
    report.same("and hears who won", late["details"]["resolution"]["value"], "new")

    asked = await hand.does(
        "request_input", question="Which colour?", default_action="red", timeout_minutes=0.05, wait_seconds=0
    )
    report.same("request_input: without a wait it is pending", asked["state"], "pending")
    other = await hand.is_refused("QUESTION_OPEN", "request_input", question="And the shade?", default_action="dark")
    report.same("QUESTION_OPEN names the other", other["details"]["questionId"], asked["question_id"])
    await hand.is_refused("INVALID_ARGUMENTS", "wait_for_answer", question_id=asked["question_id"], timeout=-1)
    soon = await hand.does("wait_for_answer", question_id=asked["question_id"], timeout=0.2)
    report.same("wait_for_answer: a short wait is short", soon["state"], "pending")
    done = await hand.does("wait_for_answer", question_id=asked["question_id"], timeout=20)
    report.same("at the deadline the default applies", said(done), ("resolved", "timeout", "red", "timer"))
    words = "No response received; proceeding with default: red"
    report.same("and the agent hears which it is", done["message"], words)

    asked = await hand.does("request_input", question="Which penguin?", default_action="small", wait_seconds=0)
    taken = await hand.does("withdraw_question", question_id=asked["question_id"], reason="found out")
    report.same("withdraw_question: it is cancelled", (taken["state"], taken["resolution"]["type"]), ("resolved", "cancelled"))
    status, late = await answer_question(asked["question_id"], "large")
    report.same("a withdrawn question takes no answer", (status, late.get("code")), (409, "ALREADY_RESOLVED"))
    await hand.is_refused("INVALID_TRANSITION", "update_status", status="awaiting_input", message="?")


def said(waited: dict[str, Any]) -> tuple[str, str, str, str]:
    resolution = waited.get("resolution") or {}
    return waited["state"], resolution.get("type"), resolution.get("value"), resolution.get("surface")


async def history(hand: Agent, report: Report) -> None:
    await hand.does("update_status", status="working", message="a walrus helps")
    found = {"events": []}
    for _ in range(100):  # the index of words lags by less than a second
        found = await hand.does("get_session_history", query="walrus")
        if found["events"]:
            break
        await asyncio.sleep(0.05)
    kinds = [event["type"] for event in found["events"]]
    report.same("get_session_history: finds a word", kinds, ["session.workflow_status"])
    subject = found["events"][0]["subject"]
    report.check("an event names session, task and agent", {"session", "task", "agent"} <= subject.keys(), subject)
    asked = await hand.does("get_session_history", types=["question.asked"])
    words = json.dumps(asked["events"])
    report.same("get_session_history: by type", {event["type"] for event in asked["events"]}, {"question.asked"})
    report.check("the newest first", words.index("penguin") < words.index("database"), words)
    page = await hand.does("get_session_history", limit=2)
    older = await hand.does("get_session_history", limit=2, before_seq=page["next_before_seq"])
    seqs = [event["seq"] for event in page["events"] + older["events"]]
    report.same("get_session_history: page by page", seqs, sorted(set(seqs), reverse=True))
    wrong = await hand.is_refused("INVALID_ARGUMENTS", "get_session_history", types=["qestion.asked"])
    report.same("an unknown type hears the nearest", wrong["details"]["nearest"][0], "question.asked")


async def review(hand: Agent, report: Report, task: str) -> None:
    await hand.is_refused("LINK_INVALID", "submit_for_review", pr_url="javascript:alert(1)")
    await hand.is_refused("NOTHING_TO_REVIEW", "submit_for_review", message="look")
    handed = await hand.does("submit_for_review", diff=DIFF, notes_for_reviewer="mind the form")
    report.same("submit_for_review", (handed["task_id"], handed["state"]), (task, "IN_REVIEW"))
    report.same("its diff is read", (handed["diff"]["files"], handed["diff"]["added"]), (1, 1))
    wish = {"text": "Name it three.", "file": "form.py", "line": 2}
    moved = await judge(task, "request-changes", {"comments": [wish]})
    report.same("changes are wanted", moved["state"], "QUEUED")
    back = await takes(hand, task)
    report.check("the task comes back with them", "Name it three." in json.dumps(back.get("comments")), back)
    open_ones = json.dumps(await hand.does("get_review_comments", task_id=task))
    report.check("get_review_comments: has it", "Name it three." in open_ones, open_ones)
    comment = back["comments"][-1]["id"]
    await hand.does("resolve_review_comment", comment_id=comment, response="named")
    left = await hand.does("get_review_comments", task_id=task)
    report.check("resolve_review_comment: nothing is left", comment not in json.dumps(left), left)
    await hand.does("submit_for_review", diff=DIFF.replace("two", "three"), message="as you wished")
    await judge(task, "approve", {"message": "good"})
    heard = "\n".join(notice["text"] for notice in (await hand.does("get_session")).get("notices") or [])
    report.check("who handed it in hears the approval", "approved" in heard and "complete_task" in heard, heard)
    await hand.does("complete_task", summary="merged")
    report.same("complete_task after the approval", task_state(task), "COMPLETED")
