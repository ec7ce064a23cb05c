"""Values that may not mean what they say: marks of the unknown, and labels spelled twice."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.column_roles import missing_line
from evallang.data.findings import Findings, counted, quoted, written
from evallang.data.frame import Frame
from evallang.data.labels import as_number, label_text
from evallang.diagnostics import codes

BELOW = frozenset({-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0})
ABOVE = frozenset({99.0, 999.0, 9999.0, 99999.0, 999999.0})
"""Numbers that questionnaires and instruments write for what they do not know."""
LEAST_NUMBERS = 5  # different numbers besides one that looks like a mark; rows of labels
LEAST_GAP = 0.05  # of the range of the others, from a number that far more rows have
MORE_ROWS = 3.0  # times as many as have any of the ten others next to it
LEAST_COUNTED = 10  # different numbers besides -1, which is an ordinary number among few
LEAST_SHARE = 0.05  # of the rows that are -1, unless all others are between 0 and 1
MOST_COMPARED = 1_000  # different texts of a column; more of them are not categories
SEPARATORS = re.compile(r" ?[;|,/+&] ?")  # between words that single spaces divide
WORDS_OF_THE_UNKNOWN = frozenset(
    {
        *("-", "--", "---", "–", "—", ".", "..", "...", "*", "#", "??", "???", "!"),
        *("unknown", "unk", "unkn", "missing", "undefined", "unlabeled", "unlabelled", "nil"),
        *("n.a.", "n. a.", "n.d.", "n. d.", "n/d", "nd", "n/k", "nk", "tbd", "tba"),
        *("k.a.", "k. a."),
        *("not available", "not applicable", "not known", "not stated", "no answer", "no data"),
        *("unbekannt", "inconnu", "desconocido", "sconosciuto", "keine angabe"),
        *("#n/a", "#na", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"),
        *("<na>", "<null>", "(null)", "\\n", "nat", "-nan", "1.#ind", "1.#qnan", "-1.#ind"),
    }
)  # fmt: skip


def warn_of_numbers(frame: Frame, column: str, keyword: str, findings: Findings) -> None:
    """Report a number such as -999 that lies far from all others of a column."""
    values = frame.values(column)
    if not values.dtype.is_numeric():
        return
    for end in (values.min(), values.max()):
        number = float(end) if isinstance(end, int | float) else 0.0
        if number not in BELOW and number not in ABOVE and number != -1:
            continue
        numbers = values.drop_nulls().cast(pl.Float64)
        others = numbers.filter(numbers != number)
        n = len(numbers) - len(others)
        if not _is_apart(number, others, n):
            continue
        text = label_text(int(number))
        low, high = float(others.min()), float(others.max())  # type: ignore[arg-type]
        findings.add(
            codes.number_of_the_unknown,
            f"`{column}` is {text} in {counted(n, 'row')} of {frame.n:,}, and {low:.12g} "
            f"to {high:.12g} in all others",
            keyword,
            help=f"write `{missing_line(frame, [int(number)])}` if {text} means that the "
            "number is not known",
        )


def _is_apart(number: float, others: "pl.Series", n: int) -> bool:
    """Return whether a number that n rows have lies beyond all others, as a mark does."""
    distinct = others.n_unique()
    if distinct < LEAST_NUMBERS:
        return False
    low, high = float(others.min()), float(others.max())  # type: ignore[arg-type]
    if number == -1:
        shares = high <= 1 and bool((others % 1 != 0).any())
        many = n >= max(LEAST_NUMBERS, LEAST_SHARE * (n + len(others)))
        return low >= 0 and distinct >= LEAST_COUNTED and (shares or many)
    gap = low - number if number < 0 else number - high
    if gap <= 0:
        return False
    next_to_it = others.unique().sort(descending=number > 0)[:LEAST_COUNTED]
    each = others.filter(others.is_in(next_to_it.implode())).value_counts()["count"]
    piled = n >= max(LEAST_NUMBERS, MORE_ROWS * int(each.max()))  # type: ignore[arg-type]
    alone = gap > high - low or (number < 0 <= low)
    return alone or (piled and gap > LEAST_GAP * (high - low))


def warn_of_labels(
    frame: Frame,
    column: str,
    counts: Mapping[str, int],
    keyword: str,
    findings: Findings,
) -> None:
    """Report labels that look like a word for what is not known, and labels spelled twice.

    `counts` are the rows of each label.
    """
    numbers = [as_number(label) for label in counts]
    for label, number in zip(counts, numbers, strict=True):
        coded = False
        if number is not None and number in BELOW | ABOVE:  # of many labels a few, at most
            others = [abs(one) for one in numbers if one is not None and one != number]
            coded = bool(others) and 4 * max(others) < abs(number)
        if len(counts) < 2 or not (coded or label.casefold() in WORDS_OF_THE_UNKNOWN):
            continue
        findings.add(
            codes.label_of_the_unknown,
            f"`{label}` is a label of `{column}`, in {counted(counts[label], 'row')} of "
            f"{frame.n:,}",
            keyword,
            help=f"write `{missing_line(frame, [label])}` and `where {written(column)} is "
            "not missing` if the labels of these rows are not known",
        )
    warn_of_variants(column, counts, keyword, findings)


def warn_of_variants(column: str, texts: Iterable[str], keyword: str, findings: Findings) -> None:
    """Report texts of a column that differ in case, blanks or the order of a list alone."""
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(spelled_alike(text), []).append(text)
    several = sorted(sorted(group) for group in found.values() if len(group) > 1)
    if several:
        shown = "; ".join(quoted(group) for group in several[:3])
        findings.add(
            codes.spelled_twice,
            f"`{column}` has values that differ only in spelling: {shown}"
            + (f" and {len(several) - 3} more" if len(several) > 3 else ""),
            keyword,
            help="spell them alike in the file if they mean the same",
        )


def variants_in(frame: Frame, column: str) -> list[str]:
    """Return the different texts of a column, none where there are too many for categories."""
    texts = frame.texts(column).drop_nulls().unique()
    return texts.to_list() if len(texts) <= MOST_COMPARED else []


def spelled_alike(text: str) -> str:
    """Return a text without what texts of one meaning differ in: case, blanks, order of a list."""
    number = as_number(text)
    if number is not None:
        return repr(number)
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return ";".join(sorted(SEPARATORS.split(plain)))


def recoded(
    truth: "NDArray[Any]", texts: "pl.Series", classes: Sequence[str], times: "NDArray[Any] | None"
) -> bool:
    """Return whether predicted labels seem to be those of the truth in another coding.

    `truth` are the coded of the true labels, `texts` the predicted ones. A true label is never
    predicted, and a predicted one never true. If both sides have two labels, all of them numbers,
    that is enough. Else most rows of one such label have the other, five or more, or of as many
    labels on both sides, more rows by a tenth agree if they are compared by their places.
    """
    predicted = sorted(
        texts.unique().to_list(),
        key=lambda text: (as_number(text) is None, as_number(text) or 0, text),
    )
    places = {label: code for code, label in enumerate(predicted)}
    own = np.array([places.get(label, -1) for label in classes])
    never, unseen = own < 0, ~np.isin(np.arange(len(predicted)), own)
    rows = np.ones(len(texts)) if times is None else times
    if not unseen.any() or not never.any() or rows.sum() < LEAST_NUMBERS:
        return False
    numbers = all(as_number(label) is not None for label in (*classes, *predicted))
    if len(classes) == 2 == len(predicted) and numbers:
        return True
    coded = texts.replace_strict(places, return_dtype=pl.Int64).to_numpy()
    # Only the pairs that occur: of many labels all pairs would be much memory
    pairs, pair = np.unique(truth.astype(np.int64) * len(predicted) + coded, return_inverse=True)
    size = np.bincount(pair.reshape(-1), rows)
    true, found = np.divmod(pairs, len(predicted))
    most = np.maximum(np.bincount(true, size)[true], np.bincount(found, size)[found])
    odd = never[true] & unseen[found] & (size >= LEAST_NUMBERS)
    if (2 * size >= most)[odd].any():
        return True
    if len(classes) != len(predicted):
        return False
    by_place, by_label = size[true == found].sum(), size[own[true] == found].sum()
    return bool(by_place - by_label >= 0.1 * size.sum())
