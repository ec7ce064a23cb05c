"""Fits on a Dask cluster: futures for batches of tasks, and what becomes of them.

joblib's backend for dask waits forever for a task that always kills its worker; futures report
it. The sole user of dask besides what the workers run.
"""

import contextlib
import functools
import logging
import math
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

import cloudpickle
from msgspec import Struct

from evallang.activity import Activity, report_activity
from evallang.engine.backends.backend import (
    WHOLE,
    AnyTask,
    Fitted,
    Made,
    Pool,
    Raised,
    Work,
    WorkersLost,
)
from evallang.engine.backends.fork_server import interrupts_blocked
from evallang.engine.backends.waiting import Entry, Waiting
from evallang.models.foreign_errors import worker_loss
from evallang.planning.keys import versions_here

LOG = logging.getLogger("evallang")

BATCH = 0.4  # seconds of work in a batch: a future costs workers and scheduler some 10 ms
EVERY = 0.2  # seconds between looks at the connection
COUNTED_EVERY = 2.0  # seconds between counts of the workers
AHEAD = 2  # batches for each worker, so that none waits for the next
CONNECTED_WITHIN = 15.0  # seconds
WORKERS_WITHIN = 300.0  # seconds in which a cluster without workers must get one
ANSWERED_WITHIN = 30.0  # seconds

Item = TypeVar("Item")
Answer = TypeVar("Answer")

LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
REMOTE = re.compile(r"(tcp|tls|ws|wss)://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}")
ENCRYPTED = ("tls://", "wss://")
INSTALL = "pip install 'evallang[dask]'"


