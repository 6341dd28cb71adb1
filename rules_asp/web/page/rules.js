// The rules: every section in its order, each norm in our words beside its logic, and who beats whom.

import { by, el, fill, notice, picture } from "./dom.js";
import { call } from "./net.js";
import { board, complain, events, switchRuling } from "./board.js";

let book = null, loading = null;
const page = by("rules");

export function load() {
  loading ??= call("rules").then((found) => {
    book = found;
    events.dispatchEvent(new CustomEvent("senses"));
  }).catch(() => { loading = null; });
  return loading;
}

export const note = (each) => el("div.note", el("b", `${each.cite} ${each.kind}`), each.caption ? ` ${each.caption}` : "", el("p", each.text),
  each.answers.map((one) => el("p.answer", one.text, one.source ? el("small", ` ${one.source}`) : null)), each.source ? el("small", each.source) : null);
export const norm = (id) => el("a.norm", { href: `#rules/${id}` }, id);
export const sense = (id) => book?.norms[id]?.sense ?? "";

/** A switch of a ruling: off, the board is asked as if we had not decided so. */
export function rulingSwitch(id) {
  const on = !board.without.includes(id);
  return el("label.switch", { title: sense(id) }, el("input", { type: "checkbox", checked: on, "data-ruling": id, onchange: async (event) => {
    if (!board.text && !board.key) return;
    const box = event.target;
    box.disabled = true;
    const problems = await switchRuling(id, box.checked);
    box.disabled = false;
    if (problems.length) box.checked = !box.checked;
    notice(`${id} is ${box.checked ? "on" : "off"}`);
    complain(problems);
  } }), ` ${id}`);
}

const section = (id) => (id.startsWith("R-") ? "rulings" : id.split(".")[0].split("-")[0]);

