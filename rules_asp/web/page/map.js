// The map: its picture, zoom and pan, what the pointer is over, and what answers lay over it.

import { by, el, fill, notice, picture, shape } from "./dom.js";
import { call } from "./net.js";
import { board, boardOf, CORNERS, events, placeOf, verticesOf } from "./board.js";

const view = by("view"), world = by("world"), tip = by("tip"), floors = by("floors"), spoken = by("spoken");
/** Pixels of a lattice unit when the scale is 1. */
const UNIT = 0.14;
/** The scale from which labels of hexes can be read. */
const READABLE = 0.9;
/** How near a vertex one has to click for it to be offered, in lattice units. */
const NEAR = 80;

const here = { x: 0, y: 0, scale: 1 };
let box = [0, 0, 1, 1], overlay = null, layers = {}, fresh = true, focus = null;
/** Whom the map tells of what is done on it; `grab` says what a drag from a hex is: "line", a unit, or null. */
export const map = { onpick: null, onbegin: null, ondrag: null, ondrop: null, onend: null, onunit: null, onmove: null, grab: null };

// --- where the map lies

function clamp() {
  const wide = box[2] * UNIT * here.scale, high = box[3] * UNIT * here.scale;
  const room = 80;
  here.x = Math.min(view.clientWidth - room, Math.max(room - wide, here.x));
  here.y = Math.min(view.clientHeight - room, Math.max(room - high, here.y));
}

let due = 0, still = 0, drawnThick = "";
function place() {
  if (due) return;
  due = requestAnimationFrame(() => {
    due = 0;
    clamp();
    // While it moves, the picture is a layer that is moved as it is; at rest it is drawn sharp.
    world.classList.add("moving");
    world.style.transform = `translate(${here.x}px, ${here.y}px) scale(${here.scale})`;
    // From far away lines and ends are drawn thicker, so that they can be seen and taken hold of.
    const thick = String(Math.max(1, Math.round(10 * 0.75 / here.scale) / 10));
    if (thick !== drawnThick) world.style.setProperty("--thick", drawnThick = thick);
    clearTimeout(still);
    still = setTimeout(() => world.classList.remove("moving"), 160);
    placeFloors();
  });
}

export function zoom(factor, at = null) {
  const x = at ? at.x : view.clientWidth / 2, y = at ? at.y : view.clientHeight / 2;
  const least = Math.min(0.9 * fitting(), 0.25), scale = Math.min(8, Math.max(least, here.scale * factor));
  const by = scale / here.scale;
  here.x = x - (x - here.x) * by;
  here.y = y - (y - here.y) * by;
  here.scale = scale;
  place();
}

const fitting = () => Math.min(view.clientWidth / (box[2] * UNIT), view.clientHeight / (box[3] * UNIT));

export function showAll(part = box) {
  const [left, top, wide, high] = part;
  here.scale = 0.97 * Math.min(view.clientWidth / (wide * UNIT), view.clientHeight / (high * UNIT));
  here.x = view.clientWidth / 2 - (left - box[0] + wide / 2) * UNIT * here.scale;
  here.y = view.clientHeight / 2 - (top - box[1] + high / 2) * UNIT * here.scale;
  place();
}

/** Begin at the units, and at these hexes, if the labels of the whole map are too small to read. */
export function showStart(names = []) {
  const at = [...[...board.units.values()].map((unit) => unit.hex), ...names].map((name) => board.hexes.get(name)).filter(Boolean);
  if (!at.length || fitting() >= READABLE) return showAll();
  const room = 900, clip = (value, from, size) => Math.min(from + size, Math.max(from, value));
  const [left, right] = [Math.min(...at.map((hex) => hex.x)) - room, Math.max(...at.map((hex) => hex.x)) + room].map((x) => clip(x, box[0], box[2]));
  const [top, low] = [Math.min(...at.map((hex) => hex.y)) - room, Math.max(...at.map((hex) => hex.y)) + room].map((y) => clip(y, box[1], box[3]));
  const fits = Math.min(view.clientWidth / ((right - left) * UNIT), view.clientHeight / ((low - top) * UNIT));
  here.scale = Math.min(1.6, Math.max(fits, 0.97 * fitting()));
  // As much of the map as there is room for: no empty edge where the map goes on.
  const along = (middle, from, size, room_) => {
    const wide = size * UNIT * here.scale;
    return wide <= room_ ? (room_ - wide) / 2 : Math.min(0, Math.max(room_ - wide, room_ / 2 - (middle - from) * UNIT * here.scale));
  };
  here.x = along((left + right) / 2, box[0], box[2], view.clientWidth);
  here.y = along((top + low) / 2, box[1], box[3], view.clientHeight);
  place();
}

