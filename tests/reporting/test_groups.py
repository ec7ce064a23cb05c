"""Groups of models reproduce the decisions exactly."""

import itertools

import fixture
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from evallang.reporting.comparisons import decision_panels
from evallang.reporting.context import Context
from evallang.reporting.decisions import are_stretches, cliques, groups, letters
from evallang.reporting.run_writer import plain
from evallang.results.statistics import Ranks

NODES = tuple("abcdef")
PAIRS = tuple(frozenset(pair) for pair in itertools.combinations(NODES, 2))


def by_definition(edges):
    """Try every subset: complete, and in no larger complete one."""
    complete = [
        frozenset(subset)
        for size in range(1, len(NODES) + 1)
        for subset in itertools.combinations(NODES, size)
        if all(frozenset(pair) in edges for pair in itertools.combinations(subset, 2))
    ]
    return {s for s in complete if not any(s < other for other in complete)}


@settings(deadline=None)
@given(st.sets(st.sampled_from(PAIRS)))
def test_cliques_are_all_maximal_complete_sets(edges):
    found = cliques(NODES, frozenset(edges))
    assert {frozenset(row) for row in found} == by_definition(edges)
    assert len(found) == len(set(found))


def decided(rejected):
    """Give the comparison of `fixture.cancer` with chosen decisions."""
    comparison = fixture.cancer().comparisons[0]
    pairs = tuple(
        replace(pair, reject=frozenset(pair.models) in rejected) for pair in comparison.pairwise
    )
    return replace(comparison, pairwise=pairs)


MODELS = tuple(fixture.LABELS)
MODEL_PAIRS = tuple(frozenset(pair) for pair in itertools.combinations(MODELS, 2))


@settings(deadline=None)
@given(st.sets(st.sampled_from(MODEL_PAIRS)))
def test_two_models_share_a_letter_exactly_if_no_test_separated_them(rejected):
    marks = letters(MODELS, decided(rejected))
    for first, second in itertools.combinations(MODELS, 2):
        shared = bool(set(marks[first]) & set(marks[second]))
        assert shared == (frozenset((first, second)) not in rejected)


def test_a_group_that_skips_a_model_is_no_stretch():
    rejected = {frozenset(("logistic", "svm")), frozenset(("svm", "bayes"))}
    found = groups(MODELS, decided(rejected))
    assert ("logistic", "forest", "bayes") in found
    assert not are_stretches(MODELS, found)


def test_nothing_is_grouped_where_not_all_pairs_were_decided():
    comparison = decided(set())
    assert groups(MODELS, replace(comparison, performed=False)) == ()
    assert groups(MODELS, replace(comparison, pairwise=comparison.pairwise[:-1])) == ()
    exploratory = replace(comparison.family, exploratory=True)
    assert groups(MODELS, replace(comparison, family=exploratory)) == ()
    open_ = tuple(replace(pair, reject=None) for pair in comparison.pairwise)
    assert groups(MODELS, replace(comparison, pairwise=open_)) == ()


def test_groups_that_bars_would_mislead_about_are_demsars_diagram_and_columns():
    comparison = decided({frozenset(("logistic", "bayes"))})
    near = dict(zip(MODELS, (1.5, 1.52, 3.2, 3.78), strict=True))
    for average, titles in (
        (near, ["Average ranks and groups", "Groups of average ranks"]),
        ({name: float(i) for i, name in enumerate(MODELS, start=1)}, ["Average ranks and groups"]),
    ):
        ranks = Ranks(average, 12, None, ())
        drawn = decision_panels(
            Context(fixture.cancer()), replace(comparison, data=None, ranks=ranks)
        )
        made = [panel for panel, _ in drawn if "groups" in plain(panel.title).casefold()]
        assert [plain(panel.title) for panel in made] == titles
        for panel in made:
            texts = [mark.text for mark in panel.drawing.marks if mark.text]
            assert {"1.0", "4.0"} <= set(texts) or {"1", "4"} <= set(texts)  # from best to worst
            for model in MODELS:
                assert fixture.LABELS[model] in panel.alt
                look = Context(fixture.cancer()).look(model)
                assert any(look.colour in mark.style for mark in panel.drawing.marks)
