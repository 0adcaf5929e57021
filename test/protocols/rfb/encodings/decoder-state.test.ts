import t from "tap";
import { rfbCrypto } from "../../../../src/desktop/links/vnc/rfb-crypto.ts";
import { jpegTurbo } from "../../../../src/imaging/jpeg/jpeg-turbo.ts";
import { nodeDeflate, nodeInflate } from "../../../../src/platform/node-zlib.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { RfbClient } from "../../../../src/protocols/rfb/client/rfb-client.ts";
import { DecoderStreams } from "../../../../src/protocols/rfb/encodings/decoder-state.ts";
import { tight } from "../../../../src/protocols/rfb/encodings/tight.ts";
import { ENCODING } from "../../../../src/protocols/rfb/numbers.ts";
import { decode, encoderState, pixelsAt } from "./decode-harness.ts";
import { photoPicture } from "./pictures.ts";

const SIZE_BYTES = 200_000;

const streams = () => new DecoderStreams({ inflate: nodeInflate, jpeg: jpegTurbo });

t.test("a zlib stream is made for its first rectangle, not to forget what it never had", async (t) => {
  let made = 0;
  const inflate = () => {
    made++;
    return nodeInflate();
  };
  const rect = { x: 0, y: 0, width: 64, height: 64 };
  // A fill that resets all four streams.
  const fill = { encoding: tight, rect, body: Uint8Array.of(0x8f, 1, 2, 3) };
  decode([fill], 64, 64, [1], inflate);
  t.equal(made, 0);
  const to = new ByteWriter();
  const from = photoPicture(64, 64);
  tight.encode?.(to, pixelsAt(from, 0, 0), rect, encoderState());
  decode([fill, { encoding: tight, rect, body: to.bytes() }], 64, 64, [1], inflate);
  t.equal(made, 1);
});

t.test(
  "scratch memory is a connection's until its rectangle is decoded, and then the next one's",
  async (t) => {
    const [one, other] = [streams(), streams()];
    const first = one.scratch(SIZE_BYTES);
    t.equal(one.scratch(SIZE_BYTES), first, "the same while it is held");
    const second = other.scratch(SIZE_BYTES);
    t.not(second, first, "two that decode side by side have memory of their own");
    one.release();
    other.release();
    const third = streams();
    t.ok([first, second].includes(third.scratch(SIZE_BYTES)));
    t.ok([first, second].includes(other.scratch(SIZE_BYTES)));
    third.close();
    t.ok([first, second].includes(one.scratch(SIZE_BYTES)), "a connection that ends leaves its memory");
  },
);

t.test("a client holds no scratch memory between rectangles", async (t) => {
  const [width, height] = [256, 256];
  const probe = streams();
  const memory = probe.scratch(4 * SIZE_BYTES);
  probe.release();
  const client = new RfbClient(
    { password: null },
    { inflate: nodeInflate, deflate: nodeDeflate, jpeg: jpegTurbo, crypto: { ...rfbCrypto } },
    () => {},
    () => {},
  );
  t.teardown(() => client.close());
  const to = new ByteWriter().ascii("RFB 003.008\n").u8(1).u8(1).u32(0);
  to.u16(width).u16(height).u8(32).u8(24).u8(0).u8(1).u16(255).u16(255).u16(255);
  to.u8(0).u8(8).u8(16).pad(3).u32(0);
  const rect = { x: 0, y: 0, width, height };
  to.u8(0).pad(1).u16(1).u16(0).u16(0).u16(width).u16(height).i32(ENCODING.tight);
  tight.encode?.(to, pixelsAt(photoPicture(width, height), 0, 0), rect, encoderState());
  const bytes = to.bytes();
  client.receive(bytes.subarray(0, bytes.length - 1), 0);
  t.not(probe.scratch(4 * SIZE_BYTES), memory, "it has it inside of a rectangle");
  client.receive(bytes.subarray(bytes.length - 1), 0);
  t.equal(client.missingPixels, 0);
  t.equal(streams().scratch(4 * SIZE_BYTES), memory);
});
