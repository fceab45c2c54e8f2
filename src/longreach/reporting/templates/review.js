// Everything in `data` and in the cards is untrusted: it reaches the page only through textContent and value.
const data = JSON.parse(get("data").textContent);
const base = location.pathname;
const decisions = new Map(Object.entries(data.decisions));
const cards = new Map();
const MARKS = { accept: "✓", edit: "✎", reject: "✗" };
const WORDS = data.words;
let at = 0;
let shown;
let changing = false;

const decisionOf = (id) => decisions.get(id) || { id, verdict: "", failed: [], fields: {}, right: "" };

// The server ---------------------------------------------------------------------------------
async function ask(path, decision) {
  let reply;
  try {
    reply = await fetch(base + path, decision && {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(decision),
    });
  } catch {
    throw new Error("The server has stopped: this was not saved. Start longreach review again; saved decisions are not lost.");
  }
  if (reply.ok) return reply.json();
  const text = await reply.text();
  let message = text.trim();
  try { message = JSON.parse(text).error; } catch { /* plain text */ }
  throw new Error("Not saved: " + message);
}

async function card(place) {
  if (!cards.has(place)) cards.set(place, await ask("cards/" + place));
  return cards.get(place);
}

async function save(change) {
  const id = shown.id;
  const saved = await ask("decisions", { ...decisionOf(id), ...change, id });
  decisions.set(id, saved.decision);
  count(saved.counts);
  stamp(data.cards.findIndex((one) => one.id === id));
}

// One at a time: a key that is pressed while a decision is being saved waits for it.
let work = Promise.resolve();
function then(act) {
  work = work.then(act).then(() => { trouble(""); }, (error) => { trouble(error.message); });
  return work;
}

function trouble(text) {
  get("trouble").hidden = !text;
  get("trouble").textContent = text;
}

// The list -----------------------------------------------------------------------------------
const entries = data.cards.map((one, place) => {
  const button = make("button");
  button.type = "button";
  button.append(make("i"), make("b", "", one.title), make("span", "", one.text));
  button.addEventListener("click", () => then(() => show(place)));
  const line = make("li");
  line.append(button);
  get("queue").append(line);
  return button;
});

function stamp(place) {
  const verdict = decisionOf(data.cards[place].id).verdict;
  const mark = entries[place].firstChild;
  mark.textContent = MARKS[verdict] || "";
  mark.className = verdict ? verdict + "-mark" : "";
  entries[place].setAttribute("aria-label", data.cards[place].title + ", " + (WORDS[verdict] || "not decided"));
}

function count(counts) {
  const all = data.cards.length;
  const decided = all - counts.undecided;
  get("counts").textContent = decided + " of " + all + " decided";
  get("progress").setAttribute("aria-valuenow", decided);
  for (const name of ["accepted", "edited", "rejected"])
    get("progress").querySelector("." + name).style.width = (100 * counts[name]) / all + "%";
}

// The card -----------------------------------------------------------------------------------
async function show(place) {
  if (changing && place !== at && !confirm("Leave without saving the edit?")) return;
  shown = await card(place);
  changing = false;
  entries[at].removeAttribute("aria-current");
  at = place;
  entries[at].setAttribute("aria-current", "true");
  entries[at].scrollIntoView({ block: "nearest" });
  history.replaceState(null, "", "#" + encodeURIComponent(shown.id));
  draw();
  window.scrollTo(0, 0);
  if (at + 1 < data.cards.length) card(at + 1).catch(() => {});
}

function draw() {
  const decision = decisionOf(shown.id);
  const head = make("header", "card-head");
  head.append(free("h2", "", shown.title));
  for (const [name, value] of shown.facts) head.append(make("span", "", name + " " + value));
  head.append(make("span", "", at + 1 + " of " + data.cards.length));
  if (decision.verdict) head.append(make("span", "stamp " + decision.verdict + "-mark", MARKS[decision.verdict] + " " + WORDS[decision.verdict]));
  get("card").replaceChildren(head, ...(changing ? [form(decision)] : [...texts(decision), criteria(decision)]), ...source(), ...tries());
  const mark = get("card").querySelector("mark") || get("card").querySelector(".gold");
  const passage = get("card").querySelector(".passage");
  if (mark) passage.scrollTop += mark.getBoundingClientRect().top - passage.getBoundingClientRect().top - passage.clientHeight / 4;
  get("back").disabled = at === 0;
  get("next").disabled = at === data.cards.length - 1;
  for (const id of ["accept", "edit", "reject", "undo"]) get(id).disabled = changing;
  if (!decision.verdict && !decision.failed.length) get("undo").disabled = true;
}

function texts(decision) {
  const nodes = [];
  const options = make("ol", "options");
  for (const field of shown.fields) {
    const text = decision.fields[field.name] ?? field.text;
    if (!field.option) {
      nodes.push(make("p", "asked", text));
      if (text !== field.text) nodes.push(make("p", "was", field.text));
      continue;
    }
    const right = field.name === (decision.right || shown.right);
    const line = make("li", right ? "is-right" : "");
    line.append(make("span", "letter", field.label), make("span", "text", text));
    if (right) line.append(make("span", "tick", "✓ right"));
    if (text !== field.text) line.append(make("span", "was", field.text));
    options.append(line);
  }
  if (options.childElementCount) nodes.push(options);
  return nodes;
}

function criteria(decision) {
  const box = make("fieldset", "criteria");
  box.append(make("legend", "", "Mark what it is not:"));
  data.criteria.forEach(([name, label], place) => {
    const button = make("button", "criterion");
    button.type = "button";
    button.append(make("kbd", "", String(place + 1)), label);
    button.setAttribute("aria-pressed", String(decision.failed.includes(name)));
    button.setAttribute("aria-label", "not " + label);
    button.addEventListener("click", () => then(() => toggle(name)));
    box.append(button);
  });
  return box;
}

