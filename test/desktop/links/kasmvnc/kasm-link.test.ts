import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { KnownTargets } from "../../../../src/desktop/connections/known-targets.ts";
import { NO_LIMITS } from "../../../../src/desktop/connections/target-rules.ts";
import { TargetTrust, type TlsTrust } from "../../../../src/desktop/connections/trust-policy.ts";
import type { LinkError } from "../../../../src/desktop/error.ts";
import { KasmLink } from "../../../../src/desktop/links/kasmvnc/kasm-link.ts";
import { type KasmTarget, openKasmSocket } from "../../../../src/desktop/links/kasmvnc/kasm-socket.ts";
import { holdsPoint, rect } from "../../../../src/framebuffer/rect.ts";
import { decodeWebp } from "../../../../src/imaging/webp/webp-decode.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { FakeClock, settle } from "../../../fake-clock.ts";
import { listRecordings, readRecording } from "../../../protocols/kasmvnc/recording.ts";
import type { KasmUser } from "../../../support/kasm-front.ts";
import { replayOverWebSocket } from "../../../support/kasm-replay.ts";
import { clipboardMessage, disconnectNotice, KasmServer } from "../../../support/kasm-server.ts";
import { until } from "../../../support/until.ts";
import { LinkEar } from "../link-ear.ts";

type Test = Pick<typeof t, "teardown">;

const ADA = { username: "ada", password: "lovelace1" } as const;

function ada(rights = "rwo"): Record<string, KasmUser> {
  return { ada: { password: ADA.password, rights } };
}

/** A certificate of our own making, its key, and its fingerprint as it is remembered. */
async function selfSigned(): Promise<{
  readonly cert: string;
  readonly key: string;
  readonly fingerprint: string;
}> {
  const { stdout } = await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=kasm", "-keyout", "-", "-out", "-"],
  ]);
  const [key = ""] = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----/.exec(stdout) ?? [];
  const [cert = ""] = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(stdout) ?? [];
  const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase();
  return { cert, key, fingerprint };
}

/** A link to a port of this machine, closed with the test. */
function openLink(
  test: Test,
  port: number,
  options: Partial<KasmTarget> & {
    readonly encodings?: readonly number[];
    readonly clock?: FakeClock;
    readonly trust?: TargetTrust;
  } = {},
): { readonly link: KasmLink; readonly ear: LinkEar } {
  const { encodings, clock = systemClock, trust: belief, ...rest } = options;
  const target: KasmTarget = { host: "127.0.0.1", port, ...ADA, tls: "auto", ...rest };
  const trust = belief ?? new TargetTrust({ host: target.host, port, fingerprint: null }, "tofu", null);
  const link = new KasmLink(
    {
      connect: () => openKasmSocket(target, { ...NO_LIMITS, own: [] }, trust, systemClock),
      ...(encodings === undefined ? {} : { encodings }),
    },
    { ...PLATFORM, decodeWebp },
    clock,
  );
  test.teardown(() => link.close());
  const ear = new LinkEar();
  link.open(ear.events);
  return { link, ear };
}

/** A link that has its first picture. */
async function live(test: Test, server: KasmServer, trust?: TargetTrust) {
  const opened = openLink(test, server.port, trust === undefined ? {} : { trust });
  await opened.ear.next("ready");
  await opened.ear.next("resize");
  while ((await opened.ear.next("update")).painted.isEmpty);
  opened.link.follow(true);
  return opened;
}

/** The error that ends a link to this server. */
async function refusal(test: Test, server: KasmServer, target: Partial<KasmTarget>): Promise<LinkError> {
  const { ear } = openLink(test, server.port, target);
  return (await ear.next("closed")).error;
}

t.test("the web server's rules: Basic first, Origin, subprotocol, one request, no ping", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const { link } = await live(t, server);
  t.match(link.description, /^KasmVNC, RFB 3.8, VncAuth/);
  // TLS is tried before, and ends before anything is said; the server sees its first bytes as no request.
  t.equal(server.requests.length, 1);
  const [head = ""] = server.requests;
  t.match(head, /^GET \/websockify HTTP\/1.1\r\n/);
  t.match(head, new RegExp(`\r\norigin: http://127.0.0.1:${server.port}\r\n`, "i"));
  t.match(head, /\r\nsec-websocket-protocol: binary\r\n/i);
  t.match(head, /\r\nauthorization: Basic YWRhOmxvdmVsYWNlMQ==\r\n/i);
  t.notMatch(head, /extensions/i);
  link.clipboard("x".repeat(200_000));
  await until("the clipboard", () => server.input.some(({ type }) => type === "clipboard"));
  const [client] = server.clients;
  const frames = client?.wire.frames ?? [];
  t.ok(frames.every(({ opcode, isFinal, size }) => opcode === 2 && isFinal && size < 65_536));
});

