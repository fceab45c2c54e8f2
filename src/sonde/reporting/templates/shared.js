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
try { chosen = localStorage.getItem("sonde-theme") || "auto"; } catch { /* storage may be closed to files */ }

function paint() {
  if (!themes.includes(chosen)) chosen = "auto";
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  theme.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[chosen];
  theme.setAttribute("aria-label", "Colours: " + { auto: "as the system", light: "light", dark: "dark" }[chosen]);
}
theme.addEventListener("click", () => {
  chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
  try { localStorage.setItem("sonde-theme", chosen); } catch { /* as above */ }
  paint();
});
paint();

// Downloads ----------------------------------------------------------------------------------
function csvField(value) {
  let text = String(value);
  // A spreadsheet would run these as formulas; numbers may begin with a minus.
  if (/^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(text)) text = "'" + text;
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function download(name, lines) {
  const text = lines.map((line) => line.map(csvField).join(",")).join("\r\n") + "\r\n";
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = make("a");
  link.href = address;
  link.download = name + ".csv";
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

for (const button of document.querySelectorAll("[data-csv]")) {
  const table = get(button.dataset.csv);
  const heads = Array.from(table.tHead.rows[0].cells);
  button.addEventListener("click", () => {
    const fields = (cell, index) => {
      const value = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
      if (heads[index].dataset.interval === undefined) return [value];
      if (cell === heads[index]) return [value, value + " low", value + " high"];
      return [value, cell.dataset.low || "", cell.dataset.high || ""];
    };
    download(table.id, Array.from(table.rows, (row) => Array.from(row.cells).flatMap(fields)));
  });
}
