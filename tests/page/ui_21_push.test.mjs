// A browser is notified: by the real hub, the real service worker, and a push service that checks what it gets.
//
// Headless Chromium has no push service behind it. So the page's `pushManager` gives a subscription whose keys are made
// here, a stand-in on loopback takes what the hub sends to it, and what it reads is delivered to the worker by DevTools.

import assert from 'node:assert/strict';
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import ece from 'http_ece';
import { agent, closeBrowser, go, hub, open, until } from './support.mjs';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const NOTIFY = { permissions: ['notifications'] };
let own;
let service;
let worker;
/** What the push service got, as the device reads it. */
let heard = [];

/** A device: its keys, as a browser makes them. */
const device = createECDH('prime256v1');
device.generateKeys();
const auth = randomBytes(16);
const keys = { p256dh: device.getPublicKey('base64url'), auth: auth.toString('base64url') };

/** Whether the header is a token of this key for this origin, by RFC 8292. */
function vouched(header, origin, applicationServerKey) {
  const [, token, key] = header.match(/^vapid t=(\S+), k=(\S+)$/);
  assert.equal(key, applicationServerKey, 'the key that the browser subscribed with');
  const [head, claims, signature] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url') };
  const of = createPublicKey({ key: { ...jwk, y: point.subarray(33).toString('base64url') }, format: 'jwk' });
  const ieee = { key: of, dsaEncoding: 'ieee-p1363' };
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), ieee, Buffer.from(signature, 'base64url')));
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url'));
  assert.equal(aud, origin);
  assert.ok(exp > Date.now() / 1000 && exp < Date.now() / 1000 + 86400 && sub.startsWith('mailto:'));
}

before(async () => {
  own = await hub();
  const { applicationServerKey } = await own.api('GET', '/api/v1/push');
  service = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      assert.equal(request.headers['content-encoding'], 'aes128gcm');
      vouched(request.headers.authorization, service.origin, applicationServerKey);
      const body = Buffer.concat(chunks);
      const text = ece.decrypt(body, { version: 'aes128gcm', privateKey: device, authSecret: auth }).toString();
      heard.push({ text, said: JSON.parse(text), sealed: body.toString('latin1') });
      response.writeHead(201).end();
    } catch (error) {
      heard.push({ error });
      response.writeHead(400).end();
    }
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  service.origin = `http://127.0.0.1:${service.address().port}`;
  worker = await agent(own, 'asker-1', 'full-stack-engineer');
});
after(async () => {
  await closeBrowser();
  await own.end();
  service.closeAllConnections();
  service.close();
});

/** A page whose browser subscribes without a push service. */
async function subscribing(options) {
  const page = await open(own, { ...NOTIFY, ...options });
  await page.evaluate(
    (of) => {
      let now = null;
      const made = () => ({
        ...of,
        toJSON: () => of,
        unsubscribe: async () => {
          now = null;
          return true;
        },
      });
      PushManager.prototype.subscribe = async (asked) => {
        window.subscribedWith = asked;
        now = made();
        return now;
      };
      PushManager.prototype.getSubscription = async () => now;
    },
    { endpoint: 'https://push.example/device/barracuda', keys },
  );
  await go(page, '#/settings');
  await page.getByTestId('push').waitFor();
  return page;
}

/** Presses the switch, and has the hub send to the stand-in in place of the push service of the subscription. */
async function switchedOn(page, { text = false } = {}) {
  const card = page.getByTestId('push');
  if (text) await card.getByLabel('Show the text').check();
  await card.getByRole('button', { name: 'Switch on' }).click();
  await page.locator('[data-testid=push][data-on=true]').waitFor();
  const [added] = (await own.api('GET', '/api/v1/webhooks')).items;
  const to = { url: `${service.origin}/device/barracuda`, allowPrivate: true };
  await own.api('PATCH', `/api/v1/webhooks/${added.name}`, to);
  return added;
}

/** Has the browser deliver messages to the worker of the page, as its push service would. */
async function delivery(page) {
  const session = await page.context().newCDPSession(page);
  let id;
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const one of registrations) if (!one.isDeleted) id = one.registrationId;
  });
  await session.send('ServiceWorker.enable');
  await until(() => id, { why: 'no worker is registered' });
  // What comes before it is active is lost.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  return (data) => session.send('ServiceWorker.deliverPushMessage', { origin: own.url, registrationId: id, data });
}

