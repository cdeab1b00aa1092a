// A day's work on the page: the story of a task, what is doubt and what is alarm, comments on the lines of a change of
// forty files, work handed out with all that it can have, several dealt with at once, schedules, tokens, the palette,
// events as sentences, and what people did lately.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, before, test } from 'node:test';
import { browser, closeBrowser, go, open, until } from './support.mjs';
import { FILES, world } from './world.mjs';

let there;
let own;
before(
  async () => {
    there = await world();
    own = there.own;
  },
  { timeout: 120000 },
);
// A page that goes on beside the next test takes its time from it.
afterEach(async () => {
  for (const context of (await browser()).contexts()) await context.close();
});
after(async () => {
  await closeBrowser();
  await there.end();
});

const item = (page, kind) => page.locator(`[data-testid=inbox-item][data-kind=${kind}]`);
const notice = (page, words) => page.getByTestId('notices').getByText(words).waitFor();

test('UI-19 item 6: a task tells its story in order, and what is of little weight is folded', async () => {
  const page = await open(own);
  const id = there.tasks.big;
  await go(page, `#/tasks/${id}`);
  const story = page.getByTestId('story');
  await story.getByText('handed it in for review, round 2').waitFor();
  const types = await story.locator('li').evaluateAll((all) => all.map((one) => one.dataset.type));
  const order = ['task.created', 'task.acknowledged', 'task.progressed', 'review.submitted', 'review.commented'];
  let from = -1;
  for (const type of order) {
    const at = types.indexOf(type, from + 1);
    assert.ok(at > from, `${type} in ${types}`);
    from = at;
  }
  assert.ok(!types.includes('task.offered'), 'an offer stands for itself');
  assert.equal(await story.locator('progress').getAttribute('value'), '40');
  await story.getByText('Why not 2?').waitFor();
  await story.getByRole('link', { name: 'Look at the change' }).first().click();
  await page.getByText('Round 1 of it.').first().waitFor();
  assert.match(page.url(), /\/review\/1$/);
  await page.getByText('This is an earlier round').waitFor();
  await page.getByText('const ROUND: u8 = 1;').first().waitFor();
  // A question with its answer, and who gave it.
  const { items } = await own.api('GET', '/api/v1/questions?state=open');
  const asked = items.find((one) => one.question.startsWith('How is the new table'));
  await own.api('POST', `/api/v1/questions/${asked.id}/answer`, { value: 'entries', ownWords: true });
  await go(page, `#/tasks/${asked.taskId}`);
  await story.locator('[data-type="question.asked"]').getByText('How is the new table called?').waitFor();
  await story.locator('[data-type="question.resolved"]').getByText('entries').waitFor();
  // What is over opens on what came of it.
  await go(page, `#/tasks/${there.tasks.FAILED}`);
  await page.locator('main .text').getByText('see the report').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-19 item 9: doubt is not alarm, and digits choose the answer', async () => {
  const page = await open(own);
  const of = (words) => item(page, 'question').filter({ hasText: words });
  await of('Delete the old database?').getByTestId('danger').waitFor();
  const { id, taskId } = (await own.api('GET', '/api/v1/questions?state=open')).items.find((one) =>
    one.question.startsWith('Which of'),
  );
  const doubt = of('Which of the two is deployed?');
  await doubt.getByTestId('doubt').waitFor();
  assert.equal(await doubt.getByTestId('danger').count(), 0);
  assert.equal(await doubt.getByTestId('countdown').count(), 0);
  await doubt.focus();
  await page.keyboard.press('2');
  await until(async () => (await own.api('GET', `/api/v1/questions/${id}`)).resolution?.value === 'green', {
    why: 'the second answer was not given',
  });
  // What may destroy something asks again.
  await of('Delete the old database?').focus();
  await page.keyboard.press('2');
  await page.getByText('press again').waitFor();
  assert.ok(taskId);
  assert.deepEqual(page.faults, []);
});

