"""Columns of Parquet objects in cloud stores, fetched by polars' own client.

Only the columns that a study needs are fetched. The client gets the credentials that fsspec's
clients find in the environment; where it has no form for them, the object is read whole.
"""

import io
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from evallang.data.findings import Findings
from evallang.data.remote import ANSWERED_WITHIN, CONNECTED_WITHIN, Scheme, asked, read_object
from evallang.limits import MEMORY
from evallang.source import Span

KEEPS_LIMITS = (2, 0)  # versions of polars below wait for a silent server without end
RETRIES, RETRIED_WITHIN = 2, 10_000  # milliseconds
KEPT_FOR = 60.0  # seconds; looking settings up takes 0.3

Settings = Mapping[str, str]
Choose = Callable[["pl.Schema", int], Sequence[str]]
"""What returns the columns to fetch from the types of all columns and the number of rows."""


class Damaged(Struct, frozen=True):
    """A file that is not Parquet, or not as its metadata say."""

    kind: str


def is_fetched(location: str) -> bool:
    """Return whether polars' client reads the columns of an object."""
    scheme = location.partition("://")[0].lower()
    version = tuple(int(part) for part in pl.__version__.split(".")[:2])
    return scheme in _SETTINGS and version >= KEEPS_LIMITS


def fetch_columns(
    location: str, choose: Choose, findings: Findings, span: Span | None
) -> "pl.DataFrame | Damaged | None":
    """Fetch the columns of a Parquet object that are chosen; None after a finding.

    Raises `OverLimit` where they are larger than the memory of a table may be.
    """

    def ask(scheme: Scheme) -> "pl.DataFrame | None":
        settings = _settings(location.partition("://")[0].lower())
        if settings is None:
            return None
        options: dict[str, Any] = {
            **settings,
            "connect_timeout": f"{CONNECTED_WITHIN}s",
            "read_timeout": f"{ANSWERED_WITHIN}s",
            "max_retries": RETRIES,
            "retry_timeout_ms": RETRIED_WITHIN,
        }
        try:
            source = pl.scan_parquet(
                location, storage_options=options, credential_provider=None, glob=False
            )
            cells = collected(source, location, choose)
        except OSError as error:
            if not _is_elsewhere(error):
                raise
            return None
        # A server without ranges of bytes is read whole, and a damaged file is found so too
        return None if isinstance(cells, Damaged) else cells

    before = len(findings.diagnostics)
    found: pl.DataFrame | None = asked(location, ask, findings, span)
    if found is not None or len(findings.diagnostics) > before:
        return found
    content = read_object(location, findings, span)
    if content is None:
        return None
    return collected(pl.scan_parquet(io.BytesIO(content)), location, choose)


def collected(table: "pl.LazyFrame", location: str, choose: Choose) -> "pl.DataFrame | Damaged":
    """Read the chosen columns of a table, piece by piece, within the limit of memory."""
    try:
        schema = table.collect_schema()
        chosen = choose(schema, table.select(pl.len()).collect().item())
        pieces: list[pl.DataFrame] = []
        held: float = 0
        for piece in table.select(chosen).collect_batches(maintain_order=True):
            pieces.append(piece)
            held += piece.estimated_size()
            MEMORY.check(f"`{location}`, once it is read", held)
        empty = pl.DataFrame(schema={name: schema[name] for name in chosen})
        return pl.concat(pieces) if pieces else empty
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        return Damaged(type(error).__name__)


def _is_elsewhere(error: OSError) -> bool:
    """Return whether a store says that the bucket is in another region, which fsspec looks up."""
    words = str(error).lower()
    return "redirect" in words or "301 moved" in words


# --- settings of the environment -------------------------------------------------------------


def _s3() -> Settings | None:
    from botocore.session import Session

    session = Session()
    place = session.create_client("s3").meta
    settings: dict[str, str] = {}
    address = str(place.endpoint_url)
    if not address.rstrip("/").endswith((".amazonaws.com", ".amazonaws.com.cn")):
        settings |= {"aws_endpoint_url": address, "aws_region": place.region_name or "us-east-1"}
        settings |= _plain(address, "aws_allow_http")
    known = session.get_credentials()
    if known is None:
        return {**settings, "aws_skip_signature": "true"}
    keys = known.get_frozen_credentials()
    settings |= {"aws_access_key_id": keys.access_key, "aws_secret_access_key": keys.secret_key}
    return {**settings, **({"aws_session_token": keys.token} if keys.token else {})}


def _gs() -> Settings | None:
    emulator = os.environ.get("STORAGE_EMULATOR_HOST")
    if emulator:
        address = emulator if "://" in emulator else f"http://{emulator}"
        plain = _plain(address, "allow_http")
        return {"google_base_url": address, "google_skip_signature": "true", **plain}
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError
    from google.auth.transport.requests import Request

    known: Any
    try:
        known, _ = google.auth.default(
            scopes=["https://www.googleapis.com/auth/devstorage.read_only"]
        )
    except DefaultCredentialsError:
        return {"google_skip_signature": "true"}
    known.refresh(Request())
    return {"google_bearer_token": known.token}


def _az() -> Settings | None:
    """Return the account and its key or signature; None for credentials that are tokens."""
    written = os.environ.get("AZURE_STORAGE_CONNECTION_STRING", "")
    pairs = (part.partition("=") for part in written.split(";"))
    known = {name.strip(): value.strip() for name, _, value in pairs if value}
    names = {"AccountName": "NAME", "AccountKey": "KEY"}
    account, key = (
        known.get(name) or os.environ.get(f"AZURE_STORAGE_ACCOUNT_{word}")
        for name, word in names.items()
    )
    signature = known.get("SharedAccessSignature") or os.environ.get("AZURE_STORAGE_SAS_TOKEN")
    if account is None or (key is None and signature is None):
        return None
    settings = {"azure_storage_account_name": account}
    if key is not None:
        settings["azure_storage_account_key"] = key
    else:
        settings["azure_storage_sas_token"] = str(signature)
    address = known.get("BlobEndpoint")
    if address is not None:
        address = address.rstrip("/")
        settings |= {"azure_storage_endpoint": address, **_plain(address, "allow_http")}
    return settings


def _plain(address: str, option: str) -> Settings:
    return {option: "true"} if address.startswith("http://") else {}


_SETTINGS: dict[str, Callable[[], Settings | None]] = {"s3": _s3, "gs": _gs, "az": _az}
"""What makes the settings of polars' client for each kind of store."""

_KEPT: dict[tuple[Any, ...], tuple[float, Settings | None]] = {}


def _settings(scheme: str) -> Settings | None:
    """Return the settings of a store, for a short time those that were looked up before."""
    environment = tuple(sorted(os.environ.items()))
    found = _KEPT.get((scheme, environment))
    if found is None or time.monotonic() - found[0] > KEPT_FOR:
        _KEPT.clear()
        found = time.monotonic(), _SETTINGS[scheme]()
        _KEPT[scheme, environment] = found
    return found[1]
