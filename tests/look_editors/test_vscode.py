"""The extension in code-server, in headless Chromium: messages, fixes, a run and its report."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from programs import started_browser

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SERVER = ROOT / os.environ["CODE_SERVER"] / "node_modules/code-server/out/node/entry.js"
EXTENSION = ROOT / "editors/vscode/evallang.vsix"
PICTURE = ROOT / "docs/gallery/vscode.png"  # drawn where it is not there

STUDY = """\
evallang 1

study "Which model sorts wines?"
  seed 1

data wine from sklearn wine

model linear "Logistic regression" = StandardScaler
  | LogisticRegression
model nearest "Nearest neighbours" = StandardScaler
  | KNeighborsClassifier
model baseline = DummyClassifier

protocol repeated cv folds=5 times=4
measure acuracy, f1(average=macro)
compare linear vs nearest with corrected_t
"""
SETTINGS = {
    "chat.disableAIFeatures": True,
    "breadcrumbs.enabled": False,
    "editor.minimap.enabled": False,
    "editor.scrollbar.horizontal": "hidden",
    "editor.scrollbar.vertical": "hidden",
    "telemetry.telemetryLevel": "off",
    "terminal.integrated.gpuAcceleration": "off",  # rows are elements, not a canvas
    "window.commandCenter": False,
    "window.title": "${activeEditorShort}",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}
INSPECT = {  # what Inspect AI's extension declares of `.eval`
    "name": "inspect-ai",
    "publisher": "ukaisi",
    "contributes": {
        "languages": [{"id": "eval-log", "aliases": ["Eval Log"], "extensions": [".eval"]}],
        "customEditors": [
            {
                "viewType": "inspect-ai.log-editor",
                "displayName": "Inspect Log Viewer",
                "selector": [{"filenamePattern": "*.eval"}],
                "priority": "default",
            }
        ],
    },
}
VIEWER = """\
const { window } = require("vscode");
exports.activate = () => window.registerCustomEditorProvider("inspect-ai.log-editor", {
  openCustomDocument: (uri) => ({ uri, dispose() {} }),
  resolveCustomEditor: (document, panel) => { panel.webview.html = "<h1>a log</h1>"; },
});
"""
PYTHON = {"name": "python", "publisher": "ms-python"}
INTERPRETER = """\
exports.activate = () => ({ environments: {
  getActiveEnvironmentPath: () => ({ id: "selected", path: "selected" }),
  resolveEnvironment: async ({ id }) =>
    ({ executable: { uri: { fsPath: `FOLDER/${id}/python` } } }),
  onDidChangeActiveEnvironmentPath: () => ({ dispose() {} }),
} });
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with studies, a log, and an environment that has evallang."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "wines.eval").write_text(STUDY)
    (folder / "other.evallang").write_text(STUDY)
    (folder / "logs").mkdir()
    with zipfile.ZipFile(folder / "logs/task.eval", "w") as log:
        log.writestr("header.json", "{}")
    for place in (".venv/bin", "selected"):
        (folder / place).mkdir(parents=True)
        (folder / place / "evallang").symlink_to(BIN / "evallang")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory, folder):
    """Return the folder of code-server's settings, with stand-ins for two other extensions."""
    home = tmp_path_factory.mktemp("home")
    others = ((INSPECT, VIEWER), (PYTHON, INTERPRETER.replace("FOLDER", str(folder))))
    for declared, code in others:
        with zipfile.ZipFile(home / f"{declared['name']}.vsix", "w") as archive:
            more = {"version": "0.0.1", "engines": {"vscode": "^1.85.0"}, "main": "./main.js"}
            archive.writestr("extension/package.json", json.dumps(declared | more))
            archive.writestr("extension/main.js", code)
    (home / "User").mkdir()
    (home / "User/settings.json").write_text(json.dumps(SETTINGS))
    return home


