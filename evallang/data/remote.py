"""Objects of cloud stores and files of web servers: read only with consent.

fsspec's clients read whole objects; `remote_parquet` has polars' client fetch columns. A study
names an address, never a credential: the clients take those from the environment. No
text of a client's error is passed on, since it may hold an address that is signed.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from msgspec import Struct

from evallang.data.codes import (
    ACCESS_DENIED,
    CLIENT_MISSING,
    CONNECTION_FAILED,
    FILE_NOT_FOUND,
    REMOTE_PATH,
)
from evallang.data.findings import Findings
from evallang.limits import BYTES, FILES, OverLimit
from evallang.source import Span

PIECE = 1 << 23  # bytes asked for at a time
CONNECTED_WITHIN, ANSWERED_WITHIN = 10, 15  # seconds
INSTALL = "run `pip install 'evallang[cloud]'`"

_ALLOWED: ContextVar[bool] = ContextVar("network", default=False)


@contextmanager
def network(allowed: bool = True) -> Iterator[None]:
    """Allow addresses of other machines to be read within the context, or forbid it."""
    token = _ALLOWED.set(allowed)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def network_allowed() -> bool:
    """Return whether addresses of other machines may be read."""
    return _ALLOWED.get()


class Scheme(Struct, frozen=True):
    """One kind of address.

    `package` is what fsspec reads it with, `protocol` the name of the file system; `credentials`
    are the variables that most users set; `listed` tells whether names can be looked up.
    """

    package: str
    protocol: str
    credentials: str
    listed: bool = True


SCHEMES = {
    "s3": Scheme("s3fs", "s3", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    "gs": Scheme("gcsfs", "gcs", "GOOGLE_APPLICATION_CREDENTIALS"),
    "az": Scheme("adlfs", "abfs", "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
    "https": Scheme("aiohttp", "https", "", listed=False),
}
"""What an address may begin with."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)


def is_remote(location: str) -> bool:
    """Return whether a path is an address of another machine."""
    return "://" in location


def address_objection(location: str) -> tuple[str, str] | None:
    """Return what is wrong with an address as it is written, and what to write; None if nothing."""
    found = _ADDRESS.fullmatch(location)
    scheme, rest = (found[1].lower(), found[2]) if found else ("", "")
    if scheme not in SCHEMES:
        known = ", ".join(f"`{name}://`" for name in SCHEMES)
        return f"`{location}` is not an address that is read", f"addresses begin with {known}"
    host, _, path = rest.partition("/")
    _, colon, port = host.partition(":")
    if "@" in host or (colon and not port.isdecimal()):
        return "an address in a study may not hold a user or a password", _without(scheme)
    if scheme == "https" and re.search(r"[?#]", rest):
        return (
            "an address in a study may not hold `?` or `#`, since keys are written behind them",
            "write the address without them, or download the file and name it by its path",
        )
    if not host or not path.strip("/"):
        return f"`{location}` does not name a file", f"write it as `{scheme}://HOST/FILE.csv`"
    if scheme == "https" and re.search(r"[*{}\[]", rest):
        return "the files of a web server cannot be listed", "name each file by its address"
    return None


def _without(scheme: str) -> str:
    known = SCHEMES[scheme].credentials
    if not known:
        return "remove it: a file on a web server must be open to all"
    return f"remove it, and set {known} in the environment"


def read_object(location: str, findings: Findings, span: Span | None) -> bytes | None:
    """Read a whole object; None after a finding."""

    def read(system: Any, path: str) -> bytes:
        size = system.info(path).get("size")
        if size is not None:
            BYTES.check(f"`{location}`", size)
        content = bytearray()
        with system.open(path, "rb", block_size=PIECE) as stream:
            while piece := stream.read(PIECE):
                content += piece
                if len(content) > BYTES.most:
                    raise BYTES.exceeded(f"`{location}`")
        if size is not None and len(content) < size:
            raise ConnectionError("the object is longer than what was received")
        return bytes(content)

    def ask(scheme: Scheme) -> bytes:
        found: bytes = _with_or_without_credentials(location, scheme, read)
        return found

    found: bytes | None = asked(location, ask, findings, span)
    return found


def matching_objects(pattern: str, written: str, findings: Findings) -> list[str] | None:
    """Return the addresses that a pattern matches, sorted; None after a finding.

    `written` is the pattern as the study has it.
    """
    scheme = pattern.partition("://")[0].lower()

    def look(system: Any, _: str) -> list[str]:
        path = pattern.partition("://")[2]
        found = [name for name in system.glob(path) if not name.endswith("/")]
        if len(found) > FILES.most:
            raise FILES.exceeded(f"the pattern `{written}`")
        return sorted(f"{scheme}://{name}" for name in found)

    def ask(scheme: Scheme) -> list[str]:
        found: list[str] = _with_or_without_credentials(written, scheme, look)
        return found

    found: list[str] | None = asked(written, ask, findings, None)
    return found


