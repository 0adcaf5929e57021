import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Point, rect } from "../../../src/framebuffer/rect.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { openVncDoor } from "../../web/viewer-ports.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import type { Shot } from "../harness/xwd.ts";

// GTK-VNC 1.3, of which virt-viewer, GNOME Boxes and Vinagre are made as well.

const PASSWORD = "sesame";
/** The title of what asks for it. */
const DIALOG = "Authentication required";

/** Where a picture lies within a shot, every pixel of it; null where it does not. */
function placeOf(shot: Shot, { width, height, bytes }: Framebuffer): Point | null {
  const row = (at: number): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset + at * width * 4, width * 4);
  const lines = Buffer.from(shot.rgba.buffer, shot.rgba.byteOffset, shot.rgba.length);
  const first = row(0);
  for (let at = lines.indexOf(first); at >= 0; at = lines.indexOf(first, at + 1)) {
    const pixel = at / 4;
    const [x, y] = [pixel % shot.width, Math.floor(pixel / shot.width)];
    if (!Number.isInteger(pixel) || x + width > shot.width || y + height > shot.height) continue;
    const isWhole = Array.from({ length: height }, (_, i) => i).every((i) => {
      const start = ((y + i) * shot.width + x) * 4;
      return lines.subarray(start, start + width * 4).equals(row(i));
    });
    if (isWhole) return { x, y };
  }
  return null;
}

t.test("gvncviewer shows our pixels and passes its pointer and keys on", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "gvncviewer", "xdotool", "xwd"])) return;
  const home = mkdtempSync(join(tmpdir(), "oc-gvnc-"));
  t.teardown(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const desktop = new DrawnDesktop(500, 333);
  desktop.paintScene(1);
  const { port } = await openVncDoor(t, desktop, { security: ["vnc-auth"], password: PASSWORD });
  const display = await XDisplay.start(t, { geometry: "900x700" });
  const viewer = new Program(t, "gvncviewer", [`127.0.0.1:${port - 5900}`], {
    env: { ...display.env, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: "1", GDK_BACKEND: "x11" },
  });
  await until("it asks for the password", async () => {
    if (!viewer.isRunning) throw new Error(`gvncviewer ended: ${viewer.stderr}`);
    return (await display.command("xdotool", "search", "--onlyvisible", "--name", DIALOG)).trim() !== "";
  });
  await display.command("xdotool", "search", "--onlyvisible", "--name", DIALOG, "windowfocus", "--sync");
  await display.command("xdotool", "type", PASSWORD);
  await display.command("xdotool", "key", "Return");
  // Away from the picture, where its cursor would be drawn.
  await display.command("xdotool", "mousemove", "890", "690");

  const shows = (): Promise<Point> =>
    until("the desktop's picture", async () => {
      if (!viewer.isRunning) throw new Error(`gvncviewer ended: ${viewer.stderr}`);
      return placeOf(await display.shot(), desktop.frame);
    });
  const place = await shows();
  desktop.paint(rect(31, 17, 200, 99), 0x1199dd);
  await shows();
  desktop.move({ fromX: 0, fromY: 16, to: rect(0, 0, 480, 300) });
  await shows();
  desktop.paintScene(2);
  await shows();
  t.pass("every picture was shown, in every pixel");

  await display.command("xdotool", "mousemove", `${place.x + 123}`, `${place.y + 45}`, "click", "1");
  await until("the click arrives", () =>
    desktop.performed.some(
      ({ action }) =>
        action.kind === "pointer" && action.buttons === 1 && action.x === 123 && action.y === 45,
    ),
  );
  t.pass("a click lands on the pixel");
  await display.command("xdotool", "key", "a");
  await until("the key arrives", () =>
    desktop.performed.some(({ action }) => action.kind === "key" && action.keysym === 0x61 && action.isDown),
  );
  t.pass("a key arrives");
  await viewer.stop();
});
