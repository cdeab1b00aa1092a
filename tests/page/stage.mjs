// The hub of `callboard serve --demo`, on which everything happens that the page can show, and the names of what is there.
// The pictures of README are taken of it.

import { hub, until } from './support.mjs';

/** Starts it. Gives the hub, with the ids that the tests and pictures go to. */
export async function stage(options = {}) {
  const own = await hub({ ...options, demo: true });
  const { items: tasks } = await own.api('GET', '/api/v1/tasks?limit=100');
  const named = (title) => tasks.find((task) => (task.title || task.prompt) === title).taskId;
  const { items: agents } = await own.api('GET', '/api/v1/agents');
  const { sessionId } = agents.find((one) => one.agentId === 'ops-1');
  // The workflow's question comes a moment after the link.
  await until(async () => (await own.api('GET', '/api/v1/questions')).items.length === 2, { why: 'no workflow asks' });
  return {
    own,
    sessionId,
    main: named('Lock accounts after five wrong passwords'),
    locking: named('Count failures and lock'),
    showing: named('Show the lock on the log-in page'),
  };
}
