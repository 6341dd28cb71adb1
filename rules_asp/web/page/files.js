// Open, save and share: files, bundled boards, links.

import { by, el, fill, notice } from "./dom.js";
import { call, hand } from "./net.js";
import { board, lacking, lend as lendTexts, open, placeOf, textNow, uses } from "./board.js";
import { copy } from "./answer.js";
import { showStart, unforesee } from "./map.js";
import { ask, asked, choose, put } from "./ask.js";
import { read, unlike } from "./boards.js";

const dialog = by("dialog");
const close = () => dialog.close();
export let bundled = [];
export function setBundled(all) { bundled = all; }

export function menu() {
  const link = el("input", { placeholder: "paste a link", "aria-label": "Link", autocomplete: "off" });
  fill(dialog, el("h2", "Open a board"),
    el("section", el("h3", "Bundled boards"), el("div.chips", bundled.map((name) => el("button", { onclick: async () => { close(); await example(name); } }, name)))),
    el("section", el("h3", "Your files"), el("p.hint", "A board text with the boards that it uses, or VASL board archives, which are placed side by side, or a saved game (.vsav) or log (.vlog) of VASL with its board archives. Several at once; or drop them on the page. To place a board beside the open ones, use Change, What: boards."),
      el("label.button", "Choose files…", el("input#files", { type: "file", multiple: true, class: "unseen", onchange: (event) => { close(); take([...event.target.files]); } }))),
    el("section", el("h3", "A link"), el("form.fields", { onsubmit: (event) => { event.preventDefault(); close(); fromLink(link.value); } }, link, el("button", { type: "submit" }, "Open"))),
    el("p.right", el("button", { onclick: close }, "Close")));
  dialog.showModal();
}

/** A bundled board, with an answer of it that is drawn: the first shot or sight that it expects. */
export async function example(name) {
  const found = await call("example", { name });
  if (found.error) { notice(found.error.message); return; }
  await open(found);
  showFirst();
}

/** Ask what the board expects first: a shot or a sight, which are drawn. */
export function showFirst() {
  const asked_ = board.text.split("\n").filter((line) => /^\s*expect\s/.test(line)).map(asking).filter(Boolean);
  const first = asked_.find((line) => /^(fire|los) /.test(line)) ?? asked_[0];
  if (first && board.key) restore(first);
}

/** Boards that are dropped or chosen: that which no other uses is opened. */
export async function take(files) {
  const game = files.find((each) => /\.(vsav|vlog)$/i.test(each.name));
  if (game) {
    notice(`reading ${game.name}…`, true);
    const found = await hand(game, files.filter((each) => /^bd\w+(\.zip)?$/i.test(each.name))).catch((error) => ({ error }));
    notice(found.error ? `${game.name}: ${found.error.message}` : "", true);
    if (found.report) { await open(found); counters(found.report); } else if (!found.error) await openRead([found]);
    return;
  }
  const given = await read(files.slice(0, 12));
  if (!given) return;
  notice("");
  await openRead(given);
  if (!by("view").classList.contains("drawing")) unforesee(true);
}

/** Open boards that have been read. */
async function openRead(given) {
  const lent = Object.fromEntries(lacking().flatMap((name) => given.filter((each) => each.name === name.split("/").pop()).map((each) => [name, each])));
  if (given.every((each) => Object.values(lent).includes(each))) { await lend(lent); return; }
  const used = new Set(given.flatMap((each) => uses(each.text)));
  const others = Object.fromEntries(given.map((each) => [each.name, each.digest]));
  if (given.length > 1 && !used.size && given.every((each) => label(each.text))) {
    // Boards of which none uses another: a map, one beside the other.
    const own = given.map((each) => label(each.text)), names = unlike(own);
    const lines = given.map((each, at) => `use "${each.name}"${names[at] === own[at] ? "" : ` as ${names[at]}`}${at ? ` right of ${names[at - 1]}` : ""}`);
    await open({ name: "my map.board", text: `${lines.join("\n")}\n`, files: others });
    return;
  }
  const first = given.find((each) => !used.has(each.name)) ?? given[0];
  if (first.text.length <= 40000) {
    delete others[first.name];
    await open({ name: first.name, text: first.text, files: others });
  } else await open({ name: `my ${first.name}`, text: `use "${first.name}"\n`, files: others });
}

