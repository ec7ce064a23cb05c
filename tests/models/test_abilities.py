"""Abilities of whole pipelines; expectations are scikit-learn's manual, tried in conformance."""

from many_cases import for_each
from specs import call, items, steps

from evallang.models.abilities import (
    ColumnState,
    UnusableColumns,
    abilities,
    misplaced_columns,
    unusable_columns,
)
from evallang.models.model import BranchSpec, Candidates, ColumnsSpec, NamedSpec

LOGISTIC, SVC, TREE = call("LogisticRegression"), call("LinearSVC"), call("DecisionTreeClassifier")


@for_each(
    ("estimator", "probabilities", "scores"),
    [
        (LOGISTIC, True, True),
        (call("SVC"), False, True),
        (call("SVC", probability=True), True, True),
        (call("SGDClassifier", loss="log_loss"), True, True),
        (call("SGDClassifier", loss=Candidates(("log_loss", "hinge"), "...")), False, True),
        (call("SGDClassifier", loss=Candidates(("log_loss", "modified_huber"), "...")), True, True),
        (call("VotingClassifier", estimators=items(LOGISTIC, TREE)), False, False),
        (call("VotingClassifier", estimators=items(LOGISTIC, TREE), voting="soft"), True, True),
        (call("VotingClassifier", estimators=items(LOGISTIC, SVC), voting="soft"), False, False),
        (call("StackingClassifier", estimators=items(SVC)), True, True),
        (call("StackingClassifier", estimators=items(LOGISTIC), final_estimator=SVC), False, True),
        (call("CalibratedClassifierCV", estimator=SVC), True, True),
        (call("OneVsRestClassifier", estimator=SVC), False, True),
        (call("OneVsRestClassifier", estimator=LOGISTIC), True, True),
        (call("BaggingClassifier"), True, True),
        (call("RFE", estimator=TREE), True, True),
        (call("RidgeClassifier"), False, True),
    ],
)
def test_probabilities_and_scores_depend_on_parameters_and_on_models_inside(
    estimator, probabilities, scores
):
    able = abilities(steps(call("StandardScaler"), estimator))
    assert (able.kind, able.probabilities, able.scores) == ("classifier", probabilities, scores)


def test_the_kind_is_that_of_the_last_step_or_of_the_model_inside():
    assert abilities(steps(call("PCA"), call("Ridge"))).kind == "regressor"
    assert abilities(steps(call("RFE", estimator=call("Ridge")))).kind == "regressor"
    named = NamedSpec("tree", steps(call("PCA"), TREE))
    assert abilities(steps(call("RFE", estimator=named))).kind == "classifier"
    assert abilities(steps(call("StandardScaler"))).kind is None
    assert abilities(steps(call("KMeans"))).kind is None


def test_classes_that_get_a_seed_and_run_alone_are_named():
    able = abilities(
        steps(
            call("PCA"),
            call(
                "VotingClassifier",
                estimators=items(
                    call("RandomForestClassifier"), call("SVC", random_state=3), LOGISTIC
                ),
            ),
        )
    )
    assert able.seeded == ("PCA", "RandomForestClassifier", "LogisticRegression")
    assert {"VotingClassifier", "RandomForestClassifier"} <= set(able.parallel)


@for_each(
    ("pipeline", "missing", "text"),
    [
        (steps(LOGISTIC), False, False),
        (steps(call("HistGradientBoostingClassifier")), True, False),
        (steps(call("SimpleImputer"), LOGISTIC), True, False),
        (steps(call("StandardScaler"), LOGISTIC), False, False),
        (steps(call("OneHotEncoder"), LOGISTIC), True, True),
        (steps(call("OrdinalEncoder"), LOGISTIC), False, True),
        (steps(call("OrdinalEncoder"), call("HistGradientBoostingClassifier")), True, True),
        (steps(call("SimpleImputer", strategy="most_frequent"), LOGISTIC), True, False),
        (
            steps(call("SimpleImputer", strategy="most_frequent"), call("OneHotEncoder"), LOGISTIC),
            True,
            True,
        ),
        (steps(call("DummyClassifier")), True, True),
        (steps(call("KNeighborsClassifier", metric="nan_euclidean")), True, False),
        (
            steps(
                call(
                    "VotingClassifier",
                    estimators=items(
                        steps(call("SimpleImputer"), LOGISTIC), call("RandomForestClassifier")
                    ),
                )
            ),
            True,
            False,
        ),
        (steps(call("VotingClassifier", estimators=items(LOGISTIC, TREE))), False, False),
    ],
)
def test_missing_values_and_text_are_followed_through_the_steps(pipeline, missing, text):
    states = ColumnState("age", numeric=True, missing=True), ColumnState("town", False, False)
    assert [not unusable_columns(pipeline, [state]) for state in states] == [missing, text]


COLUMNS = (
    ColumnState("age", numeric=True, missing=True),
    ColumnState("bmi", numeric=True, missing=False),
    ColumnState("town", numeric=False, missing=True),
)


def test_columns_that_reach_a_step_unprepared_are_named_with_the_step():
    assert unusable_columns(steps(call("StandardScaler"), LOGISTIC), COLUMNS) == (
        UnusableColumns("text", "StandardScaler", ("town",)),
        UnusableColumns("missing", "LogisticRegression", ("age",)),
    )


def test_columns_may_stand_first_also_in_a_model_inside_the_first_step():
    columns = ColumnsSpec((BranchSpec("numeric", None),))
    inside = call("VotingClassifier", estimators=items(steps(columns, LOGISTIC)))
    assert not misplaced_columns(steps(columns, LOGISTIC))
    assert not misplaced_columns(steps(inside))
    assert misplaced_columns(steps(call("PCA"), columns, LOGISTIC))
    assert misplaced_columns(steps(call("PCA"), inside))
    nested = ColumnsSpec((BranchSpec("numeric", steps(columns)),))
    assert misplaced_columns(steps(nested, LOGISTIC))