/** Where a point of the lattice is in the view. */
const toView = (x, y) => [here.x + (x - box[0]) * UNIT * here.scale, here.y + (y - box[1]) * UNIT * here.scale];
const toMap = (x, y) => [(x - here.x) / (UNIT * here.scale) + box[0], (y - here.y) / (UNIT * here.scale) + box[1]];

/** See to it that a hex is in the view. */
export function show(name) {
  const hex = board.hexes.get(name);
  if (!hex) return;
  const [x, y] = toView(hex.x, hex.y), edge = 60;
  const dx = x < edge ? edge - x : x > view.clientWidth - edge ? view.clientWidth - edge - x : 0;
  const dy = y < edge ? edge - y : y > view.clientHeight - edge ? view.clientHeight - edge - y : 0;
  if (dx || dy) { here.x += dx; here.y += dy; place(); }
}

// --- which hex is where

let grid = new Map();
function index() {
  grid = new Map();
  for (const hex of board.hexes.values()) grid.set(`${Math.round(hex.x / 450)},${Math.round(hex.y / 258)}`, hex);
}

export function hexAt(x, y) {
  const [mx, my] = toMap(x, y);
  let found = null, least = Infinity;
  const col = Math.round(mx / 450), row = Math.round(my / 258);
  for (let c = col - 1; c <= col + 1; c++) for (let r = row - 2; r <= row + 2; r++) {
    const hex = grid.get(`${c},${r}`);
    if (!hex) continue;
    const far = (hex.x - mx) ** 2 + (hex.y - my) ** 2;
    if (far < least) { least = far; found = hex; }
  }
  return least < 300 ** 2 ? found : null;
}

// --- the picture and what lies over it

const ground = el("div.sheet"), changes = el("div.sheet.patches"), early = el("div.sheet");
for (const each of [ground, changes, early]) each.style.transform = `scale(${UNIT})`;
let drawing = 0, asking = null, drawnFirst = [], drawnAt = new Map();
/** Draw the map: only what differs from the picture that is shown, where that is little. */
async function draw() {
  const turn = ++drawing, { patches } = board.layout;
  asking?.abort();
  if (patches) {
    view.classList.remove("drawing");
    // What looks as before stays; what is new takes its place when it is there, all at once.
    const old = new Map([...changes.children].map((each) => [each.dataset.key, each]));
    const now = patches.pictures.map(({ svg, box: at }) => {
      const key = `${at} ${svg}`, known = old.get(key);
      if (known) return known;
      const image = paper(svg, "patch", at);
      image.dataset.key = key;
      return image;
    });
    await Promise.all(now.map((each) => each.complete || new Promise((done) => { each.onload = each.onerror = done; })));
    if (turn !== drawing) return;
    changes.replaceChildren(...now);
    drawnAt = new Map([...drawnFirst, ...patches.pictures.flatMap(({ svg }) => countersIn(svg))]);
    board.pictured.notes = patches.notes;
    events.dispatchEvent(new CustomEvent("patched"));
    return;
  }
  // Pictures of boards that are read from now on stay beside a map that was asked for before.
  const key = board.key, foreseen = before;
  asking = new AbortController();
  view.classList.add("drawing");
  board.pictured = null;
  const answer = await call("picture", { sheet: key }, asking.signal).catch(() => null);
  if (turn !== drawing) return;
  view.classList.remove("drawing");
  const seen = () => { if (foreseen === before) unforesee(); };
  if (!answer?.svg) { seen(); return; }
  const image = paper(answer.svg, "paper", answer.box);
  await image.decode().catch(() => null);
  if (turn !== drawing) return;
  seen();
  bare();
  ground.append(image);
  drawnFirst = countersIn(answer.svg);
  drawnAt = new Map(drawnFirst);
  board.pictured = { key, notes: answer.notes };
  events.dispatchEvent(new CustomEvent("drawn", { detail: answer }));
}

function bare() {
  ground.replaceChildren();
  changes.replaceChildren();
}

/** A picture where it lies. Browsers put images at whole pixels: here each unit of the lattice is one. */
function paper(data, name, at, type = undefined) {
  const image = picture(data, "", type);
  image.className = name;
  image.draggable = false;
  image.at = at;
  lie(image);
  return image;
}
function lie(image) {
  const [left, top, wide, high] = image.at;
  Object.assign(image.style, { left: `${left - box[0]}px`, top: `${top - box[1]}px`, width: `${wide}px`, height: `${high}px` });
}

