"""Where an author places what a help says to write, for cases that need a reader to place it.

Each case of a golden file maps to the edits of its text: what the help names, written where the
line, the query or the file has room for it.
"""

Edits = tuple[tuple[str, str], ...]
PROTOCOL_CV = "protocol cv folds=10"
TOGETHER = ("predictions p", "evallang 1\nstudy\n  seed 1\n  families together\npredictions p")
AGE = ("readmitted\n", "readmitted\n  features age\n")
SELECTED = "  features g96, g190, g193, g7, g121, g169, g100, g174"
PLACED: dict[tuple[str, int], Edits] = {
    ("E601", 3): (
        ('from lm_eval "runs"', 'from every_eval_ever "data/**/*.jsonl"'),
        (
            "runs/mmlu/per_instance_stats.json\n[]",
            'data/a.jsonl\n* 30 {{"model_id":"m","evaluation_name":"mmlu","sample_id":"q{i}",'
            '"evaluation":{{"score":{two}}}}}',
        ),
    ),
    ("W467", 0): (
        ("require bradley_terry of", "require bradley_terry(anchor=a, at=1000) of"),
    ),
    ("E605", 4): (("measure bradley_terry", "measure bradley_terry(ties=half)"),),
    ("E605", 5): (("measure bradley_terry", "measure bradley_terry(order=none)"),),
    ("E409", 6): (
        (
            'from "out.csv"\n  id topic\n  correct small as Status = PASS\n',
            'from "out.jsonl"\n  model promptIdx\n  id testIdx\n  correct all as success\n',
        ),
        (
            "--- out.csv\n",
            '--- out.jsonl\n* 30 {{"testIdx":{i},"promptIdx":0,"success":true}}\n'
            '* 30 {{"testIdx":{i},"promptIdx":1,"success":false}}\n--- out.csv\n',
        ),
    ),
    ("E218", 17): (
        (
            '  correct all as right\nanalyze cost_frontier(cost="output tokens")',
            '  correct all as right\npredictions costs from "answers.csv"\n  model model\n'
            '  id question\n  value "output tokens" all as tokens\n  lower is better\n'
            'analyze cost_frontier(cost="output tokens")',
        ),
    ),
    ("E603", 0): (('inspect "a.json"', 'inspect "a.json"\n  scorer match'),),
    ("E022", 8): (("nested cv 5x2", "nested cv outer=5 inner=2"),),
    ("E022", 9): (("repeated cv 10x10", "repeated cv folds=10 times=10"),),
    ("E044", 23): (("compare all pairs", "compare all"),),
    ("E134", 6): (("repeat seed", "seed seed"),),
    ("E044", 27): (("nested cv 5 by 2", "nested cv outer=5 inner=2"),),
    ("E044", 28): (("compare each pair", "compare all"),),
    ("W473", 0): (("diebold_mariano", "diebold_mariano(newey_west)"),),
    ("W473", 1): (("diebold_mariano(horizon=3)", "diebold_mariano(newey_west)"),),
    ("W473", 2): (("diebold_mariano", "diebold_mariano(newey_west)"),),
    ("W473", 3): (("permutation(block=3)", "diebold_mariano(newey_west)"),),
    ("E044", 1): (("worse than", "not worse than"),),
    ("E044", 5): (("cv 10", "cv folds=10"),),
    ("E044", 6): (("cv(10)", "cv folds=10"),),
    ("E044", 25): (("holdout 80/20", "holdout test=20%"),),
    ("E071", 0): (("cnn vs vit, bert", "cnn vs vit, cnn vs bert"),),
    ("E071", 1): (("bert, cnn vs vit", "bert, cnn, vit"),),
    ("E071", 4): (("  bert,\n", "  bert vs vit,\n"),),
    ("E071", 5): (("human, ", "human, human vs "),),
    ("E076", 2): (("[SimpleImputer, StandardScaler]", "SimpleImputer | StandardScaler"),),
    ("E112", 4): (("n_neighbors=[", "n_neighbors in ["), ("cv folds=10", "nested cv")),
    ("E112", 11): (("estimator=SVR", "estimator=LogisticRegression"),),
    ("E117", 0): (("in 0.1..10", "in 1e-3..1e3 log 7"),),
    ("E117", 1): (("15..1 step 2", "15..1 step -2"),),
    ("E117", 2): (("in 0..0.1 step 0", "in 0..0.1 step 0.02"),),
    ("E117", 3): (("in []", "in 1..15 step 2"),),
    ("E117", 5): (("in 0..1e3 log 7", "in 1e-3..1e3 log 7"),),
    ("E117", 6): (("1e-3..1e3 loguniform", "1e-3..1e3 log 7"),),
    ("E117", 7): (("in costs", "in [1, 10, 100]"),),
    ("E117", 8): (("in costs", "in [1, 10, 100]"), ("let costs = 10\n", "")),
    ("E117", 9): (("1e3..1e-3 loguniform", "1e-3..1e3 loguniform"),),
    ("E127", 4): (('from "breast_cancer"\n  target y', "from sklearn breast_cancer"),),
    ("E130", 15): (("train=80%", "test=20%"),),
    ("E130", 16): (("train=60%", "test=25%"),),
    ("E140", 3): (
        ("  impute median\n", ""),
        ("= DecisionTreeClassifier", "= SimpleImputer | StandardScaler | LogisticRegression"),
    ),
    ("E143", 23): (("range a = low", 'range a = ["low", "high"]'),),
    ("E144", 6): (
        ("= GaussianNB", "= StandardScaler | LogisticRegression(C in 1e-3..1e3 log 7)"),
        (PROTOCOL_CV, "protocol nested cv"),
        ("tune grid cv=5", "tune grid"),
    ),
    ("E150", 4): (("cochran holm", "cochran then mcnemar holm"),),
    ("E150", 5): (("compare against bayes with cochran", "compare with cochran then mcnemar"),),
    ("E150", 6): (
        ("compare bayes vs lda, bayes vs tree with cochran", "compare with cochran then mcnemar"),
    ),
    ("E153", 1): (("within 0", "within 2%"),),
    ("E153", 3): (("at 95", "at 95%"),),
    ("E153", 4): (("at 100%", "at 95%"),),
    ("E153", 5): (("within -1% at 90", "within 1% at 90%"),),
    ("E153", 6): (("at 5%", "at 95%"),),
    ("E133", 4): (("  metric measure\n", "  metric measure\n  higher is better\n"),),
    ("E469", 0): (("  fold split\n", "  fold split\n  folds of cv\n"),),
    ("E469", 1): (("  fold fold\n", "  fold fold\n  folds of cv\n"),),
    ("E469", 2): (("  fold fold\n", "  fold fold\n  folds of cv\n"),),
    ("E469", 3): (("  fold partition\n", "  fold partition\n  folds of cv\n"),),
    ("E492", 3): (("rope=1", "rope=1%"),),
    ("E171", 2): (("lda.pkl", "lda.skops"),),
    ("E171", 3): (("best.joblib", "best.skops"),),
    ("E171", 5): (('"best"', '"best.skops"'),),
    ("E171", 6): (("models/.skops", "models/model.skops"),),
    ("E171", 8): (("models\\\\best", "models/best"),),
    ("E171", 9): (('to ""', 'to "a.skops"'),),
    ("E175", 1): (("lab.net.Mlp", "lab.nets.Mlp"),),
    ("E201", 13): (("with corrected_t", "across data with wilcoxon"),),
    ("E201", 14): (("  repeat", "  folds of holdout(test=1/3)\n  repeat"),),
    ("E203", 0): (("= RidgeClassifier", "= CalibratedClassifierCV(estimator=RidgeClassifier)"),),
    ("E203", 3): (
        ("LinearSVC(C in 1e-2..1e2 log 5)", "CalibratedClassifierCV(estimator=LinearSVC)"),
        ("tune grid by log_loss", ""),
        ("protocol nested cv outer=5 inner=5", PROTOCOL_CV),
    ),
    ("E211", 1): (("better than ridge", "better than ridge with permutation(block=5)"),),
    ("E211", 3): (
        ("f1 of lda >= 90%", "lda better than bayes with permutation(block=5)"),
    ),
    ("E409", 0): (("select x, y, y from", "select x, y, y as y_again from"),),
    ("E409", 5): (
        ("select *", "select visits.ward as ward_of_visit, age, readmitted, beds"),
    ),
    ("E410", 2): (("\n17", '\n{"age": 52, "readmitted": "yes"}'),),
    ("E410", 4): (('" llama"', '"other"'),),
    ("E410", 5): (("\\ud83d", "A"),),
    ("E410", 6): (("{'age': 44, 'readmitted': 'no'}", '{"age": 44, "readmitted": "no"}'),),
    ("E412", 2): (("01/04/2024", "2024-03-01"),),
    ("E412", 3): (("\n52", "\n52,?"),),
    ("E414", 2): (("sqlite://visits.db", "sqlite:///visits.db"),),
    ("E434", 1): ((">= 2024", '>= "2024-03-01"'), AGE),
    ("E434", 2): (('= "March 2024"', '>= "2024-03-01"'), AGE),
    ("E434", 3): (("12 March 2024", "2024-03-12"), AGE),
    ("E435", 2): (("target readmitted\n", "target readmitted\n  where part is not missing\n"),),
    ("E438", 4): (("features age, ward", 'features age, ward, "kind of visit"'),),
    ("E439", 4): (
        ("model bayes = GaussianNB\nprotocol cv folds=5",
         "model new = GaussianNB\nmodel release = LogisticRegression(max_iter=500)\n"
         "protocol cv folds=5\ncompare new vs release with 5x2cv_f"),
        ("as bayes", "as new"),
    ),
    ("E440", 3): (
        ('from "run1.csv", "run2.csv"', 'from "run{part}.csv"'),
        ("  repeat run\n", "  repeat run\n  id scan\n"),
    ),
    ("E443", 0): (("a as pred,", 'a as pred in "p.csv",'),),
    ("E443", 2): (('"predicted label", vit', '"predicted label" in "cnn.csv", vit'),),
    ("E443", 3): (
        ("llama as exact_match, mistral as exact_match",
         'llama as exact_match in "llama.jsonl", mistral as exact_match in "mistral.jsonl"'),
    ),
    ("E443", 4): (("models cnn, base", 'models cnn in "monday.csv", base'),),
    ("E443", 5): (("models cnn, vit", 'models cnn in "cnn.csv", vit'),),
    ("E445", 0): (("score a = s", "scores a = [s, t, u]"),),
    ("E482", 6): (("target readmitted\n", 'target readmitted\n  missing "-"\n'),),
    ("W304", 3): (("compare with mcnemar", "compare against bayes with mcnemar holm"),),
    ("W325", 2): (("(multi_class=ovo, pool=true)", "(multi_class=ovo)"),),
    ("W330", 0): (
        ("n_neighbors=3)", "n_neighbors in [3, 9, 27])"),
        ("model middle = KNeighborsClassifier(n_neighbors=9)\n", ""),
        ("model far = KNeighborsClassifier(n_neighbors=27)\n", ""),
        (PROTOCOL_CV, "protocol nested cv"),
    ),
    ("W330", 1): (
        ("SVC(C=0.01)", "SVC(C in [0.01, 0.1, 1, 10, 100])"),
        *((f"model c{i} = prep | SVC(C={c})\n", "") for i, c in ((2, "0.1"), (3, 1), (4, 10))),
        ("model c5 = prep | SVC(C=100)\n", ""),
        ("protocol holdout test=1/3", "protocol nested cv"),
    ),
    ("W330", 2): (
        ("max_depth=2", "max_depth in [2, 5, none]"),
        ("model deeper = DecisionTreeClassifier(max_depth=5)\n", ""),
        ("model whole = DecisionTreeClassifier\n", ""),
        (PROTOCOL_CV, "protocol nested cv"),
    ),
    ("W330", 3): (
        ("n_estimators=50, learning_rate=0.2",
         "n_estimators in [50, 100, 400], learning_rate in [0.2, 0.1, 0.02]"),
        ("model medium = GradientBoostingRegressor(n_estimators=100, learning_rate=0.1)\n", ""),
        ("model large = GradientBoostingRegressor(n_estimators=400, learning_rate=0.02)\n", ""),
        (PROTOCOL_CV, "protocol nested cv"),
    ),
    ("W330", 4): (
        ("n_components=2", "n_components in [2, 4, 8]"),
        ("model four = PCA(n_components=4) | GaussianNB\n", ""),
        ("model eight = PCA(n_components=8) | GaussianNB\n", ""),
        (PROTOCOL_CV, "protocol nested cv"),
    ),
    ("W330", 5): (
        ("n_neighbors=1)", "n_neighbors in 1..15)"),
        *((f"model k{i} = KNeighborsClassifier(n_neighbors={i})\n", "") for i in range(2, 16)),
        ("s1 = SVC(C=1)", f"s1 = SVC(C in {[i * i for i in range(1, 16)]})"),
        *((f"model s{i} = SVC(C={i * i})\n", "") for i in range(2, 16)),
        ("protocol cv", "protocol nested cv"),
    ),
    ("W332", 1): (
        ("select one_standard_error", "select best"),
    ),
    ("W344", 0): (("second by 2", "second by 2%"),),
    ("W344", 1): ((">= 95", ">= 95%"),),
    ("W344", 2): (("by 2%", "by 150"),),
    ("W344", 3): (("<= 5%", "<= 90000"),),
    ("W344", 4): (("rope=1", "rope=1%"),),
    ("W344", 6): (("margin=5", "margin=5%"),),
    ("W344", 7): (("<= 12", "<= 12%"),),
    ("W344", 8): (("by 1.5", "by 1.5%"),),
    ("W344", 9): (("difference=2", "difference=2%"),),
    ("W102", 0): (("protocol cv\n", ""),),
    ("W301", 0): ((" uncorrected", ""),),
    ("W301", 3): (("uncorrected", "bonferroni"),),
    ("W302", 0): (("permutation by accuracy", "permutation by accuracy exploratory"),),
    ("W303", 0): (("hochberg", "holm"),),
    ("W304", 0): (
        ("compare with cochran then mcnemar",
         "compare bayes, linear with mcnemar\ncompare against prior with mcnemar holm"),
    ),
    ("W304", 1): (
        ("compare with corrected_t holm",
         "compare bayes, linear with corrected_t holm\n"
            "compare against prior with corrected_t holm"),
    ),
    ("W304", 2): (("cochran then mcnemar bonferroni", "mcnemar holm"),),
    ("W304", 5): (
        ("compare with corrected_t on often",
         "compare ridge, forest with corrected_t on often\n"
         "compare against mean with corrected_t holm on often"),
    ),
    ("W315", 6): (
        ("leave_one_out", "repeated cv folds=10 times=10"),
        ("compare bayes with binomial(threshold=10%)\n", ""),
    ),
    ("W316", 6): (
        ("cv folds=10", "repeated cv folds=10 times=10"),
        ("compare bayes with binomial(threshold=10%)\n", ""),
    ),
    ("W320", 0): (("stratify by target\n", ""),),
    ("W322", 0): (("protocol shuffled = cv folds=10\n", ""),),
    ("W325", 0): (("roc_auc(pool=true)", "roc_auc"),),
    ("W354", 0): (("evallang 1\n", "evallang 1\nstudy\n  seed 20260101\n"),),
    ("W355", 0): (("(repeats=10)", ""),),
    ("W433", 0): (("folds=10", "folds=4"),),
    ("W433", 2): (("folds=10", "folds=6"),),
    ("W433", 3): (("outer=5", "outer=2"),),
    ("W433", 4): (("cv folds=10", "cv folds=6"),),
    ("W435", 0): (("by 10%", "by 1%"),),
    ("W441", 0): (("folds=10", "folds=6"),),
    ("W441", 1): (("folds=5", "folds=4"),),
    ("W446", 1): (("age, pulse, discharged_to", "age, pulse"),
                  ("columns(numeric: StandardScaler, categorical: "
                   "OneHotEncoder(handle_unknown=ignore)) | ", "")),
    ("W449", 0): (TOGETHER,),
    ("W489", 0): (("= percent\n", "= percent\n  threshold cnn = 50\n"),),
    ("W449", 1): (("c vs d with mcnemar", "c vs d with mcnemar exploratory"),),
    ("W449", 2): (TOGETHER,),
    **{("W443", i): (
        (SELECTED, ""), ("logistic = ", f"logistic = SelectKBest(k={10 if i == 2 else 8}) | "),
        *(((", g1, g2\n", ""),) if i == 2 else ()),
    ) for i in range(4)},
    **{("E402", i): (("", "! network\n"),) for i in (0, 1, 4)},
}  # fmt: skip
PLACED |= {
    ("E033", 0): (("(100))", "[100])"),),
    ("E072", 0): (("compare a, b", "compare a, b with mcnemar"),),
    ("E104", 4): (
        ("protocol cv", "protocol folds = cv"),
        ("protocol holdout", "protocol once = holdout"),
    ),
    ("E132", 4): (
        ("= SelfTrainingClassifier", "= SelfTrainingClassifier(estimator=LogisticRegression)"),
    ),
    ("E132", 0): (("measure fbeta", "measure fbeta(beta=2)"),),
    ("E161", 0): (
        (
            "# evallang: allow margin_larger_than_the_lead",
            "# evallang: allow margin_larger_than_the_lead because 2 points are agreed on",
        ),
    ),
    ("E176", 0): (("use my-lab.nets", "use my_lab.nets"),),
    ("E180", 0): ((" at 90%", ""), ("  looks 12", "  looks 12\n  confidence 90%")),
    ("E209", 0): (("shaffer", "holm"),),
    ("E219", 0): (
        ("model bayes = GaussianNB", "model tree = DecisionTreeClassifier(max_depth in 1..8)"),
        ("protocol cv folds=5", "protocol nested cv outer=5 inner=2"),
    ),
    ("E413", 0): (
        (
            'data d from "suite/*/d.csv"\n  target y\n  positive 1\n',
            'data a from "suite/a/d.csv"\n  target y\n  positive 1\n',
        ),
        ("model a = GaussianNB", "model bayes = GaussianNB"),
        (
            'data e from "none/*.csv"\n  target y\n',
            'data b from "suite/b/d.csv"\n  target y\n  positive 1\n',
        ),
    ),
    ("E415", 0): (
        ("pragma table_info(d)", "select x, y from d"),
        ("select * from d; drop table d", "select x, y from d"),
        ("(1, 0), (2, 1)", ", ".join(f"({x}, {x % 2})" for x in range(60))),
    ),
    ("E446", 0): (("correct a, b", 'value "points" a, b'), ("with mcnemar", "with permutation")),
    ("E447", 6): (
        (
            "  task regression\n  models forest\nmeasure mae",
            '  models forest\n  scores forest = "p_*"\nmeasure log_loss',
        ),
        ('"days": 3.5, "forest": [3.1, 3.4]', '"days": "yes", "p_yes": 0.75, "p_no": 0.25'),
        ('"days": 4.5, "forest": [4.1, 4.4]', '"days": "no", "p_yes": 0.25, "p_no": 0.75'),
    ),
    ("E448", 0): (("  threshold a = 0.3", "  positive 1\n  score a = s\n  threshold a = 0.3"),),
    ("E454", 0): (
        ("  repeat r", "  repeat r\n  id i"),
        (
            "r,y,a,b\n* 60 {two},{three},{three},{three}",
            "r,i,y,a,b\n* 30 0,{i},{two},{two},1\n* 30 1,{i},{two},0,{two}",
        ),
    ),
    ("E474", 1): (("* 58 {three}", "* 60 {three}"),),
    ("E485", 0): (
        ("  dataset name", "  dataset name\n  fold f"),
        ("name,nb,rf,svm\niris,0.94", "name,f,nb,rf,svm\niris,1,0.94"),
        ("iris,0.93", "iris,2,0.93"),
        ("* 9 d{i},", "* 9 d{i},1,0.91,0.81,0.71\n* 9 d{i},2,"),
    ),
    ("E496", 3): (("h2 color #003366;", "h2 { color: #003366 }"),),
    ("W318", 0): (("with wilcoxon", "with permutation"),),
    ("W356", 0): (("compare a, b", "require a not worse than b by 2%\ncompare a, b"),),
    ("W445", 0): (
        ("StandardScaler | Log", "StandardScaler | SMOTE | Log"),
        (
            "--- visits.csv as copy\ndocs/objections/synthetic_rows/data.csv",
            "--- visits.csv\nage,weight,readmitted\n* 30 {i}1,5{ten},no\n* 10 {i}2,6{ten},yes",
        ),
    ),
}
"""Helps that name a column, a number or a part for the author to fill in, filled in."""
