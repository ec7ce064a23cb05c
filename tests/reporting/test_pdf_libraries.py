"""WeasyPrint finds its libraries without a compiler or linker that looks for their files."""

import subprocess
import sys

import pytest

LOADED = """
import sys
programs = []
sys.addaudithook(lambda event, given: event == "subprocess.Popen" and programs.append(given[0]))
from evallang.reporting import pdf
try:
    pdf.write("<p>text", "a")
except pdf.PangoMissingError:
    print("no Pango")
import ctypes.util
print(programs, ctypes.util.find_library.__module__)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems search for files")
def test_no_program_is_started_to_find_a_library():
    run = [sys.executable, "-c", LOADED]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[] ctypes.util"
