"""The table of all pairs of a comparison, and the notes of their tests."""

from collections.abc import Sequence
from typing import TypeVar

from evallang.reporting import pair_columns
from evallang.reporting.context import Context
from evallang.reporting.decisions import (
    bayesian,
    computed,
    decided,
    lacking_words,
)
from evallang.reporting.document import Cell, Column, Row, Runs, Spanner, Table, runs
from evallang.reporting.numbers import Scale, count, fixed, level_of_alpha, percent
from evallang.reporting.one_model import singly
from evallang.reporting.wording import adjusted_words, p_letter, sentence, variant_words
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import NOT_RUN

Number = TypeVar("Number", int, float)

BUILDERS = (
    pair_columns.counts,
    pair_columns.wins,
    pair_columns.statistics,
    pair_columns.differences,
    pair_columns.effects,
    pair_columns.posteriors,
    pair_columns.p_values,
)


def pair_table(context: Context, comparison: Comparison, identifier: str) -> Table | None:
    """Give the table of the pairs; None where no pair has a number."""
    pairs = comparison.pairwise
    if not any(computed(pair) for pair in pairs):
        return None
    first = "Model" if singly(comparison) else "Comparison (A − B)"
    columns = [Column(runs(first), "left", name="comparison")]
    spanners: list[Spanner] = []
    rows: list[list[Cell]] = [[Cell(runs(pair_name(context, pair)))] for pair in pairs]
    notes: list[Runs] = []
    for builder in BUILDERS:
        made = builder(context, comparison)
        if made is None:
            continue
        head, added, cells, words = made
        start = len(columns)
        columns += added
        if head:
            spanners.append(Spanner(head, start, len(columns) - 1))
        for row, more in zip(rows, cells, strict=True):
            row.extend(more)
        notes += words
    if len(columns) == 1:
        return None
    confidence = context.results.study.confidence
    firm = not comparison.family.exploratory
    strong = [firm and decided(pair, confidence) for pair in pairs]
    if any(strong):
        notes.append(_bold(context, comparison))
    notes += _test_notes(context, pairs)
    caption = _caption(context, comparison)
    body = tuple(Row(tuple(row), bold) for row, bold in zip(rows, strong, strict=True))
    return Table(
        identifier, runs(caption + "."), tuple(columns), body, tuple(spanners), tuple(notes)
    )


def pair_name(context: Context, pair: HypothesisTestResult) -> str:
    """Name a pair as its difference is taken: "Forest − Tree"."""
    return " − ".join(context.model(model) for model in pair.models)


def pairs_words(pairs: Sequence[HypothesisTestResult]) -> str:
    """Count pairs: "one pair", "6 pairs"."""
    return "one pair" if len(pairs) == 1 else f"{count(len(pairs))} pairs"


def _bold(context: Context, comparison: Comparison) -> Runs:
    if any(bayesian(pair) for pair in comparison.pairwise):
        level = percent(context.results.study.confidence)
        return runs(f"Bold rows: a posterior probability above {level}.")
    level = level_of_alpha(comparison.alpha)
    return runs("Bold rows: ", adjusted_words(comparison), p_letter(context),
                f" at or below {level}.")  # fmt: skip


def _caption(context: Context, comparison: Comparison) -> str:
    pairs = comparison.pairwise
    test = context.method_title("test", pairs[0].test)
    variants = dict.fromkeys(words for pair in pairs if (words := variant_words(context, pair)))
    variant = f" ({', '.join(variants)})" if variants else ""
    noun = context.compared_words(comparison).noun
    about = pairs_words(pairs)
    if singly(comparison):
        about = "one model" if len(pairs) == 1 else f"{count(len(pairs))} models"
    caption = f"{test}{variant} of {noun} for {about}"
    if comparison.omnibus is not None and not comparison.performed:
        caption = f"Differences in {noun} for {about}, which were not tested"
    if len(context.results.data) > 1:
        caption += f", {context.data_label(comparison.data)}"
    return caption


def _test_notes(context: Context, pairs: Sequence[HypothesisTestResult]) -> list[Runs]:
    """Give every note of the tests once, with its pairs where it is not about all of them."""
    by_note: dict[str, list[str]] = {}
    for pair in pairs:
        for note in _notes_of(context, pair):
            by_note.setdefault(note, []).append(pair_name(context, pair))
    notes = []
    for words, found in by_note.items():
        lead = "" if len(found) == len(pairs) else f"{', '.join(found)}: "
        notes.append(runs(sentence(lead + (words if not lead else _lower(words)))))
    if clusters := _clusters(pairs):
        notes.append(clusters)
    return notes


def _notes_of(context: Context, pair: HypothesisTestResult) -> tuple[str, ...]:
    """Return the notes of a pair as sentences, or why it was not computed."""
    if pair.lacking is not None:
        return (f"{NOT_RUN}: {lacking_words(context, pair.lacking)}",)
    return tuple(map(sentence, pair.notes))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _clusters(pairs: Sequence[HypothesisTestResult]) -> Runs:
    """Say over how many groups clustered tests were made, and what the groups cost."""
    found = [pair.clusters for pair in pairs if pair.clusters is not None]
    if not found:
        return ()
    sizes = sorted({item.n for item in found})
    words = (
        f"Whole groups are the units of the test: {' to '.join(map(count, _ends(sizes)))} groups"
    )
    effects = sorted({item.design_effect for item in found if item.design_effect is not None})
    if effects:
        ends = [fixed(value, Scale(2)) for value in _ends(effects)]
        words += f", design effect {' to '.join(dict.fromkeys(ends))}"
    return runs(words + ".")


def _ends(values: Sequence[Number]) -> list[Number]:
    return [values[0]] if len(values) == 1 else [values[0], values[-1]]
