// Shows what the hub pushes to this browser, and answers from it. It caches nothing and holds no token: a message that
// may be answered brings a ticket for its one question, which is all that this worker knows of it.
//
// One notification an item: each replaces the one before about the same question or task, and what settles the item
// takes its notification away.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** What each type of event is called; all others settle what was shown of their item. @type {Record<string, string>} */
const SHOWN = {
  'question.asked': 'An agent asks',
  'review.submitted': 'A change waits for your review',
  'task.blocked': 'A task is blocked',
  'task.failed': 'A task failed',
  'task.dead_lettered': 'A task is a dead letter',
  'webhook.test': 'Notifications work here',
};

/**
 * @typedef {object} Message
 * @property {string} type
 * @property {string | null} [question]
 * @property {{task?: string, session?: string, agent?: string} | null} [subject]
 * @property {string} [title]
 * @property {string} [text]
 * @property {{device: string, ticket: string, options: string[]}} [answer]
 */

/** The item that a message is about. @param {Message} of */
const tagOf = ({ question, subject }) =>
  question ? `question:${question}` : `item:${subject?.task || subject?.session || subject?.agent || 'hub'}`;

/** Where the page shows it. @param {Message} of */
const placeOf = ({ type, subject }) => {
  const id = (/** @type {string} */ given) => encodeURIComponent(given);
  if (subject?.task) return `#/tasks/${id(subject.task)}${type === 'review.submitted' ? '/review' : ''}`;
  return subject?.session ? `#/sessions/${id(subject.session)}` : '#/';
};

/** @param {Message} message */
async function shows(message) {
  const tag = tagOf(message);
  const title = message.title || SHOWN[message.type];
  if (!title) {
    for (const one of await worker.registration.getNotifications({ tag })) one.close();
    return;
  }
  const options = message.answer?.options || [];
  /** @type {any} */
  const how = {
    tag,
    renotify: true,
    body: message.text || '',
    icon: '/assets/icon.svg',
    data: message,
    actions: options.map((option, n) => ({ action: `${n}`, title: option })),
  };
  await worker.registration.showNotification(title, how);
}

/** Gives the answer that was pressed; says so where it did not count. @param {Message} message @param {number} n */
async function answers(message, n) {
  const { device, ticket } = message.answer || {};
  const body = JSON.stringify({ device, ticket, question: message.question, option: n });
  const headers = { 'Content-Type': 'application/json', 'Callboard-Surface': 'page' };
  const why = await fetch('/api/v1/push/answers', { method: 'POST', headers, body }).then(
    async (response) => (response.ok ? '' : (await response.json().catch(() => ({}))).error || 'The hub refused it.'),
    () => 'The hub cannot be reached. Press to open the page.',
  );
  if (!why) return;
  const how = { tag: tagOf(message), body: why, icon: '/assets/icon.svg', data: { ...message, answer: undefined } };
  await worker.registration.showNotification('Your answer did not count', how);
}

/** Shows the item on a page that is open, or opens one. @param {string} place */
async function opens(place) {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((one) => one.visibilityState === 'visible') || pages[0];
  if (!page) return void (await worker.clients.openWindow(`/${place}`));
  page.postMessage({ goes: place });
  // A browser may keep the focus to itself.
  await page.focus().catch(() => {});
}

worker.addEventListener('push', (event) => {
  event.waitUntil(shows(event.data?.json() || { type: 'webhook.test' }));
});

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const message = /** @type {Message} */ (notification.data);
  event.waitUntil(action ? answers(message, Number(action)) : opens(placeOf(message)));
});
