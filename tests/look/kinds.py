"""The kinds of study whose reports are read: each a text, and the tables that it names.

Tables are drawn from fixed seeds, so that every page is the same from run to run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Table = Mapping[str, Any]
LATIN = ("Logistic regression", "Random forest", "Gradient boosting", "Nearest neighbours")
LONG = (
    "Gradient boosting of shallow trees on standardised features, calibrated by isotonic",
    "Logistic regression with elastic-net penalty after target encoding of all categories",
    "Multilayer perceptron with two hidden layers, early stopping and averaged checkpoints",
)
HOSTILE = (
    'R"><b>&_%</title><script>alert(1)</script>',
    "=1+1 {{ x }} $y$ \\input",
    "a  b\tc's `d`",
)
CHINESE = ("逻辑回归", "随机森林分类器", "梯度提升")
ARABIC = ("الانحدار اللوجستي", "الغابة العشوائية", "شجرة القرار 3")


@dataclass(frozen=True)
class Kind:
    """One kind of study; `named` are the tables of its sources."""

    text: str
    named: Mapping[str, Table] = field(default_factory=dict)


KINDS: dict[str, Callable[[], Kind]] = {}
"""Every kind, by its name."""


def kind(name: str) -> Callable[[Callable[[], Kind]], Callable[[], Kind]]:
    """Register a kind."""

    def add(made: Callable[[], Kind]) -> Callable[[], Kind]:
        KINDS[name] = made
        return made

    return add


# --- predictions -------------------------------------------------------------------------------


def labels(
    shares: Sequence[float], n: int = 300, seed: int = 1, *, positives: float = 0.4
) -> dict[str, Any]:
    """Draw a truth, and for each model labels that are right so often and a score."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < positives).astype(int)
    table: dict[str, Any] = {"id": np.arange(n), "truth": truth}
    hard = rng.random(n)  # examples that all models tend to miss
    for i, share in enumerate(shares):
        score = 0.6 * hard + 0.4 * rng.random(n)
        right = score < np.quantile(score, share)
        table[f"m{i}"] = np.where(right, truth, 1 - truth)
        noise = rng.beta(2, 2, n) * 0.5
        table[f"p{i}"] = np.where(table[f"m{i}"] == 1, 0.5 + noise, 0.5 - noise)
    table["site"] = np.array(["north", "south", "west"])[np.arange(n) % 3]
    table["patient"] = np.arange(n) // 3
    table["weight"] = 1 + rng.random(n)
    return table


def models(names: Sequence[str]) -> str:
    """Return the clause of models with these labels."""
    parts = [f'm{i} "{_quoted(name)}"' for i, name in enumerate(names)]
    return "  models " + ", ".join(parts)


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\t", " ")


def predictions(
    names: Sequence[str], shares: Sequence[float], rest: str, clauses: str = "", **drawn: Any
) -> Kind:
    """Return a study of predicted labels."""
    text = f"""\
evallang 1

study "May the new model replace the old one?"
  seed 7

predictions exam "Screening examples (synthetic)" from "exam.csv"
  id id
  truth truth
{models(names)}
  positive 1
{clauses}
{rest}
"""
    return Kind(text, {"exam": labels(shares, **drawn)})


ACCURACY = "measure accuracy\n"
PAIRS = "compare with cochran then mcnemar holm\n"
FALLING = (0.9, 0.86, 0.82, 0.74)


@kind("one model")
def one_model() -> Kind:
    return predictions(LATIN[:1], FALLING, "measure accuracy, recall, specificity\n")


@kind("two models, one metric")
def two_models() -> Kind:
    return predictions(LATIN[:2], FALLING, ACCURACY + "compare with mcnemar\n")


@kind("four models, one metric")
def four_models() -> Kind:
    return predictions(LATIN, FALLING, ACCURACY + PAIRS)


@kind("four models, two metrics with scores")
def four_models_scores() -> Kind:
    scores = "".join(f'  score m{i} = "p{i}"\n' for i in range(4))
    rest = "measure accuracy, roc_auc\ncompare with delong holm by roc_auc\n"
    return predictions(LATIN, FALLING, rest, scores)


