"""The codes of names, words, options, clauses, models, claims, sense (E1xx, E2xx, E9xx, W1xx)."""

from evallang.diagnostics import Phase, Severity, declare

TWO_MODELS = (
    "data iris from sklearn iris\nmodel a = GaussianNB\nmodel b = LinearDiscriminantAnalysis\n"
)
"""What the examples of a comparison begin with."""

ONE_MODEL = "data iris from sklearn iris\nmodel bayes = GaussianNB\nprotocol cv folds=5\n"
"""What the examples of an export begin with."""

SUITE = (
    'data suite from "suite/*.csv"\n  target class\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nmodel c = DecisionTreeClassifier(max_depth=3)\n"
    "protocol cv\n"
)
"""What the examples of a comparison across data begin with."""


# --- E10x: names -----------------------------------------------------------------------------

UNKNOWN_NAME = declare(
    "E101",
    "unknown_name",
    "A name that nothing in the study declares.",
    phase=Phase.REFERENCES,
    reason="Every model, data set and protocol that a line names must be declared in this "
    "study or in a file that it includes.",
    wrong="model tree = DecisionTreeClassifier\ncompare tree, forrest with mcnemar",
    right="model tree = DecisionTreeClassifier\nmodel forest = RandomForestClassifier\n"
    "compare tree, forest with mcnemar",
)
DUPLICATE_NAME = declare(
    "E102",
    "duplicate_name",
    "One name is declared twice.",
    reason="Nothing is overridden in a study: two declarations of one name would leave open "
    "which one a result is about.",
    wrong="model tree = DecisionTreeClassifier\nmodel tree = ExtraTreeClassifier",
    right="model tree = DecisionTreeClassifier\nmodel extra = ExtraTreeClassifier",
)
RESERVED_NAME = declare(
    "E103",
    "reserved_name",
    "A word of the language is used as a name.",
    reason="`against across by on with all best target true false none` are between the "
    "parts of a line, so nothing of the author's can be called so.",
    wrong="model best = GaussianNB",
    right="model bayes = GaussianNB",
)
STATEMENT_TWICE = declare(
    "E104",
    "statement_twice",
    "A statement that may stand once stands twice.",
    reason="Nothing is overridden in a study; the second line would silently win or lose.",
    wrong="stratify by target\nstratify none",
    right="stratify by target",
)
MISSING_STATEMENT = declare(
    "E105",
    "missing_statement",
    "A study lacks a statement that it needs.",
    reason="Models need data to be fitted on and a protocol that says on which rows.",
    wrong="data iris from sklearn iris\nmodel tree = DecisionTreeClassifier",
    right="data iris from sklearn iris\nmodel tree = DecisionTreeClassifier\nprotocol cv folds=10",
)
CIRCULAR_NAME = declare(
    "E106",
    "circular_name",
    "A `let` or a model is defined by itself.",
    reason="A name that needs itself has no value.",
    wrong="let a = b\nlet b = a",
    right="let a = 3\nlet b = a",
)
INCLUDE_PROBLEM = declare(
    "E107",
    "include_problem",
    "An included file is missing, is included twice, or includes itself.",
    reason="Nothing is overridden, so a file that is included twice would declare "
    "everything twice; a cycle has no end.",
    wrong='include "protocol.eval"\ninclude "protocol.eval"',
    right='include "protocol.eval"',
)
AMBIGUOUS_PROTOCOL = declare(
    "E108",
    "ambiguous_protocol",
    "Several protocols are declared and the line does not say which one it means.",
    reason="Two protocols give two answers; which one a line is about must not be guessed.",
    wrong=f"{TWO_MODELS}protocol main = cv\nprotocol quick = holdout\ncompare a, b with mcnemar",
    right=f"{TWO_MODELS}protocol main = cv\nprotocol quick = holdout\n"
    "compare a, b with mcnemar on main",
)
MODELS_NEVER_MEET = declare(
    "E109",
    "models_never_meet",
    "A line names models that no single data set has together.",
    reason="Models are compared on the same examples; a line that no data set can serve would "
    "silently give nothing.",
    wrong="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\ncounts two\n  models c, d\n"
    "  table [[5, 1], [2, 3]]\ncompare a, c with mcnemar",
    right="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\ncompare a, b with mcnemar",
)

