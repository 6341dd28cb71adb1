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
    if (reply.status === 410 && renew && turn === 0 && name !== "sheet") {
      await renew();
      continue;
    }
    if (reply.status === 403) throw new Error("the server does not know this page any more: start it again");
    return await reply.json();
  }
}

export async function hand(file) {
  const reply = await fetch(new URL(`api/open?name=${encodeURIComponent(file.name)}`, base), {
    method: "POST",
    body: file,
  });
  return await reply.json();
}

addEventListener("pagehide", () => {
  navigator.sendBeacon?.(new URL("api/bye", base), JSON.stringify({ tab }));
});
