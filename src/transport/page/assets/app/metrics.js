// What the hub measures of itself, drawn over the time that this page has been open, and the same in a table.

import Chart from '../vendor/uplot.mjs';
import { html, Empty, Problem, useEffect, useRef, useState } from './ui.js';
import { state, text } from './live.js';

/** How often the hub is asked, in milliseconds. */
const EVERY = 5000;
/** The most points that are kept of each figure: an hour. */
const KEPT = 720;
/** The most lines in one chart; the table has all. */
const LINES = 8;
/** What lines look like: a tone of page.css, and a pattern, since a tone alone tells nobody who sees none. */
const PENS = /** @type {[string, number[]][]} */ ([
  ['--info', []],
  ['--warn', [6, 3]],
  ['--good', [2, 3]],
  ['--bad', [10, 4]],
  ['--review', [10, 3, 2, 3]],
  ['--idle', [1, 2]],
  ['--accent', [14, 3, 6, 3]],
  ['--text', [4, 6]],
]);

/**
 * One figure. A counter only grows, so what is drawn of it is how fast; `total` is how far it has come.
 * @typedef {{family: string, labels: string, values: (number | null)[], total: number, grows: boolean}} Figure
 */

/** When was asked, in seconds since 1970. @type {number[]} */
const times = [];
/** @type {Map<string, Figure>} */
const figures = new Map();
/** What each family is, in the hub's words. @type {Map<string, string>} */
const meanings = new Map();
/** @type {Set<() => void>} */
const watchers = new Set();
let failed = /** @type {any} */ (null);
let asking = 0;

/** What the hub says of many values at once. @type {Record<string, string>} */
const QUANTILES = { 0.5: 'half at most', 0.99: '99 of 100 at most', 1: 'largest' };

