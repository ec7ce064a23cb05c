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

UNKNOWN_NAME = declare("E101", "unknown_name", phase=Phase.REFERENCES)
DUPLICATE_NAME = declare("E102", "duplicate_name")
RESERVED_NAME = declare("E103", "reserved_name")
STATEMENT_TWICE = declare("E104", "statement_twice")
MISSING_STATEMENT = declare("E105", "missing_statement")
CIRCULAR_NAME = declare("E106", "circular_name")
INCLUDE_PROBLEM = declare("E107", "include_problem")
AMBIGUOUS_PROTOCOL = declare("E108", "ambiguous_protocol")
MODELS_NEVER_MEET = declare("E109", "models_never_meet")

STORED_MODEL_FITTED = declare("E215", "stored_model_is_not_fitted")

# --- E11x: models ----------------------------------------------------------------------------

UNKNOWN_CLASS = declare("E110", "unknown_class", phase=Phase.REFERENCES)
MISPLACED_RESAMPLER = declare("E178", "misplaced_resampler")
NOTHING_TO_RESAMPLE = declare("E179", "nothing_to_resample")
UNKNOWN_PARAMETER = declare("E111", "unknown_parameter")
PARAMETER_VALUE = declare("E112", "parameter_value", phase=Phase.REFERENCES)
REFUSED_PARAMETER = declare("E113", "refused_parameter")
PIPELINE_ORDER = declare("E114", "pipeline_order")
WRONG_TASK = declare("E115", "wrong_task")
PARAMETER_TWICE = declare("E116", "parameter_twice")
BAD_DOMAIN = declare("E117", "bad_domain")
TOO_MUCH_BEHIND_NAMES = declare("E118", "too_much_behind_names")

# --- E12x: words -----------------------------------------------------------------------------

UNKNOWN_METRIC = declare("E120", "unknown_metric")
UNKNOWN_TEST = declare("E121", "unknown_test")
UNKNOWN_INTERVAL = declare("E122", "unknown_interval")
UNKNOWN_PROTOCOL = declare("E123", "unknown_protocol")
UNKNOWN_CORRECTION = declare("E124", "unknown_correction")
UNKNOWN_ANALYSIS = declare("E125", "unknown_analysis")
UNKNOWN_WORD = declare("E126", "unknown_word")
UNKNOWN_SOURCE = declare("E127", "unknown_source")

# --- E13x: options ---------------------------------------------------------------------------

UNKNOWN_OPTION = declare("E130", "unknown_option")
OPTION_VALUE = declare("E131", "option_value")
MISSING_OPTION = declare("E132", "missing_option")

UNKNOWN_DIRECTION = declare("E133", "unknown_direction", phase=Phase.CLAUSES)
RUNS_AS_FOLDS = declare("E134", "runs_as_folds", phase=Phase.CLAUSES)

# --- E14x: clauses ---------------------------------------------------------------------------

UNKNOWN_CLAUSE = declare("E140", "unknown_clause")
CLAUSE_TWICE = declare("E141", "clause_twice", phase=Phase.CLAUSES)
MISSING_CLAUSE = declare("E142", "missing_clause")
CLAUSE_VALUE = declare("E143", "clause_value", phase=Phase.CLAUSES)
CLAUSE_CONFLICT = declare("E144", "clause_conflict")

# --- E15x: claims ----------------------------------------------------------------------------

COMPARE_SHAPE = declare("E150", "compare_shape")
TOO_FEW_MODELS = declare("E151", "too_few_models")
NEEDS_CORRECTION_ELSEWHERE = declare("E152", "correction_on_self_correcting_test")
MARGIN = declare("E153", "margin")

# --- E16x: waivers ---------------------------------------------------------------------------

WAIVER_WITHOUT_REASON = declare("E161", "waiver_without_reason")

# --- E17x: exports, reports, own code, limits ------------------------------------------------

EXPORT_OF_SEVERAL = declare("E170", "export_of_several_data_sets")
EXPORT_PATH = declare("E171", "export_path")
EXPORT_TWICE = declare("E172", "export_twice")
REPORT_FOLDER = declare("E173", "report_folder")
OWN_CODE_WITHOUT_USE = declare("E175", "own_code_without_use")
MODULE_NAME = declare("E176", "module_name")
OVER_LIMIT = declare("E177", "over_limit")
LEVEL_UNDER_LOOKS = declare("E180", "level_under_looks")

# --- E2xx: what cannot be computed, or means nothing -----------------------------------------

TEST_NEEDS_OTHER_EVIDENCE = declare("E201", "test_needs_other_evidence")
INTERVAL_NEEDS_OTHER_EVIDENCE = declare("E202", "interval_needs_other_evidence")
METRIC_NEEDS_SCORES = declare("E203", "metric_needs_scores")
METRIC_UNDER_PROTOCOL = declare("E204", "metric_under_protocol")
TOO_FEW_FOR_OMNIBUS = declare("E205", "omnibus_of_two")
SEARCH_WITHOUT_VALIDATION = declare("E206", "search_without_validation")
TEST_OF_ANOTHER_METRIC = declare("E207", "test_of_another_metric")
MODELS_OF_ONE_TEST = declare("E208", "models_of_one_test")
FAMILY = declare("E209", "family_of_another_shape")
NO_FORM_FOR_GROUPS = declare("E210", "no_form_for_groups")
UNDECIDABLE = declare("E211", "requirement_cannot_be_decided")
OBSERVED_POWER = declare("E212", "power_at_the_observed_difference")
ASSUMPTION_OF_ANOTHER_TEST = declare("E224", "assumption_of_another_test")
INTERVAL_CANNOT_REFIT = declare("E213", "interval_cannot_refit")
ANALYSIS_NEEDS_OTHER_DATA = declare("E218", "analysis_needs_other_data")
METRIC_WITHOUT_DIRECTION = declare("E228", "metric_without_direction")
ANALYSIS_WITHOUT_SEARCH = declare("E219", "analysis_without_search")
ANALYSIS_NEEDS_SPLITS = declare("E220", "analysis_needs_splits")
ANALYSIS_NEEDS_SEEDS = declare("E223", "analysis_needs_seeds")
TEST_WITHOUT_WEIGHTS = declare("E221", "test_without_weights")
OWN_METRIC_WITHOUT_WEIGHTS = declare("E222", "own_metric_without_weights")

# --- E90x: what this version cannot run ------------------------------------------------------

NOT_IN_THIS_VERSION = declare("E901", "not_in_this_version")

# --- W10x: what is not used ------------------------------------------------------------------

UNUSED_LET = declare("W101", "unused_let", severity=Severity.HINT)
UNUSED_STATEMENT = declare("W102", "unused_statement")

# --- W16x:  ----------------------------------------------------------------------------------

WAIVER_OF_NOTHING = declare("W162", "waiver_of_nothing")
