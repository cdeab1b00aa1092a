// Actors: the supervision tree with mailboxes, deadlines and restarts, and each actor's picture of itself.

import {
  html,
  about,
  Ago,
  Facts,
  Icon,
  Problem,
  span,
  titleOf,
  useLiveGet,
  useEffect,
  useOrder,
  useState,
  useRef,
  Words,
} from './ui.js';
import { Crumbs } from './parts.js';
import { may, now, post, state } from './live.js';

/** How often is asked for what changes without an event, in milliseconds. */
const EVERY = 2000;

/** @param {{parts: string[]}} props */
export function Actors({ parts }) {
  const { value: tree, error } = useLiveGet('/admin/actors?limit=500', about.anything, EVERY);
  const [sorted, sort] = useState(false);
  const chosen = parts[0];
  if (error) return html`<h1>Actors</h1><${Problem} error=${error} />`;
  if (!tree) return html`<p class="muted">…</p>`;
  const full = flat(tree).filter(isFull);
  return html`<div class="line"><h1>Actors</h1><span class="grow"></span>
    <button aria-pressed=${sorted} onClick=${() => sort(!sorted)}>Deepest mailbox first</button></div>
    ${
      full.length > 0 &&
      html`<div class="warning" role="status" data-testid="mailbox-warning"><${Icon} name="warn" />
        <p>${full.map(
          (node) =>
            html`<a href=${`#/actors/${encodeURIComponent(node.id)}`}>
          ${node.id}
            </a> has ${node.mailbox.depth} of ${node.mailbox.limit} messages waiting. `,
        )}When a mailbox is full, what
            comes then is refused.</p></div>`
    }
    <div class="columns">
    <section class="grow" aria-label="tree"><${Tree} tree=${tree} chosen=${chosen} sorted=${sorted} /></section>
    ${chosen && html`<${Actor} id=${chosen} key=${chosen} />`}</div>`;
}

/** @param {api.ActorView} node @returns {api.ActorView[]} */
const flat = (node) => [node, ...node.children.flatMap(flat)];
/** Whether more than four fifths of a mailbox are taken. @param {{mailbox: api.Mailbox}} props */
const isFull = ({ mailbox }) => mailbox.depth > mailbox.limit * 0.8;

/**
 * The tree in lines: each actor below who built it.
 * @param {any} node
 * @param {boolean} sorted
 * @param {Set<string>} closed
 * @param {number} level
 * @returns {any[]}
 */
function rows(node, sorted, closed, level = 1) {
  const children = [...(node.children || [])];
  if (sorted) children.sort((a, b) => b.mailbox.depth - a.mailbox.depth);
  return [
    { node, level, parent: children.length > 0 },
    ...(closed.has(node.id) ? [] : children.flatMap((child) => rows(child, sorted, closed, level + 1))),
  ];
}

/** @param {{tree: any, chosen: string, sorted: boolean}} props */
function Tree({ tree, chosen, sorted }) {
  const [closed, close] = useState(/** @type {Set<string>} */ (new Set()));
  const [at, move] = useState(chosen || tree.id);
  const list = useRef(/** @type {any} */ (null));
  const shown = rows(tree, sorted, closed);
  const fold = (/** @type {string} */ id, /** @type {boolean} */ shut) =>
    close((old) => {
      const next = new Set(old);
      shut ? next.add(id) : next.delete(id);
      return next;
    });
  const go = (/** @type {any} */ row) => {
    if (!row) return;
    move(row.node.id);
    requestAnimationFrame(() => list.current?.querySelector('[tabindex="0"]')?.focus());
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const i = shown.findIndex((row) => row.node.id === at);
    const row = shown[i];
    const does = /** @type {Record<string, () => void>} */ ({
      ArrowDown: () => go(shown[i + 1]),
      ArrowUp: () => go(shown[i - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () => (closed.has(at) ? fold(at, false) : row?.parent && go(shown[i + 1])),
      ArrowLeft: () =>
        row?.parent && !closed.has(at)
          ? fold(at, true)
          : go(
              shown
                .slice(0, i)
                .reverse()
                .find((r) => r.level < row.level),
            ),
      Enter: () => {
        location.hash = `#/actors/${encodeURIComponent(at)}`;
      },
    })[event.key];
    if (does) {
      event.preventDefault();
      event.stopPropagation();
      does();
    }
  };
  return html`<div class="scroll">
    ${
      !chosen &&
      html`<div class="heads" aria-hidden="true"><span>Actor</span><span>State</span><span>Mailbox</span>
        <span>Next</span></div>`
    }
        <ul role="tree" aria-label="actors" class=${chosen ? 'tree narrow' : 'tree'} ref=${list} onKeyDown=${keys}>
        ${shown.map(
          ({ node, level, parent }) =>
            html`
        <li role="treeitem" key=${node.id} data-testid="actor" data-id=${node.id} aria-level=${level}
        aria-expanded=${parent ? String(!closed.has(node.id)) : undefined} aria-selected=${String(node.id === chosen)}
          tabindex=${node.id === at ? 0 : -1} class=${`level${Math.min(level, 4)}`} onClick=${() => {
            move(node.id);
            location.hash = `#/actors/${encodeURIComponent(node.id)}`;
          }}>
    <span class="name">${node.id}</span><span class="muted">${node.state}</span><${Depth} of=${node.mailbox} />
    ${
      (node.restarts.count > 0 || node.deadline) &&
      html`<span class="next">
        ${node.restarts.count > 0 && html`<span class="badge warn">${node.restarts.count} restarts</span> `}
          ${
            node.deadline &&
            html`<span class="muted">next in ${span(Date.parse(node.deadline.at) - now())}: ${node.deadline.reason}
              </span>`
          }</span>`
    }</li>`,
        )}</ul></div>`;
}

