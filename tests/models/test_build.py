"""Specs become scikit-learn objects with seeds, containers and columns in their places."""

import numpy as np
import pytest
from specs import Column, call, context, items, seed, steps

from evallang.models.build import build
from evallang.models.columns import branch_columns, design_matrix
from evallang.models.model import (
    BranchSpec,
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    MapSpec,
    NamedSpec,
)

MIXED = (
    Column("age", True, 0),
    Column("town", False, 0),
    Column("bmi", True, 1),
    Column("note", False, 1),
)


def _mixed_rows(n: int = 60):
    rng = np.random.default_rng(3)
    numeric = rng.normal(size=(n, 2))
    numeric[::9, 0] = np.nan
    objects = np.empty((n, 2), dtype=object)
    objects[:, 0] = rng.choice(["Oslo", "Bergen", "Bodø"], size=n)
    objects[::7, 0] = np.nan
    objects[:, 1] = rng.choice(["late again", "on time", "very late"], size=n)
    return design_matrix(numeric, objects), (rng.random(n) < 0.5).astype(np.int64)


def test_every_random_state_gets_the_seed_of_its_class_and_place():
    forest = call("RandomForestClassifier")
    made = build(
        steps(
            call("PCA"),
            call("VotingClassifier", estimators=items(
                forest, NamedSpec("fixed", steps(call("SVC", random_state=3))),
                steps(call("PCA"), forest),
            )),
        ),
        context(),
    )  # fmt: skip
    parameters = made.get_params()
    assert parameters["pca__random_state"] == seed("PCA", "0")
    voting = "votingclassifier__"
    assert parameters[f"{voting}randomforestclassifier__random_state"] == seed(
        "RandomForestClassifier", "1.estimators.0"
    )
    assert parameters[f"{voting}fixed__random_state"] == 3
    inner = parameters[f"{voting}randomforestclassifier-2"]
    assert inner.get_params()["randomforestclassifier__random_state"] == seed(
        "RandomForestClassifier", "1.estimators.2.1"
    )


def test_nothing_runs_in_parallel_or_prints():
    made = build(steps(call("RandomForestClassifier", n_jobs=4, verbose=2)), context())
    assert (made.n_jobs, made.verbose) == (None, 0)


def test_lists_become_what_the_parameter_wants():
    scaler = build(steps(call("MinMaxScaler", feature_range=items(-1, 1))), context())
    assert scaler.feature_range == (-1, 1)
    assert build(
        steps(call("TfidfVectorizer", ngram_range=items(1, 2))), context(columns=MIXED[3:])
    ).transformers[0][1].ngram_range == (1, 2)
    net = build(steps(call("MLPClassifier", hidden_layer_sizes=items(5, 3))), context())
    assert tuple(net.hidden_layer_sizes) == (5, 3)
    prior = build(steps(call("GaussianNB", priors=items(0.5, 0.5))), context())
    assert prior.priors == [0.5, 0.5]


def test_labels_in_parameters_become_the_codes_that_models_see():
    weights = MapSpec((("no", 1), ("yes", 10)))
    assert build(
        steps(call("LogisticRegression", class_weight=weights)), context()
    ).class_weight == {
        0: 1,
        1: 10,
    }
    balanced = build(steps(call("LogisticRegression", class_weight="balanced")), context())
    assert balanced.class_weight == "balanced"
    numbers = context(classes=("-1", "1"))
    assert (
        build(steps(call("DummyClassifier", strategy="constant", constant=-1)), numbers).constant
        == 0
    )
    kept = context(classes=("-1", "1"), targets=(-1, 1))
    assert build(
        steps(call("LogisticRegression", class_weight=MapSpec(((1, 5),)))), kept
    ).class_weight == {1: 5}
    with pytest.raises(ValueError, match="maybe, which is not a class of the target"):
        build(steps(call("LogisticRegression", class_weight=MapSpec((("maybe", 1),)))), context())


