// and taken away by `--undo`. When a session is idle, the first command waits for work, and what it prints begins the next
// turn. Where opencode asks its user, the second one asks people at the hub, too; whoever answers first decides.
import { spawn } from 'node:child_process';

const wake = WAKE;
const permission = PERMISSION;

function run([program, ...words], input, printed) {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  child.stdout.on('data', (bytes) => (text += bytes));
  child.on('error', () => {});
  child.on('close', () => text.trim() && printed(text.trim()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return child;
}

export const Callboard = async ({ client, directory }) => {
  let waiting;
  const asking = new Map();

  // The call that leave is asked for, with all its arguments: they are there a moment after the event.
  async function call({ sessionID, permission: kind, patterns, metadata, tool: { messageID, callID } = {} }) {
    const reason = `${kind}: ${patterns.join(', ')}`;
    for (let tries = 0; callID && tries < 20; tries += 1) {
      const message = await client.session.message({ path: { id: sessionID, messageID } });
      const part = message.data?.parts.find((one) => one.callID === callID);
      if (part && part.state.status !== 'pending') {
        return { tool_name: part.tool, tool_input: part.state.input, reason: kind === part.tool ? undefined : reason };
      }
      await new Promise((done) => setTimeout(done, 100));
    }
    return { tool_name: kind, tool_input: { ...metadata, patterns } };
  }

  async function answer(id, { behavior, message }) {
    const body = behavior === 'allow' ? { reply: 'once' } : { reply: 'reject', message };
    const headers = { 'Content-Type': 'application/json' };
    await client._client.post({ url: '/permission/{id}/reply', path: { id }, body, headers });
  }

  async function asked(question) {
    asking.set(question.id, undefined);
    const event = JSON.stringify({ ...(await call(question)), cwd: directory });
    if (!asking.has(question.id)) return;
    const child = run(permission, event, (text) => answer(question.id, JSON.parse(text)).catch(() => {}));
    asking.set(question.id, child);
  }

  return {
    event: async ({ event: { type, properties } }) => {
      if (wake && type === 'session.idle') {
        waiting?.kill();
        waiting = run(wake, '', (text) => {
          const parts = [{ type: 'text', text }];
          client.session.promptAsync({ path: { id: properties.sessionID }, body: { parts } });
        });
      }
      // Not waited for: other events come while people are asked.
      if (permission && type === 'permission.asked') asked(properties).catch(() => {});
      if (type === 'permission.replied') {
        asking.get(properties.requestID)?.kill();
        asking.delete(properties.requestID);
      }
    },
  };
};
