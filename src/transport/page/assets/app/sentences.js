// What happened, as sentences: of events, of the story of a task, and of what people did lately.

import { html, Ago, Empty, line, titleOf, useEffect, useLive, useState, Words } from './ui.js';
import { events, get, state } from './live.js';

/** A long id as its beginning. @param {string} id */
const short = (id) => (id.length > 32 ? `${id.slice(0, 31)}…` : id);

/** Whoever did it, by a name that people know. @param {string} principal */
export const who = (principal) => short(principal.replace(/^\w+:/, '').replace(/^hub$/, 'the hub'));

const until = (/** @type {string} */ at) => new Date(at).toLocaleTimeString();
const said = (/** @type {any} */ data) => data.message || data.reason || data.text || data.response || '';

/**
 * What follows the name of who did it; `{it}` stands for the task, agent or question that it is about.
 * @type {Record<string, string | ((data: any) => string)>}
 */
const VERBS = {
  'task.created': (d) => `handed {it} out to ${short(d.target)}`,
  'task.offered': 'offered {it}',
  'task.acknowledged': 'took {it} up',
  'task.progressed': (d) => `is ${d.percent != null ? `${d.percent} % through` : 'getting on with'} {it}`,
  'task.lease_extended': (d) => `keeps {it} until ${until(d.expiresAt)}`,
  'task.grace_given': 'gave {it} more time',
  'task.blocked': 'cannot go on with {it}',
  'task.answered': 'answered, so that {it} goes on',
  'task.completed': 'completed {it}',
  'task.responded': 'reported on {it}',
  'task.failed': 'could not do {it}',
  'task.cancelled': 'cancelled {it}',
  'task.timed_out': 'saw no progress of {it} in time',
  'task.dead_lettered': 'gave {it} up after its last attempt',
  'task.requeued': 'put {it} back into the queue',
  'task.retried': 'had {it} tried again',
  'task.reassigned': (d) => `gave {it} to ${short(d.target || 'somebody else')}`,
  'task.released': 'gave {it} back',
  'task.edited': 'changed what {it} asks',
  'task.prioritised': (d) => `made {it} ${d.priority}`,
  'task.remarked': 'remarked on {it}',
  'task.commented': 'remarked on {it}',
  'task.submitted': 'handed {it} in for review',
  'task.approved': 'approved {it}',
  'task.changes_requested': 'sent {it} back with wishes',
  'task.notice_heard': 'read what was said of {it}',
  'review.submitted': (d) => `handed {it} in for review, round ${d.round}`,
  'review.commented': (d) => `commented on ${d.file ? `${d.file}${d.line ? `, line ${d.line}` : ''}` : 'the change'}`,
  'review.resolved': 'answered a comment on {it}',
  'review.approved': 'approved {it}',
  'review.changes_requested': 'asked for changes of {it}',
  'review.taken_back': 'took the approval of {it} back',
  'question.asked': (d) => `asked: ${d.question || 'a question'}`,
  'question.resolved': (d) =>
    d.resolution?.type === 'timeout' ? `went on with “${d.resolution.value}”, since nobody answered` : answered(d),
  'question.reminded': 'reminded people of an open question',
  'question.overdue': 'saw a question pass its time without an answer',
  'question.answered_late': 'answered a question that was settled already',
  'agent.registered': 'came to work',
  'agent.departed': 'went away',
  'agent.evicted': 'sent {it} away',
  'agent.notices_heard': 'told {it} the news',
  'session.opened': 'began a session',
  'session.closed': 'ended a session',
  'session.workflow_status': (d) => `is ${(d.workflowStatus || 'at work').replaceAll('_', ' ')}`,
  'session.input_ordered': 'had an answer typed into a terminal',
  'hub.started': 'started',
  'hub.stopped': 'stopped',
  'hub.delivery_retried': 'tried a delivery again',
  'hub.delivery_dropped': 'dropped a delivery',
  'hub.webhook_added': (d) => `added the webhook ${d.name || ''}`,
  'hub.webhook_removed': (d) => `removed the webhook ${d.name || ''}`,
  'schedule.created': (d) => `made the schedule ${d.name || d.spec?.name || ''}`,
  'schedule.changed': (d) => `changed the schedule ${d.name || d.spec?.name || ''}`,
  'schedule.removed': (d) => `removed the schedule ${d.name || d.spec?.name || ''}`,
  'workflow.started': (d) => `started the workflow ${d.name || ''}`,
  'workflow.cancelled': 'cancelled a workflow',
};
/** @param {any} data */
function answered({ resolution }) {
  return `answered a question: ${resolution?.value || 'something'}`;
}

