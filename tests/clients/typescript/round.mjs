// The whole round, told once for every TypeScript client: wait, be called, acknowledge, delegate, report, be refused.
import { setTimeout as pause } from "node:timers/promises";
import { Agent } from "./agent.mjs";
import { Report } from "./check.mjs";
import { changed } from "./lists.mjs";
import { createTask, taskState, untilAgentIs } from "./rest.mjs";
import { session } from "./session.mjs";
import { ABLE, workflow } from "./workflow.mjs";

const VERBS = [
  "ack_task", "answer_task", "assign_task", "cancel_task", "complete_task", "get_agent_status", "get_review_comments",
  "get_session", "get_session_history", "get_task_context", "list_agents", "mark_blocked", "register_agent",
  "request_input", "resolve_review_comment", "send_message", "send_response", "submit_for_review", "update_progress",
  "update_status", "wait_for_answer", "wait_for_prompt", "wait_for_task", "withdraw_question",
];
const ROLES = ["designer", "full-stack-engineer", "ops-engineer", "orchestrator", "project-manager", "test-engineer"];
const AGAIN = "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening.";
const TEXT = "implement login\n\n- with ünïcode, \"quotes\" and `ticks`\n- and 1 < 2 && 3 > 2";

// `open(agent, options)` connects one client. Its row names the agents, so that rounds of several clients share a hub.
export async function round(row, open) {
  const [name, era, way] = row;
  const suite = row.join("-");
  const report = new Report();
  const clients = [];
  const agent = async (name) => {
    const id = `${suite}-${name}`;
    clients.push(await open(id));
    const it = new Agent(id, clients.at(-1), report);
    await it.learn();
    return it;
  };
  try {
    const cast = { lead: await agent("lead"), hand: await agent("hand"), artist: await agent("artist") };
    await introductions(cast, report);
    await idle(cast, report);
    const task = await called(cast, report);
    await delegation(cast, report);
    await followed(cast, report);
    await blocked(cast, report);
    await reported(cast, report, task);
    await hangingUp(cast, report);
    await changed(cast, report, suite);
    await session(cast, report);
    // One of its own: who declares tasks is given tickets for its waits.
    clients.push(await open(cast.artist.id, name === "ts2" ? { capabilities: ABLE } : {}));
    await workflow(clients.at(-1), cast.artist.id, { era, way }, report);
  } catch (error) {
    report.check("the round reaches its end", false, [String(error?.stack ?? error), String(error?.cause ?? "")]);
  }
  await Promise.allSettled(clients.map((client) => client.close()));
  report.close(suite, "round");
}

async function introductions({ lead, hand, artist }, report) {
  const names = lead.tools.map((tool) => tool.name);
  report.check("tools/list: has every verb of an agent", VERBS.every((verb) => names.includes(verb)), names);
  const silent = lead.tools.filter((tool) => !tool.outputSchema).map((tool) => tool.name);
  report.same("tools/list: every tool promises the shape of its result", silent, []);
  const prompts = (await lead.client.listPrompts()).prompts.map((prompt) => prompt.name);
  report.check("prompts/list: has every role", ROLES.every((role) => prompts.includes(`role/${role}`)), prompts);
  const { messages } = await lead.client.getPrompt({ name: "role/full-stack-engineer", arguments: {} });
  report.check("prompts/get: is about waiting", messages[0]?.content.text?.includes("wait_for_prompt"), messages);

  const stranger = await hand.isRefused("NOT_REGISTERED", "wait_for_prompt", { timeout: 1 });
  report.check("NOT_REGISTERED says what to call", stranger?.prompt?.includes("register_agent"), stranger);
  await hand.isRefused("IDENTITY_MISMATCH", "register_agent", about(lead.id, "full-stack-engineer"));
  const known = await hand.does("register_agent", about(hand.id, "coding"));
  report.same("register_agent: an alias names its role", known.role, "full-stack-engineer");
  report.check("register_agent: says to wait next", known.prompt?.includes("wait_for_prompt"), known);
  const again = await hand.does("register_agent", about(hand.id, "coding"));
  report.same("register_agent: again is the same session", again.sessionId, known.sessionId);
  await lead.does("register_agent", about(lead.id, "project-manager"));
  await artist.does("register_agent", about(artist.id, "designer"));
  const all = await lead.does("list_agents");
  report.check("list_agents: has us", JSON.stringify(all).includes(hand.id), all);
}

