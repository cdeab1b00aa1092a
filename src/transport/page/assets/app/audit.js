// The audit, for admins: every refusal and every act that changed something, the newest first.

import { html, about, Ago, Empty, Filter, Problem, useLivePages, Words } from './ui.js';
import { may } from './live.js';

/** What was let be done, and what merely happened; all else was refused. @type {Record<string, string>} */
const TONES = { allowed: 'good', noted: 'idle' };

/** @param {{query: URLSearchParams}} props */
export const Audit = ({ query }) =>
  may('admin')
    ? html`<${List} query=${query} />`
    : html`<h1>Audit</h1>
      <${Empty} title="The audit is for admins.">Log in with <code>callboard open --admin</code>.<//>`;

/** @param {{query: URLSearchParams}} props */
function List({ query }) {
  const asked = new URLSearchParams({ limit: '100' });
  for (const key of ['action', 'who']) if (query.get(key)) asked.set(key, query.get(key) || '');
  // Refusals are no events: they show when something else happens, or when the page is opened anew.
  const { items, error, more, there } = useLivePages(`/admin/audit?${asked}`, about.anything);
  const set = (/** @type {string} */ key) => (/** @type {string} */ value) => {
    const next = new URLSearchParams(query);
    value ? next.set(key, value) : next.delete(key);
    location.replace(`#/audit${next.size ? `?${next}` : ''}`);
  };
  return html`<h1>Audit</h1>
    <form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <${Filter} label="Action" value=${query.get('action') || ''} set=${set('action')}
        placeholder="token.create, or token" />
      <${Filter} label="Who" value=${query.get('who') || ''} set=${set('who')} placeholder="person:ada" />
    </form>
    <${Problem} error=${error} />
    ${
      there &&
      !error &&
      items.length === 0 &&
      html`<${Empty} title=${more ? 'No line of the newest fits.' : 'No line fits.'} />`
    }
    ${
      items.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label="audit">
        <table class="wide stacks flat">
        <thead>
        <tr><th>No.</th><th>When</th><th>Action</th><th>Decision</th><th>Who</th><th>On what</th><th>From</th></tr>
        </thead>
      <tbody>
      ${items.map(
        (/** @type {any} */ row) =>
          html`<tr key=${row.seq} data-testid="audit-row"><td class="number-cell">${row.seq}</td>
          <td><${Ago} at=${row.at} /></td><td><code>${row.action}</code></td>
          <td><span class=${`badge ${TONES[row.decision] || 'bad'}`}>${row.decision}</span>
          ${row.rule && html` <span class="muted">${row.rule}</span>`}</td>
            <td><${Words}>${row.who || '–'}<//>
            ${row.through && html` <span class="muted">through ${row.through}</span>`}</td>
              ${
                row.target ? html`<td class="target" data-label="on"><${Words}>${row.target}<//></td>` : html`<td></td>`
              }
                  ${row.peer ? html`<td class="muted" data-label="from">${row.peer}</td>` : html`<td></td>`}</tr>`,
      )}
                    </tbody></table></div>`
    }
    ${more && html`<p><button onClick=${more}>Show more</button></p>`}`;
}
