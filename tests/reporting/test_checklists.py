"""The table of reporting checklists: each item at the section that answers it, or the authors'."""

import fixture
import fixture_variants
import pytest
from msgspec.structs import replace

from evallang.reporting.checklists import CHECKLISTS, item_places
from evallang.reporting.context import Context
from evallang.reporting.document import Ref, Table
from evallang.reporting.report import build


def built(results):
    context = Context(results)
    document = build(context)
    return context, {section.id: section for section in document.sections}


def words(runs):
    return "".join(getattr(run, "text", getattr(run, "words", "")) for run in runs)


def table_of(sections):
    (table,) = sections["checklists"].blocks
    assert isinstance(table, Table)
    return table


def authors_items(table, checklist):
    """Read the items that are left to the authors back from the printed note."""
    note = next(words(note) for note in table.notes if words(note).startswith("For the authors"))
    part = next(p for p in note.removesuffix(".").split("; ") if f"{checklist.name} " in p)
    numbers = [item.number for item in checklist.items]
    found = []
    for group in part.split(f"{checklist.name} ")[1].split(", "):
        first, _, last = group.partition(" to ")
        span = numbers[numbers.index(first) : numbers.index(last or first) + 1]
        found += span
    return found


def test_the_lists_have_the_published_numbers_of_items():
    by_name = {
        checklist.name: [item.number for item in checklist.items] for checklist in CHECKLISTS
    }
    assert len(by_name["REFORMS"]) == 32  # Kapoor et al. 2024: "It consists of 32 questions"
    assert len(by_name["TRIPOD+AI"]) == 52  # Collins et al. 2024, with sub-items
    assert by_name["NeurIPS"] == [str(number) for number in range(1, 17)]
    mains = dict.fromkeys(number.rstrip("abcdefg") for number in by_name["TRIPOD+AI"])
    assert list(mains) == [str(number) for number in range(1, 28)]  # Collins et al. 2024: 27 items
    for numbers in by_name.values():
        assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(
    "study", [fixture.cancer, fixture_variants.counts, fixture_variants.many_data_sets]
)
def test_every_item_has_one_place(study):
    _, sections = built(study())
    table = table_of(sections)
    for column, checklist in enumerate(CHECKLISTS, start=1):
        answered = []
        part = None
        for row in table.rows:
            if row.group:
                part = words(row.cells[0].runs)
                continue
            (ref,) = row.cells[0].runs
            assert part == ("Supplement" if sections[ref.target].supplement else "Main part")
            assert isinstance(ref, Ref)
            assert ref.target in sections
            answered += filter(None, words(row.cells[column].runs).replace("*", "").split(", "))
        left = authors_items(table, checklist)
        assert not set(answered) & set(left)
        assert sorted(answered + left) == sorted(item.number for item in checklist.items)


def test_hidden_sections_answer_nothing():
    results = fixture.cancer()
    context, _ = built(results)
    assert item_places(context)["REFORMS", "7c"] == "comparisons"
    assert item_places(context)["NeurIPS", "7"] == "estimates"
    settings = replace(results.report, hide=("comparisons", "estimates"))
    context, sections = built(replace(results, report=settings))
    places = item_places(context)
    assert places["REFORMS", "7c"] is None
    assert places["NeurIPS", "7"] is None
    assert "7c" in authors_items(table_of(sections), CHECKLISTS[0])


def test_a_study_that_tests_on_its_training_rows_does_not_claim_the_contrary():
    results = fixture.cancer()
    context, sections = built(results)
    assert item_places(context)["REFORMS", "6a"] == "methods"
    assert "training rows only" in words(sections["methods"].blocks[0].runs)
    own = tuple(replace(p, tests_on_training_rows=True) for p in results.protocols)
    context, sections = built(replace(results, protocols=own))
    assert item_places(context)["REFORMS", "6a"] is None
    assert "training rows only" not in words(sections["methods"].blocks[0].runs)


def test_results_computed_elsewhere_claim_nothing_about_training():
    context, _ = built(fixture_variants.counts())
    places = item_places(context)
    for number in ("4c", "5c", "5e", "6a"):
        assert places["REFORMS", number] is None