async function idle({ hand, artist }, report) {
  const reminded = await hand.does("wait_for_prompt", { timeout: 1 });
  report.same("wait_for_prompt: IDLE", reminded.status, "IDLE");
  report.same("wait_for_prompt: IDLE says so", reminded.message, "No tasks available. Waiting.");
  report.check("wait_for_prompt: an engineer is reminded to wait again", reminded.prompt?.startsWith(AGAIN), reminded.prompt);
  const free = await artist.does("wait_for_prompt", { timeout: 1 });
  report.same("wait_for_prompt: IDLE for a designer too", [free.status, free.message], ["IDLE", reminded.message]);
  report.same("wait_for_prompt: a designer is not reminded", free.prompt ?? null, null);
}

async function called({ lead, hand }, report) {
  const waiting = lead.parks("wait_for_prompt", { timeout: 20 });
  await untilAgentIs(lead.id, "waiting");
  const task = await createTask({ targetAgentId: lead.id, prompt: TEXT, priority: "high" });
  const first = await waiting;
  report.same("a parked agent is called", [first.status, first.taskId], ["TASK", task]);
  report.same("the text arrives as it was written", first.prompt, TEXT);
  report.same("the offer says who asks and how urgently", [first.from?.kind, first.priority], ["api", "high"]);

  let epoch = first.leaseEpoch;
  // The proxy acknowledges for a client that lives for a second after it read its task.
  if (!lead.id.includes("-proxy-")) {
    const second = await lead.does("wait_for_prompt", { timeout: 5 });
    report.same("an offer not acknowledged is offered again", second.taskId, task);
    report.check("with a later leaseEpoch", second.leaseEpoch > epoch, [epoch, second.leaseEpoch]);
    await lead.isRefused("LEASE_LOST", "ack_task", { taskId: task, leaseEpoch: epoch });
    epoch = second.leaseEpoch;
  }
  await lead.does("ack_task", { taskId: task, leaseEpoch: epoch });
  await lead.does("ack_task", { taskId: task, leaseEpoch: epoch });
  await lead.does("update_progress", { taskId: task, message: "reading", phase: "read", percent: 10 });
  report.same("acknowledged and at work", await taskState(task), "IN_PROGRESS");

  const uri = `callboard://tasks/${task}`;
  const shown = JSON.parse((await lead.client.readResource({ uri })).contents[0].text);
  report.same("resources/read: the task as its holder sees it", shown.task.state, "IN_PROGRESS");
  const listed = (await lead.client.listResources()).resources.map((resource) => resource.uri);
  report.check("resources/list: its own session first", listed[0]?.startsWith("callboard://sessions/s_"), listed);
  const stranger = await hand.client.readResource({ uri }).catch((error) => String(error));
  const hidden = String(stranger).includes("there is nothing under this name");
  report.check("resources/read: another's task is not there", hidden, stranger);

  const foreign = await hand.isRefused("TASK_NOT_FOUND", "ack_task", { taskId: task });
  const madeUp = "zzzzzzzzzzzz";
  const missing = await hand.isRefused("TASK_NOT_FOUND", "ack_task", { taskId: madeUp });
  const alike = JSON.stringify(foreign).replaceAll(task, madeUp);
  report.same("a foreign task answers exactly like a missing one", alike, JSON.stringify(missing));
  return { id: task, epoch };
}

async function delegation({ lead, hand }, report) {
  const waiting = hand.parks("wait_for_prompt", { timeout: 20 });
  await untilAgentIs(hand.id, "waiting");
  const { taskId } = await lead.does("assign_task", { targetAgentId: hand.id, prompt: "write the form" });
  const offer = await waiting;
  report.same("a delegated task arrives", [offer.taskId, offer.prompt], [taskId, "write the form"]);
  report.same("and says who delegated it", [offer.from?.kind, offer.from?.id], ["agent", lead.id]);
  const result = lead.parks("wait_for_task", { taskId, timeout: 20 });
  const done = await hand.does("send_response", {
    taskId,
    status: "COMPLETED",
    message: "the form stands",
    artifacts: [{ kind: "branch", text: "feature/form" }, "notes.txt"],
    leaseEpoch: offer.leaseEpoch,
  });
  report.same("a completion is recorded", done.message, `Response recorded for ${taskId}`);
  const seen = JSON.stringify(await result);
  report.check("who delegated sees the result", seen.includes("COMPLETED") && seen.includes("the form stands"), seen);
  await lead.isRefused("TARGET_UNKNOWN", "assign_task", { targetAgentId: "@NobodyAtAll", prompt: "hello" });
}

