// How to connect clients, what is bounded, and what is measured.

import { html, Facts, Problem, useEffect, useGet, useState } from './ui.js';
import { text } from './live.js';

/** The clients that are set up by a command of their own. */
const CLIENTS = [
  ['Claude Code', 'claude'],
  ['Codex', 'codex'],
  ['Gemini CLI', 'gemini'],
  ['opencode', 'opencode'],
];

export function Settings() {
  const limits = useGet('/api/v1/limits');
  const me = /** @type {api.Me | undefined} */ (useGet('/api/v1/me').value);
  return html`<h1>Settings</h1><p class="muted">callboard ${me?.version} · you are ${me?.displayName} (${me?.principal})${me?.expiresAt && html`, logged in until <time datetime=${me.expiresAt}>${new Date(me.expiresAt).toLocaleString()}</time>`}</p>
    <h2>Connect a client</h2><p class="muted">On the machine of the client; <code>callboard connect --help</code> lists all.</p>
    <ul class="plain">${CLIENTS.map(([name, client]) => html`<li class="card small"><strong>${name}</strong><code>callboard connect ${client} --agent NAME</code></li>`)}</ul>
    <h2>Limits</h2><${Problem} error=${limits.error} />${limits.value && html`<${Facts} rows=${Object.entries(limits.value).map(([key, value]) => /** @type {[string, any]} */ ([key, typeof value === 'object' ? JSON.stringify(value) : value.toLocaleString()]))} />`}
    <h2>Metrics</h2><${Metrics} />`;
}

/** The hub's own figures, as they are scraped. */
function Metrics() {
  const [rows, show] = useState(/** @type {[string, string][]} */ ([]));
  useEffect(() => {
    const look = () =>
      text('/metrics').then(
        (all) =>
          show(
            all
              .split('\n')
              .filter((l) => l && !l.startsWith('#') && !l.includes('_bucket'))
              .map(
                (l) =>
                  /** @type {[string, string]} */ ([l.slice(0, l.lastIndexOf(' ')), l.slice(l.lastIndexOf(' ') + 1)]),
              ),
          ),
        () => {},
      );
    look();
    const timer = setInterval(() => document.hidden || look(), 5000);
    return () => clearInterval(timer);
  }, []);
  return html`<details><summary>${rows.length} figures, every 5 s; the same for programs at <code>/metrics</code></summary><${Facts} rows=${rows} /></details>`;
}
