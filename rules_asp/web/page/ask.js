// What is asked: the tools, their forms, and what the map is told when an answer comes.

import { by, el, fill, notice } from "./dom.js";
import { board, events, placeOf, sides } from "./board.js";
import * as chart from "./map.js";
import { map } from "./map.js";
import { ask as askFor, show as showAnswer, failed, waiting } from "./answer.js";
import { deedForm } from "./deeds.js";

const TOOLS = [
  ["los", "LOS", "Line of sight: press on a hex and draw to another, or click two Locations."],
  ["sees", "Seen", "All Locations that are seen from a Location, or by a unit."],
  ["fire", "Fire", "The DRM of a fire attack: press on the firer and draw to the target, or click both."],
  ["moves", "Reach", "Where units can go, with the MF and the path: click a stack and its level, or one unit."],
  ["turn", "Turn", "A Player Turn of a side, in layers: where its units can go, at whom they can fire, who can fire at them."],
  ["can", "Action", "Is an action legal: choose a unit and an action."],
  ["line", "Words", "Any question in words."],
];
const NEW = { from: null, to: null, active: "from", unit: null, line: null, firing: null, with: [], picked: null, phase: null };
/** The question under Ask; `kind` is that of the tool Words, empty for a question in words. */
export const asked = { tool: "los", kind: "", ...NEW };
const form = by("form");
/** The kinds of questions with their declared parameters, which are their forms. */
let questions = new Map();
export function setQuestions(all) { questions = new Map(all.map((each) => [each.kind, each])); }
const TAKES_WORDS = { kind: "", parameters: [] };
const question = () => questions.get(asked.tool === "line" ? asked.kind : asked.tool) ?? TAKES_WORDS;
/** The first Location of a question is one end of a line, the second the other. */
const endsOf = () => question().parameters.filter((each) => each.kind === "location").map((each, at) => [each.name, ["from", "to"][at]]);
const hasUnits = () => question().parameters.some((each) => ["unit", "units"].includes(each.kind));

// --- putting questions

let turn = 0, flying = null, next = null, control = null;

/** Put a question: in short first where that is sooner, then with all that it rests on. */
export async function put(line, short = ["los", "fire", "tem", "moves", "rout"].includes(line.split(" ")[0])) {
  const mine = ++turn, started = performance.now();
  next = null;  // whoever was dragging has let go
  asked.line = line;
  by("answer").dataset.state = "asking";
  control?.abort();
  const stopper = control = new AbortController();
  const patient = setTimeout(() => { if (mine === turn) waiting(line, () => { stopper.abort(); failed(line, "stopped"); }); }, 350);
  try {
    if (!["los", "fire"].includes(asked.tool)) chart.clear("tint", "marks");
    const parts = line.startsWith("moves ");
    // Where units can go comes in waves, the nearest Locations first.
    for (let cite = !short, waves = parts ? 2 : null; ; waves++) {
      const record = await askFor({ line, cite, ...(parts && !cite ? { waves } : {}) }, stopper.signal);
      if (mine !== turn) return null;
      clearTimeout(patient);
      if (record.error) { failed(line, record.error.message); drawAnswer(null); return null; }
      drawAnswer(record);
      showAnswer(line, record, cite);
      if (record.partial) by("answer").dataset.state = "part";
      by("answer").dataset.ms = Math.round(performance.now() - started);
      if (cite) return record;
      cite = !record.partial;
    }
  } catch (error) {
    if (mine === turn && error.name !== "AbortError") failed(line, error.message);
  } finally { clearTimeout(patient); }
  return null;
}

/** While an end is dragged: the answer in short, one question at a time, the latest next. */
async function follow() {
  if (flying) { next = true; return; }
  flying = true;
  do {
    next = null;
    const line = lineNow();
    if (!line) break;
    const mine = ++turn, started = performance.now();
    control?.abort();
    const record = await askFor({ line, cite: false }).catch(() => null);
    if (record && !record.error && mine === turn && !next) {
      asked.line = line;
      drawAnswer(record);
      showAnswer(line, record, false);
      by("answer").dataset.ms = Math.round(performance.now() - started);
    } else if (record?.error) failed(line, record.error.message);
  } while (next);
  flying = null;
}

// --- the answer on the map

