import t, { type Test } from "tap";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";
import { makeCertificate } from "../targets/rdp-target.ts";
import { type DesktopInfo, FLOOD_BYTES, HostileHouse } from "./hostile-house.ts";
import { type Identity, type RdpFakeHost, startRdpFake } from "./rdp-fake.ts";
import {
  CLIPRDR_CHANNEL,
  channelMessage,
  concat,
  DRDYNVC_CHANNEL,
  hex,
  le16,
  le32,
} from "./rdp-fake-bytes.ts";
import { RDP_HOSTILE_CASES, type RdpSpeech } from "./rdp-hostile-cases.ts";

// Cases 28 to 33 of docs/hostile-cases.md against the whole appliance, as hostile-targets.test.ts has
// those of VNC: a typed error that says what was wrong, soon after the bad byte; little memory, whatever is sent;
// another desktop keeps its frames; no secret in any text.

const USERNAME = "rdpcanaryuser";
const PASSWORD = "rdpcanary-secret";
/** After the bad byte. */
const MOST_MS = 1000;
/**
 * Hosts that are met at the same time, each in a thread of its own, beside those that come or go. Of the graphics
 * pipeline one: 16 MB of cache and a surface of 4 MB are a host's by right (MS-RDPEGFX 2.2.3.1 and 3.3.1.4).
 */
const AT_ONCE = 2;
const PIPELINE_CASE = 31;
/** How long hosts that are to be borne go on. */
const BORNE_MS = 1000;

function add(house: HostileHouse, port: number, more: object = {}): Promise<DesktopInfo> {
  return house.add("rdp", port, { username: USERNAME, password: PASSWORD, ...more });
}

/** What one host did to us. */
interface Outcome {
  readonly name: string;
  readonly speech: RdpSpeech;
  readonly info: DesktopInfo;
  readonly connections: number;
  /** The shortest time from the bad byte to the end of the connection. */
  readonly soonestMs: number;
  /** What the client said outside TLS. */
  readonly plain: string;
}

/** A host that says its speech at every connection, and as much more as it is let to. */
async function meet(
  t: Test,
  house: HostileHouse,
  identity: Identity,
  name: string,
  speech: RdpSpeech,
): Promise<Outcome> {
  let connections = 0;
  let soonestMs = Number.POSITIVE_INFINITY;
  let plain = "";
  const fake = await startRdpFake(t, identity, async (host) => {
    connections++;
    await host.reach(speech.stage);
    plain += host.plain.toString("latin1");
    if (speech.stage !== "connected" && speech.code !== null) host.listen().catch(() => undefined);
    await host.say(speech.bytes);
    const saidMs = performance.now();
    try {
      if (speech.code === null) await host.listen();
      await host.flood(speech.flood ?? new Uint8Array(1 << 16), FLOOD_BYTES);
    } finally {
      soonestMs = Math.min(soonestMs, performance.now() - saidMs);
    }
  });
  const { id } = await add(house, fake.port, speech.settings);
  if (speech.code === null) {
    await until("the session", async () => (await house.infoOf(id)).state.kind === "live");
    const endMs = performance.now() + BORNE_MS;
    await until("a while", () => performance.now() > endMs);
  }
  const info = speech.code === null ? await house.infoOf(id) : await house.lossOf(id);
  // What ended the link is told before its socket is closed.
  if (speech.code !== null)
    await until("the end of its connection", () => soonestMs < Number.POSITIVE_INFINITY);
  await house.remove(id);
  return { name, speech, info, connections, soonestMs, plain };
}

function judge(t: Test, { name, speech, info, connections, soonestMs, plain }: Outcome): void {
  const { code, says } = speech;
  t.equal(info.state.code, code, `${name}: ${info.state.text}`);
  t.notMatch(plain, /rdpcanary/, `${name}: nobody is named outside TLS`);
  if (code === null) {
    t.equal(connections, 1, `${name}: it goes on`);
    t.equal(info.state.kind, "live", name);
    return;
  }
  t.match(info.state.text, says, `${name}: it says what was wrong`);
  t.ok(soonestMs <= MOST_MS, `${name}: it ends ${Math.round(soonestMs)} ms after the bad byte`);
}

