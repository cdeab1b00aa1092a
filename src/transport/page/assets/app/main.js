// The frame: log-in, header, navigation, keys, and the page that the address names.

import {
  html,
  render,
  Icon,
  Problem,
  useEffect,
  useLive,
  useOrder,
  useRef,
  useState,
  useTick,
  Countdown,
  span,
} from './ui.js';
import { logIn, logOut, may, start, state } from './live.js';
import { Overview } from './overview.js';

/** The pages, in the order of the navigation: key, word, what draws it, and the scope that it needs. */
const PAGES = /** @type {[string, string, () => Promise<any>, string][]} */ ([
  ['', 'Overview', async () => Overview, 'view'],
  ['tasks', 'Tasks', () => import('./tasks.js').then((m) => m.Tasks), 'view'],
  ['agents', 'Agents', () => import('./agents.js').then((m) => m.Agents), 'view'],
  ['sessions', 'Sessions', () => import('./sessions.js').then((m) => m.Sessions), 'view'],
  ['actors', 'Actors', () => import('./actors.js').then((m) => m.Actors), 'view'],
  ['events', 'Events', () => import('./events.js').then((m) => m.Events), 'view'],
  ['settings', 'Settings', () => import('./settings.js').then((m) => m.Settings), 'view'],
]);

/** What the address names: `#/tasks/ID?state=QUEUED` is the page `tasks`, its parts, and a query. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, ...parts] = path.split('/').map(decodeURIComponent);
  return { page, parts, query: new URLSearchParams(query) };
}

function usePlace() {
  const [at, go] = useState(place());
  useEffect(() => {
    const moved = () => go(place());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return at;
}

/** Draws a page once its module is there. @param {{at: any}} props */
function Page({ at }) {
  const [shown, show] = useState(/** @type {any} */ ({ page: '', of: Overview }));
  const page = PAGES.find(([key]) => key === at.page);
  useEffect(() => {
    page?.[2]().then(
      (of) => show({ page: at.page, of }),
      () => show({ page: at.page, of: Lost }),
    );
  }, [at.page]);
  if (!page) return html`<${Lost} />`;
  return shown.page === at.page ? html`<${shown.of} ...${at} />` : html`<p class="muted">…</p>`;
}

const Lost = () =>
  html`<div class="empty"><p>There is no such page.</p><p><a href="#/">Back to the overview</a></p></div>`;

/** The state of the connection, in a word. */
function Link() {
  useTick(1000);
  const { link, staleSince, missed } = state;
  const words = {
    out: 'logged out',
    connecting: 'connecting',
    live: 'live',
    stale: `stale since ${span(Date.now() - staleSince)}`,
  }[link];
  return html`<span class=${`link ${link}`} role="status" data-testid="link"><span class="dot"></span>${words}${missed > 0 && html` · <span data-testid="missed">${missed} events missed</span>`}</span>`;
}

