// Connections that are dead without a sign, many tabs, and tabs that share a log-in.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { closeBrowser, go, hub, open, until } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

const add = (prompt) => own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt });

test('UI-18 a stream that is silent for 25 seconds is followed anew, and says so', { timeout: 120000 }, async () => {
  // A line between the browser and the hub that swallows what it carries, as one whose Wi-Fi changed.
  const pairs = [];
  let dead = false;
  const line = createServer((near) => {
    const far = connect(Number(new URL(own.url).port), '127.0.0.1');
    const pair = { near, far, dead: false };
    pairs.push(pair);
    near.on('data', (bytes) => pair.dead || dead || far.write(bytes));
    far.on('data', (bytes) => pair.dead || dead || near.write(bytes));
    for (const end of [near, far]) {
      end.on('error', () => {});
      end.on('close', () => (near.destroy(), far.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = `http://127.0.0.1:${line.address().port}`;
  const page = await open({ openUrl: async () => (await own.openUrl()).replace(own.url, url) });
  await go(page, '#/tasks');
  await add('before it died');
  await page.getByText('before it died').first().waitFor();
  for (const pair of pairs) pair.dead = true;
  dead = true;
  await add('while it was dead');
  await page.getByTestId('stale').waitFor({ timeout: 60000 });
  assert.match(await page.getByTestId('link').textContent(), /stale since \d/);
  assert.equal(await page.getByText('while it was dead').count(), 0);
  dead = false;
  await page.getByText('while it was dead').first().waitFor({ timeout: 60000 });
  await page.locator('.link.live').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
  line.close();
});

test(
  'UI-18 eight tabs of one browser all show what happens, and each new one is logged in',
  { timeout: 120000 },
  async () => {
    const first = await open(own);
    const pages = [first];
    for (let n = 1; n < 8; n += 1) {
      const page = await first.context().newPage();
      await page.goto(`${own.url}/#/tasks`);
      await page.locator('.link.live').waitFor();
      pages.push(page);
    }
    await go(first, '#/tasks');
    await add('seen by all');
    for (const page of pages) await page.getByText('seen by all').first().waitFor({ timeout: 15000 });
    for (const page of pages) {
      const kept = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie);
      assert.ok(!kept.includes('cb_'), 'a token lies where it stays');
    }
    await first.getByRole('button', { name: 'Log out' }).click();
    for (const page of pages) await page.getByText('callboard open').first().waitFor({ timeout: 20000 });
    await first.context().close();
  },
);

test('UI-18 a hidden tab gives its stream to one that is shown', { timeout: 60000 }, async () => {
  const first = await open(own);
  const context = first.context();
  const hide = (page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
  await hide(first);
  for (let n = 1; n < 4; n += 1) {
    const page = await context.newPage();
    await page.goto(`${own.url}/`);
    await page.locator('.link.live').waitFor();
    await hide(page);
  }
  const shown = await context.newPage();
  const open5 = new Map();
  shown.on('request', (request) => request.url().includes('/events?') && open5.set(request, Date.now()));
  for (const end of ['requestfinished', 'requestfailed']) shown.on(end, (request) => open5.delete(request));
  await shown.goto(`${own.url}/`);
  await shown.locator('.link.live').waitFor();
  // What asks now and then ends at once; a stream stays.
  await until(() => [...open5.values()].some((from) => Date.now() - from > 4000), {
    within: 20000,
    why: 'the shown tab got no stream',
  });
  await context.close();
});

test('UI-18 a link that is opened in a tab that shows the log-in logs in, and leaves no code in the address', async () => {
  const page = await open(own);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out.').waitFor();
  const link = await own.openUrl();
  await page.evaluate((to) => location.assign(to), link);
  await page.locator('.link.live').waitFor();
  assert.ok(!page.url().includes('code'), page.url());
  await page.evaluate((to) => location.assign(to), link);
  await page.getByTestId('notices').getByText('logged in as before').waitFor();
  assert.ok(!page.url().includes('code'), page.url());
  await page.locator('.link.live').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-18 single letters are keys until they are switched off', async () => {
  const page = await open(own);
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.waitForFunction(() => location.hash === '#/tasks');
  await page.getByRole('button', { name: 'Keys' }).click();
  await page.getByLabel('Single letters are keys').uncheck();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => location.hash), '#/tasks');
  await page.reload();
  await page.locator('.link.live').waitFor();
  await page.keyboard.press('?');
  await page.waitForTimeout(300);
  assert.equal(await page.locator('dialog').count(), 0);
  await until(() => page.evaluate(() => localStorage.getItem('callboard.keys') === 'off'));
  assert.deepEqual(page.faults, []);
});
