// The tree of actors: by keyboard, with true figures, and a restart only for admins who mean it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open, until } from './support.mjs';

let own;
before(async () => {
  own = await hub();
  await agent(own, 'tree-1', 'full-stack-engineer');
});
after(async () => {
  await closeBrowser();
  await own.end();
});

const flat = (node) => [node, ...(node.children || []).flatMap(flat)];

test('UI-10 the tree goes by arrows, folds, and shows each mailbox as the API has it', async () => {
  const page = await open(own);
  await go(page, '#/actors');
  const tree = page.getByRole('tree');
  await tree.waitFor();
  const all = flat(await own.api('GET', '/admin/actors?limit=500'));
  assert.ok(all.length > 5);
  assert.equal(await page.getByRole('treeitem').count(), all.length);
  for (const actor of all) {
    const row = page.locator(`[role=treeitem][data-id="${actor.id}"]`);
    assert.match(await row.getByTestId('depth').textContent(), new RegExp(`^\\d+/${actor.mailbox.limit}$`), actor.id);
  }
  assert.equal(await tree.locator('[tabindex="0"]').count(), 1);

  const at = () => page.evaluate(() => document.activeElement.dataset.id);
  await tree.locator('[tabindex="0"]').focus();
  assert.equal(await at(), all[0].id);
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((id) => document.activeElement.dataset.id === id, all[1].id);
  await page.keyboard.press('Home');
  await page.waitForFunction((id) => document.activeElement.dataset.id === id, all[0].id);
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 1);
  assert.equal(await page.getByRole('treeitem').first().getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((n) => document.querySelectorAll('[role=treeitem]').length === n, all.length);
  await page.keyboard.press('End');
  await page.waitForFunction(
    (id) => document.activeElement.dataset.id === id,
    await page.getByRole('treeitem').last().getAttribute('data-id'),
  );
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/actors/'));
  await page.locator('section[aria-label=actor]').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-10 a full mailbox is warned of, and the deepest come first when asked for', { timeout: 120000 }, async () => {
  // Short mailboxes, and a registration after the other: each waits for the disk, and the next ones for it.
  const short = await hub({
    env: {
      CALLBOARD_LIMITS_MAILBOX: '16',
      CALLBOARD_LIMITS_REQUESTS_PER_SECOND: '100000',
      CALLBOARD_LIMITS_BURST: '100000',
    },
  });
  let stop = false;
  let floods = [];
  try {
    const busy = await agent(short, 'flooded-1', 'full-stack-engineer');
    await agent(short, 'calm-1', 'full-stack-engineer');
    let refused = 0;
    let n = 0;
    const page = await open(short);
    await go(page, '#/actors');
    await page.getByRole('tree').waitFor();
    floods = Array.from({ length: 48 }, async () => {
      while (!stop)
        await busy
          .call('register_agent', { agentId: busy.id, role: 'full-stack-engineer', displayName: `Flooded ${n++}` })
          .catch((error) => {
            if (error.body?.code === 'BUSY') refused += 1;
          });
    });
    // What the page shows is one answer of the hub: the row, the mark on it and the warning are of the same moment.
    await until(
      async () => {
        const seen = await page.evaluate(() => ({
          depth: document.querySelector('[role=treeitem][data-id="agent:flooded-1"] [data-testid=depth]')?.textContent,
          full: Boolean(
            document.querySelector('[role=treeitem][data-id="agent:flooded-1"] [data-testid=depth][data-full]'),
          ),
          warning: document.querySelector('[data-testid=mailbox-warning]')?.textContent || '',
        }));
        if (!seen.full) return false;
        const [at, limit] = seen.depth.split('/').map(Number);
        assert.ok(at > limit * 0.8 && limit === 16, seen.depth);
        assert.match(seen.warning, new RegExp(`agent:flooded-1.*${at} of ${limit}`));
        return true;
      },
      { within: 60000, why: 'no mailbox is shown as full' },
    );
    assert.ok(refused > 0, 'nobody was refused although it is full');
    await page.getByRole('button', { name: 'Deepest mailbox first' }).click();
    await page.getByRole('button', { name: 'Deepest mailbox first', pressed: true }).waitFor();
    await until(
      async () => {
        // In one step: a locator finds the rows first and reads them then, and the list may have moved between the two.
        const rows = await page.evaluate(() =>
          [...document.querySelectorAll('[role=treeitem]')].map((one) => [
            one.dataset.id,
            Number(one.querySelector('[data-testid=depth]').textContent.split('/')[0]),
          ]),
        );
        const depths = rows.slice(1).map(([, deep]) => deep);
        assert.deepEqual(
          depths,
          [...depths].sort((one, other) => other - one),
        );
        return rows[1][0] === 'agent:flooded-1' && rows[1][1] > 1;
      },
      { within: 60000, why: 'it is not the deepest' },
    );
    // The overview warns, too, by itself.
    await go(page, '#/');
    await page.locator('[data-testid=warning][data-code=MAILBOX_FULL]').first().waitFor({ timeout: 60000 });
    stop = true;
    await Promise.all(floods);
    // More than one mailbox may have been full.
    const warnings = page.locator('[data-testid=warning][data-code=MAILBOX_FULL]');
    await until(async () => (await warnings.count()) === 0, { within: 60000, why: 'it warns of a mailbox still' });
    assert.deepEqual(page.faults, []);
  } finally {
    stop = true;
    await Promise.all(floods);
    await short.end();
  }
});

