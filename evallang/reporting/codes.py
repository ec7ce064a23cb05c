"""What a report adds to the warnings of a check: things only seen in the results (W5xx).

Each is in every report that it concerns; an author can accept only those that are `waivable`, and
the report prints the reason.
"""

from evallang.diagnostics import declare

DISAGREEMENT = declare(
    "W501",
    "plain_interval_excludes_zero_without_rejection",
    "A plain interval excludes 0 where p does not reject, or an uncorrected one includes 0.",
    reason="The plain interval of a pair describes that pair alone, the adjusted p-value the "
    "whole family; a claim from the plain interval would go beyond the test. Without a correction, "
    "the interval and p can come from methods that do not agree in rare cases.",
    wrong="compare a, b, c with mcnemar   # three pairs, where one is asked for",
    right="compare a vs b with mcnemar   # that one, stated before the run",
    source="Aguinis et al. 2019",
)
CONSERVATIVE = declare(
    "W502",
    "simultaneous_interval_holds_zero_despite_rejection",
    "A simultaneous interval includes 0 where the adjusted p rejects.",
    reason="A step-wise correction such as Holm's can reject where the single-step interval "
    "printed next to it includes zero; the decision follows the adjusted p.",
    wrong="compare a, b, c with mcnemar holm",
    right="compare a, b, c with mcnemar bonferroni   # interval and p agree, with less power",
    source="Strassburger & Bretz 2008",
)
FITS_WARNED = declare(
    "W503",
    "fits_that_warned",
    "Fits of a model gave warnings.",
    reason="A fit that did not converge counts like any other, and may be worse than the model "
    "could be.",
    wrong="model a = LogisticRegression(max_iter=1)",
    right="model a = StandardScaler | LogisticRegression(max_iter=1_000)",
)
FITS_FAILED = declare(
    "W504",
    "fits_that_failed",
    "Some fits failed, and results that need them were not computed.",
    reason="A comparison without the failed fits would favour the model that fails.",
    wrong="model a = KNeighborsClassifier(n_neighbors=500)   # 90 rows to train on",
    right="model a = KNeighborsClassifier(n_neighbors=5)",
)
UNTUNED = declare(
    "W505",
    "no_model_was_tuned",
    "Several models are compared, and none of them was tuned.",
    reason="Default settings do not show what a family of models can achieve.",
    wrong="model a = DecisionTreeClassifier\nmodel b = GaussianNB\nprotocol cv folds=5",
    right="model a = DecisionTreeClassifier(max_depth in [2, 4])\nmodel b = GaussianNB\n"
    "protocol nested cv outer=5 inner=3",
    source="Bouthillier et al. 2021",
)
OVERLAP = declare(
    "W506",
    "training_sets_overlap",
    "The models of several splits were trained on overlapping data.",
    reason="Predictions and scores of models with shared training data are not independent, and "
    "no interval from one such study includes all of the variation between training sets.",
    wrong="protocol cv folds=5",
    right="protocol holdout test=1/3",
    source="Dietterich 1998; Bengio & Grandvalet 2004",
)
SMALL_DIFFERENCES = declare(
    "W507",
    "small_differences_could_not_be_seen",
    "A pair did not differ significantly, and the test could have missed a difference that "
    "matters.",
    reason="The report states the smallest difference that the test detects with 80% power: for "
    "McNemar's test at this number of examples, for a t test over splits at the observed "
    "standard error and the corrected level. The models of the pair may differ by less.",
    wrong="table [[80, 9], [6, 5]]",
    right="table [[8000, 900], [600, 500]]",
    source="Connor 1987",
)
METRIC_FAILED = declare(
    "W508",
    "own_metric_failed",
    "A metric of the author's own code failed, or returned a value that is not a finite number.",
    reason="A mean over the remaining folds would describe other examples than the rest of the "
    "study, so a model whose metric failed on any fold gets no estimate.",
    wrong="measure mypkg.metrics.odds   # divides by the number of errors, which may be 0",
    right="measure mypkg.metrics.share_of_errors",
)
DEPENDENT_LOSSES = declare(
    "W473",
    "losses_dependent_beyond_the_horizon",
    "The losses of a series are correlated beyond the lags that its test allows for.",
    reason="A test of a series allows for correlated neighbours up to a lag: the horizon less 1 of "
    "`diebold_mariano`, a block of `permutation`. If losses are correlated beyond it, equally "
    "good models are found different far more often than alpha says: at an autocorrelation of .77, "
    "a horizon of 1 rejects in half of all cases at 5%.",
    wrong="compare a vs b with diebold_mariano   # the losses have a lag-1 autocorrelation of .77",
    right="compare a vs b with diebold_mariano(newey_west)",
    source="Diebold & Mariano 1995; Newey & West 1987",
)
CLASS_NEVER_PREDICTED = declare(
    "W511",
    "class_never_predicted",
    "A model never predicts one of the classes.",
    reason="A model that predicts the most common class for every row has the accuracy of that "
    "class's share, and its F1, recall or precision of the rare class is 0 or undefined. "
    "Such a value has no sampling variation, so resampling gives it no interval.",
    wrong="model a = LogisticRegression   # 20 of 300 rows are positive, none is predicted so",
    right="model a = StandardScaler | LogisticRegression(class_weight=balanced)",
    source="Provost, Fawcett & Kohavi 1998",
)
FEATURE_AS_GOOD_AS_MODELS = declare(
    "W512",
    "feature_as_good_as_models",
    "One feature alone predicts as well as the best model.",
    reason="All other features then add nothing, and the feature may have been recorded after the "
    "outcome or derived from it, such as the target with noise. A feature is reported if it has "
    "an area under the ROC curve of at least .95 (balanced accuracy for more than two classes, "
    "R2 of at least .9 for numbers) while all others stay below .9 (R2 of .8), and the best model "
    "reaches at most .01 more on the test rows. `feature_gives_the_target_away` reports stronger "
    "features before the run.",
    wrong='data visits from "visits.csv"\n  target cost',
    right='data visits from "visits.csv"\n  target cost\n  features all except invoice',
    source="Kaufman et al. 2012",
    waivable=True,
)
FOLDS_DISAGREE = declare(
    "W513",
    "folds_disagree",
    "The scores of the folds differ by more than the sampling of their rows explains.",
    reason="Rows that are divided at random give folds whose scores differ by sampling alone. A "
    "larger spread says that rows of a fold belong together: they come in an order, from groups "
    "that the study does not name, or from a time at which something changed. Intervals and tests "
    "that treat the rows as independent are then too narrow. The test is Cochran's for "
    "heterogeneity, at a level of .0001, with groups as units where there are groups, by the first "
    "measure that is a mean over rows. Where no measure is one, folds of fitted models are "
    "compared by accuracy, or by the default measure of a regression.",
    wrong='data visits from "visits.csv"\n  target y',
    right='data visits from "visits.csv"\n  target y\n  where day < 75  # one way of recording',
    source="Cochran 1954; Dietterich 1998",
    waivable=True,
)
UNLIKE_WORKERS = declare(
    "W514",
    "unlike_workers",
    "Workers of the cluster have other versions of packages, or another processor.",
    reason="Another version or another kind of processor may change the last digits of a fit, and "
    "which worker makes a fit is left to chance, so that another run may give other bytes. The "
    "same packages on all workers, and one kind of machine, give the results of a local run.",
    wrong='data visits from "visits.csv"\n  target y\nmodel nb = GaussianNB\n'
    "protocol cv folds=5   # on workers with another numpy",
    right='predictions p from "predictions.csv"   # nothing is fitted\n  truth y\n  models nb',
)
SEARCH_AT_THE_EDGE = declare(
    "W509",
    "search_at_the_edge",
    "A search chose the largest of its numbers, or the smallest, in at least half of the training "
    "parts.",
    reason="If the best candidate is at the end of a range, better values probably lie beyond it, "
    "and the comparison underrates the model. Widen the range before you look at the "
    "results; a study whose range was widened afterwards is a new study.",
    wrong="model a = LogisticRegression(C in [0.00001, 0.0001, 0.001])\n"
    "protocol nested cv outer=5 inner=3",
    right="model a = LogisticRegression(C in [0.001, 0.1, 10, 1000])\n"
    "protocol nested cv outer=5 inner=3",
    source="Hsu, Chang & Lin 2003; Bergstra & Bengio 2012",
)
SEARCH_GAINED_NOTHING = declare(
    "W515",
    "search_gained_nothing",
    "A search chose among candidates whose scores differ by chance alone.",
    reason="The candidates of a search are compared in inner folds. If their mean scores vary no "
    "more than the scores of one candidate do from fold to fold, the estimated variance between "
    "candidates is zero: another division of the rows would have chosen another candidate. The "
    "ratio is that of the mean squares of a two-way analysis of variance with the folds as blocks, "
    "added over all searches of the model. At 1 the estimated variance is zero, and a search is "
    "reported at .7 or below. In simulations candidates that were 5 points of accuracy apart were "
    "reported in 19% of searches of 100 rows, 3% of 300 and none of 1,000, and equal ones in 26 to "
    "53%. It says nothing about candidates that were not tried.",
    wrong="model a = GaussianNB(var_smoothing in [1e-12, 1e-11])",
    right="model a = KNeighborsClassifier(n_neighbors in [1, 20, 300])",
    waivable=True,
)
TRAINING_SCORE_FAR_ABOVE = declare(
    "W516",
    "training_score_far_above_test_score",
    "A model predicts the rows it was fitted on, and other rows no better than chance.",
    reason="A training score near 1 is normal for trees, forests and nearest neighbours, and says "
    "nothing about a model that predicts test rows well. It is a finding only where the model is "
    "no better than chance on the test rows: what it learned does not hold for others. Both scores "
    "are areas under the ROC curve (the mean of each class against the rest; rank correlations for "
    "numbers), which no share of a class changes. A model is reported if its test score is less "
    "than one standard error above chance, with groups as units, within folds and over all of "
    "them, and its training score, of at most 200 rows of each fit, is higher by half of the way "
    "from chance to a perfect order (.25, or .5 for numbers). No further fit is made. In "
    "simulations with 100 to 1,000 rows, W516 or W517 reported models without information in 58 "
    "to 100% of studies, and models with an area of .65 or a rank correlation of .20 or more in "
    "none of those with 300 rows or more; with 100 rows, of which ten were of the rarer class, "
    "models with an area of .65 to .70 in 13 to 29%.",
    wrong='data rows from sklearn breast_cancer\n  features "texture error", "smoothness error"\n'
    "model a = DecisionTreeClassifier",
    right="data rows from sklearn breast_cancer\nmodel a = DecisionTreeClassifier",
    waivable=True,
)
NO_BETTER_THAN_CHANCE = declare(
    "W517",
    "no_better_than_chance",
    "A model predicts test rows no better than chance, and its training rows not much better.",
    reason="The model did not learn the target from these features: its settings are too rigid, "
    "its features are on scales that it cannot use, or the features say nothing. A comparison with "
    "it says nothing about the algorithm. The test score is that of "
    "`training_score_far_above_test_score` (W516): less than one standard error above chance.",
    wrong='data rows from sklearn breast_cancer\n  features "texture error"\n'
    "model a = StandardScaler | LogisticRegression",
    right="data rows from sklearn breast_cancer\nmodel a = StandardScaler | LogisticRegression",
    waivable=True,
)
