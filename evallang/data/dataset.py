"""What a data set is: what is to be read (`...Spec`) and what was read (`Table`, `GivenOutcomes`).

Specs hold names and option values only and know the places of their clauses, so that
what is wrong in a file can be reported at the clause that caused it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from evallang.data.hashing import spelled_ids
from evallang.data.joined_parts import JoinedParts
from evallang.effect import Effect
from evallang.records import Placed
from evallang.source import Span

if TYPE_CHECKING:
    import polars as pl

    from evallang.stats.battles import Battles
    from evallang.stats.score_counts import PlacementSums, ScoreCounts

Task = Literal["classification", "regression"]
LOG_VALUES = ("input tokens", "output tokens", "seconds", "cost")  # of a sample, next to its score
EPOCH = "epoch"  # the column of a log that numbers the answers of a model to one sample
BY_ORDER = "{order}"  # the column of `repeat by order`: the place of a row among those of its id
Label = bool | int | float | str


class Where(Placed, frozen=True):
    """One `where` line: rows for which it holds are kept.

    `operator` is one of = != < <= > >= in, `is missing`, `is not missing`; `value` a
    label, a tuple of labels (for `in`) or None. `written` is the line in canonical text.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    column: str
    operator: str
    value: Label | tuple[Label, ...] | None
    written: str
    span: Span


class DataSpec(Placed, frozen=True):
    """One `data` statement with all defaults filled in; None means "not written".

    `kind` is `sklearn` (then `location` is the name of the data set), `path`, `glob`, `sql` (then
    `connection` is set) or `frame` (then `location` is its name in Python). `time` is the column of
    the order in time, empty for the order of the file; `series` tells that the study reads the rows
    in order. `places` maps clause keywords to their places; `statement` is the statement's first
    line in canonical text. `missing` are the words that mean a missing value, none with `()`; None
    for the usual ones.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    name: str
    label: Annotated[str, Effect.WORDS]
    kind: Literal["sklearn", "path", "glob", "sql", "frame"]
    location: str
    statement: Annotated[str, Effect.DERIVED]
    connection: str | None = None
    target: Annotated[str | None, Effect.CLAIMS] = None
    target_scale: Literal["log", "sqrt"] | None = None
    positive: Label | None = None
    positive_label: Annotated[str | None, Effect.WORDS] = None
    thresholds: tuple[tuple[str, float], ...] = ()
    features: tuple[str, ...] | None = None
    features_except: tuple[str, ...] | None = None
    categorical: tuple[str, ...] = ()
    id: str | None = None
    group: str | None = None
    weight: str | None = None
    time: str | None = None
    series: Annotated[bool, Effect.DERIVED] = False
    split: str | None = None
    subgroups: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    missing: tuple[Label, ...] | None = None
    task: Task | None = None
    where: tuple[Where, ...] = ()
    unit: Annotated[str, Effect.WORDS] = "examples"
    about: Annotated[str | None, Effect.WORDS] = None
    cite: Annotated[str | None, Effect.WORDS] = None
    places: Mapping[str, Span] = field(default_factory=dict)

    @property
    def frame(self) -> str | None:
        """The name of the data frame of Python that it is read from, None where it has a file."""
        return self.location if self.kind == "frame" else None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from: paths and patterns, as written."""
        if self.kind == "sql":
            file = (self.connection or "").partition(":///")[2]
            return (file,) if file else ()
        return () if self.kind in ("sklearn", "frame") else (self.location,)


class ScorePattern(Struct, frozen=True):
    """A pattern of score columns, "p_*", and the columns of the file that it is looked up in.

    `columns` maps the names in that file to the names in the frame of all files.
    """

    text: str
    columns: Mapping[str, str]

    @property
    def found(self) -> tuple[str, ...]:
        """The columns of the file that the pattern fits, under the names in that file."""
        before, star, after = self.text.partition("*")
        if not star:
            return (self.text,) if self.text in self.columns else ()
        least = len(before) + len(after)
        return tuple(
            name
            for name in self.columns
            if len(name) >= least and name.startswith(before) and name.endswith(after)
        )


