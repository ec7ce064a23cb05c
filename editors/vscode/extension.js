// Starts `evallang lsp` of the workspace's environment, runs studies as tasks, shows reports.

const { existsSync, readFileSync } = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const INSTALL = 'pip install "evallang[lsp]"';
const WITH_REPORT = [0, 4]; // exit codes of `evallang run`; 4: a requirement was not met

// What the editor's own styles change in the report
const PLAIN =
  "<style>body { color: inherit; font: inherit; padding: 0 } code { color: inherit; background: none; padding: 0 }</style>";

let client;
let started = Promise.resolve();
const reports = new Map();

async function evallang() {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const set = vscode.workspace.getConfiguration("evallang").get("command");
  if (set) return set.includes("/") ? path.resolve(folders[0] ?? "", set) : set;
  const places = folders.map((folder) => path.join(folder, ".venv", "bin", "evallang"));
  const python = vscode.extensions.getExtension("ms-python.python");
  const environments = python && (await python.activate()).environments;
  if (environments) places.push(path.join(path.dirname(await interpreter(environments)), "evallang"));
  return places.find(existsSync) ?? "evallang";
}

async function interpreter(environments) {
  const selected = environments.getActiveEnvironmentPath();
  const environment = await environments.resolveEnvironment(selected);
  return environment?.executable.uri?.fsPath ?? selected.path;
}

function restart() {
  started = started.then(start);
  return started;
}

async function start() {
  if (!vscode.workspace.isTrusted) return;
  await client?.dispose().catch(() => {}); // one that did not start
  const command = await evallang();
  client = new LanguageClient(
    "evallang",
    { command, args: ["lsp"] },
    {
      documentSelector: [
        { language: "evallang", scheme: "file" },
        { language: "evallang", scheme: "untitled" },
      ],
      initializationFailedHandler: () => false,
      middleware: { window: { showDocument } },
    },
  );
  await client.start().catch(() => void tellHowToInstall(command));
}

async function tellHowToInstall(command) {
  const text = `\`${command} lsp\` does not start. Install it in the environment of this workspace with \`${INSTALL}\`, or set evallang.command.`;
  const chosen = await vscode.window.showErrorMessage(text, "Show Output", "Open Settings");
  if (chosen === "Show Output") client.outputChannel.show();
  if (chosen === "Open Settings")
    vscode.commands.executeCommand("workbench.action.openSettings", "evallang.command");
}

// The server asks to show the report: next to the text, without scripts
async function showDocument(params, next) {
  const report = vscode.Uri.parse(params.uri);
  if (!report.path.endsWith(".html")) return next(params);
  let panel = reports.get(params.uri);
  if (!panel) {
    const folder = path.basename(path.dirname(report.fsPath));
    panel = vscode.window.createWebviewPanel(
      "evallang.report",
      folder,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableFindWidget: true, localResourceRoots: [] },
    );
    panel.onDidDispose(() => reports.delete(params.uri));
    reports.set(params.uri, panel);
  }
  draw(panel, report);
  panel.reveal(undefined, true);
  return { success: true };
}

function draw(panel, report) {
  const { Dark, HighContrast } = vscode.ColorThemeKind;
  const dark = [Dark, HighContrast].includes(vscode.window.activeColorTheme.kind);
  panel.webview.html = readFileSync(report.fsPath, "utf8")
    .replace("<html", `<html data-theme="${dark ? "dark" : "light"}"`)
    .replace("<style>", `${PLAIN}<style>`);
}

async function showReport(uri) {
  await client?.sendRequest("workspace/executeCommand", {
    command: "evallang.openReport",
    arguments: [client.code2ProtocolConverter.asUri(uri)],
  });
}

async function task(definition, scope) {
  const folder = scope?.uri?.fsPath ?? path.dirname(definition.file);
  const words = [definition.command, definition.file, ...(definition.args ?? [])];
  const execution = new vscode.ProcessExecution(await evallang(), words, { cwd: folder });
  const name = [definition.command, ...(definition.args ?? []), definition.file].join(" ");
  const where = scope ?? vscode.TaskScope.Workspace;
  return new vscode.Task(definition, where, name, "evallang", execution, "$evallang");
}

function taskOf(uri, command, ...args) {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const file = folder ? path.relative(folder.uri.fsPath, uri.fsPath) : uri.fsPath;
  return task({ type: "evallang", command, file, ...(args.length && { args }) }, folder);
}

async function execute(uri, ...words) {
  const document = await vscode.workspace.openTextDocument(uri);
  if (await document.save()) await vscode.tasks.executeTask(await taskOf(document.uri, ...words));
}

const provider = {
  provideTasks() {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== "evallang" || document.uri.scheme !== "file") return [];
    return Promise.all(["check", "plan", "run"].map((command) => taskOf(document.uri, command)));
  },
  resolveTask: ({ definition, scope }) => task(definition, scope),
};

async function taskEnded({ execution, exitCode }) {
  const { definition, scope } = execution.task;
  if (definition.type !== "evallang" || definition.command !== "run") return;
  if (!WITH_REPORT.includes(exitCode)) return;
  await showReport(vscode.Uri.file(path.resolve(scope?.uri?.fsPath ?? "", definition.file)));
}

async function activate(context) {
  const command = (name, call) =>
    vscode.commands.registerCommand(`evallang.${name}`, (uri) =>
      call(uri ?? vscode.window.activeTextEditor?.document.uri),
    );
  const python = vscode.extensions.getExtension("ms-python.python");
  context.subscriptions.push(
    command("runStudy", (uri) => execute(uri, "run")),
    command("planStudy", (uri) => execute(uri, "plan")),
    command("checkData", (uri) => execute(uri, "check", "--data")),
    command("showReport", showReport),
    command("restart", restart),
    vscode.tasks.registerTaskProvider("evallang", provider),
    vscode.tasks.onDidEndTaskProcess(taskEnded),
    vscode.window.onDidChangeActiveColorTheme(() =>
      reports.forEach((panel, uri) => draw(panel, vscode.Uri.parse(uri))),
    ),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("evallang.command")) restart();
    }),
  );
  const environments = python && (await python.activate()).environments;
  if (environments)
    context.subscriptions.push(environments.onDidChangeActiveEnvironmentPath(restart));
  await restart();
}

module.exports = { activate, deactivate: () => client?.stop() };
