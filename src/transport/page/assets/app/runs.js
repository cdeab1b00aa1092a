// One run of a workflow: how far it is, and what is a person's to do.

import { html, Ago, Facts, Press, Problem, useLiveGet, useOrder, Words } from './ui.js';
import { Crumbs } from './parts.js';
import { may, post } from './live.js';

/** @param {{parts: string[]}} props */
export function Run({ parts }) {
  const path = `/api/v1/workflows/${encodeURIComponent(parts[0])}`;
  const { value, error } = useLiveGet(path);
  const [busy, refused, give] = useOrder();
  const run = /** @type {api.RunView | undefined} */ (value);
  if (error) return html`<h1>Workflow</h1><${Problem} error=${error} />`;
  if (!run) return html`<p class="muted">…</p>`;
  const over = ['completed', 'failed', 'cancelled', 'expired'].includes(run.status);
  return html`<${Crumbs} to="#/" of="Overview">Workflow ${run.name}<//>
    <h1>Workflow ${run.name}</h1>
    <p class="line"><span class="badge">${run.status.replaceAll('_', ' ')}</span><${Words}>${run.statusMessage}<//></p>
    ${
      may('operate') &&
      !over &&
      html`<div class="orders">
        <button disabled=${busy} onClick=${() =>
          give(() => post(`${path}/continue`), `${run.name} goes on`)}>Go on</button>
        <${Press} disabled=${busy} harm="What it began stays as it is" onPress=${() =>
          give(() => post(`${path}/cancel`), `${run.name} cancelled`)}>Cancel<//></div>`
    }
    <${Problem} error=${refused} />
    <${Facts} rows=${[
      ['of', run.owner],
      ['began', html`<${Ago} at=${run.startedAt} />`],
      ['changed', html`<${Ago} at=${run.updatedAt} />`],
      ['id', run.workflowId],
    ]} />
    <h2>Steps</h2><ol class="plain log">${run.steps.map(
      (step) => html`<li class="line" key=${step.name}>
      <span class="badge">${step.status.replaceAll('_', ' ')}</span><strong>${step.name}</strong>
      <span class="muted">${step.tool || ''} ${step.resource || ''}</span>
      ${step.error && html`<p><${Words}>${step.error}<//></p>`}</li>`,
    )}</ol>`;
}
