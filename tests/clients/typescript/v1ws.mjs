// The first TypeScript SDK over a WebSocket: the only SDK that has a transport for it.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { mcpUrl } from "./rest.mjs";
import { round } from "./round.mjs";

const url = new URL("/ws", mcpUrl);
url.protocol = "ws:";

await round("ts1-ws", async (token) => {
  // The SDK gives its socket no headers. A socket of this token's, then; connections are opened one after the other.
  const Plain = WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(address, protocols) {
      super(address, { protocols, headers: { authorization: `Bearer ${token}` } });
    }
  };
  const client = new Client({ name: "callboard-clients", version: "1.0.0" }, { capabilities: {} });
  await client.connect(new WebSocketClientTransport(url));
  globalThis.WebSocket = Plain;
  // The round speaks as the second SDK does; here the result's schema stands between arguments and options.
  const callTool = client.callTool.bind(client);
  client.callTool = (params, options) => callTool(params, undefined, options);
  return client;
});