export function drawAnswer(record) {
  chart.clear("tint", "marks", "light");
  const { from, to } = asked, ends = endsOf().length;
  if (ends === 2) {
    const clear = record?.clear ?? (record && record.verdict === "yes" ? true : null);
    const state = !record || record.command === "range" ? "asked" : clear === true ? "clear" : clear === false ? "blocked" : "unknown";
    chart.line(from, to, state, {
      blocks: record?.blockers?.map((each) => each.at) ?? [], hinders: record?.hindrances?.map((each) => each.at) ?? [],
    });
  } else chart.clear("line", "ends");
  if (!record) return;
  if (record.command === "sees") seen(record);
  if (["moves", "reach", "rout"].includes(record.command)) reached(record);
  if (record.command === "turn") turnLayer(record);
  if (record.command === "can" && record.way_there?.length) {
    chart.way([record.way_there[0].from, ...record.way_there.map((each) => each.to)]);
  }
}

function seen(record) {
  const hexes = new Map();
  for (const each of record.sights) {
    const hex = board.places.get(each.to)?.hex ?? each.to.split(/[/@]/)[0];
    if (!hexes.has(hex)) hexes.set(hex, []);
    hexes.get(hex).push(each);
  }
  chart.tint([...hexes].map(([hex, sights]) => {
    const clear = sights.filter((each) => each.clear === true), open = sights.some((each) => each.clear === null);
    const hindered = clear.length && clear.every((each) => each.hindrance);
    const kind = clear.length === sights.length ? (hindered ? "hindered" : "seen") : clear.length ? "partly" : open ? "open" : "hidden";
    const floors = clear.map((each) => each.to.split("/")[1] ?? "0");
    const text = kind === "partly" ? floors.join(" ") : hindered ? `+${Math.min(...clear.map((each) => each.hindrance))}` : "";
    // Of its own hex the eye hides nothing that is worth a shade.
    return { hex, kind: kind === "hidden" && hex === asked.from?.hex ? "partly" : kind, text };
  }));
  chart.line(placeOf(record.from) ?? asked.from, null, "clear");
}

function reached(record) {
  const least = new Map();
  for (const [kind, found] of [["sure", record.reach], ["perhaps", record.perhaps]]) {
    for (const each of found) {
      const hex = each.to.split(/[/@]/)[0], cost = each.mf ?? each.mp ?? each.at_least;
      const old = least.get(hex);
      if (!old || cost < old.cost) least.set(hex, { cost, kind });
    }
  }
  const most = Math.max(1, ...[...least.values()].map((each) => each.cost ?? 0));
  chart.tint([...least].map(([hex, { cost, kind }]) => ({
    hex, kind: kind === "perhaps" ? "open" : `reach r${Math.min(4, Math.floor(5 * (cost ?? 0) / (most + 0.01)))}`,
    text: cost === null ? "?" : fraction(cost) + (kind === "perhaps" ? "?" : ""),
  })));
}

/** A layer of a Player Turn, of all units or of one: places in reach by how many reach them, or the
 *  other units by the best DRM. */
function turnLayer(record) {
  const layer = form.querySelector("[name=layer]")?.value || "reach";
  const of = record.units.filter((each) => !record.units.some((one) => one.unit === asked.unit) || each.unit === asked.unit);
  const cells = new Map();
  const add = (hex, kind, number, better) => {
    const old = cells.get(hex);
    cells.set(hex, { hex, kind: old?.kind === "open" ? kind : old?.kind ?? kind, number: old === undefined ? number : better(old.number, number) });
  };
  for (const each of of) {
    if (layer === "reach") {
      for (const [kind, places] of [["reach r2", each.reach], ["open", each.perhaps]]) {
        for (const hex of new Set(places.map((place) => place.split(/[/@]/)[0]))) add(hex, kind, 1, (one, other) => one + other);
      }
      continue;
    }
    for (const other of each[layer]) {
      const hex = board.units.get(other.unit)?.hex;
      if (hex) add(hex, other.legal === null ? "open" : layer === "targets" ? "seen" : "hindered", other.best_drm, (one, two) => one === null || two === null ? null : Math.min(one, two));
    }
  }
  chart.tint([...cells.values()].map(({ hex, kind, number }) => ({ hex, kind,
    text: layer === "reach" ? (of.length > 1 ? `${number}` : "") : number === null ? "?" : `${number > 0 ? "+" : ""}${number}` })));
  chart.light(of.length === 1 ? [of[0].at.split(/[/@]/)[0]] : []);
}

