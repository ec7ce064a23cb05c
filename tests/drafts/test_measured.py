"""`evallang new` on what was measured: scores and predictions, a column or a row for each model."""

import random

import pytest
from many_cases import for_each

from evallang.diagnostics import Severity
from evallang.drafts.draft import draft_study
from evallang.drafts.writing import DraftRefused


def rows(header, made):
    return header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in made)


def predicted():
    """Iterate over examples with a truth, and label and score of three models."""
    draw = random.Random(4)
    for example in range(60):
        truth = example % 2
        found = [round(min(max(0.3 + 0.4 * truth + draw.gauss(0, 0.2), 0.01), 0.99), 3)
                 for _ in "abc"]  # fmt: skip
        yield example, truth, [int(score > 0.5) for score in found], found


PLACES = [(f"d{i}", k, r) for i in range(2) for r in range(3) for k in range(5)]
FILES = {
    "auc": rows("dataset,svm,rf,knn", [(f"d{i}", 0.7, 0.8 + i / 100, 0.75) for i in range(8)]),
    "caret": rows(
        "Resample,lda~RMSE,cart~RMSE",
        [(f"Fold{k}.Rep{r}", 2.5 + k / 10, 2.6 + r / 10) for r in (1, 2) for k in range(1, 6)],
    ),
    "splits": rows("split,a,b", [(i, 0.7 + i / 50, 0.8) for i in range(6)]),
    "long": rows(
        "algorithm,dataset,metric,value",
        [(m, f"d{i}", q, 0.7 + i / 100) for m in "ab" for i in range(7) for q in ("auc", "f1")],
    ),
    "weka": rows(
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct",
        [(d, r, k, "IBk", o, 70 + k + r / 3) for d, k, r in PLACES for o in ("-K 1", "-K 3")],
    ),
    "seeds": rows(
        "model,seed,accuracy", [(m, s, 0.9 + s / 100) for m in ("vit", "net") for s in range(4)]
    ),
    "wide": rows("id,y,a,b,pa,pb", [(i, y, *p[:2], *s[:2]) for i, y, p, s in predicted()]),
    "scored": rows("id,y,p_cnn,p_vit", [(i, y, *s[:2]) for i, y, _, s in predicted()]),
    "rows_of_models": rows(
        "model,id,label,pred,score",
        [(m, i, y, p[k], s[k]) for k, m in enumerate("abc") for i, y, p, s in predicted()],
    ),
    "outcomes": rows(
        "model,question,correct",
        [(m, f"q{i}", p[k]) for k, m in enumerate("abc") for i, _, p, _ in predicted()],
    ),
}


@for_each(
    ("name", "lines"),
    [
        ("auc", ["dataset dataset", "models svm, rf, knn", 'metric "roc_auc"', "across data with"]),
        ("caret", ["fold Resample", 'lda as "lda~RMSE"', 'metric "RMSE"', "with corrected_t"]),
        ("splits", ["fold split", "higher is better", "# No test"]),
        ("long", ["model algorithm", "metric metric", "measure auc, f1", "wilcoxon by auc"]),
        ("weka", ["model Key_Scheme, Key_Scheme_options", "score Percent_correct",
                  "repeat Key_Run", "compare with corrected_t"]),
        ("seeds", ["seed seed", "score accuracy", "# No test"]),
        ("wide", ["truth y", "models a, b", 'score a = "pa"', "compare with mcnemar"]),
        ("scored", ["truth y", "models cnn, vit", 'score cnn = "p_cnn"']),
        ("rows_of_models", ["model model", "models all as pred", "score score", "mcnemar holm"]),
        ("outcomes", ["id question", "model model", "correct correct", "measure accuracy"]),
    ],
)  # fmt: skip
def test_a_draft_of_what_was_measured_fits_no_model_and_checks_clean(tmp_path, name, lines):
    (tmp_path / f"{name}.csv").write_text(FILES[name])
    draft = draft_study(tmp_path / "study.eval", tmp_path / f"{name}.csv", None, "compare")
    assert not [d for d in draft.diagnostics if d.severity is Severity.ERROR]
    for line in lines:
        assert line in draft.text
    assert "\ndata " not in draft.text and "\nprotocol " not in draft.text


def test_a_truth_that_nothing_names_is_asked_for_with_its_candidates(tmp_path):
    table = FILES["wide"].replace("id,y,a,b,pa,pb", "id,code,pred_a,pred_b,pa,pb")
    (tmp_path / "p.csv").write_text(table)
    with pytest.raises(DraftRefused, match=r"`pred_a`, `pred_b` look like predictions.*`code`"):
        draft_study(tmp_path / "study.eval", tmp_path / "p.csv", None, "compare")
    draft = draft_study(tmp_path / "study.eval", tmp_path / "p.csv", "code", "compare")
    assert "truth code" in draft.text and "models pred_a, pred_b" in draft.text
