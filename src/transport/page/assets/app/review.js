// The review of a task: its change with comments on lines, and the verdict.

import {
  html,
  about,
  Ago,
  Badge,
  Facts,
  Problem,
  Sanitized,
  Tabs,
  useEffect,
  useLiveGet,
  useOrder,
  useRef,
  useState,
  Words,
} from './ui.js';
import { may, post, text } from './live.js';

/** What a reviewer has to know of whose change is shown. @type {Record<string, string | undefined>} */
const WHOSE = {
  forge_against_agent: 'The agent handed in another diff. Shown is the change of the pull request.',
  agent: 'The diff is the agent’s own, and was compared with nothing: look at the pull request itself.',
};

/** @param {{id: string, part?: string}} props `part`: the number of a round */
export function Review({ id, part }) {
  const answer = useLiveGet(`/api/v1/reviews/${id}`, about.task(id));
  const { error } = answer;
  const review = /** @type {api.ReviewView | undefined} */ (answer.value);
  const [diff, show] = useState(/** @type {{value?: string, error?: any}} */ ({}));
  const shown = review?.rounds.find((one) => String(one.number) === part)?.number || review?.round;
  useEffect(() => {
    let gone = false;
    if (shown)
      text(`/api/v1/reviews/${id}/diff?round=${shown}`).then(
        (value) => gone || show({ value }),
        (error) => gone || show({ error }),
      );
    return () => {
      gone = true;
    };
  }, [id, shown]);
  if (error) return html`<${Problem} error=${error} />`;
  if (!review) return html`<p class="muted">…</p>`;
  const round = review.rounds.find((one) => one.number === shown);
  const newest = shown === review.round;
  return html`
    <p class="line">
    <${Badge} of=${review.state === 'open' ? 'awaiting_review' : review.state} /> <span class="muted">
    round ${shown} of ${round?.agentId || review.agentId} · <${Ago} at=${round?.at || review.submittedAt} /></span></p>
    ${
      review.rounds.length > 1 &&
      html`<${Tabs} tabs=${review.rounds.map((one) => [String(one.number), `Round ${one.number}`])}
        current=${String(shown)} to=${(/** @type {string} */ key) => `#/tasks/${id}/review/${key}`} />`
    }
    ${!newest && html`<p class="muted">This is an earlier round: the verdict is given on the newest.</p>`}
    ${round?.message && html`<p><${Words}>${round.message}<//></p>`}
    <${Facts} rows=${[
      [
        'pull request',
        /^https?:/.test(review.prUrl || '')
          ? html`<a href=${review.prUrl} rel="noreferrer noopener" target="_blank">${review.prUrl}</a>`
          : review.prUrl,
      ],
      [
        'change',
        review.diff &&
          `${review.diff.files} file${
            review.diff.files === 1 ? '' : 's'
          }, +${review.diff.added} −${review.diff.removed}`,
      ],
      ['beware', WHOSE[review.diffFrom || '']],
      ['taken back', review.takenBack ? 'Its approval was dismissed on the forge: no merge stands on it.' : undefined],
    ]} />
    ${review.rounds
      .flatMap((r) => r.verdicts)
      .map(
        (v) =>
          html`<p>
        <strong>
        ${v.by.displayName}
          </strong> ${v.verdict.replaceAll('_', ' ')} ${v.message && html`: <${Words}>${v.message}<//>`}</p>`,
      )}
    ${newest && review.state === 'open' && may('operate') && html`<${Verdict} id=${id} round=${review.round} />`}
    <${Comments} list=${review.comments.filter((c) => !c.file)} />
    ${diff.error && diff.error.status !== 404 && html`<${Problem} error=${diff.error} />`}
    ${
      diff.value &&
      html`<${Diff} id=${id} diff=${diff.value}
        comments=${newest ? review.comments : review.comments.filter((c) => c.round === shown)}
        open=${newest && review.state === 'open'} />`
    }`;
}

/** @param {{id: string, round: number}} props */
function Verdict({ id, round }) {
  const [busy, error, give] = useOrder();
  const [words, type] = useState('');
  const to = (/** @type {string} */ order, /** @type {any} */ body) =>
    give(
      () => post(`/api/v1/reviews/${id}/${order}`, body),
      order === 'approve' ? 'Approved' : 'Changes requested',
      order,
    ).then((done) => done && type(''));
  return html`<div class="reply">
    <label class="grow">
    Your words <textarea rows="2" value=${words} data-reply=""
      placeholder="what is to change, or a word with the approval"
        onInput=${(/** @type {any} */ event) => type(event.target.value)}></textarea></label>
    <button class="primary" disabled=${busy}
    onClick=${() => to('approve', words.trim() ? { message: words, round } : { round })}>Approve</button>
    <button disabled=${busy}
    onClick=${() => to('request-changes', { comments: words.trim() ? [{ text: words }] : [] })}>Request changes</button>
      <${Problem} error=${error} /></div>`;
}

/** @param {{list: api.CommentView[]}} props */
const Comments = ({ list }) =>
  list.length === 0
    ? null
    : html`<ul class="comments">
      ${list.map(
        (c) =>
          html`<li key=${c.id} class=${c.resolved ? 'muted' : ''}>
          <strong>${c.from.displayName}</strong> <${Words}>${c.text}<//>
          <${Sanitized} of=${c} /> ${
            c.resolved &&
            html`<span>✓ ${c.resolved.by.displayName}: <${Words}>${c.resolved.response || 'settled'}<//></span>`
          }</li>`,
      )}</ul>`;

/** @typedef {{kind: string, raw: string, line?: number, old?: number}} Row */
/** @typedef {{path: string, rows: Row[], added: number, removed: number}} File */

/** The most lines that are drawn of one file, and the most files that stand open at first. */
const LINES = 2000;
const OPEN = 12;

/** The files of a unified diff, each with its lines and their two numbers. @param {string} text @returns {File[]} */
export function files(text) {
  /** @type {File[]} */
  const all = [];
  let [left, right] = [0, 0];
  let was = '';
  let inside = false;
  for (const raw of text.split('\n')) {
    const hunk = raw.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/);
    const file = all.at(-1);
    // Inside of a hunk a line that begins so was taken away, or put there.
    if (raw.startsWith('diff ')) inside = false;
    else if (!inside && raw.startsWith('--- ')) was = raw.slice(4).replace(/^a\//, '');
    else if (raw.startsWith('+++ ') && (!inside || was)) {
      const path = raw.slice(4).replace(/^b\//, '');
      all.push({ path: path === '/dev/null' ? was : path, rows: [], added: 0, removed: 0 });
      inside = false;
      was = '';
    } else if (inside && /^--- (a\/|\/dev\/null)/.test(raw)) was = raw.slice(4).replace(/^a\//, '');
    else if (!file) continue;
    else if (hunk) {
      [left, right] = [Number(hunk[1]), Number(hunk[2])];
      inside = true;
      file.rows.push({ kind: 'hunk', raw });
    } else if (!inside) continue;
    else if (raw.startsWith('+')) file.rows.push({ kind: 'added', raw, line: right++ }) && file.added++;
    else if (raw.startsWith('-')) file.rows.push({ kind: 'removed', raw, old: left++ }) && file.removed++;
    else if (raw.startsWith(' ')) file.rows.push({ kind: 'same', raw, old: left++, line: right++ });
  }
  return all;
}

/** @param {{id: string, diff: string, comments: api.CommentView[], open: boolean}} props */
function Diff({ id, diff, comments, open }) {
  const all = useMemo(diff);
  const [shut, fold] = useState(/** @type {Record<string, boolean>} */ ({}));
  const isOpen = (/** @type {number} */ i) => !(shut[all[i].path] ?? i >= OPEN);
  const set = (/** @type {number} */ i, /** @type {boolean} */ on) => fold((old) => ({ ...old, [all[i].path]: !on }));
  const said = (/** @type {File} */ file) => comments.filter((c) => c.file === file.path).length;
  const head = (/** @type {number} */ i) => document.getElementById(`file-${i}`);
  const to = (/** @type {number} */ i) => {
    set(i, true);
    head(i)?.scrollIntoView({ block: 'start' });
    /** @type {HTMLElement | null | undefined} */ (head(i)?.querySelector('summary'))?.focus({ preventScroll: true });
  };
  // The first whose head is below the bar is the next; the last that is above it is the one before.
  const step = (/** @type {number} */ by) => {
    const tops = all.map((_, i) => (head(i)?.getBoundingClientRect().top || 0) - 120);
    const next = by > 0 ? tops.findIndex((top) => top > 8) : tops.findLastIndex((top) => top < -8);
    if (next >= 0) to(next);
  };
  const folded = all.every((_, i) => !isOpen(i));
  return html`<div class="line files" role="toolbar" aria-label="files">
      <button type="button" onClick=${() => step(-1)} aria-keyshortcuts="p">Previous file</button>
      <button type="button" onClick=${() => step(1)} aria-keyshortcuts="n">Next file</button>
      <button type="button" onClick=${() => fold(Object.fromEntries(all.map(({ path }) => [path, !folded])))}>
        ${folded ? 'Unfold all' : 'Fold all'}</button></div>
    <details class="file-list" open=${all.length > 1}>
      <summary>${all.length} file${all.length === 1 ? '' : 's'}</summary>
      <ul class="plain">${all.map(
        (file, i) => html`<li key=${file.path}><button type="button" class="quiet" onClick=${() => to(i)}>
          <span class="grow">${file.path}</span><span class="plus">+${file.added}</span>
          <span class="minus">−${file.removed}</span>${
            said(file) > 0 && html`<span class="mark">${said(file)} <span class="hidden">comments</span></span>`
          }</button></li>`,
      )}</ul></details>
    ${all.map(
      (file, i) => html`<details class="file" id=${`file-${i}`} key=${file.path} open=${isOpen(i)} data-testid="file"
        onToggle=${(/** @type {any} */ event) => event.target.open !== isOpen(i) && set(i, event.target.open)}>
        <summary><strong>${file.path}</strong> <span class="plus">+${file.added}</span>
          ${' '}<span class="minus">−${file.removed}</span></summary>
        ${isOpen(i) && html`<${Lines} id=${id} file=${file} comments=${comments} open=${open} />`}</details>`,
    )}`;
}

/** A diff is read once for each text. @param {string} diff @returns {File[]} */
function useMemo(diff) {
  const kept = useRef(/** @type {{diff?: string, all: File[]}} */ ({ all: [] }));
  if (kept.current.diff !== diff) kept.current = { diff, all: files(diff) };
  return kept.current.all;
}

/** The parts of each row of a file by their kinds, once `code.js` has come. @type {WeakMap<File, any>} */
const colours = new WeakMap();

/** @param {{id: string, file: File, comments: api.CommentView[], open: boolean}} props */
function Lines({ id, file, comments, open }) {
  const [at, place] = useState('');
  const [, again] = useState(0);
  useEffect(() => {
    // Without it a change is read all the same.
    if (!colours.has(file))
      import('./code.js').then((m) => colours.set(file, m.coloured(file)) && again((n) => n + 1)).catch(() => {});
  }, [file]);
  const parts = colours.get(file);
  const rows = file.rows.slice(0, LINES);
  const writes = open && may('operate');
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`the change of ${file.path}`}>
    <table class="diff"><tbody>${rows.map((row, i) => {
      if (row.kind === 'hunk') return html`<tr class="hunk" key=${i}><td colspan="3">${row.raw}</td></tr>`;
      const side = row.line ? 'new' : 'old';
      const number = row.line || row.old;
      const key = `${side}:${number}`;
      const own = comments.filter((c) => c.file === file.path && c.line === number && (c.side || 'new') === side);
      const button = html`<button class="quiet" aria-expanded=${String(at === key)}
        aria-label=${`comment on line ${number} of ${file.path}${side === 'old' ? ', as it was' : ''}`}
        onClick=${() => place(at === key ? '' : key)}>${number}</button>`;
      return html`<tr class=${row.kind} key=${i}>
        <td class="at">${row.old ? (side === 'old' && writes ? button : row.old) : ''}</td>
        <td class="at">${row.line ? (writes ? button : row.line) : ''}</td>
        <td><code>${
          parts
            ? parts[i].map((/** @type {[string, string]} */ [kind, words]) =>
                kind ? html`<span class=${`code-${kind}`}>${words}</span>` : words,
              )
            : row.raw
        }</code><${Comments} list=${own} />
        ${at === key && html`<${Write} ...${{ id, file: file.path, line: number, side }} close=${() => place('')} />`}
        </td></tr>`;
    })}</tbody></table></div>
    ${
      file.rows.length > LINES && html`<p class="muted">The first ${LINES} of ${file.rows.length} lines are shown.</p>`
    }`;
}

/** A comment on a line: Escape closes it, Ctrl and Enter send it. @param {any} props */
function Write({ id, file, line, side, close }) {
  const [words, type] = useState('');
  const [busy, error, give] = useOrder();
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);
  const leave = () => {
    const at = field.current?.closest('tr')?.querySelector('button');
    close();
    at?.focus();
  };
  const send = () =>
    give(
      () => post(`/api/v1/reviews/${id}/comments`, { text: words, file, line, ...(side === 'old' && { side }) }),
      `Commented on line ${line} of ${file}`,
    ).then((done) => done && leave());
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && words.trim()) send();
    else return;
    event.preventDefault();
  };
  return html`<form class="reply" onKeyDown=${keys} onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    send();
  }}><label class="grow">Comment on line ${line} <textarea ref=${field} rows="3" value=${words}
      onInput=${(/** @type {any} */ event) => type(event.target.value)}></textarea></label>
    <button class="primary" disabled=${busy || !words.trim()}>Comment</button>
    <button type="button" onClick=${leave}>Close</button><${Problem} error=${error} /></form>`;
}
