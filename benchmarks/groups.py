"""Labels of four models on 100,000 rows in 20,000 groups, beside the same file without groups.

Rows that are drawn one by one are counts of few patterns, drawn as counts; groups are drawn as
they are. Both commands are ours, from the shell to the report.

    python -m benchmarks.groups
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._processes import in_turn, ours
from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import OFF, SEED

ROWS, GROUPS, MODELS = 100_000, 20_000, 4

STUDY = """\
evallang 1
predictions given from "labels.csv"
  id "id"
  truth "truth"
  positive 1
  models m0, m1, m2, m3
{groups}
measure accuracy, f1, mcc
  interval bootstrap
compare all with bootstrap holm
report html
"""


def write(folder: Path) -> None:
    """Write truth and models that err on about a tenth of the rows, together within a group."""
    rng = np.random.default_rng(SEED)
    group, truth = rng.integers(0, GROUPS, ROWS), rng.integers(0, 2, ROWS)
    columns = {"id": np.arange(ROWS), "group": group, "truth": truth}
    for i in range(MODELS):
        chance = rng.beta(1, 9 - 0.2 * i, GROUPS)
        columns[f"m{i}"] = truth ^ (rng.random(ROWS) < chance[group])
    pl.DataFrame(columns).write_csv(folder / "labels.csv")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        commands = {}
        for study, groups in (("rows", ""), ("groups", "group by group")):
            text = STUDY.format(groups=groups)
            (folder / f"{study}.eval").write_text(text, encoding="utf-8")
            commands[study] = ours("run", f"{study}.eval", "--quiet", "--out", study)
        found = in_turn(commands, folder, 3, **OFF)
    report(
        Row(
            f"{ROWS:,} rows in {GROUPS:,} groups x {MODELS} models: accuracy, F1, MCC, bootstrap "
            "of groups, report",
            found["groups"].seconds,
            peer="the same without groups",
            theirs=found["rows"].seconds,
            kind=Kind.TIMES,
            limit=4,
        )
    )


if __name__ == "__main__":
    main()
