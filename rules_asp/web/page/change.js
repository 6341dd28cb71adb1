// Changes of the board by forms: what can be put there, at the selected place; the counters and features there.

import { by, el, fill, notice } from "./dom.js";
import { arcsOf, board, change, complain, events, placeOf, sides } from "./board.js";
import { call } from "./net.js";
import { boardsForm } from "./boards.js";
import { about, carryIn, counter, map } from "./map.js";

let palette = [], kind = "units", picked = null, unit = null, still = null, there = {};
export function setPalette(all) { palette = all; draw(); }
const pane = by("pane-change");

const KINDS = () => ["boards", ...new Set(palette.map((each) => each.kind))];

async function make(...changes) {
  const problems = await change(...changes);
  const told = pane.querySelector(".problems");
  if (told) fill(told, problems.map((each) => el("p", each.text ?? each.message)));
  if (!problems.length) notice("");
  complain(problems.filter((each) => each.again));
  return !problems.length;
}

/** What a number in a form counts: the word before it, a level after a slash, else what the form is about. */
function counted(entry, at) {
  const before = entry.form.slice(0, entry.form.indexOf(`{${at}}`));
  return before.endsWith("/") ? "level" : before.match(/([a-z]+) $/)?.[1] ?? entry.input.replace(/^ssr_/, "");
}

function field(entry, at) {
  const { kind: kindOf, words } = entry.arguments[at];
  const name = (kindOf === "number" ? counted(entry, at) : kindOf).replace(/_/g, " ");
  if (words) return el("label", el("span", name), el("select", { "data-kind": kindOf }, words.map((word) => el("option", { value: word, selected: word === there[kindOf] }, word))));
  const given = picked && { location: picked.place, hex: picked.hex, spot: picked.hex }[kindOf];
  const usual = given ?? (kindOf === "unit" ? unit : kindOf === "side" ? sides()[0] : null) ?? "";
  if (kindOf === "side" && sides().length) return el("label", el("span", name), el("select", { "data-kind": kindOf }, sides().map((each) => el("option", { value: each }, each))));
  const near = picked && { hexside: () => beside(picked.hex).map((each) => `${picked.hex}-${each}`), corner: () => beside(picked.hex) }[kindOf]?.();
  return el("label", el("span", name), el("input", { "data-kind": kindOf, value: usual, size: 9, autocomplete: "off", list: near ? `of-${kindOf}` : null,
    placeholder: { hexside: "C3-D2", corner: "C2", number: "1" }[kindOf] ?? "" }), near ? el(`datalist#of-${kindOf}`, near.map((each) => el("option", { value: each }))) : null);
}

/** The hexes round a hex. */
function beside(name) {
  const hex = board.hexes.get(name);
  return hex ? [...board.hexes.values()].filter((each) => each !== hex && Math.hypot(each.x - hex.x, each.y - hex.y) < 600).map((each) => each.name) : [];
}

function formOf(entry) {
  const inputs = el("div.fields", entry.order.map((at) => field(entry, at)));
  const line = () => {
    const fields = [...inputs.querySelectorAll("input,select")], values = fields.map((each) => each.value.trim());
    const empty = fields.find((each) => !each.value.trim());
    if (empty) { notice(`${empty.dataset.kind.replace(/_/g, " ")} is not filled in`); empty.focus(); return null; }
    return entry.form.replace(/\{(\d)\}/g, (_, at) => values[entry.order.indexOf(Number(at))]);
  };
  // What lies in one place comes there by drag too.
  const spots = [...inputs.querySelectorAll("[data-kind=location],[data-kind=hex]")];
  const label = entry.input.replace(/^ssr_/, "").replace(/_/g, " ");
  const put = (floor) => {
    picked = floor;
    spots[0].value = spots[0].dataset.kind === "hex" ? floor.hex : floor.place;
    form.requestSubmit();
  };
  const form = el("form.put", { "data-input": entry.input, onsubmit: (event) => { event.preventDefault(); const text = line(); if (text) make({ add: text }); } },
    el("b", label), el("small", ` ${entry.sense}`), inputs, el("button", { type: "submit", title: spots.length === 1 ? "Press it, or drag it onto the map" : null,
      onpointerdown: (event) => { if (spots.length === 1) carryIn({ label, drop: put, whole: spots[0].dataset.kind === "hex" }, event); } }, spots.length === 1 ? "Place, or drag" : "Place"));
  return form;
}