t.test("hostile RDP targets, one case each", { timeout: 600_000 }, async (t) => {
  if (!requirePeers(t, ["openssl"])) return;
  const identity = makeCertificate(t.testdir());
  const house = await HostileHouse.open(t);
  for (const { number, what, speeches } of RDP_HOSTILE_CASES) {
    await t.test(`case ${number}: ${what}`, async (t) => {
      let outcomes: Outcome[] = [];
      await house.measure(t, async () => {
        outcomes = [];
        const waiting = Object.entries(speeches);
        while (waiting.length > 0) {
          const some = waiting.splice(0, number === PIPELINE_CASE ? 1 : AT_ONCE);
          outcomes.push(
            ...(await Promise.all(some.map(([name, speech]) => meet(t, house, identity, name, speech)))),
          );
        }
      });
      for (const outcome of outcomes) judge(t, outcome);
      const written = house.written();
      t.notMatch(written, PASSWORD, "no secret is written");
      t.notMatch(written, /[^\n\P{Cc}]|[\u202e\u2028]/u, "nothing that acts on a terminal is written");
    });
  }

  await t.test("case 28: a host that never says anything, and one whose frame never ends", async (t) => {
    const mute = await startRdpFake(t, identity, async (host) => {
      await host.reach("connected");
      await host.gone();
    });
    const half = await startRdpFake(t, identity, async (host) => {
      await host.reach("secured");
      await host.say(hex("03 00 ff ff 02 f0 80"));
      await host.listen();
    });
    await Promise.all(
      [mute, half].map(async (fake) => {
        const { id } = await add(house, fake.port);
        const { state } = await house.lossOf(id, 25_000);
        t.equal(state.code, "handshake_timeout", state.text);
        await house.remove(id);
      }),
    );
  });

  await t.test("case 32: a certificate that changes is not believed, and gets no password", async (t) => {
    const other = makeCertificate(t.testdir());
    let hangUp = (): void => undefined;
    let secured = 0;
    let joined = 0;
    const fake = await startRdpFake(t, identity, async (host) => {
      await host.reach("secured");
      secured++;
      // The first message inside TLS, which is far before the one with the password.
      await host.reach("live");
      joined++;
      await new Promise<void>((resolve) => {
        hangUp = resolve;
      });
    });
    const { id } = await add(house, fake.port);
    await until("the session", async () => (await house.infoOf(id)).state.kind === "live");
    fake.identity = other;
    await until("the host's half of it", () => joined === 1);
    hangUp();
    const { state } = await until("the refusal", async () => {
      const info = await house.infoOf(id);
      return info.state.code === "cert_mismatch" ? info : null;
    });
    t.match(state.text, /certificate/);
    t.same([secured, joined], [2, 1], "nothing was said inside the second TLS");
    await house.remove(id);
  });

  await t.test("case 33: drives, microphones, cameras and files are refused", async (t) => {
    const hosts: RdpFakeHost[] = [];
    const NAMES = [
      "rdpdr",
      "rdpsnd",
      "AUDIO_PLAYBACK_LOSSY_DVC",
      "AUDIO_INPUT",
      "URBDRC",
      "RDCamera_Device_Enumerator",
    ];
    const fake = await startRdpFake(t, identity, async (host) => {
      hosts.push(host);
      await host.reach("live");
      await host.say(channelMessage(DRDYNVC_CHANNEL, hex("50 00 02 00 0000 0000 0000 0000")));
      for (const [i, name] of NAMES.entries()) {
        await host.say(
          channelMessage(DRDYNVC_CHANNEL, concat(hex("10"), Buffer.of(i + 1), Buffer.from(`${name}\0`))),
        );
      }
      const clipboard = (type: number, flags: number, body: Uint8Array): Buffer =>
        channelMessage(CLIPRDR_CHANNEL, concat(le16(type, flags), le32(body.length), body));
      await host.say(clipboard(7, 0, concat(le16(1, 0, 1, 12), le32(2, 0x3e))));
      await host.say(clipboard(1, 0, new Uint8Array(0)));
      // Files: CF_HDROP and FileGroupDescriptorW, then a request for the contents of one of ours.
      const names = Buffer.from("FileGroupDescriptorW\0", "utf16le");
      await host.say(clipboard(2, 0, concat(le32(15), le16(0), le32(0xc0bc), names)));
      await host.say(clipboard(8, 0, le32(5, 0, 2, 0, 0, 4096)));
      await host.say(clipboard(0x0a, 0, le32(1)));
      await host.listen();
    });
    const { id } = await add(house, fake.port);
    const messages = await until("all answers", () => {
      const said = hosts[0]?.messages ?? [];
      return said.some(({ data }) => data.includes(hex("09 00 02 00 04 00 00 00 05 00 00 00"))) ? said : null;
    });
    const of = (channel: number): string[] =>
      messages.filter((one) => one.channel === channel).map(({ data }) => data.toString("hex"));
    const [version, ...created] = of(DRDYNVC_CHANNEL);
    t.match(version, /^5000/);
    t.equal(created.length, NAMES.length);
    for (const [i, answer] of created.entries()) {
      // U8 0x10, channel, I32 status, below zero for a refusal.
      const wire = Buffer.from(answer, "hex");
      t.ok(wire.readUInt8(1) === i + 1 && wire.readInt32LE(2) < 0, `${NAMES[i]} is refused`);
    }
    const types = of(CLIPRDR_CHANNEL).map((message) => Buffer.from(message, "hex").readUInt16LE(0));
    t.same(types, [7, 2, 3, 9], "capabilities, an empty list, an acknowledgement, and no file");
    await house.remove(id);
  });

  t.ok(
    house
      .written()
      .split("\n")
      .some((line) => line.includes("session.lost")),
    "losses are audited",
  );
});
