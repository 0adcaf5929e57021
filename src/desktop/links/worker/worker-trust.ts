import type { Connection } from "../../connections/connection.ts";
import { type ShownIdentity, TargetTrust } from "../../connections/trust-policy.ts";
import type { TrustPlace } from "./worker-messages.ts";

/** Asks the main thread; rejects with the LinkError that it answered. */
export type AskTrust = (place: TrustPlace, shown: ShownIdentity) => Promise<void>;

/** The trust of a link's thread: everything is judged, remembered and refused by the main thread. */
export class WorkerTrust extends TargetTrust {
  readonly #place: TrustPlace;
  readonly #needsIdentity: boolean;
  readonly #ask: AskTrust;

  constructor(place: TrustPlace, { host, port }: Connection, needsIdentity: boolean, ask: AskTrust) {
    super({ host, port, fingerprint: null }, "ca", null);
    this.#place = place;
    this.#needsIdentity = needsIdentity;
    this.#ask = ask;
  }

  override get needsIdentity(): boolean {
    return this.#needsIdentity;
  }

  override judge({ what, bytes, distrust }: ShownIdentity): Promise<void> {
    // A copy: what is sent of a view is all of the memory behind it.
    return this.#ask(this.#place, { what, bytes: Uint8Array.from(bytes), distrust });
  }
}
