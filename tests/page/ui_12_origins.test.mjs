// Another page on the same machine can neither read nor change the hub, and the first load is small.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { agent, browser, closeBrowser, hub } from './support.mjs';

let own;
let foreign;
before(async () => {
  own = await hub();
  await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: 'the only task' });
  foreign = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>foreign</title><p>foreign'),
  );
  await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await closeBrowser();
  foreign.close();
  await own.end();
});

test('UI-12 a page of another origin reads nothing, changes nothing and frames nothing', async () => {
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const answers = [];
  page.on('response', (response) => {
    if (response.url().startsWith(own.url))
      answers.push({ url: response.url(), status: response.status(), cookie: response.headers()['set-cookie'] });
  });
  await page.goto(`http://127.0.0.1:${foreign.address().port}/`);
  const tried = await page.evaluate(
    async ({ url, token }) => {
      const outcome = {};
      const task = JSON.stringify({ targetAgentId: 'role:ops-engineer', prompt: 'by a foreign page' });
      const attempt = async (name, does) => {
        try {
          outcome[name] = await does();
        } catch (error) {
          outcome[name] = `blocked: ${error.name}`;
        }
      };
      const read = async (response) =>
        response.type === 'opaque' ? 'opaque' : `${response.status} ${await response.text()}`;
      await attempt('fetch', async () => read(await fetch(`${url}/api/v1/tasks`)));
      await attempt('credentials', async () => read(await fetch(`${url}/api/v1/tasks`, { credentials: 'include' })));
      // Even with the operator's own token, as if it had been stolen out of another page.
      await attempt('token', async () =>
        read(await fetch(`${url}/api/v1/tasks`, { headers: { Authorization: `Bearer ${token}` } })),
      );
      await attempt('simple', async () =>
        read(
          await fetch(`${url}/api/v1/tasks`, {
            method: 'POST',
            mode: 'no-cors',
            body: task,
            headers: { 'Content-Type': 'text/plain' },
          }),
        ),
      );
      await attempt('mcp', async () =>
        read(await fetch(`${url}/mcp`, { method: 'POST', mode: 'no-cors', body: task })),
      );
      await attempt(
        'socket',
        () =>
          new Promise((resolve, reject) => {
            const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, 'mcp');
            socket.onopen = () => resolve('opened');
            socket.onerror = () => reject(new Error('no socket'));
          }),
      );
      await attempt(
        'script',
        () =>
          new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = `${url}/api/v1/tasks`;
            script.onload = () => resolve('ran');
            script.onerror = () => reject(new Error('no script'));
            document.head.append(script);
          }),
      );
      await attempt('module', () => import(`${url}/assets/app/live.js`).then(() => 'ran'));
      const frame = document.createElement('iframe');
      frame.src = `${url}/`;
      const sent = document.createElement('iframe');
      sent.name = 'sent';
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: `${url}/api/v1/tasks`, target: 'sent', enctype: 'text/plain' });
      const field = document.createElement('input');
      Object.assign(field, { name: task, value: '' });
      form.append(field);
      document.body.append(frame, sent, form);
      form.submit();
      await new Promise((resolve) => setTimeout(resolve, 700));
      await attempt('frame', () => frame.contentWindow.document?.body.textContent ?? 'nothing');
      return outcome;
    },
    { url: own.url, token: own.operatorToken },
  );
  for (const name of ['fetch', 'credentials', 'token', 'socket', 'script', 'module', 'frame'])
    assert.match(tried[name], /^blocked/, `${name}: ${tried[name]}`);
  for (const name of ['simple', 'mcp']) assert.ok(/^(opaque|blocked)/.test(tried[name]), `${name}: ${tried[name]}`);
  for (const { url, status, cookie } of answers) {
    assert.equal(cookie, undefined, url);
    if (/\/(api|mcp|ws)\b/.test(new URL(url).pathname)) assert.ok([401, 403].includes(status), `${status} ${url}`);
  }
  assert.ok(
    answers.some(({ url }) => url.includes('/api/v1/tasks')),
    'no attempt reached the hub',
  );
  // A frame of the page stays empty: nothing of it runs inside another page.
  for (const frame of page.frames().slice(1)) assert.ok(!(await frame.content().catch(() => '')).includes('id="app"'));
  assert.deepEqual(
    (await own.api('GET', '/api/v1/tasks')).items.map((task) => task.prompt),
    ['the only task'],
  );
});

test('UI-12 the first load is at most twelve requests and 60 kB, all of the hub itself, without a cookie', async () => {
  // A question, too, so that its widget is among what is shown.
  const worker = await agent(own, 'asker-1', 'full-stack-engineer');
  await worker.call('request_input', {
    question: 'Which colour?',
    options: ['red', 'blue'],
    default_action: 'blue',
    timeout_minutes: 5,
    wait_seconds: 0,
  });
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  const asked = new Map();
  let bytes = 0;
  cdp.on(
    'Network.requestWillBeSent',
    ({ requestId, request }) => request.url.startsWith('data:') || asked.set(requestId, request.url),
  );
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (asked.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(await own.openUrl());
  await page.getByTestId('inbox-count').waitFor();
  await page.locator('.link.live').waitFor();
  await page.getByTestId('answer').getByText('Use default').waitFor();
  await page.waitForTimeout(500);
  const urls = [...asked.values()];
  assert.deepEqual(
    urls.filter((url) => !url.startsWith(own.url)),
    [],
  );
  assert.ok(urls.length <= 12, `${urls.length} requests:\n${urls.join('\n')}`);
  assert.ok(bytes <= 60_000, `${bytes} bytes`);
  assert.deepEqual(await context.cookies(), []);
  assert.equal(
    await page.evaluate(
      () =>
        performance.getEntriesByType('resource').filter((entry) => new URL(entry.name).origin !== location.origin)
          .length,
    ),
    0,
  );
});
