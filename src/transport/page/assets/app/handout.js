// Hands out work: one form for the board, an agent's page, the palette, and a task that is handed out again.

import { html, Problem, useOrder, useState } from './ui.js';
import { Fields } from './parts.js';
import { post, state } from './live.js';

/** Words apart by commas or blanks. @param {string} words */
const list = (words) => words.split(/[\s,]+/).filter(Boolean);
/** What comes out of the fields when they are as they began is left out. */
const EMPTY = {
  to: '',
  title: '',
  prompt: '',
  priority: 'normal',
  capabilities: '',
  dependencies: '',
  ttl: '',
  at: '',
};

/** A name for what comes later, by its title. @param {string} words */
const named = (words) =>
  `${words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 32)}-${Date.now().toString(36).slice(-5)}`.replace(/^-/, '');

/**
 * @param {{to?: string, from?: api.TaskView, instead?: boolean, done?: (id?: string) => void}} props `from`: a task
 * that is handed out anew, changed; `instead`: that one is edited, or, where it goes to somebody else, cancelled when
 * the new one is there
 */
export function HandOut({ to = '', from, instead, done }) {
  const begins = from
    ? {
        ...EMPTY,
        to: from.target,
        title: from.title || '',
        prompt: from.prompt,
        priority: from.priority,
        capabilities: (from.capabilities || []).join(', '),
        dependencies: from.dependencies.join(' '),
      }
    : { ...EMPTY, to };
  const [all, set] = useState(begins);
  const [busy, error, give] = useOrder();
  const roles = [...new Set([...state.agents.values()].map((agent) => agent.role).filter(Boolean))];
  const target = all.to.trim();
  /** Only its words and its urgency are other ones. */
  const kept = () =>
    all.to === begins.to &&
    all.capabilities === begins.capabilities &&
    all.dependencies === begins.dependencies &&
    !all.ttl;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const what = { prompt: all.prompt, ...(all.title.trim() && { title: all.title.trim() }), priority: all.priority };
    const capabilities = list(all.capabilities);
    const dependencies = list(all.dependencies);
    const order = async () => {
      if (all.at) {
        const name = named(all.title || all.prompt);
        await post('/api/v1/schedules', { name, target, at: new Date(all.at).toISOString(), ...what });
        return done?.();
      }
      // Nobody has read it yet.
      if (instead && kept()) {
        await post(`/api/v1/tasks/${from?.taskId}/edit`, what);
        return done?.();
      }
      const { taskId } = await post('/api/v1/tasks', {
        targetAgentId: target,
        ...what,
        ...(capabilities.length && { capabilities }),
        ...(dependencies.length && { dependencies }),
        ...(all.ttl && { ttlSeconds: Math.round(Number(all.ttl) * 60) }),
      });
      if (instead) await post(`/api/v1/tasks/${from?.taskId}/cancel`, { reason: `handed out anew as ${taskId}` });
      done?.(taskId);
    };
    const said = all.at
      ? `Goes to ${target} at ${new Date(all.at).toLocaleString()}`
      : instead && kept()
        ? 'Changed'
        : `Handed out to ${target}`;
    give(order, said).then((ok) => ok && !from && set({ ...EMPTY, to }));
  };
  return html`<form class="handout" data-testid="handout" onSubmit=${submit}>
    <datalist id="targets">${[...state.agents.values()].map((agent) => html`<option value=${agent.agentId} />`)}
      ${roles.map((role) => html`<option value=${`role:${role}`} />`)}<option value="any" /></datalist>
    <${Fields} of=${all} set=${set} fields=${[
      ['to', 'To', { list: 'targets', placeholder: 'agent, role:name, or any' }],
      ['title', 'Title', { placeholder: 'a line for lists (optional)' }],
      ['prompt', 'What to do', { rows: 3, wide: true, placeholder: 'In full: the agent knows nothing else of you' }],
      ['priority', 'Priority', { options: ['normal', 'high', 'critical'] }],
    ]} />
    <details><summary>More</summary><${Fields} of=${all} set=${set} fields=${[
      ['capabilities', 'It must be able to', { placeholder: 'deploy, test', disabled: Boolean(all.at) }],
      ['dependencies', 'After these tasks', { placeholder: 'ids of tasks', disabled: Boolean(all.at) }],
      [
        'ttl',
        'Minutes without progress',
        { type: 'number', min: 1, placeholder: 'as its role has', disabled: Boolean(all.at) },
      ],
      ['at', 'Not before', { type: 'datetime-local' }],
    ]} />${all.at && html`<p class="muted">A schedule hands it out then, once.</p>`}</details>
    <p><button class="primary" disabled=${busy || !target || !all.prompt.trim()}>
      ${instead ? (kept() ? 'Change' : 'Hand out instead') : 'Hand out'}</button></p>
    <${Problem} error=${error} /></form>`;
}
