"""The clients of this language, opened alike: by name, by the era of the protocol, by the way to the hub."""

from contextlib import AsyncExitStack
from typing import Any

from rest import URL, proxy_of, token_of

MODES = {"modern": "auto", "legacy": "legacy"}


class Fast:
    """`fastmcp` with the answers as the protocol has them, as `mcp` gives them."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.call_tool, self.list_tools = client.call_tool_mcp, client.list_tools_mcp
        self.list_prompts, self.get_prompt = client.list_prompts_mcp, client.get_prompt_mcp
        self.list_resources, self.read_resource = client.list_resources_mcp, client.read_resource_mcp

    @property
    def session(self) -> Any:
        return self.client.session

    @property
    def protocol_version(self) -> str:
        return self.client.protocol_version


async def opened(
    stack: AsyncExitStack, agent: str, client: str, era: str, way: str, told: Any = None, **more: Any
) -> Any:
    """A connected client with the agent's token; `told` hears what the hub says unasked."""
    connect = fastmcp_of if client == "fastmcp" else mcp_of
    connected = connect(agent, way, {"mode": MODES[era], "message_handler": told, **more})
    entered = await stack.enter_async_context(connected)
    return Fast(entered) if client == "fastmcp" else entered


# Each takes a second to load, so only the one that is asked for is.


def fastmcp_of(agent: str, way: str, options: dict[str, Any]) -> Any:
    import fastmcp
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if way == "http":
        return fastmcp.Client(StreamableHttpTransport(f"{URL}/mcp", headers=bearer(agent)), **options)
    command, arguments, environment = proxy_of(agent)
    return fastmcp.Client(StdioTransport(command, arguments, env=environment), **options)


def mcp_of(agent: str, way: str, options: dict[str, Any]) -> Any:
    import mcp
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    if way == "http":
        http = create_mcp_http_client(headers=bearer(agent))
        return mcp.Client(streamable_http_client(f"{URL}/mcp", http_client=http), **options)
    command, arguments, environment = proxy_of(agent)
    return mcp.Client(mcp.StdioServerParameters(command=command, args=arguments, env=environment), **options)


def bearer(agent: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token_of(agent)}"}
