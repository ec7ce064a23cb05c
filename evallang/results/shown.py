"""The fields of JSON values that a report reads, checked when results are read.

A `Value` field may contain any result of a method. The fields named here have one type each, so
that a faulty `results.json` is refused with the place of the fault before a report is rendered.
"""

from collections.abc import Mapping
from typing import Annotated

from evallang.frozen_records import frozen
from evallang.results.kinds import Reads, Share

Number = float | None
Count = int | None
Amount = float | str


@frozen
class ShownOfTest:
    """The fields of `extra` of a test that a report reads."""

    p_first: Number = None
    p_rope: Number = None
    p_second: Number = None
    rope: Number = None
    margin: Number = None
    p_lower: Number = None
    p_upper: Number = None
    threshold: Number = None
    alternative: str | None = None
    chi2: Number = None
    p_chi2: Number = None
    p_exact: Number = None
    p_F: Number = None  # noqa: N815 - the name of the statistic
    p_corrected: Number = None
    p_midp: Number = None
    p_sign_flip: Number = None
    rank_first: Number = None
    rank_second: Number = None
    average_aligned_ranks: tuple[float, ...] | None = None
    standard_error: Number = None
    detectable: Number = None
    detectable_alpha: Number = None


@frozen
class ShownOfEstimate:
    """The fields of `extra` of an estimate that a report reads."""

    n_examples: Count = None
    n_repeats: int = 0
    seeds: int = 0
    sd_over_seeds: Number = None
    difference_to_rest: Number = None
    resubstitution: Number = None
    oob: Number = None
    gamma: Number = None
    R: Number = None
    weight: Number = None
    standard_error: Number = None


@frozen
class ShownAssumptions:
    """The assumptions of an answer that a report describes in words."""

    discordant: Number = None
    distribution: str | None = None


@frozen
class ShownAnswer:
    """The power of a test under one set of assumptions."""

    method: str
    assumptions: Annotated[Mapping[str, Amount], Reads(ShownAssumptions)]
    detectable: Number
    power: Number
    required_n: Count
    in_sd: bool
    notes: tuple[str, ...]


@frozen
class ShownPower:
    """The values of an analysis of power."""

    source: str
    test: str
    n: Count
    unit: str
    level: Share
    family_size: int
    correction: str | None
    target: Share
    difference: Number
    answers: tuple[ShownAnswer, ...]
    notes: tuple[str, ...]


@frozen
class ShownDiagnostic:
    """The fields of a finding of the check that a report reads."""

    code: str = ""
    name: str = ""
    severity: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    allowed_because: str | None = None