/** What the worker shows now. */
const shown = (page) =>
  page.evaluate(async () => {
    const worker = await navigator.serviceWorker.getRegistration('/');
    return (await worker.getNotifications()).map(({ title, body, tag, actions = [] }) => ({
      title,
      body,
      tag,
      actions: actions.map((one) => one.title),
    }));
  });

/** Presses a notification, or an action of it. DevTools cannot: the worker gets the event that a press is. */
async function presses(page, tag, action = '') {
  const [own] = page.context().serviceWorkers();
  await own.evaluate(
    async ([tag, action]) => {
      const [notification] = await self.registration.getNotifications({ tag });
      const event = new NotificationEvent('notificationclick', { notification, action });
      let done;
      event.waitUntil = (promise) => (done = promise);
      self.dispatchEvent(event);
      await done;
    },
    [tag, action],
  );
}

/** The next message, by its type. */
async function next(type) {
  await until(() => heard.some(({ error, said }) => error || said.type === type), { why: `no ${type} was pushed` });
  const found = heard.find(({ error, said }) => error || said.type === type);
  if (found.error) throw found.error;
  heard = heard.filter((one) => one !== found);
  return found;
}

/** A question of the agent's; its id. */
async function asks(question, more = {}) {
  const asked = await worker.call('request_input', {
    question,
    options: ['red', 'blue'],
    default_action: 'blue',
    timeout_minutes: 5,
    wait_seconds: 0,
    ...more,
  });
  return asked.question_id ?? asked.questionId;
}

