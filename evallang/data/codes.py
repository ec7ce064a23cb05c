"""The codes of what can be wrong in data: sources, columns, tables, designs, imported results.

Those of rules whose evidence is in the rows are declared by the rules, in `row_rules`.
"""

from evallang.diagnostics import Changes, Phase, Severity, declare

# --- E40x: files -----------------------------------------------------------------------

FILE_NOT_FOUND = declare("E401", "file_not_found")
REMOTE_PATH = declare("E402", "remote_path")
UNKNOWN_ENDING = declare("E403", "unknown_file_ending")
FILE_TOO_LARGE = declare("E404", "file_too_large")
UNREADABLE_FILE = declare("E405", "unreadable_file")
NOT_UTF8 = declare("E406", "text_not_utf8")
EMPTY_FILE = declare("E407", "no_rows_in_file")
RAGGED_LINE = declare("E408", "ragged_line")
DUPLICATE_COLUMN = declare("E409", "column_name_twice")
MALFORMED_JSON = declare("E410", "malformed_json_line")
UNCLEAR_NUMBERS = declare("E411", "unclear_numbers")
SAME_STEM = declare("E413", "data_sets_share_a_name")

# --- E412 to E419: ARFF, databases --------------------------------------------------------

MALFORMED_ARFF = declare("E412", "malformed_arff")
UNKNOWN_DATABASE = declare("E414", "unknown_database")
NOT_ONE_SELECT = declare("E415", "not_one_select")
QUERY_FAILED = declare("E416", "query_failed")
DRIVER_MISSING = declare("E417", "database_driver_missing")
SERVER_NEEDS_TRUST = declare("E418", "server_needs_trust")
PASSWORD_IN_STUDY = declare("E419", "password_in_study")

UNKNOWN_COLUMN = declare("E420", "unknown_column")
COLUMN_IN_TWO_ROLES = declare("E421", "column_in_two_roles")
NO_TARGET = declare("E422", "no_target")
MISSING_TARGET = declare("E423", "missing_target")
TARGET_OUTSIDE_SCALE = declare("E456", "target_outside_scale")
SCALE_OF_LABELS = declare("E457", "scale_of_labels")
TARGET_NOT_NUMERIC = declare("E424", "target_not_numeric")
ONE_CLASS = declare("E425", "one_class")
UNKNOWN_POSITIVE = declare("E426", "unknown_positive_label")
POSITIVE_OF_MANY = declare("E427", "positive_needs_two_classes")
NO_FEATURES = declare("E428", "no_features")
FEATURE_TYPE = declare("E429", "unusable_feature_type")
INFINITE_VALUE = declare("E430", "infinite_value")
UNUSABLE_SIZE = declare("E499", "unusable_size")
TOO_FEW_ROWS = declare("E431", "too_few_rows")
NO_ROWS_LEFT = declare("E432", "no_rows_left")
ORDERING_OF_TEXT = declare("E433", "ordering_of_text")
INCOMPARABLE_VALUE = declare("E434", "incomparable_value")
MISSING_IN_ROLE = declare("E435", "missing_value_in_role")
ID_TWICE = declare("E436", "id_occurs_twice")
UNUSABLE_WEIGHT = declare("E437", "unusable_weight")
NOT_A_FEATURE = declare("E438", "categorical_is_no_feature")

# --- E47x: data and the protocol ---------------------------------------------------------

CLASS_SMALLER_THAN_FOLDS = declare("E470", "class_smaller_than_folds")
FEWER_GROUPS_THAN_FOLDS = declare("E471", "fewer_groups_than_folds")
TARGET_AMONG_FEATURES = declare("E472", "target_among_features")
TASKS_DIFFER = declare("E473", "data_sets_differ_in_task")
ASSIGNMENT_MISMATCH = declare("E474", "assignment_mismatch")

# --- W40x, W41x --------------------------------------------------------------------------

NUMBERS_WITH_TEXT = declare("W402", "numbers_mixed_with_text")
WORDS_READ_AS_MISSING = declare("W458", "words_read_as_missing")
LABEL_OF_THE_UNKNOWN = declare("W459", "label_of_the_unknown", changes=Changes.QUESTION)
NUMBER_OF_THE_UNKNOWN = declare("W460", "number_of_the_unknown", changes=Changes.SCORES)
SPELLED_TWICE = declare("W461", "spelled_twice", changes=Changes.SCORES)
CONSTANT_FEATURE = declare("W410", "constant_feature", severity=Severity.HINT)
ID_LIKE_FEATURE = declare("W411", "id_like_feature", changes=Changes.SCORES)
DATES_AS_CATEGORIES = declare("W415", "dates_as_categories")
NUMBERS_AS_CATEGORIES = declare("W416", "numbers_as_categories")
DUPLICATED_ROWS = declare("W412", "duplicated_rows", changes=Changes.SCORES)
FEW_GROUPS = declare("W413", "few_groups", changes=Changes.PRECISION)

# --- strata, related data sets ------------------------------------------------------------

BINS_DO_NOT_FIT = declare("E490", "bins_do_not_fit")
STRATA_TOO_FINE = declare("E491", "strata_too_fine")
RARE_STRATA_MERGED = declare("W422", "rare_strata_merged")
RELATED_DATA_SETS = declare("W423", "related_data_sets", changes=Changes.QUESTION)

