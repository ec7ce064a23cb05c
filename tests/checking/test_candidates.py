"""Lists of candidates: how long they may be, and what is in them twice."""

import pytest
from studies import checked

from evallang.limits import limits

STUDY = """evallang 1
study
  seed 1
data iris from sklearn iris
model svm = SVC(C in {candidates})
model prior = DummyClassifier
protocol nested cv
"""


def messages(candidates):
    return [d.message for d in checked(STUDY.format(candidates=candidates)).diagnostics]


def test_a_list_as_long_as_the_limit_is_taken_and_a_longer_one_refused():
    with limits(points=3):
        assert messages("[1, 2, 3]") == []
        assert messages("[1, 2, 3, 4]") == [
            "the list of `C`: 4 values are more than the limit of 3"
        ]


def test_a_list_that_is_too_long_is_refused_before_its_values_are_looked_at():
    with limits(points=1):
        assert messages("[wrong, wrong]") == [
            "the list of `C`: 2 values are more than the limit of 1"
        ]


@pytest.mark.parametrize("candidates", ["[1, 1.0]", "[1, 10]"])
def test_a_whole_number_and_one_with_a_point_are_two_candidates(candidates):
    assert messages(candidates) == []
