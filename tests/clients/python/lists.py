"""A role that comes with the settings: who is connected is told that there are other prompts and other resources."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent import Agent
from check import Report
from rest import PATIENCE

CONFIG = Path(os.environ["CLIENTS_CONFIG"])
LOCK = CONFIG.parent / "settings.lock"
PROMPTS, RESOURCES = "notifications/prompts/list_changed", "notifications/resources/list_changed"


class Settings:
    """The settings' file, changed by one row at a time, whatever its language: a role that another takes away would be told of."""

    async def __aenter__(self) -> "Settings":
        end = time.monotonic() + PATIENCE
        while True:
            try:
                LOCK.touch(exist_ok=False)
                return self
            except FileExistsError:
                if time.monotonic() > end:
                    raise
            await asyncio.sleep(0.05)

    async def __aexit__(self, *_: Any) -> None:
        LOCK.unlink()

    def has(self, role: str) -> None:
        """Whole or not at all: the hub looks at it at any time."""
        draft = CONFIG.parent / "agents.draft"
        draft.write_text(f"roles:\n  {role}:\n    displayName: {role}\n    capabilities: [review]\n", encoding="utf-8")
        draft.replace(CONFIG / "agents.yaml")


async def changed(lead: Agent, report: Report, suite: str, client: str) -> None:
    """What is told without asking, in the way of the era."""
    role = f"reviewer-{suite}"
    modern = lead.client.protocol_version >= "2026"
    if modern and client != "mcp":
        return  # `fastmcp` has nothing that listens in this era.
    async with Settings() as settings:
        if modern:
            wanted = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
            async with lead.client.listen(**wanted) as changes:
                honoured = changes.honored.model_dump(by_alias=True, exclude_none=True)
                report.same(
                    "subscriptions/listen: every list that may change is promised",
                    honoured,
                    {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True},
                )
                settings.has(role)
                told = {type(await asyncio.wait_for(anext(changes), PATIENCE)).__name__ for _ in range(2)}
            report.same("another role is told: prompts and resources", told, {"PromptsListChanged", "ResourcesListChanged"})
        else:
            # What another row's change led to may have been told just now.
            lead.told.clear()
            settings.has(role)
            heard = await until(lambda: all(method in str(lead.told) for method in (PROMPTS, RESOURCES)))
            report.check("another role is told: prompts and resources", heard, lead.told)
        report.check("prompts/list: has it then", await is_listed(lead, role), role)


async def until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not holds():
        await asyncio.sleep(0.05)
    return holds()


async def is_listed(lead: Agent, role: str) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if any(prompt.name == f"role/{role}" for prompt in (await lead.client.list_prompts()).prompts):
            return True
        await asyncio.sleep(0.05)
    return False
