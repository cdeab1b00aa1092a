// The operator, over plain HTTP: gives out tasks and looks at what became of them.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const url = process.env.CALLBOARD_URL;
const operator = readFileSync(process.env.CALLBOARD_TOKEN_FILE, "utf8").trim();

const ask = (method, path, body) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

async function send(method, path, body) {
  const answer = await ask(method, path, body);
  const words = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${words}`);
  return JSON.parse(words);
}

export const mcpUrl = new URL(`${url}/mcp`);

export const createTask = async (task) => (await send("POST", "/api/v1/tasks", task)).taskId;

export const taskState = async (id) => (await send("GET", `/api/v1/tasks/${id}`)).state;

export const judge = (task, verdict, body) => send("POST", `/api/v1/reviews/${task}/${verdict}`, body);

// The answer's status and body, whatever they are.
export async function answerQuestion(id, value) {
  const answer = await ask("POST", `/api/v1/questions/${id}/answer`, { value });
  return { status: answer.status, body: await answer.json() };
}

// The question that `agent` asks, once it does; fails after a minute.
export async function openQuestion(agent) {
  for (let tries = 0; tries < 1200; tries += 1) {
    const [question] = (await send("GET", `/api/v1/questions?agent=${agent}`)).items;
    if (question) return question.id;
    await pause(50);
  }
  throw new Error(`${agent} asks nothing`);
}

export const tokenOf = (agent) => readFileSync(`${process.env.CLIENTS_TOKENS}/${agent}`, "utf8").trim();

// How to start the proxy for `agent`, with the agent's own token.
export const proxyOf = (agent) => ({
  command: process.env.CLIENTS_BIN,
  args: ["proxy", "--agent", agent],
  env: { CALLBOARD_URL: url, CALLBOARD_TOKEN_FILE: `${process.env.CLIENTS_TOKENS}/${agent}` },
});

// Returns once the hub itself shows `agent` as `availability`; fails after a minute.
export async function untilAgentIs(agent, availability) {
  let seen;
  for (let tries = 0; tries < 1200; tries += 1) {
    seen = (await send("GET", "/api/v1/agents")).items.find((item) => item.agentId === agent)?.availability;
    if (seen === availability) return;
    await pause(50);
  }
  throw new Error(`${agent} is ${seen}, not ${availability}`);
}
