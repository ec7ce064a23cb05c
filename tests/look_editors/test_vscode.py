"""The extension in code-server, in headless Chromium: messages, fixes, a run and its report."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from programs import missing

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SERVER = ROOT / os.environ["CODE_SERVER"] / "node_modules/code-server/out/node/entry.js"
EXTENSION = ROOT / "editors/vscode/evallang.vsix"
PICTURE = ROOT / "docs/gallery/vscode.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

STUDY = """\
evallang 1

study "Which model sorts wines?"
  seed 1

data wine from sklearn wine

model linear "Logistic regression" = StandardScaler | LogisticRegression
model nearest "Nearest neighbours" = StandardScaler | KNeighborsClassifier
model baseline = DummyClassifier

protocol repeated cv folds=5 times=4
measure acuracy, f1(average=macro)
compare linear vs nearest with corrected_t
"""
SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "telemetry.telemetryLevel": "off",
    "window.commandCenter": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}
INSPECT = {  # what Inspect AI's extension declares of `.eval`
    "name": "inspect-ai",
    "publisher": "ukaisi",
    "version": "0.0.1",
    "engines": {"vscode": "^1.85.0"},
    "main": "./extension.js",
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with studies, a log, and an environment that has evallang."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "wines.eval").write_text(STUDY)
    (folder / "other.evallang").write_text(STUDY)
    (folder / "logs").mkdir()
    with zipfile.ZipFile(folder / "logs/task.eval", "w") as log:
        log.writestr("header.json", "{}")
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/evallang").symlink_to(BIN / "evallang")
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory, folder):
    """Start code-server with both extensions; return its address."""
    home = tmp_path_factory.mktemp("home")
    inspect = home / "inspect.vsix"
    with zipfile.ZipFile(inspect, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(INSPECT))
        archive.writestr("extension/extension.js", VIEWER)
    (home / "User").mkdir()
    (home / "User/settings.json").write_text(json.dumps(SETTINGS))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [BIN / "node", SERVER, "--user-data-dir", home, "--extensions-dir", home / "more"]
    environment = {**os.environ, "HOME": str(home)}
    for extension in (EXTENSION, inspect):
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
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing("Chromium")
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=options)
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        page.goto(address)
        page.wait_for_selector(".monaco-workbench .explorer-folders-view")
        yield page
        browser.close()


def open_file(page: Page, name: str) -> None:
    page.keyboard.press("Control+P")
    page.locator(".quick-input-widget input").fill(name)
    page.locator(".quick-input-list .monaco-list-row", has_text=name).first.wait_for()
    page.keyboard.press("Enter")
    expect(page.locator(".tab.active")).to_contain_text(name)


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
    report = page.frame_locator("iframe.webview").frame_locator("iframe")
    expect(report.locator("h1")).to_have_text("Which model sorts wines?")
