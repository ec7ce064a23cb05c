"""`predictions` statements: labels, scores and judged outcomes made elsewhere, row by row."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evallang.data.answers import Answers, read_judged, read_model
from evallang.data.dataset import GivenModel, GivenOutcomes, PredictionsSpec, Task
from evallang.data.findings import Findings, listed, quoted
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.labels import group_codes, in_label_order
from evallang.data.outcome_codes import NO_MODELS
from evallang.data.prediction_files import answer_columns, read_sources, role_columns
from evallang.data.repeats import examples_of_repeats
from evallang.data.roles import complete_texts, ids, levels, weights
from evallang.data.source_columns import roles_in_predictions, source_columns
from evallang.data.table_codes import TASKS_DIFFER
from evallang.data.target import Target, read_target
from evallang.diagnostics import Diagnostic
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")


def read_predictions(
    spec: PredictionsSpec, folder: Path, given: Sequence[Any] = ()
) -> tuple[tuple[GivenOutcomes, ...], tuple[Diagnostic, ...]]:
    """Read predictions made elsewhere, and say all that is wrong with them.

    Gives one item, or with a `dataset` column one for each of its values, named NAME/value,
    in their order. `given` are data frames that stand for the files. With an error among the
    diagnostics there is none. Nothing is raised for bad data.
    """
    findings = Findings(spec.places)
    source = read_sources(spec, folder, findings, given)
    if source is None:
        return (), findings.diagnostics
    frame, models, excluded = source
    models = models or _default_models(frame, spec, findings)
    outcomes: list[GivenOutcomes] = []
    for part_spec, part, note in _data_sets(frame, spec, findings):
        with findings.noting(note):
            made = _outcomes(part_spec, part, models, findings)
        if made is not None:
            outcomes.append(replace(made, excluded=excluded))
    if len({made.task for made in outcomes}) > 1:
        tasks = listed((f"`{made.spec.name}` is a {made.task}" for made in outcomes), 4)
        help_text = "write `task classification` or `task regression`"
        findings.add(TASKS_DIFFER, tasks, "dataset", "truth", help=help_text)
    return () if findings.failed else tuple(outcomes), findings.diagnostics


def _default_models(
    frame: Frame, spec: PredictionsSpec, findings: Findings
) -> tuple[GivenModel, ...]:
    """Take every column that no clause names for a model; one without a name is none."""
    roles = set(role_columns(spec))
    models = tuple(
        GivenModel(name, name, column=name)
        for place, name in enumerate(frame.columns, 1)
        if name not in roles and name != f"column_{place}"
    )
    if not models:
        message = f"no column of {quoted(frame.source.split(', '))} is left for a model"
        way_out = f"the answers of a model stand in a column; there are {quoted(frame.columns, 12)}"
        findings.add(NO_MODELS, message, "models", "truth", help=way_out)
    return models


def _data_sets(
    frame: Frame, spec: PredictionsSpec, findings: Findings
) -> list[tuple[PredictionsSpec, Frame, str | None]]:
    """Give the rows of each data set, with the note that its findings get."""
    values = complete_texts(frame, spec.dataset, "dataset", findings)
    if values is None:
        return [(spec, frame, None)]
    column = frame.texts(spec.dataset or "")
    return [
        (
            replace(spec, name=f"{spec.name}/{value}", label=f"{spec.label}/{value}"),
            frame.keep(column == value),
            f"among the rows where {spec.dataset} is {value}",
        )
        for value in map(str, in_label_order(set(values)))
    ]


def _outcomes(
    spec: PredictionsSpec, frame: Frame, models: tuple[GivenModel, ...], findings: Findings
) -> GivenOutcomes | None:
    answers = Answers()
    target: Target | None = None
    if spec.judged is not None:
        for model in models:
            read_judged(spec, frame, model, answers, findings)
    else:
        assert spec.truth is not None, "the checker asks for it where nothing is judged yet"
        target = read_target(frame, spec, spec.truth, findings, "truth")
        if target is not None:
            for model in models:
                read_model(frame, model, target, answers, findings)
    within = [name for name in (spec.repeat,) if name is not None and name in frame.columns]
    row_ids = ids(frame, spec.id, findings, within=within, apart=answer_columns(spec, models))
    groups = complete_texts(frame, spec.group, "group", findings)
    folds = complete_texts(frame, spec.fold, "fold", findings)
    repeats = complete_texts(frame, spec.repeat, "repeat", findings)
    row_weights = weights(frame, spec.weight, findings)
    subgroups = levels(frame, spec.subgroups, "within", findings)
    if findings.failed:
        return None
    examples: NDArray[np.int64] | None = None
    spread: tuple[str, ...] = ()
    if spec.repeat is not None:
        read = examples_of_repeats(frame, spec, row_ids, findings)
        if read is None:
            return None
        examples, spread = read
    fold_labels, repeat_labels = _ordered(folds), _ordered(repeats)
    made = GivenOutcomes(
        spec=spec,
        kind="predictions",
        models=models,
        task=target.task if target is not None else _judged_task(spec),
        n=frame.n,
        truth=None if target is None else target.y,
        classes=() if target is None else target.classes,
        class_values=() if target is None else target.class_values,
        positive=None if target is None else target.positive,
        predictions=answers.predictions,
        scores=answers.scores,
        probabilities=frozenset(answers.probabilities),
        correct=answers.correct if spec.judged == "correct" else None,
        values=answers.values if spec.judged == "value" else None,
        ids=row_ids,
        groups=groups,
        group_codes=None if groups is None else group_codes(groups),
        weights=row_weights,
        folds=_codes(folds, fold_labels),
        fold_labels=fold_labels,
        repeats=_codes(repeats, repeat_labels),
        subgroups=subgroups,
        excluded=(),
        sha256="",
        source=frame.source,
        notes=(
            *frame.notes,
            *(target.notes if target is not None else ()),
            *answers.notes,
            *spread,
        ),
        examples=examples,
        repeat_labels=repeat_labels,
        source_columns=source_columns(frame, roles_in_predictions(spec, models)),
    )
    return replace(made, sha256=outcomes_hash(made))


def outcomes_hash(made: GivenOutcomes) -> str:
    """Hash everything in predictions or judged outcomes that can change a result."""
    parts = DataHash()
    parts.text("task", made.task)
    parts.text("classes", list(made.classes))
    parts.text("positive", made.positive)
    parts.text("models", [model.name for model in made.models])
    parts.numbers("truth", made.truth)
    for kind, arrays in (
        ("predictions", made.predictions),
        ("scores", made.scores),
        ("correct", made.correct or {}),
        ("values", made.values or {}),
    ):
        for name in sorted(arrays):
            parts.numbers(f"{kind}.{name}", arrays[name])
    parts.text("probabilities", sorted(made.probabilities))
    parts.texts("ids", made.ids, distinct=made.repeats is None)
    parts.texts("groups", made.groups)
    parts.numbers("weights", made.weights)
    parts.numbers("folds", made.folds)
    parts.text("fold_labels", made.fold_labels)
    parts.numbers("repeats", made.repeats)
    parts.text("repeat_labels", made.repeat_labels)
    parts.columns("subgroups", made.subgroups)
    return parts.hexdigest()


def _judged_task(spec: PredictionsSpec) -> Task:
    """Right and wrong belong to a classification, other values to a regression."""
    return spec.task or ("classification" if spec.judged == "correct" else "regression")


def _ordered(texts: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if texts is None else tuple(map(str, in_label_order(set(texts))))


def _codes(
    texts: Sequence[str] | None, labels: tuple[str, ...] | None
) -> "NDArray[np.int64] | None":
    if texts is None or labels is None:
        return None
    places = {label: code for code, label in enumerate(labels)}
    return np.array([places[text] for text in texts], dtype=np.int64)
