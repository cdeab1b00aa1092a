// Counts what holds and what does not. A check that fails does not end the round; a step that others need does.
import { appendFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export class Report {
  passed = 0;
  failed = 0;

  check(what, holds, seen) {
    if (holds) {
      this.passed += 1;
      console.log(`ok   ${what}`);
    } else {
      this.failed += 1;
      console.log(`FAIL ${what}\n     saw: ${JSON.stringify(seen)?.slice(0, 1500)}`);
    }
  }

  same(what, seen, wanted) {
    this.check(what, JSON.stringify(seen) === JSON.stringify(wanted), { seen, wanted });
  }

  // Adds this suite's numbers to those of the run, as a cell of its table.
  close(suite, cell) {
    console.log(`${suite}, ${cell}: ${this.passed} passed, ${this.failed} failed`);
    appendFileSync(process.env.CLIENTS_RESULTS, `${suite}\t${cell}\t${this.passed}\t${this.failed}\n`);
  }
}

// What each tool promises to answer, compiled by a validator that knows nothing of the hub.
export class Promises {
  #validators = new Map();

  constructor(tools) {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    addFormats(ajv);
    for (const tool of tools) {
      if (tool.outputSchema) this.#validators.set(tool.name, ajv.compile(tool.outputSchema));
    }
  }

  // Why `result` is not what `tool` promises; nothing when it is.
  broken(tool, result) {
    const validate = this.#validators.get(tool);
    if (!validate) return `no outputSchema for ${tool}`;
    return validate(result) ? undefined : validate.errors;
  }
}
