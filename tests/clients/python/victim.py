"""Connects as an agent and calls one tool, to be killed or measured while it does. Its arguments: the client, the era,
the way, the agent, the tool, and the tool's arguments as JSON.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

from doors import opened


async def main(client: str, era: str, way: str, agent: str, tool: str, arguments: str) -> None:
    async with AsyncExitStack() as stack:
        connected = await opened(stack, agent, client, era, way)
        result = await connected.call_tool(tool, json.loads(arguments))
        print(json.dumps(result.structured_content), flush=True)


asyncio.run(main(*sys.argv[1:]))
