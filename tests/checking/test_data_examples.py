"""What `explain` shows of codes about data and results is so: each example is executed.

The studies around the examples, and the files beside them, are in `examples_of_codes`: a case
names its codes, and `<example>` in it is the wrong example of a code, or the right one. After
`leaves` stand other errors that a right example cannot be without.
"""

import re
from pathlib import Path

from many_cases import for_each
from written_cases import Case, cases

from evallang.checking.rules.rule import load_codes
from evallang.diagnostics import CODES, Phase

load_codes()
READ = {Phase.DATA, Phase.MEANING, Phase.SPLITS, Phase.RESULTS}
OF_DATA_AND_RESULTS = [code for code in sorted(CODES) if CODES[code].phase in READ]
STUDIES = {}
for path in sorted((Path(__file__).parent / "examples_of_codes").glob("*.cases")):
    for title, text in cases(path):
        names, _, rest = title.partition(" leaves ")
        for name in names.split():
            assert name not in STUDIES, f"{name} has two cases"
            STUDIES[name] = (text, set(rest.split()))
every_code = for_each("code", OF_DATA_AND_RESULTS)


def raised(code, example, folder, monkeypatch):
    """Give the codes that an example raises among its files, each with its severity."""

    def put(match):
        return "\n".join(f"{match[1]}{line}" for line in example.split("\n"))

    text = re.sub(r"(?m)^( *)<example>$", put, STUDIES[code][0])
    return Case(text, folder, monkeypatch).codes()


def test_every_code_of_data_and_results_has_a_study_to_be_executed_in():
    assert sorted(STUDIES) == OF_DATA_AND_RESULTS


@every_code
def test_the_wrong_example_of_a_code_about_data_meets_it(code, tmp_path, monkeypatch):
    assert code in raised(code, CODES[code].words.wrong, tmp_path, monkeypatch)


@every_code
def test_the_right_example_of_a_code_about_data_is_free_of_it(code, tmp_path, monkeypatch):
    found = raised(code, CODES[code].words.right, tmp_path, monkeypatch)
    assert code not in found
    assert {c for c, severity in found.items() if severity == "error"} <= STUDIES[code][1]


def test_of_a_clean_table_nothing_is_said_but_that_a_baseline_is_missing(tmp_path, monkeypatch):
    study = (
        'data visits from "visits.csv"\n  target readmitted\nmodel a = GaussianNB\nprotocol cv\n'
    )
    table = "--- visits.csv\nage,readmitted\n* 60 4{i}.5,{two}\n"
    assert Case(study + table, tmp_path, monkeypatch).codes() == {"W353": "hint"}
