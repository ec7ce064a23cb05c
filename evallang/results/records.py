"""The records of `results.json`, one dataclass for each; the names of fields are those of the file.

They hold only names, numbers and option values. Floats are never NaN: an undefined value is None,
with a note that gives the reason. Sequences are tuples, so that records are immutable.
"""

from collections.abc import Mapping
from itertools import chain
from math import isfinite
from typing import Annotated, Literal

from msgspec import Struct, field

from evallang.results import printed
from evallang.results.provenance import (
    FastPath as FastPath,
    FitCounts as FitCounts,
    GitState as GitState,
    MethodRecord as MethodRecord,
    Provenance as Provenance,
    ReferenceRecord as ReferenceRecord,
)
from evallang.results.ranges import Level, Share, one_of
from evallang.results.settings import (
    Default as Default,
    FileRecord as FileRecord,
    OptionWords,
    ReportSettings as ReportSettings,
    Stated as Stated,
    Value,
)
from evallang.results.statistics import (
    Clusters as Clusters,
    Difference as Difference,
    Effect as Effect,
    HypothesisTestResult as HypothesisTestResult,
    Interval as Interval,
    Ranks as Ranks,
    SimultaneousInterval as SimultaneousInterval,
    Statistic as Statistic,
    Summary as Summary,
)


class StudyRecord(Struct, frozen=True):
    """The `study` statement, with the list of every default used."""

    title: str
    authors: tuple[str, ...]
    question: str | None
    about: str | None
    seed: int
    alpha: Level
    confidence: Share
    families: str
    defaults: tuple[Default, ...] = ()
    looks: int | None = None


class SpecRecord(Struct, frozen=True):
    """The study file: path, hash, canonical text, overrides from the command line.

    `own_code` lists the author's packages that it runs, with the hashes of their sources.
    `stated` lists its statements and clauses and those that it includes; files of older versions
    lack them.
    """

    path: str
    sha256: str
    files: tuple[FileRecord, ...]
    canonical: str
    overrides: Mapping[str, Value] = field(default_factory=dict)
    own_code: tuple[FileRecord, ...] = ()
    stated: tuple[Stated, ...] = ()


class Excluded(Struct, frozen=True):
    """The number of rows that one clause excluded."""

    clause: str
    n: int


class ClassValues(Struct, frozen=True):
    """What a column holds in the rows of one class, or in all rows (`name` None).

    `n` values are known and `missing` are not. A number has `quartiles`: the lower one, the median
    and the upper one. Text and numbers of two values have `levels`, the most frequent ten.
    """

    name: str | None
    n: int
    missing: int
    quartiles: tuple[float, float, float] | None = None
    levels: Mapping[str, int] = field(default_factory=dict)


class ColumnRecord(Struct, frozen=True):
    """One column of a source: its values, its role, and its use in the models.

    `kind` is number, boolean, date, text, empty or other; `levels` is the number of distinct
    values that are names, `range` the smallest and the largest number or date; `becomes` is None
    for a column that is not a feature. `role_kind` is the role without the name of a model; older
    files lack it. `by_class` describes the first 30 features of a table, and a target that is a
    number: all rows, then those of each class; older files lack it.
    """

    name: str
    kind: str
    role: str
    levels: int | None
    missing: int
    range: tuple[Value, Value] | None
    becomes: str | None
    role_kind: str = ""
    by_class: tuple[ClassValues, ...] = ()


class TargetScaleRecord(Struct, frozen=True):
    """The scale on which models learned a target: its name, and words for it and its inverse."""

    name: str
    noun: str
    back: str


