import { join } from "node:path";
import * as z from "zod";
import { RefusedError } from "../desktop/error.ts";
import type { Clock } from "../platform/clock.ts";
import { JsonFile } from "../platform/json-file.ts";
import type { PairingLink } from "./wire/pairing-link.ts";
import { newNonce } from "./wire/proof.ts";

/** Browsers of one appliance. */
const MOST_PAIRINGS = 50;
/** Codes that wait to be used; beyond it the oldest is void. */
const MOST_CODES = 64;
const CODE_LIFETIME_MS = 10 * 60_000;

const pairingSchema = z.strictObject({
  id: z.string().max(64),
  /** As the browser calls itself. */
  name: z.string().max(80),
  key: z.string().max(64),
  createdAt: z.iso.datetime(),
  /** The principal whose agents may use it; null: every agent for all desktops. */
  agentId: z.string().max(200).nullable(),
});

/** A browser that was paired, and for whom. */
export type Pairing = z.infer<typeof pairingSchema>;

/** A code as it was given out. */
interface Code {
  readonly code: string;
  readonly url: string;
  readonly agentId: string | null;
  readonly expiresAtMs: number;
}

export interface NewPairing extends PairingLink {
  readonly expiresAt: Date;
}

/** Which browsers are paired, in a file that only its owner reads, and the one-time codes that pair one more. */
export class Pairings {
  readonly #file: JsonFile<Pairing[]>;
  readonly #clock: Clock;
  readonly #pairings = new Map<string, Pairing>();
  readonly #codes = new Map<string, Code>();

  private constructor(file: JsonFile<Pairing[]>, clock: Clock, pairings: readonly Pairing[]) {
    this.#file = file;
    this.#clock = clock;
    for (const pairing of pairings) this.#pairings.set(pairing.id, pairing);
  }

  /** Throws FileError for a file of another kind. */
  static async open(dataDir: string, clock: Clock): Promise<Pairings> {
    const schema = z.array(pairingSchema).max(MOST_PAIRINGS);
    const file = new JsonFile(join(dataDir, "browsers.json"), "a list of paired browsers", schema);
    return new Pairings(file, clock, (await file.read()) ?? []);
  }

  /** Oldest first. */
  get all(): readonly Pairing[] {
    return [...this.#pairings.values()];
  }

  get(id: string): Pairing | null {
    return this.#pairings.get(id) ?? null;
  }

  /** A code that pairs one browser within ten minutes. Throws RefusedError too_many. */
  issue(url: string, agentId: string | null): NewPairing {
    this.#checkRoom();
    for (const [id, code] of this.#codes) {
      if (code.expiresAtMs > this.#clock.nowMs() && this.#codes.size < MOST_CODES) break;
      this.#codes.delete(id);
    }
    const id = newNonce();
    const code = newNonce();
    this.#codes.set(id, { code, url, agentId, expiresAtMs: this.#clock.nowMs() + CODE_LIFETIME_MS });
    return { url, id, code, expiresAt: new Date(this.#clock.date().getTime() + CODE_LIFETIME_MS) };
  }

  /** The code of an id, for one try whatever comes of it; null where it is unknown, used or too old. */
  claim(id: string): Pick<Code, "code" | "agentId"> | null {
    const code = this.#codes.get(id);
    this.#codes.delete(id);
    return code !== undefined && code.expiresAtMs > this.#clock.nowMs() ? code : null;
  }

  /** Keeps a browser; resolves when that is written. Throws RefusedError too_many. */
  async add(
    name: string,
    agentId: string | null,
    makeKey: (id: string) => Promise<string>,
  ): Promise<Pairing> {
    this.#checkRoom();
    const id = newNonce();
    const key = await makeKey(id);
    const pairing = { id, name, key, createdAt: this.#clock.date().toISOString(), agentId };
    this.#pairings.set(id, pairing);
    await this.#write();
    return pairing;
  }

  /** False where there is none. */
  async remove(id: string): Promise<boolean> {
    if (!this.#pairings.delete(id)) return false;
    await this.#write();
    return true;
  }

  close(): Promise<void> {
    return this.#file.flush();
  }

  #write(): Promise<void> {
    return this.#file.write(() => this.all);
  }

  #checkRoom(): void {
    if (this.#pairings.size < MOST_PAIRINGS) return;
    throw new RefusedError(
      "too_many",
      `${MOST_PAIRINGS} browsers are paired, the most there may be: remove one first`,
    );
  }
}
