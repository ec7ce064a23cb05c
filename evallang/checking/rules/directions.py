"""Advice on the direction of metrics that were measured elsewhere."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.compatibility import own_metric
from evallang.diagnostics import Changes
from evallang.metrics.named import named_metric
from evallang.study import Study


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
