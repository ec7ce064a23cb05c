"""Shortcuts give what the fits that they replace give; scikit-learn's own fits are the measure."""

from contextlib import nullcontext

import numpy as np
import pytest
from msgspec.structs import replace

from evallang.data.dataset import Column
from evallang.models import fitting, neighbours
from evallang.models.build import BuildContext, build_step
from evallang.models.fitting import FitData, FitOutcome, fit_candidates
from evallang.models.model import EstimatorSpec, PipelineSpec

N, P = 90, 4
COLUMNS = tuple(Column(f"x{i}", numeric=True, index=i) for i in range(P))
CONTEXT = BuildContext(COLUMNS, seed=lambda name, place: 1)
KS = (5, 1, 8, 3)


def one_split(*, whole: bool, classes: int | None, n: int = N) -> FitData:
    """Return random rows; whole numbers give many neighbours that are equally near."""
    chance = np.random.default_rng(20181113)
    X = chance.normal(size=(n, P))
    X = np.round(X) if whole else X
    y = chance.integers(0, classes, n) if classes else X @ np.arange(P) + chance.normal(size=n)
    rows = chance.permutation(n)
    return FitData(X, y, rows[: 2 * n // 3], rows[2 * n // 3 :], classes, scores=bool(classes))


def both(pipelines: list[PipelineSpec], data: FitData) -> list[tuple[FitOutcome, FitOutcome]]:
    fast = fit_candidates(pipelines, data, CONTEXT)
    return list(
        zip(fast, fit_candidates(pipelines, replace(data, fast_paths=False), CONTEXT), strict=True)
    )


def same(fast: FitOutcome, slow: FitOutcome) -> bool:
    """Return whether two outcomes are equal bit for bit."""
    if fast.outputs is None or slow.outputs is None:
        return fast.failure == slow.failure and fast.outputs is slow.outputs
    a, b = fast.outputs.scores, slow.outputs.scores
    return (
        np.array_equal(fast.outputs.predictions, slow.outputs.predictions)
        and fast.outputs.kind == slow.outputs.kind
        and ((a is None and b is None) or np.array_equal(a, b))
        and fast.warnings == slow.warnings
    )


def nearest(name: str, k: int, **parameters: str | int | float) -> PipelineSpec:
    given = (("n_neighbors", k), *parameters.items())
    return PipelineSpec((EstimatorSpec(name, given),))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"algorithm": "brute"},
        {"algorithm": "ball_tree", "metric": "manhattan"},
        {"metric": "chebyshev"},
        {"metric": "cosine"},
        {"p": 1, "algorithm": "brute"},
        {"p": 3},
    ],
)
@pytest.mark.parametrize(("name", "classes"), [("KNeighborsClassifier", 3),
                                               ("KNeighborsRegressor", None)])  # fmt: skip
def test_one_search_gives_the_bits_of_a_search_for_each_k(name, classes, more, weights, whole):
    data = one_split(whole=whole, classes=classes)
    found = both([nearest(name, k, weights=weights, **more) for k in KS], data)
    assert all(same(fast, slow) for fast, slow in found)
    assert all(slow.fast_path is None for _, slow in found)
    assert whole or all(fast.fast_path == neighbours.NAME for fast, _ in found)


def test_equally_near_neighbours_are_left_to_scikit_learn():
    data = one_split(whole=True, classes=3)
    found = both([nearest("KNeighborsClassifier", k) for k in KS], data)
    assert any(fast.fast_path is None for fast, _ in found)


def test_an_impossible_k_fails_as_without_shortcuts():
    data = one_split(whole=False, classes=2)
    ks = [1, 10_000, 3]
    found = both([nearest("KNeighborsClassifier", k) for k in ks], data)
    assert [fast.failure is None for fast, _ in found] == [True, False, True]
    assert all(same(fast, slow) for fast, slow in found)


