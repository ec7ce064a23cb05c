// Adds filters above the long tables of a page of the reference: a box for text, and in wide
// tables a choice of one column. Tables with the same head share one box.
"use strict";

const LONG = 12; // rows from which tables have a filter
const WIDE = 8; // columns from which one can be chosen
const REFUSED = ["–", "undefined"];

function read(node) {
  return node.textContent.trim().replace(/\s+/g, " ");
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function addFilter(tables, number) {
  const head = [...tables[0].tHead.rows[0].cells].map(read);
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const box = element("input", { type: "search", id: `filter-rows-${number}` });
  const choice = element("select", { id: `filter-column-${number}` });
  const count = element("span", {});
  count.setAttribute("role", "status");
  const bar = element(
    "div",
    { className: "filter" },
    element("label", { htmlFor: box.id }, "Filter rows"),
    box,
  );
  if (head.length >= WIDE) {
    choice.append(element("option", { value: "" }, "all"));
    head.forEach((words, column) => {
      for (const word of column ? words.split(", ") : []) {
        choice.append(element("option", { value: column }, word));
      }
    });
    bar.append(element("label", { htmlFor: choice.id }, "Only what fits"), choice);
  }
  bar.append(count);

  function apply() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const column = Number(choice.value);
    let shown = 0;
    for (const row of rows) {
      const text = read(row).toLowerCase();
      const refused = column && REFUSED.includes(read(row.cells[column]));
      row.hidden = refused || !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    for (const table of tables) {
      for (const row of table.rows) {
        [...row.cells].forEach((cell, place) => {
          cell.hidden = column && place && place !== column;
        });
      }
      const section = table.closest("section");
      const empty = [...table.tBodies[0].rows].every((row) => row.hidden);
      if (!section.contains(bar)) section.hidden = empty;
    }
    count.textContent = words.length || column ? `${shown} of ${rows.length} rows` : "";
  }

  let place = tables[0];
  while (place.parentElement.matches("div") && place.parentElement.children.length === 1) {
    place = place.parentElement; // a frame in which a wide table scrolls
  }
  const section = place.closest("section");
  const shared = tables.length > 1 && section.parentElement.closest("section");
  (shared ? section : place).before(bar);
  box.addEventListener("input", apply);
  choice.addEventListener("change", apply);
}

function addFilters() {
  const groups = new Map();
  for (const table of document.querySelectorAll("section table")) {
    if (!table.tHead || !table.tBodies.length) continue;
    const head = read(table.tHead);
    groups.set(head, [...(groups.get(head) || []), table]);
  }
  [...groups.values()].forEach((tables, number) => {
    const rows = tables.reduce((sum, table) => sum + table.tBodies[0].rows.length, 0);
    if (rows >= LONG) addFilter(tables, number);
  });
}

if (/\/reference\/[^/]+$/.test(window.location.pathname)) {
  document.addEventListener("DOMContentLoaded", addFilters);
}
