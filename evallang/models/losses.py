"""Fits that a limit or the death of their process ended."""

import signal

from msgspec import Struct


class Loss(Struct, frozen=True):
    """Why a fit was lost, as results record it; elsewhere the fit may succeed."""

    error: str
    message: str


class FitLost(BaseException):
    """Raised within a fit that is lost; not an `Exception`, which own code may catch."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.message)
        self.loss = loss


def time_loss(seconds: float) -> Loss:
    """Return the loss of a fit that reached the time limit."""
    message = f"the fit took longer than the {seconds:g} s that --fit-timeout allows"
    return Loss("TimeLimit", message)


def memory_loss(size: int) -> Loss:
    """Return the loss of a fit that reached the memory limit, in bytes."""
    message = f"the fit needed more than the {size / 1e6:,.0f} MB that --memory allows a process"
    return Loss("MemoryError", message)


def process_loss(error: str, message: str) -> Loss:
    """Return the loss of a task whose own code left its process unusable."""
    return Loss(error, f"{message} (outside of the fit, in the process of own code)")


def worker_loss() -> Loss:
    """Return the loss of a fit that killed every worker of a cluster that ran it."""
    return Loss("ProcessDied", "every worker of the cluster that ran its task died of it")


def death_loss(status: int) -> Loss:
    """Return the loss of a fit whose process died; `status` is negative for a signal."""
    if status >= 0:
        said = f"the process that fitted it ended with exit code {status}"
    else:
        text = (signal.strsignal(-status) or "unknown").lower()
        said = f"the process that fitted it was killed by signal {-status} ({text})"
    if status == -signal.SIGKILL:
        said += ", which the system also sends when memory runs out"
    return Loss("ProcessDied", said)
