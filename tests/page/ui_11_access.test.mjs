// Everybody can read and use every page: both themes, wide and narrow, by keyboard, without motion.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** What shows on a narrow screen whether a countdown breaks with what follows it. */
const LONG = 'that, for it is what was there before anybody thought of it';
let own;
let routes;
before(async () => {
  own = await hub();
  const worker = await agent(own, 'axe-1', 'full-stack-engineer');
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'look at me' });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  await worker.call('request_input', {
    question: 'Which one?',
    options: ['this', LONG],
    default_action: LONG,
    timeout_minutes: 30,
    wait_seconds: 0,
  });
  await own.api('POST', '/api/v1/tasks', {
    targetAgentId: 'role:ops-engineer',
    prompt: 'a long word: ' + 'x'.repeat(300),
  });
  routes = [
    '#/',
    '#/tasks',
    '#/tasks?view=table',
    `#/tasks/${taskId}`,
    '#/agents',
    `#/agents/${worker.id}`,
    '#/sessions',
    `#/sessions/${worker.sessionId}`,
    '#/actors',
    '#/actors/agent%3Aaxe-1',
    '#/events',
    '#/metrics',
    '#/audit',
    '#/settings',
  ];
  const print = {
    method: 'POST',
    headers: { Authorization: `Bearer ${own.operatorToken}`, 'Content-Type': 'application/octet-stream' },
  };
  const colours = Array.from(
    { length: 16 },
    (_, n) => `\x1b[38;5;${n}m${n} \x1b[48;5;${15 - n}m on ${15 - n} \x1b[0m`,
  ).join('');
  const printed = await fetch(`${own.url}/api/v1/sessions/${worker.sessionId}/output`, {
    ...print,
    body: `${colours}\x1b[2mdim\x1b[7minverse\x1b[0m`,
  });
  assert.ok(printed.ok);
});
after(async () => {
  await closeBrowser();
  await own.end();
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    test(`UI-11 no violation and no sideways scroll, ${colorScheme}, ${width} px`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const page = await open(own, { admin: true, colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.evaluate(axe);
      const found = [];
      for (const route of routes) {
        await go(page, route);
        await page.locator('main h1').first().waitFor();
        await page.waitForTimeout(400);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${route}: ${wide} px too wide`);
        const { violations } = await page.evaluate((tags) => window.axe.run({ runOnly: tags }), RULES);
        for (const v of violations) found.push(`${route}: ${v.id} ${v.nodes[0].html.slice(0, 120)}`);
      }
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }
}

test('UI-11 Tab reaches every control, each shows its focus, and the keys go where the help says', async () => {
  const page = await open(own);
  const wanted = await page.evaluate(
    () =>
      [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
        (e) => !e.disabled && e.checkVisibility(),
      ).length,
  );
  await page.evaluate(() => {
    window.reached = new Set();
    document.body.focus();
  });
  for (let n = 0; n < wanted + 2; n += 1) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === document.body) return null;
      window.reached.add(e);
      const style = getComputedStyle(e);
      return {
        html: e.outerHTML.slice(0, 80),
        ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
      };
    });
    if (seen) assert.ok(seen.ring, `no visible focus: ${seen.html}`);
  }
  assert.equal(await page.evaluate(() => window.reached.size), wanted);

  await page.evaluate(() => document.activeElement.blur());
  for (const [keys, hash] of [
    ['gt', '#/tasks'],
    ['ga', '#/agents'],
    ['gs', '#/sessions'],
    ['gc', '#/actors'],
    ['ge', '#/events'],
    ['gm', '#/metrics'],
    ['go', '#/'],
  ]) {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForFunction((to) => location.hash === to, hash);
  }
  await page.getByTestId('inbox-item').first().waitFor();
  await page.keyboard.press('j');
  assert.ok(await page.evaluate(() => document.activeElement.matches('[data-row]')));
  await page.keyboard.press('r');
  assert.ok(await page.evaluate(() => document.activeElement.matches('[data-reply]')));
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-11 nothing moves for whoever wants no motion', async () => {
  const page = await open(own, { reducedMotion: 'reduce' });
  for (const route of routes) {
    await go(page, route);
    await page.locator('main h1').first().waitFor();
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((e) => {
          const style = getComputedStyle(e);
          return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
        })
        .map((e) => e.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(moving, [], route);
  }
});
