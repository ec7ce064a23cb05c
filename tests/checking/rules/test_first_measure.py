"""A first measure without an interval is told, and what is proposed gives the same measure one."""

import re

import pytest
from studies import checked

from evallang.api.preparing import check_data, read_and_plan
from evallang.api.running import run
from evallang.api.study_file import open_study
from evallang.cli.plan_text import plan_lines
from evallang.compatibility import is_grouped, yields_of
from evallang.compatibility.intervals import default_interval
from evallang.metrics.metric import METRICS
from evallang.study import Method

NAME = "first_measure_without_interval"
STUDY = """evallang 1
study
  seed 1
data visits from "visits.csv"
  target y
  positive yes
{group}
model a = GaussianNB
model prior = DummyClassifier
protocol {protocol}
measure {measure}
"""
ROWS = "x,ward,y\n" + "".join(
    f"{(i * 37 % 101) / 10 + (i % 3 == 0)},{i % 24},{'yes' if i % 3 == 0 else 'no'}\n"
    for i in range(120)
)
NUMBERS = """evallang 1
study
  seed 1
data houses from "houses.csv"
  target price
  task regression
model a = Ridge
model mean = DummyRegressor
protocol {protocol}
measure {measure}
"""
PRICES = "area,price\n" + "".join(f"{i % 40},{(i % 40) * 3 + i * 7 % 11}\n" for i in range(120))


def told(text):
    return [d for d in checked(text).diagnostics if d.name == NAME]


def text_of(protocol, measure, group=""):
    if METRICS[measure.partition("(")[0]].declaration.task == "regression":
        return NUMBERS.format(protocol=protocol, measure=measure)
    return STUDY.format(protocol=protocol, measure=measure, group=group)


@pytest.mark.parametrize("group", ["", "group by ward"])
@pytest.mark.parametrize(
    "protocol",
    ["cv folds=4", "nested cv outer=4 inner=3", "repeated cv folds=4 times=2", "holdout",
     "repeated holdout times=5", "leave_one_group_out"],
)  # fmt: skip
def test_it_is_told_just_where_the_default_is_none(protocol, group):
    if protocol.startswith("leave") and not group:
        group = "group by ward"
    for entry in METRICS:
        if any(option.required for option in entry.options):
            continue
        text = text_of(protocol, entry.name, group)
        study = checked(text).study
        if study is None:
            continue
        source, design = study.sources[0], study.protocols[0]
        grouped = is_grouped(source, study.group)
        none = (
            default_interval(Method(entry.name), yields_of(source, design), None, grouped) is None
        )
        assert bool(told(text)) == none, entry.name


@pytest.mark.parametrize("protocol", ["time_series folds=4", "5x2cv", "resubstitution",
                                      "bootstrap rounds=50"])  # fmt: skip
def test_a_protocol_without_any_interval_is_not_advised_on(protocol):
    assert told(text_of(protocol, "average_precision")) == []
    assert told(text_of(protocol, "accuracy")) == []


@pytest.mark.parametrize(
    ("protocol", "measure", "group"),
    [
        ("cv folds=4", "average_precision", ""),
        ("nested cv outer=4 inner=3", "average_precision", "group by ward"),
        ("main = cv folds=4", "r2", ""),
        ("leave_one_group_out", "average_precision", "group by ward"),
        ("cv folds=4", "medae", ""),
    ],
)
def test_what_is_proposed_runs_and_has_an_interval(protocol, measure, group, tmp_path):
    (found,) = told(text_of(protocol, measure, group))
    (tmp_path / "visits.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "houses.csv").write_text(PRICES, encoding="utf-8")
    ways = re.findall(r"`(protocol|interval) ([^`]*)`", found.help)
    assert ways
    for kind, words in ways:
        text = text_of(words if kind == "protocol" else protocol, measure, group)
        text += f"  interval {words}\n" if kind == "interval" else ""
        text = text.replace("times=10", "times=2")  # as sound, and faster
        assert told(text) == []
        path = tmp_path / "study.eval"
        path.write_text(text, encoding="utf-8")
        results = run(open_study(path))
        one = next(e for e in results.estimates if e.model == "a")
        assert one.interval is not None
        assert one.interval.low < one.value < one.interval.high


def test_an_interval_that_is_written_and_an_own_metric_are_left_alone():
    assert told(text_of("cv folds=4", "average_precision") + "  interval corrected_t\n") == []
    assert told(STUDY.format(protocol="cv", measure="mypkg.gain", group="")) == []
    assert told(STUDY.format(protocol="cv", measure="roc_auc(pool=true)", group="")) == []
    assert told(STUDY.format(protocol="cv", measure="accuracy, average_precision", group="")) == []


WARDS = """evallang 1
study
  seed 1
data wine from sklearn wine
model a = GaussianNB
model prior = DummyClassifier
protocol {protocol}
{waiver}measure roc_auc, accuracy
"""


def read(path, **words):
    path.write_text(WARDS.format(**words), encoding="utf-8")
    study = open_study(path)
    return [d.name for d in study.diagnostics], check_data(study)


def test_an_area_of_several_classes_has_an_interval_over_folds(tmp_path):
    for protocol in ("cv folds=3", "repeated cv folds=3"):
        static, later = read(tmp_path / "study.eval", protocol=protocol, waiver="")
        assert static == [] and later == ()


def planned(path):
    return "\n".join(plan_lines(read_and_plan(open_study(path))))


def test_the_plan_lists_measures_without_an_interval(tmp_path):
    path = tmp_path / "study.eval"
    path.write_text(
        WARDS.format(protocol="cv folds=3", waiver="").replace(
            "roc_auc, accuracy", "accuracy, average_precision, log_loss"
        ),
        encoding="utf-8",
    )
    assert "  without an interval by default: average_precision\n" in planned(path)
    path.write_text(WARDS.format(protocol="5x2cv", waiver=""), encoding="utf-8")
    assert "  without an interval by default: roc_auc, accuracy\n" in planned(path)
    path.write_text(WARDS.format(protocol="repeated cv", waiver=""), encoding="utf-8")
    assert "without an interval" not in planned(path)
