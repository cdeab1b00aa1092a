// Tasks: a board or a table with filters in the address.

import {
  html,
  about,
  Ago,
  Badge,
  Empty,
  Filter,
  Press,
  Problem,
  Sanitized,
  Tabs,
  titleOf,
  useEffect,
  useLive,
  useLivePages,
  useOrder,
  useRef,
  useState,
  Words,
} from './ui.js';
import { may, post, state } from './live.js';
import { Copy, HandOut } from './parts.js';
import { Task } from './task.js';

/** The columns of the board: what it is called, and the states that stand in it. */
const COLUMNS = /** @type {[string, string[]][]} */ ([
  ['Queued', ['QUEUED']],
  ['Offered', ['ASSIGNED']],
  ['In progress', ['IN_PROGRESS']],
  ['Needs a person', ['BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'DEAD_LETTER']],
  ['Done', ['COMPLETED', 'FAILED', 'CANCELLED']],
]);
const ALL = COLUMNS.flatMap(([, states]) => states);

/** @param {{parts: string[], query: URLSearchParams}} props */
export function Tasks({ parts, query }) {
  return parts[0] ? html`<${Task} key=${parts[0]} id=${parts[0]} parts=${parts} />` : html`<${List} query=${query} />`;
}

/**
 * The address of this list with another filter.
 * @param {URLSearchParams} query
 * @param {Record<string, string>} change
 */
function filtered(query, change) {
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(change)) value ? next.set(key, value) : next.delete(key);
  return `#/tasks${next.size ? `?${next}` : ''}`;
}

/** How many tasks a column begins with, and how many come at once. */
const PIECE = 100;

/** @param {{query: URLSearchParams}} props */
function List({ query }) {
  useLive();
  const look = query.get('view') || 'board';
  const set = (/** @type {string} */ key) => (/** @type {string} */ value) =>
    location.replace(filtered(query, { [key]: value }));
  const chosen = (/** @type {string} */ key) => (/** @type {any} */ event) => set(key)(event.target.value);
  return html`
    <div class="line"><h1>Tasks</h1><span class="grow"></span><${Tabs} tabs=${[
      ['board', 'Board'],
      ['table', 'Table'],
    ]} current=${look} to=${(/** @type {string} */ view) => filtered(query, { view })} /></div>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Filter} label="Search" value=${query.get('q') || ''} set=${set('q')} placeholder="words of the task" />
      <label>State <select value=${query.get('state') || ''} onChange=${chosen('state')}><option value="">any</option>
      ${ALL.map((name) => html`<option value=${name}>${name.toLowerCase().replaceAll('_', ' ')}</option>`)}</select>
        </label>
      <label>Agent <select value=${query.get('agent') || ''} onChange=${chosen('agent')}><option value="">any</option>
      ${[...state.agents.values()].map((agent) => html`<option value=${agent.agentId}>${agent.displayName}</option>`)}
        </select></label>
      <label>Priority <select value=${query.get('priority') || ''} onChange=${chosen('priority')}>
      <option value="">any</option>
      ${['critical', 'high', 'normal'].map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
    </form>
    <p class="line"><span class="tabs">${KEPT.map(
      ([states, word]) => html`<a href=${filtered(query, { state: states })}
        aria-current=${(query.get('state') || '') === states ? 'true' : undefined}>${word}</a>`,
    )}</span><${Copy} words=${location.href} label="Copy this filter" /></p>
    ${may('operate') && html`<details class="add"><summary>Hand out a task</summary><${HandOut} /></details>`}
    ${look === 'table' ? html`<${Table} query=${query} />` : html`<${Board} query=${query} />`}`;
}

/** The question to the hub that a filter is. @param {URLSearchParams} query @param {string[]} [states] */
function asked(query, states) {
  const words = new URLSearchParams({ limit: String(PIECE) });
  for (const key of ['state', 'agent', 'target', 'priority', 'q'])
    if (query.get(key)) words.set(key, query.get(key) || '');
  if (states) words.set('state', states.join());
  return `/api/v1/tasks?${words}`;
}

/** What moves no task from one state to another. */
const STAYS = /\.(commented|remarked|progressed|lease_extended|grace_given|resolved|notice_\w+)$/;

/**
 * Each column is a list of its own: what is queued pushes out nothing that needs a person.
 * @param {{query: URLSearchParams}} props
 */
function Board({ query }) {
  const only = (query.get('state') || '').split(',').filter(Boolean);
  const columns = COLUMNS.map(
    ([word, states]) =>
      /** @type {[string, string[]]} */ ([word, only.length ? states.filter((one) => only.includes(one)) : states]),
  );
  const [found, count] = useState(/** @type {Record<string, number>} */ ({}));
  const tell = (/** @type {string} */ word, /** @type {number} */ n) =>
    count((old) => (old[word] === n ? old : { ...old, [word]: n }));
  const wanted = columns.filter(([, states]) => states.length);
  const none = wanted.every(([word]) => found[word] === 0);
  return html`${
    none &&
    html`<${Empty} title="No task fits.">Hand one out above, or by
      ${' '}<code>callboard task add AGENT "what to do"</code>.<//>`
  }
    <div class=${none ? 'hidden' : 'board'}>${columns.map(
      ([word, states]) =>
        html`<${Column} key=${word} word=${word} query=${query} states=${states}
          tell=${(/** @type {number} */ n) => tell(word, n)} />`,
    )}</div>`;
}

/** @param {{word: string, query: URLSearchParams, states: string[], tell: (n: number) => void}} props */
function Column({ word, query, states, tell }) {
  const own = useRef(/** @type {Set<string>} */ (new Set()));
  const rule = (/** @type {api.Event} */ event) =>
    Boolean(event.subject.task) && (!STAYS.test(event.type) || own.current.has(event.subject.task || ''));
  const { items, total, error, more, there } = useLivePages(states.length ? asked(query, states) : null, rule);
  own.current = new Set(items.map((task) => task.taskId));
  // Where the hub counts only by state, a filter is counted as far as it was read.
  const filtered = ['agent', 'target', 'priority', 'q'].some((key) => query.get(key));
  const counted = filtered ? undefined : states.reduce((all, one) => all + (counts()[one] || 0), 0);
  const n = total ?? counted ?? items.length;
  useEffect(() => {
    if (there) tell(items.length);
  }, [there, items.length]);
  return html`<section aria-label=${word} data-testid="column"><h2>${word}
      ${' '}<span class="count" data-testid="column-count">${n}${filtered && more && '+'}</span></h2>
    <${Problem} error=${error} />
    <ul class="plain">${items.map((task) => html`<li key=${task.taskId}><${Card} task=${task} /></li>`)}</ul>
    ${more && html`<button onClick=${more}>Show ${PIECE} more</button>`}</section>`;
}

const counts = () => /** @type {Record<string, number>} */ (state.overview?.tasks || {});

/** @param {{query: URLSearchParams}} props */
function Table({ query }) {
  const [chosen, choose] = useState(/** @type {Set<string>} */ (new Set()));
  const { items, total, error, more, there } = useLivePages(asked(query), about.tasks);
  if (error) return html`<${Problem} error=${error} />`;
  if (!there) return html`<p class="muted">…</p>`;
  if (items.length === 0)
    return html`<${Empty} title="No task fits.">Hand one out above, or by
      ${' '}<code>callboard task add AGENT "what to do"</code>.<//>`;
  const picked = items.filter((/** @type {api.TaskView} */ task) => chosen.has(task.taskId));
  const turn = (/** @type {string} */ id) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return html`<${Several} chosen=${picked} settled=${() => choose(new Set())} />
    <div class="scroll" tabindex="0" role="region" aria-label="tasks">
    <table class="stacks">
    <thead><tr><th>Task</th><th>State</th><th>Agent</th><th>Priority</th><th>From</th><th>Changed</th></tr></thead>
    <tbody>
    ${items.map(
      (/** @type {api.TaskView} */ task) =>
        html`<tr key=${task.taskId} data-testid="task-row">
        <td>${
          may('operate') &&
          html`<input type="checkbox" class="choose" aria-label=${`choose ${titleOf(task)}`}
            checked=${chosen.has(task.taskId)} onChange=${() => turn(task.taskId)} /> `
        }<a data-row href=${`#/tasks/${task.taskId}`}><${Words}>${titleOf(task)}<//></a>
          ${' '}<${Sanitized} of=${task} /></td>
        <td><${Badge} of=${task.state} /></td>
        <td><span class="id" title=${holder(task)}>${holder(task)}</span></td><td>${task.priority}</td>
        <td data-label="from">${task.from.displayName}</td>
        <td data-label="changed"><${Ago} at=${task.updatedAt} /></td></tr>`,
    )}</tbody></table></div>
    <p class="line">${more && html`<button onClick=${more}>Show ${PIECE} more</button>`}
      <span class="muted" data-testid="of-all">
        ${total !== undefined ? `${items.length} of ${total}.` : more && `The newest ${items.length}.`}</span></p>`;
}

