"use strict";

// Light, dark, or as the system has it.
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private windows keep nothing */ }
});

// On a phone the list of pages is closed until it is asked for.
const narrow = matchMedia("(max-width: 48rem)");
const fold = () => { document.getElementById("pages").open = !narrow.matches; };
narrow.addEventListener("change", fold);
fold();

// Wide tables scroll by themselves, so that the page does not.
for (const table of document.querySelectorAll("article table")) {
  const frame = document.createElement("div");
  frame.className = "wide";
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

// Search over an index that is a script, because a page on a disk may not fetch.
const find = document.getElementById("find");
const found = document.getElementById("found");
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
let index = null;
let chosen = -1;

function load() {
  if (index) return Promise.resolve();
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${ROOT}/search/index.js`;
    script.onload = () => { index = window.LONGREACH_INDEX; resolve(); };
    document.head.append(script);
  });
}

function ranked(words) {
  const hits = [];
  for (const part of index) {
    const title = part.title.toLowerCase();
    const text = part.text.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (title.includes(word)) score += title === word ? 40 : 20;
      else if (text.includes(word)) score += 1 + Math.min(5, text.split(word).length - 1);
      else { score = 0; break; }
    }
    if (score) hits.push([score, part]);
  }
  return hits.sort((one, other) => other[0] - one[0]).slice(0, 12).map((hit) => hit[1]);
}

function around(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]));
  const start = at > 50 ? text.lastIndexOf(" ", at - 40) + 1 : 0;
  const holder = document.createElement("small");
  const pattern = new RegExp(`(${words.map(escaped).join("|")})`, "gi");
  for (const piece of text.slice(start, start + 140).split(pattern)) {
    const hit = words.includes(piece.toLowerCase());
    const node = hit ? document.createElement("mark") : document.createTextNode(piece);
    if (hit) node.textContent = piece;
    holder.append(node);
  }
  return holder;
}

function show() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  chosen = -1;
  found.hidden = !words.length;
  find.setAttribute("aria-expanded", String(!found.hidden));
  find.removeAttribute("aria-activedescendant");
  if (!words.length) return;
  const hits = ranked(words);
  if (!hits.length) {
    const line = document.createElement("p");
    line.textContent = "Nothing found";
    found.append(line);
  }
  hits.forEach((part, place) => {
    const link = document.createElement("a");
    link.href = `${ROOT}/${part.location}`;
    link.id = `found-${place}`;
    link.setAttribute("role", "option");
    link.append(part.page && part.page !== part.title ? `${part.page}: ${part.title}` : part.title, around(part.text, words));
    link.addEventListener("click", () => { found.hidden = true; });
    found.append(link);
  });
}

function move(step) {
  const links = [...found.querySelectorAll("a")];
  if (!links.length) return;
  chosen = (chosen + step + links.length) % links.length;
  links.forEach((link, place) => link.setAttribute("aria-selected", String(place === chosen)));
  links[chosen].scrollIntoView({ block: "nearest" });
  find.setAttribute("aria-activedescendant", links[chosen].id);
}

find.addEventListener("input", () => load().then(show));
find.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
  if (event.key === "Enter") found.querySelectorAll("a")[Math.max(0, chosen)]?.click();
  if (event.key === "Escape") { find.value = ""; show(); }
});
document.addEventListener("click", (event) => { if (!event.target.closest(".find")) found.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea")) { event.preventDefault(); find.focus(); }
});