@kind("thirty models")
def thirty_models() -> Kind:
    names = [f"Candidate {number}" for number in range(1, 31)]
    rest = "measure accuracy, recall\n" + PAIRS
    return predictions(names, np.linspace(0.95, 0.6, 30), rest, n=500)


@kind("groups")
def groups() -> Kind:
    rest = ACCURACY + "compare with mcnemar holm\n"
    return predictions(LATIN, FALLING, rest, "  group patient\n")


@kind("subgroups")
def subgroups() -> Kind:
    return predictions(LATIN[:2], FALLING, "measure accuracy, recall within site\n")


@kind("gates failed")
def gates_failed() -> Kind:
    rest = "require m1 not worse than m0 by 1%\nrequire accuracy of m1 >= 95%\n"
    return predictions(LATIN[:2], FALLING, ACCURACY + rest)


@kind("curves")
def curves() -> Kind:
    scores = "".join(f'  score m{i} = "p{i}"\n' for i in range(3))
    rest = "measure roc_auc\nanalyze roc\nanalyze pr\nanalyze calibration\nanalyze confusion\n"
    return predictions(LATIN[:3], FALLING, rest, scores)


@kind("twelve models of 80 characters with confusion and agreement")
def many_long_names() -> Kind:
    names = [f"{LONG[i % 3]}, version {i}" for i in range(12)]
    rest = ACCURACY + "compare with mcnemar holm\nanalyze confusion, agreement\n"
    return predictions(names, np.linspace(0.95, 0.6, 12), rest)


@kind("power and sensitivity")
def power() -> Kind:
    rest = ACCURACY + "compare with mcnemar\nanalyze power(difference=4%, discordant=12%)\n"
    rest += "analyze sensitivity\n"
    return predictions(LATIN[:2], FALLING, rest)


@kind("names of 80 characters")
def long_names() -> Kind:
    return predictions(LONG, FALLING, "measure accuracy, recall\n" + PAIRS)


@kind("hostile names")
def hostile_names() -> Kind:
    return predictions(HOSTILE, FALLING, ACCURACY + PAIRS)


@kind("Chinese names")
def chinese_names() -> Kind:
    return predictions(CHINESE, FALLING, ACCURACY + PAIRS)


@kind("Arabic names")
def arabic_names() -> Kind:
    return predictions(ARABIC, FALLING, ACCURACY + PAIRS)


# --- numbers, judged outcomes, values ----------------------------------------------------------


def numbers(spreads: Sequence[float], n: int = 200, seed: int = 2) -> Table:
    """Draw a target and for each model predictions with errors of such a spread."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(50, 10, n)
    table: dict[str, Any] = {"id": np.arange(n), "truth": truth}
    for i, spread in enumerate(spreads):
        table[f"m{i}"] = truth + rng.standard_t(4, n) * spread
    return table


@kind("regression")
def regression() -> Kind:
    text = f"""\
evallang 1

study "Which forecast of the load is the most accurate?"
  seed 7

predictions load "Grid load (synthetic)" from "load.csv"
  id id
  truth truth
{models(LATIN)}
  unit "days"

measure rmse, mae, r2
compare with t holm by mae
"""
    return Kind(text, {"load": numbers((2.0, 2.4, 3.0, 5.0))})


@kind("times to an event")
def times() -> Kind:
    rng = np.random.default_rng(4)
    risk = rng.normal(0, 1, 150)
    table: dict[str, Any] = {"id": np.arange(150), "first": risk}
    table["months"] = np.round(rng.exponential(np.exp(2 - risk)), 1) + 0.1
    table["died"] = (rng.random(150) < 0.7).astype(int)
    table["second"] = risk + rng.normal(0, 1, 150)
    text = """\
evallang 1

study "Which score orders patients by their risk?"
  seed 7

predictions trial "Trial (synthetic)" from "trial.csv"
  id id
  truth months
  event died
  models cox "Cox model", stage "Stage alone"
  score cox = "first"
  score stage = "second"
  unit "patients"

