// All questions: only the rows in sight exist ---------------------------------------------------
const list = get("list");
const spacer = get("spacer");
const controls = Array.from(document.querySelectorAll("[data-filter]"));
const nodes = new Map();
const manyModels = data.models.length > 1;
let matching = [];

// What a text filter searches: the whole question and the start of the answer, from the packed chunks.
let haystacks;
async function loadHaystacks() {
  const [replies, details] = await Promise.all([fetchAll("entries"), fetchAll("questions")]);
  haystacks ||= new Map(data.rows.map((row) => {
    const answer = replies[row[ENTRY]][2][row[PLACE]][0];
    return [row, (details[row[DETAIL]][1] + "\n" + answer.slice(0, CUT)).toLowerCase()];
  }));
}

// What is wrong comes first, then what could not be graded; what is right comes last.
const ORDER = { wrong: 0, "made up": 0, "partly right": 2, right: 3 };
const rankOf = (row) => ORDER[outcome(row)] ?? 1;
const ordered = data.rows.map((row) => [rankOf(row), row]).sort((a, b) => a[0] - b[0]).map(([, row]) => row);

// A value of a row on an axis, by the axis' titles in all families; undefined where it has none.
function valueOf(row, titles) {
  const found = entryOf(row).place.find(([title]) => titles.includes(title));
  return found && String(found[3]);
}
const thirdOf = (depth) => depth === undefined ? "" : ["start", "middle", "end"][Math.min(2, Math.floor((3 * Number(depth)) / 100))];

const tests = {
  model: (row, wanted) => entryOf(row).model === wanted,
  length: (row, wanted) => valueOf(row, data.titles.length) === wanted,
  place: (row, wanted) => thirdOf(valueOf(row, data.titles.depth)) === wanted,
  family: (row, wanted) => entryOf(row).family === wanted,
  prompt: (row, wanted) => entryOf(row).prompt === wanted,
  question_type: (row, wanted) => questionTypeOf(row) === wanted,
  status: (row, wanted) => outcome(row) === wanted,
  text: (row, wanted) => haystacks.get(row).includes(wanted.toLowerCase()),
};

function applyFilters() {
  for (const control of controls) control.value = address.get("list." + control.dataset.filter) || "";
  filter();
}

let filtered = 0;
async function filter() {
  filtered += 1;
  const turn = filtered;
  if (!haystacks && controls.some((control) => control.dataset.filter === "text" && control.value)) await loadHaystacks();
  if (turn !== filtered) return; // something else was typed meanwhile
  const active = controls.filter((control) => control.value).map((control) => [tests[control.dataset.filter], control.value]);
  matching = ordered.filter((row) => active.every(([test, wanted]) => test(row, wanted)));
  const all = grouped(data.rows.length) + (data.rows.length === 1 ? " answer" : " answers");
  get("shown").textContent = active.length ? grouped(matching.length) + " of " + all : all;
  for (const node of nodes.values()) node.remove();
  nodes.clear();
  list.scrollTop = 0;
  layOut();
}

function rowNode(row, index) {
  const item = make("div");
  item.setAttribute("role", "listitem");
  item.setAttribute("aria-posinset", index + 1);
  item.setAttribute("aria-setsize", matching.length);
  const entry = entryOf(row);
  const button = make("a", "row");
  button.href = "#" + new URLSearchParams(Object.entries(linkOf(row)).filter(([, value]) => value));
  button.append(badge(row), free("span", "what", askedOf(row)));
  button.append(row[ANSWER] ? free("span", "answer-text", row[ANSWER]) : make("span", "answer-text empty", "no readable answer"));
  button.append(free("span", "where", [...(manyModels ? [entry.model] : []), questionTypeOf(row).replaceAll("_", " "), ...entry.place.slice(0, 4).map((place) => place[1])].join(" · ")));
  button.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab opens the same answer
    event.preventDefault();
    openRow(row);
  });
  item.append(button);
  return item;
}

function openRow(row) {
  const entry = entryOf(row);
  open(heading(entry), [row], linkOf(row));
}

function rowHeight() {
  const size = parseFloat(getComputedStyle(list).getPropertyValue("--row"));
  return size * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

// Only visible rows exist; a row's height depends only on the width of the window.
let height = 0;
function draw() {
  height ||= rowHeight();
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 4);
  const last = Math.min(matching.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 4);
  for (const [index, node] of nodes) {
    if ((index < first || index >= last) && !node.contains(document.activeElement)) {
      node.remove();
      nodes.delete(index);
    }
  }
  const places = [...nodes.keys()].sort((a, b) => a - b);
  for (let index = first; index < last; index += 1) {
    if (nodes.has(index)) continue;
    const node = rowNode(matching[index], index);
    node.style.top = index * height + "px";
    // In order, so that Tab moves down the list.
    const after = places.find((place) => place > index);
    spacer.insertBefore(node, after === undefined ? null : nodes.get(after));
    nodes.set(index, node);
  }
}

function layOut() {
  height = rowHeight();
  spacer.style.height = matching.length * height + "px";
  list.style.maxHeight = Math.max(1, matching.length) * height + 2 + "px";
  for (const [index, node] of nodes) node.style.top = index * height + "px";
  draw();
}

let queued = false;
function drawSoon() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => { queued = false; draw(); });
}
list.addEventListener("scroll", drawSoon, { passive: true });
addEventListener("resize", layOut);
get("filters").addEventListener("submit", (event) => event.preventDefault());
for (const control of controls) {
  control.addEventListener("input", () => {
    remember({ ["list." + control.dataset.filter]: control.value });
    filter();
  });
}
get("list-csv").addEventListener("click", async () => {
  const [replies, details] = await Promise.all([fetchAll("entries"), fetchAll("questions")]);
  const axes = [...new Set(entries.flatMap((entry) => entry.place.map(([title]) => title)))];
  const head = ["model", "family", "item", ...axes.map((title) => title.toLowerCase()), "prompt", "question_type", "question_id", "question", "expected", "answer", "grade", "score", "status", "reason"];
  const lines = matching.map((row) => {
    const entry = entryOf(row);
    const [answer, reason] = replies[entry.number][2][row[PLACE]];
    const place = new Map(entry.place.map(([title, , , value]) => [title, value]));
    const [, question, expected] = details[row[DETAIL]];
    return [
      entry.model, entry.family, entry.item, ...axes.map((title) => (place.has(title) ? place.get(title) : "")), entry.prompt,
      questionTypeOf(row), data.questions[row[QUESTION]][0], question, expected === null ? "" : expected, answer, outcome(row),
      row[VALUE] === null ? "" : row[VALUE], data.statuses[row[STATUS]], reason,
    ];
  });
  // The prompt is an axis too: it is one column.
  const keep = head.map((name, place) => head.indexOf(name) === place);
  download("questions", [head, ...lines].map((line) => line.filter((_, place) => keep[place])));
});
