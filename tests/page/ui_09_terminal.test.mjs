// What a program prints is text: it renames nothing, copies nothing, asks nothing, and much of it slows nobody.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

let own;
before(async () => { own = await hub(); });
after(async () => { await closeBrowser(); await own.end(); });

test('UI-09 a hostile terminal stays text, and a flood of output leaves the page quick', async () => {
  const worker = await agent(own, 'shell-1', 'full-stack-engineer');
  const prints = async (bytes) => {
    const response = await fetch(`${own.url}/api/v1/sessions/${worker.sessionId}/output`, {
      method: 'POST', body: bytes, headers: { Authorization: `Bearer ${own.operatorToken}`, 'Content-Type': 'application/octet-stream' },
    });
    assert.ok(response.ok, `${response.status} ${await response.text()}`);
  };
  await prints('\x1b]0;pwned\x07\x1b]2;pwned\x07\x1b]52;c;cHduZWQ=\x07\x1b]8;;javascript:window.__xss=1\x07link\x1b]8;;\x07\x1b[6n\x1b[c\x1b[31m<img src=x onerror=window.__xss=1>\x1b[0m\r\nthe last line\r\n');

  const page = await open(own);
  const sent = [];
  page.on('request', (request) => request.method() === 'GET' || sent.push(request.url()));
  await go(page, `#/sessions/${worker.sessionId}`);
  const terminal = page.getByTestId('terminal');
  await terminal.waitFor();
  assert.match(await terminal.textContent(), /the last line\s*$/);
  assert.ok((await terminal.textContent()).includes('<img src=x onerror=window.__xss=1>'));
  assert.doesNotMatch(await page.title(), /pwned/);
  assert.equal(await page.evaluate(() => window.__xss), undefined);
  assert.equal(await terminal.locator('a, img').count(), 0);

  const line = `${'x'.repeat(98)}\r\n`;
  const chunk = line.repeat(5000);
  const until = Date.now() + 3000;
  const flood = (async () => {
    for (let n = 0; Date.now() < until; n += 1) {
      const next = Date.now() + 100;
      await prints(chunk);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
  })();
  const waits = [];
  while (Date.now() < until) {
    waits.push(await page.evaluate(() => new Promise((resolve) => {
      const from = performance.now();
      document.querySelector('[aria-pressed]').click();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
    })));
    await page.waitForTimeout(150);
  }
  await flood;
  assert.ok(Math.max(...waits) <= 200, `a click took ${Math.max(...waits)} ms`);
  assert.ok((await terminal.textContent()).length < 5_000_000, 'the page keeps all that was printed');
  assert.deepEqual(sent, []);
  assert.deepEqual(page.faults, []);
});
