import { LittleEndianReader } from "../little-endian-reader.ts";
import { LittleEndianWriter } from "../little-endian-writer.ts";
import type { DynamicChannel } from "./drdynvc.ts";

/** Message types, MS-RDPEA 2.2.1. */
const TYPE = {
  close: 1,
  waveInfo: 2,
  waveConfirm: 5,
  training: 6,
  formats: 7,
  qualityMode: 12,
  wave2: 13,
} as const;

/** The first version of the protocol whose clients say which quality they want. */
const VERSION_WITH_QUALITY = 6;
const HIGH_QUALITY = 2;
/** We take sound: TSSNDCAPS_ALIVE. */
const ALIVE = 1;

/** WAVEFORMATEX: samples as they are. */
const PCM = 1;
const CHANNELS = 2;
const RATE = 44_100;
const FRAME_BYTES = 4;
/** Hosts name a dozen or two. */
const MAX_FORMATS = 256;

/** A Wave Info message is followed by one of the samples alone, whose first four bytes came with the Info. */
const BEGINNING_BYTES = 4;
const WAVE_INFO_BYTES = 8;
/** U8 type, pad, U16 length of what follows. */
const HEADER_BYTES = 4;
const MOST_BODY_BYTES = 0xffff;

/** A wave whose samples are still to come. */
interface Announced {
  readonly timestamp: number;
  readonly block: number;
  readonly format: number;
  readonly beginning: Uint8Array;
}

/**
 * The host's sound, MS-RDPEA, over the static channel `rdpsnd` or a dynamic one. Of the formats that a host names one is
 * taken: 16 bits with sign, left and right, 44,100 a second, which all hosts have. The host is answered when somebody
 * listens for the first time and sends nothing before; there is no message to stop it again, so what it plays while
 * nobody listens is confirmed and dropped. No I/O: messages in, messages out.
 */
export class Sound implements DynamicChannel {
  readonly name = "AUDIO_PLAYBACK_DVC";
  readonly mostBytes = HEADER_BYTES + MOST_BODY_BYTES;
  readonly #onOffered: () => void;
  readonly #onSamples: (samples: Uint8Array | null) => void;
  #isOn = false;
  /** The version of a host that has named its formats and has no answer yet; null: none waits. */
  #unanswered: number | null = null;
  #announced: Announced | null = null;

  /** `onOffered`: the host has sound in a format of ours. `onSamples`: what it plays; null: it ended. */
  constructor(onOffered: () => void, onSamples: (samples: Uint8Array | null) => void) {
    this.#onOffered = onOffered;
    this.#onSamples = onSamples;
  }

  opened(): readonly Uint8Array[] {
    return [];
  }

  closed(): void {
    this.#unanswered = null;
    this.#announced = null;
  }

  /** Somebody listens from now on, or nobody does; returns what to send. */
  listen(isOn: boolean): readonly Uint8Array[] {
    this.#isOn = isOn;
    const version = this.#unanswered;
    if (!isOn || version === null) return [];
    this.#unanswered = null;
    return version < VERSION_WITH_QUALITY ? [ownFormats()] : [ownFormats(), wantsHighQuality()];
  }