# --- E11x: models ----------------------------------------------------------------------------

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
    "A pipeline whose last step is not an estimator, or that has one before its end.",
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

# --- E12x: words -----------------------------------------------------------------------------

UNKNOWN_METRIC = declare(
    "E120",
    "unknown_metric",
    "A word that is not a metric.",
    reason="`evallang list metrics` lists all of them.",
    wrong="measure acuracy",
    right="measure accuracy",
)
UNKNOWN_TEST = declare(
    "E121",
    "unknown_test",
    "A word that is not a hypothesis test.",
    reason="`evallang list tests` lists all of them.",
    wrong="compare with mcnemmar",
    right="compare with mcnemar",
)
UNKNOWN_INTERVAL = declare(
    "E122",
    "unknown_interval",
    "A word that is not an interval.",
    reason="`evallang list intervals` lists all of them.",
    wrong="measure accuracy\n  interval wilsn",
    right="measure accuracy\n  interval wilson",
)
UNKNOWN_PROTOCOL = declare(
    "E123",
    "unknown_protocol",
    "A word that is not a protocol.",
    reason="`evallang list protocols` lists all of them.",
    wrong="protocol kfold folds=10",
    right="protocol cv folds=10",
)
UNKNOWN_CORRECTION = declare(
    "E124",
    "unknown_correction",
    "A word that is not a correction for many comparisons.",
    reason="`evallang list corrections` lists all of them.",
    wrong="compare with mcnemar bonferoni",
    right="compare with mcnemar bonferroni",
)
UNKNOWN_ANALYSIS = declare(
    "E125",
    "unknown_analysis",
    "A word that is not an analysis.",
    reason="`evallang list analyses` lists all of them.",
    wrong="analyze powr(difference=2%)",
    right="analyze power(difference=2%)",
)
UNKNOWN_WORD = declare(
    "E126",
    "unknown_word",
    "A word that a clause does not know.",
    reason="A clause that takes one of a few words knows no others.",
    wrong="report htm",
    right="report html",
)
UNKNOWN_SOURCE = declare(
    "E127",
    "unknown_source",
    "A data set that scikit-learn does not bundle, a file type that is not read, or an address.",
    reason="scikit-learn brings iris, wine, breast_cancer, digits and diabetes along; "
    "other data come from a file next to the study, or from a query.",
    wrong="data d from sklearn iriss",
    right="data d from sklearn iris",
)

# --- E13x: options ---------------------------------------------------------------------------

UNKNOWN_OPTION = declare(
    "E130",
    "unknown_option",
    "A method has no option of this name or word.",
    reason="`evallang explain` with the name of the method lists its options.",
    wrong="compare with mcnemar(precise)",
    right="compare with mcnemar(exact)",
)
OPTION_VALUE = declare(
    "E131",
    "option_value",
    "An option does not take this value.",
    reason="An option takes the words, or the kind of number, that `evallang explain` "
    "prints for the method.",
    wrong="protocol cv folds=ten",
    right="protocol cv folds=10",
)
MISSING_OPTION = declare(
    "E132",
    "missing_option",
    "A method needs an option that is not given.",
    reason="There is no value that would be right for most studies, so none is taken in silence.",
    wrong="measure fbeta",
    right="measure fbeta(beta=2)",
)

# --- E14x: clauses ---------------------------------------------------------------------------

UNKNOWN_CLAUSE = declare(
    "E140",
    "unknown_clause",
    "A statement takes no clause of this word.",
    reason="Each statement has its own clauses, and a clause of another would be ignored.",
    wrong='data iris from "iris.csv"\n  traget species',
    right='data iris from "iris.csv"\n  target species',
)
CLAUSE_TWICE = declare(
    "E141",
    "clause_twice",
    "A clause that may stand once, or an item of a list, stands twice.",
    phase=Phase.CLAUSES,
    reason="Of two values one would silently win, and an item that stands twice was perhaps meant "
    "to be another.",
    wrong="study\n  seed 1\n  seed 2",
    right="study\n  seed 1",
)
MISSING_CLAUSE = declare(
    "E142",
    "missing_clause",
    "A statement lacks a clause that it needs.",
    reason="What is needed and cannot be known from elsewhere is never guessed.",
    wrong='data visits from "visits.csv"',
    right='data visits from "visits.csv"\n  target readmitted',
)
CLAUSE_VALUE = declare(
    "E143",
    "clause_value",
    "A clause does not take this value.",
    phase=Phase.CLAUSES,
    reason="The value would be refused or misread later; shares lie between 0 and 1, "
    "seeds are whole numbers.",
    wrong="study\n  alpha 5",
    right="study\n  alpha 0.05",
)
CLAUSE_CONFLICT = declare(
    "E144",
    "clause_conflict",
    "Two clauses that exclude each other.",
    reason="Both cannot hold, and neither may silently win.",
    wrong='predictions p from "p.csv"\n  truth y\n  correct a',
    right='predictions p from "p.csv"\n  correct a',
)

