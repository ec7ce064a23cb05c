"""The wrong examples of codes about data, each with a small file beside it, show their code.

An example of a clause stands in `data visits`; what it does not write is written around it. Not
here are examples that depend on more than one small table (several files, folds, packages).
"""

import pytest

from evallang.api.preparing import check_data
from evallang.api.study import open_study
from evallang.checking.codes_loaded import load_codes
from evallang.diagnostics import CODES

load_codes()
STATEMENTS = ("data", "protocol", "stratify", "model", "measure", "require")
EXECUTED = (
    "E401", "E402", "E403", "E415", "E420", "E421", "E426", "E429", "E434", "E438", "E474",
    "E481", "E491", "W411", "W431", "W432", "W433",
)  # fmt: skip


def completed(example):
    """Write the study around the lines of an example."""
    whole = example.split()[0] in STATEMENTS
    lines = ["evallang 1", "study", "  seed 1"]
    own_data = example.startswith("data ")
    if not own_data:
        clauses = [] if whole else [f"  {line}" for line in example.split("\n")]
        for word, clause in (("target", "  target readmitted"), ("positive", "  positive yes")):
            if whole or (word not in example and "task" not in example):
                clauses.append(clause)
        lines += ['data visits from "visits.csv"', *clauses]
    lines += [example] if whole else []
    if own_data and "target" not in example:
        lines.append("  target readmitted")
    if "model " not in example:
        lines += ["model a = GaussianNB", "model b = DummyClassifier"]
    if "protocol" not in example:
        lines.append("protocol cv folds=3")
    return "\n".join(lines) + "\n"


def table(with_dates):
    """Give 60 visits, a third of them without readmission."""
    head = "visit_id,age,ward,readmitted" + ",admitted_on" * with_dates
    rows = [
        f"{i * 3 % 61},{20 + i * 7 % 40},{i % 3},{'yes' if i % 3 else 'no'}"
        + f",2024-03-{i % 28 + 1:02}" * with_dates
        for i in range(60)
    ]
    return "\n".join([head, *rows]) + "\n"


@pytest.mark.parametrize("code", EXECUTED)
def test_the_wrong_example_of_a_code_about_data_meets_it(code, tmp_path, monkeypatch):
    wrong = CODES[code].wrong
    (tmp_path / "visits.csv").write_text(table("admitted_on" in wrong), encoding="utf-8")
    (tmp_path / "folds.csv").write_text("fold\n1\n2\n", encoding="utf-8")
    (tmp_path / "folds.xlsx").write_text("fold\n1\n2\n", encoding="utf-8")
    (tmp_path / "study.eval").write_text(completed(wrong), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert code in [d.code for d in check_data(open_study("study.eval"))]
