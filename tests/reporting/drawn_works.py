"""Works and methods that the drawn results cite."""

from collections.abc import Sequence

from evallang.results.records import MethodRecord, ReferenceRecord


def _reference(
    key: str, authors: Sequence[str], year: int, title: str, venue: str, **more: str
) -> ReferenceRecord:
    return ReferenceRecord(
        key,
        tuple(authors),
        year,
        title,
        venue,
        more.get("volume", ""),
        more.get("pages", ""),
        more.get("doi", ""),
        more.get("kind", "article"),
    )


REFERENCES = (
    _reference(
        "wilson1927",
        ["Wilson EB"],
        1927,
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association",
        volume="22(158)",
        pages="209-212",
        doi="10.1080/01621459.1927.10502953",
    ),
    _reference(
        "ledell2015",
        ["LeDell E", "Petersen M", "van der Laan M"],
        2015,
        "Computationally efficient confidence intervals for cross-validated area under the "
        "ROC curve estimates",
        "Electronic Journal of Statistics",
    ),
    _reference(
        "cochran1950",
        ["Cochran WG"],
        1950,
        "The comparison of percentages in matched samples",
        "Biometrika",
        volume="37(3/4)",
        pages="256-266",
        doi="10.1093/biomet/37.3-4.256",
    ),
    _reference(
        "mcnemar1947",
        ["McNemar Q"],
        1947,
        "Note on the sampling error of the difference between correlated proportions or "
        "percentages",
        "Psychometrika",
        volume="12(2)",
        pages="153-157",
        doi="10.1007/BF02295996",
    ),
    _reference(
        "holm1979",
        ["Holm S"],
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics",
        volume="6(2)",
        pages="65-70",
    ),
    _reference(
        "nadeau2003",
        ["Nadeau C", "Bengio Y"],
        2003,
        "Inference for the generalization error",
        "Machine Learning",
        volume="52(3)",
        pages="239-281",
        doi="10.1023/A:1024068626366",
    ),
    _reference(
        "pedregosa2011",
        ["Pedregosa F", "Varoquaux G", "Gramfort A", "Michel V", "Thirion B"],
        2011,
        "Scikit-learn: machine learning in Python",
        "Journal of Machine Learning Research",
        volume="12",
        pages="2825-2830",
    ),
    _reference("unused1999", ["Nobody N"], 1999, "A work that no method cites", "Nowhere"),
)

METHODS = (
    MethodRecord(
        "metric",
        "accuracy",
        "Accuracy",
        "Share of examples that are right.",
        (),
        "higher",
        "percent",
        counts_right=True,
    ),
    MethodRecord(
        "metric",
        "recall",
        "Recall",
        "Share of the positives found.",
        (),
        "higher",
        "percent",
        averages_classes=True,
    ),
    MethodRecord(
        "metric", "roc_auc", "ROC AUC", "Area under the ROC curve.", (), "higher", "number"
    ),
    MethodRecord(
        "metric", "mae", "Mean absolute error", "Mean absolute error.", (), "lower", "target"
    ),
    MethodRecord("metric", "r2", "R²", "Share of the variance explained.", (), "higher", "number"),
    MethodRecord(
        "interval",
        "wilson",
        "Wilson score interval",
        "Inverts the score test.",
        ("wilson1927",),
        allows_overlap=False,
    ),
    MethodRecord(
        "interval",
        "cv_auc",
        "Cross-validated AUC interval",
        "DeLong's components per fold.",
        ("ledell2015",),
        allows_overlap=False,
    ),
    MethodRecord(
        "interval",
        "corrected_t",
        "Corrected t interval",
        "Nadeau and Bengio's variance.",
        ("nadeau2003",),
        allows_overlap=True,
    ),
    MethodRecord(
        "interval",
        "bonett_price",
        "Bonett–Price interval",
        "Adjusted Wald for paired proportions.",
        (),
        allows_overlap=False,
    ),
    MethodRecord(
        "test",
        "cochran",
        "Cochran's Q test",
        "Whether all models have the same accuracy.",
        ("cochran1950",),
    ),
    MethodRecord(
        "test",
        "mcnemar",
        "McNemar's test",
        "Whether two models have the same accuracy.",
        ("mcnemar1947",),
    ),
    MethodRecord(
        "test",
        "corrected_t",
        "Corrected resampled t test",
        "t with the corrected variance.",
        ("nadeau2003",),
    ),
    MethodRecord("correction", "holm", "Holm's procedure", "Step-down Bonferroni.", ("holm1979",)),
    MethodRecord(
        "effect",
        "odds ratio",
        "Odds ratio of discordant pairs",
        "b / c with its exact interval.",
        (),
    ),
    MethodRecord("software", "scikit-learn", "scikit-learn", "Estimators.", ("pedregosa2011",)),
)
