"use strict";
(function () {
  var root = document.documentElement, all = function (s, e) { return Array.prototype.slice.call((e || document).querySelectorAll(s)); };

  // Theme: as the system unless the reader chose.
  var select = document.getElementById("theme"), kept = null;
  try { kept = localStorage.getItem("evallang-theme"); } catch (e) { kept = null; }
  function theme(name) {
    if (name === "light" || name === "dark") { root.dataset.theme = name; } else { delete root.dataset.theme; name = "auto"; }
    select.value = name;
  }
  theme(kept);
  select.closest(".theme").hidden = false;
  select.addEventListener("change", function () {
    theme(select.value);
    try { localStorage.setItem("evallang-theme", select.value); } catch (e) { /* a file may have no storage */ }
  });

  // Copying: the clipboard where it is allowed, else a selection (file://).
  function copy(text, button) {
    function done() { var was = button.textContent; button.textContent = "copied"; setTimeout(function () { button.textContent = was; }, 1200); }
    function old() {
      var box = document.createElement("textarea");
      box.value = text; document.body.appendChild(box); box.select();
      try { document.execCommand("copy"); done(); } finally { box.remove(); }
    }
    if (navigator.clipboard && window.isSecureContext) { navigator.clipboard.writeText(text).then(done, old); } else { old(); }
  }
  function button(words, title, act) {
    var b = document.createElement("button");
    b.type = "button"; b.className = "copy"; b.textContent = words; b.title = title;
    b.addEventListener("click", function () { copy(act(), b); });
    return b;
  }
  function plain(element) {
    var twin = element.cloneNode(true);
    all(".copy, sup.cite", twin).forEach(function (e) { e.remove(); });
    return twin.textContent.replace(/[\s\u00a0]+/g, " ").trim();
  }
  all(".findings li > p").forEach(function (p) { p.appendChild(button("copy", "Copy this sentence", function () { return plain(p); })); });
  all("p.methods").forEach(function (p) { p.appendChild(button("copy", "Copy this paragraph", function () { return plain(p); })); });

  // Tables as CSV with full precision; a text that a spreadsheet would run is quoted by '.
  function field(text) {
    if (/^[=+\-@\t]/.test(text) && isNaN(Number(text))) { text = "'" + text; }
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }
  function csv(table) {
    var heads = [], grid = [];
    all("thead tr", table).forEach(function (tr, y) {
      var x = 0; grid[y] = grid[y] || [];
      all("th", tr).forEach(function (th) {
        while (grid[y][x]) { x += 1; }
        for (var i = 0; i < th.colSpan; i += 1) {
          for (var j = 0; j < th.rowSpan; j += 1) { grid[y + j] = grid[y + j] || []; grid[y + j][x + i] = th; }
        }
      });
    });
    var lines = [];
    grid[grid.length - 1].forEach(function (th, x) {
      var over = grid[0][x] === th ? "" : plain(grid[0][x]) + " ";
      heads.push(th.dataset.name || over + plain(th));
    });
    var rows = all("tbody tr:not(.group):not(.gap)", table).map(function (tr) {
      return Array.prototype.map.call(tr.cells, function (c) {
        return c.dataset.v || (c.dataset.low ? [c.dataset.low, c.dataset.high] : plain(c));
      });
    });
    var wide = heads.map(function (h, x) { return rows.some(function (r) { return Array.isArray(r[x]); }); });
    lines.push([].concat.apply([], heads.map(function (h, x) { return wide[x] ? [h + " low", h + " high"] : [h]; })));
    rows.forEach(function (r) {
      lines.push([].concat.apply([], r.map(function (v, x) { return wide[x] && !Array.isArray(v) ? ["", ""] : v; })));
    });
    return lines.map(function (l) { return l.map(field).join(","); }).join("\n") + "\n";
  }
  all("figure.table").forEach(function (f) {
    f.appendChild(button("copy CSV", "Copy this table with full precision", function () { return csv(f.querySelector("table")); }));
  });

  // Sorting by the full value; group rows keep their place, so such tables are left alone.
  all("table").forEach(function (table) {
    var body = table.tBodies[0];
    if (body.querySelector(".group, .gap")) { return; }
    all("th[data-sort]", table).forEach(function (th) {
      var b = document.createElement("button");
      b.type = "button";
      while (th.firstChild) { b.appendChild(th.firstChild); }
      th.appendChild(b);
      b.addEventListener("click", function () {
        var down = th.getAttribute("aria-sort") !== "descending";
        var x = column(table, th);
        all("th[aria-sort]", table).forEach(function (o) { o.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = all("tr", body).map(function (tr, i) { return [tr, i, key(tr.cells[x])]; });
        rows.sort(function (a, c) {
          var order = a[2] < c[2] ? -1 : a[2] > c[2] ? 1 : 0;
          return (down ? -order : order) || a[1] - c[1];
        });
        rows.forEach(function (r) { body.appendChild(r[0]); });
      });
    });
  });
  function key(cell) { return cell.dataset.v === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.v.replace("inf", "Infinity")); }
  function column(table, th) {
    var x = Math.round(th.getBoundingClientRect().right);
    var cells = Array.prototype.slice.call(table.tBodies[0].rows[0].cells);
    return cells.findIndex(function (c) { return Math.abs(Math.round(c.getBoundingClientRect().right) - x) <= 1; });
  }

  // The section that is read, in the rail.
  var links = all(".rail a"), sections = links.map(function (a) { return document.getElementById(a.hash.slice(1)); });
  function current() {
    var at = 0;
    sections.forEach(function (s, i) { if (s && s.getBoundingClientRect().top < 140) { at = i; } });
    links.forEach(function (a, i) { if (i === at) { a.setAttribute("aria-current", "true"); } else { a.removeAttribute("aria-current"); } });
  }
  addEventListener("scroll", current, { passive: true });
  current();
}());
