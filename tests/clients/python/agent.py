"""One agent behind a Python client. Every result is held to the tool's own outputSchema, refusals too."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from check import Promises, Report
from doors import opened


class Agent:
    """A connected client with an agent's token."""

    def __init__(self, agent_id: str, client: Any, tools: list[Any], report: Report) -> None:
        self.id, self.client, self.tools, self.report = agent_id, client, tools, report
        self.told: list[Any] = []
        self._promises = Promises(tools)

    @classmethod
    async def connect(
        cls, stack: AsyncExitStack, agent_id: str, report: Report, client: str, era: str, way: str
    ) -> "Agent":
        told: list[Any] = []

        async def hears(message: Any) -> None:
            told.append(message)

        connected = await opened(stack, agent_id, client, era, way, hears)
        agent = cls(agent_id, connected, (await connected.list_tools()).tools, report)
        agent.told = told
        return agent

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The tool's structured result, whether it succeeded or refused."""
        result = await self.client.call_tool(name, arguments)
        body = result.structured_content or {}
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        about = f"{self.id} {name}" + (f" ({body['code']})" if body.get("code") else "")
        broken = self._promises.broken(name, body)
        self.report.check(f"{about}: matches its outputSchema", not broken, {"broken": broken, "body": body})
        self.report.check(
            f"{about}: says in text what it says in structure",
            (body.get("message") or "?") in text and (body.get("prompt") or "") in text,
            {"text": text, "body": body},
        )
        refused = body.get("success") is not True
        self.report.check(f"{about}: isError exactly when it refused", bool(result.is_error) == refused, body)
        return body

    async def does(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The same, for a step that the rest of the round stands on."""
        body = await self.call(name, **arguments)
        if body.get("success") is not True:
            raise RuntimeError(f"{self.id} {name} was refused: {body}")
        return body

    def parks(self, name: str, **arguments: Any) -> "asyncio.Task[dict[str, Any]]":
        """Begins a call that blocks."""
        return asyncio.create_task(self.does(name, **arguments))

    async def is_refused(self, code: str, name: str, **arguments: Any) -> dict[str, Any]:
        body = await self.call(name, **arguments)
        holds = body.get("success") is False and body.get("code") == code
        self.report.check(f"{self.id} {name}: refused with {code}", holds, body)
        return body
