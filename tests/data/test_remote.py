"""Objects of a store and files of a web server, on this machine: moto's S3, and TLS by Python."""

import base64
import http.server
import io
import json
import socket
import ssl
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import fsspec
import polars as pl
import pytest
from calling import call
from many_cases import for_each
from moto.server import ThreadedMotoServer

import evallang as ev
from evallang.data.remote import address_objection

pytestmark = pytest.mark.usefixtures("here")  # commands read elsewhere

KEY, SECRET = "AKIAEVALLANGTEST", "a-secret-that-nobody-may-see"
TABLE = pl.DataFrame(
    {"id": range(60), "truth": [i % 2 for i in range(60)], "a": [(i // 3) % 2 for i in range(60)]}
)
LABELS = "  truth truth\n  models a\nmeasure accuracy\n"


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """Serve S3 on this machine, with a bucket of one file and of its parts; yield the address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    _put(f"{address}/trial", b"")
    _put(f"{address}/trial/preds.csv", TABLE.write_csv().encode())
    for part in (0, 1, 2):
        rows = TABLE[part * 20 : part * 20 + 20].write_csv().encode()
        _put(f"{address}/trial/preds/{part}.csv", rows)
        _put(f"{address}/trial/preds/{part}.parquet", _parquet(TABLE[part * 20 : part * 20 + 20]))
    for name in ("north", "south"):
        table = pl.DataFrame({"x": [i % 7 for i in range(60)], "y": [i % 2 for i in range(60)]})
        _put(f"{address}/trial/suite/{name}.csv", table.write_csv().encode())
    yield address
    server.stop()


def _parquet(table: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


def _put(address: str, content: bytes) -> None:
    request = urllib.request.Request(address, data=content, method="PUT")
    request.add_header("Authorization", f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/s3/")
    request.add_header("X-Amz-Acl", "public-read")
    request.add_header("Content-Type", "application/octet-stream")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


@pytest.fixture
def environment(store: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Set the credentials and the address of the store."""
    return _set(monkeypatch, store)


def _set(monkeypatch: pytest.MonkeyPatch, address: str) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return address


def _study(folder: Path, text: str) -> Path:
    place = folder / "study.eval"
    place.write_text(f"evallang 1\n\nstudy\n  seed 1\n\n{text}")
    return place


def _refusal(folder: Path, text: str, *, allowed: bool = True) -> str:
    with pytest.raises(ev.StudyError) as caught:
        ev.run(_study(folder, text), network=allowed)
    found = "\n".join(f"{d.code} {d.message} {d.help}" for d in caught.value.diagnostics)
    assert SECRET not in found
    assert KEY not in found
    return found


def test_an_object_gives_the_results_of_the_same_file(tmp_path: Path, environment: str) -> None:
    TABLE.write_csv(tmp_path / "preds.csv")
    here = ev.run(_study(tmp_path, f'predictions p from "preds.csv"\n{LABELS}'))
    there = ev.run(
        _study(tmp_path, f'predictions p from "s3://trial/preds.csv"\n{LABELS}'), network=True
    )
    assert there.record.estimates == here.record.estimates
    assert there.record.data[0].sha256 == here.record.data[0].sha256
    assert there.record.provenance.paths_taken == ("s3://trial/preds.csv",)


@pytest.mark.parametrize("ending", ["csv", "parquet"])  # moto answers wrongly for a short Parquet
def test_parts_in_a_store_are_found_and_counted(
    tmp_path: Path, environment: str, ending: str
) -> None:
    text = f'predictions p from "s3://trial/preds/{{part}}.{ending}"\n  id id\n{LABELS}'
    found = ev.run(_study(tmp_path, text), network=True).record
    right = int((TABLE["truth"] == TABLE["a"]).sum())
    assert found.estimates[0].value == right / 60
    assert found.provenance.paths_taken == (f"s3://trial/preds/{{part}}.{ending}",)


def test_a_pattern_of_a_store_gives_a_data_set_for_each_object(
    tmp_path: Path, environment: str
) -> None:
    text = (
        'data d from "s3://trial/suite/*.csv"\n  target y\nmodel m = GaussianNB\n'
        "protocol cv folds=3\nmeasure accuracy\n"
    )
    found = ev.run(_study(tmp_path, text), network=True, store="off").record
    assert [data.name for data in found.data] == ["d/north", "d/south"]


def test_without_credentials_a_public_object_is_asked_for_anonymously(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ENDPOINT_URL", store)
    text = f'predictions p from "s3://trial/preds.csv"\n{LABELS}'
    assert ev.run(_study(tmp_path, text), network=True).record.data[0].n == 60


def test_nothing_is_read_without_consent(tmp_path: Path, environment: str) -> None:
    text = f'predictions p from "s3://trial/preds.csv"\n{LABELS}'
    study = ev.load(_study(tmp_path, text))
    assert not study.check()
    assert "E402" in _refusal(tmp_path, text, allowed=False)
    assert "`--network`" in _refusal(tmp_path, text, allowed=False)
    assert study.plan() is not None  # what does not depend on the data


def test_a_missing_object_and_a_missing_bucket_are_named(tmp_path: Path, environment: str) -> None:
    for address in ("s3://trial/prds.csv", "s3://tril/preds.csv"):
        found = _refusal(tmp_path, f'predictions p from "{address}"\n{LABELS}')
        assert "E401" in found
        assert address in found
    text = f'predictions p from "s3://trial/nothing/{{part}}.csv"\n{LABELS}'
    assert "E401" in _refusal(tmp_path, text)


class _Denying(http.server.BaseHTTPRequestHandler):
    """A server that denies access, in the words of S3, with the key of whoever asks."""

    def do_GET(self) -> None:
        body = (
            "<?xml version='1.0'?><Error><Code>AccessDenied</Code>"
            f"<Message>{KEY} may not read</Message></Error>"
        ).encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def log_message(self, *_: object) -> None:
        """Keep silent."""


class _Cloud(http.server.BaseHTTPRequestHandler):
    """Objects as Google's and Azure's services give them: one that is there, and no other."""

    protocol_version = "HTTP/1.1"
    content = TABLE.write_csv().encode()
    denies = False

    def do_GET(self) -> None:
        place, _, query = self.path.partition("?")
        if self.denies:
            self._answer(403, b'{"error": {"code": 403, "message": "no"}}')
        elif not place.endswith("preds.csv"):
            self._answer(
                404,
                b'{"error": {"code": 404, "message": "none"}}',
                {"x-ms-error-code": "BlobNotFound"},
            )
        elif place.startswith("/storage/") and "alt=media" not in query:
            facts = {"name": "preds.csv", "bucket": "runs", "size": str(len(self.content))}
            self._answer(200, json.dumps(facts).encode())
        else:
            self._send_content()

    def _send_content(self) -> None:
        headers = {"ETag": '"1"', "x-ms-blob-type": "BlockBlob"}
        asked = self.headers.get("Range") or self.headers.get("x-ms-range")
        if asked is None:
            self._answer(200, self.content, headers)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        start, stop = int(first), min(int(last) + 1, len(self.content))
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(self.content)}"
        self._answer(206, self.content[start:stop], headers)

    do_HEAD = do_GET  # noqa: N815 - the name that the base class calls

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        changed = {"Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", **(headers or {})}
        for name, value in {**changed, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep silent."""


class _DenyingCloud(_Cloud):
    """The same services for somebody without a right to read."""

    denies = True


def _set_clouds(monkeypatch: pytest.MonkeyPatch, server: http.server.HTTPServer) -> None:
    import gcsfs  # slow, and most tests need none

    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
    if gcsfs.GCSFileSystem is gcsfs.core.GCSFileSystem:
        # gcsfs 2025.3 asks Google's network for a right to read, five times within 15 s; later
        # ones have another class, which asks it about the bucket if no such right is needed
        monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
    key = base64.b64encode(SECRET.encode()).decode()
    monkeypatch.setenv(
        "AZURE_STORAGE_CONNECTION_STRING",
        f"DefaultEndpointsProtocol=http;AccountName=acc;AccountKey={key};"
        f"BlobEndpoint={address}/acc;",
    )


CLOUDS = pytest.mark.parametrize("scheme", ["gs", "az"])


@CLOUDS
@pytest.mark.parametrize("served", [_Cloud], indirect=True)
def test_objects_of_other_stores_are_read_by_their_own_clients(
    tmp_path: Path,
    served: http.server.HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    _set_clouds(monkeypatch, served)
    text = f'predictions p from "{scheme}://runs/preds.csv"\n{LABELS}'
    assert ev.run(_study(tmp_path, text), network=True).record.data[0].n == 60
    missing = text.replace("preds.csv", "none.csv")
    assert "E401" in _refusal(tmp_path, missing)


@CLOUDS
@pytest.mark.parametrize("served", [_DenyingCloud], indirect=True)
def test_objects_of_other_stores_may_be_denied(
    tmp_path: Path,
    served: http.server.HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    _set_clouds(monkeypatch, served)
    assert "E466" in _refusal(tmp_path, f'predictions p from "{scheme}://runs/preds.csv"\n{LABELS}')


class _Dropping(http.server.BaseHTTPRequestHandler):
    """A server that announces an object and closes the connection in the middle of it."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.send_header("ETag", '"1"')
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(b"id,truth,a\n1,1,1\n")
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        """Keep silent."""


class _Serving(http.server.BaseHTTPRequestHandler):
    """A server of one file."""

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path.endswith("preds.csv") else 404)
        self.send_header("Content-Length", str(len(TABLE.write_csv())))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(TABLE.write_csv().encode())

    def log_message(self, *_: object) -> None:
        """Keep silent."""


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[http.server.HTTPServer]:
    """Serve with the handler of the test's parameter."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), request.param)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with closing(server.socket):
        yield server
        server.shutdown()


@pytest.mark.parametrize("served", [_Denying], indirect=True)
def test_a_denied_object_is_said_to_be_denied(
    tmp_path: Path, served: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set(monkeypatch, f"http://127.0.0.1:{served.server_port}")
    found = _refusal(tmp_path, f'predictions p from "s3://trial/preds.csv"\n{LABELS}')
    assert "E466" in found
    assert "AWS_ACCESS_KEY_ID" in found


@pytest.mark.parametrize("served", [_Dropping], indirect=True)
def test_a_dropped_connection_is_not_the_end_of_the_file(
    tmp_path: Path, served: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set(monkeypatch, f"http://127.0.0.1:{served.server_port}")
    found = _refusal(tmp_path, f'predictions p from "s3://trial/preds.csv"\n{LABELS}')
    assert "E467" in found


def test_no_server_at_all_is_a_failed_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _set(monkeypatch, f"http://127.0.0.1:{port}")
    found = _refusal(tmp_path, f'predictions p from "s3://trial/preds.csv"\n{LABELS}')
    assert "E467" in found
    found = _refusal(tmp_path, f'predictions p from "https://127.0.0.1:{port}/p.csv"\n{LABELS}')
    assert "E467" in found


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate of this machine and its key."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    places = folder / "cert.pem", folder / "key.pem"
    places[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    places[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return places


@pytest.mark.parametrize("served", [_Serving], indirect=True)
def test_a_file_of_a_web_server_is_read_if_its_certificate_is_known(
    tmp_path: Path, served: http.server.HTTPServer
) -> None:
    certificate, key = _certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    served.socket = context.wrap_socket(served.socket, server_side=True)
    address = f"https://127.0.0.1:{served.server_port}/preds.csv"
    study = _study(tmp_path, f'predictions p from "{address}"\n{LABELS}')
    # In a process of its own: the authorities are read once
    command = [sys.executable, "-m", "evallang", "data", str(study), "--network"]
    known = subprocess.run(
        [*command, "--format", "json"],
        env={**_plain_environment(), "SSL_CERT_FILE": str(certificate)},
        capture_output=True,
        text=True,
    )
    assert known.returncode == 0, known.stderr
    assert json.loads(known.stdout)["data"][0]["n"] == 60
    unknown = subprocess.run(command, env=_plain_environment(), capture_output=True, text=True)
    assert unknown.returncode == 1
    assert "the connection" in unknown.stdout.replace("\n", " ")
    assert "Certificate" in unknown.stdout


def _plain_environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


def test_results_logs_and_output_hold_no_credential(tmp_path: Path, environment: str) -> None:
    study = _study(tmp_path, f'predictions p from "s3://trial/preds.csv"\n{LABELS}report csv\n')
    command = [sys.executable, "-m", "evallang", "run", str(study), "--network", "-j", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written = [done.stdout, done.stderr]
    written += [file.read_text(errors="replace") for file in tmp_path.rglob("*") if file.is_file()]
    assert len(written) > 3
    for text in written:
        assert SECRET not in text
        assert KEY not in text


@for_each(
    ("address", "word"),
    [
        ("ftp://host/a.csv", "s3://"),
        ("http://host/a.csv", "https://"),
        ("file:///etc/passwd.csv", "s3://"),
        ("https://ana:pw@host/a.csv", "remove"),
        ("s3://key:secret@bucket/a.csv", "environment"),
        ("https://host/a.csv?sig=1", "without"),
        ("https://host/*.csv", "by its address"),
        ("https://host/{part}.csv", "by its address"),
        ("s3://AKIAX:se/cr+et@bucket/a.csv", "environment"),
        ("s3://bucket", "FILE"),
    ],
)
def test_an_address_that_may_not_be_read_is_refused_as_it_is_written(
    address: str, word: str
) -> None:
    objection = address_objection(address)
    assert objection is not None
    assert word in objection[1]


@pytest.mark.parametrize(
    "address",
    [
        "s3://b/a.csv",
        "gs://b/x/*.csv",
        "az://c/{part}.parquet",
        "https://h/a.csv.gz",
        "https://h:8443/a.csv",
    ],
)
def test_an_address_that_may_be_read_is_not(address: str) -> None:
    assert address_objection(address) is None


WITH_SECRETS = [
    "s3://ana:hunter2@host/a.csv",
    "s3://ana:hunt/er2@host/a.csv",
    "ftp://ana:hunter2@host/a.csv",
    "https://host/a.csv?X-Amz-Credential=hunter2&X-Amz-Signature=hunter2",
    "https://host/a.csv?sv=1&sig=hunter2",
]


@for_each("kind", ["text", "json", "github", "gitlab", "sarif"])
@for_each("address", WITH_SECRETS)
def test_no_finding_shows_what_an_address_should_not_hold(
    tmp_path: Path, address: str, kind: str
) -> None:
    # The second statement shows its line for another reason
    faults = f'predictions p from "{address}"\n{LABELS}predictions q from "{address}" and more\n'
    study = _study(tmp_path, faults)
    for command in (["check", "--format", kind], ["run", "--network"], ["plan"]):
        done = call(*command, str(study), folder=tmp_path)
        assert done.returncode != 0
        shown = done.stdout + done.stderr
        assert "hunt" not in shown
        assert "er2" not in shown.replace("there", "")
    assert [file.name for file in tmp_path.iterdir()] == ["study.eval"]
