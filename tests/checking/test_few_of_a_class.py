"""Areas with few members of a class: groups count as members, and `require` lines are judged."""

import numpy as np
import pytest

from evallang.api import run
from evallang.api.preparing import check_data
from evallang.api.study_file import open_study

STUDY = """evallang 1
predictions p from "p.csv"
  truth y
  models a, b
  score a = "sa"
  score b = "sb"
  positive 1
  {clause}
measure {measure}
{line}
"""


@pytest.fixture
def written(tmp_path):
    """Write a study of predictions and open it."""

    def write(positives, line="", measure="roc_auc", clause='unit "rows"', groups=None):
        draw = np.random.default_rng(11)
        truth = np.arange(80) < positives
        scores = (truth[:, None] * 0.2 + draw.random((80, 2)) * 0.8).round(4)
        groups = groups or (lambda i: i)
        cells = [
            f"{y:d},{s[0] > 0.5:d},{s[1] > 0.5:d},{s[0]},{s[1]},{i % 5},g{groups(i)}"
            for i, (y, s) in enumerate(zip(truth, scores, strict=True))
        ]
        header = "y,a,b,sa,sb,fold,g"
        (tmp_path / "p.csv").write_text("\n".join([header, *cells]) + "\n")
        place = tmp_path / "study.eval"
        place.write_text(STUDY.format(clause=clause, measure=measure, line=line))
        return open_study(place)

    return write


def found(study):
    of_areas = ("W440", "W441", "E494")
    return [(d.code, d.message) for d in check_data(study) if d.code in of_areas]


@pytest.mark.parametrize("line", [
    "require roc_auc of a >= 0.5",
    "require a better than b in roc_auc",
    "require a better than b in roc_auc with delong",
    "require a not worse than b by 0.1 in roc_auc",
])  # fmt: skip
def test_a_requirement_on_an_area_is_judged_as_an_interval_or_a_test_is(written, line):
    ((code, message),) = found(written(12, line, "accuracy"))
    assert (code, message.split(":")[0]) == ("W440", "the requirement rests on 12 rows of `1`")
    assert found(written(40, line, "accuracy")) == []
    ((code, message),) = found(written(7, line, "accuracy", "fold fold"))
    assert code == "E494" and message.startswith("the requirement is undefined")


def test_a_requirement_decided_by_resampling_does_not_divide_by_members(written):
    line = "require a better than b in roc_auc with permutation"
    assert found(written(12, line, "accuracy")) == []


def test_one_group_of_a_class_in_a_fold_has_no_spread(written):
    # rows 0 to 19 are positive; a group is five rows of one fold, so a fold has four rows of one
    by_fold = {"clause": "fold fold\n  group g", "groups": lambda i: f"{i % 5}-{i // 25}"}
    study = written(20, "", **by_fold)
    ((code, message),) = found(study)
    assert code == "W441" and "5 folds of 5 with one group of a class" in message
    estimates = run(study).record.estimates
    assert [e.interval.low for e in estimates if e.metric == "roc_auc"] == [None, None]
    single = {"clause": "fold fold\n  group g", "groups": lambda i: i}
    assert "W441" not in [code for code, _ in found(written(20, "", **single))]


def test_few_groups_with_a_class_are_counted_as_few_rows_are(written):
    # two groups of each class in each of five folds; the test is referred to t, and holds
    by_fold = {"clause": "fold fold\n  group g", "groups": lambda i: f"{i % 5}-{i // 20}"}
    line = "compare a vs b by roc_auc with delong"
    ((code, message),) = found(written(40, line, **by_fold))
    assert code == "W440" and "rests on 10 groups with rows of `0`" in message
    single = {"clause": "fold fold\n  group g", "groups": lambda i: i}
    assert found(written(40, line, **single)) == []


def test_groups_in_several_folds_have_their_spread_over_all_folds(written):
    crossing = {"clause": "fold fold\n  group g", "groups": lambda i: i // 10}
    study = written(20, "", **crossing)
    assert found(study) == []
    estimates = [e for e in run(study).record.estimates if e.metric == "roc_auc"]
    assert all(e.interval.low is not None for e in estimates)
