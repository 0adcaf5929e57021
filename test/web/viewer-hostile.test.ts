import { once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { WebSocket } from "ws";
import { Authenticator } from "../../src/auth/authenticator.ts";
import { Lockout } from "../../src/auth/lockout.ts";
import { OneTimeCodes } from "../../src/auth/one-time-codes.ts";
import { Sessions } from "../../src/auth/sessions.ts";
import { TokenStore } from "../../src/auth/tokens.ts";
import { rect } from "../../src/framebuffer/rect.ts";
import { ByteWriter } from "../../src/protocols/byte-writer.ts";
import { rightsOf } from "../../src/web/viewer/rights.ts";
import { ViewerSession } from "../../src/web/viewer/session.ts";
import { ViewerSignIn } from "../../src/web/viewer/sign-in.ts";
import { FakeClock } from "../fake-clock.ts";
import { say } from "../protocols/rfb/server/viewer.ts";
import { DrawnDesktop } from "./drawn-desktop.ts";
import { openHouse, upgradeStatus } from "./fake-house.ts";
import { FakeTransport } from "./fake-transport.ts";
import { KeptLog, oneCache, openVncDoor, rfbPorts, securityMeans, viewerSessions } from "./viewer-ports.ts";

// The cases of docs/hostile-cases.md that viewers bring: 34 to 41, each by its number.

const MIB = 1024 * 1024;
const HELLO = [Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1)];
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function stand(desktop = new DrawnDesktop(64, 48), isViewOnly = false) {
  const transport = new FakeTransport();
  const clock = new FakeClock();
  const log = new KeptLog();
  const principal = { id: "anna", name: "Anna", role: "operator" } as const;
  const session = new ViewerSession(
    { rfb: rfbPorts, cacheOf: oneCache(desktop.view()), clock, log },
    {
      ...{ desktop, transport, security: [{ type: "none" }], isComposited: false, viewport: null },
      rights: () => rightsOf(principal, isViewOnly),
    },
  );
  await transport.whenSent();
  transport.say(...HELLO);
  transport.drain();
  return { desktop, transport, clock, log, session };
}

t.test(
  "case 34: an upgrade from a foreign page, for a foreign host or with a token in its query",
  async (t) => {
    const house = await openHouse(t);
    const host = await house.listen();
    const viewer = house.bearer("viewer");
    for (const path of ["/ws/desktops/d1", "/websockify"]) {
      t.equal(await upgradeStatus(`ws://${host}${path}`, { ...viewer, origin: "https://evil.example" }), 403);
      t.equal(await upgradeStatus(`ws://${host}${path}`, { ...viewer, host: "evil.example" }), 403);
      const withToken = `ws://${host}${path}?token=${house.token.admin}`;
      t.equal(await upgradeStatus(withToken, { origin: `http://${host}` }), 401, "a query is no credential");
    }
    t.same(house.rfb, []);
  },
);

t.test(
  "case 35: a frame beyond 64 KiB, whole or in parts without end, and a wish for compression",
  async (t) => {
    const house = await openHouse(t);
    const host = await house.listen();
    const open = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://${host}/ws/desktops/d1`, "binary", {
        headers: house.bearer("viewer"),
      });
      t.teardown(() => socket.terminate());
      socket.on("error", () => {});
      await once(socket, "open");
      return socket;
    };
    const whole = await open();
    t.equal(whole.extensions, "", "no compression, whoever asks for it");
    whole.send(Buffer.alloc(64 * 1024 + 1));
    t.equal((await once(whole, "close"))[0], 1009);
    const parts = await open();
    const closed = once(parts, "close");
    for (let i = 0; i < 100; i++) parts.send(Buffer.alloc(1024), { fin: false });
    t.equal((await closed)[0], 1009);
  },
);

