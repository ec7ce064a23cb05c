"""Advice on the choice of a hypothesis test."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.splits import has_few_splits
from evallang.checking.rules.study_facts import (
    all_options,
    evidence_of,
    is_by_default,
    own_protocols,
    repeated_design,
    repeated_form,
    test_of,
    tested_lines,
)
from evallang.compatibility import are_paired, is_grouped, metric_entry, yields_of
from evallang.compatibility.hypothesis_tests import fits_design, nearest_test, share_tests, tests_of
from evallang.data.dataset import DataSpec
from evallang.data.findings import written
from evallang.diagnostics import Changes, Severity
from evallang.protocols.protocol import PROTOCOLS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Study


@rule("W310", changes=Changes.CLAIMS, source="Dietterich 1998; Nadeau & Bengio 2003")
def overlapping_splits_as_independent(study: Study) -> Iterator[Objection]:
    """A t test treats the scores of overlapping splits as independent.

    The training sets of different folds, and the test sets of random splits, have examples in
    common. The variance of the mean difference is therefore underestimated, and equally good models
    are found different far more often than alpha says. The corrected resampled t test accounts for
    the overlap.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv folds=10
        compare a, b with kfold_t

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol repeated cv folds=10 times=10
        compare a, b with corrected_t
    """
    for comparison in tested_lines(study):
        for test in tests_of(comparison):
            shared = test_of(test).overlap_ignored
            if shared and _runs(study, comparison, test):
                yield Objection(
                    f"`{test.name}` treats overlapping splits as independent: {shared}",
                    comparison.span,
                    help=_corrected(study, comparison, test),
                )


def _runs(study: Study, comparison: ComparisonSpec, test: Method) -> bool:
    """Return whether a test finds scores of folds, or plans them; the checker refuses others."""
    entry = HYPOTHESIS_TESTS[test.name]
    found = evidence_of(study, comparison)
    planned = entry.declaration.implied is not None
    return planned or any(fits_design(entry, yields) for _, _, yields in found)


def _corrected(study: Study, comparison: ComparisonSpec, test: Method) -> str:
    entry = HYPOTHESIS_TESTS[test_of(test).instead]
    if test_of(test).models == (1, 1):
        # a claim about one model is decided on an interval that allows for the overlap
        source, _, yields = next(evidence_of(study, comparison))
        named, grouped = comparison.models, is_grouped(source, study.group)
        name = written(named[0]) if len(named) == 1 else "MODEL"
        return nearest_test(comparison.metrics[0], yields, test, clustered=grouped, model=name)
    for protocol in own_protocols(study):
        yields = PROTOCOLS[protocol.kind].declaration.yields(protocol.options)
        if yields.neighbours:
            return nearest_test(comparison.metrics[0], yields)
    repeated = repeated_design(study)
    for source in study.sources:
        protocols = own_protocols(study) if isinstance(source, DataSpec) else (None,)
        for own in protocols:
            if not fits_design(entry, yields_of(source, own)):
                continue
            if own is None or not has_few_splits(Method(entry.name), own, study.alpha):
                return f"write `with {entry.name}`"
            repeated = repeated_form(study, own)
    return f"write `protocol {repeated}` and `with {entry.name}`"


@rule("W311", changes=Changes.CLAIMS, source="Dietterich 1998, 3.2; Raschka 2018, 4.2")
def paired_predictions_as_independent(study: Study) -> Iterator[Objection]:
    """A test for two independent samples compares models on the same examples.

    Models tested on the same examples tend to be right and wrong together. The z test of two
    proportions assumes separate examples for each model, so it ignores the pairing and uses a wrong
    variance.

    Objects to:

        data cancer from sklearn breast_cancer
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol holdout
        compare a, b with proportions_z

    Accepts:

        data cancer from sklearn breast_cancer
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol holdout
        compare a, b with mcnemar
    """
    independent = share_tests()
    for comparison in tested_lines(study):
        found = next((t.name for t in tests_of(comparison) if t.name in independent), None)
        known = [are_paired(yields) for _, _, yields in evidence_of(study, comparison)]
        alone = bool(known) and not any(known)
        if found is not None and not alone:
            yield Objection(
                f"`{found}` assumes that each model was tested on examples of its own",
                comparison.span,
                help="write `with mcnemar`, which compares them on the same examples; models with "
                "test sets of their own are `counts` with `right MODEL = RIGHT of TOTAL` for each",
            )


@rule("W312", changes=Changes.CLAIMS, source="Alpaydın 1999; Dietterich 1998")
def test_that_depends_on_order(study: Study) -> Iterator[Objection]:
    """The 5x2cv t test uses one or two of ten differences in its numerator.

    Which difference it uses depends on the order of the halves, so the same ten numbers give ten
    possible p-values; with `numerator=mean` it uses the two of the first repeat, and five p-values
    are possible. The combined F test uses all ten differences and does not depend on their order.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with 5x2cv_t

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with 5x2cv_f
    """
    for comparison in tested_lines(study):
        for test in tests_of(comparison):
            order = test_of(test).by_order
            if order is not None:
                yield Objection(
                    f"`{test.written}` depends on which {order.first(all_options(test))} came "
                    "first",
                    comparison.span,
                    help=f"write `with {order.instead}`, {order.because}",
                )


@rule("W313", changes=Changes.QUESTION, source="Raschka 2018, 4.3; Dietterich 1998")
def test_of_another_measure(study: Study) -> Iterator[Objection]:
    """The first measure is one metric, and the test is about another.

    McNemar's and Cochran's tests count right and wrong answers: they test accuracy, whatever the
    study measures. A reader who sees the first measure next to the p-value assumes that the test is
    about it.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol holdout
        measure f1, accuracy
        compare a, b with mcnemar

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol holdout
        measure f1, accuracy
        compare a, b with mcnemar by accuracy
    """
    if not study.measures:
        return
    first = study.measures[0].metric
    if metric_entry(first).declaration.proportion == "all":
        return
    for comparison in study.comparisons:
        if is_by_default(study, "compare", "by", comparison.index) and any(
            test_of(test).tests == "correctness" for test in tests_of(comparison)
        ):
            yield Objection(
                f"`{comparison.test.name}` tests accuracy, and the first measure is "
                f"`{first.written}`",
                comparison.span,
                help="write `by accuracy` if that is meant, or `with permutation` to test "
                f"`{first.written}`",
            )


@rule("W314", changes=Changes.CLAIMS, source="Obuchowski 1998; Yang, Sun & Hardin 2010")
def rows_of_groups_as_independent(study: Study) -> Iterator[Objection]:
    """A form of McNemar's test for independent rows is named on rows that belong to groups.

    Rows of one group tend to be right and wrong together, so they carry less information than the
    same number of independent rows. On grouped data `mcnemar` tests whole groups, by flipping the
    models of each group or, with 30 groups or more, by chi-squared. `exact` and `chi2` select one
    of the two; `midp`, `corrected` and `textbook` have no form for groups and are not used.

    Objects to:

        data visits from "visits.csv"
          target readmitted
          positive yes
        group by patient
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with mcnemar(midp)

    Accepts:

        data visits from "visits.csv"
          target readmitted
          positive yes
        group by patient
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv
        compare a, b with mcnemar
    """
    for comparison in tested_lines(study):
        for test in tests_of(comparison):
            form = test.keywords().get(test_of(test).p_by)
            of_groups = test_of(test).ungrouped_forms.get(str(form))
            if of_groups is None:
                continue
            if any(
                is_grouped(source, study.group) for source, _, _ in evidence_of(study, comparison)
            ):
                yield Objection(
                    f"`{test.name}({form})` has no form for groups, and the default form is used",
                    comparison.span,
                    help=f"write `with {test.name}`, or `{test.name}({of_groups})` to flip whole "
                    "groups",
                )


@rule(
    "W318",
    changes=Changes.QUESTION,
    source="Hollander, Wolfe & Chicken 2014, 3.1",
    severity=Severity.HINT,
)
def ranks_instead_of_the_mean_loss(study: Study) -> Iterator[Objection]:
    """Losses are measured by their mean but tested by their ranks.

    Wilcoxon's test asks whether the differences in loss are symmetric about zero. A model can have
    the smaller mean loss and the larger rank sum if a few large errors dominate. A permutation test
    of the losses tests the mean that the study reports.

    Objects to:

        data houses from "houses.csv"
          target price
          task regression
        model a = Ridge
        model b = LinearRegression
        protocol holdout
        measure mae
        compare a, b with wilcoxon

    Accepts:

        data houses from "houses.csv"
          target price
          task regression
        model a = Ridge
        model b = LinearRegression
        protocol holdout
        measure mae
        compare a, b with permutation
    """
    for comparison in tested_lines(study):
        metric = comparison.metrics[0].written
        asked = ((test.name, test_of(test).estimand) for test in tests_of(comparison))
        name, other = next(((n, e) for n, e in asked if e is not None), ("", None))
        if other is not None and not comparison.across:
            yield Objection(
                f"`{name}` {other.asks}, and `{metric}` is about their mean",
                comparison.span,
                help=f"write `with permutation`, which tests `{metric}` itself",
            )
            return  # reported once for a study
