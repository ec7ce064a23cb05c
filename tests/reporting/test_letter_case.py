"""Titles inside a sentence keep the capitals of names, and no others."""

import pytest
from many_cases import for_each

from evallang.metrics.named import imported_ratio
from evallang.reporting.letter_case import axis_words, mid_sentence, titled, with_noun
from evallang.reporting.wording import sentence


def test_the_ratio_of_two_named_sums_begins_small_and_the_authors_words_stay():
    title = imported_ratio("Errors / WER words", "lower").title
    assert mid_sentence(title) == "ratio of Errors to WER words"
    assert mid_sentence("BLEU of news") == "BLEU of news"


@pytest.mark.parametrize(
    ("title", "options", "words"),
    [
        ("Bootstrap interval", "(bca)", "Bias-corrected accelerated bootstrap interval"),
        ("Bootstrap interval", "(percentile)", "Percentile bootstrap interval"),
        ("Bootstrap interval", "(se)", "Bootstrap interval (standard error)"),
        ("F1", "(average=macro)", "F1 (macro)"),
        ("F-beta", "(beta=2, average=macro)", "F-beta (β\u00a0=\u00a02, macro)"),
        ("Cost", "(matrix=[[0, 5], [1, 0]])", "Cost (matrix\u00a0=\u00a0[[0, 5], [1, 0]])"),
        ("DeLong interval", ", clustered", "DeLong interval, clustered"),
        ("F1", "", "F1"),
    ],
)
def test_a_title_has_its_options_where_the_field_puts_them(title, options, words):
    assert titled(title, options) == words


@for_each(
    ("text", "written"),
    [
        ("two pairs differed", "Two pairs differed."),
        ("nb − forest: no interval", "nb − forest: no interval."),
        ("nb, forest: no interval", "nb, forest: no interval."),
        ("nbody simulations", "Nbody simulations."),
        ("random forest: 2 fits failed", "random forest: 2 fits failed."),
        ("random numbers", "Random numbers."),
        ("mAP of a model.", "mAP of a model."),
        ("mypkg.metrics.f, of ours", "mypkg.metrics.f, of ours."),
        ("p is adjusted", "p is adjusted."),
        ("a model failed", "A model failed."),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_but_a_name_stays_as_it_is_written(text, written):
    assert sentence(text, ("nb", "random forest")) == written


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Area under the ROC curve (%)", "area under the ROC curve (%)"),
        ("ROC AUC", "ROC AUC"),
        ("MRI scans", "MRI scans"),
        ("F1", "F1"),
        ("C of the model", "C of the model"),
        ("mAP", "mAP"),
        ("", ""),
    ],
)
def test_the_title_of_an_axis_keeps_abbreviations_inside_a_sentence(title, words):
    assert axis_words(title) == words


@for_each(
    ("words", "written"),
    [
        ("base had more. base, as said", "Model base had more. base, as said"),
        ("It met. base had, in all, more", "It met. Model base had, in all, more"),
        ("base and Large differed", "Models base and Large differed"),
        ("base, Large and gpt-4.1 differed", "Models base, Large and gpt-4.1 differed"),
        ("gpt-4.1 had less than base", "Model gpt-4.1 had less than base"),
        ("base − gpt-4.1: no interval", "base − gpt-4.1: no interval"),
        ("baseline models had less", "baseline models had less"),
        ("Large had more", "Large had more"),
        ("k nearest had more", "k nearest had more"),
    ],
)
def test_a_small_name_at_the_beginning_of_a_sentence_follows_its_noun(words, written):
    names = ("base", "Large", "gpt-4.1", "k nearest")
    assert with_noun(words, names, "Model", begins=True) == written
    inside = with_noun("base had less", names, "Model", begins=False)
    assert inside == "base had less"
