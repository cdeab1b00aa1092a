// How to connect clients, what is bounded, and how the hub is set.

import { html, Facts, Problem, useGet, useState } from './ui.js';
import { may } from './live.js';
import { Copy, lazy } from './parts.js';
import { Webhooks } from './webhooks.js';

export function Settings() {
  const limits = useGet('/api/v1/limits');
  const clients = useGet('/api/v1/connect');
  const me = /** @type {api.Me | undefined} */ (useGet('/api/v1/me').value);
  return html`<h1>Settings</h1>
    <p class="muted">
    callboard ${me?.version} · you are ${me?.displayName} (${me?.principal})${
      me?.expiresAt &&
      html`, logged in until <time datetime=${me.expiresAt}>${new Date(me.expiresAt).toLocaleString()}</time>`
    }</p>
    <h2>Connect a client</h2>
    <p class="muted">On the machine of the client; NAME is what the agent is to be called here.</p>
    <${Problem} error=${clients.error} />
    <ul class="plain connect">
    ${clients.value?.items.map(
      (/** @type {{client: string, command: string, note?: string}} */ one) =>
        html`<li class="card small" key=${one.client} data-testid="connect"><strong>${one.client}</strong>
        <${Copied} words=${one.command} />${one.note && html`<span class="muted">${one.note}</span>`}</li>`,
    )}</ul>
    <h2>Limits</h2><${Problem} error=${limits.error} />
    ${
      limits.value &&
      html`
        <${Facts}
        rows=${Object.entries(limits.value).map(
          ([key, value]) =>
            /** @type {[string, any]} */ ([
              words(key),
              typeof value === 'object' ? JSON.stringify(value) : value.toLocaleString(),
            ]),
        )} />`
    }
    <${Push} /><${Webhooks} />
    ${may('admin') && html`<${Tokens} /><${Configuration} />`}`;
}

/** `queuePerAgent` as words. @param {string} key */
const words = (key) => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A command with a button that copies it. @param {{words: string}} props */
const Copied = ({ words }) =>
  html`<span class="line command">
    <code class="grow">
    ${words.split(' ').map((word, i) => html`${i > 0 && ' '}<span class="whole">${word}</span>`)}</code>
      <${Copy} words=${words} /></span>`;

const Push = lazy(() => import('./push.js').then((m) => m.Push));
const Tokens = lazy(() => import('./tokens.js').then((m) => m.Tokens));

/** Every setting as it holds, and where it comes from. */
function Configuration() {
  const { value, error } = useGet('/admin/settings');
  const [like, type] = useState('');
  const [all, showAll] = useState(false);
  const items = /** @type {{key: string, value: unknown, origin: string}[]} */ (value?.items || []);
  const fits = items.filter((row) => `${row.key} ${row.origin}`.includes(like));
  // Some two hundred settings are as they came: a look is for those that somebody set.
  const rows = like || all ? fits : fits.filter((row) => row.origin !== 'defaults');
  return html`<h2>Configuration</h2><${Problem} error=${error} />
    ${
      value &&
      html`<form class="filters" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        <label>
        Search <input type="search" value=${like} placeholder="limits, leases …"
          onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    <button type="button" aria-pressed=${all} onClick=${() => showAll(!all)}>
    ${all ? 'Only what was set' : `All ${items.length}`}</button></form>
    ${
      rows.length === 0
        ? html`<p class="muted">${like ? 'No setting has that in its name.' : 'Every setting is as it came.'}</p>`
        : html`
    <div class="scroll" tabindex="0" role="region" aria-label="configuration">
    <table class="fits"><thead><tr><th>Setting</th><th>Value</th><th>From</th></tr></thead>
    <tbody>
    ${rows.map(
      (row) =>
        html`<tr key=${row.key} data-testid="setting"><td><code>${row.key}</code></td>
        <td class="target">${typeof row.value === 'string' ? row.value : JSON.stringify(row.value)}</td>
        <td class="muted">${row.origin}</td></tr>`,
    )}</tbody></table></div>`
    }`
    }`;
}
