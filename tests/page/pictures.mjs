// Pictures of the page: `node pictures.mjs FOLDER` takes those of README; with `all` after it, every page in light and dark,
// wide and narrow, for whoever wants to look at them.

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { closeBrowser, go, open } from './support.mjs';
import { stage } from './stage.mjs';

/** The most that a picture of README may weigh, in bytes. */
const MOST = 150_000;
const [folder = 'pictures', what] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const { own, sessionId, main, locking, showing } = await stage();
const pages = {
  overview: '#/',
  board: '#/tasks',
  table: '#/tasks?view=table',
  queued: '#/tasks?state=QUEUED',
  task: `#/tasks/${main}`,
  asking: `#/tasks/${showing}`,
  result: `#/tasks/${main}/result`,
  json: `#/tasks/${main}/json`,
  review: `#/tasks/${locking}/review`,
  agents: '#/agents',
  agent: '#/agents/ops-1',
  sessions: '#/sessions',
  session: `#/sessions/${sessionId}`,
  actors: '#/actors',
  actor: '#/actors/agent%3Aops-1',
  events: '#/events',
  metrics: '#/metrics',
  audit: '#/audit',
  settings: '#/settings',
  lost: '#/nothing',
};
try {
  const all = what === 'all';
  for (const colorScheme of ['light', 'dark']) {
    for (const width of all ? [1280, 360] : [1280]) {
      const page = await open(own, { admin: true, colorScheme, viewport: { width, height: all ? 900 : 1010 } });
      await own.api('POST', `/api/v1/tasks/${main}/comments`, { text: `Seen in ${colorScheme}, ${width} px` });
      for (const [name, hash] of Object.entries(all ? pages : { overview: pages.overview })) {
        await go(page, hash);
        await page.locator('main h1, main .empty').first().waitFor();
        await page.waitForTimeout(name === 'metrics' ? 11000 : 700);
        const path = join(folder, all ? `${name}-${colorScheme}-${width}.png` : `page-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: all });
        const { size } = await stat(path);
        if (!all && (size > MOST || size < 10_000)) throw new Error(`${path}: ${size} bytes`);
        console.log(`${path}: ${size} bytes`);
      }
      if (page.faults.length > 0) throw new Error(page.faults.join('\n'));
      await page.context().close();
    }
  }
} finally {
  await closeBrowser();
  await own.end();
}
