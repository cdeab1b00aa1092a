// The second TypeScript client, in the era that its argument names: `auto` (discovery first) or `legacy` (sessions).
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mcpUrl } from "./rest.mjs";
import { round } from "./round.mjs";

const ERAS = { auto: "modern", legacy: "legacy" };
const mode = process.argv[2];

await round(`ts2-${mode}`, async (token) => {
  const versionNegotiation = { mode };
  const client = new Client({ name: "callboard-clients", version: "2.0.0" }, { capabilities: {}, versionNegotiation });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(mcpUrl, { requestInit: { headers } }));
  if (client.getProtocolEra() !== ERAS[mode]) throw new Error(`${mode} negotiated ${client.getProtocolEra()}`);
  return client;
});
