"""The codes of what data and design show together (W43x, W44x, E494)."""

from evallang.diagnostics import declare

UNBALANCED_CLASSES = declare(
    "W430",
    "accuracy_on_unbalanced_classes",
    "Every measure weighs classes by their size, and most rows are of one class.",
    reason="A model that always predicts the common class has a high accuracy but learnt nothing; "
    "micro and weighted averages are high as well, "
    "and differences in the rare classes, where they matter, hardly change them.",
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
FEW_OF_THE_RARER_CLASS = declare(
    "W440",
    "few_of_the_rarer_class",
    "An interval or test of an area under the ROC curve, and a class has fewer than 20 rows.",
    reason="The variance of an area comes from how the scores of the few rows spread, and a sample "
    "of ten often has none of those that score low. With ten rows of the rarer class, 95% "
    "intervals covered 93 to 95% of true areas of .8 in simulations, 86 to 92% of areas of .9 and "
    "80 to 89% of areas of .95; DeLong's test on one test set rejected up to 8% of true hypotheses "
    "at 5% (docs/validation.md).",
    wrong="protocol holdout test=1/3\nmeasure roc_auc   # 8 of 24 rows of the rarer class",
    right="protocol cv folds=4\nmeasure roc_auc",
    source="Feng, Cortese & Baumgartner 2017",
)
AREA_WITHOUT_SPREAD = declare(
    "W441",
    "area_without_spread",
    "An area under the ROC curve is averaged over folds, and a fold has one row of a class.",
    reason="One row shows no spread, so the variance of the fold's area is unknown and the area "
    "is reported without an interval.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 12 rows of the rarer class",
    right="protocol cv folds=2\nmeasure roc_auc",
    source="DeLong, DeLong & Clarke-Pearson 1988; LeDell, Petersen & van der Laan 2015",
)
NO_SPREAD_IN_A_FOLD = declare(
    "E494",
    "no_spread_in_a_fold",
    "An interval or test of areas under the ROC curve, and a fold has one row of a class.",
    reason="The variance of a fold's area divides by the number of rows of a class less one. "
    "With one row it is undefined, and so is the interval or the test that was asked for.",
    wrong="protocol cv folds=10\nmeasure roc_auc   # 12 rows of one class\n  interval cv_auc",
    right="protocol cv folds=2\nmeasure roc_auc\n  interval cv_auc",
    source="DeLong, DeLong & Clarke-Pearson 1988",
)
HEAVY_TAILS = declare(
    "W442",
    "heavy_tails",
    "A target, or the errors of given predictions, have heavy tails, and a measure squares errors.",
    reason="Before a run the target is known, and after it the errors that an interval is about: "
    "each estimate has a note where they have heavy tails. A few rows dominate a mean of squares, "
    "and a sample of 100 usually lacks them. In simulations with 60 to 100 rows, and errors from "
    "t with 3 degrees of freedom or log-normal ones, 95% intervals of the bootstrap covered 81 to "
    "88% for R2 and 72 to 78% for the mean squared error (docs/validation.md).",
    wrong="measure r2   # of costs, of which one is a hundred times the others",
    right="measure medae",
    source="Bahadur & Savage 1956",
)
