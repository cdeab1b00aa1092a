// The tree of actors: by keyboard, with true figures, and a restart only for admins who mean it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agent, closeBrowser, go, hub, open } from './support.mjs';

let own;
before(async () => { own = await hub(); await agent(own, 'tree-1', 'full-stack-engineer'); });
after(async () => { await closeBrowser(); await own.end(); });

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
  await page.waitForFunction((id) => document.activeElement.dataset.id === id, await page.getByRole('treeitem').last().getAttribute('data-id'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#/actors/'));
  await page.locator('section[aria-label=actor]').waitFor();
  assert.deepEqual(page.faults, []);
});

test('UI-10 a full mailbox is warned of, and the deepest come first when asked for', async () => {
  const page = await open(own);
  // The true tree, but for two depths: no mailbox of an idle hub stays full for as long as one looks.
  let told;
  await page.route('**/admin/actors?**', async (route) => {
    const response = await route.fetch();
    told = await response.json();
    const [first, second] = told.children.slice(-2);
    first.mailbox.depth = first.mailbox.limit;
    second.mailbox.depth = Math.floor(second.mailbox.limit * 0.5);
    await route.fulfill({ response, json: told });
  });
  await go(page, '#/actors');
  await page.getByRole('tree').waitFor();
  for (const actor of flat(told)) {
    const depth = page.locator(`[role=treeitem][data-id="${actor.id}"]`).getByTestId('depth');
    assert.equal(await depth.textContent(), `${actor.mailbox.depth}/${actor.mailbox.limit}`, actor.id);
    assert.equal(await depth.locator('xpath=self::*[@data-full]').count(), actor.mailbox.depth > actor.mailbox.limit * 0.8 ? 1 : 0, actor.id);
  }
  const full = told.children.at(-2);
  assert.match(await page.getByTestId('mailbox-warning').textContent(), new RegExp(`${full.id}.*${full.mailbox.limit} of ${full.mailbox.limit}`));
  await page.getByRole('button', { name: 'Deepest mailbox first' }).click();
  const order = await page.getByRole('treeitem').evaluateAll((rows) => rows.map((row) => row.dataset.id));
  assert.deepEqual([order[0], order[1]], [told.id, full.id]);
  await page.getByTestId('mailbox-warning').getByRole('link').first().click();
  await page.locator('section[aria-label=actor]').waitFor();
  assert.deepEqual(page.faults, []);
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
