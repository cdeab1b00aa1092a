"""Counts what holds and what does not. A check that fails does not end the round; a step that others need does."""

import json
import os
from typing import Any

from jsonschema import Draft202012Validator


class Report:
    """The numbers of one suite; `about` stands before each of its lines."""

    def __init__(self, about: str = "") -> None:
        self.about, self.passed, self.failed = about, 0, 0

    def check(self, what: str, holds: object, seen: Any = None) -> None:
        if holds:
            self.passed += 1
            print(f"ok   {self.about}{what}")
        else:
            self.failed += 1
            print(f"FAIL {self.about}{what}\n     saw: {json.dumps(seen, default=str)[:1500]}")

    def same(self, what: str, seen: Any, wanted: Any) -> None:
        self.check(what, seen == wanted, {"seen": seen, "wanted": wanted})

    def close(self, suite: str, cell: str) -> None:
        """Adds this suite's numbers to those of the run, as a cell of its table."""
        print(f"{suite}, {cell}: {self.passed} passed, {self.failed} failed")
        with open(os.environ["CLIENTS_RESULTS"], "a", encoding="utf-8") as results:
            results.write(f"{suite}\t{cell}\t{self.passed}\t{self.failed}\n")


class Promises:
    """What each tool promises to answer, held by a validator that knows nothing of the hub."""

    def __init__(self, tools: list[Any]) -> None:
        self._validators = {}
        for tool in tools:
            if tool.output_schema is not None:
                Draft202012Validator.check_schema(tool.output_schema)
                self._validators[tool.name] = Draft202012Validator(tool.output_schema)

    def broken(self, tool: str, result: Any) -> list[str]:
        """Why `result` is not what `tool` promises; empty when it is."""
        if tool not in self._validators:
            return [f"no outputSchema for {tool}"]
        return [error.message for error in self._validators[tool].iter_errors(result)]
