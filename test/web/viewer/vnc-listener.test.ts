import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import t from "tap";
import { type WebSocket as ServerSocket, WebSocket, WebSocketServer } from "ws";
import type { Credential } from "../../../src/auth/authenticator.ts";
import { CredentialWatch } from "../../../src/auth/credential-watch.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { vncAuthResponse } from "../../../src/protocols/rfb/security/vnc-auth.ts";
import { ViewerTls } from "../../../src/web/viewer/tls.ts";
import { VncListener } from "../../../src/web/viewer/vnc/vnc-listener.ts";
import { FakeClock } from "../../fake-clock.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";
import { type Door, type DoorOptions, openVncDoor, rfbPorts, viewerSessions } from "../viewer-ports.ts";

const PASSWORD: DoorOptions = { security: ["vnc-auth"], password: "sesame" };
const OPEN: DoorOptions = { security: ["none"] };
const VERSION = Buffer.from("RFB 003.008\n");

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Owner {
  teardown(call: () => unknown): void;
}

async function openDoor(
  owner: Owner,
  options: DoorOptions,
  clock: Clock = new FakeClock(),
  desktop: DrawnDesktop | null = new DrawnDesktop(64, 48),
): Promise<Door & { readonly desktop: DrawnDesktop }> {
  const door = await openVncDoor(owner, desktop, { clock, ...options });
  return { ...door, desktop: desktop ?? new DrawnDesktop(1, 1) };
}

/** A TCP peer that is asked for so many bytes, or for the end. */
class Caller {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #isOver = false;
  #onChange: () => void = () => {};

  constructor(owner: Owner, port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#onChange();
    });
    this.socket.on("close", () => {
      this.#isOver = true;
      this.#onChange();
    });
    owner.teardown(() => this.socket.destroy());
  }

  /** The next bytes; fewer where the other side ends before. */
  async read(count: number): Promise<Buffer> {
    await this.#until(() => this.#bytes.length >= count || this.#isOver);
    const bytes = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return bytes;
  }

  /** All that comes until the other side ends. */
  async rest(): Promise<Buffer> {
    await this.#until(() => this.#isOver);
    return this.#bytes;
  }

  /** Signs in by 3.8; resolves with the U32 result, or null where the connection ended. */
  async signIn(password: string): Promise<number | null> {
    await this.read(12);
    this.socket.write(VERSION);
    const [count = 0] = await this.read(1);
    if (count === 0) return null;
    await this.read(count);
    this.socket.write(Uint8Array.of(2));
    const challenge = await this.read(16);
    this.socket.write(vncAuthResponse(rfbPorts.crypto, password, challenge));
    const result = await this.read(4);
    return result.length === 4 ? result.readUInt32BE() : null;
  }

  #until(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (isDone()) resolve();
      };
      this.#onChange();
    });
  }
}

t.test("the right password opens, the wrong one is told and logged without being named", async (t) => {
  const { port, log } = await openDoor(t, PASSWORD);
  t.equal(await new Caller(t, port).signIn("sesame"), 0);
  const wrong = new Caller(t, port);
  t.equal(await wrong.signIn("guess"), 1);
  t.match((await wrong.rest()).toString(), /wrong password$/);
  t.match(
    log.lines.filter(({ level }) => level === "warn"),
    [{ fields: { address: "127.0.0.1" } }, { fields: { code: "auth_failed" } }],
  );
  t.notMatch(JSON.stringify(log.lines), /sesame|guess/);
});

t.test("only the first eight characters of a password count, as DES has it", async (t) => {
  const { port } = await openDoor(t, { security: ["vnc-auth"], password: "12345678" });
  t.equal(await new Caller(t, port).signIn("123456789"), 0);
  t.equal(await new Caller(t, port).signIn("1234567"), 1);
});

t.test(
  "five wrong passwords lock the address for 10 s, doubling; the right one is refused meanwhile",
  async (t) => {
    const clock = new FakeClock();
    const { port } = await openDoor(t, PASSWORD, clock);
    const early = new Caller(t, port);
    for (let i = 0; i < 5; i++) t.equal(await new Caller(t, port).signIn("guess"), 1);
    t.equal(await early.signIn("sesame"), 1, "a socket opened before is no way round it");
    const locked = new Caller(t, port);
    t.equal(await locked.signIn("sesame"), null);
    t.match((await locked.rest()).toString("latin1"), /too many wrong passwords, wait 10 s$/);
    clock.advance(9_999);
    t.equal(await new Caller(t, port).signIn("sesame"), null);
    clock.advance(1);
    t.equal(await new Caller(t, port).signIn("guess"), 1);
    clock.advance(10_000);
    t.equal(await new Caller(t, port).signIn("sesame"), null, "now it is 20 s");
    clock.advance(10_000);
    t.equal(await new Caller(t, port).signIn("sesame"), 0);
    t.equal(await new Caller(t, port).signIn("guess"), 1, "and forgotten with the right one");
    t.equal(await new Caller(t, port).signIn("sesame"), 0);
  },
);

