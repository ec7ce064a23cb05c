"""`analyze cost_frontier`: against a plain search for the models that no other dominates."""

import re
from itertools import product

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint
from studies import write_rows

import evallang as ev
from evallang.analyses.cost_frontier import _write_names
from evallang.reporting.report import figures as report_figures
from evallang.reporting.summary import summary

BODY = """evallang 1
study
  seed 1
predictions answers "Answers" from "answers.csv"
  model model
  id question
  correct all as right
predictions tokens "Tokens" from "answers.csv"
  model model
  id question
  value "output tokens" all as tokens
  lower is better
measure accuracy
analyze cost_frontier(cost="output tokens")
"""
RATES = {"nano": (0.4, 60), "mini": (0.65, 150), "wordy": (0.45, 900), "large": (0.8, 2500)}


def answers(rates, n=60):
    rng = np.random.default_rng(3)
    return [
        [i, model, int(rng.random() < p), round(tokens * float(np.exp(0.5 * rng.normal())))]
        for i, (model, (p, tokens)) in product(range(n), rates.items())
    ]


def run(folder, rows, body=BODY):
    write_rows(folder, "answers.csv", "question,model,right,tokens", rows)
    (folder / "study.eval").write_text(body, encoding="utf-8")
    return ev.run(folder / "study.eval", out=folder / "out", look=False).record


def plain(rows):
    """Return mean, mean cost and dominators of each model, by a look at every pair."""
    found = {}
    for model in dict.fromkeys(row[1] for row in rows):
        own = np.array([[row[2], row[3]] for row in rows if row[1] == model], float)
        found[model] = own.mean(axis=0)
    over = {
        model: [
            other
            for other, (value, cost) in found.items()
            if value >= mean and cost <= price and (value > mean or cost < price)
        ]
        for model, (mean, price) in found.items()
    }
    return found, over


def test_values_costs_and_intervals_are_those_of_each_model(tmp_path):
    rows = answers(RATES)
    record = run(tmp_path, rows)
    (found,) = record.analyses
    means, over = plain(rows)
    intervals = {(e.model, e.metric): e.interval for e in record.estimates}
    assert [one["model"] for one in found.values["models"]] == list(means)
    for one in found.values["models"]:
        model = one["model"]
        assert (one["value"], one["cost"]) == pytest.approx(tuple(means[model]))
        right = sum(row[2] for row in rows if row[1] == model)
        wilson = proportion_confint(right, 60, method="wilson")
        assert (one["low"], one["high"]) == pytest.approx(wilson, abs=1e-9)
        of_cost = intervals[model, "output tokens"]
        assert (one["cost_low"], one["cost_high"]) == (of_cost.low, of_cost.high)
        best = max(over[model], key=lambda other: means[other][0], default=None)
        assert one["dominated_by"] == best
    assert {model for model, others in over.items() if others} == {"wordy"}


def test_equal_models_do_not_dominate_and_a_tie_in_one_does(tmp_path):
    rows = []
    for model, right, tokens in (("a", 6, 10), ("b", 6, 10), ("c", 6, 20), ("d", 5, 10)):
        rows += [[i, model, int(i < right), tokens + i % 2] for i in range(10)]
    found = run(tmp_path, rows).analyses[0].values["models"]
    assert [one["dominated_by"] is None for one in found] == [True, True, False, False]
    assert found[2]["dominated_by"] in ("a", "b")


def test_higher_is_better_of_a_rate_turns_the_frontier(tmp_path):
    rows = answers(RATES)
    body = BODY.replace("lower is better", "higher is better")
    found = run(tmp_path, rows, body).analyses[0].values["models"]
    assert [one["model"] for one in found if one["dominated_by"] is None] == ["large"]


def test_named_models_and_those_without_a_cost(tmp_path):
    rows = [row for row in answers(RATES) if row[1] != "nano"]
    write_rows(tmp_path, "more.csv", "question,model,right,tokens", answers(RATES))
    body = BODY.replace('answers "Answers" from "answers.csv"', 'answers from "more.csv"')
    found = run(tmp_path, rows, body.rstrip() + " of nano, mini, large\n").analyses[0].values
    assert [one["model"] for one in found["models"]] == ["mini", "large"]
    assert found["unknown"] == ("nano",)


def test_the_figure_has_costs_on_a_logarithmic_scale_and_whole_names(tmp_path):
    record = run(tmp_path, answers(RATES))
    found = {one["model"]: one for one in record.analyses[0].values["models"]}
    (figure,) = (f for f in report_figures(record).values() if f.id.startswith("figure-frontier"))
    (panel,) = figure.panels
    ticks = {
        float(text.replace(",", "")): float(x)
        for x, text in re.findall(r'<text x="([\d.]+)" y="176.47"[^>]*>([\d,.]+)</text>', panel.svg)
    }
    logs, places = np.log(list(ticks)), np.array(list(ticks.values()))
    slope, start = np.polyfit(logs, places, 1)
    assert len(ticks) > 3 and start + slope * logs == pytest.approx(places, abs=0.5)
    drawn = sorted(float(x) for x in re.findall(r'<circle cx="([\d.]+)"', panel.svg))
    assert start + slope * np.log(found["nano"]["cost"]) == pytest.approx(drawn[0], abs=0.1)
    for model in RATES:
        assert f">{model}</text>" in panel.svg
    assert "dominated by large" not in panel.alt and "dominated by mini" in panel.alt


def test_a_cost_belongs_to_the_statement_that_reads_the_same_files(tmp_path):
    write_rows(tmp_path, "exam.csv", "question,model,right,tokens", answers(RATES, 30))
    exam = BODY[BODY.index("predictions answers") : BODY.index("predictions tokens")]
    exam = exam.replace("answers", "exam").replace("Answers", "Exam")
    record = run(
        tmp_path, answers(RATES), BODY.replace("predictions tokens", exam + "predictions tokens")
    )
    found = {one.data: one.values["problem"] for one in record.analyses}
    assert found["answers"] is None
    assert "reads the same files" in found["exam"]
    assert found.keys() == {"answers", "exam"}


def test_a_value_with_a_plural_name_is_worded_as_one(tmp_path):
    rows = answers(RATES)
    tested = BODY.replace("measure", "compare mini vs large with permutation\nmeasure")
    for name, said in (
        ("output tokens", ("tokens were those of nano", "mini had lower output tokens than large")),
        ("loss", ("loss was that of nano", "mini had a lower loss than large")),
    ):
        record = run(tmp_path, rows, tested.replace("output tokens", name))
        found = " ".join(summary(record).findings)
        assert all(words in found for words in said), found


def test_a_name_is_not_written_on_the_interval_of_another_model():
    written = {}

    class Sheet:
        def words(self, x, y, text):
            written[text] = x

    places = [(100.0, 50.0), (112.0, 80.0)]
    bar = (111.0, 20.0, 113.0, 140.0)  # of the second, to the right of the first
    markers = [(x - 3, y - 3, x + 3, y + 3) for x, y in places]
    _write_names(Sheet(), ["first", "second"], places, [*markers, bar], (0.0, 240.0), 200.0)
    assert written["first"] < 100 < 112 < written["second"]
