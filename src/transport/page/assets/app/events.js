// Events, as they come: filters, a pause, and the whole as lines of JSON.

import { html, Empty, useEffect, useState, Words } from './ui.js';
import { state, watch } from './live.js';

/** The most rows that are drawn. */
const SHOWN = 200;

export function Events() {
  const [, again] = useState(0);
  const [like, type] = useState('');
  const [held, hold] = useState(/** @type {api.Event[] | null} */ (null));
  useEffect(() => watch(() => true, async () => again((n) => n + 1)), []);
  const all = held || state.events;
  const fits = (/** @type {api.Event} */ event) =>
    !like || `${event.type} ${Object.values(event.subject).join(' ')} ${event.actor.principal}`.includes(like);
  const shown = all.filter(fits);
  const save = () => {
    const lines = shown.map((event) => JSON.stringify(event) + '\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
    link.download = 'callboard-events.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return html`<div class="line"><h1>Events</h1><span class="grow"></span><span class="muted">at ${state.seq}${state.missed ? `, ${state.missed} missed` : ''}</span></div>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><label>Search <input type="search" value=${like} placeholder="type, task, agent or who" onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    <button type="button" aria-pressed=${held !== null} onClick=${() => hold(held ? null : [...state.events])}>${held ? 'Go on' : 'Pause'}</button><button type="button" disabled=${shown.length === 0} onClick=${save}>Save as NDJSON</button></form>
    ${all.length === 0 && html`<${Empty} title="Nothing happened since this page was opened.">Older ones: <code>callboard events --after 0</code>.<//>`}
    ${all.length > 0 && shown.length === 0 && html`<${Empty} title="No event fits." />`}
    ${shown.length > 0 && html`<ol class="plain log" data-testid="events">${shown.slice(-SHOWN).reverse().map((event) => html`<${Row} key=${event.seq} event=${event} />`)}</ol>`}
    ${shown.length > SHOWN && html`<p class="muted">The newest ${SHOWN} of ${shown.length} are shown.</p>`}`;
}

/** One event; its whole is written out when it is opened. @param {{event: api.Event}} props */
function Row({ event }) {
  const [open, show] = useState(false);
  const { task, agent, session } = event.subject;
  return html`<li data-seq=${event.seq}><details onToggle=${(/** @type {any} */ toggled) => show(toggled.target.open)}><summary><span class="muted">${event.seq}</span> <time datetime=${event.time} class="muted">${new Date(event.time).toLocaleTimeString()}</time> <strong>${event.type}</strong> <span class="muted"><${Words}>${event.actor.principal}<//></span></summary>
    ${open && html`<p class="line">${task && html`<a href=${`#/tasks/${task}`}>task</a>`}${agent && html`<a href=${`#/agents/${agent}`}>${agent}</a>`}${session && html`<a href=${`#/sessions/${session}`}>session</a>`}</p><pre class="code" tabindex="0">${JSON.stringify(event, null, 2)}</pre>`}</details></li>`;
}
