import { MOST_INPUT_BYTES } from "./target.ts";

/** Whole numbers from 0 to `below` - 1, the same for the same seed. */
export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return (below) => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % Math.max(1, below);
  };
}

/** Numbers that lengths, counts and places are compared with. */
const EDGES = [
  ...[0, 1, 2, 3, 4, 7, 8, 11, 12, 15, 16, 17, 63, 64, 65, 127, 128, 129, 130, 255, 256, 257],
  ...[0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff],
] as const;

/** Numbers of RFB: encodings, pseudo-encodings and messages. */
const WORDS = [
  ...[0, 1, 2, 4, 5, 6, 7, 15, 16, 17, 21, 50, -223, -224, -232, -239, -240, -257, -258, -260, -261, -307],
  ...[-308, -309, -312, -313, -314, -316, 0x574d5664, 0x574d5665, 0x574d5666, 0xc0a1e5ce | 0],
] as const;

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

function changed(bytes: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = bytes.slice();
  change(copy);
  return copy;
}

function put(bytes: Uint8Array, at: number, value: number, size: number): Uint8Array {
  return changed(bytes, (copy) => {
    for (let i = 0; i < size && at + i < copy.length; i++) copy[at + i] = value >>> (8 * (size - 1 - i));
  });
}

function spliced(bytes: Uint8Array, at: number, drop: number, insert: Uint8Array): Uint8Array {
  const rest = bytes.subarray(Math.min(bytes.length, at + drop));
  const out = new Uint8Array(Math.min(at, bytes.length) + insert.length + rest.length);
  out.set(bytes.subarray(0, at));
  out.set(insert, Math.min(at, bytes.length));
  out.set(rest, Math.min(at, bytes.length) + insert.length);
  return out;
}

function slice(bytes: Uint8Array, random: Random, most: number): Uint8Array {
  const start = random(bytes.length);
  return bytes.subarray(start, start + 1 + random(most));
}

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) =>
    changed(bytes, (copy) => {
      const at = random(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
    }),
  (bytes, random) => put(bytes, random(bytes.length), random(256), 1),
  (bytes, random) => put(bytes, random(bytes.length), EDGES[random(EDGES.length)] ?? 0, 1),
  (bytes, random) => put(bytes, random(bytes.length), EDGES[random(EDGES.length)] ?? 0, 2),
  (bytes, random) => put(bytes, random(bytes.length), EDGES[random(EDGES.length)] ?? 0, 4),
  (bytes, random) => put(bytes, random(bytes.length), WORDS[random(WORDS.length)] ?? 0, 4),
  (bytes, random) =>
    changed(bytes, (copy) => {
      const at = random(copy.length);
      copy[at] = (copy[at] ?? 0) + random(9) - 4;
    }),
  (bytes, random) => bytes.slice(0, random(bytes.length + 1)),
  (bytes, random) => spliced(bytes, random(bytes.length), 1 + random(8), new Uint8Array(0)),
  (bytes, random) => spliced(bytes, random(bytes.length + 1), 0, slice(bytes, random, 64)),
  (bytes, random) => spliced(bytes, random(bytes.length + 1), random(8), slice(bytes, random, 32)),
  (bytes, random) =>
    spliced(
      bytes,
      random(bytes.length + 1),
      0,
      Uint8Array.from({ length: 1 + random(24) }, () => random(256)),
    ),
  (bytes, random, other) =>
    spliced(bytes, random(bytes.length + 1), bytes.length, slice(other, random, 4096)),
  (bytes, random, other) => spliced(bytes, random(bytes.length + 1), random(16), slice(other, random, 128)),
];

/** A few changes to an input; `other` is one to take parts from. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let result = bytes;
  for (let left = 1 + random(4); left > 0; left--) {
    const mutation = MUTATIONS[random(MUTATIONS.length)];
    if (mutation !== undefined) result = mutation(result, random, other);
  }
  return result.slice(0, MOST_INPUT_BYTES);
}
