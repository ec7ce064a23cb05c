"""Packages other than scikit-learn whose classes the catalogue knows: what no signature declares.

Hand-kept from the packages' own documentation, and merged into `catalogue_extras.json` by
`generate.py --extras`. A package that declares no constraints of its own has each parameter
that a study may write listed here with what it takes; every other one is refused.
"""

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

_POSITIVE = "none; real (0, inf)"
_NOT_NEGATIVE = "none; real [0, inf)"
_SHARE = "none; real (0, 1]"
_COUNT = "int [1, inf); none"
_FROM_ZERO = "int [0, inf); none"
_PROCESSES = "int [-1, inf); none"
_SEED = "int [0, 4294967295]; none"
NOT_CHECKED = "cannot be checked before a run"


class Package(Struct, frozen=True):
    """One package: how it is installed, its classes, and their parameters.

    `distributions` are the names under which it may be installed, the usual one first; `module`
    is how it is imported and `group` the extra that installs it, where they have other names;
    `fixed` are parameters that every instance gets: one thread, no messages, no files.
    `taken` are constraints by parameter, `taken_by` those of one class alone; `refused`
    is why a parameter may not be written, read after its name. `codes` names the classes
    that take class codes 0, 1, ... and no labels. `declares` is whether its classes declare what
    parameters take as those of scikit-learn do.
    """

    name: str
    title: str
    distributions: tuple[str, ...]
    classes: tuple[str, ...]
    fixed: Mapping[str, bool | int]
    taken: Mapping[str, str]
    taken_by: Mapping[str, Mapping[str, str]]
    refused: Mapping[str, str]
    codes: frozenset[str] = frozenset()
    module: str = ""
    group: str = ""
    declares: bool = False

    @property
    def extra(self) -> str:
        """The words that install it: `evallang[xgboost]`."""
        return f"evallang[{self.group or self.name}]"

    @property
    def imported(self) -> str:
        """The name of its module: `xgboost`."""
        return self.module or self.name


_FUNCTION = "takes a function, and a study holds no code"
_STOPPING = "needs rows held out of the fit, which a step of a pipeline has not"
_TEXT = "is for columns of text, which are encoded before: `columns(categorical: OneHotEncoder)`"
_FILES = "names files or a folder, and a study writes nothing outside its output folder"