def test_a_class_that_the_training_rows_lack_has_no_neighbours():
    data = one_split(whole=False, classes=3)
    y = np.where(np.isin(np.arange(N), data.train) & (data.y == 1), 2, data.y)
    found = both([nearest("KNeighborsClassifier", k) for k in KS], replace(data, y=y))
    assert all(same(fast, slow) and fast.fast_path for fast, slow in found)
    assert found[0][0].outputs is not None
    assert found[0][0].outputs.scores[:, 1].max() == 0


def test_every_fit_is_counted_whichever_way_it_is_made():
    ended = []

    def guard(step):
        if step.last:
            ended.append(step.first)
        return nullcontext()

    data = replace(one_split(whole=False, classes=2), guard=guard)
    found = fit_candidates([nearest("KNeighborsClassifier", k) for k in KS], data, CONTEXT)
    assert {outcome.fast_path for outcome in found} == {neighbours.NAME}
    assert sorted(ended) == list(range(len(KS)))


SCALE, PCA = EstimatorSpec("StandardScaler"), EstimatorSpec("PCA", (("n_components", 2),))


def test_models_behind_equal_steps_share_what_these_made_of_the_rows(monkeypatch):
    made = []
    monkeypatch.setattr(
        fitting, "build_step", lambda p, i, c: made.append(p.steps[i].name) or build_step(p, i, c)
    )
    data = replace(one_split(whole=False, classes=2), identity="these rows")
    for last in ("GaussianNB", "LogisticRegression", "LinearDiscriminantAnalysis"):
        pipeline = PipelineSpec((SCALE, PCA, EstimatorSpec(last)))
        assert all(same(a, b) for a, b in both([pipeline], data))
    fitting.forget_rows()
    assert made.count("PCA") == 1 + 3  # once with shortcuts, three times without


def test_other_rows_are_transformed_anew():
    first = replace(one_split(whole=False, classes=2), identity="these rows")
    swapped = replace(first, train=first.test, test=first.train, identity="other rows")
    pipeline = PipelineSpec((SCALE, PCA, EstimatorSpec("GaussianNB")))
    for data in (first, swapped):
        assert all(same(a, b) for a, b in both([pipeline], data))
    fitting.forget_rows()


def test_rows_kept_for_later_models_are_bounded(monkeypatch):
    monkeypatch.setattr(fitting, "MOST_KEPT", 4 * N * P * 8)
    data = one_split(whole=False, classes=2)
    pipeline = PipelineSpec((SCALE, EstimatorSpec("GaussianNB")))
    for number in range(9):
        fit_candidates([pipeline], replace(data, identity=f"rows {number}"), CONTEXT)
    assert 0 < fitting._TRANSFORMED._bytes <= 4 * N * P * 8
    fitting.forget_rows()
    assert fitting._TRANSFORMED._bytes == 0


def test_rows_of_another_split_are_not_kept():
    fitting.forget_rows()
    pipeline = PipelineSpec((SCALE, EstimatorSpec("GaussianNB")))
    kept = []
    for split in ("first", "first", "second"):
        fitting.begin_split(split)
        for fold in range(2):  # an inner fold has rows of its own
            data = replace(one_split(whole=False, classes=2), identity=f"{split} {fold}")
            fit_candidates([pipeline], data, CONTEXT)
        kept.append(fitting._TRANSFORMED._bytes)
    assert kept == [2 * N * P * 8] * 3
    fitting.forget_rows()


def test_models_on_the_same_rows_take_them_out_of_the_table_once():
    taken = []

    class Table(np.ndarray):
        def __getitem__(self, rows):
            taken.append(len(rows))
            return np.asarray(self)[rows]

    data = one_split(whole=False, classes=2)
    data = replace(data, X=data.X.view(Table), identity="these rows")
    for last in ("GaussianNB", "LinearDiscriminantAnalysis"):
        fit_candidates([PipelineSpec((EstimatorSpec(last),))], data, CONTEXT)
    assert taken == [len(data.train), len(data.test)]
    for changes in ({"fast_paths": False}, {"identity": "other rows"}, {"identity": None}):
        taken.clear()
        fit_candidates([PipelineSpec((SCALE, SCALE))], replace(data, **changes), CONTEXT)
        assert taken == [len(data.train), len(data.test)]
    fitting.forget_rows()
