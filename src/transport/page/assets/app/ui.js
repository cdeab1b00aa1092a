// The parts that pages are built of: elements, hooks, icons, badges, times, forms, the answer to a question.

import { createElement, htm, render, useEffect, useRef, useState } from '../vendor/preact.mjs';
import { Refused, get, may, now, post, redraw, state, subscribe, tell, watch } from './live.js';

/** Elements, written as markup. @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(createElement);
export { render, useEffect, useRef, useState };

/** Draws again after each change of the store. */
export function useLive() {
  const [, again] = useState(0);
  useEffect(() => subscribe(() => again((n) => n + 1)), []);
  return state;
}

/** Draws again every `ms` milliseconds, for countdowns. @param {number} ms */
export function useTick(ms) {
  const [, again] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || again((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/**
 * What the hub answers at this path, asked once, and again with other `more`.
 * @param {string | null} path
 * @param {any[]} [more]
 */
export function useGet(path, more = []) {
  const [answer, take] = useState(/** @type {{value?: any, error?: any, path?: string | null}} */ ({}));
  useEffect(() => {
    if (!path) return;
    let gone = false;
    get(path).then(
      (value) => gone || take({ value, path }),
      (error) => gone || take({ error, path }),
    );
    return () => {
      gone = true;
    };
  }, [path, ...more]);
  return answer.path === path ? answer : {};
}

/**
 * The same, and again after events that are about it. What was shown stays when the hub cannot be reached.
 * @param {string | null} path @param {(event: api.Event) => boolean} [rule] every event if not said
 * @param {number} [every] also so often, in milliseconds
 */
export function useLiveGet(path, rule = about.anything, every = 0) {
  const [answer, take] = useState(/** @type {{value?: any, error?: any, path?: string | null}} */ ({}));
  const last = useRef(rule);
  last.current = rule;
  useEffect(() => {
    if (!path) return;
    return watch(
      (event) => last.current(event),
      async () => {
        try {
          take({ value: await get(path), path });
        } catch (error) {
          if (passes(error)) throw error;
          take({ error, path });
        }
      },
      every,
    );
  }, [path, every]);
  return answer.path === path ? answer : {};
}

/** Whether a fault is one that passes: what is shown stays meanwhile. @param {any} error */
const passes = (error) => !(error instanceof Refused) || error.status === 429 || error.status >= 500;

/**
 * A list, page by page: the first pages that are shown, asked for again after events that are about it.
 * @param {string | null} path with its query; none: nothing is asked @param {(event: api.Event) => boolean} rule
 * @returns {{items: any[], total?: number, error?: any, more: (() => void) | undefined, there: boolean}}
 */
export function useLivePages(path, rule) {
  const [pages, show] = useState({ path, n: 1 });
  const n = pages.path === path ? pages.n : 1;
  const [answer, take] = useState(/** @type {any} */ ({}));
  const last = useRef(rule);
  last.current = rule;
  useEffect(() => {
    if (path === null) return;
    return watch(
      (event) => last.current(event),
      async () => {
        try {
          const items = [];
          let cursor = '';
          let total;
          for (let page = 0; page < n; page += 1) {
            const next = await get(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
            items.push(...next.items);
            total = next.total ?? undefined;
            cursor = next.nextCursor || '';
            if (!cursor) break;
          }
          take({ path, items, total, cursor });
        } catch (error) {
          if (passes(error)) throw error;
          take({ path, items: [], error });
        }
      },
    );
  }, [path, n]);
  const there = answer.path === path;
  return {
    items: (there && answer.items) || [],
    total: there ? answer.total : undefined,
    error: there ? answer.error : undefined,
    more: there && answer.cursor ? () => show({ path, n: n + 1 }) : undefined,
    there: there || path === null,
  };
}

/** Rules for watches: which events they are asked again after. */
export const about = {
  anything: () => true,
  task: (/** @type {string} */ id) => (/** @type {api.Event} */ event) => event.subject.task === id,
  agent: (/** @type {string} */ id) => (/** @type {api.Event} */ event) => event.subject.agent === id,
  session: (/** @type {string} */ id) => (/** @type {api.Event} */ event) => event.subject.session === id,
  tasks: (/** @type {api.Event} */ event) => Boolean(event.subject.task),
  sessions: (/** @type {api.Event} */ event) => Boolean(event.subject.session),
};

const PATHS = {
  clock: 'M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0',
  question: 'M9.5 9.5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.8-.9 1.7M12 17h.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0',
  play: 'M8 5.5v13l10-6.5z',
  stop: 'M6 6h12v12H6z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M14.5 12a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0',
  warn: 'M12 3.5L2.5 20h19zM12 10v4M12 17h.01',
  box: 'M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10',
  queue: 'M4 6h16M4 12h16M4 18h9',
  hand: 'M5 12h14M13 6l6 6-6 6',
  off: 'M12 3v9M6 6.5a8 8 0 1 0 12 0',
  skull: 'M12 3a8 8 0 0 0-4 14.9V21h8v-3.1A8 8 0 0 0 12 3M9 12h.01M15 12h.01',
  terminal: 'M4 6l5 6-5 6M12 18h8',
  find: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l5 5',
  half: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  leave: 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  shield: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
};

/** A drawing beside a word; screen readers hear the word. @param {{name: string}} props */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d=${/** @type {any} */ (PATHS)[name] || ''} /></svg>`;

/** States in one table: the word that is shown, an icon, a tone. @type {Record<string, [string, string, string]>} */
const STATES = {
  QUEUED: ['queued', 'queue', 'idle'],
  ASSIGNED: ['offered', 'hand', 'info'],
  IN_PROGRESS: ['in progress', 'play', 'info'],
  BLOCKED: ['blocked', 'stop', 'bad'],
  IN_REVIEW: ['in review', 'eye', 'review'],
  TIMEOUT: ['timed out', 'clock', 'warn'],
  COMPLETED: ['completed', 'check', 'good'],
  FAILED: ['failed', 'cross', 'bad'],
  CANCELLED: ['cancelled', 'cross', 'idle'],
  DEAD_LETTER: ['dead letter', 'skull', 'bad'],
  waiting: ['waiting', 'clock', 'good'],
  offline: ['offline', 'off', 'idle'],
  evicted: ['sent away', 'cross', 'bad'],
  started: ['started', 'play', 'idle'],
  working: ['working', 'play', 'info'],
  awaiting_input: ['awaiting input', 'question', 'warn'],
  blocked: ['blocked', 'stop', 'bad'],
  awaiting_review: ['awaiting review', 'eye', 'review'],
  completed: ['completed', 'check', 'good'],
  running: ['running', 'play', 'info'],
  stopped: ['stopped', 'stop', 'idle'],
  question: ['question', 'question', 'warn'],
  input_prompt: ['terminal waits', 'terminal', 'warn'],
  review: ['review', 'eye', 'review'],
  timeout: ['timed out', 'clock', 'warn'],
  stranded: ['stranded', 'warn', 'warn'],
  dead_letter: ['dead letter', 'skull', 'bad'],
  undelivered: ['not heard', 'off', 'warn'],
  dead_delivery: ['not delivered', 'skull', 'bad'],
  pending: ['waits', 'clock', 'info'],
  sending: ['on its way', 'play', 'info'],
  delivered: ['delivered', 'check', 'good'],
  dropped: ['dropped', 'cross', 'idle'],
  on_call: ['on call', 'clock', 'warn'],
  workflow: ['workflow', 'play', 'info'],
  opening: ['opening', 'clock', 'info'],
  open: ['open', 'play', 'good'],
  merged: ['merged', 'check', 'review'],
  closed: ['closed', 'cross', 'idle'],
  failed: ['failed', 'cross', 'bad'],
};

/** The word of a state. @param {string} of */
export const stateWord = (of) => STATES[of]?.[0] || of.replaceAll('_', ' ');

/** A state: icon, word and colour. @param {{of: string}} props */
export function Badge({ of }) {
  const [word, icon, tone] = STATES[of] || [of.replaceAll('_', ' '), 'box', 'idle'];
  return html`<span class=${`badge ${tone}`} data-state=${of}><${Icon} name=${icon} />${word}</span>`;
}

/** What was taken out of a text, by the hub's name of it. @type {Record<string, string>} */
const REMOVED = {
  control: 'control characters',
  escape_sequence: 'terminal sequences',
  direction: 'characters that turn text round',
  tag: 'hidden tags',
  zero_width: 'characters without width',
};

/**
 * Says that a text is not as it was written: the hub took out what hides or turns it.
 * @param {{of: {sanitized?: api.Sanitized | null}}} props
 */
export function Sanitized({ of }) {
  if (!of.sanitized) return null;
  const { removed, kinds } = of.sanitized;
  const what = `${removed} taken out: ${kinds.map((kind) => REMOVED[kind] || kind).join(', ')}`;
  return html`<span class="badge warn cleaned" data-testid="sanitized" title=${what}>
    <${Icon} name="shield" />cleaned<span class="hidden">, ${what}</span></span>`;
}

/** A span of time in a word or two. @param {number} ms */
export function span(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s < 600 ? ` ${String(s % 60).padStart(2, '0')} s` : ''}`;
  if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} days`;
}

/** How long ago, with the moment itself as its title. @param {{at: string}} props */
export function Ago({ at }) {
  useTick(10000);
  if (!at) return '–';
  const words = span(now() - Date.parse(at)).replace(/(min|h) .*/, '$1');
  return html`<time datetime=${at} title=${new Date(at).toLocaleString()}>${words} ago</time>`;
}

/** How long until, second by second. @param {{at: string, then?: string}} props */
export function Countdown({ at, then }) {
  useTick(1000);
  const left = Date.parse(at) - now();
  const words = left > 0 ? `${span(left)} left` : 'overdue';
  return html`
    <time class=${left < 60000 ? 'countdown soon' : 'countdown'} role="timer" datetime=${at}
    title=${new Date(at).toLocaleString()} data-testid="countdown">${words}
      ${then ? html` <span class="muted">then ${then}</span>` : ''}</time>`;
}

/** Text of people and programs: as it is, and never as markup. @param {{children?: any}} props */
export const Words = ({ children }) => html`<bdi class="words">${children}</bdi>`;

/** A sentence of the hub's: what stands in backticks is a name. @param {{words: string}} props */
export const Prose = ({ words }) =>
  html`<bdi class="words">${words.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))}</bdi>`;

/** The first line of a text. @param {string} [words] @param {number} [most] */
export function line(words = '', most = 120) {
  const first = words.trim().split('\n')[0];
  return first.length > most ? first.slice(0, most - 1) + '…' : first;
}

/** A task's title, or the first line of what is to be done. @param {{title?: string | null, prompt: string}} task */
export const titleOf = (task) => line(task.title || task.prompt);

/** What is there when nothing is. @param {{title: string, children?: any}} props */
export const Empty = ({ title, children }) =>
  html`<div class="empty" data-testid="none"><p>${title}</p>
    ${children && html`<p class="muted">${children}</p>`}</div>`;

/** What went wrong, in the hub's words. @param {{error: any}} props */
export function Problem({ error }) {
  if (!error) return null;
  const words = error instanceof Refused ? error.message : 'The hub cannot be reached.';
  return html`<div class="problem" role="alert"><${Icon} name="warn" />
    <div><p><${Prose} words=${words} /></p>
    ${error.advice && html`<p class="muted"><${Prose} words=${error.advice} /></p>`}</div></div>`;
}

/**
 * What somebody began to deal with in this tab, by the id of its item, and how many orders about it are on their way:
 * it stays where it is until it is done or closed, whoever else was faster.
 * @type {Map<string, number>}
 */
const begun = new Map();
/** @param {string} [id] */
export const begin = (id) => void (id && !begun.has(id) && begun.set(id, 0));
/** @param {string} id */
export function close(id) {
  begun.delete(id);
  redraw();
}

/**
 * A list with those that somebody began to deal with and that are not in it any more; where they were, `late`.
 * @template T @param {T[]} items @param {(item: T) => string} idOf @returns {{item: T, late: boolean}[]}
 */
export function useHeld(items, idOf) {
  const before = useRef(/** @type {{item: T, late: boolean}[]} */ ([]));
  const there = new Set(items.map(idOf));
  const all = items.map((item) => ({ item, late: false }));
  before.current.forEach(({ item }, i) => {
    const orders = begun.get(idOf(item));
    if (orders !== undefined && !there.has(idOf(item))) all.splice(i, 0, { item, late: orders === 0 });
  });
  before.current = all;
  useEffect(() => () => before.current.forEach(({ item }) => begun.delete(idOf(item))), []);
  return all;
}

/**
 * Buttons and fields that give one order: disabled while it is on its way, and says what the hub answered. Of one that
 * was carried out a notice says `done`; one whose `act` waits can be taken back until it is sent.
 * @param {string} [about] the item of the inbox that it is about
 * @returns {[boolean, any, (order: () => Promise<any>, done?: string, act?: string) => Promise<boolean>]}
 */
export function useOrder(about) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const give = async (/** @type {() => Promise<any>} */ order, done = '', act = '') => {
    setBusy(true);
    setError(null);
    const onWay = (/** @type {number} */ n) => about && begun.set(about, Math.max(0, (begun.get(about) || 0) + n));
    onWay(1);
    let waits = false;
    try {
      const undo = act ? await import('./undo.js') : null;
      waits = undo?.holds(act) || false;
      if (undo && waits && !(await undo.held(done))) return (onWay(-1), false);
      await order();
      if (about) begun.delete(about);
      if (done) tell(done);
      return true;
    } catch (caught) {
      onWay(-1);
      setError(caught);
      if (waits)
        tell(`Not done: ${done}. ${caught instanceof Refused ? caught.message : 'The hub cannot be reached.'}`);
      return false;
    } finally {
      setBusy(false);
      redraw();
    }
  };
  return [busy, error, give];
}

/** How long a button that may do harm waits to be pressed again, in milliseconds. */
const SURE = 6000;

/**
 * Where an order may do harm it is carried out when it is given twice.
 * @param {string | false | null | undefined} harm what it may do; nothing to ask for when it does none
 * @returns {[boolean, (does: () => any) => void]} whether it was given once, and what gives it
 */
export function useSure(harm) {
  const [armed, arm] = useState('');
  useEffect(() => {
    const timer = armed && setTimeout(() => arm(''), SURE);
    return () => clearTimeout(timer || 0);
  }, [armed]);
  return [
    Boolean(harm) && armed === harm,
    (does) => {
      if (harm && armed !== harm) return arm(harm);
      arm('');
      does();
    },
  ];
}

/** A button; one that may do harm says so at the first press, and acts at the second. @param {any} props */
export function Press({ harm, onPress, children, ...more }) {
  const [armed, give] = useSure(harm);
  return html`<button type="button" ...${more} class=${armed ? 'sure' : more.class} onClick=${() => give(onPress)}>
    ${children}${armed && html`<${Again} harm=${harm} />`}</button>`;
}

/** @param {{harm: string}} props */
export const Again = ({ harm }) => html`<span class="again" role="alert">${harm}: press again</span>`;

/** A field of a filter: what is typed stays, and counts a moment after it was typed. @param {any} props */
export function Filter({ label, value, set, ...more }) {
  const [own, type] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // Another filter by a link, and not what was sent from here a moment ago.
    if (value !== sent.current) type((sent.current = value));
  }, [value]);
  const send = (/** @type {string} */ words) => {
    sent.current = words.trim();
    set(sent.current);
  };
  useEffect(() => {
    const timer = setTimeout(() => own.trim() !== sent.current && send(own), 400);
    return () => clearTimeout(timer);
  }, [own]);
  return html`<label>${label} <input type="search" value=${own} onInput=${(/** @type {any} */ event) =>
    type(event.target.value)} onChange=${() => own.trim() !== sent.current && send(own)} ...${more} /></label>`;
}

/** Where it is read what came of an item that is not there any more: who did what, and when. */
const OUTCOMES = /** @type {Record<string, [string, (value: any) => any]>} */ ({
  question: ['questions', ({ resolution: r }) => r && { who: r.by?.displayName || r.type, what: r.value, at: r.at }],
  dead_delivery: ['outbox', (one) => ({ who: one.droppedBy, what: one.state, at: one.settledAt })],
  workflow: ['workflows', (run) => ({ who: run.owner, what: run.status, at: run.updatedAt })],
  task: [
    'tasks',
    ({ history, state }) => {
      const last = history.at(-1);
      return { who: last?.by.replace(/^\w+:/, ''), what: last?.type.replace(/^\w+\./, '') || state, at: last?.at };
    },
  ],
});

/**
 * Tells whoever came too late who was faster, with what and when.
 * @param {{id: string, refused?: any}} props `refused` is what the hub answered, if it was asked
 */
export function Late({ id, refused }) {
  const [kind, rest] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  const [of, read] = OUTCOMES[kind] || OUTCOMES.task;
  const resolution = refused?.details.resolution;
  const asked = !resolution && kind !== 'input_prompt' && kind !== 'undelivered';
  const { value, error } = useGet(asked ? `/api/v1/${of}/${rest}` : null);
  const came = resolution || value ? read(value || { resolution }) : undefined;
  if (asked && !value && !error) return null;
  const words = kind === 'question' ? 'Already answered' : 'Already dealt with';
  return html`<div class="problem late" role="status" data-testid="late"><p>${words}${
    came
      ? html`${came.who && ` by ${came.who}`}: <${Words}>${came.what}<//>${came.at && html`, <${Ago} at=${came.at} />`}`
      : ''
  }. ${resolution && 'Your answer was kept as a late one.'}</p>
    <button type="button" onClick=${() => close(id)}>Close</button></div>`;
}

/** Rows of names and values. @param {{rows: [string, any][]}} props */
export const Facts = ({ rows }) =>
  html`<dl class="facts">
    ${rows
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/**
 * Links to the same page with other parts.
 * @param {{tabs: [string, string][], current: string, to: (key: string) => string}} props
 */
export const Tabs = ({ tabs, current, to }) =>
  html`<nav class="tabs" aria-label="parts">
    ${tabs.map(
      ([key, word]) => html`<a href=${to(key)} aria-current=${key === current ? 'page' : undefined}>${word}</a>`,
    )}</nav>`;

/** The answer to a call of a tool that gives no leave. */
const DENY = 'deny';

/**
 * The call that leave is asked for, as text and never as markup: nobody allows what they have not seen.
 * @param {{leave: api.Permission, question?: string}} props
 */
function Call({ leave, question = '' }) {
  // Below the tool and what it is about, each in a line, stands what the client says of it.
  const notes = question.split('\n').slice(2);
  const note = (/** @type {string} */ of) => notes.find((one) => one.startsWith(of))?.slice(of.length);
  const words = (/** @type {string | undefined} */ said) => said && html`<${Words}>${said}<//>`;
  const changes = /^(\+\+\+ |@@ |\w+ of .*:$)/m.test(leave.input);
  const tone = (/** @type {string} */ one) =>
    !changes ? undefined : one.startsWith('+') ? 'added' : one.startsWith('-') ? 'removed' : undefined;
  return html`<section class="leave" aria-label="what it asks leave for" data-testid="leave">
    <${Facts} rows=${[
      ['tool', html`<code><${Words}>${leave.tool}<//></code>`],
      ['working folder', words(note('In ')) || 'not said'],
      ['why', words(note('Because: ')) || 'not said'],
    ]} />
    <pre class="code call" tabindex="0" role="region" aria-label="the call" data-testid="call">${leave.input
      .split('\n')
      .map((one, i) => html`<span key=${i} class=${tone(one)}><${Words}>${one}<//>${'\n'}</span>`)}</pre>
    ${
      leave.hidden &&
      html`<p class="danger" data-testid="unseen"><${Icon} name="warn" />
        <span>${leave.hidden} bytes are not shown.</span></p>`
    }
    ${
      leave.risk &&
      html`<p class="danger" data-testid="risk"><${Icon} name="shield" />
        <span>It may destroy something: <${Words}>${leave.risk}<//></span></p>`
    }</section>`;
}

/**
 * The question's widget: options as buttons, a free reply, the default marked, and what is dangerous said.
 * @param {{id: string, question: Partial<api.QuestionView>, late?: boolean}} props
 */
export function Answer({ id, question, late }) {
  const item = `question:${id}`;
  const [busy, error, give] = useOrder(item);
  const [own, type] = useState('');
  const { dangerous, defaultAction } = question;
  // Doubt is no alarm: the second press is for what may destroy something.
  const harm = dangerous && question.risk !== 'unsure' && 'This may destroy something';
  const [armed, sure] = useSure(harm);
  const leave = question.permission;
  const call = leave && html`<${Call} leave=${leave} question=${question.question} />`;
  if (!may('operate')) return html`${call}<p class="muted">Your log-in may look, and not answer.</p>`;
  // An item of the inbox says less than the question: whoever has not seen the call cannot allow it.
  const unseen = !('askedAt' in question) && question.options?.includes('allow once');
  const answer = (/** @type {string} */ value, /** @type {boolean} */ ownWords) =>
    give(
      () => post(`/api/v1/questions/${id}/answer`, ownWords ? { value, ownWords } : { value }),
      `Answered: ${line(value, 60)}`,
      harm ? '' : 'answer',
    );
  const options = question.options || [];
  const beaten = error?.code === 'ALREADY_RESOLVED';
  const press = (/** @type {string} */ value, /** @type {boolean} */ ownWords) => ({
    disabled: busy || (unseen && value !== DENY),
    harm: harm || (leave?.risk && value !== DENY && 'This may destroy something'),
    onPress: () => answer(value, ownWords),
  });
  return html`<div class="answer" data-testid="answer" onInput=${() => begin(item)}>${call}
    ${unseen && html`<p class="muted">The call that it asks leave for is not here yet.</p>`}
    ${
      harm &&
      html`<p class="danger" data-testid="danger"><${Icon} name="shield" /><span>This may destroy something${
        question.danger
          ? html`: <${Words}>${question.danger.replace('declared by the agent', 'its agent says so')}<//>`
          : ''
      }. Nothing happens until somebody answers.</span></p>`
    }
    ${
      dangerous &&
      !harm &&
      html`<p class="muted" data-testid="doubt">Waits for a person: ${
        question.danger?.startsWith('it acts') ? 'its default is not known to be harmless' : question.danger
      }.</p>`
    }
    <fieldset disabled=${late || beaten}><legend class="hidden">answer</legend><div class="options">
      ${options.map(
        (option, i) =>
          html`<${Press} key=${option} data-reply=${i === 0 ? '' : undefined} ...${press(option, false)}>
            <${Words}>${option}<//>
            ${option === defaultAction && !dangerous && html`<span class="mark">Use default</span>`}<//>`,
      )}
      ${
        defaultAction &&
        !dangerous &&
        !options.includes(defaultAction) &&
        html`<${Press} ...${press(defaultAction, true)}>Use default: <${Words}>${defaultAction}<//><//>`
      }
    </div>
    ${
      (question.allowFreeText || options.length === 0) &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        sure(() => answer(own, true).then((done) => done && type('')));
      }}>
      <label class="grow"><span class="hidden">Your own answer</span>
        <input value=${own} placeholder="Answer in your own words" data-reply=${options.length === 0 ? '' : undefined}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class=${armed ? 'sure' : 'primary'} disabled=${busy || !own.trim()}>
        Send${armed && html`<${Again} harm=${harm} />`}</button></form>`
    }</fieldset>
    ${
      late || beaten
        ? html`<${Late} id=${item} refused=${beaten ? error : null} />`
        : html`<${Problem} error=${error} />`
    }
  </div>`;
}

