"""The catalogue answers without scikit-learn what a parameter takes and which way is simple."""

import pytest
from many_cases import for_each

from evallang.models import catalogue
from evallang.models.catalogue import (
    CATALOGUE,
    accepts,
    estimators,
    simplicity,
    transformers,
    unavailable,
)
from evallang.models.model import Candidates, EstimatorSpec, ListSpec, MapSpec


@for_each(
    ("name", "parameter", "value"),
    [
        ("LogisticRegression", "C", 1),
        ("LogisticRegression", "class_weight", "balanced"),
        ("LogisticRegression", "class_weight", MapSpec((("no", 1), ("yes", 10)))),
        ("RandomForestClassifier", "max_features", 0.5),
        ("RandomForestClassifier", "max_features", 3),
        ("RandomForestClassifier", "max_depth", None),
        ("MLPClassifier", "hidden_layer_sizes", ListSpec((50, 20))),
        ("MinMaxScaler", "feature_range", ListSpec((-1, 1))),
        ("VotingClassifier", "estimators", ListSpec((EstimatorSpec("GaussianNB"),))),
        ("BaggingClassifier", "estimator", EstimatorSpec("GaussianNB")),
        ("SelectKBest", "score_func", "mutual_info_classif"),
        ("SimpleImputer", "missing_values", "nan"),
        ("SimpleImputer", "fill_value", "none of these"),
        ("OneHotEncoder", "dtype", "float32"),
        ("KNeighborsClassifier", "n_neighbors", Candidates((1, 3, 5), "[1, 3, 5]")),
        ("SVC", "C", Candidates((), "1..2 uniform", "uniform", 1.0, 2.0)),
        (
            "KNeighborsClassifier",
            "n_neighbors",
            Candidates((), "1..9 uniform", "uniform", 1.0, 9.0, integer=True),
        ),
    ],
)
def test_a_value_that_scikit_learn_takes_is_taken(name, parameter, value):
    assert accepts(CATALOGUE[name].parameter(parameter), value) is None


@for_each(
    ("name", "parameter", "value", "reason"),
    [
        ("SGDClassifier", "penalty", "l3", "takes one of `elasticnet`, `l1`, `l2`, or `none`"),
        ("LogisticRegression", "C", 0, "takes a number above 0"),
        ("LogisticRegression", "C", True, "takes a number above 0"),
        ("KNeighborsRegressor", "n_neighbors", 3.0, "takes a whole number, 1 or more, or `none`"),
        ("PowerTransformer", "standardize", "yes", "takes `true` or `false`"),
        ("VotingClassifier", "estimators", "forest", "takes a list of models"),
        ("VotingClassifier", "estimators", ListSpec(()), "takes a list of models"),
        ("VotingClassifier", "estimators", ListSpec((EstimatorSpec("GaussianNB"), 3)), "models"),
        ("StackingRegressor", "estimators", ListSpec(("forest",)), "takes a list of models"),
        ("LogisticRegression", "C", Candidates((1.0, -1.0), "[1.0, -1.0]"), "above 0"),
        ("SVC", "C", Candidates((), "0..2 uniform", "uniform", 0.0, 2.0), "above 0"),
        ("FunctionTransformer", "func", "log1p", "takes a function"),
        ("CountVectorizer", "input", "filename", "names files"),
        ("FeatureAgglomeration", "memory", "cache", "names a folder"),
        ("Lasso", "alpha", "none", "takes a number"),
    ],
)
def test_a_value_that_it_does_not_take_is_refused_with_what_it_takes(
    name, parameter, value, reason
):
    assert reason in accepts(CATALOGUE[name].parameter(parameter), value)


@pytest.mark.parametrize(
    "name", ["GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"]
)
def test_a_class_that_searches_is_refused_with_what_to_write(name):
    assert "write the candidates with `in`" in CATALOGUE[name].refused
    assert name not in estimators()


def test_estimators_and_transformers_are_told_apart():
    assert {"LogisticRegression", "RFE", "VotingRegressor"} <= set(estimators())
    assert {"StandardScaler", "PCA", "TfidfVectorizer", "RFE"} <= set(transformers())
    assert not {"StandardScaler", "KMeans", "TSNE"} & set(estimators())
    assert not {"LogisticRegression", "TSNE", "DBSCAN"} & set(transformers())


@for_each(
    ("name", "parameter", "values", "ranks"),
    [
        ("SVC", "C", (1e-3, 1.0, 1e3), (0, 1, 2)),
        ("DecisionTreeClassifier", "max_depth", (None, 3, 1), (2, 1, 0)),
        ("KNeighborsClassifier", "n_neighbors", (15, 1, 7), (0, 2, 1)),
        ("Ridge", "alpha", (1, 0.1, 1.0), (0, 1, 0)),  # equal ones alike
        ("SVC", "gamma", ("scale", 0.1), None),
        ("RandomForestClassifier", "min_samples_leaf", (1, 0.1), None),  # a count and a share
        ("GradientBoostingRegressor", "alpha", (0.1, 0.9), None),  # a quantile
        ("RandomForestClassifier", "n_estimators", (10, 100), None),
        ("NoSuchClass", "C", (1, 2), None),
    ],
)
def test_values_are_ranked_from_the_simplest(name, parameter, values, ranks):
    assert simplicity(name, parameter, values) == ranks


@pytest.fixture
def stand_on_version(monkeypatch):
    """Stand on another version of scikit-learn, with the catalogue read afresh."""

    def stand_on(version: str) -> None:
        for function in (catalogue._entry, catalogue._edition):
            function.cache_clear()
        monkeypatch.setattr(catalogue, "installed_version", lambda: version)

    yield stand_on
    for function in (catalogue._entry, catalogue._edition):
        function.cache_clear()


def test_what_a_version_lacks_is_said_with_the_version(stand_on_version):
    # scikit-learn's release notes: ClassicalMDS came with 1.8, LogisticRegression lost
    # multi_class with 1.8, and its penalty was "l2" by default before
    stand_on_version("1.6.1")
    assert "came with scikit-learn 1.8, and 1.6.1 is installed" in unavailable(
        CATALOGUE["ClassicalMDS"]
    )
    assert unavailable(CATALOGUE["LogisticRegression"].parameter("multi_class")) is None
    assert CATALOGUE["LogisticRegression"].parameter("penalty").default == "l2"
    stand_on_version("1.9.0")
    assert unavailable(CATALOGUE["ClassicalMDS"]) is None
    assert "left scikit-learn after" in unavailable(
        CATALOGUE["LogisticRegression"].parameter("multi_class")
    )


@pytest.mark.parametrize("version", ["1.5.2", "1.6.0", "1.8.1", "7.0"])
def test_a_version_outside_the_table_has_the_nearest_edition(version, stand_on_version):
    stand_on_version(version)
    assert CATALOGUE["LogisticRegression"].parameter("C") is not None


def test_the_installed_version_is_the_one_that_would_be_imported():
    import sklearn

    assert catalogue.installed_version() == sklearn.__version__
