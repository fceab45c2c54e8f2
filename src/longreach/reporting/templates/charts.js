// The address: sections, chosen maps, sorting, filters and the open item live in it -----------------
const readAddress = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
let address = readAddress();

function remember(changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value) address.set(name, value);
    else address.delete(name);
  }
  const names = [...address.keys()];
  const hash = names.length === 1 && names[0] === "at" ? address.get("at") : String(address);
  const whole = hash ? "#" + hash : location.pathname + location.search;
  try { history.replaceState(null, "", whole); } catch { /* some viewers forbid it; only the link is lost */ }
}

// Folded parts around the target are opened first, so that it is where the link leads.
function go(id) {
  const node = get(id);
  if (!node) return;
  for (let box = node.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  if (!node.hasAttribute("tabindex")) node.tabIndex = -1;
  node.focus({ preventScroll: true });
  node.scrollIntoView({ behavior: "instant", block: "start" });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest('a[href^="#"]');
  const id = link && decodeURIComponent(link.hash.slice(1));
  if (!id || !get(id)) return;
  event.preventDefault();
  go(id);
  remember({ at: id });
});

// What is folded is printed too.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = Array.from(document.querySelectorAll("details[data-fold]:not([open])"));
  for (const box of unfolded) box.open = true;
});
addEventListener("afterprint", () => { for (const box of unfolded) box.open = false; });

// Charts as files: the same drawing with its title and legend -------------------------------------
const SVG = "http://www.w3.org/2000/svg";
const drawing = get("drawing-style") ? JSON.parse(get("drawing-style").textContent) : null;
const PAGE_ONLY = ["role", "tabindex", "data-open", "data-at", "aria-haspopup", "class", "data-box"];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [x, y, wide, tall] = copy.dataset.box.split(" ").map(Number);
  const inches = new Map(drawing.inches).get(wide) || 3.5;
  for (const node of copy.querySelectorAll("[data-tip]")) {
    const title = document.createElementNS(SVG, "title");
    title.textContent = node.dataset.tip;
    delete node.dataset.tip;
    node.append(title);
  }
  for (const node of copy.querySelectorAll("*")) for (const name of PAGE_ONLY.slice(0, 5)) node.removeAttribute(name);
  for (const name of PAGE_ONLY) copy.removeAttribute(name);
  copy.setAttribute("viewBox", [x, y, wide, tall].join(" "));
  copy.setAttribute("width", inches + "in");
  copy.setAttribute("height", ((inches * tall) / wide).toFixed(3) + "in");
  copy.setAttribute("role", "img");
  if (!copy.hasAttribute("xmlns")) copy.setAttribute("xmlns", SVG);
  const text = new XMLSerializer().serializeToString(copy);
  const start = text.indexOf(">") + 1;
  const paper = '<rect x="' + x + '" y="' + y + '" width="' + wide + '" height="' + tall + '" fill="' + drawing.colours.paper + '"/>';
  const head = "<style>" + drawing.style + "</style><defs>" + drawing.defs + "</defs>" + paper;
  return (text.slice(0, start) + head + text.slice(start)).replace(/var\(--([a-z]+\d?)\)/g, (_, name) => drawing.colours[name]);
}

async function picture(svg) {
  const [, , wide, tall] = svg.dataset.box.split(" ").map(Number);
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(svg));
  await image.decode();
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [wide * 3, tall * 3];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const TAKE = {
  Copy: async (svg) => navigator.clipboard.write([new ClipboardItem({ "image/png": picture(svg) })]),
  PNG: async (svg, name) => saveFile(name + ".png", await picture(svg)),
  SVG: async (svg, name) => saveFile(name + ".svg", new Blob([standalone(svg)], { type: "image/svg+xml" })),
};

function equip(panel) {
  const svg = panel.querySelector("svg[data-box]");
  if (!svg || !drawing || panel.querySelector(".take")) return;
  const figure = panel.closest("figure");
  const name = (figure.id + "-" + panel.dataset.name).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 120);
  const box = make("p", "take");
  for (const [word, take] of Object.entries(TAKE)) {
    const button = make("button", "link", word);
    button.type = "button";
    button.setAttribute("aria-label", word + ": " + svg.getAttribute("aria-label").split(/[;:]/)[0]);
    button.addEventListener("click", async () => {
      let done = word === "Copy" ? "Copied" : word;
      try { await take(svg, name); } catch { done = "Not possible here"; }
      button.textContent = done;
      setTimeout(() => { button.textContent = word; }, 2000);
    });
    box.append(button);
  }
  panel.append(box);
}