class DataRecord(Struct, frozen=True):
    """One data set; `kind` is table, predictions, scores, counts or battles.

    `weight` is the column of the weights, `effective_n` the equivalent number of
    equally weighted examples. For shares, `samples` gives the number of examples of each model,
    which no other model has; `n` is then their sum. `one_of` is the author's word for what the
    data sets of a table of scores are ("subjects"). `target_scale` is None where models learned
    the target as written; predictions and metrics are on the scale of the target in either case.
    `clusters` are, of battles, the numbers of prompts and of judges that errors are robust over.
    `subject` is what its models are: models, judges, or a panel of judges. `labelled` is, of
    judges, the number of examples with a label by humans.
    """

    name: str
    label: str
    statement: str
    kind: str
    task: str
    n: int
    n_features: int | None
    target: str | None
    classes: tuple[str, ...] | None
    positive: str | None
    class_counts: Mapping[str, int] | None
    groups: int | None
    unit: str
    excluded: tuple[Excluded, ...]
    sha256: str
    source: str
    cite: str | None
    about: str | None = None
    positive_label: str | None = None
    notes: tuple[str, ...] = ()
    weight: str | None = None
    effective_n: float | None = None
    columns: tuple[ColumnRecord, ...] = ()
    samples: Mapping[str, int] | None = None
    one_of: str | None = None
    target_scale: TargetScaleRecord | None = None
    clusters: Mapping[str, int] = field(default_factory=dict)
    subject: Literal["model", "judge", "panel"] = "model"
    labelled: int | None = None


class StoredModelRecord(Struct, frozen=True):
    """Where the predictions of a model come from that was not fitted.

    `results` is the folder as written, `model` the name there, `sha256` the hash of its file of
    predictions; `study` and `evallang` are the title of the study and the version that made them.
    """

    results: str
    model: str
    sha256: str | None = None
    study: str | None = None
    evallang: str | None = None


class ThresholdRecord(Struct, frozen=True):
    """The smallest score with a positive label, and what it was chosen on.

    `value` is None where each fit chooses its own. Its `origin` is the study file, the
    default of a class, the search of the study, or each training part: there it was chosen by
    `metric` in as many inner `folds`, or on a share `part` of the rows. `data` is the source that
    the number was stated for, None for all. `member` names the model of an ensemble that has it.
    """

    origin: Annotated[str, one_of(("stated", "default", "search", "training_part"))]
    data: str | None
    value: float | None
    metric: str | None = None
    folds: int | None = None
    part: float | None = None
    member: str = ""


class StepRecord(Struct, frozen=True):
    """One step of a pipeline: a class, the parameters that the author fixed, as written, and the
    names of those that were searched.

    `columns` are those that it is for: `numeric`, `categorical`, `rest`, names, or all (empty).
    """

    name: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    searched: tuple[str, ...] = ()
    columns: str = ""


