// An answer as people read it: the verdict, what it rests on, and what can be unfolded.

import { by, el, fill, notice, picture } from "./dom.js";
import { call } from "./net.js";
import { before, board, change, complain, events, hexesIn } from "./board.js";
import { light, way } from "./map.js";
import { norm, note, sense, rulingSwitch } from "./rules.js";

const box = by("answer");
let now = { line: null, record: null };
const opened = new Map(), closed = new Set();

export function waiting(line, stop) {
  box.dataset.state = "waiting";
  fill(box, el("div.card.waiting", el("p", el("span.spinner", { "aria-hidden": "true" }), ` ${line}`), el("button", { onclick: stop }, "Stop")));
}

export function failed(line, message) {
  events.dispatchEvent(new CustomEvent("answered", { detail: null }));
  box.dataset.state = "error";
  box.dataset.line = line;
  box.record = null;
  fill(box, el("div.card.error", { role: "alert" }, el("pre", message)));
}

export function show(line, record, whole) {
  now = { line, record };
  box.record = record;
  box.dataset.line = line;
  box.dataset.state = whole ? "whole" : "short";
  const told = TELLING[record.command] ?? reported;
  fill(box, el("article.card", { class: `card v-${mood(record)}` },
    el("h2", el("span.verdict", headline(record)), el("small", sentence(record))),
    told(record),
    record.blocks ? null : unknown(record), faults(record),
    whole ? !record.blocks && rests(record) : el("p.hint", "…"),
    whole ? more(line, record) : null));
  events.dispatchEvent(new CustomEvent("answered", { detail: `${line}: ${headline(record)}` }));
}

const mood = (record) => {
  if (["los"].includes(record.command)) return record.clear === true ? "good" : record.clear === false ? "bad" : "open";
  return { yes: "good", forbidden: "bad", "not so": "bad", unknown: "open" }[record.verdict] ?? "plain";
};

export function headline(record) {
  switch (record.command) {
    case "los": return record.clear === true ? (record.hindrance ? `Clear, Hindrance +${record.hindrance}` : "Clear") : record.clear === false ? `Blocked${blockedAt(record)}` : "Unknown";
    case "fire": return record.clear === false ? `No fire: LOS blocked${blockedAt(record)}` : record.legal === false ? "Not allowed" : record.drm === null ? "DRM unknown" : `DRM ${signed(record.drm)}`;
    case "tem": return record.tem === null ? "TEM unknown" : `TEM ${signed(record.tem)}`;
    case "sees": {
      const open = record.sights.filter((each) => each.clear === null).length;
      return `Sees ${record.sights.filter((each) => each.clear).length} of ${record.sights.length} Locations${open ? `, ${open} unknown` : ""}`;
    }
    case "turn": return `The ${record.side} Player Turn`;
    case "rout": return `Routs to ${counted(record)}`;
    case "moves": case "reach": return `Reaches ${counted(record)}${record.partial ? " so far" : ""}`;
    default: return record.blocks?.[0]?.line?.map(([text]) => text).join("") ?? { yes: "Yes", forbidden: "Not allowed", "not so": "No", unknown: "Unknown" }[record.verdict] ?? record.verdict ?? "";
  }
}

/** Where a line is blocked: each hex and hexside, in the order of the line, or why without a place. */
function blockedAt(record) {
  const places = [...new Set(record.blockers.map((each) => each.at))].filter((each) => hexesIn(each).length);
  if (!places.length) return record.blocked_at ? `: ${record.blocked_at}` : "";
  return ` at ${[places.slice(0, -1).join(", "), places.at(-1)].filter(Boolean).join(" and ")}`;
}

const counted = (record) => `${record.reach.length} ${record.reach.length === 1 ? "Location" : "Locations"}${record.perhaps.length ? `, perhaps ${record.perhaps.length} more` : ""}`;

