"""What is found wrong while planning, when the rows are known (E450, E475 to E483)."""

from evallang.diagnostics import Phase, declare

CANNOT_SPLIT = declare(
    "E450",
    "cannot_split",
    "The rows cannot be split as the protocol says.",
    phase=Phase.SPLITS,
    reason="A part would hold no row, or no row of some stratum, or there would be more splits "
    "than can be fitted.",
    wrong="protocol holdout test=1%   # of 60 rows",
    right="protocol holdout test=1/3",
)
NEEDS_OPTUNA = declare(
    "E478",
    "needs_optuna",
    "A model-based search, and Optuna, which it asks for candidates, is not installed.",
    reason="`tune bayes` is an extra, so that evallang can be installed without it.",
    wrong="tune bayes 30 cv=5   # without Optuna",
    right="tune random 30 cv=5",
)
UNKNOWN_FEATURE = declare(
    "E481",
    "unknown_feature",
    "A column named in `columns(...)` that is none of the features.",
    reason="Columns that no key names are dropped, so that a misspelt one would be dropped in "
    "silence.",
    wrong="model a = columns([agee]: passthrough) | GaussianNB",
    right="model a = columns([age]: passthrough) | GaussianNB",
)
TEXT_REACHES_ESTIMATOR = declare(
    "E482",
    "text_reaches_estimator",
    "A column of text reaches a class that takes numbers only.",
    reason="Most estimators compute with numbers; a category must be encoded first, inside the "
    "pipeline, so that test rows have no part in it.",
    wrong="model a = StandardScaler | LogisticRegression   # with a column of text",
    right="model a = columns(numeric: StandardScaler,\n"
    "  categorical: OneHotEncoder(handle_unknown=ignore)) | LogisticRegression",
)
MISSING_REACHES_ESTIMATOR = declare(
    "E483",
    "missing_reaches_estimator",
    "A column with missing values reaches a class that takes none.",
    reason="Missing values must be filled inside the pipeline, from the training rows alone.",
    wrong="model a = LogisticRegression   # with missing values",
    right="model a = SimpleImputer | LogisticRegression",
)
EXPORT_OF_SEVERAL_FILES = declare(
    "E480",
    "export_of_several_files",
    "A model is exported from a study whose pattern of files finds several data sets.",
    reason="An exported model is fitted on all rows of one data set.",
    wrong='data suite from "suite/*.csv"\n  target readmitted\nexport best',
    right='data first from "suite/first.csv"\n  target readmitted\nexport best',
)
PACKAGE_MISSING = declare(
    "E475",
    "package_missing",
    "A model's class comes from a package that is not installed.",
    reason="XGBoost, LightGBM and CatBoost are extras: `check` knows their classes without "
    "them, and a run needs them.",
    wrong="model boosted = XGBClassifier   # without the package xgboost",
    right="model boosted = HistGradientBoostingClassifier",
)
OWN_CODE_NOT_FOUND = declare(
    "E476",
    "own_code_not_found",
    "A module that `use` names is neither next to the study nor installed, or is next to the study "
    "under the name of an installed one.",
    reason="Own code is imported from what is installed, then from the folder of the study's file: "
    "a module next to a study never replaces an installed one.",
    wrong="use mypkg.modles   # and the file is mypkg/models.py",
    right="use mypkg.models",
)
OWN_METRIC_UNUSABLE = declare(
    "E477",
    "own_metric_unusable",
    "A metric of the author's own code that cannot be loaded, or is not a metric.",
    reason="A metric is a function of truth and prediction that gives a number. What it needs "
    "and which direction is better it says by its attributes `needs` and `better`, which are "
    "known only once a run has imported it.",
    wrong="measure mypkg.metrics.utilty   # and the file has `def utility(truth, prediction)`",
    right="measure mypkg.metrics.utility",
)
