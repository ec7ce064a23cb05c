"""Counts of examples suffice for whatever is said to need no single rows."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

from evallang.api import read_and_plan
from evallang.api.checked_file import StudyError
from evallang.api.preparing import Prepared
from evallang.api.study_file import StudyFile, check_text
from evallang.compatibility.counts import rows_asked
from evallang.compatibility.hypothesis_tests import reads_order
from evallang.diagnostics import Diagnostic, Severity
from evallang.engine import run as engine
from evallang.engine.backends.workers import Workers
from evallang.metrics.metric import METRICS
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.inputs import INPUTS, Counts, Subject
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Method

N = 60
CLASSES = {"two": ("no", "yes"), "three": ("cat", "cow", "dog")}
SOURCES = {
    "two": "  positive yes\n" + "".join(f"  score {m} = score_{m}\n" for m in "abc"),
    "three": "",
}
COSTS = {"two": "[[0, 5], [1, 0]]", "three": "[[0, 5, 1], [1, 0, 1], [2, 1, 0]]"}
NEEDED = {"beta": "2", "share": "30%", "threshold": "30%", "margin": "10%", "rounds": "20"}
BY_ORDER = ("roc_auc", "average_precision")
BY_LABEL = ("accuracy", "recall", "balanced_accuracy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write predictions of two and of three classes, each in two parts."""
    place, rng = tmp_path_factory.mktemp("counts"), np.random.default_rng(3)
    for name, classes in CLASSES.items():
        truth = rng.choice(classes, N)
        columns = {"truth": truth, "site": rng.choice(["north", "south"], N)}
        for model in "abc":
            columns[model] = np.where(rng.random(N) < 0.7, truth, rng.choice(classes, N))
            columns[f"score_{model}"] = (0.3 * (truth == classes[-1]) + 0.7 * rng.random(N)).round(
                2
            )
        (place / name).mkdir()
        for part, rows in enumerate(pl.DataFrame(columns).iter_slices(N // 2)):
            rows.write_parquet(place / f"{name}/{part}.parquet")
    return place


def counted_lines(folder: Path, source: str, lines: list[str]) -> Prepared:
    """Read a study of the lines that check, and that are said to need counts alone."""
    head = f'evallang 1\npredictions p from "{source}/{{part}}.parquet"\n  truth truth\n'
    head += f"  models a, b, c\n{SOURCES[source]}"
    lines = ["measure accuracy\n", *dict.fromkeys(lines)]
    while True:
        study = check_text(head + "".join(lines), "study.eval", folder)
        wrong, prepared = _errors(study.diagnostics), None
        if study.meant is not None:
            wrong = {one.span.start for one in _of_rows(study)}
        if not wrong:
            try:
                prepared = read_and_plan(study)
            except StudyError as error:
                wrong = _errors(error.diagnostics)
        kept, start = [], len(head)
        for line in lines:
            if not any(start <= place < start + len(line) for place in wrong):
                kept.append(line)
            start += len(line)
        if prepared is not None:
            return prepared
        assert len(kept) < len(lines), "an error is in a line"
        lines = kept


def _errors(diagnostics: Iterable[Diagnostic]) -> set[int]:
    return {d.span.start for d in diagnostics if d.severity is Severity.ERROR and d.span}


def _of_rows(study: StudyFile) -> list:
    """Return the parts of a study that ask for single rows, analyses with each comparison."""
    meant = replace(study.meant, measures=(), comparisons=(), requirements=(), analyses=())
    found = []
    for kind in ("measures", "requirements", "analyses"):
        every = getattr(study.meant, kind)
        found += [one for one in every if rows_asked(replace(meant, **{kind: (one,)}))]
    left = tuple(one for one in study.meant.analyses if one not in found)
    with_analyses = replace(meant, analyses=left)
    found += [
        line
        for line in study.meant.comparisons
        if rows_asked(replace(with_analyses, comparisons=(line,)))
    ]
    return found


def run_counted(prepared: Prepared) -> None:
    """Run a study on the counts of its rows alone."""
    assert prepared.read.imported[0].times is not None, "the rows were counted"
    engine.run(prepared.study, prepared.read, prepared.planned, workers=Workers(1))


def _written(name: str, options: list[str], source: str) -> str:
    given = [f"{o}={NEEDED[o]}" for o in options if o in NEEDED]
    given += [f"matrix={COSTS[source]}"] if "matrix" in options else []
    return f"{name}({', '.join(given)})" if given else name


def _metrics(source: str) -> list[str]:
    found = [_written(m.name, [o.name for o in m.options if o.required], source) for m in METRICS]
    averages = [f"f1(average={one})" for one in ("macro", "micro", "weighted")]
    return [*found, *averages, "roc_auc(distinct=9)", "recall(at_specificity=90%)"]


def _tests(source: str) -> list[str]:
    return [
        _written(t.name, [o.name for o in t.options if o.required or o.name == "rounds"], source)
        for t in HYPOTHESIS_TESTS
        if not reads_order(Method(t.name))  # which makes the rows those of a series
    ]


def _intervals() -> list[str]:
    return [
        _written(i.name, [o.name for o in i.options if o.name == "rounds"], "")
        for i in INTERVALS
        if any(INPUTS.are_made(Subject.ESTIMATE, i.inputs, counts) for counts in Counts)
    ]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("interval", ["", *_intervals()])
def test_metrics_and_their_intervals(folder: Path, source: str, interval: str) -> None:
    below = f"\n  interval {interval}\n" if interval else " within site\n"
    lines = [f"measure {metric}{below}" for metric in _metrics(source)]
    run_counted(counted_lines(folder, source, lines))


@pytest.mark.parametrize("source", SOURCES)
def test_tests_of_pairs_and_of_all_models(folder: Path, source: str) -> None:
    metrics, tests = (*BY_LABEL, *BY_ORDER), _tests(source)
    lines = [
        f"compare {models} with {test} by {metric} exploratory\n"
        for metric, test, models in product(metrics, tests, ("a, b", "a, b, c", "a"))
    ]
    lines += [f"compare with delong then {test} by roc_auc exploratory\n" for test in tests]
    found = counted_lines(folder, source, lines)
    assert len(found.study.comparisons) > 20
    run_counted(found)


@pytest.mark.parametrize("source", SOURCES)
def test_corrections(folder: Path, source: str) -> None:
    tests = [t for t in _tests(source) if t.partition("(")[0] in ("mcnemar", "bootstrap", "delong")]
    lines = [
        f"compare with {test} {correction.name} by {metric} exploratory\n"
        for test, correction, metric in product(tests, CORRECTIONS, ("accuracy", "roc_auc"))
    ]
    run_counted(counted_lines(folder, source, lines))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("analysis", ["sensitivity", "power(difference=2%)"])
def test_analyses_of_tests(folder: Path, source: str, analysis: str) -> None:
    tests = _tests(source) if analysis == "sensitivity" else ["mcnemar", "delong"]
    lines = [
        f"compare with {test} by {metric}\n"
        for test, metric in product(tests, ("accuracy", "balanced_accuracy", "roc_auc"))
    ]
    found = counted_lines(folder, source, [f"analyze {analysis}\n", *lines])
    assert found.study.analyses
    run_counted(found)


@pytest.mark.parametrize("source", SOURCES)
def test_requirements(folder: Path, source: str) -> None:
    lines = []
    for metric in (*BY_LABEL, *BY_ORDER, "cost_curve_area", "ranking_loss"):
        lines += [f"require {metric} of a >= 10%\n", f"require {metric} of a >= 10% within site\n"]
        lines += [f"require a not worse than b by 10% in {metric}\n"]
        lines += [f"require a equivalent to b within 10% in {metric}\n"]
        lines += [f"require a better than b in {metric}\n"]
        lines += [f"require a better than c with {test} in {metric}\n" for test in _tests(source)]
    found = counted_lines(folder, source, lines)
    assert {one.kind for one in found.study.requirements} == {
        "level", "superior", "noninferior", "equivalent",
    }  # fmt: skip
    run_counted(found)
