// Elements in short: el("p.note", {title: "..."}, "text", child, ...).  Texts are texts, never markup.

export function el(what, ...inner) {
  const [name, ...classes] = what.split(".");
  const [tag, id] = name.split("#");
  const node = document.createElement(tag || "div");
  if (id) node.id = id;
  if (classes.length) node.className = classes.join(" ");
  return put(node, ...inner);
}

const SVG = "http://www.w3.org/2000/svg";
export function shape(tag, attributes = {}, ...inner) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...inner);
  return node;
}

export function put(node, ...inner) {
  for (const each of inner.flat(Infinity)) {
    if (each === null || each === undefined || each === false) continue;
    if (each instanceof Node || typeof each === "string") node.append(each);
    else if (typeof each === "number") node.append(String(each));
    else {
      for (const [name, value] of Object.entries(each)) {
        if (value === null || value === undefined) continue;
        if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
        else if (name in node && typeof value !== "string") node[name] = value;
        else if (value !== false) node.setAttribute(name, value);
      }
    }
  }
  return node;
}

export const by = (id) => document.getElementById(id);

export function fill(node, ...inner) {
  node.replaceChildren();
  return put(node, ...inner);
}

let fading = 0;
export function notice(text, lasting = false, again = null) {
  const node = by("notice");
  // What is offered again stays until it is taken, or something else is amiss.
  if (text && !lasting && !node.hidden && node.querySelector("button")) return;
  fill(node, text, again && [" ", el("button", { onclick: () => { notice(""); again(); } }, "Try again")]);
  node.hidden = !text;
  clearTimeout(fading);
  if (text && !lasting) fading = setTimeout(() => { node.hidden = true; }, 7000);
}

/** A picture that came as text or bytes, as an image: whatever stands in it, nothing of it runs. */
export function picture(data, alt, type = "image/svg+xml") {
  const url = URL.createObjectURL(new Blob([data], { type }));
  const image = el("img", { alt });
  image.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
  image.src = url;
  return image;
}
