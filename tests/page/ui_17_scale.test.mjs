// The page where much happens: 300 tasks, 30 agents with ids of 64 characters, questions of each kind, dead deliveries.
// Every item leads somewhere and can be acted on, counts are the hub's, what is typed stays, who comes too late is told,
// and what may do harm is done at the second press.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { closeBrowser, go, open, until } from './support.mjs';
import { BUSY, DEAD, world } from './world.mjs';

let there;
let own;
before(
  async () => {
    there = await world();
    own = there.own;
  },
  { timeout: 120000 },
);
after(async () => {
  await closeBrowser();
  await there.end();
});

const item = (page, kind) => page.locator(`[data-testid=inbox-item][data-kind=${kind}]`);
const notice = (page, words) => page.getByTestId('notices').getByText(words).waitFor();

test('UI-17 every item of the inbox leads to a place that is there, and has each action that it names', async () => {
  const page = await open(own);
  const { items } = await own.api('GET', '/api/v1/inbox?limit=500');
  const kinds = new Set(items.map((one) => one.kind));
  for (const kind of ['question', 'blocked', 'review', 'stranded', 'dead_delivery']) assert.ok(kinds.has(kind), kind);
  assert.equal(items.filter((one) => one.kind === 'dead_delivery').length, DEAD);
  for (const kind of kinds) {
    await go(page, '#/');
    const first = item(page, kind).first();
    await first.waitFor();
    const wanted = items.find((one) => one.kind === kind).actions.filter((action) => action !== 'answer');
    const has = await first.locator('[data-action]').evaluateAll((all) => all.map((one) => one.dataset.action));
    assert.deepEqual(has, wanted, kind);
    assert.equal((await first.getByTestId('answer').count()) > 0 || kind !== 'question', true);
    await first.getByTestId('look').click();
    await page.waitForFunction(() => location.hash !== '#/');
    assert.ok(!(await page.evaluate(() => location.hash)).includes('undefined'), kind);
    await page.locator('main h1').first().waitFor();
    assert.equal(
      await page.locator('main .problem').count(),
      0,
      `${kind}: ${await page.evaluate(() => location.hash)}`,
    );
  }
  assert.deepEqual(page.faults, []);
});

