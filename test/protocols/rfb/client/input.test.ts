import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { Peer } from "./peer.ts";
import { hello, rectangle, update } from "./server-bytes.ts";

/** A client whose server has said these pseudo-rectangles. */
function peerAfter(...rectangles: readonly Uint8Array[]): Peer {
  const peer = new Peer().say(hello(300, 8));
  for (const said of rectangles) peer.say(update(said));
  peer.takeSent();
  return peer;
}

const EXTENDED_BUTTONS = rectangle(0, 0, 0, 0, -316);
const RELATIVE = rectangle(0, 0, 0, 0, -257);
const ABSOLUTE = rectangle(1, 0, 0, 0, -257);

function layout(...screens: readonly (readonly [id: number, x: number, width: number])[]): Uint8Array {
  const body = new ByteWriter().u8(screens.length).pad(3);
  for (const [id, x, width] of screens) body.u32(id).u16(x).u16(0).u16(width).u16(8).u32(0);
  return rectangle(0, 0, 300, 8, -308, body.bytes());
}

t.test("what is asked of the server has the bytes of the specification", async (t) => {
  const peer = peerAfter();
  peer.client.requestUpdate(true);
  t.same(peer.takeSent(), [3, 1, 0, 0, 0, 0, 1, 44, 0, 8]);
  peer.client.pointer(258, 3, 5);
  t.same(peer.takeSent(), [5, 5, 1, 2, 0, 3]);
  peer.client.key(0x010020ac, true, 30);
  t.same(peer.takeSent(), [4, 1, 0, 0, 1, 0, 0x20, 0xac], "no scancode before the server takes them");
  peer.say(update(rectangle(0, 0, 0, 0, -258)));
  peer.client.key(0x61, false, 30);
  t.same(peer.takeSent(), [255, 0, 0, 0, 0, 0, 0, 0x61, 0, 0, 0, 30]);
  peer.client.clipboard("hé€");
  t.same(peer.takeSent(), [6, 0, 0, 0, 0, 0, 0, 3, 104, 233, 63]);
});

t.test("back and forward go in a seventh byte once the server has agreed, never before", async (t) => {
  const plain = peerAfter();
  plain.client.pointer(1, 2, 0x180);
  t.same(plain.takeSent(), [5, 0x80, 0, 1, 0, 2], "forward has no place in RFC 6143");
  const extended = peerAfter(EXTENDED_BUTTONS);
  extended.client.pointer(1, 2, 0x81);
  t.same(extended.takeSent(), [5, 0x81, 0, 1, 0, 2, 1]);
  extended.client.pointer(1, 2, 0x100);
  t.same(extended.takeSent(), [5, 0x80, 0, 1, 0, 2, 2]);
  extended.client.pointer(1, 2, 0x7f);
  t.same(extended.takeSent(), [5, 0x7f, 0, 1, 0, 2], "six bytes do for seven buttons");
});

t.test("a relative pointer goes by deltas around 0x7fff, an absolute one by places", async (t) => {
  const peer = peerAfter(RELATIVE);
  peer.client.pointer(100, 50, 0);
  t.same(peer.takeSent(), [5, 0, 0x7f, 0xff, 0x7f, 0xff], "where the pointer is, is not known");
  peer.client.pointer(103, 48, 1);
  t.same(peer.takeSent(), [5, 1, 0x80, 0x02, 0x7f, 0xfd]);
  peer.say(update(ABSOLUTE));
  peer.client.pointer(103, 48, 0);
  t.same(peer.takeSent(), [5, 0, 0, 103, 0, 48]);
});

t.test("the wheel is a button pressed and let go for each notch, with the others held", async (t) => {
  const peer = peerAfter();
  peer.client.pointer(1, 2, 1, { x: -1, y: 2 });
  const masks = peer.takeSent().filter((_, i) => i % 6 === 1);
  t.same(masks, [1, 1 | 0x20, 1, 1 | 0x10, 1, 1 | 0x10, 1]);
});

t.test("screens are arranged only where the server can, each under its number", async (t) => {
  const peer = peerAfter();
  t.equal(peer.client.resize(10, 10), false, "no resize before the server shows it can");
  peer.say(update(layout([77, 0, 300])));
  t.equal(peer.client.arrange([]), false);
  t.equal(peer.client.arrange([rect(1, 0, 10, 10)]), false, "a layout begins at 0,0");
  peer.takeSent();
  t.equal(peer.client.resize(640, 480), true);
  t.same(
    peer.takeSent(),
    [251, 0, 2, 128, 1, 224, 1, 0, 0, 0, 0, 77, 0, 0, 0, 0, 2, 128, 1, 224, 0, 0, 0, 0],
  );
  peer.client.arrange([rect(0, 0, 8, 8), rect(8, 2, 8, 8)]);
  const sent = peer.takeSent();
  t.same(sent.slice(0, 8), [251, 0, 0, 16, 0, 10, 2, 0], "as large as their bounds");
  t.same(sent.slice(8, 12), [0, 0, 0, 77]);
  t.same(sent.slice(24), [0, 0, 0, 1, 0, 8, 0, 2, 0, 8, 0, 8, 0, 0, 0, 0], "a new one gets a free number");
});
