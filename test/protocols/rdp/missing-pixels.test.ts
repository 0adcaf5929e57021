import t from "tap";
import { type Rect, rect } from "../../../src/framebuffer/rect.ts";
import { Peer } from "./peer.ts";
import * as server from "./server-bytes.ts";

const BITMAP = 1;
const WIDTH = 64;
const HEIGHT = 48;

const painting = ({ x, y, width, height }: Rect): Uint8Array => {
  const data = new Uint8Array(width * height * 4);
  return server.fastPath(BITMAP, server.bitmaps({ x, y, width, height, bits: 32, data }));
};

t.test("thousands of scattered bitmaps leave what they did not paint", async (t) => {
  const peer = Peer.ready();
  peer.client.expectPicture();
  t.equal(peer.client.missingPixels, WIDTH * HEIGHT);
  const all: Uint8Array[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) if (x !== 40 || y !== 20) all.push(painting(rect(x, y, 1, 1)));
  }
  // In one piece, so that they are one update.
  const updates = (): number => peer.events.filter(({ type }) => type === "update").length;
  peer.say(Buffer.concat(all));
  t.equal(updates(), 1);
  t.equal(peer.last("update")?.painted.area, WIDTH * HEIGHT, "told as the bounds of too many");
  t.equal(peer.client.missingPixels, 1);
  peer.say(painting(rect(40, 20, 1, 1)));
  t.equal(peer.client.missingPixels, 0);
  peer.client.expectPicture();
  t.equal(peer.client.missingPixels, WIDTH * HEIGHT, "a host that was silent sends everything anew");
});

t.test("what lies on no screen never comes, and is not missing", async (t) => {
  const monitors = [rect(0, 0, 40, HEIGHT), rect(40, 0, 24, 30)];
  const peer = Peer.ready({ monitors });
  t.equal(peer.last("ready")?.screens.length, 2);
  peer.client.expectPicture();
  t.equal(peer.client.missingPixels, 40 * HEIGHT + 24 * 30);
  for (const monitor of monitors) peer.say(painting(monitor));
  t.equal(peer.client.missingPixels, 0);
});