UNBALANCED_CLASSES = declare("W430", "accuracy_on_unbalanced_classes")
POSITIVE_NOT_STATED = declare("W431", "positive_class_not_stated", changes=Changes.QUESTION)
SMALL_TEST_PART = declare("W432", "small_test_part", changes=Changes.PRECISION)
FEW_OF_A_CLASS_IN_A_FOLD = declare("W433", "few_of_a_class_in_a_fold", changes=Changes.PRECISION)
UNEQUAL_TEST_SETS = declare("W434", "unequal_test_sets", changes=Changes.PRECISION)
MARGIN_BEYOND_BASELINE = declare("W435", "margin_beyond_the_baseline", changes=Changes.CLAIMS)
FEW_OF_THE_RARER_CLASS = declare("W440", "few_of_the_rarer_class", changes=Changes.PRECISION)
AREA_WITHOUT_SPREAD = declare("W441", "area_without_spread", changes=Changes.PRECISION)
FEW_EXAMPLES_FOR_A_TEST = declare("W480", "few_examples_for_a_test", changes=Changes.PRECISION)
NO_SPREAD_IN_A_FOLD = declare("E494", "no_spread_in_a_fold")
HEAVY_TAILS = declare("W442", "heavy_tails", changes=Changes.PRECISION)

# --- E44x: predictions computed elsewhere ---------------------------------------------------

ID_NEEDED = declare("E440", "id_needed_to_join")
STORED_RESULTS_UNUSABLE = declare("E459", "stored_results_unusable")
ROWS_DIFFER = declare("E441", "files_differ_in_rows")
FILES_CONFLICT = declare("E442", "files_contradict")
ACCESS_DENIED = declare("E466", "access_denied")
CONNECTION_FAILED = declare("E467", "connection_failed")
CLIENT_MISSING = declare("E468", "store_client_missing")
PARTS_DIFFER = declare("E465", "parts_differ")
AMBIGUOUS_COLUMN = declare("E443", "column_in_several_files")
MISSING_PREDICTION = declare("E444", "missing_prediction")
SCORES_DO_NOT_FIT = declare("E445", "scores_do_not_fit_labels")
ORDER_UNKNOWN = declare("E479", "order_of_time_unknown")
NOT_JUDGED = declare("E446", "judgement_is_not_right_or_wrong")
NOT_NUMERIC = declare("E447", "prediction_not_numeric")
NO_LABELS = declare("E448", "model_without_predictions")
THRESHOLD_WITHOUT_USE = declare("E449", "threshold_beside_labels")
NO_MODELS = declare("E452", "no_models_in_file")
NO_LABEL_IS_TRUE = declare("E453", "no_predicted_label_is_true")

LABELS_CODED_OTHERWISE = declare("E488", "labels_coded_otherwise")

# --- E454, E455: repeats ------------------------------------------------------------------

REPEATS_NEED_ID = declare("E454", "repeats_need_id")
REPEATS_CONTRADICT = declare("E455", "repeats_contradict")
READERS_NOT_CROSSED = declare("E458", "readers_not_crossed")

# --- E46x: counts ------------------------------------------------------------------------

PATTERN_SHAPE = declare("E460", "pattern_does_not_fit_models")
COUNT_NOT_WHOLE = declare("E461", "count_is_not_a_whole_number")
NO_EXAMPLES = declare("E462", "no_examples_counted")
PATTERN_TWICE = declare("E463", "pattern_given_twice")
TOO_MANY_EXAMPLES = declare("E464", "too_many_examples_counted")

FOLDS_NOT_NAMED = declare("W452", "fold_column_unused", changes=Changes.CLAIMS)
REPLICATES_AS_DATA_SETS = declare("E214", "replicates_as_data_sets", phase=Phase.DATA)

# --- W40x --------------------------------------------------------------------------------

UNSEEN_LABEL = declare("W401", "predicted_label_never_true")
SCORE_OF_OTHER_CLASS = declare("W403", "score_of_the_other_class", changes=Changes.SCORES)
NOT_PROBABILITIES = declare("W404", "scores_do_not_sum_to_one")

TOO_MANY_LEVELS = declare("E154", "too_many_levels", phase=Phase.DATA)
BELOW_CHANCE = declare("W485", "below_chance", phase=Phase.DATA, changes=Changes.SCORES)
LABELS_AS_SCORES = declare("W486", "labels_as_scores", phase=Phase.DATA, changes=Changes.SCORES)
PERFECT_PREDICTIONS = declare(
    "W487", "perfect_predictions", phase=Phase.DATA, changes=Changes.SCORES
)
THRESHOLD_BELOW_ALL_SCORES = declare(
    "W489", "threshold_on_one_side", phase=Phase.DATA, changes=Changes.SCORES
)
ANOTHER_SCALE = declare("W462", "another_scale", phase=Phase.DATA, changes=Changes.SCORES)
CONSTANT_OUTPUTS = declare("W490", "constant_outputs", phase=Phase.DATA, changes=Changes.SCORES)
GROUPS_IN_SEVERAL_FOLDS = declare(
    "W488", "groups_in_several_folds", phase=Phase.DATA, changes=Changes.SCORES
)

BOUNDS_IN_WRONG_ORDER = declare("E495", "bounds_in_wrong_order")

NOT_AN_EVENT = declare("E497", "unusable_event")
NOT_A_RELEVANCE = declare("E498", "unusable_relevance")
NO_DENOMINATOR = declare("E451", "unusable_denominator")

REPORT_FILE = declare("E496", "unusable_report_file")

SCORE_NOT_NUMERIC = declare("E484", "score_not_numeric")
OFF_SCALE = declare("E492", "off_the_scale_of_its_metric")
RATIO_UNKNOWN = declare("E469", "test_train_ratio_unknown")
SCORE_TWICE = declare("E485", "score_given_twice")
FOLDS_DIFFER = declare("E486", "folds_differ")
NO_COMPLETE_DATA_SET = declare("E487", "no_complete_data_set")
NO_SUCH_MODEL = declare("E489", "no_scores_of_model")
MISSING_SCORE = declare("W421", "missing_score", changes=Changes.PRECISION)
