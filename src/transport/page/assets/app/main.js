// The frame: log-in, header, navigation, keys, and the page that the address names.

import {
  html,
  render,
  Countdown,
  Icon,
  Problem,
  span,
  useEffect,
  useLive,
  useOrder,
  useRef,
  useState,
  useTick,
  Words,
} from './ui.js';
import { logIn, logOut, may, now, start, state } from './live.js';
import { Overview } from './overview.js';
import { holdsOn, sendNow, setHolds, waiting } from './undo.js';

/** The pages, in the order of the navigation: key, word, what draws it, and the scope that it needs. */
const PAGES = /** @type {[string, string, () => Promise<any>, string][]} */ ([
  ['', 'Overview', async () => Overview, 'view'],
  ['tasks', 'Tasks', () => import('./tasks.js').then((m) => m.Tasks), 'view'],
  ['agents', 'Agents', () => import('./agents.js').then((m) => m.Agents), 'view'],
  ['sessions', 'Sessions', () => import('./sessions.js').then((m) => m.Sessions), 'view'],
  ['schedules', 'Schedules', () => import('./schedules.js').then((m) => m.Schedules), 'view'],
  ['outbox', 'Outbox', () => import('./outbox.js').then((m) => m.Outbox), 'view'],
  ['actors', 'Actors', () => import('./actors.js').then((m) => m.Actors), 'view'],
  ['events', 'Events', () => import('./events.js').then((m) => m.Events), 'view'],
  ['metrics', 'Metrics', () => import('./metrics.js').then((m) => m.Metrics), 'view'],
  ['audit', 'Audit', () => import('./audit.js').then((m) => m.Audit), 'admin'],
  ['settings', 'Settings', () => import('./settings.js').then((m) => m.Settings), 'view'],
  // Gone to from what it is about alone.
  ['workflows', '', () => import('./runs.js').then((m) => m.Run), 'view'],
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
    // A page that was left before its module came must not replace the one that was gone to.
    let left = false;
    page?.[2]().then(
      (of) => left || show({ page: at.page, of }),
      () => left || show({ page: at.page, of: Lost }),
    );
    return () => {
      left = true;
    };
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
    stale: 'stale',
  }[link];
  // The seconds are seen, and not read out each anew.
  return html`<span class=${`link ${link}`} data-testid="link"><span class="dot"></span>
    <span role="status">${words}</span>
    ${link === 'stale' && html`<span aria-hidden="true"> since ${span(Date.now() - staleSince)}</span>`}
    ${missed > 0 && html` · <span data-testid="missed">${missed} events missed</span>`}</span>`;
}

const THEME = 'callboard.theme';
function setTheme(/** @type {string | null} */ theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

const Logo = () =>
  html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" fill="#0f766e" />
    <path d="M8 9h16M8 16h10M8 23h6" stroke="#fff" stroke-width="3" stroke-linecap="round" />
    <circle cx="24" cy="22" r="4" fill="#fbbf24" /></svg>`;

/** @param {{find: () => void}} props */
function Header({ find }) {
  const { inbox, inboxTotal, me } = state;
  const next = inbox
    .filter((item) => item.deadline && !item.dangerous)
    .map((item) => item.deadline)
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
    <a class="brand" href="#/"><${Logo} /> callboard</a>
    <${Link} />
    <span class="grow"></span>
    ${
      inboxTotal > 0 &&
      html`<a class="needs" href="#/" data-testid="needs">
        ${inboxTotal} need${inboxTotal === 1 ? 's' : ''} you ${
          next && html`<span class="first">· <${Countdown} at=${next} /></span>`
        }</a>`
    }
    <span class="me muted" title=${me?.principal}>${me?.displayName} · ${(me?.scopes || []).join(', ')}</span>
    <button class="quiet" onClick=${find} title="go to, or do (Ctrl K)"><${Icon} name="find" />
    <span class="word">Find</span></button>
    <button class="quiet" onClick=${turn} title="light or dark"><${Icon} name="half" />
    <span class="word">Theme</span></button>
    <button class="quiet keys" onClick=${keysShown} title="keys (?)">
    Keys</button>
    <button class="quiet" onClick=${leave} title="log out"><${Icon} name="leave" />
    <span class="word">Log out</span></button>
  </header>`;
}

/** What waits is sent before the token goes. */
async function leave() {
  sendNow();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await logOut();
}

