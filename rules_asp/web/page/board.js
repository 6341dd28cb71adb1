// The board that the page has. It is the head of a tree of versions, which the server keeps: every change is sent there,
// and what comes of it is shown. Pages that share a position hear of each other's changes.

import { call, onGone, watch } from "./net.js";
import { notice } from "./dom.js";

export const board = {
  name: "", text: "", files: {}, without: [], key: null, layout: null, problems: [], lacking: [],
  // The sheet of which the map shows a picture, and the notes in it: what differs is drawn over it.
  pictured: null,
  hexes: new Map(), places: new Map(), units: new Map(), centres: new Map(),
  // Of each Location and side, the units that move and fire together and the leaders who direct, unless one chooses.
  together: [],
  // The tree of versions: [number, parent, change, name, sheet] by number, and the version that is shown.
  tree: null, serial: 0, head: null, redo: null, versions: new Map(), pages: 0,
  // A text that is typed and not yet taken in, the version that it was made from, and its text if it was another.
  draft: null, viewOnly: false,
};
/** From the centre dot of a hex: its six corners, and the centre dots of the hexes round it. */
export const CORNERS = [[150, -258], [300, 0], [150, 258], [-150, 258], [-300, 0], [-150, -258]];
const ROUND = [[0, -516], [450, -258], [450, 258], [0, 516], [-450, 258], [-450, -258]];
export const events = new EventTarget();
const parent = () => board.versions.get(board.head)?.[1] ?? null;
export const history = { get undo() { return board.draft !== null || parent() !== null; }, get redo() { return board.redo !== null && !board.draft; } };
/** The text as it stands in the editor. */
export const textNow = () => board.draft?.text ?? board.text;

const told = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));

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
  const wrong = answer.lacking
    ? answer.lacking.map((name) => ({ line: 0, column: 0, message: `add the file ${name}`, file: name }))
    : answer.problems;
  if (!board.draft) board.problems = wrong;
  if (wrong.length) { told("problems", why); return false; }
  board.key = answer.sheet;
  board.layout = answer;
  board.hexes = new Map(answer.hexes.map(([name, x, y, level, floors, vertices = []]) => [name, {
    name, x, y, level, vertices, floors: floors.map(([place, floor, at]) => ({ place, floor, level: at, hex: name })),
  }]));
  board.places = new Map();
  board.centres = new Map();
  for (const hex of board.hexes.values()) {
    board.centres.set(`${hex.x},${hex.y}`, hex);
    for (const floor of hex.floors) board.places.set(floor.place, floor);
  }
  board.units = new Map(answer.units.map((unit) => [unit.name, unit]));
  board.together = answer.together;
  told("board", why);
  return true;
}

onGone(() => call("sheet", {
  name: board.name, text: board.text, files: board.files, without: board.without,
}));

/** The vertices of a hex as Locations: named by the two other hexes that meet there. */
export function verticesOf(hex) {
  return CORNERS.map(([dx, dy], at) => {
    const round = [at, (at + 1) % 6].map((way) => board.centres.get(`${hex.x + ROUND[way][0]},${hex.y + ROUND[way][1]}`)?.name);
    const name = hex.vertices[at] ?? round.join("-");
    return { place: `${hex.name}@${name}`, vertex: name, number: String(at), floor: "0", level: null, hex: hex.name, x: hex.x + dx, y: hex.y + dy };
  });
}

/** The vertices of a hex as a vehicle is turned to them: each by the two hexes beyond it, clockwise; none at the edge. */
export const arcsOf = (hex) => verticesOf(hex).filter((each) => each.vertex !== each.number).map((each) => each.vertex.replace("-", "/"));

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

/** The files that the board uses and that are not open here. */
export const lacking = () => [...new Set([...board.lacking, ...uses(textNow()).filter((name) => !(name in board.files)),
  ...board.problems.flatMap((each) => each.message.match(/the file (.+), which was not provided/)?.slice(1) ?? [])])];

/** Begin with another board; whether the server takes it. Else the page keeps the board that it has. */
export async function open(start) {
  const { name, text, files = {}, without = [] } = start;
  const answer = await call("begin", { name, text, files, without });
  if (answer.error) { notice(answer.error.message); return false; }
  if (answer.lacking) { notice(`${name} needs ${answer.lacking.join(", ")} with the same content: open that file first`, true); return false; }
  await take(answer.position, "open");
  return true;
}

