"""What is found in the history of a study (W418)."""

from evallang.diagnostics import declare

MANY_LOOKS = declare(
    "W418",
    "many_looks",
    "The same test data were evaluated so often that the best result is likely a lucky one.",
    reason="Every evaluation after which something is changed fits the test data a little. The "
    "best of many results is too high even if nothing was learned: from a number of looks on, by "
    "more than the half-width of its interval. New test data, or a family that states all "
    "candidates, answer the question again.",
    wrong='data visits from "tested.csv"   # evaluated 24 times before\n  target readmitted',
    right='data visits from "new.csv"\n  target readmitted',
    source="Dwork et al. 2015; Blum & Hardt 2015",
)
