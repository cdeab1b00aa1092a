// What waits to be sent, with its undo, and what was done: read when there is something to say.

import { html, Icon, useTick, Words } from './ui.js';
import { state } from './live.js';

/** The seconds until it is sent: seen, and not read out each anew. @param {{until: number}} props */
function Left({ until }) {
  useTick(250);
  return html`<span aria-hidden="true">· in ${Math.max(0, Math.ceil((until - Date.now()) / 1000))} s</span>`;
}

/** What waits to be sent, and what was done a moment ago. */
export const Said = () =>
  html`${state.waiting.map(
    (one) => html`<p key=${`held ${one.id}`} data-testid="held"><${Icon} name="clock" /> <span class="grow">
        <${Words}>${one.words}<//> <${Left} until=${one.until} /></span>
        <button type="button" onClick=${() => one.settle(false)}>Undo</button></p>`,
  )}${state.notices.map(({ id, words }) => html`<p key=${id}><${Icon} name="check" /> <${Words}>${words}<//></p>`)}`;
