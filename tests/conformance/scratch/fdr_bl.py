"""A step-down correction that controls the false discovery rate of independent tests."""

from evallang.bibliography import Reference
from evallang.registry import Example
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    apply_in_order,
    step_down,
)


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fdr",
        "independence",
        "conservative",
        adjective="Benjamini–Liu",
        strictest="product",
        when="few independent hypotheses, of which a share of false discoveries is acceptable",
        when_not="tests that depend on one another: holm",
        formula="(m - i + 1) / m of 1 - (1 - p) to the power of m - i + 1, from the smallest p up",
    ),
    title="Benjamini-Liu step-down correction",
    references=(
        Reference(
            key="benjamini1999",
            authors=("Benjamini Y", "Liu W"),
            year=1999,
            title="A step-down multiple hypotheses testing procedure that controls the false "
            "discovery rate under independence",
            venue="Journal of Statistical Planning and Inference",
            volume="82(1-2)",
            pages="163-170",
        ),
    ),
    examples=(
        Example(
            ((0.01, 0.04, 0.2),),
            {"0": 1 - 0.99**3, "1": 2 / 3 * (1 - 0.96**2), "2": 0.2},
            "own derivation: the formula; the last, 0.2 / 3, is not below p",
            1e-12,
        ),
    ),
)
def fdr_bl(p: P) -> Adjusted:
    """Control the expected share of false discoveries among independent tests, step by step.

    No adjusted p is smaller than p itself.
    """

    def rule(ps: list[float]) -> list[float]:
        m = len(ps)
        return step_down([(m - i) / m * (1 - (1 - x) ** (m - i)) for i, x in enumerate(ps)])

    return apply_in_order(p, rule)
