"""Plays every cell of the table, some at once, and prints the table: each client that others wrote, by each way in, in
a full round and killed three times. The conformance suite runs beside it.

Its arguments are beginnings of the names of rows: with any, only those are played, and no conformance suite.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

import killed
from rest import make_token
from rows import NAMES, ROWS, Row, round_of

# Most of a round is waiting.
AT_ONCE = 4
CELLS = ("round", *killed.CELLS)
HEADS = ("full round", "killed in mid-wait", "in mid-delivery", "in mid-response")
RESULTS = Path(os.environ["CLIENTS_RESULTS"])
CONFORMANCE = Path(__file__).parent.parent / "conformance" / "run.mjs"


async def suite(name: str, agents: list[str], words: list[str]) -> None:
    """A script that adds its own numbers; one that dies before counts as a failure."""
    for agent in agents:
        await make_token(f"{name}-{agent}")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    try:
        said, _ = await asyncio.wait_for(process.communicate(), 240)
    except TimeoutError:
        process.kill()
        said, _ = await process.communicate()
    print(said.decode(errors="replace"), end="", flush=True)
    if not any(line.split("\t")[0] == name for line in RESULTS.read_text().splitlines()):
        print(f"FAIL {name} did not come to its end")
        with RESULTS.open("a") as results:
            results.write(f"{name}\tround\t0\t1\n")


async def main(only: list[str]) -> bool:
    began = time.monotonic()
    places = asyncio.Semaphore(AT_ONCE)
    rows = [row for row in ROWS if not only or any("-".join(row).startswith(part) for part in only)]
    if not rows:
        print(f"FAIL no row begins with {' or '.join(only)}; the rows are {', '.join('-'.join(row) for row in ROWS)}")
        return False

    async def cell(row: Row, which: str) -> None:
        async with places:
            if which == "round":
                await suite("-".join(row), ["lead", "hand", "artist"], round_of(row))
            else:
                await killed.killed(row, which)

    async def conforms() -> None:
        async with places:
            await suite("conformance", ["lead"], ["node", str(CONFORMANCE)])

    cells = [cell(row, which) for which in CELLS for row in rows]
    await asyncio.gather(*([] if only else [conforms()]), *cells)
    return shown(rows, time.monotonic() - began)


def shown(rows: list[Row], took: float) -> bool:
    """Prints the table, and the sum; whether all of it holds."""
    counts: dict[tuple[str, str], list[int]] = {}
    for line in RESULTS.read_text().splitlines():
        name, which, passed, failed = line.split("\t")
        count = counts.setdefault((name, which), [0, 0])
        count[0] += int(passed)
        count[1] += int(failed)
    print(f"\n| Client, its era, its way | {' | '.join(HEADS)} |\n|{'---|' * (len(CELLS) + 1)}")
    for row in rows:
        seen = [counts.get(("-".join(row), which), [0, 1]) for which in CELLS]
        words = [f"{passed} hold" if not failed else f"{failed} of {passed + failed} FAIL" for passed, failed in seen]
        print(f"| {NAMES[row[0]]}, {row[1]}, {row[2]} | {' | '.join(words)} |")
    passed, failed = (sum(count[which] for count in counts.values()) for which in (0, 1))
    missing = [(row, which) for row in rows for which in CELLS if ("-".join(row), which) not in counts]
    print(f"\n{passed} passed, {failed} failed, {len(missing)} missing, in {took:.0f} s")
    return failed == 0 and not missing


sys.exit(0 if asyncio.run(main(sys.argv[1:])) else 1)
