"""Write the made data sets of the page "What evallang objects to".

`python docs/objections/make.py` writes `data.csv` and, where the sound study reads other rows,
`raw.csv` into the folder of each kind of mistake. The studies `wrong.eval` and `right.eval`
beside them are written by hand. The same numbers come out on every machine.
"""

import csv
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
Rows = Sequence[Sequence[object]]
Files = dict[str, Rows]

KINDS: dict[str, Callable[[random.Random], Files]] = {}
"""What makes the files of each kind of mistake, by the name of its rule and folder."""


def kind(function: Callable[[random.Random], Files]) -> Callable[[random.Random], Files]:
    """Register what makes the files of the kind that it is named after."""
    KINDS[function.__name__] = function
    return function


def normal(draw: random.Random, mean: float = 0.0, spread: float = 1.0) -> float:
    """Return a normal number, from sums so that it is the same on every machine."""
    return mean + spread * (sum(draw.random() for _ in range(12)) - 6)


@kind
def repeated_units_without_group(draw: random.Random) -> Files:
    """Return five recordings of each of 40 speakers, whose voices are alike in all of them."""
    rows: list[Sequence[object]] = [("voice", "pitch", "jitter", "shimmer", "diagnosis")]
    for speaker in range(40):
        ill = "parkinson" if speaker % 2 else "healthy"
        own = [normal(draw, mean, spread) for mean, spread in ((150, 30), (0.5, 0.1), (3, 0.6))]
        own[1] += 0.05 * (speaker % 2)
        code = f"V{(speaker * 37) % 100:02}"
        for _ in range(5):
            values = [normal(draw, mean, 0.02 * mean) for mean in own]
            rows.append((code, *(f"{value:.3f}" for value in values), ill))
    return {"data.csv": rows}


@kind
def features_chosen_by_the_target(draw: random.Random) -> Files:
    """Return 200 columns of noise and an outcome that depends on none of them."""
    columns = [[round(normal(draw), 2) for _ in range(50)] for _ in range(200)]
    outcome = [draw.choice(["relapse", "cured"]) for _ in range(50)]
    head = [f"g{i}" for i in range(200)]
    rows = [[column[i] for column in columns] for i in range(50)]
    return {
        "data.csv": [[*head, "outcome"], *([*row, y] for row, y in zip(rows, outcome, strict=True))]
    }


@kind
def dated_rows_at_random(draw: random.Random) -> Files:
    """Return the daily load of a year, which is close to that of the day before."""
    return {"data.csv": _load(draw, 240)}


@kind
def training_rows_later_than_test_rows(draw: random.Random) -> Files:
    """Return the daily load of a year with its days out of order, and in order."""
    ordered = _load(draw, 240)
    head, rows = ordered[0], list(ordered[1:])
    mixed = draw.sample(rows, len(rows))
    return {"data.csv": [head, *mixed], "raw.csv": [head, *rows]}


def _load(draw: random.Random, n: int) -> Rows:
    load, rows = 50.0, [("day", "temperature", "holiday", "load")]
    for i in range(n):
        load = 50 + 0.9 * (load - 50) + normal(draw, 0, 2)
        month, day = divmod(i, 28)
        weather = f"{12 + 0.1 * (load - 50) + normal(draw, 0, 5):.1f}"
        date = f"2023-{month + 1:02}-{day + 1:02}"
        rows.append((date, weather, str(int(draw.random() < 0.05)), f"{load:.2f}"))
    return rows


@kind
def already_standardised_features(draw: random.Random) -> Files:
    """Return measurements of 150 patients, raw and as z-scores of all rows."""
    raw = []
    for _ in range(150):
        age, pressure = normal(draw, 60, 12), normal(draw, 130, 15)
        creatinine = max(0.3, normal(draw, 1, 0.3))
        risk = 0.04 * (age - 60) + 1.5 * (creatinine - 1) + normal(draw)
        raw.append((round(age), round(pressure), round(creatinine, 2), "yes" if risk > 0 else "no"))
    head = ("age", "pressure", "creatinine", "readmitted")
    columns = list(zip(*raw, strict=True))[:3]
    scaled = list(zip(*map(_z_scores, columns), strict=True))
    return {
        "raw.csv": [head, *raw],
        "data.csv": [head, *((*z, row[3]) for z, row in zip(scaled, raw, strict=True))],
    }


