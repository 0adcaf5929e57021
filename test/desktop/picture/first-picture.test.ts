import { Duplex } from "node:stream";
import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { VncLink } from "../../../src/desktop/links/vnc/vnc-link.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { ENCODING } from "../../../src/protocols/rfb/numbers.ts";
import { FakeClock, settle } from "../../fake-clock.ts";
import { hello } from "../../protocols/rfb/client/server-bytes.ts";
import { House } from "../house.ts";

const WIDTH = 200;
const HEIGHT = 100;

/** One FramebufferUpdate of a Raw rectangle for each of these pixels. */
function scattered(isPainted: (x: number, y: number) => boolean): Uint8Array {
  const body = new ByteWriter();
  let count = 0;
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      if (!isPainted(x, y)) continue;
      body
        .u16(x)
        .u16(y)
        .u16(1)
        .u16(1)
        .i32(ENCODING.raw)
        .put(Uint8Array.of(1, 2, 3, 0));
      count++;
    }
  }
  return new ByteWriter().u8(0).pad(1).u16(count).put(body.bytes()).bytes();
}

t.test("a first picture of thousands of scattered rectangles is whole with its last pixel", async (t) => {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const options = { connect: () => stream, emitsConnect: false, password: null };
  const openLink = () => new VncLink(options, PLATFORM, new FakeClock());
  const house = new House("autopilot", {}, { openLink });
  const say = async (bytes: Uint8Array): Promise<void> => {
    stream.push(bytes);
    await settle();
  };
  await say(hello(WIDTH, HEIGHT));
  await say(scattered((x, y) => (x + y) % 2 === 0));
  t.match(house.desktop.state, { kind: "connecting", received: 0.5 });
  t.throws(() => house.desktop.view("agent"), { code: "target_down" });
  const last = { x: 100, y: 51 };
  await say(scattered((x, y) => (x + y) % 2 === 1 && (x !== last.x || y !== last.y)));
  t.match(house.desktop.state, { kind: "connecting", received: 0.99 });
  await say(scattered((x, y) => x === last.x && y === last.y));
  t.equal(house.desktop.state.kind, "live");
  t.same(house.desktop.size, { width: WIDTH, height: HEIGHT });
  house.desktop.close();
});