test('UI-17 every kind that the hub has is in the table, with a place, and shows each action as a control', async () => {
  const { components } = await own.api('GET', '/api/v1/openapi.json');
  const names = ({ enum: all, oneOf }) => all || oneOf.flatMap((one) => one.enum || [one.const]);
  const [kinds, actions] = [names(components.schemas.InboxKind), names(components.schemas.InboxAction)];
  assert.ok(kinds.length >= 10 && actions.length >= 8, `${kinds} ${actions}`);
  const { items } = await own.api('GET', '/api/v1/inbox?limit=500');
  const page = await open(own);
  // One of each kind, with every action: more than the hub would give at once.
  const all = kinds.map((kind) => ({
    ...items[0],
    id: `${kind}:one`,
    kind,
    title: `a ${kind}`,
    taskId: 't1',
    sessionId: 's1',
    agentId: 'a1',
    workflowId: 'w1',
    actions,
  }));
  await page.route('**/api/v1/inbox?**', (route) => route.fulfill({ json: { items: all, total: all.length } }));
  await own.api('POST', `/api/v1/tasks/${there.tasks.busy[0]}/comments`, { text: 'so that it asks' });
  for (const kind of kinds) {
    const card = page.locator(`[data-testid=inbox-item][data-kind=${kind}]`).filter({ hasText: `a ${kind}` });
    await card.waitFor();
    assert.ok(!(await card.locator('.badge').first().textContent()).includes('_'), kind);
    const to = await card.getByTestId('look').getAttribute('href');
    assert.match(to, /^#\/\w+\/\w+/, kind);
    const has = await card.locator('[data-action]').evaluateAll((found) => found.map((one) => one.dataset.action));
    assert.deepEqual(
      has,
      actions.filter((action) => action !== 'answer'),
      kind,
    );
  }
  assert.deepEqual(page.faults, []);
});

test('UI-17 the outbox shows what is dead and paused, retries it, and drops it at the second press', async () => {
  const page = await open(own, { admin: true });
  await go(page, '#/outbox');
  const dead = page.locator('[data-testid=delivery][data-state=dead_letter]');
  await until(async () => (await dead.count()) === DEAD, { why: 'not all that is dead is shown' });
  assert.match(await dead.first().textContent(), /410/);
  await until(async () => (await page.getByTestId('paused').count()) === DEAD, { why: 'paused ones are missing' });
  await dead.first().getByRole('button', { name: 'Drop …' }).click();
  await dead.first().getByLabel('Why is it not to be sent?').fill('nobody wants it');
  const drop = dead.first().getByRole('button', { name: /^Drop(?! …)/ });
  await drop.click();
  assert.match(await drop.textContent(), /press again/);
  assert.equal((await own.api('GET', '/api/v1/outbox?state=dropped')).items.length, 0);
  await drop.click();
  await notice(page, /^Dropped/);
  assert.equal((await own.api('GET', '/api/v1/outbox?state=dropped')).items.length, 1);
  await page.getByTestId('paused').first().getByRole('button', { name: 'Enable' }).click();
  await notice(page, /hears events again/);
  await until(async () => (await dead.count()) === DEAD - 1, { why: 'the dropped one stays' });
  assert.deepEqual(page.faults, []);
});

test('UI-17 the board counts as the hub does, and what is at work is not pushed out by what is queued', async () => {
  const page = await open(own);
  await go(page, '#/tasks');
  const { tasks } = await own.api('GET', '/api/v1/overview');
  const column = (name) => page.getByTestId('column').filter({ has: page.getByRole('heading', { name }) });
  const cards = (name, wanted) =>
    until(async () => (await column(name).getByTestId('task-card').count()) === wanted, {
      why: `not ${wanted} in ${name}`,
    });
  const counts = (name, wanted) =>
    until(async () => (await column(name).getByTestId('column-count').textContent()) === String(wanted), {
      why: `${name} does not count ${wanted}`,
    });
  await cards(/^Queued/, 100);
  await counts(/^Queued/, tasks.QUEUED);
  await counts(/^In progress/, tasks.IN_PROGRESS);
  await cards(/^In progress/, tasks.IN_PROGRESS);
  assert.ok(tasks.IN_PROGRESS >= BUSY && tasks.QUEUED > 250, JSON.stringify(tasks));
  await cards(/^Needs a person/, tasks.BLOCKED + tasks.IN_REVIEW + tasks.TIMEOUT + tasks.DEAD_LETTER);
  await column(/^Queued/)
    .getByRole('button', { name: 'Show 100 more' })
    .click();
  await cards(/^Queued/, 200);
  await go(page, '#/tasks?view=table');
  const all = Object.values(tasks).reduce((sum, n) => sum + n, 0);
  await page.getByText(`100 of ${all}.`).waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-17 what is typed into a filter and an answer stays, whatever happens meanwhile', async () => {
  const page = await open(own, { admin: true });
  const happens = async () => {
    await own.api('POST', `/api/v1/tasks/${there.tasks.busy[1]}/comments`, { text: 'a remark' });
    await page.waitForTimeout(250);
  };
  for (const [hash, label] of [
    ['#/tasks', 'Search'],
    ['#/audit', 'Action'],
    ['#/audit', 'Who'],
  ]) {
    await go(page, hash);
    const field = page.getByLabel(label);
    await field.click();
    for (const [n, letter] of [...'ledger'].entries()) {
      await page.keyboard.type(letter);
      if (n % 2) await happens();
      assert.equal(await field.inputValue(), 'ledger'.slice(0, n + 1), `${hash} ${label}`);
    }
    await happens();
    assert.equal(await field.inputValue(), 'ledger', `${hash} ${label}`);
    assert.ok(await field.evaluate((one) => one === document.activeElement), `${hash} ${label} lost the focus`);
  }
  await go(page, '#/');
  const words = item(page, 'blocked').getByPlaceholder('Answer, so that it goes on');
  await words.fill('the second');
  await happens();
  assert.equal(await words.inputValue(), 'the second');
  assert.deepEqual(page.faults, []);
});

test('UI-17 an agent that parks is seen as waiting everywhere', async () => {
  const page = await open(own);
  const { id, call } = there.agents[28];
  await go(page, `#/agents/${encodeURIComponent(id)}`);
  await page.locator('main .badge').first().waitFor();
  call('wait_for_prompt', { timeout: 600 }).catch(() => {});
  const badge = page.locator('main .line > .badge').first();
  await until(async () => (await badge.getAttribute('data-state')) === 'waiting', {
    why: 'it stays as it was',
  });
  await go(page, '#/agents');
  const row = page.getByTestId('agent-row').filter({ hasText: id });
  assert.equal(await row.locator('.badge').first().getAttribute('data-state'), 'waiting');
  assert.deepEqual(page.faults, []);
});

test('UI-17 who typed an answer and was beaten reads who won with what, until they close it', async () => {
  const page = await open(own);
  const card = item(page, 'question').filter({ hasText: 'How is the new table called?' });
  await card.getByPlaceholder('Answer in your own words').fill('my own name');
  const { items } = await own.api('GET', '/api/v1/questions?limit=100');
  const asked = items.find((one) => one.question.startsWith('How is the new table'));
  await own.api('POST', `/api/v1/questions/${asked.id}/answer`, { value: 'bookings', ownWords: true });
  const late = card.getByTestId('late');
  await late.waitFor();
  assert.match(await late.textContent(), /Already answered by .+: bookings, \d+ s ago/);
  assert.equal(await card.getByPlaceholder('Answer in your own words').inputValue(), 'my own name');
  await page.waitForTimeout(500);
  await late.getByRole('button', { name: 'Close' }).click();
  await card.waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
});

test('UI-17 what may do harm is done at the second press, and a notice says what was done', async () => {
  const page = await open(own);
  const card = item(page, 'question').filter({ hasText: 'Delete the old database?' });
  assert.equal(await card.getByTestId('countdown').count(), 0, 'nothing happens at its end');
  const button = card.getByRole('button', { name: /^delete/ });
  await button.click();
  assert.match(await button.textContent(), /press again/);
  const { items } = await own.api('GET', '/api/v1/questions?limit=100');
  const asked = items.find((one) => one.question.startsWith('Delete'));
  assert.equal(asked.state, 'open');
  await card.getByRole('button', { name: /^keep/ }).click();
  assert.equal(
    (await own.api('GET', `/api/v1/questions/${asked.id}`)).state,
    'open',
    'another button is its first press',
  );
  await card.getByRole('button', { name: /^keep/ }).click();
  await notice(page, 'Answered: keep');
  assert.equal((await own.api('GET', `/api/v1/questions/${asked.id}`)).resolution.value, 'keep');

  const [id] = there.tasks.busy.slice(-1);
  await go(page, `#/tasks/${id}`);
  await page.getByRole('button', { name: 'Cancel …' }).click();
  const cancel = page.getByRole('button', { name: /^Cancel the task/ });
  await cancel.click();
  assert.match(await cancel.textContent(), /works on it: press again/);
  assert.equal((await own.api('GET', `/api/v1/tasks/${id}`)).state, 'IN_PROGRESS');
  await cancel.click();
  await notice(page, 'Task cancelled');
  assert.equal((await own.api('GET', `/api/v1/tasks/${id}`)).state, 'CANCELLED');
  assert.deepEqual(page.faults, []);
});

test('UI-17 why: a sentence about who is busy with what, and the thirty who cannot are folded', async () => {
  const page = await open(own);
  const target = there.ids[11];
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: target, prompt: 'move the ledger' });
  await go(page, `#/tasks/${taskId}`);
  const why = page.getByTestId('why-sentence');
  await until(async () => /is busy with at work: part 1/.test((await why.textContent()).replace(/\s+/g, ' ')), {
    why: 'no sentence',
  });
  assert.match(await why.textContent(), /so far; nobody else may take it/);
  const folded = page.getByTestId('why').locator('details');
  assert.equal(await folded.evaluate((one) => one.open), false);
  assert.match(await folded.locator('summary').textContent(), /^2\d more agents cannot/);
  assert.deepEqual(page.faults, []);
});

