"""The forms of issues ask for what a report needs."""

from pathlib import Path

from yaml import safe_load

FORMS = Path(__file__).parents[2] / ".github" / "ISSUE_TEMPLATE"


def test_each_form_asks_for_a_study_and_the_output_of_doctor():
    forms = [path for path in FORMS.glob("*.yml") if path.name != "config.yml"]
    assert len(forms) == 3
    for path in forms:
        form = safe_load(path.read_text(encoding="utf-8"))
        assert form["name"] and form["description"]
        fields = {field["id"]: field["attributes"]["label"] for field in form["body"]}
        assert len(fields) == len(form["body"])
        assert "smallest study" in fields["study"]
        assert "evallang doctor" in fields["doctor"]
