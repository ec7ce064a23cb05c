"""What to look for in a table once it is read: features, copies, classes, groups.

Each rule is one function from a table to findings; `check_table` runs them all.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_types import is_float
from evallang.data.dataset import (
    Column,
    CountsSpec,
    GivenOutcomes,
    PredictionsSpec,
    SourceColumn,
    Table,
)
from evallang.data.equal_rows import (
    TARGET,
    coincide,
    compared_cells,
    feature_cells,
    first_equal_rows,
)
from evallang.data.features import LEAST_NUMBERS
from evallang.data.findings import Findings, counted, label_written, listed, quoted, written
from evallang.data.row_rules.repeated_units import repeated_units_of_outcomes
from evallang.data.row_rules.row_rule import RowDesign, check_rows
from evallang.data.source_columns import NOT_USED
from evallang.data.text_forms import (
    are_amounts,
    are_clock_times,
    are_dates,
    are_digits_of_dates,
    names_counter,
    names_fold,
    names_identifier,
)
from evallang.diagnostics import Code, Diagnostic, codes
from evallang.protocols.protocol import Split
from evallang.results.written import statement_of
from evallang.source import Span

LEAST_ROWS = 30  # in fewer rows whole numbers are often all different by chance
FEW = 10  # groups; below, cluster-robust methods are unreliable (language, section 4)
MOST_GAPS = (
    2  # numbers of an unsorted counter's range for each row; areas, prices lie further apart
)
MOST_PARTS = 3  # words that name parts of the rows: train, validation, test
MOST_ALIKE, DECIMALS = 4, 5  # rows of one number; with more decimals none agree by chance
LEAST_COPIES = 0.01  # share of rows; fewer copies move an accuracy by less than a point
LEAST_ON_A_LINE = 5  # rows; fewer lie on a line by chance
NEARLY = 1e-6  # relative to a feature's spread; sums of n standardised values are not exactly 0

Used = Collection[str] | None
"""The features that models get; None for all."""


def check_table(
    table: Table,
    *,
    folds: int | None = None,
    span: Span | None = None,
    resampled: bool = True,
    stratified: bool = True,
    design: RowDesign | None = None,
    documents: Collection[str] = (),
) -> tuple[Diagnostic, ...]:
    """Check a table, and its classes and groups against the number of folds.

    `folds` is the largest number of folds of the study's protocols, None where none has
    folds; `span` the place of that protocol. `resampled` is whether rows are split by
    chance, so that copies can be on both sides; `stratified` whether each fold shall have
    members of each class; `design` is what the study does with the rows, and `documents` are
    the features of text that every model reads word by word.
    """
    design = design or RowDesign()
    used = design.features
    # rules read column after column, each of which is in one piece then
    table = replace(table, numeric=np.asfortranarray(table.numeric))
    findings = Findings(table.spec.places)
    constant_features(table, findings)
    spelled = spelled_features(table, findings, used, documents)
    id_like_features(table, findings, used, {*spelled, *documents})
    target_among_features(table, findings, used)
    if resampled and table.split is None:
        duplicated_rows(table, findings)
    if folds is not None and stratified:
        class_smaller_than_folds(table, folds, findings, span)
    if folds is not None:
        fewer_groups_than_folds(table, folds, findings, span)
    if (_groups(table) or 0) >= (folds or 0):  # fewer are already an error
        few_groups(table, findings)
    if not findings.failed:  # a feature that equals the target is an error, not evidence
        check_rows(table, design, findings)
    return findings.diagnostics


def check_outcomes(given: GivenOutcomes) -> tuple[Diagnostic, ...]:
    """Check predictions or judged outcomes that were computed elsewhere.

    `in_groups` is what else to write if their rows get a `group`.
    """
    findings = Findings(given.spec.places)
    if isinstance(given.spec, PredictionsSpec):
        few_groups(given, findings)
        unnamed_folds(given, findings)
        if given.examples is None:
            repeated_units_of_outcomes(given, findings)
            duplicated_predictions(given, findings)
        elif given.spec.seed is not None and len(given.repeat_labels or ()) < 2:
            findings.add(
                codes.single_seed,
                f"`{given.spec.seed}` names one seed, so nothing shows how networks that are "
                "trained this way differ: there is no interval and no test",
                "seed",
                help="train networks with further seeds, or leave out the seed: the conclusion "
                "is then about this network",
            )
        elif given.spec.runs is not None and given.spec.reader is None:
            equal_repeats(given, given.examples, findings)
    return findings.diagnostics


def equal_repeats(given: GivenOutcomes, examples: "NDArray[np.int64]", findings: Findings) -> None:
    """Report models whose outcomes vary over the examples, and never over the repeats of one."""
    first = np.unique(examples, return_index=True)[1][examples]
    known = given.correct or given.values or given.predictions
    fixed = [
        name
        for name, values in known.items()
        if len(first) > len(np.unique(first))
        and np.array_equal(values, values[first])
        and not (values == values[0]).all()
    ]
    if fixed:
        word, advice = (
            "repeat",
            "sample every answer, with a temperature above 0 and without a cache",
        )
        if isinstance(given.spec, PredictionsSpec) and given.spec.seed is not None:
            word, advice = "seed", "check that each seed trained a network of its own"
        findings.add(
            codes.equal_repeats,
            f"the {word}s of each example are equal for {quoted(fixed)}, so they add nothing to "
            f"a single {word}",
            word,
            help=f"{advice}, or keep one {word}",
        )


def unnamed_folds(given: GivenOutcomes, findings: Findings) -> None:
    """Report a column of folds, by its name and two values or more, that no clause names."""
    if not isinstance(given.spec, PredictionsSpec) or given.spec.fold is not None:
        return
    for column in given.source_columns:
        if column.role != NOT_USED or not names_fold(column.name) or not _varies(column):
            continue
        findings.add(
            codes.fold_column_unused,
            f"`{column.name}` has the folds of {counted(given.n, 'prediction')}, and no clause "
            "names it: they are taken for those of one fitted model",
            "predictions",
            help=f"write `fold {written(column.name)}`",
        )
        return


def _varies(column: SourceColumn) -> bool:
    """Return whether a column of whole numbers or of names has several values.

    Two or three words (`train`, `test`) name parts, not folds.
    """
    if column.levels is not None:
        return column.kind == "number" or column.levels > MOST_PARTS
    return column.range is not None and column.range[0] != column.range[1]


def check_replicates(sources: Sequence[GivenOutcomes]) -> tuple[Diagnostic, ...]:
    """Check that the data sets of a statement are not one test set that was predicted again."""
    found: list[Diagnostic] = []
    by_statement: dict[str, list[GivenOutcomes]] = {}
    for source in sources:
        if isinstance(source.spec, PredictionsSpec) and source.spec.dataset is not None:
            by_statement.setdefault(statement_of(source.spec.name), []).append(source)
    for name, several in by_statement.items():
        rows = [_rows_of(source) for source in several]
        if len(rows) < 2 or rows[0] is None or any(other != rows[0] for other in rows[1:]):
            continue
        column = several[0].spec.dataset  # type: ignore[union-attr]
        findings = Findings(several[0].spec.places)
        findings.add(
            codes.replicates_as_data_sets,
            f"the {len(several)} data sets of `{name}` are the same {several[0].n:,} "
            f"{several[0].spec.unit} with the same truth, so `{column}` tells repeats apart",
            "dataset",
            help=f"name the repeats: `repeat {written(str(column))}` in place of "
            f"`dataset {written(str(column))}`; and compare without `across data`, as in `with t`",
        )
        found += findings.diagnostics
    return tuple(found)


def _rows_of(source: GivenOutcomes) -> frozenset[tuple[str, str]] | None:
    """Return the ids of a data set with their truth; None where they show too little."""
    if source.ids is None or source.truth is None or source.n < FEW:
        return None
    labels = source.classes
    truth = [labels[int(code)] for code in source.truth] if labels else map(str, source.truth)
    found = frozenset(zip(source.ids, truth, strict=True))
    return found if len({label for _, label in found}) > 1 else None


def check_tasks(tables: tuple[Table, ...]) -> tuple[Diagnostic, ...]:
    """Check that all data sets of a study have one task; the odd ones are findings."""
    found: list[Diagnostic] = []
    for table in tables[1:]:
        if table.task != tables[0].task:
            findings = Findings(table.spec.places)
            findings.add(
                codes.data_sets_differ_in_task,
                f"`{table.spec.name}` is a {table.task} and `{tables[0].spec.name}` is a "
                f"{tables[0].task}",
                "task",
                "target",
                help="write the same `task` below both, if one is meant"
                if _may_be_numbers(table) and _may_be_numbers(tables[0])
                else "evaluate each in a study of its own",
            )
            found.extend(findings.diagnostics)
    return tuple(found)


def _may_be_numbers(table: Table) -> bool:
    """Return whether a target could be read as classes and as numbers."""
    return not any(isinstance(value, str) for value in table.class_values)


def constant_features(table: Table, findings: Findings) -> None:
    """Report features with at most one value besides missing ones."""
    kinds: dict[str, list[str]] = {}
    for column in table.columns:
        values = _present(table, column)
        if not len(values) or (values == values[0]).all():
            present = len(values)
            words = "the same value in every row" if present else "no value in any row"
            if 0 < present < table.n:
                words = "the same value in every row that has one"
            kinds.setdefault(words, []).append(column.name)
    if kinds:
        names = [name for group in kinds.values() for name in group]
        findings.add(
            codes.constant_feature,
            ", and ".join(f"{quoted(group)} {_each_has(group)} {w}" for w, group in kinds.items()),
            "features",
            help=f"write `features all except {_written(names)}`",
        )


def spelled_features(
    table: Table, findings: Findings, used: Used = None, documents: Collection[str] = ()
) -> tuple[str, ...]:
    """Report dates, times and numbers in a form that hides them.

    Columns that `categorical` names are meant so.
    """
    forms: dict[_Form, dict[str, str]] = {form: {} for form in _FORMS}
    for column in _given(table, used):
        if column.marks or column.name in {*table.spec.categorical, *documents}:
            continue
        values = _spelled(table, column)
        form = next((form for form in _FORMS if form.applies(column, values)), None)
        if form is not None:
            forms[form][column.name] = values[0]
    for form, found in forms.items():
        if found:
            names = list(found)
            verb = "contains" if len(names) == 1 else "contain"
            findings.add(
                form.code,
                f"{quoted(names)} {verb} {form.noun} such as `{found[names[0]]}`, and "
                f"{form.consequence}",
                "features",
                help=f"write `features all except {_written(names)}`, or {form.instead}",
            )
    return tuple(name for found in forms.values() for name in found)


class _Form(Struct, frozen=True):
    """A form in which values hide what they are, and what to do about it."""

    code: Code
    noun: str
    consequence: str
    instead: str
    has_form: Callable[[Collection[str]], bool]
    of_numbers: bool = False

    def applies(self, column: Column, values: Collection[str]) -> bool:
        """Return whether a column has this form."""
        return column.numeric == self.of_numbers and self.has_form(values)


CATEGORY = "each distinct value is a category"
DISTANCES = "their distances are not days (31 January and 1 February differ by 70)"
DAYS = "replace them with numbers such as days since a first day"
_FORMS = (
    _Form(codes.dates_as_categories, "dates", CATEGORY, DAYS, are_dates),
    _Form(codes.dates_as_categories, "dates", CATEGORY, DAYS, are_digits_of_dates),
    _Form(
        codes.dates_as_categories,
        "dates written as numbers",
        DISTANCES,
        DAYS,
        are_digits_of_dates,
        of_numbers=True,
    ),
    _Form(
        codes.dates_as_categories,
        "times of day",
        CATEGORY,
        "replace them with numbers such as hours since midnight",
        are_clock_times,
    ),
    _Form(
        codes.numbers_as_categories,
        "numbers spelled as text",
        CATEGORY,
        "write plain numbers in the file",
        are_amounts,
    ),
)


def _spelled(table: Table, column: Column) -> list[str]:
    """Return the distinct values as they are written; of numbers only those of eight digits."""
    if not column.numeric:
        return list(dict.fromkeys(_present(table, column).tolist()))
    values = _present(table, column)
    if not len(values) or values.min() < 1e7 or values.max() >= 1e8 or not _whole(table, column):
        return []
    return [str(int(value)) for value in dict.fromkeys(values.tolist())]


def id_like_features(
    table: Table, findings: Findings, used: Used = None, reported: Collection[str] = ()
) -> None:
    """Report features with a different value in every row, and text in which nearly all differ.

    `reported` are features that another rule has reported.
    """
    alike: list[str] = []
    nearly: dict[str, int] = {}
    for column in _given(table, used):
        if column.name in reported or (not column.numeric and not _whole(table, column)):
            continue
        called = names_identifier(column.name) or names_counter(column.name)
        if table.n < (FEW if called else LEAST_ROWS):
            continue
        if _whole(table, column) and _all_different(table, column):
            if called or not column.numeric or _counts_rows(_values(table, column)):
                alike.append(column.name)
        elif not column.numeric and not called:
            times = Counter(_present(table, column).tolist())
            if 2 * list(times.values()).count(1) >= table.n:  # half of the rows are alone
                nearly[column.name] = len(times)
    spec, found = table.spec, [*alike, *nearly]
    if spec.features is not None:
        ways = [f"remove {quoted(list(map(written, found)))} from the features"]
    else:
        excepted = f"`features all except {_written([*(spec.features_except or ()), *found])}`"
        several = statement_of(spec.name) != spec.name  # in whose other files it need not be an id
        as_id = [] if spec.id is not None or not alike or several else [f"`id {written(alike[0])}`"]
        ways = [f"write {' or '.join([*as_id, excepted])}", f"write {excepted}"]
    if alike:
        findings.add(
            codes.id_like_feature,
            f"{quoted(alike)} {_each_has(alike)} a different value in every row, like an "
            "identifier",
            "features",
            help=ways[0],
        )
    for name, n in nearly.items():
        findings.add(
            codes.id_like_feature,
            f"`{name}` is text with {n:,} different values in {table.n:,} rows",
            "features",
            help=f"{ways[-1]}, or read it word by word with `TfidfVectorizer`",
        )


def _counts_rows(values: "NDArray[Any]") -> bool:
    """Return whether different whole numbers are a counter: in order, or close together."""
    steps = np.diff(values)
    close = np.ptp(values) < MOST_GAPS * len(values)
    return bool((steps > 0).all() or (steps < 0).all() or close)


def target_among_features(table: Table, findings: Findings, used: Used = None) -> None:
    """Report features that equal the target, or name its classes one to one."""
    same = [column.name for column in _given(table, used) if _equals_target(table, column)]
    if same:
        findings.add(
            codes.target_among_features,
            f"{quoted(same)} {'determines' if len(same) == 1 else 'determine'} `{table.target}` in "
            "every row",
            "features",
            "target",
            help=f"write `features all except {_written(same)}`",
        )


def duplicated_rows(table: Table, findings: Findings) -> None:
    """Report rows that repeat an earlier one of another group, or of any without groups."""
    cells, coded = compared_cells(table), table.group_codes
    firsts = first_equal_rows(cells)
    later = firsts != np.arange(table.n)
    copies = int((later if coded is None else later & (coded != coded[firsts])).sum())
    if copies < LEAST_COPIES * table.n or copies == 0 or coincide(cells, len(table.classes)):
        return
    verb = "repeats" if copies == 1 else "repeat"
    findings.add(
        codes.duplicated_rows,
        f"{counted(copies, 'row')} of {table.n:,} {verb} an earlier one, so copies can be on "
        "both sides of a split",
        "from",
        help="name what equal rows belong to by `group COLUMN`; remove rows only if the file holds "
        "the same example twice"
        if table.spec.group is None
        else f"equal rows are in several groups of `{table.spec.group}`; if they are "
        "copies, remove them",
    )


def duplicated_predictions(given: GivenOutcomes, findings: Findings) -> None:
    """Report rows without an id that repeat an earlier one in truth, outputs and weight.

    A column with another value in each row says that they are different examples.
    """
    if given.truth is None or given.id_column is not None or given.times is not None:
        return
    if any(column.levels == given.n for column in given.source_columns):
        return
    implied = [f"p.{model}" for model in given.scores if model in given.predictions]
    cells = compared_cells(given).drop(implied)  # labels that follow from scores add nothing
    further = {"groups": given.group_codes, "weights": given.weights, "events": given.events}
    cells = cells.with_columns(pl.Series(n, own) for n, own in further.items() if own is not None)
    outputs = [column for column in cells if column.name != TARGET]
    fine = [x.cast(pl.Float64) for x in outputs if x.n_unique() * MOST_ALIKE >= len(x)]
    single = len(fine) == 1 and given.task == "classification"
    if single and (fine[0] == fine[0].round(DECIMALS)).sum() > given.n / 2:
        return  # numbers with few decimals agree by chance
    copies = int((first_equal_rows(cells) != np.arange(given.n)).sum())
    if copies < LEAST_COPIES * given.n or copies == 0:
        return
    if not single and coincide(cells, len(given.classes)):
        return
    findings.add(
        codes.duplicated_rows,
        f"{counted(copies, 'row')} of {given.n:,} {'repeats' if copies == 1 else 'repeat'} an "
        "earlier one in the truth and in all outputs, and no `id` says that they are different "
        "examples",
        "predictions",
        help="name the column of the examples by `id COLUMN`, or remove the copies",
    )


def check_copies(
    table: Table, splits: Sequence["Split"], protocol: str, span: Span | None
) -> tuple[Diagnostic, ...]:
    """Check the splits of a protocol that draws nothing for copies on both sides.

    `protocol` is worded as the author wrote it; `span` is its place.
    """
    cells = compared_cells(table)
    keys = first_equal_rows(cells)
    if (keys == np.arange(table.n)).all():
        return ()
    tested: set[int] = set()
    copied: set[int] = set()
    for split in splits:
        rows = split.test[np.isin(keys[split.test], keys[split.train])]
        tested.update(split.test.tolist())
        copied.update(rows.tolist())
    if not copied or len(copied) < LEAST_COPIES * len(tested):
        return ()
    if coincide(cells, len(table.classes)):
        return ()
    findings = Findings(table.spec.places)
    findings.add(
        codes.duplicated_rows,
        f"{counted(len(copied), 'row')} of the {len(tested):,} that `{protocol}` tests "
        f"{'has' if len(copied) == 1 else 'have'} a copy among the rows trained on",
        "from",
        span=span,
        help="put copies on one side, or remove them",
    )
    return findings.diagnostics


def few_groups(read: Table | GivenOutcomes, findings: Findings) -> None:
    """Report tables and predictions with fewer than 10 groups."""
    groups = _groups(read)
    column = None if isinstance(read.spec, CountsSpec) else read.spec.group
    if groups is not None and groups < FEW:
        findings.add(
            codes.few_groups,
            f"`{column}` has only {counted(groups, 'group')}, but the group is the unit "
            "of every interval and test",
            "group",
            help="collect more groups, or name a smaller unit if its rows are independent",
        )


def class_smaller_than_folds(
    table: Table, folds: int, findings: Findings, span: Span | None = None
) -> None:
    """Report classes that cannot have a member in every fold."""
    if table.task != "classification":
        return
    counts = np.bincount(table.y, minlength=len(table.classes)).tolist()
    small = [
        f"{label} ({count:,})"
        for label, count in zip(table.classes, counts, strict=True)
        if count < folds
    ]
    if small:
        findings.add(
            codes.class_smaller_than_folds,
            f"`{table.target}` has classes with fewer members than {folds} folds: {listed(small)}",
            "target",
            span=span,
            help=f"write at most {min(counts)} folds"
            if min(counts) > 1
            else f"write `stratify none`, or `where {written(table.target)} != "
            f"{label_written(_rarest(table))}` to exclude the class",
        )


def fewer_groups_than_folds(
    table: Table, folds: int, findings: Findings, span: Span | None = None
) -> None:
    """Report tables with fewer groups than folds."""
    groups = _groups(table)
    if groups is not None and groups < folds:
        findings.add(
            codes.fewer_groups_than_folds,
            f"`{table.spec.group}` has {counted(groups, 'group')} for {folds} folds",
            "group",
            span=span,
            help=f"write at most {groups} folds" if groups > 1 else None,
        )


def _rarest(table: Table) -> str:
    return table.classes[int(np.bincount(table.y, minlength=len(table.classes)).argmin())]


def _given(table: Table, used: Used) -> tuple[Column, ...]:
    return tuple(c for c in table.columns if used is None or c.name in used)


def _values(table: Table, column: Column) -> "NDArray[Any]":
    values: NDArray[Any] = (table.numeric if column.numeric else table.objects)[:, column.index]
    return values


def _present(table: Table, column: Column) -> "NDArray[Any]":
    """Return the values without missing ones."""
    values = _values(table, column)
    if column.numeric:
        kept: NDArray[Any] = values[~np.isnan(values)]
        return kept
    return np.array([value for value in values if isinstance(value, str)], dtype=object)


def _all_different(table: Table, column: Column) -> bool:
    values = _present(table, column)
    if len(values) < table.n:
        return False
    return len(np.unique(values) if column.numeric else set(values.tolist())) == table.n


def _whole(table: Table, column: Column) -> bool:
    """Return whether a feature holds whole numbers or words, not numbers with a few words."""
    values = _present(table, column)
    if not column.numeric:
        return sum(map(is_float, values.tolist())) < LEAST_NUMBERS * len(values)
    return bool((values == np.floor(values)).all())


FIRST = 1000  # rows, in which most features have more values than the target


def _equals_target(table: Table, column: Column) -> bool:
    values = _values(table, column)
    if table.task == "regression":
        return column.numeric and is_rescaled(values, table.y)
    cells, n = feature_cells(table, column), len(table.classes)
    if cells.head(FIRST).n_unique() > n or cells.n_unique() != n:
        return False
    if column.numeric and np.isnan(values).any():
        return False
    return pl.DataFrame([cells, pl.Series(TARGET, table.y)]).n_unique() == len(table.classes)


def is_rescaled(values: "NDArray[np.float64]", y: "NDArray[np.float64]") -> bool:
    """Return whether a feature is the target in another unit: a + b y, up to rounding."""
    if len(y) < LEAST_ON_A_LINE:
        return bool(np.array_equal(values, y))
    spread = float(np.ptp(y))
    slope = (values[y.argmax()] - values[y.argmin()]) / spread if spread else 0.0
    if not np.isfinite(slope) or slope == 0:
        return False
    off = values - values[y.argmin()] - slope * (y - y.min())
    return bool((np.abs(off) <= NEARLY * np.abs(slope) * spread).all())


def _groups(table: Table | GivenOutcomes) -> int | None:
    coded = table.group_codes
    return None if coded is None else int(np.count_nonzero(np.bincount(coded)))


def _each_has(names: list[str]) -> str:
    return "has" if len(names) == 1 else "each have"


def _written(names: list[str]) -> str:
    return listed(map(written, names))