# --- E15x: claims ----------------------------------------------------------------------------

COMPARE_SHAPE = declare(
    "E150",
    "compare_shape",
    "A comparison whose parts do not fit together.",
    reason="A family holds each pair once, and an omnibus covers every model of its line.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a vs b, b vs a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a vs b with mcnemar",
)
TOO_FEW_MODELS = declare(
    "E151",
    "too_few_models",
    "A comparison of fewer than two models.",
    reason="A comparison needs something to compare with.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
)
NEEDS_CORRECTION_ELSEWHERE = declare(
    "E152",
    "correction_on_self_correcting_test",
    "A correction on a test that controls its family itself.",
    reason="These tests adjust for all comparisons themselves; a second correction would cost "
    "power and protect from nothing.",
    wrong=f"{SUITE}compare across data with friedman then nemenyi holm",
    right=f"{SUITE}compare across data with friedman then nemenyi",
)
MARGIN = declare(
    "E153",
    "margin",
    "A margin, threshold or level lies outside the range that it can have.",
    reason="A margin is a distance and so above 0; a level lies between 0 and 1; a "
    "threshold lies where the metric can.",
    wrong="require a not worse than b by -2%",
    right="require a not worse than b by 2%",
)

# --- E16x: waivers ---------------------------------------------------------------------------

WAIVER_WITHOUT_REASON = declare(
    "E161",
    "waiver_without_reason",
    "A waiver that does not say why.",
    reason="A waiver is printed in the report; a reader must see why the advice was set aside.",
    wrong="# evallang: allow seed_by_default",
    right="# evallang: allow seed_by_default because the default seed is agreed",
)

# --- E17x: exports, reports, own code, limits ------------------------------------------------

EXPORT_OF_SEVERAL = declare(
    "E170",
    "export_of_several_data_sets",
    "A model is exported from a study of several data sets, or of none.",
    reason="An exported model is fitted on all rows of one data set; of several, nothing says "
    "which one it should know.",
    wrong=f"{ONE_MODEL}data wine from sklearn wine\nexport bayes",
    right=f"{ONE_MODEL}export bayes",
)
EXPORT_PATH = declare(
    "E171",
    "export_path",
    "An exported model would be outside the study's folder, or its name lacks the ending .skops.",
    reason="A study writes nothing outside its own folder. Models are saved with skops, whose "
    "files hold no code, and never as pickles, which run code when they are read.",
    wrong=f'{ONE_MODEL}export best to "../model.skops"',
    right=f'{ONE_MODEL}export best to "models/best.skops"',
)
EXPORT_TWICE = declare(
    "E172",
    "export_twice",
    "Two `export` lines write the same file.",
    reason="The second model would silently replace the first.",
    wrong=f'{ONE_MODEL}export bayes to "model.skops"\nexport best to "model.skops"',
    right=f'{ONE_MODEL}export bayes to "bayes.skops"\nexport best to "best.skops"',
)
REPORT_FOLDER = declare(
    "E173",
    "report_folder",
    "The results would be written outside the study's folder.",
    reason="A study is data, and may come from anyone: it names no place outside its own folder. "
    "Whoever runs it may, with `run -o DIR`.",
    wrong=f'{ONE_MODEL}report html\n  to "../results"',
    right=f'{ONE_MODEL}report html\n  to "results"',
)
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
OVER_LIMIT = declare(
    "E177",
    "over_limit",
    "A study asks for more than a limit allows.",
    reason="A study with a digit too many would run for years or fill the memory. Each limit is "
    "far above what studies need, and `--limit NAME=NUMBER` raises it.",
    wrong="protocol cv folds=10 seeds=1000000",
    right="protocol cv folds=10 seeds=10",
)

