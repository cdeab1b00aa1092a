// The palette: one field over pages, orders, agents and tasks.

import { html, titleOf, useEffect, useGet, useRef, useState, Words } from './ui.js';
import { HandOut } from './parts.js';
import { may, state } from './live.js';

/** The most of each kind that are shown. */
const SHOWN = 6;

/** @param {{pages: [string, string][], close: () => void}} props */
export function Palette({ pages, close }) {
  const [words, type] = useState('');
  const [at, move] = useState(0);
  const [form, open] = useState(false);
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  const like = words.trim().toLowerCase();
  const found = useGet(like.length > 1 ? `/api/v1/tasks?limit=${SHOWN}&q=${encodeURIComponent(like)}` : null).value;
  const fits = (/** @type {string} */ one) => one.toLowerCase().includes(like);
  const go = (/** @type {string} */ hash) => () => {
    location.hash = hash;
    close();
  };
  /** @type {[string, string, string, () => void][]} */
  const all = [
    ...(may('operate') && fits('hand out a task')
      ? [/** @type {any} */ (['act', 'order', 'Hand out a task', () => open(true)])]
      : []),
    ...pages
      .filter(([, word]) => word && fits(word))
      .map(([key, word]) => /** @type {any} */ ([`page ${key}`, 'page', word, go(`#/${key}`)])),
    ...[...state.agents.values()]
      .filter((one) => like && fits(`${one.displayName} ${one.agentId} ${one.role || ''}`))
      .slice(0, SHOWN)
      .map(
        (one) =>
          /** @type {any} */ ([
            one.agentId,
            'agent',
            one.displayName,
            go(`#/agents/${encodeURIComponent(one.agentId)}`),
          ]),
      ),
    ...(found?.items || []).map((/** @type {api.TaskView} */ one) => [
      one.taskId,
      'task',
      titleOf(one),
      go(`#/tasks/${one.taskId}`),
    ]),
  ];
  const chosen = Math.min(at, all.length - 1);
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) move(Math.max(0, Math.min(all.length - 1, chosen + step)));
    else if (event.key === 'Enter') all[chosen]?.[3]();
    else return;
    event.preventDefault();
  };
  return html`<dialog class="palette" ref=${dialog} aria-label="go to, or do" data-testid="palette" onClose=${close}>
    ${
      form
        ? html`<h2>Hand out a task</h2><${HandOut} done=${(/** @type {string} */ id) =>
            id ? go(`#/tasks/${id}`)() : close()} />
          <form method="dialog"><button>Close</button></form>`
        : html`<input type="text" role="combobox" aria-label="Go to, or do" aria-expanded="true" aria-controls="found"
            aria-activedescendant=${all.length ? `found-${chosen}` : undefined} autofocus value=${words}
            placeholder="a page, an agent, words of a task" onKeyDown=${keys}
            onInput=${(/** @type {any} */ event) => {
              type(event.target.value);
              move(0);
            }} />
          <ul id="found" role="listbox" aria-label="found" class="plain">${all.map(
            ([key, kind, word, does], i) => html`<li key=${key} id=${`found-${i}`} role="option"
              aria-selected=${String(i === chosen)} onClick=${does}><span class="muted">${kind}</span>
              <${Words}>${word}<//></li>`,
          )}</ul>
          ${all.length === 0 && html`<p class="muted">Nothing has these words.</p>`}`
    }</dialog>`;
}
