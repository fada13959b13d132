"""Run the attacks, each beside a well-behaved caller, and judge them: python -m bench.attack."""

from __future__ import annotations

import argparse
import sys
import textwrap
import time

from bench.attack import trial
from bench.attack.rows import ROWS, Amounts, Row

SHORT_S, LONG_S = 3.0, 10.0
SHORT_MINUTES, LONG_MINUTES = 0.35, 10.0
N_INPUTS = 100_000
WIDTH = 100
SHOWN = 5
"""Most conditions of a row of which it is said that they are not met."""


def main() -> int:
    """Return 1 where a row fails."""
    parser = argparse.ArgumentParser(prog="python -m bench.attack", description=__doc__)
    parser.add_argument("--only", default="", help="names of rows, with commas between them")
    parser.add_argument("--short", action="store_true", help="some seconds each")
    parser.add_argument(
        "--without", action="store_true", help="each row's protection is off: each has to fail"
    )
    parser.add_argument("--list", action="store_true", help="print the rows, and end")
    parser.add_argument("--seconds", type=float, help="longest time of a row")
    parser.add_argument("--minutes", type=float, help="time of the faults")
    parser.add_argument("--inputs", type=int, default=N_INPUTS, help="number of malformed requests")
    arguments = parser.parse_args()
    names = [name for name in arguments.only.split(",") if name]
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    rows = [ROWS[name] for name in names or ROWS]
    if arguments.list:
        print("\n\n".join(map(described, rows)))
        return 0
    amounts = Amounts(
        seconds=arguments.seconds or (SHORT_S if arguments.short else LONG_S),
        minutes=arguments.minutes or (SHORT_MINUTES if arguments.short else LONG_MINUTES),
        n_inputs=arguments.inputs,
    )
    n_failed = sum(failed(row, amounts, arguments.without) for row in rows)
    print(f"{len(rows)} rows, {n_failed} failed")
    return int(n_failed != (len(rows) if arguments.without else 0))


def described(row: Row) -> str:
    """Return a row of the table: its name, what it does, and when it passes."""
    texts = [f"{row.does}", f"Passes: {row.passes}"]
    lines = [line for text in texts for line in textwrap.wrap(text, WIDTH - 16)]
    return "\n".join(f"{row.name if not at else '':15} {line}" for at, line in enumerate(lines))


def failed(row: Row, amounts: Amounts, is_without: bool) -> bool:
    """Run a row, print how it ended, and return whether it failed."""
    began = time.monotonic()
    result = trial.run(row, amounts, is_without)
    verdict = "FAIL" if result.broken else "pass"
    mib = ", ".join(f"{name} {peak:.0f}" for name, peak in result.peak_mib.items() if peak)
    print(f"{verdict} {row.name} ({time.monotonic() - began:.0f} s)")
    codes = {f"{verdict}{' (new)' * is_new}": n for (verdict, is_new), n in result.calls.items()}
    print(f"     the caller's calls: {codes}; peak MiB: {mib}")
    notes = "; ".join(f"{what}: {count}" for what, count in result.notes.items())
    print(textwrap.fill(notes, WIDTH, initial_indent=" " * 5, subsequent_indent=" " * 5))
    for broken in result.broken[:SHOWN]:
        print(f"     FAILED: {broken}")
    if len(result.broken) > SHOWN:
        print(f"     and {len(result.broken) - SHOWN} more")
    sys.stdout.flush()
    return bool(result.broken) and not (is_without and result.is_void)


if __name__ == "__main__":
    sys.exit(main())