function sentence(record) {
  switch (record.command) {
    case "los": return `${record.a} – ${record.b}`;
    case "fire": case "tem": return `${record.by?.length ? `${record.by.join(", ")} ${record.by.length > 1 ? "fire" : "fires"} from ` : ""}${record.from} at ${record.at}${record.directed_by?.length ? `, directed by ${record.directed_by.join(" or ")}` : ""}${record.target ? `, ${record.target.replace("_", " ")}` : ""}`;
    case "can": return record.deed;
    case "roll": return record.sentence ?? record.roll;
    case "sees": return `from ${record.from}, level ${record.level}`;
    case "moves": case "reach": case "rout": return `${record.units.join(" + ")} from ${record.from}, ${record.mf !== null ? `${record.mf} MF` : record.mp !== null ? `${record.mp} MP` : ""}`;
    default: return record.query ?? "";
  }
}

export const signed = (number) => number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "+0";

// Parts of sums, and the terms in records, in the words that come with a record.
let phrases = {};
export function setPhrases(all) { phrases = all; }
const worded = new Map();
/** Ask for a record, and keep the words that come with it: they are no part of the record. */
export async function ask(data, signal) {
  // An answer without its own view is shown as its text output.
  const blocks = !(data.line.split(" ")[0] in TELLING);
  const { words, ...record } = await call("ask", { sheet: board.key, words: true, blocks, ...data }, signal);
  for (const [term, said] of Object.entries(words ?? {})) worded.set(term, said);
  return record;
}
const inWords = (term) => worded.get(term) ?? term;

const rows = (title, found, row) => found?.length ? el("section", el("h3", title), el("ul.rows", found.map((each) => el("li", row(each))))) : null;
const lit = (names, ...inner) => el("span.place", { tabIndex: 0, onmouseenter: () => light(names), onmouseleave: () => light([]), onfocus: () => light(names), onblur: () => light([]) }, ...inner);
const at = (place) => lit([place, ...hexesIn(place)], place);
const withNorm = (id) => [norm(id), " ", el("span.sense", sense(id))];

const TELLING = {
  los: (record) => [
    el("p.facts", `range ${record.range}, levels ${record.level_a ?? "?"} and ${record.level_b ?? "?"}`),
    rows("Blocked by", record.blockers, (each) => [at(each.at), " ", withNorm(each.norm)]),
    rows("Hindrances", record.hindrances, (each) => [el("b", `+${each.hindrance} `), at(each.at), " ", withNorm(each.norm)]),
    rows("Passes over", record.passes_over, (each) => [at(each.at), ` ${each.text} `, withNorm(each.norm)]),
    rows("Would have blocked", record.beaten, (each) => [at(each.at), " ", withNorm(each.norm), " – overridden by ", norm(each.by)]),
    rows("Close calls", record.close, (each) => `${each.if}: ${each.clear === null ? "unknown" : each.clear ? "clear" : "blocked"} (${each.pixels} pixels)`),
  ],
  fire: (record) => [
    record.clear === null ? null : el("p.facts", record.clear ? `line of sight clear${record.hindrance ? `, Hindrance +${record.hindrance}` : ""}` : "no line of sight"),
    rows("Blocked by", record.blockers, (each) => [at(each.at), " ", withNorm(each.norm)]),
    rows(record.not_allowed?.length ? `Not allowed for ${record.not_allowed.join(", ")} by` : "Not allowed by", record.norms, (each) => withNorm(each)),
    parts(record), besides(record), beaten(record),
  ],
  tem: (record) => [parts(record), beaten(record)],
  can: (record) => [
    rows("Not allowed by", record.forbidden_by, (each) => withNorm(each)),
    rows("Ways", record.ways, (each) => [el("b", each.verdict), ` ${each.sentence}${each.mf !== null ? `, ${each.mf} MF` : each.mp !== null ? `, ${each.mp} MP` : ""}`]),
    rows("Path", record.way_there, (each) => [at(each.to), ` ${each.way}${each.mf !== null ? `, ${each.mf} MF` : each.mp !== null ? `, ${each.mp} MP` : ""}`]),
    besides(record), beaten(record),
  ],
  ask: asked, why: asked,
  sees: (record) => {
    const hidden = new Map();
    for (const each of record.sights) if (each.clear === false && each.norm) hidden.set(each.norm, [...(hidden.get(each.norm) ?? []), each.to]);
    return [
      el("p.facts", `${record.sights.filter((each) => each.clear && each.hindrance).length} of them with a Hindrance`),
      el("div.key", el("i.seen"), " seen ", el("i.hindered"), " with Hindrance ", el("i.partly"), " these levels ", el("i.hidden"), " hidden"),
      rows("What hides the rest", [...hidden].sort((a, b) => b[1].length - a[1].length), ([id, places]) => [lit(places, el("b", `${places.length} `)), withNorm(id)]),
    ];
  },
  moves: reach, reach, rout: reach, turn: playerTurn,
};

