"""The language in one table: every statement and clause, once.

A clause states its form, what it takes, what it says, how it is written and whether it may be
repeated; a statement states the same, the clauses below it and the statements on whose
definitions it rests. The node builder, the formatter, error recovery, the checker, `explain`
and the reference read this table. A new clause is a rule of the grammar, an entry here and its
resolver; one that lists plain values needs no rule.

**How it is written** (`written`): for each rule of the grammar the text of the line. `{field}`
stands for a field of the node, in the order of the children of the rule; `[ ... ]` is written
only when its fields have values. `{field:each}` puts a blank before every item, `{field:spaced}`
between items, `{field:joined}` a comma without ever adding brackets, `{field:plain}` brackets only
around plain values, `{field:not all}` brackets around a list that begins with `all`.
`{field:flag}` writes nothing: the field is true where this text is meant, `{field:is VALUE}`
where it has this value. In a node without fields of its own `{0}`, `{1}` are its values.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal

from msgspec import Struct, field

from evallang import spelling
from evallang.syntax import nodes as n

Takes = Literal[
    "text", "path", "texts", "integer", "share", "word", "terms", "column", "columns", "shape"
]
"""What comes after the word of a clause; a `shape` has a rule of the grammar for its own."""

ONE_VALUE = ("text", "path", "integer", "share", "word")
"""What is one value: what follows it is not an item of a list."""

Names = Literal[
    "metrics",
    "tests",
    "intervals",
    "corrections",
    "analyses",
    "protocols",
    "models",
    "bundled",
    "sections",
    "columns",
    "model",
    "protocol",
    "let",
]
"""What a name in a line refers to: a catalogue by its plural (`models` are the classes of
estimators, `bundled` the data sets of scikit-learn, `sections` those of the report that an author
may omit), the `columns` of the data, or what the
statements of this word declare in the study."""

_PLAIN = {"words": "{keyword} {values:plain}"}


class Clause(Struct, frozen=True):
    """An indented line below a statement.

    `words` are the values of a clause that takes a `word`, `bounds` those of an `integer`.
    `names` tells for fields of its node what the names there refer to. `elsewhere` lists what
    other tools call it. A clause that is not `built` is part of the language, and this version
    refuses it (E901).
    """

    word: str
    form: str
    summary: str
    takes: Takes = "shape"
    words: tuple[str, ...] = ()
    bounds: tuple[int, int] = (0, 0)
    names: Mapping[str, tuple[Names, ...]] = field(default_factory=dict)
    repeatable: bool = False
    listed: bool = False
    elsewhere: tuple[str, ...] = ()
    built: bool = True
    node: type[n.Node] = n.ClauseNode
    written: Mapping[str, str] = field(default_factory=lambda: _PLAIN)


class Statement(Struct, frozen=True):
    """A line in column 0 and the clauses that may be below it.

    `once` names, in messages, a statement that may be written only once. `lists` names the
    items of a statement that is nothing but their list; `declares` marks a statement whose first
    name is the author's own. `names` tells for fields of its node what the names there refer to,
    `words` which words of the language may be there, and `options` lists its options. Advice
    about it waits for the statements that it `rests_on`.
    """

    word: str
    form: str
    summary: str
    example: str
    node: type[n.StatementNode]
    written: Mapping[str, str]
    detail: str = ""
    default: str = ""
    clauses: Mapping[str, "Clause"] = field(default_factory=dict)
    names: Mapping[str, tuple[Names, ...]] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    once: str = ""
    lists: str = ""
    declares: bool = False
    rests_on: frozenset[str] = frozenset()
    elsewhere: tuple[str, ...] = ()


def _text(word: str, shown: str, summary: str, **more: Any) -> Clause:
    return Clause(word, f'{word} "{shown}"', summary, "text", **more)


def _path(word: str, shown: str, summary: str, **more: Any) -> Clause:
    return Clause(word, f'{word} "{shown}"', summary, "path", **more)


def _word(word: str, words: tuple[str, ...], summary: str) -> Clause:
    return Clause(word, f"{word} {' | '.join(words)}", summary, "word", words)


def _column(word: str, summary: str, **more: Any) -> Clause:
    return Clause(word, f"{word} COLUMN", summary, "column", **more)


def _clauses_below(*clauses: Clause) -> Mapping[str, Clause]:
    return {clause.word: clause for clause in clauses}


# --- clauses ---------------------------------------------------------------------------

_ABOUT = _text("about", "TEXT", "A sentence for the report.")
_ABOUT_STUDY = _text(
    "about", "TEXT", "A sentence for the report; `[@key]` cites an entry of `bibliography`."
)
_AUTHOR = _text("author", "NAME", "An author; may be repeated.", repeatable=True)
_BIBLIOGRAPHY = _path(
    "bibliography",
    "PATH",
    "Your references in BibTeX; `cite` takes their keys, and references.bib the cited entries.",
)
_CITE = _text("cite", "REFERENCE", "The source of the data, for the references.")
_METRIC = Clause(
    "metric",
    'metric "NAME" | COLUMN',
    "The name of the metric, whose usual direction is the default; of a long table with several "
    "metrics the column that names them, and `measure` chooses among them.",
    "column",
)
_QUESTION = _text("question", "TEXT", "The question that the study answers, for the report.")
_STYLE = _path("style", "PATH", "Your style sheet for the report, in addition to its own.")
_TEMPLATE = _path(
    "template", "PATH", "Your template, code that extends that of the report; it needs `--trust`."
)
_TITLE = _text("title", "TEXT", "The title of the report.")
_TO = _path("to", "FOLDER", "The folder for results and report, relative to the study.")
_UNIT = _text("unit", "NAME", "The name of the examples, in the plural; `examples` by default.")
_UNIT_OF_SETS = _text(
    "unit",
    "NAME",
    "The name of the data sets, in the plural, such as subjects; `data sets` by default.",
)
_COUNT = _column("count", "The column of the number of examples with the pattern of the row.")
_DATASET = _column("dataset", "The column that names the data set of a row.")
_FOLD = _column("fold", "The column that names the fold of a row.")
_GROUP = _column(
    "group",
    "The column of rows that belong together, as `group by` does.",
    elsewhere=("cluster", "groups"),
)
_ID = _column("id", "The column that identifies a row; never a feature.")
_REPEAT = _column("repeat", "The column that names the repeat of a row.")
_READER = Clause(
    "reader",
    "reader COLUMN [random]",
    "The column that names who read an example with the models; each example has several readers. "
    "With `random` they stand for readers like them.",
    "column",
    written={"words": "{keyword} {values:spaced}"},
    elsewhere=("annotator", "observer", "radiologist", "rater", "readers"),
)
_EVENT = _column(
    "event",
    "The column that is 1 where the truth is the time of an event, and 0 where the time is "
    "censored; `score` is then a risk, higher for an earlier event.",
)
_QUERY = _column(
    "query",
    "The column that names the query whose rows are ranked; the truth is a relevance, from 0, and "
    "the query is the unit of intervals and tests.",
)
_TARGET = Clause(
    "target",
    "target [log | sqrt] COLUMN",
    "The column to predict; required, except for sources with a known target. With `log` or "
    "`sqrt`, models are fitted on that scale and metrics use the scale of the column.",
    "column",
    written={"words": "{keyword} {values:spaced}"},
    elsewhere=("label", "labels", "outcome", "response", "y"),
)
_TRUTH = _column(
    "truth",
    "The column of the true label or value.",
    elsewhere=("label", "labels", "outcome", "response", "y"),
)
_WEIGHT = _column("weight", "The column of the weight of a row.", elsewhere=("sample_weight",))
_TIME = Clause(
    "time",
    "time COLUMN | time none",
    "The column of the order of the rows in time, by which they are sorted where a method reads "
    "them in order; a feature only if `features` names it. Without it a column of dates, or an "
    "ascending `id`, is used; `time none` keeps the order of the file.",
    "column",
    elsewhere=("date", "order_by", "timestamp"),
)
_MODEL_COLUMN = Clause(
    "model",
    "model COLUMN, ...",
    "The columns that name the model of a row: its algorithm, for example, and its options.",
    "columns",
    listed=True,
)
_SEEDS = _column(
    "seed",
    "The column that names the seed of a run. The mean and the spread over seeds are reported, "
    "and seeds never count as samples.",
)
_FOLDS_OF = Clause(
    "folds",
    "folds of cv | cv(folds=INTEGER) | holdout(test=SHARE)",
    "The design that the folds or repeats come from, which tells tests how many rows were tested "
    "for each training row.",
    node=n.FoldsNode,
    written={"folds_of": "folds of {method}"},
)
_CATEGORICAL = Clause(
    "categorical",
    "categorical COLUMN, ...",
    "Columns whose values are categories, even if they are written as numbers.",
    "columns",
    listed=True,
)
_MISSING = Clause(
    "missing",
    'missing "TEXT", ... or missing none',
    "Values that mean a missing value, besides empty cells; by default NA, N/A, NaN, NULL, None "
    "and ? in any case of letters. `missing none` keeps them as text.",
    "texts",
    listed=True,
    elsewhere=("na", "null"),
)
_HIDE = Clause(
    "hide",
    "hide SECTION, ...",
    "Sections of the report to omit; warnings, protocol and provenance are always printed.",
    "terms",
    names={"values": ("sections",)},
    listed=True,
)
_SHOW = Clause(
    "show",
    "show SECTION, ...",
    "Sections of the report to show, and no others but warnings, protocol and provenance.",
    "terms",
    names={"values": ("sections",)},
    listed=True,
)
_ALPHA = Clause(
    "alpha",
    "alpha NUMBER",
    "The level of the tests; 0.05 by default.",
    "share",
    elsewhere=("significance",),
)
_CONFIDENCE = Clause(
    "confidence", "confidence NUMBER", "The level of the intervals; 1 - alpha by default.", "share"
)
_SEED = Clause(
    "seed",
    "seed INTEGER",
    "The seed from which all others are derived; 0 by default.",
    "integer",
    bounds=(0, 2**32 - 1),
    elsewhere=("random_state",),
)
_FAMILIES = _word(
    "families",
    ("separate", "together"),
    "With `together`, all comparisons that are not exploratory form one family.",
)
_LOOKS = Clause(
    "looks",
    "looks INTEGER",
    "How often the requirements will be decided on the same test data, each time at the level "
    "1 - (1 - confidence) / looks; 1 by default.",
    "integer",
    bounds=(1, 10_000),
)
_NUMBERS = _word(
    "numbers", ("apa", "ama", "nejm", "sci"), "The style of numbers in the report; apa by default."
)
_PAGE = _word("page", ("a4", "letter"), "The size of the page; a4 by default.")
_TASK = _word(
    "task",
    ("classification", "regression"),
    "The kind of target; by default it is derived from its values.",
)
_POSITIVE = Clause(
    "positive",
    'positive VALUE ["LABEL"]',
    "The positive class; by default the second of two labels.",
    node=n.PositiveNode,
    written={"positive": "positive {value}[ {label}]"},
)
_FEATURES = Clause(
    "features",
    "features COLUMN, ... or features all except COLUMN, ...",
    "The columns to learn from; by default all without another role.",
    node=n.FeaturesNode,
    names={"columns": ("columns",)},
    written={
        "features_except": "features all except {all_except:flag}{columns}",
        "features": "features {columns:not all}",
    },
    listed=True,
    elsewhere=("columns", "inputs", "predictors", "x"),
)
_WHERE = Clause(
    "where",
    "where COLUMN = | != | < | <= | > | >= VALUE, in [...], is missing, is not missing",
    "Keeps only the rows that meet the condition; may be repeated.",
    node=n.WhereNode,
    names={"column": ("columns",)},
    written={"where": "where {column} {operator}[ {value}]"},
    repeatable=True,
    elsewhere=("filter", "keep", "subset"),
)
_MODELS = Clause(
    "models",
    'models MODEL ["LABEL"] [as COLUMN] [in "PATH"], ...',
    "The models and the columns of their predicted labels or values; "
    "by default every column without another role.",
    node=n.ModelColumnsNode,
    names={"items": ("columns",)},
    written={"models": "{keyword} {items}"},
    repeatable=True,
    elsewhere=("pred", "prediction", "predictions", "yhat"),
)
_MODELS_OF_SCORES = Clause(
    "models",
    'models MODEL ["LABEL"] [as COLUMN], ...',
    "The models and the columns of their scores.",
    node=n.ModelColumnsNode,
    names={"items": ("columns",)},
    written={"models": "{keyword} {items}"},
    repeatable=True,
    elsewhere=("pred", "prediction", "predictions", "yhat"),
)
_MODELS_OF_COUNTS = Clause(
    "models",
    'models MODEL ["LABEL"], ...',
    "The models, in the order of table or patterns.",
    node=n.ModelColumnsNode,
    names={"items": ("columns",)},
    written={"models": "{keyword} {items}"},
    repeatable=True,
    elsewhere=("pred", "prediction", "predictions", "yhat"),
)
_CORRECT = Clause(
    "correct",
    'correct MODEL ["LABEL"] [as COLUMN] [in "PATH"], ...',
    "Columns of right (1) and wrong (0), instead of `truth` and `models`.",
    node=n.ModelColumnsNode,
    names={"items": ("columns",)},
    written={"models": "{keyword} {items}"},
    repeatable=True,
)
_VALUE = Clause(
    "value",
    'value "METRIC"|ratio("SUM", "SUM") MODEL ["LABEL"] [as COLUMN|(COLUMN, COLUMN)] [in "PATH"], '
    "...",
    "Columns of one number for each example, whose mean is the measure named first; or of two, "
    "whose sums over the examples are divided: errors by words.",
    node=n.ModelColumnsNode,
    names={"items": ("columns",)},
    written={"valued_models": "{keyword} {metric} {items}"},
    repeatable=True,
)
_SCORE = Clause(
    "score",
    'score MODEL = "COLUMN"',
    "The column of a model's score of the positive class.",
    node=n.ModelSettingNode,
    names={"model": ("model",)},
    written={"setting": "{keyword} {model} = {value}"},
    repeatable=True,
)
_SCORES = Clause(
    "scores",
    'scores MODEL = ["COLUMN", ...]',
    "The columns of a model's scores: a list in the order of the labels, a map from "
    'label to column, or a pattern such as "p_*".',
    node=n.ModelSettingNode,
    names={"model": ("model",)},
    written={"setting": "{keyword} {model} = {value}"},
    repeatable=True,
)
_RANGE = Clause(
    "range",
    'range MODEL = ["LOW", "HIGH"]',
    "The columns of a model's prediction interval, for numbers: its lower and upper bound.",
    node=n.ModelSettingNode,
    names={"model": ("model",)},
    written={"setting": "{keyword} {model} = {value}"},
    repeatable=True,
)
_THRESHOLD = Clause(
    "threshold",
    "threshold MODEL = NUMBER",
    "The smallest score with a positive label; 0.5 for probabilities, else 0.",
    node=n.ModelSettingNode,
    names={"model": ("model",)},
    written={"setting": "{keyword} {model} = {value}"},
    repeatable=True,
)
_SCORE_COLUMN = _column("score", "The column of the score.")
_HIGHER = Clause(
    "higher",
    "higher is better",
    "`higher is better`: a larger value is a better one.",
    node=n.DirectionNode,
    written={"direction": "{keyword} is better"},
)
_LOWER = Clause(
    "lower",
    "lower is better",
    "`lower is better`: a smaller value is a better one.",
    node=n.DirectionNode,
    written={"direction": "{keyword} is better"},
)
_ROWS = Clause(
    "rows",
    "rows common",
    "`rows common` keeps the rows that every file has, and says how many were excluded.",
    words=("common",),
    node=n.RowsNode,
    written={"rows": "rows {word}"},
)
_TABLE = Clause(
    "table",
    "table [[A, B], [C, D]]",
    "The 2 x 2 table [[both right, only the first], [only the second, both wrong]].",
    node=n.TableNode,
    written={"table": "table {value}"},
)
_PATTERN = Clause(
    "pattern",
    "pattern [1, 0, ...]: COUNT",
    "The number of examples that the models get right (1) and wrong (0) in this way; one line for "
    "each pattern.",
    node=n.PatternNode,
    written={"pattern": "pattern {pattern}: {count}"},
    repeatable=True,
)
_RIGHT = Clause(
    "right",
    'right MODEL ["LABEL"] = RIGHT of TOTAL',
    "The number of examples that a model gets right, and the total; one line for each model.",
    node=n.RightNode,
    names={"model": ("model",)},
    written={"right": "right {model}[ {label}] = {right} of {total}"},
    repeatable=True,
)
_INTERVAL = Clause(
    "interval",
    "interval METHOD",
    "The interval of the metrics of this line; the default depends on metric and protocol.",
    node=n.IntervalNode,
    names={"method": ("intervals",)},
    written={"interval": "interval {method}"},
)

# --- statements ------------------------------------------------------------------------

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

_SOURCES = frozenset({"include", "let", "data", "predictions", "scores", "counts"})
_DECIDED = "[ on {on}][ at {at}]"
_PAIR_OPTIONS = f"[ with {{test}}][ in {{metric}}]{_DECIDED}"
_CLAIMS = {
    "claim_level": "require {kind:is level}{metric} of {first} {operator} {value}[ within {within}]"
    + _DECIDED,
    "claim_superior": "require {kind:is superior}{first} better than {second}[ by {value}]"
    + _PAIR_OPTIONS,
    "claim_noninferior": "require {kind:is noninferior}{first} not worse than {second}[ by {value}]"
    + _PAIR_OPTIONS,
    "claim_equivalent": "require {kind:is equivalent}{first} equivalent to {second}"
    "[ within {value}]" + _PAIR_OPTIONS,
}

_DEFINITIONS = _SOURCES | {"study", "group", "model", "protocol", "measure"}

_ALL = (
    Statement(
        "evallang",
        "evallang 1",
        "States the version of the language; the first statement of a study.",
        f"{_IRIS}\nprotocol cv\nmeasure accuracy",
        n.EvallangNode,
        {"evallang": "evallang {version}"},
        default="a hint recommends it, and version 1 is assumed",
    ),
    Statement(
        "include",
        'include "PATH"',
        "Inserts the statements of another file, such as the protocol of a laboratory.",
        'evallang 1\n\ninclude "lab/protocol.eval"\n\nstudy\n  seed 1\n\n'
        "data iris from sklearn iris\n\n"
        "model linear = LinearDiscriminantAnalysis\nmodel baseline = DummyClassifier",
        n.IncludeNode,
        {"include": "include {path}"},
        detail="The path is relative to the file that contains the line. An included file "
        "overrides nothing: if both files declare a name, an error shows both places. A cycle, a "
        "file that is included twice, and a path outside the study's folder are errors.",
    ),
    Statement(
        "study",
        'study ["TITLE"]',
        "States the title, and settings of the whole study.",
        'evallang 1\n\nstudy "Does scaling help nearest neighbours?"\n  author "A. Researcher"\n'
        '  question "Is the distance between wines spoilt by proline?"\n  seed 42\n'
        "  confidence 90%\n\ndata wine from sklearn wine\n\n"
        "model raw = KNeighborsClassifier\nmodel scaled = StandardScaler | KNeighborsClassifier\n"
        "model baseline = DummyClassifier\n\nprotocol cv folds=5\nmeasure accuracy",
        n.HeaderNode,
        {"study": "study[ {title}]"},
        default="the title is the name of the file; seed 0, alpha 0.05, confidence 95 %",
        clauses=_clauses_below(
            _AUTHOR, _QUESTION, _ABOUT_STUDY, _SEED, _ALPHA, _CONFIDENCE, _FAMILIES, _LOOKS
        ),
        once="study",
        rests_on=frozenset({"study", "include", "require"}),
        elsewhere=("experiment", "project", "title"),
    ),
    Statement(
        "let",
        "let NAME = VALUE | PIPELINE",
        "Gives a name to a value or to steps of a pipeline that several models share.",
        f"{_IRIS}\nlet depth = 3\nlet prep = StandardScaler\n\n"
        "model tree = prep | DecisionTreeClassifier(max_depth=depth)\n"
        "model nearest = prep | KNeighborsClassifier\n\nprotocol cv folds=5\nmeasure accuracy",
        n.LetNode,
        {"let": "let {name} = {value}"},
        names={"value": ("let", "models")},
        words={"value": ("columns", "passthrough")},
        detail="`evallang run --set NAME=VALUE` overrides a constant from the command line; "
        "results and report state the override.",
        declares=True,
        elsewhere=("const", "def", "define", "set", "var"),
    ),
    Statement(
        "data",
        'data NAME ["LABEL"] from SOURCE',
        "Names the table on which models are fitted: bundled data, a file, a glob, or a query.",
        'evallang 1\n\nstudy\n  seed 1\n\ndata visits "Hospital visits" from "data/visits.csv"\n'
        '  target readmitted\n  positive yes "readmitted"\n'
        "  features all except visit_id, patient_id\n  categorical ward, insurance\n"
        '  missing "?"\n  where age >= 18\n  unit "visits"\n\n'
        "let prep = columns(numeric: SimpleImputer, categorical: "
        "OneHotEncoder(handle_unknown=ignore))\n\n"
        "model linear = prep | LogisticRegression(max_iter=5000)\n"
        "model baseline = DummyClassifier\n\nprotocol holdout test=1/3\nmeasure roc_auc",
        n.DataNode,
        {"data": "data {name}[ {label}] from {source}"},
        names={"source": ("bundled",)},
        detail="A source is `sklearn iris`, `wine`, `breast_cancer`, `digits` or `diabetes`; a "
        "path in quotes (.csv, .tsv, .parquet, .jsonl or .arff, text also with .gz, or .xlsx, a "
        'sheet of which is `"book.xlsx#Sheet"`); a glob (`suite/*.csv`), which reads many data '
        'sets named `NAME/stem`; or `sql "select ..." on '
        '"sqlite:///x.db"`. The target and the columns of id, group, weight and `split by` are '
        "never features.",
        clauses=_clauses_below(
            _TARGET,
            _FEATURES,
            _CATEGORICAL,
            _MISSING,
            _ID,
            _GROUP,
            _WEIGHT,
            _TIME,
            _POSITIVE,
            _THRESHOLD,
            _TASK,
            _WHERE,
            _UNIT,
            _ABOUT,
            _CITE,
        ),
        declares=True,
        rests_on=_SOURCES,
        elsewhere=("dataframe", "dataset", "load"),
    ),
    Statement(
        "predictions",
        'predictions NAME ["LABEL"] from "PATH", ...',
        "Reads predictions computed elsewhere, one row for each test example, and fits nothing.",
        'evallang 1\n\nstudy\n  seed 1\n\npredictions reviews from "data/reviews_predictions.csv"'
        "\n  id id\n  truth truth\n  models encoder, large\n"
        '  score encoder = "encoder_p"\n  score large = "large_p"\n  positive positive\n\n'
        "measure accuracy, roc_auc\ncompare with mcnemar",
        n.PredictionsNode,
        {"predictions": "predictions {name}[ {label}] from {paths:joined}"},
        detail="Instead of `truth` and `models`, `correct` names columns of right (1) and wrong "
        "(0), and `value` names columns of one number for each example, whose mean is the "
        "measure. Several files are joined by `id`. `{part}` in a path stands for a file of each "
        "part of one table. With `repeat` the example remains the unit: its mean over the repeats "
        "enters intervals and tests. A long table has a row for each model and example: `model` "
        "names the column of the model, `models all as COLUMN` that of its labels or values, and "
        '`score COLUMN`, `correct COLUMN` and `value "METRIC" COLUMN` those of its scores and '
        "outcomes; the rows of an example are paired by `id`.",
        clauses=_clauses_below(
            _TRUTH,
            _MODELS,
            _MODEL_COLUMN,
            _CORRECT,
            _VALUE,
            _SCORE,
            _SCORES,
            _RANGE,
            _THRESHOLD,
            _FOLD,
            _REPEAT,
            _READER,
            _EVENT,
            _QUERY,
            _DATASET,
            _ROWS,
            _HIGHER,
            _LOWER,
            _ID,
            _GROUP,
            _WEIGHT,
            _TIME,
            _POSITIVE,
            _TASK,
            _MISSING,
            _WHERE,
            _UNIT,
            _ABOUT,
            _CITE,
        ),
        declares=True,
        rests_on=_SOURCES,
    ),
    Statement(
        "scores",
        'scores NAME ["LABEL"] from "PATH"',
        "Reads a table of scores computed elsewhere, for tests over data sets or folds.",
        'evallang 1\n\nstudy\n  seed 1\n\nscores suite from "data/suite_auc.csv"\n'
        "  dataset data_set\n  models nearest, logistic, forest\n"
        '  metric "AUC"\n  higher is better\n\n'
        "compare across data with friedman then wilcoxon shaffer",
        n.ScoresNode,
        {"scores": "scores {name}[ {label}] from {path}"},
        detail="A wide table has a column for each model (`models`). A long table has one column "
        "with the name of the model and one with the score (`model`, `score`). A known metric "
        "brings its direction; another one needs `higher is better` or `lower is better`. What "
        "`fold` numbers is stated by `repeat` or `folds of`: without either, tests that depend on "
        "the size of the test parts cannot be run.",
        clauses=_clauses_below(
            _DATASET,
            _MODELS_OF_SCORES,
            _MODEL_COLUMN,
            _SCORE_COLUMN,
            _FOLD,
            _REPEAT,
            _FOLDS_OF,
            _SEEDS,
            _METRIC,
            _HIGHER,
            _LOWER,
            _WHERE,
            _MISSING,
            _UNIT_OF_SETS,
            _ABOUT,
            _CITE,
        ),
        declares=True,
        rests_on=_SOURCES,
    ),
    Statement(
        "counts",
        'counts NAME ["LABEL"] [from "PATH"]',
        "States published counts: a table of right and wrong answers, or the share of each model.",
        "evallang 1\n\nstudy\n  seed 1\n\ncounts published\n  models small, large\n"
        "  table [[9945, 25], [15, 15]]\n\nmeasure accuracy\ncompare with mcnemar",
        n.CountsNode,
        {"counts": "counts {name}[ {label}][ from {path}]"},
        detail="`table [[a, b], [c, d]]` is [[both right, only the first], [only the second, "
        "both wrong]]. For more models write one line `pattern [1, 1, 0]: 12` for each pattern, "
        'or name a file with one 0/1 column for each model (`counts NAME from "patterns.csv"`). '
        "Every method that needs only right and wrong is available. Without paired answers, one "
        "line `right MODEL = 87 of 100` for each model states its share, and n may differ. One "
        "such model is enough; `proportions_z` compares several as independent samples.",
        clauses=_clauses_below(
            _RIGHT, _MODELS_OF_COUNTS, _TABLE, _PATTERN, _COUNT, _UNIT, _ABOUT, _CITE
        ),
        declares=True,
        rests_on=_SOURCES,
    ),
    Statement(
        "stratify",
        "stratify by COLUMN, ... [bins=5] or stratify none",
        "Keeps the shares of the classes, or of the levels of columns, in every part of a split.",
        f"{_VISITS}\nstratify by target, ward\n\n"
        "model linear = LogisticRegression\nmodel baseline = DummyClassifier\n\n"
        "protocol cv folds=5\nmeasure roc_auc",
        n.StratifyNode,
        {"stratify": "stratify by {columns}[{options:each}]", "stratify_none": "stratify none"},
        names={"columns": ("columns",)},
        words={"columns": ("target",)},
        options=("bins",),
        detail="For regression, the target is divided into `bins` of equal size (`stratify by "
        "target bins=5`).",
        default="by target for classification, none for regression",
        once="stratify",
        rests_on=frozenset({"include", "protocol"}),
    ),
    Statement(
        "group",
        "group by COLUMN",
        "Keeps the rows of a group on one side of every split, and makes the group the unit of "
        "every interval and test.",
        f"{_VISITS}\ngroup by patient_id\n\nmodel linear = LogisticRegression\n"
        "model bayes = GaussianNB\nmodel baseline = DummyClassifier\n\n"
        "protocol holdout test=1/3\nmeasure accuracy, roc_auc\n"
        "compare linear vs bayes with mcnemar",
        n.GroupNode,
        {"group": "group by {column}"},
        names={"column": ("columns",)},
        detail="Tests and intervals use their clustered form. A method without a clustered form "
        "is an error, whose message names a method with one.",
        default="every row is a unit of its own",
        once="group by",
    ),
    Statement(
        "model",
        'model NAME ["LABEL"] = STEP | STEP | ESTIMATOR, or '
        'model NAME ["LABEL"] from results "FOLDER" as MODEL',
        "Names a pipeline of scikit-learn classes with fixed (`=`) and searched (`in`) parameters, "
        "or a model of former results.",
        f"{_IRIS}\nmodel svm = StandardScaler | SVC(C in 1e-2..1e2 log 5, kernel=rbf)\n\n"
        "protocol nested cv outer=5 inner=3\nmeasure accuracy",
        n.ModelNode,
        {
            "model": "model {name}[ {label}] = {pipeline}",
            "stored_model": "model {name}[ {label}] from results {folder} as {stored}",
        },
        names={"pipeline": ("let", "model", "models")},
        words={"pipeline": ("columns", "passthrough")},
        detail="Steps are separated by `|`. The step `columns(numeric: STEPS, categorical: "
        "STEPS, [age, bmi]: passthrough)` treats kinds of columns differently. A value may be a "
        "call, a `let` or another model. A dotted name is your own code (`use`). Classes and "
        "parameters are checked before anything is run. `model release from results "
        '"v1/study-results" as logistic` takes the predictions of the model `logistic` from the '
        "results folder of a former run and fits nothing; data, folds and seed must be the same.",
        declares=True,
        rests_on=frozenset({"include", "let", "model"}),
        elsewhere=("classifier", "estimator", "models", "pipeline", "regressor"),
    ),
    Statement(
        "protocol",
        "protocol [NAME =] PROTOCOL [OPTION=VALUE ...]",
        "States on which rows models are trained and tested.",
        f"{_IRIS}\nprotocol main = repeated cv folds=5 times=4\n"
        "protocol quick = holdout test=1/3\n\nmeasure accuracy\n"
        "compare linear vs bayes with corrected_t on main",
        n.ProtocolNode,
        {"protocol": "protocol [{name} = ]{words:spaced}[ by {by}][ from {path}][{options:each}]"},
        names={"words": ("protocols",), "by": ("columns",)},
        options=("seeds",),
        detail="A study may have several named protocols. With `seeds=5`, every fit is repeated "
        "with five derived seeds; the score of a fold is the mean over the seeds, which never "
        "count as samples.",
        default="models need one, and the error proposes it; predictions, scores and counts need "
        "none",
        declares=True,
        rests_on=frozenset({"include", "protocol"}),
        elsewhere=("cv", "resampling", "split", "validation"),
    ),
    Statement(
        "tune",
        "tune [grid | random N | bayes N] [by METRIC] [cv=K] [select best | one_standard_error]",
        "States how the searched parameters are chosen.",
        f"{_IRIS}\nmodel tree = DecisionTreeClassifier(max_depth in 1..6)\n\n"
        "protocol nested cv outer=5 inner=5\ntune grid by accuracy select one_standard_error\n"
        "measure accuracy",
        n.TuneNode,
        {"tune": "tune[ {strategy}][ {n}][ by {metric}][{options:each}][ select {select}]"},
        names={"metric": ("metrics",)},
        words={"strategy": ("grid", "random", "bayes"), "select": ("best", "one_standard_error")},
        options=("cv",),
        detail="Candidates are compared in the `inner` folds under `nested cv`, in the "
        "validation part under a three-way holdout, and otherwise, with `cv=K`, in folds of each "
        "training part. `one_standard_error` chooses the simplest candidate within one standard "
        "error of the best.",
        default="grid, by the first measure, select best",
        once="tune",
        rests_on=frozenset({"include", "let", "model", "protocol"}),
        elsewhere=("search",),
    ),
    Statement(
        "measure",
        "measure METRIC, ... [within COLUMN, ...]",
        "Names the metrics; the first of the first line is the primary one.",
        f"{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\n  interval clopper_pearson\n"
        "measure f1(average=macro), log_loss",
        n.MeasureNode,
        {"measure": "measure {metrics}[ within {within}]"},
        names={"metrics": ("metrics",), "within": ("columns",)},
        detail="`within COLUMN` adds the estimate in each level of a column. The default "
        "interval depends on metric and protocol (`evallang explain METRIC` states it).",
        default="accuracy, or mse for regression",
        clauses=_clauses_below(_INTERVAL),
        lists="metrics",
        rests_on=_SOURCES | {"group", "protocol", "measure"},
        elsewhere=("evaluate", "metric", "metrics"),
    ),
    Statement(
        "compare",
        "compare [MODELS] [against MODEL] [across data] with TEST [then TEST] [CORRECTION] "
        "[by METRIC, ...] [on PROTOCOL] [exploratory]",
        "States which models are compared, with which test and which correction.",
        f"{_IRIS}\nprotocol holdout test=1/3\nmeasure accuracy\n"
        "compare linear vs bayes with mcnemar\n"
        "compare against baseline with mcnemar holm exploratory",
        n.CompareNode,
        {
            "compare": "compare[ {models}][ against {against}][{across:flag} across data]"
            " with {test}[ then {then}][ {correction}][ by {by}][ on {on}]"
            "[{exploratory:flag} exploratory]"
        },
        names={
            "models": ("model",),
            "against": ("model",),
            "test": ("tests",),
            "then": ("tests",),
            "correction": ("corrections",),
            "by": ("metrics",),
            "on": ("protocol",),
        },
        detail="All pairs of a line, by all its metrics and on all its data sets, form one "
        "family, and the correction applies to the whole family. `against` compares each model "
        "with one reference. `across data` treats the data sets as the sample. Planned pairs are "
        "written `a vs b, c vs d`. After an omnibus test and `then`, p-values of pairs are "
        "computed only if the omnibus test rejects; the estimates of the pairs are always "
        "reported.",
        default="no comparison; a line compares all pairs of models by the first measure unless it "
        "states others, and corrects several hypotheses by Holm",
        rests_on=_DEFINITIONS,
        elsewhere=("test",),
    ),
    Statement(
        "require",
        "require METRIC of MODEL >= NUMBER, or require MODEL better than | not worse than | "
        "equivalent to MODEL ...",
        "States a condition on the results; if it is not met, the run ends with exit code 4.",
        "evallang 1\n\nstudy\n  seed 1\n\n"
        'predictions reviews from "data/reviews_predictions.csv"\n  id id\n  truth truth\n'
        "  models encoder, large\n  positive positive\n\nmeasure accuracy\n"
        "require accuracy of large >= 80%\nrequire large not worse than encoder by 2%",
        n.RequireNode,
        _CLAIMS,
        names={
            "first": ("model",),
            "second": ("model",),
            "metric": ("metrics",),
            "test": ("tests",),
            "within": ("columns",),
            "on": ("protocol",),
        },
        detail="The two-sided interval that the report prints decides: its bound on the "
        "unfavourable side must be beyond the stated value (for `equivalent to`, the whole "
        "interval must be inside the margin). `with TEST` also requires p <= alpha and a "
        "difference in the stated direction. A margin is absolute and has the metric's unit: "
        "`2%` is 0.02. A requirement that cannot be decided is not met. A line may also state "
        "`on PROTOCOL`, `at 90%` (the level of its interval), for one model `within COLUMN` (it "
        "must be met in every level), and for two models `in METRIC` (by default the first "
        "measure).",
        rests_on=_DEFINITIONS,
        elsewhere=("assert",),
    ),
    Statement(
        "analyze",
        "analyze ANALYSIS, ... [of MODELS] [by METRIC] [on PROTOCOL]",
        "Adds descriptive analyses: curves, calibration, learning curves, stability, power.",
        f"{_IRIS}\nprotocol holdout\nmeasure accuracy\ncompare linear, bayes with mcnemar\n"
        "analyze power(difference=2%)",
        n.AnalyzeNode,
        {"analyze": "analyze {items}[ of {models}][ by {metric}][ on {on}]"},
        names={
            "items": ("analyses",),
            "models": ("model",),
            "metric": ("metrics",),
            "on": ("protocol",),
        },
        detail="`evallang list analyses` shows which of them this version runs.",
        lists="analyses",
        elsewhere=("plot",),
    ),
    Statement(
        "export",
        'export MODEL | best [to "PATH"]',
        "Refits a model on all data with the selected parameters and saves it with skops.",
        f'{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\nexport linear to "linear.skops"',
        n.ExportNode,
        {"export": "export {model}[ to {path}]", "export_best": "export best[ to {path}]"},
        names={"model": ("model",)},
        words={"model": ("best",)},
        detail="`best` is the best model by the first measure under the first protocol; of tied "
        "models, the one written first. The file never contains a pickle.",
        elsewhere=("save",),
    ),
    Statement(
        "use",
        "use PACKAGE.MODULE",
        "Names a Python module of yours, which a run imports only with consent (`--trust`).",
        f"{_IRIS}\nuse lab_models\n\nmodel own = lab_models.Nearest(k=3)\n\n"
        "protocol cv folds=5\nmeasure accuracy",
        n.UseNode,
        {"use": "use {module}"},
        detail="Models name the classes of the module in full, and measures name its functions "
        "of truth and prediction (`measure lab_models.utility`). `check`, `fmt`, `plan` and "
        "editors never import the module.",
        declares=True,
        elsewhere=("import",),
    ),
    Statement(
        "report",
        "report FORMAT, ...",
        "States the formats of the report and its folder.",
        f"{_IRIS}\nprotocol cv folds=5\nmeasure accuracy\nreport html, pdf\n  page a4\n"
        "  numbers apa",
        n.ReportNode,
        {"report": "report {formats}"},
        words={"formats": ("html", "pdf", "latex", "markdown", "csv")},
        detail="FORMAT is `html` or `pdf`. A run always writes the results as JSON.",
        default="html, pdf, to `STUDY-results/` next to the study",
        clauses=_clauses_below(
            _TO, _TITLE, _NUMBERS, _PAGE, _STYLE, _TEMPLATE, _SHOW, _HIDE, _BIBLIOGRAPHY
        ),
        once="report",
        lists="formats",
        elsewhere=("output",),
    ),
)

STATEMENTS: dict[str, Statement] = {statement.word: statement for statement in _ALL}
"""Every statement by its first word, in the order of the manual."""


def clauses(word: str) -> list[tuple[str, Clause]]:
    """Return each statement that takes a clause of this word, and the clause."""
    found = ((name, known.clauses.get(word)) for name, known in STATEMENTS.items())
    return [(name, clause) for name, clause in found if clause is not None]


def clause(word: str) -> Clause | None:
    """Return the clause of this word as the first statement takes it."""
    return next((known for _, known in clauses(word)), None)


def clause_words() -> tuple[str, ...]:
    """Return the word of every clause."""
    return tuple(dict.fromkeys(w for known in STATEMENTS.values() for w in known.clauses))


def owners(word: str) -> list[str]:
    """Return the statements that take a clause of this word."""
    return [name for name, _ in clauses(word)]


def declares(word: str) -> bool:
    """Return whether the first name of a statement is the author's own, without quotes."""
    known = STATEMENTS.get(word)
    return known is not None and known.declares


