"""What is found wrong while planning, when the rows are known (E45x)."""

from evallang.diagnostics import declare

CANNOT_SPLIT = declare(
    "E450",
    "cannot_split",
    "The rows cannot be split as the protocol says.",
    reason="A fold without rows, or a class with fewer members than folds, has no estimate.",
    wrong="protocol cv folds=10   # on a class of 4 members",
    right="protocol cv folds=4",
)
