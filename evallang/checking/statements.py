"""What each statement and clause says, its default, and a study that shows it.

The words and their forms stand in `syntax.keywords`; here is what they mean, for `explain`
and the reference. Every example is checked by the tests, and run.
"""

from collections.abc import Mapping
from typing import NamedTuple


class StatementGuide(NamedTuple):
    """What a statement says, what holds without it, and a whole study that shows it."""

    summary: str
    example: str
    detail: str = ""
    default: str = ""


_IRIS = """\
evallang 1

study
  seed 1

data iris from sklearn iris

model linear = LinearDiscriminantAnalysis
model bayes = GaussianNB
model baseline = DummyClassifier
"""
_VISITS = """\
evallang 1

study
  seed 1

data visits from "data/visits.csv"
  target readmitted
  positive yes
  features age, previous_visits
"""

STATEMENT_GUIDES: Mapping[str, StatementGuide] = {
    "evallang": StatementGuide(
        "Names the version of the language; the first statement of a study.",
        f"{_IRIS}\nprotocol cv\nmeasure accuracy",
        default="a hint reminds of it, and version 1 is taken",
    ),
    "include": StatementGuide(
        "Puts the statements of another file here, such as the protocol of a laboratory.",
        'evallang 1\n\ninclude "lab/protocol.eval"\n\nstudy\n  seed 1\n\n'
        "data iris from sklearn iris\n\n"
        "model linear = LinearDiscriminantAnalysis\nmodel baseline = DummyClassifier",
        detail="The path is relative to this file. Nothing is overridden: what is declared in "
        "both is an error that shows both places. Cycles, the same file twice, and paths "
        "outside the study's folder are errors.",
    ),
    "study": StatementGuide(
        "Says what the study is about, and what holds for all of it.",
        'evallang 1\n\nstudy "Does scaling help nearest neighbours?"\n  author "A. Researcher"\n'
        '  question "Is the distance between wines spoilt by proline?"\n  seed 42\n'
        "  confidence 90%\n\ndata wine from sklearn wine\n\n"
        "model raw = KNeighborsClassifier\nmodel scaled = StandardScaler | KNeighborsClassifier\n"
        "model baseline = DummyClassifier\n\nprotocol cv folds=5\nmeasure accuracy",
        default="the title is the name of the file; seed 0, alpha 0.05, confidence 95 %",
    ),
    "let": StatementGuide(
        "Gives a name to a value or to steps of a pipeline that several models share.",
        f"{_IRIS}\nlet depth = 3\nlet prep = StandardScaler\n\n"
        "model tree = prep | DecisionTreeClassifier(max_depth=depth)\n"
        "model nearest = prep | KNeighborsClassifier\n\nprotocol cv folds=5\nmeasure accuracy",
        detail="`evallang run --set NAME=VALUE` overrides a constant from the command line; the "
        "override stands in results and report.",
    ),
    "data": StatementGuide(
        "Names a table to fit models on: bundled, a file, a glob of files, or a query.",
        'evallang 1\n\nstudy\n  seed 1\n\ndata visits "Hospital visits" from "data/visits.csv"\n'
        '  target readmitted\n  positive yes "readmitted"\n'
        "  features all except visit_id, patient_id\n  categorical ward, insurance\n"
        '  missing "?"\n  where age >= 18\n  unit "visits"\n\n'
        "let prep = columns(numeric: SimpleImputer, categorical: "
        "OneHotEncoder(handle_unknown=ignore))\n\n"
        "model linear = prep | LogisticRegression(max_iter=5000)\n"
        "model baseline = DummyClassifier\n\nprotocol holdout test=1/3\nmeasure roc_auc",
        detail="Sources: `sklearn iris`, `wine`, `breast_cancer`, `digits` or `diabetes`; a path "
        "in quotes (.csv .tsv .parquet .jsonl .arff, .gz fine); a glob (`suite/*.csv`, many data "
        'sets, named `NAME/stem`); `sql "select ..." on "sqlite:///x.db"`. Never features: the '
        "target, and the columns of id, group, weight and `split by`.",
    ),
    "predictions": StatementGuide(
        "Reads predictions made elsewhere, one row for each test example, and fits nothing.",
        'evallang 1\n\nstudy\n  seed 1\n\npredictions reviews from "data/reviews_predictions.csv"'
        "\n  id id\n  truth truth\n  models encoder, large\n"
        '  score encoder = "encoder_p"\n  score large = "large_p"\n  positive positive\n\n'
        "measure accuracy, roc_auc\ncompare with mcnemar",
        detail="In place of `truth` and `models`, `correct` names columns of right (1) and wrong "
        "(0), and `value` columns of one number for each example whose mean is the measure. "
        "Several files are joined by `id`. With `repeat` the example stays the unit: its mean "
        "over repeats enters intervals and tests.",
    ),
    "scores": StatementGuide(
        "Reads a table of scores made elsewhere, for tests over data sets or folds.",
        'evallang 1\n\nstudy\n  seed 1\n\nscores suite from "data/suite_auc.csv"\n'
        "  dataset data_set\n  models nearest, logistic, forest\n"
        '  metric "AUC"\n  higher is better\n\n'
        "compare across data with friedman then wilcoxon shaffer",
        detail="Wide tables have a column for each model (`models`), long ones a column that "
        "names the model and one with the score (`model`, `score`).",
    ),
    "counts": StatementGuide(
        "States published counts: a table of right and wrong, or the share of each model.",
        "evallang 1\n\nstudy\n  seed 1\n\ncounts published\n  models small, large\n"
        "  table [[9945, 25], [15, 15]]\n\nmeasure accuracy\ncompare with mcnemar",
        detail="`table [[a, b], [c, d]]` is [[both right, only the first], [only the second, "
        "both wrong]]. For more models write `pattern [1, 1, 0]: 12`, a line for each pattern, or "
        'name a file with one 0/1 column for each model (`counts NAME from "patterns.csv"`). '
        "Everything that needs only right and wrong works. Without paired answers of the models, "
        "`right MODEL = 87 of 100`, a line for each, states their shares, and n may differ: one "
        "model alone is enough, and several are compared as independent samples by "
        "`proportions_z`.",
    ),
    "stratify": StatementGuide(
        "Keeps the shares of the classes, or of the levels of columns, in every part of a split.",
        f"{_VISITS}\nstratify by target, ward\n\n"
        "model linear = LogisticRegression\nmodel baseline = DummyClassifier\n\n"
        "protocol cv folds=5\nmeasure roc_auc",
        detail="A regression's target is cut into `bins` of equal size (`stratify by target "
        "bins=5`).",
        default="by target for classification, none for regression",
    ),
    "group": StatementGuide(
        "Keeps the rows of a group on one side of every split, and makes the group the unit of "
        "every interval and test.",
        f"{_VISITS}\ngroup by patient_id\n\nmodel linear = LogisticRegression\n"
        "model bayes = GaussianNB\nmodel baseline = DummyClassifier\n\n"
        "protocol holdout test=1/3\nmeasure accuracy, roc_auc\n"
        "compare linear vs bayes with mcnemar",
        detail="Tests and intervals take their clustered form; one that has none is refused, with "
        "one that has.",
        default="every row is on its own",
    ),
    "model": StatementGuide(
        "Names a pipeline of scikit-learn classes with fixed (`=`) and searched (`in`) parameters.",
        f"{_IRIS}\nmodel svm = StandardScaler | SVC(C in 1e-2..1e2 log 5, kernel=rbf)\n\n"
        "protocol nested cv outer=5 inner=3\nmeasure accuracy",
        detail="Steps are chained by `|`. `columns(numeric: STEPS, categorical: STEPS, [age, bmi]: "
        "passthrough)` is a step that treats kinds of columns differently. A value may be a call, "
        "a `let` or another model. A dotted name is the author's own code (`use`). Classes and "
        "parameters are checked before anything is run.",
    ),
    "protocol": StatementGuide(
        "Says on which rows models are trained and on which they are tested.",
        f"{_IRIS}\nprotocol main = repeated cv folds=5 times=4\n"
        "protocol quick = holdout test=1/3\n\nmeasure accuracy\n"
        "compare linear vs bayes with corrected_t on main",
        detail="May be repeated when named. `seeds=5` on any repeats every fit with so many "
        "derived seeds; the fold's score is the mean over seeds, which never count as samples.",
        default="models without a protocol are an error that proposes one; predictions, scores "
        "and counts need none",
    ),
    "tune": StatementGuide(
        "Says how the searched parameters are chosen.",
        f"{_IRIS}\nmodel tree = DecisionTreeClassifier(max_depth in 1..6)\n\n"
        "protocol nested cv outer=5 inner=5\ntune grid by accuracy select one_standard_error\n"
        "measure accuracy",
        detail="Under `nested cv` the folds are `inner`; under a three-way holdout the validation "
        "part; else `cv=K` tunes inside each training part. `one_standard_error` takes the "
        "simplest candidate within one standard error of the best.",
        default="grid, by the first measure, select best",
    ),
    "measure": StatementGuide(
        "Names the metrics; the first of the first line is the primary one.",
        f"{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\n  interval clopper_pearson\n"
        "measure f1(average=macro), log_loss",
        detail="`within COLUMN` gives the estimate in each level of a column. The default interval "
        "depends on metric and protocol (`evallang explain METRIC` lists it).",
        default="accuracy, or mse for regression",
    ),
    "compare": StatementGuide(
        "Tests models against each other: which, with what test, corrected how.",
        f"{_IRIS}\nprotocol holdout test=1/3\nmeasure accuracy\n"
        "compare linear vs bayes with mcnemar\n"
        "compare against baseline with mcnemar holm exploratory",
        detail="Every pair, by every metric named, on every data set the line runs on, is one "
        "family; the correction applies to it as a whole. `against` compares each with one. "
        "`across data` takes the data sets as the sample. Several items may be pairs (`a vs b, "
        "c vs d`). After an omnibus and `then`, p-values of pairs are computed only if the "
        "omnibus rejects; their estimates always.",
        default="all models, all pairs; several hypotheses are corrected by Holm; by the first "
        "measure",
    ),
    "require": StatementGuide(
        "States what must hold for the run to pass; a run that does not pass ends with code 4.",
        "evallang 1\n\nstudy\n  seed 1\n\n"
        'predictions reviews from "data/reviews_predictions.csv"\n  id id\n  truth truth\n'
        "  models encoder, large\n  positive positive\n\nmeasure accuracy\n"
        "require accuracy of large >= 80%\nrequire large not worse than encoder by 2%",
        detail="Decided on the two-sided interval that the report prints: its bound on the "
        "unfavourable side must lie beyond the line (`equivalent to`: the whole interval inside "
        "the margin). `with TEST` asks for p <= alpha and the right sign. A margin is absolute "
        "and in the metric's unit: `2%` is 0.02. What cannot be decided is not met. A line may "
        "also say `on PROTOCOL`, `at 90%` (the level of its interval), of one model `within "
        "COLUMN` (it has to hold in every level), and of two `in METRIC` (else it is the first "
        "measure).",
    ),
    "analyze": StatementGuide(
        "Adds analyses that describe: curves, calibration, learning curves, stability, power.",
        f"{_IRIS}\nprotocol holdout\nmeasure accuracy\ncompare linear, bayes with mcnemar\n"
        "analyze power(difference=2%)",
        detail="`evallang list analyses` tells which of them this version runs.",
    ),
    "export": StatementGuide(
        "Refits a model on all data with the selected parameters and saves it with skops.",
        f'{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\nexport linear to "linear.skops"',
        detail="`best` is the best by the first measure on the first protocol, ties to the first "
        "written. Never pickle.",
    ),
    "use": StatementGuide(
        "Names a Python module of the author's, which a run imports only with consent (--trust).",
        f"{_IRIS}\nuse lab_models\n\nmodel own = lab_models.Nearest(k=3)\n\n"
        "protocol cv folds=5\nmeasure accuracy",
        detail="Models name its classes in full, measures its functions of truth and prediction "
        "(`measure lab_models.utility`). `check`, `fmt`, `plan` and editors never import it.",
    ),
    "report": StatementGuide(
        "Says in which formats the report is written, and where.",
        f"{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\nreport html, pdf\n  page a4\n"
        "  numbers apa",
        detail="FORMAT is `html` or `pdf`; JSON results are always written.",
        default="html, pdf, to `STUDY-results/` beside the study",
    ),
}
"""Every statement by its first word."""

