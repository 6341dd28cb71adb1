// The text of the board, in step with the map both ways; mistakes are marked where they are.

import { by, el, fill, notice } from "./dom.js";
import { hand } from "./net.js";
import { board, events, hexesIn, lacking, putAgain, setText, textNow, undo } from "./board.js";
import { light } from "./map.js";

const area = el("textarea#board-text", { spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "The board's text" });
const marks = el("div.marks", { "aria-hidden": "true" }), gutter = el("div.gutter", { "aria-hidden": "true" });
const told = el("ul.problems", { role: "alert" });
fill(by("pane-text"), el("div.editor", gutter, el("div.page", marks, area)), told,
  el("p.hint", "Change the text or the map: each follows the other. ", el("a", { href: "help/boards", target: "_blank" }, "Help: the board language")));

function number() {
  const count = area.value.split("\n").length;
  const wrong = new Set(board.problems.filter((each) => each.file === board.name).map((each) => each.line));
  fill(gutter, Array.from({ length: count }, (_, at) => el(wrong.has(at + 1) ? "b" : "span", String(at + 1))));
}

/** The same text below the one that is typed, with the mistaken words marked. */
function mark(fresh = new Set()) {
  const lines = area.value.split("\n");
  const of = new Map();
  for (const each of board.problems) {
    if (each.file === board.name && each.line) of.set(each.line, [...(of.get(each.line) ?? []), each]);
  }
  fill(marks, lines.map((line, at) => {
    const problems = of.get(at + 1);
    if (!problems) return el("div", { class: fresh.has(line) ? "fresh" : "" }, line || " ");
    const start = Math.max(0, problems[0].column - 1);
    const length = Math.max(1, line.slice(start).match(/^[^\s,:]+/)?.[0].length ?? line.length - start);
    return el("div.wrong", line.slice(0, start), el("mark", line.slice(start, start + length) || " "), line.slice(start + length));
  }));
  scroll();
}

function scroll() { marks.scrollTop = area.scrollTop; marks.scrollLeft = area.scrollLeft; gutter.scrollTop = area.scrollTop; }
area.addEventListener("scroll", scroll);

function tell() {
  number();
  mark();
  fill(told, board.problems.map((each) => el("li", el("button.plain", { onclick: () => goTo(each) },
    each.line ? `${each.file === board.name ? "" : `${each.file}, `}line ${each.line}, column ${each.column}: ` : "", each.message,
    each.expected?.length ? `; expected ${each.expected.join(", ")}` : ""),
    each.again ? [el("button.plain", { onclick: putAgain }, "Replace theirs with mine"), el("button.plain", { onclick: undo }, "Discard mine")] : null, each.nearest ? el("button.plain", { onclick: () => mend(each) }, `did you mean ${each.nearest}?`) : null)),
    board.problems.length ? lacking().map((name) => el("li", el("label.button", `Add ${name}`, el("input.unseen", { type: "file", onchange: async (event) => {
      const given = await hand(event.target.files[0]);
      if (given.error) { notice(given.error.message); return; }
      events.dispatchEvent(new CustomEvent("lent", { detail: { [name]: given } }));
    } })))) : null);
  events.dispatchEvent(new CustomEvent("wrong", { detail: board.problems.length }));
}

function goTo(problem) {
  if (problem.file !== board.name || !problem.line) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, problem.line - 1).reduce((sum, each) => sum + each.length + 1, 0) + problem.column - 1;
  area.focus();
  area.setSelectionRange(start, start + (area.value.slice(start).match(/^[^\s,:]+/)?.[0].length ?? 1));
  area.scrollTop = Math.max(0, (problem.line - 5) * 19);
}

function mend(problem) {
  goTo(problem);
  const start = area.selectionStart, end = area.selectionEnd;
  area.setRangeText(problem.nearest, start, end, "end");
  setText(area.value);
}

let pause = 0;
area.addEventListener("input", () => {
  number();
  clearTimeout(pause);
  pause = setTimeout(() => setText(area.value), 300);
});

// What the line with the caret names is lit on the map.
let row = -1;
document.addEventListener("selectionchange", () => {
  if (document.activeElement !== area) return;
  const at = area.value.slice(0, area.selectionStart).split("\n").length - 1;
  if (at === row) return;
  row = at;
  light(hexesIn((area.value.split("\n")[at] ?? "").replace(/#.*/, "")));
});
area.addEventListener("blur", () => { row = -1; light([]); });

function take(event) {
  const text = textNow(), caret = area.selectionStart;
  if (area.value === text) { number(); mark(); return; }
  const old = new Set(area.value.split("\n"));
  area.value = text;
  if (document.activeElement === area) area.setSelectionRange(caret, caret);
  number();
  const lines = text.split("\n"), fresh = new Set(lines.filter((line) => line.trim() && !old.has(line)));
  const first = lines.findIndex((line) => fresh.has(line));
  if (event?.detail === "change" && first >= 0) area.scrollTop = Math.max(0, (first - 4) * 19);
  mark(event?.detail === "change" ? fresh : new Set());
}
for (const name of ["opening", "text"]) events.addEventListener(name, take);
events.addEventListener("board", () => { tell(); });
events.addEventListener("problems", tell);