const keysShown = () => /** @type {HTMLDialogElement | null} */ (document.querySelector('dialog.help'))?.showModal();

const KEYS = [
  ['g o', 'overview'],
  ['g t', 'tasks'],
  ['g a', 'agents'],
  ['g s', 'sessions'],
  ['g l', 'schedules'],
  ['g c', 'actors'],
  ['g e', 'events'],
  ['g m', 'metrics'],
  ['j / k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['1 … 9', 'the first, second … answer of the row'],
  ['n / p', 'next, previous file of a change'],
  ['Ctrl K', 'go to, or do'],
  ['r', 'reply: the first answer that is wanted'],
  ['/', 'search'],
  ['?', 'these keys'],
];
const GOES = /** @type {Record<string, string>} */ ({
  o: '',
  t: 'tasks',
  a: 'agents',
  s: 'sessions',
  l: 'schedules',
  c: 'actors',
  e: 'events',
  m: 'metrics',
});

const KEYS_OFF = 'callboard.keys';
/** Whether single letters are keys here; whoever dictates, or hits them by mistake, switches them off (WCAG 2.1.4). */
const keysOn = () => localStorage.getItem(KEYS_OFF) !== 'off';

/** Presses one of the answers: of the row that has the focus, or of the only one there is. */
function digit(/** @type {number} */ n, /** @type {Element | undefined} */ row) {
  const all = [...(row || document).querySelectorAll('[data-testid=answer], [data-testid=type]')];
  if (all.length !== 1) return;
  const button = /** @type {HTMLButtonElement | undefined} */ (all[0].querySelectorAll('.options button')[n - 1]);
  button?.focus();
  button?.click();
}

/** The keys of the whole page; a field that is typed into keeps its own. */
function useKeys() {
  const before = useRef('');
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (
        !keysOn() ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
      )
        return;
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
      else if (/^[1-9]$/.test(event.key)) digit(Number(event.key), rows[here]);
      else if (event.key === 'n' || event.key === 'p')
        /** @type {HTMLElement | null} */ (document.querySelector(`[aria-keyshortcuts=${event.key}]`))?.click();
      else if (event.key === 'r') focus(document.querySelector('[data-reply]'));
      else if (event.key === '/') focus(document.querySelector('[type=search]'));
      else if (event.key === '?') keysShown();
      before.current = event.key;
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function Help() {
  const [on, turn] = useState(keysOn());
  const change = (/** @type {any} */ event) => {
    localStorage.setItem(KEYS_OFF, event.target.checked ? 'on' : 'off');
    turn(event.target.checked);
  };
  return html`<dialog class="help" aria-label="keys"><h2>Keys</h2>
    <dl class="facts">${KEYS.map(([key, word]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${word}</dd></div>`)}</dl>
    <p><label class="check">
      <input type="checkbox" checked=${on} onChange=${change} /> Single letters are keys</label></p>
    <p><label class="check"><input type="checkbox" checked=${holdsOn()} onChange=${(/** @type {any} */ event) =>
      setHolds(event.target.checked)} /> What cannot be taken back waits for five seconds</label></p>
    <form method="dialog"><button>Close</button></form></dialog>`;
}

function LogIn() {
  const [code, type] = useState('');
  const [busy, error, give] = useOrder();
  return html`<main class="login">
    <h1><${Logo} /> callboard</h1>
    ${state.why && html`<p class="problem" role="status">${state.why}</p>`}
    <p>To log in, type on the hub's machine</p>
    <pre><code>callboard open</code></pre>
    <p class="muted">
    It opens this page with a code that is good once, for a minute. From another machine, paste what <code>
      callboard open --print</code> prints:</p>
    <form onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      give(() => logIn(code));
    }}>
      <label>
      Address or code <input type="text" autocomplete="off" value=${code}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
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
    // More of what was there before is no news.
    const recent = (/** @type {api.InboxItem} */ item) => now() - Date.parse(item.since) < 60000;
    const fresh = known.current && state.inbox.filter((item) => recent(item) && !known.current?.has(item.id));
    known.current = new Set(ids);
    if (fresh?.length) say(`${fresh.length} new: ${fresh[0].title}`);
  }, [ids.join()]);
  return html`<div class="hidden" aria-live="polite">${words}</div>`;
}

/** The seconds until it is sent: seen, and not read out each anew. @param {{until: number}} props */
function Left({ until }) {
  useTick(250);
  return html`<span aria-hidden="true">· in ${Math.max(0, Math.ceil((until - Date.now()) / 1000))} s</span>`;
}

