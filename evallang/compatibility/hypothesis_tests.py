"""Which test goes with a metric and what a protocol yields, and the nearest one that does."""

import math

from evallang.compatibility import (
    are_paired,
    is_auc,
    is_mean_of_recalls,
    is_mean_of_rows,
    is_proportion,
    is_smooth,
    metric_entry,
    with_fixed_runs,
    yields_of,
)
from evallang.compatibility.intervals import Unmet, alternatives, default_interval, needed_words
from evallang.data.dataset import DataSpec
from evallang.diagnostics import codes
from evallang.evidence import FOLD_SCORES, PER_ROW
from evallang.metrics.metric import METRICS, default_metric, share_metric
from evallang.protocols.protocol import Yields
from evallang.registry import Design, Entry, Situation
from evallang.spelling import written_name
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    DifferenceForm,
    HypothesisTestDeclaration,
    default_test,
)
from evallang.study import AnalysisSpec, ComparisonSpec, Method, Protocol, SourceSpec, Study

REPEATED = "repeated cv folds=10 times=10"
"""The protocol that is proposed for tests of fold scores."""


def fits_design(test: Entry[HypothesisTestDeclaration], yields: Yields) -> bool:
    """Return whether a protocol yields an input that a test accepts."""
    declared = test.declaration
    shared = declared.evidence & yields.evidence
    if shared and all(one.overlap for one in shared) and declared.designs:
        return yields.design in declared.designs
    return bool(shared)


def reads_order(test: Method) -> bool:
    """Return whether a test, as written, reads the examples in the order of time."""
    series = HYPOTHESIS_TESTS[test.name].declaration.series
    options = dict(test.options)
    return series is not None and all(options.get(option) is not None for option, _ in series)


def unmet_evidence(test: Method, metric: Method, yields: Yields, grouped: bool) -> Unmet | None:
    """Return why a test cannot run by a metric on the inputs that a protocol yields.

    The one proposed instead has a form for groups where rows are `grouped`.
    """
    entry, name = HYPOTHESIS_TESTS[test.name], f"`{test.name}`"
    declared, code = entry.declaration, codes.test_needs_other_evidence
    if yields.neighbours and declared.series is not None:
        if reads_order(test):
            return None
        instead = f"{with_tests(_series_form(entry))}, whose blocks are as long as the dependence"
        if grouped:
            instead = _ungrouped(_series_form(entry))
        return Unmet(
            code, f"{name} swaps single examples, and neighbours in time are alike", instead
        )
    fits = fits_design(entry, yields)
    if not fits and declared.reads_single_rows and declared.rests_on("fold"):  # by any interval
        reason = f"{name} needs a sound interval of the difference"
        return Unmet(code, reason, FOLD_SCORES.write, lacking=True)
    if fits and not yields.neighbours:
        return None
    nearest = nearest_test(metric, yields, test, clustered=grouped)
    if fits:
        reason = f"{name} treats examples as independent, and rows in time are not"
    elif not are_paired(yields) and declared.rests_on("row"):
        reason = f"{name} compares models example by example, and shares are not paired"
    else:
        of_folds = declared.rests_only_on("fold") and declared.designs
        needed = needed_words(declared.designs if of_folds else declared.evidence)
        return Unmet(code, f"{name} needs {needed}", nearest, lacking=True)
    return Unmet(code, reason, nearest)


def _ungrouped(*tests: str) -> str:
    """Propose tests of a series, none of which has a form for groups."""
    words = with_tests(*tests)
    return f"remove the group and {words}, which takes all rows of a moment together"


def _takes_rows_for_independent(test: Method) -> bool:
    """Return whether a test has no form for groups, as those for a series do not."""
    declared = HYPOTHESIS_TESTS[test.name].declaration
    on_one_set = (one for one in declared.evidence if one.unit != "data set")
    tied = all(one.groups == "tied" for one in on_one_set)
    return reads_order(test) or (tied and not declared.clustered)


