// What the tests of the page share: a hub of its own for each file, agents that call tools, and a browser.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const BINARY = process.env.CALLBOARD_BIN;
const run = promisify(execFile);

/** Waits until `what` gives something true, and says how long that took. */
export async function until(what, { within = 15000, why = 'it did not come' } = {}) {
  const from = Date.now();
  for (;;) {
    if (await what()) return Date.now() - from;
    if (Date.now() - from > within) throw new Error(`${why}, within ${within} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function json(url, token, method, path, body, headers = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const value = text ? JSON.parse(text) : {};
  if (!response.ok)
    throw Object.assign(new Error(`${method} ${path}: ${response.status} ${text}`), {
      status: response.status,
      body: value,
    });
  return value;
}

/** A hub on a free port, with its data in a folder that goes when it stops for good; or that of the demo, once it is set. */
export async function hub({ env = {}, demo = false } = {}) {
  if (!BINARY) throw new Error('CALLBOARD_BIN is not set: start the tests with tests/page/run');
  const dataDir = await mkdtemp(join(tmpdir(), 'callboard-page-'));
  const own = { dataDir, url: '', operatorToken: '' };
  let child;
  own.start = async () => {
    const listen = own.url ? new URL(own.url).host : '127.0.0.1:0';
    child = spawn(BINARY, ['--data-dir', dataDir, 'serve', '--listen', listen, ...(demo ? ['--demo'] : [])], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const found = line.match(/listening on (http:\S+)/);
      if (found) own.url = found[1];
      if (line.includes(demo ? 'Ctrl-C ends it' : "operator's token is in")) break;
    }
    if (!own.url) throw new Error('the hub ended before it listened');
    own.operatorToken = (await readFile(join(dataDir, 'operator.token'), 'utf8')).trim();
  };
  own.stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  };
  own.end = async () => {
    await own.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  own.api = (method, path, body, headers) => json(own.url, own.operatorToken, method, path, body, headers);
  own.openUrl = async (admin = false) => {
    const words = ['--data-dir', dataDir, 'open', '--print', ...(admin ? ['--admin'] : [])];
    return (await run(BINARY, words)).stdout.match(/http:\S+/)[0];
  };
  await own.start();
  return own;
}

/** An agent with a token of its own, registered. */
export async function agent(own, id, role, more = {}) {
  const { token } = await own.api('POST', '/api/v1/tokens', { agent: id });
  const session = {};
  const call = (tool, args = {}) => json(own.url, token, 'POST', `/api/v1/tools/${tool}`, args, session);
  const registered = await call('register_agent', { agentId: id, role, ...more });
  session['Callboard-Session-Id'] = registered.sessionId;
  return {
    id,
    call,
    sessionId: registered.sessionId,
    wait: (timeout = 5) => call('wait_for_prompt', { timeout }),
  };
}

let shared;
/** The browser that all tests of a file share. */
export async function browser() {
  shared ||= await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return shared;
}

export async function closeBrowser() {
  await shared?.close();
  shared = undefined;
}

/** A page that is logged in, in a context of its own. What it must never do is written down in `page.faults`. */
export async function open(own, { admin = false, holds = false, ...options } = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.CALLBOARD_PAGE_WAIT || 30000));
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.exposeFunction('violated', (words) => page.faults.push(`policy: ${words}`));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violated(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    ),
  );
  // What a test does is not held back, but where that is what it is about.
  if (!holds) await page.addInitScript(() => localStorage.setItem('callboard.undo', 'off'));
  await page.goto(await own.openUrl(admin));
  await page.getByTestId('inbox-count').waitFor();
  return page;
}

/** Goes to a page of the page. */
export const go = (page, hash) =>
  page.evaluate((to) => {
    location.hash = to;
  }, hash);

/** The processor time that each process took so far, in seconds, and whether it is of this one's own family. */
async function processorTimes() {
  const all = new Map();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // Behind the name, which may hold anything: state, parent, and then the ticks at places 11 and 12.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (text)
      all.set(Number(pid), { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / 100 });
  }
  const own = (pid) => pid === process.pid || (all.has(pid) && own(all.get(pid).parent));
  return new Map([...all].map(([pid, { seconds }]) => [pid, { seconds, own: own(pid) }]));
}

/** Begins to look at who uses the machine; the function that it gives says which share of it others took since. */
export async function others() {
  const [from, before] = [Date.now(), await processorTimes()];
  return async () => {
    let taken = 0;
    for (const [pid, { seconds, own }] of await processorTimes())
      if (!own) taken += seconds - (before.get(pid)?.seconds || 0);
    return taken / ((Date.now() - from) / 1000) / availableParallelism();
  };
}