CLAUSE_FORMS: Mapping[tuple[str, str], str] = {
    ("scores", "score"): "score COLUMN",
    ("scores", "models"): 'models MODEL ["LABEL"] [as COLUMN], ...',
    ("counts", "models"): 'models MODEL ["LABEL"], ...',
}
"""Forms of clauses that stand differently under a statement."""

CLAUSE_MEANINGS: Mapping[str | tuple[str, str], str] = {
    "about": "A sentence for the report.",
    "alpha": "The level of the tests; 0.05 by default.",
    "author": "An author; may be repeated.",
    "bibliography": "References of the author's, put into references.bib.",
    "categorical": "Columns that are kinds, not quantities, though they may be spelt as numbers.",
    "cite": "Where the data come from, for the references.",
    "confidence": "The level of the intervals; 1 - alpha by default.",
    "correct": "Columns of right (1) and wrong (0), in place of `truth` and `models`.",
    "count": "The column that says how many examples have the pattern of the row.",
    "dataset": "The column that names the data set of a row.",
    "families": "`together` puts all comparisons that are not exploratory into one family.",
    "features": "The columns to learn from; by default all that have no other role.",
    "fold": "The column that names the fold of a row.",
    "group": "The column of rows that belong together, as `group by` does.",
    "hide": "Sections of the report to leave out.",
    "higher": "`higher is better`: a larger value is a better one.",
    "id": "The column that names a row; never a feature.",
    "interval": "The interval of the metrics of the line; by default by metric and protocol.",
    "lower": "`lower is better`: a smaller value is a better one.",
    "metric": "What the scores are, for the report.",
    "missing": "Values that stand for a missing one, beside empty cells.",
    "model": "The column that names the model of a row.",
    "models": "The models and their columns.",
    ("predictions", "models"): "The models and the columns of their predicted labels or values; "
    "by default every column that has no other role.",
    ("counts", "models"): "The models, in the order of table or patterns.",
    ("scores", "models"): "The models and the columns of their scores.",
    "numbers": "The style of numbers in the report; apa by default.",
    "page": "The size of the page; a4 by default.",
    "pattern": "How many examples the models get right (1) and wrong (0) in this way; repeated.",
    "positive": "The positive class; by default the last of two labels, which is stated.",
    "question": "The question that the study answers, for the report.",
    "repeat": "The column that names the repeat of a row.",
    "right": "How many examples a model has right, and of how many; a line for each model.",
    "rows": "`rows common` keeps the rows that every file has, and says how many were left out.",
    "score": "The column of a model's score of the positive class.",
    ("scores", "score"): "The column of the score.",
    "scores": "The columns of a model's scores: a list in the order of the labels, a map from "
    'label to column, or a pattern such as "p_*".',
    "seed": "The seed from which all others are derived; 0 by default, which is stated.",
    "show": "Sections of the report to show, and no others.",
    "style": "A style sheet of the author's for the report.",
    "table": "The 2 x 2 table [[both right, only the first], [only the second, both wrong]].",
    "target": "The column to predict; needed, except for sources that know theirs.",
    "task": "What the target is; by default what its values look like.",
    "template": "A template of the author's that extends the report's.",
    "threshold": "The score from which on the label is positive; 0.5 for probabilities, else 0.",
    "title": "The title of the report.",
    "to": "The folder for results and report, relative to the study.",
    "truth": "The column of the true label or value.",
    "unit": "What an example is called, in the plural; examples by default.",
    "value": "Columns of one number for each example, whose mean is the measure named first.",
    "weight": "The column that says how much a row counts.",
    "where": "Keeps the rows that fulfil it, before anything else is done; may be repeated.",
}
"""Every clause by its first word; where it means something else under a statement, by both."""