// --- a board before it has been read: the quick picture of its archive

let before = null;
/** Show the pictures of boards that are being read, in a row: right of these hexes of the map, or, without any,
 * instead of the map. */
export function foresee(pictures, hexes = []) {
  before ??= { ...here };
  const [xs, ys] = ["x", "y"].map((each) => hexes.map((hex) => hex[each])), [{ box: first }] = pictures;
  let [left, top] = hexes.length ? [Math.max(...xs), Math.min(...ys)] : first;
  const whole = hexes.length ? [...box] : [left, top, 0, 0];
  early.replaceChildren(...pictures.map(({ png, box: [, , wide, high] }) => {
    const image = paper(Uint8Array.from(atob(png), (each) => each.charCodeAt(0)), "paper", [left, top, wide, high], "image/png");
    left += wide;
    whole[2] = Math.max(whole[2], left - whole[0]);
    whole[3] = Math.max(whole[3], top + high - whole[1]);
    return image;
  }));
  world.classList.toggle("instead", !hexes.length);
  world.append(early);
  showAll(whole);
}
/** Take the pictures of boards that are being read away; what they hid shows again where it was. */
export function unforesee(back = false) {
  if (!before) return;
  if (back) { Object.assign(here, before); place(); }
  before = null;
  early.replaceChildren();
  world.classList.remove("instead");
}

function lay() {
  const next = board.layout.box;
  const moved = next.join() !== box.join();
  box = next;
  world.style.width = `${box[2] * UNIT}px`;
  world.style.height = `${box[3] * UNIT}px`;
  index();
  if (overlay && !moved && !fresh) {
    clear("tint", "marks", "light", "line", "ends");
    if (!board.hexes.has(focus)) { focus = null; clear("focus"); }
    return;
  }
  overlay?.remove();
  overlay = shape("svg", { viewBox: box.join(" "), class: "overlay", "aria-hidden": "true" });
  for (const name of ["outline", "tint", "marks", "light", "focus", "line", "ends"]) {
    layers[name] = overlay.appendChild(shape("g", { class: `on-${name}` }));
  }
  world.append(ground, changes, early, overlay);
  world.classList.remove("instead");
  // A map of which no picture has come yet shows its hexes at once.
  if (before) for (const each of [...ground.children, ...early.children]) lie(each);
  else {
    layers.outline.append(shape("path", { d: [...board.hexes.values()].map((hex) => hexagon(hex)).join("") }));
    bare();
  }
  showStart();
  fresh = false;
}

events.addEventListener("opening", () => {
  fresh = true;
  focus = null;
  floors.hidden = true;
  drawing++;
  asking?.abort();
  view.classList.remove("drawing");
  overlay?.remove();
  bare();
  index();
});
events.addEventListener("board", () => { lay(); draw(); });
events.addEventListener("drawn", () => layers.outline?.replaceChildren());
addEventListener("resize", () => place());

export const hexagon = (hex, by = 1) =>
  `M${CORNERS.map(([x, y]) => `${Math.round(hex.x + x * by)} ${Math.round(hex.y + y * by)}`).join("L")}z`;

export function clear(...names) { for (const name of names) layers[name]?.replaceChildren(); }

/** Colour hexes: [{hex, kind, text}], with a few letters each. */
export function tint(cells) {
  layers.tint.replaceChildren(...cells.flatMap(({ hex, kind, text }) => {
    const at = board.hexes.get(hex);
    if (!at) return [];
    const cell = [shape("path", { d: hexagon(at), class: `tint ${kind}`, "data-hex": hex })];
    if (text) {
      const size = Math.min(150, 520 / Math.max(2.4, text.length * 0.62));
      cell.push(shape("text", { x: at.x, y: at.y + 170, class: "tint-text", "font-size": size }, text));
    }
    return cell;
  }));
}

function places(layer, names, kind) {
  const drawn = [];
  for (const name of names) {
    const side = String(name).match(/^([^-/]+)-([^-/]+)/);
    const ends = side && sideOf(side[1], side[2]);
    if (ends) drawn.push(shape("path", { d: `M${ends[0]}L${ends[1]}`, class: `${kind} side` }));
    else {
      const hex = board.hexes.get(String(name).split(/[/@]/)[0]);
      if (hex) drawn.push(shape("path", { d: hexagon(hex, 0.97), class: kind, "data-hex": hex.name }));
    }
  }
  layers[layer].append(...drawn);
}

