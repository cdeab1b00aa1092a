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
/** How often is asked for what changes without an event, in milliseconds: agents that park, and the rest. */
const POLL_AGENTS = 2000;
const POLL = 10000;
/** An agent often parks a moment after what an event tells of it: it is asked for once more then, in milliseconds. */
const SETTLES = 300;
/** The longest that a request may take, and the longest that a stream may be silent, in milliseconds. The hub writes
 * a line at least every ten seconds. */
const ENDS = 20000;
const SILENT = 25000;
/** The most streams that the tabs of one browser have together: of the six connections that it makes to one host, the
 * rest are for requests. */
const STREAMS = 4;
/** How often a tab without a stream asks for what happened, shown and hidden, in milliseconds. */
const WITHOUT = 3000;
const WITHOUT_HIDDEN = 15000;
/** How long a notice of what was done stays, in milliseconds. */
const NOTICE = 6000;
/** How many items of the inbox come at once. */
const INBOX = 100;
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
  inboxWanted: INBOX,
  events: /** @type {HubEvent[]} */ ([]),
  leaving: false, // what a tab that is hidden or goes sends outlives it
  waiting: /** @type {{id: number, words: string, until: number, settle: (sent: boolean) => void}[]} */ ([]),
  notices: /** @type {{id: number, words: string}[]} */ ([]),
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

/** Has everything drawn again. */
export const redraw = changed;

let noticed = 0;
/** Says for a moment what was done. @param {string} words */
export function tell(words) {
  const id = (noticed += 1);
  state.notices = [...state.notices, { id, words }].slice(-3);
  changed();
  setTimeout(() => {
    state.notices = state.notices.filter((one) => one.id !== id);
    changed();
  }, NOTICE);
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
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(path, {
    signal: AbortSignal.timeout(ENDS),
    // What outlives its page may have 64 KiB together.
    keepalive: state.leaving && method !== 'GET' && (sent || '').length < 15000,
    ...more,
    method,
    headers,
    body: sent,
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
    inboxWanted: INBOX,
    events: [],
  });
  changed();
}

/** Whoever uses this browser next is not told of what this person was. */
async function unsubscribe() {
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  await (await worker?.pushManager?.getSubscription().catch(() => null))?.unsubscribe().catch(() => {});
}

export async function logOut() {
  // A browser that does not answer holds nothing up.
  await Promise.race([unsubscribe(), new Promise((resolve) => setTimeout(resolve, 3000))]);
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

/** Begins: with the code of the address, the token of this tab, that of another tab, or at the log-in. */
export async function start() {
  addEventListener('hashchange', takeCode);
  if (await takeCode()) return;
  if (sessionStorage.getItem(TOKEN)) return begin(null);
  // A tab that is logged in answers; no token lies where another visit of the browser finds it.
  tabs?.postMessage({ wants: 'session', by: TAB });
  changed();
}

/** Logs in by the code of the address if there is one, also in a tab that is open already. */
async function takeCode() {
  const given = location.hash.match(/^#code=(.+)$/);
  if (!given) return false;
  // Out of the address, the history and the title before anything else.
  history.replaceState(null, '', location.pathname + '#/');
  try {
    await logIn(given[1]);
  } catch (error) {
    const why = error instanceof Refused ? error.message : 'The hub cannot be reached.';
    if (state.link === 'out') state.why = why;
    else tell(`The link was not taken, and you are logged in as before: ${why}`);
    changed();
  }
  return true;
}

/** What the tabs of this browser say to each other; only pages of the hub's own origin hear it. */
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('callboard') : undefined;
const TAB = crypto.randomUUID();

tabs?.addEventListener('message', ({ data }) => {
  const token = sessionStorage.getItem(TOKEN);
  if (data.wants === 'session' && token && state.link !== 'out') tabs.postMessage({ session: token, to: data.by });
  if (data.session && data.to === TAB && !token) {
    sessionStorage.setItem(TOKEN, data.session);
    begin(null);
  }
  if (data.wants === 'stream' && document.hidden && letGo) {
    keptFrom = Date.now() + WITHOUT_HIDDEN;
    letGo();
  }
});

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
    let given = false;
    try {
      const after = await first();
      if (ended.aborted) return;
      Object.assign(state, { link: 'live', staleSince: 0 });
      for (const own of watches) if (!own.common) wake(own, null);
      changed();
      pause = 500;
      const free = await streamPlace();
      try {
        given = await (free ? read(after, ended) : without(ended));
      } finally {
        free?.();
      }
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) state.why = error.message;
    }
    if (ended.aborted) return;
    if (given) continue;
    if (!state.staleSince) Object.assign(state, { link: 'stale', staleSince: Math.min(Date.now(), silentSince) });
    changed();
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
    pause = Math.min(pause * 2, LONGEST);
  }
}

/** Gives the stream of this tab to another, which is shown. @type {(() => void) | undefined} */
let letGo;
/** Until when this tab takes no stream. */
let keptFrom = 0;
/** Since when a stream that is given up for dead was silent. */
let silentSince = Infinity;

/** Takes a place for a stream; none where all are taken. @returns {Promise<null | (() => void)>} what frees it */
async function streamPlace() {
  if (!navigator.locks) return () => {};
  if (document.hidden && Date.now() < keptFrom) return null;
  for (let n = 0; n < STREAMS; n += 1) {
    /** @type {null | (() => void)} */
    const free = await new Promise((resolve) => {
      const held = (/** @type {Lock | null} */ lock) =>
        lock ? new Promise((done) => resolve(() => done(null))) : resolve(null);
      navigator.locks.request(`callboard.stream.${n}`, { ifAvailable: true }, held).catch(() => resolve(() => {}));
    });
    if (free) return free;
  }
  return null;
}

