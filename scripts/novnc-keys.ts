/** What noVNC knows of keys, as the web app carries it along: numbers in place of names, and only what is looked at. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const INPUT = join(dirname(createRequire(import.meta.url).resolve("@novnc/novnc")), "input");
const read = (name: string): string => readFileSync(join(INPUT, name), "utf8");

/** By X's name for them. */
const KEYSYMS: ReadonlyMap<string, number> = new Map(
  Array.from(read("keysym.js").matchAll(/^ {4}(\w+):\s*(0x[0-9a-f]+)/gim), ([, name = "", number]) => [
    name,
    Number(number),
  ]),
);

function keysymOf(name: string): number {
  const keysym = KEYSYMS.get(name);
  if (keysym === undefined) throw new Error(`noVNC has no keysym ${name} any more, or in another form`);
  return keysym;
}

/** One key of a browser, in noVNC's table: everywhere the same, left and right, or another one on the number pad. */
const ADDED = /^add(Standard|LeftRight|Numpad)\("([^"]+)", KeyTable\.(\w+)(?:, KeyTable\.(\w+))?\);/gm;
/** Of KeyboardEvent.location 0 to 3, what comes beside the first. */
const BESIDE = { Standard: "", LeftRight: ",,", Numpad: ",,," } as const;

function domKeys(): string {
  const source = read("domkeytable.js");
  const added = Array.from(source.matchAll(ADDED), ([, way, key, first = "", other]) => {
    if (way !== "Standard" && way !== "LeftRight" && way !== "Numpad") throw new Error(`no way ${way}`);
    const beside = other === undefined ? "" : `${BESIDE[way]}${keysymOf(other)}`;
    return `${JSON.stringify(key)}:[${keysymOf(first)}${beside}]`;
  });
  if (added.length !== source.match(/^add/gm)?.length)
    throw new Error("noVNC's table of keys has another form");
  return `const keys = {${added.join(",")}};
for (const key in keys) keys[key] = [0, 1, 2, 3].map((place) => keys[key][place] ?? keys[key][0]);
export default keys;`;
}

/** noVNC's `DOMKeyTable`, in a fifth of its bytes. */
export const DOM_KEYS = domKeys();

/** noVNC's look-up of a code point (X11 protocol, appendix A): Latin-1's keysym or Unicode's, as all that our server types. */
const KEYSYM_OF = "export default { lookup: (u) => (u >= 0x20 && u <= 0xff ? u : 0x01000000 | u) };";

/** What takes the place of a whole module of noVNC's. */
const IN_PLACE: Readonly<Record<string, string>> = {
  domkeytable: DOM_KEYS,
  keysymdef: KEYSYM_OF,
  // Keys whose event does not name them never come so far (keyboard-field.ts).
  fixedkeys: "export default {};",
};

/** noVNC's keys by number: their names, and the tables that nothing of ours looks into, would travel for nothing. */
export function shortenKeys(): Plugin {
  return {
    name: "shorten-keys",
    enforce: "pre",
    load: {
      filter: { id: /\/@novnc\/novnc\/core\/input\/(domkeytable|keysymdef|fixedkeys)\.js$/ },
      handler: (id) => ({ code: IN_PLACE[/(\w+)\.js$/.exec(id)?.[1] ?? ""] ?? "", map: null }),
    },
    transform: {
      filter: { id: /\/@novnc\/novnc\/core\/(rfb|input\/(keyboard|util))\.js$/ },
      handler: (code) => ({
        code: code.replace(/\bKeyTable\.(\w+)/g, (_, name) => String(keysymOf(name))),
        map: null,
      }),
    },
  };
}
