"""`predictions` statements: labels, scores, and right or wrong outcomes of each row.

Also predictions of survival times (`event`) and of rankings by query (`query`).
"""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.activity import Activity, report_activity
from evallang.data.column_roles import (
    check_agreement,
    check_column,
    complete_texts,
    read_groups,
    read_ids,
    read_levels,
    read_weights,
)
from evallang.data.dataset import (
    EPOCH,
    GivenModel,
    GivenOutcomes,
    PredictionsSpec,
    panel_of,
)
from evallang.data.findings import Findings, Refused, counted, listed, quoted, written
from evallang.data.frame import Frame
from evallang.data.hashing import DataHash
from evallang.data.joined_parts import RowsAsked
from evallang.data.labels import group_codes, level_codes, sorted_levels
from evallang.data.magnitudes import OffScale, scale_of_named
from evallang.data.needed_columns import may_be_counted, outcome_columns
from evallang.data.odd_values import variants_in, warn_of_variants
from evallang.data.part_counts import CountedParts, Counting, count_parts, sum_products
from evallang.data.prediction_columns import (
    ModelOutcomes,
    Ratings,
    number_column,
    read_correctness,
    read_model,
    read_ratings,
)
from evallang.data.prediction_files import join_files, own_columns, read_files
from evallang.data.row_filters import select
from evallang.data.row_rules.dated_rows import predictions_in_time
from evallang.data.source_columns import roles_of, source_columns
from evallang.data.target import Target, read_target
from evallang.data.time_columns import likely_moments, read_moments
from evallang.diagnostics import Diagnostic, codes
from evallang.stats.score_counts import PlacementSums, ScoreCounts, coarsened, rank


def read_ordering_score(
    spec: PredictionsSpec,
    frame: Frame,
    model: GivenModel,
    answers: ModelOutcomes,
    findings: Findings,
) -> None:
    """Read the number by which a model orders the rows: a risk, or the score of a ranking.

    Of a ranking it may also be the column of the model itself.
    """
    keyword, column = f"score {model.name}", model.score
    if column is None and spec.query is not None:
        keyword, column = f"models {model.name}", model.column
    if column is None:
        what = "a risk, which is higher for an earlier event" if spec.event else "a score"
        raise Refused(
            codes.model_without_predictions,
            f"`{model.name}` has no score, and `{'event' if spec.event else 'query'}` needs {what}",
            f"models {model.name}",
            "event",
            "query",
            help=f"write `score {written(model.name)} = COLUMN`",
        )
    answers.predictions[model.name] = number_column(frame, column, model.name, keyword, findings)


