"""The options of `time_series` count rows, where those of a holdout are shares."""

import pytest
from studies import codes

STUDY = (
    'evallang 1\nstudy "s"\n  seed 1\ndata diabetes from sklearn diabetes\nmodel m = Ridge\n'
    "model mean = DummyRegressor\nprotocol time_series {options}\nmeasure mae\n"
)


@pytest.mark.parametrize("options", ["test=40", "test=1 gap=0", "folds=3 gap=24 test=10"])
def test_rows_are_counted(options):
    assert codes(STUDY.format(options=options)) == []


@pytest.mark.parametrize("options", ["test=0", "gap=-1", "test=20%", "folds=1"])
def test_no_rows_and_shares_of_rows_are_refused(options):
    assert codes(STUDY.format(options=options)) == ["E131"]
