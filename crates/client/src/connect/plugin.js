// and taken away by `--undo`. When a session is idle, the command waits for work; what it prints begins the next turn.
import { spawn } from 'node:child_process';

const [program, ...words] = COMMAND;

export const Callboard = async ({ client }) => {
  let waiting;
  return {
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const id = event.properties.sessionID;
      waiting?.kill();
      const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
      waiting = child;
      let text = '';
      child.stdout.on('data', (bytes) => (text += bytes));
      child.on('error', () => {});
      child.on('close', () => {
        if (!text.trim()) return;
        client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: text.trim() }] } });
      });
    },
  };
};