def _ignores_weights(test: Method, yields: Yields) -> bool:
    declared = HYPOTHESIS_TESTS[test.name].declaration
    each = any(one.weights == "each" for one in declared.evidence & yields.evidence)
    return yields.weighted and not declared.weights and each


def unmet_metric(
    test: Method, metric: Method, yields: Yields | None = None, grouped: bool = False
) -> Unmet | None:
    """Return why a test is not about a metric; a proposed test must run on `yields`."""
    found = _unsuited_metric(test, metric, yields, grouped)
    if found is None:
        return None
    what, instead = found
    over_folds = HYPOTHESIS_TESTS[test.name].declaration.over_folds
    if yields is not None and over_folds and yields.rests_on("fold") and not yields.neighbours:
        repeated = fits_design(HYPOTHESIS_TESTS[over_folds], yields) and not yields.once
        instead = with_tests(over_folds) if repeated else _repeated(over_folds)
    elif yields is not None:
        instead = nearest_test(metric, yields, test, clustered=grouped)
    reason = f"`{test.name}` {what.format(f'`{metric.written}`')}"
    return Unmet(codes.test_of_another_metric, reason, instead)


def _unsuited_metric(
    test: Method, metric: Method, yields: Yields | None, grouped: bool
) -> tuple[str, str] | None:
    """Return what a test is about where that is not the metric, and what to write."""
    entry, about = metric_entry(metric), HYPOTHESIS_TESTS[test.name].declaration.tests
    average = dict(metric.options).get("average", "binary")
    counted = entry.declaration.counts_known_rows and average == "binary"
    instead = with_tests(test_of_any_metric())
    what = None
    if about == "correctness" and not counted:
        what = "tests accuracy, not {}"
    elif about == "recalls" and not is_mean_of_recalls(metric):
        what = "compares means of the recalls of classes, not {}"
    elif about == "losses" and entry.declaration.proportion == "all":
        # A share of right answers is a mean too, but of single examples `mcnemar` is the test
        if yields is not None and yields.once and not (yields.averaged or grouped):
            what = "compares means of several runs or of groups, and here every example has a "
            what += "single right or wrong answer"
            instead = with_tests(default_test("proportion"))
    elif about == "losses" and entry.declaration.form != "losses":
        what = "compares two values per example; {} "
        what += (
            "only counts each example as right or wrong" if counted else "is one value per test set"
        )
    elif about == "readers" and not is_smooth(metric):
        what = "needs a variance over examples, and the jackknife is not valid for {}"
        instead = f"write `by {_area_metric()}`"
    elif about == "strengths" and entry.declaration.needs != "games":
        what = "compares the strengths of models in pairwise judgements, not {}"
    elif about == "scores" and not is_auc(metric):
        what = "compares areas under the ROC curve, not {}"
        instead = f"write `by {_area_metric()}`, or {instead.removeprefix('write ')}"
    return None if what is None else (what, instead)


def unmet_by_test(
    test: Method, metric: Method, yields: Yields, grouped: bool, classes: int | None = None
) -> Unmet | None:
    """Return the first requirement of a test by a metric that is not met here, None where it runs.

    The checker and the table what-goes-with-what both ask this function. Tests whose sample
    is the data sets are not judged by their metric: one score of each is all they read.
    `classes` is the number of classes once data are read.
    """
    declared, problem = HYPOTHESIS_TESTS[test.name].declaration, None
    if not declared.rests_only_on("data set"):
        problem = unmet_metric(test, metric, yields, grouped)
    if problem is not None and metric.better is None:
        return problem
    # of values measured elsewhere what is lacking is the nearer reason
    problem = unmet_evidence(test, metric, yields, grouped) or problem
    if problem is not None:
        return problem
    share = metric.better is None and metric_entry(metric).declaration.proportion
    two_classes = {"correctness": share not in (None, False, "all"), "scores": is_auc(metric)}
    if _ignores_weights(test, yields):
        reason = "counts every example once, and these examples have weights"
        instead = nearest_test(metric, yields, test)
        return Unmet(codes.test_without_weights, f"`{test.name}` {reason}", instead)
    if grouped and _takes_rows_for_independent(test):
        reason = f"`{test.name}` treats rows as independent, and those of a group are not"
        if reads_order(test):
            reason = f"`{test.written}` has no form for groups"
        instead = nearest_test(metric, yields, test, clustered=True)
        return Unmet(codes.no_form_for_groups, reason, instead)
    if classes is not None and classes > 2 and two_classes.get(declared.tests):
        reason = f"`{test.name}` is for two classes, and `{metric.written}` of {classes} classes "
        instead = with_tests(test_of_any_metric())
        return Unmet(codes.test_of_another_metric, f"{reason}is an average", instead)
    return None


