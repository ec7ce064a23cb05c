"""How often the rules about rows object to sound tables and to flawed ones.

`python benchmarks/row_rules.py [TABLES]` draws so many tables (100) of each kind and prints, for
each kind, how often each rule objected. docs/validation.md states the rates.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_tables import FLAWED, HELD_OUT, HELD_OUT_FLAWED, SOUND, Made, Make, frame
from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec, Table
from evallang.data.findings import Findings
from evallang.data.row_rules.row_rule import DrawnSplits, RowDesign, check_drawn, check_rows
from evallang.protocols.protocol import Split

BUNDLED = ("iris", "wine", "breast_cancer", "digits", "diabetes")


def table_of(made: Made) -> Table:
    """Read a made table as a study would."""
    spec = DataSpec("d", "d", "path", "", "data d", target="y", **made.clauses)
    (table,), _ = read_table(spec, Path(), frame=frame(made))
    return table


def bundled(name: str) -> Table:
    """Read a data set that scikit-learn has."""
    spec = DataSpec(name, name, "sklearn", name, f"data {name}")
    (table,), _ = read_table(spec, Path())
    return table


def objections(table: Table, made: Made | None = None) -> list[str]:
    """Return the rules that object to a table under cross-validation, or under its own splits."""
    mixed = made is None or made.mixed
    ordered = made is not None and made.ordered
    findings = Findings({})
    check_rows(table, RowDesign(mixed="cv folds=5" if mixed else None, ordered=ordered), findings)
    found = [one.name for one in findings.diagnostics]
    if made is not None and made.splits:
        splits = [Split(0, i, train, test) for i, (train, test) in enumerate(made.splits)]
        drawn = DrawnSplits("time_series" if ordered else "split", None, splits, ordered)
        found += [one.name for one in check_drawn(table, drawn)]
    return found


def rates(kinds: Mapping[str, Make], tables: int, seed: int) -> Iterator[tuple[str, Counter[str]]]:
    """Iterate over kinds with the number of tables to which each rule objected."""
    for place, (name, make) in enumerate(kinds.items()):
        found: Counter[str] = Counter()
        for i in range(tables):
            made = make(np.random.default_rng([seed, place, i]))
            said = set(objections(table_of(made), made))
            found.update(said)
            found["any"] += bool(said)
        yield name, found


def main(tables: int = 100, seed: int = 2026) -> None:
    """Print the rates of all kinds."""
    for what, kinds in (("sound", SOUND), ("sound, held out", HELD_OUT)):
        total: Counter[str] = Counter()
        for name, found in rates(kinds, tables, seed):
            total += found
            print(f"{what:16} {name:36} {dict(found)}")
        n = tables * len(kinds)
        print(f"{what:16} {total['any'] / n:.2%} of {n} tables; {dict(total)}")
    for what, flaws in (("flawed", FLAWED), ("flawed, held out", HELD_OUT_FLAWED)):
        for name, found in rates({k: make for k, (_, make) in flaws.items()}, tables, seed):
            rule = flaws[name][0]
            print(f"{what:16} {name:36} {rule}: {found[rule] / tables:.0%}; {dict(found)}")
    for name in BUNDLED:
        print(f"bundled          {name:36} {objections(bundled(name))}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
