"""What the report says of exported models, and of the estimate of the best."""

import fixture
from msgspec.structs import replace
from test_careful_words import Page

from evallang.results.records import CorrectedEstimate, Export


def exported(results, **changes):
    model = results.models[0].name
    export = Export(
        model, "models/best.skops", {"C": 1.0}, "ab" * 32, ("mypkg.Net",),
        notes=("its hyper-parameters were chosen again on all rows",),
    )  # fmt: skip
    return replace(results, exports=(replace(export, **changes),))


def without_differences(results):
    comparisons = tuple(
        replace(
            c,
            omnibus=c.omnibus and replace(c.omnibus, reject=False),
            pairwise=tuple(replace(pair, reject=False) for pair in c.pairwise),
        )
        for c in results.comparisons
    )
    return replace(results, comparisons=comparisons)


CORRECTED = CorrectedEstimate("accuracy", "cv", 0.98, 0.9512, 0.93, 0.97, 0.95, 500, ("a", "b"))


def test_a_saved_model_stands_with_its_file_its_choice_and_what_to_trust():
    page = Page(exported(fixture.cancer()))
    row = page.table("table-exports")[0]
    assert row[1:] == ["models/best.skops", "C=1", "mypkg.Net"]
    assert "chosen again on all rows" in page.notes("table-exports")
    words = page.words("exports")
    assert 'skops.io.load("models/best.skops", trusted=["mypkg.Net"])' in words
    assert "best model" not in words


def test_the_best_is_said_to_be_optimistic_and_its_corrected_figure_is_given():
    page = Page(exported(fixture.cancer(), best=True, corrected=CORRECTED))
    words = page.words("exports")
    assert "is optimistic" in words
    assert "the best of the two models was chosen on each draw" in words
    assert page.findings()[0] == (
        "Logistic regression was exported as the best of four models by accuracy. Corrected for "
        "this choice, its estimate was 95.1% on average (95% of the draws in [93.0, 97.0])."
    )
    assert "95.1" not in words  # once


def test_without_a_figure_the_reason_is_given():
    words = Page(exported(fixture.cancer(), best=True)).words("exports")
    assert "No corrected figure is given" in words


def test_where_no_comparison_finds_a_difference_the_report_says_so():
    sentence = "No comparison of this study found a difference between the models"
    found = exported(fixture.cancer(), best=True, corrected=CORRECTED)
    assert sentence not in Page(found).words("exports")
    assert sentence in Page(without_differences(found)).words("exports")
    none = replace(found, comparisons=())
    assert "No comparison tests whether it differs" in Page(none).words("exports")


def test_a_report_without_exports_has_no_such_section():
    assert Page(fixture.cancer()).root.find(".//section[@id='exports']") is None
