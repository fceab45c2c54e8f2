// First of a page's scripts, which are joined into one block: they share their names.
const get = (id) => document.getElementById(id);

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function free(tag, className, text) {
  const node = make(tag, className, text);
  node.dir = "auto";
  return node;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// Colours ------------------------------------------------------------------------------------
const theme = get("theme");
const themes = ["auto", "light", "dark"];
let chosen = "auto";
try { chosen = localStorage.getItem("longreach-theme") || "auto"; } catch { /* storage may be closed to files */ }

function paint() {
  if (!themes.includes(chosen)) chosen = "auto";
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  theme.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[chosen];
  theme.setAttribute("aria-label", theme.textContent + { auto: ": colours as the system", light: " colours", dark: " colours" }[chosen]);
}
theme.addEventListener("click", () => {
  chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
  try { localStorage.setItem("longreach-theme", chosen); } catch { /* as above */ }
  paint();
});
paint();

// Downloads ----------------------------------------------------------------------------------
function csvField(value) {
  let text = String(value);
  // A spreadsheet would run these as formulas, also behind what it does not show; numbers may begin with a minus.
  const formula = /^(?:[\t\r\n]|[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
  if (formula.test(text) && !/^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text)) text = "'" + text;
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function saveFile(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = make("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function download(name, lines) {
  const text = lines.map((line) => line.map(csvField).join(",")).join("\r\n") + "\r\n";
  saveFile(name + ".csv", new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
}

// The numbers behind a chart become a table when it is first unfolded.
const SHOWN = 2000;
for (const box of document.querySelectorAll("details[data-table]")) {
  box.addEventListener("toggle", () => {
    if (!box.open || box.querySelector("table")) return;
    const { head, rows } = JSON.parse(get(box.dataset.table).textContent);
    const table = make("table", "plain small");
    const top = table.createTHead().insertRow();
    for (const name of head) {
      const cell = make("th", "", name);
      cell.scope = "col";
      top.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows.slice(0, SHOWN)) {
      const line = body.insertRow();
      for (const value of row) line.append(typeof value === "number" ? make("td", "num", value) : free("td", "", value));
    }
    const region = make("div", "scroll");
    region.tabIndex = 0;
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", box.dataset.caption);
    region.append(table);
    box.append(region);
    if (rows.length > SHOWN) box.append(make("p", "note", "The first " + grouped(SHOWN) + "; the CSV has all " + grouped(rows.length) + "."));
  });
}

// Many published rows beside a few results are folded away, if the page can unfold them.
for (const button of document.querySelectorAll("[data-unfold]")) {
  const table = get(button.dataset.unfold);
  const words = button.textContent;
  const fold = (folded) => {
    table.classList.toggle("folded", folded);
    button.textContent = folded ? words : words.replace("Show", "Hide");
    button.setAttribute("aria-expanded", !folded);
  };
  button.hidden = false;
  fold(true);
  button.addEventListener("click", () => fold(!table.classList.contains("folded")));
}

// Tooltips of cells and points, by mouse and by keyboard ---------------------------------------
// The browser's own are slow and do not show on keyboard focus. Screen readers have the same text already.
const tip = make("div", "tip");
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
const TIPPED = "[title], .cell, .curve g, [data-tip]";

function tipOf(node) {
  const title = node.querySelector(":scope > title");
  const words = node.getAttribute("title") || (title && title.textContent);
  if (!words && node.classList.contains("cell")) return node.getAttribute("aria-label");
  if (words) {
    node.dataset.tip = words;
    node.removeAttribute("title");
    if (title) title.remove();
  }
  return node.dataset.tip;
}

let tipped = null;
function placeTip() {
  const at = tipped.getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const above = at.top - own.height - 8;
  tip.style.left = Math.max(8, Math.min(innerWidth - own.width - 8, at.left + at.width / 2 - own.width / 2)) + "px";
  tip.style.top = (above > 4 ? above : at.bottom + 8) + "px";
}

function hideTip() {
  tipped = null;
  tip.classList.remove("shown");
}

function showTip(event) {
  const node = event.target.closest && event.target.closest(TIPPED);
  const words = node && tipOf(node);
  if (!words || (event.type === "focusin" && !node.matches(":focus-visible"))) return hideTip();
  tipped = node;
  tip.textContent = words;
  placeTip();
  tip.classList.add("shown");
}

document.addEventListener("mouseover", showTip);
document.addEventListener("focusin", showTip);
document.addEventListener("mouseleave", hideTip);
for (const kind of ["focusout", "click", "keydown"]) document.addEventListener(kind, hideTip, true);
// The focused element is often being scrolled into view at that moment.
addEventListener("scroll", () => {
  if (tipped && tipped === document.activeElement) placeTip();
  else hideTip();
}, { passive: true, capture: true });

for (const button of document.querySelectorAll("[data-csv]")) {
  const source = get(button.dataset.csv);
  button.addEventListener("click", () => {
    if (source.tagName === "SCRIPT") {
      const { head, rows } = JSON.parse(source.textContent);
      download(source.id, [head, ...rows]);
      return;
    }
    const heads = Array.from(source.tHead.rows[0].cells);
    const fields = (cell, index) => {
      const value = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
      if (heads[index].dataset.interval === undefined) return [value];
      if (cell === heads[index]) return [value, value + " low", value + " high"];
      return [value, cell.dataset.low || "", cell.dataset.high || ""];
    };
    download(source.id, Array.from(source.rows, (row) => Array.from(row.cells).flatMap(fields)));
  });
}