function sideOf(one, two) {
  const a = board.hexes.get(one);
  const b = board.hexes.get(two) ?? board.hexes.get(boardOf(one) + two);
  if (!a || !b) return null;
  const corners = CORNERS.map(([x, y]) => [a.x + x, a.y + y]);
  const near = corners.filter(([x, y]) => Math.hypot(x - b.x, y - b.y) < 360);
  return near.length === 2 ? near.map((each) => each.join(" ")) : null;
}

/** Light hexes up, as those that a step of a proof speaks of. */
export function light(names) {
  layers.light?.replaceChildren();
  if (layers.light) places("light", names, "lit");
}

/** The vertices of a hex from where a path comes to a vertex: a path in Bypass runs along the hexsides. */
function alongSides(hex, from, to) {
  const corners = CORNERS.map(([x, y]) => ({ x: hex.x + x, y: hex.y + y }));
  const far = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
  const nearest = (point) => corners.map((each, at) => [far(each, point), at]).sort((a, b) => a[0] - b[0]).map((each) => each[1]);
  const end = nearest(to)[0], starts = nearest(from).slice(0, far(corners[nearest(from)[0]], from) < 20 ? 1 : 2);
  const ways = starts.flatMap((start) => [1, 5].map((by) => {
    const way = [start];
    while (way.at(-1) !== end) way.push((way.at(-1) + by) % 6);
    return way;
  }));
  return ways.sort((a, b) => a.length - b.length)[0].map((at) => corners[at]);
}

/** A way from place to place; in Bypass along the hexsides. */
export function way(steps) {
  const points = [];
  for (const name of steps) {
    const place = placeOf(name), hex = board.hexes.get(name.split(/[/@]/)[0]), last = points.at(-1);
    if (place?.x !== undefined && hex && last) points.push(...alongSides(hex, last, place));
    else if (place?.x !== undefined || hex) points.push(place?.x !== undefined ? place : hex);
  }
  layers.marks.replaceChildren();
  if (points.length > 1) {
    const d = `M${points.map((each) => `${each.x} ${each.y}`).join("L")}`;
    layers.marks.append(shape("path", { d, class: "way under" }), shape("path", { d, class: "way" }));
  }
}

/** Where a Location is: a vertex by itself, another in the middle of its hex. */
const spotOf = (end) => end && (end.x === undefined ? board.hexes.get(end.hex) : end);

/** A line between two places, its state, and what blocks and hinders it. */
export function line(from, to, state = "asked", marks = {}) {
  const a = spotOf(from), b = spotOf(to), apart = a && b && (a.x !== b.x || a.y !== b.y);
  clear("line", "ends", "marks");
  if (!a) return;
  if (apart) {
    const d = `M${a.x} ${a.y}L${b.x} ${b.y}`;
    layers.line.append(shape("path", { d, class: "sight under" }), shape("path", { d, class: `sight ${state}` }));
  }
  places("marks", marks.hinders ?? [], "hinders");
  places("marks", marks.blocks ?? [], "blocks");
  const end = (hex, floor, name) => shape("g", { class: `end ${state}`, transform: `translate(${hex.x} ${hex.y})`, "data-end": name }, shape("g", { class: "knob" },
    shape("circle", { r: 92, class: "grip" }), shape("circle", { r: 56, class: "dot" }),
    shape("text", { y: 24, "font-size": 66 }, floor === null || floor === undefined ? "" : String(floor).replace(".5", "½"))));
  layers.ends.append(end(a, from.level, "from"));
  if (b && (apart || from.place !== to.place)) {
    const knob = end(b, to.level, "to");
    if (!apart) knob.setAttribute("transform", `translate(${b.x + 120} ${b.y})`);
    layers.ends.append(knob);
  }
}

// --- pointing, dragging, zooming

const fingers = new Map();
let drag = null, pinch = 0;

const at = (event) => {
  const frame = view.getBoundingClientRect();
  return { x: event.clientX - frame.left, y: event.clientY - frame.top };
};

// Pressed on a hex and drawn to another, a line; on a counter under Change, a move. A modifier, the middle button or
// the button Pan moves the map, as does one finger: there a line begins where it is held for a moment.
const ghost = el("div.ghost", { "aria-hidden": "true", hidden: true });
by("map").append(ghost);
let holding = 0;
const panButton = by("pan");
panButton.onclick = () => panButton.setAttribute("aria-pressed", panButton.getAttribute("aria-pressed") !== "true");
const wantsPan = (event) => event.button === 1 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || panButton.getAttribute("aria-pressed") === "true";

