// What the page knows of the hub: calls of the API, and what is kept true by the event stream.
//
//   log-in ─► first answers + seq ─► events after seq ─► one is about a watch ─► that watch asks again
//
// An event says what changed, not how it is now. So each thing that is shown is a *watch*: a question to the API, and a
// rule that says which events are about it. Events are gathered for a moment, and a watch that asks much rests four
// times as long as its last round took: the page stays below a fifth of a core, however much happens in the hub.
// Nothing that no event names is asked for again. After a gap or an outage every watch asks.

/** @typedef {api.Event} HubEvent */
/**
 * @typedef {object} Watch
 * @property {(event: HubEvent) => boolean} about which events make it ask again
 * @property {(events: HubEvent[] | null) => Promise<void>} ask asks; gets the events since, or null when all may differ
 * @property {boolean} common whether every page shows it: it is among the first answers
 * @property {boolean} hidden whether it asks behind a hidden tab, too
 * @property {HubEvent[] | null | undefined} due undefined when nothing is
 * @property {any} timer
 * @property {boolean} busy
 * @property {number} rests until when it rests, by `performance.now()`
 */

const TOKEN = 'callboard.token';
/** The most events that are kept for the events page. */
const KEPT = 1000;
/** How long events are gathered before a watch asks, in milliseconds. */
const GATHER = 60;
/** How many times as long as its last round took a watch rests. */
const RESTS = 4;
/** The longest rest, in milliseconds. */
const LONGEST_REST = 2000;
/** With more changed agents than this the list is asked for instead of each. */
const FEW = 4;
/** The most events that are asked for again after an outage; if more came, the events page begins anew. */
const RESUMED = 5000;
/** How often is asked for what changes without an event, in milliseconds. */
const POLL = 10000;
/** The longest pause between two tries to reach the hub, in milliseconds. */
const LONGEST = 10000;
/** A difference of the clocks below this is taken for the way that an answer takes, in milliseconds. */
const SAME_CLOCK = 1000;

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
  me: /** @type {Pick<api.Me, 'displayName' | 'principal' | 'scopes'> | null} */ (null),
  seq: 0,
  /** How far the hub's clock is ahead of this machine's, in milliseconds. */
  ahead: 0,
  staleSince: 0,
  missed: 0,
  overview: /** @type {Overview | null} */ (null),
  agents: /** @type {Map<string, api.AgentView>} */ (new Map()),
  inbox: /** @type {api.InboxItem[]} */ ([]),
  inboxTotal: 0,
  events: /** @type {HubEvent[]} */ ([]),
};

/** @type {Set<() => void>} */
const listeners = new Set();
let drawing = false;

