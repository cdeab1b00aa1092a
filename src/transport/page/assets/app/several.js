// One order for several items of "Needs you".

import { html, line, Press, Problem, useOrder, useState } from './ui.js';
import { Refused, post } from './live.js';

/**
 * One order for all that were chosen: what each of them can have done, with the same words.
 * @param {{items: api.InboxItem[], of: Record<string, [string, string, string?, string?]>, settled: () => void}} props
 * `of`: what each action is
 */
export function Several({ items, of, settled }) {
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
      const [word, said, asks, harm] = one === 'answer' ? ['Answer', 'answered', '!', risky] : of[one];
      return html`<${Press} key=${one} disabled=${busy || (asks?.endsWith('!') && !words.trim())} harm=${harm}
        onPress=${act(one, said, harm)}>${word.replace(' …', '')} ${items.length}<//>`;
    })}</div><${Problem} error=${error} /></div>`;
}
