// What the hub tells of itself: counts of every state, the last hour, who delegated to whom, the audit, the configuration,
// and how clients are connected. Each is held to what the API says.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { closeBrowser, go, open, until } from './support.mjs';
import { stage } from './stage.mjs';

const GOOD = 'limits:\n  queuePerAgent: 900\n';
let there;
let config;
before(async () => {
  config = await mkdtemp(join(tmpdir(), 'callboard-page-config-'));
  await writeFile(join(config, 'hub.yaml'), GOOD);
  there = await stage({ env: { CALLBOARD_CONFIG: config } });
});
after(async () => {
  await closeBrowser();
  await there.own.end();
  await rm(config, { recursive: true, force: true });
});

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
  assert.equal(
    words,
    `${sum(overview.history.done)} completed and ${sum(overview.history.failed)} failed in the last hour`,
  );
  const bars = (list) => list.filter((n) => n > 0).length;
  assert.equal(await page.locator('[data-testid=last-hour] rect.done').count(), bars(overview.history.done));
  assert.equal(await page.locator('[data-testid=last-hour] rect.failed').count(), bars(overview.history.failed));
  assert.deepEqual(page.faults, []);
});

test('UI-14 the overview warns as the hub does, and stops when it is mended, without an event', async () => {
  const page = await open(there.own);
  assert.equal(await page.getByTestId('warning').count(), 0);
  await writeFile(join(config, 'hub.yaml'), 'limits: [');
  const warning = page.getByTestId('warning');
  await warning.waitFor({ timeout: 20000 });
  const [told, ...more] = (await there.own.api('GET', '/api/v1/overview')).warnings;
  assert.deepEqual(more, []);
  assert.equal(told.code, 'CONFIG_BROKEN');
  assert.equal(await warning.getAttribute('data-code'), told.code);
  const plain = (words) => words.replaceAll('`', '').trim();
  assert.deepEqual(
    (await warning.locator('p').allTextContents()).map((words) => words.trim()),
    [plain(told.message), plain(told.advice)],
  );
  await writeFile(join(config, 'hub.yaml'), GOOD);
  await warning.waitFor({ state: 'detached', timeout: 20000 });
  assert.deepEqual(page.faults, []);
});

test('UI-14 a task shows who delegated what to whom, and follows it', async () => {
  const page = await open(there.own);
  const tree = await there.own.api('GET', `/api/v1/tasks/${there.locking}/tree`);
  assert.equal(tree.items.length, 4);
  await go(page, `#/tasks/${there.locking}`);
  const shown = page.getByTestId('delegation');
  await shown.waitFor();
  assert.equal(await shown.locator('li').count(), 4);
  assert.match(await shown.locator('[aria-current]').textContent(), /Count failures and lock/);
  assert.equal(await shown.locator('.badge[data-state=IN_REVIEW]').count(), 1);
  await shown.getByRole('link', { name: 'Lock accounts after five wrong passwords' }).click();
  await page.waitForFunction((id) => location.hash === `#/tasks/${id}`, there.main);
  await shown.locator('[aria-current]').getByText('Lock accounts').waitFor();
  await there.own.api('POST', `/api/v1/reviews/${there.locking}/request-changes`, {
    comments: [{ text: 'Say when it ends.' }],
  });
  await until(async () => (await shown.locator('.badge[data-state=IN_REVIEW]').count()) === 0, {
    why: 'the tree stays as it was',
  });
  assert.deepEqual(page.faults, []);
});

test('UI-14 the audit is for admins, and is searched by action', async () => {
  const page = await open(there.own, { admin: true });
  await go(page, '#/audit');
  // As many as the page asks for, by a token that may read it; whatever happens meanwhile is waited for.
  const written = async () => (await there.own.api('GET', '/admin/audit?limit=100')).items;
  const shown = () =>
    page
      .getByTestId('audit-row')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll('.number-cell, code, .badge')].map((cell) => cell.textContent).join(' '),
        ),
      );
  await page.getByTestId('audit-row').first().waitFor();
  assert.ok((await written()).length > 10);
  await until(
    async () => {
      const lines = (await written()).map((row) => `${row.seq} ${row.action} ${row.decision}`);
      return isDeepStrictEqual(await shown(), lines);
    },
    { why: 'the page has other lines than the hub' },
  );
  await page.getByLabel('Action').fill('login');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash === '#/audit?action=login');
  await until(
    async () => {
      const actions = await page.locator('[data-testid=audit-row] code').allTextContents();
      return actions.length > 0 && actions.every((action) => action.startsWith('login'));
    },
    { why: 'other actions are shown, too' },
  );
  const other = await open(there.own);
  assert.equal(await other.locator('nav.side').getByText('Audit').count(), 0);
  await go(other, '#/audit');
  await other.getByText('The audit is for admins.').waitFor();
  assert.deepEqual([...page.faults, ...other.faults], []);
});

test('UI-14 settings name each client with its command, and each setting with where it comes from', async () => {
  const page = await open(there.own, { admin: true });
  await go(page, '#/settings');
  // At first those that somebody set: here in a file, and by flags.
  await page.getByTestId('setting').first().waitFor();
  const set = (await there.own.api('GET', '/admin/settings')).items.filter((row) => row.origin !== 'defaults');
  const shown = await page
    .getByTestId('setting')
    .evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[2].textContent]));
  assert.deepEqual(
    shown,
    set.map((row) => [row.key, row.origin]),
  );
  assert.ok(
    set.some((row) => row.key === 'limits.queuePerAgent' && row.origin.includes('hub.yaml')),
    JSON.stringify(set),
  );
  await page.getByRole('button', { name: /^All \d+$/ }).click();
  const connect = await there.own.api('GET', '/api/v1/connect');
  assert.deepEqual(
    await page.locator('[data-testid=connect] code').allTextContents(),
    connect.items.map((one) => one.command),
  );
  const all = await page.getByTestId('setting').count();
  assert.ok(all > 20, `${all} settings`);
  await page.getByLabel('Search').fill('limits');
  const some = await page.locator('[data-testid=setting] td:first-child').allTextContents();
  assert.ok(some.length > 0 && some.length < all && some.every((key) => key.includes('limits')), some.join());
  assert.deepEqual(page.faults, []);
});
