"""What values mean: dates, clock times, numbers spelled as text, names of identifiers."""

import datetime
import itertools
import re
from collections.abc import Collection

MOST_LOOKED_AT = 5_000  # distinct values of a column; more of them add nothing new
MOSTLY = 0.9  # share of the values that have one form: a slip in one of ten does not hide it
AT_LEAST = 10  # different numbers; fewer (`2 doors`, `4 doors`) may as well be names
LONGEST = 60  # characters of a date or an amount; longer text is prose
MOST_UNITS = 3  # of one quantity (mg, g); more are endings of codes such as 12A, 12B, 12C ...

_MONTH = r"(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\.?"
_TIME = (
    r"([T ,]+\d{1,2}[:.]\d{2}([:.]\d{2}([.,]\d+)?)?( ?[ap]\.?m\.?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?"
)
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})(\2(\d{{1,2}}))?{_TIME}", re.IGNORECASE)
_YEAR_LAST = re.compile(
    rf"(\d{{1,2}})([-/.]) ?(\d{{1,2}})\2 ?(\d{{4}}|\d{{2}}){_TIME}", re.IGNORECASE
)
_WITH_MONTH = re.compile(
    rf"(\d{{1,2}}(st|nd|rd|th|\.)?[ -]?{_MONTH}[ ,-]*\d{{2,4}}|{_MONTH}[ -]?\d{{1,2}}(st|nd|rd|th)?"
    rf"[ ,]+\d{{4}}|{_MONTH}[ -]\d{{4}}){_TIME}",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?( ?[ap]\.?m\.?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{8}")
LEAST_OF_DIGITS = 20
"""Distinct values before eight digits are taken for dates; all of them must be.

Of 10,000 made columns each with 20 to 500 identifiers of eight digits, none was taken for dates
where they were random, or a year with a serial number; of counters 0.02 % were from a random
start, and 0.5 % from a random day of a month. A year, a month and a serial number of at most 28
are always taken. No column of the small data sets of scikit-learn is.
"""
_YEARS = range(1900, 2101)
_GROUPED = r"\d{1,3}([., '’\u00a0\u202f]\d{3})+([.,]\d+)?"
_LETTERS = r" ?[^\W\d_]{1,12}[²³]?([/^·*-][^\W_]{1,8}[²³]?)*\.?"
_SIGN = r" ?[%‰°$€£¥]([CF]|/[^\W_]{1,4})?"
_AMOUNT = re.compile(
    r"[<>≤≥~≈]? ?[$€£¥]? ?"
    rf"(?P<number>[+-]?({_GROUPED}|\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?)"
    rf"(?P<unit>{_LETTERS}|{_SIGN})?"
)
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
_UNITS = frozenset(
    {
        *("animal", "author", "case", "client", "customer", "donor", "family", "household"),
        *("participant", "passage", "patient", "person", "player", "pupil", "respondent"),
        *("session", "speaker", "student", "subject", "user"),
    }
)
_NUMBERED = frozenset({"code", "key", "no", "nr", "num", "number"})
"""Words after a unit that keep its meaning: patient_no, SubjectCode."""
_FOLDS = frozenset({"fold", "folds", "kfold", "split", "splits"})
_REPLICATES = _FOLDS | {
    *("boot", "bootstrap", "iteration", "rep", "repeat", "repetition", "replicate", "run"),
    *("seed", "trial"),
}
_RUNS = frozenset({"run", "seed", "trial"})
_READERS = frozenset({"annotator", "rater", "reader"})
_SITES = frozenset(
    {
        *("batch", "center", "centre", "clinic", "country", "hospital", "institution", "lab"),
        *("location", "plant", "region", "scanner", "school", "site", "station", "ward"),
    }
)
_TRIALS = frozenset({"trial", "trials"})
"""Repeats of an experiment, which have numbers, or clinical trials, which have names."""
_IDENTIFIERS = frozenset({"id", "ids", "identifier", "guid", "uuid", "pid", "uid", "mrn"})
_TIMES = frozenset(
    {
        *("date", "datetime", "day", "hour", "month", "period", "quarter", "timestamp", "week"),
        *("year", "yr"),
    }
)
_STEPS = frozenset(map(str.casefold, ("T", "time", "timestep")))
_BIRTHS = frozenset({"birth", "birthday", "born", "dob"})
"""A day of birth is not the day of an observation."""
_COUNTERS = frozenset({"idx", "index", "row", "rowid", "rownames", "rownum", "row index"})


def is_date(text: str) -> bool:
    """Return whether a text is a date, with or without a time, in any common form.

    Year first (2021-08-25, 2021/8/25, 2021-08), year last with the day or the month first
    (25.08.2021, 08/25/2021, 25-8-21), or with the name of a month (25 Aug 2021, Aug-2021).
    """
    if found := _YEAR_FIRST.fullmatch(text):
        month, day = int(found[3]), int(found[5] or 1)
        return 1 <= month <= 12 and 1 <= day <= 31 and found[1][0] in "12"
    if found := _YEAR_LAST.fullmatch(text):
        first, second = int(found[1]), int(found[3])
        return min(first, second) >= 1 and min(first, second) <= 12 and max(first, second) <= 31
    return _WITH_MONTH.fullmatch(text) is not None


def are_dates(values: Collection[str]) -> bool:
    """Return whether nine of ten distinct values are dates."""
    looked_at = _looked_at(values)
    return bool(looked_at) and sum(map(is_date, looked_at)) >= MOSTLY * len(looked_at)


def are_clock_times(values: Collection[str]) -> bool:
    """Return whether nine of ten distinct values are times of day, and ten or more differ.

    Fewer (`09:00`, `12:00`, `18:00`) may as well name shifts.
    """
    looked_at = _looked_at(values)
    found = sum(_CLOCK.fullmatch(value) is not None for value in looked_at)
    return found >= max(AT_LEAST, MOSTLY * len(looked_at))


def are_digits_of_dates(values: Collection[str]) -> bool:
    """Return whether all distinct values are dates in eight digits, such as `20210825`."""
    looked_at = _looked_at(values)
    return len(looked_at) >= LEAST_OF_DIGITS and all(map(_is_day, looked_at))


def _is_day(text: str) -> bool:
    if not _DIGITS.fullmatch(text) or int(text[:4]) not in _YEARS:
        return False
    try:
        datetime.date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True


def are_amounts(values: Collection[str]) -> bool:
    """Return whether distinct values are numbers with a unit or a sign, or in another spelling.

    `12 mg`, `45%`, `$1,200`, `1,234.5`, `12,5`, `<5`. They must be at least ten different
    numbers, with at most three units.
    """
    looked_at = _looked_at(values)
    found = [match for value in looked_at if (match := _AMOUNT.fullmatch(value))]
    marked = [match for match in found if not _PLAIN.fullmatch(match[0])]
    numbers = {match["number"] for match in found}
    units = {(match["unit"] or "").strip() for match in marked} - {""}
    if len(numbers) < AT_LEAST or not marked or len(units) > MOST_UNITS:
        return False
    every = len(found) == len(looked_at)
    return every or (len(found) >= MOSTLY * len(looked_at) and 2 * len(marked) >= len(looked_at))


def names_identifier(name: str) -> bool:
    """Return whether a column is called an identifier: id, patient_id, customerID, uuid."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _IDENTIFIERS or words[0] in _IDENTIFIERS)


def names_unit(name: str) -> bool:
    """Return whether a column is called by one unit of a study: patient, user, speaker."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    if len(words) > 1 and words[-1] in _NUMBERED:
        words.pop()
    return bool(words) and words[-1] in _UNITS


def names_fold(name: str) -> bool:
    """Return whether a column is called by the fold of each row: fold, cv_fold, fold_id."""
    return _last_word(name) in _FOLDS


def names_replicate(name: str) -> bool:
    """Return whether a column is called by repeats of one experiment: seed, run, fold, trial."""
    return _last_word(name) in _REPLICATES


def names_run(name: str) -> bool:
    """Return whether a column is called by runs that repeat one experiment: seed, run, trial."""
    return _last_word(name).removesuffix("s") in _RUNS


def names_seed(name: str) -> bool:
    """Return whether a column is called by the seed of a run: seed, random_seed."""
    return _last_word(name).removesuffix("s") == "seed"


def names_reader(name: str) -> bool:
    """Return whether a column is called by who judged a row: reader, rater_id."""
    return _last_word(name) in _READERS


def names_group(name: str) -> bool:
    """Return whether a column is called by what several rows come from: patient, site, lab_no."""
    return _last_word(name) in _UNITS | _SITES | _READERS


def names_trial(name: str) -> bool:
    """Return whether a column is called by trials, which may be repeats or studies of their own."""
    return _last_word(name) in _TRIALS


def _last_word(name: str) -> str:
    """Return the last word of a column's name, without a word such as `no` or `id` behind it."""
    words = [word.casefold() for word in _WORDS.findall(name) if not word.isdigit()]
    if len(words) > 1 and words[-1] in _NUMBERED | _IDENTIFIERS:
        words.pop()
    return words[-1] if words else ""


def names_time(name: str, *, used: bool = True) -> bool:
    """Return whether a column is called as the moment of a row is: date, year, timestamp.

    A feature called `time` or `t` is mostly a duration; of a column that is not `used` it is a
    moment.
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words or set(words) & _BIRTHS:
        return False
    if len(words) != 1 and not (len(words) == 2 and words[-1] in {"date", "time"}):
        return False
    return words[-1] in _TIMES or (not used and words[-1] in _STEPS)


def names_birth(name: str) -> bool:
    """Return whether a column is called as a day of birth is: DOB, birth_date."""
    return bool({word.casefold() for word in _WORDS.findall(name)} & _BIRTHS)


def names_counter(name: str) -> bool:
    """Return whether a column is called as a counter of rows is: index, `Unnamed: 0`, row."""
    words = " ".join(word.casefold() for word in _WORDS.findall(name))
    return words in _COUNTERS or re.fullmatch(r"unnamed \d+", words) is not None


def _looked_at(values: Collection[str]) -> list[str]:
    """Return the first values; none where one is longer than any date or amount."""
    first = list(itertools.islice(values, MOST_LOOKED_AT))
    return [] if any(len(value) > LONGEST for value in first) else first