t.test("50 viewers of one address that come at once all get in", async (t) => {
  const { desktop, listener, port } = await openDoor(t, PASSWORD);
  const callers = Array.from({ length: 50 }, () => new Caller(t, port));
  const enter = async (caller: Caller): Promise<number | null> => {
    const result = await caller.signIn("sesame");
    caller.socket.write(Uint8Array.of(1));
    await caller.read(24 + 5);
    return result;
  };
  t.same(await Promise.all(callers.map(enter)), Array(50).fill(0));
  t.equal(desktop.viewers, 50);
  t.equal(listener.unknownSockets, 0);
});

/** So many that answered the version and then said nothing. */
async function half(owner: Owner, port: number, count: number): Promise<Caller[]> {
  const callers = Array.from({ length: count }, () => new Caller(owner, port));
  for (const caller of callers) {
    t.same(await caller.read(12), VERSION);
    caller.socket.write(VERSION);
    await caller.read(2);
  }
  return callers;
}

t.test("an address has at most 10 handshakes in progress; who comes then waits in line", async (t) => {
  const clock = new FakeClock();
  const { listener, port } = await openDoor(t, PASSWORD, clock);
  const talking = await half(t, port, 10);
  const next = new Caller(t, port);
  while (listener.unknownSockets < 11) await turn();
  clock.advance(9_999);
  for (let i = 0; i < 20; i++) await turn();
  t.equal(next.socket.bytesRead, 0, "who answered keeps its place while its time lasts");
  talking[0]?.socket.destroy();
  t.equal(await next.signIn("sesame"), 0, "who leaves makes room");
});

t.test("10 silent sockets do not shut out a viewer of their address", async (t) => {
  const clock = new FakeClock();
  const { listener, port } = await openDoor(t, PASSWORD, clock);
  const silent = Array.from({ length: 10 }, () => new Caller(t, port));
  for (const caller of silent) await caller.read(12);
  const viewer = new Caller(t, port);
  while (listener.unknownSockets < 11) await turn();
  clock.advance(2000);
  t.equal(await viewer.signIn("sesame"), 0);
  await silent[0]?.rest();
  t.ok(
    silent.slice(1).every(({ socket }) => !socket.closed),
    "no more than are needed are dropped",
  );
  t.equal(await new Caller(t, port).signIn("sesame"), 0, "and who comes after that does not wait at all");
});

t.test("the line is bounded, and nobody stands in it for longer than 30 s", async (t) => {
  const clock = new FakeClock();
  const { listener, port } = await openDoor(t, PASSWORD, clock);
  await half(t, port, 10);
  const waiting = Array.from({ length: 50 }, () => new Caller(t, port));
  for (const { socket } of waiting) socket.once("data", () => socket.write(VERSION));
  while (listener.unknownSockets < 60) await turn();
  t.equal((await new Caller(t, port).rest()).length, 0, "the next is dropped without a word");
  const [first] = waiting;
  first?.socket.destroy();
  while (listener.unknownSockets === 60) await turn();
  t.equal(listener.unknownSockets, 59, "who leaves leaves its place in line");
  const answered = (): number => waiting.filter(({ socket }) => socket.bytesRead >= 12 + 2).length;
  for (const count of [10, 20]) {
    clock.advance(10_000);
    while (answered() < count) await turn();
    t.equal(listener.unknownSockets, 59 - count);
  }
  clock.advance(10_000);
  while (listener.unknownSockets > 0) await turn();
  for (const caller of waiting) await caller.rest();
  t.equal(answered(), 20, "the others had waited for 30 s");
});

t.test("who has not signed in after 10 s is dropped, a viewer is not", async (t) => {
  const clock = new FakeClock();
  const { desktop, listener, port } = await openDoor(t, OPEN, clock);
  const viewer = new Caller(t, port);
  await viewer.read(12);
  viewer.socket.write(Buffer.concat([VERSION, Uint8Array.of(1, 1)]));
  await viewer.read(2 + 4 + 24 + 5);
  const silent = new Caller(t, port);
  await silent.read(12);
  clock.advance(10_000);
  await silent.rest();
  t.equal(listener.unknownSockets, 0);
  viewer.socket.write(say.request(false, 0, 0, 64, 48));
  t.equal((await viewer.read(4 + 12 + 64 * 48 * 4)).length, 4 + 12 + 64 * 48 * 4);
  t.equal(desktop.viewers, 1);
});