measure concordance
compare with bootstrap
"""
    return Kind(text, {"trial": table})


@kind("judged outcomes")
def judged() -> Kind:
    drawn = labels(FALLING)
    table = {"id": drawn["id"]}
    for i in range(3):
        table[f"m{i}"] = (drawn[f"m{i}"] == drawn["truth"]).astype(int)
    text = """\
evallang 1

study "Which language model answers more questions?"
  seed 7

predictions quiz "Quiz (synthetic)" from "quiz.csv"
  id id
  correct m0 "Large model", m1 "Middle model", m2 "Small model"
  unit "questions"

measure accuracy
compare with cochran then mcnemar holm
"""
    return Kind(text, {"quiz": table})


# --- tables of scores, counts -------------------------------------------------------------------


@kind("scores of 12 models on 30 data sets")
def many_scores() -> Kind:
    rng = np.random.default_rng(11)
    base = rng.uniform(0.6, 0.95, 30)
    table: dict[str, Any] = {"data_set": [f"set {number}" for number in range(1, 31)]}
    for i in range(12):
        table[f"m{i}"] = np.clip(base - 0.006 * i + rng.normal(0, 0.015, 30), 0, 1)
    names = ", ".join(f'm{i} "Method {i + 1}"' for i in range(12))
    text = f"""\
evallang 1

study "Which of twelve methods ranks first?"
  seed 7

scores suite "Benchmark suite (synthetic)" from "suite.csv"
  dataset data_set
  models {names}
  metric "AUC"
  higher is better

compare across data with friedman then wilcoxon holm
"""
    return Kind(text, {"suite": table})


@kind("scores of 30 models with names of all lengths")
def scores_of_long_names() -> Kind:
    rng = np.random.default_rng(12)
    base = rng.uniform(0.6, 0.95, 30)
    names = [(*LATIN, *LONG)[i % 7][: 8 + 9 * (i % 9)] + f" {i + 1}" for i in range(30)]
    table: dict[str, Any] = {"data_set": [f"a data set, number {number}" for number in range(30)]}
    for i in range(30):
        table[f"m{i}"] = np.clip(base - 0.006 * i + rng.normal(0, 0.015, 30), 0, 1)
    listed = ", ".join(f'm{i} "{name}"' for i, name in enumerate(names))
    text = many_scores().text
    start, end = text.index("  models "), text.index("  metric ")
    return Kind(f"{text[:start]}  models {listed}\n{text[end:]}", {"suite": table})


@kind("Bayesian comparison over data sets")
def bayesian() -> Kind:
    made = many_scores()
    table = {key: made.named["suite"][key] for key in ("data_set", "m0", "m1", "m2")}
    head, _, rest = made.text.partition("  models ")
    rest = rest.partition("\n")[2]
    text = f'{head}  models m0 "Method 1", m1 "Method 2", m2 "Method 3"\n{rest}'
    before = "compare across data with friedman then wilcoxon holm"
    text = text.replace(before, "compare across data with bayes_signed_rank(rope=0.01)")
    return Kind(text, {"suite": table})


@kind("counts of two models")
def counts() -> Kind:
    text = """\
evallang 1

study "Two published models"
  seed 7

counts published "Published table"
  models small "Small model", large "Large model"
  table [[9945, 25], [15, 15]]

measure accuracy
compare with mcnemar
"""
    return Kind(text)


@kind("shares without pairs")
def shares() -> Kind:
    text = """\
evallang 1

study "Two published shares"
  seed 7

counts published "Published shares"
  right small "Small model" = 870 of 1000
  right large "Large model" = 902 of 1012

measure accuracy
"""
    return Kind(text)


# --- models that are fitted ---------------------------------------------------------------------

FITTED = """\
evallang 1

study "Which classifier should the screening tool ship?"
  seed 42

data cancer "Breast Cancer Wisconsin" from sklearn breast_cancer
  positive malignant
  unit "patients"

model logistic "Logistic regression" = StandardScaler | LogisticRegression
model tree "Decision tree" = DecisionTreeClassifier(max_depth=3)
model bayes "Naive Bayes" = GaussianNB
model baseline "Majority class" = DummyClassifier

