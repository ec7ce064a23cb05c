"""Sensitivity of decisions: what other valid tests and corrections would have decided."""

from __future__ import annotations

from msgspec import Struct

from evallang.bibliography import cite
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration

Decision = bool | None
"""Whether a hypothesis was rejected; None where the test is undefined."""


class Setting(Struct, frozen=True):
    """One test with one correction, and what it decides on every hypothesis of a line.

    `reported` marks what the line itself uses; `problem` is why a setting decides nothing. The
    titles are those of the test and of the correction, for readers.
    """

    test: str
    correction: str | None
    decisions: tuple[Decision, ...]
    reported: bool = False
    problem: str | None = None
    test_title: str | None = None
    correction_title: str | None = None


class DecidedHypothesis(Struct, frozen=True):
    """One hypothesis of a line: a pair of models by a metric on a data set (None: across them)."""

    data: str | None
    metric: str
    models: tuple[str, ...]


class LineDecisions(Struct, frozen=True):
    """The hypotheses of one line with every setting that was computed, the reported one first.

    `others` are the titles of corrections that control the same error only under an assumption.
    """

    line: int
    source: str
    alpha: float
    hypotheses: tuple[DecidedHypothesis, ...]
    settings: tuple[Setting, ...]
    others: tuple[str, ...]


class SettingDecisions(Struct, frozen=True):
    """One test with one correction: how many hypotheses it rejects, keeps and leaves undecided.

    The titles are those of the test and of the correction; older files do not contain them.
    """

    test: str
    correction: str | None
    reported: bool
    rejected: int
    kept: int
    undecided: int
    problem: str | None
    test_title: str | None = None
    correction_title: str | None = None


class HypothesisDecisions(Struct, frozen=True):
    """One hypothesis: the reported decision, and how many other settings are for and against it.

    `against_by` names the settings that decide otherwise.
    """

    data: str | None
    metric: str
    models: tuple[str, ...]
    reported: bool | None
    same: int
    against: int
    undecided: int
    against_by: tuple[str, ...]


class Sensitivity(Struct, frozen=True):
    """The decisions of one `compare` line under every setting that was computed."""

    unit: str
    about: str
    n: int
    line: int
    source: str
    alpha: float
    settings: tuple[SettingDecisions, ...]
    hypotheses: tuple[HypothesisDecisions, ...]
    notes: tuple[str, ...]


ABOUT = (
    "the decisions of this comparison, on the same data; the reported ones were fixed by its line"
)


@ANALYSES.register(
    AnalysisDeclaration(
        about="decisions",
        section="sensitivity_of_decisions",
        shown=Sensitivity,
        when="a reader may ask whether a decision depends on the choice of a test or correction",
        when_not=(
            "a test is still to be chosen: choose it before the results are seen; the assumptions "
            "of the data are in doubt: another protocol"
        ),
        formula=(
            "the line is decided again with each correction that controls the same error whatever "
            "the dependence of the p-values, with each form of its test, and with each test of the "
            "same null hypothesis that is not advised against and needs no further fit; every "
            "one that was computed is listed, and for each hypothesis those for and against the "
            "reported decision. P-values are not shown, since they would invite a choice among them"
        ),
        example="data cancer from sklearn breast_cancer\n"
        "model tree = DecisionTreeClassifier(max_depth=3)\n"
        "model bayes = GaussianNB\n"
        "model near = StandardScaler | KNeighborsClassifier\n"
        "model linear = StandardScaler | LogisticRegression\n"
        "model baseline = DummyClassifier\n"
        "protocol holdout test=1/2\n"
        "measure accuracy\n"
        "compare tree, bayes, near, linear with mcnemar holm\n"
        "analyze sensitivity\n",
    ),
    title="Sensitivity of the decisions",
    references=(cite("steegen2016"),),
)
def sensitivity(decided: LineDecisions) -> Sensitivity:
    """The reported decisions, and those of other valid tests and corrections.

    Raises `ValueError` where no setting but the reported one could be computed.
    """
    others = [s for s in decided.settings if not s.reported and s.problem is None]
    if not others:
        raise ValueError("no other test or correction could be computed here")
    reported = next(setting for setting in decided.settings if setting.reported)
    hypotheses = []
    for place, hypothesis in enumerate(decided.hypotheses):
        own = reported.decisions[place]
        found = [(setting, setting.decisions[place]) for setting in others]
        against = [s for s, d in found if None not in (d, own) and d != own]
        hypotheses.append(
            HypothesisDecisions(
                hypothesis.data,
                hypothesis.metric,
                hypothesis.models,
                own,
                sum(d is not None and d == own for _, d in found),
                len(against),
                sum(None in (d, own) for _, d in found),
                tuple(_words(setting.test, setting.correction) for setting in against),
            )
        )
    notes: tuple[str, ...] = ()
    if decided.others:
        names = ", ".join(decided.others).replace("'", "’")
        notes = (f"not computed, because they need assumptions on the dependence: {names}",)
    return Sensitivity(
        unit="hypotheses",
        about=ABOUT,
        n=len(hypotheses),
        line=decided.line,
        source=decided.source,
        alpha=decided.alpha,
        settings=tuple(
            SettingDecisions(
                s.test,
                s.correction,
                s.reported,
                sum(d is True for d in s.decisions),
                sum(d is False for d in s.decisions),
                sum(d is None for d in s.decisions),
                s.problem,
                s.test_title,
                s.correction_title,
            )
            for s in decided.settings
        ),
        hypotheses=tuple(hypotheses),
        notes=notes,
    )


def _words(test: str, correction: str | None) -> str:
    return test if correction is None else f"{test} {correction}"
