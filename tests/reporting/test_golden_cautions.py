"""The warnings that only results show (W5xx), in short form: `tests/messages/report`.

`UPDATE_MESSAGES=1` writes it anew; read the diff.
"""

import os
import re
from functools import partial
from pathlib import Path

import drawn_regression
import fixture
import fixture_variants
import pytest
from msgspec.structs import replace
from short_form import short_caution
from written_cases import plain

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, codes, diagnose
from evallang.diagnostics.formats import to_record
from evallang.reporting.context import Context
from evallang.reporting.limits import cautions
from evallang.reporting.wording import first_sentence
from evallang.results.records import Failure, NeverPredicted, Selection
from evallang.results.statistics import Disagreement
from evallang.source import SourceFile, Span

GOLDEN = Path(__file__).parents[1] / "messages" / "report" / "cautions.txt"


def simultaneous_interval_that_holds_zero():
    """Give the cancer study with a rejection that a simultaneous interval does not show."""
    whole = fixture.cancer()
    comparison = whole.comparisons[0]
    pairs = tuple(
        replace(
            pair,
            reject=True,
            simultaneous=replace(pair.simultaneous, low=-0.01, high=0.05),
            disagreements=(Disagreement("family", False, "conservative"),),
        )
        if pair.simultaneous is not None
        else pair
        for pair in comparison.pairwise
    )
    return replace(whole, comparisons=(replace(comparison, pairwise=pairs),))


def own_metric_that_failed():
    whole = fixture.cancer()
    model = whole.models[0].name
    failure = Failure(
        "measure", whole.data[0].name, None, model, 0, -1, {}, "ValueError", "no", metric="lab.gain"
    )
    return replace(whole, failures=(failure,))


def search_at_the_edge():
    """Give the cancer study with a model whose searches all ended at their largest candidate."""
    whole = fixture.cancer()
    first = replace(whole.models[0], tuned={"C": (0.01, 0.1, 1)})
    chosen = tuple(
        Selection("cancer", "main", first.name, 0, fold, {"C": 1}, 0.9, "best") for fold in range(5)
    )
    return replace(whole, models=(first, *whole.models[1:]), selections=chosen)


def class_never_predicted():
    whole = fixture.holdout()
    setting = whole.estimates[0]
    missed = NeverPredicted(
        setting.data, setting.protocol, setting.model, ("malignant",), 190, 71, baseline=False
    )
    return replace(whole, never_predicted=(missed,))


def models_as_the_library_sets_them():
    whole = fixture.holdout()
    models = tuple(
        replace(m, tuned={}, pipeline="GaussianNB", configured=False) for m in whole.models
    )
    return replace(whole, models=models)


def found_after_the_run(code, message):
    """Return the holdout study with a diagnostic that the engine found in its outcomes."""
    found = diagnose(code, message, Span("study.eval", 0, 4))
    sources = {"study.eval": SourceFile("study.eval", "data visits\n")}
    return replace(fixture.holdout(), diagnostics=(to_record(found, sources),))


FOUND = {
    "a feature that is as good as the models": (
        codes.feature_as_good_as_models,
        "`invoice` alone reaches R2 of .976, and the best model .978",
    ),
    "folds that disagree": (
        codes.folds_disagree,
        "the folds of `ridge` differ by more than the sampling of their rows explains: mae is "
        "0.8 in fold 1 and 5.9 in fold 4",
    ),
    "workers of another kind": (
        codes.unlike_workers,
        "workers of the cluster differ from the machine that started the run: numpy 2.3.1 "
        "instead of 2.4.0",
    ),
    "search without a gain": (
        codes.search_gained_nothing,
        "the search of `knn` gained nothing: its 8 candidates differ in accuracy by 0.4 "
        "points on average, no more than the inner folds of one candidate (ratio of variances "
        "0.52)",
    ),
    "a training score far above the test score": (
        codes.training_score_far_above_test_score,
        "`tree` predicts its training rows, and others no better than chance: an area under "
        "the ROC curve of 1.00 on training rows and .51 (standard error .02) on test rows, "
        "where chance gives .5",
    ),
    "a model that is no better than chance": (
        codes.no_better_than_chance,
        "`line` predicts no better than chance: a rank correlation of .08 on training rows "
        "and -.01 (standard error .05) on test rows, where chance gives 0",
    ),
}
"""Diagnostics that the engine finds in the outcomes of a run."""


STUDIES = {
    "a nested cross-validation": fixture.cancer,
    "a holdout": fixture.holdout,
    "models with default parameters": models_as_the_library_sets_them,
    "fits that failed": drawn_regression.regression,
    "published counts": fixture_variants.counts,
    "a rejection that the simultaneous interval does not show": (
        simultaneous_interval_that_holds_zero
    ),
    "a metric of the author's own that failed": own_metric_that_failed,
    "a search that ended at the edge": search_at_the_edge,
    "a model that never predicts a class": class_never_predicted,
    **{title: partial(found_after_the_run, *found) for title, found in FOUND.items()},
}


def test_what_results_warn_of_is_as_agreed():
    answers = [
        f"=== {title}\n"
        + "".join(short_caution(c, plain(c.body)) for c in cautions(Context(make())))
        for title, make in STUDIES.items()
    ]
    shown = "\n".join(answers)
    if os.environ.get("UPDATE_MESSAGES"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8")


def test_every_code_of_results_is_shown():
    load_codes()
    shown = set(re.findall(r"\[(W5\d\d)\]", GOLDEN.read_text(encoding="utf-8")))
    assert shown == {code for code in CODES if code.startswith("W5")}


@pytest.mark.parametrize(("baseline", "said"), [(True, False), (False, True)])
def test_a_baseline_is_no_model_that_could_have_been_tuned(baseline, said):
    whole = fixture.holdout()
    first, second = whole.models[:2]
    first, second = (
        replace(m, tuned={}, pipeline="GaussianNB", configured=False) for m in (first, second)
    )
    models = (first, replace(second, baseline=baseline))
    found = {caution.name for caution in cautions(Context(replace(whole, models=models)))}
    assert ("no_model_was_tuned" in found) is said


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "lbfgs failed to converge after 1 iteration(s) (status=1): STOP: TOTAL NO. OF "
            "ITERATIONS REACHED LIMIT Increase the number of iterations",
            "lbfgs failed to converge after 1 iteration(s) (status=1)",
        ),
        ("Objective did not converge. You might want to", "Objective did not converge"),
        ("Variables are collinear", "Variables are collinear"),
        ("a ratio of 0.5: AUC is not defined", "a ratio of 0.5: AUC is not defined"),
    ],
)
def test_a_warning_of_a_library_is_shown_up_to_its_first_stop(message, shown):
    assert first_sentence(message) == shown


def test_parameters_that_an_author_fixed_are_not_called_untuned():
    whole = fixture.holdout()
    first, second = (replace(m, tuned={}, pipeline="Ridge(alpha=3)") for m in whole.models[:2])
    found = {caution.name for caution in cautions(Context(replace(whole, models=(first, second))))}
    assert "no_model_was_tuned" not in found
