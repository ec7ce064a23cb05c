"""What is found wrong while planning, when the rows are known (E450, E475 to E483)."""

from evallang.diagnostics import Phase, declare

CANNOT_SPLIT = declare(
    "E450",
    "cannot_split",
    "The protocol cannot split the rows.",
    phase=Phase.SPLITS,
    reason="A part would contain no rows, or no rows of some stratum, or there would be more "
    "splits than can be fitted.",
    wrong="protocol holdout test=1%   # of 60 rows",
    right="protocol holdout test=1/3",
)
NEEDS_OPTUNA = declare(
    "E478",
    "needs_optuna",
    "`tune bayes` needs the package Optuna, which is not installed.",
    reason="Optuna is optional, so that evallang can be installed without it.",
    wrong="tune bayes 30 cv=5   # without Optuna",
    right="tune random 30 cv=5",
)
UNKNOWN_FEATURE = declare(
    "E481",
    "unknown_feature",
    "A column that `columns(...)` names is not a feature.",
    reason="Columns that no key names are dropped, so a misspelled one would silently be dropped.",
    wrong="model a = columns([agee]: passthrough) | GaussianNB",
    right="model a = columns([age]: passthrough) | GaussianNB",
)
TEXT_REACHES_ESTIMATOR = declare(
    "E482",
    "text_reaches_estimator",
    "A text column reaches a class that accepts only numbers.",
    reason="Most estimators need numbers. Categories are encoded inside the pipeline, so that "
    "test rows do not influence the encoding.",
    wrong="model a = StandardScaler | LogisticRegression   # with a column of text",
    right="model a = columns(numeric: StandardScaler,\n"
    "  categorical: OneHotEncoder(handle_unknown=ignore)) | LogisticRegression",
)
MISSING_REACHES_ESTIMATOR = declare(
    "E483",
    "missing_reaches_estimator",
    "A column with missing values reaches a class that does not accept them.",
    reason="Missing values are filled inside the pipeline, from the training rows alone.",
    wrong="model a = LogisticRegression   # with missing values",
    right="model a = SimpleImputer | LogisticRegression",
)
EXPORT_OF_SEVERAL_FILES = declare(
    "E480",
    "export_of_several_files",
    "A model is exported from a study whose file pattern matches several data sets.",
    reason="An exported model is fitted on all rows of one data set.",
    wrong='data suite from "suite/*.csv"\n  target readmitted\nexport best',
    right='data first from "suite/first.csv"\n  target readmitted\nexport best',
)
PACKAGE_MISSING = declare(
    "E475",
    "package_missing",
    "A model's class comes from a package that is not installed.",
    reason="XGBoost, LightGBM and CatBoost are optional: `check` knows their classes without the "
    "packages, but a run needs them.",
    wrong="model boosted = XGBClassifier   # without the package xgboost",
    right="model boosted = HistGradientBoostingClassifier",
)
OWN_CODE_NOT_FOUND = declare(
    "E476",
    "own_code_not_found",
    "A module that `use` names does not exist, or has the name of an installed module.",
    reason="Own code is imported from the installed packages first, then from the folder of the "
    "study file: a module next to a study never replaces an installed one.",
    wrong="use mypkg.modles   # and the file is mypkg/models.py",
    right="use mypkg.models",
)
OWN_METRIC_UNUSABLE = declare(
    "E477",
    "own_metric_unusable",
    "A metric of the author's own code cannot be loaded, or is not a metric.",
    reason="A metric is a function of truth and prediction that returns a number. Its attributes "
    "`needs` and `better` state its inputs and its direction; they are known only when a "
    "run has imported it.",
    wrong="measure mypkg.metrics.utilty   # and the file has `def utility(truth, prediction)`",
    right="measure mypkg.metrics.utility",
)
STORED_RESULTS_DIFFER = declare(
    "E439",
    "stored_results_differ",
    "The data, folds or seed of former results differ from those of this study.",
    reason="A model of former results is compared with the models of this study row by row. That "
    "needs the same rows in the same order, target, classes, positive class, protocol, folds and "
    "seed; otherwise a difference between the models would be one between the data.",
    wrong="study\n  seed 2   # the former study had seed 1\ndata iris from sklearn iris\n"
    'model release from results "v1/study-results" as bayes\nprotocol cv folds=5',
    right="study\n  seed 1\ndata iris from sklearn iris\n"
    'model release from results "v1/study-results" as bayes\nprotocol cv folds=5',
)