view.addEventListener("pointerdown", (event) => {
  if (event.button > 1) return;
  if (event.button === 1) event.preventDefault();
  const point = at(event), touch = event.pointerType === "touch";
  fingers.set(event.pointerId, point);
  view.setPointerCapture(event.pointerId);
  const end = event.target.closest?.("[data-end]")?.dataset.end ?? null, start = hexAt(point.x, point.y);
  drag = { ...point, from: { ...here }, end, start, moved: false, pan: !end && (wantsPan(event) || touch), kind: null };
  hideTip();
  clearTimeout(holding);
  if (touch && !end && start) holding = setTimeout(() => {
    if (!drag || drag.moved || fingers.size !== 1) return;
    drag.pan = false;
    light([start.name]);
    navigator.vibrate?.(20);
  }, HELD);
  if (fingers.size === 2) { const [a, b] = [...fingers.values()]; pinch = Math.hypot(a.x - b.x, a.y - b.y); }
});

view.addEventListener("pointermove", (event) => {
  const point = at(event);
  if (!fingers.has(event.pointerId)) { hover(point); return; }
  fingers.set(event.pointerId, point);
  if (fingers.size === 2) {
    const [a, b] = [...fingers.values()], now = Math.hypot(a.x - b.x, a.y - b.y);
    if (pinch) zoom(now / pinch, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
    pinch = now;
    if (drag) drag.moved = true;
    return;
  }
  if (!drag) return;
  if (!drag.moved && Math.hypot(point.x - drag.x, point.y - drag.y) < 5) return;
  if (!drag.moved) {
    drag.moved = true;
    clearTimeout(holding);
    // From where a line begins another begins; its other end is drawn elsewhere.
    if (drag.end === "from") drag.end = null;
    drag.kind = drag.end || drag.pan || !drag.start ? null : map.grab?.(drag.start, toMap(drag.x, drag.y)) ?? null;
    floors.hidden = true;
  }
  const hex = hexAt(point.x, point.y);
  if (drag.kind?.name) { carry(drag.kind, point, hex); return; }
  if (drag.kind === "line" && hex && hex !== drag.start) {
    map.onbegin?.(drag.start, toMap(drag.x, drag.y));
    Object.assign(drag, { kind: null, end: "to" });
  }
  if (drag.kind === "line") return;
  if (drag.end) {
    if (hex && hex !== drag.hex) { drag.hex = hex; map.ondrag?.(drag.end, hex); }
    return;
  }
  view.classList.add("panning");
  here.x = drag.from.x + point.x - drag.x;
  here.y = drag.from.y + point.y - drag.y;
  place();
});

const HELD = 420;

/** A counter on its way: itself under the pointer, and the hex into which it would come. */
function carry(unit, point, hex) {
  hideTip();
  if (ghost.hidden) fill(ghost, unit.counter ? counter(unit) : el("span.chip", unit.label));
  ghost.hidden = false;
  ghost.style.translate = `${point.x}px ${point.y}px`;
  const vertex = hex && bypass(unit, hex, toMap(point.x, point.y));
  light(hex ? [hex.name] : []);
  if (vertex) layers.light.append(shape("circle", { cx: vertex.x, cy: vertex.y, r: 70, class: "lit bypass" }));
}

/** The vertex at which a vehicle comes into Bypass, if it is dropped near a vertex or a hexside. */
function bypass(unit, hex, [x, y]) {
  const type = unit.type ?? unit.says?.split(/[ :]/)[0];
  if (type !== "vehicle") return null;
  const [first, second] = verticesOf(hex).map((each) => ({ each, far: Math.hypot(each.x - x, each.y - y) })).sort((a, b) => a.far - b.far);
  const p = first.each, q = second.each, wide = Math.hypot(q.x - p.x, q.y - p.y);
  const off = Math.abs((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x)) / wide;
  return first.far < 110 || off < 70 ? p : null;
}
/** Put a vehicle in Bypass, and say so; what is refused is told by who puts it there. */
async function intoBypass(vertex, put) {
  if (await put(vertex)) notice(`in Bypass at ${vertex.place}`);
}

/**
 * Carry a counter from beside the map onto it: a unit, or something that says what is done where it is dropped:
 * `drop` at a Location, or in a `whole` hex, `onto` a unit.
 */
export function carryIn(unit, event) {
  if (event.button || event.pointerType === "touch") return;
  const start = at(event);
  let carried = false;
  const move = (now) => {
    const point = at(now);
    carried ||= Math.hypot(point.x - start.x, point.y - start.y) > 6;
    if (carried) carry(unit, point, inside(point) ? hexAt(point.x, point.y) : null);
  };
  const drop = (now) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointercancel", drop);
    if (!carried) return;
    const point = at(now), hex = now.type === "pointerup" && inside(point) ? hexAt(point.x, point.y) : null;
    ghost.hidden = true;
    light([]);
    if (!hex) return;
    const there = unitsIn(hex.name);
    const vertex = unit.onto || unit.whole ? null : bypass(unit, hex, toMap(point.x, point.y));
    if (vertex) intoBypass(vertex, unit.drop ?? ((floor) => map.onmove?.(unit, floor)));
    else if (unit.whole) unit.drop(hex.floors[0]);
    else if (!unit.onto) placesOf(hex, { vertices: near(hex, toMap(point.x, point.y)), choose: unit.drop ?? ((floor) => map.onmove?.(unit, floor)) });
    else if (there.length > 1) placesOf(hex, { levels: [], units: there, chooseUnit: unit.onto });
    else if (there.length) unit.onto(there[0]);
    else notice(`there is no unit in ${hex.name}`);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", drop, { once: true });
  addEventListener("pointercancel", drop, { once: true });
}
const inside = ({ x, y }) => x >= 0 && y >= 0 && x < view.clientWidth && y < view.clientHeight;

/** A unit's counter as an image. */
export const counter = (unit) => Object.assign(picture(unit.counter, unit.line), { className: "counter", draggable: false });

/** The vertices of a hex that are near a point of the lattice. */
const near = (hex, [x, y]) => verticesOf(hex).filter((each) => Math.hypot(each.x - x, each.y - y) < NEAR);

// Escape lets go of a counter where it was.
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !drag?.kind?.name) return;
  drag = { ...drag, kind: null, pan: true, from: { ...here }, ...[...fingers.values()][0] };
  ghost.hidden = true;
  light([]);
});