def takes_one_value(word: str) -> bool:
    """Return whether a clause takes one value and no list."""
    known = clause(word)
    return known is not None and known.takes in ONE_VALUE


@cache
def _words_of_nodes() -> Mapping[type[n.Node], str]:
    found: dict[type[n.Node], str] = {}
    for statement in STATEMENTS.values():
        found[statement.node] = statement.word
        for below in statement.clauses.values():
            found.setdefault(below.node, below.word)
    return found


def word_of(node: n.StatementNode | n.AnyClauseNode) -> str:
    """Return the first word of a statement or clause."""
    keyword = getattr(node, "keyword", None)
    return keyword.name if isinstance(keyword, n.NameNode) else _words_of_nodes()[type(node)]


@cache
def rules() -> Mapping[str, tuple[type[n.Node], str]]:
    """Return what each rule of the grammar makes: its node, and how that is written."""
    found: dict[str, tuple[type[n.Node], str]] = {}
    for statement in STATEMENTS.values():
        entries: tuple[Statement | Clause, ...] = (statement, *statement.clauses.values())
        for entry in entries:
            found |= {rule: (entry.node, text) for rule, text in entry.written.items()}
    return found


def written(node: n.Node) -> Iterator[str]:
    """Iterate over the texts in which a statement or clause may be written."""
    keyword = getattr(node, "keyword", None)
    if isinstance(keyword, n.NameNode):
        for _, known in clauses(keyword.name):
            if known.node is type(node):
                yield from known.written.values()
        if isinstance(node, n.ClauseNode):
            yield from _PLAIN.values()
    else:
        yield from (text for kind, text in rules().values() if kind is type(node))


