"""Advice on families of hypotheses."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import (
    data_set_column,
    is_by_default,
    listed,
    own_protocols,
    pair_test,
    tables,
    test_of,
)
from evallang.compatibility import metric_entry
from evallang.data.text_forms import names_replicate
from evallang.diagnostics import Changes, Related, Severity
from evallang.hypotheses import Hypothesis, hypotheses_of, is_open, names_in
from evallang.metrics.metric import share_metric
from evallang.models.model import is_baseline
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.study import ComparisonSpec, Method, Study, models_of


@rule(
    "W301",
    changes=Changes.CLAIMS,
    source="Holm 1979; Demšar 2006, 3.2",
    at=(Stage.DATA,),
    may_object=is_open,
)
def many_comparisons_without_correction(known: Known) -> Iterator[Objection]:
    """Several hypotheses are tested without a correction.

    Each uncorrected test at level alpha has its own chance of a false claim, and over many tests
    these chances add up. An omnibus test before them does not change that: it protects only if all
    models are equal.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier
        model c = LinearDiscriminantAnalysis
        protocol cv
        compare with mcnemar uncorrected

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier
        model c = LinearDiscriminantAnalysis
        protocol cv
        compare with mcnemar holm
    """
    study = known.study
    for comparison in study.comparisons:
        correction = comparison.correction
        if correction is None or CORRECTIONS[correction.name].declaration.adjusts:
            continue
        size = len(hypotheses_of(study, comparison))
        if size > 1:
            more = " or more" if is_open(study) else ""
            yield Objection(
                f"{size} hypotheses{more} are tested without a correction",
                comparison.span,
                help="remove `uncorrected` (Holm's correction is the default), or write "
                "`bonferroni`",
            )


@rule(
    "W302",
    changes=Changes.CLAIMS,
    source="Simmons, Nelson & Simonsohn 2011",
    at=(Stage.DATA,),
    may_object=is_open,
)
def same_pair_tested_twice(known: Known) -> Iterator[Objection]:
    """Two lines test the same pair of models by the same metric on the same data.

    With two p-values for one question, an author can report the smaller one, and its level is no
    longer alpha. Choose the test before the run; mark a second one as `exploratory`, which keeps it
    out of the decisions.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol repeated cv
        compare a, b with corrected_t
        compare a, b with 5x2cv_f

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol repeated cv
        compare a, b with corrected_t
        compare a, b with 5x2cv_f exploratory
    """
    study = known.study
    decided = [comparison for comparison in study.comparisons if not comparison.exploratory]
    if study.families == "together" or len(decided) < 2:
        return  # one correction covers all lines, so that a second test has its price
    first: dict[tuple[object, ...], tuple[ComparisonSpec, Method]] = {}
    for comparison in decided:
        again: list[tuple[Hypothesis, Method]] = []
        earliest: ComparisonSpec | None = None
        for hypothesis in hypotheses_of(study, comparison):
            metric = same_question(hypothesis.metric)
            bound = _bound(comparison, hypothesis)
            key = (hypothesis.source, metric, frozenset(hypothesis.models), bound)
            earlier, before = first.setdefault(key, (comparison, hypothesis.metric))
            if earlier is not comparison:
                again.append((hypothesis, before))
                earliest = earliest or earlier
        if again and earliest is not None:
            yield Objection(
                _twice(again),
                comparison.span,
                help="keep one of the lines, or end this one in `exploratory`",
                related=(Related(earliest.span, "tested here first"),) if earliest.span else (),
            )


def _bound(comparison: ComparisonSpec, hypothesis: Hypothesis) -> object:
    """Return what a test asks beyond "is there a difference": a margin, a stated value.

    Whether models differ and whether they differ by less than a margin are two questions; so
    is which of two is not worse.
    """
    test = comparison.post_hoc or comparison.test
    options = dict(test.options)
    if "margin" in options:
        first = hypothesis.models[0] if test_of(test).claim == "noninferior" else None
        return test.name, options["margin"], first
    return options.get("threshold")


def _twice(again: list[tuple[Hypothesis, Method]]) -> str:
    """Return the first hypothesis that an earlier line tests, maybe by the same metric reversed."""
    hypothesis, before = again[0]
    now = hypothesis.metric
    tested = f"{listed(hypothesis.models)} {'are' if len(hypothesis.models) > 1 else 'is'} tested"
    count = len(again) - 1
    more = f", as are {count} more hypotheses of this line" if count else ""
    more = ", as is one more hypothesis of this line" if count == 1 else more
    if same_question(before) == same_question(now) and before.name != now.name:
        return (
            f"{tested} twice, by `{before.written}` and by `{now.written}`, whose differences are "
            f"the same but for their sign{more}"
        )
    return f"{tested} by `{now.written}` twice{more}"


def same_question(metric: Method) -> Method:
    """Return one metric for those whose differences are the same but for their sign."""
    options = tuple((k, v) for k, v in metric.options if (k, v) != ("average", "binary"))
    declared = metric_entry(metric).declaration
    wrong = declared.complement and declared.proportion == "all"
    name = share_metric(right=True) if wrong else metric.name
    return replace(metric, name=name, options=options)


@rule(
    "W303",
    changes=Changes.CLAIMS,
    source="Hochberg 1988; Sarkar 1998",
    at=(Stage.DATA,),
    may_object=is_open,
)
def step_up_correction_of_dependent_pairs(known: Known) -> Iterator[Objection]:
    """Hochberg's or Hommel's correction is used for pairs that share models.

    Both rest on Simes' inequality, which is proven for independent p-values and for some kinds of
    positive dependence, such as comparisons with one reference. The p-values of all pairs of models
    are dependent in another way; Holm's correction holds under any dependence.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        model c = LinearDiscriminantAnalysis
        protocol holdout
        compare with mcnemar hochberg

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        model c = LinearDiscriminantAnalysis
        protocol holdout
        compare with mcnemar holm
    """
    study = known.study
    for comparison in study.comparisons:
        name = comparison.correction.name if comparison.correction else None
        entry = CORRECTIONS.get(name) if name else None
        if entry is None or entry.declaration.controls != "fwer":
            continue
        by_source: dict[str, list[Hypothesis]] = {}
        for hypothesis in hypotheses_of(study, comparison):
            by_source.setdefault(hypothesis.source, []).append(hypothesis)
        # those that share one model, by one metric, depend by a common reference alone
        entangled = any(
            not set.intersection(*(set(one.models) for one in some))
            or len({one.metric for one in some}) > 1
            for some in by_source.values()
            if len(some) > 1
        )
        if entry.declaration.assumes == "positive" and entangled:
            yield Objection(
                f"`{entry.name}` assumes p-values that are independent or positively dependent, "
                "which the p-values of this line may not be",
                comparison.span,
                help="write `holm`, which holds for any dependence",
            )


@rule("W304", changes=Changes.QUESTION, source="Demšar 2006, 3.2.2; Dunnett 1955")
def baseline_among_the_compared(study: Study) -> Iterator[Objection]:
    """An omnibus test, or a comparison of all pairs, includes a baseline.

    An omnibus test that includes a model without features rejects because of that model, and says
    nothing about the others. Among all pairs, those with the baseline enlarge the family and cost
    the other pairs power. Comparisons with a baseline are a family of their own.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        model prior = DummyClassifier
        protocol holdout
        compare with cochran then mcnemar

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        model prior = DummyClassifier
        protocol holdout
        compare a, b with mcnemar
        compare against prior with mcnemar holm
    """
    baselines = {model.name for model in study.models if is_baseline(model)}
    for comparison in study.comparisons:
        for table in () if comparison.singly else tables(study)[:1]:
            models = models_of(comparison, names_in(study.model_names, table, comparison))
            among = [name for name in models if name in baselines]
            others = [name for name in models if name not in baselines]
            all_pairs = comparison.against is None and not comparison.pairs
            if not among or not others or len(models) < 3 or not (comparison.omnibus or all_pairs):
                continue
            words = (
                f"the baseline {listed(among)} is compared as if it were a model like the others"
                if len(among) == 1
                else f"the baselines {listed(among)} are compared as if they were models like the "
                "others"
            )
            yield Objection(words, comparison.span, help=_instead(study, comparison, among, others))


def _instead(
    study: Study, comparison: ComparisonSpec, baselines: list[str], others: list[str]
) -> str:
    """Return the line that compares with a baseline; a single model is the reference itself."""
    reference, named = (baselines[0], others) if len(others) > 1 else (others[0], baselines)
    everybody = not comparison.models and len(named) == len(study.models) - 1
    who = "" if everybody else f"{', '.join(named)} "
    across = " across data" if comparison.across else ""
    across += f" averaged over {comparison.averaged}" if comparison.averaged else ""
    test = pair_test(comparison)
    words = (test_of(test).self_correcting and test_of(test).instead) or test.written
    words += "" if test_of(test).bayesian else " holm"
    if not is_by_default(study, "compare", "by", comparison.index):
        words += f" by {', '.join(metric.written for metric in comparison.metrics)}"
    if len(own_protocols(study)) > 1:
        words += f" on {comparison.protocol}"
    own = f"compare {who}against {reference}{across} with {words}"
    if comparison.against in baselines and len(others) > 1:
        return f"remove the omnibus: `{own}`"
    if len(others) < 2:
        return f"write `{own}`"
    return f"write `compare {', '.join(others)} ...`, and on a line of its own `{own}`"


@rule(
    "W305",
    changes=Changes.QUESTION,
    source="Benavoli, Corani & Mangili 2016",
    severity=Severity.HINT,
)
def ranks_that_depend_on_the_pool(study: Study) -> Iterator[Objection]:
    """Pairs are compared by mean ranks, which depend on the other models of the comparison.

    Whether Nemenyi's test, and the tests of mean ranks with Bonferroni's or Dunn's correction, find
    two models different depends on which other models are on the line: with three models that rank
    between the two they may differ, with the same three far behind they may not. A test of each
    pair on its own scores does not depend on the other models.

    Objects to:

        data suite from "suite/*.csv"
          target class
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        model c = KNeighborsClassifier
        protocol cv
        compare across data with friedman then nemenyi

    Accepts:

        data suite from "suite/*.csv"
          target class
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        model c = KNeighborsClassifier
        protocol cv
        compare across data with friedman then wilcoxon holm
    """
    for comparison in study.comparisons:
        test = pair_test(comparison)
        by_ranks = test_of(test).by_mean_ranks
        if any(names_replicate(column) for s in study.sources if (column := data_set_column(s))):
            continue  # another test of them has the same flaw
        pools = (
            models_of(comparison, names_in(study.model_names, s, comparison)) for s in study.sources
        )
        others = any(len(pool) != 2 for pool in pools)  # besides a pair, as far as they are known
        if by_ranks and not comparison.exploratory and others:
            before = f"{comparison.test.written} then " if comparison.post_hoc else ""
            yield Objection(
                f"`{test.name}` compares mean ranks, and these depend on the other models of the "
                "comparison",
                comparison.span,
                help=f"write `with {before}{test_of(test).instead} holm`",
            )


MOST_MEASURES = 2  # lines of a primary and a secondary measure, which a reader keeps apart


class _Line(Struct, frozen=True):
    """A confirmatory line with the hypotheses that no earlier line has."""

    spec: ComparisonSpec
    hypotheses: tuple[Hypothesis, ...]

    @property
    def models(self) -> frozenset[str]:
        return frozenset(model for one in self.hypotheses for model in one.models)

    @property
    def questions(self) -> frozenset[tuple[str, object]]:
        """The data sets with what is measured on them."""
        return frozenset((one.source, same_question(one.metric)) for one in self.hypotheses)

    @property
    def pairs(self) -> frozenset[tuple[str, frozenset[str]]]:
        """The data sets with the models that are compared on them."""
        return frozenset((one.source, frozenset(one.models)) for one in self.hypotheses)

    def belongs_to(self, other: "_Line") -> bool:
        """Return whether a reader takes two lines for answers to one question."""
        if test_of(pair_test(self.spec)).claim != test_of(pair_test(other.spec)).claim:
            return False  # a difference and a margin are two questions
        if self.spec.protocol != other.spec.protocol:
            return False
        return bool(self.questions & other.questions or self.pairs & other.pairs)


@rule(
    "W449",
    changes=Changes.CLAIMS,
    source="Bender & Lange 2001; Demšar 2006, 3.2",
    at=(Stage.DATA,),
    may_object=is_open,
)
def families_in_separate_lines(known: Known) -> Iterator[Objection]:
    """One family of hypotheses is written on several lines, each with a level of its own.

    A correction covers the hypotheses of its line. Five lines that compare one model with five
    others are five families of one hypothesis, and none is corrected: the chance of a false
    claim is that of five uncorrected tests. Comparisons with a baseline are a family of their
    own, and a line about a margin asks another question.

    Objects to:

        data wine from sklearn wine
        model ours = LinearDiscriminantAnalysis
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        protocol holdout
        compare ours vs a with mcnemar
        compare ours vs b with mcnemar

    Accepts:

        data wine from sklearn wine
        model ours = LinearDiscriminantAnalysis
        model a = GaussianNB
        model b = DecisionTreeClassifier(max_depth=3)
        protocol holdout
        compare against ours with mcnemar holm
    """
    study = known.study
    if study.families == "together":
        return
    for family in _families(_lines(study)):
        hypotheses = sum(len(line.hypotheses) for line in family)
        level = min(1.0, len(family) * study.alpha)
        earlier = [line.spec.span for line in family[:-1] if line.spec.span is not None]
        yield Objection(
            f"{len(family)} lines test {hypotheses} hypotheses about {_subject(family)}, each "
            f"line at {study.alpha:g}: without any difference, one of them rejects in up to "
            f"{level:.0%} of such studies",
            family[-1].spec.span,
            help="write `families together` below `study` for one correction of all lines, or "
            "end those of secondary questions in `exploratory`",
            related=tuple(Related(span, "a line of the same family") for span in earlier),
        )


def _lines(study: Study) -> list[_Line]:
    """List the lines that claim something new about models that look at features."""
    baselines = {model.name for model in study.models if is_baseline(model)}
    seen: set[tuple[object, ...]] = set()
    found = []
    for line in study.comparisons:
        if line.exploratory or test_of(pair_test(line)).bayesian:
            continue
        new = []
        for one in hypotheses_of(study, line):
            key = (one.source, same_question(one.metric), frozenset(one.models))
            if key not in seen and not baselines.intersection(one.models):
                new.append(one)
            seen.add(key)
        if new:
            found.append(_Line(line, tuple(new)))
    return found


def _families(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Iterate over the groups of lines that belong together, by way of others too."""
    groups: list[list[_Line]] = []
    for line in lines:
        joined = [group for group in groups if any(line.belongs_to(one) for one in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([one for group in joined for one in group] + [line])
    for group in groups:
        measures = {question for line in group for question in line.questions}
        if len(group) > (1 if len(measures) == 1 else MOST_MEASURES):
            yield group


def _subject(family: Sequence[_Line]) -> str:
    """Return what all lines are about: models, else measures."""
    models = frozenset.intersection(*(line.models for line in family))
    if models:
        return listed(sorted(models))
    metrics = dict.fromkeys(one.metric.written for line in family for one in line.hypotheses)
    return listed(metrics)