export async function show(name) {
  if (!page.dataset.built) {
    fill(page, el("p.waiting", el("span.spinner", { "aria-hidden": "true" }), " The rules are loading."));
    // It is seen before the many rules are built, which takes as long as the way from the server.
    await new Promise((shown) => setTimeout(shown, 30));
  }
  await load();
  if (!book) { fill(page, el("p", "The rules did not load. Check whether the server still runs.")); return; }
  if (!page.dataset.built) build();
  const id = decodeURIComponent(name || "");
  const wanted = id && (page.querySelector(`[data-norm="${CSS.escape(id)}"]`) ? id : null);
  const cite = !wanted && id ? nearest(id) : null;
  const head = book.sections.find((each) => each.section === id);
  if (id && !wanted && !cite && !head) notice(`there is no rule or paragraph ${id}`);
  search("");
  const at = wanted ? page.querySelector(`[data-norm="${CSS.escape(wanted)}"]`) : cite ?? (head ? page.querySelector(`[data-section="${CSS.escape(id)}"]`) : null);
  for (const each of page.querySelectorAll(".here")) each.classList.remove("here");
  if (at) {
    for (let node = at; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    at.classList.add("here");
    const logic = wanted && at.querySelector("details.logic");
    if (logic) logic.open = true;
    at.scrollIntoView({ block: "start" });
  } else page.scrollTop = 0;
}

/** The paragraph of this number, or the first that it holds. */
function nearest(id) {
  const all = [...page.querySelectorAll("[data-cite]")];
  return all.find((each) => each.dataset.cite === id) ?? (id.includes(".") ? all.find((each) => each.dataset.cite.startsWith(id)) : null);
}

function build() {
  page.dataset.built = "1";
  const main = el("div.sections");
  const rulings = book.sections.filter((each) => each.section.startsWith("R-"));
  const others = book.sections.filter((each) => !each.section.startsWith("R-"));
  const counted = (sections) => sections.reduce((sum, each) => sum + each.paragraphs.reduce((n, one) => n + one.norms.length, 0), 0);
  const name = (each) => [each.section, each.title].filter(Boolean).join(" ");
  const fold = (id, title, sections, inner) => el("details.section", { "data-section": id },
    el("summary", el("h2", title), ` ${counted(sections)} ${counted(sections) === 1 ? "rule" : "rules"}`), el("div.paragraphs", inner));
  const whole = (each) => fold(each.section, name(each), [each], each.paragraphs.map(paragraph));
  // The five sections by name, then the general rules by chapter, then what we have decided.
  const chapters = Object.entries(book.chapters).map(([chapter, title]) => [chapter, title, others.filter((each) => each.chapter === chapter)]).filter(([, , found]) => found.length);
  const parts = [
    ...others.filter((each) => !each.chapter).map((each) => [each.section, name(each), whole(each)]),
    ...chapters.map(([chapter, title, found]) => [`chapter-${chapter}`, chapter === "GR" ? title : `Chapter ${chapter}: ${title}`,
      fold(`chapter-${chapter}`, chapter === "GR" ? title : `Chapter ${chapter}: ${title}`, found, found.map(whole))]),
    ["rulings", "Our rulings", fold("rulings", "Our rulings", rulings, rulings.flatMap((each) => each.paragraphs.map(paragraph)))],
  ];
  for (const [, , details] of parts) main.append(details);
  const readings = el("details.section", { "data-section": "readings" }, el("summary", el("h2", "Readings"), ` ${book.readings.length} choices that the text does not make`),
    el("ul.rows", book.readings.map((each) => el("li", norm(each.id), " ", each.sense, each.or ? el("em", ` Or: ${each.or}`) : null, each.ruling ? [" ", rulingSwitch(each.id)] : null))));
  main.append(readings);
  const field = el("input#search", { type: "search", placeholder: "words, as players say them, or a paragraph such as B23.71", "aria-label": "Search the rules", oninput: () => {
    clearTimeout(typing);
    typing = setTimeout(() => search(field.value), 150);
  } });
  fill(page, el("div.rules-head", field, el("span#found", { role: "status" })),
    el("nav", { "aria-label": "Sections" }, parts.map(([id, title]) => el("a", { href: `#rules/${id}` }, title)), el("a", { href: "#rules/readings" }, "Readings")), main);
}
const paragraph = (each) => el("section.paragraph", { "data-cite": each.cite }, el("h3", el("a", { href: `#rules/${each.cite}` }, each.cite)), each.norms.map(normCard));

function normCard(id) {
  const each = book.norms[id];
  if (!each) return null;
  const marks = [each.assumed && (each.less_sure ? "assumed, less sure" : "assumed"), each.reading && "our reading", each.descriptive && "descriptive"].filter(Boolean);
  const pairs = (title, found, key) => found.length ? el("p.pairs", `${title} `, found.map((one) => [norm(one[key]), one.how !== "overrides" ? ` (${one.how})` : "", one.ruling ? [" by ", norm(one.ruling)] : "", " "])) : null;
  return el("article.norm-card", { "data-norm": id },
    el("header", el("a.norm", { href: `#rules/${id}` }, id), marks.map((mark) => el("span.mark", mark)), id.startsWith("R-") ? rulingSwitch(id) : null),
    el("p.sense", each.sense, each.or ? el("em", ` Or: ${each.or}`) : null, each.open ? el("em", ` Open: ${each.open}`) : null),
    each.encoding.length ? el("details.logic", el("summary", "Logic"), each.encoding.map((one) => [el("small", `${one.file}:${one.line}`), el("pre", one.text)])) : null,
    each.descriptive ? el("p.hint", "Nothing follows from it.") : null,
    each.silent ? el("p.hint", "This rule leaves something unknown.") : null,
    pairs("Overrides", each.beats, "norm"), pairs("Overridden by", each.beaten_by, "norm"),
    each.rulings.length ? el("p.pairs", "Rulings on it ", each.rulings.map((one) => [norm(one), rulingSwitch(one), " "])) : null,
    named("Names", each.names), named("Named by", each.named_by),
    each.cases.length ? cases(each.cases) : null,
    book.notes?.some((one) => one.cite === each.cite) ? el("details", el("summary", "Players' notes"), book.notes.filter((one) => one.cite === each.cite).map(note)) : null);
}

const named = (title, found) => found.length ? el("p.pairs", `${title} `, found.slice(0, 12).map((one) => [book.norms[one] || /[.]/.test(one) ? norm(one) : one, " "]), found.length > 12 ? `and ${found.length - 12} more` : "") : null;

/** The cases of a norm, drawn small when they are looked at; each opens on the map. */
function cases(found) {
  const files = [...new Map(found.map((each) => [each.file, each])).values()];
  const box = el("div.cases"), details = el("details", { ontoggle: () => {
    if (!details.open || box.childElementCount) return;
    for (const each of files.slice(0, 6)) {
      const name = each.file.split("/").pop().replace(/\.board$/, ""), lines = found.filter((one) => one.file === each.file).map((one) => one.line);
      const image = el("span.small", el("span.spinner"));
      box.append(el("button.case-button", { title: `open ${each.file} at line ${each.line}`, onclick: () => { events.dispatchEvent(new CustomEvent("named", { detail: each })); } },
        image, el("span", name), el("small", `line ${lines.slice(0, 4).join(", ")}`)));
      drawing(each.file).then((svg) => fill(image, svg ? picture(svg, `the board ${name}`) : "no picture"), () => fill(image, "no picture"));
    }
    if (files.length > 6) box.append(el("p.hint", `and in ${files.length - 6} more boards`));
  } }, el("summary", `Cases (${found.length})`), box);
  return details;
}

const drawings = new Map();
let after = Promise.resolve();
/** The picture of a case, one at a time. */
function drawing(file) {
  if (!drawings.has(file)) {
    drawings.set(file, after = after.catch(() => null).then(async () => {
      const given = await call("case", { name: file }), sheet = await call("sheet", { ...given, aside: true });
      return sheet.sheet && !sheet.problems.length ? (await call("picture", { sheet: sheet.sheet })).svg : null;
    }));
  }
  return drawings.get(file);
}

let typing = 0, searching = 0;
/** Show the rules that speak of these words, or of what players mean by them: as `rules WORDS` finds them. */
async function search(text) {
  const words = text.trim().slice(0, 200), turn = ++searching, found = by("found");
  if (found) found.textContent = "";
  const fitting = words ? new Set((await call("find", { words }).catch(() => null))?.norms ?? []) : null;
  if (turn !== searching) return;
  let count = 0;
  for (const card of page.querySelectorAll(".norm-card")) {
    const fits = !fitting || fitting.has(card.dataset.norm);
    card.hidden = !fits;
    count += fits;
  }
  for (const each of page.querySelectorAll(".paragraph")) each.hidden = !each.querySelector(".norm-card:not([hidden])");
  for (const each of page.querySelectorAll("details.section")) {
    const any = each.dataset.section === "readings" ? !words.length : !!each.querySelector(".paragraph:not([hidden])");
    each.hidden = !any;
    if (words.length) each.open = any;
  }
  if (words.length && found) found.textContent = `${count} ${count === 1 ? "rule" : "rules"}`;
}

export { section };