t.test("without a password it is for watching only", async (t) => {
  const { desktop, port } = await openDoor(t, OPEN);
  const viewer = new Caller(t, port);
  await viewer.read(12);
  viewer.socket.write(
    Buffer.concat([VERSION, Uint8Array.of(1, 1), say.key(true, 0x61), say.cutText("text")]),
  );
  await viewer.read(2 + 4 + 24 + 5);
  desktop.emit({ type: "clipboard", text: "private" });
  viewer.socket.write(say.request(false, 0, 0, 64, 48));
  t.equal((await viewer.read(1))[0], 0, "an update, and no clipboard before it");
  t.same(desktop.performed, []);
});

t.test("a viewer whose token is revoked is dropped within a second", async (t) => {
  const clock = new FakeClock();
  let isValid = true;
  const watch = new CredentialWatch<Credential>(() => isValid, clock);
  const principal = { id: "anna", name: "anna", role: "operator" } as const;
  const door = await openDoor(
    t,
    {
      security: ["tls-plain"],
      users: {
        signInAs: () => ({ kind: "known", credential: { kind: "token", principal } }),
        whenVoid: (credential, onVoid) => watch.add(credential, onVoid),
      },
    },
    clock,
  );
  const caller = new Caller(t, door.port);
  await caller.read(12);
  caller.socket.write(VERSION);
  await caller.read(2);
  caller.socket.write(Uint8Array.of(19));
  await caller.read(2);
  caller.socket.write(Uint8Array.of(0, 2));
  await caller.read(1 + 1 + 4);
  caller.socket.write(Uint8Array.of(0, 0, 1, 3));
  t.same(await caller.read(1), Buffer.of(1));
  caller.socket.removeAllListeners("data");
  const ciphers = "aNULL:@SECLEVEL=0";
  const tls = tlsConnect({
    socket: caller.socket,
    ciphers,
    maxVersion: "TLSv1.2",
    rejectUnauthorized: false,
  });
  tls.on("error", () => {});
  await once(tls, "secureConnect");
  tls.write(Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), Buffer.from("ab"), Uint8Array.of(1)]));
  await once(tls, "data");
  while (door.desktop.viewers === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1000);
  t.equal(door.desktop.viewers, 1, "as long as it holds");
  const closed = once(tls, "close");
  isValid = false;
  clock.advance(1000);
  await closed;
  t.equal(door.desktop.viewers, 0);
});

t.test("who cannot agree on TLS is dropped, and nothing of it is left", async (t) => {
  const { listener, port } = await openDoor(t, { security: ["tls-none"] });
  const caller = new Caller(t, port);
  await caller.read(12);
  caller.socket.write(VERSION);
  await caller.read(2);
  caller.socket.write(Uint8Array.of(19));
  await caller.read(2);
  caller.socket.write(Uint8Array.of(0, 2));
  await caller.read(1 + 1 + 4);
  caller.socket.write(Uint8Array.of(0, 0, 1, 1));
  await caller.read(1);
  caller.socket.write(Buffer.from("this is no ClientHello of any version of TLS"));
  await caller.rest();
  while (listener.unknownSockets > 0) await new Promise((resolve) => setImmediate(resolve));
  t.pass("closed");
});

t.test("without a desktop a viewer is told so", async (t) => {
  const { port } = await openDoor(t, PASSWORD, new FakeClock(), null);
  const caller = new Caller(t, port);
  t.equal(await caller.signIn("sesame"), null);
  t.match((await caller.rest()).toString("latin1"), /no desktop to show/);
});

t.test("closing drops every viewer and frees the port", async (t) => {
  const { listener, desktop, port } = await openDoor(t, OPEN);
  const viewer = new Caller(t, port);
  await viewer.read(12);
  viewer.socket.write(Buffer.concat([VERSION, Uint8Array.of(1, 1)]));
  await viewer.read(2 + 4 + 24 + 5);
  await listener.close();
  await viewer.rest();
  t.equal(desktop.viewers, 0);
  const [error] = await once(connect(port, "127.0.0.1"), "error");
  t.match(error, { code: "ECONNREFUSED" });
});

