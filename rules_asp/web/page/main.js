// The start of the page, and what is around map and questions.

import { by, el, fill, notice, picture } from "./dom.js";
import { call, tab as pageName } from "./net.js";
import { board, events, history, open, redo, resume, share as shareWith, textNow, undo } from "./board.js";
import { setKinds, setPhrases } from "./answer.js";
import { closeFloors } from "./map.js";
import { asked, choose, setQuestions } from "./ask.js";
import { setDeeds } from "./deeds.js";
import { setPalette } from "./change.js";
import "./text.js";
import { showVersions } from "./versions.js";
import * as rules from "./rules.js";
import { example, fromLink, lend, menu, openCase, openNamed, restore, save, setBundled, share, showFirst, take } from "./files.js";

localStorage.setItem("rules-asp", new URL(".", location.href).pathname);

// --- tabs of the panel

const tabs = [...document.querySelectorAll("[role=tab]")];
export function tab(name) {
  closeFloors();
  for (const each of tabs) {
    const on = each.id === `tab-${name}`;
    each.setAttribute("aria-selected", on);
    each.tabIndex = on ? 0 : -1;
    by(each.getAttribute("aria-controls")).hidden = !on;
  }
  document.body.dataset.tab = name;
  if (name === "legend") explainNow();
  if (name === "versions") showVersions();
}
for (const each of tabs) {
  each.addEventListener("click", () => tab(each.id.slice(4)));
  each.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const other = tabs[(tabs.indexOf(each) + step + tabs.length) % tabs.length];
    other.focus();
    other.click();
  });
}

// Who opens a board sees it, and asks: a drag on it draws a line.
events.addEventListener("opening", (event) => { if (event.detail === "open") tab("ask"); });
events.addEventListener("asking", () => { if (by("pane-ask").hidden) tab("ask"); });

// --- the bar

by("undo").onclick = () => undo();
by("redo").onclick = () => redo();
by("save").onclick = save;
by("link").onclick = share;
by("open-menu").onclick = menu;
by("to-rules").onclick = () => { location.hash = by("rules").hidden ? "rules" : ""; };
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (event.target.matches?.("input,textarea,select") && event.target.id !== "board-text") return;
  event.preventDefault();
  if (event.shiftKey) redo(); else undo();
});
function bar() {
  by("undo").disabled = !history.undo;
  by("redo").disabled = !history.redo;
  by("board-name").textContent = board.name;
  by("players").textContent = board.shared ? `${board.pages} ${board.pages === 1 ? "page" : "pages"} on this map${board.viewOnly ? ", read-only" : ""}` : "";
  document.body.dataset.board = board.problems.length ? "wrong" : board.layout ? board.key : "";
}
for (const name of ["board", "text", "problems", "opening", "versions"]) events.addEventListener(name, bar);
events.addEventListener("busy", (event) => by("map").classList.toggle("busy", event.detail));
events.addEventListener("wrong", (event) => {
  by("tab-text").classList.toggle("wrong", event.detail > 0);
  const mistakes = "the board's text has mistakes: see Text";
  if (event.detail && by("pane-text").hidden) notice(mistakes, true);
  else if (by("notice").textContent === mistakes) notice("");
});
events.addEventListener("problems", (event) => { if (event.detail === "open") tab("text"); });

// --- the legend: of what the map shows now, drawn anew when it is looked at

let explained = null;
function explain(key, { legend, notes }) {
  explained = key;
  fill(by("pane-legend"), picture(legend, "What the map shows"),
    notes.map((each, at) => each === null ? null : el("p", `*${at + 1} ${each}`)));
}
async function explainNow() {
  const key = board.key, shown = board.pictured;
  if (by("pane-legend").hidden || !key || !shown || explained === key) return;
  const found = await call("picture", { sheet: key, notes: shown.notes }).catch(() => null);
  if (found?.legend && key === board.key) explain(key, found);
}
events.addEventListener("drawn", (event) => explain(board.key, event.detail));
events.addEventListener("patched", explainNow);

let lost = false;
events.addEventListener("lost", ({ detail }) => {
  if (detail && !lost) notice("The connection to the other players is lost. The page tries again to connect.", true);
  else if (lost && !detail) notice("connected again");
  lost = detail;
});
events.addEventListener("lent", (event) => lend(event.detail));
events.addEventListener("named", (event) => openNamed(event.detail.file, event.detail.line));
events.addEventListener("case", (event) => openCase(event.detail.text, event.detail.line));

// --- files that are dropped

let inside = 0;
addEventListener("dragenter", (event) => { if (event.dataTransfer?.types.includes("Files")) { inside++; by("drop").hidden = false; } });
addEventListener("dragleave", () => { if (--inside <= 0) { inside = 0; by("drop").hidden = true; } });
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  inside = 0;
  by("drop").hidden = true;
  if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
});

// --- what the address says after the #

async function route() {
  const hash = location.hash;
  const wanted = hash.match(/^#rules(?:\/(.*))?$/);
  by("rules").hidden = !wanted;
  by("explorer").hidden = !!wanted;
  by("to-rules").setAttribute("aria-pressed", !!wanted);
  by("to-rules").textContent = wanted ? "Map" : "Rules";
  if (wanted) await rules.show(wanted[1]);
  if (hash.startsWith("#case=")) {
    withoutHash();
    return await fromLink(hash);
  }
  return false;
}
const withoutHash = () => window.history.replaceState(null, "", location.pathname);
addEventListener("hashchange", route);

// --- the position is kept for the session of the browser: loading the page again loses no work

const KEPT = `rules-asp position ${location.pathname}`;
addEventListener("pagehide", () => {
  if (board.shared || !board.name) return;
  const { name, files, without } = board;
  try { sessionStorage.setItem(KEPT, JSON.stringify({ tab: pageName, name, text: textNow(), files, without, line: asked.line })); } catch { sessionStorage.removeItem(KEPT); }
});
async function reopened() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(KEPT)); } catch { return false; }
  // A copy of this tab of the browser must not take its versions away.
  sessionStorage.removeItem(KEPT);
  if (!kept || !await resume(kept)) return false;
  if (kept.line && board.key) restore(kept.line);
  return true;
}

// --- the start

const hello = await call("hello").catch((error) => ({ error: { message: error.message } }));
if (hello.error) notice(hello.error.message, true);
else {
  setBundled(hello.boards);
  setDeeds(hello.deeds);
  setQuestions(hello.questions);
  setKinds(hello.kinds);
  setPhrases(hello.phrases);
  choose("los", false);
  board.viewOnly = hello.view_only;
  document.body.classList.toggle("view-only", board.viewOnly);
  by("board-text").readOnly = board.viewOnly;
  const brought = await route();
  if (!brought) {
    if (hello.position) { await shareWith(hello.position); showFirst(); }
    else if (!await reopened()) await (hello.start.name ? open(hello.start) : example("assault"));
  }
  setPalette(hello.palette);
  bar();
  document.body.dataset.ready = "1";
  setTimeout(rules.load, 600);
}
