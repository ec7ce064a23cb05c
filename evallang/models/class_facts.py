"""What no signature declares about scikit-learn's classes: refusals, directions, functions.

Hand-kept, and merged into the catalogue by `generate.py`.
"""

_SEARCH = "searches by itself; write the candidates with `in`, as in `C in 1e-3..1e3 log 7`"
_TARGETS = "predicts several targets at once, and a study has one"
_ENCODES = "encodes the target, which is done without being asked"
_POSITIONS = "takes positions of columns; `RandomOverSampler` and `SMOTEN` take columns of text"
_DICTIONARIES = "reads dictionaries, and data here are columns"

REFUSED_CLASSES = {
    "ClassifierChain": _TARGETS,
    "ColumnTransformer": "is written `columns(numeric: ..., categorical: ...)`",
    "DictVectorizer": _DICTIONARIES,
    "FeatureHasher": _DICTIONARIES,
    "FunctionSampler": "takes a function, and a study holds no code",
    "FrozenEstimator": "holds a model fitted elsewhere, and every model is fitted here",
    "GridSearchCV": _SEARCH,
    "HalvingGridSearchCV": _SEARCH,
    "HalvingRandomSearchCV": _SEARCH,
    "LabelBinarizer": _ENCODES,
    "LabelEncoder": _ENCODES,
    "MultiLabelBinarizer": _ENCODES,
    "MultiOutputClassifier": _TARGETS,
    "MultiOutputRegressor": _TARGETS,
    "MultiTaskElasticNet": _TARGETS,
    "MultiTaskElasticNetCV": _TARGETS,
    "MultiTaskLasso": _TARGETS,
    "MultiTaskLassoCV": _TARGETS,
    "PatchExtractor": "reads images, and data here are columns",
    "Pipeline": "is written `step | step | estimator`",
    "RandomizedSearchCV": _SEARCH,
    "RegressorChain": _TARGETS,
    "SMOTENC": _POSITIONS,
}
"""Classes that a study cannot use, with what to do instead; read after the name."""

REFUSED_PARAMETERS = {
    "memory": "names a folder, and a study writes nothing outside its output folder",
    "input": "names files, and a study reads its data by `data` statements",
}
"""Parameters refused wherever they occur; those that take only callables are found by a scan."""

REGULAR_EXPRESSIONS = frozenset({"token_pattern"})
"""Parameters that hold a regular expression, wherever they occur."""

NEEDED_PARAMETERS = frozenset({"SelfTrainingClassifier.estimator"})
"""Parameters whose default scikit-learn itself refuses."""

TAKES_A_FUNCTION = "takes a function, and a study holds no code"

SCORE_FUNCTIONS = (
    "chi2",
    "f_classif",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
)
"""Functions of `sklearn.feature_selection` that `score_func` may name by a word."""

PLAIN_MODELS = {"classifier": "LogisticRegression", "regressor": "Ridge"}
"""Models that a message writes into a class of the same kind."""

WORDS = {
    "TunedThresholdClassifierCV.scoring": "accuracy balanced_accuracy f1 f1_macro f1_weighted "
    "jaccard jaccard_macro jaccard_weighted matthews_corrcoef precision precision_macro "
    "precision_weighted recall recall_macro recall_weighted",
}
"""Words of a parameter where scikit-learn takes more: a threshold is chosen by a score of predicted
labels of two classes, and other scores are the same at every threshold, or undefined."""

SMALLER_IS_SIMPLER = frozenset(
    {"C", "degree", "gamma", "max_depth", "max_leaf_nodes", "n_components"}
)
LARGER_IS_SIMPLER = frozenset(
    {"alpha", "ccp_alpha", "min_samples_leaf", "min_samples_split", "n_neighbors"}
)
NO_DIRECTION = frozenset(
    {
        "CatBoostClassifier.max_depth",  # trees of CatBoost are symmetric: none is its default
        "CatBoostRegressor.max_depth",
        "GradientBoostingRegressor.alpha",  # the quantile of its loss
        "Isomap.n_neighbors",  # a scale of the map, not a penalty
        "LocallyLinearEmbedding.n_neighbors",
        "LocalOutlierFactor.n_neighbors",
        "SelectFdr.alpha",  # levels of tests: smaller selects fewer columns
        "SelectFpr.alpha",
        "SelectFwe.alpha",
        "SpectralEmbedding.gamma",
        "SpectralEmbedding.n_neighbors",
        "LGBMClassifier.max_depth",  # -1 means no limit
        "LGBMRegressor.max_depth",
        "XGBClassifier.gamma",  # a penalty: larger is simpler
        "XGBClassifier.max_depth",  # 0 means no limit
        "XGBRFClassifier.gamma",
        "XGBRFClassifier.max_depth",
        "XGBRFRegressor.gamma",
        "XGBRFRegressor.max_depth",
        "XGBRegressor.gamma",
        "XGBRegressor.max_depth",
    }
)
"""Parameters whose name means something else in one class."""

COLUMN_BY_COLUMN = {
    **dict.fromkeys(
        ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler"), "scaled by {name}"
    ),
    **dict.fromkeys(
        ("FunctionTransformer", "PowerTransformer", "QuantileTransformer", "SplineTransformer"),
        "transformed by {name}",
    ),
    **dict.fromkeys(("IterativeImputer", "KNNImputer", "SimpleImputer"), "gaps filled by {name}"),
    **dict.fromkeys(
        ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer"), "read as a document by {name}"
    ),
    **dict.fromkeys(("DummyClassifier", "DummyRegressor"), "ignored by {name}"),
    "Binarizer": "cut in two by {name}",
    "KBinsDiscretizer": "cut into bins by {name}",
    "MissingIndicator": "replaced by whether it is missing",
    "OneHotEncoder": "one-hot with {levels}",
    "OrdinalEncoder": "coded as the number of its level, of {levels}",
    "TargetEncoder": "replaced by the mean target of its level, of {levels}",
}
"""What classes make of one column, where each column keeps a place of its own; other classes
mix columns. `{name}` is the class, `{levels}` the number of distinct values."""
