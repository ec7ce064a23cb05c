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
    "A line uses a name that the study does not declare.",
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
    "The same name is declared twice.",
    reason="A study overrides nothing: with two declarations it would be unclear which one a "
    "result refers to.",
    wrong="model tree = DecisionTreeClassifier\nmodel tree = ExtraTreeClassifier",
    right="model tree = DecisionTreeClassifier\nmodel extra = ExtraTreeClassifier",
)
RESERVED_NAME = declare(
    "E103",
    "reserved_name",
    "A word of the language is used as a name.",
    reason="`against across by on with all best target true false none` are words of the language "
    "and cannot be names in a study.",
    wrong="model best = GaussianNB",
    right="model bayes = GaussianNB",
)
STATEMENT_TWICE = declare(
    "E104",
    "statement_twice",
    "A statement occurs twice that a study may contain only once.",
    reason="A study overrides nothing, so one of the two lines would silently be ignored.",
    wrong="stratify by target\nstratify none",
    right="stratify by target",
)
MISSING_STATEMENT = declare(
    "E105",
    "missing_statement",
    "A study lacks a statement that it needs.",
    reason="Models need data to be fitted on, and a protocol that divides the data into training "
    "and test rows.",
    wrong="data iris from sklearn iris\nmodel tree = DecisionTreeClassifier",
    right="data iris from sklearn iris\nmodel tree = DecisionTreeClassifier\nprotocol cv folds=10",
)
CIRCULAR_NAME = declare(
    "E106",
    "circular_name",
    "A `let` or a model refers to itself.",
    reason="A name that is defined by itself has no value.",
    wrong="let a = b\nlet b = a",
    right="let a = 3\nlet b = a",
)
INCLUDE_PROBLEM = declare(
    "E107",
    "include_problem",
    "An included file is missing, is included twice, or includes itself.",
    reason="A study overrides nothing, so a file that is included twice would declare everything "
    "twice. A cycle of includes would never end.",
    wrong='include "protocol.eval"\ninclude "protocol.eval"',
    right='include "protocol.eval"',
)
AMBIGUOUS_PROTOCOL = declare(
    "E108",
    "ambiguous_protocol",
    "The study has several protocols, and the line does not name one.",
    reason="Different protocols give different answers, so the line must say which one it refers "
    "to.",
    wrong=f"{TWO_MODELS}protocol main = cv\nprotocol quick = holdout\ncompare a, b with mcnemar",
    right=f"{TWO_MODELS}protocol main = cv\nprotocol quick = holdout\n"
    "compare a, b with mcnemar on main",
)
MODELS_NEVER_MEET = declare(
    "E109",
    "models_never_meet",
    "A line names models that do not occur together in any data set.",
    reason="Models are compared on the same examples; without a common data set the line would "
    "silently produce nothing.",
    wrong="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\ncounts two\n  models c, d\n"
    "  table [[5, 1], [2, 3]]\ncompare a, c with mcnemar",
    right="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\ncompare a, b with mcnemar",
)

STORED_MODEL_FITTED = declare(
    "E215",
    "stored_model_is_not_fitted",
    "A line needs to fit a model whose predictions are taken from former results.",
    reason="`model release from results ...` takes the stored predictions of a model and knows "
    "nothing else of it: it cannot be a step or a part of another model, and there is nothing to "
    "export. `export best` could choose it.",
    wrong='data iris from sklearn iris\nmodel release from results "v1/study-results" as bayes\n'
    "model new = GaussianNB\nprotocol cv folds=5\nexport release",
    right='data iris from sklearn iris\nmodel release from results "v1/study-results" as bayes\n'
    "model new = GaussianNB\nprotocol cv folds=5\nexport new",
)

# --- E11x: models ----------------------------------------------------------------------------