export const fraction = (number) => {
  const whole = Math.floor(number), rest = { 0: "", 0.25: "¼", 0.5: "½", 0.75: "¾" }[number - whole] ?? "";
  return `${whole || !rest ? whole : ""}${rest}`;
};

// --- what is picked on the map

/** Whether the question may change: under Change a pick says where something is put, and the question stays. */
const changing = () => !by("pane-change").hidden;
const toAsk = () => events.dispatchEvent(new CustomEvent("asking"));

/** Choose the units of a Location that move together. */
function chooseStack(place) {
  const found = board.together.find((each) => each.at === place);
  if (!found) return false;
  [asked.unit, ...asked.with] = found.moving;
  return true;
}

map.onpick = (floor) => {
  const { tool } = asked;
  asked.picked = floor.place;
  if (changing()) { events.dispatchEvent(new CustomEvent("picked", { detail: floor })); return; }
  toAsk();
  const ends = endsOf();
  if (ends.length) {
    asked[ends.length > 1 ? asked.active : "from"] = floor;
    if (ends.length > 1) asked.active = "to";
    if (asked.from && asked.to && asked.from.place === asked.to.place) asked.to = null;
    drawAnswer(null);
    draw();
    ask();
  } else if (tool === "moves") {
    const record = by("answer").record;
    if ([...(record?.reach ?? []), ...(record?.perhaps ?? [])].some((each) => each.to === floor.place) || !chooseStack(floor.place)) showWay(floor.place);
    else { draw(); ask(); }
  }
  events.dispatchEvent(new CustomEvent("picked", { detail: floor }));
};

map.onunit = (unit) => {
  if (changing()) { events.dispatchEvent(new CustomEvent("unit", { detail: unit })); return; }
  asked.unit = unit.name;
  asked.firing = null;
  asked.with = [];
  const floor = placeOf(unit.name);
  if (endsOf().length && !hasUnits() && floor) map.onpick(floor);
  else {
    draw();
    if (hasUnits()) ask();
    if (asked.tool === "turn") drawAnswer(by("answer").record);
  }
  events.dispatchEvent(new CustomEvent("unit", { detail: unit }));
};

// --- who fires: of the units where a shot begins, those that were chosen, with the leader who directs them

/** Who could fire: the units where the shot begins, of the side that does not stand at its other end. */
function candidates() {
  const there = (end) => board.together.filter((each) => each.at === end?.place);
  const all = there(asked.from), against = new Set(there(asked.to).map((each) => each.side));
  return all.find((each) => [...each.firing, ...each.directing].includes(asked.unit)) ?? all.find((each) => !against.has(each.side)) ?? all[0]
    ?? { firing: [], directing: [] };
}
/** Who fires, and the leader: as chosen for this place, else all who are there, and of several leaders the best. */
function firing() {
  const all = candidates(), chosen = asked.firing?.at === asked.from?.place ? asked.firing : null;
  const units = all.firing.filter((each) => chosen ? chosen.units.includes(each) : !all.firing.includes(asked.unit) || each === asked.unit);
  return { at: asked.from?.place, units, leaders: all.directing.filter((each) => !chosen || chosen.leaders.includes(each)) };
}
function firingFields() {
  const { firing: others, directing: led } = candidates(), { units, leaders } = firing();
  if (!others.length && !led.length) return null;
  const choose = () => {
    const named = [...form.querySelectorAll("[name=firing]:checked")].map((each) => each.value), leader = form.querySelector("[name=directing]")?.value;
    asked.firing = { at: asked.from.place, units: named, leaders: leader === "*" ? led : leader ? [leader] : [] };
    ask();
  };
  return el("div.fields.firing", el("span", "Who fires"), others.map((each) => el("label.check", el("input", { type: "checkbox", name: "firing", value: each, checked: units.includes(each), onchange: choose }), ` ${each}`)),
    led.length ? el("label", el("span", "Directed by"), el("select", { name: "directing", onchange: choose },
      led.length > 1 ? el("option", { value: "*", selected: leaders.length > 1 }, "the best leader") : null,
      led.map((each) => el("option", { value: each, selected: leaders.length === 1 && leaders[0] === each }, leaderText(board.units.get(each)))),
      el("option", { value: "", selected: !leaders.length }, "nobody"))) : null);
}
/** A leader by name, with what is printed on the counter as far as the board states it: "L 9-2", "L −1". */
const leaderText = ({ name, line }) => [name, line.match(/ (\d+[+-]\d+)\b/)?.[1] ?? line.match(/\bleadership ([+-]?\d+)/)?.[1]].filter(Boolean).join(" ");
/** The firer of a shot as its line names it. */
function firer() {
  const { units, leaders } = firing(), names = units.length ? [...units, ...leaders] : [];
  return !names.length ? asked.from.place : names.length === 1 ? quoted(names[0]) : `"${names.join(" ")}"`;
}

