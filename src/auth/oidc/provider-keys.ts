import type { JWTVerifyGetKey } from "jose";
import * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { AuthError } from "../error.ts";

type Library = typeof import("jose");
type KeySet = ReturnType<Library["createLocalJWKSet"]>;

/** Keys are asked for anew after so long, so that one that was taken back is known. */
const KEYS_MS = 5 * 60_000;
/**
 * A token with a key that is not known has them asked for at once, so many times within this: anybody can send such a
 * token, and a provider may have changed its keys a moment after they were asked for.
 */
const MOST_ASKED = 10;
const MOST_ASKED_WITHIN_MS = 60_000;
/** A provider that did not answer is left alone for so long. */
const COOLDOWN_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;
/** A provider has some keys of some kilobytes. */
const MOST_BYTES = 256 * 1024;

const jwksSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** The keys that a provider signs with now, from where its metadata say. */
export class ProviderKeys {
  readonly #address: () => Promise<string>;
  readonly #clock: Pick<Clock, "nowMs">;
  #known: { readonly set: KeySet; readonly atMs: number } | null = null;
  /** When the keys were asked for, the last MOST_ASKED times, newest first. */
  #askedAtMs: readonly number[] = [];
  #asking: Promise<KeySet> | null = null;

  /** `address`: of the JSON Web Key Set; it may reject as AuthError. */
  constructor(address: () => Promise<string>, clock: Pick<Clock, "nowMs">) {
    this.#address = address;
    this.#clock = clock;
  }

  /** Finds the key of a token; rejects with AuthError provider_unreachable, else as jose's own sets do. */
  finder(library: Library): JWTVerifyGetKey {
    return async (header, token) => {
      const set = await this.#current(library);
      try {
        return await set(header, token);
      } catch (error) {
        const isUnknown = error instanceof library.errors.JWKSNoMatchingKey;
        if (!isUnknown || this.#sinceAsked(MOST_ASKED) < MOST_ASKED_WITHIN_MS) throw error;
      }
      return (await this.#ask(library))(header, token);
    };
  }

  async #current(library: Library): Promise<KeySet> {
    const nowMs = this.#clock.nowMs();
    const known = this.#known;
    if (known !== null && nowMs - known.atMs < KEYS_MS) return known.set;
    if (known !== null && this.#sinceAsked(1) < COOLDOWN_MS) return known.set;
    try {
      return await this.#ask(library);
    } catch (error) {
      // While the provider is away, what it signed before goes on until it expires.
      if (known === null) throw error;
      return known.set;
    }
  }

  /** Milliseconds since the keys were asked for, `count` times ago. */
  #sinceAsked(count: number): number {
    return this.#clock.nowMs() - (this.#askedAtMs[count - 1] ?? Number.NEGATIVE_INFINITY);
  }

  /** Once for all who wait. */
  #ask(library: Library): Promise<KeySet> {
    this.#asking ??= this.#fetch(library).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #fetch(library: Library): Promise<KeySet> {
    const atMs = this.#clock.nowMs();
    this.#askedAtMs = [atMs, ...this.#askedAtMs].slice(0, MOST_ASKED);
    const text = await fetchText(await this.#address());
    const parsed = jwksSchema.safeParse(parseJson(text));
    if (!parsed.success)
      throw new AuthError("provider_refused", "the provider's keys are no JSON Web Key Set");
    const set = library.createLocalJWKSet(parsed.data);
    this.#known = { set, atMs };
    return set;
  }
}

/** Throws AuthError provider_unreachable; of what was sent nothing is in its message. */
async function fetchText(url: string): Promise<string> {
  try {
    const answer = await fetch(url, {
      headers: { accept: "application/jwk-set+json, application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (!answer.ok || answer.body === null) throw new Error(`the answer is ${answer.status}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AuthError("provider_unreachable", `the provider's keys cannot be read: ${reason}`, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
