"""Made studies, sound and flawed, on which the rules about designs are tried.

Each function draws one study from a generator of random numbers: its text, and its files. A sound
kind belongs to the rule that it is near to: it differs from a flawed one in what the rule must
tell apart. All kinds were written after the rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Draw = np.random.Generator

CLASSES = (
    "GaussianNB",
    "StandardScaler | LogisticRegression",
    "DecisionTreeClassifier(max_depth=3)",
    "RandomForestClassifier(n_estimators=50)",
    "StandardScaler | SVC(probability=true)",
    "KNeighborsClassifier(n_neighbors=9)",
    "LinearDiscriminantAnalysis",
    "ExtraTreesClassifier(n_estimators=50)",
    "QuadraticDiscriminantAnalysis",
)
NAMES = ("ours", "net", "forest", "kernel", "linear", "prior_work", "large", "small", "cnn", "bert")


@dataclass(frozen=True)
class MadeStudy:
    """The text of one study, and the files that it reads by their names."""

    text: str
    files: Mapping[str, str] = field(default_factory=dict)


Make = Callable[[Draw], MadeStudy]

SOUND: dict[str, dict[str, Make]] = {}
FLAWED: dict[str, dict[str, Make]] = {}


def sound(rule: str) -> Callable[[Make], Make]:
    """Register a kind of sound studies near to what a rule objects to."""
    return _registered(SOUND, rule)


def flawed(rule: str) -> Callable[[Make], Make]:
    """Register a kind of studies to which a rule should object."""
    return _registered(FLAWED, rule)


def _registered(kinds: dict[str, dict[str, Make]], rule: str) -> Callable[[Make], Make]:
    def register(function: Make) -> Make:
        kinds.setdefault(rule, {})[function.__name__] = function
        return function

    return register


# --- what studies are made of -----------------------------------------------------------------


def head(draw: Draw, *clauses: str) -> str:
    """Return the first lines of a study."""
    below = "".join(f"  {clause}\n" for clause in clauses)
    return f'evallang 1\nstudy "A made study"\n  seed {draw.integers(1, 10_000)}\n{below}'


def names(draw: Draw, n: int) -> list[str]:
    """Draw the names of models."""
    return [str(name) for name in draw.permutation(NAMES)[:n]]


def pick(draw: Draw, *options: str) -> str:
    """Draw one of some texts."""
    return str(options[draw.integers(len(options))])


def models(draw: Draw, called: Sequence[str]) -> str:
    """Return one model line of another class for each name."""
    chosen = draw.permutation(len(CLASSES))
    return "".join(f"model {n} = {CLASSES[chosen[i]]}\n" for i, n in enumerate(called))


def patients(draw: Draw) -> tuple[str, dict[str, str]]:
    """Draw a table of independent patients, and the statement that reads it."""
    n = int(draw.integers(150, 400))
    y = draw.random(n) < draw.uniform(0.35, 0.65)
    rows = ["age,marker,pressure,ill"]
    for ill in y:
        age = round(draw.normal(55 + 5 * ill, 12))
        marker, pressure = draw.normal(2 + 0.8 * ill, 1), draw.normal(130, 15)
        rows.append(f"{age},{marker:.2f},{pressure:.1f},{'yes' if ill else 'no'}")
    text = 'data patients from "patients.csv"\n  target ill\n  positive yes\n'
    return text, {"patients.csv": "\n".join(rows) + "\n"}


def study(draw: Draw, called: Sequence[str], protocol: str, *lines: str, **more: str) -> MadeStudy:
    """Combine data, models, a protocol and further lines."""
    data, files = patients(draw)
    made = head(draw, *filter(None, [more.get("clause")])) + data + models(draw, called)
    made += f"{more.get('baseline', '')}protocol {protocol}\n"
    return MadeStudy(made + "\n".join(lines) + "\n", files)


def predictions(
    draw: Draw, called: Sequence[str], columns: Mapping[str, Sequence[object]], n: int
) -> dict[str, str]:
    """Draw labels and predictions of models, next to columns of the author's."""
    y = draw.integers(0, 2, n)
    cells: dict[str, Sequence[object]] = {"case": range(1, n + 1), **columns, "y": y.tolist()}
    for name in called:
        right = draw.random(n) < draw.uniform(0.7, 0.9)
        cells[name] = np.where(right, y, 1 - y).tolist()
    rows = [",".join(cells)]
    rows += [",".join(str(cell) for cell in row) for row in zip(*cells.values(), strict=True)]
    return {"p.csv": "\n".join(rows) + "\n"}