XGBOOST = Package(
    name="xgboost",
    title="XGBoost",
    distributions=("xgboost", "xgboost-cpu"),
    classes=("XGBClassifier", "XGBRFClassifier", "XGBRFRegressor", "XGBRegressor"),
    fixed={"n_jobs": 1, "verbosity": 0},
    taken={
        "base_score": "none; real [-inf, inf]",
        "booster": "none; words dart gblinear gbtree",
        "colsample_bylevel": _SHARE,
        "colsample_bynode": _SHARE,
        "colsample_bytree": _SHARE,
        "gamma": _NOT_NEGATIVE,
        "grow_policy": "none; words depthwise lossguide",
        "importance_type": "none; words cover gain total_cover total_gain weight",
        "learning_rate": "none; real [0, 1]",
        "max_bin": "int [2, inf); none",
        "max_delta_step": _NOT_NEGATIVE,
        "max_depth": _FROM_ZERO,
        "max_leaves": _FROM_ZERO,
        "min_child_weight": _NOT_NEGATIVE,
        "n_estimators": _COUNT,
        "n_jobs": _PROCESSES,
        "num_parallel_tree": _COUNT,
        "random_state": _SEED,
        "reg_alpha": _NOT_NEGATIVE,
        "reg_lambda": _NOT_NEGATIVE,
        "sampling_method": "none; words uniform",
        "scale_pos_weight": _POSITIVE,
        "subsample": _SHARE,
        "tree_method": "none; words approx auto exact hist",
        "verbosity": "int [0, 3]; none",
    },
    taken_by={
        **{
            name: {"objective": "words binary:logistic multi:softprob"}
            for name in ("XGBClassifier", "XGBRFClassifier")
        },
        **{
            name: {
                "objective": "words count:poisson reg:absoluteerror reg:gamma reg:logistic "
                "reg:pseudohubererror reg:squarederror reg:squaredlogerror reg:tweedie"
            }
            for name in ("XGBRegressor", "XGBRFRegressor")
        },
    },
    refused={
        "callbacks": _FUNCTION,
        "device": "names a graphics card, and fits run on the processor",
        "early_stopping_rounds": _STOPPING,
        "enable_categorical": _TEXT,
        "eval_metric": _STOPPING,
        "feature_types": _TEXT,
        "missing": "is always NaN, which is how missing values arrive",
    },
    codes=frozenset({"XGBClassifier", "XGBRFClassifier"}),
)
LIGHTGBM = Package(
    name="lightgbm",
    title="LightGBM",
    distributions=("lightgbm",),
    classes=("LGBMClassifier", "LGBMRegressor"),
    fixed={"n_jobs": 1, "verbosity": -1},
    taken={
        "boosting_type": "words dart gbdt goss rf",
        "class_weight": "map; none; words balanced",
        "colsample_bytree": "real (0, 1]",
        "importance_type": "words gain split",
        "learning_rate": "real (0, inf)",
        "max_depth": "int [-1, inf)",
        "min_child_samples": "int [0, inf)",
        "min_child_weight": "real [0, inf)",
        "min_split_gain": "real [0, inf)",
        "n_estimators": "int [1, inf)",
        "n_jobs": _PROCESSES,
        "num_leaves": "int [2, 131072]",
        "random_state": _SEED,
        "reg_alpha": "real [0, inf)",
        "reg_lambda": "real [0, inf)",
        "subsample": "real (0, 1]",
        "subsample_for_bin": "int [1, inf)",
        "subsample_freq": "int [0, inf)",
    },
    taken_by={
        "LGBMClassifier": {
            "objective": "none; words binary cross_entropy multiclass multiclassova"
        },
        "LGBMRegressor": {
            "objective": "none; words fair gamma huber mape poisson quantile regression "
            "regression_l1 tweedie"
        },
    },
    refused={},
)
CATBOOST = Package(
    name="catboost",
    title="CatBoost",
    distributions=("catboost",),
    classes=("CatBoostClassifier", "CatBoostRegressor"),
    fixed={"thread_count": 1, "verbose": False, "allow_writing_files": False},
    taken={
        "bagging_temperature": _NOT_NEGATIVE,
        "boosting_type": "none; words Ordered Plain",
        "bootstrap_type": "none; words Bayesian Bernoulli MVS No",
        "border_count": "int [1, 65535]; none",
        "colsample_bylevel": _SHARE,
        "depth": "int [1, 16]; none",
        "grow_policy": "none; words Depthwise Lossguide SymmetricTree",
        "iterations": _COUNT,
        "l2_leaf_reg": _NOT_NEGATIVE,
        "leaf_estimation_iterations": _COUNT,
        "leaf_estimation_method": "none; words Exact Gradient Newton",
        "learning_rate": _POSITIVE,
        "max_bin": "int [1, 65535]; none",
        "max_depth": "int [1, 16]; none",
        "max_leaves": "int [2, 64]; none",
        "min_child_samples": _COUNT,
        "min_data_in_leaf": _COUNT,
        "n_estimators": _COUNT,
        "num_leaves": "int [2, 64]; none",
        "random_state": _SEED,
        "random_strength": _NOT_NEGATIVE,
        "reg_lambda": _NOT_NEGATIVE,
        "rsm": _SHARE,
        "thread_count": _PROCESSES,
        "verbose": "bool; int [0, inf); none",
        "score_function": "none; words Cosine L2 NewtonCosine NewtonL2",
        "subsample": _SHARE,
    },
    taken_by={
        "CatBoostClassifier": {
            "auto_class_weights": "none; words Balanced None SqrtBalanced",
            "loss_function": "none; words CrossEntropy Logloss MultiClass MultiClassOneVsAll",
            "scale_pos_weight": _POSITIVE,
        },
        "CatBoostRegressor": {
            "loss_function": "none; words LogLinQuantile MAE MAPE Poisson Quantile RMSE"
        },
    },
    refused={
        **dict.fromkeys(("callback", "custom_loss", "custom_metric"), _FUNCTION),
        **dict.fromkeys(
            ("allow_writing_files", "input_borders", "name", "output_borders", "save_snapshot",
             "snapshot_file", "snapshot_interval", "train_dir"),
            _FILES,
        ),
        **dict.fromkeys(("early_stopping_rounds", "eval_metric", "od_type", "od_wait"), _STOPPING),
        **dict.fromkeys(
            ("cat_features", "embedding_features", "text_features", "one_hot_max_size"), _TEXT
        ),
        **dict.fromkeys(("device_config", "devices", "task_type"),
                        "names a graphics card, and fits run on the processor"),
        "class_weights": "holds weights by position; write `auto_class_weights=Balanced`",
        "random_seed": "is written `random_state`",
    },
)  # fmt: skip
_A_STEP_OF_ITS_OWN = "is a resampler, which is written as a step of its own"
_ENCODER = "is chosen by imbalanced-learn"
IMBALANCED = Package(
    name="imbalanced-learn",
    title="imbalanced-learn",
    distributions=("imbalanced-learn",),
    classes=(
        *("ADASYN", "AllKNN", "BorderlineSMOTE", "ClusterCentroids", "CondensedNearestNeighbour"),
        *("EditedNearestNeighbours", "FunctionSampler", "InstanceHardnessThreshold", "KMeansSMOTE"),
        *("NearMiss", "NeighbourhoodCleaningRule", "OneSidedSelection", "RandomOverSampler"),
        *("RandomUnderSampler", "RepeatedEditedNearestNeighbours", "SMOTE", "SMOTEENN", "SMOTEN"),
        *("SMOTENC", "SMOTETomek", "SVMSMOTE", "TomekLinks"),
    ),
    fixed={},
    taken={},
    taken_by={},
    refused={
        "categorical_encoder": _ENCODER,
        "edited_nearest_neighbours": "is deprecated",
        **dict.fromkeys(("enn", "smote", "tomek"), _A_STEP_OF_ITS_OWN),
    },
    module="imblearn",
    group="imbalanced",
    declares=True,
)
PACKAGES: Mapping[str, Package] = {p.name: p for p in (XGBOOST, LIGHTGBM, CATBOOST, IMBALANCED)}


def installed_version(package: Package) -> str | None:
    """Return the installed version of a package without importing it; None where it is missing."""
    return _version(package.distributions)


@cache
def _version(distributions: tuple[str, ...]) -> str | None:
    from importlib import metadata

    for name in distributions:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def installed(package: Package) -> bool:
    """Return whether a package is on the path, without its metadata."""
    return any((Path(folder) / package.imported).is_dir() for folder in sys.path)
