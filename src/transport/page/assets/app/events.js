// Events, as they come: filters, a pause, and the whole as lines of JSON.

import { html, Empty, useLive, useState } from './ui.js';
import { state } from './live.js';

export function Events() {
  useLive();
  const [like, type] = useState('');
  const [held, hold] = useState(/** @type {any[] | null} */ (null));
  const all = /** @type {any[]} */ (held || state.events);
  const shown = all
    .filter(
      (event) =>
        !like ||
        `${event.type} ${Object.values(event.subject || {}).join(' ')} ${event.actor?.principal}`.includes(like),
    )
    .slice(-300)
    .reverse();
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(
      new Blob(
        all.map((event) => JSON.stringify(event) + '\n'),
        { type: 'application/x-ndjson' },
      ),
    );
    link.download = 'callboard-events.ndjson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return html`<div class="line"><h1>Events</h1><span class="grow"></span><span class="muted">at ${state.seq}${state.missed ? `, ${state.missed} missed` : ''}</span></div>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><label>Search <input type="search" value=${like} placeholder="type, task, agent or who" onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    <button type="button" aria-pressed=${held !== null} onClick=${() => hold(held ? null : [...state.events])}>${held ? 'Go on' : 'Pause'}</button><button type="button" onClick=${save}>Save as NDJSON</button></form>
    ${shown.length === 0 ? html`<${Empty} title="Nothing happened since this page was opened.">Older ones: <code>callboard events --after 0</code>.<//>` : html`<ol class="plain log" data-testid="events">${shown.map((event) => html`<li key=${event.seq}><details><summary><span class="muted">${event.seq}</span> <time datetime=${event.time} class="muted">${new Date(event.time).toLocaleTimeString()}</time> <strong>${event.type}</strong> <span class="muted">${event.actor?.principal}</span> <span class="muted">${event.subject?.agent || ''}</span></summary>${event.subject?.task && html`<p><a href=${`#/tasks/${event.subject.task}`}>the task</a></p>`}${event.subject?.agent && html`<p><a href=${`#/agents/${event.subject.agent}`}>${event.subject.agent}</a></p>`}<pre class="code">${JSON.stringify(event, null, 2)}</pre></details></li>`)}</ol>`}`;
}