def given(
    draw: Draw,
    called: Sequence[str],
    columns: Mapping[str, Sequence[object]],
    *lines: str,
    clauses: Sequence[str] = (),
    n: int = 240,
) -> MadeStudy:
    """Combine given predictions with further lines."""
    below = "".join(f"  {clause}\n" for clause in ("truth y", "positive 1", "id case", *clauses))
    text = f'{head(draw)}predictions p from "p.csv"\n{below}  models {", ".join(called)}\n'
    return MadeStudy(text + "\n".join(lines) + "\n", predictions(draw, called, columns, n))


def scores(draw: Draw, column: str, values: Sequence[object], *lines: str) -> MadeStudy:
    """Combine a table of scores, a row for each value of a column, with further lines."""
    called = names(draw, 3)
    rows = [",".join([column, *called])]
    rows += [
        ",".join([str(value), *(f"{s:.3f}" for s in draw.uniform(0.6, 0.9, 3))]) for value in values
    ]
    text = (
        f'{head(draw)}scores acc from "acc.csv"\n  models {", ".join(called)}\n  dataset {column}\n'
        "  higher is better\n"
    )
    line = pick(draw, "friedman then nemenyi", "friedman then wilcoxon holm", "wilcoxon holm")
    compared = ", ".join(called)
    return MadeStudy(
        text + f"compare {compared} across data with {line}\n" + "\n".join(lines) + "\n",
        {"acc.csv": "\n".join(rows) + "\n"},
    )


# --- one family of hypotheses on several lines ---------------------------------------------------

FAMILIES = "families_in_separate_lines"
TESTS = ("mcnemar", "permutation", "cochran then mcnemar holm")


@flawed(FAMILIES)
def one_rival_a_line(draw: Draw) -> MadeStudy:
    """Compare one model with each rival on a line of its own."""
    called = names(draw, int(draw.integers(3, 6)))
    test = pick(draw, "mcnemar", "permutation", "corrected_t")
    protocol = "repeated cv folds=5 times=5" if test == "corrected_t" else "cv folds=10"
    lines = [f"compare {called[0]} vs {other} with {test}" for other in called[1:]]
    return study(draw, called, protocol, "measure accuracy", *lines)


@flawed(FAMILIES)
def one_measure_a_line(draw: Draw) -> MadeStudy:
    """Compare one pair by four measures, each on a line of its own."""
    a, b = names(draw, 2)
    measures = ["accuracy", "balanced_accuracy", "f1", "mcc"]
    lines = [f"compare {a} vs {b} with permutation by {m}" for m in draw.permutation(measures)]
    return study(draw, [a, b], "holdout test=1/3", f"measure {', '.join(measures)}", *lines)


@sound(FAMILIES)
def all_rivals_on_one_line(draw: Draw) -> MadeStudy:
    """Compare one model with all others under one correction."""
    called = names(draw, 4)
    line = f"compare against {called[0]} with {pick(draw, 'mcnemar', 'permutation')} holm"
    return study(draw, called, "cv folds=10", "measure accuracy", line)


@sound(FAMILIES)
def families_together(draw: Draw) -> MadeStudy:
    """Correct all lines of the study as one family."""
    called = names(draw, 4)
    lines = [f"compare {called[0]} vs {other} with mcnemar holm" for other in called[1:]]
    return study(
        draw, called, "cv folds=10", "measure accuracy", *lines, clause="families together"
    )


@sound(FAMILIES)
def one_line_confirms(draw: Draw) -> MadeStudy:
    """Confirm one hypothesis and explore the others."""
    called = names(draw, 4)
    lines = [f"compare {called[0]} vs {other} with mcnemar exploratory" for other in called[2:]]
    first = f"compare {called[0]} vs {called[1]} with mcnemar"
    return study(draw, called, "cv folds=10", "measure accuracy", first, *lines)


@sound(FAMILIES)
def rivals_and_a_baseline(draw: Draw) -> MadeStudy:
    """Compare the models with each other, and all of them with a baseline."""
    called = names(draw, 3)
    return study(
        draw, called, "cv folds=10", "measure accuracy",
        f"compare {', '.join(called)} with cochran then mcnemar holm",
        "compare against majority with mcnemar holm",
        baseline="model majority = DummyClassifier\n",
    )  # fmt: skip


