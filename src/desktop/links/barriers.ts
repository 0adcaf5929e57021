import type { LinkError } from "../error.ts";

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: LinkError) => void;
}

/** Requests to a target that it answers in the order in which they were sent. */
export class Barriers {
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** A promise, and the number by which `pass` resolves it. */
  open(): { readonly number: number; readonly passed: Promise<void> } {
    const number = this.#next++;
    const passed = new Promise<void>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
    });
    return { number, passed };
  }

  /** The target answered this one, and so all before it. */
  pass(number: number): void {
    for (const [waiting, { resolve }] of this.#waiting) {
      if (waiting > number) continue;
      this.#waiting.delete(waiting);
      resolve();
    }
  }

  passAll(): void {
    this.pass(this.#next);
  }

  fail(error: LinkError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** A fence's payload: the barrier's number, 32 bits, big-endian. */
export function payloadOf(number: number): Uint8Array {
  const payload = new Uint8Array(4);
  new DataView(payload.buffer).setUint32(0, number);
  return payload;
}

/** 0 for a payload that is not ours, which passes nothing. */
export function numberOf(payload: Uint8Array): number {
  if (payload.length !== 4) return 0;
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0);
}