/** @param {{of: api.Mailbox}} props */
const Depth = ({ of }) =>
  html`
    <span class=${isFull({ mailbox: of }) ? 'badge bad' : 'muted'} data-full=${isFull({ mailbox: of }) || undefined}
    title="messages that wait, and the most that may" data-testid="depth">
      <span class=${of.depth ? undefined : 'hidden'}>${of.depth}/${of.limit}</span></span>`;

/**
 * What an actor stands for, in its words, and the page of that; of other actors their own name.
 * @param {string} id
 * @returns {[string, string?]}
 */
function useSubject(id) {
  const [, kind, rest = ''] = id.match(/^(agent|task|session):(.+)$/) || [];
  const known = kind === 'agent' ? state.agents.get(rest) : null;
  const of = encodeURIComponent(rest);
  const { value } = useLiveGet(kind && !known ? `/api/v1/${kind}s/${of}` : null, about.anything);
  if (!kind) return [id];
  const words = {
    agent: () => (known || value)?.displayName,
    task: () => value && titleOf(value),
    session: () => value && `Session of ${value.agentId}`,
  };
  return [words[/** @type {keyof typeof words} */ (kind)]() || id, `#/${kind}s/${of}`];
}

/** @param {{id: string}} props */
function Actor({ id }) {
  const { value, error } = useLiveGet(`/admin/actors/${encodeURIComponent(id)}`, about.anything, EVERY);
  const [busy, refused, give] = useOrder();
  const [sure, ask] = useState('');
  const [name, to] = useSubject(id);
  const shown = useRef(/** @type {any} */ (null));
  const there = Boolean(value);
  useEffect(() => {
    // On a narrow screen it stands below the whole tree.
    if (matchMedia('(max-width: 48rem)').matches) shown.current?.scrollIntoView();
  }, [there]);
  if (error) return html`<section class="grow"><${Problem} error=${error} /></section>`;
  if (!value) return null;
  return html`<section class="grow" aria-label="actor" ref=${shown}>
    <${Crumbs} to="#/actors" of="Actors">${name}<//>
    <h2>${to ? html`<a href=${to}><${Words}>${name}<//></a>` : name}</h2>
    <${Facts} rows=${[
      ['id', value.id],
      ['kind', value.kind],
      ['state', value.state],
      ['mailbox', value.mailbox.depth > 0 ? html`<${Depth} of=${value.mailbox} />` : 'empty'],
      ['handled', value.handled],
      ['restarts', value.restarts.count],
      ['last restart', value.restarts.last && JSON.stringify(value.restarts.last)],
      ['next', value.deadline && `${new Date(value.deadline.at).toLocaleTimeString()}: ${value.deadline.reason}`],
      ['since', html`<${Ago} at=${value.startedAt} />`],
    ]} />
    ${
      value.lastRefusals.length > 0 &&
      html`<h3>Last refusals</h3>
        <ul>
        ${value.lastRefusals.map(
          (/** @type {any} */ r) => html`<li>${r.code || ''} ${r.message || JSON.stringify(r)}</li>`,
        )}</ul>`
    }
    <form class="reply" onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      give(() => post(`/admin/actors/${encodeURIComponent(id)}/restart`, {}), `${id} restarted`).then(() => ask(''));
    }}>
      <label class="grow">
      ${
        may('admin')
          ? html`To restart it, type <kbd>restart</kbd>`
          : html`Restart: needs <code>callboard open --admin</code>`
      } <input value=${sure} disabled=${!may('admin')}
          onInput=${(/** @type {any} */ event) => ask(event.target.value)} /></label>
            <button disabled=${!may('admin') || busy || sure !== 'restart'} data-testid="restart">Restart</button>
            </form><${Problem} error=${refused} />
    <pre class="code" tabindex="0">${JSON.stringify(value, null, 2)}</pre></section>`;
}