function up(event) {
  const point = at(event), one = fingers.size === 1, done = event.type === "pointerup";
  fingers.delete(event.pointerId);
  view.classList.remove("panning");
  pinch = 0;
  clearTimeout(holding);
  const hex = hexAt(point.x, point.y), vertices = hex ? near(hex, toMap(point.x, point.y)) : [];
  if (drag?.kind?.name) {
    const unit = drag.kind;
    ghost.hidden = true;
    light([]);
    const vertex = done && hex ? bypass(unit, hex, toMap(point.x, point.y)) : null;
    if (vertex && vertex.place !== unit.at) intoBypass(vertex, (floor) => map.onmove?.(unit, floor));
    else if (done && !hex) notice(`${unit.name} was not moved: there is no hex here`);
    else if (done && hex) placesOf(hex, { vertices, choose: (floor) => { if (floor.place !== unit.at) map.onmove?.(unit, floor); } });
  } else if (drag?.end && drag.moved) map.ondrop?.(drag.end);
  else if (done && drag && one && !drag.moved) {
    light([]);
    if (drag.end) map.onend?.(drag.end);
    if (hex) pick(hex, { vertices }); else floors.hidden = true;
  }
  if (!fingers.size) drag = null;
}
view.addEventListener("pointerup", up);
view.addEventListener("pointercancel", up);
view.addEventListener("pointerleave", () => hideTip());
view.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), at(event));
}, { passive: false });

by("zoom-in").onclick = () => zoom(1.4);
by("zoom-out").onclick = () => zoom(1 / 1.4);
by("zoom-all").onclick = () => showAll();

// --- by the keyboard

const WAYS = { ArrowUp: [0, -516], ArrowDown: [0, 516], ArrowLeft: [-450, 0], ArrowRight: [450, 0] };
view.addEventListener("keydown", (event) => {
  if (event.key === "+" || event.key === "=") return zoom(1.3);
  if (event.key === "-") return zoom(1 / 1.3);
  if (event.key === "0") return showAll();
  if ((event.key === "Enter" || event.key === " ") && focus) {
    event.preventDefault();
    const hex = board.hexes.get(focus);
    return pick(hex, { byKey: true, vertices: event.shiftKey ? verticesOf(hex) : [] });
  }
  const way = WAYS[event.key];
  if (!way) return;
  event.preventDefault();
  const old = board.hexes.get(focus) ?? hexAt(view.clientWidth / 2, view.clientHeight / 2) ?? board.hexes.values().next().value;
  if (!old) return;
  let best = focus ? null : old, least = Infinity;
  if (focus) for (const hex of board.hexes.values()) {
    const dx = hex.x - old.x, dy = hex.y - old.y;
    if (way[0] ? Math.sign(dx) !== Math.sign(way[0]) : Math.sign(dy) !== Math.sign(way[1]) || dx) continue;
    const far = Math.hypot(dx - way[0], dy - way[1]);
    if (far < least) { least = far; best = hex; }
  }
  if (!best || least > 700 && focus) return;
  setFocus(best.name);
});

