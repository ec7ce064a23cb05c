"""Further made data of the sound designs, drawn one after the other from one seed."""

import csv
import datetime
import math
import random

POSITIVE = ["great", "lovely", "perfect", "tasty", "fresh", "friendly", "quick"]
NEGATIVE = ["slow", "cold", "rude", "stale", "awful", "dirty", "bland"]
COMMON = ["the", "food", "was", "service", "place", "and", "we", "had", "a", "very", "dinner"]


def sig(t):
    return 1 / (1 + math.exp(-t))


def write(folder):
    """Write every file of the designs 31 to 60 into a folder."""
    R = random.Random(77)
    g = R.gauss

    def w(name, head, rows):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            made = csv.writer(file, lineterminator="\n")
            made.writerow(head)
            made.writerows(rows)

    def yn(p):
        return "yes" if R.random() < p else "no"

    # 1 stroke registry
    rows = []
    for i in range(900):
        age = g(70, 12)
        nih = max(0, int(R.expovariate(1 / 7)))
        glu = R.lognormvariate(2, 0.3)
        t = R.randint(30, 600)
        af = yn(0.25)
        rows.append(
            (
                f"S{i:05}",
                f"{age:.0f}",
                nih,
                f"{glu:.1f}",
                t,
                af,
                yn(sig(-4 + 0.03 * age + 0.12 * nih + 0.02 * glu)),
            )
        )
    w("stroke.csv", ("case", "age", "nihss", "glucose", "onset_min", "af", "poor_outcome"), rows)
    # 2 icu stays with patient
    rows = []
    for p in range(300):
        b = g(0, 1)
        for _ in range(R.randint(1, 4)):
            lac = abs(g(2 + 0.5 * b, 1))
            map_ = g(75 - 4 * b, 10)
            rows.append(
                (
                    f"PT{p}",
                    f"{lac:.2f}",
                    f"{map_:.0f}",
                    f"{g(60, 15):.0f}",
                    yn(sig(-1.5 + 0.6 * lac + b * 0.5)),
                )
            )
    w("icu.csv", ("patient", "lactate", "map", "age", "aki"), rows)
    # 3 pathology readers counts -> in eval
    # 4 dermatology predictions
    rows = []
    for i in range(500):
        y = R.random() < 0.2
        s = sig(g(2.2 * y - 1, 1))
        s2 = sig(g(1.6 * y - 1, 1))
        rows.append((i, int(y), f"{s:.4f}", f"{s2:.4f}", int(s > 0.5), int(s2 > 0.5)))
    w("derm.csv", ("lesion", "melanoma", "p_new", "p_old", "new", "old"), rows)
    # 5 reviews text
    rows = []
    for _ in range(700):
        y = R.choice(["positive", "negative"])
        v = []
        for _ in range(14):
            u = R.random()
            v.append(
                R.choice(
                    POSITIVE
                    if (y == "positive") == (u < 0.18) and u < 0.25
                    else NEGATIVE
                    if u < 0.25
                    else COMMON
                )
            )
        rows.append((" ".join(v), y))
    w("reviews.csv", ("review", "sentiment"), rows)
    # 6 intents given predictions with 4 classes
    L = ["book", "cancel", "change", "ask"]
    rows = []
    for i in range(800):
        y = R.choice(L)
        a = y if R.random() < 0.87 else R.choice(L)
        b = y if R.random() < 0.83 else R.choice(L)
        c = y if R.random() < 0.8 else R.choice(L)
        rows.append((i, y, a, b, c))
    w("intents.csv", ("utterance", "intent", "bert", "lstm", "svm"), rows)
    # 7 plankton image features by cruise
    rows = []
    for cruise in range(12):
        off = [g(0, 0.3) for _ in range(6)]
        for _ in range(60):
            k = R.choice(["copepod", "diatom", "detritus"])
            m = {"copepod": 1, "diatom": -1, "detritus": 0}[k]
            rows.append(
                (f"C{cruise}", *[f"{g(m * (j % 3 - 1) + off[j], 1):.3f}" for j in range(6)], k)
            )
    w("plankton.csv", ("cruise", "area", "ecc", "mean", "sd", "skew", "edge", "kind"), rows)
    # 8 hourly bike counts in order
    rows = []
    prev = 100
    d0 = datetime.datetime(2023, 3, 1)
    for i in range(24 * 60):
        t = d0 + datetime.timedelta(hours=i)
        temp = g(15 + 5 * math.sin(i / 24 * 6.28), 2)
        n = max(
            0,
            60 + 50 * math.sin((t.hour - 6) / 24 * 6.28) + 2 * temp + 0.3 * (prev - 100) + g(0, 15),
        )
        rows.append(
            (t.isoformat(sep=" "), t.hour, t.weekday(), f"{temp:.1f}", f"{prev:.0f}", f"{n:.0f}")
        )
        prev = n
    w("bikes.csv", ("hour_start", "hour", "weekday", "temp", "count_before", "count"), rows)
    # 9 electricity price forecasts given
    rows = []
    p = 50
    for i in range(400):
        p = 0.8 * p + 10 + g(0, 6)
        rows.append(
            (
                (datetime.date(2022, 1, 1) + datetime.timedelta(days=i)).isoformat(),
                f"{p:.2f}",
                f"{p + g(0, 5):.2f}",
                f"{p + g(0.5, 5.5):.2f}",
            )
        )
    w("price.csv", ("day", "price", "lear", "naive"), rows)
    # 10 birds presence by site
    rows = []
    for site in range(80):
        el = g(600, 200)
        f = R.random()
        for _ in range(5):
            rows.append(
                (
                    f"site{site}",
                    f"{el:.0f}",
                    f"{f:.2f}",
                    f"{g(8, 4):.1f}",
                    R.randint(1, 5),
                    "present" if R.random() < sig(2 * f - 1 + 0.001 * (el - 600)) else "absent",
                )
            )
    w("birds.csv", ("site", "elevation", "forest", "wind", "observer_effort", "warbler"), rows)
    # 11 soil carbon weights
    rows = [
        (f"{g(6.5, 0.8):.2f}", f"{g(25, 8):.1f}", f"{g(900, 200):.0f}", R.randint(1, 9), 0)
        for _ in range(500)
    ]
    rows = [
        (a, b, c, d, f"{max(0.1, 1 + 0.02 * float(b) + 0.001 * float(c) + g(0, 0.4)):.2f}")
        for a, b, c, d, _ in rows
    ]
    w("soil.csv", ("ph", "clay", "rain", "area_share", "carbon"), rows)
    # 12 fish length-weight log target
    rows = []
    for _ in range(350):
        size = R.uniform(10, 60)
        rows.append(
            (
                f"{size:.1f}",
                f"{size * 0.25 + g(0, 0.8):.1f}",
                R.choice(["m", "f"]),
                f"{math.exp(-4.5 + 3 * math.log(size) + g(0, 0.2)):.1f}",
            )
        )
    w("fish.csv", ("length", "height", "sex", "weight"), rows)
    # 13 molecules descriptors scaffold
    rows = []
    for sc in range(90):
        b = g(0, 0.8)
        for _ in range(R.randint(2, 8)):
            mw, lp, ts = g(350, 60), g(2.5, 1), g(80, 25)
            rows.append(
                (
                    f"SC{sc}",
                    f"{mw:.1f}",
                    f"{lp:.2f}",
                    f"{ts:.1f}",
                    R.randint(0, 5),
                    f"{6 + b * 0.6 + 0.2 * lp - 0.004 * ts + g(0, 0.5):.2f}",
                )
            )
    w("mol.csv", ("scaffold", "mw", "logp", "tpsa", "hbd", "pic50"), rows)
    # 14 alloy
    rows = []
    for _ in range(250):
        c = [R.random() for _ in range(5)]
        s = sum(c)
        c = [x / s for x in c]
        rows.append(
            (*[f"{x:.4f}" for x in c], f"{200 + 300 * c[0] + 150 * c[1] * c[2] * 4 + g(0, 20):.1f}")
        )
    w("alloy.csv", ("ni", "cr", "fe", "co", "mn", "yield_strength"), rows)
    # 15 credit default
    rows = []
    for _ in range(1500):
        inc = R.lognormvariate(10, 0.5)
        dti = R.random() * 0.6
        age = R.randint(20, 75)
        hist = R.choice(["none", "short", "long"])
        rows.append(
            (f"{inc:.0f}", f"{dti:.3f}", age, hist, yn(sig(-3 + 4 * dti - (hist == "long"))))
        )
    w("credit.csv", ("income", "dti", "age", "history", "default"), rows)
    # 16 volatility forecast series
    rows = []
    v = 1.0
    for i in range(700):
        v = 0.1 + 0.85 * v + 0.1 * g(0, 1) ** 2
        r = g(0, math.sqrt(v))
        rows.append(
            (
                f"{(datetime.date(2019, 1, 1) + datetime.timedelta(days=i)).isoformat()}",
                f"{v * g(1, 0.2):.4f}",
                f"{abs(r):.4f}",
                f"{g(15, 3):.1f}",
                f"{abs(g(0, math.sqrt(v))):.4f}",
            )
        )
    w("vol.csv", ("day", "rv_lag", "absret_lag", "vix", "absret_next"), rows)
    # 17 LLM eval: logs two models, 0/1, question ids & passages
    rows = []
    for p in range(120):
        e = g(0, 0.8)
        for q in range(4):
            rows.append(
                (
                    f"q{p}_{q}",
                    f"pass{p}",
                    int(R.random() < sig(0.8 + e)),
                    int(R.random() < sig(0.5 + e)),
                )
            )
    w("mcq.csv", ("question", "passage", "large", "small"), rows)
    # 18 rouge-like values
    rows = [
        (
            i,
            f"{min(1, max(0, g(0.38, 0.1))):.4f}",
            f"{min(1, max(0, g(0.40, 0.1))):.4f}",
            f"{min(1, max(0, g(0.33, 0.1))):.4f}",
        )
        for i in range(300)
    ]
    w("rouge.csv", ("doc", "bart", "pegasus", "lead3"), rows)
    # 19 benchmark scores 3 models 25 datasets
    rows = []
    for d in range(25):
        b = R.uniform(0.6, 0.95)
        rows.append(
            (f"oml{d}", *[f"{min(1, b + m + g(0, 0.015)):.4f}" for m in (0, 0.01, -0.02, 0.015)])
        )
    w("bench.csv", ("dataset", "rf", "gbm", "knn", "mlp"), rows)
    # 20 bench 2 models many with repeats
    rows = []
    for d in [
        "adult",
        "wine",
        "cars",
        "spam",
        "letter",
        "yeast",
        "ecoli",
        "heart",
        "glass",
        "sonar",
        "vowel",
        "image",
    ]:
        b = R.uniform(0.6, 0.95)
        for s in range(5):
            rows.append((d, s, f"{b + g(0, 0.01):.4f}", f"{b + 0.012 + g(0, 0.01):.4f}"))
    w("seeds.csv", ("task", "seed", "base", "ours"), rows)
    # 21 eeg subjects
    rows = [(f"sub{i:02}", f"{g(0.7, 0.08):.3f}", f"{g(0.74, 0.08):.3f}") for i in range(22)]
    w("eeg.csv", ("subject", "csp", "riemann"), rows)
    # 22 MRMC
    rows = []
    for c in range(70):
        y = int(R.random() < 0.5)
        b = g(1.2 * y, 1)
        for r in range(4):
            rows.append((c, f"R{r}", y, f"{b + g(0.4 * y, 0.6):.3f}", f"{b + g(0, 0.8):.3f}"))
    w("mrmc.csv", ("image", "radiologist", "cancer", "aided", "unaided"), rows)
    # 23 wer
    rows = []
    for s in range(60):
        for u in range(6):
            n = R.randint(4, 25)
            rows.append(
                (
                    f"u{s}_{u}",
                    f"spk{s}",
                    n,
                    sum(R.random() < 0.09 for _ in range(n)),
                    sum(R.random() < 0.11 for _ in range(n)),
                )
            )
    w("wer.csv", ("utt", "speaker", "words", "err_new", "err_old"), rows)
    # 24 sensors HAR by person
    rows = []
    for p in range(20):
        o = [g(0, 0.4) for _ in range(5)]
        for _ in range(40):
            a = R.choice(["walk", "sit", "run"])
            m = {"walk": 1, "sit": 0, "run": 2}[a]
            rows.append((f"P{p}", *[f"{g(m * 0.6 + o[j], 1):.3f}" for j in range(5)], a))
    w("har.csv", ("person", "ax", "ay", "az", "gx", "gy", "activity"), rows)
    # 25 churn with own split
    rows = []
    for i in range(800):
        t = R.randint(1, 72)
        m = R.uniform(20, 110)
        rows.append(
            (
                t,
                f"{m:.2f}",
                R.choice(["monthly", "yearly"]),
                "test" if i % 4 == 0 else "train",
                yn(sig(-0.5 - 0.03 * t + 0.01 * m)),
            )
        )
    w("churn.csv", ("tenure", "monthly", "contract", "part", "churned"), rows)
    # 26 diagnostics with two thresholds; given labels
    rows = [(i, int(R.random() < 0.3)) for i in range(600)]
    rows = [
        (i, y, y if R.random() < 0.92 else 1 - y, y if R.random() < 0.92 else 1 - y)
        for i, y in rows
    ]
    w("dx.csv", ("sample", "infected", "pcr_fast", "pcr_ref"), rows)
    # 27 students essays raters ordinal->regression
    rows = []
    for _ in range(450):
        n = R.randint(120, 600)
        sp = R.randint(0, 20)
        rows.append(
            (
                n,
                sp,
                f"{R.uniform(0.3, 0.8):.2f}",
                f"{max(1, min(6, 2 + 0.004 * n - 0.06 * sp + g(0, 0.6))):.1f}",
            )
        )
    w("essays.csv", ("words", "spelling_errors", "type_token", "grade"), rows)
    # 28 astronomy photometric redshift (chem/other)
    rows = []
    for _ in range(900):
        z = R.betavariate(2, 3) * 1.2
        rows.append(
            (
                *[f"{20 + j * 0.4 + z * (1.5 - 0.5 * j) + g(0, 0.15):.3f}" for j in range(5)],
                f"{z:.4f}",
            )
        )
    w("photoz.csv", ("u", "g", "r", "i", "z", "redshift"), rows)
    # 29 rare class
    rows = []
    for _ in range(2000):
        y = R.random() < 0.06
        rows.append(
            (
                f"{R.lognormvariate(3 + 0.9 * y, 1):.2f}",
                R.randint(0, 23),
                f"{g(1.1 * y, 1):.3f}",
                R.choice(["web", "pos", "atm"]),
                "fraud" if y else "ok",
            )
        )
    w("fraud.csv", ("amount", "hour", "dist", "channel", "label"), rows)
