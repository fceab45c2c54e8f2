// All questions: only the rows in sight exist ---------------------------------------------------
const list = get("list");
const spacer = get("spacer");
const controls = Array.from(document.querySelectorAll("[data-filter]"));
const nodes = new Map();
const manyModels = new Set(data.entries.map((entry) => entry.model)).size > 1;
let matching = [];

function haystack(row) {
  const question = questionOf(row);
  return ((question ? question[1] : row[QUESTION]) + "\n" + row[ANSWER].slice(0, CUT)).toLowerCase();
}

const tests = {
  model: (row, wanted) => data.entries[row[ENTRY]].model === wanted,
  family: (row, wanted) => data.entries[row[ENTRY]].family === wanted,
  prompt: (row, wanted) => data.entries[row[ENTRY]].prompt === wanted,
  probe: (row, wanted) => row[PROBE] === wanted,
  status: (row, wanted) => outcome(row) === wanted,
  text: (row, wanted) => haystack(row).includes(wanted.toLowerCase()),
};

function filter() {
  const active = controls.filter((control) => control.value).map((control) => [tests[control.dataset.filter], control.value]);
  matching = data.rows.filter((row) => active.every(([test, wanted]) => test(row, wanted)));
  const all = grouped(data.rows.length) + (data.rows.length === 1 ? " question" : " questions");
  get("shown").textContent = active.length ? grouped(matching.length) + " of " + all : all;
  for (const node of nodes.values()) node.remove();
  nodes.clear();
  list.scrollTop = 0;
  draw();
}

function rowNode(row, index) {
  const item = make("div");
  item.setAttribute("role", "listitem");
  item.setAttribute("aria-posinset", index + 1);
  item.setAttribute("aria-setsize", matching.length);
  const entry = data.entries[row[ENTRY]];
  const question = questionOf(row);
  const button = make("button", "row");
  button.type = "button";
  button.append(badge(row), free("span", "what", (question ? question[1] : row[QUESTION]).slice(0, 300)));
  button.append(row[ANSWER] ? free("span", "said", row[ANSWER].slice(0, 300)) : make("span", "said empty", "nothing read"));
  button.append(free("span", "where", [row[PROBE], ...entry.place.map((place) => place[1]), ...(manyModels ? [entry.model] : [])].join(" · ")));
  button.addEventListener("click", () => openRow(row));
  item.append(button);
  return item;
}

function openRow(row) {
  const entry = data.entries[row[ENTRY]];
  open([entry.model, ...entry.place.map(([name, asked]) => name + " " + asked)].join(" · "), [row], address(entry));
}

function rowHeight() {
  const size = parseFloat(getComputedStyle(list).getPropertyValue("--row"));
  return size * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function draw() {
  const height = rowHeight();
  spacer.style.height = matching.length * height + "px";
  list.style.maxHeight = Math.max(1, matching.length) * height + 2 + "px";
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 4);
  const last = Math.min(matching.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 4);
  for (const [index, node] of nodes) {
    if ((index < first || index >= last) && !node.contains(document.activeElement)) {
      node.remove();
      nodes.delete(index);
    }
  }
  for (let index = first; index < last; index += 1) {
    if (!nodes.has(index)) {
      const node = rowNode(matching[index], index);
      nodes.set(index, node);
      // Kept in order, so that Tab goes down the list.
      let after = null;
      for (const [other, there] of nodes) if (other > index && (!after || other < after[0])) after = [other, there];
      spacer.insertBefore(node, after ? after[1] : null);
    }
    nodes.get(index).style.top = index * height + "px";
  }
}

let queued = false;
function drawSoon() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => { queued = false; draw(); });
}
list.addEventListener("scroll", drawSoon, { passive: true });
addEventListener("resize", drawSoon);
get("filters").addEventListener("submit", (event) => event.preventDefault());
for (const control of controls) control.addEventListener("input", filter);
get("list-csv").addEventListener("click", () => {
  const head = ["model", "family", "item", "question_id", "question", "probe", "prompt", "status", "score", "answer", "reason"];
  const lines = matching.map((row) => {
    const entry = data.entries[row[ENTRY]];
    const question = questionOf(row);
    return [
      entry.model, entry.family, entry.item, row[QUESTION], question ? question[1] : "", row[PROBE], entry.prompt,
      data.statuses[row[STATUS]], row[VALUE] === null ? "" : row[VALUE], row[ANSWER], row[REASON],
    ];
  });
  download("questions", [head, ...lines]);
});
filter();
openHash();
