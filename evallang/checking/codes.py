"""The codes of names, words, options and clauses (E10x, E12x to E14x, W10x).

The other codes of this room stand in the modules that are imported here.
"""

import evallang.checking.claim_codes
import evallang.checking.model_codes
import evallang.checking.validity_codes  # noqa: F401 - all declare codes of this room
from evallang.checking.beginnings import TWO_MODELS
from evallang.diagnostics import Phase, Severity, declare

# --- E10x: names ---------------------------------------------------------------------------

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
    reason="`against across by on with all best target true false none` stand between the "
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

# --- E12x: words of the catalogues -----------------------------------------------------------

UNKNOWN_METRIC = declare(
    "E120",
    "unknown_metric",
    "A word that is no metric.",
    reason="`evallang list metrics` lists all of them.",
    wrong="measure acuracy",
    right="measure accuracy",
)
UNKNOWN_TEST = declare(
    "E121",
    "unknown_test",
    "A word that is no hypothesis test.",
    reason="`evallang list tests` lists all of them.",
    wrong="compare with mcnemmar",
    right="compare with mcnemar",
)
UNKNOWN_INTERVAL = declare(
    "E122",
    "unknown_interval",
    "A word that is no interval.",
    reason="`evallang list intervals` lists all of them.",
    wrong="measure accuracy\n  interval wilsn",
    right="measure accuracy\n  interval wilson",
)
UNKNOWN_PROTOCOL = declare(
    "E123",
    "unknown_protocol",
    "A word that is no protocol.",
    reason="`evallang list protocols` lists all of them.",
    wrong="protocol kfold folds=10",
    right="protocol cv folds=10",
)
UNKNOWN_CORRECTION = declare(
    "E124",
    "unknown_correction",
    "A word that is no correction for many comparisons.",
    reason="`evallang list corrections` lists all of them.",
    wrong="compare with mcnemar bonferoni",
    right="compare with mcnemar bonferroni",
)
UNKNOWN_ANALYSIS = declare(
    "E125",
    "unknown_analysis",
    "A word that is no analysis.",
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
    "other data come from a file beside the study, or from a query.",
    wrong="data d from sklearn iriss",
    right="data d from sklearn iris",
)

# --- E13x: options -------------------------------------------------------------------------

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

OVER_LIMIT = declare(
    "E177",
    "over_limit",
    "A study asks for more than a limit allows.",
    reason="A study with a digit too many would run for years or fill the memory. Each limit is "
    "far above what studies need, and `--limit NAME=NUMBER` raises it.",
    wrong="protocol cv folds=10 seeds=1000000",
    right="protocol cv folds=10 seeds=10",
)

# --- E14x: clauses -------------------------------------------------------------------------

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

# --- hints -------------------------------------------------------------------------------

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
