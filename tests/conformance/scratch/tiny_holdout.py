"""A rule: parts of a split that test too few rows, by the options or once the splits are drawn."""

from collections.abc import Iterator

from evallang.checking.rules.rule import Known, Objection, Stage, rule
from evallang.protocols.protocol import PROTOCOLS
from evallang.study import Protocol

LEAST_SHARE = 0.1
LEAST_ROWS = 20


def _share(protocol: Protocol) -> float | None:
    return PROTOCOLS[protocol.kind].declaration.test_share(protocol.options)


@rule("W389", source="own derivation", at=(Stage.PLAN,))
def tiny_holdout(known: Known) -> Iterator[Objection]:
    """A test part is too small for a useful interval.

    The interval of a share of twenty rows is at least twenty points wide near one half.

    Objects to:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout test=5%

    Accepts:

        data wine from sklearn wine
        model a = GaussianNB
        protocol holdout test=1/3
    """
    for protocol in known.study.protocols:
        share = _share(protocol)
        rows = [len(split.test) for split in known.splits if protocol == known.protocol]
        if share is not None and share < LEAST_SHARE:
            yield Objection(
                f"`{protocol.name}` tests on {share:.0%} of the rows",
                protocol.span,
                help="write `test=1/3`",
            )
        elif rows and min(rows) < LEAST_ROWS:
            yield Objection(
                f"`{protocol.name}` tests on {min(rows)} rows",
                protocol.span,
                help="test on more rows",
            )
