// How to connect clients, what is bounded, what is measured, and for admins the audit.

import { html, Empty, Facts, Problem, useEffect, useGet, useState } from './ui.js';
import { may, state, text } from './live.js';

export function Settings() {
  const connect = useGet('/api/v1/connect');
  const limits = useGet('/api/v1/limits');
  const audit = useGet(may('admin') ? '/admin/audit?limit=50' : null);
  const commands = connect.value?.items || ['claude-code', 'codex', 'gemini', 'opencode'].map((client) => ({ client, command: `callboard connect ${client}` }));
  return html`<h1>Settings</h1><p class="muted">callboard ${state.me?.version} · you are ${state.me?.displayName} (${state.me?.principal})</p>
    <h2>Connect a client</h2><ul class="plain">${commands.map((/** @type {any} */ row) => html`<li class="card small"><strong>${row.client}</strong> <code>${row.command}</code> ${row.note && html`<span class="muted">${row.note}</span>`}</li>`)}</ul>
    <h2>Limits</h2><${Problem} error=${limits.error} />${limits.value && html`<${Facts} rows=${Object.entries(limits.value).map(([key, value]) => /** @type {[string, any]} */ ([key, typeof value === 'object' ? JSON.stringify(value) : value.toLocaleString()]))} />`}
    <h2>Metrics</h2><${Metrics} />
    ${may('admin') && html`<h2>Audit</h2><${Problem} error=${audit.error?.status === 404 ? null : audit.error} />${audit.value?.items?.length ? html`<ol class="plain log">${audit.value.items.map((/** @type {any} */ l) => html`<li><span class="muted">${l.seq} ${l.at}</span> <strong>${l.decision}</strong> ${l.action} ${l.target || ''} <span class="muted">${l.who} ${l.rule ? `· ${l.rule}` : ''}</span></li>`)}</ol>` : html`<${Empty} title="Read it on the hub's machine.">callboard audit tail<//>`}`}`;
}

/** The hub's own figures, as they are scraped. */
function Metrics() {
  const [rows, show] = useState(/** @type {[string, string][]} */ ([]));
  useEffect(() => {
    const look = () => text('/metrics').then((all) => show(all.split('\n').filter((l) => l && !l.startsWith('#') && !l.includes('_bucket')).map((l) => /** @type {[string, string]} */ ([l.slice(0, l.lastIndexOf(' ')), l.slice(l.lastIndexOf(' ') + 1)]))), () => {});
    look();
    const timer = setInterval(() => document.hidden || look(), 5000);
    return () => clearInterval(timer);
  }, []);
  return html`<details><summary>${rows.length} figures, every 5 s; the same for programs at <code>/metrics</code></summary><${Facts} rows=${rows} /></details>`;
}
