"""Dates, numbers spelled as text and identifiers: what is told apart, and what raises no alarm."""

import numpy as np
import pytest
from many_cases import for_each

from evallang.data.table_rules import check_table
from evallang.data.text_forms import (
    are_amounts,
    are_clock_times,
    are_dates,
    are_digits_of_dates,
    names_counter,
    names_identifier,
)

DATES = [
    "25.08.2021", "5.8.21", "08/25/2021", "25-08-2021", "2021-08-25", "2021/8/5", "2021-08",
    "2021-08-25 10:15", "2021-08-25T10:15:30.5Z", "25.08.2021 9:05", "8/25/2021 9:05:10 PM",
    "25 Aug 2021", "25. August 2021", "Aug 25, 2021", "25-Aug-2021", "Dec-2015", "1st May 2020",
]  # fmt: skip
NO_DATES = ["1.2", "12", "31/31/2021", "1.2.3.4", "555-1234", "30-39", "may", "v1.10", "13:45",
            "A-12-05", "99.99.2021", "2021", "0-0-0", "10.0.0.1"]  # fmt: skip
AMOUNTS = ["{} mg", "{}%", "${},200", "1,{:03d}.5", "{},5", "<{}", "{} mg/dl", "€ {},50", "{}°C",
           "1 {:03d}", "1.{:03d},25", "{}kg", "{} km/h", "{} years"]  # fmt: skip
NO_AMOUNTS = ["A{}", "{}-{}", "{}.{}.{}", "item {}", "{}:30", "v{}", "({})", "{} to {}", "no. {}"]


@for_each("text", DATES)
def test_a_date_is_known_in_every_common_form(text):
    assert are_dates([text])


@for_each("text", NO_DATES)
def test_what_is_not_a_date_is_not_taken_for_one(text):
    assert not are_dates([text])


@for_each("form", AMOUNTS)
def test_numbers_with_a_unit_or_in_another_spelling_are_known(form):
    assert are_amounts([form.format(i) for i in range(10, 40)])
    assert not are_amounts([form.format(i) for i in range(10, 14)])  # four levels may be names


@for_each("form", NO_AMOUNTS)
def test_codes_are_not_taken_for_numbers(form):
    assert not are_amounts([form.format(i, i + 1, i + 2) for i in range(10, 40)])


def test_endings_of_codes_are_not_units():
    assert not are_amounts([f"{i}{end}" for i in range(1, 30) for end in "ABCDEF"])
    assert not are_amounts([f"{i}{end}" for i in range(1, 40) for end in ("st", "nd", "rd", "th")])


@pytest.mark.parametrize(
    "name", ["id", "ID", "patient_id", "customerID", "PassengerId", "id_patient", "uuid", "Case ID"]
)
def test_a_name_of_an_identifier_is_known(name):
    assert names_identifier(name)


@pytest.mark.parametrize(
    "name", ["acid", "uric acid", "covid", "width", "idle", "price_index", "humidity", "paid"]
)
def test_other_names_are_not_identifiers(name):
    assert not names_identifier(name)
    assert not names_counter(name)


RNG = np.random.default_rng(7)
N = 120
SOUND = {
    "measurements": RNG.normal(size=N).round(3),
    "prices": RNG.integers(20_000, 900_000, N),
    "ages": RNG.integers(18, 90, N),
    "years": RNG.integers(1950, 2020, N),
    "postal codes": [f"{c:05d}" for c in RNG.integers(1000, 1040, N)],
    "towns": RNG.choice([f"town {i}" for i in range(25)], N),
    "age groups": RNG.choice(["20-29", "30-39", "40-49", "50+"], N),
    "doors": RNG.choice(["2 doors", "4 doors", "5 doors"], N),
    "drives": RNG.choice(["2WD", "4WD"], N),
    "weekdays": RNG.choice(["mon", "tue", "wed", "thu", "fri"], N),
    "months": RNG.choice(["jan", "feb", "mar", "apr", "may", "jun"], N),
    "grades": RNG.choice(["A", "B", "C", "D"], N),
    "seats": [f"{i % 28 + 1}{'ABCDEF'[i % 6]}" for i in range(N)],
    "versions": RNG.choice(["1.2.0", "1.2.1", "2.0.0"], N),
    "diagnoses": RNG.choice(["I10", "E11.9", "250.01", "V27"], N),
    "ranges": RNG.choice(["<5", "5 to 9", ">9"], N),
    "times of day": RNG.choice(["morning", "noon", "night"], N),
    "shares": RNG.random(N).round(2),
    "counts": RNG.poisson(4, N),
    "body mass index": RNG.normal(25, 4, N).round(1),
    "blood_types": RNG.choice(["A+", "A-", "0+", "AB-"], N),
    "site_id": RNG.choice(["s1", "s2", "s3"], N),
    "shift starts": RNG.choice(["06:00", "14:00", "22:00"], N),
    "game scores": [f"{a}:{b}" for a, b in RNG.integers(0, 5, (N, 2))],
    "case numbers": RNG.integers(10_000_000, 99_999_999, N),
    "year and serial number": 20_210_000 + RNG.integers(0, 1000, N),
    "two days in digits": RNG.choice([20210825, 20210901], N),
    "phones": RNG.choice([f"555-12{i}" for i in range(20)], N),
    "wide whole numbers": RNG.permutation(10**6)[:N],
}


