import { createHash } from "node:crypto";
import type { RdpClientEvent, RdpClientOptions } from "../../../src/protocols/rdp/client-context.ts";
import { RdpClient } from "../../../src/protocols/rdp/rdp-client.ts";
import { confirm, type Offer, untilReady } from "./server-bytes.ts";

type EventOf<Type extends RdpClientEvent["type"]> = Extract<RdpClientEvent, { readonly type: Type }>;

/** An RdpClient, what it sent and what it said; TLS is there as soon as it asks. */
export class Peer {
  readonly sent: Uint8Array[] = [];
  readonly events: RdpClientEvent[] = [];
  readonly client: RdpClient;
  nowMs = 0;
  #wantsTls = false;

  constructor(options: Partial<RdpClientOptions> = {}) {
    this.client = new RdpClient(
      { username: "ada", password: "secret", size: { width: 64, height: 48 }, ...options },
      {
        hash: (name, data) => createHash(name).update(data).digest(),
        randomBytes: (count) => new Uint8Array(count).fill(7),
        fileTime: () => 1n,
      },
      (bytes) => this.sent.push(bytes.slice()),
      (event) => {
        this.events.push(event);
        if (event.type !== "effect") return;
        event.effect.take(new Uint8Array(8));
        this.#wantsTls = true;
      },
    );
    this.client.start(0);
  }

  /** One that is past everything up to the first pixel. */
  static ready(options: Partial<RdpClientOptions> = {}, offer: Offer = { width: 64, height: 48 }): Peer {
    return new Peer(options).say(confirm(1)).say(...untilReady(offer));
  }

  /** Feeds messages, `step` bytes at a time; TLS is up before the byte after the one that asked for it. */
  say(...messages: readonly Uint8Array[]): this {
    return this.sayIn(Number.POSITIVE_INFINITY, ...messages);
  }

  sayIn(step: number, ...messages: readonly Uint8Array[]): this {
    for (const message of messages) {
      for (let at = 0; at < message.length; at += step) {
        this.client.receive(message.subarray(at, Math.min(message.length, at + step)), this.nowMs);
        if (!this.#wantsTls) continue;
        this.#wantsTls = false;
        this.client.resume(this.nowMs);
      }
    }
    return this;
  }

  last<Type extends RdpClientEvent["type"]>(type: Type): EventOf<Type> | undefined {
    const isWanted = (event: RdpClientEvent): event is EventOf<Type> => event.type === type;
    return this.events.findLast(isWanted);
  }

  /** A pixel as "rrggbb". */
  pixel(x: number, y: number): string {
    const { bytes, width } = this.client.framebuffer;
    return Buffer.from(bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)).toString("hex");
  }
}
