// Compile the packages of the page with the very Python that runs there, and write them as one zip:
//   node compile.mjs FOLDER_OF_PYODIDE OUT.zip WHEEL...
// An own module of bytes that the page does not read (fonts, data) is not part of it.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, out, ...wheels] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/` });
for (const wheel of wheels) {
  const bytes = new Uint8Array(await readFile(wheel));
  python.unpackArchive(bytes, "zip", { extractDir: "/packages" });
}
python.runPython(`
import compileall, pathlib, py_compile, shutil

packages = pathlib.Path("/packages")
for unread in ("evallang/examples/data", "evallang/templates/fonts"):
    shutil.rmtree(packages / unread)
assert compileall.compile_dir(
    packages, quiet=1, legacy=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
)
for module in packages.rglob("*.py"):
    module.unlink()
shutil.make_archive("/checker", "zip", packages)
`);
await writeFile(out, python.FS.readFile("/checker.zip"));
