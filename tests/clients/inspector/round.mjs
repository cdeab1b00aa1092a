// The round of the Inspector: as that of the SDKs, with each thing tried once, since each call is a process that takes
// a second. Its arguments: its name, the era, the way.
import { Agent } from "../typescript/agent.mjs";
import { Report } from "../typescript/check.mjs";
import { answerQuestion, createTask, openQuestion, taskState, untilAgentIs } from "../typescript/rest.mjs";
import { open } from "./doors.mjs";

const [name, era, way] = process.argv.slice(2);
const suite = `${name}-${era}-${way}`;
const report = new Report();
const TEXT = "implement login\n\n- with ünïcode, \"quotes\" and `ticks`\n- and 1 < 2 && 3 > 2";

async function introductions({ lead, hand }) {
  const tools = await lead.learn();
  const silent = tools.filter((tool) => !tool.outputSchema);
  report.same("tools/list: every tool promises the shape of its result", silent, []);
  hand.promises = lead.promises;
  const { prompts } = await lead.client.listPrompts();
  report.check("prompts/list: has the roles", prompts.some(({ name }) => name === "role/full-stack-engineer"), prompts);
  const stranger = await hand.isRefused("NOT_REGISTERED", "wait_for_prompt", { timeout: 1 });
  report.check("NOT_REGISTERED says what to call", stranger?.prompt?.includes("register_agent"), stranger);
  await hand.does("register_agent", { agentId: hand.id, role: "coding", capabilities: [] });
  await lead.does("register_agent", { agentId: lead.id, role: "project-manager", capabilities: [] });
}

async function called({ lead, hand }) {
  // The longer one is more than this client's calls may block: under the tasks extension a ticket answers it.
  const waiting = lead.parks("wait_for_prompt", { timeout: era === "modern" ? 300 : 30 });
  await untilAgentIs(lead.id, "waiting");
  const task = await createTask({ targetAgentId: lead.id, prompt: TEXT });
  const offer = await waiting;
  report.same("a parked agent is called", [offer.status, offer.taskId, offer.prompt], ["TASK", task, TEXT]);
  await lead.does("ack_task", { taskId: task, leaseEpoch: offer.leaseEpoch });
  report.same("acknowledged and at work", await taskState(task), "IN_PROGRESS");
  const { contents } = await lead.client.readResource({ uri: `callboard://tasks/${task}` });
  report.same("resources/read: the task as its holder sees it", JSON.parse(contents[0].text).task.state, "IN_PROGRESS");
  await hand.isRefused("TASK_NOT_FOUND", "ack_task", { taskId: task });
  return offer;
}

async function delegation({ lead, hand }) {
  const { taskId } = await lead.does("assign_task", { targetAgentId: hand.id, prompt: "write the form" });
  const offer = await hand.does("wait_for_prompt", { timeout: 20 });
  report.same("a delegated task arrives", [offer.taskId, offer.from?.id], [taskId, lead.id]);
  const result = lead.parks("wait_for_task", { taskId, timeout: 30 });
  const done = { taskId, status: "COMPLETED", message: "the form stands", leaseEpoch: offer.leaseEpoch };
  await hand.does("send_response", done);
  const seen = JSON.stringify(await result);
  report.check("who delegated sees the result", seen.includes("COMPLETED") && seen.includes("the form stands"), seen);
}

async function asked({ lead }) {
  const words = { question: "Which database?", options: ["old", "new"], default_action: "old", wait_seconds: 30 };
  const waiting = lead.parks("request_input", words);
  await answerQuestion(await openQuestion(lead.id), "new");
  const { state, resolution } = await waiting;
  report.same("the answer comes into the wait", [state, resolution?.value], ["resolved", "new"]);
}

const CALL = /^\d+\. Call (\S+) with (\{.*\})/gm;

async function followed({ hand }) {
  const { messages, _meta } = await hand.client.getPrompt({ name: "hand-over", arguments: { agent: hand.id } });
  const about = _meta["dev.callboard/workflow"];
  report.same("a workflow says where it stands", [about.status, about.pauseReason?.type], ["working", "client_tool"]);
  const calls = [...messages.at(-1).content.text.matchAll(CALL)].map(([, tool, given]) => [tool, JSON.parse(given)]);
  report.same("the handoff names the calls that are left", calls.map(([tool]) => tool), ["shout", "get_agent_status"]);
  await hand.does(...calls[1]);
  const { contents } = await hand.client.readResource({ uri: `callboard://workflows/${about.taskId}` });
  const stands = JSON.parse(contents[0].text).statusMessage;
  report.same("a call of it is recorded", stands, "2 of 3 steps, waiting for tell");
  report.same("and it is completed", (await hand.does("workflow_complete", { result: "told" })).status, "completed");
}

async function reported({ lead }, { taskId, leaseEpoch }) {
  const response = { taskId, status: "COMPLETED", message: "login works", leaseEpoch };
  const done = await lead.does("send_response", response);
  report.same("the report is recorded", done.message, `Response recorded for ${taskId}`);
  report.same("and again changes nothing", (await lead.does("send_response", response)).message, done.message);
  report.same("the operator sees it COMPLETED", await taskState(taskId), "COMPLETED");
}

const connected = async (of) => new Agent(`${suite}-${of}`, await open(era, way, `${suite}-${of}`), report);
try {
  const cast = { lead: await connected("lead"), hand: await connected("hand") };
  await introductions(cast);
  const offer = await called(cast);
  await delegation(cast);
  await asked(cast);
  await followed(cast);
  await reported(cast, offer);
  await Promise.allSettled(Object.values(cast).map(({ client }) => client.close()));
} catch (error) {
  report.check("the round reaches its end", false, String(error?.stack ?? error));
}
report.close(suite, "round");
