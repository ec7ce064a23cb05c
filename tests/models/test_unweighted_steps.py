"""Steps before the last that could take weights and get none are named."""

import pytest
from studies import study, write_rows

from evallang.api import run
from evallang.models.abilities import unweighted_steps

TEXT = """evallang 1
study "Weighted"
  seed 1
data d from "d.csv"
  target y
  positive b
  weight w
model a = StandardScaler | LogisticRegression
model b = MinMaxScaler | GaussianNB
model c = columns(numeric: SplineTransformer | StandardScaler) | DecisionTreeClassifier
protocol holdout test=1/3
measure accuracy
"""


@pytest.fixture
def results(tmp_path):
    rows = [(i % 7, i % 5 + 0.5 * (i % 2), 1 + i % 3, "ab"[i % 2]) for i in range(90)]
    write_rows(tmp_path, "d.csv", "u,v,w,y", rows)
    return run(study(TEXT, tmp_path))


def test_they_are_those_whose_fit_takes_weights(results):
    """scikit-learn: has_fit_parameter(StandardScaler(), "sample_weight") and SplineTransformer."""
    from sklearn.preprocessing import MinMaxScaler, SplineTransformer, StandardScaler
    from sklearn.utils.validation import has_fit_parameter

    takes = {
        kind.__name__: has_fit_parameter(kind(), "sample_weight")
        for kind in (StandardScaler, MinMaxScaler, SplineTransformer)
    }
    found = {model.name: model.unweighted_steps for model in results.record.models}
    expected = {
        "a": ["StandardScaler"],
        "b": ["MinMaxScaler"],
        "c": ["SplineTransformer", "StandardScaler"],
    }
    assert found == {k: tuple(n for n in names if takes[n]) for k, names in expected.items()}
    assert found["a"] == ("StandardScaler",)
    assert any("StandardScaler would take them" in n for n in results.record.models[0].notes)


def test_a_single_step_has_none():
    (model,) = study(
        "data iris from sklearn iris\nmodel a = GaussianNB\nprotocol cv\n"
    ).meant.models
    assert unweighted_steps(model.pipeline) == ()