/** The units of a side: where each can go, at whom it can fire, who can fire at it. */
function playerTurn(record) {
  const ends = (found) => found.length ? found.map((each, number) => [number ? ", " : "", lit([board.units.get(each.unit)?.hex].filter(Boolean), each.unit),
    each.legal === null ? " perhaps" : each.best_drm === null ? " ?" : ` ${signed(each.best_drm)}`]) : "–";
  return [
    el("table.grid", el("tr", ["Unit", "Can go", "Can fire at", "Can be fired at by"].map((each) => el("th", each))),
      record.units.map((each) => el("tr", el("td", lit([each.at.split(/[/@]/)[0]], el("b", each.unit))),
        el("td", lit(each.reach.map((place) => place.split(/[/@]/)[0]), `${each.reach.length}${each.perhaps.length ? ` +${each.perhaps.length}?` : ""}`)),
        el("td", ends(each.targets)), el("td", ends(each.firers))))),
    el("p.hint", "Behind a unit: the best DRM with a leader."),
    rows("Not placed on the map", record.unplaced, (each) => each),
  ];
}

function reach(record) {
  const list = el("ul.rows.reach", [...record.reach, ...record.perhaps].map((each) => {
    const cost = each.mf ?? each.mp, paid = record.mf !== null ? "MF" : "MP";
    const steps = each.path ?? [];
    return el("li", { "data-place": each.to }, el("details", { ontoggle: (event) => {
      if (event.target.open) way([steps[0]?.from ?? record.from, ...steps.map((step) => step.to)]);
    } }, el("summary", el("b", each.to), ` ${cost ?? `${each.at_least ?? "?"}–${each.at_most ?? "?"}`} ${paid}${each.turn > 1 ? `, turn ${each.turn}` : ""}${record.perhaps.includes(each) ? ", perhaps" : ""}${each.interdicted_by?.length ? `, Interdiction by ${each.interdicted_by.join(", ")}` : ""}`),
    el("ol", steps.map((step) => el("li", lit([step.to.split(/[/@]/)[0]], step.to), ` ${wayWords(step.way)} ${step.mf ?? step.mp ?? "?"} `, step.norms.map((id) => [norm(id), " "])))),
    unknown(each)));
  }));
  box.onplace ??= box.addEventListener("place", (event) => {
    const item = box.querySelector(`[data-place="${CSS.escape(event.detail)}"]`);
    if (item) { item.firstElementChild.open = true; item.scrollIntoView({ block: "nearest" }); }
  });
  const must = "must" in record && (record.must ? "must rout" : record.must === null ? "may have to rout" : "need not rout");
  return [must && el("p.facts", `${record.units[0]} ${must}${record.must_unknown.length ? `: ${record.must_unknown.join("; ")}` : ""}`),
    list, rows("Steps that are not allowed", record.forbidden?.slice(0, 40), (each) => [`${each.from} → `, at(each.to), ` ${wayWords(each.way)} `, each.norms.map((id) => [withNorm(id), " "])])];
}

