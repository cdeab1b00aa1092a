// Connects as an agent and calls one tool, to be killed or measured while it does. Its arguments: the client, the era,
// the way, the agent, the tool, the tool's arguments as JSON; then `shown` to ask for progress, and `reset` to let that
// count as a sign of life.
import { open } from "./doors.mjs";

const [client, era, way, agent, name, words, ...habits] = process.argv.slice(2);
const connected = await open(client, era, way, agent);
const shown = habits.length > 0 ? { onprogress: () => {} } : {};
const options = { ...shown, resetTimeoutOnProgress: habits.includes("reset") };
const { structuredContent } = await connected.callTool({ name, arguments: JSON.parse(words) }, options);
console.log(JSON.stringify(structuredContent));
await connected.close();
