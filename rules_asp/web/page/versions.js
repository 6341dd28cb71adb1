// The versions of the position as a tree: one goes to any of them, names it, and sees the answers of the named ones side by side.

import { by, el, fill } from "./dom.js";
import { call } from "./net.js";
import { board, events, go, rename } from "./board.js";
import { compared, headline } from "./answer.js";
import { asked } from "./ask.js";

const pane = by("pane-versions");
const called = ([number, , change, name]) => name || `${number}: ${change}`;

/** The versions from the first on, each with how deep its branch lies: a branch begins where a version has several after it. */
function rows() {
  const after = new Map();
  for (const each of board.versions.values()) after.set(each[1], [...(after.get(each[1]) ?? []), each]);
  const found = [], open = (after.get(null) ?? []).reverse().map((each) => [each, 0]);
  while (open.length) {
    const [each, deep] = open.pop();
    found.push([each, deep]);
    const next = after.get(each[0]) ?? [];
    for (const one of [...next].reverse()) open.push([one, deep + (next.length > 1)]);
  }
  return found;
}

function row([each, deep], at, all) {
  // A branch does not begin with the version above it: then it says with which.
  const from = at && each[1] !== null && all[at - 1][0][0] !== each[1] ? el("small", `from ${called(board.versions.get(each[1])).slice(0, 18)}`) : null;
  const [number, , , name] = each;
  const field = el("input", { value: name, placeholder: "name", maxlength: "60", autocomplete: "off", "aria-label": `Name of version ${number}`, onchange: () => rename(number, field.value) });
  const item = el("li", { "data-version": String(number), "aria-current": String(number === board.head) },
    el("button.plain", { title: called(each), disabled: board.viewOnly, onclick: () => go(number) }, called(each), " ", from), board.viewOnly ? null : field);
  item.style.paddingLeft = `${Math.min(deep, 8) * 0.9}em`;
  return item;
}

/** The answer of the question on each version that has a name, and on the one that is shown. */
function sideBySide() {
  const named = [...board.versions.values()].filter((each) => each[3] && each[0] !== board.head), { line } = asked;
  if (!named.length) return el("p.hint", "Give two versions a name, and the answers of both are shown side by side.");
  if (!line) return el("p.hint", "Ask something under Ask: its answers on the named versions are shown here.");
  const differences = el("div"), now = board.versions.get(board.head);
  const one = (each) => {
    const verdict = el("td", "…");
    call("ask", { sheet: each[4], line, cite: false, aside: true }).then((record) => { verdict.textContent = record.error?.message ?? headline(record); }, (error) => { verdict.textContent = error.message; });
    return el("tr", { "data-answer": String(each[0]) }, el("td", called(each)), verdict, el("td", each === now ? "shown" : el("button.plain", { onclick: async () => {
      const found = await call("compare", { before: each[4], sheet: board.key, line });
      fill(differences, el("h3", `From ${called(each)} to ${called(now)}`), found.error ? el("pre.error", found.error.message) : compared(found));
    } }, "Differences")));
  };
  return [el("h3", line), el("table.grid", [...named, now].map(one)), differences];
}

export function showVersions() {
  if (pane.hidden) return;
  fill(pane, el("p.hint", "Each change makes a version. Go back to one and make another change: both versions stay."), el("ul.rows.versions", rows().map(row)), sideBySide());
  pane.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
}
for (const name of ["versions", "board"]) events.addEventListener(name, showVersions);
