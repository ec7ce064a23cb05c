"""`stratify`, `group`, `protocol`, `tune`: how rows are split, where candidates are chosen."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, cast

from evallang.checking import clause_values, codes, values
from evallang.checking.bounds import check_limit, report_limit
from evallang.checking.scope import Scope, suggestion
from evallang.checking.synonyms import meant_by, other_word
from evallang.data.dataset import DataSpec, PredictionsSpec, Task
from evallang.diagnostics import Edit, Fix, Related
from evallang.limits import CANDIDATES, SPLITS, OverLimit
from evallang.models.domains import number
from evallang.protocols.protocol import PROTOCOLS, ProtocolDeclaration
from evallang.registry import Entry, Option
from evallang.source import Span
from evallang.spelling import listed
from evallang.study import Method, OptionValue, Protocol, SourceSpec, Stratification, Tuning
from evallang.syntax import nodes as n
from evallang.syntax.language import STATEMENTS

MOST_OPTIONS = 8  # on one line; more than any protocol has are not looked for elsewhere
TUNE = STATEMENTS["tune"]
SHARED_OPTIONS = STATEMENTS["protocol"].options  # of every protocol
SEARCHES, SELECTIONS = TUNE.words["strategy"], TUNE.words["select"]


def stratification(
    scope: Scope, sources: Sequence[SourceSpec], task: Task | None
) -> Stratification | None:
    """Resolve `stratify`; the default is by target for classification, none for regression."""
    node = scope.single(n.StratifyNode)
    if not any(isinstance(source, DataSpec) for source in sources):
        return None
    if node is None:
        columns: tuple[str, ...] = () if task == "regression" else ("target",)
        words = "by target" if columns else "none"
        scope.default("stratify", words, "stratify", subject="target" if columns else None)
        return Stratification(columns)
    written = [clause_values.own_column(scope, column, or_target=True) for column in node.columns]
    columns = clause_values.distinct(scope, node.columns, written, " in `stratify`")
    bins = None
    for option in node.options:
        if option.key.name != "bins":
            known = STATEMENTS["stratify"].options
            text, fixes = suggestion(option.key.name, option.key.span, known)
            scope.report(
                codes.UNKNOWN_OPTION,
                f"`stratify` has no option `{option.key.name}`",
                option.key.span,
                help=text or "its option is `bins`",
                fixes=fixes,
            )
        else:
            bins = _bins(scope, option)
    by_target = "target" in columns or any(
        source.target in columns for source in sources if isinstance(source, DataSpec)
    )
    if by_target and task == "regression" and not node.options:
        scope.report(
            codes.WRONG_TASK,
            "a regression target has no classes to stratify by",
            node.span,
            help="write `stratify by target bins=5` or `stratify none`",
        )
    if bins is not None and task == "classification":
        scope.report(
            codes.WRONG_TASK,
            "`bins` cuts the target of a regression, and here it holds classes",
            node.span,
            help="remove `bins`",
        )
    return Stratification(columns, bins)


def _bins(scope: Scope, option: n.OptionNode) -> int:
    plain = number(option.value.literal) if isinstance(option.value, n.NumberNode) else None
    if isinstance(plain, int) and plain >= 2:
        return plain if check_limit(scope, "bins", plain, "stratify", option.value.span) else 2
    scope.report(codes.OPTION_VALUE, "`bins` takes a whole number from 2", option.value.span)
    return 2


def group_column(scope: Scope, sources: Sequence[SourceSpec]) -> str | None:
    """Resolve `group by`, the statement or the clause of a data set."""
    node = scope.single(n.GroupNode)
    clauses = [s for s in sources if isinstance(s, DataSpec | PredictionsSpec) and s.group]
    if node is None:
        return next((s.group for s in clauses if isinstance(s, DataSpec)), None)
    for source in clauses:
        scope.report(
            codes.STATEMENT_TWICE,
            f"the groups of `{source.name}` are given twice, by `group by` and by its clause",
            source.places.get("group"),
            related=[Related(node.span, "the statement is here")],
            help="keep the clause where data sets have columns of their own, else the statement",
        )
    return clause_values.own_column(scope, node.column)


def protocols(scope: Scope, task: Task | None) -> tuple[Protocol, ...]:
    """Resolve every protocol; several need names."""
    nodes = scope.of(n.ProtocolNode)
    unnamed = [node for node in nodes if node.name is None]
    if len(nodes) > 1 and unnamed:
        last = unnamed[-1]
        scope.report(
            codes.STATEMENT_TWICE,
            "each of several protocols needs a name",
            last.keyword,
            related=[Related(nodes[nodes[0] is last].keyword, "another is here")],
            help="write `protocol NAME = ...`, or remove all but one",
        )
    found = [_protocol(scope, node) for node in nodes]
    return tuple(protocol for protocol in found if protocol is not None)


def _protocol(scope: Scope, node: n.ProtocolNode) -> Protocol | None:
    words = tuple(word.name.replace("-", "_") for word in node.words)
    entry = _form(words)
    if entry is None:
        _unknown_form(scope, node, words)
        if node.name is not None:
            scope.broken.add(node.name.name)
        return None
    given: dict[str, OptionValue] = {}
    seeds = 1
    sound = True
    first: dict[str, Span] = {}
    for option in node.options:
        key = option.key.name
        if key in first:
            message = f"`{key}` is given twice to `{' '.join(words)}`"
            scope.report_twice(codes.PARAMETER_TWICE, message, option.span, first[key])
            continue
        first[key] = option.span
        if key in SHARED_OPTIONS:
            seeds = _seeds(scope, option, " ".join(words))
            continue
        declared = entry.option(key)
        if declared is None:
            names = [o.name for o in entry.options]
            text, fixes = suggestion(key, option.key.span, [*names, *SHARED_OPTIONS], "option")
            scope.report(
                codes.UNKNOWN_OPTION,
                f"`{' '.join(words)}` has no option `{key}`",
                option.key.span,
                help=(_share_of_training(option, node) if "test" in names else None)
                or text
                or _longer_form(scope, node, words)
                or _takes([*names, *SHARED_OPTIONS]),
                fixes=fixes,
            )
            sound = False
            continue
        good, value = values.option_value(scope, option.value, declared, " ".join(words))
        if good and not _sensible(scope, entry, declared, value, option):
            good = False
        if good and not check_limit(scope, key, value, " ".join(words), option.value.span):
            good = False
        sound = sound and good
        given[key] = value
    if node.by is not None and not (entry.declaration.of_assignment or _is_ordered(entry)):
        scope.report(
            codes.UNKNOWN_OPTION,
            f"`{' '.join(words)}` has no option `by`",
            node.by.span,
            help="remove it: `time_series by COLUMN` names the order of the rows, and `split by "
            "COLUMN` the folds",
        )
        sound = False
    sound = sound and _leaves_training(scope, entry, node, given)
    if not sound:
        if node.name is not None:
            scope.broken.add(node.name.name)
        return None
    for known in entry.options:
        if known.name not in given and not known.required and known.default is not None:
            clause = f"protocol {' '.join(words)} {known.name}"
            scope.default(clause, known.default, "protocol", known.name, subject=entry.name)
    options = {o.name: given.get(o.name, o.default) for o in entry.options}
    try:
        SPLITS.check(f"`{' '.join(words)}`", entry.declaration.n_splits(options) or 0)
    except OverLimit as error:
        report_limit(scope, error, node.span)
    return Protocol(
        name=node.name.name if node.name else entry.name,
        kind=entry.name,
        options=options,
        path=node.path.value if node.path else None,
        by=clause_values.own_column(scope, node.by) if node.by else None,
        seeds=seeds,
        span=node.span,
    )


def _is_ordered(entry: Entry[ProtocolDeclaration]) -> bool:
    """Return whether a protocol reads the rows in the order of time."""
    return entry.declaration.yields(entry.defaults()).ordered


TRAINING = frozenset({"train", "train_size", "training"})
"""What the share of training is called elsewhere; here it is what the other parts leave."""


def _share_of_training(option: n.OptionNode, node: n.ProtocolNode) -> str | None:
    """Return what to write for a stated share of training: `test=20%` for `train=80%`."""
    if option.key.name.casefold() not in TRAINING:
        return None
    written = {other.key.name: other.value for other in node.options}
    if "test" in written or not isinstance(option.value, n.NumberNode):
        return "remove it: training uses the rows that no other part holds"
    rest = 1 - _exact_share(option.value)
    if isinstance(validation := written.get("validation"), n.NumberNode):
        rest -= _exact_share(validation)
    if not 0 < rest < 1:
        return "training uses the other rows: write `test=20%`"
    percent = rest * 100
    share = f"{percent.numerator}%" if percent.denominator == 1 else f"{rest}"
    return f"training uses the other rows: write `test={share}`"


def _exact_share(node: n.NumberNode) -> Fraction:
    value = number(node.literal)
    return value if isinstance(value, Fraction) else Fraction(str(value))


def _longer_form(scope: Scope, node: n.ProtocolNode, words: tuple[str, ...]) -> str | None:
    """Find the protocol that these words are part of and that takes all options: `repeated cv`."""
    if len(node.options) > MOST_OPTIONS:
        return None
    for entry in sorted(PROTOCOLS, key=lambda entry: len(entry.options)):
        form, known = entry.declaration.words, [option.name for option in entry.options]
        asked = [(other_word("option", o.key.name, known) or o.key.name, o) for o in node.options]
        if set(words) < set(form) and {name for name, _ in asked} <= {*known, *SHARED_OPTIONS}:
            written = " ".join(f"{name}={scope.written(o.value.span)}" for name, o in asked)
            return f"write `protocol {' '.join(form)} {written}`"
    return None


def _takes(names: Sequence[str]) -> str:
    are = "option is" if len(names) == 1 else "options are"
    return f"its {are} {listed(names, 'and')}"


def _form(words: tuple[str, ...]) -> Entry[ProtocolDeclaration] | None:
    for entry in PROTOCOLS:
        if entry.declaration.words == words:
            return entry
    return None


def _unknown_form(scope: Scope, node: n.ProtocolNode, words: tuple[str, ...]) -> None:
    place = node.words[0].span.to(node.words[-1].span) if node.words else node.span
    forms = [" ".join(entry.declaration.words) for entry in PROTOCOLS]
    text, fixes = suggestion(" ".join(words), place, forms)
    turned = (form for form in forms if sorted(form.split()) == sorted(words))
    meant = meant_by("protocol", " ".join(words)) or next(turned, None)
    if meant is not None:
        text, fixes = f"did you mean `{meant}`?", []
        if "=" in meant:  # `10-fold cv` can mean nothing else
            fixes = [Fix(f"write `{meant}`", (Edit(place, meant),))]
    other = values.stands_in(" ".join(words), "protocol")
    message = f"there is no protocol `{scope.written(place)}`"
    if other is not None:
        message = f"`{' '.join(words)}` is {values.article(other)}, not a protocol"
    scope.report(
        codes.UNKNOWN_PROTOCOL,
        message,
        place,
        help=text or "`evallang list protocols` lists all of them",
        fixes=fixes,
    )


def _seeds(scope: Scope, option: n.OptionNode, method: str) -> int:
    plain = number(option.value.literal) if isinstance(option.value, n.NumberNode) else None
    if not isinstance(plain, int) or plain < 1:
        scope.report(codes.OPTION_VALUE, "`seeds` takes a whole number from 1", option.value.span)
        return 1
    return plain if check_limit(scope, "seeds", plain, method, option.value.span) else 1


def _sensible(
    scope: Scope,
    entry: Entry[ProtocolDeclaration],
    declared: Option,
    value: OptionValue,
    option: n.OptionNode,
) -> bool:
    key, share = declared.name, _is_share(declared)
    least = entry.declaration.least.get(key, 1)
    if not share and isinstance(value, int) and value < least:
        scope.report(codes.OPTION_VALUE, f"`{key}` must be at least {least}", option.value.span)
        return False
    if share and isinstance(value, int | float | Fraction) and not 0 < value < 1:
        scope.report(
            codes.OPTION_VALUE,
            f"`{key}` must be a share between 0 and 1",
            option.value.span,
            help=f"write `{key}={value}%`"
            if isinstance(value, int) and 5 <= value < 100
            else f"write `{key}=20%` or `{key}=1/3`",
        )
        return False
    return True


def _is_share(option: Option) -> bool:
    """Return whether an option is a share of the rows, not a whole number."""
    return not {"float", "Fraction"}.isdisjoint(option.types)


def _leaves_training(
    scope: Scope,
    entry: Entry[ProtocolDeclaration],
    node: n.ProtocolNode,
    given: Mapping[str, OptionValue],
) -> bool:
    """Refuse shares for test and validation that leave no rows to be trained on."""
    names = {option.name for option in entry.options if _is_share(option)}
    shares = [v for k, v in given.items() if k in names and isinstance(v, int | float | Fraction)]
    if len(shares) < 2 or sum(shares) < 1:
        return True
    place = next(o.value.span for o in reversed(node.options) if o.key.name in names)
    scope.report(
        codes.OPTION_VALUE,
        "`test` and `validation` together leave no rows to be trained on",
        place,
        help="write for example `test=20% validation=20%`",
    )
    return False


# --- tuning ----------------------------------------------------------------------------------


def tuning(scope: Scope, first_metric: Method | None) -> Tuning | None:
    """Resolve `tune`; without one, the grid is searched by the first measure."""
    node = scope.single(n.TuneNode)
    if node is None:
        if first_metric is None:
            return None
        return Tuning("grid", None, first_metric, None, "best")
    strategy = node.strategy.name if node.strategy else "grid"
    if strategy not in SEARCHES:
        assert node.strategy is not None
        text, fixes = suggestion(strategy, node.strategy.span, SEARCHES)
        scope.report(
            codes.UNKNOWN_WORD,
            f"there is no search `{strategy}`",
            node.strategy.span,
            help=text or f"write {listed(SEARCHES)}",
            fixes=fixes,
        )
        strategy = "grid"
    metric = values.method(scope, node.metric, "metric") if node.metric else first_metric
    select = node.select.name.replace("-", "_") if node.select else "best"
    if select not in SELECTIONS:
        assert node.select is not None
        text, fixes = suggestion(select, node.select.span, SELECTIONS)
        scope.report(
            codes.UNKNOWN_WORD,
            f"there is no rule `{select}` to select by",
            node.select.span,
            help=text or f"write {listed(SELECTIONS)}",
            fixes=fixes,
        )
        select = "best"
    if metric is None:
        return None
    return Tuning(
        cast(Literal["grid", "random", "bayes"], strategy),
        _sample_size(scope, node, strategy),
        metric,
        _inner_folds(scope, node.options),
        cast(Any, select),
        node.span,
        by_written=node.metric is not None,
        select_written=node.select is not None,
    )


def _sample_size(scope: Scope, node: n.TuneNode, strategy: str) -> int | None:
    if strategy == "grid":
        return None
    plain = number(node.n.literal) if node.n is not None else None
    if isinstance(plain, int) and plain >= 1 and node.n is not None:
        try:
            CANDIDATES.check(f"`tune {strategy}`", plain)
        except OverLimit as error:
            report_limit(scope, error, node.n.span)
        return min(plain, CANDIDATES.most)
    scope.report(
        codes.OPTION_VALUE,
        f"`tune {strategy}` needs the number of candidates, a whole number from 1",
        (node.n or node.strategy or node).span,
        help=f"write `tune {strategy} 50`",
    )
    return None


def _inner_folds(scope: Scope, options: Sequence[n.OptionNode]) -> int | None:
    found: int | None = None
    for option in options:
        if option.key.name not in TUNE.options:
            text, fixes = suggestion(option.key.name, option.key.span, TUNE.options)
            scope.report(
                codes.UNKNOWN_OPTION,
                f"`tune` has no option `{option.key.name}`",
                option.key.span,
                help=text or "its option is `cv=K`",
                fixes=fixes,
            )
            found = found or 2  # a stage was meant; nothing more is reported
            continue
        plain = number(option.value.literal) if isinstance(option.value, n.NumberNode) else None
        if isinstance(plain, int) and plain >= 2:
            sound = check_limit(scope, "cv", plain, "tune", option.value.span)
            found = plain if sound else 2
        else:
            scope.report(codes.OPTION_VALUE, "`cv` takes a whole number from 2", option.value.span)
            found = 2  # the stage is written, only wrong; nothing more is reported
    return found


def lacking(source: SourceSpec, protocol: Protocol | None) -> str:
    """End the sentence that something needs what a protocol or source does not give."""
    if protocol is None:
        return f", which `{source.name}` does not give"
    if PROTOCOLS[protocol.kind].declaration.tests_on_training_rows(protocol.options):
        return f", and `protocol {spoken(protocol)}` predicts rows that the models were fitted on"
    seeds = f" seeds={protocol.seeds}" if protocol.seeds > 1 else ""
    return f", which `protocol {spoken(protocol)}{seeds}` does not give"


def is_assigned(protocol: Protocol) -> bool:
    """Return whether the author assigns the rows, so that what is yielded is read from the data."""
    return PROTOCOLS[protocol.kind].declaration.of_assignment is not None


def spoken(protocol: Protocol) -> str:
    """Return the words of a protocol as an author writes them: `repeated cv`."""
    return " ".join(PROTOCOLS[protocol.kind].declaration.words)
