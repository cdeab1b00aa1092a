"""The whole round with a Python client: wait, be called, acknowledge, delegate, report, be refused.

Its arguments: the client, `mcp` or `fastmcp`; the era to negotiate, `modern` (discovery first) or `legacy` (sessions);
the way, `http` or `proxy`.
"""

import asyncio
import json
import sys
import warnings
from contextlib import AsyncExitStack

import lists
import session
import workflow
from agent import Agent
from check import Report
from rest import create_task, task_state, until_agent_is

VERBS = {
    "ack_task", "answer_task", "assign_task", "cancel_task", "complete_task", "get_agent_status", "get_review_comments",
    "get_session", "get_session_history", "get_task_context", "list_agents", "mark_blocked", "register_agent",
    "request_input", "resolve_review_comment", "send_message", "send_response", "submit_for_review", "update_progress",
    "update_status", "wait_for_answer", "wait_for_prompt", "wait_for_task", "withdraw_question",
    "workflow_complete",
}  # fmt: skip
ROLES = {"designer", "full-stack-engineer", "ops-engineer", "orchestrator", "project-manager", "test-engineer"}
AGAIN = "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening."
TEXT = 'implement login\n\n- with ünïcode, "quotes" and `ticks`\n- and 1 < 2 && 3 > 2'


async def introductions(lead: Agent, hand: Agent, artist: Agent, report: Report) -> None:
    names = {tool.name for tool in lead.tools}
    report.check("tools/list: has every verb of an agent", names >= VERBS, sorted(names))
    silent = [tool.name for tool in lead.tools if tool.output_schema is None]
    report.same("tools/list: every tool promises the shape of its result", silent, [])
    prompts = {prompt.name for prompt in (await lead.client.list_prompts()).prompts}
    report.check("prompts/list: has every role", prompts >= {f"role/{role}" for role in ROLES}, sorted(prompts))
    words = (await lead.client.get_prompt("role/full-stack-engineer")).messages[0].content.text
    report.check("prompts/get: is about waiting", "wait_for_prompt" in words, words)

    stranger = await hand.is_refused("NOT_REGISTERED", "wait_for_prompt", timeout=1)
    report.check("NOT_REGISTERED says what to call", "register_agent" in stranger.get("prompt", ""), stranger)
    engineer = {"role": "coding", "capabilities": ["python"]}
    await hand.is_refused("IDENTITY_MISMATCH", "register_agent", agentId=lead.id, **engineer)
    known = await hand.does("register_agent", agentId=hand.id, **engineer)
    report.same("register_agent: an alias names its role", known["role"], "full-stack-engineer")
    report.check("register_agent: says to wait next", "wait_for_prompt" in known.get("prompt", ""), known)
    again = await hand.does("register_agent", agentId=hand.id, **engineer)
    report.same("register_agent: again is the same session", again["sessionId"], known["sessionId"])
    await lead.does("register_agent", agentId=lead.id, role="project-manager", capabilities=[])
    await artist.does("register_agent", agentId=artist.id, role="designer", capabilities=[])
    everybody = await lead.does("list_agents")
    report.check("list_agents: has us", hand.id in json.dumps(everybody), everybody)


async def read(agent: Agent, uri: str) -> dict:
    return json.loads((await agent.client.read_resource(uri)).contents[0].text)


async def idle(hand: Agent, artist: Agent, report: Report) -> None:
    reminded = await hand.does("wait_for_prompt", timeout=1)
    report.same("wait_for_prompt: IDLE", reminded["status"], "IDLE")
    report.same("wait_for_prompt: IDLE says so", reminded["message"], "No tasks available. Waiting.")
    told = reminded.get("prompt", "")
    report.check("wait_for_prompt: an engineer is reminded to wait again", told.startswith(AGAIN), told)
    free = await artist.does("wait_for_prompt", timeout=1)
    report.same("wait_for_prompt: IDLE for a designer too", free["status"], "IDLE")
    report.same("wait_for_prompt: a designer is not reminded", free.get("prompt"), None)


