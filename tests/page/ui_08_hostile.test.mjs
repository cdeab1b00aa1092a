// Words that try to be markup, links, other words or nothing at all are shown as words.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

const HOSTILE = [
  '<img src=x onerror=window.__xss=1>',
  '<script>window.__xss=1</script>',
  '</script><script>window.__xss=1</script>',
  '<svg onload=window.__xss=1>',
  '<iframe srcdoc="<script>parent.__xss=1</script>">',
  '"><img src=x onerror=window.__xss=1>',
  "'-window.__xss=1-'",
  '${window.__xss=1}',
  '{{constructor.constructor("window.__xss=1")()}}',
  'javascript:window.__xss=1',
  '[click](javascript:window.__xss=1)',
  '<a href="javascript:window.__xss=1">go</a>',
  '<style>*{display:none}</style>',
  '<base href="http://127.0.0.1:9/">',
  '<meta http-equiv=refresh content="0;url=javascript:window.__xss=1">',
  '<form action=http://127.0.0.1:9/><button>x</button></form>',
  '&lt;img src=x onerror=window.__xss=1&gt;',
  '<math><mtext><img src=x onerror=window.__xss=1></mtext></math>',
  'user\u202Egnp.exe',
  'tag\u{E0041}\u{E0042}ged',
];
const HIDDEN = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

// A forge that opens what it is asked for, and names any link as the place of it.
const LINKS = ['javascript:window.__xss=1', 'https://git.example/acme/shop/pull/2'];
let opened = 0;
const forge = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const answer =
      request.method === 'POST'
        ? {
            ...JSON.parse(text),
            number: ++opened,
            node_id: 'n',
            html_url: LINKS[opened - 1],
            state: 'open',
            head: { ref: 'b', sha: 'c' },
            base: { ref: 'main', sha: 'd' },
          }
        : request.url.includes('/pulls')
          ? []
          : { default_branch: 'main' };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
});

let own;
before(async () => {
  await once(forge.listen(0, '127.0.0.1'), 'listening');
  own = await hub({
    env: {
      CALLBOARD_FORGE_KIND: 'github',
      CALLBOARD_FORGE_BASE_URL: `http://127.0.0.1:${forge.address().port}`,
      CALLBOARD_FORGE_REPOSITORIES: 'acme/*',
      CALLBOARD_FORGE_TOKEN: 'a-token',
    },
  });
});
after(async () => {
  await closeBrowser();
  await own.end();
  forge.close();
});