// A client that is one process for each call follows nothing.
async function followed({ lead, hand }, report) {
  const { taskId } = await lead.does("assign_task", { targetAgentId: hand.id, prompt: "be followed" });
  const uri = `callboard://tasks/${taskId}`;
  if (lead.client.follows) {
    let told;
    const changed = new Promise((done) => (told = done));
    const ends = await lead.client.follows(uri, told);
    await hand.does("wait_for_prompt", { timeout: 20 });
    const seen = await Promise.race([changed, pause(10_000)]);
    report.same("a change of a resource that is followed is told", seen, uri);
    await ends();
  } else {
    await hand.does("wait_for_prompt", { timeout: 20 });
  }
  await hand.does("send_response", { taskId, status: "COMPLETED", message: "it was seen" });
}

async function blocked({ lead, hand }, report) {
  const { taskId } = await lead.does("assign_task", { targetAgentId: hand.id, prompt: "pick a colour" });
  const offer = await hand.does("wait_for_prompt", { timeout: 20 });
  report.same("a task that waited is handed out", offer.taskId, taskId);
  const bare = await hand.call("send_response", { taskId, status: "BLOCKED", message: "?" });
  report.check("BLOCKED without a reason is refused", bare.success === false && bare.code?.length > 0, bare);
  await hand.does("send_response", { taskId, status: "BLOCKED", message: "?", blockedReason: "red or blue?" });
  const stuck = JSON.stringify(await lead.does("wait_for_task", { taskId, timeout: 20 }));
  report.check("who delegated hears the reason", stuck.includes("BLOCKED") && stuck.includes("red or blue?"), stuck);
  await lead.does("answer_task", { taskId, answer: "blue" });
  const back = await hand.does("wait_for_prompt", { timeout: 20 });
  report.same("an answered task returns to its last holder", back.taskId, taskId);
  const context = JSON.stringify(await hand.does("get_task_context", { taskId }));
  report.check("with the answer in its context", context.includes("blue"), context);
  await lead.does("send_message", { to: hand.id, text: "never mind" });
  await lead.does("cancel_task", { taskId, reason: "no colours" });
  const next = await hand.call("update_progress", { taskId, message: "painting" });
  report.same("a cancelled task refuses work", [next.success, next.code], [false, "TASK_CANCELLED"]);
  const heard = (next.notices ?? []).map((notice) => notice.text).join("\n");
  report.check("the notices bring what was said meanwhile", heard.includes("never mind"), next);
}

async function reported({ lead }, report, { id, epoch }) {
  const response = { taskId: id, status: "COMPLETED", message: "login works", leaseEpoch: epoch };
  const done = await lead.does("send_response", response);
  report.same("the first task is recorded too", done.message, `Response recorded for ${id}`);
  const again = await lead.does("send_response", response);
  report.same("the same response again changes nothing", again.message, done.message);
  report.same("the operator sees it COMPLETED", await taskState(id), "COMPLETED");
  await lead.isRefused("TASK_CLOSED", "send_response", { ...response, status: "FAILED", message: "or not" });
  await lead.does("get_agent_status", { agentId: lead.id });
}

async function hangingUp({ hand }, report) {
  // A notice that is still to be heard ends a wait at once: hear them all first.
  while ((await hand.does("wait_for_prompt", { timeout: 1 })).status === "NOTICE");
  const older = hand.parks("wait_for_prompt", { timeout: 20 });
  await untilAgentIs(hand.id, "waiting");
  const hangup = new AbortController();
  const newer = hand.client.callTool(
    { name: "wait_for_prompt", arguments: { timeout: 20 } },
    { signal: hangup.signal, timeout: 60_000 },
  );
  report.same("a newer wait ends the older one", (await older).status, "SUPERSEDED");
  hangup.abort("the user pressed stop");
  await newer.then(
    (result) => report.check("a wait that was hung up returns nothing", false, result),
    () => report.check("a wait that was hung up returns nothing", true),
  );
  await pause(1000);
  const task = await createTask({ targetAgentId: hand.id, prompt: "after the hang-up" });
  const offer = await hand.does("wait_for_prompt", { timeout: 20 });
  report.same("the next task goes to the next wait, as its first offer", [offer.taskId, offer.leaseEpoch], [task, 1]);
  await hand.does("send_response", { taskId: task, status: "FAILED", message: "enough for today" });
}

const about = (agentId, role) => ({ agentId, role, capabilities: ["typescript"] });
