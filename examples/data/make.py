"""Make the synthetic data of the examples: `python make.py` writes them beside itself.

Nothing here is about a real person, house or text. Every file is drawn from a seeded
generator of Python's standard library, whose `random()` is the same in every version, so
that running this again gives the same bytes.
"""

import csv
import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Write all files."""
    write("visits.csv", visits(random.Random(20260101), 380))
    write("houses.csv", houses(random.Random(20260102), 300))
    write("reviews_predictions.csv", reviews(random.Random(20260103), 500))
    for name, rows in alarms(random.Random(20260106), 80).items():
        write(f"alarms_{name}.csv", rows)
    write("suite_auc.csv", suite(random.Random(20260104), 24))
    write("load.csv", load(random.Random(20260107), 365))
    write("load_ranges.csv", load_ranges(random.Random(20260110), 240))
    write("attempts.csv", attempts(random.Random(20260115), 60))
    write("answers.csv", answers(random.Random(20260116), 150))
    write("benchmark.csv", benchmark(random.Random(20260118)))
    write("ratings.csv", ratings(random.Random(20260117), 600))
    write("search.csv", search(random.Random(20260113), 60))
    write("survival.csv", survival(random.Random(20260114), 260))
    write("readings.csv", readings(random.Random(20260112), 90, 6))
    write("survey.csv", survey(random.Random(20260108), 300))
    write("transcripts.csv", transcripts(random.Random(20260111), 400))
    write_lines("battles.jsonl", battles(random.Random(20260116), 600))
    write("clinics.csv", clinics(random.Random(20260119), 320), delimiter=";")
    machines = random.Random(20260109)
    for number in range(1, 9):
        write(f"sorting_{number}.csv", sorting(machines, 120))
    for name, records in quiz(random.Random(20260105), 150).items():
        write_lines(f"quiz_{name}.jsonl", records)


def write(name: str, rows: Iterable[Sequence[object]], delimiter: str = ",") -> None:
    """Write rows, the header first, as CSV with line feeds."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(rows)


def write_lines(name: str, records: Iterable[object]) -> None:
    """Write one JSON object a line."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in records)


def visits(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give hospital visits; readmission depends on age, stay, earlier visits and albumin."""
    yield (
        "visit_id", "patient_id", "age", "ward", "insurance", "length_of_stay",
        "previous_visits", "albumin", "readmitted",
    )  # fmt: skip
    wards = {"surgery": -0.3, "medicine": 0.2, "cardiology": 0.5, "geriatrics": 0.3}
    patients = [f"P{number:03d}" for number in range(1, 151)]
    frailty = {patient: normal(rng) for patient in patients}
    ages = {patient: min(97, max(12, round(57 + 22 * normal(rng)))) for patient in patients}
    for number in range(n):
        patient = patients[int(rng.random() * len(patients))]
        ward = pick(rng, list(wards))
        insurance = pick(rng, ["public", "public", "public", "private", "none"])
        stay = 1 + int(-math.log(1 - rng.random()) * (3 + 1.5 * (ward == "geriatrics")))
        earlier = int(-math.log(1 - rng.random()) * math.exp(0.4 * frailty[patient]))
        albumin = 40 - 3 * frailty[patient] + 3 * normal(rng)
        risk = (
            -0.9 + 0.025 * (ages[patient] - 62) + wards[ward] + 0.12 * (stay - 4)
            + 0.55 * earlier - 0.12 * (albumin - 40) + 0.4 * (insurance == "none")
        )  # fmt: skip
        readmitted = rng.random() < 1 / (1 + math.exp(-risk))
        yield (
            f"V{number + 1:04d}",
            patient,
            ages[patient],
            "?" if rng.random() < 0.02 else ward,
            "" if rng.random() < 0.03 else insurance,
            stay,
            earlier,
            "?" if rng.random() < 0.06 else f"{albumin:.1f}",
            "yes" if readmitted else "no",
        )


