"""The codes of files, characters, numbers, texts, lines and domains (E00x to E07x, W00x)."""

from evallang.diagnostics import Severity, declare

# --- the file --------------------------------------------------------------------------

NEWER_LANGUAGE = declare(
    "E001",
    "newer_language",
    "The file is written in a newer version of the language.",
    reason="A newer version may give old words a new meaning, so nothing else is read.",
    wrong="evallang 99",
    right="evallang 1",
)
INSPECT_LOG = declare(
    "E002",
    "inspect_ai_log",
    "The file is a log of Inspect AI, which shares the ending .eval.",
    reason="Logs of Inspect AI are ZIP archives. Export their samples as CSV or JSON Lines "
    "and name that file in a `predictions` statement.",
)
NOT_TEXT = declare(
    "E003",
    "not_text",
    "The file contains what no text file contains: NUL characters or bytes outside UTF-8.",
    reason="A study is a UTF-8 text file; anything else was damaged on its way.",
)
UNKNOWN_VERSION = declare(
    "E004",
    "unknown_version",
    "The file names a version of the language that never existed.",
    reason="There is one version so far, `evallang 1`; the number lets a later tool read "
    "an old study as it was meant.",
    wrong="evallang 0.9",
    right="evallang 1",
)
VERSION_NOT_FIRST = declare(
    "E005",
    "version_not_first",
    "The line `evallang 1` is not the first statement, or is there twice.",
    reason="Tools look for it at the top, before they read anything else.",
    wrong="measure accuracy\nevallang 1",
    right="evallang 1",
)
MISSING_VERSION = declare(
    "W001",
    "missing_version",
    "The file does not say in which version of the language it is written.",
    severity=Severity.HINT,
    reason="The line `evallang 1` keeps the file readable when the language grows.",
    wrong="measure accuracy",
    right="evallang 1\nmeasure accuracy",
)
TABS = declare(
    "W002",
    "tabs",
    "The file contains tabs; the formatter writes blanks.",
    severity=Severity.HINT,
    reason="A tab is as wide as each editor likes, so lines that look alike may differ.",
    wrong="study\n\tseed 1   # behind a tab",
    right="study\n  seed 1",
)

# --- characters, numbers and texts -----------------------------------------------------

UNEXPECTED_CHARACTER = declare(
    "E010",
    "unexpected_character",
    "A character that means nothing outside quotes and comments.",
    reason="A line needs no sign at its end, and what is not part of the language is never "
    "skipped in silence.",
    wrong="measure accuracy;",
    right="measure accuracy",
)
UNUSUAL_SPACE = declare(
    "E011",
    "unusual_space",
    "A no-break space or another blank that only looks like one.",
    reason="Such blanks come along when text is copied from a web page or a word processor.",
    wrong="measure\u00a0accuracy   # the first blank is a no-break space",
    right="measure accuracy",
)
UNCLOSED_QUOTE = declare(
    "E012",
    "unclosed_quote",
    "A text is opened by a quote and not closed on its line.",
    reason="Text never spans lines.",
    wrong='include "lab/protocol.eval',
    right='include "lab/protocol.eval"',
)
SINGLE_QUOTES = declare(
    "E013",
    "single_quotes",
    "Text is written in single quotes.",
    reason="Text has one spelling, so that two studies which mean the same look the same.",
    wrong="include 'lab/protocol.eval'",
    right='include "lab/protocol.eval"',
)
CURLY_QUOTES = declare(
    "E014",
    "curly_quotes",
    "Text is written in typographic quotes, as word processors make them.",
    reason="Word processors replace plain quotes by typographic ones; both look alike in "
    "print and are different characters.",
    wrong="include “lab/protocol.eval”",
    right='include "lab/protocol.eval"',
)
ESCAPE_IN_TEXT = declare(
    "E015",
    "unknown_escape",
    "A backslash in a text is followed by something it does not escape.",
    reason='Texts follow JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four '
    "hexadecimal digits.",
    wrong='data flowers from "lab\\iris.csv"\n  target species',
    right='data flowers from "lab/iris.csv"\n  target species',
)
TYPOGRAPHIC_SIGN = declare(
    "E016",
    "typographic_sign",
    "A typographic sign is where the language has a plain one.",
    reason="Signs such as `≥`, `×` and `–` come along when text is copied from a paper; "
    "the language writes `>=`, `x` and `-`, which every keyboard has.",
    wrong="require accuracy of forest ≥ 0.9",
    right="require accuracy of forest >= 0.9",
)
FOREIGN_OPERATOR = declare(
    "E017",
    "foreign_operator",
    "An operator of another language.",
    reason="`=` compares, a second `where` line stands for `and`, and nothing is computed in a "
    "study.",
    wrong="data d from sklearn iris\n  where age == 18",
    right="data d from sklearn iris\n  where age = 18",
)
PYTHON_CONSTANT = declare(
    "E018",
    "python_constant",
    "A constant is spelt as in Python.",
    reason="The constants of the language are `true`, `false` and `none`, in small letters.",
    wrong="model m = SVC(probability=True)",
    right="model m = SVC(probability=true)",
)
NUMBER_IN_PIECES = declare(
    "E019",
    "number_in_pieces",
    "A percentage or a fraction is torn apart by blanks.",
    reason="A number with its sign is one word: `95%`, `1/3`.",
    wrong="require accuracy of forest >= 95 %",
    right="require accuracy of forest >= 95%",
)
LEADING_ZERO = declare(
    "E020",
    "leading_zero",
    "A number begins with zeros, or a comma groups its digits.",
    reason="`010` is eight in some languages and an error in others; `1,000` is two numbers "
    "in most.",
    wrong="model m = SVC(max_iter=1,000)",
    right="model m = SVC(max_iter=1_000)",
)
MALFORMED_NUMBER = declare(
    "E021",
    "malformed_number",
    "Something begins like a number but is not one.",
    reason="A number has at most one point and one exponent; `1_000` may group its digits.",
    wrong="study\n  seed 1.2.3",
    right="study\n  seed 123",
)
NAME_BEGINS_WITH_DIGIT = declare(
    "E022",
    "name_begins_with_digit",
    "A name begins with a digit.",
    reason="Names begin with a letter or `_`; a column of any other spelling is written in quotes.",
    wrong="group by 2nd_visit",
    right='group by "2nd_visit"',
)
NAME_WITH_VERSION = declare(
    "E023",
    "name_with_version",
    "A name has a digit after a point.",
    reason="A dotted name is a column or the author's own code; a version is neither.",
    wrong="export gpt-4.1",
    right='export "gpt-4.1"',
)
DATE_WITHOUT_QUOTES = declare(
    "E024",
    "date_without_quotes",
    "A date stands without quotes.",
    reason="Without quotes a date reads as a subtraction; in quotes, year first, it is compared "
    "with the dates of the column.",
    wrong='data visits from "visits.csv"\n  target readmitted\n  where admitted_on >= 2024-01-31',
    right='data visits from "visits.csv"\n  target readmitted\n  where admitted_on >= "2024-01-31"',
)