/** What became of the counters of a game: those that are not on the board as they lie in VASL come first. */
function counters(report) {
  const rows = (found) => el("ul", found.map((each) => el("li", each.at ? `${each.at}  ` : "", `${each.counter}: ${each.as}`)));
  const lines = (found) => el("ul", found.map((each) => el("li", each)));
  const sum = (found) => Object.values(found).reduce((all, each) => all + each, 0);
  fill(dialog, el("h2", "A game of VASL"),
    el("p", `${report.recognized.length} counters recognized, ${report.unrecognized.length} not, ${sum(report.ignored)} ignored, ${sum(report.beside)} off the boards.`),
    report.unrecognized.length > 0 && el("section", el("h3", "Not recognized"), rows(report.unrecognized)),
    report.map.length > 0 && el("section", el("h3", "The map"), lines(report.map.map((each) => each.replace(" (name its folder with --boards)", ""))),
      report.map.some((each) => each.includes("no archive")) && el("p.hint", "To see these boards drawn, open the game and its board archives together.")),
    el("section", el("h3", "Assumed"), lines(report.assumed)),
    el("details", el("summary", "Recognized"), rows(report.recognized)),
    el("p.right", el("button.main", { onclick: close }, "Close")));
  dialog.showModal();
}

const label = (text) => text.match(/^\s*board\s+"?([^"\s]+)/m)?.[1];

/** Texts that the board uses and that are added later, by the names that it uses. */
export async function lend(given) {
  for (const [name, each] of Object.entries(given)) {
    const wanted = board.files[name];
    if (wanted && wanted !== each.digest) notice(`${each.name} is not the ${name} of the link: answers can differ`);
  }
  const digests = Object.fromEntries(Object.entries(given).map(([name, each]) => [name, each.digest]));
  await lendTexts(digests);
}

