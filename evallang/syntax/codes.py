"""The codes of statements, clauses, domains and the parts of a line (E04x to E07x).

The other codes of this room stand in the module that is imported here.
"""

import evallang.syntax.text_codes  # noqa: F401 - declares codes of this room
from evallang.diagnostics import declare

# --- statements and clauses ------------------------------------------------------------

UNKNOWN_STATEMENT = declare(
    "E040",
    "unknown_statement",
    "A line in column 0 does not begin with a statement word.",
    reason="Text in column 0 begins a statement, and only statement words do.",
    wrong="modle m = SVC",
    right="model m = SVC",
)
CLAUSE_IN_FIRST_COLUMN = declare(
    "E041",
    "clause_in_first_column",
    "A clause is not indented.",
    reason="Indentation says to which statement a clause belongs.",
    wrong="study\nseed 1",
    right="study\n  seed 1",
)
STATEMENT_INDENTED = declare(
    "E042",
    "statement_indented",
    "A statement is indented, which makes it a clause of the one above.",
    reason="Clauses are indented and belong to the statement above them; statements stand "
    "in column 0.",
    wrong='data visits from "visits.csv"\n  target readmitted\n  group by patient',
    right='data visits from "visits.csv"\n  target readmitted\n\ngroup by patient',
)
CLAUSE_NOT_TAKEN = declare(
    "E043",
    "clause_not_taken",
    "An indented line stands below a statement that takes no clauses.",
    reason="Statements such as `compare` say everything on one line, so that a diff of "
    "one line is one decision.",
    wrong="compare with mcnemar\n  by accuracy",
    right="compare with mcnemar by accuracy",
)
MISSPELT_CLAUSE = declare(
    "E054",
    "misspelt_clause",
    "An indented line that cannot be read begins with no word of a clause.",
    reason="An indented line begins with the word of a clause; `evallang explain` with the name "
    "of the statement lists the clauses that it takes.",
    wrong='predictions p from "p.csv"\n  truth y\n  modles a as yhat',
    right='predictions p from "p.csv"\n  truth y\n  models a as yhat',
)
UNEXPECTED_TEXT = declare(
    "E044",
    "unexpected_text",
    "A word or sign does not fit where it stands.",
    reason="The parts of a line have an order; what stands elsewhere might be meant otherwise.",
    wrong="require a worse than b by 2%",
    right="require b not worse than a by 2%",
)
INCOMPLETE_LINE = declare(
    "E045",
    "incomplete_line",
    "A line ends before all its parts are there.",
    reason="A line without its last part leaves a choice open that would have to be guessed.",
    wrong="model tree =",
    right="model tree = DecisionTreeClassifier",
)
MISSING_COMMA = declare(
    "E046",
    "missing_comma",
    "Two items of a list stand side by side.",
    reason="Items of a list are parted by commas; two words side by side might be a name "
    "with a blank.",
    wrong="measure accuracy f1",
    right="measure accuracy, f1",
)
MISSING_WORD = declare(
    "E047",
    "missing_word",
    "A word or sign between two parts of a line is missing.",
    reason="The small words say what the parts of a line are to each other.",
    wrong="compare a, b mcnemar",
    right="compare a, b with mcnemar",
)
MISSPELT_WORD = declare(
    "E048",
    "misspelt_word",
    "A word of the language is misspelt.",
    reason="A word that is nearly one of the language is a slip, never a name.",
    wrong="compare a, b wiht mcnemar",
    right="compare a, b with mcnemar",
)
WRONG_SIGN = declare(
    "E049",
    "wrong_sign",
    "One sign stands where another belongs.",
    reason="Each sign has one meaning: `=` fixes a value, `in` searches it, `:` belongs "
    "to maps and `columns(...)`, `|` chains steps.",
    wrong="let weights = {no=1, yes: 10}",
    right="let weights = {no: 1, yes: 10}",
)
SUPERFLUOUS = declare(
    "E050",
    "superfluous_word",
    "Something stands in a line that is right without it.",
    reason="What a line does not need might be half of something that was meant.",
    wrong="measure accuracy,",
    right="measure accuracy",
)
RESERVED_WORD = declare(
    "E051",
    "reserved_word",
    "A word of the language stands where a name is meant.",
    reason="`against across by on with all best target true false none` name nothing of "
    "the author's, so that lines read one way only; a column of such a name stands "
    "in quotes.",
    wrong="compare on, forest with mcnemar",
    right="compare online, forest with mcnemar",
)
QUOTES_MISSING = declare(
    "E052",
    "quotes_missing",
    "A name with a blank, or a path, stands without quotes.",
    reason="Without quotes a blank ends a name and a path is no word.",
    wrong="data d from sklearn iris\n  target mean radius",
    right='data d from sklearn iris\n  target "mean radius"',
)
QUOTES_SUPERFLUOUS = declare(
    "E053",
    "quotes_superfluous",
    "A name that a statement gives stands in quotes.",
    reason="Names of the author's are used without quotes later in the study; text in "
    "quotes after the name is its label for readers.",
    wrong='model "forest" = RandomForestClassifier',
    right="model forest = RandomForestClassifier",
)

