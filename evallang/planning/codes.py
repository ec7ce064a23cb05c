"""What is found wrong while planning, when the rows are known (E450, E475 to E483)."""

from evallang.diagnostics import Phase, declare

CANNOT_SPLIT = declare("E450", "cannot_split", phase=Phase.SPLITS)
NEEDS_OPTUNA = declare("E478", "needs_optuna")
UNKNOWN_FEATURE = declare("E481", "unknown_feature")
TEXT_REACHES_ESTIMATOR = declare("E482", "text_reaches_estimator")
MISSING_REACHES_ESTIMATOR = declare("E483", "missing_reaches_estimator")
EXPORT_OF_SEVERAL_FILES = declare("E480", "export_of_several_files")
PACKAGE_MISSING = declare("E475", "package_missing")
OWN_CODE_NOT_FOUND = declare("E476", "own_code_not_found")
OWN_METRIC_UNUSABLE = declare("E477", "own_metric_unusable")
STORED_RESULTS_DIFFER = declare("E439", "stored_results_differ")
