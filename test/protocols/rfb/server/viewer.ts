import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import type { Picture } from "../../../../src/framebuffer/picture.ts";
import type { Rect } from "../../../../src/framebuffer/rect.ts";
import { ByteQueue } from "../../../../src/protocols/byte-queue.ts";
import { ByteWriter } from "../../../../src/protocols/byte-writer.ts";
import {
  RfbServer,
  type RfbServerEvent,
  type RfbServerOptions,
  type RfbServerPorts,
} from "../../../../src/protocols/rfb/server/rfb-server.ts";
import { ports as nodePorts } from "./ports.ts";

const OPTIONS: RfbServerOptions = {
  name: "test",
  width: 64,
  height: 48,
  screens: [{ id: 7, rect: { x: 0, y: 0, width: 64, height: 48 }, flags: 0 }],
  security: [{ type: "none" }],
};

/** Bytes of the messages a viewer sends, written from RFC 6143 and rfbproto. */
export const say = {
  encodings: (...numbers: number[]) => {
    const to = new ByteWriter().u8(2).pad(1).u16(numbers.length);
    for (const number of numbers) to.i32(number);
    return to.bytes();
  },
  request: (isIncremental: boolean, x: number, y: number, width: number, height: number) =>
    new ByteWriter()
      .u8(3)
      .u8(isIncremental ? 1 : 0)
      .u16(x)
      .u16(y)
      .u16(width)
      .u16(height)
      .bytes(),
  key: (isDown: boolean, keysym: number) =>
    new ByteWriter()
      .u8(4)
      .u8(isDown ? 1 : 0)
      .pad(2)
      .u32(keysym)
      .bytes(),
  pointer: (mask: number, x: number, y: number) => new ByteWriter().u8(5).u8(mask).u16(x).u16(y).bytes(),
  cutText: (text: string) =>
    new ByteWriter().u8(6).pad(3).u32(text.length).put(Buffer.from(text, "latin1")).bytes(),
  extendedCutText: (flags: number, data: Uint8Array) =>
    new ByteWriter()
      .u8(6)
      .pad(3)
      .i32(-(4 + data.length))
      .u32(flags >>> 0)
      .put(data)
      .bytes(),
  continuous: (isEnabled: boolean, x: number, y: number, width: number, height: number) =>
    new ByteWriter()
      .u8(150)
      .u8(isEnabled ? 1 : 0)
      .u16(x)
      .u16(y)
      .u16(width)
      .u16(height)
      .bytes(),
  fence: (flags: number, payload: Uint8Array) =>
    new ByteWriter()
      .u8(248)
      .pad(3)
      .u32(flags >>> 0)
      .u8(payload.length)
      .put(payload)
      .bytes(),
  desktopSize: (width: number, height: number, ...screens: Rect[]) => {
    const to = new ByteWriter().u8(251).pad(1).u16(width).u16(height).u8(screens.length).pad(1);
    for (const [i, r] of screens.entries()) to.u32(i).u16(r.x).u16(r.y).u16(r.width).u16(r.height).u32(0);
    return to.bytes();
  },
  qemuKey: (isDown: boolean, keysym: number, scancode: number) =>
    new ByteWriter()
      .u8(255)
      .u8(0)
      .u16(isDown ? 1 : 0)
      .u32(keysym)
      .u32(scancode)
      .bytes(),
} as const;

/** It ends an update that was announced to have 65,535 rectangles. */
const LAST_RECT = -224;

/** One rectangle of a FramebufferUpdate; `body` where the encoding's length is known without decoding. */
export interface SentRect extends Rect {
  readonly encoding: number;
  readonly body: Uint8Array;
}

export type Sent =
  | { readonly type: "update"; readonly rects: readonly SentRect[] }
  | { readonly type: "bell" }
  | { readonly type: "cutText"; readonly text: string }
  | { readonly type: "extendedCutText"; readonly flags: number; readonly data: Uint8Array }
  | { readonly type: "endOfContinuousUpdates" }
  | { readonly type: "fence"; readonly flags: number; readonly payload: Uint8Array };

/** A server and the far end of its line: says things, and reads what it was sent by a reader of its own. */
export class TestViewer {
  readonly server: RfbServer;
  readonly events: RfbServerEvent[] = [];
  readonly sentBytes: number[] = [];
  readonly #sent = new ByteQueue();
  bytesPerPixel = 4;
  /** Called with each event, after it was kept. */
  onEvent: (event: RfbServerEvent) => void = () => {};