/** The Location that is meant by a hex: where its units are if that is one place, else the ground. */
function usual(hex) {
  const at = new Set(chart.unitsIn(hex.name).map((unit) => unit.at));
  return (at.size === 1 ? placeOf([...at][0]) : null) ?? hex.floors.find((each) => each.floor === "0") ?? hex.floors[0];
}

map.grab = (hex, point) => changing() ? chart.unitAt(hex, point) : "line";
map.onbegin = (hex, point) => {
  toAsk();
  // A drag draws a line, whatever was asked before.
  if (endsOf().length < 2) choose("los", false);
  asked.firing = null;
  asked.unit = chart.unitOn(hex, point)?.name ?? null;
  // The level that was chosen for a line from here stays.
  const from = asked.from?.hex === hex.name ? asked.from : usual(hex);
  Object.assign(asked, { from: { ...from }, to: null, active: "to" });
};
map.onend = (end) => { if (!changing()) { asked.active = end; mark(); } };
map.ondrag = (end, hex) => {
  const old = asked[end];
  const floor = (old && hex.floors.find((each) => each.floor === old.floor)) ?? usual(hex);
  const other = asked[end === "from" ? "to" : "from"];
  if (!floor || floor.place === other?.place) return;
  asked[end] = { ...floor };
  chart.line(asked.from, asked.to, "asked");
  follow();
};
map.ondrop = () => { draw(); ask(); };

function showWay(place) {
  const record = by("answer").record;
  const found = record && [...(record.reach ?? []), ...(record.perhaps ?? [])].find((each) => each.to === place);
  if (!found) { notice(`${place} is not reached`); return; }
  if (found.path) chart.way([found.path[0]?.from ?? record.from, ...found.path.map((each) => each.to)]);
  by("answer").dispatchEvent(new CustomEvent("place", { detail: place }));
}

// --- the line of the question

export function lineNow() {
  const { tool } = asked, { kind, parameters } = question();
  if (tool === "can") return form.querySelector("#deeds")?.line?.() ?? null;
  if (!kind) return value("words").trim() || null;
  // Each unit routs by itself.
  if (tool === "moves" && value("phase") === "rtph") return board.units.has(asked.unit) ? `rout ${quoted(asked.unit)}` : null;
  const said = parameters.map(worded);
  return said.includes(null) ? null : [kind, ...said.filter(Boolean)].join(" ");
}
const value = (name) => form.querySelector(`[name=${name}]`)?.value ?? "";

/** A parameter as its part of the line; null if it is required and missing. */
function worded({ name, kind, required, option, words, ...of }) {
  if (kind === "location") return asked[endOf(name)] && (name === "firer" ? firer() : asked[endOf(name)].place);
  if (kind === "unit" || kind === "units") {
    return board.units.has(asked.unit) ? [asked.unit, ...(kind === "units" ? asked.with : [])].map(quoted).join(" ") : null;
  }
  if (kind === "flag") return form.querySelector(`[name=${name}]`)?.checked ? option : "";
  const said = value(name).trim();
  if (kind === "sentence") return said || null;
  if (required) return said ? quoted(said) : null;
  if (!said || said === String(of.default)) return "";
  return words.find((each) => each.word === said)?.option ?? `${option} ${quoted(said)}`;
}
const endOf = (name) => Object.fromEntries(endsOf())[name];
export const quoted = (name) => /^[\w.-]+$/.test(name) ? name : `"${name}"`;