// Maps: one at a time, all on request -------------------------------------------------------------
const choices = [];
for (const form of document.querySelectorAll("[data-choose]")) {
  const figure = get(form.dataset.choose);
  const panels = Array.from(figure.querySelectorAll(":scope > .panels > .panel"));
  const values = panels.map((panel) => JSON.parse(panel.dataset.by));
  const selects = Array.from(form.querySelectorAll("select"));
  const names = selects.map((select) => figure.id + "." + select.labels[0].firstChild.textContent.trim().toLowerCase());
  const all = form.querySelector("[data-all]");
  // Some combinations do not exist: what was chosen last holds, the others as far as they can.
  const show = (last) => {
    const every = all.getAttribute("aria-pressed") === "true";
    const fit = (own) => own.reduce((sum, value, place) => sum + (value === selects[place].value) * (place === last ? 100 : 1), 0);
    const fits = values.map(fit);
    const best = fits.indexOf(Math.max(...fits));
    selects.forEach((select, place) => { select.value = values[best][place]; select.disabled = every; });
    panels.forEach((panel, place) => {
      panel.hidden = !every && place !== best;
      if (!panel.hidden) equip(panel);
    });
    figure.classList.toggle("single", !every);
    all.textContent = every ? "One map" : "All " + all.dataset.all + " maps";
  };
  const note = () => {
    const chosen = Object.fromEntries(names.map((name, place) => [name, selects[place].value]));
    remember({ ...chosen, [figure.id + ".all"]: all.getAttribute("aria-pressed") === "true" ? "1" : "" });
  };
  selects.forEach((select, place) => select.addEventListener("input", () => { show(place); note(); }));
  all.addEventListener("click", () => {
    all.setAttribute("aria-pressed", all.getAttribute("aria-pressed") !== "true");
    show();
    note();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  choices.push(() => {
    names.forEach((name, place) => {
      const wanted = address.get(name);
      if (Array.from(selects[place].options).some((option) => option.value === wanted)) selects[place].value = wanted;
    });
    if (address.has(figure.id + ".all")) all.setAttribute("aria-pressed", "true");
    show();
  });
}
const applyChoices = () => { for (const apply of choices) apply(); };
applyChoices();
for (const panel of document.querySelectorAll(".panel:not([hidden])")) equip(panel);

// A map is one tab stop; arrows move inside it.
for (const map of document.querySelectorAll("svg.map")) {
  const cells = Array.from(map.querySelectorAll(".cell"));
  const at = new Map(cells.map((cell) => [cell.dataset.at, cell]));
  if (cells.length) cells[0].setAttribute("tabindex", "0");
  const press = (cell) => { if (cell && typeof openCell === "function") openCell(Number(cell.dataset.open)); };
  map.addEventListener("click", (event) => press(event.target.closest(".cell")));
  map.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      press(cell);
      return;
    }
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    let [row, column] = cell.dataset.at.split(" ").map(Number);
    for (let tries = 0; tries < cells.length + 60; tries += 1) {
      row += step[0];
      column += step[1];
      const next = at.get(row + " " + column);
      if (!next) continue;
      for (const each of cells) each.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
      return;
    }
  });
}

// The ranking: any column sorts it, the best first, then the other way round -----------------------
const rankings = [];
for (const table of document.querySelectorAll("[data-rank]")) {
  const name = "rank." + table.dataset.rank;
  const [who, ...heads] = table.tHead.rows[0].cells;
  // By place, as the ranking is made, or by a column; the arrow is that of the order in which the values stand.
  const order = (column, reverse) => {
    const head = column === "place" ? who : heads[column];
    const least = (column === "place" || head.firstElementChild.dataset.low !== undefined) !== reverse;
    const value = (row) => column === "place" ? row.dataset.place : row.cells[Number(column) + 1].dataset.v;
    // By its own measure, a model that hallucinates comes last, as in the ranking.
    const last = (row) => column === "0" && row.dataset.last !== undefined;
    const rows = Array.from(table.tBodies[0].rows).sort((a, b) => {
      if (last(a) !== last(b)) return last(a) - last(b);
      if (value(a) === "" || value(b) === "") return (value(a) === "") - (value(b) === "");
      return (Number(value(a)) - Number(value(b))) * (least ? 1 : -1);
    });
    table.tBodies[0].append(...rows);
    for (const each of [who, ...heads]) each.setAttribute("aria-sort", each === head ? (least ? "ascending" : "descending") : "none");
    table.dataset.sorted = column + (reverse ? "-" : "");
  };
  table.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sort]");
    if (!button) return;
    const column = button.dataset.sort;
    order(column, (table.dataset.sorted || "place") === column);
    remember({ [name]: table.dataset.sorted === "place" ? "" : table.dataset.sorted });
  });
  rankings.push(() => {
    const wanted = /^(\d+|place)(-?)$/.exec(address.get(name) || "");
    if (wanted && (wanted[1] === "place" || heads[Number(wanted[1])])) order(wanted[1], wanted[2] === "-");
  });
}

// The ranking at one length, or over all of them --------------------------------------------------
const lengths = [];
for (const form of document.querySelectorAll("[data-lengths]")) {
  const name = "length." + form.dataset.lengths;
  const select = form.querySelector("select");
  const first = select.value;
  const blocks = Array.from(form.closest("section").querySelectorAll(".block"));
  const show = () => { for (const block of blocks) block.hidden = block.dataset.length !== select.value; };
  select.addEventListener("input", () => {
    show();
    remember({ [name]: select.value === first ? "" : select.value || "all" });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  lengths.push(() => {
    const wanted = address.has(name) ? address.get(name).replace(/^all$/, "") : first;
    select.value = Array.from(select.options).some((option) => option.value === wanted) ? wanted : first;
    show();
  });
}

function applyAddress() {
  address = readAddress();
  applyChoices();
  for (const apply of lengths) apply();
  for (const apply of rankings) apply();
  if (typeof applyFilters === "function") applyFilters();
  const plain = !location.hash.includes("=") && decodeURIComponent(location.hash.slice(1));
  if (plain && get(plain)) address.set("at", plain);
  if (address.has("at")) go(address.get("at"));
  if (typeof openHash === "function") openHash();
}
