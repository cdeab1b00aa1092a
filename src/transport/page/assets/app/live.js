// What the page knows of the hub: calls of the API, and a store that a snapshot fills and the event stream keeps.
//
// An event says what changed, not how it is now: the thing it is about is asked for, a few at once; when many changed,
// the whole snapshot is. So two tabs, and a tab that slept, always show what the hub has.

/** @typedef {{seq: number, type: string, time: string, subject: Record<string, string>, actor: {principal: string}, data: any}} HubEvent */

const TOKEN = 'callboard.token';
/** The most events that are kept for the events page. */
const KEPT = 1000;
/** How long changes are gathered before the hub is asked, in milliseconds. */
const GATHER = 100;
/** With more changed tasks than this the snapshot is asked for instead of each. */
const FEW = 8;
/** The shortest pause between two snapshots, in milliseconds. */
const PAUSE = 2000;
/** The longest pause between two tries to reach the hub, in milliseconds. */
const LONGEST = 10000;

/** A refusal of the hub, in its own words. */
export class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body.error || `the hub answered ${status}`);
    this.status = status;
    this.code = body.code || '';
    this.advice = body.details?.prompt || '';
    this.details = body.details || {};
  }
}

export const state = {
  /** @type {'out' | 'connecting' | 'live' | 'stale'} */
  link: 'out',
  /** Why nobody is logged in, where there is a reason. */
  why: '',
  me: /** @type {any} */ (null),
  seq: 0,
  /** How far the hub's clock is ahead of this machine's, in milliseconds. */
  ahead: 0,
  staleSince: 0,
  missed: 0,
  tasks: /** @type {Map<string, any>} */ (new Map()),
  agents: /** @type {any[]} */ ([]),
  sessions: /** @type {any[]} */ ([]),
  inbox: /** @type {any[]} */ ([]),
  inboxTotal: 0,
  events: /** @type {HubEvent[]} */ ([]),
  /** Grows with each change: pages that ask for more than the snapshot has ask again when it does. */
  version: 0,
};

/** @type {Set<() => void>} */
const listeners = new Set();
let drawing = false;

/** Calls `listener` after each change, at most once a frame. @param {() => void} listener */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed() {
  state.version += 1;
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    for (const listener of listeners) listener();
  }, 16);
}

/** The hub's time now, in milliseconds. */
export const now = () => Date.now() + state.ahead;

export const may = (/** @type {string} */ scope) => {
  const order = ['view', 'operate', 'admin'];
  const most = Math.max(-1, ...(state.me?.scopes || []).map((/** @type {string} */ s) => order.indexOf(s)));
  return most >= order.indexOf(scope);
};

/**
 * Asks the hub.
 * @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [more]
 */
async function ask(method, path, body, more = {}) {
  /** @type {Record<string, string>} */
  const headers = { 'Callboard-Surface': 'page', .../** @type {any} */ (more.headers || {}) };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] ||= crypto.randomUUID();
  }
  const response = await fetch(path, {
    ...more,
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.ok) return response;
  const refused = new Refused(response.status, await response.json().catch(() => ({})));
  if (refused.code === 'UNAUTHENTICATED' && token)
    leave('This log-in has ended: it is good for twelve hours, and ends when its token is revoked.');
  throw refused;
}

/** What the hub answers to a question. @param {string} path */
export const get = async (path) => (await ask('GET', path)).json();

/** The same as text. @param {string} path */
export const text = async (path) => (await ask('GET', path)).text();

/** An order; what it changes is asked for at once. @param {string} path @param {any} [body] */
export async function post(path, body = {}) {
  const response = await ask('POST', path, body);
  hurry();
  return response.status === 204 ? {} : response.json();
}

/** Drops the token. @param {string} why */
function leave(why) {
  sessionStorage.removeItem(TOKEN);
  stream?.abort();
  Object.assign(state, {
    link: 'out',
    why,
    me: null,
    tasks: new Map(),
    agents: [],
    sessions: [],
    inbox: [],
    inboxTotal: 0,
    events: [],
  });
  changed();
}

export async function logOut() {
  await ask('POST', '/api/v1/logout', {}).catch(() => {});
  leave('You are logged out.');
}

/** Trades a code for a token. Takes a whole address, too. @param {string} given */
export async function logIn(given) {
  const code = given.trim().split('#code=').pop();
  const { token } = await (await ask('POST', '/api/v1/login', { code })).json();
  sessionStorage.setItem(TOKEN, token);
  await begin();
}