UNKNOWN_CLASS = declare(
    "E110",
    "unknown_class",
    "The class is not in the catalogue of estimators.",
    phase=Phase.REFERENCES,
    reason="Class names are looked up in a catalogue and never imported, so that a study file "
    "cannot run code.",
    wrong="model tree = DecisionTreeClasifier",
    right="model tree = DecisionTreeClassifier",
)
MISPLACED_RESAMPLER = declare(
    "E178",
    "misplaced_resampler",
    "A resampler is not a step before a classifier, or occurs twice in one pipeline.",
    reason="A resampler of imbalanced-learn chooses or makes training rows, so the steps after it "
    "are fitted on other rows. It predicts nothing, has no place in a branch of `columns(...)`, "
    "whose branches must have the same rows, and finds nothing to do a second time.",
    wrong="model a = LogisticRegression\nmodel b = StandardScaler | SMOTE",
    right="model a = LogisticRegression\nmodel b = StandardScaler | SMOTE | LogisticRegression",
)
NOTHING_TO_RESAMPLE = declare(
    "E179",
    "nothing_to_resample",
    "A resampler occurs in a regression, or with examples that have weights.",
    reason="A resampler changes how many training rows of each class there are. A regression has "
    "no classes, and a row that was made from two others has no weight.",
    wrong="data diabetes from sklearn diabetes\nmodel a = RandomUnderSampler | Ridge",
    right="data diabetes from sklearn diabetes\nmodel a = Ridge",
)
UNKNOWN_PARAMETER = declare(
    "E111",
    "unknown_parameter",
    "The class has no parameter of this name.",
    reason="scikit-learn would reject it only when the model is built, after the data have been "
    "read.",
    wrong="model knn = KNeighborsClassifier(k=3)",
    right="model knn = KNeighborsClassifier(n_neighbors=3)",
)
PARAMETER_VALUE = declare(
    "E112",
    "parameter_value",
    "The parameter does not accept this value.",
    phase=Phase.REFERENCES,
    reason="scikit-learn would reject it only in the first fit of this model, perhaps an hour "
    "into the run.",
    wrong="model svm = SVC(kernel=radial)",
    right="model svm = SVC(kernel=rbf)",
)
REFUSED_PARAMETER = declare(
    "E113",
    "refused_parameter",
    "A study file may not use this parameter or class.",
    reason="A `.eval` file is data, not a program: parameters that take functions, files or "
    "folders are not allowed, and a search is written with `in` instead of a search class.",
    wrong="model svm = GridSearchCV(estimator=SVC)",
    right="model svm = SVC(C in [0.1, 1, 10])",
)
PIPELINE_ORDER = declare(
    "E114",
    "pipeline_order",
    "A pipeline does not end with a predictor, or has a predictor before its end.",
    reason="Data flow from left to right: first the transformers, then one predictor.",
    wrong="model a = SVC | StandardScaler",
    right="model a = StandardScaler | SVC",
)
WRONG_TASK = declare(
    "E115",
    "wrong_task",
    "A model, metric or test does not fit the task of the data.",
    reason="A classifier predicts labels, a regressor numbers; metrics and tests are defined for "
    "one of the two.",
    wrong="data diabetes from sklearn diabetes\nmodel a = SVC",
    right="data diabetes from sklearn diabetes\nmodel a = SVR",
)
PARAMETER_TWICE = declare(
    "E116",
    "parameter_twice",
    "A parameter or option is given twice.",
    reason="One of the two values would silently override the other.",
    wrong="model svm = SVC(C=1, C=10)",
    right="model svm = SVC(C=10)",
)
BAD_DOMAIN = declare(
    "E117",
    "bad_domain",
    "A search space contains no values, or its steps do not fit its bounds.",
    reason="The steps must lead from one bound to the other, so that the candidates are exactly "
    "those that a reader would count.",
    wrong="model svm = SVC(C in 0.1..10)",
    right="model svm = SVC(C in 0.1..10 log 5)",
)
TOO_MUCH_BEHIND_NAMES = declare(
    "E118",
    "too_much_behind_names",
    "Names that refer to names expand to more than can be read or fitted.",
    reason="Each name is expanded where it is used. If each of a few lines uses the previous one "
    "twice, the last line can expand to millions of classes, which no author means and no "
    "memory holds.",
)

