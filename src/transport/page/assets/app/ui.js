// The parts that pages are built of: elements, hooks, icons, badges, times, forms.

import { createElement, render } from '../vendor/preact.mjs';
import * as hooks from '../vendor/hooks.mjs';
import htm from '../vendor/htm.mjs';
import { Refused, get, now, state, subscribe } from './live.js';

/** Elements, written as markup. @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = /** @type {any} */ (htm).bind(createElement);
export { render };
/** @type {<T>(first: T) => [T, (next: T | ((old: T) => T)) => void]} */
export const useState = /** @type {any} */ (hooks).useState;
/** @type {(does: () => void | (() => void), after: any[]) => void} */
export const useEffect = /** @type {any} */ (hooks).useEffect;
/** @type {<T>(first: T) => {current: T}} */
export const useRef = /** @type {any} */ (hooks).useRef;

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

/** What the hub answers at this path, asked anew after changes. @param {string | null} path @param {any[]} [more] */
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

/** The same, and again at most five times a second while events come. @param {string | null} path */
export function useLiveGet(path) {
  const { version } = useLive();
  const last = useRef({ at: 0, n: 0, version: -1 });
  const [n, again] = useState(0);
  useEffect(() => {
    const kept = last.current;
    if (kept.version === version) return;
    kept.version = version;
    const timer = setTimeout(
      () => {
        kept.at = Date.now();
        again((n) => n + 1);
      },
      Math.max(0, kept.at + 200 - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [version]);
  const shown = useRef(/** @type {any} */ ({}));
  const answer = useGet(path, [n]);
  if (answer.value || answer.error) shown.current = { ...answer, path };
  return shown.current.path === path ? shown.current : {};
}

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
  shield: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
};

/** A drawing beside a word; screen readers hear the word. @param {{name: string}} props */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${/** @type {any} */ (PATHS)[name] || ''} /></svg>`;

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
};

/** A state: icon, word and colour. @param {{of: string}} props */
export function Badge({ of }) {
  const [word, icon, tone] = STATES[of] || [of.replaceAll('_', ' '), 'box', 'idle'];
  return html`<span class=${`badge ${tone}`} data-state=${of}><${Icon} name=${icon} />${word}</span>`;
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
  return html`<time datetime=${at} title=${new Date(at).toLocaleString()}>${span(now() - Date.parse(at))} ago</time>`;
}

/** How long until, second by second. @param {{at: string, then?: string}} props */
export function Countdown({ at, then }) {
  useTick(1000);
  const left = Date.parse(at) - now();
  const words = left > 0 ? `${span(left)} left` : 'overdue';
  return html`<time class=${left < 60000 ? 'countdown soon' : 'countdown'} role="timer" datetime=${at} title=${new Date(at).toLocaleString()} data-testid="countdown">${words}${then ? html` <span class="muted">then ${then}</span>` : ''}</time>`;
}

/** Text of people and programs: as it is, and never as markup. @param {{children?: any}} props */
export const Words = ({ children }) => html`<bdi class="words">${children}</bdi>`;

/** The first line of a text. @param {string} [words] @param {number} [most] */
export function line(words = '', most = 120) {
  const first = words.trim().split('\n')[0];
  return first.length > most ? first.slice(0, most - 1) + '…' : first;
}

/** What is there when nothing is. @param {{title: string, children?: any}} props */
export const Empty = ({ title, children }) =>
  html`<div class="empty"><p>${title}</p>${children && html`<p class="muted">${children}</p>`}</div>`;

/** What went wrong, in the hub's words. @param {{error: any}} props */
export function Problem({ error }) {
  if (!error) return null;
  const words = error instanceof Refused ? error.message : 'The hub cannot be reached.';
  return html`<div class="problem" role="alert"><${Icon} name="warn" /><div><p>${words}</p>${error.advice && html`<p class="muted">${error.advice}</p>`}</div></div>`;
}

/**
 * Buttons and fields that give one order: disabled while it is on its way, and says what the hub answered.
 * @returns {[boolean, any, (order: () => Promise<any>) => Promise<boolean>]}
 */
export function useOrder() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const give = async (/** @type {() => Promise<any>} */ order) => {
    setBusy(true);
    setError(null);
    try {
      await order();
      return true;
    } catch (caught) {
      setError(caught);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [busy, error, give];
}

/** Rows of names and values. @param {{rows: [string, any][]}} props */
export const Facts = ({ rows }) =>
  html`<dl class="facts">${rows.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Links to the same page with other parts. @param {{tabs: [string, string][], current: string, to: (key: string) => string}} props */
export const Tabs = ({ tabs, current, to }) =>
  html`<nav class="tabs" aria-label="parts">${tabs.map(([key, word]) => html`<a href=${to(key)} aria-current=${key === current ? 'page' : undefined}>${word}</a>`)}</nav>`;