function keep(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  el("a", { href: url, download: name.split("/").pop() }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Save the board's text; with those that it uses, since without them it cannot be opened. */
export function save() {
  const names = Object.keys(board.files);
  if (!names.length) { keep(board.name, textNow()); return; }
  const one = async (name) => {
    if (name === board.name) { keep(name, textNow()); return; }
    const found = await call("text", { digest: board.files[name] });
    if (found.error) notice(found.error.message); else keep(name, found.text);
  };
  const all = [board.name, ...names];
  fill(dialog, el("h2", "Save"),
    el("p", "This board uses others: to open it again, these files have to lie beside it, by these names."),
    el("div.chips", all.map((name) => el("button", { onclick: () => one(name) }, name))),
    el("p.right", el("button", { onclick: close }, "Close"), el("button.main", { onclick: async () => {
      close();
      for (const name of all) { await one(name); await new Promise((later) => setTimeout(later, 300)); }
    } }, "Save all")));
  dialog.showModal();
}

// --- links: the case after the #, packed; texts that are used go by name and content

async function packed(bytes, Stream) {
  const out = new Blob([bytes]).stream().pipeThrough(new Stream("deflate-raw"));
  return new Uint8Array(await new Response(out).arrayBuffer());
}

export async function linkNow() {
  const held = { v: 1, name: board.name, text: board.text, files: board.files, without: board.without, line: asked.line };
  const bytes = await packed(new TextEncoder().encode(JSON.stringify(held)), CompressionStream);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  const coded = btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `#case=${coded}`;
}

export async function share() {
  const text = await linkNow();
  const field = el("textarea.share", { readOnly: true, rows: 5, "aria-label": "The link" });
  field.value = text;
  const give = async (said) => { await copy(said); notice("copied"); close(); };
  fill(dialog, el("h2", "A link to this case"),
    el("p", `It holds the board's text${asked.line ? " and the question" : ""}${Object.keys(board.files).length ? `, and by name and content: ${Object.keys(board.files).join(", ")}` : ""}. The receiver pastes it under “Open…” in their own explorer.`),
    el("p.hint", `The address ${location.origin}/ is valid only for this session: with it, the link opens while this explorer runs. The link does not contain your token.`),
    text.length > 8000 ? el("p.hint", `${text.length} characters: some programs cut off a link of this length.`) : null,
    field, el("p.right", el("button.main", { onclick: () => give(text) }, "Copy"), el("button", { onclick: () => give(`${location.origin}/${text}`) }, "Copy with this session's address"), el("button", { onclick: close }, "Close")));
  dialog.showModal();
  field.select();
}

/** A case of its own, with its question. */
export async function openCase(text, line, name = "case.board") {
  await open({ name, text, files: {} });
  if (line && board.key) restore(line);
}

/** A case of the rules: the board whose `expect` line names a norm, with what that line asks. */
export async function openNamed(name, at) {
  const found = await call("case", { name });
  if (found.error) { notice(found.error.message); return; }
  location.hash = "";
  await open(found);
  const line = asking(found.text.split("\n").slice(at - 1).join("\n"));
  if (line && board.key) restore(line);
}

/** What an `expect` line asks, as a line of a batch; null for what a line cannot ask. */
function asking(text) {
  const said = text.split("\n")[0].replace(/#.*/, "").replace(/^\s*expect\s+/, "").replace(/\s+cites\s.*/, "").trim();
  const sight = said.match(/^los (\S+) - (\S+)/), shot = said.match(/^(tem|drm) of (?:(\S+) )?fire from (.+?) at (\S+)(?: (moving|assault-moving|routing))?/);
  if (sight) return `los ${sight[1]} ${sight[2]}`;
  if (shot) return `${shot[1] === "tem" ? "tem" : "fire"} ${shot[3].includes(" ") ? `"${shot[3]}"` : shot[3]} ${shot[4]}${shot[2] ? ` --how ${shot[2].replace(/-/g, "_")}` : ""}${shot[5] ? ` --${shot[5]}` : ""}`;
  const can = said.match(/^can (.*?):/), cost = said.match(/^cost (\S+) to /), roll = said.match(/^roll (.*?):/);
  if (can) return `can ${can[1]}`;
  if (cost) return `moves ${cost[1]}`;
  if (roll) return `roll ${roll[1]}`;
  if (/^(violates|conflict|no )/.test(said)) return null;
  const value = said.replace(/^holds /, "").match(/^(.*?\))\s*=\s*(?:unknown|no|.*)$/);
  return value ? `ask ${value[1]} = V` : `ask ${said.replace(/^holds /, "")}`;
}

/** What a link holds; null for none. */
export async function held(text) {
  const coded = text.match(/#case=([\w-]+)/)?.[1];
  if (!coded || coded.length > 4_000_000) return null;
  try {
    const letters = atob(coded.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(letters, (each) => each.charCodeAt(0));
    const out = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let size = 0; ;) {
      const { done, value } = await out.read();
      if (done) break;
      size += value.length;
      if (size > 8_000_000) return null;
      parts.push(value);
    }
    const found = JSON.parse(await new Blob(parts).text());
    const isText = (each) => typeof each === "string";
    const fine = found && found.v === 1 && isText(found.name) && isText(found.text) && found.files && typeof found.files === "object" && !Array.isArray(found.files)
      && Object.entries(found.files).every((pair) => pair.every(isText)) && Array.isArray(found.without) && found.without.every(isText) && (found.line === null || isText(found.line));
    return fine ? found : null;
  } catch { return null; }
}

export async function fromLink(text) {
  const found = await held(text);
  if (!found) { notice("this link contains no case"); return false; }
  const used = Object.keys(found.files);
  return await new Promise((done) => {
    const answer = (yes) => { close(); dialog.onclose = null; done(yes); };
    fill(dialog, el("h2", "Open this case?"),
      el("p", "A link brings the board ", el("b", found.name), ` with ${found.text.split("\n").length} lines`,
        used.length ? `, which uses ${used.join(", ")}` : "", found.line ? ", and asks:" : "."),
      found.line ? el("pre", found.line) : null,
      el("details", el("summary", "Its text"), el("pre.json", found.text.slice(0, 20000))),
      found.without.length ? el("p", `Rulings switched off: ${found.without.join(", ")}`) : null,
      el("p.hint", "The current board is closed."),
      el("p.right", el("button", { onclick: () => answer(false) }, "No"), el("button.main", { onclick: () => answer(true) }, "Open")));
    dialog.onclose = () => done(false);
    dialog.showModal();
  }).then(async (yes) => {
    if (!yes) return false;
    const opened = await open(found);
    if (opened && found.line && board.key) restore(found.line);
    return opened;
  });
}

/** Put a question that came with a link, in the tool that it is of. */
export function restore(line) {
  const [command, ...words] = line.match(/"[^"]*"|\S+/g).map((each) => each.replace(/"/g, ""));
  const firing = words[0]?.split(" ").map((each) => board.units.get(each)).filter(Boolean) ?? [];
  const set = (name, value) => { document.querySelector(`#form [name=${name}]`).value = value; };
  if (["moves", "rout"].includes(command) && words.length && words.every((each) => board.units.has(each))) {
    [asked.unit, ...asked.with] = words;
    asked.phase = command === "rout" ? "rtph" : "mph";
    choose("moves");
  } else if (command === "turn" && words.length === 1) {
    choose("turn", false);
    set("side", words[0]);
    ask();
  } else if (["los", "fire"].includes(command) && placeOf(firing[0]?.name ?? words[0]) && placeOf(words[1]) && words[0] !== words[1]
      && (words.length === 2 || (words.length === 3 && /^--(moving|assault-moving|routing)$/.test(words[2])))) {
    Object.assign(asked, { from: placeOf(firing[0]?.name ?? words[0]), to: placeOf(words[1]) });
    const names = firing.map((each) => each.name);
    asked.firing = firing.length ? { at: asked.from.place, units: names, leaders: names } : null;
    showStart([asked.from.hex, asked.to.hex]);
    choose(command, false);
    if (words[2]) set("doing", words[2].slice(2));
    ask();
  } else if (command === "sees" && placeOf(words[0])) {
    asked.from = placeOf(words[0]);
    choose("sees");
  } else {
    asked.kind = "";
    choose("line", false);
    set("words", line);
    put(line);
  }
}
