"""The codes of files, characters, numbers, texts, lines and domains (E00x to E07x, W00x)."""

from evallang.diagnostics import Severity, declare

# --- the file --------------------------------------------------------------------------

NEWER_LANGUAGE = declare(
    "E001",
    "newer_language",
    "The file is written in a newer version of the language.",
    reason="A newer version may give existing words a new meaning, so the rest of the file is not "
    "read.",
    wrong="evallang 99",
    right="evallang 1",
)
INSPECT_LOG = declare(
    "E002",
    "inspect_ai_log",
    "The file is a log of Inspect AI, which uses the same file extension, .eval.",
    reason="Logs of Inspect AI are ZIP archives. Export their samples as CSV or JSON Lines "
    "and name that file in a `predictions` statement.",
)
NOT_TEXT = declare(
    "E003",
    "not_text",
    "The file contains NUL characters or bytes that are not UTF-8, so it is not a text file.",
    reason="A study is a UTF-8 text file; any other content was probably damaged when the file "
    "was copied or saved.",
)
UNKNOWN_VERSION = declare(
    "E004",
    "unknown_version",
    "The file names a version of the language that does not exist.",
    reason="There is one version so far, `evallang 1`. The number lets later tools read old "
    "studies as they were written.",
    wrong="evallang 0.9",
    right="evallang 1",
)
VERSION_NOT_FIRST = declare(
    "E005",
    "version_not_first",
    "The line `evallang 1` is not the first statement, or occurs twice.",
    reason="Tools expect the version at the top, before they read anything else.",
    wrong="measure accuracy\nevallang 1",
    right="evallang 1",
)
MISSING_VERSION = declare(
    "W001",
    "missing_version",
    "The file does not name its version of the language.",
    severity=Severity.HINT,
    reason="The line `evallang 1` keeps the file readable when the language changes.",
    wrong="measure accuracy",
    right="evallang 1\nmeasure accuracy",
)
TABS = declare(
    "W002",
    "tabs",
    "The file contains tabs; the formatter writes spaces.",
    severity=Severity.HINT,
    reason="The width of a tab depends on the editor, so lines that look aligned may not be.",
    wrong="study\n\tseed 1   # behind a tab",
    right="study\n  seed 1",
)

# --- characters, numbers and texts -----------------------------------------------------

