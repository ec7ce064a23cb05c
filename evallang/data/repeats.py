"""Predictions with repeats: which rows are one example, and whether they agree on it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evallang.data.dataset import PredictionsSpec
from evallang.data.findings import Findings, counted
from evallang.data.frame import Frame
from evallang.data.labels import group_codes
from evallang.data.outcome_codes import REPEATS_CONTRADICT, REPEATS_NEED_ID
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")


def examples_of_repeats(
    frame: Frame, spec: PredictionsSpec, ids: Sequence[str] | None, findings: Findings
) -> "tuple[NDArray[np.int64], tuple[str, ...]] | None":
    """Number the examples of predictions with repeats, and state the design.

    Gives the code of each row's example, in the order of their first rows, and notes; None
    after a finding. Truth, group, weight and subgroups must be the same in all repeats of an
    example; an example may lack some repeats, which is a note.
    """
    if ids is None or spec.repeat is None:
        findings.add(
            REPEATS_NEED_ID,
            f"`{frame.source}` has repeats, and no column says which rows are one example",
            "repeat",
            help="write `id COLUMN` below it",
        )
        return None
    codes = group_codes(ids)
    for column, keyword in (
        (spec.truth, "truth"),
        (spec.group, "group"),
        (spec.weight, "weight"),
        *((name, f"within {name}") for name in spec.subgroups),
    ):
        if column is not None and not _agree(frame, column, codes, ids, keyword, findings):
            return None
    repeats = frame.texts(spec.repeat)
    n_repeats, n_examples = repeats.n_unique(), int(codes.max()) + 1
    notes = [f"{counted(n_examples, 'example')} in {counted(n_repeats, 'repeat')}"]
    times = np.bincount(codes)
    if (times < n_repeats).any():
        lacking = counted(int((times < n_repeats).sum()), "example")
        notes.append(
            f"{lacking} of {n_examples:,} in fewer than all repeats: the mean is over those there"
        )
    return codes, tuple(notes)


def _agree(
    frame: Frame,
    column: str,
    codes: "NDArray[np.int64]",
    ids: Sequence[str],
    keyword: str,
    findings: Findings,
) -> bool:
    """Check that a column has one value in all repeats of an example."""
    values = frame.values(column)
    _, first = np.unique(codes, return_index=True)
    same = values.eq_missing(values[first][codes])
    rows = (~same).arg_true().to_list()
    if not rows:
        return True
    row = rows[0]
    earlier = int(first[codes[row]])
    texts = frame.texts(column)
    findings.add(
        REPEATS_CONTRADICT,
        f"`{column}` of `{ids[row]}` is `{texts[earlier]}` in {frame.place(earlier)} and "
        f"`{texts[row]}` "
        f"in {frame.place(row)}",
        keyword,
        "id",
        help="give different examples different ids",
    )
    return False
