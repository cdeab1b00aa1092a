// Who is not logged in sees the log-in and nothing of the hub's; a log-in that ends leads back to it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, closeBrowser, hub, open } from './support.mjs';

const SECRET = 'words that only the logged-in may read';
let own;
before(async () => {
  own = await hub();
  await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: SECRET });
});
after(async () => {
  await closeBrowser();
  await own.end();
});

/** A page in a context of its own that notes each answer of the API. */
async function watched(token) {
  const page = await (await (await browser()).newContext()).newPage();
  page.answers = [];
  page.on('response', async (response) => {
    const path = new URL(response.url()).pathname;
    if (/^\/(api|admin)\//.test(path))
      page.answers.push({ path, status: response.status(), body: await response.text().catch(() => '') });
  });
  if (token) await page.addInitScript((kept) => sessionStorage.setItem('callboard.token', kept), token);
  await page.goto(own.url);
  return page;
}

test('UI-02 without a log-in there is the log-in, and nothing is asked', async () => {
  const page = await watched();
  await page.getByLabel('Address or code').waitFor();
  await page.waitForTimeout(300);
  assert.deepEqual(page.answers, []);
  assert.ok(!(await page.content()).includes(SECRET));
});

test('UI-02 a token that is good no more leads to the log-in, which says why, and no answer holds anything', async () => {
  const first = await open(own);
  const token = await first.evaluate(() => sessionStorage.getItem('callboard.token'));
  await first.getByRole('button', { name: 'Log out' }).click();
  await first.getByText('You are logged out.').waitFor();

  for (const bad of [token, `${token}x`, 'cb_s_nothing']) {
    const page = await watched(bad);
    await page.getByText('This log-in has ended').waitFor();
    await page.getByLabel('Address or code').waitFor();
    assert.ok(page.answers.length > 0);
    for (const { path, status, body } of page.answers) {
      assert.equal(status, 401, path);
      assert.ok(!body.includes(SECRET), path);
    }
    assert.equal(await page.evaluate(() => sessionStorage.getItem('callboard.token')), null);
    assert.ok(!(await page.content()).includes(SECRET));
    await page.context().close();
  }
});

test('UI-02 a token that is revoked while the page is open ends it, and nothing stays on it', async () => {
  const page = await open(own);
  await page.evaluate(() => {
    location.hash = '#/tasks';
  });
  await page.getByText(SECRET).first().waitFor();
  const { items } = await own.api('GET', '/api/v1/tokens');
  const sessions = items.filter((token) => token.session || token.openedBy || token.kind === 'session');
  assert.ok(sessions.length > 0, JSON.stringify(items[0]));
  for (const session of sessions) await own.api('DELETE', `/api/v1/tokens/${session.id}`);
  await page.getByText('This log-in has ended').waitFor();
  assert.ok(!(await page.content()).includes(SECRET));
  assert.deepEqual(page.faults, []);
});
