// A hub as it is where much happens: 300 tasks in every state that agents can bring about, 30 agents with ids of 64
// characters, questions of each kind, dead deliveries, and agents that are gone. Whoever changes the page sees it full.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { agent, hub, until } from './support.mjs';

const AGENTS = 30;
const TASKS = 300;
export const DEAD = 3;
/** At work, and older than all that is queued. */
export const BUSY = 6;

/** The files of the change that stands in review. */
export const FILES = 40;

/** Queued for a role that nobody has. */
const STRANDED = 3;

/** An id of 64 characters. */
export const longId = (n) => `engineer-${n}-`.padEnd(64, 'of-the-payments-team-').replace(/-$/, 'x');

/** Does `does` with each, eight at a time. */
const each = (jobs, does) => {
  const left = [...jobs];
  return Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left.length) await does(left.shift());
    }),
  );
};

/** Starts it; `end` ends the hub and the receiver that takes nothing. */
export async function world() {
  const own = await hub({
    env: { CALLBOARD_LIMITS_REQUESTS_PER_SECOND: '10000', CALLBOARD_LIMITS_BURST: '10000' },
  });
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(410).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const ids = Array.from({ length: AGENTS }, (_, n) => longId(n));
  const agents = [];
  await each(ids.keys(), async (n) => {
    const capabilities = n % 3 ? ['test'] : ['deploy', 'test'];
    agents[n] = await agent(own, ids[n], n % 2 ? 'full-stack-engineer' : 'test-engineer', { capabilities });
  });
  let made = 0;
  const task = async (targetAgentId, prompt, more = {}) => {
    made += 1;
    return (await own.api('POST', '/api/v1/tasks', { targetAgentId, prompt, ...more })).taskId;
  };
  const takes = async (worker, prompt) => {
    const taskId = await task(worker.id, prompt);
    await worker.wait();
    await worker.call('ack_task', { taskId });
    return taskId;
  };
  const tasks = {};
  const ends = async (n, status, more = {}) => {
    const taskId = await takes(agents[n], `${status.toLowerCase()}: rework what the ledger rounds`);
    const message = 'The rounding was wrong in `ledger.rs`; see the report.';
    await agents[n].call('send_response', { taskId, status, message, ...more });
    return (tasks[status] = taskId);
  };
  // Two that are done with, one that cannot go on, and a review.
  for (const n of [0, 1, 2, 3]) await ends(n, n % 2 ? 'FAILED' : 'COMPLETED');
  await ends(4, 'BLOCKED', { blockedReason: 'Which of the two keys of the staging bank is it?' });
  tasks.IN_REVIEW = await takes(agents[5], 'in review: show the balance');
  await agents[5].call('submit_for_review', {
    taskId: tasks.IN_REVIEW,
    message: 'Shown in the header.',
    diff: '--- a/page.js\n+++ b/page.js\n@@ -1,2 +1,3 @@\n head\n+balance\n foot\n',
  });
  // A change of many files that was sent back once, with a comment that its agent answered.
  const big = (round) =>
    Array.from({ length: FILES }, (_, n) => {
      const path = `src/ledger/part-${n}.rs`;
      const lines = Array.from({ length: 12 }, (_, i) => ` fn line_${i}() {}`).join('\n');
      const head = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -10,14 +10,14 @@\n`;
      return `${head}${lines}\n-const ROUND: u8 = 0;\n--- an old remark\n+const ROUND: u8 = ${round};\n++++ a new remark\n`;
    }).join('');
  tasks.big = await takes(agents[9], 'in review: forty files of the ledger');
  const says = (percent, message) => agents[9].call('update_progress', { taskId: tasks.big, percent, message });
  await says(40, 'the rounding is found');
  const hands = (round) =>
    agents[9].call('submit_for_review', { taskId: tasks.big, message: `Round ${round} of it.`, diff: big(round) });
  await hands(1);
  const comment = { text: 'Why not 2?\nThe bank rounds to cents.', file: 'src/ledger/part-3.rs', line: 22 };
  await own.api('POST', `/api/v1/reviews/${tasks.big}/comments`, comment);
  await own.api('POST', `/api/v1/reviews/${tasks.big}/request-changes`, { comments: [{ text: 'Round to cents.' }] });
  // The comment comes as a notice, and then the task.
  await agents[9].wait();
  await agents[9].wait();
  await agents[9].call('ack_task', { taskId: tasks.big });
  await hands(2);
  const asks = async (n, question, more) => {
    await takes(agents[n], `work of ${n}`);
    return agents[n].call('request_input', { question, timeout_minutes: 30, wait_seconds: 0, ...more });
  };
  await asks(6, 'Which colour for the button?', { options: ['red', 'blue'], default_action: 'blue' });
  await asks(7, 'Delete the old database?', { options: ['delete', 'keep'], default_action: 'delete', dangerous: true });
  await asks(16, 'Which of the two is deployed?', { options: ['blue', 'green'], default_action: 'blue' });
  await asks(8, 'How is the new table called?', { options: [], default_action: 'ledger_entries' });
  tasks.busy = [];
  for (let n = 0; n < BUSY; n += 1) tasks.busy.push(await takes(agents[10 + n], `at work: part ${n} of the ledger`));
  // One whose client is gone, with something to hear.
  tasks.stranded = await takes(agents[20], 'work of one who is gone');
  const { items } = await own.api('GET', '/api/v1/tokens?limit=500');
  await own.api('DELETE', `/api/v1/tokens/${items.find((token) => token.principal.includes(ids[20])).id}`);
  await own.api('POST', `/api/v1/tasks/${tasks.stranded}/comments`, { text: 'Please look at the rounding, too.' });
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  for (let n = 0; n < DEAD; n += 1) {
    const events = ['task.cancelled'];
    await own.api('POST', '/api/v1/webhooks', { name: `takes-nothing-${n}`, url, events, allowPrivate: true });
  }
  const cancelled = await task('role:ops-engineer', 'never mind');
  await own.api('POST', `/api/v1/tasks/${cancelled}/cancel`, { reason: 'not needed' });
  await until(async () => (await own.api('GET', '/api/v1/outbox?state=dead_letter')).items.length === DEAD, {
    why: 'the deliveries are not dead',
    within: 20000,
  });
  const rest = TASKS - made;
  await each(Array(rest).keys(), (n) =>
    task(n < STRANDED ? 'role:designer' : ids[10 + (n % BUSY)], `queued ${n}: a long word ${'x'.repeat(80)}`),
  );
  // As many agents wait as have nothing to do.
  for (const n of [25, 26, 27]) agents[n].call('wait_for_prompt', { timeout: 600 }).catch(() => {});
  const end = async () => {
    await own.end();
    receiver.closeAllConnections();
    receiver.close();
  };
  return { own, agents, ids, tasks, total: TASKS, end };
}