/** Calls `listener` after each change, at most once a frame. @param {() => void} listener */
export function subscribe(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function changed() {
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
  const most = Math.max(-1, ...(state.me?.scopes || []).map((s) => order.indexOf(s)));
  return most >= order.indexOf(scope);
};

/**
 * Asks the hub.
 * @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [more]
 */
export async function ask(method, path, body, more = {}) {
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
  if (response.ok) {
    // The header counts whole seconds: half of one is the middle.
    const ahead = Date.parse(response.headers.get('date') || '') + 500 - Date.now();
    if (Math.abs(ahead - state.ahead) > SAME_CLOCK) state.ahead = Math.abs(ahead) > SAME_CLOCK ? ahead : 0;
    return response;
  }
  const refused = new Refused(response.status, await response.json().catch(() => ({})));
  if (refused.code === 'UNAUTHENTICATED' && token)
    leave('This log-in has ended: it is good for twelve hours, and ends when its token is revoked.');
  throw refused;
}

/** What the hub answers to a question. @type {<T = any>(path: string) => Promise<T>} */
export const get = async (path) => (await ask('GET', path)).json();

/** The same as text. @param {string} path */
export const text = async (path) => (await ask('GET', path)).text();

/** An order; its events tell what it changed. @param {string} path @param {any} [body] */
export async function post(path, body = {}) {
  const response = await ask('POST', path, body);
  return response.status === 204 ? {} : response.json();
}

/** Drops the token, and all that was read with it. @param {string} why */
function leave(why) {
  sessionStorage.removeItem(TOKEN);
  follower?.abort();
  follower = undefined;
  Object.assign(state, {
    link: 'out',
    why,
    me: null,
    seq: 0,
    staleSince: 0,
    missed: 0,
    overview: null,
    agents: new Map(),
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
  /** @type {api.Session} */
  const session = await (await ask('POST', '/api/v1/login', { code })).json();
  sessionStorage.setItem(TOKEN, session.token);
  begin(session);
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
  if (sessionStorage.getItem(TOKEN)) return begin(null);
  changed();
}

// ---- the stream ----

/** Ends the one follower there is. @type {AbortController | undefined} */
let follower;

/** @param {api.Session | null} me who logged in, where that is known already */
function begin(me) {
  follower?.abort();
  follower = new AbortController();
  Object.assign(state, { link: 'connecting', why: '', me });
  changed();
  follow(follower.signal);
}

/**
 * Follows the hub until `ended`: what is shown first, then what happens, and again after each outage.
 * @param {AbortSignal} ended
 */
async function follow(ended) {
  let pause = 500;
  while (!ended.aborted) {
    try {
      const after = await first();
      if (ended.aborted) return;
      Object.assign(state, { link: 'live', staleSince: 0 });
      for (const own of watches) if (!own.common) wake(own, null);
      changed();
      pause = 500;
      await read(after, ended);
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) state.why = error.message;
    }
    if (ended.aborted) return;
    if (!state.staleSince) Object.assign(state, { link: 'stale', staleSince: Date.now() });
    changed();
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    pause = Math.min(pause * 2, LONGEST);
  }
}

/** Asks for what every page shows; gives the number of the event to follow from. */
async function first() {
  const [me, overview] = await Promise.all([state.me || get('/api/v1/me'), overviewNow(), inboxNow(), agentsNow(null)]);
  state.me = me;
  const known = state.seq;
  // Where it left off, so that the events page has no hole; after a long absence, from now on.
  if (known && overview.seq - known <= RESUMED && overview.seq >= known) return known;
  if (known) {
    state.missed += Math.max(0, overview.seq - known);
    state.events = [];
  }
  state.seq = overview.seq;
  return overview.seq;
}

/** Reads the event stream to its end. @param {number} after @param {AbortSignal} signal */
async function read(after, signal) {
  const headers = { Accept: 'application/x-ndjson' };
  const response = await ask('GET', `/api/v1/events?after=${after}`, undefined, { signal, headers });
  await lines(response, (event) => {
    heard(event);
    return true;
  });
}

/**
 * Gives each line of an answer, until there is no more or no more is wanted.
 * @param {Response} response @param {(event: any) => boolean} take
 */
export async function lines(response, take) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body)
    .pipeThrough(/** @type {any} */ (new TextDecoderStream()))
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const whole = (rest + value).split('\n');
    rest = whole.pop() || '';
    for (const line of whole) if (line.trim() && !take(JSON.parse(line))) return;
  }
}

/** @param {any} event */
function heard(event) {
  if (event.type === 'gap') {
    state.missed += event.missed;
    changed();
    return wakeAll();
  }
  if (!event.seq || event.seq <= state.seq) return;
  state.seq = event.seq;
  state.events.push(event);
  if (state.events.length > KEPT * 1.2) state.events.splice(0, state.events.length - KEPT);
  for (const own of watches) if (own.about(event)) wake(own, event);
}

// ---- watches ----

/** @type {Set<Watch>} */
const watches = new Set();

/**
 * Asks now, and again after events that are `about` it, until the function that it gives is called.
 * @param {Watch['about']} about @param {Watch['ask']} ask
 */
export function watch(about, ask) {
  const own = keep(about, ask, false);
  wake(own, null);
  return () => {
    watches.delete(own);
    clearTimeout(own.timer);
  };
}

