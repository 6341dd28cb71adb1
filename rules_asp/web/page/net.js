// What is asked of the server: each question a POST, each answer JSON.

export const tab = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2);
const base = new URL(".", import.meta.url);

let renew = null;
/** What hands the board over again when the server has forgotten it. */
export function onGone(again) { renew = again; }

export async function call(name, data = {}, signal = undefined) {
  for (let turn = 0; ; turn++) {
    const reply = await fetch(new URL(`api/${name}`, base), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tab, ...data }),
      signal,
    });
    if (reply.status === 410 && renew && turn === 0 && !["sheet", "edit", "resume"].includes(name)) {
      await renew();
      continue;
    }
    if (reply.status === 403 && !reply.headers.get("content-type").includes("json")) throw new Error("the server does not know this page any more: start it again");
    return await reply.json();
  }
}

/** Hand a file over; behind a game its board archives, each said by name and length. */
export async function hand(file, archives = []) {
  const said = new URLSearchParams([["name", file.name], ...archives.map((each) => ["archive", `${each.name.replace(/\.zip$/i, "")}:${each.size}`])]);
  const reply = await fetch(new URL(`api/open?${said}`, base), {
    method: "POST",
    body: archives.length ? new Blob([file, ...archives]) : file,
  });
  return await reply.json();
}

/** The quick picture of an archive of VASL, long before its text: {png, box}; null for another file. */
export async function glimpse(file) {
  if (/\.(vsav|vlog)$/i.test(file.name) || await file.slice(0, 2).text() !== "PK") return null;
  const reply = await fetch(new URL(`api/open?${new URLSearchParams({ name: file.name, picture: 1 })}`, base), { method: "POST", body: file });
  const found = await reply.json();
  return found.error ? null : found;
}

/** Hear of changes by others from the serial number that is known; where the connection is lost, it is tried again. */
export function watch(known, heard, lost) {
  let source = null, quiet = 0, wait = 500;
  const open = () => {
    source = new EventSource(new URL(`api/news?since=${known()}`, base));
    source.onopen = () => { wait = 500; lost(false); };
    source.onerror = again;
    source.addEventListener("position", (event) => { alive(); heard(JSON.parse(event.data)); });
    source.addEventListener("beat", alive);
    alive();
  };
  const again = () => {
    source.close();
    clearTimeout(quiet);
    lost(true);
    setTimeout(open, wait);
    wait = Math.min(10000, 2 * wait);
  };
  // A server that lives is heard of every 15 seconds.
  const alive = () => { clearTimeout(quiet); quiet = setTimeout(again, 40000); };
  open();
}

addEventListener("pagehide", () => {
  navigator.sendBeacon?.(new URL("api/bye", base), JSON.stringify({ tab }));
});
