import { ByteWriter } from "../../../src/protocols/byte-writer.ts";
import { kasmvnc } from "../../../src/protocols/kasmvnc/dialect.ts";
import type { RfbClientEvent } from "../../../src/protocols/rfb/client/client-context.ts";
import type { RfbEffect } from "../../../src/protocols/rfb/client/effect.ts";
import { PLAIN_RFB } from "../../../src/protocols/rfb/client/plain-rfb.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import { RfbError } from "../../../src/protocols/rfb/error.ts";
import { joinBytes } from "../../protocols/rfb/encodings/wire.ts";
import { greyImage, PORTS } from "../ports.ts";
import { type FuzzTarget, hashOf, piecesOf } from "../target.ts";

const text = (string: string): Uint8Array => new TextEncoder().encode(string);
const NAME = text("desk");

/** ServerInit of a small desktop with a pixel format of 16 bits. */
const SERVER_INIT = joinBytes([
  new ByteWriter().u16(64).u16(48).u8(16).u8(16).u8(0).u8(1).u16(31).u16(63).u16(31).bytes(),
  Uint8Array.of(11, 5, 0, 0, 0, 0),
  new ByteWriter().u32(NAME.length).put(NAME).bytes(),
]);

/** All that a server says up to ServerInit, without a password. */
const HELLO = joinBytes([text("RFB 003.008\n"), Uint8Array.of(1, 1, 0, 0, 0, 0), SERVER_INIT]);

/** Bits of the first byte of an input. */
const OPTION = { password: 1, kasm: 2, ownFormat: 4, repeater: 8 } as const;

function run(input: Uint8Array, sizes: readonly number[], wireOf: (body: Uint8Array) => Uint8Array): string {
  const options = input[0] ?? 0;
  const told: string[] = [];
  let sent = 0;
  let sentHash = 0;
  let effect: RfbEffect | null = null;
  const client = new RfbClient(
    {
      password: options & OPTION.password ? "secret" : null,
      username: options & OPTION.password ? "user" : null,
      dialect: options & OPTION.kasm ? kasmvnc() : PLAIN_RFB,
      ...(options & OPTION.ownFormat ? { pixelFormat: "server" } : {}),
      ...(options & OPTION.repeater ? { repeater: "ID:1234" } : {}),
    },
    PORTS,
    (bytes) => {
      sent += bytes.length;
      sentHash = hashOf(bytes, sentHash);
    },
    (event) => {
      if (event.type === "effect") effect = event.effect;
      if (event.type !== "effect" || !isSealing(event.effect)) told.push(say(event, client));
    },
  );
  try {
    for (const piece of piecesOf(wireOf(input.subarray(1)), sizes)) {
      client.receive(piece, 0);
      for (let due: RfbEffect | null = effect; due !== null; due = effect) {
        effect = null;
        if (!perform(due)) return `${told.join("\n")}\nsealed`;
        client.resume(0);
      }
    }
    return `${told.join("\n")}\nsent ${sent} bytes, ${sentHash}`;
  } catch (error) {
    // Whether bytes came before they could be sealed is decided by when they came, not by what they are.
    if (error instanceof RfbError && SEALED_TOO_LATE.test(error.message)) return `${told.join("\n")}\nsealed`;
    throw error;
  } finally {
    client.close();
  }
}

const SEALED_TOO_LATE = /bytes before (TLS|the cipher)/;

function isSealing({ kind }: RfbEffect): boolean {
  return kind === "startTls" || kind === "startCipher";
}

/** False where the bytes that follow would have to be deciphered. */
function perform(effect: RfbEffect): boolean {
  if (isSealing(effect)) return false;
  if (effect.kind === "decodeImage") effect.finish(greyImage(effect.width, effect.height));
  if (effect.kind === "makeRsaKey") {
    const size = effect.bits / 8;
    effect.take({
      modulus: new Uint8Array(size).fill(0xc1),
      exponent: Uint8Array.of(1, 0, 1),
      decryptBlock: (block) => new Uint8Array(block.length),
    });
  }
  return true;
}

function say(event: RfbClientEvent, client: RfbClient): string {
  switch (event.type) {
    case "update":
      return `update ${[...event.painted.rects].length} ${event.copies.length} ${hashOf(client.framebuffer.words)}`;
    case "effect":
      return `effect ${event.effect.kind}`;
    case "cursor":
      return `cursor ${event.cursor === null ? "none" : hashOf(event.cursor.rgba)}`;
    default:
      return JSON.stringify(event);
  }
}

/** FramebufferUpdate of one rectangle. */
function update(
  encoding: number,
  width: number,
  height: number,
  body: readonly number[] | Uint8Array,
): Uint8Array {
  const head = new ByteWriter().u8(0).pad(1).u16(1).u16(1).u16(2).u16(width).u16(height).i32(encoding);
  return head.put(Uint8Array.from(body)).bytes();
}