/** Acts on one item of the inbox. @param {string} item @param {api.InboxAction} action @param {string} [value] */
export async function actOn(item, action, value) {
  const body = { actions: [{ item, action, ...(value && { value }) }] };
  const { ok, error, code, details } = (await post('/api/v1/inbox/actions', body)).results[0];
  if (!ok) throw new Refused(409, { error, code, details });
}

/**
 * What a program in a terminal asks: its choices as buttons, and a free reply. The hub has the answer typed where the
 * program runs, if that is safe then.
 * @param {{item: api.InboxItem, warns?: boolean, late?: boolean}} props `warns` where nothing else says what it may do
 */
export function Type({ item, warns, late }) {
  const [busy, error, give] = useOrder(item.id);
  const [own, type] = useState('');
  const harm = item.dangerous && 'This may destroy something';
  const [armed, sure] = useSure(harm);
  if (!may('operate') || !item.actions.includes('answer')) return null;
  const answer = (/** @type {string} */ value) =>
    give(() => actOn(item.id, 'answer', value), `Typed: ${line(value, 60)}`, harm ? '' : 'answer');
  return html`<div class="answer" data-testid="type" onInput=${() => begin(item.id)}>
    ${
      warns &&
      item.dangerous &&
      html`<p class="danger"><${Icon} name="shield" /><span>The answer may destroy something.</span></p>`
    }
    <fieldset disabled=${late}><legend class="hidden">answer</legend><div class="options">
      ${(item.options || []).map(
        (option) =>
          html`<${Press} key=${option} disabled=${busy} harm=${harm} onPress=${() => answer(option)}>
            <${Words}>${option}<//><//>`,
      )}</div>
    <form class="reply" onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      sure(() => answer(own).then((done) => done && type('')));
    }}><label class="grow"><span class="hidden">What is typed into the terminal</span>
      <input value=${own} placeholder="Type into the terminal" data-reply=""
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class=${armed ? 'sure' : 'primary'} disabled=${busy || !own}>
        Type it${armed && html`<${Again} harm=${harm} />`}</button></form></fieldset>
    ${late ? html`<${Late} id=${item.id} />` : html`<${Problem} error=${error} />`}</div>`;
}

/**
 * A text that is sent to one route.
 * @param {{path: string, label: string, field: string, item?: string, late?: boolean}} props
 */
export function Reply({ path, label, field, item, late }) {
  const [busy, error, give] = useOrder(item);
  const [words, type] = useState('');
  if (!may('operate')) return null;
  return html`<form class="reply" onInput=${() => begin(item)} onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    give(() => post(path, { [field]: words }), `Sent: ${line(words, 60)}`, field).then((done) => done && type(''));
  }}>
    <label class="grow"><span class="hidden">${label}</span>
      <input value=${words} placeholder=${label} data-reply="" disabled=${late}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    <button class="primary" disabled=${busy || late || !words.trim()}>Send</button>
    ${late && item ? html`<${Late} id=${item} />` : html`<${Problem} error=${error} />`}</form>`;
}
