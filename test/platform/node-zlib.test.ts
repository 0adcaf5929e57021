import { constants, createInflateRaw, deflateSync, inflateRawSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import t from "tap";
import { chooseInflate, isSound, nodeDeflate, nodeInflate } from "../../src/platform/node-zlib.ts";
import { pakoInflate } from "../../src/platform/pako-inflate.ts";
import { ZlibEngine } from "../../src/platform/zlib-handle.ts";

const finishFlush = constants.Z_SYNC_FLUSH;

function sync(data: Uint8Array): Uint8Array {
  return deflateSync(data, { finishFlush });
}

const SAMPLE = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 5);

for (const [name, inflate] of [
  ["node", nodeInflate],
  ["pako", pakoInflate],
] as const) {
  t.test(`${name}: a stream goes on over calls, cut anywhere`, async (t) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 3000 }),
        fc.integer({ min: 1, max: 400 }),
        (data, cut) => {
          const packed = sync(data);
          const stream = inflate();
          const out = new Uint8Array(data.length);
          let written = 0;
          for (let at = 0; at < packed.length; at += cut) {
            written += stream.inflate(packed.subarray(at, at + cut), out.subarray(written));
          }
          stream.close();
          return written === data.length && Buffer.from(out).equals(Buffer.from(data));
        },
      ),
    );
    t.pass("all equal");
  });

  t.test(`${name}: output of exactly the right size is enough, one byte less is refused`, async (t) => {
    for (const data of [SAMPLE, new Uint8Array(100_000), Uint8Array.of(1)]) {
      const exact = inflate();
      t.equal(exact.inflate(sync(data), new Uint8Array(data.length)), data.length);
      exact.close();
      const short = inflate();
      const room = new Uint8Array(data.length - 1);
      t.throws(() => short.inflate(sync(data), room), {
        message: `zlib data decodes to more than ${room.length} bytes`,
      });
      short.close();
    }
  });

  t.test(`${name}: a bomb takes no memory`, async (t) => {
    const bomb = sync(new Uint8Array(32 * 1024 * 1024));
    const stream = inflate();
    t.throws(() => stream.inflate(bomb, new Uint8Array(100)), /more than 100 bytes/);
    stream.close();
  });

  t.test(`${name}: damage is an error now and later, until a reset`, async (t) => {
    const stream = inflate();
    const out = new Uint8Array(SAMPLE.length);
    t.throws(() => stream.inflate(Uint8Array.of(1, 2, 3, 4), out), /damaged/);
    t.throws(() => stream.inflate(sync(SAMPLE), out), /damaged/);
    stream.reset();
    t.equal(stream.inflate(sync(SAMPLE), out), SAMPLE.length);
    t.same(out, SAMPLE);
    stream.close();
  });

  t.test(`${name}: data after the end of the stream is an error`, async (t) => {
    const stream = inflate();
    const whole = deflateSync(SAMPLE);
    const out = new Uint8Array(SAMPLE.length + 10);
    t.throws(() => stream.inflate(Buffer.concat([whole, Buffer.of(1, 2, 3)]), out), /3 bytes after the end/);
    stream.close();
  });

  t.test(`${name}: a closed stream refuses and may be closed again`, async (t) => {
    const stream = inflate();
    stream.close();
    stream.close();
    t.throws(() => stream.inflate(sync(SAMPLE), new Uint8Array(1)), /closed/);
    t.throws(() => stream.reset(), /closed/);
  });
}

t.test("the trial at start tells sound from unsound", async (t) => {
  t.ok(isSound(nodeInflate));
  t.ok(isSound(pakoInflate));
  t.equal(chooseInflate(), nodeInflate);
  t.notOk(
    isSound(() => {
      throw new Error("no such thing here");
    }),
  );
  const idle = () => ({ inflate: () => 0, reset() {}, close() {} });
  t.notOk(isSound(idle));
  const greedy = () => ({
    ...idle(),
    inflate: (input: Uint8Array) => inflateSync(input, { finishFlush }).length,
  });
  t.notOk(isSound(greedy));
});

t.test("a stream without the known internals is refused", async (t) => {
  t.throws(() => new ZlibEngine({}), /without the handle/);
  t.throws(() => new ZlibEngine({ _handle: {}, _writeState: new Uint32Array(2) }), /without the handle/);
});

t.test("compressed data is whole at its sync flush, at every level and size", async (t) => {
  for (const size of [0, 1, 100, 70_000, 3_000_000]) {
    const data = Uint8Array.from({ length: size }, (_, i) => (i * 7919) >> (i % 13));
    for (const level of [1, 6, 9]) {
      const zlib = nodeDeflate.zlib(data, level);
      t.same(zlib.subarray(-4), Uint8Array.of(0, 0, 255, 255), "ends with the empty block of a sync flush");
      t.ok(Buffer.from(data).equals(inflateSync(zlib, { finishFlush })));
      t.ok(Buffer.from(data).equals(inflateRawSync(nodeDeflate.rawSegment(data, level), { finishFlush })));
    }
  }
});

t.test("segments may be concatenated, each copied before the next one is made", async (t) => {
  const first = nodeDeflate.rawSegment(SAMPLE, 1).slice();
  const second = nodeDeflate.rawSegment(new Uint8Array(5000).fill(3), 1).slice();
  const both = inflateRawSync(Buffer.concat([second, first, second]), { finishFlush });
  t.equal(both.length, 15_000);
  t.same(Uint8Array.from(both.subarray(5000, 10_000)), SAMPLE);
});

t.test("a raw engine counts what it read and wrote", async (t) => {
  const engine = new ZlibEngine(createInflateRaw());
  const out = new Uint8Array(8000);
  engine.write(finishFlush, nodeDeflate.rawSegment(SAMPLE, 6), 0, out, 0);
  t.equal(engine.roomLeft, 3000);
  t.equal(engine.inputLeft, 0);
  engine.close();
});