t.test(
  "case 36: a pixel format that is none, 65,535 encodings, and updates of 65,535 by 65,535",
  async (t) => {
    const closes: readonly (readonly [string, Uint8Array, string])[] = [
      [
        "SetPixelFormat",
        Buffer.concat([Buffer.from([0, 0, 0, 0, 13, 0xff]), Buffer.alloc(14, 0xff)]),
        "bad_pixel_format",
      ],
      ["SetEncodings", new ByteWriter().u8(2).pad(1).u16(65_535).bytes(), "too_large"],
    ];
    for (const [name, bytes, code] of closes) {
      const { transport, desktop } = await stand();
      transport.say(bytes);
      t.match(transport.closed, [{ code: 1002, reason: code }], name);
      t.equal(desktop.viewers, 0);
    }
    const { transport } = await stand();
    for (let i = 0; i < 10_000; i++) transport.say(say.request(false, i, i, 65_535, 65_535));
    await settled();
    t.same(transport.closed, [], "what lies beyond the desktop is nothing to send");
    t.ok(transport.mostBufferedBytes < 64 * 1024, `${transport.mostBufferedBytes} bytes`);
  },
);

t.test("case 37: a clipboard of 4 GiB, a keysym that is none, a pointer beyond the desktop", async (t) => {
  for (const length of [0x7fffffff, -0x80000000]) {
    const { transport } = await stand();
    transport.say(new ByteWriter().u8(6).pad(3).i32(length).bytes());
    t.match(transport.closed, [{ reason: "too_large" }]);
  }
  const { transport, desktop } = await stand();
  transport.say(new ByteWriter().u8(6).pad(3).u32(MIB).bytes(), Buffer.alloc(MIB));
  transport.say(say.key(true, 0xffffffff), say.pointer(1, 65_535, 65_535));
  await settled();
  t.match(
    desktop.performed.map(({ action }) => action),
    [{ kind: "pointer", x: 63, y: 47, buttons: 1 }],
    "skipped, ignored, clamped",
  );
  t.same(transport.closed, []);
});

t.test("case 38: a viewer without the right to input that sends it all the same", async (t) => {
  const desktop = new DrawnDesktop(64, 48);
  const audited: { readonly type: string }[] = [];
  const sessions = viewerSessions(new KeptLog(), (entry) => audited.push(entry));
  t.teardown(() => sessions.close());
  for (const role of ["viewer", "agent"] as const) {
    const transport = new FakeTransport();
    sessions.admit(transport, desktop, {
      ...{ security: [{ type: "none" }], isComposited: false, viewport: null },
      rights: () => rightsOf({ id: role, name: role, role }),
    });
    await transport.whenSent();
    transport.say(...HELLO, say.encodings(0, -308));
    transport.say(say.key(true, 0x61), say.key(false, 0x61), say.pointer(1, 2, 3), say.cutText("secret"));
    transport.say(say.desktopSize(80, 60, rect(0, 0, 80, 60)));
  }
  await settled();
  t.same(desktop.performed, []);
  const denied = ["key", "pointer", "clipboard", "resize"];
  const refused = audited.filter(({ type }) => type === "authz.denied");
  t.match(
    refused,
    ["viewer", "agent"].flatMap((id) =>
      denied.map((action) => ({
        type: "authz.denied",
        actor: { id },
        action,
        errorCode: "permission_denied",
      })),
    ),
  );
  t.equal(refused.length, 8, "one record of each kind");
  t.notMatch(JSON.stringify(audited), /secret/);
});

t.test("case 39: a viewer that never reads costs 4 MiB at most and is gone after 30 s", async (t) => {
  const { desktop, transport, clock } = await stand(new DrawnDesktop(1280, 800));
  transport.say(say.encodings(0, -312, -313), say.continuous(true, 0, 0, 1280, 800));
  for (let frame = 0; frame < 200; frame++) {
    desktop.paint(desktop.frame.rect, frame);
    transport.say(say.request(true, 0, 0, 1280, 800));
    await settled();
  }
  t.ok(transport.mostBufferedBytes <= 4 * MIB, `${transport.mostBufferedBytes} bytes`);
  clock.advance(29_999);
  t.same(transport.closed, []);
  clock.advance(1);
  t.match(transport.closed, [{ code: 1008, reason: "read nothing for 30 s" }]);
  t.equal(desktop.viewers, 0);
});

