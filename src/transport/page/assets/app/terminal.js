// A terminal as it is: the screen with its colours, which the hub read off its own grid, so that no sequence of a
// program's is ever run here; and the same as plain text, for whoever searches, copies or listens.

import { html, Problem, Sanitized, useEffect, useGet, useState } from './ui.js';

/** @typedef {[number, number, number]} Rgb */

/** The first sixteen colours, each of which can be read on the terminal's ground. @type {Rgb[]} */
const NAMED = /** @type {Rgb[]} */ (
  '484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4 6e7681 ffa198 56d364 e3b341 79c0ff d2a8ff 56d4dd ffffff'
    .split(' ')
    .map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)))
);
/** What a terminal draws with and on, where its program says nothing: as `.terminal` in page.css. */
const TEXT = /** @type {Rgb} */ ([230, 237, 243]);
const GROUND = /** @type {Rgb} */ ([13, 17, 23]);
/** The least contrast that a text has with what is behind it (WCAG 1.4.3). */
const READABLE = 4.5;
const SIDES = [0, 95, 135, 175, 215, 255];

/** What a colour of the API's is. @param {api.Colour} colour @returns {Rgb} */
function rgb(colour) {
  if ('rgb' in colour) return /** @type {Rgb} */ (colour.rgb);
  const { index } = colour;
  if (index < 16) return NAMED[index];
  if (index >= 232) return [8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10];
  const of = index - 16;
  return [SIDES[Math.floor(of / 36)], SIDES[Math.floor(of / 6) % 6], SIDES[of % 6]];
}

/** How bright a colour is to the eye, from 0 to 1. @param {Rgb} colour */
function brightness(colour) {
  const [r, g, b] = colour.map((part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {Rgb} a @param {Rgb} b */
function contrast(a, b) {
  const [low, high] = [brightness(a), brightness(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The colour, moved to white or black until it can be read there. @param {Rgb} colour @param {Rgb} behind */
function readable(colour, behind) {
  const end = contrast([255, 255, 255], behind) >= contrast([0, 0, 0], behind) ? 255 : 0;
  for (let part = 0; part < 1; part += 0.1) {
    const moved = /** @type {Rgb} */ (colour.map((own) => Math.round(own + (end - own) * part)));
    if (contrast(moved, behind) >= READABLE) return moved;
  }
  return /** @type {Rgb} */ ([end, end, end]);
}

/** Some cells that look alike. @param {{of: api.Run}} props */
function Cells({ of }) {
  let fg = of.fg ? rgb(of.fg) : TEXT;
  let bg = of.bg ? rgb(of.bg) : GROUND;
  if (of.inverse) [fg, bg] = [bg, fg];
  if (of.dim) fg = /** @type {Rgb} */ (fg.map((part, i) => Math.round((part * 2 + bg[i]) / 3)));
  /** @type {Record<string, string>} */
  const style = {};
  const drawn = readable(fg, bg);
  if (drawn !== TEXT) style.color = `rgb(${drawn})`;
  if (bg !== GROUND) style.backgroundColor = `rgb(${bg})`;
  const looks = [of.bold && 'bold', of.italic && 'italic', of.underline && 'underline'].filter(Boolean).join(' ');
  return html`<span class=${looks || undefined} style=${style}>${of.text}</span>`;
}

/** How often it is asked what was printed, in milliseconds. */
const EVERY = 2000;

/** What a session's program printed: the lines before, and the screen as it is. @param {{id: string}} props */
export function Terminal({ id }) {
  const [n, again] = useState(0);
  const [paused, pause] = useState(false);
  const [plain, write] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => paused || document.hidden || again((n) => n + 1), EVERY);
    return () => clearInterval(timer);
  }, [paused]);
  const { value, error } = useGet(`/api/v1/sessions/${id}/transcript`, [n]);
  const [kept, keep] = useState(/** @type {api.Transcript | null} */ (null));
  // What looks the same is not drawn again: whoever marks text in it keeps the mark.
  if (
    value &&
    (value.filePosition !== kept?.filePosition || value.sessionId !== kept?.sessionId || value.cols !== kept?.cols)
  )
    keep(value);
  const shown = value && value.sessionId !== kept?.sessionId ? value : kept || value;
  if (!shown) return error && error.code !== 'SESSION_NOT_FOUND' ? html`<${Problem} error=${error} />` : null;
  return html`<section aria-label="terminal">
    <div class="line"><h2>Terminal</h2><${Sanitized} of=${shown} />
    <span class="muted size">${shown.cols} × ${shown.rows}</span><span class="grow"></span>
    <button class="quiet" aria-pressed=${plain} onClick=${() => write(!plain)}>Plain text</button>
    <button class="quiet" aria-pressed=${paused} onClick=${() => pause(!paused)}>${paused ? 'Follow' : 'Pause'}</button>
    </div>
    <${plain ? Plain : Coloured} of=${shown} /></section>`;
}

/** @param {{of: api.Transcript}} props */
const Plain = ({ of }) => html`<pre class="terminal" key="plain" tabindex="0" data-testid="terminal" data-view="plain">
  ${of.text.trimEnd()}</pre>`;

/** The lines that left the screen have no colours any more. @param {{of: api.Transcript}} props */
function Coloured({ of }) {
  const { linesAbove, rows } = of.picture;
  const above = of.text.split('\n').slice(0, linesAbove);
  return html`<pre class="terminal" key="coloured" tabindex="0" data-testid="terminal" data-view="coloured">
    ${linesAbove > 0 && html`<span class="above">${above.join('\n')}${'\n'}</span>`}
      ${rows.map((row) => html`${row.map((run) => html`<${Cells} of=${run} />`)}${'\n'}`)}</pre>`;
}
