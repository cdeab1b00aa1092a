// What the hub measures of itself, drawn over the last hour or day as the hub kept it, and the same in a table.

import Chart from '../vendor/uplot.mjs';
import { html, Ago, Empty, Problem, useEffect, useLiveGet, useRef, useState, Words } from './ui.js';
import { used } from './parts.js';
import { get, state } from './live.js';

/** How often the hub is asked for what is new, in milliseconds. */
const EVERY = 3000;
/** What is drawn: its word, and how long it is in seconds. @type {Record<string, [string, number]>} */
const SPANS = { hour: ['Last hour', 3600], day: ['Last day', 86400] };
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
 * @typedef {{family: string, labels: string, values: (number | null)[], total: number | null,
 * grows: boolean}} Figure
 */

/** Which span is kept here, and since when the hub has been counting. */
let span = 'hour';
let since = /** @type {string | null | undefined} */ (null);
/** When each sample was taken, in seconds since 1970. @type {number[]} */
const times = [];
/** @type {Map<string, Figure>} */
const figures = new Map();
/** What each family is, in the hub's words. @type {Map<string, string>} */
const meanings = new Map();

/** Of many values half, 99 of 100, and all are at most this. @type {Record<string, string>} */
const QUANTILES = { 0.5: 'p50', 0.99: 'p99', 1: 'max' };

function forget() {
  times.length = 0;
  figures.clear();
}

