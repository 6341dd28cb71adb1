// The boards of a map by buttons: added, put beside another, turned, cropped, taken off. Each is a `use` line of the text.

import { by, el, notice } from "./dom.js";
import { call, glimpse, hand } from "./net.js";
import { board, complain, events, withFiles } from "./board.js";
import { foresee, showAll, unforesee } from "./map.js";

const SIDES = ["right of", "left of", "above", "below"];
const CROPS = ["whole", "left half", "right half", "upper half", "lower half"];
const LINE = /^\s*use\s+"([^"]+)"([^#\n]*)/;

/** The `use` lines of the text: file, how it is laid, and in which line. */
export function boardsUsed(text = board.text) {
  return text.split("\n").flatMap((line, at) => {
    const [, file, lay] = line.match(LINE) ?? [];
    if (!file) return [];
    const [, side, of] = lay.match(/\b(right of|left of|above|below) (\S+)/) ?? [];
    return [{ at, file, turned: /\bturned\b/.test(lay), as: lay.match(/\bas (\S+)/)?.[1], crop: lay.match(/\bonly ((?:left|right|upper|lower) half|hexrows \S+|hexes \S+)/)?.[1], side, of }];
  });
}

const lineOf = (each) => [`use "${each.file}"`, each.turned && "turned", each.as && `as ${each.as}`, each.crop && `only ${each.crop}`, each.side && `${each.side} ${each.of}`].filter(Boolean).join(" ");

/** The name that the hexes of a board bear on a map: of its own line, or of the board that it uses. */
async function labelOf(file, files, deep = 0) {
  const found = await call("text", { digest: files[file] });
  const own = found.text?.match(/^\s*board\s+"?([^"\s]+)/m)?.[1];
  const inner = found.text?.match(/^\s*use\s+"([^"]+)"/m)?.[1];
  return own ?? (inner && deep < 4 ? await labelOf(inner, files, deep + 1) : null);
}

/** Give the board another text and perhaps other files, made of those it has when its turn comes, since an earlier
 * change may be under way; if it cannot be so, say why, and leave it as it was. */
async function lay(made) {
  by("map").classList.add("busy");
  const problems = await withFiles(made).finally(() => by("map").classList.remove("busy"));
  if (problems.length) unforesee(true);
  else {
    showAll();
    if (by("view").classList.contains("drawing")) {
      const told = "drawing the map…";
      notice(told, true);
      events.addEventListener("drawn", () => { if (by("notice").textContent === told) notice(""); }, { once: true });
    } else {
      notice("");
      unforesee();
    }
  }
  complain(problems.map((each, at) => at ? each : { ...each, message: `the boards do not fit together: ${each.message}` }));
}

/** Say the line of one board otherwise, as it stands by then; null takes it off. */
const alter = (each, how) => lay(() => {
  const which = boardsUsed().find((one) => one.file === each.file && one.as === each.as), change = which && how(which);
  return which && { text: board.text.split("\n").flatMap((line, at) => at !== which.at ? [line] : change ? [lineOf({ ...which, ...change })] : []).join("\n") };
});

/** A text of one board as it is on a map: its hexes bear the board's name. */
function prefixed(text, name) {
  const units = new Set(board.units.keys());
  return text.split("\n").map((line) => LINE.test(line) || /^\s*rules\b/.test(line) ? line : line.replace(/"[^"]*"|#.*|\w+/g, (word) =>
    /^[A-Z]{1,2}\d{1,3}$/.test(word) && !units.has(word) && board.hexes.has(word) ? name + word : word)).join("\n");
}

/** Names of boards on a map, by the names that they bear: a number for one that cannot stand before a hex, or is taken. */
export function unlike(names, taken = []) {
  const all = new Set(taken);
  return names.map((given) => {
    let name = given;
    for (let number = 1; !/^([A-Z]*\d+[a-z]?|[a-z]+|[A-Z]+)$/.test(name ?? "") || all.has(name); number++) name = String(number);
    all.add(name);
    return name;
  });
}

/** Put boards that were chosen to the right of the last one; a board of its own becomes the first of a map. */
async function add(chosen) {
  const used = boardsUsed(), label = used.length ? used.at(-1).as ?? await labelOf(used.at(-1).file, board.files) : null;
  const last = [...board.hexes.values()].filter((each) => used.length < 2 || new RegExp(`^${label}[A-Z]`).test(each.name));
  const given = await read(chosen, last);
  if (!given) return;
  notice("placing the boards…", true);
  await lay(() => withBoards(given));
}