const THEME = 'callboard.theme';
function setTheme(/** @type {string | null} */ theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function Header() {
  const { inbox, inboxTotal, me } = state;
  const next = inbox
    .map((item) => item.deadline)
    .filter(Boolean)
    .sort()[0];
  const dark = () =>
    document.documentElement.dataset.theme === 'dark' ||
    (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  const turn = () => {
    const theme = dark() ? 'light' : 'dark';
    localStorage.setItem(THEME, theme);
    setTheme(theme);
  };
  return html`<header class="top">
    <a class="brand" href="#/"><img src="/assets/icon.svg" alt="" width="24" height="24" /> callboard</a>
    <${Link} />
    <span class="grow"></span>
    ${inboxTotal > 0 && html`<a class="needs" href="#/" data-testid="needs">${inboxTotal} need${inboxTotal === 1 ? 's' : ''} you ${next && html`· <${Countdown} at=${next} />`}</a>`}
    <span class="me muted" title=${me?.principal}>${me?.displayName} · ${(me?.scopes || []).join(', ')}</span>
    <button class="quiet" onClick=${turn} title="light or dark">Theme</button>
    <button class="quiet" onClick=${() => document.querySelector('dialog')?.showModal()} title="keys (?)">Keys</button>
    <button class="quiet" onClick=${logOut}>Log out</button>
  </header>`;
}

const KEYS = [
  ['g o', 'overview'],
  ['g t', 'tasks'],
  ['g a', 'agents'],
  ['g s', 'sessions'],
  ['g c', 'actors'],
  ['g e', 'events'],
  ['j / k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['r', 'reply: the first answer that is wanted'],
  ['/', 'search'],
  ['?', 'these keys'],
];
const GOES = /** @type {Record<string, string>} */ ({
  o: '',
  t: 'tasks',
  a: 'agents',
  s: 'sessions',
  c: 'actors',
  e: 'events',
});

/** The keys of the whole page; a field that is typed into keeps its own. */
function useKeys() {
  const before = useRef('');
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      const rows = [...document.querySelectorAll('[data-row]')];
      const here = rows.indexOf(/** @type {Element} */ (document.activeElement?.closest('[data-row]')));
      const focus = (/** @type {Element | undefined | null} */ element) => {
        if (!element) return;
        /** @type {HTMLElement} */ (element).focus();
        event.preventDefault();
      };
      if (before.current === 'g' && event.key in GOES) location.hash = `#/${GOES[event.key]}`;
      else if (event.key === 'j') focus(rows[Math.min(here + 1, rows.length - 1)]);
      else if (event.key === 'k') focus(rows[Math.max(here - 1, 0)]);
      else if (event.key === 'r') focus(document.querySelector('[data-reply]'));
      else if (event.key === '/') focus(document.querySelector('[type=search]'));
      else if (event.key === '?') document.querySelector('dialog')?.showModal();
      before.current = event.key;
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

const Help = () =>
  html`<dialog aria-label="keys"><h2>Keys</h2><dl class="facts">${KEYS.map(([key, word]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${word}</dd></div>`)}</dl><form method="dialog"><button>Close</button></form></dialog>`;

function LogIn() {
  const [code, type] = useState('');
  const [busy, error, give] = useOrder();
  return html`<main class="login">
    <h1><img src="/assets/icon.svg" alt="" width="32" height="32" /> callboard</h1>
    ${state.why && html`<p class="problem" role="status">${state.why}</p>`}
    <p>To log in, type on the hub's machine</p>
    <pre><code>callboard open</code></pre>
    <p class="muted">It opens this page with a code that is good once, for a minute. From another machine, paste what <code>callboard open --print</code> prints:</p>
    <form onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      give(() => logIn(code));
    }}>
      <label>Address or code <input type="text" autocomplete="off" value=${code} onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class="primary" disabled=${busy || !code.trim()}>Log in</button>
    </form>
    <${Problem} error=${error} />
  </main>`;
}

/** New questions, and nothing else, are read out by screen readers. */
function Heard() {
  const known = useRef(/** @type {Set<string> | null} */ (null));
  const [words, say] = useState('');
  const ids = state.inbox.map((item) => item.id);
  useEffect(() => {
    const fresh = known.current && state.inbox.filter((item) => !known.current?.has(item.id));
    known.current = new Set(ids);
    if (fresh?.length) say(`${fresh.length} new: ${fresh[0].title}`);
  }, [ids.join()]);
  return html`<div class="hidden" aria-live="polite">${words}</div>`;
}

function App() {
  const { link, inboxTotal } = useLive();
  const at = usePlace();
  useKeys();
  const word = PAGES.find(([key]) => key === at.page)?.[1] || 'callboard';
  useEffect(() => {
    document.title = `${inboxTotal ? `(${inboxTotal}) ` : ''}${word} · callboard`;
  }, [inboxTotal, word]);
  if (link === 'out') return html`<${LogIn} />`;
  if (link === 'connecting') return html`<main class="login"><p class="muted">Connecting …</p></main>`;
  return html`
    <${Header} />
    <nav class="side" aria-label="pages">${PAGES.map(([key, name, , scope]) => may(scope) && html`<a href=${`#/${key}`} aria-current=${key === at.page ? 'page' : undefined}>${name}</a>`)}</nav>
    <main class=${link === 'stale' ? 'content stale' : 'content'} tabindex="-1">
      ${link === 'stale' && html`<p class="banner" role="alert" data-testid="stale">The hub cannot be reached. What you see is as it was; this page goes on by itself when the hub is back.</p>`}
      <${Page} at=${at} />
    </main>
    <${Heard} /><${Help} />`;
}

setTheme(localStorage.getItem(THEME));
// The code leaves the address before anything is drawn.
start();
render(html`<${App} />`, /** @type {Element} */ (document.getElementById('app')));
