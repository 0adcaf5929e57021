import fc from "fast-check";
import t from "tap";
import { FilmError, FlvVideo } from "../../../../src/web/viewer/film/flv-video.ts";

const HEAD = [0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, 9, 0, 0, 0, 0];

function tag(type: number, body: readonly number[]): number[] {
  const { length } = body;
  return [type, length >> 16, (length >> 8) & 255, length & 255, 0, 0, 0, 0, 0, 0, 0, ...body, 0, 0, 0, 0];
}

const unit = (...bytes: number[]): number[] => [0, 0, 0, bytes.length, ...bytes];
const picture = (...units: number[][]): number[] => tag(9, [0x17, 1, 0, 0, 0, ...units.flat()]);

const SEI = unit(6, 1, 2);
const SPS = unit(0x67, 66, 0, 51);
const PPS = unit(0x68, 9);
const KEY = unit(0x65, 1, 2, 3, 4, 5);
const STREAM = Uint8Array.from([
  ...HEAD,
  ...tag(18, [1, 2, 3]),
  ...tag(9, [0x17, 0, 0, 0, 0, 1, 2]),
  ...picture(SEI, SPS, PPS, SEI, KEY),
  ...picture(unit(0x61, 7)),
]);

function read(stream: Uint8Array, size: number): number[][] {
  const pictures: number[][] = [];
  const video = new FlvVideo((bytes) => pictures.push([...bytes]));
  for (let at = 0; at < stream.length; at += size) video.push(stream.subarray(at, at + size));
  return pictures;
}

t.test("parameter sets and slices, in chunks of every size", async (t) => {
  const first = [0, 0, 0, 1, 0x67, 66, 0, 51, 0, 0, 0, 1, 0x68, 9, 0, 0, 0, 1, 0x65, 1, 2, 3, 4, 5];
  for (let size = 1; size <= STREAM.length; size++)
    t.same(read(STREAM, size), [first, [0, 0, 0, 1, 0x61, 7]], `by ${size}`);
});

t.test("what is no such stream is refused in words", async (t) => {
  const refused = (bytes: readonly number[], message: RegExp): void => {
    t.throws(() => read(Uint8Array.from(bytes), 7), { name: "FilmError", message });
  };
  refused([...HEAD].reverse(), /expected FLV/);
  refused([...HEAD, ...tag(9, [0x12, 1, 0, 0, 0])], /expected H.264/);
  refused([...HEAD, ...picture(KEY, KEY)], /2 slices, expected one/);
  refused([...HEAD, ...picture(SPS)], /0 slices/);
  refused([...HEAD, ...picture([0, 0, 9, 9, 0x65])], /longer than its picture/);
  refused([...HEAD, 9, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0], /got a tag of 16777215 bytes/);
});

t.test("any bytes end in pictures or a FilmError", async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
      try {
        read(Uint8Array.from([...HEAD, ...bytes]), size);
      } catch (error) {
        if (!(error instanceof FilmError)) throw error;
      }
    }),
  );
});
