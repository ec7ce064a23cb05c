// Python and the checker in a thread of their own, so that typing never waits for them.
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function start() {
  const [python, packages, program] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetched("checker.zip").then((answer) => answer.arrayBuffer()),
    fetched("checker.py").then((answer) => answer.text()),
  ]);
  python.unpackArchive(packages, "zip", { extractDir: "/packages" });
  python.runPython("import sys; sys.path.append('/packages')");
  python.runPython(program);
  return python.globals;
}

async function fetched(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  return answer;
}

const ready = start();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: error.message }),
);

// What failed is answered as well: the page says so
onmessage = async ({ data: { number, verb, text } }) => {
  const functions = await ready;
  try {
    postMessage({ number, verb, result: functions.get(verb)(text) });
  } catch (error) {
    postMessage({ number, verb, error: error.message.trim().split("\n").at(-1) });
  }
};
