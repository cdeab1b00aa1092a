// The overview counts what there is, puts the question that ends first before the others, and links each count.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, hub, open } from './support.mjs';

let own;
before(async () => { own = await hub(); });
after(async () => { await closeBrowser(); await own.end(); });

/** Takes the task that waits for this agent, and asks. */
async function asks(worker, question, minutes) {
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: `work of ${worker.id}` });
  const offered = await worker.wait();
  assert.equal(offered.taskId, taskId, JSON.stringify(offered));
  await worker.call('ack_task', { taskId });
  await worker.call('request_input', { question, options: ['keep', 'skip'], default_action: 'skip', timeout_minutes: minutes, wait_seconds: 0 });
}

test('UI-03 the overview shows exact counts, questions by deadline, and links to the filtered lists', async () => {
  const late = await agent(own, 'late-1', 'full-stack-engineer');
  const soon = await agent(own, 'soon-1', 'full-stack-engineer');
  await agent(own, 'idle-1', 'test-engineer');
  await asks(late, 'Which name for the table?', 40);
  await asks(soon, 'Which colour for the button?', 10);
  for (const prompt of ['first', 'second', 'third']) await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt });
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: 'never mind' });
  await own.api('POST', `/api/v1/tasks/${taskId}/cancel`, {});

  const page = await open(own);
  assert.equal(await page.getByTestId('agent-count').textContent(), '3');
  assert.equal(await page.getByTestId('inbox-count').textContent(), '2');
  const tasks = (await own.api('GET', '/api/v1/tasks?limit=100')).items;
  for (const state of ['QUEUED', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'FAILED', 'DEAD_LETTER']) {
    const there = tasks.filter((task) => task.state === state).length;
    assert.equal(await page.getByTestId(`count-${state}`).locator('.number').textContent(), String(there), state);
  }
  assert.equal(tasks.filter((task) => task.state === 'QUEUED').length, 3);

  const titles = await page.locator('[data-testid=inbox-item] h3').allTextContents();
  assert.deepEqual(titles, ['Which colour for the button?', 'Which name for the table?']);

  await page.getByTestId('count-QUEUED').click();
  await page.waitForFunction(() => location.hash === '#/tasks?state=QUEUED');
  await page.getByTestId('task-card').first().waitFor();
  assert.equal(await page.getByTestId('task-card').count(), 3);
  assert.deepEqual(page.faults, []);
});
