"""All metrics, models and pairs of a setting rest on the same resamples, and on nothing else."""

import numpy as np
import pytest
from msgspec.structs import replace
from studies import study, write_rows

from evallang.api import run

N = 300
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, N)
VALUE = RNG.normal(size=N)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("given")
    scores = [1 / (1 + np.exp(-(2 * TRUTH - 1 + k * RNG.normal(size=N)))) for k in (1, 2, 3)]
    rows = zip(range(N), TRUTH, *np.round(scores, 2), RNG.integers(0, 40, N), strict=True)
    write_rows(made, "scores.csv", "id,truth,a,b,c,ward", rows)
    values = [VALUE + k * RNG.normal(size=N) for k in (0.4, 0.6)]
    write_rows(made, "values.csv", "id,truth,a,b", zip(range(N), VALUE, *values, strict=True))
    return made


def scores(names, measures, group="", compare=""):
    given = "".join(f'  score {name} = "{column}"\n' for name, column in names.items())
    return (
        'evallang 1\npredictions p from "scores.csv"\n  id id\n  truth truth\n  positive 1\n'
        f"{group}{given}measure {measures}\n  interval bootstrap(rounds=300)\n{compare}"
    )


def estimates(results, renamed=None):
    """Give every estimate by its model and metric, under the models' first names."""
    first = {name: name for name in ("a", "b", "c")} | (renamed or {})
    return {(first[e.model], e.metric): replace(e, model=first[e.model]) for e in results.estimates}


@pytest.mark.parametrize("group", ["", "  group ward\n"])
def test_another_model_or_metric_or_name_changes_no_number(folder, group):
    few = run(study(scores({"a": "a", "b": "b"}, "brier, average_precision", group), folder))
    more = scores(
        {"c": "c", "a": "a", "z": "b"}, "log_loss, average_precision, roc_auc, f1, brier", group
    )
    found = estimates(run(study(more, folder)), {"z": "b"})
    expected = estimates(few)
    assert len(expected) == 4
    assert {key: found[key] for key in expected} == expected
    assert all(e.interval is not None for e in found.values())


def test_the_difference_of_two_models_is_that_of_their_own_resamples(folder):
    compare = "compare a, b with bootstrap(rounds=300) by brier\n"
    results = run(study(scores({"a": "a", "b": "b"}, "brier", compare=compare), folder))
    alone = scores({"a": "a", "b": "b", "c": "c"}, "brier, log_loss", compare=compare)
    again = run(study(alone, folder))
    assert results.comparisons[0].pairwise == again.comparisons[0].pairwise


@pytest.mark.parametrize("metric", ["brier", "roc_auc", "f1"])
def test_the_interval_of_a_permutation_test_ends_at_0_at_the_level_of_its_p(folder, metric):
    text = scores({"a": "a", "b": "b"}, metric)
    text += f"compare a, b by {metric} with permutation(rounds=500)\n"
    p = run(study(text, folder)).comparisons[0].pairwise[0].p
    for level, excluded in ((1 - p - 1e-6, True), (1 - p + 1e-6, False)):
        stated = text.replace("evallang 1\n", f"evallang 1\nstudy\n  confidence {level}\n", 1)
        found = run(study(stated, folder)).comparisons[0].pairwise[0].estimate
        assert (found.low is not None and not found.low <= 0 <= found.high) == excluded
