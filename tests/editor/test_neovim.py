"""Neovim with the settings of `editors/vim` starts the server, shows findings, completes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = Path("editors/vim").resolve()
NEOVIM = (
    *("nvim", "--headless", "--clean", "--cmd", f"set runtimepath^={SETTINGS}"),
    *("-c", "filetype plugin on"),
)
SCRIPT = """
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do
  print(found.lnum .. " " .. found.col .. " " .. found.message)
end
vim.api.nvim_win_set_cursor(0, { 4, 9 })
local answers = vim.lsp.buf_request_sync(
  0, "textDocument/completion", vim.lsp.util.make_position_params(), 20000)
for _, answer in pairs(answers) do
  for _, item in ipairs(answer.result) do print("offers " .. item.label) end
end
vim.cmd("qa!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_starts_the_server(tmp_path):
    study = tmp_path / "study.eval"
    study.write_text(
        "evallang 1\ndata wine from sklearn wine\nmodel m = SVC\nmeasure acuracy\nprotocol cv\n"
    )
    (tmp_path / "ask.lua").write_text(SCRIPT)
    found = subprocess.run(
        [*NEOVIM, str(study), "-c", f"luafile {tmp_path / 'ask.lua'}"],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        check=False,
    )
    assert "3 8 there is no metric called `acuracy`" in found.stderr, found.stderr
    assert "offers accuracy" in found.stderr, found.stderr


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_leaves_an_archive_alone(tmp_path):
    log = tmp_path / "log.eval"
    log.write_bytes(b"PK\x03\x04 and more")
    found = subprocess.run(
        [*NEOVIM, str(log), "-c", "echo '[' . &filetype . ']'", "-c", "qa!"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "[evallang]" not in found.stderr + found.stdout
