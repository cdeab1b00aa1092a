// The switch that has this browser notified: what stands in the way of it, a subscription at the browser's push
// service, and the device that the hub sends to.

import { html, Problem, useEffect, useLiveGet, useOrder, useState } from './ui.js';
import { ask, get, may, post, Refused } from './live.js';

const WORKER = '/sw.js';

/** What may be heard of, and the events of each: those that tell of it, and those that settle it. */
const KINDS = /** @type {[string, string[]][]} */ ([
  ['Questions', ['question.asked', 'question.resolved']],
  [
    'Reviews',
    ['review.submitted', 'review.approved', 'review.changes_requested', 'review.withdrawn', 'review.taken_back'],
  ],
  ['Blocked tasks', ['task.blocked', 'task.answered', 'task.cancelled']],
  ['Failures', ['task.failed', 'task.dead_lettered', 'task.requeued', 'task.cancelled']],
]);

/** Why this browser cannot be notified; nothing where it can. */
function hindrance() {
  if (!isSecureContext)
    return `Browsers notify only for pages from https or from this machine, and this one came from ${location.origin}.`;
  if (!navigator.serviceWorker || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'This browser has no Web Push. On an iPhone or iPad, add the page to the home screen and open it there.';
  if (Notification.permission === 'denied')
    return 'This browser was told to show no notifications of this page: allow them in its settings for the site.';
  return may('operate') ? '' : 'Your log-in may look, and have no device notified.';
}

/** What the switch says instead of a refusal of the hub. @param {string} words */
const refuses = (words) => new Refused(0, { error: words });

/** The worker of this page: the one address that the page's policy lets be run besides its own scripts. */
async function registered() {
  const trusted = /** @type {any} */ (globalThis).trustedTypes;
  own ||= trusted ? trusted.createPolicy('callboard-worker', { createScriptURL: () => WORKER }) : undefined;
  await navigator.serviceWorker.register(own ? own.createScriptURL(WORKER) : WORKER);
  return navigator.serviceWorker.ready;
}
/** The policy: a page makes it once. @type {any} */
let own;

/** What the hub calls the device at this address. @param {string} endpoint */
async function nameOf(endpoint) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  const bytes = [...new Uint8Array(digest)].slice(0, 10);
  return `device-${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The subscription of this browser, where it has one. */
async function subscribed() {
  const worker = await navigator.serviceWorker?.getRegistration('/');
  return (await worker?.pushManager?.getSubscription()) || null;
}

/** A subscription at the push service, by the hub's key. @returns {Promise<PushSubscription>} */
async function subscribe() {
  if ((await Notification.requestPermission()) !== 'granted')
    throw refuses('Nothing was switched on: this browser was not allowed to show notifications.');
  const { applicationServerKey } = await get('/api/v1/push');
  const worker = await registered().catch((error) => {
    throw refuses(`The worker that shows notifications did not start: ${error.message}`);
  });
  // One by another key of the hub would hear nothing.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch((error) => {
    throw refuses(`The push service of this browser did not take it: ${error.message}`);
  });
}

export function Push() {
  const hinders = hindrance();
  const { value, error: unread } = useLiveGet('/api/v1/webhooks', (event) => event.type.startsWith('hub.webhook_'));
  const [name, setName] = useState('');
  const [all, set] = useState({ kinds: ['Questions', 'Failures'], text: false });
  const [busy, error, give] = useOrder();
  useEffect(() => {
    subscribed().then(async (one) => one && setName(await nameOf(one.endpoint)));
  }, []);
  const device = (value?.items || []).find((/** @type {api.WebhookView} */ one) => one.name === name);
  const on = async () => {
    const subscription = await subscribe();
    const { endpoint, keys } = subscription.toJSON();
    const events = KINDS.filter(([kind]) => all.kinds.includes(kind)).flatMap(([, types]) => types);
    await post('/api/v1/push/devices', { endpoint, keys, events, text: all.text });
    setName(await nameOf(subscription.endpoint));
  };
  const off = async () => {
    // This browser hears no more, whoever had it notified.
    await (await subscribed())?.unsubscribe();
    await ask('DELETE', `/api/v1/push/devices/${name}`, {});
  };
  const turn = (/** @type {string} */ kind) =>
    set({
      ...all,
      kinds: all.kinds.includes(kind) ? all.kinds.filter((one) => one !== kind) : [...all.kinds, kind],
    });
  const heard = KINDS.filter(([, [first]]) => device?.events.includes(first)).map(([kind]) => kind);
  return html`<h2 id="push">Notify this device</h2>
    <section class="card small" aria-labelledby="push" data-testid="push" data-on=${String(Boolean(device))}>
    ${
      device
        ? html`<p>This browser hears of <strong>${heard.join(', ').toLowerCase() || device.events.join(', ')}</strong>${
            device.pushText ? ', with their words' : ', without their words'
          }, also while the page is closed.</p>
          ${device.fault && html`<p>Nothing goes out to it: ${device.fault}</p>`}
          <p><button disabled=${busy} onClick=${() => give(off, 'This device is notified no more')}>
            Switch off</button> <span class="muted">${device.name}, of ${device.addedBy}</span></p>`
        : hinders
          ? html`<p data-testid="push-hindered">${hinders}</p>`
          : html`<form onSubmit=${(/** @type {Event} */ event) => {
              event.preventDefault();
              give(on, 'This device is notified');
            }}><fieldset disabled=${busy}><legend>Tell me of</legend><div class="line">
            ${KINDS.map(
              ([kind]) =>
                html`<label class="check" key=${kind}><input type="checkbox" checked=${all.kinds.includes(kind)}
                  onChange=${() => turn(kind)} /> ${kind}</label>`,
            )}</div></fieldset>
            <p><label class="check"><input type="checkbox" checked=${all.text} onChange=${() =>
              set({ ...all, text: !all.text })} /> Show the text, and answer from the notification</label></p>
            <p class="muted">Without the text a notification says what happened, and opens the page. With it, whoever
              sees the screen of this device reads it and may press an answer.</p>
            <p><button class="primary" disabled=${busy || all.kinds.length === 0}>Switch on</button></p></form>`
    }
    <${Problem} error=${error || unread} /></section>`;
}
