import t from "tap";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import { checkChunking, errorOf, Peer } from "./peer.ts";
import { hello, join, rectangle, update } from "./server-bytes.ts";

const OFFERED = update(rectangle(0, 0, 0, 0, -259));
const BEGIN = Uint8Array.of(255, 1, 0, 1);
const END = Uint8Array.of(255, 1, 0, 0);

function data(samples: readonly number[], length = samples.length): Uint8Array {
  return new ByteWriter().u8(255).u8(1).u16(2).u32(length).put(Uint8Array.from(samples)).bytes();
}

t.test("sound is offered, asked for as the specification writes it, and told", async (t) => {
  const peer = new Peer().say(hello(8, 8));
  t.notOk(peer.client.features.hasSound);
  peer.say(OFFERED);
  t.ok(peer.client.features.hasSound);
  t.equal(peer.of("soundOffered").length, 1);
  peer.takeSent();
  peer.client.listen(true);
  t.same(
    peer.takeSent(),
    [255, 1, 0, 2, 3, 2, 0, 0, 0xac, 0x44, 255, 1, 0, 0],
    "16 bits with sign, 2 channels, 44100 Hz; then on",
  );
  peer.client.listen(false);
  t.same(peer.takeSent(), [255, 1, 0, 1]);
  peer.say(BEGIN, data([1, 2, 3, 4]), data([]), END);
  t.same(
    peer.of("sound").map(({ samples }) => (samples === null ? null : [...samples])),
    [[1, 2, 3, 4], [], null],
  );
});

t.test("it comes in pieces of every size", async (t) => {
  checkChunking(t, join(hello(8, 8), OFFERED, BEGIN, data([1, 2, 3, 4, 5, 6, 7, 8]), END));
});

t.test("what is no sound, or too much of it, ends the connection before memory is taken", async (t) => {
  const told = (...bytes: readonly Uint8Array[]) => errorOf(() => new Peer().say(hello(8, 8), ...bytes));
  t.match(told(data([], 1024 * 1024 + 1)), {
    code: "too_large",
    message: /got 1048577 bytes of sound at once, expected at most 1048576/,
  });
  t.match(told(Uint8Array.of(255, 2, 0, 0)), { code: "unknown_message", message: /message 2/ });
  t.match(told(Uint8Array.of(255, 1, 0, 3)), { code: "unknown_message", message: /operation 3/ });
});
