// The outbox: what must reach the outside, what waits and why, and what is dead; with what can be done about each.

import { html, about, Again, Ago, Badge, Countdown, Empty, Facts, Prose, Problem } from './ui.js';
import { Tabs, useLiveGet, useLivePages, useOrder, useState, useSure, Words } from './ui.js';
import { may, post } from './live.js';
import { Crumbs } from './parts.js';

/** What the list shows by its tabs. */
const VIEWS = /** @type {[string, string][]} */ ([
  ['dead_letter', 'Dead'],
  ['pending,sending', 'Waiting'],
  ['delivered,dropped', 'Settled'],
]);
/** How often is asked how far a delivery is: between its attempts no event tells of it, in milliseconds. */
const EVERY = 3000;

/** What moves the list. @param {api.Event} event */
const moves = (event) => /^hub\.(webhook|delivery)_/.test(event.type) || about.tasks(event);

/** @param {{parts: string[], query: URLSearchParams}} props */
export const Outbox = ({ parts, query }) =>
  parts[0] ? html`<${One} id=${parts[0]} key=${parts[0]} />` : html`<${List} query=${query} />`;

/** @param {{query: URLSearchParams}} props */
function List({ query }) {
  const state = query.get('state') || 'dead_letter';
  const { items, error, more, there } = useLivePages(`/api/v1/outbox?limit=100&state=${state}`, moves);
  return html`<div class="line"><h1>Outbox</h1><span class="grow"></span>
    <${Tabs} tabs=${VIEWS} current=${state} to=${(/** @type {string} */ key) => `#/outbox?state=${key}`} /></div>
    <p class="muted">Messages, webhooks and what else must reach the outside, the newest first.</p>
    <${Stopped} />
    <${Problem} error=${error} />
    ${there && !error && items.length === 0 && html`<${Empty} title=${EMPTY[state] || 'Nothing is here.'} />`}
    <ul class="cards">${items.map(
      (one) => html`<li class="card" key=${one.id} data-row tabindex="0"
      data-testid="delivery" data-state=${one.state}><${Delivery} of=${one} /></li>`,
    )}</ul>
    ${more && html`<p><button onClick=${more}>Show 100 more</button></p>`}`;
}

/** @type {Record<string, string>} */
const EMPTY = {
  dead_letter: 'Nothing is dead: all that was to go out went out, or waits.',
  'pending,sending': 'Nothing waits.',
};

/** Webhooks that were stopped, since their receiver did not take what was sent. */
function Stopped() {
  const { value } = useLiveGet('/api/v1/webhooks', moves);
  const stopped = /** @type {api.WebhookView[]} */ (value?.items || []).filter((one) => one.stopped);
  return html`${stopped.map((one) => html`<${Paused} of=${one} key=${one.name} />`)}`;
}

/** @param {{of: api.WebhookView}} props */
function Paused({ of }) {
  const [busy, error, give] = useOrder();
  const enable = () =>
    give(() => post(`/api/v1/webhooks/${encodeURIComponent(of.name)}/enable`), `${of.name} hears events again`);
  return html`<div class="warning" data-testid="paused"><div class="grow"><p><strong>${of.name}</strong> is paused${
    of.gap && html`: <${Words}>${of.gap.why}<//>, <${Ago} at=${of.gap.since} />`
  }. ${of.waiting} wait for it.</p>
    <${Problem} error=${error} /></div>
    ${
      may('admin')
        ? html`<button disabled=${busy} onClick=${enable}>Enable</button>`
        : html`<span>An admin enables it.</span>`
    }
    </div>`;
}

/** @param {{of: api.DeliveryView}} props */
const Delivery = ({ of }) => html`
  <div class="line"><${Badge} of=${of.state} /><span class="grow"></span>
    ${
      of.notBefore && of.state === 'pending'
        ? html`<${Countdown} at=${of.notBefore} then="the next attempt" />`
        : html`<span class="muted"><${Ago} at=${of.settledAt || of.createdAt} /></span>`
    }</div>
  <h3><a href=${`#/outbox/${of.id}`}><${Words}>${of.summary}<//></a></h3>
  <p class="muted">to <${Words}>${of.destination}<//> · ${of.attempts} attempt${of.attempts === 1 ? '' : 's'}</p>
  ${(of.reason || of.lastError) && html`<p><${Prose} words=${of.reason || of.lastError || ''} /></p>`}
  <${Orders} of=${of} />`;

/** @param {{of: api.DeliveryView}} props */
function Orders({ of }) {
  const [busy, error, give] = useOrder(`dead_delivery:${of.id}`);
  const [asks, ask] = useState(false);
  const [reason, type] = useState('');
  const harm = 'It is never sent then';
  const [armed, sure] = useSure(harm);
  if (!may('operate') || !['pending', 'dead_letter'].includes(of.state)) return null;
  const path = `/api/v1/outbox/${of.id}`;
  const retry = () => give(() => post(`${path}/retry`), `Tried again: ${of.summary}`);
  const drop = () =>
    give(() => post(`${path}/drop`, { reason }), `Dropped: ${of.summary}`).then((ok) => ok && ask(false));
  return html`<div class="options"><button disabled=${busy} onClick=${retry}>
      ${of.state === 'pending' ? 'Try now' : 'Retry'}</button>
    <button aria-expanded=${String(asks)} onClick=${() => ask(!asks)}>Drop …</button></div>
    ${
      asks &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        sure(drop);
      }}><label class="grow">Why is it not to be sent? <input value=${reason}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class=${armed ? 'sure' : 'primary'} disabled=${busy || !reason.trim()}>
        Drop${armed && html`<${Again} harm=${harm} />`}</button></form>`
    }
    <${Problem} error=${error} />`;
}

/** @param {{id: string}} props */
function One({ id }) {
  const { value, error } = useLiveGet(`/api/v1/outbox/${encodeURIComponent(id)}`, moves, EVERY);
  const of = /** @type {api.DeliveryView | undefined} */ (value);
  if (error) return html`<h1>Delivery</h1><${Problem} error=${error} />`;
  if (!of) return html`<p class="muted">…</p>`;
  return html`<${Crumbs} to="#/outbox" of="Outbox">${of.summary}<//>
    <h1><${Words}>${of.summary}<//></h1>
    <p class="line"><${Badge} of=${of.state} /></p>
    ${of.reason && html`<p><${Prose} words=${of.reason} /></p>`}
    <${Orders} of=${of} />
    <${Facts} rows=${[
      ['to', html`<${Words}>${of.destination}<//>`],
      ['lane', of.lane],
      ['attempts', of.attempts],
      ['next attempt', of.state === 'pending' && of.notBefore ? html`<${Countdown} at=${of.notBefore} />` : ''],
      ['last error', of.lastError && html`<${Prose} words=${of.lastError} />`],
      ['decided', html`<${Ago} at=${of.createdAt} />`],
      ['settled', of.settledAt && html`<${Ago} at=${of.settledAt} />`],
      ['receipt', of.receipt],
      ['dropped by', of.droppedBy],
      ['key of each attempt', of.idempotencyKey],
      ['id', of.id],
    ]} />`;
}
