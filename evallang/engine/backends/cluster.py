"""Fits on a Dask cluster: futures for batches of tasks, and what becomes of them.

joblib's backend for dask waits forever for a task that always kills its worker; futures report
it. The sole user of dask besides what the workers run.
"""

import functools
import logging
import math
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle
from msgspec import Struct

from evallang.activity import Activity, report_activity
from evallang.engine.backends.backend import (
    WHOLE,
    AnyTask,
    Entry,
    Fitted,
    Made,
    Pool,
    Work,
    WorkersLost,
)
from evallang.engine.backends.local import interrupts_blocked
from evallang.installation import install_extras
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
Found = TypeVar("Found")

LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
REMOTE = re.compile(r"(tcp|tls|ws|wss)://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}")
ENCRYPTED = ("tls://", "wss://")


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
    command = install_extras("dask")
    return f"a Dask cluster needs the package distributed; install it with {command}"


class Cluster:
    """A cluster that runs tasks, connected once the first fits need it.

    `size` is the number of workers when they were last counted, `unlike` how workers differ from
    this process. `warn` is called with warnings, each once; those about workers are called before
    any task runs on them, except about workers that join late.
    """

    def __init__(
        self, address: str, tls: Tls | None = None, warn: Callable[[str], None] = LOG.warning
    ) -> None:
        self.address, self._tls, self._warn = address, tls or Tls(), warn
        self.client: Any = None
        self._local: Any = None
        self.versions: dict[str, str] = {}
        self._compared: set[str] = set()
        self._warned: set[str] = set()
        self.unlike: set[str] = set()
        self.size = 1
        self._counted = self._seen = 0.0

    # --- connection ------------------------------------------------------------------------------

    def connect(self, packages: Iterable[str]) -> None:
        """Connect, wait for a worker, and compare the versions of packages on all workers.

        Raises `WorkersLost` where the scheduler or its workers do not answer.
        """
        report_activity(Activity("starting", "workers of the cluster"))
        if self.client is None:
            self.client = self._connected()
        self._seen = time.monotonic()
        while not (workers := self._count()):
            time.sleep(EVERY)
        known = len(self.versions)
        self.versions |= versions_here(packages)
        if len(self.versions) > known:
            self._compared.clear()
        with self._asking():
            found = self.client.run(versions_here, list(self.versions), on_error="return")
        for worker, versions in found.items():
            self.compare(worker, versions)
        if any(threads > 1 for threads in workers.values()):
            self._tell(
                "workers of the cluster with several threads use one of them; "
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
            else:
                security = self._security()
            client = Client(
                self._local or self.address,
                timeout=CONNECTED_WITHIN,
                security=security,
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

        tls, encrypted = self._tls, self.address.startswith(ENCRYPTED)
        options: dict[str, Any] = {
            "tls_ca_file": tls.authority,
            "tls_client_cert": tls.certificate,
            "tls_client_key": tls.key,
            "require_encryption": encrypted or None,
        }
        security = Security(**{name: given for name, given in options.items() if given is not None})
        if encrypted and security.get_connection_args("client").get("ssl_context") is None:
            raise ValueError(
                "its connection is encrypted; name the files --dask-tls-ca, --dask-tls-cert "
                "and --dask-tls-key, or set them in dask's configuration"
            )
        return security

    def close(self) -> None:
        """Close the connection, and end the workers of this machine."""
        client, self.client = self.client, None
        local, self._local = self._local, None
        with suppress(Exception):  # a scheduler that is gone needs no farewell
            if client is not None:
                client.close(timeout=2)
        with suppress(Exception):
            if local is not None:
                local.close(timeout=10)

    def _lost(self) -> WorkersLost:
        return WorkersLost(
            f"the connection to the Dask scheduler at {self.address} was lost; finished fits are "
            "in the store, unless it is off: run again to continue"
        )

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Ask the scheduler; raise `WorkersLost` where it does not answer."""
        try:
            yield
        except (OSError, CancelledError) as error:  # a closed connection or no answer in time
            raise self._lost() from error

    def _count(self) -> Mapping[str, int]:
        """Return the workers and their threads; raise `WorkersLost` where none came for long."""
        if self.client.status != "running":
            raise self._lost()
        with self._asking():
            found: Mapping[str, int] = self.client.nthreads(callback_timeout=ANSWERED_WITHIN)
        self.size = max(len(found), 1)
        self._counted = time.monotonic()
        if found:
            self._seen = self._counted
        elif self._counted - self._seen > WORKERS_WITHIN:
            raise WorkersLost(
                f"the Dask cluster at {self.address} has had no worker for {WORKERS_WITHIN:g} s; "
                "start workers and run again"
            )
        return found

    # --- unlike workers --------------------------------------------------------------------------

    def compare(self, worker: str, versions: Mapping[str, str] | BaseException) -> None:
        """Warn of a worker whose versions or processor differ from those of this process."""
        if worker in self._compared:
            return
        self._compared.add(worker)
        if isinstance(versions, BaseException):
            raise _unable(f"the worker {worker}", versions)
        unlike = [
            f"{name} {versions.get(name, 'none')} instead of {here}"
            for name, here in self.versions.items()
            if versions.get(name, "none") != here
        ]
        if unlike:
            self.unlike.update(unlike)
            self._tell(
                f"the worker {worker} differs from this machine: {', '.join(unlike)}; its numbers "
                "may differ in the last digits, and its fits are not kept in the store"
            )

    def _tell(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            self._warn(warning)

    # --- futures ---------------------------------------------------------------------------------

    def ended(self, futures: Sequence[Any]) -> Iterable[Any]:
        """Wait for one of some futures to end; return none where that takes long.

        Raises `WorkersLost` where the scheduler is lost, or no worker is left.
        """
        from distributed import wait

        if self.client.status != "running" or time.monotonic() - self._counted > COUNTED_EVERY:
            self._count()
        with self._asking(), suppress(TimeoutError), self.client.as_current():
            found: Iterable[Any] = wait(futures, EVERY, "FIRST_COMPLETED").done
            return found
        return ()

    def result(self, future: Any) -> Any:
        """Return what a future that has ended made, or an exception of its worker."""
        ask = future.exception if future.status == "error" else future.result
        with self._asking():
            try:
                return ask(timeout=ANSWERED_WITHIN)
            except TimeoutError as error:  # its worker died meanwhile
                return error
            finally:
                future.release()

    def cancel(self, futures: Iterable[Any]) -> None:
        """Cancel what is not done; a task that runs ends by itself."""
        waiting = [future for future in futures if not future.done()]
        if waiting and self.client.status == "running":
            with suppress(Exception):  # the scheduler may be gone
                self.client.cancel(waiting, force=True)

    @contextmanager
    def sharing(
        self, folders: Mapping[str, Mapping[str, bytes]], forget: Callable[[], None]
    ) -> Iterator[None]:
        """Send files to every worker once, and remove them afterwards."""
        from evallang.engine.backends.cluster_worker import RunFiles

        plugin = RunFiles(folders, forget)
        try:
            with self._asking():
                self.client.register_plugin(plugin, name=plugin.name)
        except WorkersLost:
            raise
        except Exception as error:  # raised by the worker, of any class
            raise WorkersLost(
                f"a worker of the Dask cluster cannot take the data: {_first_line(error)}"
            ) from error
        try:
            yield
        finally:
            with suppress(Exception):  # the scheduler may be gone
                if self.client.status == "running":
                    self.client.unregister_worker_plugin(plugin.name)

    def map(self, function: Callable[[Item], Found], items: Sequence[Item]) -> Iterator[Found]:
        """Call a function with every item on the cluster; yield answers in order.

        What a partial function holds is sent to every worker once. What kills its workers, or
        cannot run there, runs here. Raises `WorkersLost` where the scheduler is lost, or no worker
        is left.
        """
        from evallang.engine.backends.cluster_worker import call

        self.connect(())
        sent_once: Any = function
        if isinstance(function, functools.partial):
            with self._asking():
                sent_once = self.client.scatter(function, broadcast=True, hash=False)
        futures = [self.client.submit(call, sent_once, item, pure=False) for item in items]
        try:
            for item, future in zip(items, futures, strict=True):
                while not future.done():
                    self.ended([future])
                found = self.result(future)
                if isinstance(found, BaseException):  # of one that died, lacks evallang or its data
                    LOG.info("a worker of the cluster cannot read a part: %s", _first_line(found))
                    found = function(item)
                yield found
        finally:
            self.cancel(futures)


class ClusterPool(Pool[AnyTask, Made]):
    """Runs tasks on a cluster, those of a batch one after the other.

    A worker that dies makes dask suspect all tasks that were sent to it. Tasks of a batch that dask
    gives up run again alone, once nothing else runs: the one that is given up again is lost.
    """

    def __init__(self, cluster: Cluster, work: Work[AnyTask, Made], fitted: Fitted) -> None:
        super().__init__(work, fitted)
        self._cluster = cluster
        self._suspects: deque[Entry] = deque()
        self._sent: dict[Any, list[Entry]] = {}
        self._seconds, self._done = 0.0, 0

    def outcomes(self) -> Generator[Made, None, None]:
        """Yield outcomes as tasks finish; raise `WorkersLost` where the cluster is lost."""
        while self._waiting or self._suspects or self._sent:
            self._submit()
            for future in self._cluster.ended(list(self._sent)):
                entries, found = self._sent.pop(future), self._cluster.result(future)
                if isinstance(found, BaseException):
                    self._give_up(entries, found)
                    continue
                self._seconds, self._done = self._seconds + found.seconds, self._done + len(entries)
                self._cluster.compare(found.worker, found.versions)
                self._fitted(found.fits)
                for answer in found.answers:
                    yield answer.outcome()

    def close(self) -> None:
        """Cancel what waits."""
        self._cluster.cancel(self._sent)

    def _submit(self) -> None:
        """Send batches until every worker has enough."""
        most = AHEAD * self._cluster.size
        mean = self._seconds / self._done if self._done else BATCH
        while self._waiting and len(self._sent) < most:
            n = math.ceil(min(BATCH / max(mean, 1e-6), len(self._waiting) / most))
            self._send([self._pop() for _ in range(max(n, 1))])
        if self._suspects and not self._sent:
            self._send([self._suspects.popleft()])

    def _send(self, entries: list[Entry]) -> None:
        from evallang.engine.backends.cluster_worker import run_batch

        content, names = cloudpickle.dumps([e.task for e in entries]), list(self._cluster.versions)
        future = self._cluster.client.submit(run_batch, self._work, content, names, pure=False)
        self._sent[future] = entries

    def _give_up(self, entries: list[Entry], error: BaseException) -> None:
        """Decide about a batch without answers."""
        from distributed import KilledWorker

        for entry in entries:
            if isinstance(error, TimeoutError):  # dask does not repeat it soon
                (self._suspects.append if entry.again else self._push)(entry)
            elif not isinstance(error, KilledWorker):  # it cannot import or unpickle a task
                raise _unable("a worker of the Dask cluster", error)
            elif entry.again:
                self._push(Entry(entry.task.drop_lost(WHOLE, worker_loss())))
            else:
                self._suspects.append(Entry(entry.task, again=True))


def _unable(worker: str, error: BaseException) -> WorkersLost:
    return WorkersLost(
        f"{worker} cannot run evallang: {_first_line(error)}; install the same packages on all "
        "workers"
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    if isinstance(error, OSError | ValueError) and lines:
        return lines[0]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
