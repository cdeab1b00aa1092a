// Agents: who is there, what each does, and one closely.

import {
  html,
  Again,
  useSure,
  about,
  Ago,
  Badge,
  Empty,
  Facts,
  Problem,
  Sanitized,
  titleOf,
  useLive,
  useLiveGet,
  useOrder,
  useState,
  Words,
} from './ui.js';
import { Crumbs, HandOut } from './parts.js';
import { may, post, state } from './live.js';

/** @param {{parts: string[]}} props */
export const Agents = ({ parts }) => (parts[0] ? html`<${Agent} id=${parts[0]} />` : html`<${List} />`);

/**
 * What a slot of a host is at; nothing of other agents.
 * @param {any} agent
 */
const onCall = (agent) => (agent.onCall ? `on call: ${agent.onCall.slot.state}` : '');

/**
 * How many slots of hosts are free.
 * @param {any[]} agents
 */
const slots = (agents) => {
  const known = agents.filter((agent) => agent.onCall);
  const free = known.filter((agent) => agent.onCall.slot.state === 'free' && !agent.onCall.limitedUntil);
  return known.length ? `on call: ${free.length} of ${known.length} free` : '';
};

function List() {
  const agents = [...useLive().agents.values()];
  if (agents.length === 0)
    return html`<h1>Agents</h1>
      <${Empty} title="No agent is here yet.">Connect one: <code>callboard connect claude --agent NAME</code>
      , or see <a href="#/settings">Settings</a>.<//>`;
  return html`<h1>Agents <span class="count">${agents.length}</span></h1>
    <p class="muted">${slots(agents)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="agents">
    <table class="stacks">
    <thead><tr><th>Agent</th><th>State</th><th>Role</th><th>Works on</th><th>Queued</th><th>Last seen</th></tr></thead>
    <tbody>
    ${agents.map(
      (agent) =>
        html`<tr key=${agent.agentId} data-testid="agent-row">
        <td>
        <a data-row href=${`#/agents/${agent.agentId}`}>
        <${Words}>${agent.displayName}<//></a> <${Sanitized} of=${agent} /></td>
        <td><${Badge} of=${agent.availability} /> <span class="muted">${onCall(agent)}</span></td><td>${agent.role}</td>
        <td>${agent.currentTasks.map((id) => html`<${Work} id=${id} key=${id} /> `)}</td>
        <td data-label="queued" class=${agent.queued ? undefined : 'muted'}>${agent.queued}</td>
        <td data-label="seen"><${Ago} at=${agent.lastSeen} /></td></tr>`,
    )}
        </tbody></table></div>`;
}

/** What an agent works on, by name. @param {{id: string}} props */
function Work({ id }) {
  const { value } = useLiveGet(`/api/v1/tasks/${id}`, about.task(id));
  return html`<a href=${`#/tasks/${id}`}><${Words}>${value ? titleOf(value) : id}<//></a>`;
}

/** What a client says of itself, and how long it is let wait. @param {api.ClientView} client */
const declared = ({ name, version, waitCapSeconds, row }) =>
  `${name} ${version || ''} (waits up to ${waitCapSeconds} s, row ${row})`;

/** @param {{id: string}} props */
function Agent({ id }) {
  useLive();
  // The same as every other page shows; who is not in the store never was here.
  const known = state.agents.get(id);
  const { value, error } = useLiveGet(known ? null : `/api/v1/agents/${encodeURIComponent(id)}`, about.agent(id));
  const agent = known || value;
  const held = useLiveGet(`/api/v1/tasks?agent=${encodeURIComponent(id)}&limit=20`, about.tasks).value?.items || [];
  const named = useLiveGet(`/api/v1/tasks?target=${encodeURIComponent(id)}&limit=20`, about.tasks).value?.items || [];
  // What it works on, and then what else was meant for it, the newest first.
  const tasks = [
    ...held,
    ...named.filter((/** @type {any} */ task) => !held.some((/** @type {any} */ one) => one.taskId === task.taskId)),
  ];
  if (error) return html`<h1>Agent</h1><${Problem} error=${error} />`;
  if (!agent) return html`<p class="muted">…</p>`;
  return html`<${Crumbs} to="#/agents" of="Agents">${agent.displayName}<//>
    <h1><${Words}>${agent.displayName}<//> <${Sanitized} of=${agent} /></h1>
    <p class="line"><${Badge} of=${agent.availability} /> <span class="muted">${agent.note || onCall(agent)}</span></p>
    <${Facts} rows=${[
      ['id', agent.agentId],
      ['role', agent.role],
      ['capabilities', agent.capabilities?.join(', ')],
      ['client', agent.client && declared(agent.client)],
      ['last seen', html`<${Ago} at=${agent.lastSeen} />`],
      ['queued for it', agent.queued],
      ['session', agent.sessionId && html`<a href=${`#/sessions/${agent.sessionId}`}>${agent.sessionId}</a>`],
      ['actor', html`<a href=${`#/actors/${encodeURIComponent(`agent:${id}`)}`}>agent:${id}</a>`],
    ]} />
    ${
      may('operate') &&
      html`<details class="add"><summary>Give it work</summary><${HandOut} key=${id} to=${id} /></details>
        <${Evict} id=${id} />`
    }
    <h2>Tasks</h2>
    ${
      tasks.length === 0
        ? html`<${Empty} title="No task yet.">Give it one: <code>callboard task add ${id} "what to do"</code>.<//>`
        : html`<ul class="plain">
          ${tasks.map(
            (/** @type {any} */ task) =>
              html`<li key=${task.taskId}>
              <a class="card small" data-row href=${`#/tasks/${task.taskId}`}>
              <span class="line"><${Badge} of=${task.state} /><span class="grow"></span>
              <span class="muted"><${Ago} at=${task.updatedAt} /></span></span><${Words}>${titleOf(task)}<//></a>
              </li>`,
          )}</ul>`
    }`;
}

/** @param {{id: string}} props */
function Evict({ id }) {
  const [busy, error, give] = useOrder();
  const [reason, type] = useState('');
  const [action, choose] = useState('RESTART');
  const harm = state.agents.get(id)?.currentTasks.length ? 'It loses the task that it works on' : '';
  const [armed, sure] = useSure(harm);
  return html`<details><summary>Send it away …</summary>
    <form class="reply" onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      sure(() =>
        give(() => post(`/api/v1/agents/${encodeURIComponent(id)}/evict`, { action, reason }), `${id} is sent away`),
      );
    }}>
    <label>It is to <select value=${action} onChange=${(/** @type {any} */ event) => choose(event.target.value)}>
    <option value="RESTART">restart</option><option value="SHUTDOWN">shut down</option></select></label>
    <label class="grow">
    Why (it reads this) <input value=${reason} onInput=${(/** @type {any} */ event) => type(event.target.value)} />
      </label><button class=${armed ? 'sure' : undefined} disabled=${busy || !reason.trim()}>
        Send away${armed && html`<${Again} harm=${harm} />`}</button></form>
      <p class="muted">What it holds goes back to the queue at once.</p><${Problem} error=${error} /></details>`;
}