function source() {
  if (!shown.source) return [];
  const passage = make("div", "passage");
  passage.tabIndex = 0;
  passage.setAttribute("role", "region");
  passage.setAttribute("aria-label", "The passage in its place");
  const gold = make("span", "gold");
  const whole = Array.from(shown.source);
  if (shown.mark) {
    const [start, end] = shown.mark;
    gold.append(whole.slice(0, start).join(""), make("mark", "", whole.slice(start, end).join("")), whole.slice(end).join(""));
  } else gold.append(shown.source);
  if (shown.before) passage.append(make("span", "around", "… " + shown.before));
  passage.append(gold);
  if (shown.after) passage.append(make("span", "around", shown.after + " …"));
  return [make("h3", "passage-head", "The passage in context"), passage];
}

function tries() {
  if (shown.tries.length < 2) return [];
  const box = make("details", "tries");
  box.append(make("summary", "", "Generation history: " + shown.tries.length + " attempts"));
  const list = make("ol");
  for (const one of shown.tries) {
    const line = make("li", "", one.text || "no question");
    line.append(make("small", "", one.outcome + (one.step ? " (" + one.step.replaceAll("_", " ") + ")" : "") + (one.why ? ": " + one.why : "")));
    list.append(line);
  }
  box.append(list);
  return [box];
}

// Editing ------------------------------------------------------------------------------------
function form(decision) {
  const box = make("form", "change");
  const inputs = new Map();
  for (const field of shown.fields) {
    const input = make(field.option ? "input" : "textarea");
    if (field.option) input.type = "text";
    input.value = decision.fields[field.name] ?? field.text;
    input.dir = "auto";
    inputs.set(field.name, input);
    const label = make(field.option ? "div" : "label", field.option ? "option" : "");
    if (field.option) {
      const radio = make("input");
      radio.type = "radio";
      radio.name = "right";
      radio.value = field.name;
      radio.checked = field.name === (decision.right || shown.right);
      radio.setAttribute("aria-label", field.label + " is right");
      input.setAttribute("aria-label", "Option " + field.label);
      label.append(radio, make("span", "letter", field.label), input);
    } else label.append(field.label, input);
    box.append(label);
  }
  const acts = make("div", "row-acts");
  const keep = make("button", "act accept", "Save");
  const leave = make("button", "act", "Cancel");
  keep.type = "submit";
  leave.type = "button";
  keep.append(" ", make("kbd", "", "Ctrl Enter"));
  leave.append(" ", make("kbd", "", "Esc"));
  leave.addEventListener("click", stop);
  acts.append(keep, leave);
  box.append(acts);
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    const right = box.querySelector("input[type=radio]:checked");
    const fields = Object.fromEntries(Array.from(inputs, ([name, input]) => [name, input.value.trim()]));
    then(async () => {
      await save({ verdict: "edit", fields, right: right ? right.value : "" });
      changing = false;
      draw();
      get("card").focus({ preventScroll: true });
    });
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") stop();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) box.requestSubmit();
    else return;
    event.preventDefault();
  });
  return box;
}

function stop() {
  changing = false;
  trouble("");
  draw();
  get("card").focus({ preventScroll: true });
}

function change() {
  changing = true;
  draw();
  get("card").querySelector("textarea").focus();
}

// Deciding -----------------------------------------------------------------------------------
async function decide(verdict) {
  await save({ verdict, fields: {}, right: "" });
  if (verdict && at + 1 < data.cards.length) await show(at + 1);
  else draw();
}

async function toggle(name) {
  const failed = decisionOf(shown.id).failed;
  await save({ failed: failed.includes(name) ? failed.filter((one) => one !== name) : [...failed, name] });
  draw();
}

function undecided() {
  const order = [...data.cards.keys()].map((step) => (at + 1 + step) % data.cards.length);
  return order.find((place) => !decisionOf(data.cards[place].id).verdict);
}

const keys = {
  j: () => at + 1 < data.cards.length && show(at + 1),
  k: () => at > 0 && show(at - 1),
  n: () => undecided() !== undefined && show(undecided()),
  a: () => decide("accept"),
  r: () => decide("reject"),
  u: async () => { await save({ verdict: "", failed: [], fields: {}, right: "" }); draw(); },
  e: () => data.words.edit && change(),
};
keys.ArrowRight = keys.j;
keys.ArrowLeft = keys.k;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || get("help").open) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  if (event.key === "?") return help();
  if (changing) return;
  const criterion = /^[1-9]$/.test(event.key) && data.criteria[Number(event.key) - 1];
  const act = criterion ? () => toggle(criterion[0]) : Object.hasOwn(keys, event.key) && keys[event.key];
  if (!act) return;
  event.preventDefault();
  then(() => shown && act());  // a key that is pressed before the first card is there waits for it
});
const help = () => get("help").showModal();
get("help-open").addEventListener("click", help);
for (const [id, key] of [["back", "k"], ["next", "j"], ["accept", "a"], ["reject", "r"], ["undo", "u"], ["edit", "e"]])
  get(id).addEventListener("click", () => then(keys[key]));

data.cards.forEach((_, place) => stamp(place));
count(data.counts);
const named = data.cards.findIndex((one) => "#" + encodeURIComponent(one.id) === location.hash);
const first = data.cards.findIndex((one) => !decisionOf(one.id).verdict);
then(() => show(named >= 0 ? named : Math.max(first, 0)));
