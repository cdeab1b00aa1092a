"""Waits as an agent behind the proxy until it is killed. Its arguments: the agent, and by which client."""

import asyncio
import sys

import fastmcp
import mcp
from fastmcp.client.transports import StdioTransport
from rest import proxy_of


async def main(agent: str, by: str) -> None:
    command, arguments, environment = proxy_of(agent, "coding")
    if by == "fastmcp":
        async with fastmcp.Client(StdioTransport(command, arguments, env=environment)) as client:
            await client.call_tool("wait_for_prompt", {"timeout": 40})
    else:
        server = mcp.StdioServerParameters(command=command, args=arguments, env=environment)
        async with mcp.Client(server) as client:
            await client.call_tool("wait_for_prompt", {"timeout": 40})


asyncio.run(main(*sys.argv[1:]))
