"""Recall at a specificity and the reverse: against scikit-learn's ROC curve."""

import numpy as np
import pytest
from many_cases import for_each
from sklearn.metrics import roc_curve

import evallang as ev
from evallang.metrics.metric import METRICS, Outcome, evaluate


def expected(truth, score, least, of_recall, weights=None):
    fpr, tpr, _ = roc_curve(truth, score, sample_weight=weights, drop_intermediate=False)
    if of_recall:
        return tpr[1 - fpr >= least - 1e-9].max()
    return (1 - fpr)[tpr >= least - 1e-9].max()


@for_each("least", [0.01, 0.5, 0.8, 0.9, 1.0])
@for_each("seed", range(8))
def test_the_best_threshold_of_the_curve_is_taken(seed, least):
    rng = np.random.default_rng(seed)
    truth = np.append([0, 1], rng.integers(0, 2, 60))
    score = (truth + rng.normal(size=62)).round(seed % 3)
    for weights in (None, rng.integers(1, 4, 62).astype(float), rng.random(62) + 0.1):
        for name, option in (
            ("recall_at_specificity", "at_specificity"),
            ("specificity_at_recall", "at_recall"),
        ):
            found = evaluate(METRICS[name], {option: least}, truth, score, 1, 2, weights)
            of_recall = name.startswith("recall")
            assert found == pytest.approx(
                expected(truth, score, least, of_recall, weights), abs=1e-12
            )


@pytest.mark.parametrize("name", ["recall_at_specificity", "specificity_at_recall"])
def test_many_weightings_at_once_give_the_same(name):
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 50), rng.integers(0, 9, 50).astype(float)
    entry = METRICS[name]
    options = {o.name: 0.8 for o in entry.options}
    weights = rng.integers(0, 3, (20, 50))
    together = entry.declaration.under_weights(Outcome(truth, score, 2, 1), options)(weights)
    rows = [np.repeat(np.arange(50), w) for w in weights]
    alone = [evaluate(entry, options, truth[r], score[r], 1, 2) for r in rows]
    np.testing.assert_allclose(together, alone, atol=1e-12)


def test_a_missing_class_is_undefined():
    for name in ("recall_at_specificity", "specificity_at_recall"):
        options = {o.name: 0.8 for o in METRICS[name].options}
        assert np.isnan(evaluate(METRICS[name], options, np.ones(4, int), np.arange(4.0), 1, 2))


def test_a_study_states_that_the_threshold_was_chosen_on_the_same_scores(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.random(120) < 0.4
    score = (truth + rng.normal(size=120)).round(3)
    lines = [f"{i},{int(t)},{s}" for i, (t, s) in enumerate(zip(truth, score, strict=True))]
    (tmp_path / "p.csv").write_text("id,y,s\n" + "\n".join(lines) + "\n")
    (tmp_path / "s.eval").write_text(
        'evallang 1\nstudy\n  seed 1\npredictions p from "p.csv"\n  id id\n  truth y\n'
        '  positive 1\n  score a = "s"\nmeasure recall(at_specificity=90%)\nreport html\n'
    )
    record = ev.run(tmp_path / "s.eval", store="off").record
    (found,) = record.estimates
    assert found.value == pytest.approx(expected(truth, score, 0.9, True), abs=1e-12)
    assert found.interval.low < found.value < found.interval.high
    assert any("chosen on the same scores" in note for note in found.notes)
    method = next(m for m in record.methods if m.kind == "metric")
    assert method.title == "Recall at 90% specificity"
