"""What every protocol promises, whoever wrote it."""

from fractions import Fraction

import numpy as np
import pytest
from many_cases import for_each
from msgspec.structs import replace
from protocol_facts import lacking, taken_as_independent

from evallang.evidence import FOLD_SCORES, ONE_PREDICTION_PER_ROW
from evallang.protocols.protocol import PROTOCOLS, Rows, subject_of_yields
from evallang.registry import Bounds, Design

N = 36
Y = np.arange(N) % 3
GROUPS = np.arange(N) // 3


def other(option):
    """Give a value of an option other than its default: a word, a share, or a small number."""
    if option.words:
        return next(word for word in option.words if word != option.default)
    bounds = option.bounds or Bounds()  # without any, another test says what to declare
    if bounds.below == 1:
        return Fraction(1, 4)
    least = int(bounds.least or 0)
    return least if least != option.default else least + 1


def cases():
    for entry in PROTOCOLS:
        yield pytest.param(entry, entry.defaults(), id=entry.name)
        if others := {option.name: other(option) for option in entry.options}:
            yield pytest.param(entry, others, id=f"{entry.name}-other-options")


def rows_for(entry):
    given = entry.declaration.of_assignment is not None
    grouped = not given and entry.declaration.yields(entry.defaults()).grouped
    assignment = tuple(str(i % 4) for i in range(N)) if given else None
    return Rows(N, Y, GROUPS if grouped else None, assignment, lambda repeat: 7 + repeat)


CASES = list(cases())
every_case = for_each(("entry", "options"), CASES)
every_protocol = for_each("entry", list(PROTOCOLS), ids=lambda e: e.name)


@every_case
def test_rows_are_sorted_and_never_on_two_sides(entry, options):
    for split in entry.function(rows_for(entry), **options):
        parts = [split.train, split.test]
        if split.validation is not None:
            parts.append(split.validation)
        for part in parts:
            assert part.dtype == np.int64
            assert len(part) > 0
            assert (np.diff(part) >= 0).all()
            assert part[0] >= 0
            assert part[-1] < N
        assert (np.diff(split.test) > 0).all()
        full_sample = entry.declaration.full_sample and split.fold == -1
        if not entry.declaration.tests_on_training_rows(options) and not full_sample:
            together = np.concatenate([np.unique(part) for part in parts])
            assert len(np.unique(together)) == len(together)


@every_case
def test_repeats_and_folds_are_numbered_from_0_in_order(entry, options):
    found = [(s.repeat, s.fold) for s in entry.function(rows_for(entry), **options)]
    assert found == sorted(set(found))
    assert sorted({repeat for repeat, _ in found}) == list(range(found[-1][0] + 1))
    for repeat in range(found[-1][0] + 1):
        folds = [fold for r, fold in found if r == repeat]
        start = -1 if entry.declaration.full_sample else 0
        assert folds == list(range(start, start + len(folds)))


@for_each(
    ("entry", "options"),
    [c for c in CASES if c.values[0].declaration.n_splits(c.values[1]) is not None],
)
def test_the_number_of_splits_is_as_declared(entry, options):
    found = list(entry.function(rows_for(entry), **options))
    assert len(found) == entry.declaration.n_splits(options)


@every_case
def test_once_is_declared_where_no_row_is_tested_twice(entry, options):
    found = list(entry.function(rows_for(entry), **options))
    tested = np.concatenate([split.test for split in found])
    yields = entry.declaration.yields(options)
    assert yields.once == (len(np.unique(tested)) == len(tested))
    if ONE_PREDICTION_PER_ROW in yields.evidence:
        assert yields.once


@every_case
def test_single_fit_and_validation_are_declared_as_they_are(entry, options):
    found = list(entry.function(rows_for(entry), **options))
    yields = entry.declaration.yields(options)
    assert yields.single_fit == (len(found) == 1)
    if any(split.validation is not None for split in found):
        assert yields.validation


@every_case
def test_a_design_is_declared_exactly_where_fold_scores_are(entry, options):
    yields = entry.declaration.yields(options)
    assert (yields.design is not None) == (FOLD_SCORES in yields.evidence)
    if yields.design in (Design.REPEATED, Design.RESAMPLED, Design.FIVE_BY_TWO):
        assert not yields.once


@every_case
def test_the_design_is_described_for_readers(entry, options):
    text = entry.declaration.describe(options)
    assert text
    assert "None" not in text
    assert not text.endswith(".")
    assert "stratified" not in text