export function ask() {
  const line = lineNow();
  // While the text has mistakes, the map is that of the last version, and so is the answer.
  if (line && board.key) return put(line);
  if (!line && asked.tool !== "line") nothing();
  return null;
}

/** No question, and no answer to one that is still under way. */
function nothing() {
  turn++;
  next = null;
  control?.abort();
  asked.line = null;
  events.dispatchEvent(new CustomEvent("answered", { detail: null }));
  fill(by("answer"), el("p.hint", TOOLS.find(([tool]) => tool === asked.tool)[2]));
  Object.assign(by("answer").dataset, { state: "none", line: "" });
  by("answer").record = null;
}

// --- the forms

export function choose(tool, again = true) {
  asked.tool = tool;
  if (tool === "moves" && !asked.unit && asked.picked) chooseStack(asked.picked);
  asked.active = endsOf().length < 2 || !asked.from ? "from" : "to";
  for (const each of by("tools").children) {
    const on = each.dataset.tool === tool;
    each.setAttribute("aria-checked", on);
    each.tabIndex = on ? 0 : -1;
  }
  chart.clear("tint", "marks", "light", "line", "ends");
  draw();
  if (again) ask();
}

function end(name, label) {
  const floor = asked[name];
  const input = el("input", { name, value: floor?.place ?? "", placeholder: "click the map", autocomplete: "off", spellcheck: "false",
    "aria-label": label, onfocus: () => { asked.active = name; mark(); },
    onchange: () => {
      const text = input.value.trim(), found = placeOf(text);
      if (text && !found) { notice(`there is no Location ${text} on this board`); return; }
      asked[name] = found || null;
      drawAnswer(null);
      if (found) chart.show(found.hex);
      ask();
    } });
  return el("label.end-field", { "data-end-field": name }, el("span", label), input);
}
const mark = () => form.querySelectorAll("[data-end-field]").forEach((each) =>
  each.classList.toggle("active", each.dataset.endField === asked.active));

const select = (name, label, options, chosen = "", change = ask, title = "") => el("label", { title }, el("span", label),
  el("select", { name, onchange: change }, options.map(([each, text]) => el("option", { value: each, selected: each === chosen }, text))));

/** The field of a declared parameter; `kept` are the values of the form before. */
function field(of, kept) {
  const { name, label, help } = of, old = kept[name] ?? of.default ?? "", none = of.default === null && !of.required ? [["", of.none || "any"]] : [];
  switch (of.kind) {
    case "location": return end(endOf(name), label);
    case "unit": case "units": return unitField();
    case "word": return select(name, label, [...none, ...of.words.map((each) => [each.word, each.says])], old,
      name === "phase" && asked.tool === "moves" ? (event) => { asked.phase = event.target.value; ask(); } : ask, help);
    case "side": return select(name, label, [...none, ...sides().map((each) => [each, each])], old || (none.length ? "" : sides()[0]), ask, help);
    case "flag": return el("label.check", { title: help }, el("input", { type: "checkbox", name, checked: kept[name] === true, onchange: ask }), ` ${label}`);
    case "count": return el("label", { title: help }, el("span", label), el("input", { type: "number", name, value: old, min: of.least, max: of.most, onchange: ask }));
    default: return el("label", { title: help }, el("span", label), el("input", { name, value: old, autocomplete: "off", spellcheck: "false", onchange: ask }));
  }
}

/** The units that move together with the chosen one, to tick. */
function companions() {
  const unit = board.units.get(asked.unit);
  const others = unit ? [...board.units.values()].filter((each) => each.at === unit.at && each !== unit && each.side === unit.side) : [];
  return others.length ? el("div.with", "together with ", others.map((each) =>
    el("label", el("input", { type: "checkbox", name: "with", value: each.name, checked: asked.with.includes(each.name), onchange: () => {
      asked.with = [...form.querySelectorAll("[name=with]:checked")].map((one) => one.value);
      ask();
    } }), each.name))) : null;
}

const unitField = () => el("label", el("span", "Unit"), el("select", { name: "unit", onchange: (event) => {
  asked.unit = event.target.value || null; asked.with = []; draw(); ask(); } },
  el("option", { value: "" }, board.units.size ? "choose a unit" : "there is no unit on the board"),
  [...board.units.values()].map((unit) => el("option", { value: unit.name, selected: unit.name === asked.unit },
    `${unit.name}: ${[unit.side, unit.type].filter(Boolean).join(" ")}${unit.at ? ` at ${unit.at}` : ""}`))));