@sound(FAMILIES)
def a_primary_and_a_secondary_measure(draw: Draw) -> MadeStudy:
    """Compare one pair by two measures."""
    a, b = names(draw, 2)
    return study(
        draw, [a, b], "holdout test=1/3", "measure accuracy, roc_auc",
        f"compare {a} vs {b} with mcnemar", f"compare {a} vs {b} with delong by roc_auc",
    )  # fmt: skip


@sound(FAMILIES)
def a_difference_and_a_margin(draw: Draw) -> MadeStudy:
    """Test whether a model is better, and whether another is not much worse."""
    a, b = names(draw, 2)
    return study(
        draw, [a, b], "cv folds=10", "measure accuracy", f"compare {a} vs {b} with mcnemar",
        f"require {b} not worse than {a} by 5%",
    )  # fmt: skip


@sound(FAMILIES)
def omnibus_then_pairs(draw: Draw) -> MadeStudy:
    """Compare all models on one line, then pairs."""
    called = names(draw, int(draw.integers(3, 6)))
    line = f"compare {', '.join(called)} with cochran then mcnemar bonferroni"
    return study(draw, called, "cv folds=10", "measure accuracy", line)


@sound(FAMILIES)
def pairs_of_different_models(draw: Draw) -> MadeStudy:
    """Ask two questions: about linear models by accuracy, about forests by the area."""
    a, b, c, d = names(draw, 4)
    return study(
        draw, [a, b, c, d], "holdout test=1/3", "measure accuracy, roc_auc",
        f"compare {a} vs {b} with mcnemar", f"compare {c} vs {d} with delong by roc_auc",
    )  # fmt: skip


@sound(FAMILIES)
def a_test_and_a_posterior(draw: Draw) -> MadeStudy:
    """State a p-value and a posterior probability of one difference."""
    a, b = names(draw, 2)
    return study(
        draw, [a, b], "repeated cv folds=5 times=5", "measure accuracy",
        f"compare {a} vs {b} with corrected_t", f"compare {a} vs {b} with bayes_t(rope=1%)",
    )  # fmt: skip


@sound(FAMILIES)
def the_same_pair_in_two_lines_of_which_one_explores(draw: Draw) -> MadeStudy:
    """Confirm a difference, and explore it by further measures."""
    a, b = names(draw, 2)
    more = [f"compare {a} vs {b} with permutation by {m} exploratory" for m in ("f1", "mcc")]
    line = f"compare {a} vs {b} with permutation"
    return study(draw, [a, b], "holdout test=1/3", "measure accuracy, f1, mcc", line, *more)


# --- repeats of one experiment as data sets --------------------------------------------------

UNITS = "units_not_data_sets"


@flawed(UNITS)
def seeds_as_data_sets(draw: Draw) -> MadeStudy:
    """Name by `dataset` the column of seeds, runs or folds."""
    column = pick(draw, "seed", "run", "fold", "cv_fold", "repetition", "random_seed", "replicate")
    return scores(draw, column, range(int(draw.integers(6, 15))))


@flawed(UNITS)
def numbered_parts_of_one_size(draw: Draw) -> MadeStudy:
    """Name by `dataset` a neutral column with the numbers of folds."""
    k = int(draw.integers(3, 11))
    column = pick(draw, "k", "part", "block", "round")
    parts = [i % k for i in range(24 * k)]
    a, b = called = names(draw, 2)
    line = f"compare {a} vs {b} across data with wilcoxon by accuracy"
    return given(draw, called, {column: parts}, line, clauses=[f"dataset {column}"], n=24 * k)


def _of(column: str, *values: object) -> Make:
    def make(draw: Draw) -> MadeStudy:
        n = int(draw.integers(6, len(values) + 1))
        return scores(draw, column, [values[i] for i in draw.permutation(len(values))[:n]])

    make.__name__ = f"a_row_for_each_{column}"
    return sound(UNITS)(make)


_of("corpus", "imdb", "yelp", "sst2", "amazon", "twitter", "news", "reviews", "tweets", "blogs")
_of("language", "de", "en", "fi", "fr", "hi", "ja", "sw", "tr", "zh", "ar", "ko")
_of("subject", *(f"s{i:02d}" for i in range(1, 19)))
_of("openml_id", 3, 6, 11, 14, 15, 16, 18, 22, 23, 28, 29, 31, 32, 37)
_of("site", "Basel", "Bonn", "Graz", "Linz", "Lund", "Metz", "Nice", "Oslo", "Pisa", "Riga")
_of("station", *range(101, 113))
_of("protein", "ABL1", "AKT1", "BRAF", "CDK2", "EGFR", "ESR1", "FGFR1", "HSP90", "JAK2", "SRC")
_of("trial", "NCT0101", "NCT0204", "NCT0333", "NCT0417", "NCT0590", "NCT0611", "NCT0777", "NCT0902")