t.test("a port that is taken is said", async (t) => {
  const { port } = await openDoor(t, PASSWORD);
  const { signIn, sessions, log } = await openDoor(t, PASSWORD);
  const ports = {
    sessions,
    rfb: rfbPorts,
    clock: new FakeClock(),
    log,
    signIn,
    tls: new ViewerTls(null),
    activeDesktop: () => new DrawnDesktop(1, 1),
  };
  await t.rejects(new VncListener(ports, { host: "127.0.0.1", port }).listen(), { code: "EADDRINUSE" });
});

/** A WebSocket with our sessions behind it, as the web app opens one. */
async function openSocket(
  owner: Owner,
  role: "operator" | "viewer" | "agent",
): Promise<[DrawnDesktop, WebSocket]> {
  const desktop = new DrawnDesktop(64, 48);
  const sessions = viewerSessions();
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  await once(server, "listening");
  server.on("connection", (socket: ServerSocket) => {
    const options = { viewport: null, composite: false, viewOnly: false };
    sessions.attach(socket, desktop, options, { id: role, name: role, role });
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  const socket = new WebSocket(`ws://127.0.0.1:${address.port}`, "binary", { perMessageDeflate: false });
  owner.teardown(() => {
    socket.terminate();
    server.close();
  });
  return [desktop, socket];
}

t.test("a browser's role decides whether its input counts", async (t) => {
  for (const role of ["operator", "viewer", "agent"] as const) {
    const [desktop, socket] = await openSocket(t, role);
    await once(socket, "message");
    socket.send(Buffer.concat([VERSION, Uint8Array.of(1, 1), say.key(true, 0x61)]));
    socket.send(say.request(false, 0, 0, 64, 48));
    let size = 0;
    await new Promise<void>((resolve) => {
      socket.on("message", (data: Buffer) => {
        size += data.length;
        // Types, result, ServerInit of "Drawn", one Raw rectangle.
        if (size >= 2 + 4 + 24 + 5 + 4 + 12 + 64 * 48 * 4) resolve();
      });
    });
    t.equal(desktop.performed.length, role === "operator" ? 1 : 0, role);
  }
});

t.test("a text frame on the RFB socket closes it", async (t) => {
  const [, socket] = await openSocket(t, "operator");
  await once(socket, "message");
  socket.send("RFB 003.008\n");
  const [code] = await once(socket, "close");
  t.equal(code, 1003);
});

t.test("a token that is for other desktops is as wrong as one that is nobody's", async (t) => {
  const principal = { id: "anna", name: "anna", role: "operator", desktops: ["d2"] } as const;
  const { signIn, audited } = await openDoor(t, {
    security: ["ra2ne"],
    users: {
      signInAs: () => ({ kind: "known", credential: { kind: "token", principal } }),
      whenVoid: () => () => {},
    },
  });
  for (const [desktopId, isLet] of [
    ["d1", false],
    ["d2", true],
  ] as const) {
    const entrance = signIn.enter("10.0.0.1", desktopId);
    const [user] = entrance.security;
    if (user?.type !== "ra2ne") throw new Error("offers another way");
    t.equal(user.verify("anna", "anna's token"), isLet, desktopId);
    t.equal(entrance.visitor().principal.id === "anna", isLet, "and nobody came in by it");
  }
  t.match(audited, [{ type: "auth.failed" }, { type: "auth.login", actor: { id: "anna" } }]);
});

t.test("a user's own token buys no new guesses at the password", async (t) => {
  const principal = { id: "anna", name: "anna", role: "viewer" } as const;
  const { signIn } = await openDoor(t, {
    ...{ security: ["vnc-auth", "ra2ne"], password: "sesame" },
    users: {
      signInAs: (_user, secret) =>
        secret === "anna's token"
          ? { kind: "known", credential: { kind: "token", principal } }
          : { kind: "wrong", waitMs: 0 },
      whenVoid: () => () => {},
    },
  });
  const [password, user] = signIn.enter("10.0.0.1", "d1").security;
  if (password?.type !== "vncAuth" || user?.type !== "ra2ne") {
    t.fail("offers other ways");
    return;
  }
  const challenge = new Uint8Array(16);
  for (let guess = 0; guess < 5; guess++) {
    t.equal(signIn.waitMs("10.0.0.1"), 0);
    t.notOk(password.verify(challenge, new Uint8Array(16)));
    t.ok(user.verify("anna", "anna's token"));
  }
  t.equal(signIn.waitMs("10.0.0.1"), 10_000);
  t.notOk(password.verify(challenge, vncAuthResponse(rfbPorts.crypto, "sesame", challenge)));
});