function asked(record) {
  const names = Object.keys(record.answers[0] ?? {});
  return [
    record.values.length ? el("p.value", record.values.join(", ")) : null,
    names.length ? el("table.grid", el("tr", names.map((each) => el("th", each))), record.answers.slice(0, 200).map((each) =>
      el("tr", names.map((name) => el("td", lit(hexesIn(each[name]), String(each[name]))))))) : null,
    record.answers.length > 200 ? el("p.hint", `and ${record.answers.length - 200} more`) : null,
    rows("Not allowed by", record.forbidden_by, (each) => withNorm(each)),
    rows(`Rules that could make it ${record.holds ? "false" : "true"}`, record.could, (each) => withNorm(each)),
    rows("Possibly", record.perhaps, (each) => `${inWords(each.about)}: ${each.why.join("; ")}`),
    rows("Not allowed", record.not_allowed, (each) => [each.sentence, " ", each.norms.map((id) => norm(id))]),
    beaten(record),
  ];
}

/** The lines and tables of an answer after its first line, which is the headline. */
const reported = (record) => record.blocks.slice(1).map(block);
const block = ({ line, below, title, heads, rows: cells }) => line
  ? el("div", el("p.facts", phrase(line)), below.length ? el("div.below", below.map(block)) : null)
  : el("section", title ? el("h3", title) : null, el("table.grid", heads.length ? el("tr", heads.map((each) => el("th", each))) : null,
    cells.map((row) => el("tr", row.map((each) => el("td", phrase(each)))))));
const phrase = (parts) => parts.map(([text, tone]) => {
  if (tone === "norm") return text.split(", ").map((id, at) => [at ? ", " : "", norm(id)]);
  const said = tone ? el(`span.tone-${tone}`, text) : text, hexes = hexesIn(text);
  return hexes.length ? lit(hexes, said) : said;
});
const parts = (record) => record.parts?.length ? el("table.grid.parts", record.parts.map((each) =>
  el("tr", el("td.number", signed(each.amount)), el("td.what", phrases[each.what] ?? each.what.replace(/_/g, " ")), el("td", withNorm(each.norm))))) : null;
const besides = (record) => rows("Also", record.besides, (each) => [`${inWords(each.topic)}: ${each.value ?? "unknown"} `, each.norm ? norm(each.norm) : ""]);
/** The overridden rules, each once with the places that are named. */
function beaten(record) {
  const found = new Map((record.beaten ?? []).map(({ norm: id, by, about = "" }) => {
    const where = about.includes("(") ? "" : about;
    return [`${id} ${by} ${where}`, el("li", where ? [at(where), " "] : null, withNorm(id), " – by ", norm(by))];
  }));
  return found.size ? el("details.fold", { open: found.size < 4 }, el("summary", `Overridden (${found.size})`), el("ul.rows", [...found.values()])) : null;
}

const unknown = (record) => record.unknown ? el("div.unknown", el("p", record.unknown.why), record.unknown.needs?.length
  ? el("p", "needed: ", record.unknown.needs.map((each) => [el("code", each), " "])) : null,
  rows("Undecided by the rules", record.unknown.open, (each) => [norm(each.norm), ` ${each.open}`])) : null;
const faults = (record) => [
  rows("Rules that the board does not follow", record.faults, (each) => [norm(each.norm), ` ${each.what} `, at(each.at)]),
  rows("Uncertain", record.doubts, (each) => [at(each.at), ` ${each.what}`]),
];

function rests(record) {
  if (!record.cites?.length) return null;
  return el("p.rests", "Rules ", record.cites.map((cite) => [el("a.cite", { href: `#rules/${cite}`, class: `cite${record.assumed?.includes(cite) ? " assumed" : record.readings?.includes(cite) ? " reading" : ""}`,
    title: record.assumed?.includes(cite) ? "assumed" : record.readings?.includes(cite) ? "our reading" : "" }, cite), " "]),
  record.readings?.filter((each) => each.startsWith("R-")).map((each) => rulingSwitch(each)));
}

