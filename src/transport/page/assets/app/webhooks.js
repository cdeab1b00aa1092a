// Who hears events outside the hub: what waits for each, why one is stopped and what it missed; for whoever is admin,
// adding, trying, enabling and removing.

import { html, Ago, Facts, Problem, useLiveGet, useOrder, useState } from './ui.js';
import { ask, may, post } from './live.js';

/** What moves the list: records of webhooks, and what comes to its end for one. @param {api.Event} event */
const moves = (event) => event.type.startsWith('hub.webhook_') || event.type.startsWith('hub.delivery_');

export function Webhooks() {
  const { value, error } = useLiveGet('/api/v1/webhooks', moves);
  const items = /** @type {any[]} */ (value?.items || []);
  return html`<h2>Webhooks</h2><p class="muted">Programs outside that events are posted to.</p>
    <${Problem} error=${error} />
    <ul class="plain">${items.map((one) => html`<${Webhook} key=${one.destination} of=${one} />`)}</ul>
    ${value && items.length === 0 && html`<p class="muted">Nobody hears events yet.</p>`}
    ${may('admin') && html`<${Add} />`}`;
}

/** @param {{of: any}} props */
function Webhook({ of }) {
  const [busy, error, give] = useOrder();
  const [said, say] = useState('');
  const [asks, setAsks] = useState(false);
  const path = `/api/v1/webhooks/${encodeURIComponent(of.name)}`;
  const test = async () => {
    const answer = await post(`${path}/test`);
    say(`${answer.answer}, after ${answer.tookMs} ms`);
  };
  const enable = async () => {
    const answer = await post(`${path}/enable`);
    say(
      `It hears every event after ${answer.hearsAfter}.${
        answer.gap ? ` It missed ${answer.gap.missed}: ${answer.gap.read}` : ''
      }`,
    );
  };
  const remove = () => ask('DELETE', path, {});
  return html`<li class="card small" data-testid="webhook" data-name=${of.name}>
    <span class="line"><strong>${of.name}</strong>
    <span class=${of.stopped ? 'mark urgent' : 'mark'}>${of.stopped ? 'stopped' : 'on'}</span><span class="grow"></span>
    <span class="muted">${of.addedBy ? `added by ${of.addedBy}` : 'of hub.yaml'}</span></span>
    <code class="whole">${of.url}</code>
    ${of.fault && html`<p>Nothing goes out to it: ${of.fault}</p>`}
    ${
      of.gap &&
      html`<p>Stopped since <${Ago} at=${of.gap.since} />: ${of.gap.why}. It missed ${of.gap.missed} events; <code>
        ${of.gap.read}</code> has them.</p>`
    }
    <${Facts} rows=${[
      ['hears', of.events.join(', ') || 'everything'],
      ['waiting', of.waiting],
      ['arrived', of.delivered],
      ['dead letters', of.deadLetters],
    ]} />
    ${
      may('admin') &&
      html`<span class="line"><button disabled=${busy} onClick=${() => give(test)}>Test</button>
        ${of.gap && html`<button disabled=${busy} onClick=${() => give(enable)}>Enable</button>`}
          ${of.addedBy && !asks && html`<button disabled=${busy} onClick=${() => setAsks(true)}>Remove …</button>`}
            </span>`
    }
    ${
      asks &&
      html`<p class="line"><span>What waits for it is dropped.</span>
        <button disabled=${busy} onClick=${() => give(remove, `${of.name} removed`)}>Remove it</button>
        <button onClick=${() => setAsks(false)}>Keep it</button></p>`
    }
    <p class="muted" role="status">${said}</p><${Problem} error=${error} /></li>`;
}

/** One more. Its secret is shown this once. */
function Add() {
  const [busy, error, give] = useOrder();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const [allowPrivate, allow] = useState(false);
  const [secret, tell] = useState('');
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    tell('');
    const types = events.split(/[\s,]+/).filter(Boolean);
    give(async () => {
      const made = await post('/api/v1/webhooks', { name: name.trim(), url: url.trim(), events: types, allowPrivate });
      tell(made.secret || '');
    }).then((done) => done && [setName, setUrl, setEvents].forEach((set) => set('')));
  };
  return html`<details class="add"><summary>Add a webhook</summary>
    <form class="reply" data-testid="add-webhook" onSubmit=${submit}>
    <label>
    Name <input value=${name} onInput=${(/** @type {any} */ event) => setName(event.target.value)} placeholder="builds"
      /></label>
    <label class="grow">
    URL <input type="url" value=${url} onInput=${(/** @type {any} */ event) => setUrl(event.target.value)}
      placeholder="https://…" /></label>
    <label>
    Events <input value=${events} onInput=${(/** @type {any} */ event) => setEvents(event.target.value)}
      placeholder="all, or task, question.asked" /></label>
    <label>
    <input type="checkbox" checked=${allowPrivate} onChange=${(/** @type {any} */ event) => allow(event.target.checked)}
    /> private address</label>
    <button class="primary" disabled=${busy || !name.trim() || !url.trim()}>Add</button>
    <${Problem} error=${error} /></form>
    ${
      secret &&
      html`<p role="status">Its secret, told this once: <code class="whole" data-testid="webhook-secret">
        ${secret}</code></p>`
    }</details>`;
}