async def called(lead: Agent, hand: Agent, report: Report, way: str) -> tuple[str, int]:
    waiting = lead.parks("wait_for_prompt", timeout=20)
    await until_agent_is(lead.id, "waiting")
    task = create_task(targetAgentId=lead.id, prompt=TEXT, priority="high")
    first = await waiting
    report.same("a parked agent is called", (first["status"], first.get("taskId")), ("TASK", task))
    report.same("the text arrives as it was written", first["prompt"], TEXT)
    seen = (first["from"]["kind"], first["priority"])
    report.same("the offer says who asks and how urgently", seen, ("api", "high"))

    epoch = first["leaseEpoch"]
    # The proxy acknowledges for a client that lives for a second after it read its task.
    if way != "proxy":
        second = await lead.does("wait_for_prompt", timeout=5)
        report.same("an offer not acknowledged is offered again", second.get("taskId"), task)
        report.check("with a later leaseEpoch", second["leaseEpoch"] > epoch, second)
        await lead.is_refused("LEASE_LOST", "ack_task", taskId=task, leaseEpoch=epoch)
        epoch = second["leaseEpoch"]
    await lead.does("ack_task", taskId=task, leaseEpoch=epoch)
    await lead.does("ack_task", taskId=task, leaseEpoch=epoch)
    await lead.does("update_progress", taskId=task, message="reading", phase="read", percent=10)
    report.same("acknowledged and at work", task_state(task), "IN_PROGRESS")

    shown = await read(lead, f"callboard://tasks/{task}")
    report.same("resources/read: the task as its holder sees it", shown["task"]["state"], "IN_PROGRESS")
    listed = [str(resource.uri) for resource in (await lead.client.list_resources()).resources]
    report.check("resources/list: its own session first", listed[0].startswith("callboard://sessions/s_"), listed)
    try:
        stranger = await read(hand, f"callboard://tasks/{task}")
    except Exception as error:
        stranger = str(error)
    report.check("resources/read: another's task is not there", "there is nothing under this name" in str(stranger), stranger)

    foreign = await hand.is_refused("TASK_NOT_FOUND", "ack_task", taskId=task)
    made_up = "zzzzzzzzzzzz"
    missing = await hand.is_refused("TASK_NOT_FOUND", "ack_task", taskId=made_up)
    alike = json.loads(json.dumps(foreign).replace(task, made_up))
    report.same("a foreign task answers exactly like a missing one", alike, missing)
    return task, epoch


async def delegation(lead: Agent, hand: Agent, report: Report) -> None:
    waiting = hand.parks("wait_for_prompt", timeout=20)
    await until_agent_is(hand.id, "waiting")
    task = (await lead.does("assign_task", targetAgentId=hand.id, prompt="write the form"))["taskId"]
    offer = await waiting
    report.same("a delegated task arrives", (offer.get("taskId"), offer["prompt"]), (task, "write the form"))
    report.same("and says who delegated it", (offer["from"]["kind"], offer["from"]["id"]), ("agent", lead.id))
    result = lead.parks("wait_for_task", taskId=task, timeout=20)
    done = await hand.does(
        "send_response",
        taskId=task,
        status="COMPLETED",
        message="the form stands",
        artifacts=[{"kind": "branch", "text": "feature/form"}, "notes.txt"],
        leaseEpoch=offer["leaseEpoch"],
    )
    report.same("a completion is recorded", done["message"], f"Response recorded for {task}")
    seen = json.dumps(await result)
    report.check("who delegated sees the result", "COMPLETED" in seen and "the form stands" in seen, seen)
    await lead.is_refused("TARGET_UNKNOWN", "assign_task", targetAgentId="@NobodyAtAll", prompt="hello")


async def followed(lead: Agent, hand: Agent, report: Report, client: str) -> None:
    task = (await lead.does("assign_task", targetAgentId=hand.id, prompt="be followed"))["taskId"]
    uri = f"callboard://tasks/{task}"
    if lead.client.protocol_version < "2026":
        with warnings.catch_warnings(action="ignore"):  # that it is of an elder era is why it is tried
            await lead.client.session.subscribe_resource(uri)
        await hand.does("wait_for_prompt", timeout=20)
        for _ in range(200):
            if any(uri in str(message) for message in lead.told):
                break
            await asyncio.sleep(0.05)
        report.check("resources/subscribe: a change is told", uri in str(lead.told), lead.told)
    elif client == "mcp":
        async with lead.client.listen(resource_subscriptions=[uri]) as changes:
            await hand.does("wait_for_prompt", timeout=20)
            change = await asyncio.wait_for(anext(changes), 10)
            report.same("subscriptions/listen: a change is told", str(change.uri), uri)
    else:
        # `fastmcp` has nothing that listens in this era.
        await hand.does("wait_for_prompt", timeout=20)
    await hand.does("send_response", taskId=task, status="COMPLETED", message="it was seen")


