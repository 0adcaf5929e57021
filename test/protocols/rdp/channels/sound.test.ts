import fc from "fast-check";
import t from "tap";
import { Sound } from "../../../../src/protocols/rdp/channels/sound.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { LittleEndianWriter } from "../../../../src/protocols/rdp/little-endian-writer.ts";
import { Peer } from "../peer.ts";
import * as server from "../server-bytes.ts";

const bytes = (): LittleEndianWriter => new LittleEndianWriter();
const hex = (messages: readonly Uint8Array[]): string[] =>
  messages.map((one) => Buffer.from(one).toString("hex"));

const message = (type: number, body: Uint8Array, length = body.length): Uint8Array =>
  bytes().u8(type).u8(0).u16(length).put(body).bytes();

interface Format {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly more?: number;
}

/** Server Audio Formats and Version, MS-RDPEA 2.2.2.1. */
function formats(version: number, ...all: readonly Format[]): Uint8Array {
  const to = bytes().pad(14).u16(all.length).u8(0).u16(version).u8(0);
  for (const { tag = 1, channels = 2, rate = 44_100, bits = 16, more = 0 } of all) {
    const frame = (channels * bits) / 8;
    to.u16(tag)
      .u16(channels)
      .u32(rate)
      .u32(rate * frame)
      .u16(frame)
      .u16(bits)
      .u16(more)
      .pad(more);
  }
  return message(7, to.bytes());
}

const OWN_FORMATS =
  "07002600" + "01000000" + "00000000" + "00000000" + "0000" + "0100" + "00" + "0600" + "00";
const PCM = "0100" + "0200" + "44ac0000" + "10b10200" + "0400" + "1000" + "0000";
const HIGH_QUALITY = "0c00040002000000";

/** MS-RDPEA 2.2.3.3 and 2.2.3.4: the first four bytes of the samples come with the Info. */
function wave(timestamp: number, format: number, block: number, samples: Uint8Array): Uint8Array[] {
  const info = bytes().u16(timestamp).u16(format).u8(block).pad(3).put(samples.subarray(0, 4)).bytes();
  return [message(2, info, 8 + samples.length), bytes().pad(4).put(samples.subarray(4)).bytes()];
}

const wave2 = (timestamp: number, format: number, block: number, samples: Uint8Array): Uint8Array =>
  message(13, bytes().u16(timestamp).u16(format).u8(block).pad(3).u32(0).put(samples).bytes());

function start(): { sound: Sound; heard: (string | null)[]; offers: string[] } {
  const heard: (string | null)[] = [];
  const offers: string[] = [];
  const sound = new Sound(
    () => offers.push("offered"),
    (samples) => heard.push(samples === null ? null : Buffer.from(samples).toString("hex")),
  );
  return { sound, heard, offers };
}

t.test("a host is answered when somebody listens, and not before", async (t) => {
  const { sound, offers } = start();
  t.same(hex(sound.receive(formats(8, { tag: 0x11, more: 32 }, { rate: 22_050 }, {}))), []);
  t.same(offers, ["offered"]);
  t.same(hex(sound.listen(true)), [OWN_FORMATS + PCM, HIGH_QUALITY]);
  t.same(hex(sound.listen(false)), []);
  t.same(hex(sound.listen(true)), [], "once");
  t.same(hex(sound.receive(formats(5, {}))), [OWN_FORMATS + PCM], "of an older version, asked anew");
});

t.test("a host without samples of ours has no sound", async (t) => {
  const { sound, offers } = start();
  for (const other of [{ tag: 2 }, { channels: 1 }, { rate: 48_000 }, { bits: 8 }]) {
    t.same(hex(sound.receive(formats(8, other))), []);
  }
  t.same(offers, []);
  t.same(hex(sound.listen(true)), []);
});

t.test("a training is confirmed with its time stamp and size", async (t) => {
  const { sound } = start();
  t.same(hex(sound.receive(message(6, bytes().u16(0xabcd).u16(1024).pad(1016).bytes()))), [
    "06000400cdab0004",
  ]);
});

t.test("waves of both kinds are heard and confirmed", async (t) => {
  const { sound, heard } = start();
  sound.receive(formats(8, {}));
  sound.listen(true);
  const [info, samples] = wave(0x1122, 0, 7, Buffer.from("0102030405060708", "hex"));
  t.same(hex(sound.receive(info ?? bytes().bytes())), [], "its samples are still to come");
  t.same(hex(sound.receive(samples ?? bytes().bytes())), ["0500040022110700"]);
  t.same(hex(sound.receive(wave2(0x3344, 0, 8, Buffer.from("1112131415", "hex")))), ["0500040044330800"]);
  t.same(hex(sound.receive(message(1, bytes().bytes()))), []);
  t.same(heard, ["0102030405060708", "11121314", null], "in whole frames, and the end of it");
});

t.test("what nobody listens to, and what has another format, is confirmed and dropped", async (t) => {
  const { sound, heard } = start();
  sound.receive(formats(8, {}));
  sound.listen(true);
  t.same(hex(sound.receive(wave2(1, 3, 1, Buffer.alloc(8)))), ["0500040001000100"]);
  sound.listen(false);
  t.same(hex(sound.receive(wave2(2, 0, 2, Buffer.alloc(8)))), ["0500040002000200"]);
  t.same(heard, []);
});

t.test("whatever a host sends, it is heard or refused in words", async (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), fc.boolean(), (all, isOn) => {
      const { sound } = start();
      sound.listen(isOn);
      try {
        for (const one of all) sound.receive(one);
      } catch (error) {
        if (!(error instanceof RdpError) || error.code !== "bad_data") throw error;
      }
    }),
  );
  const { sound } = start();
  t.throws(() => sound.receive(message(7, bytes().pad(14).u16(9).u8(0).u16(8).u8(0).bytes())), {
    code: "bad_data",
  });
});

t.test("a host that offers sound is heard over its own channel and over a dynamic one", async (t) => {
  const ids = [...server.IDS.channels, 1006];
  const peer = Peer.ready({ hasSound: true }, { width: 64, height: 48, channels: ids });
  const say = (channel: number, one: Uint8Array): Peer =>
    peer.say(server.channelPart(channel, one.length, 3, one));
  say(1006, formats(8, {}));
  t.ok(peer.last("soundOffered"));
  peer.client.listen(true);
  t.match(Buffer.concat(peer.sent).toString("hex"), OWN_FORMATS + PCM);
  say(1006, wave2(1, 0, 1, Buffer.from("01020304", "hex")));
  t.same(peer.last("sound")?.samples, Buffer.from("01020304", "hex"));

  const name = Buffer.from("AUDIO_PLAYBACK_DVC\0");
  say(1005, bytes().u8(0x50).u8(0).u16(2).u16(0).u16(0).u16(0).u16(0).bytes());
  say(1005, bytes().u8(0x10).u8(3).put(name).bytes());
  say(1005, bytes().u8(0x30).u8(3).put(formats(8, {})).bytes());
  say(
    1005,
    bytes()
      .u8(0x30)
      .u8(3)
      .put(wave2(1, 0, 1, Buffer.from("0a0b0c0d", "hex")))
      .bytes(),
  );
  t.same(peer.last("sound")?.samples, Buffer.from("0a0b0c0d", "hex"));
});

t.test("one who wants no sound does not ask for its channel", async (t) => {
  const asked = (hasSound: boolean): string => {
    const peer = new Peer({ hasSound }).say(server.confirm(1));
    return Buffer.concat(peer.sent).toString("latin1");
  };
  t.notMatch(asked(false), "rdpsnd");
  t.match(asked(true), "rdpsnd");
});
