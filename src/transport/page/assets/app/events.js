// Events, as they come: filters, a pause, and the whole as lines of JSON.

import { html, Empty, Filter, useEffect, useRef, useState } from './ui.js';
import { before, Sentence } from './sentences.js';
import { state, watch } from './live.js';

/** The most rows that are drawn. */
const SHOWN = 200;

/** How long new events are gathered before they are drawn, in milliseconds: whoever reads them sees no difference. */
const DRAWN_EVERY = 250;

/** When something happened, by the clock of whoever looks. Made once: to make one takes longer than to write a row. */
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** What the filter by type has: each kind of what happens. @type {[string, string][]} */
const TYPES = [
  ['', 'everything'],
  ['task.', 'tasks'],
  ['review.', 'reviews'],
  ['question.', 'questions'],
  ['agent.', 'agents'],
  ['session.', 'sessions'],
  ['workflow.', 'workflows'],
  ['schedule.', 'schedules'],
  ['hub.', 'the hub'],
];

/** @param {{query: URLSearchParams}} props */
export function Events({ query }) {
  const [, again] = useState(0);
  const [type, agent, task, like] = ['type', 'agent', 'task', 'q'].map((key) => query.get(key) || '');
  const set = (/** @type {string} */ key) => (/** @type {string} */ value) => {
    const next = new URLSearchParams(query);
    value ? next.set(key, value) : next.delete(key);
    location.replace(`#/events${next.size ? `?${next}` : ''}`);
  };
  const [held, hold] = useState(/** @type {api.Event[] | null} */ (null));
  useEffect(() => {
    let timer = 0;
    const draw = () => {
      timer = 0;
      again((n) => n + 1);
    };
    const unwatch = watch(
      () => true,
      async () => void (timer ||= setTimeout(draw, DRAWN_EVERY)),
    );
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, []);
  useEffect(
    () =>
      void before().then(
        () => again((n) => n + 1),
        () => {},
      ),
    [],
  );
  const all = held || state.events;
  const fits = (/** @type {api.Event} */ event) =>
    event.type.startsWith(type) &&
    (!agent || event.subject.agent === agent || event.actor.principal === `agent:${agent}`) &&
    (!task || (event.subject.task || '').includes(task.replace(/^.*\//, ''))) &&
    (!like || `${event.type} ${Object.values(event.subject).join(' ')} ${event.actor.principal}`.includes(like));
  const shown = all.filter(fits);
  // An event does not change: its row is made once, and what is the same as before is not compared again.
  const made = useRef(/** @type {Map<number, any>} */ (new Map()));
  const rows = shown
    .slice(-SHOWN)
    .reverse()
    .map((event) => [
      event.seq,
      made.current.get(event.seq) ||
        html`
    <${Row} key=${event.seq} event=${event} />`,
    ]);
  made.current = new Map(/** @type {[number, any][]} */ (rows));
  const save = () => {
    const lines = shown.map((event) => JSON.stringify(event) + '\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
    link.download = 'callboard-events.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return html`<div class="line"><h1>Events</h1><span class="grow"></span>
    <span class="muted">at ${state.seq}${state.missed ? `, ${state.missed} missed` : ''}</span></div>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <${Filter} label="Search" value=${like} set=${set('q')} placeholder="type, task, agent or who" />
    <label>About <select value=${type} onChange=${(/** @type {any} */ event) => set('type')(event.target.value)}>
      ${TYPES.map(([key, word]) => html`<option value=${key}>${word}</option>`)}</select></label>
    <label>Agent <select value=${agent} onChange=${(/** @type {any} */ event) => set('agent')(event.target.value)}>
      <option value="">any</option>${[...state.agents.values()].map(
        (one) => html`<option value=${one.agentId}>${one.displayName}</option>`,
      )}</select></label>
    <${Filter} label="Task" value=${task} set=${set('task')} placeholder="its id, or its address" />
    <button type="button" aria-pressed=${held !== null} onClick=${() => hold(held ? null : [...state.events])}>
    ${held ? 'Go on' : 'Pause'}</button>
      <button type="button" disabled=${shown.length === 0} onClick=${save}>Save as NDJSON</button></form>
    ${
      all.length === 0 &&
      html`
        <${Empty} title="Nothing happened yet.">All there ever was: <code>callboard event list --after 0</code>.<//>`
    }
    ${all.length > 0 && shown.length === 0 && html`<${Empty} title="No event fits." />`}
    ${shown.length > 0 && html`<ol class="plain log" data-testid="events">${rows.map(([, row]) => row)}</ol>`}
    ${shown.length > SHOWN && html`<p class="muted">The newest ${SHOWN} of ${shown.length} are shown.</p>`}`;
}

/** One event; its whole is written out when it is opened. @param {{event: api.Event}} props */
function Row({ event }) {
  const [open, show] = useState(false);
  const { task, agent, session } = event.subject;
  return html`<li data-seq=${event.seq}>
    <details onToggle=${(/** @type {any} */ toggled) => show(toggled.target.open)}>
    <summary>
    <span class="muted seq">${event.seq}</span> <time datetime=${event.time} class="muted">
    ${CLOCK.format(new Date(event.time))}</time> <${Sentence} event=${event} plain /></summary>
    ${
      open &&
      html`<p class="line"><code>${event.type}</code> ${task && html`<a href=${`#/tasks/${task}`}>task</a>`}
        ${agent && html`<a href=${`#/agents/${agent}`}>${agent}</a>`}
          ${session && html`<a href=${`#/sessions/${session}`}>session</a>`}</p>
            <pre class="code" tabindex="0">${JSON.stringify(event, null, 2)}</pre>`
    }</details></li>`;
}
