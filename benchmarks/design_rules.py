"""How often the rules about designs object to sound studies and to flawed ones.

`python -m benchmarks.design_rules --write` draws 50 studies of each kind, counts how often each
rule objects, and writes the second half of docs/false-alarms.md and the rates that `explain` shows.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.false_alarms import Tally, total
from benchmarks.made_studies import FLAWED, SOUND, MadeStudy, Make
from benchmarks.row_rules import PAGE, TITLE_OF_DESIGNS, halves
from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.diagnostics import Severity


def objections(made: MadeStudy, folder: Path) -> list[str]:
    """Return the rules and errors that object to a study once its data are read."""
    for name, text in made.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / "study.eval"
    path.write_text(made.text, encoding="utf-8")
    found = check_data(open_study(path))
    return [one.name for one in found if one.severity == Severity.ERROR or one.name in FLAWED]


def rates(kinds: Mapping[str, Make], studies: int, seed: int) -> dict[str, Counter[str]]:
    """Return for each kind the number of studies to which each rule objected."""
    counted: dict[str, Counter[str]] = {}
    for place, (name, make) in enumerate(kinds.items()):
        found: Counter[str] = Counter()
        for i in range(studies):
            with tempfile.TemporaryDirectory() as folder:
                made = make(np.random.default_rng([seed, place, i]))
                found.update(set(objections(made, Path(folder))))
        counted[name] = found
    return counted


HEAD = """{title}

Five rules look at designs: at the lines of a study, and at how they use the columns of a file.
`python -m benchmarks.design_rules --write` draws {studies} studies of each kind from
`benchmarks/made_studies.py` with the seed {seed} and writes this half of the page. For each rule
there are ten kinds of sound studies that differ from the flawed ones in what the rule must tell
apart. The kinds were written after the rules. Because of them the name `kfold` was added to those
of folds, and columns of trials are judged by their values: the rate of `units_not_data_sets` was 50
of 500 before.

{objected} of {n:,} sound studies met an objection of the rule that they are near to ({share:.1%}),
and {others} met another of the five, or an error.

| rule | sound kinds | sound studies with an objection | flawed kinds | flawed studies found |
| --- | --: | --: | --: | --: |
"""
DETAIL_HEAD = """
| kind | sound | studies with an objection | rules |
| --- | --- | --: | --- |
"""


def page(studies: int, seed: int, tally: Tally) -> str:
    """Measure all kinds, add them to the tally, and return the half of the page about designs."""
    table, detail = "", ""
    objected = others = n = 0
    for rule, kinds in SOUND.items():
        found = rates(kinds, studies, seed)
        caught = rates(FLAWED[rule], studies, seed)
        wrong = sum(counter[rule] for counter in found.values())
        others += sum(sum(counter.values()) - counter[rule] for counter in found.values())
        tally.add_sound(total(found.values()), studies * len(kinds))
        for counter in caught.values():
            tally.add_flawed(rule, counter[rule], studies)
        objected, n = objected + wrong, n + studies * len(kinds)
        right = sum(counter[rule] for counter in caught.values()) / (studies * len(caught))
        table += (
            f"| `{rule}` | {len(kinds)} | {wrong} of {studies * len(kinds)} | {len(caught)} | "
            f"{right:.0%} |\n"
        )
        for sound, counted in ((True, found), (False, caught)):
            for name, counter in counted.items():
                named = ", ".join(f"`{one}` {k}" for one, k in sorted(counter.items()) if k)
                detail += (
                    f"| {name.replace('_', ' ')} | {'yes' if sound else 'no'} | "
                    f"{max(counter.values(), default=0)} | {named} |\n"
                )
    lead = HEAD.format(
        title=TITLE_OF_DESIGNS, studies=studies, seed=seed, objected=objected, n=n,
        share=objected / n, others=others or "none",
    )  # fmt: skip
    return lead + table + DETAIL_HEAD + detail


def main() -> None:
    """Read the options, measure, and print or write the half of the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.design_rules", description=__doc__)
    parser.add_argument("--studies", type=int, default=50, help="studies of each kind")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--write", action="store_true", help="write docs/false-alarms.md")
    options = parser.parse_args()
    tally = Tally("studies")
    text = page(options.studies, options.seed, tally)
    if options.write:
        tally.write()
        PAGE.write_text(halves()[0] + text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
