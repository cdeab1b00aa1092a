// The story of a task: what happened, who said what, what was asked and answered, in order, with the time that it
// waited and the time that somebody worked; and the drawing of its states with the way that it took.

import { html, about, Badge, span, stateWord, useLiveGet, Words } from './ui.js';
import { now } from './live.js';
import { minor, saying, verb, who } from './sentences.js';

/** @typedef {{at: string, by: string, type: string, data?: any, says: any, text?: any, link?: any}} Entry */

/**
 * What a kind of event means for the clock: from here on it waits, somebody works, or nothing changes.
 * @param {string} type
 */
const works = (type) =>
  /\.(acknowledged|progressed)$/.test(type)
    ? 'work'
    : /\.(completed|failed|cancelled|dead_lettered)$/.test(type)
      ? 'end'
      : /^(question|pull|child)\.|\.(remarked|commented|resolved|lease_extended|grace_given|edited|prioritised)$/.test(
            type,
          ) || /^run\.|\.(dependency_moved|notices?_\w+)$/.test(type)
        ? 'same'
        : 'wait';

/** What is written in its history. @param {api.HistoryItem} item @param {string} id @returns {Entry} */
function told(item, id) {
  const { at, by, type } = item;
  const data = /** @type {any} */ (item.data);
  const says = verb(type, data).join('it');
  const link =
    type === 'review.submitted' && html`<a href=${`#/tasks/${id}/review/${data.round}`}>Look at the change</a>`;
  const text =
    type === 'task.progressed' && data.percent != null
      ? html`<progress value=${data.percent} max="100" aria-label="done"></progress> <${Words}>${saying(data)}<//>`
      : saying(data) && html`<${Words}>${saying(data)}<//>`;
  return { at, by, type, data, says, text, link };
}

/** A question, and what came of it. @param {api.QuestionView} one @returns {Entry[]} */
function asked(one) {
  const { resolution: r } = one;
  const asks = {
    at: one.askedAt,
    by: one.agentId,
    type: 'question.asked',
    says: 'asked',
    text: html`<${Words}>${one.question}<//>`,
  };
  if (!r) return [{ ...asks, says: 'asks, and nobody answered yet' }];
  const says = r.type === 'human' ? 'answered' : r.type === 'timeout' ? 'went on, since nobody answered' : r.type;
  const late = one.lateAnswers.map((l) => ({
    at: l.at,
    by: l.by.displayName,
    type: 'question.answered_late',
    says: 'answered too late',
    text: html`<${Words}>${l.value}<//>`,
  }));
  const by = r.by.displayName;
  return [asks, { at: r.at, by, type: 'question.resolved', says, text: html`<${Words}>${r.value}<//>` }, ...late];
}

/** @param {{task: api.TaskView}} props */
export function Story({ task }) {
  const id = task.taskId;
  const rule = about.task(id);
  const questions = useLiveGet(`/api/v1/questions?task=${id}&state=all&limit=200`, rule).value?.items || [];
  const tree = useLiveGet(`/api/v1/tasks/${id}/tree`, rule).value?.items || [];
  // Of a review there are two records: its own says more when it is handed in, and the task's else.
  const reviewed = new Set(task.history.filter((one) => /^review\.submitted$/.test(one.type)).map((one) => one.at));
  const own = new Set(task.history.filter((one) => one.type.startsWith('task.')).map((o) => `${o.type} ${o.at}`));
  const history = task.history.filter((one) =>
    one.type === 'task.submitted'
      ? !reviewed.has(one.at)
      : one.type.startsWith('task.') ||
        one.type === 'review.submitted' ||
        !own.has(`${one.type.replace(/^review\./, 'task.')} ${one.at}`),
  );
  /** @type {Entry[]} */
  const all = [
    ...history.filter((one) => !/^question\./.test(one.type)).map((one) => told(one, id)),
    ...questions.flatMap(asked),
    ...tree
      .filter((/** @type {any} */ one) => one.parent === id)
      .map((/** @type {any} */ one) => ({
        at: one.createdAt,
        by: task.lease?.agentId || task.attempts.at(-1)?.agentId || 'its agent',
        type: 'child.made',
        says: 'delegated',
        text: html`<a href=${`#/tasks/${one.taskId}`}><${Words}>${one.title}<//></a> <${Badge} of=${one.state} />`,
      })),
    ...(task.pullRequests || []).map((pull) => ({
      at: pull.requestedAt,
      by: task.attempts.at(-1)?.agentId || 'its agent',
      type: 'pull.opened',
      says: 'opened a pull request',
      text: html`<${Words}>${pull.title}<//> <${Badge} of=${pull.state} />`,
    })),
  ];
  all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const ended = /^(COMPLETED|FAILED|CANCELLED|DEAD_LETTER)$/.test(task.state);
  const until = ended ? Date.parse(all.at(-1)?.at || '') : now();
  const spent = { work: 0, wait: 0, end: 0 };
  /** @type {('work' | 'wait' | 'end')[]} */
  const kinds = [];
  let [since, open] = [/** @type {'work' | 'wait' | 'end'} */ ('wait'), 0];
  all.forEach((one, i) => {
    const kind = works(one.type);
    if (kind !== 'same') since = kind;
    if (one.type === 'question.asked') open += 1;
    if (one.type === 'question.resolved') open -= 1;
    // Whoever works on it waits while a question is open.
    kinds.push(since === 'work' && open > 0 ? 'wait' : since);
    spent[kinds[i]] += (all[i + 1] ? Date.parse(all[i + 1].at) : until) - Date.parse(one.at);
  });
  /** What is of little weight, gathered to what stands before it. @type {{of: number, lesser: number[]}[]} */
  const rows = [];
  all.forEach((one, i) => {
    if (minor(one.type) && rows.length) rows[rows.length - 1].lesser.push(i);
    else rows.push({ of: i, lesser: [] });
  });
  const entry = (
    /** @type {number} */ i,
  ) => html`<strong title=${all[i].by}><${Words}>${who(all[i].by)}<//></strong> ${all[i].says}
    ${' '}<${When} at=${all[i].at} from=${all[i - 1]?.at} />`;
  return html`<section class="timeline" aria-label="story" data-testid="story"><h2>What happened</h2>
    <p class="muted">waited ${span(spent.wait)} · worked on ${span(spent.work)}</p>
    <ol>${rows.map(
      ({ of, lesser }, n) =>
        html`<li class=${`${kinds[of]}${n === rows.length - 1 ? ' last' : ''}`} key=${`${all[of].type}${all[of].at}`}
          data-type=${all[of].type}>${entry(of)}
          ${all[of].text && html`<div class="said">${all[of].text}</div>`}
          ${all[of].link && html`<p>${all[of].link}</p>`}
          ${
            lesser.length > 0 &&
            html`<details><summary class="muted">${lesser.length} of little weight</summary>
              ${lesser.map((i) => html`<p class="muted" key=${i}>${entry(i)}</p>`)}</details>`
          }</li>`,
    )}</ol></section>`;
}

