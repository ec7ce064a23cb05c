"""Predicted numbers next to what was observed, series over time, and survival by risk groups."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import CensoredData, ecdf
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import TimeSeriesSplit

import evallang as ev
from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.formats.csv_tables import csv_text
from evallang.reporting.report import plain
from evallang.reporting.section import build
from evallang.stats.kaplan_meier import kaplan_meier
from evallang.stats.local_lines import local_line

PREDICTED = """
evallang 1
study
  seed 3
predictions houses from "x.csv"
  id id
  truth price
  models good, bad
  task regression
measure mae
"""
FORECAST = """
evallang 1
study
  seed 3
data load from "x.csv"
  target load
  task regression
  unit "days"
stratify none
model line "Line" = LinearRegression
model mean "Mean" = DummyRegressor
protocol time_series folds=4 gap=2 test=20
measure mae
"""
SURVIVAL = """
evallang 1
study
  seed 3
predictions trial from "x.csv"
  id id
  truth months
  event died
  models cox "Cox"
  score cox = "risk"
  unit "patients"
measure concordance
"""


def drawn(text, name, table):
    record = ev.run(ev.parse(text), data={name: table}, store="off", look=False).record
    sections = [s for s in build(Context(record)).sections if s.name == "predictions"]
    blocks = {b.id: (b, s.supplement) for s in sections for b in s.blocks}
    return record, blocks


def houses(n):
    rng = np.random.default_rng(n)
    price = rng.normal(200, 40, n)
    table = {"id": np.arange(n), "price": price}
    for model, spread in (("good", 10), ("bad", 50)):
        table[model] = price + rng.normal(0, spread, n)
    return table


def test_the_points_are_the_predictions_and_the_table_has_the_quartiles_of_all_residuals():
    table = houses(60)
    record, blocks = drawn(PREDICTED, "houses", table)
    assert [one.model for one in record.predictions] == ["good", "bad"]
    for one in record.predictions:
        assert one.n == 60 and one.observed == tuple(table["price"])
        assert one.predicted == tuple(table[one.model])
        rests = table["price"] - table[one.model]
        assert one.residuals == pytest.approx(np.percentile(rests, [0, 25, 50, 75, 100]), rel=1e-12)
    for name in ("predictions", "residuals"):
        figure, further = blocks[f"figure-{name}-1"]
        assert isinstance(figure, Figure) and further
        assert [plain(panel.title) for panel in figure.panels] == ["good", "bad"]
    cloud = next(m for m in figure.panels[0].drawing.marks if m.apart)
    assert len(cloud.points) == 60
    (whole,) = (b for b, _ in blocks.values() if isinstance(b, Table))
    rows = list(csv.DictReader(io.StringIO(csv_text(whole))))
    assert [float(row["predicted"]) for row in rows if row["Model"] == "bad"] == list(table["bad"])


def test_residuals_are_numbers_of_the_target_where_the_first_metric_is_a_percentage():
    text = PREDICTED.replace("measure mae", "measure mape, mae")
    record, blocks = drawn(text, "houses", houses(60))
    largest = max(one.residuals[4] for one in record.predictions)
    printed = [plain(row.cells[-1].runs) for row in blocks["table-residuals-1"][0].rows]
    assert max(map(float, printed)) == pytest.approx(largest, abs=0.5)


def test_observed_by_predicted_is_square_with_the_line_of_equal_values():
    _, blocks = drawn(PREDICTED, "houses", houses(60))
    for panel in blocks["figure-predictions-1"][0].panels:
        cloud = next(m for m in panel.drawing.marks if m.apart)
        (start, end) = next(m for m in panel.drawing.marks if "dasharray" in m.style).points
        assert end[0] - start[0] == pytest.approx(start[1] - end[1])
        inside = [start[0] <= x <= end[0] and end[1] <= y <= start[1] for x, y in cloud.points]
        assert all(inside)


def test_of_many_rows_a_sample_is_drawn_that_is_the_same_for_all_models_and_stated():
    table = houses(1200)
    record, blocks = drawn(PREDICTED, "houses", table)
    good, bad = record.predictions
    assert len(good.observed) == 500 and good.n == 1200 and good.observed == bad.observed
    place = {price: i for i, price in enumerate(table["price"])}
    chosen = [place[price] for price in good.observed]
    assert [table["bad"][i] for i in chosen] == list(bad.predicted)
    assert 480 < np.mean(chosen) < 720 and len(set(chosen)) == 500
    assert good.residuals[4] == (table["price"] - table["good"]).max()
    words = plain(blocks["figure-residuals-1"][0].caption)
    assert "Drawn are 500 of 1,200 examples, a random sample, the same for all models." in words


def test_a_series_has_the_forecasts_of_each_fit_and_where_it_begins():
    rng = np.random.default_rng(8)
    days = np.arange(150)
    table = {"day": days, "wave": np.sin(days / 5)}
    table["load"] = 0.2 * days + 4 * table["wave"] + rng.normal(0, 1, 150)
    record, blocks = drawn(FORECAST, "load", table)
    features = np.column_stack([table["day"], table["wave"]])
    expected, starts = [], []
    for train, test in TimeSeriesSplit(4, gap=2, test_size=20).split(days):
        fit = LinearRegression().fit(features[train], table["load"][train])
        expected += fit.predict(features[test]).tolist()
        starts.append(test[0])
    line = next(one for one in record.predictions if one.model == "line")
    assert line.predicted == pytest.approx(expected, rel=1e-9)
    assert line.moments == tuple(range(70, 150)) and line.fits == tuple(starts)
    figure, further = blocks["figure-series-1"]
    assert not further and blocks["figure-predictions-1"][1]
    assert [plain(panel.title) for panel in figure.panels] == ["Line"]  # none of the baseline
    marks = [m for m in figure.panels[0].drawing.marks if "dasharray" in m.style]
    places = sorted(m.points[0][0] for m in marks)
    assert np.allclose(np.diff(places), np.diff(places)[0]) and len(places) == 4
    assert "fits begin at 70, 90, 110, 130" in figure.panels[0].alt


def test_captions_name_the_setting_where_there_are_several():
    text = PREDICTED + PREDICTED.partition("  seed 3\n")[2].replace(" houses ", " flats ")
    table = houses(60)
    text = text.replace("measure mae\n", "", 1).replace("x.csv", "y.csv", 1)
    record = ev.run(ev.parse(text), data={"houses": table, "flats": table}, store="off", look=False)
    figures = [f for f in build(Context(record.record)).every(Figure) if "predictions" in f.id]
    for figure, name in zip(figures, ("houses", "flats"), strict=True):
        words = f"Observed by predicted price of the tested examples ({name})"
        assert plain(figure.caption).startswith(words)


def test_the_survival_curve_is_that_computed_by_hand():
    found = kaplan_meier([1, 2, 2, 3, 4, 5], [1, 1, 0, 0, 1, 0], 0.95)
    assert found.times.tolist() == [1, 2, 3, 4, 5] and found.at_risk.tolist() == [6, 5, 3, 2, 1]
    assert found.events.tolist() == [1, 1, 0, 1, 0]
    assert found.share == pytest.approx([5 / 6, 2 / 3, 2 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_bounds_of_the_survival_curve_are_those_of_scipy(level):
    rng = np.random.default_rng(5)
    times = np.round(rng.exponential(3, 60), 1) + 0.1
    died = rng.random(60) < 0.6
    times[0], died[0] = times.max() + 1, True  # the share ends at 0, which has no interval
    found = kaplan_meier(times, died, level)
    known = ecdf(CensoredData(uncensored=times[died], right=times[~died])).sf
    assert found.share == pytest.approx(known.evaluate(found.times))
    with pytest.warns(RuntimeWarning, match="undefined"):
        bounds = known.confidence_interval(level, method="log-log")
    inside = (found.share > 0) & (found.share < 1)
    assert 10 < inside.sum() < len(found.times)
    for ours, theirs in ((found.low, bounds.low), (found.high, bounds.high)):
        assert ours[inside] == pytest.approx(theirs.evaluate(found.times[inside]))
        assert np.isnan(ours[~inside]).all()


def test_groups_by_risk_have_their_curves_and_numbers_at_risk():
    rng = np.random.default_rng(2)
    risk = rng.normal(0, 1, 90)
    months = np.round(rng.exponential(np.exp(2 - risk)), 1) + 0.1
    died = (rng.random(90) < 0.7).astype(int)
    table = {"id": np.arange(90), "months": months, "died": died, "risk": risk}
    record, blocks = drawn(SURVIVAL, "trial", table)
    (cox,) = record.risk_groups
    assert [group.n for group in cox.groups] == [30, 30, 30]
    assert all(one.high < other.low for one, other in pairwise(cox.groups))
    for group in cox.groups:
        here = (risk >= group.low) & (risk <= group.high)
        share = 1.0
        for at, n, events, stated in zip(
            group.times, group.at_risk, group.events, group.share, strict=True
        ):
            assert n == (months[here] >= at).sum()
            assert events == died[here & (months == at)].sum()
            share *= 1 - events / n
            assert stated == pytest.approx(share)
        bounds = group.share_low, group.share, group.share_high
        assert all(a < b < c for a, b, c in zip(*bounds, strict=True) if 0 < b < 1)
    figure, further = blocks["figure-survival-1"]
    assert not further and "Kaplan-Meier" in plain(figure.caption)
    texts = [mark.text for mark in figure.panels[0].drawing.marks if mark.text]
    bands = [mark for mark in figure.panels[0].drawing.marks if "opacity" in mark.style]
    assert len(bands) >= 3 and "95% at each time" in plain(figure.caption)
    start = texts.index("High")
    assert texts[start + 1] == "30"
    died_high = died[risk >= cox.groups[2].low].sum()
    assert f"{died_high} of 30 with the event" in figure.panels[0].alt
    whole, further = blocks["table-survival-1"]
    assert further and [row.cells[4].exact for row in whole.rows] == [30, 30, 30]


def test_a_smooth_curve_is_a_weighted_line_around_each_place():
    rng = np.random.default_rng(4)
    x, y = rng.random(40), rng.random(40)
    for place in (0.0, 0.4, 0.9):
        away = np.abs(x - place)
        weights = np.clip(1 - (away / np.sort(away)[29]) ** 3, 0, None) ** 3
        line = LinearRegression().fit(x[:, None], y, weights).predict([[place]])[0]
        assert local_line(x, place, np.full(40, 1 / 40)) @ y == pytest.approx(line)
