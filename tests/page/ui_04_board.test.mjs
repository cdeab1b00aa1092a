// A task moves over the board while an agent works, without a reload, and its timeline has every step.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open, until } from './support.mjs';

let own;
before(async () => { own = await hub(); });
after(async () => { await closeBrowser(); await own.end(); });

test('UI-04 a card goes from queued to completed, each step within 500 ms, and the timeline has the times', async () => {
  const page = await open(own);
  await go(page, '#/tasks');
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await page.evaluate(() => { window.notReloaded = true; });
  const shows = (state) => page.locator(`[data-testid=task-card][data-state=${state}]`).filter({ hasText: 'sweep the stage' });
  const steps = {};
  const step = async (state, does) => {
    const answer = await does();
    steps[state] = await until(() => shows(state).count(), { why: `no card in ${state}` });
    return answer;
  };
  const { taskId } = await step('QUEUED', () => own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:test-engineer', prompt: 'sweep the stage' }));
  const worker = await agent(own, 'sweeper-1', 'test-engineer');
  await step('IN_PROGRESS', async () => { await worker.wait(); await worker.call('ack_task', { taskId }); });
  await step('COMPLETED', () => worker.call('send_response', { taskId, status: 'COMPLETED', message: 'it is clean' }));
  assert.ok(await page.evaluate(() => window.notReloaded));
  assert.deepEqual(Object.entries(steps).filter(([, ms]) => ms > 500), [], JSON.stringify(steps));

  await go(page, `#/tasks/${taskId}`);
  const rows = page.locator('.timeline li');
  const { history } = await own.api('GET', `/api/v1/tasks/${taskId}`);
  await until(async () => (await rows.count()) === history.length, { why: `the timeline has not its ${history.length} steps` });
  assert.equal(await page.locator('.timeline li time[datetime]').count(), history.length);
  await go(page, `#/tasks/${taskId}/result`);
  await page.getByText('it is clean').first().waitFor();
  assert.deepEqual(page.faults, []);
});
