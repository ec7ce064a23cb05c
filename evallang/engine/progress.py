"""How many fits are done while their tasks still run."""

from collections.abc import Callable

from evallang.activity import Activity, report_activity


class Tally:
    """Fits done, reported to a callback whenever there are more; never fewer than before."""

    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        self.total, self._tell = total, tell
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

    def finish(self, n_fits: int, *, failed: bool = False) -> None:
        """Count a task that ended with all its fits, whether each was made or not."""
        self._finished += n_fits
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
        report_activity(Activity("fitting", "", done, self.total, self._cached, self._failed))
