import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import { rect } from "../../src/framebuffer/rect.ts";
import { DrawnDesktop } from "../web/drawn-desktop.ts";
import { openVncDoor } from "../web/viewer-ports.ts";
import { requirePeers } from "./peers.ts";
import { vncPassword } from "./target.ts";

const run = promisify(execFile);

const [WIDTH, HEIGHT] = [500, 333] as const;
const PASSWORD = "sesame";
/** What its file loses: vncsnapshot writes JPEG at best. Of 255, on average over all bytes. */
const MOST_DIFFERENCE = 3;

// TightVNC's viewer of 2002, RFB 3.3: the oldest that Debian still ships.
t.test("vncsnapshot 1.2a sees the desktop, encoding by encoding", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["vncsnapshot"])) return;
  const desktop = new DrawnDesktop(WIDTH, HEIGHT);
  // It waits for ever for a picture that is not all black.
  desktop.paint(rect(0, 0, WIDTH, HEIGHT), 0x906030);
  desktop.paint(rect(100, 50, 200, 150), 0x20c080);
  desktop.paint(rect(350, 200, 33, 77), 0xf0f0f0);
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
    const { data, info } = await sharp(readFileSync(file))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    t.same([info.width, info.height], [WIDTH, HEIGHT], encoding);
    let sum = 0;
    for (let i = 0; i < WIDTH * HEIGHT; i++) {
      for (let k = 0; k < 3; k++) {
        sum += Math.abs((data[i * 3 + k] ?? 0) - (desktop.frame.bytes[i * 4 + k] ?? 0));
      }
    }
    const difference = sum / (WIDTH * HEIGHT * 3);
    t.ok(difference < MOST_DIFFERENCE, `${encoding}: ${difference.toFixed(2)} of 255 on average`);
  }
  await t.rejects(snap(join(folder, "wrong.jpg"), wrongFile), "a wrong password shows nothing");
});