  /** A whole message; returns what to send back. Throws RdpError `bad_data` for one that is shorter than it says. */
  receive(message: Uint8Array): readonly Uint8Array[] {
    const announced = this.#announced;
    if (announced !== null) {
      this.#announced = null;
      const samples = message.slice();
      samples.set(announced.beginning.subarray(0, samples.length));
      return this.#play(announced, samples);
    }
    const from = new LittleEndianReader(message, "channel");
    const type = from.u8();
    from.skip(1);
    const length = from.u16();
    switch (type) {
      case TYPE.formats:
        return this.#readFormats(from);
      case TYPE.training:
        // What came with it only filled the line: the answer has its time stamp and size.
        return [message16(TYPE.training, from.u16(), from.u16())];
      case TYPE.waveInfo: {
        const wave = readWave(from);
        const beginning = from.take(BEGINNING_BYTES).slice();
        if (length > WAVE_INFO_BYTES + BEGINNING_BYTES) this.#announced = { ...wave, beginning };
        else return this.#play(wave, beginning.subarray(0, Math.max(0, length - WAVE_INFO_BYTES)));
        return [];
      }
      case TYPE.wave2: {
        const wave = readWave(from);
        from.skip(4); // when it is to be played, by the host's clock
        return this.#play(wave, from.rest());
      }
      case TYPE.close:
        if (this.#isOn) this.#onSamples(null);
        return [];
      default:
        // Volume and pitch: nothing here has a knob for them.
        return [];
    }
  }

  /**
   * Server Audio Formats and Version, 2.2.2.1: U32 flags, U32 volume, U32 pitch, U16 port, U16 count, U8 last block,
   * U16 version, pad; each format U16 tag, U16 channels, U32 rate, U32 bytes a second, U16 bytes a frame, U16 bits, U16
   * length of what it has besides.
   */
  #readFormats(from: LittleEndianReader): readonly Uint8Array[] {
    from.skip(14);
    const count = Math.min(from.u16(), MAX_FORMATS);
    from.skip(1);
    const version = from.u16();
    from.skip(1);
    let hasOurs = false;
    for (let i = 0; i < count; i++) {
      const tag = from.u16();
      const channels = from.u16();
      const rate = from.u32();
      from.skip(4);
      const frame = from.u16();
      const bits = from.u16();
      from.skip(from.u16());
      hasOurs ||=
        tag === PCM && channels === CHANNELS && rate === RATE && frame === FRAME_BYTES && bits === 16;
    }
    if (!hasOurs) return [];
    this.#unanswered = version;
    this.#onOffered();
    return this.#isOn ? this.listen(true) : [];
  }

  /** Each wave is confirmed, for hosts send a few ahead and wait then. One of another format than ours is none of ours. */
  #play({ timestamp, block, format }: Omit<Announced, "beginning">, samples: Uint8Array) {
    const whole = samples.length - (samples.length % FRAME_BYTES);
    if (this.#isOn && format === 0 && whole > 0) this.#onSamples(samples.slice(0, whole));
    return [message16(TYPE.waveConfirm, timestamp, block)];
  }
}

/** The beginning of both kinds of waves: U16 time stamp, U16 number of the format among ours, U8 block, pad 3. */
function readWave(from: LittleEndianReader): Omit<Announced, "beginning"> {
  const wave = { timestamp: from.u16(), format: from.u16(), block: from.u8() };
  from.skip(3);
  return wave;
}

/** Client Audio Formats and Version, 2.2.2.2, with one format. */
function ownFormats(): Uint8Array {
  const body = new LittleEndianWriter(40)
    .u32(ALIVE)
    .u32(0) // volume
    .u32(0) // pitch
    .u16(0) // no UDP
    .u16(1)
    .u8(0)
    .u16(VERSION_WITH_QUALITY)
    .u8(0)
    .u16(PCM)
    .u16(CHANNELS)
    .u32(RATE)
    .u32(RATE * FRAME_BYTES)
    .u16(FRAME_BYTES)
    .u16(16)
    .u16(0);
  return messageOf(TYPE.formats, body.bytes());
}

/** Quality Mode, 2.2.2.3. */
function wantsHighQuality(): Uint8Array {
  return message16(TYPE.qualityMode, HIGH_QUALITY, 0);
}

/** Training Confirm (2.2.3.2), Wave Confirm (2.2.3.8, a block and a pad) and Quality Mode: two numbers of 16 bits. */
function message16(type: number, first: number, second: number): Uint8Array {
  return messageOf(type, new LittleEndianWriter(4).u16(first).u16(second).bytes());
}

function messageOf(type: number, body: Uint8Array): Uint8Array {
  return new LittleEndianWriter(HEADER_BYTES + body.length).u8(type).u8(0).u16(body.length).put(body).bytes();
}