def _repeated(test: str) -> str:
    """Propose repeated cross-validation and a test of its folds."""
    return f"{FOLD_SCORES.write} and `with {test}`"


def tests_of_averages() -> list[str]:
    """Return the tests with a form for averages over data sets, the default first."""
    known = [entry for entry in HYPOTHESIS_TESTS if entry.declaration.averaged]
    return [entry.name for entry in sorted(known, key=lambda one: one.declaration.averaged)]


def joint_test(metric: Method, yields: Yields, grouped: bool) -> Method | None:
    """Return the test whose pairs are resampled together, None where none of them runs."""
    if yields.of_data_sets and not is_mean_of_rows(metric_entry(metric)):
        return Method(default_test("losses"))
    known = (entry for entry in HYPOTHESIS_TESTS if entry.declaration.jointly)
    for entry in sorted(known, key=lambda one: one.declaration.averaged or math.inf):
        if unmet_by_test(Method(entry.name), metric, yields, grouped) is None:
            return Method(entry.name)
    return None


def _area_metric() -> str:
    """Return the metric that the tests of areas are about."""
    return next(entry.name for entry in METRICS if entry.declaration.ranks == "area")


def test_of_any_metric() -> str:
    """Return the test of examples that is proposed for a metric that others are not about."""
    return next(
        entry.name
        for entry in HYPOTHESIS_TESTS
        if entry.declaration.proposed
        and entry.declaration.tests == "any"
        and entry.declaration.rests_on("row")
    )


def with_tests(*tests: str) -> str:
    """Propose tests, any of which may be written."""
    return "write " + alternatives(f"`with {test}`" for test in tests)


def difference_test(
    metric: Method, yields: Yields, classes: int | None = None, grouped: bool = False
) -> Method:
    """Return the test whose interval of the difference fits a metric and a protocol.

    The interval that decides a `require` line, and that `tost` and `noninferiority` read.
    """
    form = difference_form(metric, yields, classes)
    alone = form == "drawn" and not (
        grouped or yields.grouped or yields.weighted or yields.seeds or yields.averaged
    )
    name = default_test("recalls" if alone and is_mean_of_recalls(metric) else form)
    return Method(name, HYPOTHESIS_TESTS[name].declaration.as_default)


def tests_asked(study: Study, spec: AnalysisSpec) -> list[tuple[Method, Method, str | None]]:
    """Return the tests that an analysis of lines is about, with their metrics and protocols.

    Without a line that is the test whose interval `require` would read, once per protocol.
    """
    lines = [c for c in study.comparisons if spec.protocol in (None, c.protocol)]
    found = [
        (metric, test, line.protocol)
        for line in lines
        for metric in line.metrics
        if spec.metric in (None, metric)
        for test in tests_of(line)
    ]
    if found or any(spec.metric in (None, m) for line in lines for m in line.metrics):
        return found
    return tests_without_lines(study, spec)


def tests_of(line: ComparisonSpec) -> tuple[Method, ...]:
    """Return the tests of a line: of all models together, and of pairs."""
    pairs = line.post_hoc if line.omnibus else line.post_hoc or line.test
    tests = (line.test if line.omnibus else None, pairs)
    return tuple(test for test in tests if test is not None)


