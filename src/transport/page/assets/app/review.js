// The review of a task: its change with comments on lines, and the verdict.

import {
  html,
  about,
  Ago,
  Badge,
  Facts,
  Problem,
  Sanitized,
  useEffect,
  useLiveGet,
  useOrder,
  useState,
  Words,
} from './ui.js';
import { may, post, text } from './live.js';

/** What a reviewer has to know of whose change is shown. @type {Record<string, string | undefined>} */
const WHOSE = {
  forge_against_agent: 'The agent handed in another diff. Shown is the change of the pull request.',
  agent: 'The diff is the agent’s own, and was compared with nothing: look at the pull request itself.',
};

/** @param {{id: string}} props */
export function Review({ id }) {
  const answer = useLiveGet(`/api/v1/reviews/${id}`, about.task(id));
  const { error } = answer;
  const review = /** @type {api.ReviewView | undefined} */ (answer.value);
  const [diff, show] = useState(/** @type {{value?: string, error?: any}} */ ({}));
  useEffect(() => {
    if (review)
      text(`/api/v1/reviews/${id}/diff`).then(
        (value) => show({ value }),
        (error) => show({ error }),
      );
  }, [id, review?.round]);
  if (error) return html`<${Problem} error=${error} />`;
  if (!review) return html`<p class="muted">…</p>`;
  const round = review.rounds.at(-1);
  return html`
    <p class="line">
    <${Badge} of=${review.state === 'open' ? 'awaiting_review' : review.state} /> <span class="muted">
    round ${review.round} of ${review.agentId} · <${Ago} at=${review.submittedAt} /></span></p>
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
    ${review.state === 'open' && may('operate') && html`<${Verdict} id=${id} round=${review.round} />`}
    <${Comments} list=${review.comments.filter((c) => !c.file)} />
    ${diff.error && diff.error.status !== 404 && html`<${Problem} error=${diff.error} />`}
    ${
      diff.value &&
      html`<${Diff} id=${id} diff=${diff.value} comments=${review.comments} open=${review.state === 'open'} />`
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
          <${Sanitized} of=${c} /> ${c.resolved && '✓ settled'}</li>`,
      )}</ul>`;

/**
 * The lines of a unified diff with their numbers.
 * @param {string} text
 * @returns {{kind: string, raw: string, file?: string, line?: number, old?: number}[]}
 */
function lines(text) {
  let file = '',
    left = 0,
    right = 0;
  return text.split('\n').flatMap((raw) => {
    const hunk = raw.match(/^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/);
    if (hunk) {
      [left, right] = [Number(hunk[1]), Number(hunk[2])];
      return [{ kind: 'hunk', raw }];
    }
    if (raw.startsWith('+++ ')) {
      file = raw.slice(4).replace(/^b\//, '');
      return [{ kind: 'file', raw: file }];
    }
    if (/^(diff |--- |index |new file|deleted file|similarity|rename )/.test(raw)) return [];
    if (raw.startsWith('+')) return [{ kind: 'added', raw, file, line: right++ }];
    if (raw.startsWith('-')) return [{ kind: 'removed', raw, file, old: left++ }];
    if (raw.startsWith(' ')) {
      left++;
      return [{ kind: 'same', raw, file, line: right++ }];
    }
    return [];
  });
}

/** @param {{id: string, diff: string, comments: any[], open: boolean}} props */
function Diff({ id, diff, comments, open }) {
  const [at, place] = useState('');
  const [words, type] = useState('');
  const [busy, error, give] = useOrder();
  const send = (/** @type {any} */ row) => (/** @type {Event} */ event) => {
    event.preventDefault();
    give(() => post(`/api/v1/reviews/${id}/comments`, { text: words, file: row.file, line: row.line })).then((done) => {
      if (done) {
        place('');
        type('');
      }
    });
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="the change"><table class="diff"><tbody>${lines(
    diff,
  )
    .slice(0, 5000)
    .map((row, i) => {
      if (row.kind === 'file' || row.kind === 'hunk')
        return html`<tr class=${row.kind}><td colspan="2">${row.raw}</td></tr>`;
      const key = `${row.file}:${row.line}`;
      const own = row.line ? comments.filter((c) => c.file === row.file && c.line === row.line) : [];
      return html`<tr class=${row.kind} key=${i}>
        <td class="at">
        ${
          row.line && open && may('operate')
            ? html`
            <button class="quiet" aria-label=${`comment on line ${row.line} of ${row.file}`}
            onClick=${() => place(at === key ? '' : key)}>${row.line}</button>`
            : row.line || row.old
        }</td>
              <td><code>${row.raw}</code>
      <${Comments} list=${own} />
      ${
        at === key &&
        html`<form class="reply" onSubmit=${send(row)}>
          <label class="grow"><span class="hidden">Comment</span>
          <input value=${words} onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
          <button class="primary" disabled=${busy || !words.trim()}>Comment</button>
          <${Problem} error=${error} /></form>`
      }</td></tr>`;
    })}</tbody></table></div>`;
}