function unitForm(entry) {
  const old = board.units.get(unit);
  const name = el("input", { name: "name", size: 5, value: old?.name ?? freeName(), "aria-label": "Name" });
  const type = el("select", { name: "type" }, entry.types.map((each) => el("option", { value: each, selected: each === (old?.type ?? "squad") }, each)));
  const strength = el("input", { name: "strength", size: 6, placeholder: "4-6-7", value: old?.line.match(/^unit \S+ \S+ (\d+(?:-\d+-\d+|[+-]\d))(?![\d-])/)?.[1] ?? "" });
  const side = el("input", { name: "side", size: 9, list: "sides", value: old?.side ?? sides()[0] ?? "german" });
  const place = picked?.place ?? old?.at ?? "", at = el("input", { name: "at", size: Math.max(8, place.length), value: place, placeholder: "click the map" });
  const traits = el("input", { name: "traits", size: 22, placeholder: "broken, PP 4", value: old?.line.split(/:\s*/)[1] ?? "" });
  const add = el("select", { "aria-label": "State", onchange: () => {
    if (add.value) traits.value = [traits.value.trim(), add.value].filter(Boolean).join(", ");
    add.value = "";
  } }, el("option", { value: "" }, "add a state…"), entry.states.map((each) => el("option", { value: each }, each)));
  const line = () => `unit ${name.value.trim()} ${type.value}${strength.value.trim() ? ` ${strength.value.trim()}` : ""}${side.value.trim() ? ` ${side.value.trim()}` : ""}${at.value.trim() ? ` at ${at.value.trim()}` : ""}${traits.value.trim() ? `: ${traits.value.trim()}` : ""}`;
  return el("form.put.unit-form", { onsubmit: async (event) => {
    event.preventDefault();
    if (await make({ add: line() })) { unit = name.value.trim(); draw(); }
  } },
  old?.hex ? [["vehicle", "VCA", "hull"], ["vehicle", "TCA", "turret"], ["gun", "VCA", "Gun"]].filter(([type, arc]) => type === old.type && (arc === "VCA" || /\bturreted\b/.test(old.line))).map(([, arc, part]) =>
    el("div.fields", { "data-turn": arc }, `Turn the ${part}`, [[-1, "↶", "left"], [1, "↷", "right"]].map(([by, sign, way]) =>
      el("button", { type: "button", title: `${arc} one vertex to the ${way}`, "aria-label": `Turn the ${part} to the ${way}`, onclick: () => make(() => ({ add: turned(asItIs(old), arc, by) })) }, sign)))) : null,
  el("div.fields", labelled("Name", name), labelled("Type", type), labelled("Strength", strength), labelled("Side", side), el("datalist#sides", sides().map((each) => el("option", { value: each }))),
    labelled("At", at), labelled("States and traits", traits), add),
  el("div.fields", el("button.main", { type: "submit" }, old ? "Change the unit" : "Place the unit"),
    old ? el("button", { type: "button", onclick: () => picked ? make({ move: old.name, to: picked.place }) : notice("click its new place on the map") }, `Move to ${picked?.place ?? "…"}`) : null,
    old ? el("button", { type: "button", onclick: async () => { if (await make({ take: `unit ${old.name} ${old.type}` })) unit = null; draw(); } }, "Remove") : null,
    old ? el("button", { type: "button", onclick: copyOf(old) }, "Copy the unit") : null,
    old ? el("button", { type: "button", onclick: () => { unit = null; draw(); } }, "New unit") : null));
}