export function setFocus(name) {
  focus = name;
  const hex = board.hexes.get(name);
  layers.focus?.replaceChildren(shape("path", { d: hexagon(hex, 0.95), class: "focused" }));
  show(name);
  spoken.textContent = telling(hex);
}

function telling(hex) {
  const units = unitsIn(hex.name);
  const stacks = hex.floors.map((each) => each.floor === "0" ? "ground" : each.floor).join(", ");
  return `${hex.name}, level ${hex.level}${hex.floors.length > 1 ? `, Locations ${stacks}` : ""}${units.length ? `, ${units.map((each) => each.name).join(" ")}` : ""}`;
}

export const unitsIn = (hex) => [...board.units.values()].filter((unit) => unit.hex === hex);

// --- what a hex is

const known = new Map();
let waiting = 0, over = null;
events.addEventListener("board", () => known.clear());

function hover(point) {
  const hex = hexAt(point.x, point.y);
  if (hex?.name === over && !tip.hidden) return placeTip(point);
  over = hex?.name ?? null;
  clearTimeout(waiting);
  if (!hex) return hideTip();
  fill(tip, el("strong", hex.name), ` level ${hex.level}`, stackOf(hex));
  tip.hidden = false;
  placeTip(point);
  waiting = setTimeout(async () => {
    const told = await about(hex.name);
    const shown = () => over === hex.name && !tip.hidden && told && !told.error;
    if (!shown()) return;
    fill(tip, ...saidOf(hex, told));
    placeTip(point);
    await new Promise((later) => setTimeout(later, 120));
    if (!shown() || told.mf) return;
    const cost = await call("entering", { sheet: board.key, hex: hex.name }).catch(() => null);
    told.mf = cost?.ways?.length ? `MF ${[...new Set(cost.ways.map((each) => each[1]))].join(" or ")} to enter, from ${cost.from}` : "";
    if (shown()) { fill(tip, ...saidOf(hex, told)); placeTip(point); }
  }, 90);
}

export async function about(name) {
  const key = `${board.key} ${name}`;
  if (!known.has(key)) known.set(key, call("hex", { sheet: board.key, hex: name }).catch(() => null));
  return await known.get(key);
}

function saidOf(hex, told) {
  const values = told.values;
  const kind = [values.construction, values.btype && `${values.btype} building`].filter(Boolean).join(" ");
  const rows = [];
  if (told.named.length) rows.push(told.named.join(", "));
  if (kind) rows.push(`${kind}${values.height ? `, height ${values.height}` : ""}`);
  if (told.terrain.length) rows.push(told.terrain.join(", "));
  const levels = hex.floors.map((each) => {
    const tem = told.locations[each.place]?.tem;
    return el("tr", el("td", each.floor === "0" ? "ground" : each.floor), el("td", each.level === null ? "?" : `level ${each.level}`),
      el("td", tem === undefined ? "" : `TEM ${tem > 0 ? "+" : ""}${tem}`));
  }).reverse();
  return [
    el("strong", hex.name), ` level ${hex.level}`,
    rows.map((each) => el("div", each)),
    el("table", levels),
    told.mf ? el("div", told.mf) : null,
    stackOf(hex),
  ];
}

/** The units of a hex, their counters side by side, each with what the board says of it. */
const stackOf = (hex) => unitsIn(hex.name).map((unit) => el("div.unit-line", counter(unit), unit.line.replace(/^unit /, "")));

function placeTip(point) {
  const wide = view.clientWidth, high = view.clientHeight;
  tip.style.left = `${point.x + 18 + tip.offsetWidth > wide ? Math.max(0, point.x - tip.offsetWidth - 12) : point.x + 18}px`;
  tip.style.top = `${point.y + 18 + tip.offsetHeight > high ? Math.max(0, point.y - tip.offsetHeight - 12) : point.y + 18}px`;
}
function hideTip() { tip.hidden = true; over = null; clearTimeout(waiting); }