/** Open files; the pictures of archives are shown right of these hexes of the map, or instead of it, while the
 * archives are read. Null if a file cannot be read, which is told. */
export async function read(chosen, hexes = []) {
  const given = [], pictures = [];
  let reading = true;
  for (const [at, file] of chosen.entries()) {
    notice(`reading ${file.name}…`, true);
    const seen = glimpse(file).then((found) => {
      if (!found || !reading) return;
      pictures[at] = found;
      foresee(pictures.filter(Boolean), hexes);
    }, () => null);
    const found = await hand(file).catch((error) => ({ error }));
    if (found.error) {
      reading = false;
      await seen;
      unforesee(true);
      notice(`${file.name}: ${found.error.message}`, true);
      return null;
    }
    given.push(found);
  }
  reading = false;
  return given;
}

/** The text with these boards to the right of the last one, its files and its name. */
async function withBoards(given) {
  const files = { ...board.files, ...Object.fromEntries(given.map((each) => [each.name, each.digest])) };
  let text = board.text, used = boardsUsed(text), called = board.name;
  if (!used.length) {
    // What is printed goes into a file of its own; what is played stays in the text, where it can be changed.
    const lines = text.split("\n"), played = (line) => /^\s*(unit|sides|turn|expect|rules)\b/.test(line);
    const own = await hand(new File([`${lines.filter((line) => !played(line)).join("\n").trim()}\n`], board.name));
    files[own.name] = own.digest;
    text = [`use "${own.name}"`, ...lines.filter(played), ""].join("\n");
    used = boardsUsed(text);
    called = "my map.board";
  }
  const own = await Promise.all(used.map((each) => each.as ?? labelOf(each.file, files)));
  const [name] = used.length === 1 ? unlike(own) : [own.at(-1)], last = used.at(-1);
  if (used.length === 1) {
    text = prefixed(text, name);
    if (name !== own[0]) text = text.split("\n").map((line, at) => at === last.at ? lineOf({ ...last, as: name }) : line).join("\n");
  }
  const labels = await Promise.all(given.map((each) => labelOf(each.name, files)));
  const new_names = unlike(labels, [...own.slice(0, -1), name]);
  const lines = text.split("\n");
  const new_ = given.map((each, at) => lineOf({ file: each.name, as: new_names[at] !== labels[at] && new_names[at], side: "right of", of: new_names[at - 1] ?? name }));
  lines.splice(last.at + 1, 0, ...new_);
  return { name: called, text: lines.join("\n"), files };
}

/** The form: each board of the map with its buttons, and a button that adds one. */
export function boardsForm() {
  const used = boardsUsed();
  const select = (label, options, chosen, change) => el("label", el("span", label), el("select", { onchange: (event) => change(event.target.value) },
    options.map((each) => el("option", { value: each, selected: each === chosen }, each))));
  const row = (each, n) => {
    const beside = el("div.fields", el("button", { "aria-pressed": String(each.turned), onclick: () => alter(each, (now) => ({ turned: !now.turned })) }, each.turned ? "Turned" : "Turn"),
      select("Part", [...new Set([...CROPS, each.crop].filter(Boolean))], each.crop ?? "whole", (crop) => alter(each, () => ({ crop: crop === "whole" ? null : crop }))));
    if (n) {
      beside.append(select("Where", SIDES, each.side, (side) => alter(each, () => ({ side }))),
        el("button", { onclick: () => alter(each, () => null) }, "Remove"));
      // Beside which of those before it: their names come from their texts.
      Promise.all(used.slice(0, n).map((one) => one.as ?? labelOf(one.file, board.files))).then((names) => {
        if (names.length > 1) beside.append(select("Board", names.filter(Boolean), each.of, (of) => alter(each, () => ({ of }))));
      });
    }
    return el("li", { "data-board": each.file }, el("b", each.file.replace(/\.board$/, "")), beside);
  };
  return [
    used.length ? el("ul.rows.boards", used.map(row)) : el("p.hint", `The map has the single board ${board.name}.`),
    el("label.button", "Add a board…", el("input#add-board.unseen", { type: "file", multiple: true, onchange: async (event) => {
      const button = event.target.parentElement;
      button.firstChild.textContent = "Reading…";
      await add([...event.target.files].slice(0, 12));
      button.firstChild.textContent = "Add a board…";
    } })),
    el("p.hint", "A board text or a VASL archive. It is placed to the right of the last board; then it can be moved, turned and cropped."),
  ];
}
