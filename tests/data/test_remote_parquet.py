"""Parquet objects in stores, read column by column by polars' own client, from servers here."""

import base64
import http.server
import io
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evallang as ev
from evallang.data import remote, remote_parquet
from evallang.limits import limits

pytestmark = pytest.mark.skipif(
    not remote_parquet.is_fetched("s3://trial/wide.parquet"),
    reason="polars below 2.0 waits for a silent server without end and is not asked for objects",
)

KEY, SECRET = "AKIAEVALLANGTEST", "a-secret-that-nobody-may-see"
N = 3000
ACCOUNT_KEY = base64.b64encode(SECRET.encode()).decode()


def _wide() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, N)
    columns: dict[str, Any] = {"id": np.arange(N), "truth": truth}
    columns["a"] = np.where(rng.random(N) < 0.2, 1 - truth, truth)
    columns["patient"] = rng.integers(0, 100, N)
    columns["p_1"] = rng.random(N)
    columns["p_0"] = 1 - columns["p_1"]
    return pl.DataFrame(columns | {f"feature_{i}": rng.random(N) for i in range(40)})


TABLE = _wide()
LABELS = "  id id\n  truth truth\n  models a\nmeasure accuracy\n"


def _parquet(table: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


class _Store(http.server.BaseHTTPRequestHandler):
    """A store of objects that keeps what it was asked for and how many bytes it has sent.

    `fault` is what goes wrong after the first `sound` answers.
    """

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    fault: str
    sound: int
    asked: list[str]
    sent: int

    def do_GET(self) -> None:
        store = type(self)
        store.asked.append(self.headers.get("Authorization") or "")
        fault = store.fault if len(store.asked) > store.sound else ""
        content = store.objects.get(self.path.partition("?")[0])
        if fault == "silent":
            time.sleep(600)  # longer than anybody waits; the thread ends with the tests
        elif fault.isdecimal() or content is None:
            self._refuse(int(fault or 404))
        else:
            self._send(content, cut=fault == "cut")

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def _refuse(self, status: int) -> None:
        body = f"<Error><Code>Refused</Code><Message>{KEY} may not</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send(self, content: bytes, *, cut: bool) -> None:
        asked = self.headers.get("Range") or self.headers.get("x-ms-range")
        start, stop = 0, len(content)
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start = int(first) if first else max(0, stop - int(last))
            stop = min(int(last) + 1, stop) if first and last else stop
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("x-ms-blob-type", "BlockBlob")
        self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(content)}")
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if self.command == "HEAD":
            return
        piece = content[start : (start + stop) // 2 if cut else stop]
        type(self).sent += len(piece)
        self.wfile.write(piece)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Keep silent."""


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, here: None) -> Iterator[type[_Store]]:
    """Serve one object to the clients of S3, Google and Azure, which know the server's address."""
    place, content = "trial/wide.parquet", _parquet(TABLE)
    served: dict[str, Any] = {
        "objects": {f"/{place}": content, f"/account/{place}": content},
        "fault": "",
        "sound": 0,
        "asked": [],
        "sent": 0,
    }
    # Google's client writes the point of a name as a code
    served["objects"]["/trial/wide%2Eparquet"] = content
    handler = type("Served", (_Store,), served)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
    connection = f"AccountName=account;AccountKey={ACCOUNT_KEY};BlobEndpoint={address}/account"
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", connection)
    monkeypatch.setattr(remote_parquet, "ANSWERED_WITHIN", 1)
    monkeypatch.setattr(remote_parquet, "RETRIES", 0)
    yield handler
    server.shutdown()
    server.server_close()


def _study(folder: Path, source: str, clauses: str = LABELS) -> Path:
    place = folder / "study.eval"
    place.write_text(f'evallang 1\n\npredictions p from "{source}"\n{clauses}')
    return place


STORES = pytest.mark.parametrize("scheme", ["s3", "gs", "az"])


@STORES
def test_only_the_columns_that_are_needed_are_fetched(
    tmp_path: Path, store: type[_Store], scheme: str
) -> None:
    (tmp_path / "wide.parquet").write_bytes(_parquet(TABLE))
    here = ev.run(_study(tmp_path, "wide.parquet")).record
    there = ev.run(_study(tmp_path, f"{scheme}://trial/wide.parquet"), network=True).record
    assert there.estimates == here.estimates
    assert there.data[0].sha256 == here.data[0].sha256
    assert [d["code"] for d in there.diagnostics] == [d["code"] for d in here.diagnostics]
    kept = {column.name: column for column in there.data[0].columns}
    assert list(kept) == ["id", "truth", "a", "patient"]  # a rule looks at `patient`
    assert set(kept.values()) <= set(here.data[0].columns)
    assert any("42 columns that the study does not use" in note for note in there.data[0].notes)
    needed = _parquet(TABLE.select("id", "truth", "a", "patient"))
    size = len(_parquet(TABLE))
    footer = 1 << 18  # what the client of S3 and Google asks for at the end of a file, at most
    assert store.sent < min(3 * len(needed) + footer, size // 2)
    assert store.asked[0] == "" or SECRET not in store.asked[0]


def test_columns_of_a_pattern_of_scores_are_needed(tmp_path: Path, store: type[_Store]) -> None:
    clauses = '  truth truth\n  models a\n  scores a = "p_*"\nmeasure brier\n'
    found = ev.run(_study(tmp_path, "s3://trial/wide.parquet", clauses), network=True).record
    names = [column.name for column in found.data[0].columns]
    assert names == ["id", "truth", "a", "patient", "p_1", "p_0"]


def test_every_column_is_needed_without_named_models(tmp_path: Path, store: type[_Store]) -> None:
    store.objects["/trial/wide.parquet"] = _parquet(TABLE.select("truth", "a", "patient"))
    clauses = "  truth truth\n  group patient\nmeasure accuracy\n"
    found = ev.run(_study(tmp_path, "s3://trial/wide.parquet", clauses), network=True).record
    assert [column.name for column in found.data[0].columns] == ["truth", "a", "patient"]


def _refusal(folder: Path, source: str, clauses: str = LABELS) -> str:
    with pytest.raises(ev.StudyError) as caught:
        ev.run(_study(folder, source, clauses), network=True)
    found = "\n".join(f"{d.code} {d.message} {d.help}" for d in caught.value.diagnostics)
    for secret in (KEY, SECRET, ACCOUNT_KEY):
        assert secret not in found
    return found


@STORES
@pytest.mark.parametrize(
    ("fault", "sound", "code"),
    [
        ("403", 0, "E466"),
        ("403", 1, "E466"),  # of the columns, behind the metadata
        ("404", 0, "E401"),
        ("503", 0, "E467"),
        ("cut", 0, "E467"),
        ("cut", 1, "E467"),
        ("silent", 0, "E467"),
    ],
)
def test_what_a_store_refuses_or_drops_is_said(
    tmp_path: Path, store: type[_Store], scheme: str, fault: str, sound: int, code: str
) -> None:
    store.fault, store.sound = fault, sound
    found = _refusal(tmp_path, f"{scheme}://trial/wide.parquet")
    assert found.startswith(code)
    assert f"`{scheme}://trial/wide.parquet`" in found
    assert len(store.asked) < 60


def test_an_unread_column_is_proposed_for_a_misspelled_one(
    tmp_path: Path, store: type[_Store]
) -> None:
    clauses = LABELS.replace("truth truth", "truth feature_39x")
    assert "`feature_39`" in _refusal(tmp_path, "s3://trial/wide.parquet", clauses)


def test_what_is_not_parquet_or_has_no_rows_is_refused(tmp_path: Path, store: type[_Store]) -> None:
    store.objects["/trial/wide.parquet"] = b"id,truth,a\n1,1,1\n" * 20
    assert "E405" in _refusal(tmp_path, "s3://trial/wide.parquet")
    store.objects["/trial/wide.parquet"] = _parquet(TABLE.clear())
    assert "contains no rows" in _refusal(tmp_path, "s3://trial/wide.parquet")
    store.objects["/trial/wide.parquet"] = _parquet(TABLE.with_columns(pl.col("a").alias(" a")))
    assert "more than one column `a`" in _refusal(tmp_path, "s3://trial/wide.parquet")


def test_needed_columns_beyond_the_memory_are_refused(tmp_path: Path, store: type[_Store]) -> None:
    words = TABLE.select("id", "truth", a=pl.lit("a long text " * 30))
    store.objects["/trial/wide.parquet"] = _parquet(words)
    with limits(memory=100_000):
        assert "E4" in _refusal(tmp_path, "s3://trial/wide.parquet")
    with limits(memory=10_000):
        assert "memory" in _refusal(tmp_path, "s3://trial/wide.parquet")


def test_a_bucket_in_another_region_is_read_by_the_other_client(
    tmp_path: Path, store: type[_Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    scan, calls = pl.scan_parquet, []

    def elsewhere(source: Any, **options: Any) -> Any:
        calls.append(source)
        if isinstance(source, str):
            raise OSError("Received redirect without LOCATION")
        return scan(source, **options)

    monkeypatch.setattr(remote_parquet.pl, "scan_parquet", elsewhere, raising=False)
    found = ev.run(_study(tmp_path, "s3://trial/wide.parquet"), network=True).record
    assert found.data[0].n == N
    assert len(calls) == 2
    assert store.sent >= len(_parquet(TABLE))


def test_without_a_form_for_the_credentials_an_object_is_read_whole(
    tmp_path: Path, store: type[_Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_parquet, "_SETTINGS", {"s3": lambda: None})
    found = ev.run(_study(tmp_path, "s3://trial/wide.parquet"), network=True).record
    assert found.data[0].n == N
    assert store.sent >= len(_parquet(TABLE))


@pytest.mark.parametrize(
    ("scheme", "environment", "settings"),
    [
        ("az", {}, None),
        ("az", {"AZURE_STORAGE_ACCOUNT_NAME": "mine"}, None),
        (
            "az",
            {"AZURE_STORAGE_ACCOUNT_NAME": "mine", "AZURE_STORAGE_SAS_TOKEN": "sig=1"},
            {"azure_storage_account_name": "mine", "azure_storage_sas_token": "sig=1"},
        ),
        (
            "az",
            {"AZURE_STORAGE_CONNECTION_STRING": "AccountName=mine;AccountKey=a2V5PQ=="},
            {"azure_storage_account_name": "mine", "azure_storage_account_key": "a2V5PQ=="},
        ),
        (
            "gs",
            {"STORAGE_EMULATOR_HOST": "here:9023"},
            {
                "google_base_url": "http://here:9023",
                "google_skip_signature": "true",
                "allow_http": "true",
            },
        ),
        ("s3", {}, {"aws_skip_signature": "true"}),
        (
            "s3",
            {
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_SESSION_TOKEN": "token",
                "AWS_ENDPOINT_URL_S3": "https://minio.example.org",
                "AWS_REGION": "here",
                "AWS_DEFAULT_REGION": "north-1",
            },
            {
                "aws_access_key_id": "key",
                "aws_secret_access_key": "secret",
                "aws_session_token": "token",
                "aws_endpoint_url": "https://minio.example.org",
                "aws_region": "north-1",
            },
        ),
    ],
)
def test_settings_are_those_of_the_environment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    environment: dict[str, str],
    settings: dict[str, str] | None,
) -> None:
    import os

    for name in [n for n in os.environ if n.startswith(("AWS_", "AZURE_", "GOOGLE_", "STORAGE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert remote_parquet._settings(scheme) == settings


def test_without_credentials_of_google_an_object_is_asked_for_anonymously(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    monkeypatch.delenv("STORAGE_EMULATOR_HOST", raising=False)

    class Known:
        token = "a token"

        def refresh(self, _: object) -> None:
            """Keep the token."""

    monkeypatch.setattr(google.auth, "default", lambda scopes: (Known(), "project"))
    assert remote_parquet._gs() == {"google_bearer_token": "a token"}

    def none(scopes: object) -> Any:
        raise DefaultCredentialsError

    monkeypatch.setattr(google.auth, "default", none)
    assert remote_parquet._gs() == {"google_skip_signature": "true"}


@pytest.mark.parametrize("protocol", ["s3", "gcs", "https", "abfs"])
def test_every_client_of_fsspec_has_limits_of_time(protocol: str) -> None:
    assert str(remote.ANSWERED_WITHIN) in str(remote._patience(protocol))
