"""`target log` and `target sqrt`: models learn on the scale, everything else is on the author's."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studies import study

import evallang as ev

TEXT = """\
evallang 1
study "Costs"
  seed 2
data costs from "costs.csv"
  target {target}
  features a, b{more}
model ridge = StandardScaler | Ridge({alpha})
protocol split by part
measure mae
"""
INVERSE = {"log": np.exp, "sqrt": lambda values: np.maximum(values, 0) ** 2}
FORWARD = {"log": np.log, "sqrt": np.sqrt}


@pytest.fixture
def costs(tmp_path, monkeypatch):
    """Costs that grow exponentially, 60 rows to learn from and 30 to be tested on."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(8)
    a, b = draw.normal(size=(2, 90))
    cost = np.exp(2 + a - b / 2 + draw.normal(scale=0.3, size=90))
    part = np.where(np.arange(90) < 60, "train", "test")
    weight = draw.integers(1, 5, 90)
    frame = pl.DataFrame({"a": a, "b": b, "cost": cost, "part": part, "w": weight})
    frame.write_csv("costs.csv")
    return pl.read_csv("costs.csv")


@pytest.mark.parametrize("scale", ["log", "sqrt"])
def test_predictions_are_those_of_a_transformed_target(costs, scale):
    made = ev.run(study(TEXT.format(target=f"{scale} cost", more="", alpha="alpha=3")))
    x, y = costs.select("a", "b").to_numpy(), costs["cost"].to_numpy()
    peer = TransformedTargetRegressor(
        make_pipeline(StandardScaler(), Ridge(alpha=3)),
        func=FORWARD[scale],
        inverse_func=INVERSE[scale],
        check_inverse=False,
    ).fit(x[:60], y[:60])
    expected = mean_absolute_error(y[60:], peer.predict(x[60:]))
    assert made.record.estimates[0].value == pytest.approx(expected, abs=1e-9)
    plain = ev.run(study(TEXT.format(target="cost", more="", alpha="alpha=3")))
    assert plain.record.estimates[0].value != pytest.approx(expected, rel=0.01)
    assert any("models learn" in note for note in made.record.data[0].notes)


def test_candidates_are_chosen_by_the_metric_on_the_own_scale(costs):
    text = TEXT.format(target="log cost", more="", alpha="alpha in [0.1, 30, 3000]")
    made = ev.run(study(text.replace("measure", "tune by mae cv=3\nmeasure")))
    x, y = costs.select("a", "b").to_numpy(), costs["cost"].to_numpy()
    model = TransformedTargetRegressor(
        make_pipeline(StandardScaler(), Ridge()), func=np.log, inverse_func=np.exp
    )
    search = GridSearchCV(
        model,
        {"regressor__ridge__alpha": [0.1, 30, 3000]},
        scoring="neg_mean_absolute_error",
        cv=3,
    ).fit(x[:60], y[:60])
    chosen = made.record.selections[0].params["alpha"]
    assert chosen == search.best_params_["regressor__ridge__alpha"]


def test_weights_reach_the_model_behind_the_scale(costs):
    made = ev.run(study(TEXT.format(target="log cost", more="\n  weight w", alpha="alpha=3")))
    x, y, w = (costs.select("a", "b").to_numpy(), costs["cost"].to_numpy(), costs["w"].to_numpy())
    scaler = StandardScaler().fit(x[:60])
    peer = Ridge(alpha=3).fit(scaler.transform(x[:60]), np.log(y[:60]), sample_weight=w[:60])
    errors = np.abs(y[60:] - np.exp(peer.predict(scaler.transform(x[60:]))))
    expected = float(np.average(errors, weights=w[60:]))
    assert made.record.estimates[0].value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("scale", "value"), [("log", 0.0), ("log", -1.0), ("sqrt", -0.5)])
def test_a_target_outside_the_scale_is_an_error_that_names_the_row(costs, scale, value):
    costs.with_columns(
        cost=pl.when(pl.int_range(pl.len()) == 4).then(value).otherwise("cost")
    ).write_csv("costs.csv")
    found = study(TEXT.format(target=f"{scale} cost", more="", alpha="alpha=3"))
    with pytest.raises(ev.StudyError) as raised:
        found.plan()
    assert [d.name for d in raised.value.diagnostics if d.severity == "error"] == [
        "target_outside_scale"
    ]
    assert "row" in str(raised.value)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("log ", "Models were fitted to the natural logarithm of cost"),
        ("sqrt ", "Models were fitted to the square root of cost"),
        ("", None),
    ],
)
def test_the_methods_text_states_the_scale_of_fits_and_of_measures(costs, scale, words):
    made = ev.run(study(TEXT.format(target=f"{scale}cost", more="", alpha="alpha=3")))
    made.save("out", ("markdown",))
    told = Path("out/methods.md").read_text(encoding="utf-8")
    own = "all measures are on the scale of cost itself"
    assert (words in told and own in told) if words else "fitted to the" not in told
    ev.Results.load("out").render("latex", folder="again")
    told = Path("again/methods.tex").read_text(encoding="utf-8")
    assert (words in told and own in told) if words else "fitted to the" not in told