def asked(
    location: str,
    ask: Callable[[Scheme], Any],
    findings: Findings,
    span: Span | None,
) -> Any:
    """Ask for an address with whatever client, with consent; None after a finding."""
    objection = address_objection(location)
    if objection is not None:
        findings.add(REMOTE_PATH, objection[0], span=span, help=objection[1])
        return None
    if not network_allowed():
        findings.add(
            REMOTE_PATH,
            f"`{location}` is an address, and the network is not allowed",
            span=span,
            help="add `--network`, or download the file and name it by its path",
        )
        return None
    scheme = SCHEMES[location.partition("://")[0].lower()]
    try:
        import_module("fsspec")
        import_module(scheme.package)
    except ImportError:
        findings.add(
            CLIENT_MISSING,
            f"`{scheme.package}`, which reads `{location}`, is not installed",
            span=span,
            help=INSTALL,
        )
        return None
    try:
        return ask(scheme)
    except OverLimit as error:
        findings.over_limit(error, span=span)
    except Exception as error:  # clients raise errors of many classes
        cause = error if scheme.listed else _cause(error)
        if isinstance(cause, FileNotFoundError):
            findings.add(
                FILE_NOT_FOUND,
                f"there is no object `{location}`",
                span=span,
                help="check the name of the bucket and of the object, upper and lower case",
            )
        elif _is_denial(cause):
            findings.add(
                ACCESS_DENIED,
                f"the server denies access to `{location}`",
                span=span,
                help=f"set {scheme.credentials} in the environment, or ask for the right to read"
                if scheme.credentials
                else "a file on a web server must be open to all",
            )
        else:
            findings.add(
                CONNECTION_FAILED,
                f"the connection for `{location}` failed ({type(cause).__name__})",
                span=span,
                help="check the address and the network, and run again",
            )
    return None


def _with_or_without_credentials(
    location: str, scheme: Scheme, question: Callable[[Any, str], Any]
) -> Any:
    """Ask with the credentials of the environment; without any as anybody may ask."""
    try:
        return _ask(location, scheme, question, {})
    except Exception as error:
        if type(error).__name__ != NO_CREDENTIALS:
            raise
    return _ask(location, scheme, question, {"anon": True})


NO_CREDENTIALS = "NoCredentialsError"
"""The error of the client of S3 that finds no credentials at all; others ask anonymously then."""


def _ask(
    location: str, scheme: Scheme, question: Callable[[Any, str], Any], options: dict[str, Any]
) -> Any:
    import fsspec

    with _silenced():
        system = fsspec.filesystem(
            scheme.protocol,
            skip_instance_cache=True,
            use_listings_cache=False,
            **_patience(scheme.protocol),
            **options,
        )
        if scheme.protocol == "s3":
            system.retries = 1  # botocore has tried again already
        rest = location.partition("://")[2]
        return question(system, location if scheme.protocol == "https" else rest)


CLIENTS = (
    "adlfs",
    "aiobotocore",
    "aiohttp",
    "azure",
    "botocore",
    "fsspec",
    "gcsfs",
    "google",
    "s3fs",
)
"""The loggers of clients, whose messages may hold requests with their credentials."""


@contextmanager
def _silenced() -> Iterator[None]:
    """Keep the clients from writing to the log."""
    import logging  # a check, which only looks at addresses, starts without it

    loggers = [logging.getLogger(name) for name in CLIENTS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _patience(protocol: str) -> dict[str, Any]:
    """Return the options by which a client of fsspec gives up a server that does not answer."""
    if protocol == "s3":
        config = {
            "connect_timeout": CONNECTED_WITHIN,
            "read_timeout": ANSWERED_WITHIN,
            "retries": {"max_attempts": 1},
        }
        return {"config_kwargs": config}
    if protocol == "abfs":
        return {"connection_timeout": CONNECTED_WITHIN, "read_timeout": ANSWERED_WITHIN}
    from aiohttp import ClientTimeout

    limits = ClientTimeout(total=None, sock_connect=CONNECTED_WITHIN, sock_read=ANSWERED_WITHIN)
    if protocol == "gcs":
        return {"requests_timeout": limits}
    return {"client_kwargs": {"timeout": limits}}


def _cause(error: Exception) -> BaseException:
    """Return why the client of web servers says that a file does not exist, whatever happened."""
    cause = error.__cause__
    if not isinstance(error, FileNotFoundError) or cause is None:
        return error
    return error if getattr(cause, "status", None) == NOT_FOUND else cause


NOT_FOUND = 404


def _is_denial(error: BaseException) -> bool:
    """Return whether an error of a client says that access is denied."""
    status = getattr(error, "status", None) or getattr(error, "status_code", None)
    said = str(error).startswith("Forbidden")  # gcsfs has a plain OSError for it
    return isinstance(error, PermissionError) or status in (401, 403) or said