const ROUTES = ['#/', '#/tasks', '#/tasks?view=table', '#/agents', '#/sessions', '#/outbox', '#/actors', '#/events'];
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    test(`UI-17 nothing sticks out, no violation, ${colorScheme}, ${width} px`, { timeout: 120000 }, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const page = await open(own, { admin: true, colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.evaluate(axe);
      const { items } = await own.api('GET', '/api/v1/outbox?limit=1');
      const more = [`#/tasks/${there.tasks.busy[0]}`, `#/agents/${there.ids[10]}`, `#/outbox/${items[0].id}`];
      const found = [];
      for (const route of [...ROUTES, ...more]) {
        await go(page, route);
        await page.locator('main h1').first().waitFor();
        await page.waitForTimeout(600);
        if (process.env.CALLBOARD_PICTURES)
          await page.screenshot({
            path: `${process.env.CALLBOARD_PICTURES}/${route.replace(/\W+/g, '_').slice(0, 14)}-${colorScheme}-${width}.png`,
          });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${route}: ${wide} px too wide`);
        const out = await page.evaluate(() =>
          [...document.querySelectorAll('main *, header *')]
            .filter((one) => one.checkVisibility() && !one.closest('.scroll, .hidden, pre, .board, svg'))
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 90)),
        );
        if (out.length) found.push(`${route}: sticks out: ${out[0]}`);
        if (width === 360) {
          const small = await page.evaluate(() =>
            [...document.querySelectorAll('input, select, textarea')]
              .filter((one) => one.checkVisibility() && parseFloat(getComputedStyle(one).fontSize) < 16)
              .map((one) => one.outerHTML.slice(0, 90)),
          );
          if (small.length) found.push(`${route}: a phone zooms into ${small[0]}`);
        }
        const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
        const { violations } = await page.evaluate((only) => window.axe.run({ runOnly: only }), tags);
        for (const v of violations) found.push(`${route}: ${v.id} ${v.nodes[0].html.slice(0, 120)}`);
      }
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }
}