def statement_meant(word: str) -> str | None:
    """Return the statement that other languages begin with this word."""
    spelled = word.casefold()
    return next((name for name, s in STATEMENTS.items() if spelled in s.elsewhere), None)


def clause_meant(word: str, taken: Iterable[str]) -> str | None:
    """Return the one of some clauses that other tools call by this word."""
    spelled = word.casefold()
    known = ((name, clause(name)) for name in taken)
    return next((name for name, c in known if c is not None and spelled in c.elsewhere), None)


# --- other words -----------------------------------------------------------------------

_TRACKED = "a run sends nothing to other services: read `results.json` with the tracker"
_WAIVED = "advice is waived by a comment above the line: `# evallang: allow CODE because REASON`"
_DECLARED = "a study states facts and has no loops or conditions: a search is `C in [1, 10]`"

NOT_STATED: Mapping[str, str] = {
    **dict.fromkeys(("log", "mlflow", "tensorboard", "track", "tracker", "wandb"), _TRACKED),
    **dict.fromkeys(("for", "foreach", "if", "while"), _DECLARED),
    **dict.fromkeys(("allow", "ignore", "noqa", "suppress", "waive"), _WAIVED),
}
"""What other tools begin a line with and a study does not state, and why."""


RESERVED = spelling.RESERVED


WORD_MEANINGS: Mapping[str, str] = {
    "results": '`from results "FOLDER" as MODEL` takes the predictions of a model from the '
    "results folder of a former run.",
    "in": "Before a domain it searches a parameter: a list, `1..15 step 2`, `1e-3..1e3 log 7`, "
    "and for random and Bayesian search `0.0..1.0 uniform`, `1e-4..1e4 loguniform`.",
    "step": "The distance of the values of a range; both ends are in it when they are reached.",
    "log": "The number of values of a geometric range, both ends exact.",
    "uniform": "A uniform distribution to draw from, for random and Bayesian search only.",
    "loguniform": "A distribution to draw from that is uniform on the logarithmic scale, for "
    "random and Bayesian search only.",
    "then": "Separates an omnibus test from its post hoc test, whose p-values are computed only "
    "if the omnibus test rejects; the estimates of the pairs are always reported.",
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
    **dict.fromkeys(
        ("html", "pdf", "latex", "markdown", "csv"), "A format of the report: `report html, pdf`."
    ),
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
"""Words inside lines that are neither a statement, a clause nor a member of a catalogue."""
