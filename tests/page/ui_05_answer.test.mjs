// A question is answered by a click, once, and every tab shows who did.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open, until } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

/** A span as the page writes it, in seconds. */
function seconds(words) {
  const unit = { s: 1, min: 60, h: 3600 };
  return [...words.matchAll(/(\d+) (s|min|h)\b/g)].reduce((sum, [, n, of]) => sum + n * unit[of], 0);
}

test('UI-05 the countdown is right, a click answers the agent at once, and the second tab resolves', async () => {
  const worker = await agent(own, 'asker-1', 'full-stack-engineer');
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'paint it' });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  const asked = await worker.call('request_input', {
    question: 'Which colour?',
    options: ['red', 'blue'],
    default_action: 'blue',
    timeout_minutes: 5,
    wait_seconds: 0,
  });
  const id = asked.question_id ?? asked.questionId;
  const waiting = worker.call('wait_for_answer', { question_id: id, timeout: 30 });

  const first = await open(own);
  const second = await open(own);
  const { expiresAt } = await own.api('GET', `/api/v1/questions/${id}`);
  const item = (page) => page.getByTestId('inbox-item');
  const shown = seconds(await item(first).getByTestId('countdown').textContent());
  const left = (Date.parse(expiresAt) - Date.now()) / 1000;
  assert.ok(Math.abs(shown - left) <= 1.5, `shows ${shown} s, and ${left} s are left`);
  assert.match(await item(first).textContent(), /Use default/);

  await item(first).getByRole('button', { name: 'red' }).click();
  const clicked = Date.now();
  const heard = await waiting;
  // By the answer, and not at the end of its wait of 30 s: how soon is measured in the bench.
  assert.ok(Date.now() - clicked <= 5000, `the agent heard after ${Date.now() - clicked} ms`);
  assert.equal(heard.resolution.value, 'red');
  assert.equal(heard.resolution.type, 'human');
  assert.equal(heard.resolution.surface, 'page');

  for (const page of [first, second]) {
    await until(async () => (await item(page).count()) === 0, { why: 'the question stayed' });
    await go(page, `#/sessions/${worker.sessionId}`);
    const words = await page.getByTestId('resolution').textContent();
    assert.match(words, /human: red by .*\(page\)/);
    assert.deepEqual(page.faults, []);
  }
});

test('UI-05 who answers second is told who answered what', async () => {
  const worker = await agent(own, 'asker-2', 'full-stack-engineer');
  const asked = await worker.call('request_input', {
    question: 'Which size?',
    options: ['small', 'large'],
    default_action: 'small',
    timeout_minutes: 5,
    wait_seconds: 0,
  });
  const id = asked.question_id ?? asked.questionId;
  const page = await open(own);
  // Its view of the hub is held back, as by a slow line, so that it still shows the question.
  await page.route(
    '**/api/v1/inbox?**',
    (route) => new Promise((resolve) => setTimeout(() => resolve(route.continue()), 4000)),
  );
  const item = page.getByTestId('inbox-item').filter({ hasText: 'Which size?' });
  await item.getByRole('button', { name: 'small' }).waitFor();
  await own.api('POST', `/api/v1/questions/${id}/answer`, { value: 'large' });
  await item.getByRole('button', { name: 'small' }).click();
  const late = await item.getByTestId('late').textContent();
  assert.match(late, /Already answered by .+: large/);
  const { lateAnswers, resolution } = await own.api('GET', `/api/v1/questions/${id}`);
  assert.equal(resolution.value, 'large');
  assert.equal(lateAnswers.length, 1);
});

/** Asks leave for a call, and does not wait for the answer. */
async function asksLeave(id, call) {
  const worker = await agent(own, id, 'full-stack-engineer');
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: id, prompt: `work of ${id}` });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  const answer = worker.call('ask_permission', call);
  answer.catch(() => {});
  return { answer, taskId, sessionId: worker.sessionId };
}

test('UI-05 nobody allows a call that they have not seen: folder, reason, and a change as a diff', async () => {
  const { answer, taskId, sessionId } = await asksLeave('editor-1', {
    tool: 'Edit',
    cwd: '/work/shop',
    reason: 'the rounding is wrong',
    input: {
      file_path: '/work/shop/ledger.rs',
      old_string: 'let a = 1;\nround(a);\nend();',
      new_string: 'let a = 1;\n<b onclick="alert(1)">bold</b>\u202e\nend();',
    },
  });
  const page = await open(own);
  const item = page.getByTestId('inbox-item').filter({ hasText: 'May it use Edit?' });
  const shows = async (where) => {
    const call = where.getByTestId('call');
    await call.waitFor();
    const words = await call.textContent();
    assert.match(words, /"file_path": "\/work\/shop\/ledger.rs"/);
    const mark = 'let a = 1;\n-round(a);\n+<b onclick="alert(1)">bold</b>';
    assert.ok(words.includes(`@@ -1,3 +1,3 @@\n ${mark}`), words);
    assert.ok(!words.includes('\u202e'), 'a sign that turns text round is not obeyed');
    assert.equal(await call.locator('b').count(), 0);
    assert.equal((await call.locator('.removed').allTextContents()).at(-1), '-round(a);\n');
    const facts = await where.getByTestId('leave').textContent();
    assert.match(facts, /Edit.*\/work\/shop.*the rounding is wrong/s);
  };
  await shows(item);
  await go(page, `#/tasks/${taskId}`);
  await shows(page.locator('main'));
  await go(page, `#/sessions/${sessionId}`);
  await shows(page.locator('main'));
  await page.getByRole('button', { name: 'allow once' }).click();
  assert.equal((await answer).behavior, 'allow');
  assert.deepEqual(page.faults, []);
});

test('UI-05 a long call scrolls in its frame and says what is not shown, and what may destroy asks twice', async () => {
  const command = `rm -rf build\n${'echo a line that is long enough to be cut somewhere\n'.repeat(400)}`;
  const { answer } = await asksLeave('shell-1', { tool: 'Bash', input: { command } });
  const page = await open(own);
  // Before the question itself is there nobody can allow anything.
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/api/v1/questions?**', (route) => held.then(() => route.continue()));
  await page.reload();
  const item = page.getByTestId('inbox-item').filter({ hasText: 'May it use Bash?' });
  const allow = item.getByRole('button', { name: 'allow once' });
  await allow.waitFor();
  assert.ok(await allow.isDisabled());
  assert.ok(await item.getByRole('button', { name: 'deny' }).isEnabled());
  release();
  await item
    .getByTestId('risk')
    .getByText(/rm -rf/)
    .waitFor();
  assert.match(await item.getByTestId('unseen').textContent(), /\d{4,} bytes are not shown/);
  const box = await item.getByTestId('call').evaluate((one) => [one.scrollHeight > one.clientHeight, one.clientHeight]);
  assert.ok(box[0] && box[1] < 600, String(box));
  await allow.click();
  await item.getByText('press again').waitFor();
  await item.getByRole('button', { name: 'deny' }).click();
  assert.equal((await answer).behavior, 'deny');
  assert.deepEqual(page.faults, []);
});