class GivenModel(Struct, frozen=True):
    """One model of a `predictions` or `counts` source.

    `column` and `path` are the place of its labels; `scores` is a tuple of columns in label
    order, a mapping label -> column, or a pattern "p_*", which reading ties to the columns of
    the model's own file, as softmax where they are `logits`; `right` says which values of `column`
    are right; `range` is the columns of the bounds of its prediction interval. Of a ratio,
    `column` holds the numerators and `denominator` is the column of the denominators.
    """

    name: str
    label: Annotated[str, Effect.WORDS]
    column: str | None = None
    path: str | None = None
    score: str | None = None
    scores: tuple[str, ...] | Mapping[str, str] | str | ScorePattern | None = None
    threshold: float | None = None
    range: tuple[str, ...] | None = None
    denominator: str | None = None
    right: Where | None = None
    logits: bool = False


MOST_NAMED = 5  # judges whose names are the name of their panel


def panel_of(judges: Sequence[GivenModel]) -> GivenModel:
    """Return the model whose scores are the ratings of several judges."""
    columns = tuple(judge.column or judge.name for judge in judges)
    *others, last = [judge.label for judge in judges]
    label = f"{', '.join(others)} and {last}"
    if len(judges) > MOST_NAMED:
        label = f"{len(judges)} judges"
    return GivenModel("judges", label, columns[0], judges[0].path, scores=columns)


def value_in(value: str | None, path: str) -> str:
    """Return the name of a model in logs at one path, None for the only model there."""
    return f"in {path}" if value is None else f"{value} in {path}"


class LogTool(Struct, frozen=True):
    """A tool whose logs are read, and what becomes of samples in each `state` without a score.

    It may log several answers to a sample, its `epochs`, which are then repeats. A tool without
    `clauses` has a `fix`, which says how to make its logs readable.
    """

    title: str
    clauses: tuple[str, ...] = ()
    states: Mapping[str, str] = {}
    epochs: bool = False
    fix: str = "write `from {tool} {paths}`"


LOG_TOOLS: Mapping[str, LogTool] = {
    "lm_eval": LogTool(
        "samples of lm-evaluation-harness", ("metric", "filter", "samples"), {"unscored": "dropped"}
    ),
    "inspect": LogTool(
        "logs of Inspect AI",
        ("scorer", "samples", "unfinished"),
        {"errored": "dropped", "unscored": "dropped", "limited": "scored"},
        epochs=True,
    ),
    "every_eval_ever": LogTool(
        "samples in the format of Every Eval Ever",
        ("metric", "samples"),
        {"errored": "wrong"},
        epochs=True,
    ),
    "helm": LogTool(
        "runs of HELM",
        fix="run `every_eval_ever convert helm --log_path {paths}`, and write `from "
        'every_eval_ever "data/**/*.jsonl"` with the files that it makes',
    ),
}


class LogSpec(Struct, frozen=True):
    """What is read of the logs of a tool: which metric, filter or scorer, and which samples.

    `samples` is the use of each state of a sample: `scored`, `wrong` or `dropped`.
    """

    tool: Literal["lm_eval", "inspect", "every_eval_ever"]
    metric: str | None = None
    filter: str | None = None
    scorer: str | None = None
    samples: tuple[tuple[str, str], ...] = ()
    unfinished: bool = False

    @property
    def declared(self) -> LogTool:
        """The tool that wrote the logs."""
        return LOG_TOOLS[self.tool]