test('UI-19 item 11: comments on lines of a change of forty files, by mouse and keys', async () => {
  const page = await open(own);
  await go(page, `#/tasks/${there.tasks.big}/review`);
  const all = page.getByTestId('file');
  await all.first().waitFor();
  assert.equal(await all.count(), FILES);
  // A line that looks like a head inside of a change is a line.
  const first = all.first();
  assert.equal(await first.locator('tr.added').count(), 2);
  assert.equal(await first.locator('tr.removed').count(), 2);
  const numbers = await first.locator('tr.same').first().locator('.at').allTextContents();
  assert.deepEqual(
    numbers.map((one) => one.trim()),
    ['10', '10'],
  );
  await page.getByRole('button', { name: 'comment on line 22 of src/ledger/part-1.rs', exact: true }).click();
  const field = page.getByLabel('Comment on line 22', { exact: true });
  await until(() => field.evaluate((one) => one === document.activeElement), { why: 'the field has no focus' });
  // A key of the page is a letter here, and Escape closes.
  await page.keyboard.type('n');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'comment on line 22 of src/ledger/part-1.rs', exact: true }).click();
  await field.fill('first line\nsecond line');
  await page.keyboard.press('Control+Enter');
  await page.locator('.comments').getByText('second line').waitFor();
  const { comments } = await own.api('GET', `/api/v1/reviews/${there.tasks.big}`);
  const made = comments.find((one) => one.text.startsWith('first line'));
  assert.deepEqual([made.file, made.line, made.text], ['src/ledger/part-1.rs', 22, 'first line\nsecond line']);
  // A removed line has the number that it had, and its comment the old side.
  await page.getByRole('button', { name: 'comment on line 22 of src/ledger/part-2.rs, as it was' }).click();
  await field.fill('why did this go?');
  await page.keyboard.press('Control+Enter');
  await page.locator('.comments').getByText('why did this go?').waitFor();
  const { comments: now } = await own.api('GET', `/api/v1/reviews/${there.tasks.big}`);
  assert.equal(now.find((one) => one.text === 'why did this go?').side, 'old');
  await page.getByRole('button', { name: 'Fold all' }).click();
  await until(async () => (await page.locator('[data-testid=file][open]').count()) === 0, { why: 'not folded' });
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press('n');
  await until(async () => (await page.locator('[data-testid=file][open]').count()) === 1, { why: 'n goes nowhere' });
  assert.deepEqual(page.faults, []);
});

test('UI-19 item 12: work is handed out with all that it can have, changed while it is queued, and at a time', async () => {
  const page = await open(own);
  await go(page, `#/agents/${there.ids[12]}`);
  await page.getByText('Give it work').click();
  const form = page.getByTestId('handout');
  await form.getByLabel('Title').fill('Count the ledger');
  await form.getByLabel('What to do').fill('Count it twice.');
  await form.getByLabel('Priority').selectOption('high');
  await form.getByText('More').click();
  await form.getByLabel('It must be able to').fill('test');
  await form.getByLabel('After these tasks').fill(there.tasks.busy[0]);
  await form.getByLabel('Minutes without progress').fill('90');
  await form.getByRole('button', { name: 'Hand out' }).click();
  await notice(page, 'Handed out to');
  const find = async (words) => (await own.api('GET', `/api/v1/tasks?q=${encodeURIComponent(words)}`)).items;
  const [made] = await find('Count it twice');
  assert.deepEqual(
    [made.title, made.priority, made.target, made.capabilities, made.dependencies],
    ['Count the ledger', 'high', there.ids[12], ['test'], [there.tasks.busy[0]]],
  );
  await go(page, `#/tasks/${made.taskId}`);
  await page.getByRole('button', { name: 'Change …' }).click();
  await form.getByLabel('What to do').fill('Count it thrice.');
  await form.getByRole('button', { name: 'Change', exact: true }).click();
  await notice(page, 'Changed');
  assert.equal((await own.api('GET', `/api/v1/tasks/${made.taskId}`)).prompt, 'Count it thrice.');
  await page.getByText('Count it thrice.', { exact: true }).first().waitFor();
  // For somebody else it is another task.
  await page.getByRole('button', { name: 'Change …' }).click();
  await form.getByLabel('To', { exact: true }).fill('role:test-engineer');
  await form.getByRole('button', { name: 'Hand out instead' }).click();
  await until(async () => (await find('Count it thrice')).length === 2, { why: 'it is not handed out anew' });
  await until(async () => (await own.api('GET', `/api/v1/tasks/${made.taskId}`)).state === 'CANCELLED', {
    why: 'the old one is still there',
  });
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette').getByRole('combobox').fill('hand out');
  await page.keyboard.press('Enter');
  await form.getByLabel('To', { exact: true }).fill('role:test-engineer');
  await form.getByLabel('What to do').fill('Later.');
  await form.getByText('More').click();
  await form.getByLabel('Not before').fill('2031-01-02T03:04');
  await form.getByRole('button', { name: 'Hand out' }).click();
  await notice(page, 'Goes to role:test-engineer');
  const { items } = await own.api('GET', '/api/v1/schedules');
  assert.equal(items.find((one) => one.definition.prompt === 'Later.').definition.target, 'role:test-engineer');
  assert.deepEqual(page.faults, []);
});

