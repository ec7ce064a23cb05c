"""What a report adds to the warnings of a check: things only seen in the results (W5xx).

Each is in every report that it concerns; an author can accept only those that are `waivable`, and
the report prints the reason.
"""

from evallang.diagnostics import declare

DISAGREEMENT = declare("W501", "plain_interval_excludes_zero_without_rejection")
CONSERVATIVE = declare("W502", "simultaneous_interval_holds_zero_despite_rejection")
FITS_WARNED = declare("W503", "fits_that_warned")
FITS_FAILED = declare("W504", "fits_that_failed")
UNTUNED = declare("W505", "no_model_was_tuned")
OVERLAP = declare("W506", "training_sets_overlap")
SMALL_DIFFERENCES = declare("W507", "small_differences_could_not_be_seen")
METRIC_FAILED = declare("W508", "own_metric_failed")
DEPENDENT_LOSSES = declare("W473", "losses_dependent_beyond_the_horizon")
CLASS_NEVER_PREDICTED = declare("W511", "class_never_predicted")
FEATURE_AS_GOOD_AS_MODELS = declare("W512", "feature_as_good_as_models", waivable=True)
FOLDS_DISAGREE = declare("W513", "folds_disagree", waivable=True)
UNLIKE_WORKERS = declare("W514", "unlike_workers")
SEARCH_AT_THE_EDGE = declare("W509", "search_at_the_edge")
SEARCH_GAINED_NOTHING = declare("W515", "search_gained_nothing", waivable=True)
TRAINING_SCORE_FAR_ABOVE = declare("W516", "training_score_far_above_test_score", waivable=True)
NO_BETTER_THAN_CHANCE = declare("W517", "no_better_than_chance", waivable=True)
