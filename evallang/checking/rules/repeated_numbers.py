"""Advice on measures that are one number under several names."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import listed
from evallang.compatibility import metric_entry
from evallang.diagnostics import Severity
from evallang.study import Method, Study


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