test('UI-19 item 12: several at once, of the inbox and of tasks', async () => {
  const page = await open(own);
  await page.getByRole('button', { name: 'Several at once' }).click();
  const dead = item(page, 'dead_delivery');
  await dead.nth(0).getByRole('checkbox').check();
  await dead.nth(1).getByRole('checkbox').check();
  const bar = page.getByTestId('several');
  await bar.getByLabel('Words').fill('nobody listens there');
  const drop = bar.getByRole('button', { name: 'Drop 2' });
  await drop.click();
  await drop.click();
  await until(async () => (await own.api('GET', '/api/v1/outbox?state=dropped')).items.length === 2, {
    why: 'not dropped',
  });
  const ids = [];
  for (const n of [1, 2]) {
    const body = { targetAgentId: there.ids[14], prompt: `one of several, ${n}` };
    ids.push((await own.api('POST', '/api/v1/tasks', body)).taskId);
  }
  await go(page, '#/tasks?view=table&state=QUEUED&q=one+of+several');
  const rows = page.getByTestId('task-row');
  await until(async () => (await rows.count()) === 2, { why: 'the rows are not there' });
  for (const n of [0, 1]) await rows.nth(n).getByRole('checkbox').check();
  const cancel = bar.getByRole('button', { name: 'Cancel 2' });
  await cancel.click();
  await cancel.click();
  for (const id of ids)
    await until(async () => (await own.api('GET', `/api/v1/tasks/${id}`)).state === 'CANCELLED', { why: id });
  assert.deepEqual(page.faults, []);
});

