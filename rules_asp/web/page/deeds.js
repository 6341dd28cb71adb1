// A deed as a sentence to fill in: those that exist, with the unit and place that were picked.

import { el, fill } from "./dom.js";
import { board, events } from "./board.js";

let deeds = [], chosen = null;
export function setDeeds(all) {
  // A step is what is asked most: it comes first.
  deeds = [...all].sort((a, b) => (b.deed === "step") - (a.deed === "step"));
}

/** The form of a deed, with `line()`, which is the question; null while something is not filled in. */
export function deedForm(asked, ask) {
  const flat = deeds.flatMap((deed, at) => deed.sentences.map((pieces, n) => ({ key: `${at} ${n}`, deed, pieces })));
  const sentence = el("div.sentence");
  const draw = () => {
    const now = flat.find((each) => each.key === chosen) ?? flat[0];
    fill(sentence, now ? pieces(now.pieces, asked) : null);
    for (const input of sentence.querySelectorAll("input,select")) input.addEventListener("change", ask);
  };
  // In the list of actions a sentence stands in plain words, from its verb on.
  const worded = (each) => typeof each === "string" ? each : each.maybe ? "" : each.words ? each.words.slice(0, 4).join("/") + (each.words.length > 4 ? "/…" : "")
    : `${/^[aeiou]/.test(each.kind) && each.kind !== "unit" ? "an" : "a"} ${each.kind === "location" ? "Location" : each.kind.replace(/_/g, " ")}`;
  const shown = (parts) => (parts[0].kind === "unit" ? parts.slice(1) : parts).map(worded).filter(Boolean).join(" ");
  const select = el("select", { "aria-label": "Action", name: "deed", onchange: () => { chosen = select.value; draw(); ask(); } },
    deeds.map((deed) => el("optgroup", { label: deed.sense }, flat.filter((each) => each.deed === deed).map((each) =>
      el("option", { value: each.key, selected: each.key === chosen }, shown(each.pieces))))));
  const box = el("div#deeds", el("label", el("span", "Action"), select), sentence,
    el("div.fields", el("button.main", { onclick: ask }, "Check")),
    el("p.hint", "Click a place on the map to fill the next gap of the sentence."));
  draw();
  box.line = () => {
    const said = text(sentence);
    return said === null ? null : `can ${said}`;
  };
  box.place = (floor) => {
    const fields = [...sentence.querySelectorAll("input[data-kind=location],input[data-kind=party],input[data-kind=hex],input[data-kind=spot]")];
    const field = fields.find((each) => each === document.activeElement) ?? fields.find((each) => !each.value && !each.dataset.maybe) ?? fields.find((each) => !each.dataset.maybe);
    if (!field) return;
    field.value = ["location", "party"].includes(field.dataset.kind) ? floor.place : floor.hex;
    ask();
  };
  return box;
}

events.addEventListener("picked", (event) => document.getElementById("deeds")?.place?.(event.detail));

function pieces(parts, asked, maybe = false) {
  let units = 0;
  return parts.map((each) => {
    if (typeof each === "string") return el("span.word", { "data-word": each }, each);
    if (each.maybe) return el("span.maybe", pieces(each.maybe, asked, true));
    if (each.words) {
      return el("select", { "aria-label": each.kind, "data-slot": each.kind },
        maybe ? el("option", { value: "" }, `(${each.kind.replace("_", " ")})`) : null,
        each.words.map((word) => el("option", { value: word }, word)));
    }
    if (each.kind === "unit") {
      const first = units++ === 0 && !maybe;
      return el("select", { "aria-label": "unit", "data-slot": "unit" }, el("option", { value: "" }, "unit"),
        [...board.units.values()].map((unit) => el("option", { value: unit.name, selected: first && unit.name === asked.unit }, unit.name)));
    }
    return el("input", { "data-slot": each.kind, "data-kind": each.kind, "data-maybe": maybe ? "1" : null, size: 9, placeholder: each.kind === "location" ? "Location" : each.kind.replace(/_/g, " "),
      "aria-label": each.kind, autocomplete: "off" });
  });
}

/** What the sentence says; what may be left out and has nothing filled in is left out. */
function text(node) {
  const said = [];
  for (const each of node.children) {
    if (each.dataset.word) said.push(each.dataset.word);
    else if (each.classList.contains("maybe")) { const part = text(each); if (part !== null) said.push(part); }
    else {
      const value = each.value.trim();
      if (!value) return null;
      said.push(value);
    }
  }
  return said.join(" ");
}
