"""Columns of Parquet objects in cloud stores, fetched by polars' own client.

Only the columns that a study needs are fetched. The client gets the credentials that fsspec's
clients find in the environment; where it has no form for them, the object is read whole.
"""

import io
import os
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import polars as pl

from evallang.data.remote import ANSWERED_WITHIN, CONNECTED_WITHIN, Scheme, asked, read_object

KEEPS_LIMITS = (2, 0)  # versions of polars below wait for a silent server without end
RETRIES, RETRIED_WITHIN = 2, 10_000  # milliseconds
KEPT_FOR = 60.0  # seconds; looking settings up takes 0.3

T = TypeVar("T")
Settings = Mapping[str, str]


def is_fetched(location: str) -> bool:
    """Return whether polars' client reads the columns of an object."""
    scheme = location.partition("://")[0].lower()
    version = tuple(int(part) for part in pl.__version__.split(".")[:2])
    return scheme in _SETTINGS and version >= KEEPS_LIMITS


def fetched(location: str, read: "Callable[[pl.LazyFrame], T]") -> T:
    """Return what is read of a Parquet object, through polars' client where that can."""

    def ask(scheme: Scheme) -> "T | None":
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
            return read(
                pl.scan_parquet(
                    location, storage_options=options, credential_provider=None, glob=False
                )
            )
        except OSError as error:
            words = str(error).lower()  # fsspec looks up the region of a bucket in another one
            if "redirect" not in words and "301 moved" not in words:
                raise
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            pass  # a server without ranges of bytes is read whole, and a damaged file found so too
        return None

    found: T | None = asked(location, ask)
    return read(pl.scan_parquet(io.BytesIO(read_object(location)))) if found is None else found


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
