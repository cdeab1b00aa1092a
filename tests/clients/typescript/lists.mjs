// A role that comes with the settings: who is connected is told that there are other prompts and other resources.
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const config = process.env.CLIENTS_CONFIG;
const LOCK = join(dirname(config), "settings.lock");
const CHANGED = ["notifications/prompts/list_changed", "notifications/resources/list_changed"];
const PATIENCE = 60_000;

// One row changes the settings at a time, whatever its language: a role that another takes away would be told of, too.
async function alone(change) {
  const lock = await until(() => open(LOCK, "wx").catch(() => null));
  if (!lock) throw new Error("another row keeps the settings");
  try {
    await change();
  } finally {
    await lock.close();
    await rm(LOCK);
  }
}

// Whole or not at all: the hub looks at it at any time.
async function has(role) {
  const draft = join(dirname(config), "agents.draft");
  await writeFile(draft, `roles:\n  ${role}:\n    displayName: ${role}\n    capabilities: [review]\n`);
  await rename(draft, join(config, "agents.yaml"));
}

// What is told without asking, in the way of the era.
export async function changed({ lead }, report, suite) {
  const role = `reviewer-${suite}`;
  await alone(async () => {
    const told = new Set();
    const { ends, honoured } = await lead.client.hears((method) => told.add(method));
    if (honoured) {
      const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      report.same("subscriptions/listen: every list that may change is promised", honoured, wanted);
    }
    // What another row's change led to may have been told just now.
    told.clear();
    await has(role);
    const heard = await until(() => CHANGED.every((method) => told.has(method)));
    report.check("another role is told: prompts and resources", heard, [...told]);
    await ends();
  });
  const listed = async () => (await lead.client.listPrompts()).prompts.some((prompt) => prompt.name === `role/${role}`);
  report.check("prompts/list: has it then", await until(listed), role);
}

async function until(holds) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(50)) {
    const held = await holds();
    if (held) return held;
  }
  return null;
}