WORD_MEANINGS: Mapping[str, str] = {
    "in": "Before a domain it searches a parameter: a list, `1..15 step 2`, `1e-3..1e3 log 7`, "
    "and for random and Bayesian search `0.0..1.0 uniform`, `1e-4..1e4 loguniform`.",
    "step": "The distance of the values of a range; both ends are in it when they are reached.",
    "log": "The number of values of a geometric range, both ends exact.",
    "uniform": "A uniform distribution to draw from, for random and Bayesian search only.",
    "loguniform": "A distribution to draw from that is uniform on the logarithmic scale, for "
    "random and Bayesian search only.",
    "then": "Parts an omnibus from the post hoc test, whose p-values are computed only if the "
    "omnibus rejects; the estimates of the pairs are always given.",
    "against": "Compares every model of the line with one, which is the reference.",
    "across": "`across data` takes the data sets as the sample: one score of each model on each.",
    "exploratory": "The line gets p-values but no decision words in the findings.",
    "vs": "A planned pair; the pairs of a line are its family.",
    "within": "On a `measure` line, the estimate in each level of a column; after `equivalent "
    "to`, the margin.",
    "better than": "`require a better than b` is met where the interval of the difference lies on "
    "the favourable side of 0, or beyond the margin of `by MARGIN`.",
    "not worse than": "`require a not worse than b by MARGIN` is met where the bound on the "
    "unfavourable side is nearer than the margin: non-inferiority.",
    "equivalent to": "`require a equivalent to b within MARGIN` is met where the whole interval of "
    "the difference lies inside the margin.",
    **dict.fromkeys(
        ("separate", "together"),
        "`families together` makes one Holm family of all comparisons that are not exploratory; "
        "`families separate`, the default, one of each line.",
    ),
    "true": "The constant true; `false` is the other.",
    "false": "The constant false; `true` is the other.",
    "none": "No value, as in `max_depth=none`; `stratify none` keeps the classes out of the "
    "splits.",
    "common": "`rows common` keeps the rows that every file has.",
    **dict.fromkeys(("apa", "ama", "nejm", "sci"), "A style of numbers: `numbers apa`."),
    **dict.fromkeys(("html", "pdf"), "A format of the report: `report html, pdf`."),
    **dict.fromkeys(("a4", "letter"), "A size of the report's page: `page a4`."),
    "at": "`at 90%` at the end of a `require` line is the level of the interval that decides it.",
    "sklearn": "`from sklearn iris` reads a data set that scikit-learn brings along: iris, wine, "
    "breast_cancer, digits, diabetes.",
    "sql": '`from sql "select ..." on "sqlite:///x.db"` reads the rows of one query.',
    "grid": "Tries every combination of the candidates; the default of `tune`.",
    "random": "`tune random 40` draws so many combinations, from lists, ranges or distributions.",
    "bayes": "`tune bayes 40` chooses each next combination by the results so far.",
    "best": "`select best` takes the candidate with the best mean inner score; `export best` the "
    "best model.",
    "one_standard_error": "`select one_standard_error` takes the simplest candidate within one "
    "standard error of the best (Breiman et al. 1984).",
    "columns": "`columns(numeric: STEPS, categorical: STEPS, [age, bmi]: passthrough)` is a step "
    "that treats columns differently; columns that no key names are dropped.",
    "numeric": "A key of `columns(...)`: the columns of numbers.",
    "categorical": "A key of `columns(...)`: the columns of text, and those that the clause "
    "`categorical` names.",
    "rest": "A key of `columns(...)`: the columns that no other key names.",
    "passthrough": "A step of `columns(...)` that leaves its columns as they are.",
    "seeds": "`seeds=5` on any protocol repeats every fit with so many derived seeds; the score of "
    "a fold is the mean over them, and they never count as samples.",
    **dict.fromkeys(
        ("allow", "waiver"),
        "`# evallang: allow RULE because REASON` accepts a warning on its line or the one below; "
        "`... in this file because REASON` in the whole file. The report prints the reason.",
    ),
}
"""Words inside lines that are no statement, clause or member of a catalogue of their own."""
