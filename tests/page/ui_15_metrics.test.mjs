// What the hub measures is drawn while the page is open, and stands in a table for whoever sees no chart.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open, until } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

/** What the table says of a figure now. */
const now = (page, figure, of) =>
  page
    .getByTestId('figures')
    .locator('tbody tr')
    .evaluateAll(
      (rows, [figure, of]) => {
        const row = rows.find((row) => row.cells[0].textContent === figure && row.cells[1].textContent === of);
        return row?.cells[2].textContent;
      },
      [figure, of],
    );

test('UI-15 charts follow what the hub measures, and the table says the same', { timeout: 60000 }, async () => {
  await agent(own, 'measured-1', 'full-stack-engineer');
  const page = await open(own);
  const loaded = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: 'first' });
  assert.equal(
    await page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('uplot')).length,
    ),
    0,
    'other pages load no charts',
  );
  await go(page, '#/metrics');
  const chart = page.locator('[data-testid=chart][data-family=callboard_tasks]');
  await chart.locator('canvas').waitFor();
  assert.ok(loaded.includes('/assets/vendor/uplot.mjs') && loaded.includes('/assets/vendor/uplot.css'), loaded.join());
  assert.equal(await now(page, 'tasks', 'QUEUED'), '1');
  assert.match(await chart.getByRole('img').getAttribute('aria-label'), /^tasks: .*QUEUED 1/);

  await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt: 'second' });
  await until(async () => (await now(page, 'tasks', 'QUEUED')) === '2', {
    within: 15000,
    why: 'the table does not follow',
  });
  // Nothing happens from here on: what is drawn next is drawn for no event.
  assert.notEqual(await now(page, 'journal appends', ''), '0/s');
  await until(async () => (await now(page, 'journal appends', '')) === '0/s', {
    within: 15000,
    why: 'it is not drawn without an event',
  });
  assert.match(await chart.getByRole('img').getAttribute('aria-label'), /QUEUED 2/);
  assert.equal((await chart.locator('.key').textContent()).replace(/\s+/g, ' ').trim(), 'QUEUED 2');
  // The line is drawn: some pixels of the canvas have its tone.
  const drawn = () =>
    chart.locator('canvas').evaluate((canvas) => {
      const probe = document.createElement('i');
      document.body.append(probe);
      probe.style.color = 'var(--info)';
      const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      probe.remove();
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4)
        if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30 && data[i + 3] > 200)
          n += 1;
      return n;
    });
  await until(async () => (await drawn()) > 20, { why: 'no line was drawn' });
  // It takes the tones of the other theme, and fits where it stands.
  await page.locator('button[title="light or dark"]').click();
  await until(async () => (await drawn()) > 20, { why: 'no line in the other theme' });
  await page.setViewportSize({ width: 360, height: 800 });
  await until(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), { why: 'it is too wide' });
  assert.deepEqual(page.faults, []);
});

/** What the page says of itself, and the cells of each row of the table. */
const shown = (page) =>
  page.evaluate(() => ({
    about: document.querySelector('main p.muted')?.textContent.replace(/\s+/g, ' ') || '',
    rows: [...document.querySelectorAll('[data-testid=figures] tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent.trim()),
    ),
  }));

test('UI-15 a new tab shows what the hub kept, quantiles by name with units, and a restart begins anew', async () => {
  const history = (span = 'hour') => own.api('GET', `/api/v1/metrics/history?span=${span}`);
  const queued = async () => (await history()).series.find((one) => one.labels.state === 'QUEUED').values;
  await until(async () => (await queued()).at(-1) === 2, { within: 30000, why: 'nothing was counted' });
  const page = await open(own);
  await go(page, '#/metrics');
  await page.getByTestId('figures').waitFor();
  const { about, rows } = await shown(page);
  assert.match(about, /^Counted since the hub was started, .*, every 10 s/);
  const row = (all, figure, of) => all.find(([name, label]) => name === figure && label === of);
  // The least was before this tab was opened.
  assert.deepEqual(row(rows, 'tasks', 'QUEUED').slice(2, 5), ['2', '0', '2']);
  for (const quantile of ['p50', 'p99', 'max']) assert.match(row(rows, 'journal write', quantile)[2], /^[\d.]+ m?s$/);

  await page.getByRole('button', { name: 'Last day' }).click();
  await until(async () => (await shown(page)).about.includes('every 5 minutes'), { why: 'no day is shown' });
  await until(async () => row((await shown(page)).rows, 'journal position', ''), { why: 'the day is empty' });
  await page.getByRole('button', { name: 'Last hour' }).click();

  await own.stop();
  await own.start();
  await until(async () => row((await shown(page)).rows, 'tasks', 'QUEUED')?.[3] === '2', {
    within: 30000,
    why: 'what was before the restart is still drawn',
  });
  assert.deepEqual(page.faults, []);
});