# --- E2xx: what cannot be computed, or means nothing -----------------------------------------

TEST_NEEDS_OTHER_EVIDENCE = declare(
    "E201",
    "test_needs_other_evidence",
    "A test on a protocol or source that does not give what the test needs.",
    reason="McNemar's and Cochran's tests need each example predicted once by each model; "
    "tests on fold scores need folds of a known design. Predicting an example several times "
    "and counting it each time makes one example look like many.",
    wrong=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with mcnemar",
    right=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with corrected_t",
    source="Dietterich 1998; Nadeau & Bengio 2003",
)
INTERVAL_NEEDS_OTHER_EVIDENCE = declare(
    "E202",
    "interval_needs_other_evidence",
    "An interval that does not fit the metric or the protocol.",
    reason="Wilson's interval counts independent trials; under repeated cross-validation the "
    "same examples are counted again and the interval covers far less than it says.",
    wrong=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval wilson",
    right=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval corrected_t",
    source="Nadeau & Bengio 2003; Dietterich 1998",
)
METRIC_NEEDS_SCORES = declare(
    "E203",
    "metric_needs_scores",
    "A metric on scores of a model without scores.",
    reason="Probabilities, or scores that rank, cannot be made from labels.",
    wrong="data iris from sklearn iris\nmodel a = RidgeClassifier\nprotocol cv\nmeasure log_loss",
    right="data iris from sklearn iris\nmodel a = LogisticRegression\nprotocol cv\n"
    "measure log_loss",
)
METRIC_UNDER_PROTOCOL = declare(
    "E204",
    "metric_under_protocol",
    "A metric that is undefined on the folds of the protocol.",
    reason="A ranking needs at least one example of each class in a fold.",
    wrong="protocol leave_one_out\nmeasure roc_auc",
    right="protocol cv folds=10\nmeasure roc_auc",
    source="Forman & Scholz 2010",
)
TOO_FEW_FOR_OMNIBUS = declare(
    "E205",
    "omnibus_of_two",
    "A test of many models with two.",
    reason="With two models the omnibus is the pairwise test under another name.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with cochran then mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
    source="Raschka 2018, section 4.6",
)
SEARCH_WITHOUT_VALIDATION = declare(
    "E206",
    "search_without_validation",
    "A search space and no stage to choose in.",
    reason="Choosing hyper-parameters on the test folds makes the estimate optimistic.",
    wrong="model svm = SVC(C in [1, 10])\nprotocol cv",
    right="model svm = SVC(C in [1, 10])\nprotocol nested cv",
    source="Raschka 2018, 4.14; Cawley & Talbot 2010",
)
TEST_OF_ANOTHER_METRIC = declare(
    "E207",
    "test_of_another_metric",
    "A test by a metric that it does not test.",
    reason="The test counts right and wrong answers; its p would be about accuracy, "
    "whatever metric is written with it.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar by f1",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with permutation by f1",
    source="McNemar 1947; Dietterich 1998",
)
MODELS_OF_ONE_TEST = declare(
    "E208",
    "models_of_one_test",
    "A pairwise test before `then`, or an omnibus after it.",
    reason="An omnibus asks whether any models differ, the test after `then` which ones.",
    wrong="compare with mcnemar then cochran",
    right="compare with cochran then mcnemar",
    source="Demšar 2006",
)
FAMILY = declare(
    "E209",
    "family_of_another_shape",
    "A correction or a test after `then` whose family of pairs is not the line's.",
    reason="Shaffer's and Bergmann and Hommel's corrections gain their power from which "
    "hypotheses about all pairs can be true together, Westfall's from the joint distribution of "
    "McNemar's statistics, Dunn's from comparing with one reference.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer by accuracy, error_rate",
    right=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer",
    source="Shaffer 1986; Bergmann & Hommel 1988; Westfall et al. 2010; Demšar 2006",
)
NO_FORM_FOR_GROUPS = declare(
    "E210",
    "no_form_for_groups",
    "A test or interval that takes rows for independent, on rows that belong to groups.",
    reason="Rows of one group are alike. A method that counts them as if they were not rejects "
    "true nulls far too often; one with a form for groups takes the group as its unit.",
    wrong='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with proportions_z",
    right='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    source="Yang, Sun & Hardin 2010; Obuchowski 1997",
)
UNDECIDABLE = declare(
    "E211",
    "requirement_cannot_be_decided",
    "A `require` line that nothing could decide.",
    reason="A line is met only where a bound of an interval, or a test, says so. Under a "
    "protocol that gives no sound interval of the metric, or by a test that is not of two "
    "models, it would fail in every run.",
    wrong=f"{TWO_MODELS}protocol bootstrap\nrequire a better than b",
    right=f"{TWO_MODELS}protocol cv\nrequire a better than b",
)
OBSERVED_POWER = declare(
    "E212",
    "power_at_the_observed_difference",
    "Power is asked for at the difference that the data show.",
    reason="Power at the observed difference is a function of p: it is low whenever p is high, and "
    "says nothing that p does not. Power is for a difference that would matter, stated before the "
    "data are seen; afterwards the interval of the difference is read.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=observed)",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=2%)",
    source="Hoenig & Heisey 2001",
)
INTERVAL_CANNOT_REFIT = declare(
    "E213",
    "interval_cannot_refit",
    "An interval that fits models of its own, in a study whose fits it cannot repeat.",
    reason="`nested_cv` fits every model again without each pair of folds. A search would need "
    "inner folds in each of these parts, a level of a column may have no rows in a fold, and "
    "with two folds no rows are left to train on.",
    wrong=f"{TWO_MODELS}protocol cv folds=2\nmeasure accuracy\n  interval nested_cv",
    right=f"{TWO_MODELS}protocol cv folds=5\nmeasure accuracy\n  interval nested_cv",
    source="Bates, Hastie & Tibshirani 2024",
)
TEST_WITHOUT_WEIGHTS = declare(
    "E221",
    "test_without_weights",
    "A test that counts or averages examples alike, where they have weights.",
    reason="A test on counts takes every example for one. With weights an example stands for "
    "more or fewer, the counts are not counts of independent trials, and the p-value is of "
    "another question. Swapping outputs within examples, and drawing examples again, keep "
    "each example with its weight.",
    wrong='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    right='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with permutation",
    source="Kish 1965",
)
OWN_METRIC_WITHOUT_WEIGHTS = declare(
    "E222",
    "own_metric_without_weights",
    "A metric of the author's own code on examples that carry weights.",
    reason="A metric of one's own is a function of truth and prediction. It is not told the "
    "weights, and what it gives would be of other examples than the rest of the study.",
    wrong='use mypkg.metrics\ndata d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
    right='use mypkg.metrics\ndata d from "d.csv"\n  target y\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
)

