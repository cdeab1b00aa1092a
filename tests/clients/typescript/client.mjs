// The round of one of the SDKs. Its arguments: the client, the era, the way.
import { open } from "./doors.mjs";
import { round } from "./round.mjs";

const row = process.argv.slice(2);
await round(row, (agent, options) => open(...row, agent, options));