/** What is of little weight in a story: it folds away. @param {string} type */
export const minor = (type) =>
  /\.(lease_extended|grace_given|dependency_moved|reminded|offered|notices?_\w+)$/.test(type);

/** The sentence without its subject, cut at `{it}`. @param {string} type @param {any} data */
export function verb(type, data = {}) {
  const words = VERBS[type] || `${type.replace(/^\w+\./, '').replaceAll('_', ' ')}: {it}`;
  return (typeof words === 'string' ? words : words(data || {})).split('{it}');
}

/** What was said with it. @param {any} data */
export const saying = (data) => said(data || {});

// ---- names of tasks ----

/** @type {Map<string, string>} */
const titles = new Map();
/** @type {Promise<any> | undefined} */
let newest;
let turn = Promise.resolve();
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {api.TaskView} task */
const keep = (task) => void titles.set(task.taskId, titleOf(task));

/**
 * A task by its title, which is read once: the newest all together, an older one by itself.
 * @param {{id: string, plain?: boolean}} props
 */
export function TaskName({ id, plain }) {
  const [title, name] = useState(titles.get(id) || '');
  useEffect(() => {
    if (title) return;
    let gone = false;
    const look = () => !gone && titles.has(id) && name(titles.get(id) || '');
    newest ||= get('/api/v1/tasks?limit=200').then(
      ({ items }) => items.forEach(keep),
      () => {},
    );
    newest.then(look);
    turn = turn
      .then(() => newest)
      .then(async () => {
        if (gone || titles.has(id)) return;
        await get(`/api/v1/tasks/${id}`).then(keep, () => {});
        await pause(150);
      })
      .then(() => void look());
    return () => {
      gone = true;
    };
  }, [id]);
  const words = html`<${Words}>${line(title, 70) || `task …${id.slice(-6)}`}<//>`;
  return plain ? words : html`<a href=${`#/tasks/${id}`}>${words}</a>`;
}

/** An event as a sentence. @param {{event: api.Event, plain?: boolean}} props `plain`: without links */
export function Sentence({ event, plain }) {
  const { task, agent } = event.subject;
  const it = task
    ? html`<${TaskName} id=${task} plain=${plain} />`
    : agent && plain
      ? agent
      : agent && html`<a href=${`#/agents/${encodeURIComponent(agent)}`}>${agent}</a>`;
  const [before, ...after] = verb(event.type, event.data);
  const words = saying(event.data);
  return html`<span class="sentence"><strong><${Words}>${who(event.actor.principal)}<//></strong>
    ${' '}<${Words}>${before}<//>${after.map((rest) => html`${it}<${Words}>${rest}<//>`)}${
      after.length === 0 && task && html` · ${it}`
    }${words && html`<span class="muted">: <${Words}>${words.slice(0, 160)}<//></span>`}</span>`;
}

/** The most events that are asked for from before the page followed the stream. */
const BEFORE = 200;

/** Puts the newest events from before the first known one before it, unless they are there already. */
export async function before() {
  const known = state.events[0]?.seq ?? state.seq + 1;
  const from = Math.max(0, state.seq - BEFORE);
  if (known <= from + 1) return;
  const ended = new AbortController();
  /** @type {api.Event[]} */
  const older = [];
  try {
    await events(from, ended.signal, (event) => {
      if (event.seq && event.seq < known) older.push(event);
      return !event.seq || event.seq < known - 1;
    });
  } finally {
    ended.abort();
  }
  // Whatever came meanwhile by the stream is behind them; asked for twice, they are there once.
  if (older.length > 0 && (state.events[0]?.seq ?? known) > older[0].seq) state.events.unshift(...older);
}

/** How many acts of people are shown. */
const LATELY = 20;
/** Whether a person did it, or a program by their leave. @param {api.Event} event */
const byPeople = ({ actor }) =>
  ['discord', 'page', 'cli', 'api', 'tracker'].includes(actor.surface) && !/^(hub$|agent:)/.test(actor.principal);

/** What people did lately, the newest first. */
export function Lately() {
  useLive();
  const [, again] = useState(0);
  useEffect(() => {
    before().then(
      () => again((n) => n + 1),
      () => {},
    );
  }, []);
  // Of a review there are two records: the task's own says the same.
  const acts = state.events
    .filter((one) => byPeople(one) && !/^review\.(approved|changes_requested)$/.test(one.type))
    .slice(-LATELY)
    .reverse();
  if (acts.length === 0) return html`<${Empty} title="Nobody did anything of late." />`;
  return html`<ol class="plain log" data-testid="lately">${acts.map(
    (event) => html`<li key=${event.seq} class="line"><span class="grow"><${Sentence} event=${event} /></span>
      <span class="muted">${event.actor.surface} · <${Ago} at=${event.time} /></span></li>`,
  )}</ol>`;
}