test('UI-19 item 12: schedules are added, run, paused and removed; tokens made, rotated and revoked', async () => {
  const page = await open(own, { admin: true });
  await go(page, '#/schedules');
  await page.getByText('Add a schedule').click();
  const form = page.getByTestId('add-schedule');
  await form.getByLabel('Name').fill('nightly');
  await form.getByLabel('For', { exact: true }).fill('role:test-engineer');
  await form.getByLabel('What to do').fill('Run all tests, scheduled.');
  await form.getByLabel('Minute hour').fill('30 2 * * *');
  await form.getByLabel('In the time of').fill('Europe/Berlin');
  await form.getByRole('button', { name: 'Add' }).click();
  const card = page.locator('[data-testid=schedule][data-name=nightly]');
  await card.waitFor();
  await card.getByRole('button', { name: 'Run now' }).click();
  await card.getByText('1 handed out').waitFor();
  await card.getByRole('button', { name: 'Pause' }).click();
  await card.getByRole('button', { name: 'Go on' }).waitFor();
  await card.getByRole('button', { name: 'Remove' }).click();
  await card.getByRole('button', { name: 'Remove' }).click();
  await card.waitFor({ state: 'detached' });
  await go(page, '#/settings');
  await page.getByText('Make a token').click();
  const make = page.getByTestId('make-token');
  await make.locator('[name=kind]').selectOption('person');
  await make.getByLabel('Name').fill('ada');
  await make.locator('[name=scope]').selectOption('view');
  await make.getByRole('button', { name: 'Make' }).click();
  const secret = page.getByTestId('token-secret');
  const token = (await secret.textContent()).trim();
  const asks = (with_) => fetch(`${own.url}/api/v1/me`, { headers: { Authorization: `Bearer ${with_}` } });
  assert.equal((await (await asks(token)).json()).displayName, 'ada');
  const row = page.getByTestId('token').filter({ hasText: 'ada' });
  await row.getByRole('button', { name: 'Rotate' }).click();
  await until(async () => (await secret.textContent()).trim() !== token, { why: 'no new secret' });
  const { items } = await own.api('GET', '/api/v1/tokens?limit=500');
  const known = items.filter((one) => one.principal.includes('ada')).length;
  for (let n = 0; n < known; n += 1) {
    await row.first().getByRole('button', { name: 'Revoke' }).click();
    await row.first().getByRole('button', { name: 'Revoke' }).click();
    await notice(page, 'is shut out');
  }
  await until(async () => (await asks(token)).status === 401, { why: 'the token is still good' });
  assert.deepEqual(page.faults, []);
});

test('UI-19 items 8 and 12: events are sentences with filters in the address, and Lately says what people did', async () => {
  const page = await open(own);
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: there.ids[13], prompt: 'told lately' });
  await own.api('POST', `/api/v1/tasks/${taskId}/cancel`, { reason: 'not needed after all' });
  await page.getByText('Lately').click();
  const acts = page.getByTestId('lately').locator('li');
  await acts.filter({ hasText: 'cancelled told lately' }).waitFor();
  assert.ok((await acts.count()) <= 20);
  await go(page, `#/events?type=task.&task=${taskId}`);
  const rows = page.getByTestId('events').locator('li');
  await rows.filter({ hasText: 'operator cancelled told lately: not needed after all' }).waitFor();
  assert.equal(await rows.count(), 2);
  await page.getByLabel('About').selectOption('hub.');
  await page.getByText('No event fits.').waitFor();
  assert.match(page.url(), /type=hub\./);
  await go(page, `#/tasks/${there.tasks.big}/way`);
  await page
    .getByTestId('machine')
    .getByText(/queued → offered → in progress → in review/)
    .waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-19 items 13 and 14: it can be installed, and title and picture of the tab carry the count', async () => {
  const page = await open(own);
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector('link[rel=manifest]').href;
    const answer = await fetch(link);
    return { type: answer.headers.get('content-type'), ...(await answer.json()) };
  });
  assert.equal(manifest.type, 'application/manifest+json');
  assert.equal(manifest.display, 'standalone');
  const icon = await fetch(own.url + manifest.icons[0].src);
  assert.equal(icon.headers.get('content-type'), 'image/svg+xml');
  const { total } = await own.api('GET', '/api/v1/inbox?limit=1');
  await until(async () => (await page.title()).startsWith(`(${total})`), { why: 'the title has no count' });
  const drawn = decodeURIComponent(await page.locator('link[rel=icon]').getAttribute('href'));
  assert.match(drawn, new RegExp(`>${total}</text>`));
  assert.deepEqual(page.faults, []);
});

