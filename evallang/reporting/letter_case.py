"""Titles of methods as they are in a sentence: capitals, signs of print, options."""

import re
from collections.abc import Iterable

from evallang.reporting.numbers import NBSP

OPTIONS = {"bca": "bias-corrected accelerated", "all_pairs": "", "se": "standard error"}
LETTERS = {"beta": "β"}
OPTION_FORMS = {"at": "first {} ranks", "distinct": "at most {} distinct scores"}
OPTION_WORDS = {
    ("at", "none"): "all ranks",
    ("distinct", "none"): "",
    ("pool", "true"): "pooled over folds",
    ("pool", "false"): "",
    ("multi_class", "ovo"): "mean of the pairs of classes",
    ("multi_class", "ovr"): "each class against the rest",
    ("gain", "exponential"): "exponential gain",
    ("gain", "linear"): "linear gain",
}
"""What an option of a metric with such a value is called."""
ADJECTIVES = frozenset({"approximate", "bca", "percentile", "basic", "clustered"})
"""Options that are printed before a title, as the field names these methods."""

# First words of titles that are not names: these lose their capital inside a sentence.
COMMON = frozenset(
    word
    for line in (
        "accuracy adjusted agreement approximate area average balanced basic bias",
        "bias-corrected binomial",
        "bootstrap break-even",
        "calibration chance-corrected classification cluster clustered coefficient combined",
        "components concordance conditional confusion corrected correlation cost credible",
        "cross-validated cross-validation decision delta-method dependent detection",
        "difference differences effect equivalence error eta exact expected explained false",
        "fold geometric holdout infinitesimal interval k-fold kappa learning",
        "leave-one-group-out leave-one-out leave-p-out log logarithmic loss macro macro-f1",
        "matched max maximum mean measure median micro mid-p negative nested net no normal",
        "normalized observed odds one-sample over paired pairwise percentile permutation",
        "pinball plain positive power precision precision-recall probability proportion",
        "quantile random ranking rate ratio recall repeated resampled resubstitution root",
        "sensitivity share sign signed simple single single-step specificity spread square-and-add",
        "squared stability standard static step-down stratified sum symmetric test the",
        "threshold time top top-k true tuning two uncorrected unpaired unweighted variance",
        "shuffled weighted wild",
    )
    for word in line.split(" ")
)


def mid_sentence(title: str) -> str:
    """Return a title as it is inside a sentence; names of persons keep their capital."""
    first, space, rest = title.partition(" ")
    common = re.sub(r"-\d+$", "-k", first.lower()) in COMMON  # top-3
    return first[:1].lower() + first[1:] + space + rest if common else title


def axis_words(title: str) -> str:
    """Return the title of an axis as it is inside a sentence; abbreviations keep their capitals."""
    first = title.partition(" ")[0]
    written_so = any(letter.isupper() or letter.isdigit() for letter in first[1:])  # F1
    return title if written_so or len(first) == 1 else title[:1].lower() + title[1:]


def capitalised(text: str, names: Iterable[str] = ()) -> str:
    """Capitalise the beginning of a sentence or a title, unless it is written small.

    That is own code (`mypkg.metrics.f`), a name with capitals inside (`mAP`), the letter of a
    statistic, and any of `names`: what the authors of a study call its models and data.
    """
    first = text.partition(" ")[0].rstrip(".,:;")
    cased = first[:1].islower() and any(letter.isupper() for letter in first[1:])
    letter = len(first) == 1 and first != "a"
    small = (
        cased
        or letter
        or "." in first
        or any(text.startswith(name) and not re.match(r"\w", text[len(name) :]) for name in names)
    )
    return text if small else text[:1].upper() + text[1:]


def written_options(written: str) -> str:
    """Return the options of a canonical name for readers: "(average=macro)" is "macro"."""
    parts = [part.strip() for part in re.split(r"[(),]", written)]
    named = [part.partition("=") for part in parts if part]
    words = [
        OPTIONS.get(value or key, value or key)
        if key in ("average", "method") or not value
        else OPTION_WORDS.get((key, value))
        if (key, value) in OPTION_WORDS
        else OPTION_FORMS[key].format(value)
        if key in OPTION_FORMS
        else f"{LETTERS.get(key) or key.replace('_', ' ')}{NBSP}={NBSP}{value}"
        for key, _, value in named
    ]
    return ", ".join(word for word in words if word)


def titled(title: str, options: str) -> str:
    """Combine a title with its options: "Percentile bootstrap interval", "F1 (macro)"."""
    word = options.strip("()")
    if word in ADJECTIVES:
        return capitalised(f"{written_options(options)} {mid_sentence(title)}")
    words = written_options(options)
    if options.startswith(","):
        return f"{title}, {words}"  # the form of a method, often inside brackets itself
    return title + (f" ({words})" if words else "")


def printed(title: str) -> str:
    """Format a title with the signs of print: "Cohen’s", "5×2 cv"."""
    return title.replace("'", "’").replace("5x2cv", "5×2 cv")
