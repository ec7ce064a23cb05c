"""Files that are not text, standard input, and the differences that `fmt` shows."""

import click
import pytest
from click.testing import CliRunner

from evallang.cli.main import root

STUDY = 'evallang 1\nstudy "Two"\n  seed 1\n'


def call(*words, text=None):
    """Run a command in this process: its exit code, and what it wrote."""
    done = CliRunner().invoke(root, [str(w) for w in words], input=text, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        return done.exception.exit_code, done.stdout, f"Error: {done.exception.message}"
    assert done.exception is None, done.exception
    return done.return_value, done.stdout_bytes.decode(), done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (STUDY.encode("utf-16"), "the file is UTF-16, and a study is UTF-8"),
        (STUDY.encode("utf-16-be"), "the file is not text: it contains NUL characters"),
        (
            bytes(range(128, 256)),
            "many bytes of the file are not UTF-8: it is not text, or in another encoding",
        ),
    ],
)
def test_what_is_no_text_is_said_once_and_left_alone(tmp_path, content, message):
    place = tmp_path / "study.eval"
    place.write_bytes(content)
    for words in (("check",), ("check", "--fix"), ("fmt",), ("fmt", "--check"), ("plan",)):
        code, _, said = call(*words, place)
        assert code == 1, words
        assert said.startswith(f"error[E003] {message}\n"), words
        assert said.count("error[") == 1
        assert place.read_bytes() == content


def test_a_text_in_another_encoding_keeps_its_bytes_and_is_an_error(tmp_path):
    place = tmp_path / "study.eval"
    content, made = (b'evallang 1\nstudy %b"x"  # M\xfcller\n' % gap for gap in (b"  ", b""))
    place.write_bytes(content)
    for words in (("check",), ("fmt", "--check"), ("fmt", "--diff"), ("fmt",), ("fmt",)):
        code, _, said = call(*words, place)
        assert code == 1, words
        assert said.count("error[E003] the byte 0xFC is not UTF-8") == 1, words
        assert place.read_bytes() == (made if words == ("fmt",) else content), words


def test_standard_input_in_another_encoding_is_formatted_and_is_an_error():
    for content in (b'evallang 1\nstudy   "M\xfcller"\n', b'evallang 1\nstudy "M\0"\n'):
        done = CliRunner().invoke(root, ["fmt", "-"], input=content, standalone_mode=False)
        assert done.return_value == 1
        assert done.stdout_bytes == content.replace(b"   ", b" ")
        assert done.stderr.startswith("error[E003] the ")


def test_standard_input_is_checked():
    code, _, said = call("check", "-", text=STUDY + "protocl cv\n")
    assert code == 1
    assert "--> <stdin>:4:1" in said
    assert '"path": "<stdin>"' in call("check", "--format", "json", "-", text=STUDY)[1]
    code, _, said = call("check", "--fix", "-", text=STUDY)
    assert (code, "`-` is not a file" in said) == (2, True)


def test_a_difference_shows_the_newline_that_is_missing_and_the_carriage_returns(tmp_path):
    place = tmp_path / "study.eval"
    place.write_bytes(b'evallang 1\nstudy "x"')
    code, shown, _ = call("fmt", "--check", "--diff", place)
    assert code == 1
    assert shown.endswith('-study "x"\n\\ No newline at end of file\n+study "x"\n')
    place.write_bytes(b'evallang 1\r\nstudy "x"\r\n')
    assert '-study "x"\r\n' in call("fmt", "--diff", place)[1]
    assert call("fmt", "--diff", "-", text=STUDY)[1] == ""


def test_an_empty_path_is_no_folder():
    for command in ("check", "fmt", "plan", "run"):
        _, _, said = call(command, "")
        assert said == "Error: there is no file ``"
