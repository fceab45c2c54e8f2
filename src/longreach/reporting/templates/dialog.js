// The prompt behind a cell -------------------------------------------------------------------
const dialog = get("answer");
const dialogBody = get("answer-body");
const NO_ITEM = { cell: "", item: "", model: "", question_type: "", question: "", repeat: "" };

// Blocks that the browser lays out only when they come into sight: a megabyte in one piece takes it many seconds.
function* slices(text) {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CUT);
    const gap = text.slice(end, end + 200).search(/\s/);
    if (gap >= 0) end += gap + 1;
    else if (/[\ud800-\udbff]/.test(text[end - 1])) end += 1;
    yield free("span", "slice", text.slice(start, end));
    start = end;
  }
}

function long(tag, className, text) {
  const box = document.createDocumentFragment();
  const node = free(tag, className, text.length > CUT ? text.slice(0, CUT) + "…" : text);
  box.append(node);
  if (text.length > CUT) {
    const more = make("button", "quiet more", "Show all " + grouped(text.length) + " characters");
    more.type = "button";
    more.addEventListener("click", () => { node.replaceChildren(...slices(text)); more.remove(); });
    box.append(more);
  }
  return box;
}

function pair(list, name, value) {
  const place = make("dd");
  place.append(value);
  list.append(make("dt", "", name), place);
}

// Everything that a prompt's view needs from the packed chunks, fetched together.
async function read(entry) {
  const [reply, request, ...details] = await Promise.all([
    fetchOne("entries", entry.number),
    entry.request < 0 ? undefined : fetchOne("requests", entry.request),
    ...entry.rows.map((row) => fetchOne("questions", row[DETAIL])),
  ]);
  const [, calls, answers] = reply;
  const [prompt, tokens, sha256, places] = request || ["", 0, "", []];
  const excerpts = await Promise.all(places.map(async ([place, depth]) => ({ parts: await fetchOne("excerpts", place), depth })));
  return { calls, answers, request: request && { prompt, tokens, sha256, excerpts }, details };
}

function questionNode(row, known) {
  const box = make("div", "q");
  const [, text, key, accepted, , about] = known.details[row[PLACE]];
  const [answer, reason] = known.answers[row[PLACE]];
  box.append(long("p", "asked", text));
  const list = make("dl");
  if (key !== null) {
    const others = accepted.length ? " (also: " + accepted.slice(0, 6).join("; ") + ")" : "";
    pair(list, "Expected", long("div", "answer-text", key + others));
    for (const [name, part] of Object.entries(about)) pair(list, "Expected " + name, long("div", "answer-text", part));
  }
  pair(list, "Answered", answer ? long("div", "answer-text", answer) : make("span", "empty", "no readable answer"));
  const grade = make("span");
  grade.append(badge(row));
  if (row[VALUE] !== null && row[VALUE] > 0 && row[VALUE] < 1) grade.append(" " + Math.round(row[VALUE] * 100) + " %");
  pair(list, "Grade", grade);
  if (reason) pair(list, "Reason", long("div", "answer-text", reason));
  pair(list, "Question type", make("span", "", questionTypeOf(row).replaceAll("_", " ")));
  box.append(list);
  return box;
}

// One stretch of the context: the facts in question are marked, others only underlined.
function excerptNode(excerpt, needed) {
  const box = free("p", "excerpt");
  box.append(make("small", "", "at " + (excerpt.depth * 100).toFixed(1) + " % of the context"), "… ");
  for (const [text, fact] of excerpt.parts) {
    if (fact) box.append(long("mark", needed.has(fact) || !needed.size ? "" : "other", text));
    else box.append(text);
  }
  box.append(" …");
  return box;
}

function fold(title, nodes, open) {
  const box = make("details");
  box.open = Boolean(open);
  box.append(make("summary", "", title), ...nodes);
  return box;
}

function factList(pairs) {
  const box = make("p", "facts");
  for (const [name, value] of pairs) {
    const each = make("span", "", name + " ");
    each.append(free("b", "", value));
    box.append(each);
  }
  return box;
}

function addressOf(entry, question_type) {
  return { ...NO_ITEM, item: entry.item, model: entry.model, question_type: question_type || "", repeat: repeatOf(entry) };
}

// Which of several replies of a model to an item it is; empty for the first.
const sameItem = (one, other) => one.item === other.item && one.model === other.model;
function repeatOf(entry) {
  const own = entries.filter((each) => sameItem(each, entry)).indexOf(entry) + 1;
  return own > 1 ? String(own) : "";
}

// The address of one answer.
function linkOf(row) {
  return { ...addressOf(entryOf(row)), question: data.questions[row[QUESTION]][0] };
}

function callNode(call) {
  const box = document.createDocumentFragment();
  box.append(factList([
    ["tokens in", grouped(call.in)], ["cached", grouped(call.cached)], ["out", grouped(call.out)],
    ["seconds", call.seconds.toFixed(2)],
    ...(call.cost === null ? [] : [["USD", call.cost.toPrecision(3)]]),
    ...(call.stop ? [["stopped by", call.stop]] : []),
  ]));
  if (call.error) box.append(free("p", "answer-text wrong", call.error.slice(0, CUT)));
  return box;
}