@sound(UNITS)
def hospitals_of_unequal_sizes(draw: Draw) -> MadeStudy:
    """Number hospitals from 0, each with the patients that it has."""
    k = int(draw.integers(4, 9))
    sizes = draw.integers(20, 90, k)
    sizes[0] = sizes.max() + 1
    column = [i for i, size in enumerate(sizes) for _ in range(size)]
    a, b = called = names(draw, 2)
    line = f"compare {a} vs {b} across data with wilcoxon by accuracy"
    return given(draw, called, {"hospital": column}, line, clauses=["dataset hospital"],
                 n=len(column))  # fmt: skip


@sound(UNITS)
def seeds_within_corpora(draw: Draw) -> MadeStudy:
    """Name the corpora by `dataset` and the seeds by `repeat`."""
    called = names(draw, 2)
    rows = [",".join(["corpus", "seed", *called])]
    for corpus in ("imdb", "yelp", "sst2", "amazon", "twitter", "news", "blogs"):
        for seed in range(3):
            shown = (f"{s:.3f}" for s in draw.uniform(0.6, 0.9, 2))
            rows.append(",".join([corpus, str(seed), *shown]))
    text = (
        f'{head(draw)}scores acc from "acc.csv"\n  models {", ".join(called)}\n'
        f"  dataset corpus\n  repeat seed\n  higher is better\n"
        f"compare {', '.join(called)} across data with wilcoxon\n"
    )
    return MadeStudy(text, {"acc.csv": "\n".join(rows) + "\n"})


# --- the best of many on one test set ------------------------------------------------------------

BEST = "best_of_many_on_one_test_set"


def _many(name: str, protocol: str, n: int, baseline: str = "") -> Make:
    def make(draw: Draw) -> MadeStudy:
        return study(draw, names(draw, n), protocol, "measure accuracy", baseline=baseline)

    make.__name__ = name
    return make


flawed(BEST)(_many("seven_models_on_a_holdout", "holdout test=1/3", 7))
sound(BEST)(_many("four_models_on_a_holdout", "holdout test=1/3", 4))
sound(BEST)(_many("seven_models_in_folds", "cv folds=10", 7))
sound(BEST)(_many("seven_models_on_repeated_holdouts", "repeated holdout times=20 test=1/3", 7))
sound(BEST)(_many("seven_models_in_a_bootstrap", "bootstrap rounds=100", 7))
sound(BEST)(_many("seven_models_one_row_at_a_time", "leave_one_out", 7))
sound(BEST)(_many("seven_models_in_nested_folds", "nested cv outer=5 inner=3", 7))
sound(BEST)(
    _many(
        "four_models_and_a_baseline_on_a_holdout",
        "holdout test=1/3",
        4,
        "model majority = DummyClassifier\n",
    )
)


@flawed(BEST)
def six_systems_on_one_test_file(draw: Draw) -> MadeStudy:
    """Measure the predictions of six systems on one test set."""
    return given(draw, names(draw, 6), {}, "measure accuracy")


@sound(BEST)
def six_systems_in_folds(draw: Draw) -> MadeStudy:
    """Measure the predictions of six systems, each row by a model of other folds."""
    fold = {"part": [i % 5 for i in range(240)]}
    return given(draw, names(draw, 6), fold, "measure accuracy", clauses=["fold part"])


@sound(BEST)
def three_systems_on_one_test_file(draw: Draw) -> MadeStudy:
    """Measure the predictions of three systems on one test set."""
    return given(draw, names(draw, 3), {}, "measure accuracy")


@sound(BEST)
def eight_systems_on_many_corpora(draw: Draw) -> MadeStudy:
    """Measure the predictions of eight systems on each of six corpora."""
    corpora = {"corpus": [f"c{i % 6}" for i in range(240)]}
    return given(draw, names(draw, 8), corpora, "measure accuracy", clauses=["dataset corpus"])


# --- a column of folds that no clause names -------------------------------------------------------

FOLDS = "fold_column_unused"


@flawed(FOLDS)
def a_fold_left_unnamed(draw: Draw) -> MadeStudy:
    """Give predictions with the fold of each, and name it nowhere."""
    column = pick(draw, "fold", "cv_fold", "split", "outer_fold", "kfold")
    k = int(draw.integers(3, 11))
    return given(
        draw, names(draw, 2), {column: [i % k for i in range(240)]}, "measure accuracy, mcc"
    )


