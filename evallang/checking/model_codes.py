"""The codes of models: classes, parameters, domains, the author's own code (E11x, E175, E176)."""

from evallang.diagnostics import Phase, declare

# --- E11x: models --------------------------------------------------------------------------

UNKNOWN_CLASS = declare(
    "E110",
    "unknown_class",
    "A class that the catalogue of estimators does not have.",
    phase=Phase.REFERENCES,
    reason="Class names resolve against a catalogue, never by import, so that a study file "
    "cannot run code.",
    wrong="model tree = DecisionTreeClasifier",
    right="model tree = DecisionTreeClassifier",
)
UNKNOWN_PARAMETER = declare(
    "E111",
    "unknown_parameter",
    "A class has no parameter of this name.",
    reason="scikit-learn would refuse it when the model is built, after the data were read.",
    wrong="model knn = KNeighborsClassifier(k=3)",
    right="model knn = KNeighborsClassifier(n_neighbors=3)",
)
PARAMETER_VALUE = declare(
    "E112",
    "parameter_value",
    "A parameter does not take this value.",
    phase=Phase.REFERENCES,
    reason="scikit-learn would refuse it in the first fit, perhaps after an hour of others.",
    wrong="model svm = SVC(kernel=radial)",
    right="model svm = SVC(kernel=rbf)",
)
REFUSED_PARAMETER = declare(
    "E113",
    "refused_parameter",
    "A parameter or class that a study file may not use.",
    reason="A `.eval` file is data, not a program: parameters that take functions, files or "
    "folders are refused, and a search is written with `in`, not with a search class.",
    wrong="model svm = GridSearchCV(estimator=SVC)",
    right="model svm = SVC(C in [0.1, 1, 10])",
)
PIPELINE_ORDER = declare(
    "E114",
    "pipeline_order",
    "A pipeline whose last step is no estimator, or that has one before its end.",
    reason="Data flow from left to right: transformers first, one predictor last.",
    wrong="model a = SVC | StandardScaler",
    right="model a = StandardScaler | SVC",
)
WRONG_TASK = declare(
    "E115",
    "wrong_task",
    "A model, metric or test for another task than that of the data.",
    reason="A classifier predicts labels and a regressor numbers; measures and tests "
    "belong to one of them.",
    wrong="data diabetes from sklearn diabetes\nmodel a = SVC",
    right="data diabetes from sklearn diabetes\nmodel a = SVR",
)
PARAMETER_TWICE = declare(
    "E116",
    "parameter_twice",
    "A parameter or option is given twice.",
    reason="Of two values one would silently win.",
    wrong="model svm = SVC(C=1, C=10)",
    right="model svm = SVC(C=10)",
)
BAD_DOMAIN = declare(
    "E117",
    "bad_domain",
    "A domain that holds no values, or cannot be stepped.",
    reason="Ends must be reached and steps must have a length, so that the candidates are "
    "exactly those that a reader counts.",
    wrong="model svm = SVC(C in 0.1..10)",
    right="model svm = SVC(C in 0.1..10 log 5)",
)
TOO_MUCH_BEHIND_NAMES = declare(
    "E118",
    "too_much_behind_names",
    "Names that stand for names stand for more than could be read or fitted.",
    reason="Each name is written out where it is used. A few lines that use the one above twice "
    "stand for millions of classes, which nobody means and no memory holds.",
)

# --- E17x: the author's own code -------------------------------------------------------------

OWN_CODE_WITHOUT_USE = declare(
    "E175",
    "own_code_without_use",
    "A dotted name of the author's own code whose module no `use` line names.",
    reason="A study says in one place which modules of its author it runs, so that a reader "
    "knows what to trust before anything is imported.",
    wrong="model net = mypkg.models.Net(width=64)",
    right="use mypkg.models\nmodel net = mypkg.models.Net(width=64)",
)
MODULE_NAME = declare(
    "E176",
    "module_name",
    "What `use` names cannot be a module of Python.",
    reason="Modules are named as Python imports them: words of letters, digits and `_`, with "
    "dots between.",
    wrong="use my-package.models",
    right="use my_package.models",
)
