// One task closely: what it is, why it waits, what is asked, what came of it, and what can be done with it.

import {
  html,
  about,
  Ago,
  Answer,
  Badge,
  Countdown,
  Empty,
  Facts,
  line,
  Problem,
  Reply,
  Sanitized,
  span,
  Tabs,
  titleOf,
  useHeld,
  useLive,
  useLiveGet,
  useOrder,
  useState,
  useSure,
  Again,
  Words,
} from './ui.js';
import { may, now, post, state } from './live.js';
import { Copy, Crumbs, HandOut, lazy, PullRequests, used } from './parts.js';
import { Delegation } from './tree.js';
import { Machine, Story } from './story.js';

const Review = lazy(() => import('./review.js').then((m) => m.Review));

/** Nobody had it yet: it stands in a queue, or waits for others. @param {api.TaskView} task */
const unbegun = ({ state, attempts }) => state === 'QUEUED' || (state === 'BLOCKED' && attempts.length === 0);

/** One task. @param {{id: string, parts: string[]}} props */
export function Task({ id, parts }) {
  useLive();
  const answer = useLiveGet(`/api/v1/tasks/${id}`, about.task(id));
  const { error } = answer;
  const task = /** @type {api.TaskView | undefined} */ (answer.value);
  const asked = useLiveGet(`/api/v1/questions?task=${id}&state=open&limit=1`, about.task(id));
  const questions = useHeld(
    /** @type {api.QuestionView[]} */ (asked.value?.items || []),
    (one) => `question:${one.id}`,
  );
  // One that waits for other tasks waits for no answer.
  const blocked = task?.state === 'BLOCKED' && !unbegun(task) && !asked.value?.items.length;
  const replies = useHeld(blocked ? [id] : [], (one) => `blocked:${one}`);
  if (error && !task) return html`<h1>Task</h1><${Problem} error=${error} />`;
  if (!task) return html`<p class="muted">…</p>`;
  const reviewed = task.state === 'IN_REVIEW' || task.history.some((item) => item.type.startsWith('review.'));
  // What is over opens on what came of it.
  const part = parts[1] || (['COMPLETED', 'FAILED'].includes(task.state) ? 'result' : 'text');
  const tabs = /** @type {[string, string][]} */ ([
    ['text', 'Text'],
    ['result', 'Result'],
    ['review', 'Review'],
    ['way', 'Way'],
    ['json', 'JSON'],
  ]).filter(([key]) => key !== 'review' || reviewed || part === 'review');
  return html`
    <${Crumbs} to="#/tasks" of="Tasks">${titleOf(task)}<//>
    <div class="line"><h1><${Words}>${titleOf(task)}<//></h1></div>
    <p class="line">
    <${Badge} of=${task.state} /> <${Sanitized} of=${task} /> <span class="muted">
    ${task.priority} · for ${task.target} · from ${task.from.displayName} · attempt ${task.attempt}</span>
    <${Copy} words=${task.taskId} label="Copy id" />
    <${Copy} words=${location.href.replace(/#.*/, `#/tasks/${task.taskId}`)} label="Copy link" /></p>
    ${
      task.deadline &&
      html`
        <p class="muted">
        Next: <time datetime=${task.deadline.at} title=${new Date(task.deadline.at).toLocaleString()}>
          in ${span(Date.parse(task.deadline.at) - now())}</time>, ${task.deadline.reason}</p>`
    }
    ${task.waitsFor && html`<p>Waits: <${Words}>${task.waitsFor}<//></p>`}
    ${questions.map(
      ({ item: open, late }) =>
        html`<section class="card" aria-label="question" key=${open.id}>
        <h2><${Words}>${open.permission ? line(open.question) : open.question}<//> <${Sanitized} of=${open} /></h2>
        <p class="muted">asked by <a href=${`#/agents/${encodeURIComponent(open.agentId)}`}>${open.agentId}</a>
          ${' · '}${
            open.dangerous
              ? html`<${Ago} at=${open.askedAt} />, stays open until somebody answers`
              : html`<${Countdown} at=${open.expiresAt} then=${`it goes on with: ${open.defaultAction}`} />`
          }</p>
        <${Answer} id=${open.id} question=${open} late=${late} /></section>`,
    )}
    ${replies.map(
      ({ item, late }) =>
        html`<${Reply} key=${item} path=${`/api/v1/tasks/${id}/answer`} label="Answer, so that it goes on"
          field="answer" item=${`blocked:${item}`} late=${late} />`,
    )}
    ${task.state === 'QUEUED' && html`<${Why} task=${task} />`}
    ${may('operate') && html`<${Orders} task=${task} />`}
    ${
      (task.runs || []).length > 0 &&
      html`<section class="card" aria-label="usage" data-testid="usage"><h2>Usage</h2>
        <${Facts} rows=${[['runs', String(task.runs?.length)], ...used(task.usage)]} /></section>`
    }
    <${PullRequests} list=${task.pullRequests} />
    <${Delegation} id=${id} />
    <div class="columns"><${Story} task=${task} />
      <section class="grow" aria-label="details">
      <${Tabs} tabs=${tabs} current=${part} to=${(/** @type {string} */ key) => `#/tasks/${id}/${key}`} />
        ${
          part === 'json'
            ? html`<pre class="code">${JSON.stringify(task, null, 2)}</pre>`
            : part === 'result'
              ? html`<${Result} task=${task} />`
              : part === 'review'
                ? html`<${Review} id=${id} part=${parts[2]} />`
                : part === 'way'
                  ? html`<${Machine} task=${task} />`
                  : html`<${Text} task=${task} />`
        }
      </section></div>`;
}

/** @param {{task: api.TaskView}} props */
const Text = ({ task }) => html`<pre class="text"><${Words}>${task.prompt}<//></pre>
  <${Facts} rows=${[
    ['task', html`<code class="whole">${task.taskId}</code>`],
    ['created', html`<${Ago} at=${task.createdAt} />`],
    ['through', task.via?.map((/** @type {any} */ v) => v.displayName).join(' → ')],
    [
      'depends on',
      task.dependencies?.length
        ? task.dependencies.map(
            (/** @type {any} */ d) => html`<a href=${`#/tasks/${d.taskId || d}`}>${d.taskId || d}</a> `,
          )
        : '',
    ],
    ['holder', task.lease?.agentId],
  ]} />
  ${
    task.comments?.length > 0 &&
    html`<h3>Remarks</h3>
      <ul class="plain">
      ${task.comments.map(
        (c) =>
          html`<li data-testid="remark"><${Words}>${c.text}<//>
          <${Sanitized} of=${c} /> <span class="muted">${c.from.displayName}</span></li>`,
      )}</ul>`
  }`;

/** @param {{task: api.TaskView}} props */
const Result = ({ task }) =>
  (task.attempts || []).length === 0
    ? html`<${Empty} title="No result yet." />`
    : html`${task.attempts.map(
        (/** @type {any} */ attempt) =>
          html`<section>
            <h3>
            Attempt ${attempt.number} · ${attempt.agentId} ${
              attempt.outcome && html`· ${attempt.outcome}`
            } <${Sanitized} of=${attempt} /></h3>
                <pre class="text"><${Words}>${attempt.message || 'nothing said yet'}<//></pre>
  ${
    attempt.artifacts?.length > 0 &&
    html`<ul>
      ${attempt.artifacts.map(
        (/** @type {any} */ a) =>
          html`<li>
          ${
            /^https?:/.test(a.url || '')
              ? html`<a href=${a.url} rel="noreferrer noopener" target="_blank">${a.title || a.url}</a>`
              : a.title || a.path || JSON.stringify(a)
          }</li>`,
      )}</ul>`
  }</section>`,
      )}`;

/** What keeps an agent from a task for good, and not only just now. */
const NEVER = /^(the task is for|its role is|lacks|is in the chain|never registered|.* may not delegate)/;

/**
 * Why nobody works on it: a sentence, then who could, the best first; the others are folded.
 * @param {{task: api.TaskView}} props
 */
function Why({ task }) {
  const id = task.taskId;
  const rule = (/** @type {api.Event} */ event) => about.task(id)(event) || Boolean(event.subject.agent);
  const { value } = useLiveGet(`/api/v1/tasks/${id}/why`, rule, 5000);
  const why = /** @type {api.Why | undefined} */ (value);
  const [near, out] = [/** @type {api.WhyAgent[]} */ ([]), /** @type {api.WhyAgent[]} */ ([])];
  for (const agent of why?.agents || []) (agent.reasons.some((one) => NEVER.test(one)) ? out : near).push(agent);
  // Who could take it at once, then who has least against it.
  near.sort((a, b) => Number(b.eligible) - Number(a.eligible) || a.reasons.length - b.reasons.length);
  const holds = near.map((agent) => state.agents.get(agent.agentId)?.currentTasks[0]);
  const work = useLiveGet(holds[0] ? `/api/v1/tasks/${holds[0]}` : null, about.task(holds[0] || '')).value;
  if (!why) return null;
  const lacks = out.flatMap((agent) => agent.reasons).find((one) => one.startsWith('lacks '));
  const can = lacks ? html`can <code>${lacks.slice(6)}</code>` : html`may take it`;
  const since = work?.attempts?.at(-1)?.startedAt;
  const busy =
    near[0] &&
    !near[0].eligible &&
    work &&
    html`<strong>${near[0].agentId}</strong> is busy with <a href=${`#/tasks/${work.taskId}`}>
      <${Words}>${titleOf(work)}<//></a>${since && `, ${span(now() - Date.parse(since))} so far`}; ${
        near.length === 1 ? html`nobody else ${can}` : `${near.length - 1} more could take it, and none is free`
      }.`;
  /** @param {api.WhyAgent[]} list */
  const rows = (list) =>
    html`<ul>${list.map(
      (agent) =>
        html`<li key=${agent.agentId}><a href=${`#/agents/${encodeURIComponent(agent.agentId)}`}>${agent.agentId}</a>
          : ${agent.eligible ? 'could take it' : agent.reasons.join('; ')}</li>`,
    )}</ul>`;
  return html`<section class="why" aria-label="why" data-testid="why">
    <p data-testid="why-sentence">${busy || html`It <${Words}>${why.summary}<//>.`}
      ${why.position && html`<span class="muted"> It is number ${why.position} of those that wait.</span>`}</p>
    ${near.length > 0 && rows(near)}
    ${
      out.length > 0 &&
      html`<details>
        <summary>${out.length}${near.length ? ' more' : ''} ${out.length === 1 ? 'agent' : 'agents'} cannot</summary>
        ${rows(out)}</details>`
    }</section>`;
}

/** What a notice says of each order. @type {Record<string, string>} */
const DONE = {
  retry: 'Tried again',
  requeue: 'Back in the queue',
  reassign: 'Reassigned',
  comments: 'Remarked',
  cancel: 'Task cancelled',
};

/** What people may do with it. @param {{task: api.TaskView}} props */
function Orders({ task }) {
  const [busy, error, give] = useOrder();
  const [form, open] = useState('');
  const [words, type] = useState('');
  // Whoever works on it loses what is not handed in yet.
  const harm = form === 'cancel' && task.lease && `${task.lease.agentId} works on it`;
  const [armed, sure] = useSure(harm);
  const closed = ['COMPLETED', 'CANCELLED'].includes(task.state);
  const to = (/** @type {string} */ order, /** @type {any} */ body = {}) =>
    give(() => post(`/api/v1/tasks/${task.taskId}/${order}`, body), DONE[order], harm ? '' : order).then((done) => {
      if (done) {
        open('');
        type('');
      }
    });
  const orders = /** @type {[string, string, boolean][]} */ ([
    ['retry', 'Retry', ['FAILED', 'TIMEOUT'].includes(task.state)],
    ['requeue', 'Requeue', task.state === 'DEAD_LETTER'],
    ['again', unbegun(task) ? 'Change …' : 'Hand out again …', true],
    ['reassign', 'Reassign …', !closed && task.state !== 'FAILED'],
    ['comments', 'Remark …', !closed],
    ['cancel', 'Cancel …', !closed && task.state !== 'FAILED'],
  ]);
  const body = () =>
    form === 'reassign'
      ? { targetAgentId: words }
      : form === 'comments'
        ? { text: words }
        : words
          ? { reason: words }
          : {};
  const asks = /** @type {Record<string, string>} */ ({
    again: '',
    reassign: 'To which agent or role?',
    comments: 'What do you want to say?',
    cancel: 'Why? (optional)',
  });
  return html`<div class="orders">
    ${orders
      .filter(([, , fits]) => fits)
      .map(
        ([order, word]) =>
          html`
        <button key=${order} disabled=${busy} aria-expanded=${order in asks ? String(form === order) : undefined}
        onClick=${() => (order in asks ? open(form === order ? '' : order) : to(order))}>${word}</button>`,
      )}
    ${
      form === 'again' &&
      html`<section class="card" aria-label="hand out again"><p class="muted">${
        unbegun(task)
          ? 'Nobody has it yet: other words and another priority change it. For somebody else it is handed out anew.'
          : 'A new task, as it stands here.'
      }</p><${HandOut} from=${task} instead=${unbegun(task)} done=${(/** @type {string} */ made) => {
        open('');
        if (made) location.hash = `#/tasks/${made}`;
      }} /></section>`
    }
    ${
      form &&
      form !== 'again' &&
      html`<form class="reply" onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        sure(() => to(form, body()));
      }}><label class="grow">
        ${asks[form]} <input value=${words} onInput=${(/** @type {any} */ event) => type(event.target.value)} /></label>
          <button class=${armed ? 'sure' : 'primary'} disabled=${busy || (form !== 'cancel' && !words.trim())}>
          ${form === 'cancel' ? 'Cancel the task' : 'Send'}${armed && html`<${Again} harm=${harm} />`}</button></form>`
    }
    <${Problem} error=${error} /></div>`;
}
