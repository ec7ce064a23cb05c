"""`evallang new` on what was measured: scores and predictions, a column or a row for each model."""

import csv
import itertools
import random

import pandas as pd
import pytest
from many_cases import for_each

from evallang.api.preparing import read_and_plan
from evallang.api.study_file import check_text
from evallang.data.number_signs import is_number
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


BATTLES = [
    (i, pair, ("model_a", "tie", "model_b")[(i // 6 + i) % 3])
    for i, pair in enumerate(list(itertools.permutations(("one two", "b", "c"), 2)) * 20)
]
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
    "several_of_caret": rows(
        "Resample,lm~RMSE,lm~MAE,rf~RMSE,rf~MAE",
        [(f"Fold{k}", 3 + k / 9, 2, 2.5 + k / 7, 1.8) for k in range(1, 6)],
    ),
    "cross_validate": rows(
        "estimator,fold,test_neg_mean_absolute_error",
        [(m, k, -2 - k / 7 - (m == "gbm")) for m in ("ridge", "gbm") for k in range(5)],
    ),
    "mlr3": rows(
        "nr,task_id,learner_id,resampling_id,iteration,classif.ce",
        [
            (d * 2 + (m == "rpart"), f"t{d}", m, "cv", k, 0.2 + k / 99 + d / 50)
            for d in range(7)
            for m in ("rpart", "ranger")
            for k in range(1, 4)
        ],
    ),
    "mlflow": rows(
        "run_id,status,params.model,params.seed,metrics.val_loss,metrics.val_accuracy",
        [(f"{m}{s}", "FINISHED", m, s, 0.3, 0.9 + s / 99) for m in ("a", "b") for s in range(4)],
    ),
    "lm_eval": rows(
        "Model,Tasks,Version,Filter,n-shot,Metric,Value,Stderr",
        [
            (m, f"t{i}", 1, "none", 0, q, 0.5 + i / 50, 0.01)
            for m in ("x", "y")
            for i in range(7)
            for q in ("acc", "acc_norm")
        ],
    ),
    "subjects": rows("subject,CSP,EEGNet", [(f"S{i}", 0.7 + i / 99, 0.72) for i in range(9)]),
    "by_suffix": rows("series,ETS_sMAPE,N_sMAPE", [(f"T{i}", 9 + i, 8.5) for i in range(9)]),
    "of_r": rows(
        ",obs,glm,rf",
        [(i + 1, *(("no", "yes")[v] for v in (y, *p[:2]))) for i, y, p, _ in predicted()],
    ),
    "booleans": rows("id,label,cnn,vit", [(i, bool(y), *p[:2]) for i, y, p, _ in predicted()]),
    "prices": rows(
        "id,price,a,b",
        [(i, 100 + 37 * i % 50, 101 + 37 * i % 50, 90 + 37 * i % 50) for i in range(40)],
    ),
    "readers": rows(
        "case,reader,truth,aided,unaided",
        [(i, r, y, *s[:2]) for r in "ABC" for i, y, _, s in predicted()],
    ),
    "runs": rows(
        "id,seed,truth,a,b", [(i, k, y, *p[:2]) for k in range(3) for i, y, p, _ in predicted()]
    ),
    "named_models": rows(
        "model_name,sample_id,y_true,y_pred",
        [(m, i, y, p[k]) for k, m in enumerate("ab") for i, y, p, _ in predicted()],
    ),
    "samples": rows(
        "model,question,correct",
        [
            (m, f"q{i}", p[k])
            for k, m in enumerate("ab")
            for i, _, p, _ in predicted()
            for _ in "xy"
        ],
    ),
    "words": rows(
        "system,item,verdict",
        [
            (m, i, ("incorrect", "correct")[p[k]])
            for k, m in enumerate("ab")
            for i, _, p, _ in predicted()
            if i + k
        ],
    ),
    "gaps": rows(
        "system,item,score",
        [
            (m, i, "" if i == 3 else ("False", "true")[p[k]])
            for k, m in enumerate("ab")
            for i, _, p, _ in predicted()
        ],
    ),
    "attempts": rows(
        "task,attempt,planner,reactive",
        [(f"t{i}", k, (i + k) % 2, int(i % 3 > 0)) for i in range(40) for k in range(2)],
    ),
    "one_model": rows(
        "task_id,completion,result,passed",
        [(f"T/{i}", f"x{i}", "failed" * (i % 2), i % 2 == 0) for i in range(40) for _ in "xy"],
    ),
    "arena": rows(
        "question_id,model_a,model_b,winner,judge",
        [(i % 40, *pair, w, "gpt") for i, pair, w in BATTLES],
    ),
    "votes": rows(
        "prompt,left_model,right_model,verdict",
        [
            (i % 40, *pair, {"model_a": "left", "model_b": "right"}.get(w, "both bad"))
            for i, pair, w in BATTLES
        ],
    ),
    "winners": rows(
        "first system,second system,preferred",
        [(*pair, {"model_a": pair[0], "model_b": pair[1]}.get(w, "")) for _, pair, w in BATTLES],
    ),
    "judges": rows(
        "answer,gpt,claude,human",
        [
            (f"a{i}", *("ok" if v else "bad" for v in p[:2]), ("bad", "ok")[y] * (i < 40))
            for i, y, p, _ in predicted()
        ],
    ),
    "ratings": rows(
        "answer_id,gpt_rating,human_rating", [(i, 1 + i % 5, 1 + i % 4) for i in range(40)]
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
        ("several_of_caret", ['lm as "lm~RMSE"', "# For `MAE` name", 'metric "RMSE"']),
        ("cross_validate", ["model estimator", "# A higher value", 'neg_mean_absolute_error"']),
        ("mlr3", ["dataset task_id", "model learner_id", "# A lower value", 'metric "classif.ce"']),
        ("mlflow", ['seed "params.seed"', 'score "metrics.val_accuracy"', "# No test"]),
        ("lm_eval", ["dataset Tasks", "model Model\n", "measure acc, acc_norm"]),
        ("subjects", ["dataset subject", "models CSP, EEGNet", "across data"]),
        ("by_suffix", ["ETS as ETS_sMAPE", 'metric "sMAPE"', "# A lower value"]),
        ("of_r", ["truth obs", "models glm, rf", "compare with mcnemar"]),
        ("booleans", ["truth label", "models cnn, vit"]),
        ("prices", ["truth price", "models a, b", "task regression"]),
        ("readers", ["id case", "reader reader", 'score aided = "aided"']),
        ("runs", ["id id", "seed seed", "compare with obuchowski_rockette"]),
        ("named_models", ["id sample_id", "model model_name", "models all as y_pred"]),
        ("samples", ["id question", "repeat by order", "correct correct", "with permutation"]),
        ("words", ['correct all as verdict = "correct"', "# Not every model", "rows common"]),
        ("gaps", ["correct score", "# Missing in 2 rows", "where score is not missing"]),
        ("attempts", ["id task", "repeat attempt", "correct planner, reactive", "permutation"]),
        ("one_model", ["id task_id", "repeat by order", "correct one_model as passed"]),
        ("arena", ['battles votes from "arena.csv"\n\n', "with bradley_terry"]),
        ("votes", ["first left_model", 'winner verdict {"both bad": tie, left: first, right: sec',
                   "group prompt"]),
        ("winners", ['second "second system"\n  winner preferred\n']),
        ("judges", ["judges gpt, claude truth human", "measure accuracy, cohen_kappa"]),
        ("ratings", ["judges gpt_rating, human_rating\n", "krippendorff_alpha(level=ordinal)"]),
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


@for_each(
    ("table", "words"),
    [
        (rows("Model,ARC,MMLU", [("A", 45.1, 59.9), ("B", 72.3, 46.4)]), "`ARC`, `MMLU`"),
        (
            rows(
                ",params,mean_fit_time,split0_test_score,split1_test_score",
                [(0, "{'C': 1}", 0.01, 0.9, 0.8), (1, "{'C': 9}", 0.02, 0.9, 0.7)],
            ),
            "`split0_test_score`, `split1_test_score`",
        ),
    ],
)
def test_models_in_rows_are_refused_with_what_to_write(tmp_path, table, words):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(DraftRefused, match=f"a row for each model.*{words}"):
        draft_study(tmp_path / "study.eval", tmp_path / "t.csv", None, "compare")


def test_the_direction_of_numbers_beyond_one_is_left_to_the_author(tmp_path):
    (tmp_path / "t.csv").write_text(FILES["by_suffix"].replace("_sMAPE", ""))
    draft = draft_study(tmp_path / "study.eval", tmp_path / "t.csv", None, "compare")
    assert [d.code for d in draft.diagnostics if d.severity is Severity.ERROR] == ["E133"]
    assert "is better" not in "".join(s for s in draft.text.splitlines() if "#" not in s)


@for_each("name", ["auc", "wide", "rows_of_models"])
def test_a_workbook_gives_the_draft_of_its_table(tmp_path, name):
    pytest.importorskip("fastexcel")
    writer = pytest.importorskip("xlsxwriter")
    book = writer.Workbook(tmp_path / f"{name}.xlsx")
    sheet = book.add_worksheet("Results")
    for place, row in enumerate(csv.reader(FILES[name].splitlines())):
        for column, cell in enumerate(row):
            sheet.write(place, column, cell if not place or not is_number(cell) else float(cell))
    book.close()
    (tmp_path / f"{name}.csv").write_text(FILES[name])
    plain, drafted = (
        draft_study(tmp_path / "study.eval", tmp_path / f"{name}.{end}", None, "compare")
        for end in ("csv", "xlsx")
    )
    assert drafted.text == plain.text.replace(f"{name}.csv", f"{name}.xlsx")
    assert not [d for d in drafted.diagnostics if d.severity is Severity.ERROR]


def test_forecasts_with_a_column_of_dates_are_a_series(tmp_path):
    draw = random.Random(5)
    made = [(f"20{15 + i // 12}-{i % 12 + 1:02d}", 100 + i, 100 + i + draw.gauss(0, 3),
             100 + i + draw.gauss(0, 4)) for i in range(60)]  # fmt: skip
    (tmp_path / "sales.csv").write_text(rows("month,sales,arima,ets", made))
    draft = draft_study(tmp_path / "s.eval", tmp_path / "sales.csv", "sales", "compare")
    assert "\n  time month\n" in draft.text
    assert "compare with diebold_mariano(variance=newey_west) by mae\n" in draft.text


def test_columns_with_the_values_of_the_target_may_be_predictions_and_the_draft_says_so(tmp_path):
    draw = random.Random(6)
    made = [(draw.choice(("yes", "no")), *(draw.choice(("yes", "no")) for _ in "ab"))
            for _ in range(80)]  # fmt: skip
    for header, said in (("sick,fever,cough", True), ("sick,fever,age", False)):
        table = made if said else [(y, a, 20 + i) for i, (y, a, _) in enumerate(made)]
        (tmp_path / "t.csv").write_text(rows(header, table))
        draft = draft_study(tmp_path / "s.eval", tmp_path / "t.csv", "sick", "compare")
        assert ("call the target" in draft.text) == said


@for_each(
    "table",
    [
        rows("Tasks,n-shot,Metric,Value", [(f"t{i}", 0, "acc", i / 10) for i in range(6)]),
        rows(",fit_time,test_accuracy", [(i, 0.1 + i, 0.8 + i / 100) for i in range(5)]),
    ],
)
def test_scores_without_a_column_of_models_are_no_rows_to_train_on(tmp_path, table):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(DraftRefused, match=r"scores that were measured elsewhere: .*the model"):
        draft_study(tmp_path / "s.eval", tmp_path / "t.csv", None, "compare")


def test_a_german_table_of_scores_is_one(tmp_path):
    made = [(m, d, f"0.{len(m) + len(d)}") for m in ("Baum", "Wald") for d in ("iris", "w", "herz")]
    (tmp_path / "t.csv").write_text(rows("Modell,Datensatz,Genauigkeit", made))
    text = draft_study(tmp_path / "s.eval", tmp_path / "t.csv", None, "compare").text
    assert "\n  dataset Datensatz\n  model Modell\n  score Genauigkeit\n" in text


def test_a_draft_says_what_to_write_if_a_few_numbers_are_scores_already(tmp_path):
    draw = random.Random(7)
    made = [(draw.choice(("Good", "Poor")), draw.random(), 9 * draw.random()) for _ in range(80)]
    (tmp_path / "t.csv").write_text(rows("outcome,s100b,ndka", made))
    text = draft_study(tmp_path / "s.eval", tmp_path / "t.csv", None, "compare").text
    assert "`predictions` with `truth outcome`" in " ".join(text.replace("#", " ").split())


@for_each(
    ("table", "words"),
    [
        (
            rows("id,model_a,model_b,winner_model_a,winner_model_b,winner_tie",
                 [(i, *pair, *(int(w == v) for v in ("model_a", "model_b", "tie")))
                  for i, pair, w in BATTLES]),
            r"a column for each verdict; .*idxmax\(axis=1\)",
        ),
        (
            rows("a,b,winner", [(*pair, w.replace("tie", "odd")) for _, pair, w in BATTLES]),
            r"the meaning of .*`odd` in `winner` is unclear; write .*`first a`",
        ),
    ],
)  # fmt: skip
def test_verdicts_that_are_not_understood_are_refused_with_what_to_write(tmp_path, table, words):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(DraftRefused, match=words):
        draft_study(tmp_path / "s.eval", tmp_path / "t.csv", None, "compare")


def test_one_column_of_verdicts_is_what_the_line_of_pandas_makes(tmp_path):
    verdicts = ("model_a", "model_b", "tie")
    table = pd.DataFrame(
        [(*pair, *(int(w == v) for v in verdicts)) for _, pair, w in BATTLES],
        columns=["model_a", "model_b", *(f"winner_{v}" for v in verdicts)],
    )
    table.to_csv(tmp_path / "t.csv")
    text = 'evallang 1\nstudy\n  seed 1\nbattles votes from "t.csv"\nmeasure bradley_terry\n'
    study = check_text(text, "s.eval", tmp_path)
    (found,) = read_and_plan(study, errors_are_fine=True).diagnostics
    exec(found.help.split("`")[1], {"table": table})
    assert table["winner"].tolist() == [w for _, _, w in BATTLES]


@for_each("names", ["sick,fever,cough", "id,fever,cough", "origin,destination,cabin"])
def test_tables_to_learn_from_are_neither_battles_nor_answers(tmp_path, names):
    draw = random.Random(8)
    first = names.partition(",")[0]
    made = [
        (*draw.sample(["VIE", "FRA", "CDG"], 2), draw.choice((1, 2)))
        if first == "origin"
        else (i if first == "id" else draw.choice((0, 1)), *draw.choices((0, 1), k=2))
        for i in range(60)
    ]
    (tmp_path / "t.csv").write_text(rows(names, made))
    with pytest.raises(DraftRefused, match="which column is to be predicted"):
        draft_study(tmp_path / "s.eval", tmp_path / "t.csv", None, "compare")
