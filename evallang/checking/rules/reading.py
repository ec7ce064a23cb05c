"""Advice on how sources are read: rows, thresholds, the positive class, what is left open."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import (
    TWO_CLASSES,
    depends_on_positive,
    is_by_default,
    listed,
    metrics_of,
    own_protocols,
    tables,
)
from evallang.compatibility import metric_entry, own_metric
from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.diagnostics import Changes, Severity
from evallang.metrics.named import named_metric
from evallang.models.abilities import abilities
from evallang.models.model import is_baseline
from evallang.models.thresholds import own_thresholds
from evallang.protocols.protocol import PROTOCOLS
from evallang.source import Span
from evallang.study import Study, names_of

PLAIN_THRESHOLDS = (0.0, 0.5)


@rule("W350", changes=Changes.SCORES, source="Heckman 1979")
def rows_chosen_by_the_target(study: Study) -> Iterator[Objection]:
    """`where` selects rows by the target.

    The target of a new example is unknown, so nobody can tell whether the estimate applies to it.
    Excluding extreme values makes every error smaller.

    Objects to:

        data houses from "houses.csv"
          target price
          task regression
          where price < 500_000
        model a = Ridge
        protocol cv
        measure mae

    Accepts:

        data houses from "houses.csv"
          target price
          task regression
          where area < 500
        model a = Ridge
        protocol cv
        measure mae
    """
    for source in study.sources:
        if not isinstance(source, DataSpec | PredictionsSpec):
            continue
        target = _predicted(source)
        for line in source.where:
            if line.column == target and line.operator not in ("is missing", "is not missing"):
                yield Objection(
                    f"`{line.column}` is the target, and rows are selected by its value",
                    line.span,
                    help="choose rows by what is known before the prediction",
                )


def _predicted(source: DataSpec | PredictionsSpec) -> str | None:
    """Return the column that is predicted; bundled data sets call it `target`."""
    if isinstance(source, PredictionsSpec):
        return source.truth
    return source.target or ("target" if source.kind == "sklearn" else None)


@rule("W351", changes=Changes.SCORES, source="Fawcett 2006")
def threshold_beside_the_reported_scores(study: Study) -> Iterator[Objection]:
    """A threshold is given for the same scores on which the labels are evaluated.

    A threshold that was chosen on these scores makes the labels look better than they will be on
    new examples: the recall that it was chosen to reach, the specificity that it leaves, and every
    other metric of labels. A threshold that was fixed before, or chosen on other examples, is
    sound; a waiver can tell the reader so. `TunedThresholdClassifierCV` chooses a threshold inside
    each training part, and is not reported.

    Objects to:

        predictions p from "p.csv"
          truth y
          models a, b as "yhat_b"
          score a = "a_prob"
          threshold a = 0.37
          positive 1
        measure accuracy

    Accepts:

        data cancer from sklearn breast_cancer
          positive malignant
        model a = TunedThresholdClassifierCV(estimator=LogisticRegression)
        protocol cv
        measure recall, specificity
    """
    fitted = names_of(study.fitted)
    for place, model in _stated_thresholds(study):
        as_here = ", as `TunedThresholdClassifierCV` does inside each training part, or say where: "
        yield Objection(
            f"the labels of `{model}` depend on a threshold that the study states; if it "
            "was chosen on these rows, recall, specificity, F1 and accuracy are optimistic",
            place,
            help=f"choose it on other rows{as_here if model in fitted else ' and say where: '}"
            "`# evallang: allow threshold_beside_the_reported_scores because it was set on "
            "earlier data`",
        )


def _stated_thresholds(study: Study) -> Iterator[tuple[Span | None, str]]:
    """Iterate over thresholds other than the usual ones: their places and models."""
    for source in study.sources:
        stated: list[tuple[str, float]] = []
        if isinstance(source, DataSpec):
            stated = list(source.thresholds)
        elif isinstance(source, PredictionsSpec):
            stated = [(m.name, m.threshold) for m in source.models if m.threshold is not None]
        for name, value in stated:
            if value not in PLAIN_THRESHOLDS:
                place = source.places.get(f"threshold {name}")
                yield place or source.places.get("predictions"), name
    for model in study.fitted:
        stated_here = [own.value for own in own_thresholds(model.pipeline)]
        if any(value is not None and value not in PLAIN_THRESHOLDS for value in stated_here):
            yield model.span, model.name


@rule("W352", changes=Changes.QUESTION, source="Sokolova & Lapalme 2009")
def positive_class_by_default(study: Study) -> Iterator[Objection]:
    """A metric depends on the positive class, and the study does not name it.

    Without `positive`, the last of the two labels in alphabetical or numerical order is the
    positive class. Precision, recall and F1 of the other class have other values.

    Objects to:

        data cancer from sklearn breast_cancer
        model a = GaussianNB
        protocol cv
        measure f1

    Accepts:

        data cancer from sklearn breast_cancer
          positive malignant
        model a = GaussianNB
        protocol cv
        measure f1
    """
    dependent = [m.written for m in metrics_of(study) if depends_on_positive(m)]
    for table in tables(study):
        two = TWO_CLASSES.get(table.location) if table.kind == "sklearn" else None
        if dependent and two and table.positive is None:
            yield Objection(
                f"{listed(dependent)} {'depends' if len(dependent) == 1 else 'depend'} on which "
                f"class of `{table.name}` is the positive one",
                table.places.get("data"),
                help=f"write `positive {two[1]}` or `positive {two[0]}` below it",
            )


@rule("W353", source="Provost, Fawcett & Kohavi 1998", severity=Severity.HINT)
def no_baseline(study: Study) -> Iterator[Objection]:
    """No model of the study is a baseline that ignores the features.

    An accuracy of 90 percent is poor if 95 percent of the examples belong to one class. A dummy
    model shows what can be reached without the features, in the same table and with the same
    interval.

    Objects to:

        study
          seed 1
        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure accuracy

    Accepts:

        study
          seed 1
        data wine from sklearn wine
        model a = GaussianNB
        model prior = DummyClassifier
        protocol holdout
        measure accuracy
    """
    if not tables(study) or not study.models or not own_protocols(study):
        return
    if any(is_baseline(m) or not abilities(m.pipeline).known for m in study.models):
        return
    if any(
        (not metric.code and metric_entry(metric).declaration.known_without_skill)
        for metric in metrics_of(study)
    ):
        return
    numbers = study.task == "regression" or all(
        abilities(model.pipeline).kind == "regressor" for model in study.models
    )
    dummy = "DummyRegressor" if numbers else "DummyClassifier"
    yield Objection(
        "no model is a baseline that ignores the features",
        study.models[-1].span,
        help=f"write `model baseline = {dummy}`",
    )


@rule("W354", source="Bouthillier et al. 2021", severity=Severity.HINT)
def seed_by_default(study: Study) -> Iterator[Objection]:
    """The study draws rows at random and does not state a seed.

    The default seed is 0 and is reported, so the run can be repeated. A seed in the study file
    shows that it was not chosen afterwards.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure balanced_accuracy

    Accepts:

        study "Wine"
          seed 20260101
        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout
        measure balanced_accuracy
    """
    drawn = [p for p in own_protocols(study) if PROTOCOLS[p.kind].declaration.draws_at_random()]
    if tables(study) and drawn and is_by_default(study, "study", "seed"):
        yield Objection(
            "rows are drawn at random, and the study states no seed",
            study.places.get("study") or drawn[0].span,
            help="write `seed 20260101`, or another number, below `study`"
            if "study" in study.places
            else "write `study`, and below it `seed 20260101` or another number",
        )


@rule("W466", changes=Changes.QUESTION, source="Demšar 2006")
def direction_against_the_name(study: Study) -> Iterator[Objection]:
    """The stated direction of a metric is not that of its name.

    A higher accuracy and a lower error are better. With the other direction the worst model wins.

    Objects to:

        scores errors from "errors.csv"
          dataset corpus
          models ours, base
          metric "RMSE"
          higher is better
        compare ours, base across data with wilcoxon

    Accepts:

        scores errors from "errors.csv"
          dataset corpus
          models ours, base
          metric "RMSE"
        compare ours, base across data with wilcoxon
    """
    for source in study.sources:
        metric = own_metric(source)
        if metric is None or metric.ratio:
            continue
        known = named_metric(metric.name)
        place = source.places.get("higher") or source.places.get("lower")
        if known is not None and place is not None and known.better != metric.better:
            yield Objection(
                f"a {known.better} `{metric.name}` is better, and this line says the opposite",
                place,
                help=f"remove `{metric.better} is better`, or name what is better when it is "
                f"{metric.better}",
            )
