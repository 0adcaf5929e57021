import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { rect } from "../../../src/framebuffer/rect.ts";
import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { say } from "../../protocols/rfb/server/viewer.ts";
import { until } from "../../support/until.ts";
import { frame, RawSocket } from "../harness/raw-socket.ts";
import { FLOOD_BYTES, HostileHouse, MIB } from "./hostile-house.ts";

// Cases 34 to 41 of docs/hostile-cases.md against the whole appliance: closed soon after the bad byte,
// little memory whatever is sent, and the desktop that others look at keeps its frames.

const MOST_MS = 1000;
const ATTACK_MS = 700;
const HELLO = Buffer.concat([Buffer.from("RFB 003.008\n"), Uint8Array.of(1, 1)]);
const PASSWORD = "k1canary";

const isAfter = (ms: number): (() => boolean) => {
  const endMs = performance.now() + ms;
  return () => performance.now() > endMs;
};

t.test("hostile viewers, one case each", { timeout: 400_000 }, async (t) => {
  const house = await HostileHouse.open(t, { hasVnc: true, env: { OC_VNC_PASSWORD: PASSWORD } });
  const { appliance } = house;
  const admin = { authorization: `Bearer ${appliance.adminToken}` };
  const open = async (headers: Readonly<Record<string, string>> = admin): Promise<RawSocket> => {
    const { socket, head } = await RawSocket.upgrade(appliance.url, "/websockify", headers);
    if (!head.startsWith("HTTP/1.1 101")) throw new Error(`no upgrade: ${head.slice(0, 80)}`);
    t.notMatch(head, /extensions/i, "no compression, whoever asks for it");
    t.teardown(() => socket.destroy());
    return socket;
  };
  /** A viewer that has signed in, as far as it goes without reading. */
  const viewer = async (headers = admin): Promise<RawSocket> => {
    const socket = await open(headers);
    await socket.write(frame(HELLO));
    return socket;
  };
  const closes = async (what: string, socket: RawSocket, bytes: Uint8Array, flood = true): Promise<void> => {
    socket.drain();
    await socket.write(bytes);
    socket.mark();
    if (flood) await socket.flood(Buffer.alloc(MIB), FLOOD_BYTES);
    const tookMs = await Promise.race([socket.closed, pause(20_000).then(() => Number.POSITIVE_INFINITY)]);
    t.ok(tookMs <= MOST_MS, `${what}: closed after ${Math.round(tookMs)} ms`);
    socket.destroy();
  };

  await t.test(
    "case 34: an upgrade from a foreign page, a foreign host, or by a token in the query",
    async (t) => {
      const tries: readonly [number, string, Readonly<Record<string, string>>][] = [
        [403, "/websockify", { ...admin, origin: "https://evil.example" }],
        [403, "/websockify", { ...admin, host: "evil.example" }],
        [401, `/websockify?token=${appliance.adminToken}`, {}],
      ];
      await house.measure(t, async () => {
        const isOver = isAfter(ATTACK_MS);
        while (!isOver()) {
          for (const [status, path, headers] of tries) {
            const { socket, head } = await RawSocket.upgrade(appliance.url, path, headers);
            socket.destroy();
            if (!head.startsWith(`HTTP/1.1 ${status}`))
              t.fail(`expected ${status}, got ${head.slice(0, 40)}`);
          }
        }
      });
    },
  );

  await t.test("case 35: a frame of 100 MiB, parts without end, a flood of pings", async (t) => {
    await house.measure(t, async () => {
      await closes("whole", await open(), frame(Buffer.alloc(0), { length: 100 * MIB }));
      await closes("compressed", await open(), frame(Buffer.alloc(10), { opcode: 0x42 }), false);
      const parts = await open();
      await parts.write(frame(Buffer.alloc(1024), { isFinal: false }));
      parts.mark();
      parts.drain();
      await parts.flood(frame(Buffer.alloc(1024), { opcode: 0, isFinal: false }), FLOOD_BYTES);
      const tookMs = await parts.closed;
      t.ok(tookMs <= MOST_MS, `in parts: closed after ${Math.round(tookMs)} ms`);
      const pings = await open();
      const piece = Buffer.concat(Array.from({ length: 500 }, () => frame(Buffer.alloc(125), { opcode: 9 })));
      await pings.flood(piece, FLOOD_BYTES, isAfter(ATTACK_MS)); // and nothing of the answers is read
      pings.destroy();
    });
  });

  await t.test("case 36: nonsense in SetPixelFormat, SetEncodings and update requests", async (t) => {
    const badFormat = Buffer.concat([Buffer.from([0, 0, 0, 0, 13, 0xff]), Buffer.alloc(14, 0xff)]);
    const badEncodings = new ByteWriter().u8(2).pad(1).u16(65_535).bytes();
    await house.measure(t, async () => {
      await closes("SetPixelFormat", await viewer(), frame(badFormat));
      await closes("SetEncodings", await viewer(), frame(badEncodings));
      const requests = await viewer();
      requests.drain();
      const piece = frame(
        Buffer.concat(Array.from({ length: 1000 }, (_, i) => say.request(false, i, i, 65_535, 65_535))),
      );
      await requests.flood(piece, FLOOD_BYTES, isAfter(ATTACK_MS));
      requests.destroy();
    });
  });

  await t.test("case 37: a clipboard of 2 GiB or -2 GiB, keysyms and places that are none", async (t) => {
    const cutText = (length: number): Uint8Array => new ByteWriter().u8(6).pad(3).i32(length).bytes();
    await house.measure(t, async () => {
      await closes("2 GiB", await viewer(), frame(cutText(0x7fffffff)));
      await closes("-2 GiB", await viewer(), frame(cutText(-0x80000000)));
      const skipped = await viewer();
      skipped.drain();
      const text = frame(Buffer.concat([cutText(32_000), Buffer.alloc(32_000, 65)]));
      await skipped.flood(text, FLOOD_BYTES, isAfter(ATTACK_MS));
      skipped.destroy();
      const wild = await viewer();
      wild.drain();
      await wild.write(frame(Buffer.concat([say.key(true, 0xffffffff), say.pointer(0, 65_535, 65_535)])));
      await pause(100);
      t.ok(wild.isOpen, "ignored, clamped");
      wild.destroy();
    });
  });

  await t.test("case 38: a viewer without the right to input that sends it all the same", async (t) => {
    const agent = { authorization: `Bearer ${appliance.agentToken}` };
    await house.measure(t, async () => {
      const socket = await viewer(agent);
      socket.drain();
      const input = Buffer.concat([
        ...[say.key(true, 0x61), say.key(false, 0x61), say.pointer(1, 2, 3), say.cutText("hush hush")],
        say.desktopSize(80, 60, rect(0, 0, 80, 60)),
      ]);
      await socket.write(frame(say.encodings(0, -308)));
      const piece = frame(Buffer.concat(Array.from({ length: 200 }, () => input)));
      await socket.flood(piece, FLOOD_BYTES, isAfter(ATTACK_MS));
      socket.destroy();
    });
    const denied = house
      .written()
      .split("\n")
      .filter((line) => line.includes('"authz.denied"'));
    for (const kind of ["key", "pointer", "clipboard", "resize"]) {
      t.ok(
        denied.some((line) => line.includes(`"${kind}"`)),
        `${kind} is audited as denied`,
      );
    }
    t.ok(denied.length <= 4 * 8, "once of each kind, however often it was sent");
    t.notMatch(house.written(), /hush/);
  });

  await t.test("case 40: 1,000 half-open handshakes, and requests whose headers never end", async (t) => {
    const { vncPort } = appliance;
    if (vncPort === null) throw new Error("no VNC port");
    const { port } = new URL(appliance.url);
    const half: RawSocket[] = [];
    let greeted = 0;
    await house.measure(t, async () => {
      for (const socket of half.splice(0)) socket.destroy();
      greeted = 0;
      const isOver = isAfter(ATTACK_MS);
      for (let i = 0; i < 1000; i++) {
        const socket = await RawSocket.connect(vncPort, `127.0.1.${1 + (i % 125)}`);
        half.push(socket);
        const greeting = socket.readUntil((text) => text.length >= 12);
        greeting.then(
          (text) => {
            if (text === "RFB 003.008\n") greeted++;
          },
          () => undefined,
        );
      }
      const slow = await Promise.all(Array.from({ length: 100 }, () => RawSocket.connect(Number(port))));
      for (const socket of slow) await socket.write(Buffer.from("GET / HTTP/1.1\r\nx-slow: "));
      while (!isOver()) {
        await Promise.all(slow.map((socket) => socket.write(Buffer.from("a"))));
        await pause(100);
      }
      for (const socket of slow) socket.destroy();
      t.ok((await appliance.fetch("/health")).ok, "and others are answered meanwhile");
    });
    t.ok(greeted > 0 && greeted <= 300, `${greeted} of 1,000 were greeted`);
    const left = (): number => half.filter(({ isOpen }) => isOpen).length;
    for (const socket of half) socket.drain();
    await until("the end of the half-open ones", () => left() === 0, 60_000);
    const late = await RawSocket.connect(vncPort);
    t.equal(
      await late.readUntil((text) => text.length >= 12),
      "RFB 003.008\n",
      "and then there is room again",
    );
    late.destroy();
  });

  await t.test("case 41: guesses of a token are slowed down, and not written down", async (t) => {
    // From an address of its own: it is the address that has to wait.
    const guess = async (n: number): Promise<string> => {
      const socket = await RawSocket.connect(Number(new URL(appliance.url).port), "127.0.2.1");
      const { host } = new URL(appliance.url);
      const token = `guess-${n}-hunter2-hunter2`;
      await socket.write(
        Buffer.from(`GET /api/v1/me HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`),
      );
      const head = await socket.readHead();
      socket.destroy();
      return head.slice(9, 12);
    };
    await house.measure(t, async () => {
      const isOver = isAfter(ATTACK_MS);
      for (let n = 0; n < 5; n++) await guess(n);
      const statuses = new Set<string>();
      for (let n = 5; !isOver(); n++) statuses.add(await guess(n));
      t.same([...statuses], ["429"], "after five it has to wait");
    });
    const events = house.written();
    t.match(events, /"auth\.failed"/);
    t.match(events, /"auth\.locked"/);
    t.notMatch(events, /hunter2/);
  });

  await t.test("case 39: a viewer that never reads costs little, and is gone after 30 s", async (t) => {
    const socket = await viewer();
    const requests = frame(
      Buffer.concat(Array.from({ length: 1000 }, () => say.request(false, 0, 0, 320, 240))),
    );
    await house.measure(t, async () => {
      await socket.write(frame(Buffer.concat([say.encodings(0), say.request(false, 0, 0, 320, 240)])));
      await socket.flood(requests, FLOOD_BYTES, isAfter(ATTACK_MS));
    });
    await until("its end", () => /Viewer closed/.test(appliance.program.stderr), 45_000);
    socket.destroy();
  });

  t.notMatch(house.written(), PASSWORD, "no secret is written");
});
