"""The fields of JSON values that a report reads, checked when results are read.

A `Value` field may contain any result of a method. The fields named here have one type each, so
that a faulty `results.json` is refused with the place of the fault before a report is rendered.
"""

from collections.abc import Mapping

from msgspec import Struct

Number = float | None
Count = int | None
Amount = float | str


class ShownOfTest(Struct, frozen=True):
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
    df_chi2: Number = None
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
    detectable_n: Count = None
    detectable_error: Number = None
    assumed: Mapping[str, float] | None = None
    mean_difference: Number = None
    scale: Number = None
    wins: Count = None
    ties: Count = None
    losses: Count = None
    rounds: Count = None


class ShownOfEstimate(Struct, frozen=True):
    """The fields of `extra` of an estimate that a report reads."""

    n_examples: Count = None
    n_repeats: int = 0
    n_readers: int = 0
    readers_sampled: bool = False
    n_seeds: int = 0
    seeds: int = 0
    sd_over_seeds: Number = None
    sd_within: Number = None
    difference_to_rest: Number = None
    resubstitution: Number = None
    oob: Number = None
    gamma: Number = None
    R: Number = None
    weight: Number = None
    standard_error: Number = None


class ShownDiagnostic(Struct, frozen=True):
    """The fields of a finding of the check that a report reads."""

    code: str = ""
    name: str = ""
    severity: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    allowed_because: str | None = None
