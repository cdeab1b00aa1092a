// What needs you, what runs, and what is not as it should be.

import {
  html,
  Ago,
  Badge,
  Countdown,
  Empty,
  Icon,
  line,
  Problem,
  useGet,
  useLive,
  useLiveGet,
  useOrder,
  useState,
  Words,
} from './ui.js';
import { may, post, state } from './live.js';

const OPEN = ['QUEUED', 'ASSIGNED', 'IN_PROGRESS', 'BLOCKED', 'IN_REVIEW', 'TIMEOUT', 'FAILED', 'DEAD_LETTER'];

/** The overview. */
export function Overview() {
  useLive();
  const { inbox, inboxTotal, agents } = state;
  return html`
    <h1>Overview</h1>
    <section aria-labelledby="needs">
      <h2 id="needs">Needs you <span class="count" data-testid="inbox-count">${inboxTotal}</span></h2>
      ${
        inbox.length === 0
          ? html`<${Empty} title="Nothing needs you.">Questions, reviews, blocked tasks and dead letters come here, the most pressing first.<//>`
          : html`<ul class="cards">${inbox.map((item) => html`<${Item} key=${item.id} item=${item} />`)}</ul>`
      }
      ${inboxTotal > inbox.length && html`<p class="muted">and ${inboxTotal - inbox.length} more: callboard inbox --limit ${inboxTotal}</p>`}
    </section>
    <section aria-labelledby="agents"><h2 id="agents"><a href="#/agents">Agents</a> <span class="count" data-testid="agent-count">${agents.length}</span></h2>
      ${
        agents.length === 0
          ? html`<${Empty} title="No agent is here yet.">Connect one: <code>callboard connect claude --agent NAME</code>, or see <a href="#/settings">Settings</a>.<//>`
          : html`<ul class="strip">${agents.map((agent) => html`<li key=${agent.agentId}><a class="chip" href=${`#/agents/${agent.agentId}`}><${Badge} of=${agent.availability} /><strong>${agent.displayName}</strong><span class="muted">${agent.role}</span></a></li>`)}</ul>`
      }
    </section>
    <section aria-labelledby="work"><h2 id="work"><a href="#/tasks">Tasks</a></h2>
      <ul class="strip">${OPEN.map((name) => {
        const n = [...state.tasks.values()].filter((task) => task.state === name).length;
        return html`<li><a class="chip" href=${`#/tasks?state=${name}`} data-testid=${`count-${name}`}><span class="number">${n}</span><${Badge} of=${name} /></a></li>`;
      })}</ul>
    </section>`;
}

/** Where an item is looked at closer. @param {any} item */
const where = (item) =>
  item.kind === 'review'
    ? `#/tasks/${item.taskId}/review`
    : item.taskId
      ? `#/tasks/${item.taskId}`
      : item.sessionId
        ? `#/sessions/${item.sessionId}`
        : `#/agents/${item.agentId}`;

/** One thing that needs a person. @param {{item: any}} props */
function Item({ item }) {
  return html`<li class="card" data-row tabindex="0" data-testid="inbox-item" data-kind=${item.kind}>
    <div class="line"><${Badge} of=${item.kind} /><span class="grow"></span>${item.deadline ? html`<${Countdown} at=${item.deadline} then=${item.then} />` : html`<span class="muted"><${Ago} at=${item.since} /></span>`}</div>
    <h3><a href=${where(item)}><${Words}>${line(item.title, 200)}<//></a></h3>
    <p class="muted"><${Words}>${item.reason}<//>${item.cost?.standsStill > 0 && html` · ${item.cost.standsStill} more wait behind it`}</p>
    ${item.kind === 'question' ? html`<${Answer} id=${item.id.replace('question:', '')} question=${item} />` : item.kind === 'blocked' && item.actions.includes('answer') ? html`<${Reply} path=${`/api/v1/tasks/${item.taskId}/answer`} label="Answer" field="answer" />` : html`<p><a class="button" href=${where(item)}>${item.kind === 'review' ? 'Look at the change' : 'Look'}</a></p>`}
  </li>`;
}

/**
 * The question's widget: options as buttons, a free reply, the default marked, and what is dangerous said.
 * @param {{id: string, question: any}} props
 */
export function Answer({ id, question: shown }) {
  // An item of the inbox says less than the question itself.
  const whole = useGet(shown.state ? null : `/api/v1/questions/${id}`).value;
  const question = whole || shown;
  const [busy, error, give] = useOrder();
  const [own, type] = useState('');
  if (!may('operate')) return html`<p class="muted">Your log-in may look, and not answer.</p>`;
  const answer = (/** @type {string} */ value, /** @type {boolean} */ ownWords) =>
    give(() => post(`/api/v1/questions/${id}/answer`, ownWords ? { value, ownWords } : { value }));
  const options = question.options || [];
  const late = error?.code === 'ALREADY_RESOLVED' && error.details.resolution;
  return html`<div class="answer" data-testid="answer">
    ${question.dangerous && html`<p class="danger"><${Icon} name="shield" /><span>This may do harm, so no default is applied by itself${question.danger ? html`: <${Words}>${question.danger}<//>` : ''}.</span></p>`}
    <div class="options">
      ${options.map((/** @type {string} */ option, /** @type {number} */ i) => html`<button key=${option} disabled=${busy} data-reply=${i === 0 ? '' : undefined} onClick=${() => answer(option, false)}><${Words}>${option}<//>${option === question.defaultAction && !question.dangerous && html`<span class="mark">Use default</span>`}</button>`)}
      ${question.defaultAction && !question.dangerous && !options.includes(question.defaultAction) && html`<button disabled=${busy} onClick=${() => answer(question.defaultAction, true)}>Use default: <${Words}>${question.defaultAction}<//></button>`}
    </div>
    ${
      (question.allowFreeText || options.length === 0) &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        answer(own, true).then((done) => done && type(''));
      }}>
      <label class="grow"><span class="hidden">Your own answer</span><input value=${own} placeholder="Answer in your own words" data-reply=${options.length === 0 ? '' : undefined} onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
      <button class="primary" disabled=${busy || !own.trim()}>Send</button></form>`
    }
    ${late ? html`<p class="problem" role="status" data-testid="late">Already answered by ${late.by?.displayName || late.type}: <${Words}>${late.value}<//>. Your answer was kept as a late one.</p>` : html`<${Problem} error=${error} />`}
  </div>`;
}

/** A text that is sent to one route. @param {{path: string, label: string, field: string}} props */
export function Reply({ path, label, field }) {
  const [busy, error, give] = useOrder();
  const [words, type] = useState('');
  if (!may('operate')) return null;
  return html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    give(() => post(path, { [field]: words })).then((done) => done && type(''));
  }}>
    <label class="grow"><span class="hidden">${label}</span><input value=${words} placeholder=${label} data-reply="" onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
    <button class="primary" disabled=${busy || !words.trim()}>Send</button><${Problem} error=${error} /></form>`;
}
