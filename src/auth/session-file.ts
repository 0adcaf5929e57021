import { rm } from "node:fs/promises";
import * as z from "zod";
import { JsonFile } from "../platform/json-file.ts";
import type { SecretBox } from "./secret-box.ts";
import type { SessionKeeper } from "./sessions.ts";
import {
  dateAt,
  type KeptSession,
  readSession,
  type SessionReader,
  storedSessionSchema,
  writeSession,
} from "./stored-session.ts";

/** More than are ever open. */
const MOST_SESSIONS = 10_000;
/** Of one session, with all that its provider says of a person; a larger one ends with the process. */
const LONGEST_SEALED = 32 * 1024;

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

type SealedByKey = Map<string, { readonly proof: unknown; readonly text: string }>;

interface SessionFilePorts extends SessionReader {
  readonly sealer: Pick<SecretBox, "open" | "seal">;
  /** Told when sessions could not be kept or read: then a restart signs people out. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Open sessions, kept over a restart: a JSON file of mode 0600 with hashes of their identifiers, and sealed under the
 * data folder's key who they are. One for each port, as cookies are, so that two servers on one data folder do not bring
 * back each other's.
 */
export class SessionFile implements SessionKeeper {
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
      return [{ sha256: key, used_at: dateAt(usedAtMs, this.#ports.clock), sealed: text }];
    });
    this.#sealed = sealed;
    return stored;
  }

  #seal(session: KeptSession): string {
    return this.#ports.sealer.seal(
      JSON.stringify(writeSession(session, this.#ports)),
      purposeOf(session.key),
    );
  }

  /** null for one that counts no more. Throws where it cannot be understood. */
  #opened({
    sha256: key,
    used_at,
    sealed,
  }: z.infer<typeof fileSchema>["sessions"][number]): KeptSession | null {
    const text = this.#ports.sealer.open(sealed, purposeOf(key));
    const stored = storedSessionSchema.parse(JSON.parse(text));
    const session = readSession({ key, usedAt: used_at, stored }, this.#ports);
    if (session !== null) this.#sealed.set(key, { proof: session.proof, text: sealed });
    return session;
  }
}

function purposeOf(key: string): string {
  return `session:${key}`;
}
