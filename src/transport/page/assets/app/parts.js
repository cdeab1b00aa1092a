// Parts that only pages about one thing have: what was opened on the forge, and the way back.

import { html, Ago, Badge, Words } from './ui.js';

/** Where a page stands: its list, and its own name. @param {{to: string, of: string, children: any}} props */
export const Crumbs = ({ to, of, children }) =>
  html`<nav class="crumbs" aria-label="where"><a href=${to}>${of}</a> / <${Words}>${children}<//></nav>`;

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