def tests_without_lines(
    study: Study, spec: AnalysisSpec
) -> list[tuple[Method, Method, str | None]]:
    """Return the metric, test and protocol of one comparison of two models, per protocol."""
    metric = spec.metric or (
        study.measures[0].metric if study.measures else Method(default_metric("classification"))
    )
    own = [p for p in study.protocols if spec.protocol in (None, p.name)]
    fitted = any(isinstance(source, DataSpec) for source in study.sources)
    return [
        (
            metric,
            difference_test(metric, yields_of(study.sources[0], protocol)),
            None if protocol is None else protocol.name,
        )
        for protocol in (own if fitted else (None,))
    ]


def form_asked(
    metric: Method, source: SourceSpec, protocol: Protocol | None, classes: int | None = None
) -> DifferenceForm | None:
    """Return what a difference on a source is made from; None where models are not fitted there."""
    if protocol is None and isinstance(source, DataSpec):
        return None
    return difference_form(metric, yields_of(source, protocol), classes)


def difference_form(metric: Method, yields: Yields, classes: int | None) -> DifferenceForm:
    """Return what the interval of a difference is made from."""
    if not are_paired(yields):
        return "shares"
    if yields.crossed:
        return "readers"
    if yields.rests_on("game"):
        return "strengths"
    entry = metric_entry(metric)
    if yields.averaged:
        means = yields.of_data_sets or is_mean_of_rows(entry)
        return "losses" if means and not yields.weighted else "drawn"
    if yields.design in (Design.REPEATED, Design.RESAMPLED) or not yields.once:
        return "splits"
    if yields.weighted or yields.seeds:
        return "drawn"
    binary = classes in (None, 2)
    if entry.declaration.proportion == "all" or (
        entry.declaration.counts_known_rows and binary and is_proportion(entry, metric.options)
    ):
        return "proportion"
    if is_auc(metric) and binary:
        return "auc"
    if entry.declaration.form == "losses" and entry.declaration.transform is None:
        return "series" if yields.neighbours else "losses"
    return "drawn"


def series_forms(metric: Method, yields: Yields, clustered: bool) -> list[str]:
    """Return how the tests that allow for dependence in time are written for a metric.

    Those declared for a first study of a series come first, then those that need no option for it.
    None has a form for groups.
    """
    found = [
        entry
        for entry in HYPOTHESIS_TESTS
        if entry.declaration.series is not None
        and not clustered
        and not _ignores_weights(Method(entry.name), yields)
        and _unsuited_metric(Method(entry.name), metric, yields, clustered) is None
    ]

    def place(entry: Entry[HypothesisTestDeclaration]) -> tuple[int, bool]:
        first = entry.declaration.first_for.get(Situation.TIME, len(found))
        return first, bool(entry.declaration.series)

    return [_series_form(entry) for entry in sorted(found, key=place)]


def _series_form(entry: Entry[HypothesisTestDeclaration]) -> str:
    """Write a test so that it allows for dependence in time."""
    return Method(entry.name, entry.declaration.series or ()).written


def guaranteed(test: Method) -> Method:
    """Write a test of a gate in the form whose level is guaranteed, unless it states one."""
    form = HYPOTHESIS_TESTS[test.name].declaration.guaranteed
    if form is None or form[0] in dict(test.options):
        return test
    return Method(test.name, (form, *test.options))


def share_tests() -> tuple[str, ...]:
    """Return the tests that accept the shares of two models, whose pairs are unknown."""
    return tuple(entry.name for entry in HYPOTHESIS_TESTS if "shares" in entry.inputs)


def has_same_null(
    other: Entry[HypothesisTestDeclaration], own: Entry[HypothesisTestDeclaration]
) -> bool:
    """Return whether another test is of the null hypothesis of one, on the same examples."""
    a, b = other.declaration, own.declaration
    plain = not (a.instead or a.bayesian or a.self_correcting or a.omnibus)
    independent = "shares" in other.inputs and "shares" not in own.inputs
    alike = (a.null, a.claim) == (b.null, b.claim)
    return other.name != own.name and plain and not independent and alike