class Tls(Struct, frozen=True):
    """PEM files of an encrypted connection: authority, certificate, private key."""

    authority: str | None = None
    certificate: str | None = None
    key: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are given."""
        return tuple(f for f in (self.authority, self.certificate, self.key) if f is not None)


def address_error(address: str, tls: Tls) -> str | None:
    """Return what is wrong with the address of a cluster, None where nothing is."""
    if LOCAL.fullmatch(address) is None and REMOTE.fullmatch(address) is None:
        return (
            f"`{address}` is not the address of a Dask scheduler; write tcp://HOST:PORT, "
            "tls://HOST:PORT, or local:N for N processes of this machine"
        )
    if tls.files and not address.startswith(ENCRYPTED):
        return f"`{address}` is not an encrypted connection; write tls://HOST:PORT"
    missing = next((file for file in tls.files if not Path(file).is_file()), None)
    return None if missing is None else f"the file `{missing}` does not exist"


def missing_package() -> str | None:
    """Return how to install what a cluster needs, None where it is installed."""
    from importlib.util import find_spec

    if find_spec("distributed") is not None:
        return None
    return f"a Dask cluster needs the package distributed; install it with {INSTALL}"


class Cluster:
    """A cluster that runs tasks, connected once the first fits need it.

    `warn` is called with warnings, each once; those about workers are called before any task runs
    on them, except about workers that join late.
    """

    def __init__(
        self, address: str, tls: Tls | None = None, warn: Callable[[str], None] = LOG.warning
    ) -> None:
        self.address, self._tls, self._warn = address, tls or Tls(), warn
        self._client: Any = None
        self._local: Any = None
        self._versions: dict[str, str] = {}
        self._compared: set[str] = set()
        self._warned: set[str] = set()
        self._unlike: set[str] = set()
        self._size = 1

    @property
    def size(self) -> int:
        """How many workers the cluster had when they were last counted."""
        return self._size

    @property
    def unlike(self) -> tuple[str, ...]:
        """How workers differ from this process, each difference once."""
        return tuple(sorted(self._unlike))

    # --- connection ------------------------------------------------------------------------------

    def connect(self, packages: Iterable[str]) -> None:
        """Connect, wait for a worker, and compare the versions of packages on all workers.

        Raises `WorkersLost` where the scheduler or its workers do not answer.
        """
        report_activity(Activity("starting", "workers of the cluster"))
        if self._client is None:
            self._client = self._connected()
        before = time.monotonic()
        while not (workers := self._count()):
            self._seen(before, "start workers and run again")
            time.sleep(EVERY)
        known = len(self._versions)
        self._versions |= versions_here(packages)
        if len(self._versions) > known:
            self._compared.clear()
        found = self._asked(
            lambda: self._client.run(versions_here, list(self._versions), on_error="return")
        )
        for worker, versions in found.items():
            self._compare(worker, versions)
        many = [worker for worker, threads in workers.items() if threads > 1]
        if many:
            self._tell(
                f"workers of the cluster with several threads use one of them: {_listed(many)}; "
                "start workers with --nthreads 1 and several processes"
            )

    def _connected(self) -> Any:
        import dask
        from distributed import Client, LocalCluster, Security

        for name in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # a lost scheduler is our message
        local = LOCAL.fullmatch(self.address)
        try:
            if local is not None:
                security = Security.temporary()  # or any user of this machine could send it code
                parts = ("scheduler", "worker")
                routes: dict[str, Any] = {f"distributed.{part}.http.routes": [] for part in parts}
                resource_tracker.ensure_running()  # which unblocks Ctrl-C where it is started
                with dask.config.set(routes), interrupts_blocked():
                    self._local = LocalCluster(
                        n_workers=int(local[1]),
                        threads_per_worker=1,
                        processes=True,
                        host="127.0.0.1",
                        protocol="tls",
                        dashboard_address="127.0.0.1:0",  # None is port 8787, which others may use
                        memory_limit=0,
                        security=security,
                        silence_logs=logging.CRITICAL,
                    )
                client = Client(self._local, security=security, set_as_default=False)
            else:
                client = Client(
                    self.address,
                    timeout=CONNECTED_WITHIN,
                    security=self._security(),
                    set_as_default=False,
                    name="evallang",
                )
            # asyncio would print a traceback for each question that a lost scheduler left open
            loop: Any = client.loop
            loop.asyncio_loop.set_exception_handler(lambda loop, context: None)
            return client
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            self.close()
            raise WorkersLost(
                f"cannot connect to the Dask cluster at {self.address}: {_first_line(error)}"
            ) from error

    def _security(self) -> Any:
        """Return the files of the encryption; dask's settings have those that are not given."""
        from distributed import Security

        given = {
            "tls_ca_file": self._tls.authority,
            "tls_client_cert": self._tls.certificate,
            "tls_client_key": self._tls.key,
        }
        options: dict[str, Any] = {name: file for name, file in given.items() if file is not None}
        if self.address.startswith(ENCRYPTED):
            options["require_encryption"] = True
        security = Security(**options)
        if options.get("require_encryption"):
            found = security.get_connection_args("client")
            if found.get("ssl_context") is None:
                raise ValueError(
                    "its connection is encrypted; name the files --dask-tls-ca, --dask-tls-cert "
                    "and --dask-tls-key, or set them in dask's configuration"
                )
        return security

    def close(self) -> None:
        """Close the connection, and end the workers of this machine."""
        client, self._client = self._client, None
        local, self._local = self._local, None
        with contextlib.suppress(Exception):  # a scheduler that is gone needs no farewell
            if client is not None:
                client.close(timeout=2)
        with contextlib.suppress(Exception):
            if local is not None:
                local.close(timeout=10)

    def _lost(self) -> WorkersLost:
        return WorkersLost(
            f"the connection to the Dask scheduler at {self.address} was lost; finished fits are "
            "in the store, unless it is off: run again to continue"
        )

    def _asked(self, question: Callable[[], Any]) -> Any:
        """Ask the scheduler; raise `WorkersLost` where it does not answer."""
        from concurrent.futures import CancelledError

        try:
            return question()
        except (OSError, TimeoutError, CancelledError) as error:  # a closed connection is one
            raise self._lost() from error

    def _count(self) -> Mapping[str, int]:
        """Return the workers and their threads."""
        if self._client.status != "running":
            raise self._lost()
        found: Mapping[str, int] = self._asked(
            lambda: self._client.nthreads(callback_timeout=ANSWERED_WITHIN)
        )
        self._size = max(len(found), 1)
        return found

    def _seen(self, before: float, advice: str) -> float:
        """Return when a worker was last seen; raise `WorkersLost` where that is too long ago."""
        now = time.monotonic()
        if self._count():
            return now
        if now - before > WORKERS_WITHIN:
            raise WorkersLost(
                f"the Dask cluster at {self.address} has had no worker for "
                f"{WORKERS_WITHIN:g} s; {advice}"
            )
        return before

    # --- unlike workers --------------------------------------------------------------------------

    def _compare(self, worker: str, versions: Mapping[str, str] | BaseException) -> None:
        """Warn of a worker whose versions or processor differ from those of this process."""
        if worker in self._compared:
            return
        self._compared.add(worker)
        if isinstance(versions, BaseException):
            raise WorkersLost(
                f"the worker {worker} cannot run evallang: {_first_line(versions)}; install the "
                "same packages on all workers"
            )
        unlike = [
            f"{name} {versions.get(name, 'none')} instead of {here}"
            for name, here in self._versions.items()
            if versions.get(name, "none") != here
        ]
        if unlike:
            self._unlike.update(unlike)
            self._tell(
                f"the worker {worker} differs from this machine: {', '.join(unlike)}; its numbers "
                "may differ in the last digits, and its fits are not kept in the store"
            )

    def _tell(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            self._warn(warning)

    # --- parts of data --------------------------------------------------------------------------

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> Iterator[Answer]:
        """Call a function with every item on the cluster; yield answers in order.

        What a partial function holds is sent to every worker once. What always kills its worker, or
        cannot run there, runs here. Raises `WorkersLost` where the scheduler is lost, or no worker
        is left.
        """
        from concurrent.futures import CancelledError

        from evallang.engine.backends.cluster_worker import call

        self.connect(())
        sent_once: Any = function
        if isinstance(function, functools.partial):
            once = functools.partial(self._client.scatter, function, broadcast=True, hash=False)
            sent_once = self._asked(once)
        futures = [self._client.submit(call, sent_once, item, pure=False) for item in items]
        try:
            for item, future in zip(items, futures, strict=True):
                try:
                    found = self._asked(functools.partial(self._waited, future))
                except (WorkersLost, CancelledError):
                    raise
                except Exception as error:  # of a worker that died, lacks evallang or its data
                    LOG.info("a worker of the cluster cannot read a part: %s", _first_line(error))
                    found = function(item)
                future.release()
                yield found
        finally:
            self._cancel([future for future in futures if not future.done()])

    def _cancel(self, futures: Sequence[Any]) -> None:
        """Cancel what is not done; a task that runs ends by itself."""
        if futures and self._client.status == "running":
            with contextlib.suppress(Exception):  # the scheduler may be gone
                self._client.cancel(list(futures), force=True)

    def _waited(self, future: Any) -> Any:
        """Return the result of a future; raise `WorkersLost` where the scheduler is lost."""
        seen = time.monotonic()
        while True:
            try:
                return future.result(timeout=COUNTED_EVERY)
            except TimeoutError:
                if future.done() and future.status == "error":
                    raise
                seen = self._seen(seen, "run again to continue")

    # --- tasks -----------------------------------------------------------------------------------

    @contextmanager
    def sharing(
        self, folders: Mapping[str, Mapping[str, bytes]], forget: Callable[[], None]
    ) -> Iterator[None]:
        """Send files to every worker once, and remove them afterwards."""
        from evallang.engine.backends.cluster_worker import RunFiles

        plugin = RunFiles(folders, forget)
        try:
            self._asked(lambda: self._client.register_plugin(plugin, name=plugin.name))
        except WorkersLost:
            raise
        except Exception as error:  # raised by the worker, of any class
            raise WorkersLost(
                f"a worker of the Dask cluster cannot take the data: {_first_line(error)}"
            ) from error
        try:
            yield
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                if self._client.status == "running":
                    self._client.unregister_worker_plugin(plugin.name)

    def pool(self, work: Work[AnyTask, Made], fitted: Fitted) -> "ClusterPool[AnyTask, Made]":
        """Return what runs tasks on the cluster; closing it cancels what waits."""
        return ClusterPool(self, work, fitted)

    def outcomes(self, batches: "_Batches[AnyTask]", fitted: Fitted) -> Generator[Made, None, None]:
        """Yield what batches make, as it comes.

        Raises `WorkersLost` where the scheduler is lost, or no worker is left.
        """
        counted = seen = time.monotonic()
        while batches:
            batches.submit(self._size)
            batch = batches.ended(EVERY)
            now = time.monotonic()
            if now - counted > COUNTED_EVERY:
                counted = now
                seen = self._seen(seen, "run again to continue")
            if batch is None:
                if self._client.status != "running":
                    raise self._lost()
                continue
            found = self._asked(functools.partial(batches.received, batch))
            if found is None:
                continue
            self._compare(found.worker, found.versions)
            fitted(found.fits)
            for made in found.made:
                if isinstance(made, Raised):
                    raise made.error from RuntimeError(f"in a worker\n{made.trace}")
                yield made

    def batches(self, work: Work[AnyTask, Any]) -> "_Batches[AnyTask]":
        """Return batches of tasks for the workers of now."""
        return _Batches(self._client, work, list(self._versions))

    def cancel(self, batches: "_Batches[Any]") -> None:
        """Cancel the batches that are not done."""
        self._cancel(batches.sent)


class ClusterPool(Pool[AnyTask, Made]):
    """Runs tasks on a cluster."""

    def __init__(self, cluster: Cluster, work: Work[AnyTask, Made], fitted: Fitted) -> None:
        self._cluster, self._fitted = cluster, fitted
        self._batches = cluster.batches(work)

    def add(self, task: AnyTask) -> None:
        """Add a task, which runs while outcomes are read."""
        self._batches.add(task)

    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as they come."""
        yield from self._cluster.outcomes(self._batches, self._fitted)

    def close(self) -> None:
        """Cancel what waits."""
        self._cluster.cancel(self._batches)


class _Batches(Generic[AnyTask]):
    """The tasks of one run: those that wait, those that are sent, and those that killed workers.

    A worker that dies makes dask suspect all tasks that were sent to it. Tasks of a batch that dask
    gives up run again alone, once nothing else runs: the one that is given up again is lost.
    """

    def __init__(
        self,
        client: Any,
        work: Work[AnyTask, Any],
        names: Sequence[str],
    ) -> None:
        self._client, self._work, self._names = client, work, names
        self._queue: Waiting[AnyTask] = Waiting()
        self._suspects: deque[Entry[AnyTask]] = deque()
        self._sent: dict[Any, list[Entry[AnyTask]]] = {}
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._seconds, self._done = 0.0, 0

    def __bool__(self) -> bool:
        return bool(self._queue or self._suspects or self._sent)

    def add(self, task: AnyTask) -> None:
        """Add a task."""
        self._queue.add(task)

    def submit(self, workers: int) -> None:
        """Send batches until every worker has enough."""
        while self._queue and len(self._sent) < AHEAD * workers:
            self._send(self._batch(workers))
        if self._suspects and not self._sent:
            self._send([self._suspects.popleft()])

    def _batch(self, workers: int) -> list[Entry[AnyTask]]:
        mean = self._seconds / self._done if self._done else BATCH
        most = min(BATCH / max(mean, 1e-6), len(self._queue) / (AHEAD * workers))
        return [self._queue.take() for _ in range(min(max(math.ceil(most), 1), len(self._queue)))]

    def _send(self, entries: list[Entry[AnyTask]]) -> None:
        from evallang.engine.backends.cluster_worker import run_batch

        content = cloudpickle.dumps([entry.task for entry in entries])
        future = self._client.submit(run_batch, self._work, content, self._names, pure=False)
        self._sent[future] = entries
        future.add_done_callback(self._ended.put)

    @property
    def sent(self) -> Sequence[Any]:
        """The futures that have not been received."""
        return list(self._sent)

    def ended(self, seconds: float) -> Any:
        """Wait for a future to end; None where none does."""
        with contextlib.suppress(Empty):
            future = self._ended.get(timeout=seconds)
            if future.status not in ("lost", "pending"):
                return future
            # its worker died with the result: dask repeats it
            future.add_done_callback(self._ended.put)
        return None

    def received(self, future: Any) -> Any:
        """Return what a batch made; None where its tasks run again.

        Raises OSError or CancelledError where the connection was lost.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        entries = self._sent.pop(future)
        try:
            found = future.result(timeout=ANSWERED_WITHIN)
        except KilledWorker:
            self._give_up(entries)
            return None
        except TimeoutError:  # its worker died meanwhile, and dask does not repeat it soon
            self._queue.put_back(entries)
            return None
        except (OSError, CancelledError):
            raise
        except Exception as error:  # of a worker that cannot import or unpickle a task
            raise WorkersLost(
                f"a worker of the Dask cluster cannot run evallang: {_first_line(error)}; install "
                "the same packages on all workers"
            ) from error
        finally:
            future.release()
        self._seconds, self._done = self._seconds + found.seconds, self._done + len(entries)
        return found

    def _give_up(self, entries: list[Entry[AnyTask]]) -> None:
        for entry in entries:
            if entry.deaths:
                lost = entry.task.drop_lost(WHOLE, worker_loss())
                self._queue.put_back([Entry(lost)])
            else:
                self._suspects.append(Entry(entry.task, deaths=1))


SHOWN = 3  # workers in a message


def _listed(workers: Sequence[str]) -> str:
    more = len(workers) - SHOWN
    return ", ".join(workers[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    if isinstance(error, OSError | ValueError) and lines:
        return lines[0]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
