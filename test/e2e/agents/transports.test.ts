import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { openTargetLink, type TrustSettings } from "../../../src/appliance/open-links.ts";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { KnownTargets } from "../../../src/desktop/connections/known-targets.ts";
import type { Link } from "../../../src/desktop/link.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LinkEar } from "../../desktop/links/link-ear.ts";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { differenceOf, shootDisplay } from "../harness/xwd.ts";
import { vncPassword } from "../targets/target.ts";

const run = promisify(execFile);

const FIRST_DISPLAY = 160;
const LAST_DISPLAY = 164;
const PASSWORD = "secret42";
const TRUST_SETTINGS: TrustSettings = { trust: "tofu", known: null };

interface Desk {
  readonly display: string;
  readonly port: number;
  readonly socket: string;
}

/** An Xtigervnc with a password that listens on a port and on a Unix socket. */
async function startDesk(t: Test): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), "oc-way-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [passwordFile, socket] = [join(folder, "passwd"), join(folder, "desk.sock")];
  writeFileSync(passwordFile, vncPassword(PASSWORD), { mode: 0o600 });
  for (let number = FIRST_DISPLAY; number <= LAST_DISPLAY; number++) {
    if (existsSync(`/tmp/.X${number}-lock`) || existsSync(`/tmp/.X11-unix/X${number}`)) continue;
    const display = `:${number}`;
    const args = (more: readonly string[]): string[] => [
      ...[display, "-displayfd", "3", "-geometry", "400x300", "-depth", "24", "-nolisten", "tcp"],
      ...["-SecurityTypes=VncAuth", `-PasswordFile=${passwordFile}`, "-BlacklistThreshold=1000"],
      ...["-AlwaysShared", ...more],
    ];
    const server = new Program(
      t,
      "Xtigervnc",
      args(["-localhost", `-rfbport=${5900 + number}`, `-rfbunixpath=${socket}`]),
      { hasExtraPipe: true },
    );
    const isUp = await server
      .waitFor("its display number", ({ extra }) => (extra.includes("\n") ? true : null))
      .catch((error: unknown) => {
        if (/already active|in use/.test(server.stderr)) return false;
        throw error;
      });
    if (!isUp) continue;
    await run("xsetroot", ["-solid", "#a03060"], { env: { ...process.env, DISPLAY: display } });
    return { display, port: 5900 + number, socket };
  }
  throw new Error(`no free X display between :${FIRST_DISPLAY} and :${LAST_DISPLAY}`);
}

function open(
  t: Test,
  url: string,
  trustSettings = TRUST_SETTINGS,
): { readonly link: Link; readonly ear: LinkEar } {
  const link = openTargetLink(makeConnection(connectionFromUrl(url), systemClock.date()), [], trustSettings);
  t.teardown(() => link.close());
  const ear = new LinkEar();
  link.open(ear.events);
  return { link, ear };
}

/** The link is live and shows what the display shows, in every pixel. */
async function expectPicture(
  t: Test,
  { link, ear }: ReturnType<typeof open>,
  { display }: Desk,
): Promise<void> {
  await ear.next("ready");
  link.follow(true);
  await until("the same picture", async () => {
    const { width, height, bytes } = link.framebuffer;
    return differenceOf({ width, height, rgba: bytes }, await shootDisplay(display)) === null;
  });
  t.pass(link.description);
}

async function errorOf(t: Test, url: string, trustSettings = TRUST_SETTINGS) {
  return (await open(t, url, trustSettings).ear.next("closed")).error;
}

const NEEDS = ["Xtigervnc", "xwd", "xsetroot"] as const;

t.test("a Unix socket", { timeout: 60_000 }, async (t) => {
  if (!requirePeers(t, NEEDS)) return;
  const desk = await startDesk(t);
  await expectPicture(t, open(t, `vnc+unix://:${PASSWORD}@localhost${desk.socket}`), desk);
  t.match(await errorOf(t, `vnc+unix://${desk.socket}.none`), {
    code: "unreachable",
    message: /no such socket/,
  });
});

t.test("websockify: ws, wss with its certificate, HTTP Basic", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, [...NEEDS, "websockify", "openssl"])) return;
  const desk = await startDesk(t);
  const folder = t.testdir();
  const [cert, key] = [join(folder, "web.pem"), join(folder, "web.key")];
  await run("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", cert, "-keyout", key],
    ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
  ]);
  const printed = await run("openssl", ["x509", "-in", cert, "-noout", "-fingerprint", "-sha256"]);
  const fingerprint = printed.stdout.trim().split("=")[1] ?? "";
  const websockify = async (...args: string[]): Promise<number> => {
    const port = await freePort();
    const server = new Program(t, "websockify", [...args, `127.0.0.1:${port}`, `127.0.0.1:${desk.port}`]);
    await until("websockify", () => {
      if (!server.isRunning) throw new Error(server.stderr);
      return isOpen(port);
    });
    return port;
  };
  const plain = await websockify();
  await expectPicture(t, open(t, `vnc+ws://:${PASSWORD}@127.0.0.1:${plain}`), desk);
  t.match(await errorOf(t, `vnc+wss://:${PASSWORD}@127.0.0.1:${plain}`), {
    code: "unreachable",
    message: /does not speak TLS/,
  });

  const secure = await websockify("--ssl-only", `--cert=${cert}`, `--key=${key}`);
  const url = `vnc+wss://:${PASSWORD}@127.0.0.1:${secure}`;
  await expectPicture(
    t,
    open(t, `${url}/any/path?fingerprint=${fingerprint}`, { ...TRUST_SETTINGS, trust: "ca" }),
    desk,
  );
  t.match(await errorOf(t, url, { ...TRUST_SETTINGS, trust: "ca" }), { code: "refused", isFinal: true });
  const other = fingerprint.replace(/^../, (pair) => (pair === "00" ? "01" : "00"));
  t.match(await errorOf(t, `${url}?fingerprint=${other}`), { code: "cert_mismatch", isFinal: true });
  const known = await KnownTargets.open(join(folder, "known-targets.json"));
  await expectPicture(t, open(t, url, { trust: "tofu", known }), desk);
  t.equal(known.fingerprintOf(`127.0.0.1:${secure}`), fingerprint.replaceAll(":", "").toLowerCase());

  const users = await websockify("--auth-plugin=BasicHTTPAuth", "--auth-source=ada:lovelace");
  const place = `vnc+ws://:${PASSWORD}@127.0.0.1:${users}/websockify`;
  await expectPicture(t, open(t, `${place}?http_username=ada&http_password=lovelace`), desk);
  const wrong = await errorOf(t, `${place}?http_username=ada&http_password=tops3cret`);
  t.match(wrong, { code: "auth_failed", isFinal: true });
  t.notMatch(wrong.message, /tops3cret/);
  t.match(await errorOf(t, place), { code: "password_required", isFinal: true });
});

