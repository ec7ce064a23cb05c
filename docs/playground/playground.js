// The page: sends the text to the checker in a worker, shows its findings, and applies its fixes.
"use strict";
const WAIT = 150; // ms after the last key
const place = document.currentScript.src;
const [state, examples, format, fix, share, study, numbers, marks, summary, findings] = [
  "state", "examples", "format", "fix", "share", "study", "numbers", "marks", "summary", "findings",
].map((id) => document.getElementById(id));
let worker, timer, latest = 0;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function code(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

// --- the text -------------------------------------------------------------------------

function setText(text) {
  if (text === study.value) return;
  study.focus();
  study.select();
  if (!document.execCommand("insertText", false, text)) study.value = text; // the first can be undone
  changed();
}

function edited(text, edits) {
  const points = Array.from(text); // offsets count code points
  for (const { range, text: written } of edits.toSorted((a, b) => b.range.start.offset - a.range.start.offset))
    points.splice(range.start.offset, range.end.offset - range.start.offset, written);
  return points.join("");
}

function select({ start, end }) {
  const points = Array.from(study.value);
  const at = (offset) => points.slice(0, offset).join("").length;
  study.focus();
  study.setSelectionRange(at(start.offset), at(end.offset));
}

function draw(found) {
  numbers.textContent = study.value.split("\n").map((_, i) => i + 1).join("\n");
  const points = Array.from(study.value);
  const kinds = new Array(points.length).fill("");
  for (const { range, severity } of found.toReversed())
    if (range) kinds.fill(severity, range.start.offset, Math.max(range.end.offset, range.start.offset + 1));
  marks.replaceChildren();
  for (let i = 0, j; i < points.length; i = j) {
    for (j = i + 1; j < points.length && kinds[j] === kinds[i]; j++);
    const part = points.slice(i, j).join("");
    marks.append(kinds[i] ? element("mark", { className: kinds[i] }, part) : part);
  }
  marks.append("\n");
  scrolled();
}

function scrolled() {
  marks.scrollTop = numbers.scrollTop = study.scrollTop;
  marks.scrollLeft = study.scrollLeft;
}

// --- the checker ----------------------------------------------------------------------

function ask(verb) {
  worker?.postMessage({ number: ++latest, verb, text: study.value });
}

function changed() {
  draw([]);
  findings.ariaBusy = "true";
  latest++; // what is answered for an earlier text is dropped
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT, "check");
}

function answered({ data }) {
  if (data.failed) state.textContent = `The checker did not load: ${data.failed}`;
  if (data.ready) {
    state.textContent = "The checker is ready.";
    ask("check");
  }
  if (data.number !== latest) return; // the text has changed since
  findings.ariaBusy = "false";
  if (data.error) {
    findings.replaceChildren();
    summary.textContent = `The page cannot check this study: ${data.error}. Use evallang check.`;
  } else if (data.verb === "check") show(JSON.parse(data.result));
  else setText(data.result);
}

function show({ findings: found, skipped }) {
  draw(found);
  const open = found.filter((one) => one.allowed_because === null);
  const counted = ["error", "warning", "hint"].map((kind) => [open.filter((one) => one.severity === kind).length, kind]);
  const words = counted.filter(([number]) => number).map(([number, kind]) => count(number, kind));
  const left = skipped.length ? ` Skipped for lack of SciPy: ${skipped.join(", ")}.` : "";
  summary.textContent = `${words.join(", ") || "Nothing found"}.${left}`;
  findings.replaceChildren(...found.map(finding));
}

function finding(one) {
  const { severity, range } = one;
  const head = element("p", { className: `head ${severity}` });
  const address = new URL(`../reference/codes/${one.code}.html`, place);
  head.append(`${severity} `, element("a", { href: address }, one.code), " ", ...code(one.message));
  const made = element("li", {}, head);
  const lines = one.text.split("\n").filter((line) => /^ *\d* \|/.test(line) && !/^ *\|$/.test(line));
  if (range) {
    const go = element("button", { type: "button", className: "go" }, `line ${range.start.line}`);
    go.onclick = () => select(range);
    head.append(" ", go);
    made.append(element("pre", { tabIndex: 0 }, lines.join("\n")));
  }
  for (const note of one.notes) made.append(element("p", {}, "note: ", ...code(note)));
  if (one.help) made.append(element("p", {}, "help: ", ...code(one.help)));
  if (one.allowed_because) made.append(element("p", {}, `allowed because ${one.allowed_because}`));
  for (const { title, edits, applicability } of one.fixes) {
    const apply = element("button", { type: "button" }, ...code(title));
    apply.append(applicability === "safe" ? "" : " (look at it)");
    apply.onclick = () => setText(edited(study.value, edits));
    made.append(apply);
  }
  return made;
}

// --- studies: by address, and from the list --------------------------------------------

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function shared(text) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const binary = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function restored(fragment) {
  const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
}

async function copyLink() {
  history.replaceState(null, "", `#study=${await shared(study.value)}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  state.textContent = copied ? "The link is copied." : "The address of this page now holds the study.";
}

async function fromAddress() {
  const fragment = /^#study=(.+)/.exec(location.hash)?.[1];
  if (!fragment) return false;
  try {
    study.value = await restored(fragment);
    changed();
    return true;
  } catch {
    state.textContent = "The address does not hold a whole study.";
    return false;
  }
}

async function start() {
  if (location.protocol === "file:") {
    state.textContent =
      "Browsers do not run the checker in a page that is opened from disk: run make site-serve, and open the address that it prints.";
    return;
  }
  state.textContent = "Loading the checker: about 10 seconds ...";
  worker = new Worker(new URL("worker.js", place), { type: "module" });
  worker.onmessage = answered;
  worker.onerror = ({ message }) => answered({ data: { failed: message } });
  const groups = await (await fetch(new URL("studies.json", place))).json();
  const texts = new Map();
  for (const [label, studies] of Object.entries(groups)) {
    const options = Object.entries(studies).map(([title, text]) => {
      texts.set(title, text);
      return element("option", { value: title }, title);
    });
    examples.append(element("optgroup", { label }, ...options));
  }
  examples.onchange = () => texts.has(examples.value) && setText(texts.get(examples.value));
  if (!(await fromAddress())) {
    study.value = texts.values().next().value;
    changed();
  }
}

study.oninput = changed;
study.onscroll = scrolled;
format.onclick = () => ask("format_text");
fix.onclick = () => ask("fix");
share.onclick = copyLink;
window.onhashchange = fromAddress;
start();