const holder = (/** @type {api.TaskView} */ task) =>
  task.lease?.agentId || task.attempts?.at(-1)?.agentId || task.target;

/** @param {{task: api.TaskView}} props */
const Card = ({ task }) => html`
  <a class="card small" data-row href=${`#/tasks/${task.taskId}`} data-testid="task-card" data-state=${task.state}>
  <span class="line"><${Badge} of=${task.state} /><span class="grow"></span>
  ${
    task.priority !== 'normal' &&
    html`<span class=${task.priority === 'critical' ? 'mark urgent' : 'mark'}>${task.priority}</span>`
  }</span>
  <strong><${Words}>${titleOf(task)}<//></strong><${Sanitized} of=${task} />
  <span class="muted id" title=${holder(task)}>${holder(task)}</span>
  <span class="muted">from ${task.from.displayName} · <${Ago} at=${task.createdAt} /></span></a>`;

/** Filters that are wanted again and again; any other is kept by its address. */
const KEPT = /** @type {[string, string][]} */ ([
  ['', 'All'],
  ['BLOCKED,IN_REVIEW,TIMEOUT,DEAD_LETTER', 'Needs a person'],
  ['ASSIGNED,IN_PROGRESS', 'At work'],
  ['FAILED,DEAD_LETTER', 'Went wrong'],
]);

/** What is done to all that were chosen. @param {{chosen: api.TaskView[], settled: () => void}} props */
function Several({ chosen, settled }) {
  const [busy, error, give] = useOrder();
  if (chosen.length === 0 || !may('operate')) return null;
  const fits = (/** @type {string[]} */ states) => chosen.filter((task) => states.includes(task.state));
  /** @type {[string, string, string, api.TaskView[], string][]} */
  const orders = [
    ['cancel', 'Cancel', 'cancelled', chosen.filter((t) => !ENDED.includes(t.state)), 'They end for good'],
    ['retry', 'Try again', 'tried again', fits(['FAILED', 'TIMEOUT']), ''],
    ['requeue', 'Requeue', 'back in the queue', fits(['DEAD_LETTER']), ''],
  ];
  const all = (/** @type {api.TaskView[]} */ list, /** @type {string} */ order, /** @type {string} */ said) => () =>
    give(async () => {
      for (const task of list) await post(`/api/v1/tasks/${task.taskId}/${order}`);
    }, `${list.length} tasks ${said}`).then((ok) => ok && settled());
  return html`<div class="line several" role="toolbar" aria-label="what is done to all that are chosen"
    data-testid="several"><strong>${chosen.length} chosen</strong>${orders
      .filter(([, , , list]) => list.length > 0)
      .map(
        ([order, word, said, list, harm]) => html`<${Press} key=${order} disabled=${busy} harm=${harm}
          onPress=${all(list, order, said)}>${word} ${list.length}<//>`,
      )}
    <button onClick=${settled}>Choose none</button><${Problem} error=${error} /></div>`;
}
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];
