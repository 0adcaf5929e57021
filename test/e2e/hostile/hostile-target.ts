import { setImmediate as turn } from "node:timers/promises";
import type { Owner } from "../../support/program.ts";
import { startFakeTarget, type Wire } from "./fake-target.ts";
import type { HostileSpeech } from "./hostile-cases.ts";
import { FLOOD_BYTES } from "./hostile-house.ts";

/** A secret could only be in the first of what a client says. */
const MOST_HEARD_BYTES = 4096;

/** A target that says one thing, then as much more as it is let to, at every connection. */
export class HostileTarget {
  readonly speech: HostileSpeech;
  readonly name: string;
  /** How long each connection was kept open after the last byte of the speech. */
  readonly tookMs: number[] = [];
  #port = 0;
  #connections = 0;
  #isOver = false;
  #stop: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });
  #heard = Buffer.alloc(0);

  private constructor(name: string, speech: HostileSpeech) {
    this.name = name;
    this.speech = speech;
  }

  static async start(owner: Owner, name: string, speech: HostileSpeech): Promise<HostileTarget> {
    const target = new HostileTarget(name, speech);
    target.#port = await startFakeTarget(owner, (wire) => target.#speak(wire));
    return target;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#connections;
  }

  /** What clients said first, of all connections. */
  get heard(): Buffer {
    return this.#heard;
  }

  /** No more floods: those under way end, and the connections with them. */
  stop(): void {
    this.#isOver = true;
    this.#stop();
  }

  async #speak(wire: Wire): Promise<void> {
    this.#connections++;
    this.#hear(wire).catch(() => undefined); // until the client goes
    const { bytes, code, flood = new Uint8Array(code === null ? 0 : 1 << 20) } = this.speech;
    await wire.write(bytes);
    const saidMs = performance.now();
    if (flood.length === 0) return await this.#stopped;
    try {
      const piece = Buffer.alloc(Math.max(1, Math.ceil((1 << 16) / flood.length)) * flood.length);
      for (let at = 0; at < piece.length; at += flood.length) piece.set(flood, at);
      for (let sent = 0; sent < FLOOD_BYTES && !this.#isOver; sent += piece.length) {
        await wire.write(piece);
        await turn();
      }
      if (code === null) await this.#stopped;
    } catch (error) {
      this.tookMs.push(performance.now() - saidMs);
      throw error;
    }
  }

  async #hear(wire: Wire): Promise<void> {
    while (this.#heard.length < MOST_HEARD_BYTES) {
      this.#heard = Buffer.concat([this.#heard, await wire.read(1)]);
    }
  }
}
