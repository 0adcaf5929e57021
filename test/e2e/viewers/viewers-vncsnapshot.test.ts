import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t, { type Test } from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { openVncDoor } from "../../web/viewer-ports.ts";
import { requirePeers } from "../harness/peers.ts";
import { vncPassword } from "../targets/target.ts";

const run = promisify(execFile);

const PASSWORD = "sesame";
/** What its file loses: vncsnapshot writes JPEG at best. Of 255, on average over all bytes. */
const MOST_DIFFERENCE = 3;

/** It waits for ever for a picture that is not all black. */
function drawn(width: number, height: number): DrawnDesktop {
  const desktop = new DrawnDesktop(width, height);
  desktop.paint(rect(0, 0, width, height), 0x906030);
  desktop.paint(rect(100, 50, 200, 150), 0x20c080);
  desktop.paint(rect(350, 200, 33, 77), 0xf0f0f0);
  // What only the last rows of an update show.
  desktop.paint(rect(0, height - 80, width - 200, 80), 0x3050d0);
  return desktop;
}

/** Of 255, on average over all bytes. */
async function differenceOf(t: Test, file: string, { frame }: DrawnDesktop): Promise<number> {
  const { data, info } = await sharp(readFileSync(file))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  t.same([info.width, info.height], [frame.width, frame.height]);
  const pixels = frame.width * frame.height;
  let sum = 0;
  for (let i = 0; i < pixels; i++) {
    for (let k = 0; k < 3; k++) sum += Math.abs((data[i * 3 + k] ?? 0) - (frame.bytes[i * 4 + k] ?? 0));
  }
  return sum / (pixels * 3);
}

// TightVNC's viewer of 2002, RFB 3.3: the oldest that Debian still ships.
t.test("vncsnapshot 1.2a sees the desktop, encoding by encoding", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["vncsnapshot"])) return;
  const desktop = drawn(500, 333);
  const { port } = await openVncDoor(t, desktop, { security: ["vnc-auth"], password: PASSWORD });
  const folder = t.testdir();
  const [passwordFile, wrongFile] = [join(folder, "passwd"), join(folder, "wrong")];
  writeFileSync(passwordFile, vncPassword(PASSWORD));
  writeFileSync(wrongFile, vncPassword("other"));
  const snap = async (file: string, password: string, ...options: string[]): Promise<void> => {
    const display = `127.0.0.1:${port - 5900}`;
    await run("vncsnapshot", ["-quiet", "-passwd", password, "-nocursor", ...options, display, file], {
      timeout: 30_000,
    });
  };
  for (const encoding of ["raw", "hextile", "rre", "zlib", "tight"]) {
    const file = join(folder, `${encoding}.jpg`);
    await snap(file, passwordFile, "-nojpeg", "-encodings", `${encoding} copyrect`);
    const difference = await differenceOf(t, file, desktop);
    t.ok(difference < MOST_DIFFERENCE, `${encoding}: ${difference.toFixed(2)} of 255 on average`);
  }
  await t.rejects(snap(join(folder, "wrong.jpg"), wrongFile), "a wrong password shows nothing");
});

// It asks once, and takes the first update for the whole picture: RFC 6143 sections 7.5.3 and 7.6.1.
t.test("vncsnapshot 1.2a stores all of a large desktop", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["vncsnapshot"])) return;
  for (const [width, height] of [
    [1920, 1080],
    [3840, 2160],
  ] as const) {
    const desktop = drawn(width, height);
    const { port } = await openVncDoor(t, desktop, { security: ["none"] });
    for (const encoding of ["raw", "hextile", "tight"]) {
      const file = join(t.testdir(), `${encoding}.jpg`);
      const options = ["-quiet", "-nocursor", "-nojpeg", "-encodings", `${encoding} copyrect`];
      await run("vncsnapshot", [...options, `127.0.0.1:${port - 5900}`, file], { timeout: 60_000 });
      const difference = await differenceOf(t, file, desktop);
      t.ok(
        difference < MOST_DIFFERENCE,
        `${encoding} at ${width}: ${difference.toFixed(2)} of 255 on average`,
      );
    }
  }
});
