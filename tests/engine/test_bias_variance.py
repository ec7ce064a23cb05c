"""`analyze bias_variance`: parts that add up, by definition and by fits of scikit-learn."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier
from studies import study

from evallang.analyses.bias_variance import Rounds, decomposed
from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.api.results import Results
from evallang.results.codec import to_plain

TREES = """\
evallang 1
study "Parts"
  seed 2
data wine from sklearn wine
model tree = DecisionTreeClassifier(max_depth=2, random_state=0)
model bayes = GaussianNB
model prior = DummyClassifier
protocol cv folds=5
measure accuracy
"""


def parts_of(values, name):
    (found,) = [d for d in values["decompositions"] if d["name"] == name]
    return {part["name"]: part["value"] for part in found["parts"]}, found["total"]


def out_of_bag_predictions(text, estimator, X, y):
    """Fit as the plan says, in scikit-learn; give the predictions of every row."""
    planned = read_and_plan(study(text)).planned
    found = {row: [] for row in range(len(y))}
    for key in {p.key: None for p in planned.layout.subsets if p.model in ("tree", "line")}:
        task = planned.fits[key]
        assert len(task.refit) == len(y)
        assert set(task.test) == set(range(len(y))) - set(task.refit)
        fitted = estimator.fit(X[task.refit], y[task.refit])
        for row, label in zip(task.test, fitted.predict(X[task.test]), strict=True):
            found[row].append(label)
    return {row: labels for row, labels in found.items() if len(labels) > 1}


def test_zero_one_loss_is_split_as_domingos_and_as_kohavi_and_wolpert_define():
    """By their definitions, row by row in fractions; rounds come from scikit-learn's trees."""
    text = f"{TREES}analyze bias_variance(rounds=25)\n"
    X, y = load_wine(return_X_y=True)
    by_row = out_of_bag_predictions(text, DecisionTreeClassifier(max_depth=2, random_state=0), X, y)
    bias = unbiased = biased = loss = squared = spread = Fraction(0)
    for row, labels in by_row.items():
        n = len(labels)
        counts = Counter(labels)
        most = max(counts.values())
        main = min(label for label, times in counts.items() if times == most)
        share = {c: Fraction(counts[c], n) for c in range(3)}
        loss += 1 - share[y[row]]
        if main == y[row]:
            unbiased += 1 - share[main]
        else:
            bias += 1
            biased -= share[y[row]]
        # unbiased terms: E[p(1-p)] is estimated by p(1-p) n/(n-1)
        noise = sum(p * (1 - p) for p in share.values()) / (n - 1)
        squared += (sum(((c == y[row]) - p) ** 2 for c, p in share.items()) - noise) / 2
        spread += (1 - sum(p**2 for p in share.values()) + noise) / 2
    results = run(study(text))
    tree, bayes = results.record.analyses
    assert (tree.model, bayes.model, tree.protocol) == ("tree", "bayes", None)
    n = len(by_row)
    assert tree.values["n"] == n
    parts, total = parts_of(tree.values, "Domingos")
    assert parts == pytest.approx(
        {"bias": float(bias / n), "variance of unbiased rows": float(unbiased / n),
         "variance of biased rows": float(biased / n)}, abs=1e-12,
    )  # fmt: skip
    assert total == pytest.approx(float(loss / n), abs=1e-12)
    parts, total = parts_of(tree.values, "Kohavi and Wolpert")
    assert parts == pytest.approx(
        {"squared bias": float(squared / n), "variance": float(spread / n)}, abs=1e-12
    )
    for item in (tree, bayes):
        for decomposition in item.values["decompositions"]:
            added = sum(part["value"] for part in decomposition["parts"])
            assert added == pytest.approx(item.values["value"], abs=1e-14)


def test_squared_loss_is_split_as_numpy_does_and_adds_up():
    text = (
        'evallang 1\nstudy "S"\n  seed 1\ndata sugar from sklearn diabetes\n'
        "model line = Ridge\nprotocol cv folds=5\nmeasure mse\n"
        "analyze bias_variance(rounds=20)\n"
    )
    X, y = load_diabetes(return_X_y=True)
    by_row = out_of_bag_predictions(text, Ridge(), X, y)
    variance = np.mean([np.var(p, ddof=1) for p in by_row.values()])
    loss = np.mean([np.mean((y[row] - np.array(p)) ** 2) for row, p in by_row.items()])
    (item,) = run(study(text)).record.analyses
    parts, total = parts_of(item.values, "Squared loss")
    assert parts["variance"] == pytest.approx(variance, rel=1e-10)
    assert total == pytest.approx(loss, rel=1e-10)
    assert sum(parts.values()) == pytest.approx(total, rel=1e-12)


def test_terms_are_unbiased_for_few_rounds():
    """A row with predictions N(3, 4) and outcome 5: squared bias 4, variance 4, with 3 rounds;
    a row with shares .6, .3, .1 and outcome the first: Kohavi and Wolpert's .13 and .27."""
    rng = np.random.default_rng(3)
    n = 40_000
    row = np.repeat(np.arange(n), 3)
    numbers = Rounds(np.full(n, 5.0), row, rng.normal(3, 2, 3 * n), None, None, 3, 0)
    (found,) = decomposed(numbers).decompositions
    values = {part.name: part.value for part in found.parts}
    assert values["squared bias"] == pytest.approx(4, abs=0.12)  # 4 standard errors
    assert values["variance"] == pytest.approx(4, abs=0.09)
    labels = rng.choice(3, 3 * n, p=[0.6, 0.3, 0.1])
    classes = Rounds(np.zeros(n, dtype=int), row, labels, 3, None, 3, 0)
    kohavi = decomposed(classes).decompositions[1]
    values = {part.name: part.value for part in kohavi.parts}
    assert values["squared bias"] == pytest.approx((0.4**2 + 0.3**2 + 0.1**2) / 2, abs=0.005)
    assert values["variance"] == pytest.approx((1 - 0.36 - 0.09 - 0.01) / 2, abs=0.005)


def test_rows_are_weighted_and_those_predicted_once_are_excluded():
    found = Rounds(
        np.array([0, 1, 1]), np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 1, 0]), 2,
        np.array([3.0, 1.0, 7.0]), 2, 0,
    )  # fmt: skip
    values = decomposed(found)
    assert (values.n, values.left_out, values.fewest) == (2, 1, 2)
    assert values.value == pytest.approx(3 / 4 * 1 / 2)
    with pytest.raises(ValueError, match="no row was held out in two"):
        decomposed(Rounds(np.zeros(3), np.array([0, 1]), np.zeros(2), None, None, 1, 0))


def test_rounds_share_the_fits_of_a_bootstrap_with_as_many(tmp_path):
    alone = f"{TREES}analyze bias_variance(rounds=12)\nreport html\n"
    assert read_and_plan(study(alone)).planned.plan.n_fits == 3 * 5 + 2 * 12
    text = alone.replace("cv folds=5", "bootstrap rounds=12 estimate=oob")
    assert read_and_plan(study(text)).planned.plan.n_fits == 3 * 13
    results = run(study(alone, tmp_path))
    shared = run(study(text)).record.analyses
    assert [item.values["rounds"] for item in shared] == [12, 12]
    results.save(tmp_path / "out")
    again = Results.load(tmp_path / "out" / "results.json").record.analyses
    assert to_plain(again) == to_plain(results.record.analyses)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Parts of the expected zero-one loss" in page
