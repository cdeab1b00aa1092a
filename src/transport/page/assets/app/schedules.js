// Schedules: work that is handed out at its time, or when other work ends.

import { html, Ago, Badge, Countdown, Empty, Press, Problem, useLiveGet, useOrder, useState, Words } from './ui.js';
import { TaskName } from './sentences.js';
import { Fields } from './parts.js';
import { ask, may, post } from './live.js';

const path = (/** @type {string} */ name) => `/api/v1/schedules/${encodeURIComponent(name)}`;

/** How long a list is good in which moments come near, in milliseconds. */
const EVERY = 10000;

export function Schedules() {
  const rule = (/** @type {api.Event} */ event) => /^schedule\./.test(event.type) || Boolean(event.subject.task);
  const [round, again] = useState(0);
  const { value, error } = useLiveGet(`/api/v1/schedules?${round % 2 ? '' : '&'}`, rule, EVERY);
  const items = /** @type {api.ScheduleView[]} */ (value?.items || []);
  const settled = () => again(round + 1);
  return html`<h1>Schedules ${value && html`<span class="count">${items.length}</span>`}</h1>
    <p class="muted">Work that is handed out at its time, or when other work ends.</p>
    ${may('operate') && html`<${Add} settled=${settled} />`}
    <${Problem} error=${error} />
    ${value && items.length === 0 && html`<${Empty} title="Nothing is scheduled.">Add one above.<//>`}
    <ul class="cards">${items.map((one) => html`<${One} key=${one.name} of=${one} settled=${settled} />`)}</ul>`;
}

/** @param {{of: api.ScheduleView, settled: () => void}} props */
function One({ of, settled }) {
  const [busy, error, give] = useOrder();
  const { definition: what, name } = of;
  const does = (/** @type {() => Promise<any>} */ order, /** @type {string} */ said) => give(order, said).then(settled);
  return html`<li class="card" data-row tabindex="0" data-testid="schedule" data-name=${name}>
    <div class="line"><${Badge} of=${of.state} /><span class="grow"></span>
      ${of.next && !what.paused && html`<${Countdown} at=${of.next} />`}</div>
    <h3><${Words}>${name}<//></h3>
    <p><${Words}>${of.when}<//>, for <${Words}>${what.target}<//></p>
    <p class="muted"><${Words}>${what.title || what.prompt.slice(0, 200)}<//></p>
    <p class="muted">by ${of.madeBy} · ${of.fired} handed out${of.missed > 0 && `, ${of.missed} missed`}${
      of.skipped > 0 && `, ${of.skipped} left out`
    }${of.due > 0 && `, ${of.due} wait`}${
      of.lastTask && html` · last: <${TaskName} id=${of.lastTask} />`
    }${of.lastMoment && html`, <${Ago} at=${of.lastMoment} />`}</p>
    ${of.lastUnused && html`<p><${Words}>${of.lastUnused}<//></p>`}
    ${
      may('operate') &&
      html`<div class="options">
        <button disabled=${busy} onClick=${() => does(() => post(`${path(name)}/run`), `${name}: a task now`)}>
          Run now</button>
        ${
          !of.inSettings &&
          html`<button disabled=${busy} onClick=${() =>
            does(
              () => ask('PATCH', path(name), { paused: !what.paused }),
              what.paused ? `${name} goes on` : `${name} is paused`,
            )}>${what.paused ? 'Go on' : 'Pause'}</button>
          <${Press} disabled=${busy} harm="It is gone, with what waits" onPress=${() =>
            does(() => ask('DELETE', path(name), {}), `${name} removed`)}>Remove<//>`
        }</div>`
    }
    ${of.inSettings && html`<p class="muted">It stands in schedules.yaml, and is changed there.</p>`}
    <${Problem} error=${error} /></li>`;
}

const KINDS = [
  ['cron', 'by a pattern'],
  ['every', 'again and again'],
  ['at', 'once'],
  ['after', 'after other work'],
];
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const EMPTY = { name: '', target: '', title: '', prompt: '', kind: 'cron', priority: 'normal', overlap: 'skip' };
const WHEN = { cron: '', timezone: HERE, every: '', at: '', role: '', state: 'COMPLETED' };

/** @param {{settled: () => void}} props */
function Add({ settled }) {
  const [all, set] = useState({ ...EMPTY, ...WHEN });
  const [busy, error, give] = useOrder();
  const when = () =>
    all.kind === 'cron'
      ? { cron: all.cron.trim(), timezone: all.timezone.trim() }
      : all.kind === 'every'
        ? { every: all.every.trim() }
        : all.kind === 'at'
          ? { at: all.at && new Date(all.at).toISOString() }
          : { after: { ...(all.role.trim() && { role: all.role.trim() }), state: all.state } };
  const asks = /** @type {Record<string, any[]>} */ ({
    cron: [
      ['cron', 'Minute hour day month weekday', { placeholder: '30 2 * * *, or @daily' }],
      ['timezone', 'In the time of', {}],
    ],
    every: [['every', 'Every', { placeholder: '6h, 30m, 2d' }]],
    at: [['at', 'At', { type: 'datetime-local' }]],
    after: [
      ['role', 'When work of this role', { placeholder: 'full-stack-engineer' }],
      ['state', 'ends as', { options: ['COMPLETED', 'FAILED', 'CANCELLED', 'DEAD_LETTER'] }],
    ],
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const { name, target, title, prompt, priority, overlap } = all;
    const what = { name: name.trim(), target: target.trim(), prompt, priority, overlap };
    const order = () => post('/api/v1/schedules', { ...what, ...(title.trim() && { title }), ...when() });
    give(order, `${name} is scheduled`).then((ok) => {
      if (!ok) return;
      set({ ...EMPTY, ...WHEN });
      settled();
    });
  };
  return html`<details class="add"><summary>Add a schedule</summary>
    <form data-testid="add-schedule" onSubmit=${submit}>
    <${Fields} of=${all} set=${set} fields=${[
      ['name', 'Name', { placeholder: 'nightly' }],
      ['target', 'For', { placeholder: 'agent, role:name, or any' }],
      ['title', 'Title', { placeholder: 'a line for lists (optional)' }],
      ['prompt', 'What to do', { rows: 2, wide: true }],
      ['kind', 'When', { options: KINDS }],
      ...asks[all.kind],
      ['priority', 'Priority', { options: ['normal', 'high', 'critical'] }],
      [
        'overlap',
        'While the one before is open',
        {
          options: [
            ['skip', 'make none'],
            ['queue', 'wait for it'],
          ],
        },
      ],
    ]} /><p><button class="primary" disabled=${busy || !all.name.trim() || !all.target.trim() || !all.prompt.trim()}>
      Add</button></p><${Problem} error=${error} /></form></details>`;
}