// --- what is unfolded

const MORE = [
  ["fp", "Firepower of the units there", (line, signal) => call("ask", { sheet: board.key, line: ["firers", ...line.match(/"[^"]*"|\S+/g).slice(2).filter((each) => each !== "--how" && !/^(direct|indirect|wp|critical|indirect_critical)$/.test(each))].join(" "), aside: true }, signal), firepower],
  ["why", "Why?", (line, signal) => ask({ line, why: true }, signal), (found) => proof(found)],
  ["side", "From the side", (line, signal) => call("side", { sheet: board.key, line }, signal),
    (found) => found.svg ? el("div.side", picture(found.svg, "the line of sight from the side")) : el("p.hint", "There is no side view of a line within one hex.")],
  ["hangs", "What does it depend on?", (line, signal, early) => searched("hang", { line }, signal, early), hangs],
  ["before", "Before and after", (line, signal) => before() ? call("compare", { sheet: board.key, before: before(), line }, signal) : Promise.resolve(null), compared],
];
const CHATTED = ["los", "tem", "fire"];
async function chat(line) {
  const found = await call("chat", { sheet: board.key, line });
  if (found.error) { notice(found.error.message); return; }
  await copy(found.chat);
  notice(`copied: ${found.chat}`);
}
/** The units at the place from where a shot is fired. */
const firing = (record) => [...board.units.values()].filter((each) => each.at === record.from && (!record.by.length || record.by.includes(each.name)));
/** The largest Fire Group, if units that fire from there are in it. */
function together(group, there) {
  if (!group || !group.units.some((name) => there.some((each) => each.unit === name))) return null;
  const drm = group.drm === null ? "unknown" : [...new Set(group.drm)].map(signed).join(" to ");
  return el("li.group", el("b", `Fire Group ${group.units.join(", ")}`), ` ${group.firepower} FP${group.firepower_unknown.length ? ` and that of ${group.firepower_unknown.join(", ")}` : ""}, DRM with leaders ${drm}`);
}
function firepower(found, line) {
  const by = now.record?.by ?? [], there = found.attacks.filter((each) => each.from === now.record?.from && (!by.length || by.includes(each.unit)));
  return there.length ? el("ul.rows", there.map((each) => el("li", el("b", each.unit), " ", each.firepower === null ? "FP unknown" : `${each.firepower} FP`, each.column === null ? null : `, IFT column ${each.column}`,
    each.weapons.map((one) => ` (${one.weapon.toUpperCase()} ${one.firepower ?? "?"})`),
    each.doublings.map((one) => [` ${(phrases[one.what] ?? one.what).replace(/_/g, " ")} ${one.amount > 0 ? "×2" : "×½"} `, norm(one.norm)]),
    each.drm !== null ? `, DRM ${signed(each.drm)}` : each.clear === false ? ", no LOS" : ", DRM unknown",
    each.direction && !now.record?.directed_by.length ? [` with the leader’s ${signed(each.direction)}`, each.drm === null ? "" : el("b", ` = ${signed(each.drm + each.direction)}`)] : each.direction === null ? ", leader unknown" : null,
    each.legal === false ? [", not allowed: ", each.norms.map((id) => [norm(id), " "])] : null,
    [...each.firepower_unknown, ...(each.clear === false ? [] : each.drm_unknown)].map((one) => el("small", ` ${one}`)))), together(found.group, there)) : el("p.hint", "No unit there can fire.");
}
/** A way as players say it: `bypass(C3@C2-D2)` is "bypass C3@C2-D2". */
const wayWords = (way) => way.replace(/_/g, " ").replace(/\((.*)\)/, " $1");
/** Every command but `sees` has the option --why. */
const UNPROVEN = ["sees"], TURNED = ["los", "tem", "fire", "can", "roll", "ask"];

function more(line, record) {
  const kinds = MORE.filter(([name]) => ({ fp: record.command === "fire" && firing(record).length, why: !UNPROVEN.includes(record.command), side: ["los", "fire"].includes(record.command),
    hangs: TURNED.includes(record.command), before: true })[name]);
  return el("div.more", notes(record), kinds.map(([name, title, get, tell]) => fold(name, title, line, get, tell)),
    CHATTED.includes(record.command) ? el("p.fields", el("button.chat", { title: "Copy one line to paste into the chat of VASL", onclick: () => chat(line) }, "Copy for VASL’s chat")) : null,
    TURNED.includes(record.command) ? [mending(line), sharing(line)] : null,
    el("details.fold", el("summary", "As JSON"), el("pre.json", JSON.stringify(record, null, 1)),
      el("p.hint", "The same as ", el("code", `rules-asp ${record.command} ${board.name} … --json`), ".")));
}

/** Shows that a search runs, with a button that stops it. Returns what shows the first findings above them. */
function awaiting(inner, stopper, stopped = () => {}) {
  let soFar = null;
  const show = () => fill(inner, soFar, el("p", el("span.spinner"), " ",
    el("button.plain", { onclick: () => { stopper.abort(); stopped(); fill(inner, soFar, el("p.hint", "stopped")); } }, "Stop")));
  show();
  return (found) => { soFar = found; show(); };
}

function fold(name, title, line, get, tell) {
  const inner = el("div.inner"), control = { now: null };
  let pressed = false;  // what a person has unfolded is shown as far as there is room
  const load = async () => {
    if (inner.dataset.of === board.key + line) return;
    inner.dataset.of = board.key + line;
    control.now?.abort();
    const stopper = control.now = new AbortController();
    const early = awaiting(inner, stopper, () => { inner.dataset.of = ""; });
    try {
      const found = await get(line, stopper.signal, (first) => early(tell(first, line)));
      fill(inner, found?.error ? el("pre.error", found.error.message) : tell(found, line));
      if (pressed) details.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (error.name !== "AbortError") fill(inner, el("pre.error", error.message));
    }
  };
  const details = el("details.fold", { "data-fold": name, ontoggle: () => {
    if (details.open) { closed.delete(name); opened.set(name, board.key + line); load(); } else { closed.add(name); opened.delete(name); control.now?.abort(); }
  } }, el("summary", { onclick: () => { pressed = true; } }, title), inner);
  if (name === "fp" && !closed.has(name)) details.open = true;
  // What takes long is unfolded again only where the rest of the same answer has come.
  if (opened.has(name) && (!["hangs", "case"].includes(name) || opened.get(name) === board.key + line)) details.open = true;
  return details;
}

function proof(found) {
  const points = found.proof ?? [];
  if (!points.length && !found.lacking?.length) return el("p.hint", "There is no proof to show.");
  return [el("ul.proof", points.map((each) => point(each, 0))),
    rows("Rules that could decide otherwise, and their first unmet condition", found.lacking, (each) => [each.norm && withNorm(each.norm), ` ${inWords(each.lacks)}`])];
}

function point(each, deep) {
  const names = hexesIn(each.claim), words = inWords(each.claim);
  if (!words) return null;
  const said = el("span.claim", { tabIndex: 0, onmouseenter: () => light(names), onmouseleave: () => light([]), onfocus: () => light(names), onblur: () => light([]) },
    words, " ", each.norm && each.tie !== "beaten" ? norm(each.norm) : null,
    each.again ? el("em", " (shown above)") : each.sense && each.norm && each.sense !== words ? el("span.sense", ` ${each.sense}`) : null);
  const head = [each.tie === "dominated_offer" ? el("em.tie", "lower: ") : null, said];
  const below = (each.because ?? []).map((one) => point(one, deep + 1)).filter(Boolean);
  if (!below.length) return el("li.leaf", head);
  return el("li", el("details", { open: deep < 2 }, el("summary", head), el("ul", below)));
}

const turns = (each) => [el("code.line", each.if ?? each.unless), each.if !== undefined ? " added: " : " removed: ", el("b", String(each.answer)),
  " ", el("button.plain", { onclick: async () => {
    complain(await change(each.if !== undefined ? { add: each.if } : { take: each.unless }));
  } }, "Apply")];

function hangs(found) {
  const none = !found.statements.length && !found.absences.length && !found.norms.length && !found.rulings.length;
  return [
    el("p.facts", `current answer: ${found.answer}`),
    none ? el("p", left(found) ? "Nothing has been found so far." : "None of the changes that were tried changes the answer.") : null,
    rows("If this were not on the board", found.statements, turns),
    rows("If this were on the board", found.absences, turns),
    rows("Without this rule", found.norms, (each) => [withNorm(each.norm), " → ", el("b", String(each.answer))]),
    rows("Without this ruling", found.rulings, (each) => [withNorm(each.norm), " → ", el("b", String(each.answer)), " ", rulingSwitch(each.norm)]),
    longer(found, () => {
      const details = box.querySelector("details[data-fold=hangs]");
      details.querySelector(".inner").dataset.of = "";
      details.open = false;
      setTimeout(() => { details.open = true; }, 50);
    }),
  ];
}

/** So many seconds a search may take; four times as many each time that it is asked to go on. */
const patience = () => Number(document.body.dataset.seconds ?? 15);
/** How many changes a search has not tried. */
const left = (found) => Object.values(found.not_tried ?? {}).reduce((sum, each) => sum + each, 0);
/** What a search has not tried, and a button that searches four times as long. */
const longer = (found, again) => left(found) ? el("p.hint", `Not tried within the time limit: ${Object.entries(found.not_tried).filter(([, count]) => count).map(([what, count]) => `${count} ${what}`).join(", ")} `,
  el("button.plain", { onclick: () => { document.body.dataset.seconds = Math.min(600, 4 * patience()); again(); } }, "Search longer")) : null;
/** A search: what it finds within a second is given early, if something is left to try. */
async function searched(name, data, signal, early) {
  const key = board.key, first = await call(name, { sheet: key, ...data, seconds: 1 }, signal);
  if (first.error || !left(first)) return first;
  early(first);
  return await call(name, { sheet: key, ...data, seconds: patience() }, signal);
}
let kinds = [];
export function setKinds(all) { kinds = all; }
const kindsOf = (scopes) => kinds.filter((each) => scopes.includes(each.scope)).map((each) => each.name);

const mended = (found) => el("ul.rows", found.repairs.map((each) => el("li", each.changes.map((one) => [el("code.line", `${one.if !== undefined ? "+ " : "− "}${one.if ?? one.unless}`), " "]), "→ ", el("b", each.answer), " ",
  el("button.plain", { onclick: async () => {
    complain(await change(...each.changes.map((one) => one.if !== undefined ? { add: one.if } : { take: one.unless })));
  } }, "Apply"))));

/** What is wanted of a question, and whether the fold is open: kept while the answer to the same question is drawn again. */
const wish = { line: "", wanted: "", allow: "play", open: false };
function mending(line) {
  if (wish.line !== line) Object.assign(wish, { line, wanted: "", open: false });
  const wanted = el("input", { name: "wanted", size: 12, placeholder: "clear", "aria-label": "The wanted answer", autocomplete: "off", value: wish.wanted, oninput: () => { wish.wanted = wanted.value; } });
  const allow = el("select", { name: "allow", onchange: () => { wish.allow = allow.value; } }, ["play", "scenario", "map"].map((each) => el("option", { value: each, selected: each === wish.allow }, { play: "what play changes", scenario: "the scenario too", map: "the map too" }[each])));
  const scopes = { play: ["play"], scenario: ["play", "scenario"], map: ["play", "scenario", "map"] };
  const inner = el("div.inner");
  let stopper = null;
  const go = async () => {
    const text = wanted.value.trim() || "clear";
    stopper?.abort();
    stopper = new AbortController();
    const mine = stopper;
    const early = awaiting(inner, mine);
    inner.scrollIntoView({ block: "nearest" });
    try {
      const found = await searched("mend", { line, wanted: text, allow: kindsOf(scopes[allow.value]) }, mine.signal, (first) =>
        early(first.repairs.length ? mended(first) : el("p", `Nothing has been found so far, of ${first.tried.lines} of ${first.tried.lines + first.not_tried.lines} lines.`)));
      fill(inner, found.error ? el("pre.error", found.error.message) : found.already ? el("p", "This is already the answer.") : found.repairs.length ? mended(found)
        : el("p", `No change of one line or two was found, of ${found.tried.lines} lines${found.tried.pairs ? ` and ${found.tried.pairs} pairs` : ""}.`),
        longer(found, go));
      inner.scrollIntoView({ block: "nearest" });
    } catch (error) { if (error.name !== "AbortError") fill(inner, el("pre.error", error.message)); }
  };
  wanted.addEventListener("keydown", (event) => { if (event.key === "Enter") go(); });
  const details = el("details.fold", { "data-fold": "mend", open: wish.open, ontoggle: () => { if (details.isConnected) wish.open = details.open; } }, el("summary", "What would change it?"),
    el("div.fields", el("label", el("span", "Wanted"), wanted), el("label", el("span", "By changes of"), allow), el("button", { onclick: go }, "Search")), inner);
  return details;
}

/** The least text that gives the same answer by the same paragraphs, to be copied, opened, or linked. */
function sharing(line) {
  return fold("case", "Copy this case", line, (_, signal) => call("share", { sheet: board.key, line, seconds: patience() }, signal), (found) => [
    el("pre.json.case", found.text),
    found.smallest ? null : el("p.hint", "Stopped early: some lines of this board may not be needed."),
    board.without.length ? el("p.hint", `This answer needs ${board.without.join(", ")} switched off.`) : null,
    el("p.fields", el("button.main", { onclick: async () => { await copy(found.text); notice("copied"); } }, "Copy"),
      el("button", { onclick: () => { events.dispatchEvent(new CustomEvent("case", { detail: { text: found.text, line } })); } }, "Open it")),
  ]);
}

export async function copy(text) {
  try { await navigator.clipboard.writeText(text); } catch {
    const field = document.body.appendChild(el("textarea"));
    field.value = text;
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Players' notes on what is cited, if the page was started with some. */
const notes = (record) => record.notes?.length ? el("details.fold", el("summary", `Players' notes (${record.notes.length})`), record.notes.map(note)) : null;

export function compared(found) {
  if (!found) return el("p.hint", "Nothing has been changed yet.");
  const differs = found.as_given;
  if (differs.refused) return el("p", `before there was no answer: ${differs.refused}`);
  if (!differs.differs.length && !differs.new.length && !differs.gone.length) return el("p", "The answer was the same before the last change.");
  return [
    differs.same_verdict ? el("p", `The verdict is the same: ${differs.same_verdict}.`) : differs.differs.length ? null : el("p", "The answer is the same, by other rules."),
    differs.differs.length ? el("table.grid.two", el("tr", el("th", ""), el("th", "before"), el("th", "now")),
      differs.differs.slice(0, 60).map((each) => el("tr", el("td", lit(hexesIn(each.of), each.of)), el("td", each.given ?? "–"), el("td", each.supposed ?? "–")))) : null,
    rows("New rules", differs.new, withNorm), rows("Rules that are no longer used", differs.gone, withNorm),
  ];
}

events.addEventListener("senses", () => { if (now.record && box.dataset.state === "whole") show(now.line, now.record, true); });