/** One line of OpenMetrics: its name, its labels, its value. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;

/** Takes an answer of `/metrics` in. @param {string} all @param {number} at */
function take(all, at) {
  const kinds = /** @type {Map<string, string>} */ (new Map());
  const last = times.at(-1) ?? at;
  times.push(at);
  for (const line of all.split('\n')) {
    const [, what, name, rest] = line.match(/^# (HELP|TYPE) (\S+) (.*)/) || [];
    if (what === 'HELP') meanings.set(name, rest.replace(/\.$/, ''));
    if (what === 'TYPE') kinds.set(name, rest);
    if (line.startsWith('#')) continue;
    const [, full, labels = '', value] = line.match(SAMPLE) || [];
    const family = full?.replace(/_total$/, '');
    const kind = kinds.get(family);
    if (kind !== 'gauge' && kind !== 'counter') continue;
    const key = `${full} ${labels}`;
    const words = [...labels.matchAll(/(\w+)="([^"]*)"/g)]
      .map(([, label, word]) => (label === 'quantile' ? QUANTILES[word] || word : word))
      .join(' · ');
    const old = figures.get(key);
    const one = old || {
      family,
      labels: words,
      values: Array(times.length - 1).fill(null),
      total: Number(value),
      grows: kind === 'counter',
    };
    // One that begins has no past, and one of a hub that was restarted begins anew.
    const more = Number(value) - one.total;
    const rate = old && more >= 0 && at > last ? more / (at - last) : null;
    one.values.push(one.grows ? rate : Number(value));
    one.total = Number(value);
    figures.set(key, one);
  }
  const drop = times.length > KEPT ? 1 : 0;
  times.splice(0, drop);
  for (const one of figures.values()) {
    while (one.values.length < times.length + drop) one.values.push(null);
    one.values.splice(0, drop);
  }
}

/** Asks from now on, also while another page is shown, so that a chart has what happened meanwhile. */
function begin() {
  if (asking) return;
  const ask = async () => {
    if (document.hidden || state.link === 'out') return;
    try {
      take(await text('/metrics'), Math.round(Date.now() / 1000));
      failed = null;
    } catch (error) {
      failed = error;
    }
    for (const watcher of watchers) watcher();
  };
  asking = setInterval(ask, EVERY);
  ask();
}

const STYLE = 'assets/vendor/uplot.css';
/** What is asked of a hub first. */
const FIRST = ['callboard_tasks', 'callboard_agents', 'callboard_queue_depth', 'callboard_deliveries'];
/** @param {string} family */
const turn = (family) => (FIRST.includes(family) ? FIRST.indexOf(family) : FIRST.length);

/** The style of the charts, which no other page needs. */
function dress() {
  if (document.querySelector(`link[href="${STYLE}"]`)) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = STYLE;
  document.head.append(link);
}

const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
/** A figure in few characters. @param {number | null | undefined} value */
const said = (value) =>
  value === null || value === undefined
    ? '–'
    : value >= 10000
      ? Math.round(value).toLocaleString('en')
      : SHORT.format(value);

/** `callboard_queue_depth` as words. @param {string} family */
const titled = (family) => family.replace(/^callboard_/, '').replaceAll('_', ' ');

export function Metrics() {
  const [, again] = useState(0);
  useEffect(() => {
    const drawn = () => again((n) => n + 1);
    watchers.add(drawn);
    dress();
    begin();
    return () => void watchers.delete(drawn);
  }, []);
  const families = /** @type {Map<string, Figure[]>} */ (new Map());
  for (const one of [...figures.values()].sort(
    (a, b) => turn(a.family) - turn(b.family) || a.labels.localeCompare(b.labels, 'en', { numeric: true }),
  ))
    families.set(one.family, [...(families.get(one.family) || []), one]);
  // What was 0 all the time draws a line on the ground.
  const moving = [...families].filter(([, list]) => list.some((one) => one.values.some(Boolean)));
  return html`<h1>Metrics</h1>
    <p class="muted">
    Asked every ${EVERY / 1000} s since this page was first opened; the same for programs at <code>/metrics</code>
      . What has only been 0 has no chart.</p>
    <${Problem} error=${failed} />
    ${
      moving.length === 0 &&
      !failed &&
      html`<${Empty} title="Nothing was measured yet.">The first figures are here in a moment.<//>`
    }
    <ul class="charts plain" data-testid="charts">
    ${moving.map(
      ([family, list]) => html`<li class="card" key=${family}><${Family} family=${family} list=${list} /></li>`,
    )}</ul>
    ${families.size > 0 && html`<h2>All figures</h2><${Table} families=${families} />`}`;
}

/** One chart: a family's figures as lines, and what each is now. @param {{family: string, list: Figure[]}} props */
function Family({ family, list }) {
  const moving = list.filter((one) => one.values.some(Boolean));
  const shown = moving.slice(0, LINES);
  const unit = list[0].grows ? ', per second' : '';
  return html`<figure class="chart" data-testid="chart" data-family=${family}>
    <figcaption>
    <strong>${titled(family)}${unit}</strong> <span class="muted">${meanings.get(family) || ''}</span></figcaption>
    <${Lines} shown=${shown}
    words=${`${titled(family)}${unit}: ${shown.map((one) => `${one.labels} ${said(one.values.at(-1))}`).join(', ')}`} />
    <ul class="plain key">
    ${shown.map(
      (one, i) =>
        html`<li key=${one.labels}>
        <svg class="pen" viewBox="0 0 24 6" aria-hidden="true">
        <path d="M0 3h24" stroke=${`var(${PENS[i][0]})`} stroke-dasharray=${PENS[i][1].join(' ')} /></svg>
        ${one.labels && html`${one.labels} `}<strong>${said(one.values.at(-1))}</strong></li>`,
    )}
          ${
            moving.length > shown.length &&
            html`<li class="muted">${moving.length - shown.length} more in the table</li>`
          }</ul></figure>`;
}

/** The lines themselves, on a canvas. @param {{shown: Figure[], words: string}} props */
function Lines({ shown, words }) {
  const place = useRef(/** @type {any} */ (null));
  const chart = useRef(/** @type {any} */ (null));
  const drawn = () => [times, ...shown.map((one) => one.values)];
  const latest = useRef(drawn);
  latest.current = drawn;
  const names = shown.map((one) => one.labels).join('\n');
  useEffect(() => {
    const at = place.current;
    const make = () => {
      chart.current?.destroy();
      chart.current = new Chart(options(at, shown.length), latest.current(), at);
    };
    make();
    // The canvas takes its tones from the page when it is made, and its width from its place.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const themes = new MutationObserver(make);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    scheme.addEventListener('change', make);
    const sizes = new ResizeObserver(() => chart.current?.setSize({ width: at.clientWidth, height: HEIGHT }));
    sizes.observe(at);
    return () => {
      themes.disconnect();
      sizes.disconnect();
      scheme.removeEventListener('change', make);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [names]);
  const { length } = times;
  useEffect(() => chart.current?.setData(drawn()), [length, times[length - 1]]);
  return html`<div class="lines" role="img" aria-label=${words} ref=${place}></div>`;
}

const HEIGHT = 130;

/** How a chart is drawn here, now. @param {HTMLElement} place @param {number} lines */
function options(place, lines) {
  // `light-dark()` is resolved where a property that takes colours has it.
  const probe = document.createElement('i');
  place.append(probe);
  const tone = (/** @type {string} */ name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const axis = {
    stroke: tone('--soft'),
    grid: { stroke: tone('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const made = {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      y: {
        range: (/** @type {any} */ _, /** @type {number} */ low, /** @type {number} */ high) => [
          Math.min(0, low),
          (high || 1) * 1.1,
        ],
      },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 70,
        values: (/** @type {any} */ _, /** @type {number[]} */ at) =>
          at.map((s) =>
            new Date(s * 1000).toLocaleTimeString([], {
              hour: '2-digit',
              minute: '2-digit',
              second: '2-digit',
              hour12: false,
            }),
          ),
      },
      { ...axis, size: 52, space: 30, values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map(said) },
    ],
    series: [
      {},
      ...PENS.slice(0, lines).map(([name, dash]) => ({ stroke: tone(name), dash, width: 2, points: { show: false } })),
    ],
  };
  probe.remove();
  return made;
}

/** @param {{families: Map<string, Figure[]>}} props */
function Table({ families }) {
  const [all, show] = useState(false);
  const rows = [...families].flatMap(([family, list]) => list.map((one) => ({ family, one })));
  const moving = rows.filter(({ one }) => one.total || one.values.some(Boolean));
  const span = (/** @type {Figure} */ one) => {
    const known = /** @type {number[]} */ (one.values.filter((value) => value !== null));
    return known.length ? [Math.min(...known), Math.max(...known)] : [null, null];
  };
  const rate = (/** @type {Figure} */ one, /** @type {number | null | undefined} */ value) =>
    one.grows && value !== null ? `${said(value)}/s` : said(value);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="all figures">
    <table class="figures stacks" data-testid="figures">
    <thead><tr><th>Figure</th><th>Of</th><th>Now</th><th>Least</th><th>Most</th><th>In all</th></tr></thead>
    <tbody>
    ${(all ? rows : moving).map(
      ({ family, one }) =>
        html`<tr key=${`${family} ${one.labels}`}><td title=${meanings.get(family)}>${titled(family)}</td>
        <td>${one.labels || null}</td><td data-label="now">${rate(one, one.values.at(-1))}</td>
        <td data-label="least">${rate(one, span(one)[0])}</td><td data-label="most">${rate(one, span(one)[1])}</td>
        ${one.grows ? html`<td data-label="in all">${said(one.total)}</td>` : html`<td></td>`}</tr>`,
    )}</tbody></table>
          </div>
    <p><button type="button" aria-pressed=${all} onClick=${() => show(!all)}>
    ${all ? 'Without' : 'With'} the ${rows.length - moving.length} that are 0</button></p>`;
}
