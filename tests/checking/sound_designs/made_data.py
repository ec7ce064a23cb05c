"""The made data of the sound designs, by file name: header and rows, from a seed of their own."""

import datetime
import random

WORDS = {"spam": ["win", "cash", "prize", "offer", "free", "click", "now"],
         "ham": ["meeting", "notes", "lunch", "report", "review", "plan", "home"],
         "all": ["the", "a", "of", "to", "and", "in", "we", "you", "for", "on"]}  # fmt: skip
FIRST_DAY = datetime.date(2022, 1, 3)


def clinic(draw, n, *, visits=1):
    yield "patient", "visit", "age", "pressure", "crp", "sex", "event"
    for patient in range(n // visits):
        age, pressure = draw.gauss(62, 11), draw.gauss(131, 16)
        sex = draw.choice(["f", "m"])
        for visit in range(visits):
            crp = draw.lognormvariate(1, 0.6)
            risk = 0.04 * (age - 62) + 0.5 * (crp - 3) / 3 + draw.gauss(0, 1)
            yield (f"P{(patient * 7919) % 9973}", f"V{patient}x{visit}", f"{age:.1f}",
                   f"{pressure + draw.gauss(0, 4):.1f}", f"{crp:.2f}", sex,
                   "yes" if risk > 0 else "no")  # fmt: skip


def mails(draw, n):
    yield "text", "label"
    for _ in range(n):
        label = draw.choice(["spam", "ham"])
        words = [draw.choice(WORDS[draw.choice([label, label, "all"])]) for _ in range(9)]
        yield " ".join(words), label


def images(draw, n):
    yield "camera", *(f"p{i}" for i in range(9)), "kind"
    for i in range(n):
        kind = draw.choice(["cat", "dog", "fox"])
        shift = {"cat": 0.0, "dog": 0.6, "fox": 1.1}[kind]
        yield f"cam{i % 15}", *(f"{draw.gauss(shift, 1):.3f}" for _ in range(9)), kind


def load(draw, n):
    yield "day", "temperature", "weekend", "load"
    level = 0.0
    for i in range(n):
        day = FIRST_DAY + datetime.timedelta(days=i)
        warm, level = draw.gauss(12, 6), 0.6 * level + draw.gauss(0, 1.5)
        weekend = int(day.weekday() > 4)
        yield day.isoformat(), f"{warm:.1f}", weekend, f"{60 - warm - 8 * weekend + level:.2f}"


def market(draw, n):
    yield "day", "lag1", "lag2", "volume", "up"
    for i in range(n):
        lag1, lag2 = draw.gauss(0, 1), draw.gauss(0, 1)
        up = "yes" if 0.3 * lag1 + draw.gauss(0, 1) > 0 else "no"
        day = FIRST_DAY + datetime.timedelta(days=i)
        yield day.isoformat(), f"{lag1:.3f}", f"{lag2:.3f}", f"{draw.lognormvariate(3, 1):.2f}", up


def plots(draw, n):
    yield "site", "altitude", "moisture", "canopy", "weight", "species", "occupied"
    for i in range(n):
        site, altitude = i % 20, draw.gauss(900, 200)
        moisture, canopy = draw.random(), draw.random()
        species = 8 + 9 * moisture + 4 * canopy - altitude / 300 + draw.gauss(0, 2)
        occupied = "yes" if moisture + draw.gauss(0, 0.4) > 0.5 else "no"
        yield (f"S{site}", f"{altitude:.1f}", f"{moisture:.3f}", f"{canopy:.3f}",
               f"{draw.uniform(0.5, 2):.3f}", f"{species:.2f}", occupied)  # fmt: skip


def molecules(draw, n):
    yield *(f"d{i}" for i in range(6)), "logs"
    for _ in range(n):
        d = [draw.gauss(0, 1) for _ in range(6)]
        logs = d[0] - 0.5 * d[1] + 0.3 * d[2] * d[3] + draw.gauss(0, 0.6)
        yield *(f"{value:.4f}" for value in d), f"{logs:.3f}"


def predicted(draw, n, shares=(0.86, 0.8, 0.78), *, runs=1):
    yield "id", "run", "truth", *(f"m{i}" for i in range(len(shares))), "p0", "p1"
    for i in range(n):
        truth = draw.choice(["yes", "no"])
        other = "no" if truth == "yes" else "yes"
        for run in range(runs):
            labels = [truth if draw.random() < share else other for share in shares]
            scores = [min(0.99, max(0.01, draw.gauss(0.65 if truth == "yes" else 0.4, 0.2)))
                      for _ in range(2)]  # fmt: skip
            yield i, run, truth, *labels, *(f"{p:.4f}" for p in scores)


def judged(draw, n):
    yield "question", "passage", "small", "large", "rouge_small", "rouge_large"
    for i in range(n):
        easy = draw.random() * 0.4
        right = [int(draw.random() < share + easy) for share in (0.4, 0.5)]
        rouge = [f"{min(1, draw.random() * 0.5 + easy):.4f}" for _ in range(2)]
        yield i, f"T{i % 50}", *right, *rouge


def forecasts(draw, n):
    yield "id", "truth", "ridge", "forest"
    for i in range(n):
        truth = draw.gauss(50, 10)
        yield (
            i,
            f"{truth:.2f}",
            f"{truth + draw.gauss(0, 3):.2f}",
            f"{truth + draw.gauss(0, 4):.2f}",
        )


def scores(draw, n):
    yield "corpus", "ours", "base", "large", "tiny"
    for i in range(n):
        level = draw.uniform(0.6, 0.9)
        yield f"corpus{i}", *(f"{level + draw.gauss(gain, 0.02):.4f}"
                              for gain in (0.03, 0, 0.02, -0.04))  # fmt: skip


FILES = {
    "clinic.csv": lambda draw: clinic(draw, 300),
    "visits.csv": lambda draw: clinic(draw, 300, visits=3),
    "mails.csv": lambda draw: mails(draw, 300),
    "images.csv": lambda draw: images(draw, 330),
    "load.csv": lambda draw: load(draw, 365),
    "market.csv": lambda draw: market(draw, 500),
    "plots.csv": lambda draw: plots(draw, 300),
    "molecules.csv": lambda draw: molecules(draw, 250),
    "predicted.csv": lambda draw: predicted(draw, 400),
    "runs.csv": lambda draw: predicted(draw, 200, runs=3),
    "judged.csv": lambda draw: judged(draw, 400),
    "forecasts.csv": lambda draw: forecasts(draw, 300),
    "scores.csv": lambda draw: scores(draw, 16),
}


def write(folder):
    """Write every file into a folder."""
    for name, make in FILES.items():
        lines = [",".join(map(str, row)) for row in make(random.Random(name))]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
