"""Advice on one family of hypotheses that is written on several lines."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from evallang.checking.rules.families import WITH_ALL_HYPOTHESES
from evallang.checking.rules.multiplicity import same_question
from evallang.checking.rules.rule import Objection, rule
from evallang.checking.rules.study_facts import listed, pair_test, test_of
from evallang.diagnostics import Changes, Related
from evallang.hypotheses import Hypothesis, hypotheses_of
from evallang.models.model import is_baseline
from evallang.study import ComparisonSpec, Study

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
    later=(WITH_ALL_HYPOTHESES,),
)
def families_in_separate_lines(study: Study) -> Iterator[Objection]:
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
