"""Repeated decisions on the same test data: the error of one decision divided among them."""

DIGITS = 12


def error_of_one_look(error: float, looks: int) -> float:
    """Return the error allowed to one of several looks, of which together may err so often.

    By Bonferroni's inequality the sum bounds the error over all looks, however they depend on one
    another.
    """
    return round(error / looks, DIGITS)
