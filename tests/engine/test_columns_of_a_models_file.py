"""A model's columns are those of its own file, in every form in which a study names them.

Three models wrote a file each, with the same column names. What a study reports of each model is
recomputed from that model's rows as they were made, with scikit-learn, never read back.
"""

import json

import numpy as np
import pytest
from sklearn import metrics
from studies import errors_of, study, write_rows

from evallang.api import run
from evallang.api.checked_file import StudyError

N = 80
RNG = np.random.default_rng(5)
NAMES = ("A", "B", "C")
TRUTH = RNG.integers(0, 2, N)
POSITIVE = {
    name: np.clip(0.5 + (TRUTH - 0.5) * lead + RNG.normal(0, 0.25, N), 0.02, 0.98).round(3)
    for name, lead in zip(NAMES, (0.8, 0.4, 0.1), strict=True)
}
LABEL = {name: np.where(RNG.random(N) < share, TRUTH, 1 - TRUTH)
         for name, share in zip(NAMES, (0.95, 0.75, 0.55), strict=True)}  # fmt: skip
NUMBER = {name: (TRUTH + RNG.normal(0, spread, N)).round(3)
          for name, spread in zip(NAMES, (0.1, 0.5, 2.0), strict=True)}  # fmt: skip
PATTERN = 'scores {} = "p_*"'
IN = 'A in "a.csv", B in "b.csv", C in "c.csv"'
AS = 'A as {0} in "a.csv", B as {0} in "b.csv", C as {0} in "c.csv"'


@pytest.fixture
def files(tmp_path):
    """Write the three files, the rows of each in an order of its own.

    Each holds columns that are called like the other models, and one that fits the pattern of
    the scores without being one.
    """
    for name in NAMES:
        rows = RNG.permutation(N)
        write_rows(
            tmp_path,
            f"{name.lower()}.csv",
            "id,truth,value,said,p,p_0,p_1,p_total,right,A,B,C,number",
            (
                (i, TRUTH[i], TRUTH[i] + 0.5, LABEL[name][i], POSITIVE[name][i],
                 round(1 - POSITIVE[name][i], 3), POSITIVE[name][i], 1,
                 int(LABEL[name][i] == TRUTH[i]), *(LABEL[name][i],) * 3, NUMBER[name][i])
                for i in rows
            ),
        )  # fmt: skip
    return tmp_path


def estimates(folder, clauses, measured, head='predictions p from "a.csv", "b.csv", "c.csv"'):
    text = f"evallang 1\n{head}\n  id id\n{clauses}measure {measured}\n"
    found = run(study(text, folder))
    return {(e.model, e.metric): e.value for e in found.estimates}


def expected(measure, said, name):
    return {(model, name): measure(TRUTH, said[model]) for model in NAMES}


def of_scores():
    labels = {name: (POSITIVE[name] >= 0.5).astype(int) for name in NAMES}
    return {
        **expected(metrics.accuracy_score, labels, "accuracy"),
        **expected(metrics.roc_auc_score, POSITIVE, "roc_auc"),
    }


def of_labels_and_scores():
    return {
        **expected(metrics.accuracy_score, LABEL, "accuracy"),
        **expected(metrics.roc_auc_score, POSITIVE, "roc_auc"),
        **expected(metrics.brier_score_loss, POSITIVE, "brier"),
    }


def refused(text, folder):
    with pytest.raises(StudyError) as raised:
        run(study(text, folder))
    return errors_of(raised)


def each(form):
    return "".join(f"  {form.format(name)}\n" for name in NAMES)


CLASSES = "  truth truth\n  positive 1\n"


@pytest.mark.parametrize(
    "clauses",
    [AS.format("said"), IN],
    ids=["a column of one name in all files", "columns that are called like the models"],
)
def test_labels_are_read_from_the_models_own_file(files, clauses):
    found = estimates(files, f"{CLASSES}  models {clauses}\n", "accuracy")
    assert found == pytest.approx(expected(metrics.accuracy_score, LABEL, "accuracy"), abs=1e-12)


@pytest.mark.parametrize(
    "form",
    [
        "score {} = p",
        "scores {} = [p_0, p_1]",
        "scores {} = {{1: p_1, 0: p_0}}",
        'scores {} = "p_*"',
    ],
    ids=["one score", "a list", "a map", "a pattern"],
)
def test_scores_are_read_from_the_models_own_file_beside_its_labels(files, form):
    clauses = f"{CLASSES}  models {AS.format('said')}\n{each(form)}"
    found = estimates(files, clauses, "accuracy, roc_auc, brier")
    assert found == pytest.approx(of_labels_and_scores(), abs=1e-9)


@pytest.mark.parametrize("form", ["scores {} = [p_0, p_1]", 'scores {} = "p_*"'])
def test_labels_that_scores_imply_come_from_the_models_own_file(files, form):
    for name in NAMES:  # without columns that are called like the models
        rows = [line.split(",")[:8] for line in (files / f"{name.lower()}.csv").open()]
        write_rows(files, f"{name.lower()}.csv", ",".join(rows[0]), rows[1:])
    found = estimates(files, f"{CLASSES}  models {IN}\n{each(form)}", "accuracy, roc_auc")
    assert found == pytest.approx(of_scores(), abs=1e-9)


