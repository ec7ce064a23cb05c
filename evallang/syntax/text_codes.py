"""The codes of files, characters, numbers, texts and brackets (E00x to E03x, W00x)."""

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
    "The line `evallang 1` is not the first statement, or stands there twice.",
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
    reason="A line needs no sign at its end, and what is no part of the language is never "
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
    "Text stands in single quotes.",
    reason="Text has one spelling, so that two studies which mean the same look the same.",
    wrong="include 'lab/protocol.eval'",
    right='include "lab/protocol.eval"',
)
CURLY_QUOTES = declare(
    "E014",
    "curly_quotes",
    "Text stands in typographic quotes, as word processors make them.",
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
    "A typographic sign stands where the language has a plain one.",
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
    "Something begins like a number and is none.",
    reason="A number has at most one point and one exponent; `1_000` may group its digits.",
    wrong="study\n  seed 1.2.3",
    right="study\n  seed 123",
)
NAME_BEGINS_WITH_DIGIT = declare(
    "E022",
    "name_begins_with_digit",
    "A name begins with a digit.",
    reason="Names begin with a letter or `_`; a column of any other spelling stands in quotes.",
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
