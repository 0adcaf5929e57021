const BLOCK_BYTES = 64;
const LENGTH_AT = 56;

/** RFC 1320 section 3.4: which words a round takes, by how much each step turns, and the constant it adds. */
const ROUNDS = [
  { order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], turns: [3, 7, 11, 19], adds: 0 },
  { order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15], turns: [3, 5, 9, 13], adds: 0x5a827999 },
  { order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], turns: [3, 9, 11, 15], adds: 0x6ed9eba1 },
] as const;

/** MD4, RFC 1320: 16 bytes. Broken as a hash; NTLM makes its key from a password with it, and OpenSSL 3 has it no more. */
export function md4(message: Uint8Array): Uint8Array {
  const blocks = Math.floor((message.length + 8) / BLOCK_BYTES) + 1;
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  // The length in bits, 64 of them: the upper half of a number beyond 2^32.
  const lengthAt = padded.length - BLOCK_BYTES + LENGTH_AT;
  view.setUint32(lengthAt, (message.length << 3) >>> 0, true);
  view.setUint32(lengthAt + 4, Math.floor(message.length / 2 ** 29), true);

  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) mixBlock(state, view, at);
  padded.fill(0);

  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((word, i) => {
    digest.setInt32(i * 4, word, true);
  });
  return new Uint8Array(digest.buffer);
}

function mixBlock(state: Int32Array, view: DataView, at: number): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  for (let round = 0; round < ROUNDS.length; round++) {
    const { order, turns, adds } = ROUNDS[round]!;
    for (let step = 0; step < order.length; step++) {
      const word = view.getInt32(at + order[step]! * 4, true);
      const sum = (a + mixed(round, b, c, d) + word + adds) | 0;
      const turn = turns[step & 3]!;
      a = d;
      d = c;
      c = b;
      b = (sum << turn) | (sum >>> (32 - turn));
    }
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
}

/** F, G and H of the specification. */
function mixed(round: number, x: number, y: number, z: number): number {
  if (round === 0) return (x & y) | (~x & z);
  if (round === 1) return (x & y) | (x & z) | (y & z);
  return x ^ y ^ z;
}
