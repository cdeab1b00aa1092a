// The overview counts what there is, puts the question that ends first before the others, and links each count.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

let own;
before(async () => {
  own = await hub();
});
after(async () => {
  await closeBrowser();
  await own.end();
});

/** Takes the task that waits for this agent, and asks. */
async function asks(worker, question, minutes) {
  const { taskId } = await own.api('POST', '/api/v1/tasks', {
    targetAgentId: worker.id,
    prompt: `work of ${worker.id}`,
  });
  const offered = await worker.wait();
  assert.equal(offered.taskId, taskId, JSON.stringify(offered));
  await worker.call('ack_task', { taskId });
  await worker.call('request_input', {
    question,
    options: ['keep', 'skip'],
    default_action: 'skip',
    timeout_minutes: minutes,
    wait_seconds: 0,
  });
}

test('UI-03 the overview shows exact counts, questions by deadline, and links to the filtered lists', async () => {
  const late = await agent(own, 'late-1', 'full-stack-engineer');
  const soon = await agent(own, 'soon-1', 'full-stack-engineer');
  const gone = await agent(own, 'gone-1', 'full-stack-engineer');
  const done = await agent(own, 'done-1', 'test-engineer');
  await asks(late, 'Which name for the table?', 40);
  await asks(soon, 'Which colour for the button?', 10);
  for (const prompt of ['first', 'second', 'third'])
    await own.api('POST', '/api/v1/tasks', { targetAgentId: 'role:ops-engineer', prompt });
  const { taskId } = await own.api('POST', '/api/v1/tasks', {
    targetAgentId: 'role:ops-engineer',
    prompt: 'never mind',
  });
  await own.api('POST', `/api/v1/tasks/${taskId}/cancel`, {});
  for (const status of ['COMPLETED', 'FAILED', 'BLOCKED']) {
    const made = await own.api('POST', '/api/v1/tasks', { targetAgentId: done.id, prompt: `ends as ${status}` });
    await done.wait();
    await done.call('ack_task', { taskId: made.taskId });
    await done.call('send_response', {
      taskId: made.taskId,
      status,
      message: 'so it is',
      ...(status === 'BLOCKED' && { blockedReason: 'needs a key' }),
    });
  }
  // One is away: its credential is good no more.
  const { items } = await own.api('GET', '/api/v1/tokens');
  await own.api('DELETE', `/api/v1/tokens/${items.find((token) => token.principal.includes(gone.id)).id}`);

  const page = await open(own);
  assert.equal(await page.getByTestId('agent-count').textContent(), '4');
  const shown = await page
    .getByTestId('agent-chip')
    .evaluateAll((chips) =>
      Object.fromEntries(chips.map((chip) => [chip.dataset.agent, chip.querySelector('.badge').dataset.state])),
    );
  const agents = (await own.api('GET', '/api/v1/agents')).items;
  assert.deepEqual(shown, Object.fromEntries(agents.map((one) => [one.agentId, one.availability])));
  assert.ok(new Set(Object.values(shown)).size >= 2, JSON.stringify(shown));

  const tasks = (await own.api('GET', '/api/v1/tasks?limit=100')).items;
  const states = ['QUEUED', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'DEAD_LETTER'];
  const counts = Object.fromEntries(
    states.map((state) => [state, tasks.filter((task) => task.state === state).length]),
  );
  assert.ok(states.filter((state) => counts[state] > 0).length >= 3, JSON.stringify(counts));
  for (const state of states)
    assert.equal(
      await page.getByTestId(`count-${state}`).locator('.number').textContent(),
      String(counts[state]),
      state,
    );

  const inbox = await own.api('GET', '/api/v1/inbox?limit=50');
  assert.equal(await page.getByTestId('inbox-count').textContent(), String(inbox.total));
  const titles = await page.locator('[data-testid=inbox-item][data-kind=question] h3').allTextContents();
  assert.deepEqual(titles, ['Which colour for the button?', 'Which name for the table?']);

  for (const state of states) {
    await go(page, '#/');
    await page.getByTestId(`count-${state}`).click();
    await page.waitForFunction((to) => location.hash === to, `#/tasks?state=${state}`);
    await page
      .getByTestId(counts[state] ? 'task-card' : 'none')
      .first()
      .waitFor();
    const landed = await page.getByTestId('task-card').evaluateAll((cards) => cards.map((card) => card.dataset.state));
    assert.deepEqual(landed, Array(counts[state]).fill(state), state);
  }
  assert.deepEqual(page.faults, []);
});