/** The unit as the board has it now: an earlier change may have replaced it. */
const asItIs = (old) => board.units.get(old.name) ?? old;

/** What is said of a unit whose arc is turned by a vertex; one that has none yet gets one. */
function turned(old, arc, by) {
  const all = arcsOf(board.hexes.get(old.hex)), said = new RegExp(`\\b${arc} ([^\\s,]+)`), sorted = (each) => each.split("/").sort().join();
  const now = old.line.match(said)?.[1] ?? (arc === "TCA" ? old.line.match(/\bVCA ([^\s,]+)/)?.[1] : null);
  const at = all.findIndex((each) => now && sorted(each) === sorted(now));
  const next = all[at < 0 ? 0 : (at + by + all.length) % all.length];
  return said.test(old.line) ? old.line.replace(said, `${arc} ${next}`) : withTrait(old, `${arc} ${next}`);
}
// --- the tray: counters as they come in the box, which are dragged onto the map; weapons and states, onto a unit

const trays = new Map();
let sheet = "Squads", traySide = null;
async function fillTray(node, entry) {
  const side = traySide ?? sides()[0] ?? "german";
  if (!trays.has(side)) trays.set(side, call("tray", { side }).catch((error) => ({ error })));
  const found = await trays.get(side);
  if (found.error) { trays.delete(side); fill(node, el("p.problems", found.error.message)); return; }
  const traits = { "Support weapons": entry.weapons.map((each) => [each, `possesses ${each}`]), States: entry.states.map((each) => [each, each]) };
  const named = (name) => Object.assign(el("option", { value: name, selected: name === sheet }), { textContent: name });
  const part = traits[sheet]?.map(([label, trait]) => chip(label, { label, onto: (onto) => make(() => ({ add: withTrait(asItIs(onto), trait) })) }, () => {
    const onto = board.units.get(unit);
    if (onto) make(() => ({ add: withTrait(asItIs(onto), trait) })); else notice("drag it onto a unit, or choose a unit first");
  })) ?? found.counters.filter((each) => each.sheet === sheet).map((each) => {
    const drop = (floor) => { picked = floor; return place(each.says, side, floor); };
    return chip(each.says, { ...each, line: each.says, drop }, () => picked ? drop(picked) : notice("drag it onto the map, or click a place first"));
  });
  fill(node, el("div.fields", labelled("Counters", el("select", { name: "sheet", onchange: (event) => { sheet = event.target.value; fillTray(node, entry); } },
    [...new Set(found.counters.map((each) => each.sheet)), ...Object.keys(traits)].map(named))),
  labelled("Side", el("input", { name: "tray-side", size: 9, value: side, list: "sides", onchange: (event) => { traySide = event.target.value.trim() || null; fillTray(node, entry); } }))),
  el("div.chips", part));
}
/** A counter, a weapon or a state that can be carried, or pressed. */
const chip = (name, carried, press) => el("button.piece", { "data-piece": name, title: name, "aria-label": name, onpointerdown: (event) => carryIn(carried, event), onclick: press },
  carried.counter ? counter(carried) : name);
const withTrait = (onto, trait) => `${onto.line}${/^unit (?:"[^"]*"|[^":])*:/.test(onto.line) ? "," : ":"} ${trait}`;
/** Put a counter of the tray somewhere: its name is free on the position as it is then. */
async function place(says, side, floor) {
  const [kind, traits] = says.split(": ");
  let name = null;
  const problems = await change(() => {
    name = freeName();
    return { add: `unit ${name} ${kind} ${side} at ${floor.place}${traits ? `: ${traits}` : ""}` };
  });
  complain(problems.map((each) => each.again ? { ...each, again: () => place(says, side, floor) } : each));
  if (!problems.length) { unit = name; draw(); }
  return !problems.length;
}