test('UI-19 what runs on call used is shown with their task, and by role and day; what nobody said is unknown', async () => {
  const page = await open(own);
  const known = {
    inputTokens: 12345,
    outputTokens: 678,
    cachedTokens: null,
    costUsd: 1.5,
    turns: 7,
    durationMs: 125000,
  };
  const usage = { ...known, source: 'client' };
  const id = there.tasks.big;
  await page.route(`**/api/v1/tasks/${id}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), runs: [{}, {}], usage } });
  });
  const sums = (by) => ({
    items: [
      { key: `${by}-1`, runs: 2, usage },
      { key: `${by}-2`, runs: 1, usage: null },
    ],
  });
  await page.route('**/api/v1/usage?**', (route) =>
    route.fulfill({ json: sums(new URL(route.request().url()).searchParams.get('by')) }),
  );
  await go(page, `#/tasks/${id}`);
  await page.getByTestId('usage').locator('dd').first().waitFor();
  const facts = await page.getByTestId('usage').locator('dd').allTextContents();
  assert.deepEqual(facts, ['2', '12,345', 'unknown', '678', '1.50', '7', '2 min 05 s']);
  await go(page, '#/metrics');
  for (const by of ['role', 'day']) {
    const rows = page.getByTestId(`usage-${by}`).locator('tbody tr');
    await rows.nth(1).waitFor();
    const cells = (n) => rows.nth(n).locator('td').allTextContents();
    assert.deepEqual(await cells(0), [`${by}-1`, '2', '12,345', 'unknown', '678', '1.50', '7', '2 min 05 s']);
    assert.deepEqual(await cells(1), [`${by}-2`, '1', ...Array(6).fill('unknown')]);
  }
  // A task that never ran on call has none.
  await go(page, `#/tasks/${there.tasks.FAILED}`);
  await page.locator('main .text').first().waitFor();
  assert.equal(await page.getByTestId('usage').count(), 0);
  assert.deepEqual(page.faults, []);
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    test(`UI-19 the new pages stay in their frame, no violation, ${colorScheme}, ${width} px`, async () => {
      const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      const page = await open(own, { admin: true, colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.evaluate(axe);
      const { big, FAILED } = there.tasks;
      const views = [
        [
          '#/',
          async () =>
            page
              .getByText('Lately')
              .click()
              .then(() => page.getByTestId('lately').waitFor()),
        ],
        ['#/', async () => page.getByRole('button', { name: 'Several at once' }).click()],
        [`#/tasks/${big}`, async () => page.getByTestId('story').locator('progress').waitFor()],
        [`#/tasks/${big}/way`, async () => page.getByTestId('machine').waitFor()],
        [`#/tasks/${big}/review`, async () => page.getByTestId('file').first().waitFor()],
        [`#/tasks/${FAILED}`, async () => page.locator('main .text').first().waitFor()],
        ['#/schedules', async () => page.getByText('Add a schedule').click()],
        ['#/settings', async () => page.getByTestId('token').first().waitFor()],
        [`#/agents/${there.ids[9]}`, async () => page.getByText('Give it work').click()],
        ['#/events', async () => page.getByTestId('events').locator('li').first().waitFor()],
      ];
      if (width === 360) views.push(['#/tasks', async () => page.getByRole('button', { name: /…$/ }).last().click()]);
      const found = [];
      const look = async (name) => {
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
        if (process.env.CALLBOARD_PICTURES) {
          const path = `${process.env.CALLBOARD_PICTURES}/${name.replace(/\W+/g, '_').slice(0, 40)}-${colorScheme}-${width}.png`;
          await page.screenshot({ path });
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${name}: ${wide} px too wide`);
        const out = await page.evaluate(() =>
          [...document.querySelectorAll('main *, header *, nav *, dialog *')]
            .filter((one) => one.checkVisibility() && !one.closest('.scroll, .hidden, pre, .board, svg'))
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 90)),
        );
        if (out.length) found.push(`${name}: sticks out: ${out[0]}`);
        const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
        const { violations } = await page.evaluate((only) => window.axe.run({ runOnly: only }), tags);
        for (const v of violations) found.push(`${name}: ${v.id} ${v.nodes[0].html.slice(0, 160)}`);
      };
      for (const [n, [route, shows]] of views.entries()) {
        await go(page, route);
        await page.locator('main h1').first().waitFor();
        await shows();
        await look(`${n} ${route}`);
      }
      await page.keyboard.press('Control+k');
      await page.getByTestId('palette').getByRole('combobox').fill('ledger');
      await page.getByTestId('palette').getByRole('option').filter({ hasText: 'task' }).first().waitFor();
      await look('palette');
      assert.deepEqual(found, []);
    });
  }
}
