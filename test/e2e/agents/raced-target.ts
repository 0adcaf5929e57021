import type { Owner } from "../../support/program.ts";
import { rawUpdateHeader, startFakeTarget, type Wire } from "../hostile/fake-target.ts";

const SIZE = { width: 320, height: 240 } as const;
/** Larger than what a binding leaves out, and around the place that is clicked. */
const SQUARE = { x: 128, y: 88, width: 64, height: 64 } as const;

/** In the middle of what changes. */
export const PLACE = { x: 160, y: 120 } as const;

/** A press, and the colour that the house had been told when it was last answered. */
export interface RacedPress {
  readonly told: number;
}

/** A VNC server of one coloured square, which knows at every moment what it has told and what it has not. */
export class RacedTarget {
  readonly presses: RacedPress[] = [];
  /** Called when the house wants to know the newest picture, before and after it is told. */
  onProbe: { before?: () => void; after?: () => void } = {};
  #port = 0;
  #wire: Wire | null = null;
  #colour = 0;
  #told = 0;
  #toldAtProbe = 0;
  #isAsked = false;
  #buttons = 0;
  #wake: () => void = () => undefined;

  static async start(owner: Owner): Promise<RacedTarget> {
    const target = new RacedTarget();
    target.#port = await startFakeTarget(owner, (wire) => target.#serve(wire));
    return target;
  }

  get url(): string {
    return `vnc://127.0.0.1:${this.#port}`;
  }

  /** What the house has been told. */
  get told(): number {
    return this.#told;
  }

  /** The screen changes now; it is told as soon as the house asks. */
  change(colour: number): void {
    this.#colour = colour;
    this.#flush();
  }

  /** Resolves when the house has decoded all that was told: only then it asks for more. */
  async quiet(): Promise<void> {
    while (!this.#isAsked || this.#told !== this.#colour) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #serve(wire: Wire): Promise<void> {
    await wire.shakeHands(SIZE.width, SIZE.height);
    this.#wire = wire;
    for (;;) {
      const [type] = await wire.read(1);
      if (type === 3) this.#onRequest(await wire.read(9));
      else if (type === 5) this.#onPointer((await wire.read(5)).readUInt8(0));
      else if (type === 0) await wire.read(19);
      else if (type === 2) await wire.read(4 * (await wire.read(3)).readUInt16BE(1));
      else if (type === 4) await wire.read(7);
      else throw new Error(`client message ${type}, which this server never offered`);
    }
  }

  /** FramebufferUpdateRequest, RFC 6143 section 7.5.3: U8 incremental, U16 x, y, width, height. */
  #onRequest(request: Buffer): void {
    if (request.readUInt8(0) === 1) {
      this.#isAsked = true;
      this.#flush();
      this.#wake();
      return;
    }
    const width = request.readUInt16BE(5);
    const height = request.readUInt16BE(7);
    if (width === SIZE.width && height === SIZE.height) {
      this.#told = this.#colour;
      this.#send(0, 0, width, height, this.#told);
      return;
    }
    this.onProbe.before?.();
    this.#toldAtProbe = this.#told;
    this.#send(request.readUInt16BE(1), request.readUInt16BE(3), width, height, this.#told);
    this.onProbe.after?.();
  }

  #onPointer(buttons: number): void {
    if (buttons !== 0 && this.#buttons === 0) this.presses.push({ told: this.#toldAtProbe });
    this.#buttons = buttons;
  }

  #flush(): void {
    if (!this.#isAsked || this.#told === this.#colour) return;
    this.#isAsked = false;
    this.#told = this.#colour;
    this.#send(SQUARE.x, SQUARE.y, SQUARE.width, SQUARE.height, this.#colour);
  }

  /** A rectangle of the screen as it is with the square of this colour, the rest black. */
  #send(left: number, top: number, width: number, height: number, colour: number): void {
    const pixels = Buffer.alloc(width * height * 4);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [across, down] = [left + x - SQUARE.x, top + y - SQUARE.y];
        const isSquare = across >= 0 && across < SQUARE.width && down >= 0 && down < SQUARE.height;
        if (isSquare) pixels.writeUInt32LE(colour, (y * width + x) * 4);
      }
    }
    // It rejects once the house has gone, which reading says as well.
    this.#wire
      ?.write(Buffer.concat([rawUpdateHeader(left, top, width, height), pixels]))
      .catch(() => undefined);
  }
}