# --- brackets --------------------------------------------------------------------------

UNCLOSED_BRACKET = declare(
    "E030",
    "unclosed_bracket",
    "A bracket is opened and not closed before the statement or clause ends.",
    reason="A bracket may span lines, but never a line with text in column 0, which "
    "begins a statement.",
    wrong="model m = SVC(C=1",
    right="model m = SVC(C=1)",
)
UNMATCHED_BRACKET = declare(
    "E031",
    "unmatched_bracket",
    "A closing bracket closes nothing, or another kind of bracket.",
    reason="Every bracket closes the one that was opened last.",
    wrong="model m = SVC(C in [1, 10)]",
    right="model m = SVC(C in [1, 10])",
)
NESTED_TOO_DEEP = declare(
    "E032",
    "nested_too_deep",
    "Brackets are nested more than 64 deep.",
    reason="No study needs it; give the inner parts names with `let`.",
)
BRACKETS_AROUND_ONE_VALUE = declare(
    "E033",
    "brackets_around_one_value",
    "Round brackets stand around a single value.",
    reason="Round brackets with a comma are a list; around one value they could mean the "
    "list or the value.",
    wrong="model m = MLPClassifier(hidden_layer_sizes=(100))",
    right="model m = MLPClassifier(hidden_layer_sizes=[100])",
)


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
    reason="Clauses are indented and belong to the statement above them; statements begin "
    "in column 0.",
    wrong='data visits from "visits.csv"\n  target readmitted\n  group by patient',
    right='data visits from "visits.csv"\n  target readmitted\n\ngroup by patient',
)
CLAUSE_NOT_TAKEN = declare(
    "E043",
    "clause_not_taken",
    "An indented line is below a statement that takes no clauses.",
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
    reason="Items of a list are separated by commas; two words side by side might be a name "
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
    "One sign is where another belongs.",
    reason="Each sign has one meaning: `=` fixes a value, `in` searches it, `:` belongs "
    "to maps and `columns(...)`, `|` chains steps.",
    wrong="let weights = {no=1, yes: 10}",
    right="let weights = {no: 1, yes: 10}",
)
SUPERFLUOUS = declare(
    "E050",
    "superfluous_word",
    "Something is in a line that is right without it.",
    reason="What a line does not need might be half of something that was meant.",
    wrong="measure accuracy,",
    right="measure accuracy",
)
RESERVED_WORD = declare(
    "E051",
    "reserved_word",
    "A word of the language is where a name is meant.",
    reason="`against across by on with all best target true false none` cannot be names in a "
    "study, because a line could then be read in two ways; a column with such a name is "
    "written in quotes.",
    wrong="compare on, forest with mcnemar",
    right="compare online, forest with mcnemar",
)
QUOTES_MISSING = declare(
    "E052",
    "quotes_missing",
    "A name with a blank, or a path, stands without quotes.",
    reason="Without quotes a blank ends a name and a path is not a word.",
    wrong="data d from sklearn iris\n  target mean radius",
    right='data d from sklearn iris\n  target "mean radius"',
)
QUOTES_SUPERFLUOUS = declare(
    "E053",
    "quotes_superfluous",
    "A name that a statement gives is written in quotes.",
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
    reason="Distributions come after the bounds, as `step` and `log` do: `1e-4..1e4 loguniform`.",
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
    "Pairs are written with single models, or together with `against`.",
    reason="Planned pairs are the whole family; single models or a reference on the same line "
    "would add a second one.",
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
    "`key: steps` is outside `columns(...)`, or `columns(...)` holds something else.",
    reason="In `columns(...)` each branch says which columns it takes; outside there are "
    "no columns to take.",
    wrong="let prep = columns(StandardScaler)",
    right="let prep = columns(numeric: StandardScaler)",
)
STEP_EXPECTED = declare(
    "E076",
    "step_expected",
    "Something other than an estimator is in a branch of `columns(...)`.",
    reason="Branches hold steps: classes of the catalogue, or a `let` that holds such.",
    wrong="let prep = columns(numeric: 1)",
    right="let prep = columns(numeric: StandardScaler)",
)