class PredictionsSpec(Placed, frozen=True):
    """One `predictions` statement with all defaults filled in.

    Of a long table, `model` are the columns that name the model of a row, `every` has the columns
    of each row's model, and `model_values` the name in the file of each of `models`.
    `percents` is set once values are read that are percents of a share, as in a table of scores.

    `judged` is None for labels, `correct` or `value` for already judged outcomes, and `judges` for
    ratings, which without a `truth` are those of one model: the panel.
    `models` is empty when the author named none (all columns not otherwise named). `ratio`
    names the two numbers of a value whose sums over the examples are divided. `readers` is None
    where those of the column `reader` are the only ones meant. `seed` is the column of the trained
    networks of a model, each of which predicts every example. `event` says whether the truth is
    the time of an event or of censoring; `query` what ranking a row belongs to. `time` and `series`
    are those of a `DataSpec`. `frame` is the name of a data frame of Python in place of the files;
    then `paths` holds what messages call it.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    name: str
    label: Annotated[str, Effect.WORDS]
    paths: tuple[str, ...]
    statement: Annotated[str, Effect.DERIVED]
    truth: Annotated[str | None, Effect.CLAIMS]
    models: tuple[GivenModel, ...]
    judged: Literal["correct", "value", "judges"] | None = None
    value_metric: str | None = None
    ratio: tuple[str, str] | None = None
    higher_is_better: bool = True
    id: str | None = None
    group: str | None = None
    fold: str | None = None
    repeat: str | None = None
    dataset: str | None = None
    weight: str | None = None
    time: str | None = None
    series: Annotated[bool, Effect.DERIVED] = False
    subgroups: tuple[str, ...] = ()
    positive: Label | None = None
    positive_label: Annotated[str | None, Effect.WORDS] = None
    task: Task | None = None
    rows_common: bool = False
    where: tuple[Where, ...] = ()
    unit: Annotated[str, Effect.WORDS] = "examples"
    about: Annotated[str | None, Effect.WORDS] = None
    cite: Annotated[str | None, Effect.WORDS] = None
    places: Mapping[str, Span] = field(default_factory=dict)
    reader: str | None = None
    readers: Literal["random"] | None = None
    seed: str | None = None
    event: str | None = None
    query: str | None = None
    missing: tuple[Label, ...] | None = None
    model: tuple[str, ...] = ()
    every: GivenModel | None = None
    model_values: tuple[str, ...] = ()
    percents: Annotated[bool, Effect.DERIVED] = False
    log: LogSpec | None = None
    frame: str | None = None

    @property
    def subject(self) -> Literal["model", "judge", "panel"]:
        """What its models are: with a truth each judge by itself, else a panel of judges."""
        if self.judged != "judges":
            return "model"
        return "panel" if self.truth is None else "judge"

    @property
    def orders(self) -> Literal["event", "query", "judges"] | None:
        """The clause that makes the predictions other than answers, such as an order of rows."""
        if self.judged == "judges":
            return "judges"
        if self.event is not None:
            return "event"
        return "query" if self.query is not None else None

    @property
    def epochs_open(self) -> bool:
        """Whether only its logs show if a sample has several epochs, which are repeats."""
        return self.log is not None and self.log.declared.epochs and self.repeat is None

    @property
    def runs(self) -> str | None:
        """The column of repeats, readers or seeds, None where an example has one prediction."""
        return self.repeat or self.reader or self.seed

    @property
    def run_word(self) -> Literal["repeat", "reader", "seed"]:
        """What a run is called, which is also the clause that names its column."""
        if self.seed is not None:
            return "seed"
        return "repeat" if self.reader is None else "reader"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from, as written."""
        if self.frame is not None:
            return ()
        return (*self.paths, *(model.path for model in self.models if model.path is not None))


class CountsSpec(Placed, frozen=True):
    """One `counts` statement: patterns of right and wrong with their counts.

    `patterns` maps a tuple of 0/1 (one a model) to a count; a 2 x 2 table is given as its
    four patterns. `shares` are instead what each model has right out of how many, in the order
    of `models`: which examples these are is unknown, and so are pairs.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    name: str
    label: Annotated[str, Effect.WORDS]
    statement: Annotated[str, Effect.DERIVED]
    models: tuple[GivenModel, ...]
    patterns: tuple[tuple[tuple[int, ...], int], ...]
    path: str | None = None
    count: str | None = None
    unit: Annotated[str, Effect.WORDS] = "examples"
    about: Annotated[str | None, Effect.WORDS] = None
    cite: Annotated[str | None, Effect.WORDS] = None
    places: Mapping[str, Span] = field(default_factory=dict)
    shares: tuple[tuple[int, int], ...] = ()
    frame: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from, as written."""
        return () if self.path is None or self.frame is not None else (self.path,)