  constructor(options: Partial<RfbServerOptions> = {}, ports: RfbServerPorts = nodePorts) {
    this.server = new RfbServer(
      { ...OPTIONS, ...options },
      ports,
      (bytes) => {
        this.sentBytes.push(bytes.length);
        this.#sent.push(bytes);
      },
      (event) => {
        this.events.push(event);
        this.onEvent(event);
      },
    );
  }

  /** Past the handshake of 3.8 without security; what came so far is read. */
  static ready(options: Partial<RfbServerOptions> = {}, ports: RfbServerPorts = nodePorts): TestViewer {
    const viewer = new TestViewer(options, ports);
    viewer.say(Buffer.from("RFB 003.008\n"), Uint8Array.of(1), Uint8Array.of(1));
    viewer.takeBytes();
    viewer.events.length = 0;
    viewer.sentBytes.length = 0;
    return viewer;
  }

  say(...messages: Uint8Array[]): void {
    for (const message of messages) this.server.receive(message);
  }

  takeBytes(): Uint8Array {
    return this.#sent.take(this.#sent.size).slice();
  }

  /** The messages sent since the last call. */
  take(): Sent[] {
    const messages: Sent[] = [];
    while (this.#sent.size > 0) messages.push(this.#message());
    return messages;
  }

  /** The rectangles of all updates since the last call; throws where anything else came. */
  takeRects(): SentRect[] {
    return this.take().flatMap((message) => {
      if (message.type !== "update") throw new Error(`got ${message.type}, expected an update`);
      return message.rects;
    });
  }

  #message(): Sent {
    const from = this.#sent;
    const type = from.u8();
    switch (type) {
      case 0: {
        from.skip(1);
        const count = from.u16();
        const rects: SentRect[] = [];
        while (rects.length < count && rects.at(-1)?.encoding !== LAST_RECT) rects.push(this.#rect());
        return { type: "update", rects };
      }
      case 2:
        return { type: "bell" };
      case 3: {
        from.skip(3);
        const length = from.i32();
        if (length >= 0) return { type: "cutText", text: Buffer.from(from.take(length)).toString("latin1") };
        return { type: "extendedCutText", flags: from.u32(), data: from.take(-length - 4).slice() };
      }
      case 150:
        return { type: "endOfContinuousUpdates" };
      case 248: {
        from.skip(3);
        return { type: "fence", flags: from.u32(), payload: from.take(from.u8()).slice() };
      }
      default:
        throw new Error(`the server sent message ${type}`);
    }
  }

  #rect(): SentRect {
    const from = this.#sent;
    const rect = { x: from.u16(), y: from.u16(), width: from.u16(), height: from.u16() };
    const encoding = from.i32();
    return { ...rect, encoding, body: from.take(this.#bodyBytes(rect, encoding)).slice() };
  }

  #bodyBytes({ width, height }: Rect, encoding: number): number {
    const at = (offset: number): number =>
      new DataView(this.#sent.peek(offset + 4).slice().buffer).getUint32(offset);
    switch (encoding) {
      case 0:
        return width * height * this.bytesPerPixel;
      case 1:
        return 4;
      case 16:
        return 4 + at(0);
      case 50:
        return 8 + at(0);
      case -239:
        return width * height * this.bytesPerPixel + Math.ceil(width / 8) * height;
      case -314:
        return 4 + width * height * 4;
      case 0x574d5664:
        return 2 + width * height * 4;
      case -307:
        return 4 + at(0);
      case -308:
        return 4 + (this.#sent.peek(1)[0] ?? 0) * 16;
      case LAST_RECT:
      case -223:
      case -258:
      case -316:
        return 0;
      default:
        throw new Error(`the server sent encoding ${encoding}`);
    }
  }
}

/** A picture of a framebuffer. */
export function pictureOf(frame: Framebuffer): Picture {
  return {
    width: frame.width,
    height: frame.height,
    pixels: ({ x, y }) => ({
      bytes: frame.bytes,
      offset: (y * frame.width + x) * 4,
      strideBytes: frame.strideBytes,
    }),
  };
}

/** Every pixel another colour than its neighbours: red is x, green is y. */
export function colourful(width: number, height: number): Framebuffer {
  const frame = new Framebuffer(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      frame.words[y * width + x] = (0xff000000 | ((x * y) << 16) | ((y & 0xff) << 8) | (x & 0xff)) >>> 0;
    }
  }
  return frame;
}
