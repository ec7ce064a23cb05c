"""What a report adds to the warnings of a check: things only seen in the results (W5xx)."""

from evallang.diagnostics import declare

DISAGREEMENT = declare(
    "W501",
    "plain_interval_excludes_zero_without_rejection",
    "A plain interval excludes 0 where the adjusted p does not reject.",
    reason="The plain interval of a pair holds for that pair alone, the adjusted p for the whole "
    "family; quoting the plain interval would claim what the test does not.",
    source="Aguinis et al. 2019",
)
CONSERVATIVE = declare(
    "W502",
    "simultaneous_interval_holds_zero_despite_rejection",
    "A simultaneous interval holds 0 where the adjusted p rejects.",
    reason="A step-down correction rejects more than the single-step interval printed beside it "
    "can show; the decision follows the adjusted p.",
    source="Strassburger & Bretz 2008",
)
FITS_WARNED = declare(
    "W503",
    "fits_that_warned",
    "Fits of a model gave a warning.",
    reason="A fit that did not converge counts like any other, and may be worse than the model "
    "could be.",
)
FITS_FAILED = declare(
    "W504",
    "fits_that_failed",
    "Fits failed, and what needs them was not computed.",
    reason="A comparison that leaves out failed fits would favour the model that fails.",
)
UNTUNED = declare(
    "W505",
    "no_model_was_tuned",
    "No model was tuned.",
    reason="Settings taken as they are do not show what a family of models can do.",
)
OVERLAP = declare(
    "W506",
    "training_sets_overlap",
    "The models of several splits were trained on data that overlap.",
    reason="Predictions and scores of models with shared training data are not independent, "
    "and no interval from one such study holds the variation of a new training set in full.",
    source="Dietterich 1998",
)
SMALL_DIFFERENCES = declare(
    "W507",
    "small_differences_could_not_be_seen",
    "The smallest difference that McNemar's test sees with 80 % power is stated.",
    reason="A pair that was not separated may differ by less than the test could show with "
    "this number of examples.",
    source="Connor 1987",
)
METRIC_FAILED = declare(
    "W508",
    "own_metric_failed",
    "A metric of the author's own code raised, or gave no finite number.",
    reason="What such a metric gives on some test rows alone would be of other examples than the "
    "rest of the study, so a model that it cannot measure has no estimate.",
)
