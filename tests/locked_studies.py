"""A small study that is locked and changed, and short ways to call commands on it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from click.testing import CliRunner

from evallang.cli.main import root

STUDY = """\
evallang 1

study "Wards"
  author "Q. Person"
  seed 4

data wards from "wards.csv"
  target outcome
  positive yes
  unit "patients"

model tree "A tree" = DecisionTreeClassifier(max_depth=2)
model forest = RandomForestClassifier(n_estimators=5)

protocol cv folds=4

measure accuracy, f1

compare tree vs forest with permutation

require tree not worse than forest by 30%
"""
ROWS = [(20 + 3 * i % 41, (7 * i) % 13, "yes" if (i * i) % 7 > 2 else "no") for i in range(60)]


def write_wards(rows: Iterable[Sequence[object]] = ROWS, header: str = "age,beds,outcome") -> None:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    Path("wards.csv").write_text("\n".join(lines) + "\n")


def call(*arguments: str, code: int = 0) -> str:
    """Run a command; give what it printed. A refusal has the exit code 2, as on a terminal."""
    done = CliRunner().invoke(root, arguments, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        assert code == 2, done.exception.format_message()
        return f"Error: {done.exception.format_message()}\n"
    if done.exception is not None:
        raise done.exception
    assert done.return_value == code, done.output
    return done.output


def change(before: str, after: str) -> None:
    text = Path("study.eval").read_text()
    assert text.count(before) == 1
    Path("study.eval").write_text(text.replace(before, after))


def classed(text: str) -> dict[str, list[str]]:
    """Give the lines of an output by the class that they stand under."""
    found: dict[str, list[str]] = {}
    group = ""
    for line in text.splitlines():
        if line.startswith("  "):
            found.setdefault(group, []).append(line.strip())
        elif line.endswith(":"):
            group = line[:-1]
    return found
