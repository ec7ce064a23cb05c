"""Results as tables: one row for each thing, of polars and pandas, printed and as HTML."""

import builtins
import math
import subprocess
import sys
from html.parser import HTMLParser

import polars as pl
import pytest
from msgspec.structs import replace

import evallang as ev
from evallang.results import codec
from evallang.results.statistics import HypothesisTestResult

STUDY = """evallang 1
study "Three models"
  seed 1
data iris from sklearn iris
model tree = DecisionTreeClassifier(max_depth=2)
model net = LogisticRegression(max_iter=1000)
model bayes = GaussianNB
protocol cv folds=4
measure accuracy, f1(average=macro)
compare tree, net, bayes with permutation holm
require accuracy of net >= 85%
"""
TABLES = ("estimates", "comparisons", "pairs", "folds", "requirements")
TYPES = {
    str: (pl.String, "object"),
    float: (pl.Float64, "float64"),
    int: (pl.Int64, "Int64"),
    bool: (pl.Boolean, "boolean"),
}
HOSTILE = "<script>alert(1)</script>\x1b[2J"


@pytest.fixture(scope="module")
def results():
    return ev.run(ev.parse(STUDY))


def test_every_thing_has_one_row(results):
    counts = {name: getattr(results, name).to_frame().height for name in TABLES}
    # 3 models by 2 metrics, on 4 folds each; 3 pairs by the first metric
    assert counts == {
        "estimates": 6, "comparisons": 1, "pairs": 3, "folds": 24, "requirements": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_columns_have_the_declared_types_in_polars_and_pandas(results, name):
    rows = getattr(results, name)
    frame, other = rows.to_frame(), rows.to_pandas()
    assert tuple(frame.columns) == tuple(other.columns) == rows.columns
    for column in rows.COLUMNS:
        assert frame.schema[column.name] == TYPES[column.kind][0]
        assert str(other[column.name].dtype) == TYPES[column.kind][1]
        assert other[column.name].isna().tolist() == frame[column.name].is_null().to_list()
    empty = rows[:0].to_frame()
    assert empty.schema == frame.schema and empty.height == 0


def test_tables_hold_the_numbers_of_the_records(results):
    folds = results.folds.to_frame()
    for estimate, row in zip(
        results.record.estimates, results.estimates.to_frame().iter_rows(named=True), strict=True
    ):
        assert row["value"] == estimate.value
        assert (row["interval_low"], row["interval_high"]) == (
            estimate.interval.low,
            estimate.interval.high,
        )
        own = folds.filter(model=estimate.model, metric=estimate.metric)
        assert own["value"].to_list() == [fold.value for fold in estimate.folds]
    for pair, row in zip(
        results.record.comparisons[0].pairwise, results.pairs.to_pandas().itertuples(), strict=True
    ):
        assert (row.first, row.second, row.p, row.p_adjusted) == (
            *pair.models,
            pair.p,
            pair.p_adjusted,
        )
        assert row.difference == pair.estimate.value
        assert math.isnan(row.p_first)


def test_records_and_slices_stay_sequences(results):
    assert results.estimates[0].model == "tree"
    assert results.estimates == results.record.estimates
    assert type(results.estimates[1:3]) is type(results.estimates)
    assert [fold.value for fold in results.folds[:4]] == [
        fold.value for fold in results.record.estimates[0].folds
    ]
    pair = results.pairs[0]
    assert (pair.first, pair.second, pair.p) == ("tree", "net", pair.result.p)


def test_infinite_numbers_stay_numbers(results):
    (first, *rest) = results.record.estimates
    made = ev.Results(replace(results.record, estimates=(replace(first, value=math.inf), *rest)))
    assert made.estimates.to_frame()["value"][0] == math.inf
    assert made.estimates.to_pandas()["value"][0] == math.inf


def test_without_pandas_the_message_names_the_other_table(results, monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"to_frame\(\)"):
        results.estimates.to_pandas()


def test_a_pandas_beside_the_notebook_is_not_imported(results, tmp_path):
    results.save(tmp_path / "out")
    (tmp_path / "pandas.py").write_text("print('planted')\n")
    script = "import evallang as ev\nprint(ev.Results.load('out').estimates.to_pandas().shape)\n"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == f"{results.estimates.to_pandas().shape}\n", done.stderr


def shown(results):
    study = ev.parse(STUDY)
    return [
        results, study, study.plan(), study.check(), results.estimates[0], results.comparisons[0],
        results.pairs[0], results.pairs[0].result,
        *(getattr(results, name) for name in TABLES),
    ]  # fmt: skip


def test_what_is_printed_is_short_and_names_no_address(results):
    for thing in shown(results):
        text = repr(thing)
        assert "0x" not in text and " object at " not in text
        assert len(text.splitlines()) <= 25, text
    assert "... and 12 more" in repr(results.folds)


def test_short_tables_leave_their_rows_to_longer_ones(results):
    lines = repr(results).splitlines()
    shown = [sum(line.startswith(start) for line in lines) for start in ("iris", "require ")]
    assert shown == [6 + 3, 1] and "more" not in repr(results)
    many = replace(results.record, estimates=results.record.estimates * 50)
    lines = repr(ev.Results(many)).splitlines()
    assert "... and 294 more" in lines
    assert sum(line.startswith("iris") for line in lines) == 6 + 3


def test_columns_are_aligned(results):
    heads, *rows = repr(results.estimates).splitlines()[1:]
    for name in ("model", "metric"):  # text: every cell begins below its head
        place = heads.index(name)
        assert all(row[place] != " " and row[place - 1] == " " for row in rows)
    end = heads.index(" value") + len(" value")
    assert all(row[end - 1] != " " and row[end : end + 1] == " " for row in rows)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)

    def handle_data(self, data):
        self.text += data


def test_text_of_a_file_stays_text_in_what_is_shown(results):
    text = codec.dumps(results.record)
    for name in ("tree", "iris", "Three models", "accuracy"):
        text = text.replace(f'"{name}"', '"<script>alert(1)</script>\\u001b[2J"')
    made = ev.Results(codec.loads(text))
    for thing in shown(made):
        assert "\x1b" not in repr(thing)
        page = thing._repr_html_()
        tags = Tags()
        tags.feed(page)
        assert "script" not in tags.found and "\x1b" not in page
    assert "<script>" in repr(made.estimates)
    tags = Tags()
    tags.feed(made.estimates._repr_html_())
    assert "<script>alert(1)</script>\\x1b[2J" in tags.text


def test_the_names_of_scipy_are_aliases():
    found = ev.stats.mcnemar([[9945, 25], [15, 15]])
    assert isinstance(found, HypothesisTestResult)
    assert found.pvalue == found.p
    assert found.confidence_interval.low == found.estimate.low
    low, high = found.confidence_interval
    assert low < found.estimate.value < high
    assert ev.stats.cochran([[True, False, True], [False, True, True]]).confidence_interval is None
