// One agent behind a real client. Every result is held to the tool's own outputSchema, refusals too.
import { Promises } from "./check.mjs";

export class Agent {
  constructor(id, client, report) {
    Object.assign(this, { id, client, report });
  }

  // `client.listTools()` first: only then do the clients themselves check what comes back.
  async learn() {
    this.tools = (await this.client.listTools()).tools;
    this.promises = new Promises(this.tools);
    return this.tools;
  }

  // The tool's structured result, whether it succeeded or refused.
  async call(name, args = {}, options = {}) {
    const result = await this.client.callTool({ name, arguments: args }, { timeout: 60_000, ...options });
    const body = result.structuredContent;
    const text = result.content?.map((part) => part.text).join("\n") ?? "";
    const about = `${this.id} ${name}${body?.code ? ` (${body.code})` : ""}`;
    const broken = this.promises.broken(name, body);
    this.report.check(`${about}: matches its outputSchema`, broken === undefined, { broken, body });
    this.report.check(
      `${about}: says in text what it says in structure`,
      text.includes(body?.message) && text.includes(body?.prompt ?? ""),
      { text, body },
    );
    this.report.check(`${about}: isError exactly when it refused`, (result.isError ?? false) === !body?.success, result);
    return body;
  }

  // The same, for a step that the rest of the round stands on.
  async does(name, args, options) {
    const body = await this.call(name, args, options);
    if (!body?.success) throw new Error(`${this.id} ${name} was refused: ${JSON.stringify(body)}`);
    return body;
  }

  // Begins a call that blocks. Should the round end before it, its failure is no crash of this process.
  parks(name, args) {
    const waiting = this.does(name, args);
    waiting.catch(() => {});
    return waiting;
  }

  async isRefused(code, name, args) {
    const body = await this.call(name, args);
    this.report.check(`${this.id} ${name}: refused with ${code}`, body?.success === false && body.code === code, body);
    return body;
  }
}