/** What waits to be sent, and what was done a moment ago. */
const Notices = () =>
  html`<div class="notices" role="status" data-testid="notices">
    ${waiting.map(
      (one) => html`<p key=${`held ${one.id}`} data-testid="held"><${Icon} name="clock" /> <span class="grow">
        <${Words}>${one.words}<//> <${Left} until=${one.until} /></span>
        <button type="button" onClick=${() => one.settle(false)}>Undo</button></p>`,
    )}${state.notices.map(
      ({ id, words }) => html`<p key=${id}><${Icon} name="check" /> <${Words}>${words}<//></p>`,
    )}</div>`;

/** The picture of the tab, with how many need you. @param {number} n */
function favicon(n) {
  const words = n > 99 ? '99' : String(n);
  const sign = n
    ? `<circle cx="22" cy="22" r="10" fill="#fbbf24"/><text x="22" y="27" font-family="sans-serif" font-weight="700"
        font-size="${words.length > 1 ? 13 : 15}" text-anchor="middle" fill="#18202b">${words}</text>`
    : '<circle cx="24" cy="22" r="4" fill="#fbbf24"/>';
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7"
    fill="#0f766e"/><path d="M8 9h16M8 16h10M8 23h6" stroke="#fff" stroke-width="3"/>${sign}</svg>`;
  document.querySelector('link[rel=icon]')?.setAttribute('href', `data:image/svg+xml,${encodeURIComponent(drawn)}`);
}

/**
 * The palette, once Ctrl-K was pressed: its module, and what closes or opens it.
 * @returns {[any, (on: boolean) => void]}
 */
function usePalette() {
  const [Found, show] = useState(/** @type {any} */ (null));
  const find = (/** @type {boolean} */ on) =>
    on ? void import('./palette.js').then((m) => show(() => m.Palette)) : show(null);
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || state.link === 'out') return;
      event.preventDefault();
      find(true);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return [Found, find];
}

/** What stands in the bar of a phone; the rest is behind its last button. */
const BAR = ['', 'tasks', 'agents', 'sessions'];

function App() {
  const { link, inboxTotal } = useLive();
  const at = usePlace();
  useKeys();
  const [palette, find] = usePalette();
  const [menu, unfold] = useState(false);
  useEffect(() => unfold(false), [at.page]);
  const word = PAGES.find(([key]) => key === at.page)?.[1] || 'callboard';
  useEffect(() => {
    favicon(inboxTotal);
    document.title = `${inboxTotal ? `(${inboxTotal}) ` : ''}${word} · callboard`;
  }, [inboxTotal, word]);
  if (link === 'out') return html`<${LogIn} />`;
  if (link === 'connecting') return html`<main class="login"><p class="muted">Connecting …</p></main>`;
  return html`
    <${Header} find=${() => find(true)} />
    <nav class=${menu ? 'side whole-menu' : 'side'} aria-label="pages">
    ${PAGES.map(
      ([key, name, , scope]) =>
        name &&
        may(scope) &&
        html`<a href=${`#/${key}`} class=${BAR.includes(key) ? undefined : 'rare'} onClick=${() => unfold(false)}
          aria-current=${key === at.page ? 'page' : undefined}>${name}</a>`,
    )}<button class="quiet more" aria-expanded=${String(menu)}
      aria-current=${BAR.includes(at.page) ? undefined : 'true'} onClick=${() => unfold(!menu)}>
      ${menu ? 'Less' : 'More'} …</button></nav>
    <main class=${link === 'stale' ? 'content stale' : 'content'} tabindex="-1">
      ${
        link === 'stale' &&
        html`
          <p class="banner" role="alert" data-testid="stale">
          The hub cannot be reached. What you see is as it was; this page goes on by itself when the hub is back.</p>`
      }
      <${Page} at=${at} />
    </main>
    <${Notices} /><${Heard} /><${Help} />
    ${
      palette &&
      html`<${palette} close=${() => find(false)} pages=${PAGES.filter(([, name, , scope]) => name && may(scope)).map(
        ([key, name]) => [key, name],
      )} />`
    }`;
}

setTheme(localStorage.getItem(THEME));
// The code leaves the address before anything is drawn.
start();
render(html`<${App} />`, /** @type {Element} */ (document.getElementById('app')));
