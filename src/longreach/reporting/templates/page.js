// Everything in `data` and in the packed chunks is untrusted: it reaches the page only through textContent.
const data = JSON.parse(get("data").textContent);
const CUT = 2000;

// Long texts ---------------------------------------------------------------------------------
// A chunk is unpacked when something in it is first needed, and cached.
const unpacked = new Map();

function chunk(group, number) {
  const id = group + "-" + number;
  if (!unpacked.has(id)) {
    const bytes = Uint8Array.from(atob(get(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpacked.set(id, new Response(stream).json());
  }
  return unpacked.get(id);
}

async function fetchOne(group, place) {
  const starts = data.shelves[group];
  let number = starts.length - 1;
  while (starts[number] > place) number -= 1;
  return (await chunk(group, number))[place - starts[number]];
}

async function fetchAll(group) {
  return (await Promise.all(data.shelves[group].map((_, number) => chunk(group, number)))).flat();
}

// Rows and entries -----------------------------------------------------------------------------
const [ENTRY, QUESTION, QUESTION_TYPE, STATUS, VALUE, ANSWER, DETAIL, PLACE] = [0, 1, 2, 3, 4, 5, 6, 7];
const entries = data.entries.map(([model, family, item, prompt, place, request], number) => ({
  number, item, request, model: data.models[model], family: data.families[family], prompt: data.prompts[prompt],
  place: data.places[place], rows: [],
}));
for (const row of data.rows) {
  const own = entries[row[ENTRY]].rows;
  row.push(own.length);
  own.push(row);
}
const entryOf = (row) => entries[row[ENTRY]];
const questionTypeOf = (row) => data.question_types[row[QUESTION_TYPE]];
const askedOf = (row) => data.questions[row[QUESTION]][1];

// Outcomes -----------------------------------------------------------------------------------
function outcome(row) {
  const status = data.statuses[row[STATUS]];
  if (status !== "scored") return status;
  if (row[VALUE] === 1) return "right";
  if (row[VALUE] !== 0) return "partly right";
  return questionTypeOf(row) === data.absent ? "made up" : "wrong";
}

function badge(row) {
  const word = outcome(row);
  return make("span", "badge " + ({ right: "right", wrong: "wrong", "made up": "wrong" }[word] || "other"), word.replaceAll("_", " "));
}
