"""Advice on the best of many models, chosen by the scores that are reported."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import is_tuned, own_protocols, tables
from evallang.compatibility import metric_entry
from evallang.data.dataset import PredictionsSpec
from evallang.diagnostics import Changes, Severity
from evallang.models.model import EstimatorSpec, is_baseline
from evallang.protocols.protocol import PROTOCOLS
from evallang.source import Span
from evallang.stats.basics import normal_quantile
from evallang.stats.skill import MANY
from evallang.study import Study


@rule(
    "W451",
    changes=Changes.QUESTION,
    source="Tsamardinos, Greasidou & Borboudakis 2018; Cawley & Talbot 2010",
    severity=Severity.HINT,
)
def best_of_many_on_one_test_set(study: Study) -> Iterator[Objection]:
    """Many models are scored on one test set, so the best score is optimistic.

    The largest of several scores is too large by what chance added to it: of eight equal models
    the best looks 1.4 standard errors better than it is. The score of a model that was chosen
    beforehand, or inside the training parts, has no such bias. The report of such a study states
    the corrected estimate of the best (BBC-CV), for up to 10,000 test rows.

    Objects to:

        data digits from sklearn digits
        model a = KNeighborsClassifier
        model b = GaussianNB
        model c = LogisticRegression
        model d = RandomForestClassifier
        model e = SVC
        protocol holdout

    Accepts:

        data digits from sklearn digits
        model a = KNeighborsClassifier
        model b = GaussianNB
        model c = LogisticRegression
        model d = RandomForestClassifier
        model e = SVC
        protocol cv
    """
    measured = [metric_entry(measure.metric).declaration for measure in study.measures]
    if measured and not any(declared.directed for declared in measured):
        return  # a rate of the examples, or a value that should be near 1, chooses no model
    fitted = [model for model in study.models if not is_baseline(model)]
    declared = ((p, PROTOCOLS[p.kind].declaration) for p in own_protocols(study))
    drawn = (p for p, d in declared if d.division != "in_place" and d.n_splits(p.options) == 1)
    once = next(drawn, None)
    last = (model.pipeline.steps[-1] for model in fitted if model.pipeline.steps)
    kinds = {step.name if isinstance(step, EstimatorSpec) else None for step in last}
    if once is not None and tables(study) and len(fitted) >= MANY and len(kinds) > 1:
        fix = SEARCHED if any(map(is_tuned, fitted)) else FIXED
        yield _objection(f"{len(fitted)} models", len(fitted), "on one test set", once.span, fix)
        return  # variants of one class are reported as tuning
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and len(source.models) >= MANY:
            if source.fold is None and source.dataset is None:
                span = source.places.get("models") or source.places.get("predictions")
                rows = f"on the rows of `{source.name}`"
                of = f"{len(source.models)} {source.subject}s"
                yield _objection(of, len(source.models), rows, span, FIXED)
            return


SEARCHED = "write `protocol nested cv outer=5 inner=5`"
FIXED = "choose on other rows than those reported, or name the one that the study is about"


def _objection(of: str, number: int, where: str, span: Span | None, fix: str) -> Objection:
    # about the expected largest of some standard normal values (Blom 1958)
    inflation = normal_quantile(2 * (number - 0.375) / (number + 0.25) - 1)
    return Objection(
        f"{of} are scored {where}: if they were equal, the best would look "
        f"{inflation:.1f} standard errors better than it is",
        span,
        help=fix,
    )
