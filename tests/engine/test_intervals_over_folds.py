"""A bootstrap interval of a ranking metric is about what is estimated: the mean of the folds."""

import numpy as np
import pytest
from studies import study

from evallang.api import run

TEXT = """evallang 1
data d from "d.csv"
  target y
  positive 1
{group}model prior = DummyClassifier
model near = KNeighborsClassifier(n_neighbors=3)
protocol cv folds=5
measure {metric}
  interval bootstrap(rounds=300, method=percentile)
"""


def estimates(tmp_path, metric, group):
    rng = np.random.default_rng(3)
    x = rng.normal(size=83)
    y = (x + rng.normal(size=83) > 0.4).astype(int)
    lines = [f"{a},{b},{i % 30}" for i, (a, b) in enumerate(zip(x.tolist(), y, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(["x,y,g", *lines]))
    return run(study(TEXT.format(metric=metric, group=group), tmp_path)).estimates


@pytest.mark.parametrize("group", ["", "  group g\n"])
def test_a_model_that_ranks_nothing_has_half_the_area_in_every_resample(tmp_path, group):
    # it gives all rows of a fold one score, and rows of different folds different ones: each
    # fold's area is 1/2 under any weights; pooled over folds the area is below 1/2, since a
    # fold with more positives is scored by a training part with fewer
    prior, near = estimates(tmp_path, "roc_auc", group)
    assert (prior.value, prior.interval, prior.no_interval) == (0.5, None, "no_width")
    assert near.interval.low < near.value < near.interval.high
