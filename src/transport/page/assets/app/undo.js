// What waits for five seconds before it is sent, so that it can be taken back. It is loaded with the first act that may
// wait.

import { redraw, state } from './live.js';

/** How long an act waits, in milliseconds. */
const HOLD = 5000;

/**
 * Which acts wait, and why: those that one press gives and no other order takes back. Nothing waits that is asked for
 * twice already (a drop, an answer that may destroy, a task that is held), and nothing that is made undone by its
 * opposite: a retry, a requeue, a reassignment, a remark.
 */
const HELD = /** @type {Record<string, string>} */ ({
  answer: 'whoever asked hears it at once, and goes on by it',
  approve: 'what was reviewed is merged',
  'request-changes': 'the agent begins anew by it',
  cancel: 'a task that nobody holds ends for good',
});

/**
 * Whether this act waits; whoever is sure of what is pressed, or cannot read so fast, switches it off.
 * @param {string} act
 */
export const holds = (act) => act in HELD && localStorage.getItem('callboard.undo') !== 'off';

let last = 0;

/** Waits, and tells whether it is to be sent. @param {string} words @returns {Promise<boolean>} */
export function held(words) {
  return new Promise((resolve) => {
    const id = (last += 1);
    const settle = (/** @type {boolean} */ sent) => {
      clearTimeout(timer);
      state.waiting = state.waiting.filter((one) => one.id !== id);
      resolve(sent);
      redraw();
    };
    const timer = setTimeout(settle, HOLD, true);
    state.waiting = [...state.waiting, { id, words, until: Date.now() + HOLD, settle }];
    redraw();
  });
}

/** Sends what waits. */
const sendNow = () => state.waiting.forEach((one) => one.settle(true));

// Nobody sees the button any more: what was said counts. A request of a page that goes outlives it.
addEventListener('pagehide', () => {
  state.leaving = true;
  sendNow();
});
addEventListener('pageshow', () => (state.leaving = false));
document.addEventListener('visibilitychange', () => {
  state.leaving = document.hidden;
  if (document.hidden) sendNow();
});
