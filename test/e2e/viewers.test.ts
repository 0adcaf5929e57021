import t from "tap";
import { systemClock } from "../../src/desktop/clock.ts";
import type { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { type Point, rect } from "../../src/framebuffer/rect.ts";
import { VncListener, type VncListenerOptions } from "../../src/web/vnc-listener.ts";
import { DrawnDesktop } from "../web/drawn-desktop.ts";
import { KeptLog, rfbPorts, viewerSessions } from "../web/viewer-ports.ts";
import { requirePeers } from "./peers.ts";
import { type Owner, Program } from "./program.ts";
import { RFB2_SECURITY, Rfb2Client } from "./rfb2-client.ts";
import { until } from "./until.ts";
import { compileVncClient, VncClient, type VncClientShot } from "./vnc-client.ts";
import { XDisplay } from "./x-display.ts";
import { differenceOf, type Shot } from "./xwd.ts";

const WIDTH = 500;
const HEIGHT = 333;
const PASSWORD = { type: "password", password: "sesame" } as const;

interface Door {
  readonly desktop: DrawnDesktop;
  readonly port: number;
  readonly log: KeptLog;
}

/** A VNC port that shows a drawn desktop, closed when the test ends. */
async function openDoor(
  owner: Owner,
  security: VncListenerOptions["security"],
  width = WIDTH,
  height = HEIGHT,
): Promise<Door> {
  const desktop = new DrawnDesktop(width, height);
  const log = new KeptLog();
  const listener = new VncListener(
    { sessions: viewerSessions(log), rfb: rfbPorts, clock: systemClock, log, activeDesktop: () => desktop },
    { host: "127.0.0.1", port: 0, security },
  );
  const { port } = await listener.listen();
  owner.teardown(() => listener.close());
  return { desktop, port, log };
}

/** The next marker: a colour of the bottom right pixel that no picture before had. */
class Markers {
  #count = 0;

  /** Draws it, with the scene around it, and gives its bytes in hex: R, G, B. */
  draw(desktop: DrawnDesktop): string {
    this.#count++;
    const { width, height } = desktop.frame;
    desktop.paint(rect(width - 1, height - 1, 1, 1), 0x0100fe + (this.#count << 8));
    return Buffer.from(desktop.frame.bytes.subarray(-4, -1)).toString("hex");
  }
}

/** The picture's bytes in the viewer's format, the meaningless fourth byte 0. */
function wanted(frame: Framebuffer, format: string): Buffer {
  const isBgr = format === "bgrx";
  const pixels = frame.width * frame.height;
  const out = Buffer.alloc(pixels * (format === "rgb565" ? 2 : 4));
  for (let i = 0; i < pixels; i++) {
    const [red = 0, green = 0, blue = 0] = frame.bytes.subarray(i * 4, i * 4 + 3);
    if (format === "rgb565") {
      const five = (value: number): number => Math.round((value * 31) / 255);
      out.writeUInt16LE((five(red) << 11) | (Math.round((green * 63) / 255) << 5) | five(blue), i * 2);
    } else {
      out.writeUInt32LE(isBgr ? (red << 16) | (green << 8) | blue : (blue << 16) | (green << 8) | red, i * 4);
    }
  }
  return out;
}

function difference(shot: VncClientShot, frame: Framebuffer, format: string): string | null {
  if (shot.width !== frame.width || shot.height !== frame.height) {
    return `got ${shot.width}x${shot.height}, expected ${frame.width}x${frame.height}`;
  }
  const expected = wanted(frame, format);
  const size = format === "rgb565" ? 2 : 4;
  for (let at = 0; at < expected.length; at++) {
    if (size === 4 && at % 4 === 3) continue;
    if (shot.bytes[at] === expected[at]) continue;
    const pixel = Math.floor(at / size);
    return `first difference at ${pixel % frame.width},${Math.floor(pixel / frame.width)}`;
  }
  return null;
}

t.test("rfb2 shows our pixels in Raw, after changes, moves and with a password", async (t) => {
  for (const security of [{ type: "none" }, PASSWORD] as const) {
    const { desktop, port } = await openDoor(t, security);
    desktop.paintScene(1);
    const isOpen = security.type === "none";
    const client = await (isOpen
      ? Rfb2Client.connect(port, RFB2_SECURITY.none)
      : Rfb2Client.connect(port, RFB2_SECURITY.vncAuth, PASSWORD.password));
    t.equal(client.title, "Drawn");
    await client.whenShows(desktop.frame);
    desktop.paint(rect(17, 33, 111, 57), 0x2244ee);
    await client.whenShows(desktop.frame);
    desktop.move({ fromX: 10, fromY: 40, to: rect(30, 20, 300, 200) });
    await client.whenShows(desktop.frame);
    desktop.paintScene(2);
    await client.whenShows(desktop.frame);
    t.pass("every picture arrived");

    client.click(12, 34);
    client.key(0x61, true);
    desktop.paint(rect(0, 0, 16, 16), 0x123456);
    await client.whenShows(desktop.frame);
    if (isOpen) {
      t.same(desktop.performed, [], "an open door is for watching only");
    } else {
      await desktop.whenPerformed(3);
      t.match(
        desktop.performed.map(({ action }) => action),
        [
          { kind: "pointer", x: 12, y: 34, buttons: 1 },
          { kind: "pointer", x: 12, y: 34, buttons: 0 },
          { kind: "key", keysym: 0x61, isDown: true, scancode: null },
        ],
      );
    }
    client.end();
  }
});

t.test("rfb2 is told that its password is wrong", async (t) => {
  const { port, log } = await openDoor(t, PASSWORD);
  await t.rejects(Rfb2Client.connect(port, RFB2_SECURITY.vncAuth, "guess"), { message: "wrong password" });
  t.notMatch(JSON.stringify(log.lines), /sesame|guess/);
});

const libvncclient = requirePeers(t, ["gcc", "vncclient"]) ? await compileVncClient() : null;

if (libvncclient !== null) {
  for (const encoding of ["raw", "hextile", "zrle", "tight", "rre"]) {
    for (const format of ["rgbx", "bgrx", "rgb565"]) {
      t.test(`libvncclient shows our pixels in ${encoding}, ${format}`, async (t) => {
        const { desktop, port } = await openDoor(t, PASSWORD);
        const markers = new Markers();
        desktop.paintScene(3);
        const first = markers.draw(desktop);
        const client = new VncClient(libvncclient, port, format, ["copyrect", encoding], PASSWORD.password);
        t.equal(await client.greeting(), "connected Drawn");
        const marker = (rgb: string): string => {
          if (format === "rgbx") return rgb;
          if (format === "bgrx") return Buffer.from(rgb, "hex").reverse().toString("hex");
          return wanted(desktop.frame, format).subarray(-2).toString("hex");
        };
        t.equal(difference(await client.shotWhen(marker(first)), desktop.frame, format), null);
        if (format === "rgb565") {
          await client.close();
          return;
        }
        const steps: (() => void)[] = [
          () => desktop.paint(rect(3, 5, 77, 31), 0x00ff80),
          () => desktop.move({ fromX: 0, fromY: 16, to: rect(0, 0, 480, 300) }),
          () => desktop.paintScene(4),
          () => desktop.resize(401, 217),
          () => desktop.paintScene(5),
          () => desktop.resize(WIDTH, HEIGHT),
        ];
        for (const step of steps) {
          step();
          const rgb = markers.draw(desktop);
          t.equal(difference(await client.shotWhen(marker(rgb)), desktop.frame, format), null);
        }
        client.say("click 21 43");
        client.say("key ff0d");
        await desktop.whenPerformed(4);
        t.match(
          desktop.performed.map(({ action }) => action),
          [
            { kind: "pointer", x: 21, y: 43, buttons: 1 },
            { kind: "pointer", x: 21, y: 43, buttons: 0 },
            { kind: "key", keysym: 0xff0d, isDown: true },
            { kind: "key", keysym: 0xff0d, isDown: false },
          ],
        );
        await client.close();
      });
    }
  }

  t.test("two viewers share what is encoded, and each shows the same", async (t) => {
    const { desktop, port } = await openDoor(t, PASSWORD);
    const markers = new Markers();
    desktop.paintScene(6);
    const clients = ["zrle", "zrle", "tight"].map(
      (encoding) => new VncClient(libvncclient, port, "rgbx", [encoding], PASSWORD.password),
    );
    for (const client of clients) await client.greeting();
    for (const seed of [7, 8, 9]) {
      desktop.paintScene(seed);
      const marker = markers.draw(desktop);
      const shots = await Promise.all(clients.map((client) => client.shotWhen(marker)));
      for (const shot of shots) t.equal(difference(shot, desktop.frame, "rgbx"), null);
    }
    await Promise.all(clients.map((client) => client.close()));
  });

  t.test("libvncclient with a wrong password is refused", async (t) => {
    const { port } = await openDoor(t, PASSWORD);
    const client = new VncClient(libvncclient, port, "rgbx", ["raw"], "guess");
    t.equal(await client.greeting(), "refused");
    await client.close();
  });
}

/** The part of a shot with this corner and the desktop's size. */
function cropOf(shot: Shot, x: number, y: number, { width, height }: Framebuffer): Shot {
  const rgba = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * shot.width + x) * 4;
    rgba.set(shot.rgba.subarray(start, start + width * 4), row * width * 4);
  }
  return { width, height, rgba };
}

/** Where the viewer's picture begins on its display: the corner of its window, since it shows all 1:1. */
async function cornerOf(display: XDisplay): Promise<Point> {
  const search = ["search", "--onlyvisible", "--name", "Drawn - TigerVNC", "getwindowgeometry"];
  const found = /Position: (\d+),(\d+)/.exec(await display.command("xdotool", ...search));
  if (found === null) throw new Error("the viewer has no window yet");
  return { x: Number(found[1]), y: Number(found[2]) };
}

function shotOf({ width, height, bytes }: Framebuffer): Shot {
  return { width, height, rgba: bytes.slice() };
}

if (requirePeers(t, ["Xtigervnc", "xtigervncviewer", "xwd", "xdotool"])) {
  for (const encoding of ["Tight", "ZRLE", "Hextile", "Raw"]) {
    t.test(`xtigervncviewer shows our pixels in ${encoding} and passes its pointer on`, async (t) => {
      const { desktop, port } = await openDoor(t, PASSWORD);
      desktop.paintScene(10);
      const display = await XDisplay.start(t, { geometry: "900x700" });
      const preferences = ["-AutoSelect=0", `-PreferredEncoding=${encoding}`, "-FullColor=1", "-NoJPEG=1"];
      const window = ["-RemoteResize=0", "-AlertOnFatalError=0", "-ReconnectOnError=0", "-MenuKey="];
      const env = { ...display.env, VNC_PASSWORD: PASSWORD.password, VNC_USERNAME: "", HOME: t.testdir() };
      const viewer = new Program(t, "xtigervncviewer", [`127.0.0.1::${port}`, ...preferences, ...window], {
        env,
      });
      const shows = (): Promise<Shot> =>
        until("the viewer shows the desktop's picture", async () => {
          if (!viewer.isRunning) throw new Error(`xtigervncviewer ended: ${viewer.stderr}`);
          const { x, y } = await cornerOf(display);
          const shot = cropOf(await display.shot(), x, y, desktop.frame);
          return differenceOf(shot, shotOf(desktop.frame)) === null ? shot : null;
        });
      // Away from the picture, where its cursor would be drawn.
      await display.command("xdotool", "mousemove", "890", "690");
      await shows();
      desktop.paint(rect(31, 17, 200, 99), 0x1199dd);
      await shows();
      desktop.move({ fromX: 0, fromY: 16, to: rect(0, 0, 480, 300) });
      await shows();
      desktop.paintScene(11);
      await shows();
      t.pass("every picture was shown");

      const corner = await cornerOf(display);
      await display.command("xdotool", "mousemove", `${corner.x + 123}`, `${corner.y + 45}`, "click", "1");
      const clicked = await until("the click arrives", () =>
        desktop.performed.some(({ action }) => action.kind === "pointer" && action.buttons === 1),
      );
      t.ok(clicked);
      const press = desktop.performed.find(({ action }) => action.kind === "pointer" && action.buttons === 1);
      t.match(press?.action, { kind: "pointer", x: 123, y: 45, buttons: 1 });
      await viewer.stop();
    });
  }
}
