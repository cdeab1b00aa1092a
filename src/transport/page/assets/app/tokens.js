// Tokens: who may speak to the hub; made, rotated and revoked here. A secret is told once.

import { html, Ago, Press, Problem, useLivePages, useOrder, useState, Words } from './ui.js';
import { Copy, Fields } from './parts.js';
import { ask, post } from './live.js';

const EMPTY = { kind: 'agent', name: '', scope: 'operate', expires: '' };

export function Tokens() {
  // No event tells of them: what was done here has the list read anew.
  const [round, again] = useState(0);
  const { items, error, more, there } = useLivePages(`/api/v1/tokens?limit=100&${round % 2 ? '' : '&'}`, () => false);
  const [all, set] = useState(EMPTY);
  const [busy, refused, give] = useOrder();
  const [made, show] = useState(/** @type {{whose: string, secret: string} | null} */ (null));
  const settled = () => again(round + 1);
  const tell = (/** @type {api.Made} */ one) => show(one.token ? { whose: one.principal, secret: one.token } : null);
  const make = async () => {
    const { kind, name, scope, expires } = all;
    const body = kind === 'agent' ? { agent: name.trim() } : { name: name.trim(), scope, service: kind === 'program' };
    tell(await post('/api/v1/tokens', { ...body, ...(expires.trim() && { expires: expires.trim() }) }));
    settled();
  };
  return html`<h2>Tokens</h2><p class="muted">Who may speak to this hub.</p>
    <details class="add"><summary>Make a token</summary><form data-testid="make-token" onSubmit=${(
      /** @type {Event} */ event,
    ) => {
      event.preventDefault();
      give(make, `A token for ${all.name}`).then((ok) => ok && set(EMPTY));
    }}>
    <${Fields} of=${all} set=${set} fields=${[
      [
        'kind',
        'For',
        {
          options: [
            ['agent', 'an agent'],
            ['person', 'a person'],
            ['program', 'a program'],
          ],
        },
      ],
      ['name', all.kind === 'agent' ? 'Id of the agent' : 'Name', {}],
      ...(all.kind === 'agent'
        ? []
        : [
            [
              'scope',
              'May',
              {
                options: [
                  ['view', 'look'],
                  ['operate', 'look and act'],
                  ['admin', 'everything'],
                ],
              },
            ],
          ]),
      ['expires', 'Good for', { placeholder: 'for ever, or 90d' }],
    ]} /><p><button class="primary" disabled=${busy || !all.name.trim()}>Make</button></p></form></details>
    ${
      made &&
      html`<p class="warning" role="status"><span>The secret of <${Words}>${made.whose}<//>, told this once:
        ${' '}<code class="whole" data-testid="token-secret">${made.secret}</code></span>
        <${Copy} words=${made.secret} />
        </p>`
    }
    <${Problem} error=${refused || error} />
    ${!there && html`<p class="muted">…</p>`}
    ${
      items.length > 0 &&
      html`<div class="scroll" tabindex="0" role="region" aria-label="tokens"><table class="stacks">
        <thead><tr><th>Whose</th><th>May</th><th>Used</th><th>Good until</th><th>Do</th></tr></thead>
        <tbody>${items.map(
          (one) => html`<${Token} key=${one.id} of=${one} tell=${tell} settled=${settled} />`,
        )}</tbody></table></div>`
    }
    ${more && html`<p><button onClick=${more}>Show 100 more</button></p>`}`;
}

/** @param {{of: api.TokenView, tell: (one: any) => void, settled: () => void}} props */
function Token({ of, tell, settled }) {
  const [busy, error, give] = useOrder();
  const path = `/api/v1/tokens/${encodeURIComponent(of.id)}`;
  const rotate = () =>
    give(() => post(`${path}/rotate`).then(tell), `${of.principal} has a new secret; the old one ends in a day`).then(
      settled,
    );
  const revoke = () => give(() => ask('DELETE', path, {}), `${of.principal} is shut out`).then(settled);
  return html`<tr data-testid="token" data-id=${of.id}>
    <td><${Words}>${of.principal}<//> <span class="muted">${of.id}</span>
      ${of.openedBy && html` <span class="mark">log-in of a page</span>`}</td>
    <td>${of.scopes.join(', ')}</td>
    <td data-label="used">${of.lastUsed ? html`<${Ago} at=${of.lastUsed} />` : 'never'}</td>
    <td data-label="until">${
      of.expiresAt
        ? html`<time datetime=${of.expiresAt}>${new Date(of.expiresAt).toLocaleDateString()}</time>`
        : 'for ever'
    }</td>
    <td><span class="line">${!of.openedBy && html`<button disabled=${busy} onClick=${rotate}>Rotate</button>`}
      <${Press} disabled=${busy} harm="Whoever uses it is shut out at once" onPress=${revoke}>Revoke<//></span>
      <${Problem} error=${error} /></td></tr>`;
}
