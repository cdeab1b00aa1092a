// When the hub is gone the page says so, keeps what it showed, and goes on by itself without losing an event.

import assert from 'node:assert/strict';
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

/** The numbers of the events that the page lists, in order. */
const listed = (page) =>
  page.locator('[data-testid=events] > li').evaluateAll((rows) => rows.map((row) => Number(row.dataset.seq)).reverse());

test('UI-07 an outage: stale and greyed, nothing erased; then live again, each event once', async () => {
  await add('before the outage');
  const page = await open(own);
  const { seq: from } = await own.api('GET', '/api/v1/snapshot');
  await go(page, '#/tasks');
  await page.getByText('before the outage').first().waitFor();
  await add('just before');
  // Its card: the text alone is also in what a screen reader is told, before the card is drawn.
  await page.getByTestId('task-card').getByText('just before').waitFor();

  await own.stop();
  await page.getByTestId('stale').waitFor({ timeout: 10000 });
  assert.match(await page.getByTestId('link').textContent(), /stale since/);
  await page.waitForTimeout(5000);
  // The age is drawn once a second, and by a busy browser later: what was drawn last may be of a second ago.
  await page
    .getByTestId('link')
    .getByText(/stale since ([5-9]|\d\d) s/)
    .waitFor();
  assert.equal(await page.getByTestId('task-card').count(), 2, 'what was shown is erased');
  assert.ok(
    await page
      .getByTestId('task-card')
      .first()
      .evaluate((card) => {
        let opacity = 1;
        for (let at = card; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
        return opacity < 0.9;
      }),
    'what is old looks as if it were new',
  );

  await own.start();
  // Before the page is back: it has to hear of this, too.
  await add('while the page was away');
  await page.locator('.link.live').waitFor({ timeout: 20000 });
  assert.equal(await page.getByTestId('stale').count(), 0);
  await page.getByText('while the page was away').first().waitFor();
  await add('after the outage');
  await page.getByText('after the outage').first().waitFor();

  await go(page, '#/events');
  const { seq: to } = await own.api('GET', '/api/v1/snapshot');
  const wanted = Array.from({ length: to - from }, (_, n) => from + 1 + n);
  await until(async () => (await listed(page)).at(-1) >= to, { why: 'the newest event is not there' });
  assert.deepEqual(
    (await listed(page)).filter((seq) => seq > from && seq <= to),
    wanted,
  );
  assert.equal(await page.getByTestId('missed').count(), 0);
  assert.deepEqual(page.faults, []);
});

test(
  'UI-07 events that the hub dropped for a reader that fell behind are counted, and the page is right again',
  { timeout: 120000 },
  async () => {
    // A hub that keeps few events for each reader, and a tab that reads none for a while: a frozen one reads nothing.
    const narrow = await hub({
      env: {
        CALLBOARD_LIMITS_EVENT_BUFFER: '16',
        CALLBOARD_LIMITS_REQUESTS_PER_SECOND: '10000',
        CALLBOARD_LIMITS_BURST: '10000',
      },
    });
    try {
      const page = await open(narrow);
      await page.evaluate(() => {
        window.notReloaded = true;
      });
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Page.enable');
      await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
      // More than all buffers on the way hold: the hub's, the system's and the browser's.
      const prompt = 'much '.repeat(3200);
      const lots = Array.from({ length: 1000 });
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          while (lots.length) {
            lots.pop();
            await narrow.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt });
          }
        }),
      );
      await cdp.send('Page.setWebLifecycleState', { state: 'active' });
      await page.getByTestId('missed').waitFor({ timeout: 30000 });
      const missed = Number((await page.getByTestId('missed').textContent()).match(/^(\d+) events missed$/)[1]);
      assert.ok(missed > 0 && missed <= 1000, `${missed} missed`);
      await page.locator('.link.live').waitFor();
      await go(page, '#/tasks');
      await narrow.api('POST', '/api/v1/tasks', { targetAgentId: 'role:designer', prompt: 'after the gap' });
      await page.getByText('after the gap').first().waitFor();
      assert.ok(await page.evaluate(() => window.notReloaded));
      assert.deepEqual(page.faults, []);
    } finally {
      await narrow.end();
    }
  },
);

test('UI-07 logging out and in again during the outage leaves one stream', async () => {
  const page = await open(own);
  let streams = 0;
  const ends = (request) => {
    if (request.url().includes('/api/v1/events?')) streams -= 1;
  };
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/events?')) streams += 1;
  });
  page.on('requestfinished', ends);
  page.on('requestfailed', ends);
  streams = 1;
  await own.stop();
  await page.getByTestId('stale').waitFor({ timeout: 10000 });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out.').waitFor();
  await own.start();
  await page.getByLabel('Address or code').fill(await own.openUrl());
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.link.live').waitFor();
  // Longer than the longest pause between two tries of a follower that was left over.
  await page.waitForTimeout(3000);
  assert.equal(streams, 1);
});
