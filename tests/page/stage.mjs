// A hub on which everything happens that the page can show: agents that work, wait and are away, a chain of delegation,
// questions, a review, a terminal, tasks that ended well and badly. What is written here is in the pictures of README.

import { agent, hub } from './support.mjs';

const DIFF = `diff --git a/src/login.rs b/src/login.rs
--- a/src/login.rs
+++ b/src/login.rs
@@ -10,6 +10,9 @@ pub fn log_in(form: &Form) -> Result<Session, Refusal> {
     let user = users::by_name(&form.name)?;
+    if user.locked_until > now() {
+        return Err(Refusal::Locked { until: user.locked_until });
+    }
     if !user.password.matches(&form.password) {
-        return Err(Refusal::Wrong);
+        return Err(user.count_failure());
     }
     Ok(Session::of(user))
`;
const TERMINAL = '$ cargo test --lib login\r\n   Compiling shop v0.4.2\r\n    Finished `test` profile in 4.21s\r\n\x1b[32mrunning 14 tests\x1b[0m\r\n..............\r\ntest result: ok. 14 passed; 0 failed\r\n$ ./deploy --to staging\r\nPushing image shop:0.4.2 … done\r\nMigrate the staging database now? [y/N] ';

/** Starts it. Gives the hub, with the ids that the tests and pictures go to. */
export async function stage(options = {}) {
  const own = await hub(options);
  const team = {};
  for (const [id, role, displayName] of [
    ['architect', 'orchestrator', 'Architect'], ['fullstack-1', 'full-stack-engineer', 'Full Stack 1'],
    ['fullstack-2', 'full-stack-engineer', 'Full Stack 2'], ['tester', 'test-engineer', 'Tester'],
    ['ops', 'ops-engineer', 'Ops'], ['designer', 'designer', 'Designer'],
  ]) team[id] = await agent(own, id, role, { displayName });
  const give = (targetAgentId, prompt, more = {}) => own.api('POST', '/api/v1/tasks', { targetAgentId, prompt, ...more });
  const takes = async (worker) => {
    const offered = await worker.wait();
    if (!offered.taskId) throw new Error(`nothing is offered to ${worker.id}: ${JSON.stringify(offered)}`);
    await worker.call('ack_task', { taskId: offered.taskId });
    return offered.taskId;
  };
  const ends = async (worker, status, message, more = {}) => worker.call('send_response', { taskId: await takes(worker), status, message, ...more });

  await give('tester', 'Run the whole suite on the release branch');
  await ends(team.tester, 'COMPLETED', 'All 412 tests pass; the slowest takes 3.1 s.');
  await give('tester', 'Measure how long a cold start takes');
  await ends(team.tester, 'COMPLETED', 'Median 180 ms over 50 starts.');
  await give('ops', 'Renew the certificate of the staging host');
  await ends(team.ops, 'FAILED', 'The DNS challenge is refused: the zone is locked.');
  await give('tester', 'Check the checkout page with a screen reader', { priority: 'high' });
  await ends(team.tester, 'BLOCKED', 'No screen reader is installed here.', { blockedReason: 'a machine with a screen reader' });

  // A chain: the architect has two parts done by others.
  await give('architect', 'Lock accounts after five wrong passwords\n\nOnly for log-in, not for the API. Say when the lock ends.', { title: 'Lock accounts after five wrong passwords', priority: 'high' });
  const main = await takes(team.architect);
  await team.architect.call('assign_task', { targetAgentId: 'fullstack-1', prompt: 'Count failures and lock in `login.rs`', title: 'Count failures and lock' });
  await team.architect.call('assign_task', { targetAgentId: 'fullstack-2', prompt: 'Show the lock and when it ends on the log-in page', title: 'Show the lock on the log-in page' });
  const locking = await takes(team['fullstack-1']);
  const showing = await takes(team['fullstack-2']);
  await team.architect.call('update_progress', { taskId: main, message: 'Both parts are handed out', percent: 40 });
  await team['fullstack-1'].call('submit_for_review', { task_id: locking, diff: DIFF, message: 'Five failures lock for 15 minutes.' });
  await own.api('POST', `/api/v1/reviews/${locking}/comments`, { text: 'Is this clock the database’s or ours?', file: 'src/login.rs', line: 11 });
  await team['fullstack-2'].call('request_input', { question: 'Which words should the locked page use?', options: ['“Too many attempts”', '“Account locked until …”'], default_action: '“Account locked until …”', allow_free_text: true, timeout_minutes: 25, wait_seconds: 0 });
  await give('ops', 'Move staging to the new database');
  const moving = await takes(team.ops);
  await team.ops.call('request_input', { question: 'Drop the old staging database after the move?', options: ['drop it', 'keep it for a week'], default_action: 'drop it', dangerous: true, timeout_minutes: 55, wait_seconds: 0 });
  const printed = await fetch(`${own.url}/api/v1/sessions/${team.ops.sessionId}/output`, { method: 'POST', body: TERMINAL, headers: { Authorization: `Bearer ${own.operatorToken}`, 'Content-Type': 'application/octet-stream' } });
  if (!printed.ok) throw new Error(await printed.text());

  for (const [target, prompt, priority] of [
    ['role:full-stack-engineer', 'Cache the product list for a minute', 'normal'], ['role:full-stack-engineer', 'Say in the mail which address was changed', 'normal'],
    ['role:test-engineer', 'Try the new checkout with an expired card', 'critical'], ['role:project-manager', 'Count visits without cookies', 'normal'],
  ]) await give(target, prompt, { priority });
  const stopped = await give('role:project-manager', 'Export all orders as one spreadsheet');
  await own.api('POST', `/api/v1/tasks/${stopped.taskId}/cancel`, { reason: 'the shop asks for it no more' });
  // One is away, and one waits for work for as long as somebody looks.
  const { items } = await own.api('GET', '/api/v1/tokens');
  const away = items.find((token) => token.principal === 'agent:designer');
  if (away) await own.api('DELETE', `/api/v1/tokens/${away.id}`);
  return { own, team, main, locking, showing, moving };
}