UNEXPECTED_CHARACTER = declare(
    "E010",
    "unexpected_character",
    "A character outside quotes and comments is not part of the language.",
    reason="A line needs no character at its end, and characters that are not part of the "
    "language are never silently ignored.",
    wrong="measure accuracy;",
    right="measure accuracy",
)
UNUSUAL_SPACE = declare(
    "E011",
    "unusual_space",
    "The line contains a no-break space or another character that only looks like a space.",
    reason="Such characters are often copied along from web pages and word processors.",
    wrong="measure\u00a0accuracy   # the first blank is a no-break space",
    right="measure accuracy",
)
UNCLOSED_QUOTE = declare(
    "E012",
    "unclosed_quote",
    "A quoted text is not closed on its line.",
    reason="A quoted text cannot span lines.",
    wrong='include "lab/protocol.eval',
    right='include "lab/protocol.eval"',
)
SINGLE_QUOTES = declare(
    "E013",
    "single_quotes",
    "Text is written in single quotes.",
    reason="Text is always written in double quotes, so that two studies with the same meaning "
    "look the same.",
    wrong="include 'lab/protocol.eval'",
    right='include "lab/protocol.eval"',
)
CURLY_QUOTES = declare(
    "E014",
    "curly_quotes",
    "Text is written in typographic quotes.",
    reason="Word processors replace plain quotes with typographic ones. The two look alike in "
    "print but are different characters.",
    wrong="include “lab/protocol.eval”",
    right='include "lab/protocol.eval"',
)
ESCAPE_IN_TEXT = declare(
    "E015",
    "unknown_escape",
    "A backslash in a quoted text is not followed by a valid escape.",
    reason='Texts follow JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four '
    "hexadecimal digits.",
    wrong='data flowers from "lab\\iris.csv"\n  target species',
    right='data flowers from "lab/iris.csv"\n  target species',
)
TYPOGRAPHIC_SIGN = declare(
    "E016",
    "typographic_sign",
    "A line contains a typographic sign where the language has a plain one.",
    reason="Signs such as `≥`, `×` and `–` are often copied from papers; the language writes "
    "`>=`, `x` and `-`, which every keyboard has.",
    wrong="require accuracy of forest ≥ 0.9",
    right="require accuracy of forest >= 0.9",
)
FOREIGN_OPERATOR = declare(
    "E017",
    "foreign_operator",
    "The operator belongs to another language.",
    reason="`=` compares, a second `where` line means `and`, and a study computes nothing.",
    wrong="data d from sklearn iris\n  where age == 18",
    right="data d from sklearn iris\n  where age = 18",
)
PYTHON_CONSTANT = declare(
    "E018",
    "python_constant",
    "A constant is spelled as in Python.",
    reason="The constants of the language are `true`, `false` and `none`, in lower case.",
    wrong="model m = SVC(probability=True)",
    right="model m = SVC(probability=true)",
)
NUMBER_IN_PIECES = declare(
    "E019",
    "number_in_pieces",
    "A percentage or a fraction contains spaces.",
    reason="A percentage or fraction is written without spaces: `95%`, `1/3`.",
    wrong="require accuracy of forest >= 95 %",
    right="require accuracy of forest >= 95%",
)
LEADING_ZERO = declare(
    "E020",
    "leading_zero",
    "A number begins with zeros, or its digits are grouped by commas.",
    reason="`010` is eight in some languages and an error in others; `1,000` would be two numbers "
    "in a list.",
    wrong="model m = SVC(max_iter=1,000)",
    right="model m = SVC(max_iter=1_000)",
)
MALFORMED_NUMBER = declare(
    "E021",
    "malformed_number",
    "A word begins like a number but is not one.",
    reason="A number has at most one decimal point and one exponent; underscores may group its "
    "digits (`1_000`).",
    wrong="study\n  seed 1.2.3",
    right="study\n  seed 123",
)
NAME_BEGINS_WITH_DIGIT = declare(
    "E022",
    "name_begins_with_digit",
    "A name begins with a digit.",
    reason="Names begin with a letter or `_`; any other column name is written in quotes.",
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
    "A date is written without quotes.",
    reason="Without quotes a date looks like a subtraction. In quotes, with the year first, it is "
    "compared with the dates of the column.",
    wrong='data visits from "visits.csv"\n  target readmitted\n  where admitted_on >= 2024-01-31',
    right='data visits from "visits.csv"\n  target readmitted\n  where admitted_on >= "2024-01-31"',
)

# --- brackets --------------------------------------------------------------------------

UNCLOSED_BRACKET = declare(
    "E030",
    "unclosed_bracket",
    "A bracket is not closed before the statement or clause ends.",
    reason="A bracket may span several lines, but text in column 0 begins a new statement.",
    wrong="model m = SVC(C=1",
    right="model m = SVC(C=1)",
)
UNMATCHED_BRACKET = declare(
    "E031",
    "unmatched_bracket",
    "A closing bracket has no opening bracket, or one of another kind.",
    reason="A closing bracket must match the bracket that was opened last.",
    wrong="model m = SVC(C in [1, 10)]",
    right="model m = SVC(C in [1, 10])",
)
NESTED_TOO_DEEP = declare(
    "E032",
    "nested_too_deep",
    "Brackets are nested more than 64 deep.",
    reason="No study needs this depth; give the inner parts names with `let`.",
)
BRACKETS_AROUND_ONE_VALUE = declare(
    "E033",
    "brackets_around_one_value",
    "A single value is enclosed in round brackets.",
    reason="Round brackets with a comma are a list; around one value they could mean the list or "
    "the value itself.",
    wrong="model m = MLPClassifier(hidden_layer_sizes=(100))",
    right="model m = MLPClassifier(hidden_layer_sizes=[100])",
)


# --- statements and clauses ------------------------------------------------------------