/** A second unit like this, in the tray: it has no place until it is dragged onto the map. */
const copyOf = (old) => async () => {
  const name = freeName(), after = old.line.replace(/^unit (?:"[^"]*"|\S+)/, "").replace(/ at [^:]+?(?=:|$)/, "");
  if (await make({ add: `unit ${name}${after.replace(/(?::|,) *(?:VCA|TCA) [^,]+/g, (found) => found[0] === ":" ? ":" : "").replace(/:\s*,/, ":").replace(/:\s*$/, "")}` })) { unit = name; draw(); }
};
const trayBox = (entry) => { const node = el("div.tray-box"); fillTray(node, entry); return node; };
const labelled = (text, input) => el("label", el("span", text), input);

function freeName() {
  for (let at = 0; ; at++) {
    // Letters alone: with a number it could be a hex.
    const name = String.fromCharCode(65 + at % 26).repeat(1 + Math.floor(at / 26));
    if (!board.units.has(name)) return name;
  }
}

export function draw() {
  if (!palette.length || !board.layout) return;
  const of = palette.filter((each) => each.kind === kind);
  const said = board.layout.statements.filter((each) => of.some((one) => one.input === each.input || (one.input === "turn" && ["moving_side", "phase"].includes(each.input))));
  fill(pane,
    el("p.hint", picked ? `selected: ${picked.place}` : kind === "units" ? "Drag a counter onto the map, or click a place and choose what to place there." : "Click a place on the map, then choose what to place there."),
    el("label", el("span", "What"), el("select", { name: "kind", onchange: (event) => { kind = event.target.value; draw(); } },
      KINDS().map((each) => el("option", { value: each, selected: each === kind }, each)))),
    el("p.facts", { hidden: !still }, still ?? ""),
    el("div.problems", { role: "alert" }),
    kind === "boards" ? boardsForm() : kind === "units" ? [
      trayBox(of.find((each) => each.input === "unit")),
      unitForm(of.find((each) => each.input === "unit")),
      el("ul.rows", [...board.units.values()].map((each) => el("li", el("button.plain.tray", { "data-unit": each.name, title: "Drag it onto the map", onpointerdown: (event) => carryIn(each, event), onclick: () => { unit = each.name; draw(); } }, counter(each), each.line)))),
    ] : [
      of.filter((each) => each.input !== "unit").map(formOf),
      said.length ? el("section", el("h3", "On the board"), el("ul.rows", said.map((each) => el("li", el("code.line", each.line), " ",
        el("button.plain", { onclick: () => make({ take: each.line }), "aria-label": `Remove ${each.line}` }, "Remove"))))) : null,
    ]);
}

events.addEventListener("board", () => {
  if (unit && !board.units.has(unit)) unit = null;
  // On a map of several boards the hexes have other names.
  if (picked && !board.hexes.has(picked.hex)) picked = placeOf(unit) ?? null;
  draw();
});
events.addEventListener("opening", () => { picked = unit = still = null; there = {}; });
events.addEventListener("picked", async (event) => {
  picked = event.detail;
  draw();
  // Of what a building is made, so is its rubble.
  const told = pane.hidden ? null : await about(picked.hex);
  if (picked !== event.detail || !told?.values) return;
  there = told.values;
  for (const [what, value] of Object.entries(there)) {
    for (const each of pane.querySelectorAll(`select[data-kind="${what}"]`)) {
      if ([...each.options].some((one) => one.value === value)) each.value = value;
    }
  }
});
// What is asked under Ask stays, and so its answer is shown here too.
events.addEventListener("answered", (event) => {
  still = event.detail;
  const told = pane.querySelector("p.facts");
  if (told) { told.hidden = !still; told.textContent = still; }
});
events.addEventListener("unit", (event) => { kind = "units"; unit = event.detail.name; picked = placeOf(event.detail.name) ?? picked; draw(); });
map.onmove = async (moved, floor) => {
  kind = "units";
  unit = moved.name;
  picked = floor;
  const problems = await change({ move: moved.name, to: floor.place });
  complain(problems);
  draw();
  return !problems.length;
};
