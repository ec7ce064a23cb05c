"""The fits of analyses that train on bootstrap samples and predict the rows that were not drawn."""

from collections.abc import Sequence

from evallang.planning.subsets import Subset, options_of
from evallang.protocols.protocol import PROTOCOLS, Rows
from evallang.stats.analyses.analysis import ANALYSES
from evallang.study import AnalysisSpec, Protocol, Study


def asks_for_rounds(spec: AnalysisSpec) -> bool:
    """Return whether an analysis fits models on bootstrap samples."""
    return ANALYSES[spec.method.name].declaration.fits == "rounds"


def protocol_of_rounds(study: Study, spec: AnalysisSpec) -> Protocol:
    """Return the design of the rounds: the author's own if it has as many, to share its fits."""
    declared = ANALYSES[spec.method.name].declaration
    rounds = options_of(spec)["rounds"]
    for own in study.protocols:
        alike = own.kind == declared.resampled and own.options.get("rounds") == rounds
        if alike and own.implied_by is None:
            return own
    options = {**PROTOCOLS[declared.resampled].defaults(), "rounds": rounds}
    return Protocol(declared.resampled, declared.resampled, options)


def rounds_of(protocol: Protocol, rows: Rows) -> Sequence[Subset]:
    """Draw the rounds; the fit on all rows is not one of them."""
    splits = PROTOCOLS[protocol.kind].function(rows, **protocol.options)
    return [Subset(0, 0, split) for split in splits if split.fold >= 0]
