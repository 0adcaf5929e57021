import sharp from "sharp";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { type PixelFormat, RGBX } from "../../../src/framebuffer/pixel-format.ts";
import { kasmvnc } from "../../../src/protocols/kasmvnc/dialect.ts";
import type { RfbClientEvent, RfbClientOptions } from "../../../src/protocols/rfb/client/client-context.ts";
import type { RfbEffect } from "../../../src/protocols/rfb/client/effect.ts";
import { RfbClient } from "../../../src/protocols/rfb/client/rfb-client.ts";
import type { RecordedLine, RecordedTruth, Recording } from "./recording.ts";

/** How a decoded picture differs from the true one; in sessions of fewer bits counted in steps of those. */
export interface Difference {
  readonly label: string;
  readonly pixels: number;
  readonly max: number;
  readonly mean: number;
  readonly expected: RecordedTruth["decodedDifference"];
}

/** One recorded connection played to a client of ours. */
export class Replay {
  readonly client: RfbClient;
  readonly events: RfbClientEvent[] = [];
  readonly sent: Buffer[] = [];
  readonly format: PixelFormat;
  readonly #effects: RfbEffect[] = [];

  constructor(recording: Recording, connection: number, options: Partial<RfbClientOptions> = {}) {
    const format = formatOf(recording, connection);
    this.format = format ?? RGBX;
    this.client = new RfbClient(
      {
        password: "",
        // As the link of a KasmVNC target has it.
        security: { allowed: ["None", "VncAuth"], needsIdentity: false },
        dialect: kasmvnc(),
        pixelFormat: format ?? "server",
        ...options,
      },
      PLATFORM,
      (bytes) => this.sent.push(Buffer.from(bytes)),
      (event) => {
        if (event.type === "effect") this.#effects.push(event.effect);
        else this.events.push(event);
      },
    );
  }

  /** The bytes in pieces of `chunkBytes`; what has to be decoded elsewhere is decoded before the next. */
  async receive({ bytes, atMs }: RecordedLine, chunkBytes: number): Promise<void> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      this.client.receive(bytes.subarray(at, at + chunkBytes), atMs);
      for (let effect = this.#effects.shift(); effect !== undefined; effect = this.#effects.shift()) {
        if (effect.kind !== "decodeImage") throw new Error(`a replay has no ${effect.kind}`);
        effect.finish(await decodeWebp(effect.bytes));
        this.client.resume(atMs);
      }
    }
  }
}

async function decodeWebp(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgba: data };
}

/** Plays all connections of a session, and compares their pictures where the recording has true ones. */
export async function differences(recording: Recording, chunkBytes: number): Promise<Difference[]> {
  const replays = new Map<number, Replay>();
  const found: Difference[] = [];
  const truths = [...recording.truths];
  for (const line of recording.lines) {
    if (line.isFromServer && !line.isHttp && line.opcode === 2) {
      let replay = replays.get(line.connection);
      if (replay === undefined) {
        replay = new Replay(recording, line.connection);
        replays.set(line.connection, replay);
      }
      await replay.receive(line, chunkBytes);
    }
    for (const truth of truths.filter(({ afterLine }) => afterLine === line.number)) {
      const replay = replays.get(truth.conn);
      if (replay === undefined) throw new Error(`no connection ${truth.conn} before its truth`);
      found.push(await compare(replay, truth));
    }
  }
  for (const { client } of replays.values()) client.close();
  return found;
}

async function compare(
  { client, format }: Replay,
  { path, label, decodedDifference: expected }: RecordedTruth,
): Promise<Difference> {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, bytes } = client.framebuffer;
  if (info.width !== width || info.height !== height) {
    throw new Error(`${label}: a picture of ${width}x${height}, expected ${info.width}x${info.height}`);
  }
  const steps = [format.redMax, format.greenMax, format.blueMax].map((max) =>
    Uint8Array.from({ length: 256 }, (_, value) => Math.round((value * max) / 255)),
  );
  let pixels = 0;
  let max = 0;
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    let most = 0;
    for (const [k, step] of steps.entries()) {
      most = Math.max(most, Math.abs((step[bytes[i + k] ?? 0] ?? 0) - (step[data[i + k] ?? 0] ?? 0)));
    }
    if (most === 0) continue;
    pixels++;
    sum += most;
    max = Math.max(max, most);
  }
  return { label, pixels, max, mean: pixels === 0 ? 0 : sum / pixels, expected };
}

/** The format the recorded client asked for at its start; null where it left the server's. */
function formatOf({ lines }: Recording, connection: number): PixelFormat | null {
  const said = Buffer.concat(
    lines
      .filter((line) => !line.isFromServer && !line.isHttp && line.connection === connection)
      .map(({ bytes }) => bytes),
  );
  const isVncAuth = said[12] === 2;
  const message = said.subarray(12 + 1 + (isVncAuth ? 16 : 0) + 1);
  if (message[0] !== 0) return null;
  return {
    bitsPerPixel: message.readUInt8(4),
    depth: message.readUInt8(5),
    isBigEndian: message.readUInt8(6) !== 0,
    isTrueColour: message.readUInt8(7) !== 0,
    redMax: message.readUInt16BE(8),
    greenMax: message.readUInt16BE(10),
    blueMax: message.readUInt16BE(12),
    redShift: message.readUInt8(14),
    greenShift: message.readUInt8(15),
    blueShift: message.readUInt8(16),
  };
}