UNKNOWN_STATEMENT = declare(
    "E040",
    "unknown_statement",
    "A line in column 0 does not begin with the word of a statement.",
    reason="Text in column 0 begins a statement, and each statement begins with its own word.",
    wrong="modle m = SVC",
    right="model m = SVC",
)
CLAUSE_IN_FIRST_COLUMN = declare(
    "E041",
    "clause_in_first_column",
    "A clause is not indented.",
    reason="The indentation shows which statement a clause belongs to.",
    wrong="study\nseed 1",
    right="study\n  seed 1",
)
STATEMENT_INDENTED = declare(
    "E042",
    "statement_indented",
    "A statement is indented, so it would be read as a clause of the statement above.",
    reason="Clauses are indented and belong to the statement above them; statements begin "
    "in column 0.",
    wrong='data visits from "visits.csv"\n  target readmitted\n  group by patient',
    right='data visits from "visits.csv"\n  target readmitted\n\ngroup by patient',
)
CLAUSE_NOT_TAKEN = declare(
    "E043",
    "clause_not_taken",
    "An indented line follows a statement that takes no clauses.",
    reason="Statements such as `compare` are written on one line, so that each line is one "
    "decision.",
    wrong="compare with mcnemar\n  by accuracy",
    right="compare with mcnemar by accuracy",
)
MISSPELT_CLAUSE = declare(
    "E054",
    "misspelt_clause",
    "An indented line cannot be read, and its first word is not a clause.",
    reason="An indented line begins with the word of a clause; `evallang explain STATEMENT` lists "
    "the clauses of a statement.",
    wrong='predictions p from "p.csv"\n  truth y\n  modles a as yhat',
    right='predictions p from "p.csv"\n  truth y\n  models a as yhat',
)
UNEXPECTED_TEXT = declare(
    "E044",
    "unexpected_text",
    "A word or sign is not expected at this place of the line.",
    reason="The parts of a line have a fixed order; in another order they could have another "
    "meaning.",
    wrong="require a worse than b by 2%",
    right="require b not worse than a by 2%",
)
INCOMPLETE_LINE = declare(
    "E045",
    "incomplete_line",
    "A line ends before it is complete.",
    reason="The missing part is a decision of the author's that evallang does not guess.",
    wrong="model tree =",
    right="model tree = DecisionTreeClassifier",
)
MISSING_COMMA = declare(
    "E046",
    "missing_comma",
    "Two items of a list are not separated by a comma.",
    reason="Items of a list are separated by commas; two adjacent words could also be one name "
    "with a space.",
    wrong="measure accuracy f1",
    right="measure accuracy, f1",
)
MISSING_WORD = declare(
    "E047",
    "missing_word",
    "A word or sign is missing between two parts of a line.",
    reason="Words such as `with` and `by` state how the parts of a line are related.",
    wrong="compare a, b mcnemar",
    right="compare a, b with mcnemar",
)
MISSPELT_WORD = declare(
    "E048",
    "misspelt_word",
    "A word of the language is misspelled.",
    reason="A word that is almost a word of the language is taken for a typing error, not for a "
    "name.",
    wrong="compare a, b wiht mcnemar",
    right="compare a, b with mcnemar",
)
WRONG_SIGN = declare(
    "E049",
    "wrong_sign",
    "A sign is used where another one is needed.",
    reason="Each sign has one meaning: `=` fixes a value, `in` searches over several, `:` belongs "
    "to maps and `columns(...)`, `|` chains steps.",
    wrong="let weights = {no=1, yes: 10}",
    right="let weights = {no: 1, yes: 10}",
)
SUPERFLUOUS = declare(
    "E050",
    "superfluous_word",
    "A line contains something that it does not need.",
    reason="An unneeded word or sign may be the rest of something that was meant.",
    wrong="measure accuracy,",
    right="measure accuracy",
)
RESERVED_WORD = declare(
    "E051",
    "reserved_word",
    "A word of the language is used where a name is expected.",
    reason="`against across by on with all best target true false none` cannot be names in a "
    "study, because a line could then be read in two ways; a column with such a name is "
    "written in quotes.",
    wrong="compare on, forest with mcnemar",
    right="compare online, forest with mcnemar",
)
QUOTES_MISSING = declare(
    "E052",
    "quotes_missing",
    "A path, or a name that contains a space, is written without quotes.",
    reason="Without quotes a name ends at the first space, and a path is not one word.",
    wrong="data d from sklearn iris\n  target mean radius",
    right='data d from sklearn iris\n  target "mean radius"',
)
QUOTES_SUPERFLUOUS = declare(
    "E053",
    "quotes_superfluous",
    "The name that a statement introduces is written in quotes.",
    reason="Names that the author introduces are used without quotes later in the study; quoted "
    "text after the name is its label in the report.",
    wrong='model "forest" = RandomForestClassifier',
    right="model forest = RandomForestClassifier",
)

