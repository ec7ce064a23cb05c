"""What the columns of a table are good for, guessed from their names and values."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.column_types import Kind, kind_of
from evallang.data.file_formats import read_file
from evallang.data.frame import Frame
from evallang.data.labels import label_text
from evallang.data.text_forms import (
    are_dates,
    are_digits_of_dates,
    names_birth,
    names_counter,
    names_fold,
    names_identifier,
    names_replicate,
    names_time,
    names_unit,
)
from evallang.data.time_columns import FEWEST_MOMENTS
from evallang.drafts.writing import Facts, quoted

MOST_CLASSES = 20  # distinct values of a target that is a class
ROWS_OF_A_CLASS = 5  # at least, on average
LONG_TEXT = 40  # characters, on average, of text that is written and not a name
MANY_WORDS = 4  # on average, of such a text
MOST_CATEGORIES = 50
FEW_UNITS = 5
MOST_MARKERS = 3  # texts for a missing number
LEAST_SKILL = 0.3  # share of the error of one value for all rows that a prediction avoids
MOSTLY = 0.5  # share of numbers in a column with such texts

TARGETS = frozenset(
    {
        "target", "label", "labels", "class", "y", "outcome", "response", "diagnosis", "species",
        "churn", "default", "survived", "readmitted", "price", "sale_price", "saleprice", "result",
        "quality",
    }
)  # fmt: skip
"""Names of columns that are usually predicted."""
TRUTHS = frozenset(
    {
        *("truth", "y_true", "true_label", "gold", "actual", "expected", "reference", "true"),
        *("ground_truth", "groundtruth", "gt", "y_test", "true_class", "true_value", "label_true"),
        *("obs", "observed", "observation", "actuals", "wahrheit", "vrai", "verite", "vérité"),
    }
)
"""Names of columns with the truth in a file of predictions."""
SPELLINGS = {"true": "1", "false": "0", "1.0": "1", "0.0": "0", "label_1": "1", "label_0": "0"}
AFFIRMED = frozenset({"1", "1.0", "true", "yes", "y", "positive", "pos", "present", "case"})
"""Labels of the class that is looked for, where the other one only denies it."""


class Use(StrEnum):
    """What a draft uses a column for."""

    FEATURE = "feature"
    ID = "id"
    GROUP = "group"
    TIME = "time"
    TEXT = "text"
    OMITTED = "omitted"


class Column(Struct, frozen=True):
    """One column: its kind, its distinct values with their counts, and what it is used for.

    `markers` are the texts that mean a missing value in a column of numbers. `counts` are in the
    order of the values, of at most `MOST_CLASSES` distinct values; `why` states the reason for a
    use other than that of a feature.
    """

    name: str
    kind: Kind
    n: int
    levels: int
    missing: int
    whole: bool
    ascending: bool
    markers: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    use: Use
    why: str = ""

    @property
    def is_classes(self) -> bool:
        """Whether the values can be classes: few of them, each with several rows."""
        few = 2 <= self.levels <= MOST_CLASSES and self.n >= ROWS_OF_A_CLASS * self.levels
        return few and (self.kind in (Kind.TEXT, Kind.BOOLEAN) or self.whole)


def with_fields(frame: Frame, location: str, folder: Path) -> Frame:
    """Return a table with a column for each field inside its objects."""
    if not frame.nested:
        return frame
    return read_file(location, folder, named=frozenset(frame.nested))


def guess_columns(frame: Frame) -> tuple[Column, ...]:
    """Return every column of a table with what it is probably used for."""
    found = [_column(name, frame.values(name)) for name in frame.columns]
    groups = [column for column in found if column.use is Use.GROUP]
    for column in groups:
        finer = [one for one in groups if one.levels > column.levels]
        crossed = next((one for one in finer if not _is_nested(frame, one, column)), None)
        if crossed is not None:
            why = f"its values recur in every `{crossed.name}`"
            found[found.index(column)] = replace(column, use=Use.OMITTED, why=why)
    return tuple(found)


def _is_nested(frame: Frame, finer: Column, coarser: Column) -> bool:
    """Return whether the rows of each finer group have one value of the coarser column."""
    both = pl.DataFrame(
        [frame.values(finer.name).alias("f"), frame.values(coarser.name).alias("c")]
    )
    return both.n_unique() == both["f"].n_unique()


def _column(name: str, values: "pl.Series") -> Column:
    markers = _markers(values)
    if markers:
        values = values.cast(pl.Float64, strict=False)
    kind, known = kind_of(values), values.drop_nulls()
    levels = known.n_unique()
    whole = kind is Kind.NUMBER and bool((known == known.round(0)).all())
    counts: tuple[tuple[str, int], ...] = ()
    if 0 < levels <= MOST_CLASSES:
        table = known.value_counts(name="rows of a value").sort(known.name)
        counts = tuple((label_text(value), int(n)) for value, n in table.iter_rows())
    missing = values.null_count()
    use, why = _use(name, kind, known, levels, missing)
    ascending = kind is not Kind.OTHER and missing == 0 and values.is_sorted()
    return Column(
        name, kind, len(values), levels, missing, whole, ascending, markers, counts, use, why
    )


def _markers(values: "pl.Series") -> tuple[str, ...]:
    """Return the few texts among numbers, such as `?` and `n/a`; none of a column of text."""
    if values.dtype != pl.String:
        return ()
    known = values.drop_nulls()
    numbers = known.cast(pl.Float64, strict=False)
    others = sorted(known.filter(numbers.is_null()).unique().to_list())
    few = 0 < len(others) <= MOST_MARKERS and numbers.drop_nulls().n_unique() > len(others)
    return tuple(others) if few and numbers.count() >= MOSTLY * len(known) else ()


def _use(name: str, kind: Kind, known: "pl.Series", levels: int, missing: int) -> tuple[Use, str]:
    n = len(known)
    if kind is Kind.EMPTY:
        return Use.OMITTED, "it has no values"
    if kind is Kind.OTHER:
        return Use.OMITTED, "its values are lists or objects"
    if levels == 1:
        return Use.OMITTED, "it has one value"
    named = names_identifier(name) or names_counter(name)
    if levels == n and (named or names_unit(name)):
        return Use.ID, "every row has its own value"
    if (names_identifier(name) or names_unit(name)) and FEW_UNITS <= levels < n:
        return Use.GROUP, f"{levels:,} values in {n:,} rows: rows of one value belong together"
    if names_fold(name) or names_replicate(name) or names_counter(name):
        return Use.OMITTED, "its name is that of a fold, a repeat or a row"
    dated = kind is Kind.DATE or (kind is Kind.TEXT and are_dates(known.unique().to_list()))
    if dated and names_birth(name):
        return Use.OMITTED, "it is a date, which models do not read"
    if dated or (missing == 0 and _is_moment(name, kind, known, levels)):
        return Use.TIME, "it is the moment of a row"
    if kind is Kind.TEXT:
        letters = int(known.str.len_chars().sum())
        gaps = int(known.str.count_matches(r"\s+").sum())
        long = letters >= LONG_TEXT * n or gaps >= (MANY_WORDS - 1) * n
        if levels > MOST_CATEGORIES and long:
            if missing:
                return Use.OMITTED, f"it is written text, and {missing:,} rows lack it"
            return Use.TEXT, "it is written text, read word by word"
        if levels > MOST_CATEGORIES:
            return Use.OMITTED, f"it has {levels:,} different names"
    return Use.FEATURE, ""


def _is_moment(name: str, kind: Kind, known: "pl.Series", levels: int) -> bool:
    """Return whether numbers tell when a row was observed, by the rule of the checker.

    The hour of a day or the year of a car orders no rows, unless the rows are in its order.
    """
    if kind is not Kind.NUMBER or not names_time(name) or levels < FEWEST_MOMENTS:
        return False
    if known.dtype.is_integer() and are_digits_of_dates(
        known.unique().head(1000).cast(pl.String).to_list()
    ):
        return True
    return known.is_sorted() or known.is_sorted(descending=True)


def positive_class(column: Column) -> tuple[str, str]:
    """Return the label of two that recall and precision are about, and what it is in words."""
    affirmed = [pair for pair in column.counts if pair[0].casefold() in AFFIRMED]
    numbered = {label for label, _ in column.counts} == {"1", "2"}  # neither denies the other
    if len(affirmed) == 1 and not numbered:
        label, n = affirmed[0]
        what = "The class that is looked for"
    else:
        label, n = min(column.counts, key=lambda pair: pair[1])
        what = "The rarer class"
    return label, f"{what}, {n:,} of {column.n:,} rows: recall and precision are about it"


def facts_of(truth: Column, *, n: int = 0, grouped: bool = False, ordered: bool = False) -> Facts:
    """Return what a column that is predicted decides; `n` rows are known, by default all."""
    task = "classification" if truth.is_classes else "regression"
    least = min((rows for _, rows in truth.counts), default=0)
    return Facts(n or truth.n, task, truth.levels == 2, least, grouped, ordered)


def clauses_of_truth(truth: Column) -> Iterator[str]:
    """Iterate over the clauses about what is predicted: its positive class, its task."""
    if truth.is_classes and truth.levels == 2:
        positive, role = positive_class(truth)
        yield from (f"  # {role}", f"  positive {quoted(positive)}")
    if truth.kind is Kind.NUMBER:
        yield f"  task {'classification' if truth.is_classes else 'regression'}"


def likely_targets(columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose name is that of a target; without any, those that could be one.

    These have classes. The last column, where a target often is, may also hold numbers.
    """
    able = [c for c in columns if c.use is Use.FEATURE and 2 * c.missing < c.n]
    named = [c for c in able if c.name.strip().casefold() in TARGETS]
    if named:
        return named
    last = columns[-1] if columns else None
    able = [c for c in able if c.is_classes or c.kind is Kind.NUMBER]
    if not any(c.is_classes for c in able):
        return able
    return [c for c in able if c.is_classes or c is last]