# --- E12x: words -----------------------------------------------------------------------------

UNKNOWN_METRIC = declare(
    "E120",
    "unknown_metric",
    "The word is not a metric.",
    reason="`evallang list metrics` lists all of them.",
    wrong="measure acuracy",
    right="measure accuracy",
)
UNKNOWN_TEST = declare(
    "E121",
    "unknown_test",
    "The word is not a hypothesis test.",
    reason="`evallang list tests` lists all of them.",
    wrong="compare with mcnemmar",
    right="compare with mcnemar",
)
UNKNOWN_INTERVAL = declare(
    "E122",
    "unknown_interval",
    "The word is not an interval.",
    reason="`evallang list intervals` lists all of them.",
    wrong="measure accuracy\n  interval wilsn",
    right="measure accuracy\n  interval wilson",
)
UNKNOWN_PROTOCOL = declare(
    "E123",
    "unknown_protocol",
    "The word is not a protocol.",
    reason="`evallang list protocols` lists all of them.",
    wrong="protocol kfold folds=10",
    right="protocol cv folds=10",
)
UNKNOWN_CORRECTION = declare(
    "E124",
    "unknown_correction",
    "The word is not a correction for multiple comparisons.",
    reason="`evallang list corrections` lists all of them.",
    wrong="compare with mcnemar bonferoni",
    right="compare with mcnemar bonferroni",
)
UNKNOWN_ANALYSIS = declare(
    "E125",
    "unknown_analysis",
    "The word is not an analysis.",
    reason="`evallang list analyses` lists all of them.",
    wrong="analyze powr(difference=2%)",
    right="analyze power(difference=2%)",
)
UNKNOWN_WORD = declare(
    "E126",
    "unknown_word",
    "The clause does not accept this word.",
    reason="The clause accepts only a few words, and `evallang explain CLAUSE` lists them.",
    wrong="report htm",
    right="report html",
)
UNKNOWN_SOURCE = declare(
    "E127",
    "unknown_source",
    "The source is not a bundled data set, has an unsupported file type, or is an address.",
    reason="scikit-learn bundles iris, wine, breast_cancer, digits and diabetes; other data come "
    "from a file next to the study, or from a query.",
    wrong="data d from sklearn iriss",
    right="data d from sklearn iris",
)

# --- E13x: options ---------------------------------------------------------------------------

UNKNOWN_OPTION = declare(
    "E130",
    "unknown_option",
    "The method has no option of this name.",
    reason="`evallang explain METHOD` lists the options of a method.",
    wrong="compare with mcnemar(precise)",
    right="compare with mcnemar(exact)",
)
OPTION_VALUE = declare(
    "E131",
    "option_value",
    "The option does not accept this value.",
    reason="`evallang explain METHOD` lists the words or the kind of number that each option "
    "accepts.",
    wrong="protocol cv folds=ten",
    right="protocol cv folds=10",
)
MISSING_OPTION = declare(
    "E132",
    "missing_option",
    "A required option of a method is missing.",
    reason="No single value would be right for most studies, so there is no default.",
    wrong="measure fbeta",
    right="measure fbeta(beta=2)",
)