def _z_scores(values: Iterable[float]) -> list[str]:
    numbers = list(values)
    mean = sum(numbers) / len(numbers)
    spread = (sum((v - mean) ** 2 for v in numbers) / len(numbers)) ** 0.5
    return [f"{(v - mean) / spread:.5f}" for v in numbers]


@kind
def synthetic_rows(draw: random.Random) -> Files:
    """Return 200 patients of whom 30 were readmitted, raw and balanced by SMOTE."""
    raw = []
    for i in range(200):
        ill = i % 20 < 3
        values = (normal(draw, 62 + 6 * ill, 12), normal(draw, 5, 2), normal(draw, 1.1, 0.3))
        raw.append((round(values[0]), round(abs(values[1]), 1), round(abs(values[2]), 2), ill))
    own = [row[:3] for row in raw if row[3]]
    made = []
    for _ in range(200 - 2 * len(own)):
        base = draw.choice(own)
        near = sorted(own, key=lambda row: _distance(row, base))[1:6]
        other, part = draw.choice(near), draw.random()
        made.append(tuple(b + part * (o - b) for b, o in zip(base, other, strict=True)))
    head = ("age", "days", "creatinine", "readmitted")
    words = [(*row[:3], "yes" if row[3] else "no") for row in raw]
    balanced = [*words, *((*(f"{v:.8g}" for v in row), "yes") for row in made)]
    return {"raw.csv": [head, *words], "data.csv": [head, *balanced]}


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    spreads = (12, 2, 0.3)
    return sum(((a - b) / s) ** 2 for a, b, s in zip(one, other, spreads, strict=True))


@kind
def feature_gives_the_target_away(draw: random.Random) -> Files:
    """Return stays in hospital with the place of discharge, which follows from the outcome."""
    rows: list[Sequence[object]] = [("age", "pulse", "lactate", "discharged_to", "died")]
    for _ in range(300):
        age, pulse, lactate = normal(draw, 66, 12), normal(draw, 85, 14), normal(draw, 2.2, 0.8)
        died = 0.05 * (age - 66) + 0.9 * (lactate - 2.2) + normal(draw) > 0.8
        place = "morgue" if died else draw.choice(["home", "ward", "nursing home"])
        if draw.random() < 0.004:
            place = "home"
        values = (round(age), round(pulse), f"{abs(lactate):.1f}", place, "yes" if died else "no")
        rows.append(values)
    return {"data.csv": rows}


@kind
def feature_as_good_as_models(draw: random.Random) -> Files:
    """Return repairs with an invoice, which is the cost with some noise."""
    rows: list[Sequence[object]] = [("km", "age", "parts", "invoice", "cost")]
    for _ in range(300):
        km, age, parts = normal(draw, 90, 30), normal(draw, 8, 3), draw.randint(1, 6)
        cost = 150 + 4 * km + 12 * age + 25 * parts + normal(draw, 0, 120)
        invoice = cost + normal(draw, 0, 38)
        rows.append((round(km), f"{age:.1f}", parts, f"{invoice:.2f}", f"{cost:.2f}"))
    return {"data.csv": rows}


def _answers(draw: random.Random, n: int, right: Sequence[float]) -> Iterable[list[int]]:
    """Iterate over a label and the labels that models predict, right as often as is said."""
    for _ in range(n):
        label = int(draw.random() < 0.5)
        yield [label, *(label if draw.random() < share else 1 - label for share in right)]


@kind
def families_in_separate_lines(draw: random.Random) -> Files:
    """Return 300 reviews and the labels of five classifiers."""
    rows = [[i, *row] for i, row in enumerate(_answers(draw, 300, (0.84, 0.81, 0.8, 0.82, 0.8)))]
    return {"data.csv": [("id", "label", "ours", "svm", "bayes", "forest", "tree"), *rows]}


