// Events, as they come: filters, a pause, and the whole as lines of JSON.

import { html, Empty, useEffect, useRef, useState, Words } from './ui.js';
import { events, state, watch } from './live.js';

/** The most rows that are drawn. */
const SHOWN = 200;

/** How long new events are gathered before they are drawn, in milliseconds: whoever reads them sees no difference. */
const DRAWN_EVERY = 250;

/** When something happened, by the clock of whoever looks. Made once: to make one takes longer than to write a row. */
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The most events that are asked for from before the page followed the stream. */
const BEFORE = 200;

/** Puts the newest events from before the first known one before it, unless they are there already. */
async function before() {
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

export function Events() {
  const [, again] = useState(0);
  const [like, type] = useState('');
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
    !like || `${event.type} ${Object.values(event.subject).join(' ')} ${event.actor.principal}`.includes(like);
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
    <label>
    Search <input type="search" value=${like} placeholder="type, task, agent or who"
      onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
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
    ${CLOCK.format(new Date(event.time))}</time> <strong>${event.type}</strong> <span class="muted">
      <${Words}>${event.actor.principal}<//></span></summary>
    ${
      open &&
      html`<p class="line">${task && html`<a href=${`#/tasks/${task}`}>task</a>`}
        ${agent && html`<a href=${`#/agents/${agent}`}>${agent}</a>`}
          ${session && html`<a href=${`#/sessions/${session}`}>session</a>`}</p>
            <pre class="code" tabindex="0">${JSON.stringify(event, null, 2)}</pre>`
    }</details></li>`;
}