t.test("the user's password never leaves for RFB: it is empty there, and None is taken first", async (t) => {
  for (const security of ["None", "VncAuth"] as const) {
    const server = await KasmServer.start(t, { users: ada(), security });
    const { link } = await live(t, server);
    t.match(link.description, security);
  }
});

t.test("a wrong password is refused once and for all", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const error = await refusal(t, server, { password: "tops3cret" });
  t.match(error, { code: "auth_failed", isFinal: true });
  t.notMatch(error.message, /tops3cret/);
  t.equal(server.blacklist.failures, 1, "no second try");
});

t.test("without a name where one is needed the error asks for it", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  t.match(await refusal(t, server, { username: null, password: null }), {
    code: "password_required",
    isFinal: true,
  });
});

t.test("an address that is locked out is told so, and not tried again", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  for (let i = 0; i < 5; i++) server.blacklist.fail();
  t.match(await refusal(t, server, {}), {
    code: "auth_failed",
    isFinal: true,
    message: /locked this address out/,
  });
  t.equal(server.requests.length, 1);
});

t.test("names that Basic cannot send are refused before anything is sent", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  t.match(await refusal(t, server, { username: "a:b" }), { code: "auth_failed", message: /colon/ });
  t.match(await refusal(t, server, { password: "p".repeat(300) }), {
    code: "auth_failed",
    message: /longer/,
  });
  t.equal(server.requests.length, 0);
});

t.test("what is no KasmVNC server is said so", async (t) => {
  const web = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => {
      socket.end(data[0] === 22 ? "" : "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    });
  }).listen(0, "127.0.0.1");
  t.teardown(() => web.close());
  await new Promise((resolve) => web.once("listening", resolve));
  const address = web.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { ear } = openLink(t, address.port);
  t.match((await ear.next("closed")).error, { code: "protocol_error", message: /HTTP status 200/ });
});

t.test("without TLS name and password go to this machine only", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  t.match(await refusal(t, server, { tls: "always" }), {
    code: "unreachable",
    isFinal: true,
    message: /TLS/,
  });
  t.equal(server.requests.length, 0);
});

t.test(
  "its certificate is believed as a VNC server's is: by what was seen first, or by what is configured",
  async (t) => {
    const file = join(t.testdir(), "known-targets.json");
    const known = await KnownTargets.open(file);
    const [first, second] = [await selfSigned(), await selfSigned()];
    const server = await KasmServer.start(t, { users: ada(), tls: first });
    const place = { host: "127.0.0.1", port: server.port };
    const trust = (fingerprint: string | null, mode: TlsTrust = "tofu") =>
      new TargetTrust({ ...place, fingerprint }, mode, known);
    const { link } = await live(t, server, trust(null));
    t.match(link.description, /KasmVNC/);
    const seen = known.fingerprintOf(`127.0.0.1:${server.port}`) ?? "";
    t.equal(seen, first.fingerprint);
    await live(t, server, trust(null));
    await live(t, server, trust(first.fingerprint, "ca"));
    const refuse = async (belief: TargetTrust) => {
      return (await openLink(t, server.port, { trust: belief }).ear.next("closed")).error;
    };
    t.match(await refuse(trust(second.fingerprint)), { code: "cert_mismatch", isFinal: true });
    t.match(await refuse(trust(null, "ca")), { code: "refused", isFinal: true });
    await known.remember(`127.0.0.1:${server.port}`, second.fingerprint);
    t.match(await refuse(trust(null)), { code: "cert_mismatch", isFinal: true });
    t.equal(server.requests.length, 3, "no name and no password without belief");
    const plain = await KasmServer.start(t, { users: ada() });
    const pinned = new TargetTrust({ ...place, port: plain.port, fingerprint: seen }, "tofu", known);
    t.match((await openLink(t, plain.port, { trust: pinned }).ear.next("closed")).error, {
      code: "unreachable",
      message: /TLS/,
    });
    t.equal(plain.requests.length, 0, "one with a fingerprint is not asked without TLS, even here");
  },
);