/** Takes in what is new. A hub that was restarted begins anew. @param {api.HistoryView} answer */
function take(answer) {
  if (answer.since !== since) forget();
  since = answer.since;
  const before = times.length;
  times.push(...answer.times.map((at) => Date.parse(at) / 1000));
  for (const { name, labels, kind, help, values } of answer.series) {
    meanings.set(name, help);
    const key = JSON.stringify([name, labels]);
    const words = Object.entries(labels).map(([of, word]) => (of === 'quantile' && QUANTILES[word]) || word);
    const one = figures.get(key) || {
      family: name,
      labels: words.join(' · '),
      values: Array(before).fill(null),
      total: null,
      grows: kind === 'counter',
    };
    values.forEach((value, i) => {
      const more = (value ?? NaN) - (one.total ?? NaN);
      const rate = more >= 0 ? more / (times[before + i] - times[before + i - 1]) : null;
      one.values.push(one.grows ? rate : value);
      one.total = value;
    });
    figures.set(key, one);
  }
  const from = (times.at(-1) || 0) - SPANS[span][1];
  const old = Math.max(
    0,
    times.findIndex((at) => at >= from),
  );
  times.splice(0, old);
  for (const one of figures.values()) one.values.splice(0, old);
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
/**
 * A figure in few characters, with its unit.
 * @param {number | null | undefined} value
 * @param {string} [family]
 * @returns {string}
 */
function said(value, family = '') {
  if (value === null || value === undefined) return '–';
  if (family.endsWith('_seconds'))
    return value > 0 && value < 1 ? `${SHORT.format(value * 1000)} ms` : `${said(value)} s`;
  return value >= 10000 ? Math.round(value).toLocaleString('en') : SHORT.format(value);
}

/** `callboard_queue_depth` as words. @param {string} family */
const titled = (family) =>
  family
    .replace(/^callboard_/, '')
    .replace(/_seconds$/, '')
    .replaceAll('_', ' ');

export function Metrics() {
  const [shown, choose] = useState(span);
  const [failed, fail] = useState(/** @type {any} */ (null));
  const [, again] = useState(0);
  useEffect(() => {
    let left = false;
    if (span !== shown) forget();
    span = shown;
    dress();
    const ask = async () => {
      if (document.hidden || state.link === 'out') return;
      const last = times.length ? `&after=${new Date(times[times.length - 1] * 1000).toISOString()}` : '';
      const answer = await get(`/api/v1/metrics/history?span=${shown}${last}`).catch((error) => left || fail(error));
      // What came when the other span was gone to is none of that.
      if (left || !answer) return;
      take(answer);
      fail(null);
      again((n) => n + 1);
    };
    ask();
    const asking = setInterval(ask, EVERY);
    return () => {
      left = true;
      clearInterval(asking);
    };
  }, [shown]);
  const families = /** @type {Map<string, Figure[]>} */ (new Map());
  for (const one of [...figures.values()].sort(
    (a, b) => turn(a.family) - turn(b.family) || a.labels.localeCompare(b.labels, 'en', { numeric: true }),
  ))
    families.set(one.family, [...(families.get(one.family) || []), one]);
  // What was 0 all the time draws a line on the ground.
  const moving = [...families].filter(([, list]) => list.some((one) => one.values.some(Boolean)));
  return html`<h1>Metrics</h1>
    <p class="line" role="group" aria-label="how far back">${Object.entries(SPANS).map(
      ([key, [word]]) => html`<button key=${key} type="button" class="quiet" aria-pressed=${String(key === shown)}
        onClick=${() => choose(key)}>${word}</button>`,
    )}</p>
    <p class="muted">Counted ${since && html`since the hub was started, <${Ago} at=${since} />, `}every ${
      shown === 'day' ? '5 minutes' : '10 s'
    }; the same for programs at <code>/metrics</code>. What has only been 0 has no chart.</p>
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
    <h2>Usage on call, last 7 days</h2>
    <${Used} by="role" head="Role" /><${Used} by="day" head="Day (UTC)" />
    ${families.size > 0 && html`<h2>All figures</h2><${Table} families=${families} />`}`;
}

/** What runs on call used, summed up by roles or days. @param {{by: string, head: string}} props */
function Used({ by, head }) {
  const { value, error } = useLiveGet(`/api/v1/usage?by=${by}`, (event) => event.type === 'run.ended', 60000);
  if (error) return html`<${Problem} error=${error} />`;
  /** @type {api.UsageSum[] | undefined} */
  const sums = value?.items;
  if (!sums) return html`<p class="muted">…</p>`;
  if (sums.length === 0) return by === 'role' && html`<p class="muted">Nothing ran on call.</p>`;
  const names = used().map(([name]) => name);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${`usage by ${by}`}>
    <table class="figures stacks" data-testid=${`usage-${by}`}>
    <thead><tr><th>${head}</th><th>Runs</th>${names.map((name) => html`<th key=${name}>${name}</th>`)}</tr></thead>
    <tbody>
    ${sums.map(
      (sum) => html`<tr key=${sum.key}><td><${Words}>${sum.key}<//></td><td data-label="runs">${sum.runs}</td>
        ${used(sum.usage).map(([name, said]) => html`<td key=${name} data-label=${name}>${said}</td>`)}</tr>`,
    )}</tbody></table></div>`;
}

/** One chart: a family's figures as lines, and what each is now. @param {{family: string, list: Figure[]}} props */
function Family({ family, list }) {
  const moving = list.filter((one) => one.values.some(Boolean));
  const shown = moving.slice(0, LINES);
  const unit = list[0].grows ? ', per second' : '';
  const latest = (/** @type {Figure} */ one) => said(one.values.at(-1), family);
  return html`<figure class="chart" data-testid="chart" data-family=${family}>
    <figcaption>
    <strong>${titled(family)}${unit}</strong> <span class="muted">${meanings.get(family) || ''}</span></figcaption>
    <${Lines} shown=${shown} family=${family}
    words=${`${titled(family)}${unit}: ${shown.map((one) => `${one.labels} ${latest(one)}`).join(', ')}`} />
    <ul class="plain key">
    ${shown.map(
      (one, i) =>
        html`<li key=${one.labels}>
        <svg class="pen" viewBox="0 0 24 6" aria-hidden="true">
        <path d="M0 3h24" stroke=${`var(${PENS[i][0]})`} stroke-dasharray=${PENS[i][1].join(' ')} /></svg>
        ${one.labels && html`${one.labels} `}<strong>${latest(one)}</strong></li>`,
    )}
          ${
            moving.length > shown.length &&
            html`<li class="muted">${moving.length - shown.length} more in the table</li>`
          }</ul></figure>`;
}

/** The lines themselves, on a canvas. @param {{shown: Figure[], family: string, words: string}} props */
function Lines({ shown, family, words }) {
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
      chart.current = new Chart(options(at, shown.length, family), latest.current(), at);
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

/** How a chart is drawn here, now. @param {HTMLElement} place @param {number} lines @param {string} family */
function options(place, lines, family) {
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
      {
        ...axis,
        size: 58,
        space: 30,
        values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((v) => said(v, family)),
      },
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
    one.grows && value !== null ? `${said(value)}/s` : said(value, one.family);
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
