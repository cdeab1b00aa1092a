// At the deadline a harmless default applies and says so; a dangerous one never does.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

async function works(id) {
  const worker = await agent(own, id, 'full-stack-engineer');
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: id, prompt: `work of ${id}` });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  return { ...worker, taskId };
}

test('UI-06 a harmless default applies at the deadline, and the page says that nobody answered', async () => {
  const worker = await works('safe-1');
  const page = await open(own);
  await go(page, `#/sessions/${worker.sessionId}`);
  await worker.call('request_input', {
    question: 'Wait for the others?',
    options: ['wait', 'go'],
    default_action: 'wait',
    timeout_minutes: 0.05,
    wait_seconds: 0,
  });
  await page.getByTestId('question').and(page.locator('[data-state=open]')).waitFor();
  assert.match(await page.getByTestId('resolution').textContent(), /timeout: wait/);
  await page.locator('[data-testid=badges] [data-state=working]').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-06 a dangerous default never applies: the task is blocked, and the page says why', async () => {
  const worker = await works('harm-1');
  const page = await open(own);
  await go(page, `#/tasks/${worker.taskId}`);
  const { question_id: id } = await worker.call('request_input', {
    question: 'Delete the production database?',
    options: ['delete', 'ask again'],
    default_action: 'delete',
    dangerous: true,
    timeout_minutes: 0.05,
    wait_seconds: 0,
  });
  await page.getByText('Nothing happens until somebody answers').waitFor();
  assert.equal(await page.getByText('Use default').count(), 0);
  await page.locator('main .badge[data-state=BLOCKED]').first().waitFor();
  const question = await own.api('GET', `/api/v1/questions/${id}`);
  assert.equal(question.state, 'open');
  assert.equal(question.resolution ?? null, null);
  assert.deepEqual(page.faults, []);
});