export function draw() {
  if (!board.layout) {
    if (board.problems.length) { fill(form, el("p.hint", "There is no map: correct the board on the tab Text, or open another one.")); nothing(); }
    return;
  }
  const { tool } = asked, { kind, parameters } = question(), ends = endsOf().length;
  const kept = form.dataset.question !== `${tool} ${kind}` ? {} : Object.fromEntries([...form.querySelectorAll("select,input")].map((each) => [each.name, each.type === "checkbox" ? each.checked : each.value]));
  form.dataset.question = `${tool} ${kind}`;
  if (tool === "can") { fill(form, el("div.fields", unitField()), deedForm(asked, ask)); return; }
  // A broken unit routs, unless one chooses another phase.
  if (tool === "moves") kept.phase = asked.phase ?? (/:.*\bbroken\b/.test(board.units.get(asked.unit)?.line) ? "rtph" : "mph");
  const again = () => drawAnswer(by("answer").record);
  fill(form,
    tool === "line" && el("div.fields", select("question", "Question", [["", "in words"], ...[...questions.keys()].filter((each) => !TOOLS.some(([one]) => one === each)).map((each) => [each, each])],
      asked.kind, (event) => { asked.kind = event.target.value; asked.active = "from"; drawAnswer(null); draw(); ask(); })),
    kind && tool === "line" && el("p.hint", question().says),
    el("div.fields", parameters.map((each) => field(each, kept)),
      ends === 2 && el("button", { onclick: () => { [asked.from, asked.to] = [asked.to, asked.from]; draw(); drawAnswer(null); ask(); }, title: "Swap the ends" }, "⇄"),
      ends === 2 && el("button", { onclick: () => { asked.from = asked.to = null; asked.active = "from"; choose(tool); } }, "New line"),
      tool === "turn" && select("layer", "Layer", [["reach", "can go"], ["targets", "can fire at"], ["firers", "can be fired at by"]], kept.layer, again),
      tool === "turn" && el("button", { onclick: () => { asked.unit = null; again(); } }, "All units"),
      !kind && el("input", { name: "words", value: kept.words ?? "", autocomplete: "off", spellcheck: "false", "aria-label": "The question",
        placeholder: "ask height(C3) = V", onkeydown: (event) => { if (event.key === "Enter") ask(); } }),
      tool === "line" && el("button.main", { onclick: ask }, "Ask")),
    parameters.some((each) => each.name === "firer") && firingFields(),
    parameters.some((each) => each.kind === "units") && companions(),
    tool === "turn" && el("p.hint", "Click a unit to see its layers alone."),
    !kind && el("p.hint", "As on the command line, without the board: ", el("code", "ask rowhouse(H)"), ", ", el("code", "tem C3 D2/1"), ", ",
      el("code", "roll a Bog Check of T in C3"), ", ", el("code", "why height(C3) = V"), "."));
  if (ends) mark();
  if (!kind) form.querySelector("[name=words]").focus({ preventScroll: true });
}

fill(by("tools"), TOOLS.map(([tool, name, sense]) => el("button", {
  role: "radio", "aria-checked": tool === asked.tool, "data-tool": tool, title: sense, tabIndex: tool === asked.tool ? 0 : -1,
  onclick: () => choose(tool),
}, name)));
by("tools").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const all = [...by("tools").children], now = all.indexOf(document.activeElement);
  const other = all[(now + step + all.length) % all.length];
  other.focus();
  choose(other.dataset.tool);
});

events.addEventListener("opening", () => {
  Object.assign(asked, NEW);
  fill(form);
  nothing();
});
events.addEventListener("board", (event) => {
  for (const name of ["from", "to"]) asked[name] = asked[name] && placeOf(asked[name].place);
  if (asked.unit && !board.units.has(asked.unit)) asked.unit = null;
  asked.with = asked.with.filter((each) => board.units.get(each)?.at === board.units.get(asked.unit)?.at);
  const line = asked.line;
  draw();
  if (asked.tool === "line" || asked.tool === "can") { if (line && event.detail !== "open") put(line); }
  else { drawAnswer(null); ask(); }
});
