"""Advice on tests over folds that have few of them: what they could detect, before the run."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.checking.rules.study_facts import (
    own_protocols,
    pair_test,
    repeated_form,
    repeated_options,
    test_of,
    tested_lines,
)
from evallang.diagnostics import Changes
from evallang.hypotheses import families_of, is_open
from evallang.protocols.protocol import PROTOCOLS
from evallang.stats.basics import normal_quantile
from evallang.stats.power_of_metrics import t_power
from evallang.study import Method, Protocol, Study

TARGET = 0.8  # power
MOST_LOST = 1.25
"""Smallest detectable difference over the one that any number of repeats could detect."""


class Drawn(Struct, frozen=True):
    """How many splits a protocol has, and which share of the rows each tests."""

    splits: int
    test_share: float


class Reach(Struct, frozen=True):
    """What a test over splits can detect: its splits, and differences in standard deviations.

    `detectable` is the smallest difference with power `TARGET`; `limit` the same with the parts
    drawn again without end.
    """

    splits: int
    ratio: float
    detectable: float
    limit: float

    @property
    def error(self) -> float:
        """The standard error of the mean difference."""
        return float((1 / self.splits + self.ratio) ** 0.5)

    @property
    def few(self) -> bool:
        """Whether repeats could detect clearly smaller differences."""
        return self.detectable > MOST_LOST * self.limit


@rule(
    "W357",
    changes=Changes.PRECISION,
    source="Nadeau & Bengio 2003; Bouckaert & Frank 2004",
    at=(Stage.DATA, Stage.PLAN),
    may_object=lambda s: is_open(s) or None in map(drawn_by_options, own_protocols(s)),
)
def fold_test_with_few_splits(known: Known) -> Iterator[Objection]:
    """A test over fold scores has so few folds that it detects only large differences.

    Few splits cost power in two ways: Student's t with four degrees of freedom requires a larger
    statistic than the normal distribution, and the corrected variance of the mean is a large share
    of the variance of the folds. More repeats reduce both; a test that counts examples has as many
    values as the study has rows.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol cv folds=5
        compare a, b with corrected_t

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        model b = LinearDiscriminantAnalysis
        protocol repeated cv folds=5 times=10
        compare a, b with corrected_t
    """
    for protocol in own_protocols(known.study):
        drawn, tested = drawn_by_options(protocol), [s for s in known.splits if s.fold >= 0]
        if drawn is None and protocol == known.protocol and tested:  # only the data tell
            shares = [len(s.test) / (len(s.test) + len(s.train)) for s in tested]
            drawn = Drawn(len(tested), sum(shares) / len(shares))
        if drawn is not None:
            yield from _few_splits(known.study, protocol, drawn)


def _few_splits(study: Study, protocol: Protocol, drawn: Drawn) -> Iterator[Objection]:
    families = families_of(study)
    for line in tested_lines(study):
        test = pair_test(line)
        if line.across or line.protocol != protocol.name or not test_of(test).t_over_splits:
            continue
        # a posterior decides at the study's confidence on one side, which is twice that on two
        alpha = 2 * (1 - study.confidence)
        if not test_of(test).bayesian:
            level = families.family(study, line).level(study.alpha)
            alpha = level * (2 if is_one_sided(test) else 1)
        found = reach(test, drawn, alpha)
        if found is None or not found.few:
            continue
        yield Objection(
            f"`{test.name}` on {found.splits} splits has {TARGET:.0%} power only for differences "
            f"of {_deviations(found)} of the fold differences or more"
            + (", beyond the region of practical equivalence" if test_of(test).bayesian else ""),
            line.span,
            help=_instead(test, protocol, repeated_form(study, protocol), alpha),
            notes=(_reason(study, test, found, alpha),),
        )


def _deviations(found: Reach) -> str:
    text = f"{found.detectable:.2g}"
    return f"{text} standard deviation{'' if text == '1' else 's'}"


def _reason(study: Study, test: Method, found: Reach, alpha: float) -> str:
    """State what few splits cost: the quantiles, and the standard error of the mean."""
    posterior = f"at a posterior probability of {study.confidence:.3g}"
    level = (
        f"a one-sided level of {alpha / 2:.3g}" if is_one_sided(test) else f"a level of {alpha:.3g}"
    ) + (" or less" if is_open(study) else "")
    at = posterior if test_of(test).bayesian else f"at {level}"
    normal = normal_quantile(1 - alpha) + normal_quantile(2 * TARGET - 1)
    return (
        f"{at}, {found.splits - 1} degrees of freedom ask for {found.detectable / found.error:.3g} "
        f"standard errors where the normal distribution asks for {normal:.3g}, and the standard "
        f"error is {found.error:.2g} standard deviations of the fold differences"
    )


def drawn_by_options(protocol: Protocol) -> Drawn | None:
    """Compute what a protocol draws; None where its options alone do not tell."""
    return _drawn(protocol.kind, protocol.options)


def _drawn(kind: str, options: Mapping[str, Any]) -> Drawn | None:
    declared = PROTOCOLS[kind].declaration
    splits, share = declared.n_splits(options), declared.test_share(options)
    return None if splits is None or share is None else Drawn(splits, share)


def reach(test: Method, drawn: Drawn, alpha: float) -> Reach | None:
    """Compute what a test can detect on these splits, at a two-sided level.

    None where there are fewer than two, or nothing to train on or to test.
    """
    splits, share = drawn.splits, drawn.test_share
    if splits < 2 or not 0 < share < 1 or not 0 < alpha < 1:
        return None
    stated = test.keywords().get("test_train_ratio")
    ratio = share / (1 - share) if stated is None else float(Fraction(str(stated)))
    found = t_power(None, 1.0, splits, alpha, TARGET, test_train_ratio=ratio).difference
    normal = normal_quantile(1 - alpha) + normal_quantile(2 * TARGET - 1)
    return None if found is None else Reach(splits, ratio, found, normal * ratio**0.5)


def is_one_sided(test: Method) -> bool:
    """Return whether the author named the side of a test."""
    return test.keywords().get("alternative", "two_sided") != "two_sided"


def has_few_splits(test: Method, protocol: Protocol, alpha: float) -> bool:
    """Return whether a test over splits would have too few of them under a protocol."""
    drawn = drawn_by_options(protocol)
    found = None if drawn is None else reach(test, drawn, alpha)
    return found is not None and found.few


def _instead(test: Method, protocol: Protocol, form: str, alpha: float) -> str:
    """State what detects smaller differences: the folds repeated."""
    repeated = repeated_options(protocol)
    drawn = None if repeated is None else _drawn(*repeated)
    found = None if drawn is None else reach(test, drawn, alpha)
    detects = "" if found is None else f", which detects {_deviations(found)}"
    return f"write `protocol {form}`{detects}"
