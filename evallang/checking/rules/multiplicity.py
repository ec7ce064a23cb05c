"""Advice on families of hypotheses."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.data.dataset import DataSpec
from evallang.study import ComparisonSpec, Study, pairs_of


@rule("W301", source="Holm 1979; Demšar 2006, 3.2")
def many_comparisons_without_correction(study: Study) -> Iterator[Objection]:
    """Several hypotheses are tested without a correction.

    Each uncorrected test at level alpha has its own chance of a false claim, and over m of
    them these add up. An omnibus test before them does not change that: it guards only the
    case in which all models are equal.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier
        model c = LinearDiscriminantAnalysis
        protocol cv
        compare with mcnemar uncorrected

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier
        model c = LinearDiscriminantAnalysis
        protocol cv
        compare with mcnemar holm
    """
    for comparison in study.comparisons:
        if comparison.correction is None or comparison.correction.name != "uncorrected":
            continue
        size = family_size(study, comparison)
        if size > 1:
            yield Objection(
                f"{size} hypotheses are tested without a correction",
                comparison.span,
                help="leave `uncorrected` out (Holm's correction is the default), or write "
                "`bonferroni`",
            )


def family_size(study: Study, comparison: ComparisonSpec) -> int:
    """Count the hypotheses of a line: pairs by metrics by data sets."""
    size = 0
    for source in study.sources:
        models = study.models if isinstance(source, DataSpec) else source.models
        names = [model.name for model in models]
        size += len(pairs_of(comparison, names)) * len(comparison.metrics)
    return size