test('UI-08 hostile words stay words in every place that shows them', async () => {
  const worker = await agent(own, 'hostile-1', 'full-stack-engineer', { displayName: `${HOSTILE[0]}\u202E` });
  const made = [];
  for (const words of HOSTILE) {
    const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: words });
    const task = await own.api('GET', `/api/v1/tasks/${taskId}`);
    made.push(task.prompt);
    assert.deepEqual(
      task.sanitized?.kinds,
      { 'user\u202Egnp.exe': ['direction'], 'tag\u{E0041}\u{E0042}ged': ['tag'] }[words],
      words,
    );
  }
  // Two of them are not as they were written, and each place that shows them says so.
  const cleaned = 2;
  const { taskId: ended } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'report' });
  await worker.wait();
  await worker.call('send_response', {
    taskId: ended,
    status: 'COMPLETED',
    message: `${HOSTILE.join('\n')}\u001b]0;title\u0007`,
  });
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'ask' });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  await worker.call('request_input', {
    question: `${HOSTILE[3]}\u2066`,
    options: HOSTILE.slice(0, 3),
    default_action: HOSTILE[1],
    timeout_minutes: 5,
    wait_seconds: 0,
  });

  await own.api('POST', `/api/v1/tasks/${taskId}/comments`, { text: `${HOSTILE[2]}\u{E0041}` });

  const page = await open(own);
  const look = async () => {
    const seen = await page.evaluate(() => ({
      xss: window.__xss,
      text: document.body.textContent,
      links: [...document.querySelectorAll('a[href], [src]')].map(
        (e) => e.getAttribute('href') || e.getAttribute('src'),
      ),
    }));
    assert.equal(seen.xss, undefined);
    assert.ok(!HIDDEN.test(seen.text), 'a character that hides or turns text is on the page');
    assert.deepEqual(
      seen.links.filter((to) => !/^(#\/|\/assets\/)/.test(to)),
      [],
    );
    return seen.text;
  };
  const overview = await look();
  for (const words of [...HOSTILE.slice(0, 3), HOSTILE[3]]) assert.ok(overview.includes(words), words);
  for (const view of ['board', 'table']) {
    await go(page, `#/tasks?view=${view}`);
    await page
      .locator(view === 'board' ? '[data-testid=task-card]' : '[data-testid=task-row]')
      .nth(HOSTILE.length + 1)
      .waitFor();
    const text = await look();
    for (const words of made) assert.ok(text.includes(words), `${view}: ${words}`);
    assert.equal(
      await page.getByTestId('sanitized').count(),
      cleaned,
      `${view}: each text that was cleaned says so, and no other`,
    );
  }
  // Of what an agent is called, asks and reports the page says it, too, and what it was.
  for (const [hash, where, kind] of [
    ['#/', '[data-testid=inbox-item][data-kind=question]', 'characters that turn text round'],
    ['#/agents', '[data-testid=agent-row]', 'characters that turn text round'],
    [`#/sessions/${worker.sessionId}`, '[data-testid=question]', 'characters that turn text round'],
    [`#/tasks/${taskId}`, 'section[aria-label=question]', 'characters that turn text round'],
    [`#/tasks/${ended}/result`, 'section[aria-label=details]', 'terminal sequences'],
    [`#/tasks/${taskId}`, '[data-testid=remark]', 'hidden tags'],
  ]) {
    await go(page, hash);
    const badge = page.locator(where).getByTestId('sanitized');
    await badge.waitFor();
    assert.match(await badge.textContent(), new RegExp(`^cleaned, \\d+ taken out: .*${kind}`), hash);
    await look();
  }
  for (const hash of [
    '#/agents',
    `#/agents/${worker.id}`,
    '#/sessions',
    `#/sessions/${worker.sessionId}`,
    `#/tasks/${taskId}`,
    `#/tasks/${taskId}/json`,
    `#/tasks/${ended}/result`,
    '#/events',
    '#/actors',
  ]) {
    await go(page, hash);
    await page.locator('main h1').first().waitFor();
    await page.waitForTimeout(300);
    await look();
  }
  assert.deepEqual(page.faults, []);
});

test('UI-08 a pull request stands with its session and its task, and leads to a forge and nowhere else', async () => {
  const worker = await agent(own, 'opener-1', 'full-stack-engineer', {
    workspace: { repo: 'acme/shop', branch: 'b1' },
  });
  await worker.call('link_task', { work_item: 'acme/web#12' });
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'open it' });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  const title = `${HOSTILE[0]} ${'long'.repeat(40)}`;
  for (const branch of ['b1', 'b2']) {
    const { pr } = await worker.call('create_pr', { title, head_branch: branch });
    assert.equal(pr.state, 'open');
  }
  const page = await open(own, { viewport: { width: 360, height: 800 } });
  for (const hash of [`#/sessions/${worker.sessionId}`, `#/tasks/${taskId}`]) {
    await go(page, hash);
    const pulls = page.getByTestId('pull');
    await pulls.nth(1).waitFor();
    assert.equal(await pulls.count(), 2, hash);
    for (const n of [0, 1]) {
      const text = await pulls.nth(n).textContent();
      assert.ok(
        text.includes(HOSTILE[0]) && text.includes(`acme/shop#${2 - n}`) && text.includes('for acme/web#12'),
        text,
      );
      assert.equal(await pulls.nth(n).locator('.badge').getAttribute('data-state'), 'open');
    }
    const links = await pulls
      .locator('a')
      .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.rel]));
    assert.deepEqual(links, [[LINKS[1], 'noreferrer noopener']], hash);
    assert.ok(
      await page.evaluate(() => document.scrollingElement.scrollWidth <= 360),
      `${hash} is wider than the screen`,
    );
    assert.equal(await page.evaluate(() => window.__xss), undefined);
  }
  assert.deepEqual(page.faults, []);
});
