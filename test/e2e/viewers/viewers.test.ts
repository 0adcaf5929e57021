import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import type { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { type Point, rect } from "../../../src/framebuffer/rect.ts";
import { encodingByName } from "../../../src/protocols/rfb/encodings/list.ts";
import type { ViewerCertificate } from "../../../src/web/viewer/tls.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { DrawnDesktop } from "../../web/drawn-desktop.ts";
import { type Door, type DoorOptions, openVncDoor } from "../../web/viewer-ports.ts";
import { requirePeers } from "../harness/peers.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";
import { compileVncClient, VncClient, type VncClientShot } from "../harness/vnc-client.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";

const WIDTH = 500;
const HEIGHT = 333;
const PASSWORD: DoorOptions = { security: ["vnc-auth"], password: "sesame" };

async function openDoor(
  owner: Owner,
  options: DoorOptions,
  width = WIDTH,
  height = HEIGHT,
): Promise<Door & { readonly desktop: DrawnDesktop }> {
  const desktop = new DrawnDesktop(width, height);
  return { ...(await openVncDoor(owner, desktop, options)), desktop };
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

/** Where the bytes of a pixel of a format are; the one of four that means nothing is 0. */
const FORMAT_BYTES: Readonly<Record<string, number>> = { rgbx: 4, bgrx: 4, xbgr: 4, rgb565: 2, bgr233: 1 };

/** The picture's bytes in the viewer's format. */
function wanted(frame: Framebuffer, format: string): Buffer {
  const size = FORMAT_BYTES[format] ?? 0;
  const pixels = frame.width * frame.height;
  const out = Buffer.alloc(pixels * size);
  const scaled = (value: number, most: number): number => Math.round((value * most) / 255);
  for (let i = 0; i < pixels; i++) {
    const [red = 0, green = 0, blue = 0] = frame.bytes.subarray(i * 4, i * 4 + 3);
    if (format === "rgb565") {
      out.writeUInt16LE((scaled(red, 31) << 11) | (scaled(green, 63) << 5) | scaled(blue, 31), i * 2);
    } else if (format === "bgr233") {
      out.writeUInt8((scaled(blue, 3) << 6) | (scaled(green, 7) << 3) | scaled(red, 7), i);
    } else if (format === "xbgr") {
      out.writeUInt32BE((blue << 16) | (green << 8) | red, i * 4);
    } else {
      const first = format === "rgbx" ? [blue, red] : [red, blue];
      out.writeUInt32LE(((first[0] ?? 0) << 16) | (green << 8) | (first[1] ?? 0), i * 4);
    }
  }
  return out;
}

function difference(shot: VncClientShot, frame: Framebuffer, format: string): string | null {
  if (shot.width !== frame.width || shot.height !== frame.height) {
    return `got ${shot.width}x${shot.height}, expected ${frame.width}x${frame.height}`;
  }
  const expected = wanted(frame, format);
  const size = FORMAT_BYTES[format] ?? 0;
  const meaningless = size < 4 ? -1 : format === "xbgr" ? 0 : 3;
  for (let at = 0; at < expected.length; at++) {
    if (at % size === meaningless || shot.bytes[at] === expected[at]) continue;
    const pixel = Math.floor(at / size);
    return `first difference at ${pixel % frame.width},${Math.floor(pixel / frame.width)}`;
  }
  return null;
}

t.test("rfb2 shows our pixels in Raw, after changes, moves and with a password", async (t) => {
  for (const isOpen of [true, false]) {
    const { desktop, port } = await openDoor(t, isOpen ? { security: ["none"] } : PASSWORD);
    desktop.paintScene(1);
    const client = await (isOpen
      ? Rfb2Client.connect(port, RFB2_SECURITY.none)
      : Rfb2Client.connect(port, RFB2_SECURITY.vncAuth, "sesame"));
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

/** As long as ours are: it fills a field of ARD. */
const ANNA_TOKEN = `ocp_0123456789abcdef_${"Only-Anna_has-it".repeat(3).slice(0, 43)}`;

/** Without its ocp_ID_: libvncclient's MS-Logon ends itself where a field is full. */
const SHORT_TOKEN = ANNA_TOKEN.slice(-43);

/** One user with a token. */
const ANNA: NonNullable<DoorOptions["users"]> = {
  signInAs: (user, secret) => {
    const isHers = secret === ANNA_TOKEN || secret === SHORT_TOKEN;
    if (user !== "anna" || !isHers) return { kind: "wrong", waitMs: 0 };
    const principal = { id: "anna", name: "anna", role: "operator" } as const;
    return { kind: "known", credential: { kind: "token", principal } };
  },
  whenVoid: () => () => {},
};

/** A certificate of 127.0.0.1 that signs itself; `file` holds it. */
async function makeCertificate(owner: Owner): Promise<ViewerCertificate & { readonly file: string }> {
  const dir = await mkdtemp(join(tmpdir(), "oc-certificate-"));
  owner.teardown(() => rm(dir, { recursive: true }));
  const file = join(dir, "cert.pem");
  const keyFile = join(dir, "key.pem");
  const what = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", keyFile, "-out", file];
  await promisify(execFile)("openssl", [...request, ...what]);
  return { file, cert: await readFile(file, "utf8"), key: await readFile(keyFile, "utf8") };
}

const libvncclient = requirePeers(t, ["gcc", "vncclient"]) ? await compileVncClient() : null;

if (libvncclient !== null) {
  const FORMATS = ["rgbx", "bgrx", "xbgr", "rgb565", "bgr233"];
  /**
   * libvncclient 0.9.14 cannot take pixels of three bytes apart where it asked for big-endian. That they are as they
   * should be is what viewers-big-endian.test.ts shows.
   */
  const hasThreeBytes = (encoding: string): boolean => encoding === "zrle" || encoding === "tight";
  const FORCED = ["raw", "hextile", "zrle", "tight", "rre", "zlib"].flatMap((encoding) =>
    FORMATS.filter((format) => format !== "xbgr" || !hasThreeBytes(encoding)).map((format) => ({
      encoding,
      format,
    })),
  );
  for (const { encoding, format } of FORCED) {
    t.test(`libvncclient shows our pixels in ${encoding}, ${format}`, async (t) => {
      t.ok(encodingByName(encoding)?.encode !== undefined, "it is ours to send");
      const { desktop, port } = await openDoor(t, PASSWORD);
      const markers = new Markers();
      desktop.paintScene(3);
      const first = markers.draw(desktop);
      const client = new VncClient(libvncclient, port, format, ["copyrect", encoding], "sesame");
      t.equal(await client.greeting(), "connected Drawn");
      const marker = (rgb: string): string => {
        if (format === "rgbx") return rgb;
        if (format === "bgrx" || format === "xbgr") return Buffer.from(rgb, "hex").reverse().toString("hex");
        return wanted(desktop.frame, format)
          .subarray(-(FORMAT_BYTES[format] ?? 0))
          .toString("hex");
      };
      t.equal(difference(await client.shotWhen(marker(first)), desktop.frame, format), null);
      if (format === "rgb565" || format === "bgr233") {
        // Too few colours for markers that differ.
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

  /** Security types by their numbers, as libvncclient speaks them, and what each door is. */
  const DOORS = [
    { name: "TLSNone", number: 19, security: "tls-none", user: "" },
    { name: "TLSVnc", number: 19, security: "tls-vnc", user: "" },
    { name: "TLSPlain", number: 19, security: "tls-plain", user: "anna" },
    { name: "X509Vnc", number: 19, security: "x509-vnc", user: "" },
    { name: "X509Plain", number: 19, security: "x509-plain", user: "anna" },
    { name: "ARD", number: 30, security: "ard", user: "anna" },
    { name: "MS-Logon II", number: 113, security: "ms-logon", user: "anna" },
  ] as const;
  for (const { name, number, security, user } of DOORS) {
    t.test(`libvncclient signs in by ${name} and shows our pixels`, async (t) => {
      const certificate = await makeCertificate(t);
      const options = { security: [security], password: "sesame", users: ANNA, certificate };
      const { desktop, port, audited } = await openDoor(t, options);
      desktop.paintScene(12);
      const marker = new Markers().draw(desktop);
      const env = { OC_SECURITY: String(number), OC_USER: user, OC_CA: certificate.file };
      const secret = user === "" ? "sesame" : security === "ms-logon" ? SHORT_TOKEN : ANNA_TOKEN;
      const client = new VncClient(libvncclient, port, "rgbx", ["tight"], secret, env);
      t.equal(await client.greeting(), "connected Drawn");
      t.equal(difference(await client.shotWhen(marker), desktop.frame, "rgbx"), null);
      if (user === "anna")
        t.match(audited, [{ type: "auth.login", actor: { name: "anna", role: "operator" } }]);
      await client.close();
      if (security === "tls-none") return;
      const stranger = new VncClient(libvncclient, port, "rgbx", ["tight"], "guess", env);
      t.equal(await stranger.greeting(), "refused");
      t.match(audited.at(-1), { type: "auth.failed" });
      await stranger.close();
    });
  }

  t.test("two viewers share what is encoded, and each shows the same", async (t) => {
    const { desktop, port } = await openDoor(t, PASSWORD);
    const markers = new Markers();
    desktop.paintScene(6);
    const clients = ["zrle", "zrle", "tight"].map(
      (encoding) => new VncClient(libvncclient, port, "rgbx", [encoding], "sesame"),
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
  /** TigerVNC's viewer on a display of its own, with what waits until it shows the desktop's picture. */
  const openTigerVnc = async (
    owner: Owner & { testdir(): string },
    { desktop, port }: { readonly desktop: DrawnDesktop; readonly port: number },
    preferences: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ display: XDisplay; viewer: Program; shows: () => Promise<Shot> }> => {
    const display = await XDisplay.start(owner, { geometry: "900x700" });
    const window = ["-RemoteResize=0", "-AlertOnFatalError=0", "-ReconnectOnError=0", "-MenuKey="];
    const viewer = new Program(owner, "xtigervncviewer", [`127.0.0.1::${port}`, ...preferences, ...window], {
      env: { ...display.env, VNC_PASSWORD: "sesame", VNC_USERNAME: "", HOME: owner.testdir(), ...env },
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
    return { display, viewer, shows };
  };

  for (const encoding of ["Tight", "ZRLE", "Hextile", "Raw"]) {
    t.test(`xtigervncviewer shows our pixels in ${encoding} and passes its pointer on`, async (t) => {
      const door = await openDoor(t, PASSWORD);
      const { desktop } = door;
      desktop.paintScene(10);
      const preferences = ["-AutoSelect=0", `-PreferredEncoding=${encoding}`, "-FullColor=1", "-NoJPEG=1"];
      const { display, viewer, shows } = await openTigerVnc(t, door, preferences);
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

  const SECURITY = [
    { type: "None", security: "none", user: "" },
    { type: "VncAuth", security: "vnc-auth", user: "" },
    { type: "TLSNone", security: "tls-none", user: "" },
    { type: "TLSVnc", security: "tls-vnc", user: "" },
    { type: "TLSPlain", security: "tls-plain", user: "anna" },
    { type: "X509None", security: "x509-none", user: "" },
    { type: "X509Vnc", security: "x509-vnc", user: "" },
    { type: "X509Plain", security: "x509-plain", user: "anna" },
  ] as const;
  for (const { type, security, user } of SECURITY) {
    t.test(`xtigervncviewer signs in by ${type}`, async (t) => {
      const certificate = await makeCertificate(t);
      const door = await openDoor(t, { security: [security], password: "sesame", users: ANNA, certificate });
      door.desktop.paintScene(13);
      const preferences = [`-SecurityTypes=${type}`, `-X509CA=${certificate.file}`, "-NoJPEG=1"];
      const secret = user === "" ? "sesame" : ANNA_TOKEN;
      const env = { VNC_USERNAME: user, VNC_PASSWORD: secret };
      const { viewer, shows } = await openTigerVnc(t, door, preferences, env);
      await shows();
      door.desktop.paintScene(14);
      await shows();
      t.pass("it shows what we draw");
      await viewer.stop();
    });
  }

  t.test("xtigervncviewer that allows JPEG shows our exact pixels once they stand still", async (t) => {
    const door = await openDoor(t, PASSWORD);
    door.desktop.paintScene(15);
    const { viewer, shows } = await openTigerVnc(t, door, ["-AutoSelect=0", "-QualityLevel=1"]);
    await shows();
    t.pass("JPEG was refined");
    await viewer.stop();
  });
}
