import t from "tap";
import { InkMask } from "../../../src/vision/cut/ink-mask.ts";
import { numbers } from "../../framebuffer/frames.ts";

const SIZE = { width: 40, height: 160 };
const ALL = { left: 0, top: 0, right: SIZE.width, bottom: SIZE.height };

function maskOf(words: Uint32Array): Uint8Array {
  const mask = new InkMask(SIZE);
  mask.update({ ...SIZE, words }, ALL);
  return mask.bytes;
}

const inkIn = (bytes: Uint8Array): string[] =>
  [...bytes].flatMap((byte, at) => (byte === 0 ? [`${at % SIZE.width},${Math.floor(at / SIZE.width)}`] : []));

/** Stripes down, so that no run across is ground: each column has runs of two colours, and single pixels of the other one. */
function striped(next: () => number): Uint32Array {
  const words = new Uint32Array(SIZE.width * SIZE.height);
  for (let x = 0; x < SIZE.width; x++) {
    const colours = x % 2 === 0 ? [0xff101010, 0xffe0e0e0] : [0xff404040, 0xffb0b0b0];
    for (let y = 0, colour = 0; y < SIZE.height; colour = 1 - colour) {
      const long = [1, 1, 2, 3, 12, 23, 24, 25, 26, 27][next() % 10] ?? 1;
      for (let k = 0; k < long && y < SIZE.height; k++, y++) words[y * SIZE.width + x] = colours[colour] ?? 0;
    }
  }
  return words;
}

t.test("a mask that is kept by what changes is that of the whole picture", async (t) => {
  const next = numbers(7);
  for (let picture = 0; picture < 40; picture++) {
    const words = striped(next);
    const mask = new InkMask(SIZE);
    mask.update({ ...SIZE, words }, ALL);
    for (let step = 0; step < 20; step++) {
      const before = mask.bytes.slice();
      const box = { left: next() % 30, top: next() % 150, right: 0, bottom: 0 };
      box.right = box.left + 1 + (next() % 10);
      box.bottom = box.top + 1 + (next() % 10);
      const from = striped(next);
      for (let y = box.top; y < box.bottom; y++) {
        for (let x = box.left; x < box.right; x++) words[y * SIZE.width + x] = from[y * SIZE.width + x] ?? 0;
      }
      const { left, top, right, bottom } = mask.update({ ...SIZE, words }, box);
      const expected = maskOf(words);
      const isRight = mask.bytes.every((byte, at) => (byte === 0) === (expected[at] === 0));
      if (!isRight) {
        t.same(inkIn(mask.bytes), inkIn(expected), `picture ${picture}, step ${step}`);
        return;
      }
      const isTold = before.every((byte, at) => {
        const [x, y] = [at % SIZE.width, Math.floor(at / SIZE.width)];
        const isWithin = x >= left && x < right && y >= top && y < bottom;
        return isWithin || (byte === 0) === (expected[at] === 0);
      });
      if (!isTold) t.fail(`picture ${picture}, step ${step}: more is changed than was told`);
    }
  }
  t.pass("800 steps");
});

t.test("a mask of which only a part was painted is that of a picture of one colour elsewhere", async (t) => {
  const words = new Uint32Array(SIZE.width * SIZE.height);
  const mask = new InkMask(SIZE);
  for (let y = 20; y < 30; y++) words.fill(0xffffffff, y * SIZE.width + 10, y * SIZE.width + 13);
  mask.update({ ...SIZE, words }, { left: 10, top: 20, right: 13, bottom: 30 });
  t.same(mask.bytes, maskOf(words));
});
