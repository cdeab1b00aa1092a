// The second TypeScript client behind the proxy, in the era that its argument names: `auto` or `legacy`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { proxyOf } from "./rest.mjs";
import { round } from "./round.mjs";

const ERAS = { auto: "modern", legacy: "legacy" };
const mode = process.argv[2];

await round(`ts2-stdio-${mode}`, async (_, agent) => {
  const versionNegotiation = { mode };
  const client = new Client({ name: "callboard-clients", version: "2.0.0" }, { capabilities: {}, versionNegotiation });
  await client.connect(new StdioClientTransport(proxyOf(agent)));
  if (client.getProtocolEra() !== ERAS[mode]) throw new Error(`${mode} negotiated ${client.getProtocolEra()}`);
  return client;
});