@for_each("name", SOUND)
def test_a_sound_column_raises_no_alarm(source, name):
    cells = [str(value) for value in SOUND[name]]
    lines = [f"{cell},{x:.3f},{'ab'[i % 2]}" for i, (cell, x) in
             enumerate(zip(cells, RNG.normal(size=N), strict=True))]  # fmt: skip
    table = source.table(f"{name},x,y\n" + "\n".join(lines) + "\n")
    assert [d.code for d in check_table(table)] == []


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "diabetes"])
def test_bundled_data_raise_none_of_these_alarms(source, name):
    table = source.table(None, name, kind="sklearn", target=None)
    found = {d.code for d in check_table(table, resampled=False)}
    assert not found & {"W411", "W415", "W416", "W417"}


@pytest.mark.parametrize("name", ["pid", "MRN", "uid", "patient_no", "SubjectCode", "user_key"])
def test_a_code_of_patients_with_two_rows_each_asks_for_groups(source, name):
    rows = "\n".join(f"P{i // 2:03d},{RNG.normal():.3f},{'ab'[i % 2]}" for i in range(N))
    assert "W417" in [d.code for d in check_table(source.table(f"{name},x,y\n{rows}\n"))]


@pytest.mark.parametrize("name", ["postal_code", "country_code", "house_number", "key"])
def test_a_code_of_something_else_asks_for_no_groups(source, name):
    rows = "\n".join(f"P{i // 2:03d},{RNG.normal():.3f},{'ab'[i % 2]}" for i in range(N))
    assert "W417" not in [d.code for d in check_table(source.table(f"{name},x,y\n{rows}\n"))]


def test_iso_and_german_dates_are_treated_alike(source):
    def found(form):
        days = [form.format(day=i % 28 + 1, month=i % 3 + 1) for i in range(60)]
        rows = "\n".join(f"{day},{i % 7}.5,{'ab'[i % 2]}" for i, day in enumerate(days))
        return [d.code for d in check_table(source.table(f"d,x,y\n{rows}\n"))]

    german, iso = found("{day:02d}.{month:02d}.2021"), found("2021-{month:02d}-{day:02d}")
    assert german == iso
    assert "W415" in german


def day(i):
    return np.datetime64("2021-01-15") + np.timedelta64(int(i), "D")


HOURS = ["{h}:{m:02d}", "{h:02d}:{m:02d}:00", "{h:02d}:{m:02d}:30.5", "{h}:{m:02d} PM"]


@pytest.mark.parametrize("form", HOURS)
def test_times_of_day_are_known_from_ten_on(form):
    times = [form.format(h=i % 12, m=i) for i in range(60)]
    assert are_clock_times(times)
    assert not are_clock_times(times[:9])
    assert not are_clock_times([f"{i}:{i % 60:02d}" for i in range(20, 120)])  # minutes of a run


def test_eight_digits_are_dates_where_all_are_days_and_twenty_differ():
    days = [str(day(i)).replace("-", "") for i in range(40)]
    assert are_digits_of_dates(days)
    assert not are_digits_of_dates(days[:19])
    assert not are_digits_of_dates([*days, "20210230"])
    assert not are_digits_of_dates([*days, "33210201"])
    assert not are_digits_of_dates([*days, "-1"])


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (lambda i: f"{i % 24:02d}:{i * 7 % 60:02d}",
         "contains times of day such as `00:00`, and each"),
        (lambda i: str(day(i % 50)).replace("-", ""),
         "contains dates written as numbers such as `20210115`, and their distances are not days"),
    ],
)  # fmt: skip
def test_times_and_digits_among_the_features_are_named(source, cell, words):
    rows = "\n".join(f"{cell(i)},{x:.3f},{'ab'[i % 2]}" for i, x in enumerate(RNG.normal(size=N)))
    found = [d for d in check_table(source.table(f"seen,x,y\n{rows}\n")) if d.code == "W415"]
    assert [words in d.message for d in found] == [True]