test('UI-10 a restart is for admins, and only with the word typed', async () => {
  const id = 'agent:tree-1';
  for (const admin of [false, true]) {
    const page = await open(own, { admin });
    await go(page, `#/actors/${encodeURIComponent(id)}`);
    const button = page.getByTestId('restart');
    await button.waitFor();
    assert.ok(await button.isDisabled());
    const word = page.locator('section[aria-label=actor] input');
    if (!admin) {
      assert.ok(await word.isDisabled());
      continue;
    }
    await word.fill('restar');
    assert.ok(await button.isDisabled());
    await word.fill('restart');
    const before = (await own.api('GET', `/admin/actors/${encodeURIComponent(id)}`)).restarts.count;
    const answered = page.waitForResponse((response) => response.url().endsWith('/restart'));
    await button.click();
    assert.ok((await answered).ok());
    const { restarts } = await own.api('GET', `/admin/actors/${encodeURIComponent(id)}`);
    assert.equal(restarts.count, before + 1);
    assert.deepEqual(page.faults, []);
  }
});

test('UI-10 an actor is named by what it stands for, in its heading, its breadcrumbs and the window', async () => {
  const { taskId } = await own.api('POST', '/api/v1/tasks', {
    targetAgentId: 'role:designer',
    title: 'Draw the ledger',
    prompt: 'draw',
  });
  const page = await open(own);
  for (const [id, name, to] of [
    [`task:${taskId}`, 'Draw the ledger', `#/tasks/${taskId}`],
    ['agent:tree-1', 'tree-1', '#/agents/tree-1'],
    ['dispatcher', 'dispatcher', null],
  ]) {
    await go(page, `#/actors/${encodeURIComponent(id)}`);
    await until(
      async () => {
        const shown = await page.evaluate(() => {
          const part = document.querySelector('section[aria-label=actor]');
          const link = part?.querySelector('h2 a');
          return [
            part?.querySelector('h2')?.textContent.trim(),
            link ? link.getAttribute('href') : null,
            part?.querySelector('.crumbs')?.textContent.replace(/\s+/g, ' ').trim(),
            document.title.replace(/^\(\d+\) /, ''),
          ];
        });
        return JSON.stringify(shown) === JSON.stringify([name, to, `Actors / ${name}`, `${name} · callboard`]);
      },
      { why: `${id} is not named` },
    );
  }
  await go(page, '#/actors');
  await until(async () => (await page.title()).endsWith('Actors · callboard'), { why: 'the window keeps the name' });
  assert.deepEqual(page.faults, []);
});
