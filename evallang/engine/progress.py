"""How many fits are done while their tasks still run."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from evallang.activity import Activity, report_activity


class Tally:
    """Fits done, reported to a callback whenever there are more; never fewer than before.

    `planned` has the number of fits of each model: those of different models take different times.
    """

    def __init__(
        self,
        total: int,
        tell: Callable[[int, int], None] | None,
        planned: Mapping[str, int] | None = None,
    ) -> None:
        self.total, self._tell = total, tell
        self._planned = planned or {}
        self._made: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._finished, self._counted, self._told = 0, 0, 0
        self._cached, self._failed = 0, 0
        self._show(0)

    def start_from(self, n_fits: int) -> None:
        """Count fits that the store has, before any other."""
        self._counted = self._cached = n_fits
        self.finish(n_fits)

    def count(self, n_fits: int) -> None:
        """Count fits that ended within tasks that may still run."""
        self._counted += n_fits
        self._report()

    def finish(
        self, n_fits: int, model: str = "", seconds: float = 0.0, *, failed: bool = False
    ) -> None:
        """Count a task that ended with all its fits, whether each was made or not."""
        self._finished += n_fits
        self._made[model] += n_fits
        self._seconds[model] += seconds
        self._failed += failed
        self._report()

    def _report(self) -> None:
        done = min(max(self._finished, self._counted), self.total)
        # the last fit is reported by the task that ends with it: then all is done indeed
        if self._finished < self.total:
            done = min(done, self.total - 1)
        if done > self._told:
            self._told = done
            self._show(done)
            if self._tell is not None:
                self._tell(done, self.total)

    def _show(self, done: int) -> None:
        if not self.total:  # imported predictions
            return
        counts = done, self.total, self._cached, self._failed
        report_activity(Activity("fitting", "", *counts, share=self._share(done)))

    def _share(self, done: int) -> float:
        """Return the share of the work that is done; 0 while no time of a fit is known.

        A fit is expected to take the mean time of the finished fits of its model, or of all
        finished fits where it is the first one.
        """
        made = sum(self._made[model] for model in self._planned)
        spent = sum(self._seconds[model] for model in self._planned)
        if not made or not spent:
            return 0.0
        each = spent / made
        whole = sum(
            n * (self._seconds[model] / self._made[model] if self._made[model] else each)
            for model, n in self._planned.items()
        )
        running = max(done - self._finished, 0)
        return min((spent + running * each) / whole, 1.0)