@kind
def units_not_data_sets(draw: random.Random) -> Files:
    """Return the accuracy of two networks on eight corpora, and on one, trained with ten seeds."""
    rows: list[Sequence[object]] = [("corpus", "seed", "ours", "base")]
    for place, corpus in enumerate(("news", "mail", "web", "law", "chat", "tale", "code", "song")):
        for seed in range(10):
            base = 0.7 + 0.02 * place + normal(draw, 0, 0.01)
            rows.append((corpus, seed, f"{base + normal(draw, 0.01, 0.01):.3f}", f"{base:.3f}"))
    return {"raw.csv": rows, "data.csv": rows[:11]}


@kind
def replicates_as_data_sets(draw: random.Random) -> Files:
    """Return 100 images whose labels two networks predict with eight seeds each."""
    truth = [draw.randrange(2) for _ in range(100)]
    rows: list[Sequence[object]] = [("training", "image", "label", "ours", "base")]
    for training in ("a", "b", "c", "d", "e", "f", "g", "h"):
        for image, label in enumerate(truth):
            answers = (label if draw.random() < p else 1 - label for p in (0.85, 0.8))
            rows.append((training, image, label, *answers))
    return {"data.csv": rows}


@kind
def best_of_many_on_one_test_set(draw: random.Random) -> Files:
    """Return measurements of 240 patients that say something of an outcome."""
    return {"data.csv": _patients(draw, 240)}


@kind
def fold_column_unused(draw: random.Random) -> Files:
    """Return the predictions of two models of each of five folds."""
    rows = [[i, i % 5, *row] for i, row in enumerate(_answers(draw, 200, (0.85, 0.8)))]
    return {"data.csv": [("id", "fold", "label", "ours", "base"), *rows]}


@kind
def one_number_twice(draw: random.Random) -> Files:
    """Return 200 labels and those of two models."""
    rows = [[i, *row] for i, row in enumerate(_answers(draw, 200, (0.85, 0.8)))]
    return {"data.csv": [("id", "label", "ours", "base"), *rows]}


@kind
def many_comparisons_without_correction(draw: random.Random) -> Files:
    """Return 300 labels and those of four equal models."""
    rows = [[i, *row] for i, row in enumerate(_answers(draw, 300, (0.8, 0.8, 0.8, 0.8)))]
    return {"data.csv": [("id", "label", "a", "b", "c", "d"), *rows]}


@kind
def duplicated_rows(draw: random.Random) -> Files:
    """Return 160 patients, 40 of them pasted twice, and each of them once."""
    head, *rows = _patients(draw, 160)
    return {"raw.csv": [head, *rows], "data.csv": [head, *rows, *rows[:40]]}


@kind
def tuned_on_the_reported_folds(draw: random.Random) -> Files:
    """Return measurements of 200 patients."""
    return {"data.csv": _patients(draw, 200)}


@kind
def overlapping_splits_as_independent(draw: random.Random) -> Files:
    """Return measurements of 200 patients."""
    return {"data.csv": _patients(draw, 200)}


def _patients(draw: random.Random, n: int) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("age", "pressure", "creatinine", "readmitted")]
    for _ in range(n):
        age, pressure = normal(draw, 60, 12), normal(draw, 130, 15)
        creatinine = max(0.3, normal(draw, 1, 0.3))
        risk = 0.05 * (age - 60) + 2 * (creatinine - 1) + normal(draw)
        outcome = "yes" if risk > 0 else "no"
        rows.append((f"{age:.1f}", f"{pressure:.1f}", f"{creatinine:.3f}", outcome))
    return rows


def main() -> None:
    """Write the files of every kind."""
    for name, make in KINDS.items():
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        for file, rows in make(random.Random(name)).items():
            with (folder / file).open("w", encoding="utf-8", newline="") as target:
                csv.writer(target, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
