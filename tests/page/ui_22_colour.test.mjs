// The lines of a change have the colours of their language: words stay words, and what is too long stays plain.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

let own;
let taskId;
const HOSTILE = `const html = "<img src=x onerror=alert(1)>"; // </code><script>alert(1)</script>`;
/** A file of a change: its path, and the lines that came. */
const file = (path, lines) =>
  `--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,${lines.length + 1} @@\n before\n${lines.map((one) => `+${one}\n`).join('')}`;

before(async () => {
  own = await hub();
  const worker = await agent(own, 'painter-1', 'full-stack-engineer');
  ({ taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: 'painter-1', prompt: 'paint it' }));
  await worker.wait();
  await worker.call('ack_task', { taskId });
  const diff = [
    file('src/a.rs', ["fn f<'a>(s: &'a str) -> u8 { 12 } /* goes on", "here */ let c = '\"';"]),
    file('web/hostile.js', [HOSTILE, `const long = "${'x'.repeat(2000)}";`]),
    file('web/large.js', Array(1100).fill(`const a = "${'y'.repeat(190)}";`)),
    file('notes.unknown', ['const a = 1;']),
  ].join('');
  await worker.call('submit_for_review', { taskId, message: 'Painted.', diff });
});
after(async () => {
  await closeBrowser();
  await own.end();
});

/** The coloured words of each line of a file, with their kinds, and the text of each line. */
const shown = (page, n) =>
  page.evaluate(
    (n) =>
      [...document.querySelectorAll('[data-testid=file]')[n].querySelectorAll('tr.added code')].map((code) => [
        code.textContent,
        [...code.querySelectorAll('*')].map((part) => `${part.tagName} ${part.className}: ${part.textContent}`),
      ]),
    n,
  );

test('UI-22 a change is coloured by its language, hostile words stay words, and what is too long stays plain', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(own, { colorScheme });
    const loaded = () =>
      page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/code.js')));
    assert.equal(await loaded(), false, 'no other page needs it');
    await go(page, `#/tasks/${taskId}/review`);
    await page.locator('.code-keyword').first().waitFor();
    assert.deepEqual(await shown(page, 0), [
      [
        "+fn f<'a>(s: &'a str) -> u8 { 12 } /* goes on",
        ['SPAN code-keyword: fn', 'SPAN code-number: 12', 'SPAN code-comment: /* goes on'],
      ],
      ["+here */ let c = '\"';", ['SPAN code-comment: here */', 'SPAN code-keyword: let', "SPAN code-string: '\"'"]],
    ]);
    const [hostile, long] = await shown(page, 1);
    assert.deepEqual(hostile, [
      `+${HOSTILE}`,
      [
        'SPAN code-keyword: const',
        'SPAN code-string: "<img src=x onerror=alert(1)>"',
        'SPAN code-comment: // </code><script>alert(1)</script>',
      ],
    ]);
    assert.deepEqual([long[0].length, long[1]], [2017, []]);
    assert.deepEqual((await shown(page, 2))[0][1], [], 'a file of more than 200 kB');
    assert.deepEqual(await shown(page, 3), [['+const a = 1;', []]]);
    // Each kind has its tone.
    const tones = await page.evaluate(() =>
      ['comment', 'string', 'number', 'keyword'].map(
        (kind) => getComputedStyle(document.querySelector(`.code-${kind}`)).color,
      ),
    );
    assert.equal(new Set(tones).size, 4, tones.join());
    // The number of a line stands in one line on a phone, too.
    await page.setViewportSize({ width: 360, height: 800 });
    const tall = await page.evaluate(() =>
      Math.max(...[...document.querySelectorAll('.diff .at button')].map((one) => one.offsetHeight)),
    );
    assert.ok(tall > 0 && tall < 32, `a number is ${tall} px tall`);
    assert.deepEqual(page.faults, []);
  }
});
