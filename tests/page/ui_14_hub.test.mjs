// What the hub tells of itself: counts of every state, the last hour, who delegated to whom, the audit, the configuration,
// and how clients are connected. Each is held to what the API says.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { closeBrowser, go, open, until } from './support.mjs';
import { stage } from './stage.mjs';

let there;
before(async () => { there = await stage(); });
after(async () => { await closeBrowser(); await there.own.end(); });

test('UI-14 the overview has the counts, the last hour and the warnings that the hub gives', async () => {
  const page = await open(there.own);
  const overview = await there.own.api('GET', '/api/v1/overview');
  for (const [state, count] of Object.entries(overview.tasks)) {
    assert.equal(await page.getByTestId(`count-${state}`).locator('.number').textContent(), String(count), state);
  }
  assert.ok(overview.tasks.COMPLETED >= 2 && overview.tasks.FAILED >= 1, JSON.stringify(overview.tasks));
  assert.equal(await page.getByTestId('agent-count').textContent(), String(overview.agents.total));
  const words = await page.getByTestId('last-hour').getByRole('img').getAttribute('aria-label');
  const sum = (list) => list.reduce((all, n) => all + n, 0);
  assert.equal(words, `${sum(overview.history.done)} completed and ${sum(overview.history.failed)} failed in the last hour`);
  const bars = (list) => list.filter((n) => n > 0).length;
  assert.equal(await page.locator('[data-testid=last-hour] rect.done').count(), bars(overview.history.done));
  assert.equal(await page.locator('[data-testid=last-hour] rect.failed').count(), bars(overview.history.failed));
  assert.deepEqual(await page.getByTestId('warning').evaluateAll((all) => all.map((one) => one.dataset.code)), overview.warnings.map((one) => one.code));
  assert.deepEqual(page.faults, []);
});

test('UI-14 a task shows who delegated what to whom, and follows it', async () => {
  const page = await open(there.own);
  const tree = await there.own.api('GET', `/api/v1/tasks/${there.locking}/tree`);
  assert.equal(tree.items.length, 3);
  await go(page, `#/tasks/${there.locking}`);
  const shown = page.getByTestId('delegation');
  await shown.waitFor();
  assert.equal(await shown.locator('li').count(), 3);
  assert.match(await shown.locator('[aria-current]').textContent(), /Count failures and lock/);
  assert.equal(await shown.locator('.badge[data-state=IN_REVIEW]').count(), 1);
  await shown.getByRole('link', { name: 'Lock accounts after five wrong passwords' }).click();
  await page.waitForFunction((id) => location.hash === `#/tasks/${id}`, there.main);
  await shown.locator('[aria-current]').getByText('Lock accounts').waitFor();
  await there.own.api('POST', `/api/v1/reviews/${there.locking}/request-changes`, { comments: [{ text: 'Say when it ends.' }] });
  await until(async () => (await shown.locator('.badge[data-state=IN_REVIEW]').count()) === 0, { why: 'the tree stays as it was' });
  assert.deepEqual(page.faults, []);
});

test('UI-14 the audit is for admins, and is searched by action', async () => {
  const page = await open(there.own, { admin: true });
  await go(page, '#/audit');
  // As many as the page asks for, by a token that may read it; whatever happens meanwhile is waited for.
  const written = async () => (await there.own.api('GET', '/admin/audit?limit=100')).items;
  const shown = () => page.getByTestId('audit-row').evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll('.number-cell, code, .badge')].map((cell) => cell.textContent).join(' ')));
  await page.getByTestId('audit-row').first().waitFor();
  assert.ok((await written()).length > 10);
  await until(async () => {
    const lines = (await written()).map((row) => `${row.seq} ${row.action} ${row.decision}`);
    return isDeepStrictEqual(await shown(), lines);
  }, { why: 'the page has other lines than the hub' });
  await page.getByLabel('Action').fill('token');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash === '#/audit?action=token');
  await until(async () => {
    const actions = await page.locator('[data-testid=audit-row] code').allTextContents();
    return actions.length > 0 && actions.every((action) => action.startsWith('token'));
  }, { why: 'other actions are shown, too' });
  const other = await open(there.own);
  assert.equal(await other.locator('nav.side').getByText('Audit').count(), 0);
  await go(other, '#/audit');
  await other.getByText('The audit is for admins.').waitFor();
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('UI-14 settings name each client with its command, and each setting with where it comes from', async () => {
  const page = await open(there.own, { admin: true });
  await go(page, '#/settings');
  await page.getByTestId('setting').first().waitFor();
  const connect = await there.own.api('GET', '/api/v1/connect');
  assert.deepEqual(await page.locator('[data-testid=connect] code').allTextContents(), connect.items.map((one) => one.command));
  const all = await page.getByTestId('setting').count();
  assert.ok(all > 20, `${all} settings`);
  await page.getByLabel('Search').fill('limits');
  const some = await page.locator('[data-testid=setting] td:first-child').allTextContents();
  assert.ok(some.length > 0 && some.length < all && some.every((key) => key.includes('limits')), some.join());
  assert.deepEqual(page.faults, []);
});
