// Who delegated what to whom: the tasks above and below one task.

import { html, about, Badge, useLiveGet, Words } from './ui.js';

/** The tasks in the order of their birth, each below the one that it was delegated from. @param {{id: string}} props */
export function Delegation({ id }) {
  const { value } = useLiveGet(`/api/v1/tasks/${id}/tree`, about.tasks);
  const items = /** @type {{taskId: string, parent?: string, title?: string, state: string, agent?: string}[]} */ (
    value?.items || []
  );
  if (items.length < 2) return null;
  const below = new Map(items.map((item) => [item.taskId, items.filter((other) => other.parent === item.taskId)]));
  const known = new Set(items.map((item) => item.taskId));
  /** @type {(item: typeof items[0]) => any} */
  const branch = (item) => html`<li key=${item.taskId}>
    <span class="line"><${Badge} of=${item.state} />
    ${
      item.taskId === id
        ? html`<strong aria-current="true"><${Words}>${item.title}<//></strong>`
        : html`<a href=${`#/tasks/${item.taskId}`}><${Words}>${item.title}<//></a>`
    }
        <span class="muted">${item.agent || 'nobody yet'}</span></span>
    ${below.get(item.taskId)?.length ? html`<ul>${below.get(item.taskId)?.map(branch)}</ul>` : ''}</li>`;
  return html`<section aria-label="delegation" data-testid="delegation">
    <h2>Delegation <span class="count">${items.length}</span></h2>
    <ul class="delegation">${items.filter((item) => !item.parent || !known.has(item.parent)).map(branch)}</ul>
    ${value.truncated && html`<p class="muted">More tasks belong to it than are shown.</p>`}</section>`;
}