def _beside(name: str, column: str, values: Callable[[Draw], Sequence[object]],
            clause: str = "") -> None:  # fmt: skip
    def make(draw: Draw) -> MadeStudy:
        clauses = [clause] if clause else []
        return given(draw, names(draw, 2), {column: values(draw)}, "measure accuracy",
                     clauses=clauses)  # fmt: skip

    make.__name__ = name
    sound(FOLDS)(make)


_beside("folds_that_are_named", "fold", lambda _: [i % 5 for i in range(240)], "fold fold")
_beside("one_test_split", "split", lambda _: ["test"] * 240)
_beside("fold_changes", "fold_change", lambda d: d.normal(size=240).round(2).tolist())
_beside("folders", "folder", lambda d: [f"batch{i}" for i in d.integers(0, 4, 240)])
_beside("coordinates_on_a_manifold", "manifold_x", lambda d: d.normal(size=240).round(3).tolist())
_beside("split_times", "split_time", lambda d: d.uniform(30, 90, 240).round(1).tolist())
_beside("no_further_column", "length", lambda d: d.integers(5, 80, 240).tolist())
_beside("sheets_of_a_folded_protein", "fold_family", lambda d: [
    f"b.{i}" for i in d.integers(1, 9, 240)])  # fmt: skip
_beside(
    "parts_called_train_and_test", "split", lambda _: ["train", "test"] * 120, "where split = test"
)


@sound(FOLDS)
def folds_of_repeats(draw: Draw) -> MadeStudy:
    """Name the folds and the repeats of predictions."""
    once = predictions(draw, names(draw, 2), {"fold": [i % 5 for i in range(120)]}, 120)["p.csv"]
    header, *lines = once.splitlines()
    rows = [f"{header},again", *(f"{line},{i}" for i in (0, 1) for line in lines)]
    called = header.split(",")[3:]
    clauses = ["truth y", "positive 1", "id case", "fold fold", "repeat again"]
    below = "".join(f"  {clause}\n" for clause in clauses)
    text = f'{head(draw)}predictions p from "p.csv"\n{below}  models {", ".join(called)}\n'
    return MadeStudy(f"{text}measure accuracy\n", {"p.csv": "\n".join(rows) + "\n"})


# --- one number under several names ---------------------------------------------------------------

TWICE = "one_number_twice"


def _measured(name: str, *measures: str, wrong: bool = False) -> None:
    def make(draw: Draw) -> MadeStudy:
        text = head(draw) + f"data d from sklearn {pick(draw, 'iris', 'wine', 'digits')}\n"
        text += models(draw, names(draw, 2))
        listed = ", ".join(str(m) for m in draw.permutation(measures))
        return MadeStudy(f"{text}protocol cv folds=10\nmeasure {listed}\n")

    make.__name__ = name
    (flawed if wrong else sound)(TWICE)(make)


_measured("accuracy_and_micro_f1", "accuracy", "f1(average=micro)", "log_loss", wrong=True)
_measured("micro_precision_and_micro_recall", "precision(average=micro)",
          "recall(average=micro)", wrong=True)  # fmt: skip
_measured("accuracy_and_weighted_recall", "accuracy", "recall(average=weighted)", wrong=True)
_measured("accuracy_and_macro_f1", "accuracy", "f1(average=macro)")
_measured("accuracy_and_weighted_f1", "accuracy", "f1(average=weighted)")
_measured("accuracy_and_balanced_accuracy", "accuracy", "balanced_accuracy")
_measured("micro_f1_alone", "f1(average=micro)", "log_loss")
_measured("macro_precision_and_recall", "precision(average=macro)", "recall(average=macro)")
_measured("accuracy_and_weighted_precision", "accuracy", "precision(average=weighted)")
_measured("accuracy_kappa_and_mcc", "accuracy", "cohen_kappa", "mcc")
_measured("two_averages_of_f1", "f1(average=macro)", "f1(average=weighted)")
_measured("accuracy_and_log_loss", "accuracy", "log_loss", "brier")


@sound(TWICE)
def accuracy_and_recall_of_two_classes(draw: Draw) -> MadeStudy:
    """Measure two classes, of which one is positive."""
    return study(draw, names(draw, 2), "cv folds=10", "measure accuracy, recall, precision, f1")
