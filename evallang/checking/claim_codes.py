"""The codes of comparisons, margins, waivers, exports and reports (E15x to E17x, W162)."""

from evallang.checking.beginnings import ONE_MODEL, SUITE, TWO_MODELS
from evallang.diagnostics import declare

# --- E15x: claims --------------------------------------------------------------------------

COMPARE_SHAPE = declare(
    "E150",
    "compare_shape",
    "A comparison whose parts do not fit together.",
    reason="A family holds each pair once, and an omnibus covers every model of its line.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a vs b, b vs a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a vs b with mcnemar",
)
TOO_FEW_MODELS = declare(
    "E151",
    "too_few_models",
    "A comparison of fewer than two models.",
    reason="A comparison needs something to compare with.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a with mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
)
NEEDS_CORRECTION_ELSEWHERE = declare(
    "E152",
    "correction_on_self_correcting_test",
    "A correction on a test that controls its family itself.",
    reason="These tests adjust for all comparisons themselves; a second correction would cost "
    "power and protect from nothing.",
    wrong=f"{SUITE}compare across data with friedman then nemenyi holm",
    right=f"{SUITE}compare across data with friedman then nemenyi",
)
MARGIN = declare(
    "E153",
    "margin",
    "A margin, threshold or level lies outside the range that it can have.",
    reason="A margin is a distance and so above 0; a level lies between 0 and 1; a "
    "threshold lies where the metric can.",
    wrong="require a not worse than b by -2%",
    right="require a not worse than b by 2%",
)

# --- E16x: waivers -------------------------------------------------------------------------

WAIVER_WITHOUT_REASON = declare(
    "E161",
    "waiver_without_reason",
    "A waiver that does not say why.",
    reason="A waiver is printed in the report; a reader must see why the advice was set aside.",
    wrong="# evallang: allow seed_by_default",
    right="# evallang: allow seed_by_default because the default seed is agreed",
)
WAIVER_OF_NOTHING = declare(
    "W162",
    "waiver_of_nothing",
    "A waiver for which there is nothing to waive.",
    reason="A waiver that silences nothing hides the day on which it would.",
    wrong="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\n"
    "# evallang: allow many_comparisons_without_correction because it was planned\n"
    "compare a, b with mcnemar",
    right="counts pair\n  models a, b\n  table [[90, 9], [1, 40]]\ncompare a, b with mcnemar",
)

# --- E17x: exported models -------------------------------------------------------------------

EXPORT_OF_SEVERAL = declare(
    "E170",
    "export_of_several_data_sets",
    "A model is exported from a study of several data sets, or of none.",
    reason="An exported model is fitted on all rows of one data set; of several, nothing says "
    "which one it should know.",
    wrong=f"{ONE_MODEL}data wine from sklearn wine\nexport bayes",
    right=f"{ONE_MODEL}export bayes",
)
EXPORT_PATH = declare(
    "E171",
    "export_path",
    "An exported model would stand outside the study's folder, or its name lacks the ending "
    ".skops.",
    reason="A study writes nothing outside its own folder. Models are saved with skops, whose "
    "files hold no code, and never as pickles, which run code when they are read.",
    wrong=f'{ONE_MODEL}export best to "../model.skops"',
    right=f'{ONE_MODEL}export best to "models/best.skops"',
)
EXPORT_TWICE = declare(
    "E172",
    "export_twice",
    "Two `export` lines write the same file.",
    reason="The second model would silently replace the first.",
    wrong=f'{ONE_MODEL}export bayes to "model.skops"\nexport best to "model.skops"',
    right=f'{ONE_MODEL}export bayes to "bayes.skops"\nexport best to "best.skops"',
)
REPORT_FOLDER = declare(
    "E173",
    "report_folder",
    "The results would be written outside the study's folder.",
    reason="A study is data, and may come from anyone: it names no place outside its own folder. "
    "Whoever runs it may, with `run -o DIR`.",
    wrong=f'{ONE_MODEL}report html\n  to "../results"',
    right=f'{ONE_MODEL}report html\n  to "results"',
)