class BattlesSpec(Placed, frozen=True):
    """One `battles` statement: pairwise judgements.

    Columns that are None are recognised by the fields of the file. `words` says what values of
    `winner` mean: `first`, `second` or `tie`; `baseline` is the model that a file does not name.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    name: str
    label: Annotated[str, Effect.WORDS]
    statement: Annotated[str, Effect.DERIVED]
    path: str
    first: str | None = None
    second: str | None = None
    winner: str | None = None
    words: tuple[tuple[str, str], ...] = ()
    id: str | None = None
    group: str | None = None
    judge: str | None = None
    weight: str | None = None
    baseline: str | None = None
    where: tuple[Where, ...] = ()
    models: tuple[GivenModel, ...] = ()
    unit: Annotated[str, Effect.WORDS] = "judgements"
    about: Annotated[str | None, Effect.WORDS] = None
    cite: Annotated[str | None, Effect.WORDS] = None
    places: Mapping[str, Span] = field(default_factory=dict)
    frame: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from, as written."""
        return () if self.frame is not None else (self.path,)


class ScoresSpec(Placed, frozen=True):
    """One `scores` statement with all defaults filled in.

    Wide: `models` names columns, or is empty for all columns not otherwise named. Long:
    `model` (one column or several, whose values form the name) and `score` are columns, and
    `models`, where written, chooses among the names in the first (their `column` is the name in
    the file). `metric_column` names the metric of each row, and the rows of `metric` are read.
    `shared_training` states how training sets came to overlap: folds of one partition, of which
    `fold_option` is the number (None for those of the file), or drawn splits, of which it is the
    share of the test rows. `policy` is what
    tests over data sets do with a data set that lacks a score of at least one model: skip it, or
    rank the missing score last. `missing` are the words that mean a missing value, None for the
    usual ones.
    """

    APART: ClassVar[tuple[str, ...]] = ("places",)

    name: str
    label: Annotated[str, Effect.WORDS]
    path: str
    statement: Annotated[str, Effect.DERIVED]
    models: tuple[GivenModel, ...] = ()
    model: tuple[str, ...] = ()
    score: str | None = None
    dataset: str | None = None
    fold: str | None = None
    repeat: str | None = None
    seed: str | None = None
    shared_training: Literal["partition", "drawn"] | None = None
    fold_option: float | None = None
    metric: str | None = None
    metric_column: str | None = None
    higher_is_better: bool = True
    where: tuple[Where, ...] = ()
    percents: Annotated[bool, Effect.DERIVED] = False
    policy: Literal["leave_out", "worst"] = "leave_out"
    missing: tuple[Label, ...] | None = None
    unit: Annotated[str | None, Effect.WORDS] = None
    about: Annotated[str | None, Effect.WORDS] = None
    cite: Annotated[str | None, Effect.WORDS] = None
    places: Mapping[str, Span] = field(default_factory=dict)
    frame: str | None = None

    @property
    def declared_name(self) -> str:
        """The name of its statement, which several metrics of a table share."""
        return (
            self.name if self.metric_column is None else self.name.removesuffix(f".{self.metric}")
        )

    @property
    def over_seeds(self) -> bool:
        """Whether nothing but seeds distinguishes the scores of a model on a data set."""
        return self.seed is not None and self.fold is None and self.repeat is None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is read from, as written."""
        if self.frame is not None:
            return ()
        return (self.path, *(model.path for model in self.models if model.path is not None))


class Moments(Struct, frozen=True):
    """The column that tells the order of the rows in time, and the place of each row in it.

    Attributes
    ----------
    column : its name
    ranks : places (n,) from 0, equal for equal moments
    """

    column: str
    ranks: "NDArray[np.int64]"

    def keep(self, rows: Any) -> "Moments":
        """Return the order of some of the rows."""
        return Moments(self.column, np.unique(self.ranks[rows], return_inverse=True)[1])


class Column(Struct, frozen=True):
    """One feature: its name and whether it is in the numeric or the object block."""

    name: str
    numeric: bool
    index: int
    """Its position in its block."""
    marks: tuple[str, ...] = ()
    """The few words that make a column of numbers one of text."""


class SourceColumn(Struct, frozen=True):
    """One column of a source as it was read: what it holds, and what its study uses it for.

    `role` is `feature`, `target`, `id` and so on, several separated by commas, or `not used`;
    `role_kind` is the same for the columns of all models (`prediction of a model`).
    `levels` is the number of distinct values, None for plain numbers and dates; `range` the
    least and the greatest number or date, None for other kinds and without a value.
    """

    name: str
    kind: str
    role: str
    levels: int | None
    missing: int
    range: tuple[float | str, float | str] | None
    role_kind: str = ""


class Table(Placed, frozen=True):
    """A data set as read: n rows, after `where`.

    Attributes
    ----------
    numeric : float array (n, number of numeric features), missing = NaN
    objects : object array (n, number of other features) of str, missing = `np.nan`
    y : int codes (n,) into `classes` for classification, float64 (n,) for regression
    classes : labels as text in their order (numbers where all are, else by code point)
    class_values : the labels as the models see them (int, bool, float or str), same order
    positive : code of the positive class for two classes, else None
    rows : 0-based row of the source for each row kept
    moments : the order of the rows in time, where the study reads them in order; None for the
        order of the file
    ids, groups, weights, split, subgroups, strata : columns named by clauses, None (empty)
        where not named; subgroups and strata may be features too, missing = "(missing)"
    group_codes : int codes of the groups (n,), numbered in the order of their first rows
    excluded : (clause, number of rows) for each `where` line, in order
    sha256 : hash of everything above that can change a result
    notes : facts to state, such as "separator ; sniffed"
    """

    APART: ClassVar[tuple[str, ...]] = ("unused", "keys")

    spec: DataSpec
    task: Task
    columns: tuple[Column, ...]
    numeric: "NDArray[np.float64]"
    objects: "NDArray[np.object_]"
    y: "NDArray[Any]"
    classes: tuple[str, ...]
    class_values: tuple[Label, ...]
    positive: int | None
    rows: "NDArray[np.int64]"
    ids: tuple[str, ...] | None
    groups: tuple[str, ...] | None
    group_codes: "NDArray[np.int64] | None"
    weights: "NDArray[np.float64] | None"
    split: tuple[str, ...] | None
    subgroups: Mapping[str, tuple[str, ...]]
    excluded: tuple[tuple[str, int], ...]
    sha256: str
    source: str
    target: str
    notes: tuple[str, ...] = ()
    source_columns: tuple[SourceColumn, ...] = ()
    """All columns of the source, features or not, in its order."""
    taken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of each column that holds some, the words that were read as missing, with their rows."""
    further_splits: tuple[tuple[str, ...], ...] = ()
    moments: Moments | None = None
    strata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unused: Mapping[str, "pl.Series"] = field(default_factory=dict)
    """The columns that the study uses for nothing, for the rules; released before fitting."""
    keys: Mapping[str, "pl.Series"] = field(default_factory=dict)
    """The columns that `id` and `time` name, for the rules; released before fitting."""

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)


