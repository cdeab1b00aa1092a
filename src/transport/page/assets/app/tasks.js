// Tasks: a board or a table with filters in the address, and one task closely.

import {
  html,
  about,
  Ago,
  Answer,
  Badge,
  Countdown,
  Empty,
  Facts,
  line,
  Problem,
  PullRequests,
  Reply,
  Sanitized,
  span,
  Tabs,
  titleOf,
  useLive,
  useLiveGet,
  useLivePages,
  useOrder,
  useState,
  Words,
} from './ui.js';
import { may, now, post, state } from './live.js';
import { Delegation } from './tree.js';

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
  return parts[0] ? html`<${Task} id=${parts[0]} part=${parts[1] || 'text'} />` : html`<${List} query=${query} />`;
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

/** @param {{query: URLSearchParams}} props */
function List({ query }) {
  useLive();
  const asked = new URLSearchParams({ limit: '100' });
  for (const key of ['state', 'agent', 'target', 'priority', 'q'])
    if (query.get(key)) asked.set(key, /** @type {string} */ (query.get(key)));
  const { items, error, more, there } = useLivePages(`/api/v1/tasks?${asked}`, about.tasks);
  const look = query.get('view') || 'board';
  const set = (/** @type {string} */ key) => (/** @type {any} */ event) => {
    location.hash = filtered(query, { [key]: event.target.value });
  };
  return html`
    <div class="line"><h1>Tasks</h1><span class="grow"></span><${Tabs} tabs=${[
      ['board', 'Board'],
      ['table', 'Table'],
    ]} current=${look} to=${(/** @type {string} */ view) => filtered(query, { view })} /></div>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label>
      Search <input type="search" value=${query.get('q') || ''} onChange=${set('q')} placeholder="words of the task" />
        </label>
      <label>State <select value=${query.get('state') || ''} onChange=${set('state')}><option value="">any</option>
      ${ALL.map((name) => html`<option value=${name}>${name.toLowerCase().replaceAll('_', ' ')}</option>`)}</select>
        </label>
      <label>Agent <select value=${query.get('agent') || ''} onChange=${set('agent')}><option value="">any</option>
      ${[...state.agents.values()].map((agent) => html`<option value=${agent.agentId}>${agent.displayName}</option>`)}
        </select></label>
      <label>Priority <select value=${query.get('priority') || ''} onChange=${set('priority')}>
      <option value="">any</option>
      ${['critical', 'high', 'normal'].map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
    </form>
    <${Problem} error=${error} />
    ${may('operate') && html`<${Add} />`}
    ${
      there &&
      !error &&
      items.length === 0 &&
      html`
        <${Empty} title="No task fits.">Hand one out above, or by <code>callboard task add AGENT "what to do"</code>
        .<//>`
    }
    ${
      look === 'board' &&
      items.length > 0 &&
      html`<div class="board">${COLUMNS.map(([word, states]) => {
        const own = items.filter((/** @type {any} */ task) => states.includes(task.state));
        return html`<section aria-label=${word}><h2>${word} <span class="count">${own.length}</span></h2>
          <ul class="plain">
          ${own.map((/** @type {any} */ task) => html`<li key=${task.taskId}><${Card} task=${task} /></li>`)}</ul>
            </section>`;
      })}</div>`
    }
    ${
      look === 'table' &&
      items.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label="tasks">
        <table class="stacks">
        <thead><tr><th>Task</th><th>State</th><th>Agent</th><th>Priority</th><th>From</th><th>Changed</th></tr></thead>
      <tbody>
      ${items.map(
        (/** @type {any} */ task) =>
          html`<tr key=${task.taskId} data-testid="task-row">
          <td>
          <a data-row href=${`#/tasks/${task.taskId}`}><${Words}>${titleOf(task)}<//></a> <${Sanitized} of=${task} />
          </td><td><${Badge} of=${task.state} /></td><td>${holder(task)}</td><td>${task.priority}</td>
          <td data-label="from">${task.from.displayName}</td>
          <td data-label="changed"><${Ago} at=${task.updatedAt} /></td></tr>`,
      )}</tbody></table></div>`
    }
    ${
      more &&
      html`<p class="line"><button onClick=${more}>Show more</button>
        <span class="muted">The newest ${items.length} are shown.</span></p>`
    }`;
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
  <span class="muted">${holder(task)} · from ${task.from.displayName} · <${Ago} at=${task.createdAt} /></span></a>`;

/** Hands out a task. */
function Add() {
  const [target, setTarget] = useState('');
  const [prompt, setPrompt] = useState('');
  const [busy, error, give] = useOrder();
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    give(() => post('/api/v1/tasks', { targetAgentId: target, prompt })).then((done) => done && setPrompt(''));
  };
  const roles = [...new Set([...state.agents.values()].map((agent) => agent.role).filter(Boolean))];
  return html`<details class="add"><summary>Hand out a task</summary><form class="reply" onSubmit=${submit}>
    <label>
    To <input list="targets" value=${target} onInput=${(/** @type {any} */ event) => setTarget(event.target.value)}
      placeholder="agent, or role:name" /></label>
    <datalist id="targets">${[...state.agents.values()].map((agent) => html`<option value=${agent.agentId} />`)}
    ${roles.map((role) => html`<option value=${`role:${role}`} />`)}</datalist>
    <label class="grow">
    What to do <textarea rows="2" value=${prompt}
      onInput=${(/** @type {any} */ event) => setPrompt(event.target.value)}></textarea></label>
    <button class="primary" disabled=${busy || !target.trim() || !prompt.trim()}>Hand out</button>
    <${Problem} error=${error} /></form></details>`;
}

/** One task. @param {{id: string, part: string}} props */
function Task({ id, part }) {
  useLive();
  const answer = useLiveGet(`/api/v1/tasks/${id}`, about.task(id));
  const { error } = answer;
  const task = /** @type {api.TaskView | undefined} */ (answer.value);
  const asked = useLiveGet(`/api/v1/questions?task=${id}&state=open&limit=1`, about.task(id));
  if (error && !task) return html`<h1>Task</h1><${Problem} error=${error} />`;
  if (!task) return html`<p class="muted">…</p>`;
  const open = /** @type {api.QuestionView | undefined} */ (asked.value?.items[0]);
  const reviewed = task.state === 'IN_REVIEW' || task.history.some((item) => item.type.startsWith('review.'));
  const tabs = /** @type {[string, string][]} */ ([
    ['text', 'Text'],
    ['result', 'Result'],
    ['review', 'Review'],
    ['json', 'JSON'],
  ]).filter(([key]) => key !== 'review' || reviewed || part === 'review');
  return html`
    <p><a href="#/tasks">Tasks</a> /</p>
    <div class="line"><h1><${Words}>${titleOf(task)}<//></h1></div>
    <p class="line">
    <${Badge} of=${task.state} /> <${Sanitized} of=${task} /> <span class="muted">
    ${task.priority} · for ${task.target} · from ${task.from.displayName} · attempt ${task.attempt}</span></p>
    ${
      task.deadline &&
      html`
        <p class="muted">
        Next: <time datetime=${task.deadline.at} title=${new Date(task.deadline.at).toLocaleString()}>
          in ${span(Date.parse(task.deadline.at) - now())}</time>, ${task.deadline.reason}</p>`
    }
    ${task.waitsFor && html`<p>Waits: <${Words}>${task.waitsFor}<//></p>`}
    ${
      open &&
      html`<section class="card" aria-label="question">
        <h2><${Words}>${open.question}<//> <${Sanitized} of=${open} /></h2>
        <p class="muted">asked by <a href=${`#/agents/${open.agentId}`}>
        ${open.agentId}
          </a> · <${Countdown} at=${open.expiresAt}
          then=${open.dangerous ? 'nothing: it stays open' : `it goes on with: ${open.defaultAction}`} /></p>
            <${Answer} id=${open.id} question=${open} /></section>`
    }
    ${
      task.state === 'BLOCKED' &&
      !open &&
      html`<${Reply} path=${`/api/v1/tasks/${id}/answer`} label="Answer, so that it goes on" field="answer" />`
    }
    ${task.state === 'QUEUED' && html`<${Why} id=${id} />`}
    ${may('operate') && html`<${Orders} task=${task} />`}
    <${PullRequests} list=${task.pullRequests} />
    <${Delegation} id=${id} />
    <div class="columns"><${Timeline} task=${task} />
      <section class="grow" aria-label="details">
      <${Tabs} tabs=${tabs} current=${part} to=${(/** @type {string} */ key) => `#/tasks/${id}/${key}`} />
        ${
          part === 'json'
            ? html`<pre class="code">${JSON.stringify(task, null, 2)}</pre>`
            : part === 'result'
              ? html`<${Result} task=${task} />`
              : part === 'review'
                ? html`<${Lazy} id=${id} />`
                : html`<${Text} task=${task} />`
        }
      </section></div>`;
}

/** The review comes with a module of its own. @param {{id: string}} props */
function Lazy({ id }) {
  const [Review, show] = useState(/** @type {any} */ (null));
  if (!Review) import('./review.js').then((m) => show(() => m.Review));
  return Review ? html`<${Review} id=${id} />` : null;
}

/** @param {{task: api.TaskView}} props */
const Text = ({ task }) => html`<pre class="text"><${Words}>${task.prompt}<//></pre>
  <${Facts} rows=${[
    ['task', task.taskId],
    ['created', html`<${Ago} at=${task.createdAt} />`],
    ['through', task.via?.map((/** @type {any} */ v) => v.displayName).join(' → ')],
    [
      'depends on',
      task.dependencies?.length
        ? task.dependencies.map(
            (/** @type {any} */ d) => html`<a href=${`#/tasks/${d.taskId || d}`}>${d.taskId || d}</a> `,
          )
        : '',
    ],
    ['holder', task.lease?.agentId],
  ]} />
  ${
    task.comments?.length > 0 &&
    html`<h3>Remarks</h3>
      <ul class="plain">
      ${task.comments.map(
        (c) =>
          html`<li data-testid="remark"><${Words}>${c.text}<//>
          <${Sanitized} of=${c} /> <span class="muted">${c.from.displayName}</span></li>`,
      )}</ul>`
  }`;

/** @param {{task: api.TaskView}} props */
const Result = ({ task }) =>
  (task.attempts || []).length === 0
    ? html`<${Empty} title="No result yet." />`
    : html`${task.attempts.map(
        (/** @type {any} */ attempt) =>
          html`<section>
            <h3>
            Attempt ${attempt.number} · ${attempt.agentId} ${
              attempt.outcome && html`· ${attempt.outcome}`
            } <${Sanitized} of=${attempt} /></h3>
                <pre class="text"><${Words}>${attempt.message || 'nothing said yet'}<//></pre>
  ${
    attempt.artifacts?.length > 0 &&
    html`<ul>
      ${attempt.artifacts.map(
        (/** @type {any} */ a) =>
          html`<li>
          ${
            /^https?:/.test(a.url || '')
              ? html`<a href=${a.url} rel="noreferrer noopener" target="_blank">${a.title || a.url}</a>`
              : a.title || a.path || JSON.stringify(a)
          }</li>`,
      )}</ul>`
  }</section>`,
      )}`;

/** Why nobody works on it. @param {{id: string}} props */
function Why({ id }) {
  const { value } = useLiveGet(
    `/api/v1/tasks/${id}/why`,
    (event) => about.task(id)(event) || Boolean(event.subject.agent),
  );
  if (!value) return null;
  return html`<details class="why" open><summary>Why nobody works on it: <${Words}>${value.summary}<//></summary>
    <ul>
    ${value.agents.map(
      (/** @type {any} */ agent) =>
        html`<li>
        <a href=${`#/agents/${agent.agentId}`}>
        ${agent.agentId}</a>: ${agent.eligible ? 'could take it' : agent.reasons.join('; ')}</li>`,
    )}</ul></details>`;
}

/**
 * What a kind of event means for the clock: from here on it waits, somebody works, or nothing changes.
 * @param {string} type
 */
const works = (type) =>
  /\.(acknowledged|progressed)$/.test(type)
    ? 'work'
    : /\.(completed|failed|cancelled|dead_lettered)$/.test(type)
      ? 'end'
      : /\.(remarked|commented|resolved|lease_extended|grace_given|prioritised|dependency_moved)$/.test(type)
        ? 'same'
        : 'wait';

/**
 * Its life from the beginning: time that it waited apart from time that somebody worked.
 * @param {{task: api.TaskView}} props
 */
function Timeline({ task }) {
  // Of a review there are two records: the task's own says the same.
  const own = new Set(
    (task.history || []).filter((item) => item.type.startsWith('task.')).map((item) => `${item.type} ${item.at}`),
  );
  const items = (task.history || []).filter(
    (item) => !own.has(`${item.type.replace(/^review\./, 'task.')} ${item.at}`) || item.type.startsWith('task.'),
  );
  const spent = { work: 0, wait: 0, end: 0 };
  /** @type {('work' | 'wait' | 'end')[]} */
  const kinds = [];
  items.forEach((item, i) => {
    const kind = works(item.type);
    kinds.push(kind === 'same' ? kinds[i - 1] || 'wait' : kind);
    const until = items[i + 1] ? Date.parse(items[i + 1].at) : now();
    spent[kinds[i]] += until - Date.parse(item.at);
  });
  return html`<section class="timeline" aria-label="timeline"><h2>Timeline</h2>
    <p class="muted">waited ${span(spent.wait)} · worked on ${span(spent.work)}</p>
    <ol>
    ${items.map(
      (/** @type {any} */ item, i) =>
        html`<li class=${`${kinds[i]}${i === items.length - 1 ? ' last' : ''}`} key=${item.seq}>
        <strong>${item.type.replace(/^\w+\./, '').replaceAll('_', ' ')}</strong> <span class="muted">
        ${item.by.replace(/^\w+:/, '')} · <time datetime=${item.at} title=${new Date(item.at).toLocaleString()}>
          ${
            i === 0
              ? new Date(item.at).toLocaleTimeString()
              : `+${span(Date.parse(item.at) - Date.parse(items[i - 1].at))}`
          }</time></span>
              ${
                (item.data?.message || item.data?.reason) &&
                html`<p><${Words}>${line(item.data.message || item.data.reason, 240)}<//></p>`
              }</li>`,
    )}</ol></section>`;
}

/** What people may do with it. @param {{task: api.TaskView}} props */
function Orders({ task }) {
  const [busy, error, give] = useOrder();
  const [form, open] = useState('');
  const [words, type] = useState('');
  const closed = ['COMPLETED', 'CANCELLED'].includes(task.state);
  const to = (/** @type {string} */ order, /** @type {any} */ body = {}) =>
    give(() => post(`/api/v1/tasks/${task.taskId}/${order}`, body)).then((done) => {
      if (done) {
        open('');
        type('');
      }
    });
  const orders = /** @type {[string, string, boolean][]} */ ([
    ['retry', 'Retry', ['FAILED', 'TIMEOUT'].includes(task.state)],
    ['requeue', 'Requeue', task.state === 'DEAD_LETTER'],
    ['reassign', 'Reassign …', !closed && task.state !== 'FAILED'],
    ['comments', 'Remark …', !closed],
    ['cancel', 'Cancel …', !closed && task.state !== 'FAILED'],
  ]);
  const body = () =>
    form === 'reassign'
      ? { targetAgentId: words }
      : form === 'comments'
        ? { text: words }
        : words
          ? { reason: words }
          : {};
  const asks = /** @type {Record<string, string>} */ ({
    reassign: 'To which agent or role?',
    comments: 'What do you want to say?',
    cancel: 'Why? (optional)',
  });
  return html`<div class="orders">
    ${orders
      .filter(([, , fits]) => fits)
      .map(
        ([order, word]) =>
          html`
        <button key=${order} disabled=${busy} aria-expanded=${order in asks ? String(form === order) : undefined}
        onClick=${() => (order in asks ? open(form === order ? '' : order) : to(order))}>${word}</button>`,
      )}
    ${
      form &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        to(form, body());
      }}><label class="grow">
        ${asks[form]} <input value=${words} onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
          <button class="primary" disabled=${busy || (form !== 'cancel' && !words.trim())}>
          ${form === 'cancel' ? 'Cancel the task' : 'Send'}</button></form>`
    }
    <${Problem} error=${error} /></div>`;
}