async def blocked(lead: Agent, hand: Agent, report: Report) -> None:
    task = (await lead.does("assign_task", targetAgentId=hand.id, prompt="pick a colour"))["taskId"]
    offer = await hand.does("wait_for_prompt", timeout=20)
    report.same("a task that waited is handed out", offer.get("taskId"), task)
    bare = await hand.call("send_response", taskId=task, status="BLOCKED", message="?")
    report.check("BLOCKED without a reason is refused", bare["success"] is False and bare.get("code"), bare)
    await hand.does("send_response", taskId=task, status="BLOCKED", message="?", blockedReason="red or blue?")
    stuck = json.dumps(await lead.does("wait_for_task", taskId=task, timeout=20))
    report.check("who delegated hears the reason", "BLOCKED" in stuck and "red or blue?" in stuck, stuck)
    await lead.does("answer_task", taskId=task, answer="blue")
    back = await hand.does("wait_for_prompt", timeout=20)
    report.same("an answered task returns to its last holder", back.get("taskId"), task)
    context = json.dumps(await hand.does("get_task_context", taskId=task))
    report.check("with the answer in its context", "blue" in context, context)
    await lead.does("send_message", to=hand.id, text="never mind")
    await lead.does("cancel_task", taskId=task, reason="no colours")
    late = await hand.call("update_progress", taskId=task, message="painting")
    report.same("a cancelled task refuses work", (late["success"], late.get("code")), (False, "TASK_CANCELLED"))
    heard = "\n".join(notice["text"] for notice in late.get("notices") or [])
    report.check("the notices bring what was said meanwhile", "never mind" in heard, late)


async def reported(lead: Agent, report: Report, task: str, epoch: int) -> None:
    response = {"taskId": task, "status": "COMPLETED", "message": "login works", "leaseEpoch": epoch}
    done = await lead.does("send_response", **response)
    report.same("the first task is recorded too", done["message"], f"Response recorded for {task}")
    again = await lead.does("send_response", **response)
    report.same("the same response again changes nothing", again["message"], done["message"])
    report.same("the operator sees it COMPLETED", task_state(task), "COMPLETED")
    changed = {**response, "status": "FAILED", "message": "or not"}
    await lead.is_refused("TASK_CLOSED", "send_response", **changed)
    await lead.does("get_agent_status", agentId=lead.id)


async def hanging_up(hand: Agent, report: Report) -> None:
    # A notice that is still to be heard ends a wait at once: hear them all first.
    while (await hand.does("wait_for_prompt", timeout=1))["status"] == "NOTICE":
        pass
    older = hand.parks("wait_for_prompt", timeout=20)
    await until_agent_is(hand.id, "waiting")
    newer = asyncio.create_task(hand.client.call_tool("wait_for_prompt", {"timeout": 20}))
    report.same("a newer wait ends the older one", (await older)["status"], "SUPERSEDED")
    newer.cancel()
    ended = (await asyncio.gather(newer, return_exceptions=True))[0]
    report.check("a wait that was hung up returns nothing", isinstance(ended, asyncio.CancelledError), ended)
    await asyncio.sleep(1)
    task = create_task(targetAgentId=hand.id, prompt="after the hang-up")
    offer = await hand.does("wait_for_prompt", timeout=20)
    seen = (offer.get("taskId"), offer.get("leaseEpoch"))
    report.same("the next task goes to the next wait, as its first offer", seen, (task, 1))
    await hand.does("send_response", taskId=task, status="FAILED", message="enough for today")


async def main(client: str, era: str, way: str) -> None:
    suite, report = f"{client}-{era}-{way}", Report()
    try:
        async with AsyncExitStack() as stack:
            names = ("lead", "hand", "artist")
            which = (report, client, era, way)
            lead, hand, artist = [await Agent.connect(stack, f"{suite}-{name}", *which) for name in names]
            report.same("it negotiates its era", lead.client.protocol_version >= "2026", era == "modern")
            await introductions(lead, hand, artist, report)
            await idle(hand, artist, report)
            task, epoch = await called(lead, hand, report, way)
            await delegation(lead, hand, report)
            await followed(lead, hand, report, client)
            await blocked(lead, hand, report)
            await reported(lead, report, task, epoch)
            await hanging_up(hand, report)
            await lists.changed(lead, report, suite, client)
            task = create_task(targetAgentId=hand.id, prompt="ask, look back, hand in")
            await session.takes(hand, task)
            await session.questions(hand, report)
            await session.history(hand, report)
            await session.review(hand, report, task)
            if client == "mcp":  # the other one speaks by this one
                await workflow.follows(stack, artist.id, report, client, era, way)
    except Exception as error:  # whatever it is, the report says it
        report.check("the round reaches its end", False, repr(error))
    report.close(suite, "round")


asyncio.run(main(*sys.argv[1:]))