/** Begins: with the code of the address if there is one, with the token of this tab, or at the log-in. */
export async function start() {
  const given = location.hash.match(/^#code=(.+)$/);
  if (given) {
    // Out of the address, the history and the title before anything else.
    history.replaceState(null, '', location.pathname + '#/');
    try {
      return await logIn(given[1]);
    } catch (error) {
      state.why = error instanceof Refused ? error.message : 'The hub cannot be reached.';
      return changed();
    }
  }
  if (sessionStorage.getItem(TOKEN)) return begin();
  changed();
}

async function begin() {
  Object.assign(state, { link: 'connecting', why: '' });
  changed();
  follow();
}

// ---- the snapshot and what comes after it ----

/** @type {AbortController | undefined} */
let stream;
let asked = 0;
/** @type {any} */
let timer;
/** @type {Set<string>} */
const dirty = new Set();
let all = false;

async function snapshot() {
  asked = Date.now();
  const [me, shot, inbox] = await Promise.all([get('/api/v1/me'), get('/api/v1/snapshot'), inboxOf()]);
  state.me = me;
  state.ahead = Date.parse(me.time) - Date.now();
  state.seq = Math.max(state.seq, shot.seq);
  state.tasks = new Map(shot.tasks.map((/** @type {any} */ task) => [task.taskId, task]));
  state.agents = shot.agents;
  state.sessions = shot.sessions;
  take(inbox);
  changed();
  return shot.seq;
}

/** What needs you; who may only look has no list of it. */
const inboxOf = () =>
  get('/api/v1/inbox?limit=200').catch((error) => {
    if (error.code === 'INSUFFICIENT_SCOPE') return { items: [], total: 0 };
    throw error;
  });

/** @param {any} inbox */
function take(inbox) {
  state.inbox = inbox.items;
  state.inboxTotal = inbox.total;
}

/** Follows the hub for as long as this tab is logged in. */
async function follow() {
  let pause = 500;
  while (sessionStorage.getItem(TOKEN)) {
    try {
      const after = await snapshot();
      Object.assign(state, { link: 'live', staleSince: 0 });
      changed();
      pause = 500;
      await read(after);
    } catch (error) {
      if (state.link === 'out') return;
      if (error instanceof Refused && error.status < 500 && error.status !== 429) state.why = error.message;
    }
    if (state.link === 'out' || !sessionStorage.getItem(TOKEN)) return;
    if (!state.staleSince) Object.assign(state, { link: 'stale', staleSince: Date.now() });
    changed();
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    pause = Math.min(pause * 2, LONGEST);
  }
}

/** Reads the event stream to its end. @param {number} after */
async function read(after) {
  stream = new AbortController();
  // Behind a hidden tab the stream is let go of; what it missed the next snapshot has.
  const response = await ask('GET', `/api/v1/events?after=${after}`, undefined, {
    signal: stream.signal,
    headers: { Accept: 'application/x-ndjson' },
  });
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body)
    .pipeThrough(/** @type {any} */ (new TextDecoderStream()))
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() || '';
    for (const line of lines) if (line.trim()) heard(JSON.parse(line));
  }
}

/** @param {any} event */
function heard(event) {
  if (event.type === 'gap') {
    state.missed += event.missed;
    all = true;
    return hurry();
  }
  if (!event.seq || event.seq <= (state.events.at(-1)?.seq || 0)) return;
  state.seq = event.seq;
  state.events.push(event);
  if (state.events.length > KEPT * 1.2) state.events.splice(0, state.events.length - KEPT);
  if (event.subject?.task) dirty.add(event.subject.task);
  if (event.subject?.agent || event.subject?.session || event.type.startsWith('hub.')) all ||= dirty.size > FEW;
  hurry();
}

function hurry() {
  timer ||= setTimeout(refresh, GATHER);
}

/** Asks for what changed: the tasks one by one if they are few, everything otherwise. */
async function refresh() {
  timer = undefined;
  if (state.link !== 'live') return;
  const wait = asked + PAUSE - Date.now();
  const tasks = [...dirty];
  try {
    if (all || tasks.length > FEW) {
      if (wait > 0) return void (timer = setTimeout(refresh, wait));
      dirty.clear();
      all = false;
      await snapshot();
    } else {
      dirty.clear();
      const [inbox, agents, sessions, ...found] = await Promise.all([
        inboxOf(),
        get('/api/v1/agents?limit=500'),
        get('/api/v1/sessions?limit=500'),
        ...tasks.map((id) => get(`/api/v1/tasks/${id}`).catch(() => null)),
      ]);
      take(inbox);
      state.agents = agents.items;
      state.sessions = sessions.items;
      for (const task of found) if (task) state.tasks.set(task.taskId, task);
      changed();
    }
  } catch (error) {
    if (!(error instanceof Refused)) return;
    all = true;
    timer ||= setTimeout(refresh, PAUSE);
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || state.link === 'out') return;
  all = true;
  hurry();
});