UNKNOWN_DIRECTION = declare(
    "E133",
    "unknown_direction",
    "Nothing says whether a higher or a lower value of a metric is better.",
    phase=Phase.CLAUSES,
    reason="Ranks, signs and the best model follow the direction. A known metric brings its own; "
    "any guess about another one could make the worst model win.",
    wrong='scores s from "times.csv"\n  dataset corpus\n  metric "Effort"',
    right='scores s from "times.csv"\n  dataset corpus\n  metric "Effort"\n  lower is better',
)
RUNS_AS_FOLDS = declare(
    "E134",
    "runs_as_folds",
    "A column of seeds, runs, sites or readers is named as the column of folds.",
    phase=Phase.CLAUSES,
    reason="Folds of cross-validation divide the data, and tests use how much their training "
    "rows overlap. Runs with other seeds share all of their data: their spread says nothing about "
    "other data. The rows of a site, patient or reader belong together, and such parts are "
    "not a random division.",
    wrong='scores s from "runs.csv"\n  models a, b\n  fold seed\n  metric "Accuracy"',
    right='scores s from "runs.csv"\n  models a, b\n  seed seed\n  metric "Accuracy"',
    source="Bouthillier et al. 2021",
)

# --- E14x: clauses ---------------------------------------------------------------------------

UNKNOWN_CLAUSE = declare(
    "E140",
    "unknown_clause",
    "The statement has no clause of this name.",
    reason="Each statement has its own clauses; the clause of another statement would have no "
    "effect.",
    wrong='data iris from "iris.csv"\n  traget species',
    right='data iris from "iris.csv"\n  target species',
)
CLAUSE_TWICE = declare(
    "E141",
    "clause_twice",
    "A clause occurs twice that may be written only once, or an item occurs twice in a list.",
    phase=Phase.CLAUSES,
    reason="One of two values would silently override the other, and an item that occurs twice "
    "may have been meant to be another one.",
    wrong="study\n  seed 1\n  seed 2",
    right="study\n  seed 1",
)
MISSING_CLAUSE = declare(
    "E142",
    "missing_clause",
    "A required clause of a statement is missing.",
    reason="What is required and cannot be derived from the data is never guessed.",
    wrong='data visits from "visits.csv"',
    right='data visits from "visits.csv"\n  target readmitted',
)
CLAUSE_VALUE = declare(
    "E143",
    "clause_value",
    "The clause does not accept this value.",
    phase=Phase.CLAUSES,
    reason="The value would be rejected or misread later. Shares lie between 0 and 1; seeds are "
    "whole numbers.",
    wrong="study\n  alpha 5",
    right="study\n  alpha 0.05",
)
CLAUSE_CONFLICT = declare(
    "E144",
    "clause_conflict",
    "Two clauses exclude each other.",
    reason="Only one of them can hold, and neither may silently override the other.",
    wrong='predictions p from "p.csv"\n  truth y\n  correct a',
    right='predictions p from "p.csv"\n  correct a',
)

# --- E15x: claims ----------------------------------------------------------------------------

COMPARE_SHAPE = declare(
    "E150",
    "compare_shape",
    "The parts of a comparison do not fit together.",
    reason="A family contains each pair once, and an omnibus test covers all models of its line.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a vs b, b vs a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a vs b with mcnemar",
)
TOO_FEW_MODELS = declare(
    "E151",
    "too_few_models",
    "A comparison names fewer than two models.",
    reason="A comparison needs at least two models.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
)
NEEDS_CORRECTION_ELSEWHERE = declare(
    "E152",
    "correction_on_self_correcting_test",
    "A test that adjusts for multiple comparisons itself is given a correction.",
    reason="These tests already adjust for all comparisons; a second correction would only cost "
    "power.",
    wrong=f"{SUITE}compare across data with friedman then nemenyi holm",
    right=f"{SUITE}compare across data with friedman then nemenyi",
)
MARGIN = declare(
    "E153",
    "margin",
    "A margin, threshold or level is outside its range.",
    reason="A margin is a distance, so it is above 0; a level lies between 0 and 1; a threshold "
    "lies within the range of the metric.",
    wrong="require a not worse than b by -2%",
    right="require a not worse than b by 2%",
)

# --- E16x: waivers ---------------------------------------------------------------------------