@pytest.fixture(scope="module")
def address(home, folder):
    """Start code-server with the extensions; return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [BIN / "node", SERVER, "--user-data-dir", home, "--extensions-dir", home / "more"]
    environment = {**os.environ, "HOME": str(home)}
    for extension in (EXTENSION, *home.glob("*.vsix")):
        subprocess.run([*command, "--install-extension", extension], env=environment, check=True)
    options = ["--auth", "none", "--disable-workspace-trust", "--bind-addr", f"127.0.0.1:{port}"]
    with subprocess.Popen(
        [*command, *options, "--disable-update-check"], env=environment
    ) as server:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        yield f"{address}/?folder={folder}"
        server.terminate()


def _wait_for(address: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.3)
    raise AssertionError(f"nothing answers at {address}")


@pytest.fixture(scope="module")
def page(address):
    with started_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        page.goto(address)
        page.wait_for_selector(".monaco-workbench .explorer-folders-view")
        yield page


def open_file(page: Page, name: str) -> None:
    choose(page, "Control+P", name)
    expect(page.locator(".editor-group-container.active .tab.active")).to_contain_text(name)


def choose(page: Page, key: str, text: str, prefix: str = "") -> None:
    page.keyboard.press(key)
    asked = page.locator(".quick-input-widget input").first
    asked.fill(prefix + text)
    page.locator(".quick-input-list .monaco-list-row.focused", has_text=text).wait_for()
    asked.press("Enter")


def problems(page: Page):
    return page.locator("[id='status.problems'] a")


def test_a_misspelt_metric_is_underlined_and_its_fix_applied(page):
    open_file(page, "wines.eval")
    page.locator(".squiggly-error").wait_for()
    expect(problems(page)).to_have_attribute("aria-label", re.compile("Errors: 1"))
    ask_for_fixes(page)
    page.keyboard.press("Enter")
    expect(page.locator(".squiggly-error")).to_have_count(0)
    expect(page.locator(".view-lines")).to_contain_text("measure\xa0accuracy,")


def ask_for_fixes(page: Page) -> None:
    page.locator(".view-line", has_text="acuracy").get_by_text("acuracy").first.click()
    page.keyboard.press("Control+.")
    page.locator(".action-widget").get_by_text("accuracy").first.wait_for()


def test_a_run_opens_its_report_beside(page):
    page.get_by_role("button", name="Run Study").first.click()
    expect(shown(page, "h1")).to_have_text("Which model sorts wines?")
    expect(shown(page, "html")).to_have_attribute("data-theme", "light")
    assert "Serif" in shown(page, "h1").evaluate("e => getComputedStyle(e).fontFamily")
    page.keyboard.press("Control+J")
    page.keyboard.press("Control+B")
    page.locator(".view-line", has_text="accuracy").get_by_text("accuracy").first.dblclick()
    page.keyboard.type("acuracy")
    page.locator(".squiggly-error").wait_for()
    ask_for_fixes(page)
    if not PICTURE.exists():
        page.screenshot(path=PICTURE)
    assert PICTURE.stat().st_size < 300_000
    page.keyboard.press("Enter")
    page.keyboard.press("Control+S")


def shown(page: Page, selector: str):
    """Return a part of the page that the newest webview shows."""
    return page.frame_locator("iframe.webview >> nth=-1").frame_locator("iframe").locator(selector)


def call(page: Page, command: str) -> None:
    choose(page, "F1", command, prefix=">")


def terminal(page: Page, text: str):
    return page.locator(".xterm-rows", has_text=text)


def test_a_plan_is_printed_in_the_terminal(page):
    open_file(page, "wines.eval")
    call(page, "evallang: Show Plan")
    expect(terminal(page, ".venv/bin/evallang plan wines.eval")).to_be_visible()
    expect(terminal(page, "60 fits")).to_be_visible()


def test_the_other_ending_is_a_study_too(page):
    open_file(page, "other.evallang")
    page.locator(".squiggly-error").wait_for()


def test_a_log_of_inspect_opens_in_its_viewer(page):
    open_file(page, "task.eval")
    expect(shown(page, "h1")).to_have_text("a log")


def test_the_interpreter_that_python_has_selected_is_next(page, folder):
    (folder / ".venv/bin/evallang").unlink()
    open_file(page, "wines.eval")
    call(page, "evallang: Check Study and Data")
    expect(terminal(page, "selected/evallang check wines.eval --data")).to_be_visible()


def test_a_server_that_does_not_start_is_told_with_the_command_that_installs_it(page, folder):
    settings = folder / ".vscode/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"evallang.command": "nowhere/evallang"}))
    message = page.locator(".notification-toast", has_text="evallang[lsp]")
    expect(message).to_contain_text("nowhere/evallang lsp` does not start")
    settings.write_text("{}")
    open_file(page, "other.evallang")
    page.locator(".squiggly-error").wait_for()