/** Follows without a stream until there is a place for one: asks now and then. @param {AbortSignal} ended */
async function without(ended) {
  while (!ended.aborted) {
    if (!document.hidden) tabs?.postMessage({ wants: 'stream' });
    await new Promise((resolve) => {
      shown = () => resolve(null);
      setTimeout(resolve, document.hidden ? WITHOUT_HIDDEN : WITHOUT);
    });
    const { seq } = await overviewNow();
    if (seq - state.seq > RESUMED || seq < state.seq) {
      state.seq = seq;
      wakeAll();
    } else if (seq > state.seq) {
      const once = new AbortController();
      await events(state.seq, AbortSignal.any([ended, once.signal, AbortSignal.timeout(ENDS)]), (event) => {
        heard(event);
        return state.seq < seq;
      }).finally(() => once.abort());
    }
    const free = await streamPlace();
    free?.();
    if (free) return true;
  }
  return true;
}
/** Ends the pause of a tab without a stream. */
let shown = () => {};

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

/** Reads the stream until it ends, is silent or is let go. @param {number} after @param {AbortSignal} ended */
async function read(after, ended) {
  const over = new AbortController();
  let given = false;
  let last = Date.now();
  const check = () => {
    if (Date.now() - last < SILENT) return;
    silentSince = last;
    over.abort();
  };
  silentSince = Infinity;
  letGo = () => {
    given = true;
    over.abort();
  };
  shown = check;
  const timer = setInterval(check, 1000);
  try {
    const take = (/** @type {any} */ event) => heard(event) === undefined;
    await events(after, AbortSignal.any([ended, over.signal]), take, () => (last = Date.now()));
  } catch (error) {
    if (!given) throw error;
  } finally {
    letGo = undefined;
    clearInterval(timer);
  }
  return given;
}

/** @type {(after: number, signal: AbortSignal, take: (event: any) => boolean, alive?: () => void) => Promise<void>} */
export async function events(after, signal, take, alive) {
  const headers = { Accept: 'application/x-ndjson' };
  await lines(await ask('GET', `/api/v1/events?after=${after}`, undefined, { signal, headers }), take, alive);
}

/**
 * Gives each line of an answer, until there is no more or no more is wanted.
 * @param {Response} response @param {(event: any) => boolean} take @param {() => void} [alive] hears of each piece
 */
export async function lines(response, take, alive = () => {}) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body)
    .pipeThrough(/** @type {any} */ (new TextDecoderStream()))
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
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
  if (event.subject.agent && !settling)
    settling = setTimeout(() => {
      settling = 0;
      wake(agentsWatch, event);
    }, SETTLES);
}
let settling = 0;

// ---- watches ----

/** @type {Set<Watch>} */
const watches = new Set();

/**
 * Asks now, and again after events that are `about` it, until the function that it gives is called.
 * @param {Watch['about']} about @param {Watch['ask']} ask
 * @param {number} [every] also so often, in milliseconds, for what changes without an event
 */
export function watch(about, ask, every) {
  const own = keep(about, ask, false);
  wake(own, null);
  const again = every && setInterval(() => state.link === 'live' && !document.hidden && wake(own, null), every);
  return () => {
    watches.delete(own);
    clearTimeout(own.timer);
    clearInterval(again || 0);
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
  // It may have slept for long, and its connection be dead without a sign.
  shown();
  if (state.link === 'live') wakeAll();
});
addEventListener('online', () => shown());

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

/** What needs you, as much of it as is wanted; who may only look has no list of it. */
async function inboxNow() {
  const wanted = state.inboxWanted;
  /** @type {api.Inbox} */
  let page = { items: [], total: 0, nextCursor: '' };
  const items = [];
  do {
    const from = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : '';
    page = await get(`/api/v1/inbox?limit=${Math.min(500, wanted - items.length)}${from}`).catch((error) => {
      if (error.code === 'INSUFFICIENT_SCOPE') return { items: [], total: 0 };
      throw error;
    });
    items.push(...page.items);
  } while (page.nextCursor && items.length < wanted);
  Object.assign(state, { inbox: items, inboxTotal: page.total });
  // A terminal may show a prompt a moment before its host says that it types: no event tells of that.
  const young = (/** @type {api.InboxItem} */ item) => now() - Date.parse(item.since) < 10000;
  if (items.some((item) => item.kind === 'input_prompt' && !item.actions.includes('answer') && young(item)))
    setTimeout(() => wake(inboxWatch, null), 1000);
  changed();
}

/** Has more of what needs you read. */
export function moreOfInbox() {
  state.inboxWanted += INBOX;
  wake(inboxWatch, null);
}

/** @param {HubEvent[] | null} events */
async function agentsNow(events) {
  const named = new Set(events?.map((event) => event.subject.agent || ''));
  if (!events || named.size > FEW) {
    const all = new Map();
    let from = '';
    do {
      /** @type {{items: api.AgentView[], nextCursor?: string}} */
      const { items, nextCursor } = await get(`/api/v1/agents?limit=500${from}`);
      for (const agent of items) all.set(agent.agentId, agent);
      from = nextCursor ? `&cursor=${encodeURIComponent(nextCursor)}` : '';
    } while (from);
    state.agents = all;
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
const inboxWatch = keep(() => true, inboxNow, true, true);
const agentsWatch = keep((event) => Boolean(event.subject.agent), agentsNow);
// Who is there, and what stands too long, changes with time alone, without an event.
for (const [own, every] of /** @type {[Watch, number][]} */ ([
  [overviewWatch, POLL],
  [agentsWatch, POLL_AGENTS],
]))
  setInterval(() => state.link === 'live' && !document.hidden && wake(own, null), every);
