// A workflow as a client follows it: its prompt, the calls that are handed over, and its end, as a tool and as a task.
const ABOUT = "dev.callboard/workflow";
const CALL = /^\d+\. Call (\S+) with (\{.*\})/gm;
export const ABLE = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };

// `client.asks(method, params)` sends what the SDK has no method for.
export async function workflow(client, agent, { era, way }, report) {
  const prompt = async (args = { agent }) => {
    const { messages, _meta } = await client.getPrompt({ name: "hand-over", arguments: args });
    const texts = messages.map(({ content }) => content.text);
    const about = _meta[ABOUT];
    report.check("a workflow's id is in no text", !texts.some((text) => text.includes(about.taskId)), texts);
    report.same("it says where it stands", about.pauseReason?.type, "client_tool");
    const calls = [...texts.at(-1).matchAll(CALL)].map(([, tool, given]) => [tool, JSON.parse(given)]);
    return { id: about.taskId, calls, texts };
  };
  const first = await prompt();
  const left = [["shout", { text: `${agent} hands over.` }], ["get_agent_status", { agentId: agent }]];
  report.same("the handoff names each call that is left, with what it takes", first.calls, left);
  const went = await client.callTool({ name: first.calls[1][0], arguments: first.calls[1][1] });
  const { step, matchedBy } = went._meta[ABOUT];
  const how = way === "proxy" ? undefined : "implicit";
  report.same("a call that names nothing is recorded in it", [step, matchedBy], ["again", how]);
  const { contents } = await client.readResource({ uri: `callboard://workflows/${first.id}` });
  const stands = "2 of 3 steps, waiting for tell";
  report.same("the resource shows it", JSON.parse(contents[0].text).statusMessage, stands);
  const seen = await client.asks("tasks/get", { taskId: first.id });
  report.same("tasks/get shows it", [seen.status, seen.statusMessage], ["working", stands]);
  const done = await client.callTool({ name: "workflow_complete", arguments: { result: { told: true } } });
  report.same("workflow_complete ends it", done.structuredContent.status, "completed");
  const second = await prompt();
  await client.asks("tasks/cancel", { taskId: second.id, result: { told: "twice" } });
  const after = await client.asks("tasks/get", { taskId: second.id });
  report.same("tasks/cancel with a result completes it", after.status, "completed");
  const third = await prompt();
  await client.asks("tasks/cancel", { taskId: third.id });
  const gone = await client.asks("tasks/get", { taskId: third.id });
  report.same("tasks/cancel without one cancels it", gone.status, "cancelled");
  if (client.fillsIn) {
    client.fillsIn({ agent });
    const { texts } = await prompt({});
    report.check("what is missing is asked for by a form", texts[0].includes(`- agent: ${agent}`), texts);
  }
}