def predicted_columns(
    columns: Sequence[Column], frame: Frame, target: str | None = None
) -> tuple[Column, list[Column]] | None:
    """Return the truth and the predictions of a file of predictions; None for other tables.

    `target` names the truth. With a column that is called by a usual target, or named so, a
    prediction is known by its own name, or all other columns predict the truth as they are.
    """
    truths = [c for c in columns if c.name.strip().casefold() in TRUTHS and c.missing == 0]
    if target is not None:
        truths = [c for c in columns if c.name == target]
    elif not truths:
        truths = [c for c in columns if c.name.strip().casefold() in TARGETS and c.missing == 0]
    if len(truths) != 1:
        return None
    (truth,) = truths
    by_name = truth.name.strip().casefold() not in TRUTHS
    labels = _labels(truth)
    others = [c for c in columns if c is not truth and c.use is not Use.ID]
    others = [
        c
        for c in others
        if c.levels < c.n or not ((c.whole and c.ascending) or c.use is Use.OMITTED)
    ]
    outputs = [c for c in others if c.use is Use.FEATURE]
    alike = bool(outputs) and all(_predicts(frame, c, truth) for c in outputs)
    if by_name and len(others) > 1 and (truth.kind is Kind.TEXT or truth.levels > 2):
        # Columns of the same names of classes are not features, but those of yes and no may be
        affirmed = any(label.casefold() in AFFIRMED for label in labels)
        by_name = affirmed or any(_labels(c) != labels for c in others)
    if (
        by_name
        and not alike
        and not any(predicted_name(c) or score_name(c) or _follows(c, columns) for c in others)
    ):
        return None
    made = []
    for column in columns:
        if column is truth or column.missing:
            continue
        own = predicted_name(column) or (alike and column in outputs)
        if labels and truth.is_classes:
            found = _labels(column)
            named = not by_name or own or _follows(column, columns)
            if found and found <= labels and named:
                made.append(column)
        elif truth.kind is column.kind is Kind.NUMBER and column.levels > MOST_CLASSES and own:
            made.append(column)
    if not made and truth.levels == 2:  # scores of the positive class alone
        made = [column for column in columns if column is not truth and score_name(column)]
    if not made and truth.levels == 2 and not by_name:
        made = [c for c in outputs if c.kind is Kind.NUMBER and not c.whole and not c.missing]
    return (truth, made) if made else None