t.test(
  "case 40: of 1,000 half-open handshakes 100 are talked to, 200 wait, and all are gone in time",
  async (t) => {
    const clock = new FakeClock();
    const { listener, port } = await openVncDoor(t, new DrawnDesktop(64, 48), { security: ["none"], clock });
    let greeted = 0;
    let dropped = 0;
    const sockets = Array.from({ length: 1000 }, (_, i) => {
      const localAddress = `127.0.1.${1 + (i % 125)}`;
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      socket.once("data", () => greeted++);
      socket.once("close", () => dropped++);
      return socket;
    });
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
    });
    while (greeted < 100 || dropped < 700) await settled();
    t.equal(listener.unknownSockets, 300);
    t.same([greeted, dropped], [100, 700]);
    while (listener.unknownSockets > 0) {
      clock.advance(2000);
      await settled();
    }
    t.ok(clock.nowMs() <= 30_000, `all gone after ${clock.nowMs()} ms`);
    while (dropped < 1000) await settled();
    const late = connect(port, "127.0.0.1");
    t.teardown(() => late.destroy());
    t.equal(String((await once(late, "data"))[0]), "RFB 003.008\n", "and then there is room again");
  },
);

t.test("case 41: who guesses a user's token waits 10 s, then doubling, whatever the user", async (t) => {
  const clock = new FakeClock();
  const tokens = await TokenStore.open(t.testdir(), clock);
  const users = new Authenticator({
    clock,
    tokens,
    codes: new OneTimeCodes(clock),
    sessions: new Sessions(clock),
    lockout: new Lockout(clock),
    ownToken: "sixteen-or-more!",
  });
  const { token, info } = await tokens.create("anna", "operator");
  const log = new KeptLog();
  const audited: { readonly type: string }[] = [];
  const signIn = new ViewerSignIn(
    {
      ...{ log, lockout: new Lockout(clock), means: securityMeans, users },
      audit: (entry) => audited.push(entry),
    },
    { security: ["tls-plain", "tls-vnc"], password: "sesame", passwordRole: "viewer" },
  );
  const enter = (address: string) => {
    const entrance = signIn.enter(address, "d1");
    const [offer] = entrance.security;
    const inner = offer?.type === "veNCrypt" ? offer.subtypes[0]?.inner : undefined;
    if (inner?.type !== "plain") throw new Error("expected Plain inside TLS");
    const { verify } = inner;
    return (user: string, secret: string) => (verify(user, secret) ? entrance.visitor().principal : null);
  };
  const HERE = "192.0.2.1";
  t.match(enter(HERE)("anna", token), { id: info.id, role: "operator" });
  t.match(enter(HERE)(info.id, token.slice(-43)), { name: "anna" }, "ARD has no room for the rest of it");
  t.match(enter(HERE)("OC_TOKEN", "sixteen-or-more!"), { role: "admin" });
  t.match(enter(HERE)("whoever", "sesame"), { id: "vnc:192.0.2.1", role: "viewer" }, "the one password");
  t.equal(enter(HERE)("bob", token), null, "another user's token");
  for (let i = 0; i < 4; i++) t.equal(enter(HERE)(`user${i}`, `guess${i}`), null);
  t.equal(signIn.waitMs(HERE), 10_000);
  t.equal(
    enter(HERE)("OC_TOKEN", "sixteen-or-more!"),
    null,
    "not even the right one of those that can be guessed",
  );
  t.equal(enter(HERE)("whoever", "sesame"), null);
  t.match(enter(HERE)("anna", token), { name: "anna" }, "256 bits cannot be guessed");
  t.match(enter("192.0.2.2")("whoever", "sesame"), { role: "viewer" }, "nobody else waits");
  clock.advance(10_000);
  t.equal(enter(HERE)("anna", "guess"), null);
  t.equal(signIn.waitMs(HERE), 20_000);
  t.ok(
    audited.some(({ type }) => type === "auth.failed") && audited.some(({ type }) => type === "auth.locked"),
  );
  t.notMatch(JSON.stringify([audited, log.lines]), /guess|sesame|sixteen|ocp_/);
});
