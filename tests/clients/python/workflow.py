"""A workflow as a client follows it: its prompt, the calls that are handed over, and its end, as a tool and as a task."""

import json
import re
from contextlib import AsyncExitStack
from typing import Any

from check import Report
from doors import opened

ABOUT, TASKS = "dev.callboard/workflow", "io.modelcontextprotocol/tasks"
CALL = re.compile(r"^\d+\. Call (\S+) with (\{.*\})", re.MULTILINE)


async def follows(stack: AsyncExitStack, agent: str, report: Report, client: str, era: str, way: str) -> None:
    import mcp_types
    from mcp.client.extension import advertise
    from pydantic import TypeAdapter

    class Asked(mcp_types.Request[dict[str, Any], str]):
        name_param = "taskId"

    async def fills_in(context: Any, params: Any) -> mcp_types.ElicitResult:
        return mcp_types.ElicitResult(action="accept", content={"agent": agent})

    able = {"extensions": [advertise(TASKS, {})], "elicitation_callback": fills_in}
    connected = await opened(stack, agent, client, era, way, **able)

    async def task(method: str, **params: Any) -> dict[str, Any]:
        asked = Asked(method=f"tasks/{method}", params=params)
        return await connected.session.send_request(asked, TypeAdapter(dict[str, Any]))

    async def prompt() -> tuple[str, list[tuple[str, dict[str, Any]]]]:
        asked = await connected.get_prompt("hand-over", {"agent": agent})
        about, last = asked.meta[ABOUT], asked.messages[-1].content.text
        texts = [message.content.text for message in asked.messages]
        report.check("a workflow's id is in no text", not any(about["taskId"] in text for text in texts), texts)
        report.same("it says where it stands", about["pauseReason"]["type"], "client_tool")
        return about["taskId"], [(tool, json.loads(given)) for tool, given in CALL.findall(last)]

    run, calls = await prompt()
    left = [("shout", {"text": f"{agent} hands over."}), ("get_agent_status", {"agentId": agent})]
    report.same("the handoff names each call that is left, with what it takes", calls, left)
    await connected.list_tools()
    went = (await connected.call_tool(*calls[1])).meta[ABOUT]
    how = None if way == "proxy" else "implicit"
    report.same("a call that names nothing is recorded in it", (went["step"], went.get("matchedBy")), ("again", how))
    shown = json.loads((await connected.read_resource(f"callboard://workflows/{run}")).contents[0].text)
    stands = "2 of 3 steps, waiting for tell"
    report.same("the resource shows it", shown["statusMessage"], stands)
    seen = await task("get", taskId=run)
    report.same("tasks/get shows it", (seen["status"], seen["statusMessage"]), ("working", stands))
    try:
        early = await task("result", taskId=run)
    except Exception as error:
        early = str(error)
    report.check("tasks/result says that it is not done", stands in str(early), early)
    done = (await connected.call_tool("workflow_complete", {"result": {"told": True}})).structured_content
    report.same("workflow_complete ends it", done["status"], "completed")
    came = await task("result", taskId=run)
    report.same("tasks/result is what came of it", came["structuredContent"], {"told": True})

    # The field that is in no type of the protocol.
    second, _ = await prompt()
    await task("cancel", taskId=second, result={"told": "twice"})
    seen = await task("get", taskId=second)
    report.same("tasks/cancel with a result completes it", seen["status"], "completed")
    third, _ = await prompt()
    await task("cancel", taskId=third)
    seen = await task("get", taskId=third)
    report.same("tasks/cancel without one cancels it", seen["status"], "cancelled")
    if era == "modern":
        asked = await connected.get_prompt("hand-over")
        wanted = f"- agent: {agent}"
        report.check("what is missing is asked for by a form", wanted in asked.messages[0].content.text, asked.messages)
