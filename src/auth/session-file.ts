import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import * as z from "zod";
import type { Clock } from "../platform/clock.ts";
import { JsonFile } from "../platform/json-file.ts";
import { type Principal, ROLES } from "./principal.ts";
import type { SecretBox } from "./secret-box.ts";

/** More than are ever open. */
const MOST_SESSIONS = 10_000;
/** Of one session, with all that its provider says of a person; a larger one ends with the process. */
const LONGEST_SEALED = 32 * 1024;

/** The principal of `OC_TOKEN`, which has no entry among the tokens. */
export const OWN_TOKEN_ID = "oc_token";

/** What is kept of an open session. Times by the clock's nowMs. */
export interface KeptSession {
  /** SHA-256 of its identifier, hex: the identifier is in the cookie alone. */
  readonly key: string;
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly usedAtMs: number;
  /** JSON of whoever opened it, by which it is judged after a restart; null: who it is says all. */
  readonly proof: unknown;
}

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Least recently used first. */
  sessions: z
    .array(
      z.strictObject({
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        used_at: z.iso.datetime(),
        sealed: z.string().max(LONGEST_SEALED),
      }),
    )
    .max(MOST_SESSIONS),
});

const sealedSchema = z.strictObject({
  expires_at: z.iso.datetime(),
  principal: z.strictObject({
    id: z.string().min(1),
    name: z.string(),
    role: z.enum(ROLES),
    mayElicit: z.boolean().exactOptional(),
    toolsets: z.array(z.string()).exactOptional(),
    desktops: z.array(z.string()).exactOptional(),
    owner: z.string().exactOptional(),
    guest: z
      .strictObject({ hostId: z.string(), ends_at: z.iso.datetime(), isViewOnly: z.boolean() })
      .exactOptional(),
  }),
  /** SHA-256 of OC_TOKEN, of sessions that end with it. */
  own_token: z.string().exactOptional(),
  proof: z.unknown(),
});

type SealedByKey = Map<string, { readonly proof: unknown; readonly text: string }>;

interface SessionFilePorts {
  readonly clock: Clock;
  readonly sealer: Pick<SecretBox, "open" | "seal">;
  /** `OC_TOKEN`: who signed in by another one is signed out. */
  readonly ownToken: string | null;
  /** Told when sessions could not be kept or read: then a restart signs people out. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Open sessions, kept over a restart: a JSON file of mode 0600 with hashes of their identifiers, and sealed under the
 * data folder's key who they are. One for each port, as cookies are, so that two servers on one data folder do not bring
 * back each other's.
 */
export class SessionFile {
  readonly #ports: SessionFilePorts;
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  /** By the session's key, with what it was made of. */
  #sealed: SealedByKey = new Map();
  #isWaiting = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, ports: SessionFilePorts) {
    this.#file = new JsonFile(path, "a file of sessions", fileSchema);
    this.#ports = ports;
  }

  /** Least recently used first; also those whose time is over meanwhile. What cannot be read is none: people sign in again. */
  async read(): Promise<readonly KeptSession[]> {
    try {
      const kept = (await this.#file.read())?.sessions ?? [];
      return kept.flatMap((stored) => this.#opened(stored) ?? []);
    } catch (error) {
      this.#ports.onFault(error);
      return [];
    }
  }

  /** One write at a time, of those that are open when it begins. */
  write(open: () => readonly KeptSession[]): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const make = (): unknown => {
      this.#isWaiting = false;
      return { version: 1, sessions: this.#stored(open()) };
    };
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#file.write(make);
      } catch (error) {
        this.#ports.onFault(error);
        // It may hold one that has ended since: nobody is signed in by that after a restart.
        await rm(this.#file.path, { force: true }).catch(this.#ports.onFault);
      }
    });
  }

  /** Resolves when what was written last is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#writing;
  }

  #stored(open: readonly KeptSession[]): unknown[] {
    const sealed: SealedByKey = new Map();
    const stored = open.flatMap((session) => {
      const { key, proof, usedAtMs } = session;
      const before = this.#sealed.get(key);
      const text = before !== undefined && before.proof === proof ? before.text : this.#seal(session);
      sealed.set(key, { proof, text });
      if (text.length > LONGEST_SEALED) return [];
      return [{ sha256: key, used_at: this.#dateOf(usedAtMs), sealed: text }];
    });
    this.#sealed = sealed;
    return stored;
  }

  #seal({ key, principal, expiresAtMs, proof }: KeptSession): string {
    // Where a call came from is not who it is.
    const { guest, ip: _ip, ...rest } = principal;
    const ends = guest === undefined ? null : this.#dateOf(guest.endsAtMs);
    const text = JSON.stringify({
      expires_at: this.#dateOf(expiresAtMs),
      principal: {
        ...rest,
        ...(guest === undefined
          ? {}
          : { guest: { hostId: guest.hostId, ends_at: ends, isViewOnly: guest.isViewOnly } }),
      },
      ...(isOfOwnToken(principal) ? { own_token: this.#ownTokenHash() } : {}),
      proof,
    });
    return this.#ports.sealer.seal(text, purposeOf(key));
  }

  /** null for one that counts no more. Throws where it cannot be understood. */
  #opened({
    sha256: key,
    used_at,
    sealed,
  }: z.infer<typeof fileSchema>["sessions"][number]): KeptSession | null {
    const parsed = sealedSchema.parse(JSON.parse(this.#ports.sealer.open(sealed, purposeOf(key))));
    const { guest, ...rest } = parsed.principal;
    const principal: Principal = {
      ...rest,
      ...(guest === undefined
        ? {}
        : {
            guest: {
              hostId: guest.hostId,
              endsAtMs: this.#nowMsAt(guest.ends_at),
              isViewOnly: guest.isViewOnly,
            },
          }),
    };
    if (isOfOwnToken(principal) && parsed.own_token !== this.#ownTokenHash()) return null;
    const { proof = null } = parsed;
    this.#sealed.set(key, { proof, text: sealed });
    return {
      ...{ key, principal, proof, expiresAtMs: this.#nowMsAt(parsed.expires_at) },
      // A clock that was set back makes nobody's last use one to come.
      usedAtMs: Math.min(this.#nowMsAt(used_at), this.#ports.clock.nowMs()),
    };
  }

  #ownTokenHash(): string {
    const { ownToken } = this.#ports;
    return ownToken === null ? "none" : createHash("sha256").update(ownToken).digest("hex");
  }

  #dateOf(atMs: number): string {
    const { clock } = this.#ports;
    return new Date(clock.date().getTime() + Math.round(atMs - clock.nowMs())).toISOString();
  }

  #nowMsAt(date: string): number {
    const { clock } = this.#ports;
    return clock.nowMs() + Date.parse(date) - clock.date().getTime();
  }
}

function isOfOwnToken({ id, guest }: Principal): boolean {
  return (guest?.hostId ?? id) === OWN_TOKEN_ID;
}

function purposeOf(key: string): string {
  return `session:${key}`;
}