# --- domains ---------------------------------------------------------------------------

RANGE_WITHOUT_IN = declare(
    "E060",
    "range_without_in",
    "A range is given as a value.",
    reason="`=` fixes a parameter, `in` tunes it.",
    wrong="model m = SVC(C=1..10)",
    right="model m = SVC(C in 1..10)",
)
DOMAIN_NEEDED = declare(
    "E061",
    "domain_needed",
    "A single value follows `in`.",
    reason="`in` searches over several values; a single one is fixed with `=`.",
    wrong="model m = SVC(C in 5)",
    right="model m = SVC(C=5)",
)
DISTRIBUTION_AS_CALL = declare(
    "E062",
    "distribution_as_call",
    "A distribution is written as a call.",
    reason="Distributions stand after the bounds, as `step` and `log` do: `1e-4..1e4 loguniform`.",
    wrong="model m = SVC(C in loguniform(1e-4, 1e4))\ntune random 30 cv=5",
    right="model m = SVC(C in 1e-4..1e4 loguniform)\ntune random 30 cv=5",
)
RANGE_OF_NAMES = declare(
    "E063",
    "range_of_names",
    "A range has a name for a bound.",
    reason="The bounds of a range are numbers, so that the candidates can be counted "
    "without looking elsewhere.",
    wrong="model m = SVC(C in 1..most)",
    right="model m = SVC(C in 1..10)",
)

# --- the parts of a line ---------------------------------------------------------------

PART_GIVEN_TWICE = declare(
    "E070",
    "part_given_twice",
    "A part of a line is given twice.",
    reason="Of two parts of one kind one would silently win.",
    wrong="compare a, b with permutation by f1 by accuracy",
    right="compare a, b with permutation by f1, accuracy",
)
PAIRS_MIXED = declare(
    "E071",
    "pairs_mixed",
    "Pairs stand beside single models, or together with `against`.",
    reason="Planned pairs are the whole family; models beside them, or a reference, would "
    "give a second one.",
    wrong="compare a vs b, c with mcnemar",
    right="compare a vs b, b vs c with mcnemar",
)
MISSING_PART = declare(
    "E072",
    "missing_part",
    "A part that a line needs is missing.",
    reason="Each line states its claim in full; a test is never chosen for the author.",
    wrong="compare a, b",
    right="compare a, b with mcnemar",
)
MISPLACED_PART = declare(
    "E073",
    "misplaced_part",
    "A part belongs to another kind of line.",
    reason="A part that another kind of line has would be ignored here, and nothing is "
    "ever ignored.",
    wrong="require accuracy of a >= 80% in f1",
    right="require accuracy of a >= 80%",
)
WRONG_BOUND = declare(
    "E074",
    "wrong_bound",
    "A required level is neither a lower nor an upper bound.",
    reason="A requirement is met on one side of a line: at least, or at most. No estimate "
    "is exactly a number.",
    wrong="require accuracy of a = 80%",
    right="require accuracy of a >= 80%",
)
BRANCH_OUTSIDE_COLUMNS = declare(
    "E075",
    "branch_outside_columns",
    "`key: steps` stands outside `columns(...)`, or `columns(...)` holds something else.",
    reason="In `columns(...)` each branch says which columns it takes; outside there are "
    "no columns to take.",
    wrong="let prep = columns(StandardScaler)",
    right="let prep = columns(numeric: StandardScaler)",
)
STEP_EXPECTED = declare(
    "E076",
    "step_expected",
    "Something other than an estimator stands in a branch of `columns(...)`.",
    reason="Branches hold steps: classes of the catalogue, or a `let` that holds such.",
    wrong="let prep = columns(numeric: 1)",
    right="let prep = columns(numeric: StandardScaler)",
)