// First the question with its answer and grade, then what the context says, then the rest; digests last.
function entryNode(entry, rows, known) {
  const box = make("article", "entry");
  const { calls, request } = known;
  const title = make("h3");
  const link = free("a", "", entry.item);
  const parts = addressOf(entry);
  link.href = "#" + new URLSearchParams({ item: parts.item, model: parts.model });
  link.title = "Link to this prompt";
  link.addEventListener("click", (event) => { event.preventDefault(); openEntry(entry); });
  title.append(link, " · ", free("span", "", entry.model));
  box.append(title);
  for (const row of rows) box.append(questionNode(row, known));
  if (request && request.excerpts.length) {
    const needed = new Set(rows.flatMap((row) => known.details[row[PLACE]][4]));
    const near = request.excerpts.filter((excerpt) => excerpt.parts.some(([, fact]) => needed.has(fact)));
    const rest = request.excerpts.filter((excerpt) => !near.includes(excerpt));
    const first = near.slice(0, 3);
    const others = [...near.slice(3), ...rest];
    box.append(make("h4", "", "In the context"), ...first.map((excerpt) => excerptNode(excerpt, needed)));
    const name = first.length ? "Also planted in the context" : "Planted in the context";
    if (others.length) box.append(fold(name + " (" + others.length + ")", others.map((excerpt) => excerptNode(excerpt, needed))));
  }
  for (const call of calls) {
    if (call.text) box.append(fold("The whole reply", [long("div", "reply", call.text)], rows.every((row) => !row[ANSWER])));
  }
  const shown = new Set(rows);
  const rest = entry.rows.filter((row) => !shown.has(row));
  if (rest.length) box.append(fold("Other questions of this prompt (" + rest.length + ")", rest.map((row) => questionNode(row, known))));
  box.append(factList(entry.place.map(([name, asked, realised]) => [name, realised ? asked + " (realised " + realised + ")" : asked])));
  for (const call of calls) box.append(callNode(call));
  if (request) box.append(make("p", "digest", "prompt " + request.prompt + ", " + grouped(request.tokens) + " tokens, sha256 " + request.sha256));
  return box;
}

let opened = 0;
function open(title, rows, where) {
  opened += 1;
  const turn = opened;
  const byEntry = new Map();
  for (const row of rows) {
    if (!byEntry.has(row[ENTRY])) byEntry.set(row[ENTRY], []);
    byEntry.get(row[ENTRY]).push(row);
  }
  get("answer-title").textContent = title;
  dialogBody.replaceChildren();
  const waiting = [...byEntry];
  const more = make("button", "quiet", "Show more");
  more.type = "button";
  const next = async () => {
    more.remove();
    const batch = waiting.splice(0, 20);
    const known = await Promise.all(batch.map(([entry]) => read(entries[entry])));
    if (turn !== opened) return; // another cell was opened meanwhile
    batch.forEach(([entry, members], place) => dialogBody.append(entryNode(entries[entry], members, known[place])));
    if (waiting.length) dialogBody.append(more);
  };
  more.addEventListener("click", next);
  next();
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  remember(where);
}

function openCell(number) {
  const cell = data.cells[number];
  if (!cell || !cell[1].length) return;
  const [title, places] = cell;
  const rows = places.map((index) => data.rows[index]);
  const requests = new Set(rows.map((row) => row[ENTRY]));
  const question_types = new Set(rows.map((row) => row[QUESTION_TYPE]));
  const one = requests.size === 1 && addressOf(entryOf(rows[0]), question_types.size === 1 ? questionTypeOf(rows[0]) : "");
  open(title, rows, one || { ...NO_ITEM, cell: String(number) });
}

// A model and its first axes: all of them are listed below.
function heading(entry) {
  return [entry.model, ...entry.place.slice(0, 4).map(([name, asked]) => name + " " + asked)].join(" · ");
}

function openEntry(entry, question_type) {
  const rows = entry.rows;
  const chosenRows = question_type ? rows.filter((row) => questionTypeOf(row) === question_type) : rows;
  open(heading(entry), chosenRows.length ? chosenRows : rows, addressOf(entry, question_type));
}

function openHash() {
  if (address.has("cell")) {
    openCell(Number(address.get("cell")));
  } else if (address.has("item")) {
    const model = address.get("model");
    const own = entries.filter((each) => each.item === address.get("item") && (!model || each.model === model));
    const entry = own[Number(address.get("repeat") || 1) - 1];
    const row = entry && entry.rows.find((each) => data.questions[each[QUESTION]][0] === address.get("question"));
    if (row) openRow(row);
    else if (entry) openEntry(entry, address.get("question_type"));
  }
}

get("answer-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => remember(NO_ITEM));
