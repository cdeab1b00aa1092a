// A session over its tools: questions with their answers, what is found in its history, and a round of review.
import { setTimeout as pause } from "node:timers/promises";
import { answerQuestion, createTask, judge, openQuestion, taskState } from "./rest.mjs";

const DIFF = "--- a/form.ts\n+++ b/form.ts\n@@ -1,2 +1,3 @@\n one\n+two\n three\n";

export async function session({ hand }, report) {
  const task = await createTask({ targetAgentId: hand.id, prompt: "ask, look back, hand in" });
  await takes(hand, task);
  await questions(hand, report);
  await history(hand, report);
  await review(hand, report, task);
}

// What the agent has not heard comes before its work.
async function takes(hand, task) {
  let offer;
  while ((offer = await hand.does("wait_for_prompt", { timeout: 20 })).status === "NOTICE");
  if (offer.taskId !== task) throw new Error(`${hand.id} is to have ${task}: ${JSON.stringify(offer)}`);
  await hand.does("ack_task", { taskId: task, leaseEpoch: offer.leaseEpoch });
  return offer;
}

async function questions(hand, report) {
  const both = { options: ["old", "new"], default_action: "old" };
  const waiting = hand.parks("request_input", { question: "Which database?", ...both, wait_seconds: 20 });
  const question = await openQuestion(hand.id);
  const first = await answerQuestion(question, "new");
  const answered = await waiting;
  report.same("a person answers over HTTP", [first.status, answered.question_id], [200, question]);
  const wanted = ["resolved", "human", "new", "api"];
  report.same("request_input: the answer comes into the wait", said(answered), wanted);
  const late = await answerQuestion(question, "old");
  report.same("a second answer is too late", [late.status, late.body.code], [409, "ALREADY_RESOLVED"]);

  const brief = { question: "Which colour?", default_action: "red", timeout_minutes: 0.05, wait_seconds: 0 };
  const asked = await hand.does("request_input", brief);
  report.same("request_input: without a wait it is pending", asked.state, "pending");
  await hand.isRefused("QUESTION_OPEN", "request_input", { question: "And the shade?", default_action: "dark" });
  const id = { question_id: asked.question_id };
  await hand.isRefused("INVALID_ARGUMENTS", "wait_for_answer", { ...id, timeout: -1 });
  const done = await hand.does("wait_for_answer", { ...id, timeout: 20 });
  report.same("at the deadline the default applies", said(done), ["resolved", "timeout", "red", "timer"]);
  const words = "No response received; proceeding with default: red";
  report.same("and the agent hears which it is", done.message, words);

  const last = await hand.does("request_input", { question: "Which penguin?", default_action: "small", wait_seconds: 0 });
  const taken = await hand.does("withdraw_question", { question_id: last.question_id, reason: "found out" });
  report.same("withdraw_question: it is cancelled", said(taken).slice(0, 2), ["resolved", "cancelled"]);
}

const said = ({ state, resolution }) => [state, resolution?.type, resolution?.value, resolution?.surface];

async function history(hand, report) {
  await hand.does("update_status", { status: "working", message: "a walrus helps" });
  let found;
  // The index of words lags by less than a second.
  for (let tries = 0; tries < 100; tries += 1) {
    found = await hand.does("get_session_history", { query: "walrus" });
    if (found.events.length > 0) break;
    await pause(50);
  }
  const kinds = found.events.map((event) => event.type);
  report.same("get_session_history: finds a word", kinds, ["session.workflow_status"]);
  const names = Object.keys(found.events[0]?.subject ?? {}).sort();
  report.same("an event names session, task and agent", names, ["agent", "session", "task"]);
  const asked = await hand.does("get_session_history", { types: ["question.asked"] });
  const all = asked.events.every((event) => event.type === "question.asked");
  report.check("get_session_history: by type", all && asked.events.length >= 3, asked);
  const wrong = await hand.isRefused("INVALID_ARGUMENTS", "get_session_history", { types: ["qestion.asked"] });
  report.same("an unknown type hears the nearest", wrong?.details?.nearest?.[0], "question.asked");
}

async function review(hand, report, task) {
  await hand.isRefused("LINK_INVALID", "submit_for_review", { pr_url: "javascript:alert(1)" });
  const handed = await hand.does("submit_for_review", { diff: DIFF, notes_for_reviewer: "mind the form" });
  report.same("submit_for_review", [handed.task_id, handed.state], [task, "IN_REVIEW"]);
  const wish = { text: "Name it three.", file: "form.ts", line: 2 };
  report.same("changes are wanted", (await judge(task, "request-changes", { comments: [wish] })).state, "QUEUED");
  const back = await takes(hand, task);
  const comment = back.comments?.at(-1);
  report.same("the task comes back with them", comment?.text, "Name it three.");
  const open = JSON.stringify(await hand.does("get_review_comments", { task_id: task }));
  report.check("get_review_comments: has it", open.includes("Name it three."), open);
  await hand.does("resolve_review_comment", { comment_id: comment.id, response: "named" });
  await hand.does("submit_for_review", { diff: DIFF.replace("two", "three"), message: "as you wished" });
  await judge(task, "approve", { message: "good" });
  const heard = ((await hand.does("get_session")).notices ?? []).map((notice) => notice.text).join("\n");
  report.check("who handed it in hears the approval", heard.includes("complete_task"), heard);
  await hand.does("complete_task", { summary: "merged" });
  report.same("complete_task after the approval", await taskState(task), "COMPLETED");
}
