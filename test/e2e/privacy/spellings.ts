/** Shorter ones are in any large file by chance. */
const LEAST_BYTES = 6;

/**
 * A text in the ways in which it could lie in bytes, half of it at a time: what is cut in two, or wrapped, is found too.
 * Snappy, which databases of browsers pack with, leaves what it has not seen before as it is.
 */
export function spellingsOf(text: string): Buffer[] {
  // Of digits alone so many are in a process by chance that only the whole of a code counts.
  const parts = /^\d+$/.test(text) ? [text] : halvesOf(text);
  return distinct(
    parts.flatMap((part) => [
      ...escapesOf(part).map((one) => Buffer.from(one)),
      ...bytesIn(Buffer.from(part)),
      ...bytesIn(Buffer.from(part, "utf16le")),
      Buffer.from(part, "utf16le").swap16(),
    ]),
  );
}

/** Bytes that are no text, such as the key that a seed stands for, likewise. */
export function spellingsOfBytes(bytes: Buffer): Buffer[] {
  const middle = bytes.length >> 1;
  return distinct([bytes.subarray(0, middle), bytes.subarray(middle)].flatMap(bytesIn));
}

function halvesOf(text: string): string[] {
  const half = Math.max(8, Math.ceil(text.length / 2));
  return [text.slice(0, half), text.slice(-half)];
}

/** As texts hold it: plain, in an index of words, in JSON and in JSON within JSON, in addresses and forms, in HTML. */
function escapesOf(part: string): string[] {
  const json = JSON.stringify(part).slice(1, -1);
  const url = encodeURIComponent(part);
  const form = new URLSearchParams({ part }).toString().slice("part=".length);
  const html = part.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const named = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return [
    ...[part, part.toLowerCase()],
    ...[json, JSON.stringify(json).slice(1, -1), json.replaceAll("<", "\\u003c")],
    ...[url, url.replace(/%../g, (code) => code.toLowerCase()), encodeURI(part), form],
    ...[html, Object.entries(named).reduce((all, [letter, name]) => all.replaceAll(letter, name), part)],
  ];
}

/** Bytes as they are, in hex, and in base64 wherever in a group of three they begin. */
function bytesIn(bytes: Buffer): Buffer[] {
  const hex = bytes.toString("hex");
  // The last group holds bytes of what follows.
  const base64 = [0, 1, 2].map((at) => bytes.subarray(at).toString("base64").slice(0, -4));
  const forAddresses = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [bytes, ...[hex, hex.toUpperCase(), ...base64, ...forAddresses].map((one) => Buffer.from(one))];
}

/** Each once, without those that are too short, and those of two lines, which no search by lines finds. */
function distinct(all: readonly Buffer[]): Buffer[] {
  const fit = all.filter((one) => one.length >= LEAST_BYTES && !one.includes("\n"));
  return [...new Map(fit.map((one) => [one.toString("latin1"), one])).values()];
}
