import { createRequire } from "node:module";
import type { Duplex } from "node:stream";
import { Framebuffer, OPAQUE } from "../../../src/framebuffer/framebuffer.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";

/** The part of rfb2 that these tests use; the package's own types do not cover it. */
interface Connection {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  on(event: "connect", call: () => void): void;
  on(event: "rect" | "resize", call: (rect: ReceivedRect) => void): void;
  on(event: "error", call: (error: unknown) => void): void;
  requestUpdate(isIncremental: number, x: number, y: number, width: number, height: number): void;
  pointerEvent(x: number, y: number, buttons: number): void;
  keyEvent(keysym: number, isDown: number): void;
  end(): void;
}

interface ReceivedRect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly src?: { readonly x: number; readonly y: number };
  readonly data?: Uint8Array;
}

type ConnectOptions = { readonly security: readonly number[]; readonly password?: string } & (
  | { readonly host: string; readonly port: number }
  | { readonly stream: Duplex }
);

interface Rfb2 {
  createConnection(options: ConnectOptions): Connection;
}

function isRfb2(value: unknown): value is Rfb2 {
  return typeof value === "object" && value !== null && "createConnection" in value;
}

/** Security types, RFC 6143 section 7.1.2. */
export const RFB2_SECURITY = { none: 1, vncAuth: 2 } as const;

/** rfb2 as it comes from npm, in Raw: RFB by somebody else's hand. It keeps no picture, so this does. */
export class Rfb2Client {
  readonly #connection: Connection;
  #frame = new Framebuffer(1, 1);
  #onRect: (changed: Rect) => void = () => {};

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.on("rect", (rect) => this.#take(rect));
    connection.on("resize", ({ width, height }) => {
      this.#frame.resize(width, height);
      this.request(false);
    });
  }

  /** Rejects with what rfb2 says where it is refused. */
  static connect(port: number, security: number, password?: string): Promise<Rfb2Client> {
    const options = { host: "127.0.0.1", port, security: [security] };
    return Rfb2Client.#open(password === undefined ? options : { ...options, password });
  }

  /** Over what is connected already, without a sign-in by RFB. */
  static over(stream: Duplex): Promise<Rfb2Client> {
    return Rfb2Client.#open({ stream, security: [RFB2_SECURITY.none] });
  }

  static #open(options: ConnectOptions): Promise<Rfb2Client> {
    const rfb2: unknown = createRequire(import.meta.url)("rfb2");
    if (!isRfb2(rfb2)) throw new Error("the package rfb2 exports no createConnection");
    const connection = rfb2.createConnection(options);
    const client = new Rfb2Client(connection);
    return new Promise((resolve, reject) => {
      connection.on("connect", () => {
        client.#frame = new Framebuffer(connection.width, connection.height, { hasKernels: true });
        resolve(client);
      });
      connection.on("error", (error) => reject(error instanceof Error ? error : new Error(String(error))));
    });
  }

  get title(): string {
    return this.#connection.title;
  }

  get frame(): Framebuffer {
    return this.#frame;
  }

  request(isIncremental: boolean): void {
    const { width, height } = this.#frame;
    this.#connection.requestUpdate(isIncremental ? 1 : 0, 0, 0, width, height);
  }

  click(x: number, y: number): void {
    this.#connection.pointerEvent(x, y, 1);
    this.#connection.pointerEvent(x, y, 0);
  }

  key(keysym: number, isDown: boolean): void {
    this.#connection.keyEvent(keysym, isDown ? 1 : 0);
  }

  /** Resolves when the picture is this one; asks for what changed until then. */
  whenShows(wanted: Framebuffer): Promise<void> {
    return new Promise((resolve) => {
      this.#onRect = () => {
        if (!equalFrames(this.#frame, wanted)) return;
        this.#onRect = () => {};
        resolve();
      };
      this.#onRect(this.#frame.rect);
      this.request(true);
    });
  }

  /**
   * Calls at each picture that is seen, every rectangle of an update counted as one, with what differs from the one
   * before, and asks for more of them.
   */
  watch(onFrame: (frame: Framebuffer, changed: Rect) => void): void {
    this.#onRect = (changed) => onFrame(this.#frame, changed);
    this.request(false);
  }

  end(): void {
    this.#connection.end();
  }

  #take(rect: ReceivedRect): void {
    const { x, y, width, height, src, data } = rect;
    if (src !== undefined) this.#frame.copy(src.x, src.y, { x, y, width, height });
    else if (data !== undefined) this.#paint(rect, data);
    this.#onRect({ x, y, width, height });
    this.request(true);
  }

  #paint({ x, y, width, height }: ReceivedRect, data: Uint8Array): void {
    const { bytes, words } = this.#frame;
    for (let row = 0; row < height; row++) {
      const start = (y + row) * this.#frame.width + x;
      bytes.set(data.subarray(row * width * 4, (row + 1) * width * 4), start * 4);
      for (let i = start; i < start + width; i++) words[i] = ((words[i] ?? 0) | OPAQUE) >>> 0;
    }
  }
}

function equalFrames(a: Framebuffer, b: Framebuffer): boolean {
  return a.width === b.width && a.height === b.height && Buffer.compare(a.bytes, b.bytes) === 0;
}
