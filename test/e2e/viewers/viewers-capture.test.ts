import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import { until } from "../../support/until.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { openVncDoor } from "../../web/viewer-ports.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XScene } from "../harness/x-scene.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { openScene, requireScene } from "../targets/scene-target.ts";

// Programs that take one picture ask once, for everything, and are content with the first FramebufferUpdate: RFC 6143
// sections 7.5.3 and 7.6.1. Where that holds a part they store a part, or wait for ever.

const run = promisify(execFile);

const PATIENCE_MS = 60_000;

async function read(file: string): Promise<Shot> {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgba: data };
}

/** What gvnccapture 1.3.1 stores of a port where viewers need not sign in. */
async function capture(folder: string, port: number): Promise<Shot> {
  const file = join(folder, "capture.png");
  rmSync(file, { force: true });
  await run("gvnccapture", ["-q", `127.0.0.1:${port - 5900}`, file], {
    timeout: PATIENCE_MS,
    env: { ...process.env, HOME: folder },
  });
  return await read(file);
}

function folderOf(owner: { teardown(call: () => unknown): void }): string {
  const folder = mkdtempSync(join(tmpdir(), "oc-capture-"));
  owner.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

t.test("gvnccapture stores every pixel of a large desktop", { timeout: 180_000 }, async (t) => {
  if (!requirePeers(t, ["gvncviewer"])) return;
  const folder = folderOf(t);
  for (const [width, height] of [
    [1280, 800],
    [1920, 1080],
    [3840, 2160],
  ] as const) {
    const desktop = new DrawnDesktop(width, height);
    desktop.paintScene(width);
    const { port } = await openVncDoor(t, desktop, { security: ["none"] });
    const rgba = Uint8Array.from(desktop.frame.bytes);
    t.equal(differenceOf(await capture(folder, port), { width, height, rgba }), null, `${width}x${height}`);
  }
});

t.test("gvnccapture stores what xwd has of a desktop of 1920x1080", { timeout: 180_000 }, async (t) => {
  if (!requireScene(t, "tigervnc", ["gvncviewer"])) return;
  const target = await openScene(t, "tigervnc", { geometry: "1920x1080" });
  const folder = folderOf(t);
  const display = await target.display();
  await new XScene(t, (await display.command("printenv", "DISPLAY")).trim(), folder, 2).open();
  const appliance = await Appliance.start(t, {
    connect: [target.url],
    hasVnc: true,
    env: { OC_VNC_SECURITY: "none" },
  });
  const agent = await appliance.agent();
  await until("the whole picture", async () => {
    return differenceOf(await agent.shot(), await display.shot()) === null;
  });
  const difference = differenceOf(await capture(folder, appliance.vncPort ?? 0), await display.shot());
  t.equal(difference, null, "every pixel");
});
