"""The words of the language as data: for suggestions, for editors, for the checker."""

from collections.abc import Mapping
from typing import NamedTuple

from evallang import spelling


class StatementWords(NamedTuple):
    """What a statement looks like: its form for messages, and the clauses it takes."""

    form: str
    clauses: tuple[str, ...] = ()


_ABOUT = ("about", "cite")
_EXAMPLES = ("id", "group", "weight", "positive", "task", "where", "unit", *_ABOUT)

STATEMENTS: Mapping[str, StatementWords] = {
    "evallang": StatementWords("evallang 1"),
    "include": StatementWords('include "PATH"'),
    "study": StatementWords(
        'study ["TITLE"]',
        ("author", "question", "about", "seed", "alpha", "confidence", "families"),
    ),
    "let": StatementWords("let NAME = VALUE | PIPELINE"),
    "data": StatementWords(
        'data NAME ["LABEL"] from SOURCE',
        ("target", "features", "categorical", "missing", *_EXAMPLES),
    ),
    "predictions": StatementWords(
        'predictions NAME ["LABEL"] from "PATH", ...',
        (
            *("truth", "models", "correct", "value", "score", "scores", "threshold"),
            *("fold", "repeat", "dataset", "rows", "higher", "lower", *_EXAMPLES),
        ),
    ),
    "scores": StatementWords(
        'scores NAME ["LABEL"] from "PATH"',
        (
            *("dataset", "models", "model", "score", "fold", "repeat", "metric"),
            *("higher", "lower", *_ABOUT),
        ),
    ),
    "counts": StatementWords(
        'counts NAME ["LABEL"] [from "PATH"]',
        ("right", "models", "table", "pattern", "count", "unit", *_ABOUT),
    ),
    "stratify": StatementWords("stratify by COLUMN, ... [bins=5] or stratify none"),
    "group": StatementWords("group by COLUMN"),
    "model": StatementWords('model NAME ["LABEL"] = STEP | STEP | ESTIMATOR'),
    "protocol": StatementWords("protocol [NAME =] PROTOCOL [OPTION=VALUE ...]"),
    "tune": StatementWords(
        "tune [grid | random N | bayes N] [by METRIC] [cv=K] [select best | one_standard_error]"
    ),
    "measure": StatementWords("measure METRIC, ... [within COLUMN, ...]", ("interval",)),
    "compare": StatementWords(
        "compare [MODELS] [against MODEL] [across data] with TEST [then TEST] [CORRECTION] "
        "[by METRIC, ...] [on PROTOCOL] [exploratory]"
    ),
    "require": StatementWords(
        "require METRIC of MODEL >= NUMBER, or require MODEL better than | not worse than | "
        "equivalent to MODEL ..."
    ),
    "analyze": StatementWords("analyze ANALYSIS, ... [of MODELS] [by METRIC] [on PROTOCOL]"),
    "export": StatementWords('export MODEL | best [to "PATH"]'),
    "use": StatementWords("use PACKAGE.MODULE"),
    "report": StatementWords(
        "report FORMAT, ...",
        (
            *("to", "title", "numbers", "page", "style", "template", "show", "hide"),
            "bibliography",
        ),
    ),
}
"""Every statement by its first word, in the order of the manual."""

STATEMENTS_ELSEWHERE: Mapping[str, str] = {
    "assert": "require",
    "classifier": "model",
    "const": "let",
    "cv": "protocol",
    "dataframe": "data",
    "dataset": "data",
    "def": "let",
    "define": "let",
    "estimator": "model",
    "evaluate": "measure",
    "experiment": "study",
    "import": "use",
    "load": "data",
    "metric": "measure",
    "metrics": "measure",
    "models": "model",
    "output": "report",
    "pipeline": "model",
    "plot": "analyze",
    "project": "study",
    "regressor": "model",
    "resampling": "protocol",
    "save": "export",
    "search": "tune",
    "set": "let",
    "split": "protocol",
    "test": "compare",
    "title": "study",
    "validation": "protocol",
    "var": "let",
}
"""What other languages begin such a line with."""

_TRACKED = "a run sends nothing to other services: read `results.json` with the tracker"
_DECLARED = "a study states facts and has no loops or conditions: a search is `C in [1, 10]`"

NOT_STATED: Mapping[str, str] = {
    **dict.fromkeys(("log", "mlflow", "tensorboard", "track", "tracker", "wandb"), _TRACKED),
    **dict.fromkeys(("for", "foreach", "if", "while"), _DECLARED),
}
"""What other tools begin a line with and a study does not state, and why."""

