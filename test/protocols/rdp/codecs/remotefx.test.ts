import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { RemoteFx } from "../../../../src/protocols/rdp/codecs/remotefx.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";

const SPECIFICATION = new URL("../../../wire/rdp-egfx/", import.meta.url);
const message = readFileSync(new URL("rfx-specification-4.2.bin", SPECIFICATION));
const rgb = readFileSync(new URL("rfx-specification-4.2.rgb", SPECIFICATION));

const free = (): void => {};

t.test("the specification's message decodes to its picture, but for rounding (MS-RDPRFX 4.2)", async (t) => {
  const to = new Framebuffer(64, 64);
  t.same(new RemoteFx(free).decode(message, to, to.rect), [to.rect]);
  let worst = 0;
  for (let i = 0; i < 64 * 64; i++) {
    for (let c = 0; c < 3; c++) {
      worst = Math.max(worst, Math.abs((to.bytes[4 * i + c] ?? 0) - (rgb[3 * i + c] ?? 0)));
    }
  }
  t.ok(worst <= 1, `the worst channel is ${worst} off`);
});

t.test("a message is painted where it belongs, and not beside it", async (t) => {
  const to = new Framebuffer(100, 90);
  const at = { x: 30, y: 40, width: 20, height: 50 };
  t.same(new RemoteFx(free).decode(message, to, at), [at]);
  const whole = new Framebuffer(64, 64);
  new RemoteFx(free).decode(message, whole, whole.rect);
  t.same(to.read(at), whole.read({ x: 0, y: 0, width: 20, height: 50 }), "the part that fits");
  t.ok(
    to.read({ x: 50, y: 40, width: 50, height: 50 }).every((byte, i) => i % 4 === 3 || byte === 0),
    "black beside",
  );
});

t.test("work is announced before it is done", async (t) => {
  let pixels = 0;
  const to = new Framebuffer(64, 64);
  new RemoteFx((more) => {
    pixels += more;
  }).decode(message, to, to.rect);
  t.ok(pixels >= 4096);
  const refuse = (): never => {
    throw new RdpError("too_large", "graphics", "got too much");
  };
  t.throws(() => new RemoteFx(refuse).decode(message, to, to.rect), { code: "too_large" });
});

t.test("damaged messages end in pixels or an RdpError", async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.nat({ max: 160 }), byte: fc.nat({ max: 255 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.nat({ max: message.length }),
      (faults, length) => {
        const bytes = Uint8Array.from(length % 3 === 0 ? message.subarray(0, length) : message);
        for (const { at, byte } of faults) if (at < bytes.length) bytes[at] = byte;
        const to = new Framebuffer(64, 64);
        try {
          new RemoteFx(free).decode(bytes, to, to.rect);
        } catch (error) {
          return error instanceof RdpError;
        }
        return to.words.every((word) => word >>> 24 === 255);
      },
    ),
    { numRuns: 300 },
  );
  t.pass("nothing else happened");
});
