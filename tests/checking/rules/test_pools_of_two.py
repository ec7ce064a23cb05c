"""Mean ranks depend on the other models of a line, of which there may be none."""

import pytest
from studies import checked

STUDY = """evallang 1
study "T"
  seed 1
scores published from "auc.csv"
  dataset name
  models {models}
  higher is better
compare {line} across data with bonferroni_dunn
"""


@pytest.mark.parametrize(
    ("models", "line", "objected"),
    [
        ("a, b", "a against b", False),
        ("a, b", "against b", False),
        ("a, b, c", "a against b", False),
        ("a, b, c", "against b", True),
        ("a, b, c", "a, c against b", True),
    ],
)
def test_a_single_pair_has_no_pool(models, line, objected):
    found = checked(STUDY.format(models=models, line=line)).diagnostics
    assert ("W305" in [d.code for d in found]) is objected
