"""The codes of what data and design show together (W43x): sizes, shares, what is asked."""

from evallang.diagnostics import declare

UNBALANCED_CLASSES = declare(
    "W430",
    "accuracy_on_unbalanced_classes",
    "Accuracy is the only measure, and most rows are of one class.",
    reason="A model that always says the common class has a high accuracy and has learnt nothing; "
    "differences where it matters, in the rare classes, hardly move it.",
    wrong="measure accuracy   # 95 of 100 rows are of one class",
    right="measure balanced_accuracy, accuracy",
    source="Provost, Fawcett & Kohavi 1998; Brodersen et al. 2010",
)
POSITIVE_NOT_STATED = declare(
    "W431",
    "positive_class_not_stated",
    "A measure depends on the positive class, and the study does not say which it is.",
    reason="Without `positive` the last of the two labels is taken, in the order of the alphabet "
    "or of numbers. Precision, recall and F1 of the other class are other numbers.",
    wrong='data visits from "visits.csv"\n  target readmitted\nmeasure f1',
    right='data visits from "visits.csv"\n  target readmitted\n  positive yes\nmeasure f1',
    source="Sokolova & Lapalme 2009",
)
SMALL_TEST_PART = declare(
    "W432",
    "small_test_part",
    "A holdout keeps fewer than 100 rows for testing.",
    reason="Wilson's 95% interval of an accuracy of 80% goes from 71% to 87% with 100 rows, and "
    "from 65% to 90% with 40; and the estimate depends on which rows happened to be drawn. "
    "Cross-validation tests every row.",
    wrong="protocol holdout test=1/3   # of 150 rows",
    right="protocol repeated cv folds=10 times=10",
    source="Kohavi 1995; Raschka 2018, 1.5 and 3.4",
)
FEW_OF_A_CLASS_IN_A_FOLD = declare(
    "W433",
    "few_of_a_class_in_a_fold",
    "A measure is taken in each fold, and a class has fewer than five members there.",
    reason="A recall over four rows moves by 25 points for each of them, and each of four "
    "positives makes a quarter of an area under the curve; means over such folds are noisy, and "
    "those of F1 biased.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 20 rows of the rare class",
    right="protocol cv folds=4\nmeasure roc_auc",
    source="Forman & Scholz 2010",
)
UNEQUAL_TEST_SETS = declare(
    "W434",
    "unequal_test_sets",
    "A test over folds is given folds of very different sizes.",
    reason="The corrected resampled t test takes the scores of all folds as equally exact, with "
    "one ratio of test to training rows. A score of a small fold is less exact than that of a "
    "large one.",
    wrong="group by hospital   # one of them with half of the rows",
    right="group by patient",
    source="Nadeau & Bengio 2003",
)
MARGIN_BEYOND_BASELINE = declare(
    "W435",
    "margin_beyond_the_baseline",
    "A margin is so large that a model which looks at no feature may be inside it.",
    reason="The share of the common class is an accuracy that any model can reach by saying "
    "nothing else. With a margin larger than what is left above it, such a model is not worse "
    "than a perfect one.",
    wrong="require a not worse than b by 10%   # 95 of 100 rows are of one class",
    right="require a not worse than b by 1%",
    source="ICH E10; Piaggio et al. 2012",
)
