// The board that the page has: its text is what counts; all else is made of it.

import { call, onGone } from "./net.js";
import { notice } from "./dom.js";

export const board = {
  name: "", text: "", files: {}, without: [], key: null, layout: null, problems: [], lacking: [],
  // The sheet of which the map shows a picture, and the notes in it: what differs is drawn over it.
  pictured: null,
  hexes: new Map(), places: new Map(), units: new Map(), centres: new Map(),
};
/** From the centre dot of a hex: its six corners, and the centre dots of the hexes round it. */
export const CORNERS = [[150, -258], [300, 0], [150, 258], [-150, 258], [-300, 0], [-150, -258]];
const ROUND = [[0, -516], [450, -258], [450, 258], [0, 516], [-450, 258], [-450, -258]];
export const events = new EventTarget();
const undone = [], done = [];
export const history = { get undo() { return done.length; }, get redo() { return undone.length; } };

const told = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

function state() {
  return { name: board.name, text: board.text, files: board.files, without: board.without, key: board.key };
}

let latest = 0;
/** Hand the text over; the map follows if it can be read, else the mistakes are told. */
async function handOver(why) {
  const turn = ++latest;
  told("busy", true);
  let answer;
  try {
    answer = await call("sheet", {
      name: board.name, text: board.text, files: board.files, without: board.without,
      ...(board.pictured ? { over: board.pictured.key, notes: board.pictured.notes } : {}),
    });
  } catch (error) {
    notice(`no answer from the server: ${error.message}`, true);
    return false;
  } finally {
    if (turn === latest) told("busy", false);
  }
  if (turn !== latest) return false;
  if (answer.error) { notice(answer.error.message); return false; }
  board.lacking = answer.lacking ?? [];
  board.problems = answer.lacking
    ? answer.lacking.map((name) => ({ line: 0, column: 0, message: `hand over ${name}`, file: name }))
    : answer.problems;
  if (board.problems.length) { told("problems", why); return false; }
  board.key = answer.sheet;
  board.layout = answer;
  board.hexes = new Map(answer.hexes.map(([name, x, y, level, floors]) => [name, {
    name, x, y, level, floors: floors.map(([place, floor, at]) => ({ place, floor, level: at, hex: name })),
  }]));
  board.places = new Map();
  board.centres = new Map();
  for (const hex of board.hexes.values()) {
    board.centres.set(`${hex.x},${hex.y}`, hex);
    for (const floor of hex.floors) board.places.set(floor.place, floor);
  }
  board.units = new Map(answer.units.map((unit) => [unit.name, unit]));
  told("board", why);
  return true;
}

onGone(() => call("sheet", {
  name: board.name, text: board.text, files: board.files, without: board.without,
}));

/** The vertices of a hex as Locations: named by the two other hexes that meet there, at the edge by number. */
export function verticesOf(hex) {
  return CORNERS.map(([dx, dy], at) => {
    const round = [at, (at + 1) % 6].map((way) => board.centres.get(`${hex.x + ROUND[way][0]},${hex.y + ROUND[way][1]}`)?.name);
    const name = round.every(Boolean) ? round.join("-") : String(at);
    return { place: `${hex.name}@${name}`, vertex: name, number: String(at), floor: "0", level: null, hex: hex.name, x: hex.x + dx, y: hex.y + dy };
  });
}

/** A Location by its name or by a unit in it: of a hex, C3/1, or of a vertex, C3@C2-D2; null for none. */
export function placeOf(text) {
  const name = String(text ?? "").trim();
  const unit = board.units.get(name), known = board.places.get(unit?.at ?? name) ?? board.places.get(name.toUpperCase());
  if (known) return known;
  const [, of, vertex, floor = "0"] = (unit?.at ?? name).match(/^([^@/]+)@([^/]+)(?:\/(.+))?$/) ?? [];
  const hex = board.hexes.get(of);
  if (!hex) return null;
  const wanted = vertex.split("-").sort().join();
  const found = verticesOf(hex).find((each) => each.number === vertex || each.vertex.split("-").sort().join() === wanted);
  return found || unit ? { ...found ?? { hex: of }, place: unit?.at ?? name, floor } : null;
}

/** The files that a text uses, by name. */
export const uses = (text) => [...text.matchAll(/^\s*(?:use|overlay)\s+"([^"]+)"/gm)].map((each) => each[1]);

/** The files that the board uses and that nobody has handed over. */
export const lacking = () => [...new Set([...board.lacking, ...uses(board.text).filter((name) => !(name in board.files)),
  ...board.problems.flatMap((each) => each.message.match(/^(.+) was not given$/)?.slice(1) ?? [])])];

/** Begin with another board. */
export async function open(start) {
  done.length = undone.length = 0;
  Object.assign(board, { name: start.name, text: start.text, files: start.files ?? {},
    without: start.without ?? [], key: null, layout: null, pictured: null,
    hexes: new Map(), places: new Map(), units: new Map(), problems: [], lacking: [] });
  told("opening");
  return await handOver("open");
}

/** Give the board another text, as a step that can be undone; steps of one go, as typing, are one. */
let typed = 0;
export async function setText(text, going = false, why = "change") {
  if (text === board.text) return true;
  const now = performance.now();
  if (!(going && now - typed < 4000 && done.length)) done.push(state());
  typed = going ? now : 0;
  undone.length = 0;
  board.text = text;
  told("text", why);
  return await handOver(why);
}

/** Give the board another text that uses other files, as one step. */
export async function withFiles(text, files, name = board.name) {
  done.push(state());
  undone.length = 0;
  Object.assign(board, { name, text, files });
  told("text", "change");
  return await handOver("change");
}

/** Change the board by lines: {add}, {take}, {move, to}. The problems, if it cannot be. */
export async function change(...changes) {
  if (!board.key) return [{ message: "the board cannot be read as it stands" }];
  const answer = await call("change", { sheet: board.key, changes });
  if (answer.error) return [{ message: answer.error.message }];
  if (answer.problems.length) return answer.problems;
  await setText(answer.text, false, "change");
  return [];
}

export async function switchRuling(ruling, on) {
  done.push(state());
  undone.length = 0;
  const others = board.without.filter((each) => each !== ruling);
  board.without = on ? others : [...others, ruling].sort();
  return await handOver("ruling");
}

async function go(from, to) {
  if (!from.length) return;
  to?.push(state());
  Object.assign(board, from.pop());
  typed = 0;
  told("text", "undo");
  await handOver("undo");
}
/** One step back; with `kept` false it cannot be done again. */
export const undo = (kept = true) => go(done, kept ? undone : null);
export const redo = () => go(undone, done);

/** The board as it was before the last change, if it could be read. */
export function before() {
  for (let at = done.length - 1; at >= 0; at--) {
    if (done[at].key && done[at].key !== board.key) return done[at].key;
  }
  return null;
}

/** The hexes that a text names: "C3", "C3-D2", "C3/1", also in a whole sentence. */
export function hexesIn(text) {
  const found = new Set();
  for (const [word] of String(text).matchAll(/[0-9]*[a-z]?([A-Z])\1?[0-9]{1,3}/g)) {
    if (board.hexes.has(word)) found.add(word);
    else {
      // In a hexside of a map of boards only the first hex bears the board's name.
      for (const other of found) {
        const label = other.match(/^[0-9]+[a-z]?/)?.[0];
        if (label && board.hexes.has(label + word)) { found.add(label + word); break; }
      }
    }
  }
  return [...found];
}
