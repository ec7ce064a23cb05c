"""What a run says of one feature is in the results and in the report, accepted or not."""

import random

import pytest
from studies import study

import evallang as ev

TEXT = """\
evallang 1
study
  seed 5
data cars from "cars.csv"
{waiver}  target cost
model mean = DummyRegressor
model ridge = StandardScaler | Ridge
protocol cv folds=5
measure mae
report html
"""
RULE = "feature_as_good_as_models"
WAIVER = f"  # evallang: allow {RULE} because the estimate is made when the car arrives\n"


@pytest.fixture
def cars(tmp_path, monkeypatch):
    """Costs, an estimate that is the cost with noise (R2 of about .95), and two other columns."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(17)
    rows = ["km,doors,estimate,cost"]
    for _ in range(300):
        km = draw.gauss(90, 30)
        cost = 4 * km + draw.gauss(300, 150)
        rows.append(f"{km:.2f},{draw.choice([3, 5])},{cost + draw.gauss(0, 45):.2f},{cost:.2f}")
    (tmp_path / "cars.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def told(results):
    """Return codes and reasons as results.json has them."""
    return [(d["code"], d["allowed_because"]) for d in results.record.diagnostics]


def report(results, folder):
    results.save(folder / "out", ("html",))
    return (folder / "out" / "report.html").read_text(encoding="utf-8")


def test_its_waiver_is_printed_with_its_reason(cars):
    results = ev.run(study(TEXT.format(waiver=WAIVER), cars))
    reason = "the estimate is made when the car arrives"
    assert ("W512", reason) in told(results)
    assert f"because {reason}" in report(results, cars)
    assert "W162" not in [code for code, _ in told(results)]


def test_a_waiver_of_nothing_is_reported_after_the_run_alone(cars):
    text = TEXT.format(waiver=WAIVER).replace("target cost", "target cost\n  features km, doors")
    made = study(text, cars)
    assert [d.code for d in made.diagnostics if d.code == "W162"] == []
    assert ("W162", None) in told(ev.run(made))