t.test("what is painted there is painted here, and moves and clicks arrive there", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const { link } = await live(t, server);
  server.paint(100, 50, 30, 20, [1, 2, 3]);
  await until("the pixels", () => link.framebuffer.read(rect(129, 69, 1, 1)).join() === "1,2,3,255");
  link.pointer(60, 70, 0x101);
  link.key(0x6771 + 0x01000000, true, 30);
  await until("a key", () => server.input.some(({ type }) => type === "key"));
  t.same(server.input.slice(1), [
    { type: "pointer", x: 60, y: 70, buttons: 0x101, scroll: [0, 0] },
    { type: "key", keysym: 0x6771 + 0x01000000, isDown: true },
  ]);
  await until("every pixel", () => rgbOf(link.framebuffer.bytes).equals(server.pixels));
});

t.test(
  "the pointer that the server had drawn in is gone once something is pointed at, even where it was",
  async (t) => {
    const server = await KasmServer.start(t, { users: ada() });
    const { link } = await live(t, server);
    const place = rect(server.pointer.x, server.pointer.y, 1, 1);
    t.same([...link.framebuffer.read(place)], [255, 0, 255, 255], "drawn in at first");
    link.pointer(server.pointer.x, server.pointer.y, 1);
    await until("the pointer's end", () => link.framebuffer.read(place).join() === "40,40,40,255");
    t.match(server.input, [
      { type: "pointer", buttons: 0 },
      { type: "pointer", x: 20, y: 20, buttons: 1 },
    ]);
  },
);

t.test("clipboards go both ways as UTF-8, without a final NUL", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const { link, ear } = await live(t, server);
  server.say(clipboardMessage(["text/html", "<b>x</b>"], ["text/plain", "東京\nzwei\0"]));
  t.equal((await ear.next("clipboard")).text, "東京\nzwei");
  link.clipboard("Grüße\r\n😀");
  link.clipboard("");
  await until("two clipboards", () => server.input.length === 2);
  t.same(server.input, [
    { type: "clipboard", items: [["text/plain", "Grüße\n😀"]] },
    { type: "clipboard", items: [] },
  ]);
});

t.test("messages that nobody asked for change nothing; statistics are answered", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const first = await live(t, server);
  const second = await live(t, server);
  second.link.close();
  server.say(Buffer.of(179), Buffer.of(187), Buffer.of(253, 0, 0, 0, 3, 101, 118, 101), Buffer.of(2));
  await first.ear.next("bell");
  server.paint(0, 0, 1, 1, [7, 7, 7]);
  await until("the pixel", () => first.link.framebuffer.read(rect(0, 0, 1, 1)).join() === "7,7,7,255");
});

t.test("why the server ends a session is in the error", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const { ear } = await live(t, server);
  server.say(disconnectNotice("Idle \u001b[1mtimeout"));
  for (const { wire } of server.clients) wire.close();
  t.match((await ear.next("closed")).error, {
    code: "target_closed",
    isFinal: false,
    message: /ended the session: Idle \\u\{1b\}\[1mtimeout/,
  });
});

t.test("screens are arranged on the server and come back as it has them", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const { link, ear } = await live(t, server);
  t.equal(link.resize(500, 250, [rect(0, 0, 300, 200), rect(300, 0, 200, 250)]), true);
  const { screens } = await ear.next("resize");
  t.same(
    screens.map(({ rect }) => rect),
    [rect(0, 0, 300, 200), rect(300, 0, 200, 250)],
    "only the last of the layouts on the way",
  );
  t.same([link.framebuffer.width, link.framebuffer.height], [500, 250]);
  t.same([server.width, server.height], [500, 250]);
  const sent = server.input.at(-1);
  t.match(sent, { type: "size", screens: [{ id: 1_804_289_383 }, { id: 1 }] });
});

t.test("a user without the right to look is told apart from a slow server, and final", async (t) => {
  const server = await KasmServer.start(t, { users: ada("w") });
  const clock = new FakeClock();
  const { ear } = openLink(t, server.port, { clock });
  await ear.next("ready");
  await settle();
  clock.advance(10_000);
  const { error } = await ear.next("closed");
  t.match(error, { code: "no_view_permission", isFinal: true, message: /right to look/ });
  // Its last question has a moment to leave.
  while (clock.waiting > 0) await settle();
});

