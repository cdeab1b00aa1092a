// The first TypeScript SDK: the session era of the protocol.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { mcpUrl } from "./rest.mjs";
import { round } from "./round.mjs";

await round("ts1", async (token) => {
  const client = new Client({ name: "callboard-clients", version: "1.0.0" }, { capabilities: {} });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(mcpUrl, { requestInit: { headers } }));
  // The round speaks as the second SDK does; here the result's schema stands between arguments and options.
  const callTool = client.callTool.bind(client);
  client.callTool = (params, options) => callTool(params, undefined, options);
  return client;
});
