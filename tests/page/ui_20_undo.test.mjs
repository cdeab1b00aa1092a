// What cannot be taken back once it is sent waits for five seconds, and can be taken back until then.

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

let asked = 0;
/** A question that waits, and its item on the page. */
async function question(page, words) {
  const worker = await agent(own, `holds-${(asked += 1)}`, 'full-stack-engineer');
  const { question_id: id } = await worker.call('request_input', {
    question: words,
    options: ['red', 'blue'],
    default_action: 'blue',
    timeout_minutes: 5,
    wait_seconds: 0,
  });
  const item = page.getByTestId('inbox-item').filter({ hasText: words });
  return { id, item, state: async () => (await own.api('GET', `/api/v1/questions/${id}`)).resolution?.value };
}

const HELD = [
  { name: 'light, 1280', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'dark, 360', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
];
for (const { name, ...look } of HELD)
  test(`UI-20 an answer waits, is taken back, and is sent at the end (${name})`, async () => {
    const page = await open(own, { holds: true, ...look });
    const { item, state } = await question(page, `Which colour? ${name}`);
    const held = page.getByTestId('held');
    await item.getByRole('button', { name: 'red' }).click();
    assert.match(await held.textContent(), /Answered: red.*in [45] s.*Undo/s);
    assert.equal(await state(), undefined);
    if (process.env.CALLBOARD_PICTURES)
      await page.screenshot({ path: `${process.env.CALLBOARD_PICTURES}/undo-${look.viewport.width}.png` });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `sticks out by ${wide}`);
    await held.getByRole('button', { name: 'Undo' }).click();
    await held.waitFor({ state: 'detached' });
    assert.equal(await state(), undefined);
    await item.getByRole('button', { name: 'blue' }).click();
    await until(async () => (await state()) === 'blue', { why: 'it was not sent' });
    await item.waitFor({ state: 'detached' });
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

test('UI-20 what waits is sent when its tab is closed', async () => {
  const page = await open(own, { holds: true });
  const { item, state } = await question(page, 'Close it?');
  await item.getByRole('button', { name: 'red' }).click();
  await page.getByTestId('held').waitFor();
  // The context stays: it is a tab that goes, and not the browser.
  await page.context().newPage();
  const began = Date.now();
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
  // A tab that took so long to close may have sent it at the end of its wait.
  if (Date.now() - began > 4000) console.log(`UI-20: the tab took ${Date.now() - began} ms to close`);
  await until(async () => (await state()) === 'red', { why: 'what was said is lost' });
});

test('UI-20 who was slower reads who won, and the other answer stands', async () => {
  const page = await open(own, { holds: true });
  const { id, item, state } = await question(page, 'Who wins?');
  await item.getByRole('button', { name: 'red' }).click();
  await page.getByTestId('held').waitFor();
  await own.api('POST', `/api/v1/questions/${id}/answer`, { value: 'blue' });
  assert.match(await item.getByTestId('late').textContent(), /Already answered by .+: blue/);
  assert.match(await page.getByTestId('notices').textContent(), /Not done: Answered: red/);
  assert.equal(await state(), 'blue');
});

test('UI-20 a queued task is cancelled by one press, and not at all when that is taken back elsewhere', async () => {
  const page = await open(own, { holds: true });
  const worker = await agent(own, 'away-1', 'full-stack-engineer');
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'stay' });
  const state = async () => (await own.api('GET', `/api/v1/tasks/${taskId}`)).state;
  const cancel = async () => {
    await go(page, `#/tasks/${taskId}`);
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByTestId('held').waitFor();
  };
  await cancel();
  // It can be taken back from every page.
  await go(page, '#/agents');
  await page.getByTestId('held').getByRole('button', { name: 'Undo' }).click();
  assert.equal(await state(), 'QUEUED');
  await go(page, '#/');
  await page.getByTestId('inbox-count').waitFor();
  await cancel();
  await until(async () => (await state()) === 'CANCELLED', { why: 'it was not cancelled' });
});