def _labels(column: Column) -> set[str]:
    """Return the values of a column with few of them; true and false are 1 and 0."""
    return {SPELLINGS.get(value.casefold(), value) for value, _ in column.counts}


def _predicts(frame: Frame, column: Column, truth: Column) -> bool:
    """Return whether a column as it is predicts the truth clearly better than one value does."""
    if column.missing:
        return False
    if truth.is_classes:
        if not _labels(column) <= _labels(truth):
            return False
        texts = [frame.values(c.name).cast(pl.String).str.to_lowercase() for c in (column, truth)]
        made, true = (text.replace(SPELLINGS) for text in texts)
        most = max(n for _, n in truth.counts)
        return int((made == true).sum()) > most + LEAST_SKILL * (truth.n - most)
    if truth.kind is not Kind.NUMBER or column.kind is not Kind.NUMBER:
        return False
    made, true = (frame.values(c.name).cast(pl.Float64) for c in (column, truth))
    lost, spread = ((made - true) ** 2).sum(), ((true - true.mean()) ** 2).sum()
    return float(lost) < (1 - LEAST_SKILL) * float(spread)


def right_or_wrong(column: Column) -> bool:
    """Return whether every value of a column is 0 or 1, or true or false."""
    if column.missing:
        return False
    if column.kind is Kind.BOOLEAN:
        return True
    values = {value.casefold() for value, _ in column.counts}
    numbers = {"0", "1", "0.0", "1.0"}
    if column.kind is Kind.TEXT:  # of several types
        return bool(values) and values <= numbers | {"true", "false"}
    return column.whole and 0 < column.levels <= 2 and values <= numbers


