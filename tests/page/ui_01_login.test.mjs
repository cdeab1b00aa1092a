// A link logs in once: nothing of it stays in the address, and nobody else can use it again.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, closeBrowser, hub } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

test('UI-01 a link logs in within a second, leaves no code in the address, and is good once', async () => {
  // Up to three times, each by a link of its own: a machine that is busy for a moment is excused.
  let took = Infinity;
  let floor = 0;
  let link = '';
  let page;
  for (let n = 0; n < 3 && took > 1000 + floor; n += 1) {
    link = await own.openUrl();
    // A page that loads no more than the same files, so that the machine's own slowness is not held against this one.
    const bare = await (await (await browser()).newContext()).newPage();
    const from = Date.now();
    await bare.goto(own.url);
    await bare.getByText('callboard open').first().waitFor();
    floor = Date.now() - from;
    page = await (await (await browser()).newContext()).newPage();
    const began = Date.now();
    await page.goto(link);
    await page.locator('.link.live').waitFor();
    took = Date.now() - began;
  }
  const code = link.split('#code=')[1];
  assert.ok(code.length > 20, link);
  assert.ok(took <= 1000 + floor, `live after ${took} ms, where the log-in alone takes ${floor} ms`);
  const left = await page.evaluate(() => ({
    href: location.href,
    title: document.title,
    cookie: document.cookie,
    length: history.length,
    local: JSON.stringify(localStorage),
    kept: JSON.stringify(sessionStorage),
    text: document.body.textContent,
  }));
  for (const [where, what] of Object.entries(left))
    assert.ok(!String(what).includes(code), `the code stays in ${where}`);
  assert.equal(left.cookie, '');
  await page.goBack().catch(() => {});
  assert.ok(!page.url().includes(code), 'going back leads to the code');

  const other = await (await browser()).newContext();
  const late = await other.newPage();
  await late.goto(link);
  await late.getByText('this code opens nothing').waitFor();
  await late.getByLabel('Address or code').waitFor();
  assert.ok(!late.url().includes(code));
  assert.equal(await late.evaluate(() => sessionStorage.length), 0);
});

test('UI-01 a code that was never made is refused, and a link can be pasted by hand', async () => {
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  await page.goto(`${own.url}/#code=never-made`);
  await page.getByText('this code opens nothing').waitFor();
  await page.getByLabel('Address or code').fill('another that was never made');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('this code opens nothing').waitFor();
  await page.getByLabel('Address or code').fill(await own.openUrl());
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.link.live').waitFor();
});
