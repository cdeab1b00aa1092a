// The overview: what needs a person, what runs, and what is not as it should be. It is shown first, and so comes with
// the frame.

import {
  html,
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
  Press,
  Problem,
  Prose,
  Reply,
  Sanitized,
  Type,
  span,
  useHeld,
  useLive,
  useLiveGet,
  useOrder,
  useState,
  useSure,
  Words,
} from './ui.js';
import { may, moreOfInbox, post, Refused, state } from './live.js';
import { holds } from './undo.js';

const OPEN = ['QUEUED', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'DEAD_LETTER'];
const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** The most agents that stand on the overview, those that work before those that wait. */
const STRIP = 24;
const BUSY_FIRST = ['working', 'waiting', 'offline', 'evicted'];

/** What needs you, what runs, and what is not as it should be. */
export function Overview() {
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
      ${chosen && html`<${Several} items=${chosen} settled=${() => choose(new Set())} />`}
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

/** What people did lately: read when somebody opens it. */
function Lately() {
  const [List, show] = useState(/** @type {any} */ (null));
  const opened = (/** @type {any} */ event) =>
    event.target.open && import('./sentences.js').then((m) => show(() => m.Lately));
  return html`<details class="lately" onToggle=${opened}><summary><h2>Lately</h2> <span class="muted">
    what people did</span></summary>${List && html`<${List} />`}</details>`;
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

/** Tasks that ended in each of the last sixty minutes: the failed stand on the completed. @param {{of: any}} props */
function LastHour({ of }) {
  const sum = (/** @type {number[]} */ list) => list.reduce((all, n) => all + n, 0);
  const most = Math.max(1, ...of.done.map((/** @type {number} */ n, /** @type {number} */ i) => n + of.failed[i]));
  const bar = (
    /** @type {string} */ tone,
    /** @type {number} */ i,
    /** @type {number} */ n,
    /** @type {number} */ below,
  ) =>
    n > 0 &&
    html`
      <rect class=${tone} x=${i * 6 + 1} y=${40 - ((below + n) / most) * 40} width="4" height=${(n / most) * 40} />`;
  const words = `${sum(of.done)} completed and ${sum(of.failed)} failed in the last hour`;
  return html`<figure class="hour" data-testid="last-hour">
    <svg viewBox="0 0 360 41" preserveAspectRatio="none" role="img" aria-label=${words}>
    <path class="ground" d="M0 40.5h360" />
    ${of.done.map(
      (/** @type {number} */ n, /** @type {number} */ i) =>
        html`${bar('done', i, n, 0)}${bar('failed', i, of.failed[i], n)}`,
    )}</svg>
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
  const asked = form !== 'drop' || !holds('drop') ? harm : '';
  const [armed, sure] = useSure(asked);
  if (!may('operate') || actions.length === 0) return null;
  const act = (/** @type {any} */ action, /** @type {string} */ said) =>
    give(() => actOn(item.id, action, words), `${said}: ${line(item.title, 60)}`, asked ? '' : action).then((ok) => {
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
          ${word.replace(' …', '')}${armed && html`<${Again} harm=${asked} />`}</button></form>`
    }
    <${Problem} error=${late ? null : error} /></fieldset>`;
}

/**
 * One order for all that were chosen: what each of them can have done, with the same words.
 * @param {{items: api.InboxItem[], settled: () => void}} props
 */
function Several({ items, settled }) {
  const [busy, error, give] = useOrder();
  const [words, type] = useState('');
  if (items.length === 0) return html`<p class="muted" data-testid="several">Choose what has the same done to it.</p>`;
  const actions = items
    .map((item) => item.actions)
    .reduce((all, own) => all.filter((one) => own.includes(one)))
    .filter((one) => one !== 'answer' || items.every((item) => item.kind !== 'input_prompt'));
  const risky = items.some((item) => item.dangerous) && 'Some may do harm';
  const act = (/** @type {any} */ action, /** @type {string} */ said, /** @type {any} */ harm) => () =>
    give(
      async () => {
        const value = words.trim();
        const deeds = items.map((item) => ({ item: item.id, action, ...(value && { value }) }));
        const { failed, results } = await post('/api/v1/inbox/actions', { actions: deeds });
        if (failed) {
          const first = results.find((/** @type {api.Outcome} */ one) => !one.ok);
          throw new Refused(409, {
            ...first,
            error: `${failed} of ${deeds.length} were refused, the first: ${first.error}`,
          });
        }
      },
      `${items.length}: ${said}`,
      harm ? '' : action,
    ).then((ok) => ok && settled());
  return html`<div class="several" data-testid="several"><div class="line"><strong>${items.length} chosen</strong>
    ${actions.length === 0 && html`<span class="muted">Nothing can be done to all of these at once.</span>`}
    <label class="grow">Words <input value=${words} placeholder="the answer, or why"
      onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    ${actions.map((one) => {
      const [word, said, asks, harm] = one === 'answer' ? ['Answer', 'answered', '!', risky] : ACTIONS[one];
      return html`<${Press} key=${one} disabled=${busy || (asks?.endsWith('!') && !words.trim())} harm=${harm}
        onPress=${act(one, said, harm)}>${word.replace(' …', '')} ${items.length}<//>`;
    })}</div><${Problem} error=${error} /></div>`;
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
