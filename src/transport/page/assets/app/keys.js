// The keys of the page, and what can be switched off about them.

import { html, useEffect, useRef, useState } from './ui.js';

/** Whether what one press does waits (`undo.js`). */
const HOLDS = 'callboard.undo';

const KEYS = [
  ['j / k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['1 … 9', 'the first, second … answer of the row'],
  ['n / p', 'next, previous file of a change'],
  ['Ctrl K', 'go to, or do'],
  ['r', 'reply: the first answer that is wanted'],
  ['/', 'search'],
  ['?', 'these keys'],
];

/**
 * The keys in a dialog that is open while it is there.
 * @param {{off: string, goes: Record<string, string>, close: () => void}} props
 * `off`: where it is kept that letters are no keys; `goes`: the page of each letter behind `g`
 */
export function Help({ off, goes, close }) {
  const [on, turn] = useState(localStorage.getItem(off) !== 'off');
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  const all = [...Object.entries(goes).map(([key, page]) => [`g ${key}`, page || 'overview']), ...KEYS];
  const change = (/** @type {any} */ event) => {
    localStorage.setItem(off, event.target.checked ? 'on' : 'off');
    turn(event.target.checked);
  };
  return html`<dialog class="help" aria-label="keys" ref=${dialog} onClose=${close}><h2>Keys</h2>
    <dl class="facts">${all.map(([key, word]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${word}</dd></div>`)}</dl>
    <p><label class="check">
      <input type="checkbox" checked=${on} onChange=${change} /> Single letters are keys</label></p>
    <p><label class="check"><input type="checkbox" checked=${localStorage.getItem(HOLDS) !== 'off'} onChange=${(
      /** @type {any} */ event,
    ) =>
      localStorage.setItem(
        HOLDS,
        event.target.checked ? 'on' : 'off',
      )} /> What cannot be taken back waits for five seconds</label></p>
    <form method="dialog"><button>Close</button></form></dialog>`;
}
