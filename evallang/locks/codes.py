"""What is found in the history of a study (W418, W454)."""

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
MORE_LOOKS_THAN_STATED = declare(
    "W454",
    "more_looks_than_stated",
    "The same test data were evaluated more often than the study states by `looks`.",
    reason="`looks 12` divides the error of one decision among twelve decisions on the same test "
    "data. With the thirteenth the error over all of them is no longer bounded by the stated one. "
    "Looks of other studies of the repository at these data count as well.",
    wrong='study   # evaluated 12 times before\n  looks 12\ndata visits from "tested.csv"\n'
    "  target readmitted",
    right='study\n  looks 12\ndata visits from "new.csv"\n  target readmitted',
    source="Armitage, McPherson & Rowe 1969; Dwork et al. 2015",
)
