"""Advice on choosing hyper-parameters."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import listed, own_protocols, tables
from evallang.diagnostics import Changes
from evallang.models.catalogue import CATALOGUE, drop_defaults, simplicity
from evallang.models.model import (
    EstimatorSpec,
    ModelSpec,
    PipelineSpec,
    search_space,
    written,
)
from evallang.protocols.protocol import PROTOCOLS
from evallang.study import Study

LEAST_VARIANTS = 3  # models that differ in numbers alone; two may be an honest question
LEAST_INNER_FOLDS = 5  # below, a standard error over folds is a guess; language, section 3


@rule("W330", changes=Changes.SCORES, source="Cawley & Talbot 2010; Raschka 2018, 4.14")
def tuned_on_the_reported_folds(study: Study) -> Iterator[Objection]:
    """Several models differ only in the value of a hyper-parameter.

    To run them all and report the best is to tune on the reported folds, which makes the estimate
    of the best optimistic. One model with a search space is tuned inside each training part, and
    its estimate describes the whole procedure.

    Objects to:

        data wine from sklearn wine
        model near = KNeighborsClassifier(n_neighbors=3)
        model middle = KNeighborsClassifier(n_neighbors=9)
        model far = KNeighborsClassifier(n_neighbors=27)
        protocol cv

    Accepts:

        data wine from sklearn wine
        model knn = KNeighborsClassifier(n_neighbors in [27, 9, 3])
        protocol nested cv
    """
    families: dict[str, list[tuple[ModelSpec, Numbers]]] = {}
    for model in study.models:
        numbers: Numbers = {}
        shape = _shape(drop_defaults(model.pipeline), numbers)
        families.setdefault(shape, []).append((model, numbers))
    for members in families.values():
        if len(members) < LEAST_VARIANTS:
            continue
        slots = dict.fromkeys(slot for _, numbers in members for slot in numbers)
        defaults = dict.fromkeys(slots, "none")
        for slot in slots:
            entry = CATALOGUE.get(slot.owner)
            known = entry.parameter(slot.parameter) if entry is not None else None
            if known is not None:
                defaults[slot] = known.default_text
        columns = {
            slot: [numbers.get(slot, defaults[slot]) for _, numbers in members] for slot in slots
        }
        searched = [
            slot
            for slot, values in columns.items()
            if len(set(values)) > 1
            and slot.parameter != "random_state"
            and sum(slot in numbers for _, numbers in members) >= len(members) - 1
        ]
        if not searched:
            continue
        others = [
            slot for slot in slots if slot not in searched and slot.parameter != "random_state"
        ]
        alike: dict[tuple[str, ...], list[int]] = {}
        for index in range(len(members)):
            alike.setdefault(tuple(columns[slot][index] for slot in others), []).append(index)
        for indices in alike.values():
            values = {slot: [columns[slot][i] for i in indices] for slot in searched}
            varied = {slot: found for slot, found in values.items() if len(set(found)) > 1}
            if len(indices) >= LEAST_VARIANTS and varied:
                yield _of_variants([members[i][0] for i in indices], varied)


class _Slot(Struct, frozen=True):
    """One numeric parameter of one step of a pipeline."""

    step: int
    owner: str
    parameter: str


Numbers = dict[_Slot, str]


def _of_variants(models: Sequence[ModelSpec], varied: Mapping[_Slot, Sequence[str]]) -> Objection:
    """Object to models that differ in the numbers of a few parameters alone."""
    space = [f"{slot.parameter} in {_few(list(dict.fromkeys(v)))}" for slot, v in varied.items()]
    return Objection(
        f"{listed(model.name for model in models)} differ in "
        f"{listed(dict.fromkeys(slot.parameter for slot in varied))} alone, so choosing one "
        "of them by these results is tuning on them",
        models[-1].span,
        help=f"write one model with {listed(space)} under `protocol nested cv`",
    )


def _shape(pipeline: PipelineSpec, numbers: Numbers) -> str:
    """Return what models have in common that differ in numbers alone; collects the numbers."""
    parts = []
    for place, step in enumerate(pipeline.steps):
        if not isinstance(step, EstimatorSpec):
            parts.append(written(step))
            continue
        others = []
        for name, value in step.parameters:
            if isinstance(value, int | float) and not isinstance(value, bool):
                numbers[_Slot(place, step.name, name)] = written(value)
            else:
                others.append(f"{name}={written(value)}")
        parts.append(f"{step.name}({', '.join(others)})")
    return " | ".join(parts)


@rule("W331", source="Breiman et al. 1984; Raschka 2018, 3.10")
def candidates_from_complex_to_simple(study: Study) -> Iterator[Objection]:
    """Candidates are listed from complex to simple, and the simplest is to be chosen.

    `one_standard_error` takes the simplest candidate that is nearly as good as the best. For common
    parameters evallang knows which direction is simpler and ignores the order; if the order
    disagrees, readers take the wrong end for the simple one.

    Objects to:

        data wine from sklearn wine
        model svm = SVC(C in [10, 1, 0.1])
        protocol nested cv
        tune grid select one_standard_error

    Accepts:

        data wine from sklearn wine
        model svm = SVC(C in [0.1, 1, 10])
        protocol nested cv
        tune grid select one_standard_error
    """
    if study.tuning is None or study.tuning.select != "one_standard_error":
        return
    for model in study.models:
        for parameter in search_space(model.pipeline):
            values = parameter.candidates.values
            ranks = simplicity(parameter.owner, parameter.parameter, values) or ()
            if list(ranks) != sorted(ranks):
                order = sorted(range(len(values)), key=ranks.__getitem__)
                simple_first = _few([written(values[place]) for place in order])
                yield Objection(
                    f"the candidates of `{parameter.name}` in `{model.name}` do not go from simple "
                    "to complex, the order in which `one_standard_error` takes them",
                    model.span,
                    help=f"write `{parameter.name} in {simple_first}`",
                )


MOST_LISTED = 12
"""Candidates that an advice writes out; who has more sees how they begin and end."""


def _few(texts: Sequence[str]) -> str:
    """List candidates, of many the first three and the last."""
    many = len(texts) > MOST_LISTED
    return f"[{', '.join([*texts[:3], '...', texts[-1]] if many else texts)}]"


@rule("W332", changes=Changes.PRECISION, source="Breiman et al. 1984; Raschka 2018, 3.10")
def one_standard_error_of_few_folds(study: Study) -> Iterator[Objection]:
    """A standard error for choosing candidates is computed from fewer than five inner folds.

    `one_standard_error` measures how close a candidate is to the best by the spread over the inner
    folds. Over two or three folds that spread is mostly chance, and a single validation part has no
    spread.

    Objects to:

        data wine from sklearn wine
        model svm = SVC(C in [0.1, 1, 10])
        protocol nested cv outer=5 inner=3
        tune grid select one_standard_error

    Accepts:

        data wine from sklearn wine
        model svm = SVC(C in [0.1, 1, 10])
        protocol nested cv outer=5 inner=5
        tune grid select one_standard_error
    """
    if study.tuning is None or study.tuning.select != "one_standard_error":
        return
    if not tables(study):
        return
    for protocol in own_protocols(study):
        option = PROTOCOLS[protocol.kind].declaration.inner_option
        folds, more = study.tuning.cv, f"write `cv={LEAST_INNER_FOLDS}`, or `select best`"
        if option is not None:
            inner = protocol.options.get(option)
            folds = inner if isinstance(inner, int) else None
            more = f"write `{option}={LEAST_INNER_FOLDS}`, or `select best`"
        elif protocol.options.get("validation") is not None:
            folds, more = 1, "write `select best`, or `protocol nested cv outer=5 inner=5`"
        if folds is not None and folds < LEAST_INNER_FOLDS:
            what = "one validation part gives no standard error"
            if folds > 1:
                what = f"{folds} inner folds are too few for a standard error"
            of_several = f" under `{protocol.name}`" if len(own_protocols(study)) > 1 else ""
            yield Objection(
                f"{what} to choose by{of_several}",
                study.tuning.span or protocol.span,
                help=more,
            )
            return
