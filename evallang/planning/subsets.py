"""The fits of learning curves: parts of every training part, with the same test rows."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.models.model import is_baseline
from evallang.planning.expected import models_on
from evallang.planning.plan import SubsetPlace
from evallang.planning.seeds import rows_hash, seed
from evallang.protocols.protocol import PROTOCOLS, CannotSplit, Rows, Split
from evallang.protocols.splitting import exact, nested_subsets
from evallang.stats.analyses.analysis import ANALYSES
from evallang.study import AnalysisSpec, Protocol, Study


class Subset(Struct, frozen=True):
    """One part of the training part of a split; `split` has the rows that are left of it.

    With a `target_of` the whole training part is kept, and the target of each row is that of the
    row with this number; `rows` are then what a search divides.
    """

    times: int
    size: int
    split: Split
    target_of: "NDArray[np.int64] | None" = None
    rows: Rows | None = None


def asks_for_subsets(spec: AnalysisSpec) -> bool:
    """Return whether an analysis fits models on parts of training parts."""
    return ANALYSES[spec.method.name].declaration.fits == "subsets"


def models_of_analysis(study: Study, spec: AnalysisSpec, protocol: Protocol) -> tuple[str, ...]:
    """Return the fitted models that an analysis is about: by default all but the baselines."""
    fitted = [m.name for m in models_on(study, protocol) if spec.models or not is_baseline(m)]
    return tuple(name for name in fitted if not spec.models or name in spec.models)


def is_about(spec: AnalysisSpec, protocol: Protocol) -> bool:
    """Return whether an analysis is about a protocol that the author wrote."""
    if protocol.implied_by is not None:
        return False
    return spec.protocol in (None, protocol.name)


def options_of(spec: AnalysisSpec) -> Mapping[str, Any]:
    """Return all options of an analysis, those that are not written by default."""
    return {**ANALYSES[spec.method.name].defaults(), **spec.method.keywords()}


def option_of_sizes(spec: AnalysisSpec) -> str:
    """Return the option that states how large the parts of an analysis are."""
    return "fractions" if options_of(spec)["sizes"] is None else "sizes"


def subsets_of(
    study: Study,
    table: Table,
    protocol: Protocol,
    rows: Rows,
    splits: Sequence[Split],
    spec: AnalysisSpec,
) -> list[Subset]:
    """Draw the parts of every training part that a learning curve asks for.

    A validation part is cut to the same share. The largest part may be the training part itself,
    which every draw shares. Raises `CannotSplit` where a part would have no row of a class, or
    more rows than there are.
    """
    options, made = options_of(spec), list[Subset]()
    neighbours = PROTOCOLS[protocol.kind].declaration.neighbours
    times = 1 if neighbours else options["repeats"]
    for split in splits:
        whole, near = _n_training(split), split.test if neighbours else None
        sizes = _sizes(options, whole)
        for draw in range(times):
            parts: list[list[NDArray[np.int64]]] = []
            for name in ("train", "validation"):
                own = getattr(split, name)
                if own is None:
                    continue
                drawn = seed(study.seed, "subset", rows_hash(own), draw)
                wanted = [_share(size, whole, len(own)) for size in sizes]
                found = nested_subsets(rows, own, wanted, drawn, near=near)
                parts.append(list(found))
            for number in range(len(sizes)):
                train, validation = (*(part[number] for part in parts), None)[:2]
                assert train is not None, "every split has training rows"
                _check_classes(table, split, train, option_of_sizes(spec))
                made.append(
                    Subset(draw, number, replace(split, train=train, validation=validation))
                )
    return made


def _n_training(split: Split) -> int:
    return len(split.train) + (0 if split.validation is None else len(split.validation))


def _sizes(options: Mapping[str, Any], whole: int) -> list[int]:
    """Return the ascending numbers of rows, from fractions rounded to the nearest whole one."""
    if options["sizes"] is not None:
        sizes = sorted(set(options["sizes"]))
        if sizes[-1] > whole:
            raise CannotSplit(
                f"`sizes` has {sizes[-1]:,}, and a training part has {whole:,} rows",
                f"write sizes up to {whole:,}".replace(",", "_"),
            )
        return sizes
    return [max(1, floor(exact(f) * whole + Fraction(1, 2))) for f in sorted(options["fractions"])]


def _share(size: int, whole: int, own: int) -> int:
    return own if size >= whole else max(1, floor(Fraction(size * own, whole) + Fraction(1, 2)))


def _check_classes(
    table: Table,
    split: Split,
    train: "NDArray[np.int64]",
    option: str,
) -> None:
    """Refuse a part from which a model can learn only one class."""
    if table.task != "classification":
        return
    y = table.y[train]
    if (y == y[0]).all():
        rows = "1 row" if len(train) == 1 else f"{len(train):,} rows"
        raise CannotSplit(
            f"a part of {rows} of a training part has rows of one class alone, "
            f"`{table.classes[int(y[0])]}`",
            f"write larger `{option}`",
        )


def places_of(
    index: int,
    table: Table,
    protocol: Protocol,
    subset: Subset,
    keys: Mapping[str, str],
) -> list[SubsetPlace]:
    """Return where the fits of one part are used, by the models of `keys`."""
    at = (subset.split, subset.times, subset.size)
    return [
        SubsetPlace(index, table.spec.name, protocol.name, model, *at, key)
        for model, key in keys.items()
    ]
