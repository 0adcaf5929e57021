import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Random = () => number;
/** Changes bytes; gives what they are then, null: there is no such file any more. */
type Change = (bytes: Buffer, random: Random) => Buffer | null;

const below = (random: Random, most: number): number => Math.floor(random() * most);

/** What somebody could do to a file of a recording. */
export const MUTATIONS: readonly { readonly name: string; readonly change: Change }[] = [
  {
    name: "flip a bit",
    change(bytes, random) {
      const at = below(random, bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
      return bytes;
    },
  },
  {
    name: "set a byte",
    change(bytes, random) {
      const at = below(random, bytes.length);
      bytes[at] = ((bytes[at] ?? 0) + 1 + below(random, 255)) % 256;
      return bytes;
    },
  },
  { name: "cut the end", change: (bytes, random) => bytes.subarray(0, below(random, bytes.length)) },
  {
    name: "cut the beginning",
    change: (bytes, random) => bytes.subarray(1 + below(random, bytes.length - 1)),
  },
  {
    name: "cut out the middle",
    change(bytes, random) {
      const from = below(random, bytes.length - 1);
      const to = from + 1 + below(random, bytes.length - from - 1);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    },
  },
  {
    name: "put a byte in",
    change(bytes, random) {
      const at = below(random, bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), Buffer.of(below(random, 256)), bytes.subarray(at)]);
    },
  },
  {
    name: "repeat the end",
    change: (bytes, random) => Buffer.concat([bytes, bytes.subarray(below(random, bytes.length))]),
  },
  {
    name: "swap two pieces",
    change(bytes, random) {
      const size = 1 + below(random, Math.min(200, bytes.length >> 1));
      const first = below(random, bytes.length - 2 * size + 1);
      const second = first + size + below(random, bytes.length - first - 2 * size + 1);
      const out = Buffer.from(bytes);
      bytes.copy(out, first, second, second + size);
      bytes.copy(out, second, first, first + size);
      return out;
    },
  },
  {
    name: "zero a piece",
    change(bytes, random) {
      const at = below(random, bytes.length);
      return bytes.fill(0, at, Math.min(bytes.length, at + 1 + below(random, 50)));
    },
  },
  { name: "remove the file", change: () => null },
];

/** Changes one file of a folder in one way; `number` picks the way. What changes nothing is done again otherwise. */
export function mutate(
  folder: string,
  number: number,
  random: Random,
): { readonly name: string; undo(): void } {
  const names = readdirSync(folder).sort();
  for (let turn = number; ; turn++) {
    const { name, change } = MUTATIONS[turn % MUTATIONS.length] ?? { name: "", change: () => null };
    const file = join(folder, names[below(random, names.length)] ?? "");
    const before = readFileSync(file);
    const after = change(Buffer.from(before), random);
    if (after?.equals(before)) continue;
    if (after === null) rmSync(file);
    else writeFileSync(file, after);
    return { name: `${name} of ${file}`, undo: () => writeFileSync(file, before, { mode: 0o600 }) };
  }
}