WAIVER_WITHOUT_REASON = declare(
    "E161",
    "waiver_without_reason",
    "A waiver gives no reason.",
    reason="The report prints waivers; a reader must see why the advice was not followed.",
    wrong="# evallang: allow seed_by_default",
    right="# evallang: allow seed_by_default because the default seed is agreed",
)

# --- E17x: exports, reports, own code, limits ------------------------------------------------

EXPORT_OF_SEVERAL = declare(
    "E170",
    "export_of_several_data_sets",
    "A model is exported from a study with several data sets, or without one.",
    reason="An exported model is fitted on all rows of one data set; with several, the study "
    "would have to say which one.",
    wrong=f"{ONE_MODEL}data wine from sklearn wine\nexport bayes",
    right=f"{ONE_MODEL}export bayes",
)
EXPORT_PATH = declare(
    "E171",
    "export_path",
    "An exported model would be written outside the study's folder, or its file name does "
    "not end in .skops.",
    reason="A study writes nothing outside its own folder. Models are saved with skops, whose "
    "files contain no code, and never as pickles, which run code when they are read.",
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
    reason="A study is data and may come from anyone, so it cannot name a folder outside its own. "
    "Whoever runs it can, with `run -o DIR`.",
    wrong=f'{ONE_MODEL}report html\n  to "../results"',
    right=f'{ONE_MODEL}report html\n  to "results"',
)
OWN_CODE_WITHOUT_USE = declare(
    "E175",
    "own_code_without_use",
    "No `use` line names the module of a dotted name.",
    reason="A study lists the modules of its author in one place, so that a reader knows what to "
    "trust before anything is imported.",
    wrong="model net = mypkg.models.Net(width=64)",
    right="use mypkg.models\nmodel net = mypkg.models.Net(width=64)",
)
MODULE_NAME = declare(
    "E176",
    "module_name",
    "The name after `use` is not the name of a Python module.",
    reason="A module is named as Python imports it: words of letters, digits and `_`, separated "
    "by dots.",
    wrong="use my-package.models",
    right="use my_package.models",
)
OVER_LIMIT = declare(
    "E177",
    "over_limit",
    "A study asks for more than a limit allows.",
    reason="With one digit too many a study would run for years or fill the memory. Each limit is "
    "far above what studies need, and `--limit NAME=NUMBER` raises it.",
    wrong="protocol cv folds=10 seeds=1000000",
    right="protocol cv folds=10 seeds=10",
)
LEVEL_UNDER_LOOKS = declare(
    "E180",
    "level_under_looks",
    "A requirement has its own level in a study that states its number of looks.",
    reason="`looks 12` divides the error of one decision among twelve: every requirement is "
    "decided at the level 1 - (1 - confidence) / 12. With `at` a line would have a level that does "
    "not depend on the number of looks, and the error over all looks would not be the stated one.",
    wrong="study\n  looks 12\nrequire accuracy of a >= 95% at 90%",
    right="study\n  confidence 90%\n  looks 12\nrequire accuracy of a >= 95%",
    source="Armitage, McPherson & Rowe 1969",
)

# --- E2xx: what cannot be computed, or means nothing -----------------------------------------

