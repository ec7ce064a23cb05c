"""Repeated decisions on the same test data: the error of one decision divided among them."""

from evallang.bibliography import Reference

ARMITAGE_1969 = Reference(
    key="armitage1969",
    authors=("Armitage P", "McPherson CK", "Rowe BC"),
    year=1969,
    title="Repeated significance tests on accumulating data",
    venue="Journal of the Royal Statistical Society: Series A",
    volume="132(2)",
    pages="235-244",
    doi="10.2307/2343787",
)
DIGITS = 12


def error_of_one_look(error: float, looks: int) -> float:
    """Return the error allowed to one of several looks, of which together may err so often.

    By Bonferroni's inequality the sum bounds the error over all looks, however they depend on one
    another.
    """
    return round(error / looks, DIGITS)