@every_protocol
def test_what_the_estimate_is_about_is_as_derived_for_the_defaults(entry):
    yields = entry.declaration.yields(entry.defaults())
    if yields.evidence:
        assert entry.declaration.about == subject_of_yields(yields)
    assert entry.declaration.about


@every_protocol
def test_strata_play_a_part_exactly_where_declared(entry):
    given_rows = rows_for(entry)
    unequal = np.array([0] * 14 + [1] * 22)
    tests = [
        [split.test.tolist() for split in entry.function(replace(given_rows, strata=strata))]
        for strata in (None, unequal)
    ]
    assert (tests[0] != tests[1]) == entry.declaration.keeps_strata


@every_protocol
def test_it_is_documented_with_a_source(entry):
    assert entry.title
    assert entry.summary.endswith(".")
    assert "ValueError" in entry.manual
    assert entry.references


@every_protocol
def test_its_words_spell_its_name(entry):
    assert "_".join(entry.declaration.words) == entry.name


@every_protocol
def test_the_option_for_inner_folds_is_one_of_its_options(entry):
    inner = entry.declaration.inner_option
    assert inner is None or entry.option(inner) is not None
    if inner is not None:
        assert entry.declaration.yields(entry.defaults()).validation


def test_words_name_one_protocol_only():
    words = [entry.declaration.words for entry in PROTOCOLS]
    assert len(set(words)) == len(words)


@every_case
def test_rows_are_divided_as_declared(entry, options):
    given = rows_for(entry)
    first, again, other = (
        [(split.train.tolist(), split.test.tolist()) for split in entry.function(rows, **options)]
        for rows in (given, given, replace(given, seed=lambda repeat: 1000 + repeat))
    )
    assert first == again
    assert (first != other) == entry.declaration.draws_at_random()
    drawn_twice = any(len(set(train)) < len(train) for train, _ in first)
    assert drawn_twice == (entry.declaration.division == "resampled")
    if entry.declaration.division == "in_turn":
        assert sorted({row for _, test in first for row in test}) == list(range(N))


@every_case
def test_sizes_of_parts_are_as_declared(entry, options):
    declared = entry.declaration
    splits = [s for s in entry.function(rows_for(entry), **options) if s.fold >= 0]
    tested = {len(split.test) for split in splits}
    if (rows := declared.test_rows(options)) is not None:
        assert tested == {rows}
    if (share := declared.test_share(options)) is not None:
        assert all(abs(size - share * N) <= 1 for size in tested)
    if (share := declared.train_share(options)) is not None:
        assert all(abs(len(split.train) - share * N) <= 2 for split in splits)
    if (folds := declared.number_of_folds(options)) is not None:
        repeats = {split.repeat for split in splits}
        assert len(splits) == folds * len(repeats)


@every_case
def test_dependence_direction_and_inner_division_are_declared_as_rows_are_divided(entry, options):
    assert lacking(entry, options, rows_for(entry)) == []


IN_SERIES = [c for c in CASES if c.values[0].declaration.neighbours]


@for_each(("entry", "options"), IN_SERIES)
def test_where_neighbours_are_alike_no_statistic_takes_rows_as_independent(entry, options):
    assert taken_as_independent(entry.declaration.yields(options)) == []


def test_the_declaration_of_some_protocols_is_of_neighbours():
    assert IN_SERIES


@every_case
def test_the_short_title_is_filled_in_by_options(entry, options):
    short = entry.declaration.short.format_map(options)
    assert short
    assert "{" not in short
    assert len(short) <= 30


@every_protocol
def test_every_option_has_words_for_readers(entry):
    names = {option.name for option in entry.options}
    assert set(entry.declaration.option_words) == names
    for option in entry.options:
        numbers = {"int", "float", "Fraction"} & set(option.types)
        assert option.bounds or not numbers, f"{option.name}: declare `Annotated[..., Bounds()]`"
    assert not isinstance(entry.declaration.folds, str) or entry.declaration.folds in names


def test_protocols_of_partitions_test_each_row_once_in_a_repeat():
    named = [e for e in PROTOCOLS if e.declaration.shared_training == "partition"]
    assert named
    for entry in named:
        by_repeat = {}
        for split in entry.function(rows_for(entry), **entry.defaults()):
            by_repeat.setdefault(split.repeat, []).extend(split.test.tolist())
        assert all(sorted(rows) == list(range(N)) for rows in by_repeat.values())