t.test("a right to look that is taken away shows as a stall, though fences are answered", async (t) => {
  const server = await KasmServer.start(t, { users: ada() });
  const clock = new FakeClock();
  const { link, ear } = openLink(t, server.port, { clock });
  while ((await ear.next("update")).painted.isEmpty);
  await link.barrier();
  const user = server.users?.get("ada");
  if (user !== undefined) user.rights = "";
  clock.advance(5000);
  await settle();
  clock.advance(4500);
  await ear.next("stalled");
});

t.test("where a quality is asked for, changes are asked for once more when a second was quiet", async (t) => {
  for (const [encodings, expected] of [
    [[7, 1], 1],
    [[7, 1, -26], 2],
  ] as const) {
    const server = await KasmServer.start(t, { users: ada() });
    const clock = new FakeClock();
    const { link, ear } = openLink(t, server.port, { clock, encodings });
    while ((await ear.next("update")).painted.isEmpty);
    await link.barrier();
    // Unwatched: the ordinary next request comes after half a second, the repeated one after a whole one.
    clock.advance(1100);
    await link.barrier();
    t.equal(server.updateRequests.filter((isIncremental) => isIncremental).length, expected);
    clock.advance(3000);
    await link.barrier();
    t.equal(
      server.updateRequests.filter((isIncremental) => isIncremental).length,
      expected,
      "and then no more",
    );
    t.equal(link.isExact, expected === 1);
  }
});

t.test("input of a user without the right to write is not refused here: the server drops it", async (t) => {
  const server = await KasmServer.start(t, { users: ada("r") });
  const { link } = await live(t, server);
  link.key(0x61, true, null);
  await link.barrier();
  t.same(server.input, []);
});

for (const [name, encodings] of [
  ["01-tight-lossless", undefined],
  ["07-tight-webp", [-1024, 7, 1, -26]],
  ["08-tight-qoi", [-1886, 7, 1]],
  ["18b-video-mode-webp", [-1024, 7, 1, -26]],
] as const) {
  t.test(`a real server's bytes, played over a WebSocket, give the true picture: ${name}`, async (t) => {
    const folder = listRecordings().get(name);
    if (folder === undefined) throw new Error(`no recording ${name}`);
    const recording = readRecording(folder);
    const truth = recording.truths.findLast(({ decodedDifference }) => decodedDifference.pixels === 0);
    if (truth === undefined) throw new Error("no true picture");
    const port = await replayOverWebSocket(t, recording, truth.afterLine);
    const { link, ear } = openLink(t, port, encodings === undefined ? {} : { encodings });
    await ear.next("bell");
    const { data } = await sharp(truth.path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    t.ok(rgbOf(link.framebuffer.bytes).equals(data), "every pixel");
    t.equal(link.isExact, encodings === undefined || !encodings.some((number) => number === -26));
  });
}

for (const [label, isDrawn] of [
  ["1-before-first-move", true],
  ["2-after-first-move", false],
  ["5-warped-conn1", true],
  ["6-conn1-again", false],
] as const) {
  t.test(`a real server's pointer is drawn nowhere else than where that is told: ${label}`, async (t) => {
    const folder = listRecordings().get("17-cursor");
    if (folder === undefined) throw new Error("no recording 17-cursor");
    const recording = readRecording(folder);
    const truth = recording.truths.find((one) => one.label === label);
    if (truth === undefined) throw new Error(`no true picture ${label}`);
    const { link, ear } = openLink(t, await replayOverWebSocket(t, recording, truth.afterLine));
    await ear.next("bell");
    const { data } = await sharp(truth.path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const seen = rgbOf(link.framebuffer.bytes);
    const { width } = link.framebuffer;
    const differs = Array.from({ length: data.length / 3 }, (_, i) => i).filter(
      (i) => data.compare(seen, i * 3, i * 3 + 3, i * 3, i * 3 + 3) !== 0,
    );
    t.equal(differs.length > 0, isDrawn, "the server draws it");
    t.equal(ear.drawnPointer !== null, isDrawn, "and that is told");
    const area = ear.drawnPointer ?? rect(0, 0, 0, 0);
    const outside = differs.filter((i) => !holdsPoint(area, i % width, Math.floor(i / width)));
    t.same(outside, [], "no pixel differs outside");
    if (label === "5-warped-conn1") t.same(area, rect(98, 498, 15, 21), "it is told by its size");
  });
}

function rgbOf(rgba: Uint8Array): Buffer {
  const rgb = Buffer.alloc((rgba.length / 4) * 3);
  for (let i = 0; i < rgba.length / 4; i++) Buffer.from(rgba.subarray(i * 4, i * 4 + 3)).copy(rgb, i * 3);
  return rgb;
}