def read_events(
    spec: PredictionsSpec, frame: Frame, target: Target | None
) -> "NDArray[np.float64] | None":
    """Read whether the time of each row is that of an event (1) or of censoring (0) (n,)."""
    column = spec.event
    if column is None:
        return None
    check_column(frame, column, "event")
    if missing := frame.missing_rows(column):
        raise Refused(
            codes.missing_prediction,
            f"`{column}` is missing in {frame.places(missing)}",
            "event",
            help=f"write `where {written(column)} is not missing` to exclude these rows",
        )
    words = {"1": 1.0, "1.0": 1.0, "true": 1.0, "0": 0.0, "0.0": 0.0, "false": 0.0}
    texts = [text.lower() for text in frame.texts(column).to_list()]
    odd = [row for row, text in enumerate(texts) if text not in words]
    if odd:
        raise Refused(
            codes.unusable_event,
            f"`{column}` is neither 1 nor 0 in {frame.places(odd)}: it contains {texts[odd[0]]!r}",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
    events = np.array([words[text] for text in texts])
    if not events.any():
        raise Refused(
            codes.unusable_event,
            f"`{column}` has no event: every time is censored",
            "event",
            help="write 1 where the event was observed, and 0 where the time is censored",
        )
    if target is not None and (target.y < 0).any():
        early = np.flatnonzero(target.y < 0).tolist()
        raise Refused(
            codes.unusable_event,
            f"the time is below zero in {frame.places(early)}: {target.y[early[0]]:g}",
            "truth",
            help="count times from the start of the observation, or name their column",
        )
    return events


def read_queries(
    spec: PredictionsSpec, frame: Frame, target: Target | None
) -> "NDArray[np.int64] | None":
    """Number the queries of the rows (n,); -1 for rows of queries without a relevant row.

    No order of those rows is better than another, so that they are skipped.
    """
    texts = complete_texts(frame, spec.query, "query")
    if texts is None or target is None:
        return None
    wrong = np.flatnonzero(target.y < 0).tolist()
    if wrong:
        raise Refused(
            codes.unusable_relevance,
            f"the relevance is below zero in {frame.places(wrong)}: {target.y[wrong[0]]:g}",
            "truth",
            help="write 0 for rows that are not relevant, and more for relevant ones",
        )
    coded = group_codes(texts)
    useful = np.bincount(coded, weights=target.y) > 0
    if not useful.any():
        raise Refused(
            codes.unusable_relevance,
            "no query has a relevant row: the truth is 0 in every row",
            "truth",
            help="name the column of the relevance: 0 where a row is not relevant, else more",
        )
    for column, keyword in ((spec.group, "group"), *((c, f"within {c}") for c in spec.subgroups)):
        if column is not None and column in frame.columns:  # else reported where it is read
            check_agreement(
                frame,
                column,
                coded,
                texts,
                keyword,
                "query",
                "name a column that has one value in all rows of a query: the query is the unit",
            )
    place = np.where(useful, np.cumsum(useful) - 1, -1)
    return np.asarray(place[coded], dtype=np.int64)


def read_predictions(
    spec: PredictionsSpec,
    folder: Path,
    given: Sequence[Any] = (),
    counting: Counting | None = None,
    asked: tuple[RowsAsked, ...] = (),
) -> tuple[tuple[GivenOutcomes, ...], tuple[Diagnostic, ...]]:
    """Read predictions computed elsewhere, and report everything that is wrong with them.

    Returns one item, or with a `dataset` column one for each of its values, named NAME/value,
    in their order. `given` are data frames that replace the files. With an error among the
    diagnostics there is none. Nothing is raised for bad data. `counting` is what counts the parts
    of a table where the study needs no more than counts, None where it needs the rows for what is
    `asked`.
    """
    if not given and not may_be_counted(spec):
        asked = (RowsAsked(f"a clause of `{spec.name}` is about single rows"), *asked)
    elif counting is not None and not given:
        read = _read_counted(spec, folder, counting)
        if not isinstance(read, RowsAsked):
            return read
        asked = (read, *asked)
    findings = Findings(spec.places)
    outcomes: list[GivenOutcomes] = []
    with findings.catching():
        frames = read_files(spec, folder, findings, given, asked)
        if spec.epochs_open:
            kept = [select(one, spec.where, may_be_empty=True)[0] for one in frames.values()]
            epochs = max(one.cells[EPOCH].n_unique() for one in kept)
            spec = spec if epochs < 2 else replace(spec, repeat=EPOCH)
        frame, models, excluded = join_files(spec, frames, findings)
        models = models or _default_models(frame, spec)
        for part_spec, part, note in _data_sets(frame, spec, findings):
            with findings.noting(note), findings.catching():
                made = _outcomes(part_spec, part, models, findings)
                outcomes.append(replace(made, excluded=excluded))
    if len({made.task for made in outcomes}) > 1:
        tasks = listed((f"`{made.spec.name}` is a {made.task}" for made in outcomes), 4)
        help_text = "write `task classification` or `task regression`"
        findings.add(codes.data_sets_differ_in_task, tasks, "dataset", "truth", help=help_text)
    return () if findings.failed else tuple(outcomes), findings.diagnostics


def _read_counted(
    spec: PredictionsSpec, folder: Path, counting: Counting
) -> tuple[tuple[GivenOutcomes, ...], tuple[Diagnostic, ...]] | RowsAsked:
    """Read the counts of a table in parts; the reason where its rows are needed."""
    found = count_parts(spec, folder, counting)
    if isinstance(found, RowsAsked):
        return found
    findings = Findings(spec.places)
    columns = {column.name: column.name for column in found.columns}
    models = tuple(own_columns(model, columns, spec) for model in spec.models)
    made = findings.tried(_outcomes, spec, found.frame, models, findings)
    if made is None or findings.failed or made.task == "regression":
        return RowsAsked("the values are faulty or numbers, which is looked at row by row")
    made = replace(made, scores={}, excluded=found.excluded, source_columns=found.columns)
    if counting.rankings is not None:
        ranked = _rankings(made, found)
        if isinstance(ranked, RowsAsked):
            return ranked
        made = replace(made, rankings=ranked)
        if counting.rankings.compared and len(ranked) > 1:
            placements = _placements(made, found, ranked, counting, counting.rankings.compared)
            if isinstance(placements, RowsAsked):
                return placements
            made = replace(made, placements=placements)
    return (made,), findings.diagnostics


def _positive_truth(made: GivenOutcomes, found: CountedParts) -> Any:
    """Return the cell that the truth of the positive class has."""
    assert made.truth is not None and isinstance(made.spec, PredictionsSpec), "it has a truth"
    row = int(np.flatnonzero(made.truth == made.positive)[0])
    return found.frame.cells[made.spec.truth or ""][row]


def _rankings(made: GivenOutcomes, found: CountedParts) -> dict[str, ScoreCounts] | RowsAsked:
    """Return the counted scores of each model that has them; why not where rows are needed."""
    if not any(model.score for model in made.models):
        return {}
    if made.positive is None:
        return RowsAsked("the positive class is not known")
    positive = _positive_truth(made, found)
    ranked = {m.name: found.scores[m.score].whole(positive) for m in made.models if m.score}
    counts = np.bincount(made.truth == made.positive, made.times)
    alike = all(one.members == tuple(counts.tolist()) for one in ranked.values())
    return ranked if alike else RowsAsked("the truth differs in its type between the parts")


def _placements(
    made: GivenOutcomes,
    found: CountedParts,
    ranked: Mapping[str, ScoreCounts],
    counting: Counting,
    compared: Sequence[int | None],
) -> PlacementSums | RowsAsked:
    """Read the parts again and sum the products of placements; why not where rows are needed.

    `compared` is how many scores of a model each metric keeps distinct.
    """
    kept = ranked.values()
    if any(coarsened(one, most).digits != one.digits for one in kept for most in compared):
        return RowsAsked("metrics that round scores differently are compared")
    columns = [model.score for model in made.models if model.score is not None]
    ranks = [rank(counts) for counts in ranked.values()]
    areas = [one.area for one in ranks]
    positive = _positive_truth(made, found)
    summed = functools.partial(sum_products, ranks, areas, columns, positive)
    totals = [np.zeros((len(ranks), len(ranks))) for _ in range(2)]
    for done, (task, products) in enumerate(
        zip(found.tasks, counting.mapped(summed, found.tasks), strict=True), 1
    ):
        own = summed(task) if products is None else products  # another machine lacks the file
        if own is None:
            return RowsAsked("a part cannot be read again")
        totals = [total + part for total, part in zip(totals, own, strict=True)]
        report_activity(Activity("reading", made.spec.name, share=done / len(found.tasks)))
    negatives, positives = ranks[0].counts.members
    return PlacementSums(np.array(areas), negatives, positives, *totals)


def _default_models(frame: Frame, spec: PredictionsSpec) -> tuple[GivenModel, ...]:
    """Return a model for every column with a name that no clause names."""
    roles = roles_of(spec)
    models = tuple(
        GivenModel(name, name, column=name)
        for place, name in enumerate(frame.columns, 1)
        if name not in roles and name != f"column_{place}"
    )
    if not models:
        message = f"no column of {quoted(frame.source.split(', '))} is left for a model"
        fix = (
            f"the predictions of a model are a column; the columns are {quoted(frame.columns, 12)}"
        )
        raise Refused(codes.no_models_in_file, message, "models", "truth", help=fix)
    return models


def _data_sets(
    frame: Frame, spec: PredictionsSpec, findings: Findings
) -> list[tuple[PredictionsSpec, Frame, str | None]]:
    """Return the rows of each data set, with the note that its findings get."""
    values = findings.tried(complete_texts, frame, spec.dataset, "dataset")
    if values is None:
        return [(spec, frame, None)]
    name = spec.dataset or ""
    warn_of_variants(name, variants_in(frame, name), "dataset", findings)
    column = frame.texts(name)
    levels = sorted_levels(values)
    titled = len(levels) == 1 and spec.label != spec.name
    return [
        (
            replace(
                spec,
                name=f"{spec.name}/{value}",
                label=spec.label if titled else f"{spec.label}/{value}",
            ),
            replace(frame.keep(column == value), hashes=None),
            f"among the rows where {spec.dataset} is {value}",
        )
        for value in levels
    ]


def _outcomes(
    spec: PredictionsSpec, frame: Frame, models: tuple[GivenModel, ...], findings: Findings
) -> GivenOutcomes:
    answers = ModelOutcomes()
    tried = findings.tried
    target: Target | None = None
    events: NDArray[np.float64] | None = None
    queries: NDArray[np.int64] | None = None
    rated: Ratings | None = None
    if spec.judged == "judges":
        models = models if spec.truth is not None or spec.every is None else (panel_of(models),)
        rated = tried(read_ratings, spec, frame, models, answers)
    elif spec.judged is not None:
        for model in models:
            tried(read_correctness, spec, frame, model, answers, findings)
        with findings.catching():
            spec = _on_its_scale(spec, answers)
    else:
        assert spec.truth is not None, "the checker asks for it where nothing is judged yet"
        target = tried(read_target, frame, spec, spec.truth, findings, "truth")
    if spec.orders in ("event", "query"):
        events = tried(read_events, spec, frame, target)
        queries = tried(read_queries, spec, frame, target)
        if queries is not None and target is not None and (queries < 0).any():
            left_out = int((queries < 0).sum())
            frame = frame.keep(pl.Series(queries >= 0)).noted(
                (f"{counted(left_out, 'row')} skipped, because their queries have no relevant row",)
            )
            target = replace(target, y=target.y[queries >= 0])
            queries = queries[queries >= 0]
        for model in models:
            tried(read_ordering_score, spec, frame, model, answers, findings)
    elif target is not None:
        for model in models:
            tried(read_model, frame, model, target, answers, findings)
    within = [
        name for name in (spec.runs, spec.query) if name is not None and name in frame.columns
    ]
    row_ids = None
    apart = outcome_columns(spec, models)
    if frame.times is None:  # else they are known to differ
        row_ids = tried(read_ids, frame, spec.id, within=within, apart=apart)
    group_names, codes_of_groups = tried(read_groups, frame, spec.group) or (None, None)
    if spec.group is not None and group_names is not None:
        warn_of_variants(spec.group, variants_in(frame, spec.group), "group", findings)
    folds = tried(complete_texts, frame, spec.fold, "fold")
    repeats = tried(complete_texts, frame, spec.runs, spec.run_word)
    row_weights = tried(read_weights, frame, spec.weight)
    subgroups = read_levels(frame, spec.subgroups, "within", findings)
    moments = tried(read_moments, frame, spec, apart)
    findings.stop_at_errors()
    examples: NDArray[np.int64] | None = None
    spread: tuple[str, ...] = ()
    if spec.runs is not None:
        texts = None if spec.id is None or row_ids is None else frame.texts(spec.id).to_list()
        examples, spread = examples_of_repeats(frame, spec, texts)
    if queries is not None:
        n_queries = counted(int(queries.max()) + 1, "query", "queries")
        examples, spread = queries, (f"{counted(frame.n, 'row')} of {n_queries}",)
    fold_labels = None if folds is None else sorted_levels(folds)
    repeat_labels = None if repeats is None else sorted_levels(repeats)
    labelled = target or rated
    made = GivenOutcomes(
        spec=spec,
        kind="predictions",
        models=models,
        # Right and wrong belong to a classification, other values to a regression
        task=target.task
        if target is not None
        else spec.task or ("regression" if spec.judged == "value" else "classification"),
        n=frame.n,
        truth=None if target is None else target.y,
        classes=() if labelled is None else labelled.classes,
        class_values=() if labelled is None else labelled.class_values,
        positive=None if labelled is None else labelled.positive,
        predictions=answers.predictions,
        scores=answers.scores,
        probabilities=frozenset(answers.probabilities),
        correct=answers.correct if spec.judged == "correct" else None,
        values=answers.values if spec.judged == "value" else None,
        id_column=row_ids,
        group_names=group_names,
        group_codes=codes_of_groups,
        weights=row_weights,
        folds=None if folds is None else level_codes(folds, fold_labels or ()),
        fold_labels=fold_labels,
        repeats=None if repeats is None else level_codes(repeats, repeat_labels or ()),
        subgroups=subgroups,
        sha256="",
        source=frame.source
        if frame.parts is None
        else f"{frame.source} ({counted(frame.parts, 'part')})",
        notes=(
            *frame.all_notes,
            *(labelled.notes if labelled is not None else ()),
            *answers.notes,
            *spread,
        ),
        examples=examples,
        repeat_labels=repeat_labels,
        source_columns=source_columns(frame, roles_of(spec, models)),
        times=frame.times,
        events=events,
        moments=moments,
        answered=answers.answered,
        joined=frame.joined,
        taken=frame.taken,
    )
    if not (spec.group or spec.runs or spec.query) and frame.times is None:
        likely = likely_moments(frame, spec, apart)
        if likely is not None:
            predictions_in_time(made, likely, findings)
    if frame.hashes is not None:
        sha256, test_sha256 = frame.hashes
        return replace(made, sha256=sha256, test_sha256=test_sha256)
    return replace(made, sha256=outcomes_hash(made))


def _on_its_scale(spec: PredictionsSpec, answers: ModelOutcomes) -> PredictionsSpec:
    """Read percents of a value that is known as a share as shares; refuse other odd values."""
    if not answers.values or spec.ratio is not None:
        return spec
    every = np.concatenate([*answers.values.values()])
    found = scale_of_named(spec.value_metric, every, f"`{spec.name}`")
    if isinstance(found, OffScale):
        raise Refused(codes.off_the_scale_of_its_metric, found.message, "value", help=found.help)
    if found is not None:
        answers.values = {model: values / 100 for model, values in answers.values.items()}
        answers.notes.append(found)
        return replace(spec, percents=True)
    return spec


def outcomes_hash(made: GivenOutcomes) -> str:
    """Hash everything in predictions or judged outcomes that can change a result."""
    parts = DataHash()
    parts.text("task", made.task)
    parts.text("classes", list(made.classes))
    parts.text("positive", made.positive)
    parts.text("models", [model.name for model in made.models])
    parts.codes("truth", made.truth)
    for kind, arrays in (
        ("predictions", made.predictions),
        ("scores", made.scores),
        ("correct", made.correct or {}),
        ("values", made.values or {}),
    ):
        for name in sorted(arrays):
            parts.codes(f"{kind}.{name}", arrays[name])
    for name in sorted(made.answered):
        parts.codes(f"answered.{name}", made.answered[name])
    parts.text("probabilities", sorted(made.probabilities))
    parts.texts("ids", made.id_column, distinct=made.repeats is None)
    parts.levels("groups", made.group_names, made.group_codes)
    parts.numbers("weights", made.weights)
    if made.moments is not None:
        parts.numbers("moments", made.moments.ranks)
    if made.events is not None:
        parts.numbers("events", made.events)
    if isinstance(made.spec, PredictionsSpec) and made.spec.query is not None:
        parts.numbers("queries", made.examples)
    parts.numbers("folds", made.folds)
    parts.text("fold_labels", made.fold_labels)
    parts.numbers("repeats", made.repeats)
    parts.text("repeat_labels", made.repeat_labels)
    parts.columns("subgroups", made.subgroups)
    return parts.hexdigest()


def examples_of_repeats(
    frame: Frame, spec: PredictionsSpec, ids: Sequence[str] | None
) -> "tuple[NDArray[np.int64], tuple[str, ...]]":
    """Number the examples of predictions with repeats, and state the design.

    Returns the code of each row's example, in the order of their first rows, and notes.
    Truth, group, weight and subgroups must be the same in all repeats of an
    example; an example may lack some repeats, which is a note.
    """
    word = spec.run_word
    if ids is None or spec.runs is None:
        raise Refused(
            codes.repeats_need_id,
            f"`{frame.source}` has several {word}s, but no column names the example of each row",
            word,
            help="write `id COLUMN` below it",
        )
    coded = group_codes(ids)
    for column, keyword in (
        (spec.truth, "truth"),
        (spec.group, "group"),
        (spec.weight, "weight"),
        *((name, f"within {name}") for name in spec.subgroups),
    ):
        if column is not None:
            check_agreement(
                frame, column, coded, ids, keyword, "id", "give different examples different ids"
            )
    runs = frame.texts(spec.runs)
    n_runs, n_examples = runs.n_unique(), int(coded.max()) + 1
    among = {"repeat": "in", "reader": "read by", "seed": "predicted with"}[word]
    notes = [f"{counted(n_examples, 'example')} {among} {counted(n_runs, word)}"]
    times = np.bincount(coded)
    if spec.readers == "random" or word == "seed":
        _check_crossed(frame, spec, times, n_runs)
    if (times < n_runs).any():
        lacking = counted(int((times < n_runs).sum()), "example")
        notes.append(
            f"{lacking} of {n_examples:,} not {among} all "
            f"{word}s: the mean is over the {word}s that they have"
        )
    return coded, tuple(notes)


def _check_crossed(
    frame: Frame, spec: PredictionsSpec, times: "NDArray[np.int64]", readers: int
) -> None:
    """Check that all readers read every example, or all networks of seeds predicted it.

    `times` (n,) counts those of each example. There are two readers or more; of one network the
    results say that nothing shows how trainings vary.
    """
    if readers < 2 and spec.seed is None:
        raise Refused(
            codes.readers_not_crossed,
            f"`{spec.reader}` names a single reader, which shows no spread between readers",
            "reader",
            help=f"remove `reader {written(spec.reader or '')} random`",
        )
    lacking = int((times < readers).sum())
    if lacking:
        verb = "was" if lacking == 1 else "were"
        made, fixed, them = (
            ("read by every reader", "remove `random`", "readers")
            if spec.seed is None
            else ("predicted with every seed", "write `repeat` in place of `seed`", "networks")
        )
        raise Refused(
            codes.readers_not_crossed,
            f"{counted(lacking, 'example')} of {len(times):,} {verb} not {made} of "
            f"`{frame.source}`, which names {readers}",
            spec.run_word,
            help=f"leave out these examples by `where`, or {fixed}: the conclusion is then "
            f"about these {them}",
        )
