"""A model's columns are those of its own file, in every form in which a study names them.

Three models wrote a file each, with the same column names. What a study reports of each model is
recomputed from that model's rows as they were made, with scikit-learn, never read back.
"""

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
