"""What other packages, papers and languages call the members of the catalogues.

Suggestions by spelling find typing errors. `auc`, `sensitivity` and `kfold` are not typing
errors: each is the word of another tool for something that has its own word here.
"""

import re
from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

from evallang.analysis import ANALYSES
from evallang.metrics.metric import METRICS
from evallang.registry import Registry
from evallang.spelling import synonyms
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

NOUNS = frozenset(
    {
        *("adjustment", "analysis", "confidence_interval", "ci", "correction", "curve", "error"),
        *("interval", "matrix", "method", "metric", "plot", "procedure", "score", "test"),
    }
)
"""What a name may be followed by elsewhere: `mcnemar_test`, `f1_score`."""

_FOLDS = re.compile(
    r"(?P<kind>repeated_|stratified_|group_|)(?P<number>[1-9][0-9]{0,5})_?folds?"
    r"(?:_(?:cv|cross_?val(?:idation)?))?"
)
_AVERAGED = re.compile(
    r"(?P<first>macro|micro|weighted)_(?P<metric>\w+)|(?P<base>\w+)_(?P<last>macro|micro|weighted)"
)

_SCORER = re.compile(r"neg_(?P<loss>\w+)|roc_auc_(?P<classes>ovr|ovo)")
"""Scorers of scikit-learn that are not called as the metric is."""

OTHER_NAMES: Mapping[str, Mapping[str, str]] = synonyms().names
"""Catalogue -> name elsewhere, in small letters with `_` -> what a study writes."""

OTHER_WORDS: Mapping[str, Mapping[str, str]] = synonyms().words
"""What they call classes, clauses, options and parameters, likewise."""

CONSTANTS: Mapping[str, bool | None] = {
    **dict.fromkeys(("f", "false", "no", "off"), False),
    **dict.fromkeys(("on", "t", "true", "y", "yes"), True),
    **dict.fromkeys(("na", "nil", "none", "null", "undefined"), None),
}
"""How they spell the constants, in small letters."""


def other_word(what: str, word: str, known: Container[str]) -> str | None:
    """Return a word that a study writes for one from elsewhere, if it may stand here."""
    meant = OTHER_WORDS[what].get(word.casefold().replace("-", "_"))
    return meant if meant is not None and meant in known else None


def meant_by(what: str, word: str) -> str | None:
    """Return what a study writes for a name from elsewhere: `roc_auc` for `AUC`."""
    plain = word.casefold().replace("-", "_")
    return OTHER_NAMES.get(what, {}).get(plain) or _built(what, plain.replace(" ", "_"))


@lru_cache(maxsize=1024)
def _built(what: str, word: str) -> str | None:
    """Take a name apart: `10_fold_cv`, `recall_macro`, `mcnemar_test`."""
    known = OTHER_NAMES.get(what, {})
    if what == "protocol":
        folds = _FOLDS.fullmatch(word)
        if folds is None:
            return known.get(word)
        kind = "repeated " if folds["kind"] == "repeated_" else ""
        return f"{kind}cv folds={folds['number']}"
    if what not in _MEMBERS or is_member(what, word):
        return None
    scorer = _SCORER.fullmatch(word) if what == "metric" else None
    if scorer is not None:
        loss = scorer["loss"]
        if loss is None:
            return f"roc_auc(multi_class={scorer['classes']})"
        return loss if loss in METRICS else known.get(loss) or _built(what, loss)
    averaged = _AVERAGED.fullmatch(word) if what == "metric" else None
    if averaged is not None:
        metric = METRICS.get(averaged["metric"] or averaged["base"])
        if metric is not None and metric.option("average") is not None:
            return f"{metric.name}(average={averaged['first'] or averaged['last']})"
    for noun in NOUNS:
        stem = word.removesuffix(f"_{noun}")
        for name in (stem, stem.removesuffix("s")) if stem != word else ():
            if is_member(what, name) or name in known:
                return known.get(name, name)
    return None


def is_member(what: str, word: str) -> bool:
    """Return whether a catalogue has a word."""
    return word in _MEMBERS[what]


_MEMBERS: Mapping[str, Registry[Any]] = {
    "metric": METRICS,
    "test": HYPOTHESIS_TESTS,
    "interval": INTERVALS,
    "correction": CORRECTIONS,
    "analysis": ANALYSES,
}
