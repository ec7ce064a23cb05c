"""The canonical form behind a data set's hash."""

import hashlib
import os
import struct
import subprocess
import sys

import numpy as np
from hypothesis import given, strategies as st

from evallang.data.hashing import VERSION, DataHash


def by_hand(*parts):
    """The documented form: a line of JSON with name, kind and length, then the content."""
    digest = hashlib.sha256()
    for name, kind, content in parts:
        digest.update(f'["{name}", "{kind}", {len(content)}]\n'.encode() + content + b"\n")
    return digest.hexdigest()


FIRST = ("version", "json", f'"{VERSION}"'.encode())


def test_numbers_enter_as_little_endian_bytes_and_one_nan():
    parts = DataHash()
    odd_nan = np.frombuffer(b"\x01\x00\x00\x00\x00\x00\xf8\x7f", dtype="<f8")[0]
    parts.numbers("v", np.array([1.5, odd_nan], dtype=">f8"))
    content = struct.pack("<dd", 1.5, float("nan"))
    assert parts.hexdigest() == by_hand(FIRST, ("v", "<f8[2]", content))


def test_texts_enter_as_levels_in_order_of_appearance_and_codes():
    parts = DataHash()
    parts.texts("t", ["b", "a", float("nan"), "b"])
    assert parts.hexdigest() == by_hand(
        FIRST,
        ("t.levels", "json", b'["b","a",null]'),
        ("t.codes", "<i8[4]", struct.pack("<qqqq", 0, 1, 2, 0)),
    )


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_different_columns_of_text_have_different_hashes(one, two):
    def hashed(texts):
        parts = DataHash()
        parts.texts("t", texts)
        return parts.hexdigest()

    assert (hashed(one) == hashed(two)) == (one == two)


def test_the_hash_is_the_same_under_another_hash_seed(source):
    source.write("d.csv", "w,x,y\nB,1,yes\nA,2,no\nC,3,maybe\n")
    program = (
        "from pathlib import Path\n"
        "from evallang.data.dataset import DataSpec\n"
        "from evallang.data.data_tables import read_table\n"
        "spec = DataSpec('d', 'd', 'path', 'd.csv', 's', target='y', subgroups=('w', 'x'))\n"
        "print(read_table(spec, Path('.'))[0][0].sha256)\n"
    )
    here = source.table(None, "d.csv", subgroups=("w", "x")).sha256
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=source.folder,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == here