/** Go on with what this page had before it was loaded again: its versions if the server still has them, else its text. */
export async function resume(kept) {
  const answer = await call("resume", { of: kept.tab });
  if (!answer.position) return await open(kept);
  await take(answer.position, "open");
  if (kept.text !== board.text) {
    const sent = setText(kept.text);
    told("text", "typed");
    await sent;
  }
  return true;
}

/** Show the position as the server has it; a text that is typed stays. */
export async function take(position, why) {
  const same = position.tree === board.tree;
  if (same && position.serial <= board.serial) return !board.problems.length;
  const root = same && rootOf(board.head), moved = !same || position.head !== board.head;
  Object.assign(board, { tree: position.tree, serial: position.serial, head: position.head, redo: position.redo, pages: position.pages,
    versions: new Map(position.versions.map((each) => [each[0], each])) });
  told("versions");
  if (!moved) return true;
  const { name, text, files, without } = position;
  const other = why === "open" || !same || rootOf(board.head) !== root;
  Object.assign(board, { name, text, files, without, ...(other ? { key: null, layout: null, pictured: null, draft: null,
    hexes: new Map(), places: new Map(), units: new Map(), together: [], problems: [], lacking: [] } : {}) });
  told(other ? "opening" : "text", why);
  return await handOver(other ? "open" : why);
}
function rootOf(number) {
  for (let at = number; ;) {
    const above = board.versions.get(at)?.[1];
    if (above === null || above === undefined) return at;
    at = above;
  }
}

/** Send an edit, or what is made of the position when its turn comes (null: nothing), and show what comes of it.
 * The problems, if it does not fit; the last has how to try it again. */
let sending = Promise.resolve();
function edit(given, again, why = "change") {
  return inTurn(async () => {
    let answer, what;
    try {
      what = typeof given === "function" ? await given() : given;
      if (!what) return [];
      answer = await call("edit", { base: board.head, ...what });
      if (answer.gone && !board.shared) {
        // The server has forgotten the versions: the board as it is begins a new tree.
        const { name, text, files, without } = board;
        const begun = await call("begin", { name, text, files, without });
        if (begun.position) {
          board.tree = begun.position.tree;
          board.head = begun.position.head;
        }
        answer = begun.position ? await call("edit", { ...what, base: board.head }) : begun;
      }
    } catch (error) {
      return [{ line: 0, message: `no answer from the server: ${error.message}`, again }];
    }
    if (answer.error) return [{ line: 0, message: answer.error.message }];
    if (answer.lacking) return answer.lacking.map((name) => ({ line: 0, column: 0, message: `add the file ${name}`, file: name }));
    if (answer.problems.length) return answer.problems.map((each) => answer.clash ? { ...each, line: 0, again } : each);
    what.taken?.();
    await take(answer.position, why);
    return [];
  });
}
/** Do what alters the position after what does so already. */
function inTurn(work) {
  const mine = sending.then(work);
  sending = mine.catch(() => null);
  return mine;
}

/** Say why a change did not come about; what could be done on the position as it is now is offered again. */
export function complain(problems) {
  if (!problems.length) return;
  const again = problems.find((each) => each.again)?.again;
  notice(problems.map((each) => each.message).join("; "), !!again, again);
}

/** Give the board another text; one with mistakes stays a draft. While one is under way, the newest goes next. */
let typed = { at: 0, head: null }, typing = false;
export async function setText(text) {
  board.draft = { base: board.head, was: null, ...board.draft, text };
  if (typing) return;
  typing = true;
  try {
    for (let sent = null; board.draft && board.draft.text !== sent;) {
      const { base, was } = board.draft, now = performance.now();
      sent = board.draft.text;
      const going = typed.head === board.head && now - typed.at < 4000;
      const taken = () => {
        // What was typed meanwhile was made from the text that was sent.
        const further = board.draft && board.draft.text !== sent;
        board.draft = further ? { base, was: sent, text: board.draft.text } : null;
      };
      const problems = await edit({ base, was, text: sent, going, taken }, () => putAgain());
      if (!problems.length) typed = { at: now, head: board.head };
      else if (board.draft?.text === sent) {
        board.problems = problems;
        told("problems", "typed");
      }
    }
  } finally { typing = false; }
}
/** Put the typed text in the place of what has been changed meanwhile. */
export function putAgain() {
  if (!board.draft) return;
  const { text } = board.draft;
  board.draft = null;
  setText(text);
}
/** Forget the typed text. */
async function drop() {
  typed.head = null;
  board.draft = null;
  board.problems = [];
  told("text", "undo");
  await handOver("undo");
}

