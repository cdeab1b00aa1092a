"""An agent in one of the Python frameworks that have their own MCP client: `frameworks.py FRAMEWORK`.

Its environment says where the hub and the model are; with CALLBOARD_TOKEN it goes over HTTP, otherwise it starts the
proxy.
"""

import asyncio
import os
import sys

MODEL = os.environ["MODEL_URL"] + "/v1"
HUB = os.environ["CALLBOARD_URL"]
TOKEN = os.environ.get("CALLBOARD_TOKEN")
PROXY = (os.environ["CLIENTS_BIN"], ["proxy", "--agent", os.environ["AGENT_ID"]])
KEY = ASKED = "scripted"
# What they are told of how long a call may take; left alone, they give up after what `--waits` measures.
SECONDS = float(os.environ.get("AGENT_TIMEOUT", "300"))
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def openai_agents() -> None:
    from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    patient = {"client_session_timeout_seconds": SECONDS} if SECONDS else {}
    if TOKEN:
        server = MCPServerStreamableHttp({"url": f"{HUB}/mcp", "headers": HEADERS}, name="callboard", **patient)
    else:
        started = {"command": PROXY[0], "args": PROXY[1], "env": dict(os.environ)}
        server = MCPServerStdio(started, name="callboard", **patient)
    model = OpenAIResponsesModel("scripted", AsyncOpenAI(base_url=MODEL, api_key=KEY))
    async with server:
        await Runner.run(Agent(name="callboard", model=model, mcp_servers=[server]), ASKED, max_turns=40)


async def pydantic_ai() -> None:
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    if TOKEN:
        tools = MCPToolset(f"{HUB}/mcp", headers=HEADERS)
    else:
        tools = MCPToolset(StdioTransport(PROXY[0], PROXY[1], env=dict(os.environ)))
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=MODEL, api_key=KEY))
    await Agent(model, toolsets=[tools]).run(ASKED)


async def smolagents() -> None:
    from mcp import StdioServerParameters
    from smolagents import MCPClient, OpenAIModel, ToolCallingAgent

    if TOKEN:
        server = {"url": f"{HUB}/mcp", "transport": "streamable-http", "headers": HEADERS}
    else:
        server = StdioServerParameters(command=PROXY[0], args=PROXY[1], env=dict(os.environ))
    model = OpenAIModel("scripted", api_base=MODEL, api_key=KEY)

    def play() -> None:
        with MCPClient(server, structured_output=False) as tools:
            ToolCallingAgent(tools=tools, model=model, max_steps=40).run(ASKED)

    await asyncio.to_thread(play)


asyncio.run({"openai-agents": openai_agents, "pydantic-ai": pydantic_ai, "smolagents": smolagents}[sys.argv[1]]())
