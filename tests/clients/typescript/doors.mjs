// The clients of this language, opened alike: by name, by the era of the protocol, by the way to the hub.
import { Client as Second, StreamableHTTPClientTransport as SecondHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";
import { Client as First } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { mcpUrl, proxyOf, tokenOf } from "./rest.mjs";

const UPDATED = "notifications/resources/updated";
const LISTS = ["notifications/prompts/list_changed", "notifications/resources/list_changed"];
const NOTHING = async () => {};
// Whatever comes back is right.
const ANYTHING = { "~standard": { version: 1, vendor: "tests", validate: (value) => ({ value }) } };
const WAYS = {
  ts1: { http: FirstHttp, proxy: FirstStdio },
  ts2: { http: SecondHttp, proxy: SecondStdio },
};

// A connected client with the agent's token, as the second SDK speaks.
export async function open(client, era, way, agent, options = {}) {
  const headers = { authorization: `Bearer ${tokenOf(agent)}` };
  const about = { name: "example-client", version: "1.0.0" };
  if (way === "ws") return socket(new First(about, { capabilities: {}, ...options }), headers);
  const Way = WAYS[client][way];
  const transport = way === "http" ? new Way(mcpUrl, { requestInit: { headers } }) : new Way(proxyOf(agent));
  if (client === "ts1") return first(new First(about, { capabilities: {}, ...options }), transport);
  const mode = { modern: "auto", legacy: "legacy" }[era];
  const second = new Second(about, { capabilities: {}, ...options, versionNegotiation: { mode } });
  await second.connect(transport);
  if (second.getProtocolEra() !== era) throw new Error(`${era} came to ${second.getProtocolEra()}`);
  second.asks = (method, params) => second.request({ method, params }, ANYTHING);
  if (era === "modern" && options.capabilities?.elicitation) {
    second.fillsIn = (content) => {
      second.setRequestHandler("elicitation/create", async () => ({ action: "accept", content }));
    };
  }
  second.follows = async (uri, told) => {
    second.setNotificationHandler(UPDATED, ({ params }) => told(params.uri));
    if (era === "legacy") return subscribed(second, uri);
    const listening = await second.listen({ resourceSubscriptions: [uri] });
    return () => listening.close();
  };
  second.hears = async (told) => {
    for (const method of LISTS) second.setNotificationHandler(method, () => told(method));
    if (era === "legacy") return { ends: NOTHING };
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const listening = await second.listen(wanted);
    return { ends: () => listening.close(), honoured: listening.honoredFilter };
  };
  return second;
}

async function subscribed(client, uri) {
  await client.subscribeResource({ uri });
  return () => client.unsubscribeResource({ uri });
}

async function first(client, transport) {
  await client.connect(transport);
  // Here the result's schema stands between arguments and options.
  const callTool = client.callTool.bind(client);
  client.callTool = (params, options) => callTool(params, undefined, options);
  client.asks = (method, params) => client.request({ method, params }, ResultSchema);
  client.follows = async (uri, told) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told(params.uri));
    return subscribed(client, uri);
  };
  client.hears = async (told) => {
    const [prompts, resources] = LISTS;
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => told(prompts));
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => told(resources));
    return { ends: NOTHING };
  };
  return client;
}

// The SDK gives its socket no headers. A socket of this token's, then; connections are opened one after the other.
async function socket(client, headers) {
  const Plain = WebSocket;
  globalThis.WebSocket = class extends Plain {
    constructor(address, protocols) {
      super(address, { protocols, headers });
    }
  };
  const url = new URL("/ws", mcpUrl);
  url.protocol = "ws:";
  const connected = await first(client, new WebSocketClientTransport(url));
  globalThis.WebSocket = Plain;
  return connected;
}