def test_words_become_functions_types_and_nan_only_where_the_table_says():
    from sklearn.feature_selection import f_regression

    assert build(steps(call("SelectKBest", score_func="f_regression")), context()).score_func is (
        f_regression
    )
    noisy = build(steps(call("SelectKBest", score_func="mutual_info_classif")), context())
    assert noisy.score_func.keywords == {"random_state": seed("SelectKBest", "0")}
    assert build(steps(call("OneHotEncoder", dtype="float32")), context()).dtype is np.float32
    assert np.isnan(
        build(steps(call("SimpleImputer", missing_values="nan")), context()).missing_values
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (call("GridSearchCV"), "write the candidates with `in`"),
        (call("FunctionTransformer", func="log1p"), "func of FunctionTransformer takes a function"),
        (call("CountVectorizer", input="filename"), "names files"),
        (call("FeatureAgglomeration", memory="/tmp"), "memory of FeatureAgglomeration names"),
        (call("os.system"), "not a class of the catalogue"),
        (call("SVC", c=1), "SVC has no parameter c"),
        (call("SVC", C=Candidates((1, 2), "[1, 2]")), "not chosen yet"),
        (EstimatorSpec("lab.Net", (), code=True), "own code, which was not loaded"),
    ],
)  # fmt: skip
def test_what_the_checker_refuses_is_refused_once_more(spec, message):
    with pytest.raises(ValueError, match=message):
        build(steps(spec), context())


class Net:
    """A class of an author's own."""

    def __init__(self, width=1, random_state=None):
        self.width, self.random_state = width, random_state


def test_own_code_comes_from_whoever_loaded_it_and_gets_a_seed():
    spec = steps(EstimatorSpec("lab.Net", (("width", 64),), code=True))
    made = build(spec, context(own_class={"lab.Net": Net}.__getitem__))
    assert (made.width, made.random_state) == (64, seed("lab.Net", "0"))


def test_the_matrix_is_the_numeric_block_alone_or_floats_before_text():
    numeric, none = np.ones((3, 2)), np.empty((3, 0), dtype=object)
    assert design_matrix(numeric, none) is numeric
    text = np.array([["a"], ["b"], [np.nan]], dtype=object)
    mixed = design_matrix(numeric, text)
    assert mixed.dtype == object
    assert mixed[0].tolist() == [1.0, 1.0, "a"]
    assert design_matrix(np.empty((3, 0)), text) is text


def test_columns_send_each_block_its_way_with_missing_values_kept():
    spec = ColumnsSpec(
        (
            BranchSpec("numeric", steps(call("SimpleImputer", strategy="median"))),
            BranchSpec(("town",), steps(call("OneHotEncoder"))),
        )
    )
    rows, _ = _mixed_rows()
    made = build(steps(spec, call("LogisticRegression")), context(columns=MIXED))
    out = made[:-1].fit(rows).transform(rows)
    out = out.toarray() if hasattr(out, "toarray") else out
    assert out.dtype == np.float64
    # by hand: two imputed columns, and three towns beside "missing"
    ages = np.array([np.nan if isinstance(v, float) and np.isnan(v) else v for v in rows[:, 0]])
    expected = np.where(np.isnan(ages.astype(float)), np.nanmedian(ages.astype(float)), ages)
    np.testing.assert_array_equal(out[:, 0], expected.astype(float))
    np.testing.assert_array_equal(out[:, 1], rows[:, 1].astype(float))
    towns = ["Bergen", "Bodø", "Oslo"]
    one_hot = np.array([[town == t for t in towns] + [town not in towns] for town in rows[:, 2]])
    np.testing.assert_array_equal(out[:, 2:], one_hot.astype(float))


def test_a_named_column_is_no_part_of_its_block_and_rest_takes_what_is_left():
    spec = ColumnsSpec(
        (BranchSpec("numeric", None), BranchSpec(("age", "note"), None), BranchSpec("rest", None))
    )
    names = [[c.name for c in chosen] for chosen in branch_columns(spec, MIXED)]
    assert names == [["bmi"], ["age", "note"], ["town"]]


def test_a_branch_without_columns_is_left_out_and_none_at_all_is_an_error():
    spec = ColumnsSpec((BranchSpec("numeric", None), BranchSpec("categorical", None)))
    made = build(steps(spec, call("Ridge")), context(2))
    assert [name for name, _, _ in made.steps[0][1].transformers] == ["numeric"]
    nothing = ColumnsSpec((BranchSpec("categorical", None),))
    with pytest.raises(ValueError, match="none of the columns"):
        build(steps(nothing, call("Ridge")), context(2))