CLAUSES: Mapping[str, str] = {
    "about": 'about "TEXT"',
    "alpha": "alpha NUMBER",
    "author": 'author "NAME"',
    "bibliography": 'bibliography "PATH"',
    "categorical": "categorical COLUMN, ...",
    "cite": 'cite "REFERENCE"',
    "confidence": "confidence NUMBER",
    "correct": 'correct MODEL ["LABEL"] [as COLUMN] [in "PATH"], ...',
    "count": "count COLUMN",
    "dataset": "dataset COLUMN",
    "families": "families separate | together",
    "features": "features COLUMN, ... or features all except COLUMN, ...",
    "fold": "fold COLUMN",
    "group": "group COLUMN",
    "hide": "hide SECTION, ...",
    "higher": "higher is better",
    "id": "id COLUMN",
    "interval": "interval METHOD",
    "lower": "lower is better",
    "metric": 'metric "NAME"',
    "missing": 'missing "TEXT", ...',
    "model": "model COLUMN",
    "models": 'models MODEL ["LABEL"] [as COLUMN] [in "PATH"], ...',
    "numbers": "numbers apa | ama | nejm | sci",
    "page": "page a4 | letter",
    "pattern": "pattern [1, 0, ...]: COUNT",
    "right": 'right MODEL ["LABEL"] = RIGHT of TOTAL',
    "positive": 'positive VALUE ["LABEL"]',
    "question": 'question "TEXT"',
    "repeat": "repeat COLUMN",
    "rows": "rows common",
    "score": 'score MODEL = "COLUMN"',
    "scores": 'scores MODEL = ["COLUMN", ...]',
    "seed": "seed INTEGER",
    "show": "show SECTION, ...",
    "style": 'style "PATH"',
    "table": "table [[A, B], [C, D]]",
    "target": "target COLUMN",
    "task": "task classification | regression",
    "template": 'template "PATH"',
    "threshold": "threshold MODEL = NUMBER",
    "title": 'title "TEXT"',
    "to": 'to "FOLDER"',
    "truth": "truth COLUMN",
    "unit": 'unit "NAME"',
    "value": 'value "METRIC" MODEL ["LABEL"] [as COLUMN] [in "PATH"], ...',
    "weight": "weight COLUMN",
    "where": "where COLUMN = | != | < | <= | > | >= VALUE, in [...], is missing, is not missing",
}
"""Every clause by its first word, with its form."""

CLAUSES_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("filter", "keep", "subset"), ("where",)),
    **dict.fromkeys(("label", "labels", "outcome", "response", "y"), ("target", "truth")),
    **dict.fromkeys(("columns", "inputs", "predictors", "x"), ("features",)),
    **dict.fromkeys(("cluster", "groups"), ("group",)),
    **dict.fromkeys(("na", "null"), ("missing",)),
    **dict.fromkeys(("pred", "prediction", "predictions", "yhat"), ("models",)),
    "random_state": ("seed",),
    "sample_weight": ("weight",),
    "significance": ("alpha",),
}
"""What a clause is called elsewhere, and the clauses that it may stand for."""

TEXT_CLAUSES = frozenset({"about", "author", "cite", "question", "title", "unit"})
"""Clauses that take one text."""

ONE_VALUE = TEXT_CLAUSES | {
    *("alpha", "bibliography", "confidence", "families", "metric", "numbers", "page", "seed"),
    *("style", "template", "to"),
}
"""Clauses that take one value: what follows it is no item of a list."""

SINGLE_COLUMN_CLAUSES = frozenset(
    {"count", "dataset", "fold", "group", "id", "model", "repeat", "target", "truth", "weight"}
)
"""Clauses that name one column and take nothing else."""

DECLARING = frozenset(
    {"model", "let", "data", "predictions", "scores", "counts", "protocol", "use"}
)
"""Statements whose first name is the author's own: it stands without quotes."""

CONNECTIVES = frozenset(
    {
        *("across", "against", "all", "as", "at", "best", "better", "by", "common", "equivalent"),
        *("except", "exploratory", "from", "in", "is", "log", "loguniform", "missing", "none"),
        *("not", "of", "on", "select", "sklearn", "split", "sql", "step", "than", "then", "to"),
        *("uniform", "vs", "with", "within", "worse", "true", "false"),
    }
)
"""Words that stand between the parts of a line."""

RESERVED = spelling.RESERVED

WORDS = frozenset(STATEMENTS) | frozenset(CLAUSES) | CONNECTIVES
"""All words of the language; candidates for every suggestion."""