# --- E90x: what this version cannot run ------------------------------------------------------

NOT_IN_THIS_VERSION = declare(
    "E901",
    "not_in_this_version",
    "Something that the language states and this version cannot run yet.",
    reason="Nothing that a study states is ever ignored: what cannot be run is refused before "
    "anything is computed.",
)

# --- W10x: what is not used ------------------------------------------------------------------

UNUSED_LET = declare(
    "W101",
    "unused_let",
    "A `let` that nothing uses.",
    severity=Severity.HINT,
    reason="It may be a misspelt use elsewhere, or a line that was forgotten.",
    wrong="let prep = StandardScaler\nmodel a = SVC",
    right="let prep = StandardScaler\nmodel a = prep | SVC",
)
UNUSED_STATEMENT = declare(
    "W102",
    "unused_statement",
    "A statement that nothing in the study uses.",
    reason="A protocol splits rows for models that are fitted here; where outcomes are given, it "
    "has nothing to do, and a reader would think that it had.",
    wrong="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\nprotocol cv",
    right="counts one\n  models a, b\n  table [[5, 1], [2, 3]]",
)

# --- W16x:  ----------------------------------------------------------------------------------

WAIVER_OF_NOTHING = declare(
    "W162",
    "waiver_of_nothing",
    "A waiver for which there is nothing to waive.",
    reason="A waiver that silences nothing hides the day on which it would.",
    wrong="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\n"
    "# evallang: allow many_comparisons_without_correction because it was planned\n"
    "compare a, b with mcnemar",
    right="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\ncompare a, b with mcnemar",
)
