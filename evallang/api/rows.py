"""Records in, tables out: the sequences of a study's results, one row for each thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, SupportsIndex, TypeVar, overload

from msgspec import Struct

from evallang.results.printed import Head, Printed, number, p_value, yes_or_no
from evallang.results.records import Comparison, Estimate, Requirement
from evallang.results.statistics import HypothesisTestResult
from evallang.working_folder import safe_path

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Row = TypeVar("Row")
Cell = str | float | int | bool | None

MISSING_PANDAS = (
    "to_pandas() needs pandas, which is not installed: install pandas, or use to_frame() for a "
    "data frame of polars"
)
PANDAS_TYPES = {str: "object", float: "float64", int: "Int64", bool: "boolean"}
"""Types of pandas that can hold a missing value."""


class Column(Struct, Generic[Row], frozen=True):
    """One column of a table: its name, the type of its values, its meaning, its value in a row."""

    name: str
    kind: type
    meaning: str
    value: Callable[[Row], Cell]


class Rows(tuple[Row, ...], Generic[Row]):
    """A sequence of records that can be looked at as a table."""

    __slots__ = ()
    COLUMNS: ClassVar[tuple[Column[Any], ...]] = ()
    PRINTED: ClassVar[tuple[str, ...]] = ()
    THINGS: ClassVar[tuple[str, str]] = ("record", "records")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.COLUMNS)

    def to_frame(self) -> pl.DataFrame:
        """Return a data frame of polars, one row for each record; missing values are null."""
        import polars as pl

        types = {str: pl.String, float: pl.Float64, int: pl.Int64, bool: pl.Boolean}
        return pl.DataFrame(
            [pl.Series(c.name, self._values(c), dtype=types[c.kind]) for c in self.COLUMNS]
        )

    @safe_path()
    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame of pandas; raises `ImportError` where pandas is missing."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(MISSING_PANDAS) from error
        return pd.DataFrame(
            {c.name: pd.Series(self._values(c), dtype=PANDAS_TYPES[c.kind]) for c in self.COLUMNS}
        )

    def printed(self) -> Printed:
        """Lay out the table with its most important columns."""
        one, many = self.THINGS
        shown = [c for c in self.COLUMNS if c.name in self.PRINTED]
        values = [(c, [_cell(c, v) for v in self._values(c)]) for c in shown]
        # A column in which no row has a value only takes room
        kept = [(c, cells) for c, cells in values if any(cell != "-" for cell in cells)]
        heads = tuple(Head(c.name, c.kind in (float, int)) for c, _ in kept)
        rows = tuple(zip(*(cells for _, cells in kept), strict=True))
        return Printed(f"{len(self):,} {one if len(self) == 1 else many}", heads, rows)

    def _values(self, column: Column[Row]) -> list[Cell]:
        return [column.value(record) for record in self]

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        """Return one record, or for a slice the same kind of sequence."""
        found = super().__getitem__(place)
        return type(self)(found) if isinstance(place, slice) else found  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return self.printed().text()

    def _repr_html_(self) -> str:
        return self.printed().html()


def _cell(column: Column[Any], value: Cell) -> str:
    if column.kind is bool:
        return yes_or_no(bool(value)) if value is not None else "-"
    if column.name in ("p", "p_adjusted"):
        return p_value(value)  # type: ignore[arg-type]  # these columns hold shares
    return number(value)


def _joined(notes: Iterable[str]) -> str | None:
    return "; ".join(notes) or None


def _subgroup(found: Estimate | Requirement) -> str | None:
    at = found.subgroup
    return None if at is None else f"{at.column}={at.level}"


def _of(record: Any, field: str) -> Any:
    """Return a field of a record, None where there is no record."""
    return None if record is None else getattr(record, field)


def _statistic(result: HypothesisTestResult | None, field: str) -> Any:
    return None if result is None else _of(result.statistic, field)


def _effect(result: HypothesisTestResult, field: str) -> Any:
    return _of(next(iter(result.effects), None), field)


def _rejected(pairs: Iterable[HypothesisTestResult]) -> int:
    return sum(pair.reject is True for pair in pairs)


class Pair(Struct, frozen=True):
    """Two models compared by one metric: the test, and the comparison that it belongs to."""

    comparison: Comparison
    result: HypothesisTestResult

    @property
    def first(self) -> str:
        """The first model of the difference."""
        return self.result.models[0]

    @property
    def second(self) -> str | None:
        """The second model of the difference, None where a test is of one model."""
        return self.result.models[1] if len(self.result.models) > 1 else None

    @property
    def p(self) -> float | None:
        """The p-value before any correction."""
        return self.result.p

    @property
    def p_adjusted(self) -> float | None:
        """The p-value after the correction of its family."""
        return self.result.p_adjusted

    @property
    def reject(self) -> bool | None:
        """Whether the null hypothesis was rejected."""
        return self.result.reject

    def __repr__(self) -> str:
        return repr(self.result)

    def _repr_html_(self) -> str:
        return self.result._repr_html_()


class Fold(Struct, frozen=True):
    """The value of one metric of one model on one fold."""

    data: str
    protocol: str | None
    model: str
    metric: str
    subgroup: str | None
    repeat: int
    fold: int
    fold_label: str | None
    value: float | None
    n_train: int | None
    n_test: int | None
    sd_over_seeds: float | None


AVERAGED = "what counts the same in an average over the data sets: `data` or `rows`; else null"


class Estimates(Rows[Estimate]):
    """Every estimate: a row for each metric of a model on a data set under a protocol."""

    __slots__ = ()
    THINGS = ("estimate", "estimates")
    PRINTED = ("data", "averaged", "protocol", "model", "metric", "subgroup", "value",
               "interval_low", "interval_high", "n")  # fmt: skip
    COLUMNS = (
        Column[Estimate]("data", str, "data set", lambda e: e.data),
        Column(
            "protocol", str, "protocol; null for outcomes computed elsewhere", lambda e: e.protocol
        ),
        Column("model", str, "model", lambda e: e.model),
        Column("metric", str, "metric, with its options", lambda e: e.metric),
        Column("subgroup", str, "`COLUMN=LEVEL` of a subgroup; null for all rows", _subgroup),
        Column("value", float, "the estimate", lambda e: e.value),
        Column("interval_low", float, "lower bound", lambda e: _of(e.interval, "low")),
        Column("interval_high", float, "upper bound", lambda e: _of(e.interval, "high")),
        Column("interval_level", float, "confidence level", lambda e: _of(e.interval, "level")),
        Column("interval_method", str, "method", lambda e: _of(e.interval, "method")),
        Column("no_interval", str, "why there is no interval", lambda e: e.no_interval),
        Column("aggregation", str, "how folds were combined", lambda e: e.aggregation),
        Column("fold_mean", float, "mean over folds", lambda e: e.fold_mean),
        Column("sd", float, "standard deviation over folds", lambda e: e.sd),
        Column("n", int, "rows, or folds where the mean of folds is reported", lambda e: e.n),
        Column("about", str, "what the interval is about", lambda e: e.about),
        Column("notes", str, "notes, separated by semicolons", lambda e: _joined(e.notes)),
        Column("averaged", str, AVERAGED, lambda e: e.averaged),
    )


class Comparisons(Rows[Comparison]):
    """Every comparison: a row for each `compare` line, data set and metric."""

    __slots__ = ()
    THINGS = ("comparison", "comparisons")
    PRINTED = ("source", "data", "protocol", "metric", "test", "p", "reject", "pairs",
               "rejected_pairs", "reason")  # fmt: skip
    COLUMNS = (
        Column[Comparison]("index", int, "number of the `compare` line", lambda c: c.index),
        Column("source", str, "the `compare` line", lambda c: c.source),
        Column("data", str, "data set; null across data sets", lambda c: c.data),
        Column(
            "protocol", str, "protocol; null for outcomes computed elsewhere", lambda c: c.protocol
        ),
        Column("metric", str, "metric, with its options", lambda c: c.metric),
        Column(
            "test", str, "test of all models; null without one", lambda c: _of(c.omnibus, "test")
        ),
        Column("statistic", str, "its statistic", lambda c: _statistic(c.omnibus, "name")),
        Column("value", float, "value of the statistic", lambda c: _statistic(c.omnibus, "value")),
        Column("p", float, "its p-value", lambda c: _of(c.omnibus, "p")),
        Column("reject", bool, "whether it was rejected", lambda c: _of(c.omnibus, "reject")),
        Column("performed", bool, "whether the pairs were tested", lambda c: c.performed),
        Column("reason", str, "why the pairs were not tested", lambda c: c.reason),
        Column("pairs", int, "pairs of models", lambda c: len(c.pairwise)),
        Column("rejected_pairs", int, "pairs that differ", lambda c: _rejected(c.pairwise)),
        Column("alpha", float, "significance level", lambda c: c.alpha),
        Column("family_size", int, "hypotheses of the family", lambda c: c.family.size),
        Column("correction", str, "correction of the family", lambda c: c.family.correction),
        Column("exploratory", bool, "marked as exploratory", lambda c: c.family.exploratory),
        Column("against", str, "reference model", lambda c: c.against),
        Column("averaged", str, AVERAGED, lambda c: c.averaged),
    )


class Pairs(Rows[Pair]):
    """Every tested pair: a row for each pair of models, metric and data set."""

    __slots__ = ()
    THINGS = ("pair", "pairs")
    PRINTED = ("data", "averaged", "metric", "first", "second", "test", "difference", "low", "high",
               "p", "p_adjusted", "reject", "p_first", "p_rope", "p_second")  # fmt: skip
    COLUMNS = (
        Column[Pair]("index", int, "number of the `compare` line", lambda r: r.comparison.index),
        Column("data", str, "data set; null across data sets", lambda r: r.comparison.data),
        Column("protocol", str, "protocol", lambda r: r.comparison.protocol),
        Column("metric", str, "metric, with its options", lambda r: r.comparison.metric),
        Column("first", str, "first model", lambda r: r.first),
        Column("second", str, "second model", lambda r: r.second),
        Column("test", str, "test", lambda r: r.result.test),
        Column("variant", str, "variant that was computed", lambda r: r.result.variant),
        Column(
            "difference", float, "first minus second", lambda r: _of(r.result.estimate, "value")
        ),
        Column("low", float, "lower bound", lambda r: _of(r.result.estimate, "low")),
        Column("high", float, "upper bound", lambda r: _of(r.result.estimate, "high")),
        Column("level", float, "confidence level", lambda r: _of(r.result.estimate, "level")),
        Column("statistic", str, "name of the statistic", lambda r: _statistic(r.result, "name")),
        Column("value", float, "its value", lambda r: _statistic(r.result, "value")),
        Column("p", float, "p-value; null for Bayesian tests", lambda r: r.result.p),
        Column("p_adjusted", float, "p-value after correction", lambda r: r.result.p_adjusted),
        Column("reject", bool, "whether it was rejected", lambda r: r.result.reject),
        Column("status", str, "`computed`, or why there is no p-value", lambda r: r.result.status),
        Column("side", str, "`greater` or `less` of a one-sided test", lambda r: r.result.side),
        Column("effect", str, "name of the effect size", lambda r: _effect(r.result, "name")),
        Column("effect_value", float, "effect size", lambda r: _effect(r.result, "value")),
        Column("p_first", float, "posterior of first", lambda r: r.result.extra.get("p_first")),
        Column(
            "p_rope", float, "posterior of no difference", lambda r: r.result.extra.get("p_rope")
        ),
        Column("p_second", float, "posterior of second", lambda r: r.result.extra.get("p_second")),
        Column("notes", str, "notes, separated by semicolons", lambda r: _joined(r.result.notes)),
        Column("averaged", str, AVERAGED, lambda r: r.comparison.averaged),
    )


class Folds(Rows[Fold]):
    """Every fold: a row for each fold, model and metric."""

    __slots__ = ()
    THINGS = ("fold value", "fold values")
    PRINTED = ("data", "protocol", "model", "metric", "subgroup", "repeat", "fold", "value",
               "n_test")  # fmt: skip
    COLUMNS = (
        Column[Fold]("data", str, "data set", lambda f: f.data),
        Column("protocol", str, "protocol", lambda f: f.protocol),
        Column("model", str, "model", lambda f: f.model),
        Column("metric", str, "metric, with its options", lambda f: f.metric),
        Column("subgroup", str, "`COLUMN=LEVEL` of a subgroup", lambda f: f.subgroup),
        Column("repeat", int, "repeat, from 0", lambda f: f.repeat),
        Column("fold", int, "fold, from 0", lambda f: f.fold),
        Column("fold_label", str, "the author's name of the fold", lambda f: f.fold_label),
        Column("value", float, "value of the metric", lambda f: f.value),
        Column("n_train", int, "training rows", lambda f: f.n_train),
        Column("n_test", int, "test rows", lambda f: f.n_test),
        Column("sd_over_seeds", float, "deviation over seeds", lambda f: f.sd_over_seeds),
    )


class Requirements(Rows[Requirement]):
    """Every `require` line, on each data set and level, and how it was decided."""

    __slots__ = ()
    THINGS = ("requirement", "requirements")
    PRINTED = ("source", "data", "subgroup", "met", "value", "low", "high", "reason")
    COLUMNS = (
        Column[Requirement]("index", int, "number of the `require` line", lambda r: r.index),
        Column("source", str, "the `require` line", lambda r: r.source),
        Column("kind", str, "level, superior, noninferior or equivalent", lambda r: r.kind),
        Column("data", str, "data set", lambda r: r.data),
        Column("protocol", str, "protocol", lambda r: r.protocol),
        Column("metric", str, "metric, with its options", lambda r: r.metric),
        Column("models", str, "models, separated by commas", lambda r: ", ".join(r.models)),
        Column("subgroup", str, "`COLUMN=LEVEL` of a subgroup; null for all rows", _subgroup),
        Column("margin", float, "margin of a difference", lambda r: r.margin),
        Column("threshold", float, "threshold of a level", lambda r: r.threshold),
        Column("met", bool, "whether it was met", lambda r: r.met),
        Column("value", float, "estimate or difference", lambda r: r.value),
        Column("low", float, "lower bound", lambda r: r.interval[0] if r.interval else None),
        Column("high", float, "upper bound", lambda r: r.interval[1] if r.interval else None),
        Column("level", float, "confidence level", lambda r: r.level),
        Column("method", str, "method of the interval", lambda r: r.method),
        Column("reason", str, "why it could not be decided", lambda r: r.reason),
        Column("averaged", str, AVERAGED, lambda r: r.averaged),
    )


def pairs_of(comparisons: Iterable[Comparison]) -> Pairs:
    """Return the tested pairs of comparisons, in order."""
    return Pairs(Pair(found, result) for found in comparisons for result in found.pairwise)


def folds_of(estimates: Iterable[Estimate]) -> Folds:
    """Return the folds behind estimates, in order."""
    return Folds(
        Fold(
            e.data or "",
            e.protocol,
            e.model,
            e.metric,
            _subgroup(e),
            fold.repeat,
            fold.fold,
            fold.fold_label,
            fold.value,
            fold.n_train,
            fold.n_test,
            fold.sd_over_seeds,
        )
        for e in estimates
        for fold in e.folds
    )
