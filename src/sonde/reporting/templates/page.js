// Everything in `data` is untrusted: it reaches the page only through textContent.
const data = JSON.parse(get("data").textContent);
const CUT = 2000;

// Outcomes -----------------------------------------------------------------------------------
const [ENTRY, QUESTION, PROBE, STATUS, VALUE, ANSWER, REASON] = [0, 1, 2, 3, 4, 5, 6];

function outcome(row) {
  const status = data.statuses[row[STATUS]];
  if (status !== "scored") return status;
  if (row[VALUE] === 1) return "right";
  return row[VALUE] === 0 ? "wrong" : "partly right";
}

function badge(row) {
  const word = outcome(row);
  return make("span", "badge " + (word === "right" || word === "wrong" ? word : "other"), word.replaceAll("_", " "));
}

const questions = data.quizzes.map((quiz) => new Map(quiz.questions.map((question) => [question[0], question])));
function questionOf(row) {
  const quiz = data.entries[row[ENTRY]].quiz;
  return quiz < 0 ? undefined : questions[quiz].get(row[QUESTION]);
}
