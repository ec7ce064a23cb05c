"""What the rules about data say of whole studies: which splits, models and classes they see."""

import numpy as np
import pytest

from evallang.api.preparing import check_data
from evallang.api.study_file import open_study

FRAME = """evallang 1
study
  seed 1
data d from "{name}.csv"
  target y
  {clause}
model a = {a}
model prior = {prior}
protocol {protocol}
measure {measure}
{line}
"""


@pytest.fixture
def said(tmp_path):
    """Check a study of one table; gives what was found, as (code, message, help)."""

    def check(columns, rows, *, clause='unit "rows"', a="GaussianNB", protocol="cv folds=5",
              measure="accuracy", line="", prior="DummyClassifier"):  # fmt: skip
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (tmp_path / "d.csv").write_text(f"{columns}\n{text}\n")
        place = tmp_path / "study.eval"
        place.write_text(
            FRAME.format(name="d", clause=clause, a=a, protocol=protocol, measure=measure,
                         line=line, prior=prior)
        )  # fmt: skip
        found = check_data(open_study(place))
        return [(d.code, d.message, d.help) for d in found]

    return check


def drawn(n, *more):
    """Give n rows of two random features, and what a function makes of each row's number."""
    draw = np.random.default_rng(20260101).random((n, 2)).round(4)
    return [(*draw[i], *(make(i) for make in more)) for i in range(n)]


def codes(found):
    return [code for code, _, _ in found]


def half(i):
    return i % 2


def rare(i):
    return "rare" if i < 6 else "ab"[i % 2]


def test_a_class_may_be_smaller_than_the_folds_where_none_is_to_be_in_each(said):
    rows = drawn(200, rare)
    ((code, message, suggestion),) = said("v,w,y", rows, protocol="cv folds=10")
    assert (code, suggestion) == ("E470", "write at most 6 folds")
    assert "rare (6)" in message
    assert said("v,w,y", rows, protocol="cv folds=10", line="stratify none") == []
    assert said("v,w,y", rows, protocol="cv folds=6") == []


def test_a_class_of_one_row_is_left_out_by_a_line_that_can_be_written(said):
    rows = drawn(200, lambda i: "odd one" if i == 0 else "ab"[i % 2])
    ((_, _, suggestion),) = said("v,w,y", rows)
    assert suggestion == 'write `stratify none`, or `where y != "odd one"` to exclude the class'
    for mended in ({"line": "stratify none"}, {"clause": 'where y != "odd one"'}):
        assert not {"E470", "E450"} & set(codes(said("v,w,y", rows, **mended)))


@pytest.mark.parametrize(
    ("protocol", "line", "suggestion"),
    [
        ("nested cv outer=5 inner=6", "", "write a smaller `inner`, or `stratify none`"),
        ("cv folds=5", "tune cv=6", "write a smaller `cv`, or `stratify none`"),
    ],
)
def test_folds_inside_a_training_part_are_named_as_such(said, protocol, line, suggestion):
    searched = "LogisticRegression(C in [1, 10])"
    found = said("v,w,y", drawn(200, rare), a=searched, protocol=protocol, line=line)
    ((code, message, words),) = found
    assert (code, words) == ("E450", suggestion)
    assert message.startswith("in a training part, the smallest stratum has ")


UNEVEN = [lambda i: "big" if i < 120 else f"g{i % 14}", half]
"""Half of the rows are of one group of fifteen."""


@pytest.mark.parametrize(
    ("protocol", "line", "test"),
    [
        ("cv folds=5", "compare a, prior with corrected_t", "corrected_t"),
        ("cv folds=5", "require a better than prior with corrected_t", "corrected_t"),
        ("cv folds=5", "compare a, prior with bayes_t", "bayes_t"),
        # its intervals are those of the corrected t test
        ("repeated cv folds=5 times=2", "", "corrected_t"),
    ],
)
def test_whatever_takes_folds_for_equally_exact_hears_that_they_are_not(said, protocol, line, test):
    found = said("v,w,g,y", drawn(240, *UNEVEN), clause="group g", protocol=protocol, line=line)
    ((_, message, _),) = [item for item in found if item[0] == "W434"]
    assert f"`{test}` treats their scores as equally precise" in message
    even = [lambda i: f"g{i % 24}", half]
    rows = drawn(240, *even)
    found = said("v,w,g,y", rows, clause="group g", protocol=protocol, line=line)
    assert "W434" not in codes(found)
    if line:
        bare = said("v,w,g,y", drawn(240, *UNEVEN), clause="group g", protocol=protocol)
        assert "W434" not in codes(bare)