def test_outcomes_judged_elsewhere_are_read_from_the_models_own_file(files):
    right = {name: LABEL[name] == TRUTH for name in NAMES}
    found = estimates(files, f"  correct {AS.format('right')}\n", "accuracy")
    assert {model: value for (model, _), value in found.items()} == pytest.approx(
        {name: right[name].mean() for name in NAMES}
    )
    found = estimates(files, f'  value "gain" {AS.format("number")}\n  higher is better\n', "gain")
    assert {model: value for (model, _), value in found.items()} == pytest.approx(
        {name: NUMBER[name].mean() for name in NAMES}
    )


def test_numbers_are_read_from_the_models_own_file(files):
    truth = TRUTH + 0.5
    clauses = f"  truth value\n  task regression\n  models {AS.format('number')}\n"
    found = estimates(files, clauses, "mae")
    assert {model: value for (model, _), value in found.items()} == pytest.approx(
        {name: np.abs(truth - NUMBER[name]).mean() for name in NAMES}
    )


def test_logs_of_language_models_are_read_from_the_models_own_file(tmp_path):
    right = {name: LABEL[name] == TRUTH for name in NAMES}
    for name in NAMES:
        lines = [{"doc_id": int(i), "exact_match": float(right[name][i])}
                 for i in RNG.permutation(N)]  # fmt: skip
        text = "\n".join(map(json.dumps, lines))
        (tmp_path / f"{name.lower()}.jsonl").write_text(text, encoding="utf-8")
    head = 'predictions p from "a.jsonl", "b.jsonl", "c.jsonl"'
    clauses = AS.format("exact_match").replace(".csv", ".jsonl")
    text = f"evallang 1\n{head}\n  id doc_id\n  correct {clauses}\nmeasure accuracy\n"
    found = run(study(text, tmp_path))
    assert {e.model: e.value for e in found.estimates} == pytest.approx(
        {name: right[name].mean() for name in NAMES}
    )


@pytest.mark.parametrize("direction", [1, -1])
def test_the_order_of_the_files_changes_nothing(files, direction):
    names = ", ".join(['"a.csv"', '"b.csv"', '"c.csv"'][::direction])
    clauses = f"{CLASSES}  models {AS.format('said')}\n{each(PATTERN)}"
    found = estimates(files, clauses, "accuracy, roc_auc, brier", f"predictions p from {names}")
    assert found == pytest.approx(of_labels_and_scores(), abs=1e-9)


@pytest.mark.parametrize(
    "form",
    [
        "score {} = p",
        "scores {} = [p_0, p_1]",
        "scores {} = {{0: p_0, 1: p_1}}",
        'scores {} = "p_*"',
    ],
)
def test_columns_of_several_files_without_a_file_are_refused_with_the_right_file(files, form):
    text = (
        'evallang 1\npredictions p from "c.csv", "a.csv", "b.csv"\n  id id\n'
        f"{CLASSES}{each(form)}measure roc_auc\n"
    )
    found = refused(text, files)
    assert [d.code for d in found] == ["E443"] * 3
    for error in found:
        assert f"`models {IN}`" in error.help
    mended = text.replace("  positive", f"  models {IN}\n  positive")
    results = run(study(mended, files))
    values = {(e.model, e.metric): e.value for e in results.estimates}
    assert values == pytest.approx(expected(metrics.roc_auc_score, POSITIVE, "roc_auc"), abs=1e-9)


def test_a_pattern_that_fits_columns_of_two_files_is_refused_though_their_names_differ(tmp_path):
    rows = list(zip(range(N), np.where(TRUTH, "pos", "neg"), POSITIVE["A"], strict=True))
    write_rows(tmp_path, "a.csv", "id,y,p_neg,p_pos", [(i, y, 1 - p, p) for i, y, p in rows])
    write_rows(tmp_path, "b.csv", "id,p_no,p_yes", [(i, 1 - p, p) for i, _, p in rows])
    text = (
        'evallang 1\npredictions p from "a.csv", "b.csv"\n  id id\n  truth y\n  positive pos\n'
        '  scores A = "p_*"\n  scores B = "p_*"\nmeasure roc_auc\n'
    )
    assert {d.code for d in refused(text, tmp_path)} == {"E443"}


def test_where_no_file_is_called_like_a_model_the_help_leaves_the_choice(tmp_path):
    for name in ("monday", "friday"):
        rows = zip(range(N), TRUTH, LABEL["A"], strict=True)
        write_rows(tmp_path, f"{name}.csv", "id,y,said", rows)
    text = (
        'evallang 1\npredictions p from "monday.csv", "friday.csv"\n  id id\n  truth y\n'
        "  models A as said\n  models B as said\nmeasure accuracy\n"
    )
    found = refused(text, tmp_path)
    assert len(found) == 2
    for error in found:
        assert 'in "FILE"` with the file of this model: `monday.csv`, `friday.csv`' in error.help