/** @param {{at: string, from?: string}} props */
const When = ({ at, from }) =>
  html`<time class="muted" datetime=${at} title=${new Date(at).toLocaleString()}>${
    from ? `+${span(Date.parse(at) - Date.parse(from))}` : new Date(at).toLocaleTimeString()
  }</time>`;

/** Where each state stands in the drawing. @type {Record<string, [number, number]>} */
const PLACES = {
  QUEUED: [70, 40],
  ASSIGNED: [230, 40],
  IN_PROGRESS: [400, 40],
  COMPLETED: [590, 40],
  BLOCKED: [300, 125],
  IN_REVIEW: [440, 125],
  TIMEOUT: [150, 125],
  FAILED: [590, 125],
  DEAD_LETTER: [150, 205],
  CANCELLED: [440, 205],
};
/** The ways from one state to another; to CANCELLED there is one from each that is open. */
const WAYS = [
  ['QUEUED', 'ASSIGNED'],
  ['ASSIGNED', 'IN_PROGRESS'],
  ['IN_PROGRESS', 'COMPLETED'],
  ['IN_PROGRESS', 'BLOCKED'],
  ['IN_PROGRESS', 'IN_REVIEW'],
  ['IN_REVIEW', 'COMPLETED'],
  ['IN_PROGRESS', 'FAILED'],
  ['ASSIGNED', 'TIMEOUT'],
  ['IN_PROGRESS', 'TIMEOUT'],
  ['TIMEOUT', 'QUEUED'],
  ['TIMEOUT', 'DEAD_LETTER'],
];
/** Which state an event leads to. @type {Record<string, string>} */
const LEADS = {
  created: 'QUEUED',
  offered: 'ASSIGNED',
  acknowledged: 'IN_PROGRESS',
  progressed: 'IN_PROGRESS',
  answered: 'IN_PROGRESS',
  changes_requested: 'QUEUED',
  blocked: 'BLOCKED',
  submitted: 'IN_REVIEW',
  timed_out: 'TIMEOUT',
  requeued: 'QUEUED',
  retried: 'QUEUED',
  reassigned: 'QUEUED',
  released: 'QUEUED',
  completed: 'COMPLETED',
  approved: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  dead_lettered: 'DEAD_LETTER',
};

/** The states that a task can be in, and the way that this one took. @param {{task: api.TaskView}} props */
export function Machine({ task }) {
  const way = task.history
    .filter((one) => one.type.startsWith('task.'))
    .map((one) => LEADS[one.type.slice(5)])
    .filter((name, i, list) => name && name !== list[i - 1]);
  if (way.at(-1) !== task.state) way.push(task.state);
  const word = stateWord;
  const steps = way.slice(1).map((to, i) => `${way[i]} ${to}`);
  const all = [...new Set([...WAYS.map((pair) => pair.join(' ')), ...steps])];
  return html`<figure class="machine" data-testid="machine">
    <div class="scroll" tabindex="0" role="region" aria-label="drawing"><svg viewBox="0 0 670 240" role="img"
      aria-label=${`Its way: ${way.map(word).join(', then ')}`}>
    ${all.map((pair) => {
      const [from, to] = pair.split(' ');
      const [[x1, y1], [x2, y2]] = [PLACES[from], PLACES[to]];
      return html`<line key=${pair} class=${steps.includes(pair) ? 'taken' : ''} ...${{ x1, y1, x2, y2 }} />`;
    })}
    ${Object.entries(PLACES).map(
      ([name, [x, y]]) => html`<g key=${name}>
      <rect class=${name === task.state ? 'here' : way.includes(name) ? 'taken' : ''} x=${x - 58} y=${y - 17}
        width="116" height="34" rx="8" />
      <text class=${name === task.state ? 'here' : ''} x=${x} y=${y + 5}>${word(name)}</text></g>`,
    )}</svg></div>
    <figcaption class="muted">Its way: ${way.map(word).join(' → ')}</figcaption></figure>`;
}
