"""The codes of what cannot be computed or means nothing (E2xx), and of what the language states
and this version cannot run (E9xx)."""

from evallang.checking.beginnings import TWO_MODELS
from evallang.diagnostics import declare

# --- E2xx: what cannot be computed, or means nothing -----------------------------------------

TEST_NEEDS_OTHER_EVIDENCE = declare(
    "E201",
    "test_needs_other_evidence",
    "A test on a protocol or source that does not give what the test needs.",
    reason="McNemar's and Cochran's tests need each example predicted once by each model; "
    "tests on fold scores need folds of a known design. Predicting an example several times "
    "and counting it each time makes one example look like many.",
    wrong=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with mcnemar",
    right=f"{TWO_MODELS}protocol repeated cv\ncompare a, b with corrected_t",
    source="Dietterich 1998; Nadeau & Bengio 2003",
)
INTERVAL_NEEDS_OTHER_EVIDENCE = declare(
    "E202",
    "interval_needs_other_evidence",
    "An interval that does not fit the metric or the protocol.",
    reason="Wilson's interval counts independent trials; under repeated cross-validation the "
    "same examples are counted again and the interval covers far less than it says.",
    wrong=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval wilson",
    right=f"{TWO_MODELS}protocol repeated cv\nmeasure accuracy\n  interval corrected_t",
    source="Nadeau & Bengio 2003; Dietterich 1998",
)
METRIC_NEEDS_SCORES = declare(
    "E203",
    "metric_needs_scores",
    "A metric on scores of a model that gives none.",
    reason="Probabilities, or scores that rank, cannot be made from labels.",
    wrong="data iris from sklearn iris\nmodel a = RidgeClassifier\nprotocol cv\nmeasure log_loss",
    right="data iris from sklearn iris\nmodel a = LogisticRegression\nprotocol cv\n"
    "measure log_loss",
)
METRIC_UNDER_PROTOCOL = declare(
    "E204",
    "metric_under_protocol",
    "A metric that is undefined on the folds of the protocol.",
    reason="A ranking needs at least one example of each class in a fold.",
    wrong="protocol leave_one_out\nmeasure roc_auc",
    right="protocol cv folds=10\nmeasure roc_auc",
    source="Forman & Scholz 2010",
)
TOO_FEW_FOR_OMNIBUS = declare(
    "E205",
    "omnibus_of_two",
    "A test of many models with two.",
    reason="With two models the omnibus is the pairwise test under another name.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with cochran then mcnemar",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar",
    source="Raschka 2018, section 4.6",
)
SEARCH_WITHOUT_VALIDATION = declare(
    "E206",
    "search_without_validation",
    "A search space and no stage to choose in.",
    reason="Choosing hyper-parameters on the test folds makes the estimate optimistic.",
    wrong="model svm = SVC(C in [1, 10])\nprotocol cv",
    right="model svm = SVC(C in [1, 10])\nprotocol nested cv",
    source="Raschka 2018, 4.14; Cawley & Talbot 2010",
)
TEST_OF_ANOTHER_METRIC = declare(
    "E207",
    "test_of_another_metric",
    "A test by a metric that it does not test.",
    reason="The test counts right and wrong answers; its p would be about accuracy, "
    "whatever metric stands beside it.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar by f1",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with permutation by f1",
    source="McNemar 1947; Dietterich 1998",
)
MODELS_OF_ONE_TEST = declare(
    "E208",
    "models_of_one_test",
    "A pairwise test before `then`, or an omnibus after it.",
    reason="An omnibus asks whether any models differ, the test after `then` which ones.",
    wrong="compare with mcnemar then cochran",
    right="compare with cochran then mcnemar",
    source="Demšar 2006",
)
FAMILY = declare(
    "E209",
    "family_of_another_shape",
    "A correction or a test after `then` whose family of pairs is not the line's.",
    reason="Shaffer's and Bergmann and Hommel's corrections gain their power from which "
    "hypotheses about all pairs can be true together, Westfall's from the joint distribution of "
    "McNemar's statistics, Dunn's from comparing with one reference.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer by accuracy, error_rate",
    right=f"{TWO_MODELS}protocol cv\ncompare with mcnemar shaffer",
    source="Shaffer 1986; Bergmann & Hommel 1988; Westfall et al. 2010; Demšar 2006",
)
NO_FORM_FOR_GROUPS = declare(
    "E210",
    "no_form_for_groups",
    "A test or interval that takes rows for independent, on rows that belong to groups.",
    reason="Rows of one group are alike. A method that counts them as if they were not rejects "
    "true nulls far too often; one with a form for groups takes the group as its unit.",
    wrong='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with proportions_z",
    right='data d from "d.csv"\n  target y\n  group patient\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    source="Yang, Sun & Hardin 2010; Obuchowski 1997",
)
UNDECIDABLE = declare(
    "E211",
    "requirement_cannot_be_decided",
    "A `require` line that nothing could decide.",
    reason="A line is met only where a bound of an interval, or a test, says so. Under a "
    "protocol that gives no sound interval of the metric, or by a test that is not of two "
    "models, it would fail in every run.",
    wrong=f"{TWO_MODELS}protocol bootstrap\nrequire a better than b",
    right=f"{TWO_MODELS}protocol cv\nrequire a better than b",
)
TEST_WITHOUT_WEIGHTS = declare(
    "E221",
    "test_without_weights",
    "A test that counts or averages examples alike, where they have weights.",
    reason="A test on counts takes every example for one. With weights an example stands for "
    "more or fewer, the counts are no counts of independent trials, and the p-value is of "
    "another question. Swapping outputs within examples, and drawing examples again, keep "
    "each example with its weight.",
    wrong='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with mcnemar",
    right='data d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "model b = LinearDiscriminantAnalysis\nprotocol cv\ncompare a, b with permutation",
    source="Kish 1965",
)
OWN_METRIC_WITHOUT_WEIGHTS = declare(
    "E222",
    "own_metric_without_weights",
    "A metric of the author's own code on examples that carry weights.",
    reason="A metric of one's own is a function of truth and prediction. It is not told the "
    "weights, and what it gives would be of other examples than the rest of the study.",
    wrong='use mypkg.metrics\ndata d from "d.csv"\n  target y\n  weight w\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
    right='use mypkg.metrics\ndata d from "d.csv"\n  target y\nmodel a = GaussianNB\n'
    "protocol cv\nmeasure mypkg.metrics.utility",
)
OBSERVED_POWER = declare(
    "E212",
    "power_at_the_observed_difference",
    "Power is asked for at the difference that the data show.",
    reason="Power at the observed difference is a function of p: it is low whenever p is high, and "
    "says nothing that p does not. Power is for a difference that would matter, stated before the "
    "data are seen; afterwards the interval of the difference is read.",
    wrong=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=observed)",
    right=f"{TWO_MODELS}protocol cv\ncompare a, b with mcnemar\nanalyze power(difference=2%)",
    source="Hoenig & Heisey 2001",
)

# --- E9xx: stated in the language, not in this version ---------------------------------------

NOT_IN_THIS_VERSION = declare(
    "E901",
    "not_in_this_version",
    "Something that the language states and this version cannot run yet.",
    reason="Nothing that a study states is ever ignored: what cannot be run is refused before "
    "anything is computed.",
)
