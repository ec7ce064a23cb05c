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
  // What is copied comes with the page: the sentences and tables as the files of a paper have them.
  var forms = JSON.parse(document.getElementById("copied").textContent);
  function bar(place) { var p = document.createElement("p"); p.className = "copies"; place.appendChild(p); return p; }
  function prose(elements, found, what) {
    elements.forEach(function (p, i) {
      var one = (found || [])[i];
      if (!one) { return; }
      var pair = document.createElement("span");
      pair.className = "pair"; p.appendChild(pair);
      pair.appendChild(button("copy", "Copy this " + what + " with its citations", function () { return one.text; }));
      pair.appendChild(button("LaTeX", "Copy this " + what + " as LaTeX", function () { return one.latex; }));
    });
  }
  prose(all(".findings li > p"), forms.findings, "finding");
  prose(all("p.methods"), forms.methods, "paragraph");
  all("figure.table").forEach(function (f) {
    var one = (forms.tables || {})[f.id];
    if (!one) { return; }
    var place = bar(f);
    if (one.latex) { place.appendChild(button("copy LaTeX", "Copy this table as LaTeX with booktabs", function () { return one.latex; })); }
    place.appendChild(button("copy CSV", "Copy this table with full precision", function () { return one.csv; }));
  });
  all("ol.references").forEach(function (list) {
    if (forms.bibtex) { bar(list.parentNode).appendChild(button("copy BibTeX", "Copy all references as BibTeX", function () { return forms.bibtex; })); }
  });

  // A drawing is saved in the colours of print, whatever the theme.
  all(".panel").forEach(function (panel, i) {
    var svg = panel.querySelector("svg"), b = document.createElement("button");
    if (!svg) { return; }
    b.type = "button"; b.className = "copy"; b.textContent = "save SVG"; b.title = "Save this drawing";
    b.addEventListener("click", function () {
      var text = new XMLSerializer().serializeToString(svg), link = document.createElement("a");
      Object.keys(forms.colours).forEach(function (name) { text = text.split(name).join(forms.colours[name]); });
      link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
      link.download = (svg.closest("figure").id || "figure") + "-" + (i + 1) + ".svg";
      link.click();
      setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
    });
    bar(panel).appendChild(b);
  });

  // A table that is wider than the page says so.
  function cues() {
    all(".scroll").forEach(function (s) { s.classList.toggle("wider", s.scrollWidth > s.clientWidth + 1); });
  }
  addEventListener("resize", cues, { passive: true });
  cues();

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