def score_of(model: Column, columns: Sequence[Column]) -> Column | None:
    """Return the column of the scores of a model: its name begins with that of its labels."""
    stem = model.name.casefold()
    return next(
        (
            column
            for column in columns
            if column is not model
            and column.kind is Kind.NUMBER
            and column.levels > 2
            and (
                column.name.casefold().startswith(stem)
                or column.name.casefold() in (f"p{stem}", f"p_{stem}", f"prob_{stem}")
            )
            and not column.missing
        ),
        None,
    )


def _follows(column: Column, columns: Sequence[Column]) -> bool:
    """Return whether the scores of a model are called by this column, as those of `cnn` are."""
    score = score_of(column, columns)
    stem = column.name.casefold()
    return score is not None and (score_name(score) or score.name.casefold() == f"p{stem}")


def predicted_name(column: Column) -> bool:
    """Return whether a column is called by predictions: pred_a, yhat, forest_prediction."""
    name = column.name.strip().casefold()
    return name.startswith(("pred", "y_pred", "yhat", "y_hat")) or name.endswith(
        ("_pred", "_prediction", "_predicted", "_hat", "_yhat")
    )


def score_name(column: Column) -> bool:
    """Return whether a column of numbers is called by scores: p_a, forest_proba, score_b."""
    name = column.name.strip().casefold()
    if column.kind is not Kind.NUMBER or column.whole or column.missing:
        return False
    return name in ("p", "prob", "proba", "probability", "score") or (
        name.startswith(("p_", "prob", "proba_", "score_"))
        or name.endswith(("_p", "_prob", "_proba", "_probability", "_score"))
    )


def is_truth(column: Column) -> bool:
    """Return whether a column is called by the truth of predictions, or by a usual target."""
    return column.name.strip().casefold() in TRUTHS | TARGETS
