"""The codes of files, characters, numbers, texts, lines and domains (E00x to E07x, W00x)."""

from evallang.diagnostics import Severity, declare

# --- the file --------------------------------------------------------------------------

NEWER_LANGUAGE = declare("E001", "newer_language")
INSPECT_LOG = declare("E002", "inspect_ai_log")
NOT_TEXT = declare("E003", "not_text")
UNKNOWN_VERSION = declare("E004", "unknown_version")
VERSION_NOT_FIRST = declare("E005", "version_not_first")
MISSING_VERSION = declare("W001", "missing_version", severity=Severity.HINT)
TABS = declare("W002", "tabs", severity=Severity.HINT)

# --- characters, numbers and texts -----------------------------------------------------

UNEXPECTED_CHARACTER = declare("E010", "unexpected_character")
UNUSUAL_SPACE = declare("E011", "unusual_space")
UNCLOSED_QUOTE = declare("E012", "unclosed_quote")
SINGLE_QUOTES = declare("E013", "single_quotes")
CURLY_QUOTES = declare("E014", "curly_quotes")
ESCAPE_IN_TEXT = declare("E015", "unknown_escape")
TYPOGRAPHIC_SIGN = declare("E016", "typographic_sign")
FOREIGN_OPERATOR = declare("E017", "foreign_operator")
PYTHON_CONSTANT = declare("E018", "python_constant")
NUMBER_IN_PIECES = declare("E019", "number_in_pieces")
LEADING_ZERO = declare("E020", "leading_zero")
MALFORMED_NUMBER = declare("E021", "malformed_number")
NAME_BEGINS_WITH_DIGIT = declare("E022", "name_begins_with_digit")
NAME_WITH_VERSION = declare("E023", "name_with_version")
DATE_WITHOUT_QUOTES = declare("E024", "date_without_quotes")

# --- brackets --------------------------------------------------------------------------

UNCLOSED_BRACKET = declare("E030", "unclosed_bracket")
UNMATCHED_BRACKET = declare("E031", "unmatched_bracket")
NESTED_TOO_DEEP = declare("E032", "nested_too_deep")
BRACKETS_AROUND_ONE_VALUE = declare("E033", "brackets_around_one_value")


# --- statements and clauses ------------------------------------------------------------

UNKNOWN_STATEMENT = declare("E040", "unknown_statement")
CLAUSE_IN_FIRST_COLUMN = declare("E041", "clause_in_first_column")
STATEMENT_INDENTED = declare("E042", "statement_indented")
CLAUSE_NOT_TAKEN = declare("E043", "clause_not_taken")
MISSPELT_CLAUSE = declare("E054", "misspelt_clause")
UNEXPECTED_TEXT = declare("E044", "unexpected_text")
INCOMPLETE_LINE = declare("E045", "incomplete_line")
MISSING_COMMA = declare("E046", "missing_comma")
MISSING_WORD = declare("E047", "missing_word")
MISSPELT_WORD = declare("E048", "misspelt_word")
WRONG_SIGN = declare("E049", "wrong_sign")
SUPERFLUOUS = declare("E050", "superfluous_word")
RESERVED_WORD = declare("E051", "reserved_word")
QUOTES_MISSING = declare("E052", "quotes_missing")
QUOTES_SUPERFLUOUS = declare("E053", "quotes_superfluous")

# --- domains ---------------------------------------------------------------------------

RANGE_WITHOUT_IN = declare("E060", "range_without_in")
DOMAIN_NEEDED = declare("E061", "domain_needed")
DISTRIBUTION_AS_CALL = declare("E062", "distribution_as_call")
RANGE_OF_NAMES = declare("E063", "range_of_names")

# --- the parts of a line ---------------------------------------------------------------

PART_GIVEN_TWICE = declare("E070", "part_given_twice")
PAIRS_MIXED = declare("E071", "pairs_mixed")
MISSING_PART = declare("E072", "missing_part")
MISPLACED_PART = declare("E073", "misplaced_part")
WRONG_BOUND = declare("E074", "wrong_bound")
BRANCH_OUTSIDE_COLUMNS = declare("E075", "branch_outside_columns")
STEP_EXPECTED = declare("E076", "step_expected")
