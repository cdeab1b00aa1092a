// A task moves over the board while an agent works, without a reload, and its timeline has every step.
//
// How quick the page is, is measured beside a bare follower in the same tab: a loop that reads the event stream, asks for
// the task that an event names, and draws nothing. What the machine and the hub cost both of them pay.

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

/** The most that the page may be behind the bare follower, in milliseconds: of half a second, what the follower leaves. */
const BEHIND = 350;
const ROUNDS = 5;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Notes in the tab, by its own clock, when each state of each task was first seen: by the page, and by a bare follower. */
const observe = (page, after) =>
  page.evaluate(async (from) => {
    window.seen = { page: {}, bare: {} };
    const note = (who, task, state) => {
      window.seen[who][`${task} ${state}`] ??= Date.now();
    };
    const look = () =>
      document
        .querySelectorAll('[data-testid=task-card]')
        .forEach((card) => note('page', card.getAttribute('href').split('/').pop(), card.dataset.state));
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    const headers = {
      Authorization: `Bearer ${sessionStorage.getItem('callboard.token')}`,
      Accept: 'application/x-ndjson',
    };
    const response = await fetch(`/api/v1/events?after=${from}`, { headers });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    (async () => {
      for (let rest = ''; ;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const task of new Set(
          lines
            .filter(Boolean)
            .map((line) => JSON.parse(line).subject?.task)
            .filter(Boolean),
        )) {
          const { state } = await (await fetch(`/api/v1/tasks/${task}`, { headers })).json();
          note('bare', task, state);
        }
      }
    })();
  }, after);

test('UI-04 a card goes from queued to completed within half a second of each step, and the timeline has the times', async () => {
  const page = await open(own);
  await go(page, '#/tasks');
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await page.evaluate(() => {
    window.notReloaded = true;
  });
  await observe(page, (await own.api('GET', '/api/v1/snapshot')).seq);
  const worker = await agent(own, 'sweeper-1', 'test-engineer');
  const late = [];
  let taskId;
  for (let round = 0; round < ROUNDS; round += 1) {
    const step = async (state, does) => {
      const answer = await does();
      const answered = Date.now();
      const key = `${taskId || answer.taskId} ${state}`;
      await until(() => page.evaluate((of) => window.seen.page[of] && window.seen.bare[of], key), {
        why: `no card in ${state}`,
      });
      const seen = await page.evaluate((of) => ({ page: window.seen.page[of], bare: window.seen.bare[of] }), key);
      late.push({ state, afterAnswer: seen.page - answered, behind: seen.page - seen.bare });
      return answer;
    };
    taskId = undefined;
    taskId = (
      await step('QUEUED', () =>
        own.api('POST', '/api/v1/tasks', { targetAgentId: 'sweeper-1', prompt: `sweep the stage ${round}` }),
      )
    ).taskId;
    await step('IN_PROGRESS', async () => {
      await worker.wait();
      await worker.call('ack_task', { taskId });
    });
    await step('COMPLETED', () =>
      worker.call('send_response', { taskId, status: 'COMPLETED', message: 'it is clean' }),
    );
  }
  assert.ok(await page.evaluate(() => window.notReloaded));
  const behind = median(late.map((one) => one.behind));
  console.log(
    `UI-04: median ${median(late.map((one) => one.afterAnswer))} ms after the answer, ${behind} ms behind a bare follower`,
  );
  assert.ok(behind <= BEHIND, `${behind} ms behind a bare follower: ${JSON.stringify(late)}`);

  await go(page, `#/tasks/${taskId}`);
  // Those of little weight are folded, and there.
  const times = page.locator('.timeline li time[datetime]');
  const { history } = await own.api('GET', `/api/v1/tasks/${taskId}`);
  await until(async () => (await times.count()) === history.length, {
    why: `the story has not its ${history.length} steps`,
  });
  await go(page, `#/tasks/${taskId}/result`);
  await page.getByText('it is clean').first().waitFor();
  assert.deepEqual(page.faults, []);
});
