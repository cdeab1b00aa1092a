// The frame: log-in, header, navigation, keys, and the page that the address names; and the overview, which is the
// page that is shown first and so comes with it.

import {
  html,
  render,
  actOn,
  Again,
  Ago,
  Answer,
  Badge,
  begin,
  Countdown,
  Empty,
  Icon,
  Late,
  line,
  Problem,
  Prose,
  Reply,
  Sanitized,
  span,
  Type,
  useEffect,
  useHeld,
  useLive,
  useLiveGet,
  useOrder,
  useRef,
  useState,
  useSure,
  useTick,
  Words,
} from './ui.js';
import { logIn, logOut, may, moreOfInbox, now, start, state } from './live.js';

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

const OPEN = ['QUEUED', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'DEAD_LETTER'];
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** The most agents that stand on the overview, those that work before those that wait. */
const STRIP = 24;
const BUSY_FIRST = ['working', 'waiting', 'offline', 'evicted'];

/** What needs you, what runs, and what is not as it should be. */
function Overview() {
  const { inbox, inboxTotal, overview } = useLive();
  const asked = inbox.some((item) => item.kind === 'question');
  // An item says less than the question: all open ones in one go.
  const open = useLiveGet(asked ? '/api/v1/questions?state=open&limit=200' : null, (event) =>
    event.type.startsWith('question.'),
  );
  const questions = new Map((open.value?.items || []).map((/** @type {api.QuestionView} */ one) => [one.id, one]));
  const tasks = /** @type {Record<string, number>} */ (overview?.tasks || {});
  const agents = [...state.agents.values()].sort(
    (a, b) => BUSY_FIRST.indexOf(a.availability) - BUSY_FIRST.indexOf(b.availability),
  );
  const items = useHeld(inbox, (item) => item.id);
  const [several, choose] = useState(/** @type {Set<string> | null} */ (null));
  const At = usePart(several !== null, () => import('./several.js').then((m) => m.Several));
  const chosen = several && items.filter(({ item, late }) => !late && several.has(item.id)).map(({ item }) => item);
  const turn = (/** @type {string} */ id) => {
    const next = new Set(several);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return html`
    <h1>Overview</h1>
    <section aria-labelledby="needs">
      <h2 id="needs">Needs you <span class="count" data-testid="inbox-count">${inboxTotal}</span></h2>
      ${
        may('operate') &&
        items.length > 1 &&
        html`<p><button class="quiet" aria-pressed=${String(several !== null)}
          onClick=${() => choose(several ? null : new Set())}>Several at once</button></p>`
      }
      ${chosen && At && html`<${At} items=${chosen} of=${ACTIONS} settled=${() => choose(new Set())} />`}
      ${
        items.length === 0
          ? html`<${Empty} title="Nothing needs you.">
              Questions, reviews, blocked tasks and dead letters come here, the most pressing first.<//>`
          : html`<ul class="cards">${items.map(
              ({ item, late }) =>
                html`<${Item} key=${item.id} item=${item} late=${late}
                  chosen=${several?.has(item.id)} turn=${several && (() => turn(item.id))}
                  question=${questions.get(item.id.replace('question:', ''))} />`,
            )}</ul>`
      }
      ${
        inboxTotal > inbox.length &&
        html`<p class="line">
          <button onClick=${moreOfInbox}>Show ${Math.min(100, inboxTotal - inbox.length)} more</button>
          <span class="muted">The most pressing ${inbox.length} of ${inboxTotal} are shown.</span></p>`
      }
    </section>
    <${Warnings} list=${overview?.warnings || []} />
    <section aria-labelledby="agents">
    <h2 id="agents">
    <a href="#/agents">Agents</a> <span class="count" data-testid="agent-count">
    ${overview?.agents.total ?? agents.length}</span></h2>
      ${
        agents.length === 0
          ? html`
            <${Empty} title="No agent is here yet.">Connect one: <code>callboard connect claude --agent NAME</code>
            , or see <a href="#/settings">Settings</a>.<//>`
          : html`<ul class="strip">
            ${agents.slice(0, STRIP).map(
              (agent) =>
                html`<li key=${agent.agentId}>
                <a class="chip" href=${`#/agents/${agent.agentId}`} data-testid="agent-chip"
                data-agent=${agent.agentId}><${Badge} of=${agent.availability} />
                  <strong><${Words}>${agent.displayName}<//></strong><span class="muted">${agent.role}</span></a>
                  </li>`,
            )}
                  ${
                    agents.length > STRIP &&
                    html`<li><a class="chip" href="#/agents">and ${agents.length - STRIP} more</a></li>`
                  }</ul>`
      }
    </section>
    <section aria-labelledby="work"><h2 id="work"><a href="#/tasks">Tasks</a></h2>
      <ul class="strip">${[...OPEN, ...ENDED].map((name) => {
        const n = tasks[name] || 0;
        return html`<li>
          <a class="chip" href=${`#/tasks?state=${name}`} data-zero=${n === 0 || undefined}
            data-testid=${`count-${name}`}>
          <span class="number">${n}</span><${Badge} of=${name} /></a></li>`;
      })}</ul>
      ${overview?.history && html`<${LastHour} of=${overview.history} />`}
    </section>
    <${Lately} />`;
}

/** Hears until the function that it gives is called. @param {string} type @param {(event: any) => void} heard */
function on(type, heard) {
  addEventListener(type, heard);
  return () => removeEventListener(type, heard);
}

const nothing = () => {};

/** A part whose module is read once it is wanted. @param {boolean} wanted @param {() => Promise<any>} load */
function usePart(wanted, load) {
  const [Part, show] = useState(/** @type {any} */ (null));
  useEffect(() => {
    if (wanted && !Part) load().then((part) => show(() => part), nothing);
  }, [wanted]);
  return wanted && Part;
}

/** What people did lately: read when somebody opens it. */
function Lately() {
  const [open, turn] = useState(false);
  const List = usePart(open, () => import('./sentences.js').then((m) => m.Lately));
  return html`<details class="lately" onToggle=${(/** @type {any} */ event) => turn(event.target.open)}>
    <summary><h2>Lately</h2> <span class="muted">what people did</span></summary>
    ${List && html`<${List} />`}</details>`;
}

/** What is not as it should be, and what to do about it. @param {{list: any[]}} props */
const Warnings = ({ list }) =>
  list.length > 0 &&
  html`<section aria-labelledby="warnings"><h2 id="warnings">Warnings <span class="count">${list.length}</span></h2>
    ${list.map(
      (one) =>
        html`<div class="warning" key=${`${one.code} ${one.subject}`} data-testid="warning" data-code=${one.code}>
        <${Icon} name="warn" />
        <div>
        <p><${Prose} words=${one.message.trim()}
        /> ${
          /^(agent|task|session|terminal):/.test(one.subject) &&
          html`<a href=${`#/actors/${encodeURIComponent(one.subject)}`}>${one.subject}</a>`
        }</p>
            <p class="muted"><${Prose} words=${one.advice} /></p></div></div>`,
    )}</section>`;

/**
 * Tasks that ended in each of the last sixty minutes: the failed stand on the completed.
 * @param {{of: {done: number[], failed: number[]}}} props
 */
function LastHour({ of }) {
  const sum = (/** @type {number[]} */ list) => list.reduce((all, n) => all + n, 0);
  const most = Math.max(1, ...of.done.map((n, i) => n + of.failed[i]));
  /** @type {(tone: string, i: number, n: number, below: number) => any} */
  const bar = (tone, i, n, below) =>
    n > 0 &&
    html`
      <rect class=${tone} x=${i * 6 + 1} y=${40 - ((below + n) / most) * 40} width="4" height=${(n / most) * 40} />`;
  const words = `${sum(of.done)} completed and ${sum(of.failed)} failed in the last hour`;
  return html`<figure class="hour" data-testid="last-hour">
    <svg viewBox="0 0 360 41" preserveAspectRatio="none" role="img" aria-label=${words}>
    <path class="ground" d="M0 40.5h360" />
    ${of.done.map((n, i) => html`${bar('done', i, n, 0)}${bar('failed', i, of.failed[i], n)}`)}</svg>
    <figcaption class="muted">${words}</figcaption></figure>`;
}

/**
 * What each kind of item leads to: the words of its link, and the place; the compiler of the types holds the table to
 * the kinds that the hub has.
 * @type {Record<api.InboxKind, [string, (item: api.InboxItem) => string]>}
 */
const KINDS = {
  question: ['Look at its work', (item) => (item.taskId ? `#/tasks/${item.taskId}` : `#/sessions/${item.sessionId}`)],
  input_prompt: ['Look at the terminal', (item) => `#/sessions/${item.sessionId}`],
  review: ['Look at the change', (item) => `#/tasks/${item.taskId}/review`],
  blocked: ['Look at the task', (item) => `#/tasks/${item.taskId}`],
  timeout: ['Look at the task', (item) => `#/tasks/${item.taskId}`],
  stranded: ['Look at the task', (item) => `#/tasks/${item.taskId}`],
  dead_letter: ['Look at the task', (item) => `#/tasks/${item.taskId}/result`],
  undelivered: ['Look at the agent', (item) => `#/agents/${encodeURIComponent(item.agentId || '')}`],
  dead_delivery: ['Look at the delivery', (item) => `#/outbox/${item.id.replace('dead_delivery:', '')}`],
  on_call: ['Look at the agent', (item) => `#/agents/${encodeURIComponent(item.agentId || '')}`],
  workflow: ['Look at the run', (item) => `#/workflows/${item.workflowId}`],
};

/**
 * What each action of an item is: its word, what a notice says of it, what it asks for (with `!` where it cannot do
 * without), and what it may harm. `answer` has a widget of its own for each kind.
 * @type {Record<Exclude<api.InboxAction, 'answer'>, [string, string, string?, string?]>}
 */
const ACTIONS = {
  approve: ['Approve', 'Approved'],
  'request-changes': ['Request changes …', 'Changes requested', 'What is to change?!'],
  retry: ['Retry', 'Tried again'],
  requeue: ['Requeue', 'Back in the queue'],
  reassign: ['Reassign …', 'Reassigned', 'To which agent or role?!'],
  cancel: ['Cancel …', 'Cancelled', 'Why? (optional)', 'It ends for good'],
  drop: ['Drop …', 'Dropped', 'Why is it not to be sent?!', 'It is never sent then'],
};

/** What can be done about an item besides an answer. @param {{item: api.InboxItem, late: boolean}} props */
function Acts({ item, late }) {
  const [busy, error, give] = useOrder(item.id);
  const [form, open] = useState('');
  const [words, type] = useState('');
  const actions = item.actions.filter((one) => one !== 'answer');
  const [word, done, asks = '', harm] = /** @type {any} */ (ACTIONS)[form] || [];
  const [armed, sure] = useSure(harm);
  if (!may('operate') || actions.length === 0) return null;
  const act = (/** @type {any} */ action, /** @type {string} */ said) =>
    give(() => actOn(item.id, action, words), `${said}: ${line(item.title, 60)}`, harm ? '' : action).then((ok) => {
      if (!ok) return;
      open('');
      type('');
    });
  const must = asks.endsWith('!');
  const label = asks.replace(/!$/, '');
  return html`<fieldset class="acts" disabled=${late} onInput=${() => begin(item.id)}>
    <legend class="hidden">actions</legend>
    <div class="options">${actions.map((one) => {
      const [word, said, asked] = ACTIONS[/** @type {keyof typeof ACTIONS} */ (one)];
      return asked
        ? html`<button key=${one} type="button" class="plainly" data-action=${one} aria-expanded=${String(form === one)}
            onClick=${() => open(form === one ? '' : one)}>${word}</button>`
        : html`<button key=${one} type="button" disabled=${busy} data-action=${one} onClick=${() => act(one, said)}>
            ${word}</button>`;
    })}</div>
    ${
      form &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        sure(() => act(form, done));
      }}><label class="grow">${label} <input value=${words}
        onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
        <button class=${armed ? 'sure' : 'primary'} disabled=${busy || (must && !words.trim())}>
          ${word.replace(' …', '')}${armed && html`<${Again} harm=${harm} />`}</button></form>`
    }
    <${Problem} error=${late ? null : error} /></fieldset>`;
}

/**
 * One thing that needs a person.
 * @param {{item: api.InboxItem, question?: api.QuestionView, late: boolean, chosen?: boolean, turn?: any}} props
 */
function Item({ item, question, late, chosen, turn }) {
  const [look, to] = KINDS[item.kind] || ['Look', () => '#/'];
  const answers = item.actions.includes('answer');
  // Its own words of it end it: the widget says it itself.
  const says = item.kind === 'question' || (answers && ['blocked', 'input_prompt'].includes(item.kind));
  return html`<li class="card" data-row tabindex="0" data-testid="inbox-item" data-kind=${item.kind}>
    <div class="line">${
      turn &&
      html`<input type="checkbox" class="choose" checked=${chosen} onChange=${turn}
        aria-label=${`choose ${line(item.title, 60)}`} />`
    }<${Badge} of=${item.kind} /><span class="grow"></span>
      ${
        // Nothing happens at the end of one that may do harm: there is nothing to count down to.
        item.deadline && !item.dangerous
          ? html`<${Countdown} at=${item.deadline} then=${item.then} />`
          : html`<span class="muted"><${Ago} at=${item.since} /></span>`
      }</div>
    <h3><a href=${to(item)}><${Words}>${line(item.title, 200)}<//></a><${Sanitized} of=${item} /></h3>
    <p class="muted"><${Prose} words=${item.reason} />
      ${item.cost?.standsStill > 0 && html` · ${item.cost.standsStill} more wait behind it`}</p>
    ${
      item.kind === 'question'
        ? html`<${Answer} id=${item.id.replace('question:', '')} question=${question || item} late=${late} />`
        : item.kind === 'blocked' && answers
          ? html`<${Reply} path=${`/api/v1/tasks/${item.taskId}/answer`} label="Answer, so that it goes on"
              field="answer" item=${item.id} late=${late} />`
          : item.kind === 'input_prompt' && html`<${Type} item=${item} late=${late} />`
    }
    <${Acts} item=${item} late=${late} />
    ${late && !says && html`<${Late} id=${item.id} />`}
    <p><a href=${to(item)} data-testid="look">${look}</a></p>
  </li>`;
}

/** What the address names: `#/tasks/ID?state=QUEUED` is the page `tasks`, its parts, and a query. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, ...parts] = path.split('/').map(decodeURIComponent);
  return { page, parts, query: new URLSearchParams(query) };
}

function usePlace() {
  const [at, go] = useState(place());
  useEffect(() => on('hashchange', () => go(place())), []);
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
  const words = link === 'out' ? 'logged out' : link;
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

/** @param {{find: () => void, keys: () => void}} props */
function Header({ find, keys }) {
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
    <button class="quiet keys" onClick=${keys} title="keys (?)">
    Keys</button>
    <button class="quiet" onClick=${leave} title="log out"><${Icon} name="leave" />
    <span class="word">Log out</span></button>
  </header>`;
}

/** What waits is sent before the token goes. */
async function leave() {
  for (const one of state.waiting) one.settle(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await logOut();
}

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

/** The keys of the whole page; a field that is typed into keeps its own. @param {() => void} help */
function useKeys(help) {
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
      else if (event.key === '?') help();
      before.current = event.key;
    };
    return on('keydown', pressed);
  }, []);
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

/** Which of several hubs this is, and whether another one would go on; nothing where it is alone. */
function Nodes() {
  const { value } = useLiveGet('/admin/nodes', () => false, 10000);
  const nodes = /** @type {api.NodeView[]} */ (value?.items || []);
  const owner = nodes.find((node) => node.state === 'owner');
  const others = nodes.filter((node) => node.state === 'standby').map((node) => node.name);
  if (!owner) return null;
  return html`<footer class="muted" data-testid="nodes">
    ${owner.name} · ${others.length ? `${others.join(', ')} stands by` : 'no other hub stands by'}</footer>`;
}

/** Asked for some seconds later: the first load is for what needs somebody. */
function Foot() {
  const [isLate, come] = useState(false);
  useEffect(() => {
    const soon = setTimeout(() => come(true), 5000);
    return () => clearTimeout(soon);
  }, []);
  return isLate && html`<${Nodes} />`;
}

/** What waits to be sent, and what was done a moment ago. */
function Notices() {
  const Said = usePart(state.waiting.length + state.notices.length > 0, () =>
    import('./notices.js').then((m) => m.Said),
  );
  return html`<div class="notices" role="status" data-testid="notices">${Said && html`<${Said} />`}</div>`;
}

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
 * The palette, while it is open: its module, and what closes or opens it.
 * @returns {[any, (on: boolean) => void]}
 */
function usePalette() {
  const [open, find] = useState(false);
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || state.link === 'out') return;
      event.preventDefault();
      find(true);
    };
    return on('keydown', pressed);
  }, []);
  return [usePart(open, () => import('./palette.js').then((m) => m.Palette)), find];
}

/** What stands in the bar of a phone; the rest is behind its last button. */
const BAR = ['', 'tasks', 'agents', 'sessions'];

/** Here and not in a file of its own: whoever logs out while the hub is away has to find it. */
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

function App() {
  const { link, inboxTotal } = useLive();
  const at = usePlace();
  const [helps, help] = useState(false);
  const Help = usePart(helps, () => import('./keys.js').then((m) => m.Help));
  useKeys(() => help(true));
  const [palette, find] = usePalette();
  // What the page that is shown is about, in its words.
  const [title, name] = useState('');
  useEffect(() => on('titled', (event) => name(event.detail)), []);
  const [menu, unfold] = useState(false);
  useEffect(() => unfold(false), [at.page]);
  const word = title || PAGES.find(([key]) => key === at.page)?.[1] || 'callboard';
  useEffect(() => {
    favicon(inboxTotal);
    document.title = `${inboxTotal ? `(${inboxTotal}) ` : ''}${word} · callboard`;
  }, [inboxTotal, word]);
  if (link === 'out') return html`<${LogIn} />`;
  if (link === 'connecting') return html`<main class="login"><p class="muted">Connecting …</p></main>`;
  return html`
    <${Header} find=${() => find(true)} keys=${() => help(true)} />
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
      <${Foot} />
    </main>
    <${Notices} /><${Heard} />
    ${Help && html`<${Help} off=${KEYS_OFF} goes=${GOES} close=${() => help(false)} />`}
    ${
      palette &&
      html`<${palette} close=${() => find(false)} pages=${PAGES.filter(([, name, , scope]) => name && may(scope)).map(
        ([key, name]) => [key, name],
      )} />`
    }`;
}

setTheme(localStorage.getItem(THEME));
// A notification that was pressed goes to its item.
navigator.serviceWorker?.addEventListener('message', ({ data }) => (location.hash = data.goes));
// The code leaves the address before anything is drawn.
start();
render(html`<${App} />`, /** @type {Element} */ (document.getElementById('app')));