t.test("servers that connect to us: vncconfig and x11vnc", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, [...NEEDS, "x11vnc", "vncconfig"])) return;
  const desk = await startDesk(t);
  const env = { ...process.env, DISPLAY: desk.display };
  const port = await freePort();
  const first = open(t, `vnc+reverse://:${PASSWORD}@127.0.0.1:${port}`);
  await until("the port", () => isListening(port));
  await run("vncconfig", ["-connect", `127.0.0.1:${port}`], { env });
  await expectPicture(t, first, desk);
  await until("nobody listens any more", () => !isListening(port));
  first.link.close();

  const passwordFile = join(t.testdir(), "passwd");
  writeFileSync(passwordFile, vncPassword(PASSWORD), { mode: 0o600 });
  const second = open(t, `vnc+reverse://:${PASSWORD}@127.0.0.1:${port}`);
  await until("the port", () => isListening(port));
  const x11vnc = new Program(
    t,
    "x11vnc",
    [
      ...["-display", desk.display, "-connect", `127.0.0.1:${port}`, "-rfbport", `${await freePort()}`],
      ...["-rfbauth", passwordFile, "-localhost", "-noipv6", "-no6", "-noxrecord", "-q", "-nocursor"],
    ],
    { env: { DISPLAY: desk.display } },
  );
  await expectPicture(t, second, desk);
  await x11vnc.stop();
  t.match(await second.ear.next("closed"), { error: { code: "target_closed" } });

  t.match(await errorOf(t, `vnc+reverse://0.0.0.0:${port}`), { code: "target_forbidden", isFinal: true });
  const anywhere = open(t, `vnc+reverse://0.0.0.0:${port}`, { ...TRUST_SETTINGS, reverseListen: "any" });
  await until("the port", () => isListening(port));
  t.match(await errorOf(t, `vnc+reverse://127.0.0.1:${port}`), { message: /something else listens/ });
  anywhere.link.close();
  await until("closed here, closed there", () => !isListening(port));
});

t.test(
  "UltraVNC's repeater is told whom we want, and passes the server on",
  { timeout: 60_000 },
  async (t) => {
    if (!requirePeers(t, NEEDS)) return;
    const desk = await startDesk(t);
    const asked: string[] = [];
    const sockets = new Set<Socket>();
    // Mode II: greets, takes 250 bytes, and joins the viewer to the server of that name.
    const repeater = createServer((viewer) => {
      sockets.add(viewer);
      viewer.on("error", () => undefined).once("close", () => sockets.delete(viewer));
      viewer.write("RFB 000.000\n");
      let request = Buffer.alloc(0);
      const onData = (chunk: Buffer): void => {
        request = Buffer.concat([request, chunk]);
        if (request.length < 250) return;
        viewer.off("data", onData);
        const name = request.subarray(0, 250).toString("latin1").replace(/\0+$/, "");
        asked.push(name);
        if (name !== "ID:1234") {
          viewer.destroy();
          return;
        }
        const server = connectTcp(desk.port, "127.0.0.1");
        server.on("error", () => viewer.destroy()).once("close", () => viewer.destroy());
        viewer.once("close", () => server.destroy());
        server.write(request.subarray(250));
        viewer.pipe(server).pipe(viewer);
      };
      viewer.on("data", onData);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => repeater.once("listening", resolve));
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      repeater.close();
    });
    const address = repeater.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expectPicture(t, open(t, `vnc+repeater://:${PASSWORD}@127.0.0.1:${port}/1234`), desk);
    t.match(await errorOf(t, `vnc+repeater://127.0.0.1:${port}/99`), { code: "target_closed" });
    t.same(asked, ["ID:1234", "ID:99"]);
    // Without a repeater's name its greeting is no version that there is.
    t.match(await errorOf(t, `vnc://127.0.0.1:${port}`), { message: /RFB 000.000/ });
  },
);

/** True where a connection is taken; it is closed again. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** True where somebody listens, as Linux tells: connecting would be taken for the server. */
function isListening(port: number): boolean {
  const [hex, LISTEN] = [port.toString(16).toUpperCase().padStart(4, "0"), "0A"];
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .some((line) => new RegExp(`^\\s*\\d+: [0-9A-F]{8}:${hex} \\S+ ${LISTEN} `).test(line));
}
