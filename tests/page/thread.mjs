// Pictures of a task's thread on Discord for README: `node thread.mjs FOLDER`. `callboard-bench discord` plays
// the round, and what is drawn is what its stand-in of Discord received, read from there: once while the agent asks, and
// once at the end. Colours and shapes are ours, and only resemble Discord's. Signs need a font: fonts-noto-color-emoji.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { until } from './support.mjs';

/** The most that a picture of README may weigh, in bytes. */
const MOST = 150_000;
const [folder = 'pictures'] = process.argv.slice(2);

/** Plays the round. Gives the channel and the thread as they were when the agent asked, and at the end. */
async function played() {
  const hub = spawn(process.env.CALLBOARD_BENCH_BIN, ['discord'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const said = [];
    let where;
    createInterface({ input: hub.stdout }).on('line', (line) => {
      said.push(line);
      where ??= line.match(/Bot (\S+)" (http:\S+)\/channels\/(\d+)/)?.slice(1);
    });
    await until(() => where, { within: 20_000, why: `the stand-in did not say where it is: ${said.join('\n')}` });
    const [token, base, channel] = where;
    const read = async (room) => {
      const answer = await fetch(`${base}/channels/${room}/messages`, { headers: { Authorization: `Bot ${token}` } });
      return answer.ok ? (await answer.json()).reverse() : [];
    };
    const look = async () => {
      const [request] = await read(channel);
      return request ? { request, name: request.thread?.name ?? '', messages: await read(request.id) } : undefined;
    };
    const asks = (seen) => seen?.messages.some((one) => one.components.flatMap((row) => row.components).length > 2);
    let asking;
    await until(async () => asks((asking = await look())), {
      within: 20_000,
      why: 'the question with its buttons was not seen',
    });
    await until(() => said.some((line) => line.includes('the round is whole')), {
      within: 20_000,
      why: said.join('\n'),
    });
    return [
      ['While the agent asks', asking],
      ['At the end', await look()],
    ];
  } finally {
    const ended = once(hub, 'exit');
    hub.kill('SIGTERM');
    await ended;
  }
}

const html = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
const roles = new Map();
const people = new Map();

/** A moment so many seconds ahead, as Discord's clients show it. */
const when = (seconds) => (seconds < 60 ? 'just now' : `in ${Math.round(seconds / 60)} minutes`);

/** Discord's markdown, as far as the hub writes it. */
function words(text) {
  return html(text)
    .replace(/&#60;@&#38;(\d+)&#62;/g, (_, id) => `<b class="at">@${html(roles.get(id) ?? 'FullStack')}</b>`)
    .replace(/&#60;@(\d+)&#62;/g, (_, id) => `<b class="at">@${html(people.get(id) ?? 'ann')}</b>`)
    .replace(/&#60;t:(\d+):R&#62;/g, (_, at) => `<span class="when">${when(Number(at) - Date.now() / 1000)}</span>`)
    .replace(/\*\*(.+?)\*\*/g, '<b>$1</b>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\\([^\w\s])/g, '$1')
    .split('\n')
    .map((line) => {
      if (line.startsWith('-# ')) return `<div class="small">${line.slice(3)}</div>`;
      if (line.startsWith('&#62; ')) return `<div class="quote">${line.slice(6)}</div>`;
      return `<div>${line}</div>`;
    })
    .join('');
}

function message(one) {
  people.set(one.author.id, one.author.username);
  const rows = one.components
    .map(
      (row) =>
        `<p>${row.components
          .map((button) => `<span class="button style${button.style}">${html(button.label)}</span>`)
          .join('')}</p>`,
    )
    .join('');
  const signs = (one.reactions ?? [])
    .map(({ emoji, count }) => `<span class="sign">${emoji.name} ${count}</span>`)
    .join('');
  const app = one.author.bot ? '<i>APP</i>' : '';
  const edited = one.edited_timestamp ? ' <span class="when small">(edited)</span></div>' : '</div>';
  const face = `<span class="face ${one.author.bot ? 'bot' : ''}">${html(one.author.username[0].toUpperCase())}</span>`;
  return `<article>${face}<div><h3>${html(one.author.username)}${app}</h3>${words(one.content).replace(/<\/div>$/, edited)}${rows}${
    signs && `<p>${signs}</p>`
  }</div></article>`;
}

function room([title, { request, name, messages }]) {
  return `<section><h1>${title}</h1><h2># dev</h2>${message(request)}<div class="thread"><h2>🧵 ${html(name)}</h2>${messages
    .map(message)
    .join('')}</div></section>`;
}

const STYLE = `
:root { --back: #fff; --panel: #f2f3f5; --text: #2e3338; --dim: #5c6470; --line: #d9dce1; --code: #e3e5e8; --at: #e6e8fd; --ink: #3c45a5 }
.dark { --back: #1f2023; --panel: #2b2d31; --text: #e0e1e5; --dim: #a3a8b1; --line: #3d4047; --code: #1e1f22; --at: #3c4270; --ink: #d5d9ff }
* { box-sizing: border-box; margin: 0 }
body { background: var(--back); color: var(--text); font: 14px/1.4 system-ui, 'DejaVu Sans', sans-serif; padding: 20px; width: 1280px; display: flex; gap: 20px; align-items: flex-start }
section { flex: 1; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 16px }
h1 { font-size: 12px; color: var(--dim); font-weight: 500; margin-bottom: 10px } h2 { font-size: 14px; margin-bottom: 10px }
h3 { font-size: 14px } h3 i { font: 700 10px system-ui; color: #fff; background: #5865f2; border-radius: 3px; padding: 1px 4px; margin-left: 6px }
article { display: flex; gap: 12px; margin-bottom: 14px } article > div { flex: 1; overflow-wrap: anywhere }
.face { width: 34px; height: 34px; border-radius: 50%; background: #c2567a; color: #fff; display: grid; place-items: center; font-weight: 600; flex: none } .bot { background: #3f7d58 }
.thread { border-left: 3px solid var(--line); padding-left: 16px; margin-left: 16px }
.at { background: var(--at); color: var(--ink); border-radius: 3px; padding: 0 3px; font-weight: 500 }
code { background: var(--code); border-radius: 3px; padding: 0 4px; font-size: 12px } .when { color: var(--dim) }
.small { font-size: 12px; color: var(--dim) } span.small { font-size: 11px } .quote { border-left: 3px solid var(--line); padding-left: 8px }
p { margin-top: 6px; display: flex; gap: 8px; flex-wrap: wrap }
.button { background: #6d717a; color: #fff; border-radius: 4px; padding: 5px 12px; font-weight: 500; font-size: 13px }
.style1 { background: #5865f2 } .style3 { background: #248046 } .style4 { background: #c9373b }
.sign { border: 1px solid var(--line); border-radius: 8px; padding: 1px 8px; background: var(--back) }`;

await mkdir(folder, { recursive: true });
const seen = await played();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  for (const theme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 400 } });
    // Twice, for names that come behind their first mention.
    seen.map(room);
    await page.setContent(
      `<!doctype html><html class="${theme}"><style>${STYLE}</style><body>${seen.map(room).join('')}</body>`,
    );
    const path = join(folder, `discord-${theme}.png`);
    await page.screenshot({ path, fullPage: true });
    const { size } = await stat(path);
    if (size > MOST || size < 10_000) throw new Error(`${path}: ${size} bytes`);
    console.log(`${path}: ${size} bytes`);
  }
} finally {
  await browser.close();
}
