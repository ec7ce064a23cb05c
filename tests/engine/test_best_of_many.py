"""The best of many models on one test set: what it has once the choice is made on other rows."""

import numpy as np
import pytest
from studies import study, write_rows

from evallang.api.running import run

N = 150
COINS = "abcdefgh"
HEAD = 'evallang 1\nstudy\n  seed 2\npredictions p from "p.csv"\n  truth y\n  positive 1\n'


def coins(folder, models=COINS, share=0.5):
    """Write labels and predictions that are right in half of the rows, whatever the model."""
    draw = np.random.default_rng(11)
    y = (np.arange(N) % 2).tolist()
    right = draw.random((N, len(models))) < share
    rows = [[y[i], i % 3, *np.where(right[i], y[i], 1 - y[i])] for i in range(N)]
    write_rows(folder, "p.csv", ",".join(("y", "part", *models)), rows)
    return right


def expected(right, rounds=4000):
    """Return the mean accuracy, on rows not drawn, of the model that is best on those drawn."""
    draw = np.random.default_rng(99)
    found = []
    for _ in range(rounds):
        drawn = draw.integers(0, N, N)
        others = np.setdiff1d(np.arange(N), drawn)
        found.append(right[others, right[drawn].mean(axis=0).argmax()].mean())
    return np.mean(found)


def test_the_corrected_value_is_that_of_a_choice_on_other_rows(tmp_path):
    """The s.e. of a mean over 500 rounds of 55 rows is below 0.004."""
    right = coins(tmp_path)
    record = run(study(f"{HEAD}  models {', '.join(COINS)}\nmeasure accuracy\n", tmp_path)).record
    (found,) = record.best_of_many
    best = right.mean(axis=0)
    assert found.naive == pytest.approx(best.max(), abs=1e-12)
    assert found.model == COINS[best.argmax()]
    assert found.models == tuple(COINS)
    assert found.value == pytest.approx(expected(right), abs=0.015)
    assert found.value < found.naive - 0.02
    assert "tsamardinos2018" in {r.key for r in record.references}


@pytest.mark.parametrize(
    ("models", "more"),
    [("abcd", ""), (COINS, "  fold part\n")],
    ids=["four models", "three folds"],
)
def test_few_models_and_several_test_sets_have_none(tmp_path, models, more):
    coins(tmp_path)
    listed = ", ".join(models)
    made = study(f"{HEAD}  models {listed}\n{more}measure accuracy\n", tmp_path)
    assert run(made).record.best_of_many == ()


HOLDOUT = (
    "evallang 1\nstudy\n  seed 2\ndata cancer from sklearn breast_cancer\n  positive malignant\n"
    + "".join(f"model t{i} = DecisionTreeClassifier(max_depth={i})\n" for i in (1, 2, 3, 4))
    + "{}protocol holdout test=1/3\nmeasure accuracy\nreport html\n"
)


def test_the_report_states_the_corrected_estimate(tmp_path):
    made = study(HOLDOUT.format("model bayes = GaussianNB\nmodel b = DummyClassifier\n"), tmp_path)
    record = run(made, out=tmp_path / "out").record
    (found,) = record.best_of_many
    assert found.protocol == "holdout"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "The best of five models" in page
    words = page[page.index("The best of five models") :].split("</p>")[0]
    assert f"{found.value:.1%}" in words
    assert "BBC-CV" in words