class GivenOutcomes(Struct, frozen=True):
    """Predictions, judged outcomes, counts or battles from elsewhere, one row per example.

    Attributes
    ----------
    truth : codes or floats (n,), None for judged outcomes and counts
    predictions : model -> codes into `classes` (-1 for a label that never occurs in the
        truth) or floats (n,)
    scores : model -> float array (n, number of classes), or (n,) for one score of the
        positive class; of numbers (n, 2), the bounds of prediction intervals; only models that
        have them
    correct : model -> bool (n,), for `correct` and counts (None otherwise); of shares, whose
        models have examples of their own, (n of the model,), and `n` is the sum
    values : model -> float (n,), for `value` (None otherwise)
    id_column : whole numbers or texts (n,)
    group_names : the groups in the order of their first rows, None where no column names them
    group_codes : index of each row's group among them (n,)
    moments : the order of the rows in time, as of a `Table`
    """

    spec: PredictionsSpec | CountsSpec | BattlesSpec
    kind: Literal["predictions", "counts", "battles"]
    models: tuple[GivenModel, ...]
    task: Task
    n: int
    sha256: str
    source: str
    truth: "NDArray[Any] | None" = None
    classes: tuple[str, ...] = ()
    positive: int | None = None
    predictions: Mapping[str, "NDArray[Any]"] = field(default_factory=dict)
    scores: Mapping[str, "NDArray[np.float64]"] = field(default_factory=dict)
    probabilities: frozenset[str] = frozenset()
    correct: Mapping[str, "NDArray[np.bool_]"] | None = None
    values: Mapping[str, "NDArray[np.float64]"] | None = None
    id_column: "pl.Series | None" = None
    group_names: tuple[str, ...] | None = None
    group_codes: "NDArray[np.int64] | None" = None
    weights: "NDArray[np.float64] | None" = None
    folds: "NDArray[np.int64] | None" = None
    fold_labels: tuple[str, ...] | None = None
    repeats: "NDArray[np.int64] | None" = None
    subgroups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    class_values: tuple[Label, ...] = ()
    examples: "NDArray[np.int64] | None" = None
    """With repeats or queries: the example of each row (n,), numbered in the order of their first
    rows; None where every row is an example of its own."""
    repeat_labels: tuple[str, ...] | None = None
    source_columns: tuple[SourceColumn, ...] = ()
    """All columns of the files, in their order; empty where the study holds the numbers."""
    times: "NDArray[np.int64] | None" = None
    """Of counted parts: how often each of the P distinct rows occurs, which all arrays above then
    hold in place of the n rows; None where every row is kept."""
    test_sha256: str | None = None
    """Of files in parts: hash of what their rows are, whatever the models predict for them."""
    rankings: "Mapping[str, ScoreCounts] | None" = None
    """Of counted parts: the scores of each model that has them, counted for each class; None where
    every row is kept, or the study asks for no order."""
    placements: "PlacementSums | None" = None
    """Products of the placements of these models, in their order; None where areas are not
    compared."""
    events: "NDArray[np.float64] | None" = None
    """Whether the truth is the time of an event (1) or of censoring (0); None without times."""
    moments: Moments | None = None
    answered: Mapping[str, "NDArray[np.bool_]"] = field(default_factory=dict)
    """Of a model that has no score in some rows of logs, which rows have one (n,)."""
    joined: JoinedParts | None = None
    """Of files in parts whose rows were joined in memory: how many, and why."""
    taken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of each column that holds some, the words that were read as missing, with their rows."""
    battles: "Battles | None" = None
    """The games of `battles`, with the models as codes in the order of `models`."""
    recognised: Mapping[str, str] = field(default_factory=dict)
    """Of `battles`, the columns that the fields of the file told, by their clauses."""

    @property
    def class_counts(self) -> tuple[int, ...] | None:
        """How often each class is the truth, None without labels."""
        if self.truth is None or self.task != "classification":
            return None
        return class_counts(self.truth, len(self.classes), self.times)

    @property
    def scored(self) -> frozenset[str]:
        """The models that have scores, whether these were kept or counted."""
        return frozenset(self.scores) | frozenset(self.rankings or {})

    @property
    def samples(self) -> Mapping[str, int] | None:
        """How many examples each model has of its own, None where all have the same ones."""
        shares = self.spec.shares if isinstance(self.spec, CountsSpec) else ()
        if not shares:
            return None
        return {m.name: n for m, (_, n) in zip(self.models, shares, strict=True)}

    @property
    def ids(self) -> tuple[str, ...] | None:
        """The ids as texts, which take ten times the memory of whole numbers."""
        return None if self.id_column is None else spelled_ids(self.id_column)

    @property
    def groups(self) -> tuple[str, ...] | None:
        """The groups of the rows as texts, which take more memory than all other columns."""
        if self.group_names is None or self.group_codes is None:
            return None
        return tuple(map(self.group_names.__getitem__, self.group_codes.tolist()))

    @property
    def n_examples(self) -> int:
        """The number of examples: of rows, or with repeats of distinct ones."""
        return self.n if self.examples is None else int(self.examples.max()) + 1


def class_counts(
    codes: "NDArray[Any]", classes: int, times: "NDArray[np.int64] | None" = None
) -> tuple[int, ...]:
    """Count the rows of each class; `times` is how often each row occurs, once by default."""
    # Sums of float64, exact below 2^53
    return tuple(np.bincount(codes, times, minlength=classes).astype(np.int64).tolist())


class ScoreTable(Struct, frozen=True):
    """Scores computed elsewhere: N data sets, M models, J folds of all repeats, or J seeds.

    Attributes
    ----------
    models : in the order of the statement, else of the file
    datasets : names as in the file, in its order; the statement's name where no column holds
        them (then N is 1)
    values : float64 (N, M), or (N, M, J) with folds, repeats or seeds alone; missing = NaN
    missing : bool (N, M), whether a model has no score on a data set
    folds, repeats : int codes (J,) into the labels, sorted by repeat, then fold; every repeat
        has every fold; None where no column holds them
    seed_labels : the seeds (J,) of a table without folds and repeats, else None
    sha256 : hash of everything above that can change a result
    notes : facts to state, such as the data sets without a score of every model
    """

    spec: ScoresSpec
    models: tuple[GivenModel, ...]
    datasets: tuple[str, ...]
    values: "NDArray[np.float64]"
    missing: "NDArray[np.bool_]"
    folds: "NDArray[np.int64] | None"
    fold_labels: tuple[str, ...] | None
    repeats: "NDArray[np.int64] | None"
    repeat_labels: tuple[str, ...] | None
    sha256: str
    source: str
    notes: tuple[str, ...] = ()
    source_columns: tuple[SourceColumn, ...] = ()
    taken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    seed_labels: tuple[str, ...] | None = None
    excluded: tuple[tuple[str, int], ...] = ()

    @property
    def test_train_ratio(self) -> float | None:
        """The number of test rows for each training row; None where nothing states it."""
        spec, folds = self.spec, len(self.fold_labels or ())
        if spec.shared_training == "drawn" and spec.fold_option is not None:
            return spec.fold_option / (1 - spec.fold_option)
        stated = spec.shared_training == "partition" or (
            spec.fold is not None and spec.repeat is not None
        )
        number = (spec.fold_option or folds) if stated else 0
        return 1 / (number - 1) if number > 1 else None

    @property
    def n(self) -> int:
        """The number of data sets."""
        return len(self.datasets)

    @property
    def names(self) -> tuple[str, ...]:
        """The data sets' names in a study: NAME/value, or NAME where the table is one (N,)."""
        if self.spec.dataset is None:
            return (self.spec.name,)
        return tuple(f"{self.spec.name}/{value}" for value in self.datasets)

    @property
    def means(self) -> "NDArray[np.float64]":
        """Mean scores over folds and repeats (N, M), missing = NaN."""
        return self.values if self.values.ndim == 2 else self.values.mean(axis=2)

    def compared(self) -> "tuple[tuple[int, ...], NDArray[np.float64]]":
        """Return the data sets that tests over data sets use, and their mean scores.

        By the policy of the statement: the complete data sets; or all of them, a missing score
        standing as -inf (inf where lower is better), so that it is ranked last.
        """
        means = self.means
        if self.spec.policy == "worst":
            last = float("-inf") if self.spec.higher_is_better else float("inf")
            filled = means.copy()
            filled[self.missing] = last
            return tuple(range(self.n)), filled
        kept = [row for row in range(self.n) if not self.missing[row].any()]
        return tuple(kept), means[kept]