/** @param {Watch['about']} about @param {Watch['ask']} ask @param {boolean} [common] @param {boolean} [hidden] */
function keep(about, ask, common = true, hidden = false) {
  /** @type {Watch} */
  const own = { about, ask, common, hidden, due: undefined, timer: 0, busy: false, rests: -Infinity };
  watches.add(own);
  return own;
}

function wakeAll() {
  for (const own of watches) wake(own, null);
}

/** @param {Watch} own @param {HubEvent | null} event */
function wake(own, event) {
  if (!event || own.due === null) own.due = null;
  else if (own.due) own.due.length < KEPT ? own.due.push(event) : (own.due = null);
  else own.due = [event];
  if (own.timer || own.busy || (document.hidden && !own.hidden)) return;
  const gather = event ? GATHER : 0;
  own.timer = setTimeout(() => round(own), Math.max(gather, own.rests - performance.now()));
}

/** @param {Watch} own */
async function round(own) {
  own.timer = 0;
  if (state.link === 'out' || state.link === 'connecting' || own.due === undefined) return;
  const due = own.due;
  own.due = undefined;
  own.busy = true;
  const began = performance.now();
  try {
    await own.ask(due);
    // With the time that drawing it takes.
    await new Promise((resolve) => setTimeout(resolve, 20));
  } catch (error) {
    // Too much was asked, or the hub is gone: all that is missing is asked for later, or by the next follower.
    if (error instanceof Refused && watches.has(own) && own.due === undefined) own.due = null;
  }
  own.busy = false;
  own.rests = performance.now() + Math.min(LONGEST_REST, (performance.now() - began - 20) * RESTS);
  const missing = own.due;
  if (missing !== undefined && watches.has(own)) {
    own.due = undefined;
    for (const event of missing || [null]) wake(own, event);
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) return;
  for (const own of watches) if (own.due !== undefined && !own.timer && !own.busy) wake(own, own.due?.pop() || null);
});

// ---- what every page shows ----

/** @typedef {api.Overview} Overview */

/** Counts, warnings and the last hour. @returns {Promise<Overview>} */
async function overviewNow() {
  /** @type {Overview} */
  const overview = await get('/api/v1/overview');
  state.overview = overview;
  changed();
  return overview;
}

/** What needs you; who may only look has no list of it. */
async function inboxNow() {
  const inbox = await /** @type {Promise<api.Inbox>} */ (get('/api/v1/inbox?limit=100')).catch((error) => {
    if (error.code === 'INSUFFICIENT_SCOPE') return { items: [], total: 0 };
    throw error;
  });
  state.inbox = inbox.items;
  state.inboxTotal = inbox.total;
  changed();
}

/** @param {HubEvent[] | null} events */
async function agentsNow(events) {
  const named = new Set(events?.map((event) => event.subject.agent || ''));
  if (!events || named.size > FEW) {
    /** @type {{items: api.AgentView[]}} */
    const { items } = await get('/api/v1/agents?limit=500');
    state.agents = new Map(items.map((agent) => [agent.agentId, agent]));
  } else {
    for (const id of named) {
      const agent = await get(`/api/v1/agents/${encodeURIComponent(id)}`).catch((error) => {
        if (error.status !== 404) throw error;
      });
      if (agent) state.agents.set(id, agent);
      else state.agents.delete(id);
    }
  }
  changed();
}

const overviewWatch = keep(
  (event) => event.type.startsWith('task.') || event.type.startsWith('actor.'),
  async () => void (await overviewNow()),
);
keep(() => true, inboxNow, true, true);
const agentsWatch = keep((event) => Boolean(event.subject.agent), agentsNow);
// Who is there, and what stands too long, changes with time alone, without an event.
setInterval(() => {
  if (state.link === 'live' && !document.hidden) for (const own of [overviewWatch, agentsWatch]) wake(own, null);
}, POLL);