class ModelRecord(Struct, frozen=True):
    """One model; `tuned` maps each searched parameter to its candidates.

    A distribution is the text of its domain; `n_candidates` is the number of combinations that
    one search tries, or at most tries if it is model-based. `unweighted_steps` are the classes
    before the last step that could use the weights of the rows and are fitted without them.
    `takes_weights` is false where the rows have weights and no fit of the model uses them.
    `baseline` states that the model reads no feature. `bounds` are the smallest and the largest
    number that a searched parameter takes, None where it has no limit; older files lack them.
    `configured` states that the author wrote parameters of the last step; older files, which do
    not state it, count as configured. `resamplers` are the classes that resample training rows.
    A model of `kind` stored was not fitted: `stored` has the source of its predictions.
    `thresholds` are those of its labels; one that neither the study nor a class sets is not listed.
    `steps` are those of the pipeline, the model last; older files lack them.
    """

    name: str
    label: str
    pipeline: str | None
    tuned: Mapping[str, tuple[Value, ...]]
    kind: str
    notes: tuple[str, ...] = ()
    n_candidates: int | None = None
    unweighted_steps: tuple[str, ...] = ()
    takes_weights: bool = True
    baseline: bool = False
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    configured: bool = True
    resamplers: tuple[str, ...] = ()
    stored: StoredModelRecord | None = None
    thresholds: tuple[ThresholdRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()


VALIDATION_PART, INNER_FOLDS = "validation_part", "inner_folds"
INNER_PERIODS, INNER_BLOCKS = "inner_periods", "inner_blocks"
TUNED_ON = (VALIDATION_PART, INNER_FOLDS, INNER_PERIODS, INNER_BLOCKS)
"""The rows on which candidates are compared: a validation part, inner folds, later periods, blocks
of neighbours."""
PARTITION, DRAWN = "partition", "drawn"
SHARED_TRAINING = (PARTITION, DRAWN)
"""The rows that two training sets share: all but two parts of a partition, or random draws."""


class ProtocolRecord(Struct, frozen=True):
    """One protocol as resolved; `implied_by` is the line that needs it, or None.

    That is a `compare` line, or the interval of the estimates of the protocol `interval_of`.

    `folds_sha256` is the hash of the row numbers of every part of every split, in order; it is
    None if no data were read. `notes` state the bins of a target, the merged strata, and how
    closely groups keep the strata. `written` is the complete text after the word `protocol`:
    `repeated cv folds=10 times=10`. `tuned_on` states the rows on which candidates of a search
    were compared, one of `TUNED_ON`; it is None if there was no search or no data were read.
    `inner_folds` is the number of inner folds, periods or blocks of these; older files have one
    number for all protocols, in `search`.
    `short` is the design in a few words ("10-fold CV"), by default its kind; `shuffled` states
    that rows were assigned at random. `shared_training`, one of `SHARED_TRAINING`, states how the
    overlap of two training sets follows from the sizes of their parts; it is None if it does not.
    Older files lack both. `tests_on_training_rows` says that estimates are optimistic by design.
    `option_words` are the titles of options for readers; an option without
    them has its own name.
    """

    name: str
    kind: str
    options: Mapping[str, Value]
    stratify: str | None
    group: str | None
    implied_by: str | None
    n_splits: int | None
    n_fits: int | None
    summary: str = ""
    folds_sha256: str | None = None
    notes: tuple[str, ...] = ()
    written: str = ""
    tuned_on: Annotated[str, one_of(TUNED_ON)] | None = None
    short: str = ""
    shuffled: bool = False
    shared_training: Annotated[str, one_of(SHARED_TRAINING)] | None = None
    option_words: Mapping[str, OptionWords] = field(default_factory=dict)
    interval_of: str | None = None
    tests_on_training_rows: bool = False
    inner_folds: int | None = None


class SearchRecord(Struct, frozen=True):
    """How the candidates of a search were proposed and compared.

    `folds` is the number of inner folds or periods of the first protocol, None for a single
    validation part; `metric` compares the candidates.
    """

    strategy: Literal["grid", "random", "bayes"]
    folds: int | None
    metric: str


class FoldValue(Struct, frozen=True):
    """The value of one fold; `fold_label` is the author's name for it, if any.

    With `seeds=N` the value is the mean over seeds, reported with their standard deviation.
    """

    repeat: int
    fold: int
    fold_label: str | None
    value: float | None
    n_train: int | None
    n_test: int | None
    sd_over_seeds: float | None = None


class Subgroup(Struct, frozen=True):
    """One level of a column."""

    column: str
    level: str


class Tested(Struct, frozen=True):
    """The number of distinct tested rows, and how often each was tested at least and at most.

    `positive` are those of the positive class; None where there is none.
    """

    n: int
    least: int
    most: int
    positive: int | None = None


NO_WIDTH = "no_width"
FEW_EXAMPLES = "few_examples"
FEWEST, FEWEST_OF_A_CLASS = 30, 5
"""Examples of a level below which it is listed and not estimated, and those of a class."""
NOT_SOUND = "not_sound"
NOT_COMPUTED = "not_computed"
NO_INTERVAL: Mapping[str, str] = {
    NO_WIDTH: "both bounds coincide, so the method found no sampling variation",
    FEW_EXAMPLES: "the level has too few examples, and is not estimated",
    NOT_SOUND: "no method is sound by default for this metric under this protocol",
    NOT_COMPUTED: "the method could not be computed; the notes say why",
}
"""The reasons why an estimate has no interval."""


class Estimate(Struct, frozen=True):
    """One metric of one model; `about` says what the interval is about.

    `no_interval` is the reason why there is no interval, one of `NO_INTERVAL`; it is None if there
    is one or the value itself is undefined. `tested` is None if there are no rows. `to_rest` is the
    difference between a subgroup and all other rows; its interval is simultaneous over the levels.
    An average over the data sets has no `data`, and in `averaged` what counts the same.
    """

    data: str | None
    protocol: str | None
    model: str
    metric: str
    value: float | None
    aggregation: str
    fold_mean: float | None
    sd: float | None
    n: int
    about: str
    subgroup: Subgroup | None = None
    interval: Interval | None = None
    folds: tuple[FoldValue, ...] = ()
    extra: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    no_interval: Annotated[str, one_of(NO_INTERVAL)] | None = None
    to_rest: Difference | None = None
    tested: Tested | None = None
    averaged: Literal["data", "rows"] | None = None

    def __repr__(self) -> str:
        return printed.facts_of_estimate(self).text()

    def _repr_html_(self) -> str:
        return printed.facts_of_estimate(self).html()


class NeverPredicted(Struct, frozen=True):
    """Classes that occur in the tested rows of one model and that it never predicts.

    `n` counts the rows it was tested on, `n_of_classes` those that belong to the classes;
    `baseline` states that the model ignores the features, so that this is expected.
    """

    data: str
    protocol: str | None
    model: str
    classes: tuple[str, ...]
    n: int
    n_of_classes: int
    baseline: bool


class Family(Struct, frozen=True):
    """The family of hypotheses that one correction covers.

    `adjective` names the correction before "-adjusted", as in "Holm". It is empty if the correction
    does not change p-values, and None in older files, whose p is called "adjusted". `resampled`
    tells that the correction takes the level of each comparison from resamples of the family.
    """

    size: int
    correction: str | None
    exploratory: bool
    adjective: str | None = None
    resampled: bool = False


class Comparison(Struct, frozen=True):
    """One `compare` line on one data set (or on all, `data` None).

    `averaged` says what counts the same where the data sets are averaged; it is None where they are
    the sample.

    `about` says what its tests are about, as that of estimates does; None where it is the data
    sets, and in results of older versions.
    """

    index: int
    source: str
    data: str | None
    protocol: str | None
    metric: str
    alpha: Level
    family: Family
    omnibus: HypothesisTestResult | None
    pairwise: tuple[HypothesisTestResult, ...]
    performed: bool
    reason: str | None
    ranks: Ranks | None = None
    against: str | None = None
    about: str | None = None
    averaged: Literal["data", "rows"] | None = None

    def __repr__(self) -> str:
        return printed.joined_text(printed.facts_of_comparison(self))

    def _repr_html_(self) -> str:
        return printed.joined_html(printed.facts_of_comparison(self))


class Selection(Struct, frozen=True):
    """The hyper-parameters chosen for one outer fold; `seed` counts those of `seeds=N`."""

    data: str
    protocol: str
    model: str
    repeat: int
    fold: int
    params: Mapping[str, Value]
    inner_score: float | None
    rule: str
    seed: int = 0


class FoldThreshold(Struct, frozen=True):
    """The threshold that one fit chose inside its training part; `seed` counts those of `seeds=N`.

    Labels are positive from this value of the score of the positive class on; `scores` states
    whether that is a probability or a margin. `member` names the model of an ensemble that chose
    it, empty where the labels are those of the whole model.
    """

    data: str
    protocol: str
    model: str
    repeat: int
    fold: int
    value: float
    scores: Literal["probabilities", "margins"]
    seed: int = 0
    member: str = ""


class Requirement(Struct, frozen=True):
    """One `require` line and how it was decided; `alpha` is the level of its test.

    `data` is None where the data sets are averaged, and `averaged` says what counts the same.
    `operator` is the relation of a level to its threshold; files of older versions lack it.
    `draws` is the number of random draws that the interval rests on, None where it is exact.
    """

    index: int
    source: str
    kind: Literal["level", "superior", "noninferior", "equivalent"]
    data: str | None
    protocol: str | None
    metric: str
    models: tuple[str, ...]
    margin: float | None
    threshold: float | None
    subgroup: Subgroup | None
    met: bool
    value: float | None
    interval: tuple[float | None, float | None] | None
    level: float
    method: str
    test: HypothesisTestResult | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    alpha: Level | None = None
    operator: Annotated[str, one_of((">=", "<="))] | None = None
    draws: int | None = None
    averaged: Literal["data", "rows"] | None = None


class Analysis(Struct, frozen=True):
    """The values of one `analyze` item; `data` is None on the average over the data sets."""

    kind: str
    data: str | None
    protocol: str | None
    model: str | None
    metric: str | None
    values: Mapping[str, Value]
    averaged: Literal["data", "rows"] | None = None


def data_words(one: Estimate | Comparison | Requirement | Analysis) -> str:
    """Return the data set of a record, or in words that it is about all of them."""
    average = f"the average over {one.averaged}" if one.averaged else "all data sets"
    return one.data or average


class CorrectedEstimate(Struct, frozen=True):
    """The expected performance on new data of a model that was chosen for its estimate.

    `naive` is the estimate for which it was chosen; `value` and its interval are those of BBC-CV
    over `rounds` bootstrap rounds, each of which chooses the best of `models` again.
    """

    metric: str
    protocol: str
    naive: float
    value: float
    low: float
    high: float
    level: float
    rounds: int
    models: tuple[str, ...]
    method: str = "bbc_cv"


class BestOfMany(Struct, frozen=True):
    """The best of many models on one test set, which chance makes look better than it is.

    `naive` is its estimate; `value` and its interval are those of BBC-CV over `rounds` bootstrap
    rounds, each of which chooses the best of `models` again and measures it on the rows not drawn.
    """

    data: str
    protocol: str | None
    model: str
    metric: str
    naive: float
    value: float
    low: float
    high: float
    level: float
    rounds: int
    models: tuple[str, ...]
    method: str = "bbc_cv"


class Export(Struct, frozen=True):
    """One model that was refitted on all data and saved.

    `best` states that it was chosen as the best of the models; `notes` explain how its
    hyper-parameters were chosen. `threshold` is that of the positive class which the refit chose,
    None where its last step chooses none.
    """

    model: str
    path: str
    params: Mapping[str, Value]
    sha256: str
    trusted_types: tuple[str, ...]
    best: bool = False
    corrected: CorrectedEstimate | None = None
    notes: tuple[str, ...] = ()
    threshold: float | None = None


class Failure(Struct, frozen=True):
    """One fit that raised; `stage` is inner (a candidate), outer, export, or subset (a part of
    the training part, for a learning curve).

    With stage `measure` it is a model that the author's own `metric` could not measure; its fold
    is then -1.
    """

    stage: str
    data: str
    protocol: str | None
    model: str
    repeat: int
    fold: int
    params: Mapping[str, Value]
    error: str
    message: str
    seed: int = 0
    metric: str | None = None


class FitWarning(Struct, frozen=True):
    """A warning from fits of one model, with the number of these fits."""

    data: str
    protocol: str
    model: str
    category: str
    message: str
    n: int


class PredictedValues(Struct, frozen=True):
    """Predictions of numbers by one model as a report draws them: the first of each tested row.

    `n` counts them all. Of more than 500 those that are listed are the last of a series, else a
    random sample, of the same rows for every model. `residuals` are the smallest, the quartiles and
    the largest of all observed minus predicted values; `smooth` is the local mean of those listed,
    by predicted values. `moments` are the places of the rows of a series in time, from 0, and
    `fits` those at which the test rows of each fit on the past begin.
    """

    data: str
    protocol: str | None
    model: str
    n: int
    observed: tuple[float, ...]
    predicted: tuple[float, ...]
    residuals: tuple[float, float, float, float, float]
    smooth: tuple[tuple[float, float], ...] = ()
    moments: tuple[int, ...] = ()
    fits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        lists: list[tuple[float, ...]] = [self.observed, self.predicted]
        lists += [self.moments] if self.moments else []
        _check_lists(*lists)
        for point in self.smooth:
            _check_lists(point)


class RiskGroup(Struct, frozen=True):
    """The Kaplan-Meier curve of the `n` examples with a predicted risk from `low` to `high`.

    At each of at most 500 times it has the examples at risk just before, the events since the time
    before, and the share without an event after it with its bounds, None where it is 0 or 1.
    """

    low: float
    high: float
    n: int
    times: tuple[float, ...]
    at_risk: tuple[int, ...]
    events: tuple[int, ...]
    share: tuple[float, ...]
    share_low: tuple[float | None, ...] = ()
    share_high: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        _check_lists(self.times, self.at_risk, self.events, self.share)
        for bounds in (self.share_low, self.share_high):
            if bounds and len(bounds) != len(self.share):
                raise ValueError("its lists differ in length")


class RiskGroups(Struct, frozen=True):
    """Thirds of the examples by the risk that a model predicted, the lowest first.

    `level` is that of the intervals of their shares.
    """

    data: str
    protocol: str | None
    model: str
    groups: tuple[RiskGroup, ...]
    level: float | None = None

    def __post_init__(self) -> None:
        if len(self.groups) not in (2, 3):
            raise ValueError(f"`groups` has {len(self.groups)} items, not 2 or 3")


def _check_lists(*lists: tuple[float, ...]) -> None:
    """Raise `ValueError` for lists of points that are empty, infinite or differ in length."""
    if not lists[0] or len({len(one) for one in lists}) > 1:
        raise ValueError("its lists are empty or differ in length")
    if not all(map(isfinite, chain(*lists))):
        raise ValueError("its lists have an infinite number")


class ResultsRecord(Struct, frozen=True):
    """All results of a run: the content of `results.json`.

    `style_sheet` is the text of the author's style sheet, so that a report can be rendered again;
    a template is code, of which results hold only the hash, `template_sha256`.
    """

    schema: str
    study: StudyRecord
    spec: SpecRecord
    data: tuple[DataRecord, ...]
    models: tuple[ModelRecord, ...]
    protocols: tuple[ProtocolRecord, ...]
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    selections: tuple[Selection, ...]
    requirements: tuple[Requirement, ...]
    analyses: tuple[Analysis, ...]
    exports: tuple[Export, ...]
    diagnostics: tuple[Mapping[str, Value], ...]
    failures: tuple[Failure, ...]
    provenance: Provenance
    warnings: tuple[FitWarning, ...] = ()
    methods: tuple[MethodRecord, ...] = ()
    references: tuple[ReferenceRecord, ...] = ()
    report: ReportSettings = field(default_factory=ReportSettings)
    never_predicted: tuple[NeverPredicted, ...] = ()
    search: SearchRecord | None = None
    best_of_many: tuple[BestOfMany, ...] = ()
    style_sheet: str | None = None
    template_sha256: str | None = None
    thresholds: tuple[FoldThreshold, ...] = ()
    predictions: tuple[PredictedValues, ...] = ()
    risk_groups: tuple[RiskGroups, ...] = ()


SCHEMA = "evallang/results/1"
