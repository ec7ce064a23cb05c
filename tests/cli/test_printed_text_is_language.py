"""What plan, results and report print as language is language: it checks again, and means the same.

Every protocol in every form, and pipelines with names and texts that need quotes; metrics, tests
and intervals: tests/conformance/test_words_of_statistics.py.
"""

import numpy as np
import pytest
from many_cases import for_each
from studies import checked, codes, study, write_rows

from evallang.api.preparing import read_and_plan
from evallang.cli.plan_text import plan_lines
from evallang.diagnostics import Severity
from evallang.models.model import written
from evallang.protocols.protocol import PROTOCOLS

FRAME = """evallang 1
data d from "d.csv"
  target y
  {group}
  features a, b
model m = GaussianNB
stratify by target
protocol {protocol}
measure accuracy
"""
VALUES = {
    "folds": "4", "outer": "4", "inner": "3", "times": "2", "rounds": "60", "p": "1", "gap": "2",
    "test": "1/7", "validation": "12.5%", "seeds": "2", "estimate": "oob",
}  # fmt: skip
ROWS = {"time_series test=1/7", "time_series folds=4 gap=2 test=1/7"}
"""Forms that are refused: `test` of a series is a number of rows."""
OF_THE_AUTHOR = ['split by "fold no"', "split by f", 'split from "a folder/folds.csv"']


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(i % 2, i % 20, i % 4, i % 4, *rng.normal(size=2).round(3)) for i in range(80)]
    write_rows(tmp_path, "d.csv", "y,g,f,fold no,a,b", rows)
    (tmp_path / "a folder").mkdir()
    write_rows(tmp_path, "a folder/folds.csv", "fold", [(i % 4,) for i in range(80)])
    return tmp_path


def forms():
    """Give every protocol as it is by default, with each option, and with all of them."""
    yield from OF_THE_AUTHOR
    yield "split by f seeds=3"
    for entry in PROTOCOLS:
        if entry.declaration.forms:
            continue
        words = " ".join(entry.declaration.words)
        options = [option.name for option in entry.options]
        yield words
        for name in options:
            yield f"{words} {name}={VALUES[name]}"
        if len(options) > 1:
            yield f"{words} " + " ".join(f"{name}={VALUES[name]}" for name in options)
        yield f"{words} seeds=2"
        yield f"mine = {words}"
    yield from ("bootstrap estimate=.632", "bootstrap estimate=.632+", "holdout test=0.125")
    yield from ("holdout test=1e-1", "repeated holdout test=33%", "time_series test=3")


def prints(meant, name):
    """Give the protocol lines of the plan and of its records."""
    text = "\n".join(plan_lines(meant))
    block = text.partition("\nProtocols\n")[2].partition("\n\n")[0]
    lines = [line.strip() for line in block.split("\n") if line.startswith("  protocol ")]
    records = [f"protocol mine = {record.written}" for record in meant.planned.plan.protocols]
    assert len(lines) == len(records)
    return [*lines, *records]


@for_each("form", list(dict.fromkeys(forms())))
def test_every_form_of_a_protocol_is_printed_as_it_may_be_written(folder, form):
    frame = FRAME.replace("{group}", "group g" if "group" in form else 'unit "rows"')
    text = frame.format(protocol=form)
    errors = [d for d in checked(text).diagnostics if d.severity is Severity.ERROR]
    assert bool(errors) == (form in ROWS), codes(text)
    if errors:
        return
    prepared = read_and_plan(study(text, folder))
    (meant,) = prepared.study.protocols
    for line in prints(prepared, meant.name):
        again = checked(frame.replace("protocol {protocol}", line))
        assert not [d.message for d in again.diagnostics if d.severity is Severity.ERROR], line
        (other,) = again.study.protocols
        assert (other.kind, other.by, other.path, other.seeds) == (
            meant.kind, meant.by, meant.path, meant.seeds
        )  # fmt: skip
        assert {k: float(v) if isinstance(v, int) or hasattr(v, "numerator") else v
                for k, v in other.options.items()} == pytest.approx(
               {k: float(v) if isinstance(v, int) or hasattr(v, "numerator") else v
                for k, v in meant.options.items()}, abs=0)  # fmt: skip


# --- pipelines ---------------------------------------------------------------------------------

PIPELINES = [
    "DecisionTreeClassifier(splitter=best)",
    'SimpleImputer(strategy=constant, fill_value="1") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="true") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="not known") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="a--b") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="a-") | GaussianNB',
    'SimpleImputer(strategy=constant, fill_value="x²") | GaussianNB',
    "SimpleImputer(strategy=constant, fill_value=-1) | GaussianNB",
    'columns([a, "mean radius", "all", "true", "CRP (mg/l)", "Sepal.Length"]: passthrough, '
    "rest: StandardScaler) | GaussianNB",
    'columns(["numeric"]: passthrough, numeric: StandardScaler) | GaussianNB',
    "LogisticRegression(solver=newton-cg, C in 1e-3..1e3 log 7)",
    "LogisticRegression(class_weight={0: 1, 1: 10.5}, tol=1e-05)",
    "SVC(kernel in [rbf, linear], gamma in [scale, 0.1])",
    "MLPClassifier(hidden_layer_sizes in [[10], [10, 5]])",
    "BaggingClassifier(estimator=DecisionTreeClassifier(max_depth=none))",
]


@for_each("pipeline", PIPELINES)
def test_a_pipeline_is_printed_as_it_may_be_written(pipeline):
    def meant(text):
        found = checked(
            'evallang 1\ndata d from "d.csv"\n  target y\n  task classification\n'
            f"model m = {text}\nprotocol cv folds=5\nmeasure accuracy\n"
            + ("tune grid cv=3\n" if " in " in text else "")
        )
        assert found.study is not None, [d.message for d in found.diagnostics]
        return found.study.models[0].pipeline

    first = meant(pipeline)
    assert repr(meant(written(first))) == repr(first)