TEST_NEEDS_OTHER_EVIDENCE = declare(
    "E201",
    "test_needs_other_evidence",
    "A test needs other inputs than the protocol or source provides.",
    reason="McNemar's and Cochran's tests need one prediction per example and model; tests on "
    "fold scores need folds of a known design. If an example is predicted several times "
    "and each time is counted, one example looks like many.",
    wrong=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with mcnemar",
    right=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with corrected_t",
    source="Dietterich 1998; Nadeau & Bengio 2003",
)
INTERVAL_NEEDS_OTHER_EVIDENCE = declare(
    "E202",
    "interval_needs_other_evidence",
    "An interval does not fit the metric or the protocol.",
    reason="Wilson's interval assumes independent trials; repeated cross-validation counts the "
    "same examples again, so the interval covers far less often than its level says.",
    wrong=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval wilson",
    right=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval corrected_t",
    source="Nadeau & Bengio 2003; Dietterich 1998",
)
METRIC_NEEDS_SCORES = declare(
    "E203",
    "metric_needs_scores",
    "A metric needs scores that a model does not provide.",
    reason="Probabilities and ranking scores cannot be computed from predicted labels.",
    wrong="data iris from sklearn iris\nmodel a = RidgeClassifier\nprotocol cv\nmeasure log_loss",
    right="data iris from sklearn iris\nmodel a = LogisticRegression\nprotocol cv\n"
    "measure log_loss",
)
METRIC_UNDER_PROTOCOL = declare(
    "E204",
    "metric_under_protocol",
    "A metric is undefined on the folds of the protocol.",
    reason="A ranking needs at least one example of each class in a fold.",
    wrong="protocol leave_one_out\nmeasure roc_auc",
    right="protocol cv folds=10\nmeasure roc_auc",
    source="Forman & Scholz 2010",
)
TOO_FEW_FOR_OMNIBUS = declare(
    "E205",
    "omnibus_of_two",
    "A test for three or more models is given two.",
    reason="With two models the omnibus test is the pairwise test under another name.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with cochran then mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
    source="Raschka 2018, section 4.6",
)
SEARCH_WITHOUT_VALIDATION = declare(
    "E206",
    "search_without_validation",
    "A model has a search space, but the protocol has no inner folds or validation part to "
    "choose in.",
    reason="Choosing hyper-parameters on the test folds makes the estimate optimistic.",
    wrong="model svm = SVC(C in [1, 10])\nprotocol cv",
    right="model svm = SVC(C in [1, 10])\nprotocol nested cv",
    source="Raschka 2018, 4.14; Cawley & Talbot 2010",
)
TEST_OF_ANOTHER_METRIC = declare(
    "E207",
    "test_of_another_metric",
    "A test is asked for a metric that it does not test.",
    reason="The test counts right and wrong answers, so its p-value is about accuracy, whatever "
    "metric the line names.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar by f1",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with permutation by f1",
    source="McNemar 1947; Dietterich 1998",
)
MODELS_OF_ONE_TEST = declare(
    "E208",
    "models_of_one_test",
    "A pairwise test is written before `then`, or an omnibus test after it.",
    reason="An omnibus test asks whether any models differ; the test after `then` asks which ones.",
    wrong="compare with mcnemar then cochran",
    right="compare with cochran then mcnemar",
    source="Demšar 2006",
)
FAMILY = declare(
    "E209",
    "family_of_another_shape",
    "A correction, or a test after `then`, does not fit the pairs of the line.",
    reason="Shaffer's and Bergmann and Hommel's corrections use which hypotheses about all pairs "
    "can be true together, Westfall's uses the joint distribution of McNemar's statistics, "
    "and Dunn's test compares with one reference.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer by accuracy, error_rate",
    right=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer",
    source="Shaffer 1986; Bergmann & Hommel 1988; Westfall et al. 2010; Demšar 2006",
)
NO_FORM_FOR_GROUPS = declare(
    "E210",
    "no_form_for_groups",
    "A test or interval assumes independent rows, and the rows belong to groups.",
    reason="Rows of one group are alike. A method that treats them as independent rejects true "
    "null hypotheses far too often; a method with a form for groups takes the group as its "
    "unit.",
    wrong='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with proportions_z",
    right='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    source="Yang, Sun & Hardin 2010; Obuchowski 1997",
)
UNDECIDABLE = declare(
    "E211",
    "requirement_cannot_be_decided",
    "Nothing in the study can decide a `require` line.",
    reason="A requirement is met only if the bound of an interval, or a test, shows it. Under a "
    "protocol without a sound interval for the metric, or with a test that does not "
    "compare two models, it would fail in every run.",
    wrong=f"{TWO_MODELS}protocol bootstrap\nrequire a better than b",
    right=f"{TWO_MODELS}protocol cv\nrequire a better than b",
)
OBSERVED_POWER = declare(
    "E212",
    "power_at_the_observed_difference",
    "Power is requested for the observed difference.",
    reason="Power at the observed difference is a function of the p-value: it is low whenever p "
    "is high, and adds nothing to p. Power is computed for a difference that would matter, "
    "stated before the data are seen; afterwards, the interval of the difference answers "
    "the question.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=observed)",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=2%)",
    source="Hoenig & Heisey 2001",
)
ASSUMPTION_OF_ANOTHER_TEST = declare(
    "E224",
    "assumption_of_another_test",
    "Power is requested with an assumption that no test of the study makes.",
    reason="The share of discordant examples determines the power of McNemar's test, the standard "
    "deviation of differences that of t tests, areas that of DeLong's test, and the metric of the "
    "weaker model that of a bootstrap test of F1. What a test does not use would be stated for "
    "nothing.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(sd=10%)",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(discordant=10%)",
)
INTERVAL_CANNOT_REFIT = declare(
    "E213",
    "interval_cannot_refit",
    "An interval fits models of its own, and the study does not allow such fits.",
    reason="`nested_cv` fits every model again without each pair of folds. With a search, each of "
    "these fits would need inner folds; a level of a column may have no rows in a fold; "
    "and with two folds no rows are left for training.",
    wrong=f"{TWO_MODELS}protocol cv folds=2\nmeasure accuracy\n  interval nested_cv",
    right=f"{TWO_MODELS}protocol cv folds=5\nmeasure accuracy\n  interval nested_cv",
    source="Bates, Hastie & Tibshirani 2024",
)
ANALYSIS_NEEDS_OTHER_DATA = declare(
    "E218",
    "analysis_needs_other_data",
    "An analysis needs other predictions than the study has.",
    reason="A curve of scores cannot be drawn from labels, nor from published counts, and it is "
    "about one class against the other.",
    wrong="data iris from sklearn iris\nmodel a = RidgeClassifier\nprotocol cv\n"
    "measure accuracy\nanalyze calibration",
    right="data iris from sklearn iris\nmodel a = RidgeClassifier\nprotocol cv\n"
    "measure accuracy\nanalyze confusion",
)
METRIC_WITHOUT_DIRECTION = declare(
    "E228",
    "metric_without_direction",
    "Models are compared, chosen or ranked by a metric of which neither more nor less is better.",
    reason="The best calibration slope is 1 and the best calibration intercept 0: a higher value "
    "is not a better one, and a test of a difference could not state which model it favours.",
    wrong="data cancer from sklearn breast_cancer\n  positive malignant\nmodel a = GaussianNB\n"
    "model b = LogisticRegression\nprotocol holdout\nmeasure calibration_slope\n"
    "compare a, b with bootstrap",
    right="data cancer from sklearn breast_cancer\n  positive malignant\nmodel a = GaussianNB\n"
    "model b = LogisticRegression\nprotocol holdout\nmeasure calibration_slope, brier\n"
    "compare a, b with bootstrap by brier\nrequire calibration_slope of a >= 0.8",
)
ANALYSIS_WITHOUT_SEARCH = declare(
    "E219",
    "analysis_without_search",
    "An analysis is about a search for hyper-parameters, and a model is not tuned.",
    reason="What a search chose, and how the candidates scored, is known only of models with a "
    "parameter after `in`, in a study that fits them.",
    wrong="data iris from sklearn iris\nmodel a = KNeighborsClassifier\n"
    "protocol nested cv outer=5 inner=5\nmeasure accuracy\nanalyze stability",
    right="data iris from sklearn iris\nmodel a = KNeighborsClassifier(n_neighbors in [1, 5, 9])\n"
    "protocol nested cv outer=5 inner=5\nmeasure accuracy\nanalyze stability",
)
ANALYSIS_NEEDS_SPLITS = declare(
    "E220",
    "analysis_needs_splits",
    "An analysis compares several splits, and the protocol has too few.",
    reason="How often the choices of several searches agree cannot be known from one search.",
    wrong="data iris from sklearn iris\nmodel a = KNeighborsClassifier(n_neighbors in [1, 5, 9])\n"
    "protocol holdout test=20% validation=20%\nmeasure accuracy\nanalyze stability",
    right="data iris from sklearn iris\nmodel a = KNeighborsClassifier(n_neighbors in [1, 5, 9])\n"
    "protocol nested cv outer=5 inner=5\nmeasure accuracy\nanalyze stability",
)
ANALYSIS_NEEDS_SEEDS = declare(
    "E223",
    "analysis_needs_seeds",
    "An analysis compares seeds, and every fit has one.",
    reason="With one seed for each fit, what the seed changes cannot be told from what the rows of "
    "the split change.",
    wrong="data iris from sklearn iris\nmodel a = DecisionTreeClassifier\nprotocol cv folds=5\n"
    "measure accuracy\nanalyze variance",
    right="data iris from sklearn iris\nmodel a = DecisionTreeClassifier\n"
    "protocol cv folds=5 seeds=5\nmeasure accuracy\nanalyze variance",
)
TEST_WITHOUT_WEIGHTS = declare(
    "E221",
    "test_without_weights",
    "A test treats all examples alike, and the examples have weights.",
    reason="A test on counts takes each row for one example. With weights a row represents more "
    "or fewer, the counts are not counts of independent trials, and the p-value answers "
    "another question. Permutation tests and the bootstrap keep the weight of each "
    "example.",
    wrong='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    right='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with permutation",
    source="Kish 1965",
)
OWN_METRIC_WITHOUT_WEIGHTS = declare(
    "E222",
    "own_metric_without_weights",
    "A metric of the author's own code is used on examples with weights.",
    reason="A metric of your own is a function of truth and prediction. It does not receive the "
    "weights, so its value would describe another population than the rest of the study.",
    wrong='use mypkg.metrics\ndata d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
    right='use mypkg.metrics\ndata d from "d.csv"\n  target y\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
)