protocol cv folds=10

measure accuracy

compare with cochran then mcnemar holm
"""


@kind("four fitted models")
def fitted() -> Kind:
    return Kind(FITTED)


@kind("four fitted models, described")
def described() -> Kind:
    """Return the study of a person who writes more than the least: authors, question, steps."""
    words = """\
  author "A. Researcher"
  author "B. Colleague"
  question "Does a linear model keep up with a forest?"
  about "The protocol was agreed on by the laboratory before the models were chosen."
  seed 42
"""
    text = FITTED.replace("  seed 42\n", words)
    text = text.replace(
        'model logistic "Logistic regression" = StandardScaler | LogisticRegression\n',
        "let prep = SimpleImputer(strategy=median) | StandardScaler\n\n"
        'model logistic "Logistic regression" = prep | LogisticRegression(max_iter=5000)\n',
    )
    return Kind(text.replace("= DummyClassifier", "= prep | KNeighborsClassifier"))


@kind("three long names")
def three_long_names() -> Kind:
    """Return a study whose main part has three pages: two analyses, an omnibus test and pairs."""
    return Kind("""\
evallang 1
study "Which of three classifiers of tumours is the most accurate?"
  author "A. Researcher"
  seed 7
data cancer "Breast Cancer Wisconsin (Diagnostic)" from sklearn breast_cancer
  positive malignant
  unit "patients"
model linear "Regularised logistic regression" = StandardScaler
  | LogisticRegression(C in 0.01..10 log 4, max_iter=5000)
model near "Weighted k nearest neighbours" = StandardScaler
  | KNeighborsClassifier(n_neighbors in 3..11 step 4, weights=distance)
model forest "Random forest of shallow trees" = RandomForestClassifier(
  n_estimators=20, max_depth in 2..4
)
protocol nested cv outer=5 inner=3
tune grid by roc_auc
measure accuracy, roc_auc, f1
compare with cochran then mcnemar holm
analyze roc, calibration
""")


@kind("a search")
def search() -> Kind:
    text = FITTED.replace("max_depth=3", "max_depth in 1..5")
    return Kind(text.replace("cv folds=10", "nested cv outer=3 inner=2"))


@kind("all curves of predictions")
def all_curves() -> Kind:
    scores = "".join(f'  score m{i} = "p{i}"\n' for i in range(2))
    rest = "measure roc_auc, brier\nanalyze det, cost_curve, decision_curve, agreement\n"
    return predictions(LATIN[:2], FALLING, rest, scores)


@kind("ranks with a critical difference")
def critical_difference() -> Kind:
    made = bayesian()
    before = "compare across data with bayes_signed_rank(rope=0.01)"
    text = made.text.replace(before, "compare across data with friedman then nemenyi")
    return Kind(text, made.named)


@kind("analyses of fits")
def analyses_of_fits() -> Kind:
    text = FITTED.replace("max_depth=3", "max_depth in 1..3")
    text = text.replace("cv folds=10", "nested cv outer=3 inner=2")
    text = text.replace('model baseline "Majority class" = DummyClassifier\n', "")
    head, _, _ = text.partition("compare")
    rest = (
        "analyze stability, tuning of tree\n"
        "analyze learning_curve(fractions=[1/2, 1/1], repeats=2) of tree, bayes\n"
        "analyze bias_variance(rounds=10) of bayes\n"
        "analyze target_permutation(rounds=20) of bayes\n"
    )
    return Kind(head + rest)


@kind("seeds and components of variance")
def seeds() -> Kind:
    text = FITTED.replace("DecisionTreeClassifier(max_depth=3)", "ExtraTreeClassifier")
    head, _, _ = text.replace("cv folds=10", "cv folds=3 seeds=3").partition("compare")
    return Kind(head + "analyze seeds of tree\nanalyze variance of tree, bayes\n")


@kind("a fit that failed")
def failed() -> Kind:
    return Kind(FITTED.replace("= GaussianNB", "= PCA(n_components=100) | GaussianNB"))
