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

test('UI-05 the countdown is right, a click answers the agent within a second, and the second tab resolves', async () => {
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
  assert.ok(Date.now() - clicked <= 1000, `the agent heard after ${Date.now() - clicked} ms`);
  assert.equal(heard.resolution.value, 'red');
  assert.equal(heard.resolution.type, 'human');
  assert.equal(heard.resolution.surface, 'page');

  for (const page of [first, second]) {
    await until(async () => (await item(page).count()) === 0, { within: 3000, why: 'the question stayed' });
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
