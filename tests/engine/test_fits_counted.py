"""Fits are counted while their tasks still run."""

import evallang as ev

ONE_LONG_TASK = """\
evallang 1

study "One task of many fits"
  seed 3

data iris from sklearn iris

model tree = DecisionTreeClassifier(min_samples_leaf in 1..12, max_depth in [1, 2, 3])

protocol holdout test=20% validation=20%
"""


def test_progress_moves_within_a_task_and_ends_with_all_fits():
    told = []
    ev.run(ev.parse(ONE_LONG_TASK), jobs=2, progress=lambda *at: told.append(at))
    # 12 * 3 candidates on the validation part, and the refit: one task of 37 fits
    assert told[0] == (0, 37)
    assert told[-1] == (37, 37)
    done = [at for at, _ in told]
    assert done == sorted(set(done))
    assert any(0 < at < 37 for at in done)
