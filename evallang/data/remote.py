"""Objects of cloud stores and files of web servers: read only with consent.

fsspec's clients read whole objects; `remote_parquet` has polars' client fetch columns. A study
names an address, never a credential: the clients take those from the environment. No
text of a client's error is passed on, since it may hold an address that is signed.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from typing import Any

from msgspec import Struct

from evallang.data.findings import Refused
from evallang.diagnostics import codes
from evallang.installation import install_extras
from evallang.limits import BYTES, FILES, OverLimit

PIECE = 1 << 23  # bytes asked for at a time
CONNECTED_WITHIN, ANSWERED_WITHIN = 10, 15  # seconds

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


def read_object(location: str) -> bytes:
    """Read a whole object."""

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

    found: bytes = asked(location, partial(_with_or_without_credentials, location, read))
    return found


def matching_objects(pattern: str, written: str) -> list[str]:
    """Return the addresses that a pattern matches, sorted; `written` is it as the study has it."""
    scheme = pattern.partition("://")[0].lower()

    def look(system: Any, _: str) -> list[str]:
        path = pattern.partition("://")[2]
        found = [name for name in system.glob(path) if not name.endswith("/")]
        if len(found) > FILES.most:
            raise FILES.exceeded(f"the pattern `{written}`")
        return sorted(f"{scheme}://{name}" for name in found)

    found: list[str] = asked(written, partial(_with_or_without_credentials, written, look))
    return found


def asked(location: str, ask: Callable[[Scheme], Any]) -> Any:
    """Ask for an address with whatever client, with consent."""
    objection = address_objection(location)
    if objection is not None:
        raise Refused(codes.remote_path, objection[0], help=objection[1])
    if not network_allowed():
        raise Refused(
            codes.remote_path,
            f"`{location}` is an address, and the network is not allowed",
            help="add `--network`, or download the file and name it by its path",
        )
    scheme = SCHEMES[location.partition("://")[0].lower()]
    try:
        import_module("fsspec")
        import_module(scheme.package)
    except ImportError as error:
        message = f"`{scheme.package}`, which reads `{location}`, is not installed"
        fix = f"run `{install_extras('cloud')}`"
        raise Refused(codes.store_client_missing, message, help=fix) from error
    try:
        return ask(scheme)
    except (OverLimit, Refused):
        raise
    except Exception as error:  # clients raise errors of many classes
        cause = error if scheme.listed else _cause(error)
        if isinstance(cause, FileNotFoundError):
            fix = "check the name of the bucket and of the object, upper and lower case"
            found = Refused(codes.file_not_found, f"there is no object `{location}`", help=fix)
        elif _is_denial(cause):
            fix = f"set {scheme.credentials} in the environment, or ask for the right to read"
            fix = fix if scheme.credentials else "a file on a web server must be open to all"
            found = Refused(
                codes.access_denied, f"the server denies access to `{location}`", help=fix
            )
        else:
            message = f"the connection for `{location}` failed ({type(cause).__name__})"
            fix = "check the address and the network, and run again"
            found = Refused(codes.connection_failed, message, help=fix)
        raise found from None


def _with_or_without_credentials(
    location: str, question: Callable[[Any, str], Any], scheme: Scheme
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