// --- the levels of a hex, laid out as floors

let open = null;
/** Close the floors; the focus goes back to the map, unless it is elsewhere. */
export function closeFloors() {
  if (floors.hidden) return;
  const inside = document.activeElement === document.body || floors.contains(document.activeElement);
  floors.hidden = true;
  open = null;
  if (inside) view.focus({ preventScroll: true });
}
addEventListener("keydown", (event) => { if (event.key === "Escape") closeFloors(); });

function pick(hex, how = {}) {
  if (!hex) return;
  hideTip();
  setFocus(hex.name);
  placesOf(hex, { ...how, units: unitsIn(hex.name), choose: (floor) => map.onpick?.(floor) });
}

/** Have a Location of a hex chosen where there are several: its floors, vertices that are near, units in it. */
function placesOf(hex, { byKey = false, levels = hex.floors, vertices = [], units = [], choose: chosen, chooseUnit = (unit) => map.onunit?.(unit) }) {
  if (levels.length === 1 && !units.length && !vertices.length) {
    floors.hidden = true;
    chosen(hex.floors[0]);
    return;
  }
  open = hex;
  hideTip();
  const choose = (floor) => { closeFloors(); chosen(floor); };
  fill(floors,
    el("div.floors-head", el("strong", hex.name), el("button.plain", { onclick: closeFloors, "aria-label": "Close" }, "×")),
    el("div.storeys", { hidden: !levels.length }, [...levels].reverse().map((floor) => el(`button.floor${floor.floor === "0" ? ".ground" : ""}`,
      { onclick: () => choose(floor), "data-place": floor.place },
      el("span", floor.floor === "0" ? "ground" : /^\d+$/.test(floor.floor) ? `level ${floor.floor}` : floor.floor),
      el("small", floor.level === null ? "" : `at ${floor.level}`),
      units.filter((unit) => unit.at === floor.place).map((unit) => el("span.chip", unit.name))))),
    vertices.map((each) => el("button.vertex", { onclick: () => choose(each), "data-place": each.place }, `vertex with ${each.vertex.replace("-", ", ")}`)),
    units.map((unit) => el("button.unit", { onclick: () => { closeFloors(); chooseUnit(unit); }, "data-unit": unit.name, title: unit.line },
      counter(unit), el("span", el("b", unit.name), ` ${[unit.side, unit.type].filter(Boolean).join(" ")}`))));
  floors.hidden = false;
  placeFloors();
  if (byKey) floors.querySelector(".storeys button:last-child")?.focus();
  floors.onkeydown = (event) => {
    const buttons = [...floors.querySelectorAll("button")], now = buttons.indexOf(document.activeElement);
    if (event.key === "ArrowDown") buttons[Math.min(buttons.length - 1, now + 1)]?.focus();
    if (event.key === "ArrowUp") buttons[Math.max(0, now - 1)]?.focus();
  };
}

function placeFloors() {
  if (floors.hidden || !open) return;
  const [x, y] = toView(open.x, open.y), side = 300 * UNIT * here.scale * 0.8;
  let left = x + side, top = y - floors.offsetHeight / 2;
  if (left + floors.offsetWidth > view.clientWidth) left = x - side - floors.offsetWidth;
  floors.style.left = `${Math.min(Math.max(4, left), Math.max(4, view.clientWidth - floors.offsetWidth - 4))}px`;
  floors.style.top = `${Math.min(Math.max(4, top), Math.max(4, view.clientHeight - floors.offsetHeight - 4))}px`;
}

/** The unit whose counter is drawn at a point of the lattice. */
export const unitOn = (hex, [x, y]) => unitsIn(hex.name).find((unit) => {
  const [left, top, wide, high] = drawnAt.get(unit.name) ?? [];
  return x >= left && x <= left + wide && y >= top && y <= top + high;
}) ?? null;
/** The same, else the only one in the hex. */
export function unitAt(hex, point) {
  const units = unitsIn(hex.name);
  return unitOn(hex, point) ?? (units.length === 1 ? units[0] : null);
}

/** Where the counters in a picture lie, by unit. */
const countersIn = (svg) => [...svg.matchAll(/data-unit="([^"]*)"[^>]*><title>[^<]*<\/title><path[^>]* d="M(-?\d+) (-?\d+)h(\d+)v(\d+)h-\d+z"/g)]
  .map(([, name, ...numbers]) => [new DOMParser().parseFromString(name, "text/html").body.textContent, numbers.map(Number)]);

export const reading = { toView, here };
