// A webhook is added on the page, hears by a real socket, is stopped, enabled and removed.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { closeBrowser, go, hub, open, until } from './support.mjs';

let own;
let receiver;
let status = 204;
const heard = [];
before(async () => {
  own = await hub();
  receiver = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
after(async () => {
  await closeBrowser();
  await own.end();
  receiver.closeAllConnections();
  receiver.close();
});

/** What Standard Webhooks has in the header of this message. */
const signed = (secret, { headers, body }) => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};

test('UI-16 a webhook is added, tried, enabled and removed by who is admin', { timeout: 60000 }, async () => {
  const page = await open(own, { admin: true });
  await go(page, '#/settings');
  await page.getByText('Add a webhook').click();
  const form = page.getByTestId('add-webhook');
  await form.getByLabel('Name').fill('builds');
  await form.getByLabel('URL').fill(`http://127.0.0.1:${receiver.address().port}/`);
  await form.getByLabel('Events').fill('task');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByText('allowPrivate').waitFor();
  assert.equal(await form.getByLabel('Name').inputValue(), 'builds', 'what was typed stays');
  await form.getByLabel('private address').check();
  await form.getByRole('button', { name: 'Add' }).click();
  const secret = await page.getByTestId('webhook-secret').textContent();
  assert.match(secret, /^whsec_/);
  const card = page.locator('[data-testid=webhook][data-name=builds]');
  const mark = card.locator('.mark');
  await card.waitFor();
  assert.equal(await mark.textContent(), 'on');

  await card.getByRole('button', { name: 'Test' }).click();
  await card.getByText('answered 204').waitFor();
  assert.equal(heard[0].headers['webhook-signature'], signed(secret, heard[0]));

  status = 410;
  await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: 'first' });
  await until(async () => (await mark.textContent()) === 'stopped', { why: 'it is not shown as stopped' });
  await card.getByText('answered 410').waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await until(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), { why: 'it is too wide' });
  const before = heard.length;
  status = 204;
  await card.getByRole('button', { name: 'Enable' }).click();
  await card.getByText('It hears every event after').waitFor();
  await until(async () => heard.length > before && (await mark.textContent()) === 'on', {
    why: 'it does not hear again',
  });

  const other = await open(own);
  await go(other, '#/settings');
  await other.locator('[data-testid=webhook]').waitFor();
  assert.equal(await other.locator('[data-testid=webhook] button').count(), 0, 'who is no admin only looks');
  assert.equal(await other.getByTestId('add-webhook').count(), 0);

  await card.getByRole('button', { name: 'Remove …' }).click();
  await card.getByRole('button', { name: 'Keep it' }).click();
  await card.getByRole('button', { name: 'Remove …' }).click();
  await card.getByRole('button', { name: 'Remove it' }).click();
  await card.waitFor({ state: 'detached' });
  assert.deepEqual((await own.api('GET', '/api/v1/webhooks')).items, []);
  assert.deepEqual([...page.faults, ...other.faults], []);
});
