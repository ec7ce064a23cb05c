"""Advice on the first measure of a study where it would be reported without an interval."""

from collections.abc import Iterator, Mapping

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import (
    NONE_FOUND,
    listed,
    own_protocols,
    repeated_form,
    settings,
)
from evallang.compatibility import (
    is_assigned,
    is_grouped,
    metric_entry,
    own_metric,
    spoken,
    with_fixed_runs,
)
from evallang.compatibility.intervals import (
    default_interval,
)
from evallang.diagnostics import Changes, Severity
from evallang.metrics.metric import METRICS
from evallang.protocols.protocol import Yields
from evallang.study import Method, Study, asked_metrics

SEVERAL = 3  # classes, which stand for any number above two


def _depends_on_data(study: Study) -> bool:
    """Return whether classes, or folds that the author assigned, may take away the interval."""
    several = {source.name: SEVERAL for source in study.sources}
    return any(is_assigned(protocol) for protocol in own_protocols(study)) or (
        any(measures_without_interval(study, several))
        and not any(measures_without_interval(study, {}))
    )


@rule(
    "W358",
    changes=Changes.PRECISION,
    source="LeDell, Petersen & van der Laan 2015; Nadeau & Bengio 2003",
    at=(Stage.DATA,),
    may_object=_depends_on_data,
)
def first_measure_without_interval(known: Known) -> Iterator[Objection]:
    """The first measure has no default interval under the protocol, although others have one.

    The first measure is the main result of the study. The ranking in one fold cannot be compared
    with the ranking in another, so the scores of all folds cannot be resampled together, and a few
    folds alone show little of the variation between samples. Repeats of the folds show more.

    Objects to:

        data cancer from sklearn breast_cancer
          positive malignant
        model a = GaussianNB
        protocol cv folds=5
        measure average_precision, accuracy

    Accepts:

        data cancer from sklearn breast_cancer
          positive malignant
        model a = GaussianNB
        protocol repeated cv folds=5 times=10
        measure average_precision, accuracy
    """
    yield from measures_without_interval(known.study, known.classes, known.assigned)


def measures_without_interval(
    study: Study, classes: Mapping[str, int], assigned: Mapping[str, Yields] = NONE_FOUND
) -> Iterator[Objection]:
    """Object where the first measure has no default interval and another measure has one."""
    measure = study.measures[0] if study.measures else None
    if measure is None or measure.interval is not None:
        return
    metric = measure.metric
    if metric.code or metric.better is not None:
        return  # its function says what it is once it is loaded; or it was measured elsewhere
    said: set[str] = set()
    for source, protocol, yields in settings(study, assigned):
        grouped, elsewhere = is_grouped(source, study.group), own_metric(source) is not None
        number = classes.get(source.name)
        where = f"`{source.name}`" if protocol is None else f"`{spoken(protocol)}`"
        if (
            elsewhere
            or where in said
            or default_interval(metric, yields, number, grouped) is not None
        ):
            continue
        if default_interval(Method(metric.name), yields, number, grouped) is not None:
            continue  # an option prevents it, which another rule advises against
        task = metric_entry(metric).declaration.task
        others = (Method(entry.name) for entry in METRICS if entry.declaration.task == task)
        given = any(default_interval(one, yields, None, grouped) is not None for one in others)
        if yields.neighbours or not given:
            continue  # that is how the protocol is, and the plan says it
        said.add(where)
        has_binary_interval = default_interval(metric, yields, None, grouped) is not None
        yield Objection(
            f"the first measure, `{metric.written}`, has no interval by default under {where}"
            + (f" with {number} classes" if has_binary_interval else ""),
            measure.span,
            help=with_fixed_runs(yields)
            if yields.crossed
            else "measure it on one test set"
            if protocol is None
            else f"write `protocol {repeated_form(study, protocol)}`",
        )


@rule("W467", source="a metric with other options is another number")
def other_options_than_measured(study: Study) -> Iterator[Objection]:
    """A line asks for a metric without options, and the study measures it with options only.

    `f1` of three classes averages them equally, and `f1(average=weighted)` by their sizes; the
    strengths of `bradley_terry` add up to 0, and those of `bradley_terry(anchor=a, at=1000)` do
    not. The line is about a number that the table of estimates does not show.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv
        measure f1(average=weighted)
        require f1 of a >= 80%

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv
        measure f1(average=weighted)
        require f1(average=weighted) of a >= 80%
    """
    measured = [measure.metric for measure in study.measures]
    for asked in asked_metrics(study)[len(measured) :]:
        others = [m for m in measured if m.name == asked.metric.name and m != asked.metric]
        if asked.stated and not asked.metric.options and others and asked.metric not in measured:
            yield Objection(
                f"`{asked.metric.written}` here and {listed(m.written for m in others)} in "
                "`measure` are different metrics",
                asked.span,
                help=f"write `{others[0].written}` in place of `{asked.metric.written}`, or "
                f"measure `{asked.metric.written}` too",
            )


@rule("W453", source="Grandini, Bagli & Visani 2020", severity=Severity.HINT)
def one_number_twice(study: Study) -> Iterator[Objection]:
    """Several measures are the same number, since each row has one label.

    Where each example has one label and one prediction, every false positive of one class is a
    false negative of another. So precision, recall and F1 with `average=micro` all are the
    accuracy, as is recall with `average=weighted`; a table of them looks like agreement.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv
        measure accuracy, f1(average=micro)

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol cv
        measure accuracy, f1(average=macro)
    """
    same = [measure for measure in study.measures if _is_accuracy(measure.metric)]
    if len({measure.metric for measure in same}) < 2:
        return
    again = next((m for m in same[1:] if m.metric.options), same[0])
    others = tuple((k, v) for k, v in again.metric.options if k != "average")
    instead = Method(again.metric.name, (*others, ("average", "macro")))
    yield Objection(
        f"{listed(dict.fromkeys(m.metric.written for m in same))} are one number, because each "
        "row has one label",
        again.span,
        help=f"write `{instead.written}` in place of `{again.metric.written}`",
    )


def _is_accuracy(metric: Method) -> bool:
    if metric.code or metric.better is not None:
        return False
    declared = metric_entry(metric).declaration
    average = metric.keywords().get("average")
    return declared.counts_right or average in declared.accuracy_as