test('UI-21 a device is switched on, hears without words, opens the item, and is switched off', async () => {
  const page = await subscribing();
  const card = page.getByTestId('push');
  assert.equal(await card.getByLabel('Show the text').isChecked(), false, 'words are shown to who wants them');
  const added = await switchedOn(page);
  assert.match(added.name, /^device-[0-9a-f]{20}$/);
  assert.deepEqual([added.push, added.pushText ?? false, added.addedBy], [true, false, 'operator']);
  assert.ok(added.events.includes('question.asked') && !added.events.includes('review.submitted'));
  assert.equal(JSON.stringify(added).includes('barracuda'), false, 'the address is a secret of the device');
  const { applicationServerKey } = await own.api('GET', '/api/v1/push');
  assert.deepEqual(await page.evaluate(() => window.subscribedWith), { userVisibleOnly: true, applicationServerKey });

  const deliver = await delivery(page);
  const { taskId } = await own.api('POST', '/api/v1/tasks', { targetAgentId: worker.id, prompt: 'paint it' });
  await worker.wait();
  await worker.call('ack_task', { taskId });
  const id = await asks('Which colour, swordfish?');
  const asked = await next('question.asked');
  assert.equal(asked.text.includes('swordfish') || asked.text.includes('ticket'), false, asked.text);
  assert.equal(asked.sealed.includes(id), false, 'the push service reads nothing');
  await deliver(asked.text);
  await until(async () => (await shown(page)).length > 0, { why: 'nothing is shown' });
  assert.deepEqual(await shown(page), [{ title: 'An agent asks', body: '', tag: `question:${id}`, actions: [] }]);
  await presses(page, `question:${id}`);
  await page.waitForFunction((to) => location.hash === to, `#/tasks/${taskId}`);
  await page.getByText('paint it').first().waitFor();
  assert.deepEqual(await shown(page), []);

  // What is answered elsewhere is taken away.
  await deliver(asked.text);
  await until(async () => (await shown(page)).length > 0, { why: 'nothing is shown' });
  await own.api('POST', `/api/v1/questions/${id}/answer`, { value: 'red' });
  await deliver((await next('question.resolved')).text);
  await until(async () => (await shown(page)).length === 0, { why: 'it is not withdrawn' });

  await go(page, '#/settings');
  await card.getByRole('button', { name: 'Switch off' }).click();
  await card.getByRole('button', { name: 'Switch on' }).waitFor();
  assert.deepEqual((await own.api('GET', '/api/v1/webhooks')).items, []);
  assert.equal(
    await page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration('/');
      return worker.pushManager.getSubscription();
    }),
    null,
  );
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('UI-21 an answer is pressed in a notification, counts once, and who was faster is named', async () => {
  heard = [];
  const page = await subscribing();
  const added = await switchedOn(page, { text: true });
  assert.equal(added.pushText, true);
  const deliver = await delivery(page);

  const id = await asks('Which colour?');
  const asked = await next('question.asked');
  await deliver(asked.text);
  await until(async () => (await shown(page)).length > 0, { why: 'nothing is shown' });
  const [notification] = await shown(page);
  assert.deepEqual(notification, {
    title: 'asker-1 asks',
    body: 'Which colour?',
    tag: `question:${id}`,
    actions: ['red', 'blue'],
  });
  const waiting = worker.call('wait_for_answer', { question_id: id, timeout: 30 });
  await presses(page, `question:${id}`, '0');
  const { resolution } = await waiting;
  assert.deepEqual([resolution.value, resolution.type, resolution.surface], ['red', 'human', 'page']);
  await deliver((await next('question.resolved')).text);
  await until(async () => (await shown(page)).length === 0, { why: 'it is not withdrawn' });

  // The ticket answers one question, once, by one of its options.
  const { device: name, ticket } = asked.said.answer;
  const other = await asks('Which size?', { options: ['small', 'large'], default_action: 'small' });
  const answers = async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${own.url}/api/v1/push/answers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ device: name, ticket, question: id, option: 1, ...body }),
    });
    return [response.status, (await response.json()).code];
  };
  assert.deepEqual(await answers({}), [409, 'ALREADY_RESOLVED']);
  assert.deepEqual(await answers({ question: other }), [401, 'UNAUTHENTICATED']);
  assert.deepEqual(await answers({ device: 'device-0' }), [401, 'UNAUTHENTICATED']);
  assert.deepEqual(await answers({ ticket: `${ticket}x` }), [401, 'UNAUTHENTICATED']);

  // Somebody is faster.
  const second = await next('question.asked');
  assert.deepEqual(await answers({ ...second.said.answer, options: undefined, question: other, option: 9 }), [
    400,
    'INVALID_ARGUMENTS',
  ]);
  await deliver(second.text);
  await until(async () => (await shown(page)).length > 0, { why: 'nothing is shown' });
  await own.api('POST', `/api/v1/questions/${other}/answer`, { value: 'large' });
  await presses(page, `question:${other}`, '0');
  const [late] = await shown(page);
  assert.equal(late.title, 'Your answer did not count');
  assert.match(late.body, /too late: .*large/);
  assert.deepEqual(late.actions, []);

  // What may destroy something is answered on the page.
  await asks('Drop the production database?', {
    options: ['drop it', 'no'],
    default_action: 'no',
    dangerous: true,
  });
  const dangerous = await next('question.asked');
  assert.equal(dangerous.said.title, 'asker-1 asks');
  assert.equal('answer' in dangerous.said, false, dangerous.text);

  // Without its device a ticket is worth nothing.
  await page.getByTestId('push').getByRole('button', { name: 'Switch off' }).click();
  await page.getByTestId('push').getByRole('button', { name: 'Switch on' }).waitFor();
  assert.deepEqual(await answers({}), [401, 'UNAUTHENTICATED']);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('UI-21 a browser that cannot be notified says why', async () => {
  // What is not granted is denied.
  const denied = await open(own, { permissions: ['geolocation'] });
  await go(denied, '#/settings');
  const why = () => denied.getByTestId('push-hindered');
  await why().getByText('told to show no notifications').waitFor();
  for (const [hide, words] of [
    [() => Object.defineProperty(navigator, 'serviceWorker', { value: undefined }), 'has no Web Push'],
    [() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }), 'only for pages from https'],
  ]) {
    await go(denied, '#/');
    await denied.getByTestId('inbox-count').waitFor();
    await denied.evaluate(hide);
    await go(denied, '#/settings');
    await why().getByText(words).waitFor();
  }
  assert.deepEqual(denied.faults, []);
  await denied.context().close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`UI-21 the switch has no violation and fits 360 px, ${colorScheme}`, async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const page = await subscribing({ colorScheme, viewport: { width: 360, height: 800 }, bypassCSP: true });
    await page.evaluate(axe);
    const looks = async (state) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${state}: ${wide} px too wide`);
      const { violations } = await page.evaluate((only) => window.axe.run({ runOnly: only }), RULES);
      assert.deepEqual(
        violations.map((one) => `${state}: ${one.id} ${one.nodes[0].html.slice(0, 120)}`),
        [],
      );
      const folder = process.env.CALLBOARD_PAGE_LOOK;
      if (folder) await page.getByTestId('push').screenshot({ path: `${folder}/push-${colorScheme}-${state}.png` });
    };
    await looks('off');
    await page.getByTestId('push').getByRole('button', { name: 'Switch on' }).click();
    await page.locator('[data-testid=push][data-on=true]').waitFor();
    await looks('on');
    await page.getByTestId('push').getByRole('button', { name: 'Switch off' }).click();
    await page.getByTestId('push').getByRole('button', { name: 'Switch on' }).waitFor();
    await page.context().close();
  });
}
