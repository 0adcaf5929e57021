import t from "tap";
import { BurstLimit } from "../../../../src/protocols/rfb/client/burst-limit.ts";
import { errorOf, Peer } from "./peer.ts";
import { ascii, hello, join, u32 } from "./server-bytes.ts";

t.test("so many within a window are admitted, and again once it has passed", async (t) => {
  const limit = new BurstLimit(3, 1000);
  t.same(
    [0, 1, 2, 3].map((ms) => limit.admits(ms)),
    [true, true, true, false],
  );
  t.ok(limit.admits(5000));
  const border = new BurstLimit(3, 1000);
  for (const ms of [0, 900, 950]) border.admits(ms);
  t.notOk(border.admits(1001), "a burst does not hide on the border of two windows");
  t.ok(border.admits(1900));
});

t.test("case 26: two thousand fences a second are answered, more end it", async (t) => {
  const fence = join(Uint8Array.of(248, 0, 0, 0), u32(0x8000_0000), Uint8Array.of(0));
  const peer = new Peer().say(hello(8, 8));
  for (let i = 0; i < 2000; i++) peer.client.receive(fence, 0);
  t.match(
    errorOf(() => peer.client.receive(fence, 0)),
    { code: "too_fast", phase: "message", message: /2000 fences within a second/ },
  );
});

t.test("a repeater is told whom we want, once, in a field of 250 bytes", async (t) => {
  const peer = new Peer({ repeater: "ID:1234" }).say(ascii("RFB 000.000\n"));
  const sent = Buffer.from(peer.takeSent());
  t.equal(sent.length, 250);
  t.equal(sent.toString("latin1").replace(/\0+$/, ""), "ID:1234");
  peer.say(hello(8, 8));
  t.ok(peer.client.isReady);
  const again = new Peer({ repeater: "ID:1" }).say(ascii("RFB 000.000\n"));
  t.match(
    errorOf(() => again.say(ascii("RFB 000.000\n"))),
    { code: "bad_version" },
  );
});
