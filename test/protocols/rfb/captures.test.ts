import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import t from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import { encodingByName } from "../../../src/protocols/rfb/encodings/list.ts";
import { type Capture, pictureHash } from "./capture.ts";

const FOLDER = new URL("../../wire/rfb/", import.meta.url);
const captures: readonly Capture[] = JSON.parse(readFileSync(new URL("captures.json", FOLDER), "utf8"));

/** Plays a capture to a client in pieces of `size` bytes; gives the hash of the picture it ends with. */
function play(stream: Uint8Array, encoding: string, size: number): string {
  const encodings = [encodingByName(encoding)?.number ?? -1];
  const client = new RfbClient(
    { password: "any", security: { allowed: ["None", "VncAuth"], needsIdentity: false }, encodings },
    PLATFORM,
    () => undefined,
    () => undefined,
  );
  try {
    for (let at = 0; at < stream.length; at += size) client.receive(stream.subarray(at, at + size), at);
    const { width, height, bytes } = client.framebuffer;
    return pictureHash({ width, height, rgba: bytes });
  } finally {
    client.close();
  }
}

t.ok(captures.length >= 12, `${captures.length} captures`);

for (const { file, server, version, encoding, picture } of captures) {
  t.test(`${server} ${version} in ${encoding} ends with its own picture in every chunking`, async (t) => {
    const stream = gunzipSync(readFileSync(new URL(file, FOLDER)));
    for (const size of [1, 7, 1460, 65_536])
      t.equal(play(stream, encoding, size), picture, `by ${size} bytes`);
  });
}