# --- domains ---------------------------------------------------------------------------

RANGE_WITHOUT_IN = declare(
    "E060",
    "range_without_in",
    "A range is assigned as a fixed value.",
    reason="`=` fixes a parameter; `in` searches over a range.",
    wrong="model m = SVC(C=1..10)",
    right="model m = SVC(C in 1..10)",
)
DOMAIN_NEEDED = declare(
    "E061",
    "domain_needed",
    "`in` is followed by a single value.",
    reason="`in` searches over several values; a single value is fixed with `=`.",
    wrong="model m = SVC(C in 5)",
    right="model m = SVC(C=5)",
)
DISTRIBUTION_AS_CALL = declare(
    "E062",
    "distribution_as_call",
    "A distribution is written as a function call.",
    reason="A distribution is written after its bounds, like `step` and `log`: `1e-4..1e4 "
    "loguniform`.",
    wrong="model m = SVC(C in loguniform(1e-4, 1e4))\ntune random 30 cv=5",
    right="model m = SVC(C in 1e-4..1e4 loguniform)\ntune random 30 cv=5",
)
RANGE_OF_NAMES = declare(
    "E063",
    "range_of_names",
    "A bound of a range is a name.",
    reason="The bounds of a range are numbers, so that a reader can count the candidates on the "
    "line itself.",
    wrong="model m = SVC(C in 1..most)",
    right="model m = SVC(C in 1..10)",
)

# --- the parts of a line ---------------------------------------------------------------

PART_GIVEN_TWICE = declare(
    "E070",
    "part_given_twice",
    "A part of a line occurs twice.",
    reason="One of the two would silently override the other.",
    wrong="compare a, b with permutation by f1 by accuracy",
    right="compare a, b with permutation by f1, accuracy",
)
PAIRS_MIXED = declare(
    "E071",
    "pairs_mixed",
    "Pairs are mixed with single models or with `against`.",
    reason="Planned pairs are the whole family; single models or a reference on the same line "
    "would add a second one.",
    wrong="compare a vs b, c with mcnemar",
    right="compare a vs b, b vs c with mcnemar",
)
MISSING_PART = declare(
    "E072",
    "missing_part",
    "A required part of a line is missing.",
    reason="Each line states its claim in full, and evallang never chooses a test for the author.",
    wrong="compare a, b",
    right="compare a, b with mcnemar",
)
MISPLACED_PART = declare(
    "E073",
    "misplaced_part",
    "A part of a line belongs to another kind of line.",
    reason="The part would have no effect on this line, and nothing in a study is ignored.",
    wrong="require accuracy of a >= 80% in f1",
    right="require accuracy of a >= 80%",
)
WRONG_BOUND = declare(
    "E074",
    "wrong_bound",
    "A required level is given with a sign other than `>=`, `>`, `<=` or `<`.",
    reason="A requirement is a lower or an upper bound. No estimate is exactly equal to a number.",
    wrong="require accuracy of a = 80%",
    right="require accuracy of a >= 80%",
)
BRANCH_OUTSIDE_COLUMNS = declare(
    "E075",
    "branch_outside_columns",
    "`key: steps` is outside `columns(...)`, or `columns(...)` holds something else.",
    reason="In `columns(...)` each branch names the columns that it takes; outside of it there "
    "are no columns to choose from.",
    wrong="let prep = columns(StandardScaler)",
    right="let prep = columns(numeric: StandardScaler)",
)
STEP_EXPECTED = declare(
    "E076",
    "step_expected",
    "A branch of `columns(...)` contains something other than an estimator.",
    reason="A branch contains steps: classes of the catalogue, or the name of a `let` that holds "
    "steps.",
    wrong="let prep = columns(numeric: 1)",
    right="let prep = columns(numeric: StandardScaler)",
)
