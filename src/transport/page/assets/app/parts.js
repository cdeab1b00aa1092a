// Parts that only pages about one thing have: what was opened on the forge, and the way back.

import { html, Ago, Badge, span, useEffect, useState, Words } from './ui.js';

/** Where a page stands: its list, and its own name, which the window has, too. @param {any} props */
export function Crumbs({ to, of, children }) {
  const name = [children].flat().join('');
  useEffect(() => {
    const title = (/** @type {string} */ detail) => dispatchEvent(new CustomEvent('titled', { detail }));
    title(name);
    return () => void title('');
  }, [name]);
  return html`<nav class="crumbs" aria-label="where"><a href=${to}>${of}</a> / <strong aria-current="page">
    <${Words}>${name}<//></strong></nav>`;
}

/**
 * A link to a place outside, where it is one of the web; else its text.
 * @param {{to?: string | null, children: any}} props
 */
export const Outside = ({ to, children }) =>
  /^https?:\/\//i.test(to || '')
    ? html`<a href=${to} rel="noreferrer noopener" target="_blank">${children}</a>`
    : html`<span>${children}</span>`;

/** What was opened on the forge: each with its state, and a link to it. @param {{list?: api.PullView[]}} props */
export const PullRequests = ({ list = [] }) =>
  list.length === 0
    ? null
    : html`<section class="card" aria-label="pull requests"><h2>Pull requests</h2>
      <ul class="plain">
      ${list.map(
        (pull) =>
          html`<li key=${pull.prId} data-testid="pull" data-state=${pull.state}>
          <span class="line"><${Badge} of=${pull.state} />${pull.draft && html`<span class="mark">draft</span>`}
          ${
            pull.pending &&
            html`<span class="mark" title="the forge did not answer yet">${pull.pending} asked for</span>`
          }
              ${
                pull.outdated &&
                html`<span class="mark" title="the forge could not be asked since">may be outdated</span>`
              }
                  <strong><${Outside} to=${pull.url}><${Words}>${pull.title}<//><//></strong></span>
    <span class="muted">
    <${Words}>${pull.repository}${pull.number ? `#${pull.number}` : ''} · ${pull.headBranch}
    ${pull.baseBranch ? ` → ${pull.baseBranch}` : ''}
      ${pull.workItem ? ` · for ${pull.workItem}` : ''}<//> · <${Ago} at=${pull.updatedAt} /></span>
        ${pull.trouble && html`<p><${Words}>${pull.trouble}<//></p>`}</li>`,
      )}</ul></section>`;

/**
 * A part whose module is read when it is first shown.
 * @param {() => Promise<any>} load gives the component
 */
export const lazy = (load) => {
  /** @type {any} */
  let Part;
  return (/** @type {any} */ props) => {
    const [, again] = useState(0);
    if (!Part)
      load().then(
        (part) => {
          Part = part;
          again((n) => n + 1);
        },
        () => {},
      );
    return Part ? html`<${Part} ...${props} />` : html`<p class="muted">…</p>`;
  };
};

export const HandOut = lazy(() => import('./handout.js').then((m) => m.HandOut));

/**
 * Fields of a form: key, label, and what else an input has; with `options` a choice, with `rows` a text of many lines.
 * @param {{fields: [string, string, any][], of: any, set: (all: any) => void}} props
 */
export const Fields = ({ fields, of, set }) =>
  html`<div class="fields">${fields.map(([key, label, { options, rows, wide, ...more }]) => {
    const on = (/** @type {any} */ event) => set({ ...of, [key]: event.target.value });
    return html`<label key=${key} class=${wide ? 'wide' : undefined}>${label} ${
      options
        ? html`<select name=${key} value=${of[key]} onChange=${on} ...${more}>${options.map(
            (/** @type {string | [string, string]} */ one) =>
              typeof one === 'string'
                ? html`<option value=${one}>${one}</option>`
                : html`<option value=${one[0]}>${one[1]}</option>`,
          )}</select>`
        : rows
          ? html`<textarea name=${key} rows=${rows} value=${of[key]} onInput=${on} ...${more}></textarea>`
          : html`<input name=${key} value=${of[key]} onInput=${on} ...${more} />`
    }</label>`;
  })}</div>`;

/** A button that copies. @param {{words: string, label?: string}} props */
export function Copy({ words, label = 'Copy' }) {
  const [done, say] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(words).then(
      () => say(true),
      () => {},
    );
  return html`<button type="button" class="quiet" aria-label=${label === 'Copy' ? `copy: ${words}` : undefined}
    onClick=${copy}>${done ? 'Copied' : label}</button>`;
}

/**
 * What runs on call used, each part by name. What a client did not say is unknown, and never nothing.
 * @param {api.Usage | null} [usage] @returns {[string, string][]}
 */
export const used = (usage) => {
  const said = (/** @type {number | null | undefined} */ value, /** @type {(value: number) => string} */ as) =>
    value === null || value === undefined ? 'unknown' : as(value);
  const count = (/** @type {number} */ value) => value.toLocaleString('en');
  return [
    ['tokens in', said(usage?.inputTokens, count)],
    ['of these cached', said(usage?.cachedTokens, count)],
    ['tokens out', said(usage?.outputTokens, count)],
    ['cost (USD)', said(usage?.costUsd, (value) => value.toFixed(2))],
    ['model requests', said(usage?.turns, count)],
    ['duration', said(usage?.durationMs, span)],
  ];
};
