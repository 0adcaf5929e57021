import { once } from "node:events";
import { connect } from "node:net";
import { inflateSync } from "node:zlib";
import t, { type Test } from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { openVncDoor } from "../../web/viewer-ports.ts";
import { Wire } from "../hostile/fake-target.ts";

// Whose fault it is that libvncclient 0.9.14 shows wrong colours where it asks for 32 bits big-endian in ZRLE or
// Tight: what we send is read here by hand, by the byte, as the specifications have it. ZRLE's CPIXEL is a PIXEL
// without its unused byte, in the order of the PIXEL (RFC 6143 section 7.7.5); Tight's TPIXEL is red, green, blue,
// whatever the format (rfbproto). libvncclient reads both as little-endian numbers.

const [RED, GREEN, BLUE] = [0x12, 0x56, 0x9a] as const;
const SIDE = 16;

/** 32 bits, depth 24, big-endian, red in bits 0 to 7 and blue in bits 16 to 23: on the wire 0, blue, green, red. */
const XBGR = Buffer.from([32, 24, 1, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

/** What follows the header of one rectangle of a desktop of one colour, in an encoding. */
async function bodyOf(t: Test, encoding: number): Promise<{ readonly wire: Wire }> {
  const desktop = new DrawnDesktop(SIDE, SIDE);
  desktop.paint(rect(0, 0, SIDE, SIDE), (BLUE << 16) | (GREEN << 8) | RED);
  t.same([...desktop.frame.bytes.subarray(0, 3)], [RED, GREEN, BLUE]);
  const { port } = await openVncDoor(t, desktop, { security: ["none"] });
  const socket = connect(port, "127.0.0.1");
  t.teardown(() => socket.destroy());
  await once(socket, "connect");
  const wire = new Wire(socket);
  await wire.read(12);
  await wire.write(Buffer.from("RFB 003.008\n"));
  const [count = 0] = await wire.read(1);
  await wire.read(count);
  await wire.write(Buffer.from([1]));
  t.equal((await wire.read(4)).readUInt32BE(), 0, "signed in");
  await wire.write(Buffer.from([1]));
  const init = await wire.read(24);
  await wire.read(init.readUInt32BE(20));
  const encodings = Buffer.alloc(8);
  encodings.set([2, 0, 0, 1]);
  encodings.writeInt32BE(encoding, 4);
  const request = Buffer.from([3, 0, 0, 0, 0, 0, 0, SIDE, 0, SIDE]);
  await wire.write(Buffer.concat([Buffer.from([0, 0, 0, 0]), XBGR, encodings, request]));
  const header = await wire.read(4 + 12);
  t.same([...header], [0, 0, 0, 1, 0, 0, 0, 0, 0, SIDE, 0, SIDE, 0, 0, 0, encoding], "one rectangle");
  return { wire };
}

t.test("the pixels of a big-endian viewer are those that RFC 6143 names", async (t) => {
  const raw = await (await bodyOf(t, 0)).wire.read(4);
  t.same([...raw], [0, BLUE, GREEN, RED], "a PIXEL");

  const { wire: zrle } = await bodyOf(t, 16);
  const length = (await zrle.read(4)).readUInt32BE();
  // Synced, not ended.
  const tile = inflateSync(await zrle.read(length), { finishFlush: 2 });
  t.same([...tile], [1, BLUE, GREEN, RED], "a tile of one CPIXEL");

  const { wire: tight } = await bodyOf(t, 7);
  const [control = 0] = await tight.read(1);
  t.equal(control >> 4, 8, "a fill");
  t.same([...(await tight.read(3))], [RED, GREEN, BLUE], "of one TPIXEL");
});
