// Waits as an agent until it is killed. Its arguments: the agent, and by which door: `ws` or `stdio`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as First } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { mcpUrl, proxyOf, tokenOf } from "./rest.mjs";

const [agent, door] = process.argv.slice(2);
const about = { name: "callboard-clients", version: "1.0.0" };
const wait = { name: "wait_for_prompt", arguments: { timeout: 40 } };

if (door === "ws") {
  const Plain = WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(address, protocols) {
      super(address, { protocols, headers: { authorization: `Bearer ${tokenOf(agent)}` } });
    }
  };
  const client = new First(about, { capabilities: {} });
  await client.connect(new WebSocketClientTransport(new URL("/ws", mcpUrl.href.replace("http", "ws"))));
  await client.callTool({ name: "register_agent", arguments: { agentId: agent, role: "coding", capabilities: [] } });
  await client.callTool(wait);
} else {
  const client = new Client(about, { capabilities: {}, versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(proxyOf(agent, "coding")));
  await client.callTool(wait);
}