def nearest_test(
    metric: Method,
    yields: Yields,
    written: Method | None = None,
    *,
    clustered: bool = False,
    model: str = "MODEL",
) -> str:
    """Return the proposal for a test that cannot run by a metric.

    One on the same evidence as the `written` test comes first, and an omnibus where one was
    written; `clustered` asks for a test with a form for groups; `model` is what a claim
    about one model names.
    """
    if written is not None and HYPOTHESIS_TESTS[written.name].declaration.models == (1, 1):
        return _claim_about_one(written, metric, yields, clustered, model)
    if yields.crossed and not is_smooth(metric):
        return with_fixed_runs(yields)
    if yields.neighbours:
        return (_ungrouped if clustered else with_tests)(*series_forms(metric, yields, False))
    asked = HYPOTHESIS_TESTS[written.name].declaration if written else None
    of_many = asked is not None and asked.omnibus and asked.models[0] > 2
    over_rows = asked is not None and asked.rests_on("row")
    for entry in _proposals(yields, of_many=of_many, over_rows=over_rows):
        proposed = Method(entry.name)
        if not fits_design(entry, yields) or _ignores_weights(proposed, yields):
            continue
        if clustered and _takes_rows_for_independent(proposed):
            continue
        if _unsuited_metric(proposed, metric, yields, clustered) is None:
            then = entry.declaration.followed_by if _is_of_many(entry) else ()
            return with_tests(" then ".join((entry.name, *then[:1])))
    return _repeated(default_test("splits"))


def _is_of_many(entry: Entry[HypothesisTestDeclaration]) -> bool:
    return entry.declaration.omnibus and entry.declaration.models[0] > 2


def _proposals(
    yields: Yields, *, of_many: bool, over_rows: bool
) -> list[Entry[HypothesisTestDeclaration]]:
    """Return the tests that may be proposed, the best first.

    Those of single examples come first where one was written; else they follow those of folds,
    and the tests of areas, which no test of folds resembles, are not among them.
    """
    if not are_paired(yields):
        return [HYPOTHESIS_TESTS[name] for name in share_tests()]
    known = [entry for entry in HYPOTHESIS_TESTS if entry.declaration.proposed]
    many = [entry for entry in known if _is_of_many(entry) and of_many]
    pairs = [entry for entry in known if not _is_of_many(entry)]
    if not over_rows:
        pairs = [entry for entry in pairs if entry.declaration.tests != "scores"]

    def place(entry: Entry[HypothesisTestDeclaration]) -> tuple[bool, int]:
        return over_rows and not entry.declaration.rests_on("row"), entry.declaration.proposed

    return [*many, *sorted(pairs, key=place)]


def _claim_about_one(
    written: Method, metric: Method, yields: Yields, clustered: bool, model: str
) -> str:
    """Return the proposal for a test of one model against a value."""
    if yields.neighbours or not yields.evidence:
        return "remove the line: the value of each fold is shown"
    rate = HYPOTHESIS_TESTS[written.name].declaration.tests == "correctness" and not metric.better
    claimed = Method(share_metric(right=False)) if rate else metric
    declared = metric_entry(claimed).declaration
    sign = "<=" if declared.better == "lower" else ">="
    value = dict(written.options).get("threshold")
    of_metric = metric.better is None or not rate
    low, high = declared.low, declared.high
    if not (isinstance(value, int | float) and of_metric) or not (
        (low is None or value >= low) and (high is None or value <= high)
    ):
        value = "VALUE"
    claim = (
        f"`require {claimed.written} of {written_name(model)} {sign} {value}` in place of this line"
    )
    if default_interval(claimed, yields, None, clustered) is not None:
        return f"write {claim}"
    return f"write `protocol {decidable_protocol(claimed, clustered)}`, and {claim}"


def decidable_protocol(metric: Method, grouped: bool) -> str:
    """Return a protocol under which a metric has an interval."""
    yields = Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD)
    once = default_interval(metric, yields, None, grouped) is not None
    return "cv folds=10" if once else REPEATED


def test_over_data() -> str:
    """Return the test of two models whose sample is data sets."""
    many = (e.declaration for e in HYPOTHESIS_TESTS if e.declaration.across_data)
    return next(declared.followed_by[-1] for declared in many if declared.followed_by)
