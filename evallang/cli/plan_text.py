"""The plan as text: data, models, protocols, comparisons, defaults and work."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from evallang.api.power import smallest_differences
from evallang.api.preparing import Prepared
from evallang.cli.power import smallest_lines
from evallang.data.dataset import ScoreTable
from evallang.engine.build_results import column_records, data_records, model_records
from evallang.hypotheses import Family, pair_declaration
from evallang.planning.defaults import metrics_without_interval
from evallang.planning.exports import export_lines
from evallang.planning.plan import Plan
from evallang.printable import wrapped
from evallang.protocols.protocol import written_number
from evallang.results.columns import column_lines
from evallang.results.records import ColumnRecord, DataRecord, ModelRecord, ProtocolRecord
from evallang.results.written import statement_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.decisions import error_of_one_look
from evallang.study import Study


def plan_lines(prepared: Prepared, columns: int | None = None) -> list[str]:
    """Format a plan as text, for a terminal of so many columns, if it is shown on one."""
    lines = [f"Study: {prepared.study.title}"]
    for heading, body in (
        ("Data", _data(prepared)),
        (PATHS_TAKEN, iter(prepared.paths_taken)),
        ("Models", _models(prepared)),
        ("Protocols", _protocols(prepared)),
        ("Comparisons", _comparisons(prepared)),
        ("Requirements", _requirements(prepared.study)),
        ("Analyses", _analyses(prepared)),
        ("Exports", export_lines(prepared.study, prepared.planned.layout)),
        ("Defaults (not written in the study)", _defaults(prepared)),
        ("Work", _work(prepared)),
    ):
        shown = [part for line in body for part in _fitting(line, heading, columns)]
        lines += ["", heading, *shown] if shown else []
    return lines


WIDTH = 80
PATHS_TAKEN = "Data outside the study's folder"
COPIED = frozenset({PATHS_TAKEN, "Models", "Protocols", "Comparisons", "Requirements", "Analyses"})
"""The sections whose lines are paths or language, with words below them."""


def _fitting(line: str, heading: str, columns: int | None) -> list[str]:
    """Wrap a line; without a terminal, a path and a line of the language stay in one piece."""
    margin = " " * (len(line) - len(line.lstrip(" ")) + 2)
    if len(margin) == 2 and heading in COPIED:
        return [f"  {line}"] if columns is None else wrapped(line, columns, "  ", f"{margin}    ")
    return wrapped(line, min(columns or WIDTH, WIDTH), "  ", f"{margin}    ")


class SourceText(Struct, frozen=True):
    """A data set, or a table of scores, as text: its name, its lines, and its columns."""

    name: str
    lines: tuple[str, ...]
    columns: tuple["ColumnRecord", ...]


def source_texts(prepared: Prepared) -> Iterator[SourceText]:
    """Describe each data set; a table of scores once, however many data sets it has."""
    written = {
        spec.name for spec in prepared.study.sources if getattr(spec, "positive", None) is not None
    }
    for record in data_records(prepared.study, replace(prepared.read, score_tables=())):
        lines = _source(record, positive_written=record.name in written)
        yield SourceText(record.name, tuple(lines), record.columns)
    for table in prepared.read.score_tables:
        yield SourceText(table.spec.name, tuple(_scores(table)), column_records(table))


def _data(prepared: Prepared) -> Iterator[str]:
    described: dict[object, str] = {}
    for source in source_texts(prepared):
        yield from source.lines
        used = tuple((column.name, column.role) for column in source.columns)
        like = described.setdefault((statement_of(source.name), used), source.name)
        if like == source.name:
            yield from _columns(source.columns)
        elif used:
            yield f"  {_number(len(used), 'column')}, as of {like}"
    for name in unread(prepared):
        yield f"{name}: could not be read"
    joined = (given.joined for given in prepared.read.imported if given.joined is not None)
    yield from dict.fromkeys(f"note: {one.text}" for one in joined)


def _scores(table: ScoreTable) -> Iterator[str]:
    """Describe a table of scores: its data sets, folds and direction."""
    spec = table.spec
    yield f"{spec.name}: {spec.label}" if spec.label != spec.name else spec.name
    sizes = [] if spec.dataset is None else [_number(table.n, "data set")]
    if table.fold_labels is not None:
        sizes.append(_number(len(table.fold_labels), "fold"))
    if table.repeat_labels is not None:
        sizes.append(_number(len(table.repeat_labels), "repeat"))
    direction = "higher" if spec.higher_is_better else "lower"
    sizes.append(f"{spec.metric or 'score'} ({direction} is better)")
    yield f"  {', '.join(sizes)}, from {table.source}"
    yield from (f"  {note}" for note in table.notes)


def _source(record: DataRecord, *, positive_written: bool) -> Iterator[str]:
    yield f"{record.name}: {record.label}" if record.label != record.name else record.name
    features = "" if record.n_features is None else f", {record.n_features:,} features"
    size = f"{record.n:,} {record.unit}"
    if record.samples is not None and len(record.samples) > 1:
        each = [f"{n:,} of {model}" for model, n in record.samples.items()]
        size = f"{record.unit}: {', '.join(each)}; no pairs are known"
    yield f"  {size}{features}, from {record.source}"
    left = record.n + sum(excluded.n for excluded in record.excluded)
    for excluded in record.excluded:
        yield f"  {excluded.clause}: {left:,} -> {left - excluded.n:,} rows"
        left -= excluded.n
    task = "pairwise judgements" if record.kind == "battles" else record.task
    target = f"target {record.target}, {task}" if record.target else task
    if record.classes and record.class_counts:
        counts = (f"{label} {record.class_counts[label]:,}" for label in record.classes)
        target += f": {', '.join(counts)}"
    yield f"  {target}"
    if record.positive is not None:
        yield f"  positive {record.positive}{'' if positive_written else ' (by default)'}"
    if record.groups is not None:
        yield f"  {record.groups:,} groups"
    if record.weight is not None and record.effective_n is not None:
        counted = f"{record.n:,} {record.unit} count as {record.effective_n:,.1f}"
        yield f"  weighted by {record.weight}: {counted}"
    yield from (f"  {note}" for note in record.notes)


def _columns(columns: tuple[ColumnRecord, ...]) -> Iterator[str]:
    """Iterate over the lines of the columns; if there are many, similar columns share a line."""
    if columns:
        yield f"  {_number(len(columns), 'column')}"
    yield from (f"    {line.title}: {line.facts}" for line in column_lines(columns))


def _analyses(prepared: Prepared) -> Iterator[str]:
    """Iterate over the analyses, each with its models, metric and protocol where they are
    written.

    Below an analysis with fits of its own stands how many they are.
    """
    layout, fits = prepared.planned.layout, prepared.planned.fits
    own = {place.key for place in layout.places}
    known = set(own)
    for index, spec in enumerate(prepared.study.analyses):
        models = f" of {', '.join(spec.models)}" if spec.models else ""
        protocol = f" on {spec.protocol}" if spec.protocol else ""
        by = f" by {spec.metric.written}" if spec.metric else ""
        yield f"{spec.method.written}{models}{by}{protocol}"
        keys = {place.key for place in layout.subsets if place.analysis == index}
        if keys:
            n = sum(fits[key].n_fits for key in keys)
            further = sum(fits[key].n_fits for key in keys - known)
            whose = "fits of the protocol" if keys & known <= own else "planned already"
            shared = "" if further == n else f", {n - further:,} of them {whose}"
            yield f"  {_number(n, 'fit')}{shared}"
        known |= keys


def unread(prepared: Prepared) -> list[str]:
    """Return the names of unread sources; the data sets of a glob are named `NAME/stem`."""
    read = [*prepared.read.tables, *(outcomes.spec.name for outcomes in prepared.read.imported)]
    read += [table.spec.name for table in prepared.read.score_tables]
    found = {statement_of(name) for name in read}
    return [source.name for source in prepared.study.sources if source.name not in found]


def _models(prepared: Prepared) -> Iterator[str]:
    for model in model_records(prepared.study, prepared.read):
        yield from _model(model)


def _model(model: ModelRecord) -> Iterator[str]:
    if model.stored is not None:
        yield f"{model.name}: `{model.stored.model}` of {model.stored.results}, not fitted"
        yield f"  predictions SHA-256 {model.stored.sha256 or 'unknown'}"
        if model.pipeline is not None:
            yield f"  {model.pipeline}"
    elif model.pipeline is None:
        given = "judgements" if model.kind == "battles" else model.kind
        yield f"{model.name}: imported {given}"
    else:
        yield f"{model.name} = {model.pipeline}"
    for parameter, candidates in model.tuned.items():
        drawn = len(candidates) == 1 and str(candidates[0]).endswith("uniform")
        yield f"  {parameter}: {candidates[0] if drawn else f'{len(candidates):,} candidates'}"
    if model.n_candidates not in (None, *map(len, model.tuned.values())):
        yield f"  {model.n_candidates:,} combinations in each search"
    yield from (f"  {note}" for note in model.notes)


def _protocols(prepared: Prepared) -> Iterator[str]:
    plan = prepared.planned.plan
    n_tables = len(prepared.read.tables)
    part = " on the data that could be read" if plan.n_fits is None else ""
    lacking = metrics_without_interval(prepared.study, prepared.read)
    for protocol in plan.protocols:
        yield from _protocol(protocol)
        if protocol.n_splits is not None:
            each = " on each data set" if n_tables > 1 else ""
            fits = "" if protocol.n_fits is None else f", {_number(protocol.n_fits, 'fit')}{part}"
            yield f"  {_number(protocol.n_splits, 'split')}{each}{fits}"
        yield from (f"  {note}" for note in protocol.notes)
        if protocol.name in lacking:
            yield f"  without an interval by default: {', '.join(lacking[protocol.name])}"
        if protocol.implied_by:
            yield f"  implied by: {protocol.implied_by}"
    if not plan.protocols:
        yield "none: the outcomes are given"
    of_protocols = {protocol.name for protocol in plan.protocols}
    for name, metrics in lacking.items():
        if name not in of_protocols:
            yield f"{name}: without an interval by default: {', '.join(metrics)}"


def _protocol(protocol: ProtocolRecord) -> Iterator[str]:
    """Format a protocol as in a study, with its strata and groups below."""
    if protocol.interval_of is not None:
        yield f"further fits for intervals under {protocol.interval_of}"
        yield f"  {protocol.summary}"
        return
    named = protocol.name != protocol.kind
    yield (
        f"protocol {protocol.name} = {protocol.written}"
        if named
        else (f"protocol {protocol.written}")
    )
    if protocol.stratify:
        yield f"  stratified by {protocol.stratify}"
    if protocol.group:
        yield f"  grouped by {protocol.group}"


def _comparisons(prepared: Prepared) -> Iterator[str]:
    """Iterate over the lines of each family, then its size and correction."""
    families = prepared.planned.families
    for family in families.families:
        yield from dict.fromkeys(planned.line.source for planned in family.comparisons)
        if family.comparisons:
            yield f"  {'at least ' if families.left_open else ''}{_family(family)}"
    yield from smallest_lines(smallest_differences(prepared), WIDTH - 2)


def _requirements(study: Study) -> Iterator[str]:
    """Iterate over the requirements, then the number of looks and the level of each decision."""
    yield from (line.source for line in study.requirements)
    if study.looks is not None:
        level = 1 - error_of_one_look(1 - study.confidence, study.looks)
        times = _number(study.looks, "time")
        yield f"  decided {times} on the same test data: {100 * level:.6g}% each time"


def _family(family: Family) -> str:
    tests = _number(max(family.size, 1), "test")
    if family.correction is not None:
        together = "one family of " if family.joint else ""
        corrected = f"corrected by {family.correction.written}"
        uncorrected = "without a correction"
        adjusts = CORRECTIONS[family.correction.name].declaration.adjusts
        return f"{together}{tests}, {corrected if adjusts else uncorrected}"
    declared = pair_declaration(family.comparisons[0].line)
    if family.size > 1 and declared.bayesian:
        return f"{tests}, decided by probabilities without a correction"
    if family.size > 1 and declared.self_correcting:
        return f"{tests}, which control their family themselves"
    return tests


def _defaults(prepared: Prepared) -> Iterator[str]:
    defaults = prepared.planned.plan.defaults
    width = max((len(default.clause) for default in defaults), default=0)
    # a test and an interval of one name have options of one name
    lines = (f"{default.clause:<{width}}  {shown(default.value)}" for default in defaults)
    yield from dict.fromkeys(lines)
    if not defaults:
        yield "none"


def _work(prepared: Prepared) -> Iterator[str]:
    plan = prepared.planned.plan
    if plan.n_fits is None:
        names = ", ".join(f"`{name}`" for name in unread(prepared))
        reason = f": {names} could not be read" if names else ""
        yield f"the number of fits is not known{reason}"
    else:
        yield _number(plan.n_fits, "fit")
        if plan.n_fits_naive is not None and plan.n_fits_naive != plan.n_fits:
            yield f"{plan.n_fits_naive:,} without sharing equal fits"
    yield from _stored(plan)
    kinds = Counter(task.kind for task in plan.tasks)
    if prepared.read.tables or prepared.read.imported or prepared.read.score_tables:
        yield "tasks: " + ", ".join(f"{kind} {n:,}" for kind, n in kinds.items())


def _stored(plan: Plan) -> Iterator[str]:
    """Iterate over the lines on the store: what it has, why it lacks the rest, and the time."""
    if plan.n_cached is None or not plan.n_fits:
        return
    if plan.n_cached:
        yield f"{plan.n_cached:,} of them in the store"
    reasons: Counter[str] = Counter()
    for task in plan.tasks:
        if task.stale_because is not None:
            reasons[task.stale_because] += task.n_fits
    for reason, n in reasons.most_common():
        yield f"{_number(n, 'fit')} to do: {reason}"
    exported = sum(task.n_fits for task in plan.tasks if task.kind == "export")
    others = plan.n_fits - plan.n_cached - reasons.total() - exported
    if others and others + exported < plan.n_fits:
        yield f"{_number(others, 'more fit')} to do"
    if exported:
        yield f"{_number(exported, 'fit')} for exports, as in every run"
    if plan.seconds:
        yield f"about {_duration(plan.seconds)} of fits on one core, by past runs"


def _duration(seconds: float) -> str:
    """Write a number of seconds with two digits, in the unit of a clock that suits it."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.2g} {unit}" if seconds < 100 * length else (
                f"{seconds / length:,.0f} {unit}"
            )  # fmt: skip
    return f"{max(seconds, 0.1):.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def shown(value: object) -> str:
    """Write a value as the author would; a third as 1/3."""
    return "none" if value is None else written_number(value)