/** Give the board another text that perhaps uses other files, as one step: made of the text as it is by then. */
export const withFiles = (made) => edit(made, async () => complain(await withFiles(made)));

/** Add texts that the board uses. */
export async function lend(digests) {
  const files = { ...board.files, ...digests };
  if (!board.draft) return await open({ ...board, files });
  const taken = () => { board.draft = null; };
  complain(await edit({ base: board.draft.base, text: board.draft.text, files, taken }, () => lend(digests)));
  return true;
}

/** Change the board by lines: {add}, {take}, {move, to}. The problems, if it cannot be. */
export async function change(...changes) {
  if (!board.key) return [{ message: "the board cannot be read as it stands" }];
  // What is made of the position as it is, such as a turned unit, is made when its turn comes.
  const made = () => ({ changes: changes.map((each) => typeof each === "function" ? each() : each) });
  return await edit(made, async () => complain(await change(...changes)));
}

/** Switch a ruling on or off; the problems, as of a change. */
export async function switchRuling(ruling, on) {
  const others = board.without.filter((each) => each !== ruling);
  return await edit({ without: on ? others : [...others, ruling].sort() }, async () => complain(await switchRuling(ruling, on)), "ruling");
}

/** Show another version; `to` finds it when its turn comes. */
const step = (to) => inTurn(async () => {
  if (to() === null) return;
  const answer = await call("go", { head: board.head, to: to() });
  if (answer.error) notice(answer.error.message); else await take(answer.position, "undo");
});
export const go = (to) => step(() => to);
export const undo = () => board.draft ? inTurn(drop) : step(parent);
export const redo = () => board.draft ? null : step(() => board.redo);
export async function rename(version, name) {
  const answer = await call("rename", { version, name });
  if (answer.error) notice(answer.error.message); else await take(answer.position, "rename");
}

/** The sheet of the version before this one. */
export const before = () => board.versions.get(parent())?.[4] ?? null;

/** Show the position that others share, and hear of their changes. */
export async function share(position) {
  board.shared = true;
  const shown = take(position, "open");
  watch(() => board.serial, async (now) => {
    // What this page sends it hears of in the answer.
    await sending;
    const head = board.head, fresh = now.tree !== board.tree || now.serial > board.serial;
    await take(now, "news");
    if (fresh && board.head !== head) notice(`another player: ${board.versions.get(board.head)?.[2] ?? ""}`);
  }, (lost) => told("lost", lost));
  return await shown;
}

/** The name of the board before that of a hex: "21" of 21C3, nothing of C3. */
export const boardOf = (hex) => hex.replace(/([A-Z])\1?\d{1,3}$/, "");

/** The hexes that a text names: "C3", "C3-D2", "C3/1", also in a whole sentence. */
export function hexesIn(text) {
  const found = new Set();
  for (const [word] of String(text).matchAll(/[A-Z]*[0-9]*[a-z]*([A-Z])\1?[0-9]{1,3}/g)) {
    // In a hexside of a map of boards only the first hex bears the board's name.
    const named = [word, ...[...found].map((other) => boardOf(other) + word)].find((each) => board.hexes.has(each));
    if (named) found.add(named);
  }
  return [...found];
}

/** The sides that the board states, and those of its units. */
export const sides = () => {
  const said = (board.layout?.statements ?? []).filter((each) => each.input === "side").flatMap((each) => each.line.replace(/^sides\s+/, "").split(/\s+/));
  return [...new Set([...said, ...[...board.units.values()].map((each) => each.side).filter(Boolean)])];
};