def clinics(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give visits as a spreadsheet exports them: decimal commas, codes, copies, a leak."""
    yield "record", "patient", "day", "age", "BMI", "CRP", "smoker", "aftercare", "relapse"
    frailty = [normal(rng) for _ in range(140)]
    rows: list[Sequence[object]] = []
    for number in range(n):
        patient = int(rng.random() * len(frailty))
        age = 55 + 9 * frailty[patient] + 4 * normal(rng)
        bmi, crp = 26 + 4 * normal(rng), math.exp(1.2 + 0.5 * frailty[patient] + 0.6 * normal(rng))
        smoker = rng.random() < 0.3
        risk = -0.4 + 0.9 * frailty[patient] + 0.08 * (bmi - 26) + 0.9 * smoker
        relapse = rng.random() < 1 / (1 + math.exp(-risk))
        care = "clinic" if relapse else pick(rng, ["home", "home", "practice"])
        day = f"{1 + number % 28:02d}.{1 + number // 28:02d}.2024"
        rows.append((
            1001 + number, f"p{patient + 1:03d}", day,
            round(age), f"{bmi:.1f}".replace(".", ","),
            "-9" if rng.random() < 0.07 else f"{crp:.1f}".replace(".", ","),
            "" if rng.random() < 0.04 else ("yes" if smoker else "no"), care,
            "yes" if relapse else "no",
        ))  # fmt: skip
    yield from (*rows, *rows[40:44])


def alarms(rng: random.Random, patients: int) -> dict[str, list[Sequence[object]]]:
    """Give alarms about visits of patients, in two files whose rows stand in other orders."""
    rule: list[Sequence[object]] = []
    models: list[Sequence[object]] = []
    for patient in range(1, patients + 1):
        ward = pick(rng, ["surgery", "medicine"])
        frailty = normal(rng)
        for _ in range(2 + int(rng.random() * 4)):
            visit = f"v{len(rule) + 1:03d}"
            risk = -0.6 + frailty + 0.8 * normal(rng)
            event = "yes" if rng.random() < 1 / (1 + math.exp(-1.6 * risk)) else "no"
            seen = risk + 0.5 * normal(rng)
            forest = 1 / (1 + math.exp(-1.4 * (seen + 0.7 * normal(rng))))
            net = 1 / (1 + math.exp(-1.8 * (seen + 0.4 * normal(rng))))
            alarm = "yes" if risk + 1.6 * normal(rng) > 0.3 else "no"
            rule.append((visit, f"p{patient:02d}", ward, event, alarm))
            models.append((visit, f"{forest:.4f}", f"{1 - net:.4f}", f"{net:.4f}"))
    models.sort(key=lambda row: (str(row[0])[-1], row[0]))
    return {
        "rule": [("visit", "patient", "ward", "event", "alarm"), *rule],
        "models": [("visit", "forest_p", "net_no", "net_yes"), *models],
    }


def houses(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give houses; the price in thousands depends on area, age, rooms and district."""
    yield ("area", "rooms", "year_built", "district", "distance_to_station", "price")
    districts = {"harbour": 90.0, "old town": 60.0, "hill": 30.0, "north": -20.0, "east": 0.0}
    for _ in range(n):
        area = max(30.0, 105 + 35 * normal(rng))
        rooms = max(1, round(area / 28 + 0.7 * normal(rng)))
        year = 1900 + int(rng.random() * 124)
        district = pick(rng, list(districts))
        distance = -math.log(1 - rng.random()) * 1.2
        price = (
            60 + 2.6 * area + 8 * rooms + 0.5 * (year - 1960) + districts[district]
            - 14 * distance + 28 * normal(rng)
        )  # fmt: skip
        yield (
            f"{area:.1f}",
            rooms,
            "" if rng.random() < 0.05 else year,
            district,
            "" if rng.random() < 0.03 else f"{distance:.2f}",
            f"{max(40.0, price):.1f}",
        )


def reviews(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give the answers of three classifiers of reviews; two of them err on the same texts."""
    yield (
        "id", "source", "truth", "bag_of_words", "bag_of_words_p", "encoder", "encoder_p",
        "large", "large_p",
    )  # fmt: skip
    skill = {"bag_of_words": 1.2, "encoder": 1.75, "large": 1.9}
    for number in range(1, n + 1):
        positive = rng.random() < 0.45
        shared = normal(rng)  # how clear the text is to models that have read much
        row: list[object] = [
            f"r{number:04d}",
            pick(rng, ["books", "films", "hotels"]),
            "positive" if positive else "negative",
        ]
        for model, strength in skill.items():
            common = 0.3 if model == "bag_of_words" else 0.85
            noise = common * shared + math.sqrt(1 - common**2) * normal(rng)
            margin = (strength if positive else -strength) + 1.6 * noise
            probability = f"{1 / (1 + math.exp(-margin)):.4f}"
            row += ["positive" if float(probability) >= 0.5 else "negative", probability]
        yield row


def suite(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give mean AUCs of five classifiers on data sets of growing size; one run failed."""
    skill = {"nearest": 0.0, "tree": -0.2, "logistic": 0.15, "forest": 0.45, "boosting": 0.55}
    yield ("data_set", *skill)
    for number in range(1, n + 1):
        ease = 1.1 + 0.8 * normal(rng)
        row: list[object] = [f"set_{number:02d}"]
        for strength in skill.values():
            margin = ease + strength + 0.25 * normal(rng)
            row.append(f"{0.5 + 0.5 / (1 + math.exp(-margin)):.3f}")
        if number == 17:
            row[-1] = "-"
        yield row


def quiz(rng: random.Random, n: int) -> dict[str, list[object]]:
    """Give sample logs of two language models, as lm-evaluation-harness writes them.

    Five questions belong to one passage; each answer is judged twice, strictly and leniently.
    """
    logs: dict[str, list[object]] = {"small": [], "large": []}
    skill = {"small": 0.1, "large": 0.7}
    passage = 0.0
    for doc in range(n):
        if doc % 5 == 0:
            passage = normal(rng)
        clear = 0.6 * passage + 0.8 * normal(rng)
        for model, strength in skill.items():
            right = strength + clear + 0.7 * normal(rng) > 0
            well_formed = rng.random() < 0.9
            for kind, correct in (
                ("strict-match", right and well_formed),
                ("flexible-extract", right),
            ):
                logs[model].append(
                    {
                        "doc_id": doc,
                        "doc": {"passage": f"p{doc // 5:02d}"},
                        "filter": kind,
                        "doc_hash": f"{doc:04x}",
                        "exact_match": float(correct),
                    }
                )
    return logs


def load(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give daily loads of a power grid in order of time: seasons, weekdays, a slow rise."""
    yield ("day", "temperature", "workday", "load_a_week_ago", "load")
    past: list[float] = []
    weather = 0.0
    for day in range(1, n + 8):
        season = math.cos(2 * math.pi * day / 365)
        weather = 0.8 * weather + 2.2 * normal(rng)
        temperature = 11 - 11 * season + weather
        workday = int(day % 7 < 5)
        heating = 1.1 * max(0.0, 16 - temperature)
        cooling = 0.8 * max(0.0, temperature - 22)
        past.append(52 + 0.02 * day + heating + cooling + 7 * workday + 1.5 * normal(rng))
        if day > 7:
            yield (day - 7, f"{temperature:.1f}", workday, f"{past[-8]:.1f}", f"{past[-1]:.1f}")


def load_ranges(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return forecasts of load with intervals of 80 %: one model knows the spread, one does not."""
    yield (
        "day", "load",
        "seasonal", "seasonal_low", "seasonal_high",
        "constant", "constant_low", "constant_high",
    )  # fmt: skip
    for day in range(1, n + 1):
        season = math.sin(2 * math.pi * day / 120)
        mean, spread = 500 + 60 * season, 20 + 12 * season
        seasonal = mean + 4 * normal(rng)
        constant = mean + 6 * normal(rng)
        yield (
            day, round(mean + spread * normal(rng), 1),
            round(seasonal, 1), round(seasonal - 1.28 * spread, 1),
            round(seasonal + 1.28 * spread, 1),
            round(constant, 1), round(constant - 22, 1), round(constant + 22, 1),
        )  # fmt: skip


def attempts(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return whether five attempts of two agents at each of n tasks succeeded."""
    yield "task", "domain", "attempt", "planner", "reactive"
    for task in range(1, n + 1):
        hard = normal(rng)
        chances = [1 / (1 + math.exp(2 * hard - lead - normal(rng))) for lead in (1.0, 0.3)]
        for attempt in range(1, 6):
            solved = (int(rng.random() < chance) for chance in chances)
            yield f"t{task}", ("airline", "retail")[task % 2], attempt, *solved


def answers(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return right and wrong answers of six models to n questions, and the tokens they took."""
    yield "question", "model", "right", "tokens"
    models = {"nano": (-0.5, 60), "mini": (0.4, 140), "base": (0.6, 520), "verbose": (0.2, 900),
              "large": (1.4, 1500), "thinker": (2.0, 6200)}  # fmt: skip
    for question in range(1, n + 1):
        hard = normal(rng)
        for model, (lead, tokens) in models.items():
            right = int(rng.random() < 1 / (1 + math.exp(hard - lead)))
            yield question, model, right, round(tokens * math.exp(0.2 * hard + 0.4 * normal(rng)))


def benchmark(rng: random.Random) -> Iterable[Sequence[object]]:
    """Give right and wrong answers of five models to questions of eight tasks of unequal sizes."""
    sizes = {
        "algebra": 60, "anatomy": 45, "chemistry": 40, "contracts": 30, "history": 150,
        "logic": 35, "nutrition": 90, "physics": 50,
    }  # fmt: skip
    skills = {"alder": 1.2, "birch": 0.6, "cedar": 0.5, "elm": 0.0, "oak": -0.5}
    yield ("question", "task", *skills)
    for task, n in sizes.items():
        ease = 1.2 * rng.random() - 0.4
        bent = {model: 0.4 * normal(rng) for model in skills}  # what a model is good at
        for number in range(1, n + 1):
            question = ease + normal(rng)
            chance = (1 / (1 + math.exp(-1.7 * (skills[m] + bent[m] + question))) for m in skills)
            yield (f"{task}-{number:03d}", task, *(int(rng.random() < p) for p in chance))


def ratings(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return the ratings from 1 to 5 of n answers by two judges, and of every fourth by a human.

    An answer is acceptable with a rating of 4 or more; one judge is too kind, and one is noisy.
    """
    judges = ("gpt", "claude", "human")
    yield "answer", "system", *(f"{judge}_rating" for judge in judges), *judges
    for answer in range(1, n + 1):
        system = ("base", "tuned")[answer % 2]
        quality = 3.2 + 0.6 * (system == "tuned") + normal(rng)
        seen = (0.3 + 0.4 * normal(rng), 0.6 * normal(rng), 0.3 * normal(rng))
        stars = [min(5, max(1, round(quality + error))) for error in seen]
        verdicts = ["acceptable" if rating > 3 else "not acceptable" for rating in stars]
        labelled = (True, True, answer % 8 < 2)
        yield (
            f"a{answer}", system,
            *(rating if known else "" for rating, known in zip(stars, labelled, strict=True)),
            *(verdict if known else "" for verdict, known in zip(verdicts, labelled, strict=True)),
        )  # fmt: skip


def search(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return the results of two search engines for questions, with their relevance from 0 to 3."""
    yield "question", "page", "relevance", "words_score", "vectors_score"
    for question in range(1, n + 1):
        for page in range(1, 9 + int(8 * rng.random())):
            wanted = normal(rng)
            relevance = sum(wanted > cut for cut in (0.7, 1.3, 1.9))
            yield (
                f"q{question}", f"q{question}-{page}", relevance,
                round(wanted + 1.2 * normal(rng), 2), round(wanted + 0.8 * normal(rng), 2),
            )  # fmt: skip


def survival(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Return months until death or the end of the study, and the risks of two models."""
    yield "patient", "hospital", "months", "died", "cox_risk", "stage_risk"
    for patient in range(1, n + 1):
        stage = 1 + int(4 * rng.random())
        risk = 0.5 * stage + 0.6 * normal(rng)
        months = -30 * math.log(1 - rng.random()) * math.exp(1.25 - risk)
        end = 12 + 48 * rng.random()
        yield (
            patient, f"hospital {1 + int(12 * rng.random())}", round(min(months, end), 1),
            int(months <= end), round(risk + 0.5 * normal(rng), 2), stage,
        )  # fmt: skip


def readings(rng: random.Random, n: int, readers: int) -> Iterable[Sequence[object]]:
    """Give the ratings of images by radiologists, first alone and then aided by a model."""
    yield "image", "radiologist", "lesion", "alone", "aided"
    skill = [1.3 + 0.3 * normal(rng) for _ in range(readers)]
    images = [(int(rng.random() < 0.4), normal(rng), normal(rng)) for _ in range(n)]
    for reader in range(readers):
        for number, (lesion, plain, marked) in enumerate(images, 1):
            seen = 50 + 15 * (skill[reader] * lesion + 0.8 * plain + 0.6 * normal(rng))
            shown = seen + 15 * (0.55 * lesion + 0.3 * marked + 0.3 * normal(rng))
            ratings = (min(100, max(0, round(rating))) for rating in (seen, shown))
            yield f"I{number:02d}", f"R{reader + 1}", lesion, *ratings


def transcripts(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Count the words of utterances, and the word errors of two recognisers, by speaker."""
    yield "utterance", "speaker", "words", "small_errors", "large_errors"
    speakers = [f"S{number:02d}" for number in range(1, 41)]
    clarity = {speaker: 0.6 * normal(rng) for speaker in speakers}
    for number in range(1, n + 1):
        speaker = speakers[int(rng.random() * len(speakers))]
        words = 1 + int(-math.log(1 - rng.random()) * 11)
        errors = {"small": 0, "large": 0}
        for _ in range(words):
            noise, common = clarity[speaker] + 0.5 * normal(rng), normal(rng)
            errors["small"] += noise + common + 0.7 * normal(rng) > 1.75
            errors["large"] += noise + common + 0.7 * normal(rng) > 2.0
        yield f"U{number:03d}", speaker, words, errors["small"], errors["large"]


def survey(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give answers to a survey that asked too few in the south, and weighs them up for it."""
    yield ("age", "commute", "household", "region", "weight", "would_switch")
    for _ in range(n):
        region = pick(rng, ["north", "north", "north", "east", "east", "south"])
        age = 18 + int(rng.random() * 62)
        commute = -math.log(1 - rng.random()) * (35 if region == "south" else 22)
        household = 1 + int(rng.random() * 5)
        weight = {"north": 0.7, "east": 1.0, "south": 2.1}[region] * (0.8 + 0.4 * rng.random())
        wish = 1.0 - 0.035 * (age - 30) + 0.03 * (commute - 22) - 0.2 * household + normal(rng)
        yield (
            age, f"{commute:.1f}", household, region, f"{weight:.2f}", "yes" if wish > 0 else "no",
        )  # fmt: skip


def sorting(rng: random.Random, n: int) -> Iterable[Sequence[object]]:
    """Give measurements of parts to be sorted; how hard that is differs from call to call."""
    yield ("length", "width", "weight", "hue", "sorted")
    slope, bend, noise = 0.5 + rng.random(), 1.2 * rng.random(), 0.4 + 0.8 * rng.random()
    for _ in range(n):
        x = [normal(rng) for _ in range(4)]
        margin = slope * x[0] - 0.5 * x[1] + bend * (x[2] * x[3]) + noise * normal(rng)
        yield (*(f"{value:.3f}" for value in x), "good" if margin > 0 else "bad")


def battles(rng: random.Random, n: int) -> Iterable[object]:
    """Give votes on answers of five models; what a prompt and a judge like is theirs alone."""
    strengths = {"alder": 0.9, "birch": 0.5, "cedar": 0.2, "elm": -0.2, "oak": -1.0}
    models = list(strengths)
    prompts = [{model: 0.4 * normal(rng) for model in models} for _ in range(150)]
    judges = [{model: 0.3 * normal(rng) for model in models} for _ in range(60)]
    for number in range(n):
        prompt, judge = int(rng.random() * 150), int(rng.random() * 60)
        first = int(rng.random() * 5)
        pair = models[first], models[(first + 1 + int(rng.random() * 4)) % 5]
        liked = [strengths[m] + prompts[prompt][m] + judges[judge][m] for m in pair]
        odds = math.exp((liked[0] - liked[1] + 0.3) / 2)  # the answer on the left is favoured
        draw = rng.random() * (odds + 1 / odds + 0.8)
        sides = ["model_a"] * (draw < odds) + ["model_b"] * (draw < odds + 1 / odds)
        yield {
            "question_id": f"Q{prompt + 1:03d}", "model_a": pair[0], "model_b": pair[1],
            "winner": [*sides, "tie"][0], "judge": f"user_{judge + 1}", "tstamp": 1.7e9 + number,
        }  # fmt: skip


def normal(rng: random.Random) -> float:
    """Draw from the standard normal distribution (Box and Muller 1958)."""
    return math.sqrt(-2 * math.log(1 - rng.random())) * math.cos(2 * math.pi * rng.random())


def pick(rng: random.Random, items: Sequence[str]) -> str:
    """Draw one of several texts."""
    return items[int(rng.random() * len(items))]


if __name__ == "__main__":
    main()
