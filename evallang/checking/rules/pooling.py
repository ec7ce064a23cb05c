"""Advice on predictions of several fitted models, taken as one sample."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import (
    evidence_of,
    listed,
    repeated_design,
    repeated_form,
    tables,
    test_of,
    tested_lines,
    uses_rows,
)
from evallang.compatibility import is_assigned, is_grouped
from evallang.compatibility.hypothesis_tests import tests_of
from evallang.diagnostics import Changes, Severity
from evallang.models.model import EstimatorSpec, ModelSpec
from evallang.protocols.protocol import PROTOCOLS
from evallang.study import ComparisonSpec, Method, Study, models_of

TREES = frozenset(
    {"DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"}
)
NEIGHBOURS = frozenset({"KNeighborsClassifier", "KNeighborsRegressor"})
UNPRUNED = {
    "max_depth": None,
    "max_leaf_nodes": None,
    "min_samples_leaf": 1,
    "min_samples_split": 2,
    "min_impurity_decrease": 0,
    "ccp_alpha": 0,
}
"""Values under which a parameter of a tree stops nothing from growing."""


@rule(
    "W315",
    changes=Changes.QUESTION,
    source="Bayle et al. 2020; Bengio & Grandvalet 2004",
    severity=Severity.HINT,
)
def pooled_predictions_of_unstable_models(study: Study) -> Iterator[Objection]:
    """A test pools predictions over folds whose models do not represent the algorithm.

    The test treats examples as independent given the models fitted on the folds. It describes the
    algorithm only if a few examples more or less hardly change what is learnt. That does not hold
    for one nearest neighbour and unpruned trees, which follow single examples, nor for
    leave-one-out, whose n models are almost the same and whose predictions depend on one another.

    Objects to:

        data wine from sklearn wine
        model a = KNeighborsClassifier(n_neighbors=1)
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with mcnemar

    Accepts:

        data wine from sklearn wine
        model a = KNeighborsClassifier(n_neighbors=1)
        model b = LinearDiscriminantAnalysis
        protocol repeated cv
        compare a, b with corrected_t
    """
    for comparison in tested_lines(study):
        pools = _pools(study, comparison)
        reason = unstable(study, comparison) if pools else None
        if reason:
            yield Objection(
                f"`{_test_of_rows(study, comparison).name}` pools the predictions of all folds, "
                f"and {reason}",
                comparison.span,
                help=_form_for_algorithms(study, comparison),
            )


@rule(
    "W316",
    changes=Changes.QUESTION,
    source="Dietterich 1998; Bayle et al. 2020",
    severity=Severity.HINT,
)
def pooled_predictions_of_several_models(study: Study) -> Iterator[Objection]:
    """A test on pooled cross-validated predictions is about the models fitted in this study.

    Its null hypothesis is that the k fitted models of the two algorithms have the same average
    error. The p-value does not include how much another training set would change the models. That
    is often what is wanted, and the report says so; a statement about the algorithms needs repeated
    cross-validation.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with mcnemar

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol holdout
        compare a, b with mcnemar
    """
    for comparison in tested_lines(study):
        if _grouped(study, comparison):
            continue  # whole groups are resampled, and the report states what the test is about
        if _pools(study, comparison) and not unstable(study, comparison):
            test = _test_of_rows(study, comparison)
            about = "is about" if _singly(test) else "compares"
            yield Objection(
                f"`{test.name}` {about} the models fitted on these folds, not the algorithms on "
                "new training sets",
                comparison.span,
                help=f"if the algorithms are meant, {_form_for_algorithms(study, comparison)}",
            )
            return  # reported once for a study


def _grouped(study: Study, comparison: ComparisonSpec) -> bool:
    """Return whether the rows that a line tests come in groups that its author names."""
    return any(is_grouped(source, study.group) for source, _, _ in evidence_of(study, comparison))


def _pools(study: Study, comparison: ComparisonSpec) -> bool:
    """Return whether a test counts predictions of several fitted models as one sample."""
    if comparison.across:
        return False
    return any(
        yields.once
        and not (yields.single_fit or yields.neighbours)
        and (protocol is None or not is_assigned(protocol))  # whether it has folds, the data say
        and any(uses_rows(test, yields) for test in tests_of(comparison))
        for _, protocol, yields in evidence_of(study, comparison)
    )


def _form_for_algorithms(study: Study, comparison: ComparisonSpec) -> str:
    """State what to write instead; imported predictions have the folds they have."""
    test = _test_of_rows(study, comparison)
    if _singly(test):
        metric = comparison.metrics[0].written
        interval = f"the interval `corrected_t` of {metric}"
        if not tables(study):
            return f"remove the line and read {interval}: `interval corrected_t`"
        repeated = _repeated(study, comparison)
        return f"write `protocol {repeated}`, remove the line and read {interval}"
    if not tables(study):
        return "write `with corrected_t`, which takes the scores of the folds"
    return f"write `protocol {_repeated(study, comparison)}` and `with corrected_t`"


def _repeated(study: Study, comparison: ComparisonSpec) -> str:
    """Write the protocol of a line with repeats of its own folds, which suit the data."""
    own = next((p for p in study.protocols if p.name == comparison.protocol), None)
    return repeated_design(study) if own is None else repeated_form(study, own)


def _singly(test: Method) -> bool:
    """Return whether a test is about one model and a stated value."""
    return test_of(test).models == (1, 1)


def _test_of_rows(study: Study, comparison: ComparisonSpec) -> Method:
    """Find the test that counts predictions."""
    return next(
        test
        for _, _, yields in evidence_of(study, comparison)
        for test in tests_of(comparison)
        if uses_rows(test, yields)
    )


def unstable(study: Study, comparison: ComparisonSpec) -> str | None:
    """Return why the folds' models differ more than their number, or less, lets one think."""
    for _, protocol, _ in evidence_of(study, comparison):
        if protocol is None:
            continue
        if PROTOCOLS[protocol.kind].declaration.test_rows(protocol.options) == 1:
            return "those of leave-one-out depend on one another"
        named = models_of(comparison, study.model_names)
        # A file of thousands of lines looks at the models of each line, not at all for each
        about = set(named)
        wanted = {model.name: model for model in study.models if model.name in about}
        single = [n for n in named if n in wanted and follows_single_examples(wanted[n])]
        if single:
            if len(single) == 1:
                return f"{listed(single)} follows single examples, so its folds' models differ"
            return f"{listed(single)} follow single examples, so their folds' models differ"
    return None


def follows_single_examples(model: ModelSpec) -> bool:
    """Return whether a model is one nearest neighbour or a tree grown to the end."""
    last = model.pipeline.steps[-1] if model.pipeline.steps else None
    if not isinstance(last, EstimatorSpec):
        return False
    written = dict(last.parameters)
    if last.name in NEIGHBOURS:
        return written.get("n_neighbors") == 1
    return last.name in TREES and all(
        written.get(name, loose) == loose for name, loose in UNPRUNED.items()
    )
