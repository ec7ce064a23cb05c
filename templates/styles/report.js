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
    var was = button.dataset.words = button.dataset.words || button.textContent;
    function say(words) { button.textContent = words; setTimeout(function () { button.textContent = was; }, 1200); }
    function done() { say("copied"); }
    function old() {
      var box = document.createElement("textarea"), copied = false;
      box.value = text; document.body.appendChild(box); box.select();
      try { copied = document.execCommand("copy"); } finally { box.remove(); button.focus(); }
      say(copied ? "copied" : "not copied");
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

  // A drawing is saved in the colours of print, whatever the theme, with its styles and fonts.
  function faces() {
    var found = [];
    Array.prototype.forEach.call(document.styleSheets, function (sheet) {
      Array.prototype.forEach.call(sheet.cssRules, function (rule) {
        var style = rule.style;
        if (rule.type === CSSRule.FONT_FACE_RULE && /Sans|Rest/.test(style.getPropertyValue("font-family")) && style.getPropertyValue("font-style") !== "italic") { found.push(rule.cssText); }
      });
    });
    return found;
  }
  all("figure.drawing").forEach(function (figure) {
    all(".panel", figure).forEach(function (panel, i, panels) {
      var svg = panel.querySelector("svg"), b = document.createElement("button");
      if (!svg) { return; }
      b.type = "button"; b.className = "copy"; b.textContent = "save SVG"; b.title = "Save this drawing";
      b.addEventListener("click", function () {
        var whole = svg.cloneNode(true), style = document.createElementNS(svg.namespaceURI, "style"), link = document.createElement("a");
        style.textContent = faces().join("\n");
        whole.insertBefore(style, whole.firstChild);
        var text = new XMLSerializer().serializeToString(whole);
        Object.keys(forms.colours).forEach(function (name) { text = text.split(name).join(forms.colours[name]); });
        link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
        link.download = figure.id + (panels.length > 1 ? "-" + "abcdef"[i] : "") + ".svg";
        link.click();
        setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
      });
      bar(panel).appendChild(b);
    });
  });

  // A table that is wider than the page says so; its width changes with the fonts and the buttons too.
  var widths = new ResizeObserver(function () {
    all(".scroll").forEach(function (s) { s.classList.toggle("wider", s.scrollWidth > s.clientWidth + 1); });
  });
  all(".scroll, .scroll table").forEach(function (e) { widths.observe(e); });

  // Sorting by the full value; group rows keep their place, so such tables are left alone.
  var words = new Intl.Collator("en", { numeric: true });
  function key(cell) {
    var number = cell.title ? Number(cell.title.split(" to ")[0].replace("inf", "Infinity")) : NaN;
    var text = cell.textContent.trim();
    return isNaN(number) ? (text === "–" || text === "" ? null : text) : number;
  }
  function order(one, other, down) {  // what is missing comes last
    if (one === null || other === null) { return (one === null) - (other === null); }
    if (typeof one !== typeof other) { return typeof one === "number" ? -1 : 1; }
    var found = typeof one === "number" ? (one > other) - (one < other) : words.compare(one, other);
    return down ? -found : found;
  }
  function column(table, head) {
    var taken = [], place = -1;
    all("thead tr", table).forEach(function (row, y) {
      var x = 0;
      Array.prototype.forEach.call(row.cells, function (cell) {
        while (taken[y] && taken[y][x]) { x += 1; }
        for (var below = y; below < y + cell.rowSpan; below += 1) {
          taken[below] = taken[below] || [];
          for (var i = 0; i < cell.colSpan; i += 1) { taken[below][x + i] = true; }
        }
        if (cell === head) { place = x; }
        x += cell.colSpan;
      });
    });
    return place;
  }
  all("table").forEach(function (table) {
    var body = table.tBodies[0];
    if (body.querySelector(".group, .gap")) { return; }
    all("th[data-sort]", table).forEach(function (th) {
      var b = document.createElement("button"), x = column(table, th);
      b.type = "button";
      while (th.firstChild) { b.appendChild(th.firstChild); }
      th.appendChild(b);
      b.addEventListener("click", function () {
        var rows = all("tr", body).map(function (tr, i) { return [tr, i, key(tr.cells[x])]; });
        var now = th.getAttribute("aria-sort"), numbers = rows.some(function (r) { return typeof r[2] === "number"; });
        var down = now ? now === "ascending" : numbers;  // the largest number first, or the first name
        all("th[aria-sort]", table).forEach(function (o) { o.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort(function (a, c) { return order(a[2], c[2], down) || a[1] - c[1]; });
        rows.forEach(function (r) { body.appendChild(r[0]); });
      });
    });
  });

  // The section that is read, in the rail.
  var links = all(".rail a"), sections = links.map(function (a) { return document.getElementById(a.hash.slice(1)); });
  function current() {
    var at = 0, asked = sections.map(function (s) { return s && "#" + s.id; }).indexOf(location.hash);
    var tops = sections.map(function (s) { return s ? s.getBoundingClientRect().top : Infinity; });
    tops.forEach(function (top, i) { if (top < 140) { at = i; } });
    if (asked >= 0 && Math.abs(tops[asked]) < 60) { at = asked; }  // the next one begins right below it
    if (innerHeight + scrollY >= root.scrollHeight - 2) {  // the last sections cannot reach the top
      at = Math.max(at, asked < 0 ? sections.length - 1 : asked);
    }
    links.forEach(function (a, i) { if (i === at) { a.setAttribute("aria-current", "true"); } else { a.removeAttribute("aria-current"); } });
  }
  addEventListener("scroll", current, { passive: true });
  addEventListener("hashchange", current);
  current();
}());
