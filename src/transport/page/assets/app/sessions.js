// Sessions: an agent's working contexts, each with its two states, its questions, its terminal and what happened.

import {
  html,
  about,
  Ago,
  Answer,
  line,
  Badge,
  Countdown,
  Empty,
  Facts,
  Problem,
  Sanitized,
  Type,
  useLive,
  useLiveGet,
  useLivePages,
  Words,
} from './ui.js';
import { Crumbs, PullRequests } from './parts.js';
import { Terminal } from './terminal.js';

/** @param {{parts: string[]}} props */
export const Sessions = ({ parts }) => (parts[0] ? html`<${Session} id=${parts[0]} />` : html`<${List} />`);

function List() {
  const { items: sessions, total, error, more, there } = useLivePages('/api/v1/sessions?limit=100', about.sessions);
  if (!there) return html`<p class="muted">…</p>`;
  if (error) return html`<h1>Sessions</h1><${Problem} error=${error} />`;
  if (sessions.length === 0)
    return html`<h1>Sessions</h1>
      <${Empty} title="No session yet.">An agent's first <code>register_agent</code> opens one.<//>`;
  return html`<h1>Sessions <span class="count">${total ?? sessions.length}</span></h1>
    <div class="scroll" tabindex="0" role="region" aria-label="sessions">
    <table class="stacks">
    <thead><tr><th>Session of</th><th>Lifecycle</th><th>Workflow</th><th>Said last</th><th>Since</th></tr></thead>
    <tbody>
    ${sessions.map(
      (s) =>
        html`<tr key=${s.sessionId}><td><a data-row href=${`#/sessions/${s.sessionId}`}>${s.agentId}</a></td>
        <td><${Badge} of=${s.lifecycle} /></td><td><${Badge} of=${s.workflowStatus} /></td>
        <td><${Words}>${s.message || ''}<//></td><td data-label="said"><${Ago} at=${s.statusSince} /></td></tr>`,
    )}
        </tbody></table></div>${more && html`<p><button onClick=${more}>Show more</button></p>`}`;
}

/** @param {{id: string}} props */
function Session({ id }) {
  const live = useLive();
  const { value: session, error } = useLiveGet(`/api/v1/sessions/${id}`, about.session(id));
  const questions =
    useLiveGet(`/api/v1/questions?session=${id}&state=all&limit=20`, about.session(id)).value?.items || [];
  const history = useLiveGet(`/api/v1/sessions/${id}/history?limit=50`, about.session(id)).value?.items || [];
  if (error) return html`<h1>Session</h1><${Problem} error=${error} />`;
  if (!session) return html`<p class="muted">…</p>`;
  return html`<${Crumbs} to="#/sessions" of="Sessions">Session of ${session.agentId}<//>
    <h1>Session of ${session.agentId}</h1>
    <p class="line" data-testid="badges"><${Badge} of=${session.lifecycle} /><${Badge} of=${session.workflowStatus} />
    <span class="muted">since <${Ago} at=${session.statusSince} /></span></p>
    ${session.message && html`<p><${Words}>${session.message}<//></p>`}
    <${Facts} rows=${[
      ['agent', html`<a href=${`#/agents/${session.agentId}`}>${session.agentId}</a>`],
      ['task', session.taskId && html`<a href=${`#/tasks/${session.taskId}`}>${session.taskId}</a>`],
      ['work item', session.workItem && html`<${Words}>${session.workItem}<//>`],
      ['round', session.round],
      ['opened', html`<${Ago} at=${session.openedAt} />`],
    ]} />
    <${PullRequests} list=${session.pullRequests} />
    ${questions.map(
      (/** @type {any} */ q) =>
        html`<section class="card" key=${q.id} data-testid="question" data-state=${q.state}>
          <h2><${Words}>${q.permission ? line(q.question) : q.question}<//> <${Sanitized} of=${q} /></h2>
          <p class="muted">asked by ${q.agentId} · <${Ago} at=${q.askedAt} />
          ${
            q.state === 'open' &&
            (q.dangerous
              ? ' · stays open until somebody answers'
              : html` · <${Countdown} at=${q.expiresAt} then=${`it goes on with: ${q.defaultAction}`} />`)
          }</p>
      ${
        q.state === 'open'
          ? html`<${Answer} id=${q.id} question=${q} />`
          : html`<p data-testid="resolution">
          ${
            q.resolution
              ? html`<strong>${q.resolution.type}</strong>: <${Words}>
              ${q.resolution.value}
                <//> by ${q.resolution.by?.displayName} (${q.resolution.surface}), <${Ago} at=${q.resolution.at} />`
              : q.state
          }</p>`
      }
      ${
        q.lateAnswers?.length > 0 &&
        html`<p class="muted">${q.lateAnswers.length} late answer${q.lateAnswers.length > 1 ? 's' : ''} kept</p>`
      }
          </section>`,
    )}
    <${Terminal} id=${id} />
    ${live.inbox
      .filter((item) => item.kind === 'input_prompt' && item.sessionId === id)
      .map(
        (item) =>
          html`<section class="card" aria-label="prompt" key=${item.id}><h2>It asks: <${Words}>${item.title}<//></h2>
        <${Type} item=${item} warns /></section>`,
      )}
    <h2>What happened</h2>
    <ol class="plain log">
    ${history.map(
      (/** @type {any} */ e) =>
        html`<li key=${e.seq}>
        <span class="muted">${e.seq}</span> <strong>${e.type}</strong> <span class="muted">
        ${e.actor?.principal} · <${Ago} at=${e.time} /></span></li>`,
    )}</ol>`;
}
