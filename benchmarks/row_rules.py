"""How often the rules about rows object to sound tables and to flawed ones.

`python -m benchmarks.row_rules --write` draws 100 tables of each kind, counts how often each rule
objects, and writes the first half of docs/false-alarms.md and the rates that `explain` states.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.false_alarms import Tally
from benchmarks.made_tables import FLAWED, HELD_OUT, HELD_OUT_FLAWED, SOUND, Made, Make, frame
from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec, Table
from evallang.data.findings import Findings
from evallang.data.row_rules.row_rule import DrawnSplits, RowDesign, check_drawn, check_rows
from evallang.protocols.protocol import Split

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "false-alarms.md"
TITLE_OF_DESIGNS = "# False alarms of the rules about designs"
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
    check_rows(
        table, RowDesign(mixed="cv folds=5" if mixed else None, neighbours=ordered), findings
    )
    found = [one.name for one in findings.diagnostics]
    if made is not None and made.splits:
        splits = [Split(0, i, train, test) for i, (train, test) in enumerate(made.splits)]
        how = ("time_series", None, splits, "past") if ordered else ("split", None, splits, "other")
        drawn = DrawnSplits(*how)
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


HEAD = """# False alarms of the rules about rows

Some rules look for flaws in the rows of a table. This page states how often they object to sound
tables, and how often they find a flaw. `python -m benchmarks.row_rules --write` measures both and
writes this page, with {tables} simulated tables of each kind, drawn with the seed {seed} by
`benchmarks/made_tables.py`.

The rates hold for these kinds of simulated tables and not for real data in general. The thresholds
were chosen with the kinds of the first and third table of this page. The other kinds were written
afterwards, and three rules were then changed because of them: among 20 tables of each kind,
the rules had objected to all tables of `marginals on a scale`, and had found the flaws of `best by
t test` and `kind written in a number` in 45% and 15%; among 40 tables of `best by difference of
means`, in 45%. The kinds written afterwards are therefore not an untouched test set.
"""
SOUND_HEAD = """
## {title}

{objected:,} of {n:,} sound tables met an objection ({share:.1%}).

| kind | tables with an objection | rules |
| --- | --: | --- |
"""
FLAWED_HEAD = """
## {title}

| kind | rule that should object | found | other rules |
| --- | --- | --: | --- |
"""
BUNDLED_HEAD = """
## Bundled data

| data | rules that object |
| --- | --- |
"""
AFTERWORD = """
The columns of `diabetes` have mean 0 and the same sum of squares, as scikit-learn documents, so the
objection is justified. In `calibration` one peak determines the concentration that is predicted.
The rule asks whether this feature is known before the outcome; the author of such a study can
answer with a waiver.
"""


def page(tables: int, seed: int, tally: Tally) -> str:
    """Measure all kinds, add them to the tally, and return the page of their rates."""
    text = HEAD.format(tables=tables, seed=seed)
    for title, kinds in (("Sound tables", SOUND), ("Sound tables written afterwards", HELD_OUT)):
        lines, objected = "", 0
        for name, found in rates(kinds, tables, seed):
            objected += found["any"]
            tally.add_sound(found, tables)
            lines += f"| {_words(name)} | {found.pop('any')} | {_named(found)} |\n"
        n = tables * len(kinds)
        text += SOUND_HEAD.format(title=title, objected=objected, n=n, share=objected / n) + lines
    for title, flaws in (
        ("Flawed tables", FLAWED),
        ("Flawed tables written afterwards", HELD_OUT_FLAWED),
    ):
        text += FLAWED_HEAD.format(title=title)
        for name, found in rates({k: make for k, (_, make) in flaws.items()}, tables, seed):
            rule = flaws[name][0]
            tally.add_flawed(rule, found[rule], tables)
            share = found.pop(rule, 0) / tables
            found.pop("any", None)
            text += f"| {_words(name)} | `{rule}` | {share:.0%} | {_named(found)} |\n"
    text += BUNDLED_HEAD
    for name in BUNDLED:
        text += f"| {name} | {_named(Counter(objections(bundled(name)))) or 'none'} |\n"
    return text + AFTERWORD


def _words(name: str) -> str:
    return name.replace("_", " ")


def _named(found: Counter[str]) -> str:
    return ", ".join(f"`{rule}` {n}" for rule, n in sorted(found.items()) if n)


def halves() -> tuple[str, str]:
    """Return the half of the page that is about rows, and the half about designs."""
    rows, title, designs = PAGE.read_text(encoding="utf-8").partition(TITLE_OF_DESIGNS)
    return f"{rows.rstrip()}\n\n", title + designs


def main() -> None:
    """Read the options, measure, and print or write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.row_rules", description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="tables of each kind")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--write", action="store_true", help="write docs/false-alarms.md")
    options = parser.parse_args()
    tally = Tally("tables")
    text = page(options.tables, options.seed, tally)
    if options.write:
        tally.write()
        PAGE.write_text(f"{text}\n{halves()[1]}", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
