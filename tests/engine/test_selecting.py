"""Which candidate is chosen, and which are tried."""

import numpy as np
import pytest
from many_cases import for_each
from studies import checked, study

from evallang.api import read_and_plan, run
from evallang.engine.tuning import choose, steps_from_simple
from evallang.models.catalogue import simplicity
from evallang.models.model import grid

HEAD = """evallang 1
data wine from sklearn wine
protocol nested cv outer=3 inner=5
"""


def pipeline(text):
    return checked(HEAD + f"model m = {text}\n").study.models[0].pipeline


def test_the_best_mean_wins_and_ties_go_to_the_first_written():
    scores = np.array([[0.5, 0.7, 0.7], [0.5, 0.9, 0.9]])
    assert choose(scores, [0, 1, 2], "best", "higher", [0, 0, 0]) == 1
    assert choose(scores, [0, 1, 2], "best", "lower", [0, 0, 0]) == 0
    assert choose(scores, [0, 2], "best", "higher", [0, 0, 0]) == 2


def test_the_simplest_within_one_standard_error_wins():
    # by hand: the best is candidate 2 with mean .84, sd .0548, SE .0548 / sqrt(5) = .0245
    scores = np.array(
        [
            [0.70, 0.82, 0.80],
            [0.72, 0.82, 0.80],
            [0.70, 0.82, 0.80],
            [0.72, 0.82, 0.90],
            [0.71, 0.82, 0.90],
        ]
    )
    assert choose(scores, [0, 1, 2], "one_standard_error", "higher", [0, 1, 2]) == 1
    assert choose(-scores, [0, 1, 2], "one_standard_error", "lower", [0, 1, 2]) == 1
    assert choose(scores, [0, 1, 2], "best", "higher", [0, 1, 2]) == 2


def test_steps_count_by_the_table_of_directions():
    spec = pipeline("StandardScaler | SVC(C in [10, 0.1, 1], gamma in [0.1, 1])")
    candidates = grid(spec)
    steps = dict(
        zip(
            [(c["C"], c["gamma"]) for c in candidates],
            steps_from_simple(spec, candidates),
            strict=True,
        )
    )
    # smaller C and smaller gamma are simpler (language.md, tune)
    assert steps == {
        (10, 0.1): 2, (10, 1): 3, (0.1, 0.1): 0, (0.1, 1): 1, (1, 0.1): 1, (1, 1): 2,
    }  # fmt: skip


def planned(tune, model="SVC(C in 1e-3..1e3 loguniform, gamma in [0.1, 1])", seed=0):
    text = HEAD.replace("data", f"study\n  seed {seed}\ndata", 1) + f"{tune}\nmodel m = {model}\n"
    return read_and_plan(study(text)).planned


def test_a_random_search_tries_as_many_candidates_as_it_says_the_same_in_every_fold():
    tasks = list(planned("tune random 12").fits.values())
    assert len(tasks) == 3
    first = tasks[0].candidates
    assert len(first) == 12
    assert all(task.candidates == first for task in tasks)
    values = [c["C"] for c in first]
    assert len(set(values)) == 12
    assert all(1e-3 <= v <= 1e3 for v in values)


def test_the_sample_follows_the_study_seed_alone():
    def drawn(seed):
        return next(iter(planned("tune random 5", seed=seed).fits.values())).candidates

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_a_sample_as_large_as_the_grid_is_the_grid():
    model = "SVC(C in [1, 10], gamma in [0.1, 1])"
    (a, *_), (b, *_) = (
        list(planned(tune, model).fits.values()) for tune in ("tune random 9", "tune grid")
    )
    assert a.candidates == b.candidates
    (sampled, *_) = planned("tune random 3", model).fits.values()
    assert len(sampled.candidates) == 3


@pytest.mark.parametrize("rule", ["best", "one_standard_error"])
def test_the_rule_stands_in_the_selections(rule):
    text = (
        HEAD
        + f"tune grid select {rule}\nmodel m = KNeighborsClassifier(n_neighbors in 1..21 step 5)\n"
    )
    selections = run(study(text)).record.selections
    assert {s.rule for s in selections} == {rule}
    assert len(selections) == 3


@for_each(
    ("class_name", "parameter", "values", "ranks"),
    [  # the table of language.md, `tune`, row by row; the least limit comes last
        ("LogisticRegression", "C", (10.0, 0.1, 1.0), (2, 0, 1)),
        ("SVC", "gamma", (0.1, 0.01), (1, 0)),
        ("RandomForestClassifier", "max_depth", (None, 4, 8), (2, 0, 1)),
        ("DecisionTreeClassifier", "max_leaf_nodes", (None, 8, 4), (2, 1, 0)),
        ("PolynomialFeatures", "degree", (3, 1, 2), (2, 0, 1)),
        ("PCA", "n_components", (20, 5), (1, 0)),
        ("Ridge", "alpha", (0.1, 10.0), (1, 0)),
        ("KNeighborsClassifier", "n_neighbors", (1, 15, 5), (2, 0, 1)),
        ("DecisionTreeClassifier", "min_samples_leaf", (1, 9, 5), (2, 0, 1)),
        ("DecisionTreeClassifier", "min_samples_split", (2, 20), (1, 0)),
        ("DecisionTreeRegressor", "ccp_alpha", (0.0, 0.1), (1, 0)),
    ],
)
def test_every_row_of_the_table_of_directions(class_name, parameter, values, ranks):
    assert simplicity(class_name, parameter, values) == ranks
