"""mlxtend's bootstrap of a learner against Efron and Tibshirani 1997 (peers.md 2.1)."""

import numpy as np
import pytest
from mlxtend.evaluate import bootstrap_point632_score
from sklearn.neighbors import KNeighborsClassifier
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan

TEXT = """evallang 1
data noise from "noise.csv"
  target y
model knn = KNeighborsClassifier(n_neighbors={k})
protocol bootstrap rounds=60 estimate={estimate}
measure error_rate
"""


@pytest.fixture
def noise(tmp_path):
    """60 rows whose two classes are drawn apart from the features."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.permutation(np.arange(60) % 2)
    rows = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "noise.csv").write_text("a,b,y\n" + "\n".join(rows) + "\n")
    return tmp_path, X, y


def plain_loop(k, estimate, folder, X, y):
    """Apparent, out-of-bag and no-information error, written out over the study's resamples."""
    text = TEXT.format(k=k, estimate=estimate)
    splits = read_and_plan(study(text, folder)).planned.layout.splits["noise", "bootstrap"]
    sums, counts = np.zeros(60), np.zeros(60)
    for split in splits[1:]:
        model = KNeighborsClassifier(k).fit(X[split.train], y[split.train])
        sums[split.test] += model.predict(X[split.test]) != y[split.test]
        counts[split.test] += 1
    full = KNeighborsClassifier(k).fit(X, y).predict(X)
    out = counts > 0
    return np.mean(full != y), np.mean(sums[out] / counts[out]), np.mean(y[:, None] != full)


def test_the_632_plus_error_stays_in_the_unit_interval_which_mlxtends_leaves(noise):
    folder, X, y = noise
    theirs = 1 - bootstrap_point632_score(
        KNeighborsClassifier(5), X, y, n_splits=100, method=".632+", random_seed=1
    )
    assert theirs.min() < 0 or theirs.max() > 1  # peers.md, fact 2: from -55.9 to 10.4
    found = run(study(TEXT.format(k=5, estimate=".632+"), folder)).estimates[0]
    err, oob, gamma = plain_loop(5, ".632+", folder, X, y)
    capped = min(oob, gamma)
    rate = (capped - err) / (gamma - err) if capped > err and gamma > err else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    assert found.value == pytest.approx((1 - weight) * err + weight * capped, rel=1e-12)
    assert 0 <= found.value <= 1
    assert 0 <= found.extra["R"] <= 1
    assert found.extra["gamma"] == pytest.approx(gamma, rel=1e-12)


def test_the_apparent_error_is_that_of_the_model_fitted_on_all_rows(noise):
    folder, X, y = noise
    found = run(study(TEXT.format(k=1, estimate=".632"), folder)).estimates[0]
    err, oob, _ = plain_loop(1, ".632", folder, X, y)
    assert err == 0.0  # 1-NN on its own training rows
    assert found.value == pytest.approx(0.632 * oob, rel=1e-12)
    # mlxtend takes for it the error of each resample's model on all rows, a third of them unseen
    theirs = 1 - bootstrap_point632_score(
        KNeighborsClassifier(1), X, y, n_splits=100, method=".632", random_seed=1
    )
    assert theirs.mean() > found.value + 0.04  # peers.md, fact 2: .390 where .320 is right