def test_copies_are_reported_where_the_author_s_split_puts_them_on_both_sides(said):
    apart = [(v, w, ("train", "test")[i // 150], y) for i, (v, w, y) in enumerate(
        drawn(150, half) * 2)]  # fmt: skip
    ((code, message, _),) = said("v,w,part,y", apart, protocol="split by part")
    assert code == "W412"
    assert message.startswith("150 rows of the 150 that `split` tests have a copy")
    together = drawn(150, half)
    halves = [(v, w, ("train", "test")[i % 150 < 100], y) for i, (v, w, y) in enumerate(
        together * 2)]  # fmt: skip
    assert said("v,w,part,y", halves, protocol="split by part") == []


def test_copies_are_reported_where_a_series_repeats_itself(said):
    rows = drawn(150, lambda i: (i * 7) % 2) * 2
    assert codes(said("v,w,y", rows, protocol="time_series folds=3")) == ["W412"]
    assert said("v,w,y", drawn(300, lambda i: (i * 7) % 2), protocol="time_series folds=3") == []


def test_a_column_that_no_model_gets_is_no_feature_like_an_id(said):
    rows = [(f"P{i}", *row) for i, row in enumerate(drawn(120, half))]
    chosen = "columns([v, w]: StandardScaler) | GaussianNB"
    assert said("visit,v,w,y", rows, a=chosen) == []
    every = "columns(numeric: StandardScaler, rest: OrdinalEncoder) | GaussianNB"
    assert codes(said("visit,v,w,y", rows, a=every)) == ["W411"]


def test_a_target_in_another_unit_is_among_the_features_all_the_same(said):
    draw = np.random.default_rng(3)
    y = draw.normal(20, 5, 100).round(2)
    noise = draw.normal(0, 0.5, 100)
    numbers = {"clause": "task regression", "a": "Ridge", "measure": "mae",
               "prior": "DummyRegressor"}  # fmt: skip
    inches = [(v.round(3), (25.4 * t + 3).round(4), t) for v, t in zip(noise, y, strict=True)]
    ((code, message, _),) = said("v,mm,y", inches, **numbers)
    assert (code, message) == ("E472", "`mm` determines `y` in every row")
    near = [(v.round(3), (25.4 * t + v).round(4), t) for v, t in zip(noise, y, strict=True)]
    assert said("v,mm,y", near, **numbers) == []


def test_an_area_under_the_curve_is_refused_where_no_test_part_has_two_classes(said):
    rows = drawn(240, lambda i: f"s{i // 20}", lambda i: (i // 20) % 2)
    study = {"clause": "group site", "protocol": "leave_one_group_out", "measure": "roc_auc"}
    found = said("v,w,site,y", rows, **study)
    ((_, message, suggestion),) = [item for item in found if item[0] == "E204"]
    assert message.endswith("as each of `leave_one_group_out` does")
    assert "`protocol cv folds=10`" in suggestion
    study["protocol"] = "cv folds=5"
    assert "E204" not in codes(said("v,w,site,y", rows, **study))
    mixed = drawn(240, lambda i: f"s{i // 20}", half)
    study["protocol"] = "leave_one_group_out"
    assert codes(said("v,w,site,y", mixed, **study)) == ["W358"]  # one group a fold: no interval


def test_a_split_into_training_and_test_is_a_holdout(said):
    def part(n):
        return lambda i: "test" if i < n else "train"

    ((code, message, _),) = said("v,w,part,y", drawn(300, part(60), half), protocol="split by part")
    assert (code, message) == ("W432", "60 rows of `d` are kept for testing by `split`")
    assert said("v,w,part,y", drawn(300, part(100), half), protocol="split by part") == []


THREE = [lambda i: "abc"[i % 3]]


@pytest.mark.parametrize(
    ("measure", "line", "code"),
    [
        ("recall", "  interval wilson", "E202"),
        ("roc_auc", "  interval cv_auc", "E202"),
        ("accuracy", "  interval wilson", None),
        ("roc_auc", "compare a, prior with delong", "E207"),
        ("accuracy", "require a better than prior in roc_auc with delong", "E207"),
        ("accuracy", "require a better than prior in recall with mcnemar", "E207"),
        ("roc_auc", "compare a, prior with permutation", None),
        ("roc_auc", "require a better than prior", None),
    ],
)
def test_what_is_for_two_classes_is_refused_of_three(said, measure, line, code):
    rows = drawn(240, *THREE)
    found = [item for item in codes(said("v,w,y", rows, measure=measure, line=line))
             if item[0] == "E"]  # fmt: skip
    assert found == ([code] if code else [])
    assert not [c for c in codes(said("v,w,y", drawn(240, half), measure=measure, line=line,
                                      clause="positive 1")) if c[0] == "E"]  # fmt: skip


GIVEN = """evallang 1
predictions p from "p.csv"
  truth y
  models {models}
  {clause}
measure {measure}
"""


@pytest.mark.parametrize(
    ("models", "clause", "measure", "expected"),
    [
        ("a", "positive 1", "accuracy", ["W430"]),
        # what always says the same is the line to measure from
        ("a, never", "positive 1", "accuracy", []),
        ("a", "positive 1", "accuracy, recall", []),
        ("a", 'unit "rows"', "recall", ["W431"]),
        ("a", 'unit "rows"', "mcc", []),
    ],
)
def test_predictions_hear_of_their_classes_too(tmp_path, models, clause, measure, expected):
    rows = "".join(f"{int(i % 10 == 0)},{int(i % 7 == 0)},0\n" for i in range(400))
    (tmp_path / "p.csv").write_text("y,a,never\n" + rows)
    place = tmp_path / "study.eval"
    place.write_text(GIVEN.format(models=models, clause=clause, measure=measure))
    assert [d.code for d in check_data(open_study(place))] == expected


def test_folds_that_are_given_are_as_few_as_folds_that_are_drawn(said):
    line = "compare a, prior with corrected_t"
    rows = drawn(200, lambda i: i * 7 % 5, half)
    given = said("v,w,fold,y", rows, protocol="split by fold", line=line)
    made = said("v,w,fold,y", rows, protocol="cv folds=5", line=line)
    (expected,) = [item for item in made if item[0] == "W357"]
    (found,) = [item for item in given if item[0] == "W357"]
    assert found[:2] == expected[:2]
    assert "`protocol repeated cv" in found[2]
    by_rows = said("v,w,fold,y", rows, protocol="split by fold", line="compare a, prior")
    assert "W357" not in codes(by_rows)


def test_a_line_on_drawn_folds_is_not_judged_by_a_given_split(said):
    rows = drawn(200, lambda i: "test" if i < 100 else "train", half)
    both = "given = split by part\nprotocol drawn = repeated cv folds=5 times=10"
    line = "compare a, prior with {} on {}"
    fit = said("v,w,part,y", rows, protocol=both, line=line.format("corrected_t", "drawn"))
    assert "E201" not in codes(fit)
    unfit = said("v,w,part,y", rows, protocol=both, line=line.format("corrected_t", "given"))
    assert "E201" in codes(unfit)


def test_folds_of_many_repeats_are_enough(said, tmp_path):
    rows = drawn(100, half)
    line = "compare a, prior with corrected_t"
    draw = np.random.default_rng(4)
    for times, told in ((2, True), (20, False)):
        shuffled = [draw.permutation(100) % 5 for _ in range(times)]
        folds = [f"{i},{r},{fold}" for r, all_of in enumerate(shuffled)
                 for i, fold in enumerate(all_of)]  # fmt: skip
        (tmp_path / "folds.csv").write_text("\n".join(["key,repeat,fold", *folds]) + "\n")
        keyed = [(i, *row) for i, row in enumerate(rows)]
        found = said("key,v,w,y", keyed, clause="id key", line=line,
                     protocol='split from "folds.csv"')  # fmt: skip
        assert ("W357" in codes(found)) == told, found


def test_the_first_measure_has_no_interval_over_given_folds_as_over_drawn_ones(said):
    rows = drawn(200, lambda i: i * 7 % 5, half)
    measured = {"measure": "average_precision, accuracy", "clause": "positive 1"}

    def messages(protocol, rows=rows):
        found = said("v,w,fold,y", rows, protocol=protocol, **measured)
        return [message for code, message, _ in found if code == "W358"]

    (made,), (given,) = messages("cv folds=5"), messages("split by fold")
    assert given == made.replace("`cv`", "`split`")
    parts = drawn(300, lambda i: "test" if i < 150 else "train", half)
    assert messages("split by fold", parts) == []