# --- E90x: what this version cannot run ------------------------------------------------------

NOT_IN_THIS_VERSION = declare(
    "E901",
    "not_in_this_version",
    "The study uses a part of the language that this version cannot run yet.",
    reason="Nothing in a study is ever ignored: a part that cannot be run is rejected before "
    "anything is computed.",
)

# --- W10x: what is not used ------------------------------------------------------------------

UNUSED_LET = declare(
    "W101",
    "unused_let",
    "Nothing uses a `let`.",
    severity=Severity.HINT,
    reason="Its name may be misspelled where it was meant, or the line may be a leftover.",
    wrong="let prep = StandardScaler\nmodel a = SVC",
    right="let prep = StandardScaler\nmodel a = prep | SVC",
)
UNUSED_STATEMENT = declare(
    "W102",
    "unused_statement",
    "Nothing in the study uses a statement.",
    reason="A protocol splits rows for models that are fitted in the study. With imported "
    "outcomes it has no effect, but a reader would assume one. A `use` line for classes of the "
    "catalogue has no effect but to ask for consent.",
    wrong="counts one\n  models a, b\n  table [[5, 1], [2, 3]]\nprotocol cv",
    right="counts one\n  models a, b\n  table [[5, 1], [2, 3]]",
)

# --- W16x:  ----------------------------------------------------------------------------------

WAIVER_OF_NOTHING = declare(
    "W162",
    "waiver_of_nothing",
    "A waiver silences nothing.",
    reason="A waiver that silences nothing today could hide a finding later.",
    wrong="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\n"
    "# evallang: allow many_comparisons_without_correction because it was planned\n"
    "compare a, b with mcnemar",
    right="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\ncompare a, b with mcnemar",
)