/** One sound message of every kind that a server sends after the handshake. */
const MESSAGES: readonly Uint8Array[] = [
  update(0, 2, 1, new Uint8Array(8)),
  update(1, 4, 4, [0, 5, 0, 6]),
  update(5, 3, 2, [2, 1, 2, 3, 4]),
  update(7, 3, 2, [0x80, 1, 2, 3]),
  update(-223, 80, 60, []),
  update(-308, 80, 60, [1, 0, 0, 0, ...new Uint8Array(8), 0, 80, 0, 60, 0, 0, 0, 0]),
  update(-239, 2, 2, [...new Uint8Array(16), 0x80, 0x40]),
  update(-240, 2, 2, [1, 2, 3, 4, 5, 6, 0x80, 0x40, 0xc0, 0xc0]),
  update(-314, 1, 1, [0, 0, 0, 0, 1, 2, 3, 128]),
  update(0x574d5664, 1, 1, [1, 0, 1, 2, 3, 255]),
  update(0x574d5664, 1, 1, [0, 0, 1, 2, 3, 255, 4, 5, 6, 7]),
  update(-307, 0, 0, [0, 0, 0, 2, 65, 66]),
  update(-258, 0, 0, []),
  update(-261, 1, 1, [3]),
  update(-224, 0, 0, []),
  Uint8Array.of(1, 0, 0, 3, 0, 1, 1, 2, 3, 4, 5, 6),
  Uint8Array.of(2),
  Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 2, 104, 105),
  Uint8Array.of(3, 0, 0, 0, 255, 255, 255, 248, 0x1f, 0, 0, 1, 0, 4, 0, 0),
  Uint8Array.of(3, 0, 0, 0, 255, 255, 255, 252, 0x08, 0, 0, 1),
  Uint8Array.of(150),
  Uint8Array.of(248, 0, 0, 0, 0x80, 0, 0, 3, 2, 9, 9),
  Uint8Array.of(180, 1, 0, 0, 0, 1, 10, ...text("text/plain"), 0, 0, 0, 2, 104, 105),
  Uint8Array.of(253, 0, 0, 0, 3, 97, 100, 97),
  Uint8Array.of(179),
];

/** What servers answer up to where they want a password, by security type. */
const HANDSHAKES: readonly Uint8Array[] = [
  HELLO,
  joinBytes([text("RFB 003.003\n"), Uint8Array.of(0, 0, 0, 1), SERVER_INIT]),
  joinBytes([text("RFB 003.007\n"), Uint8Array.of(1, 2), new Uint8Array(20), SERVER_INIT]),
  joinBytes([text("RFB 003.008\n"), Uint8Array.of(0, 0, 0, 0, 2, 110, 111)]),
  ...[2, 5, 6, 16, 18, 19, 30, 113, 129, 130].map((type) =>
    joinBytes([text("RFB 003.008\n"), Uint8Array.of(1, type), new Uint8Array(300)]),
  ),
  joinBytes([text("RFB 003.008\n"), Uint8Array.of(1, 19, 0, 2, 0, 1, 0, 0, 1, 2, 1), new Uint8Array(40)]),
  joinBytes([text("RFB 003.008\n"), Uint8Array.of(1, 16, 0, 0, 0, 0, 0, 0, 0, 0), new Uint8Array(40)]),
  joinBytes([text("RFB 003.889\n"), Uint8Array.of(1, 30, 0, 2, 0, 16), new Uint8Array(80).fill(0x77)]),
];

const withOptions = (options: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  joinBytes([Uint8Array.of(options), ...parts]);

/** The client from its first byte on. */
const handshake: FuzzTarget = {
  name: "client-handshake",
  seeds: () => [
    ...[0, 1, 7].flatMap((options) => HANDSHAKES.map((seed) => withOptions(options, seed))),
    withOptions(OPTION.repeater, text("RFB 000.000\n"), HELLO),
  ],
  run: (input, sizes) => run(input, sizes, (body) => body),
};

/** The client after a sound handshake. */
const messages: FuzzTarget = {
  name: "client-messages",
  seeds: () => [
    ...[0, 2].flatMap((options) => MESSAGES.map((seed) => withOptions(options, seed))),
    withOptions(0, ...MESSAGES.slice(0, -3)),
    withOptions(2, ...MESSAGES),
  ],
  run: (input, sizes) => run(input, sizes, (body) => joinBytes([HELLO, body])),
};

/** What lies compressed in an extended clipboard. */
const clipboard: FuzzTarget = {
  name: "client-clipboard",
  seeds: () => [
    Uint8Array.of(0, 0, 0, 0, 4, 104, 105, 33, 0),
    Uint8Array.of(0, 0, 0, 0, 6, 0xe2, 0x82, 0xac, 13, 10, 0, 0, 0, 0, 1, 0),
  ],
  run: (input, sizes) =>
    run(input, sizes, (body) => {
      const data = PORTS.deflate.zlib(body, 1);
      const to = new ByteWriter()
        .put(HELLO)
        .u8(3)
        .pad(3)
        .i32(-(4 + data.length))
        .u32(0x10000001)
        .put(data);
      return to.bytes();
    }),
};

const QOI = joinBytes([
  text("qoif"),
  Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 2, 3, 1),
  Uint8Array.of(0xfe, 1, 2, 3, 0x7f, 0xa8, 0xa6, 0xc0, 0, 0, 0, 0, 0, 0, 0, 1),
]);
const WEBP = joinBytes([
  text("RIFF"),
  Uint8Array.of(26, 0, 0, 0),
  text("WEBPVP8L"),
  new Uint8Array(18).fill(1),
]);
/** Images in Tight rectangles as KasmVNC has them: its control byte, a compact length, a file. */
const IMAGES = [
  ...([0x90, 0xb0, 0xc0, 0xd0] as const).flatMap((kind) =>
    [QOI, WEBP].map((file) => update(7, 4, 4, [kind, file.length, ...file])),
  ),
  update(7, 4, 4, [0xd0, 12, 0, 1, 0, 1, 9, 9, 9, 9, 1, 2, 3, 4]),
];

/** KasmVNC's own messages, rectangles and images. */
const kasm: FuzzTarget = {
  name: "kasmvnc",
  seeds: () => [...IMAGES, ...MESSAGES.slice(-3), joinBytes([...MESSAGES.slice(-3), ...IMAGES])],
  run: (input, sizes) =>
    run(joinBytes([Uint8Array.of(OPTION.kasm), input]), sizes, (body) => joinBytes([HELLO, body])),
};

export const clientTargets: readonly FuzzTarget[] = [handshake, messages, clipboard, kasm];
