// The Inspector behind the face of an SDK: one process for each call. Over HTTP that is `inspector --cli`, which opens
// and ends a connection each time. Through the proxy that would end the agent with each call, so there its `mcpdo`
// holds one connection open.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mcpUrl, proxyOf, tokenOf } from "../typescript/rest.mjs";

const clients = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/clients/", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "inspector-"));
const environment = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: "file" };

// The codes with which it ends: all was well, or a tool refused.
const TOLD = [0, 5];

// What a process of the Inspector's prints.
function said(words, { signal } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, words, { env: environment, signal, stdio: ["ignore", "pipe", "pipe"] });
    let [out, error] = ["", ""];
    child.stdout.on("data", (some) => (out += some));
    child.stderr.on("data", (some) => (error += some));
    child.on("error", fail);
    child.on("close", (code) => (TOLD.includes(code) ? done(out) : fail(new Error(`${code}: ${error}${out}`))));
  });
}

// A client of the agent's; `ask(method, words)` gives the result.
const face = (ask) => ({
  listTools: () => ask("tools/list", []),
  listPrompts: () => ask("prompts/list", []),
  listResources: () => ask("resources/list", []),
  getPrompt: ({ name, arguments: given = {} }) => {
    const pairs = Object.entries(given).map(([key, value]) => `${key}=${value}`);
    return ask("prompts/get", ["--prompt-name", name, ...(pairs.length > 0 ? ["--prompt-args", ...pairs] : [])]);
  },
  readResource: ({ uri }) => ask("resources/read", ["--uri", uri]),
  callTool: ({ name, arguments: words }, options) =>
    ask("tools/call", ["--tool-name", name, "--tool-args-json", JSON.stringify(words)], options),
  close: async () => {},
});

export async function open(era, way, agent) {
  if (way === "http") {
    const bearer = `Authorization: Bearer ${tokenOf(agent)}`;
    const where = ["--server-url", mcpUrl.href, "--header", bearer, "--protocol-era", era];
    const ask = async (method, words, options) => {
      const call = [`${clients}cli/build/index.js`, ...where, "-q", "--format", "json", "--method", method, ...words];
      return JSON.parse(await said(call, options)).result;
    };
    return face(ask);
  }
  const run = (words, options) => said([`${clients}mcpdo/build/mcp-bin.js`, "--format", "json", ...words], options);
  if (!environment.MCP_INSPECTOR_DAEMON_DIR) {
    for (const [, name, value] of (await run(["private"])).matchAll(/export (\w+)='(.*)'/g)) environment[name] = value;
  }
  const { command, args, env } = proxyOf(agent);
  const named = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  await run(["--connection", agent, "connect", "--era", era, ...named, "--", command, ...args]);
  const ask = async (method, words, options) =>
    JSON.parse(await run(["--connection", agent, method, ...words], options));
  const close = () => run(["disconnect", agent]);
  return { ...face(ask), close };
}
