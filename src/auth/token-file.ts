import { readFileSync, statSync } from "node:fs";
import * as z from "zod";
import type { Clock } from "../platform/clock.ts";
import { writePrivateFile } from "../platform/private-file.ts";
import { AuthError } from "./error.ts";
import { LONGEST_DESKTOP_ID, LONGEST_OWNER, MOST_DESKTOPS, ROLES } from "./principal.ts";

export const TOKEN_ID = /^[0-9a-f]{16}$/;

/** How often the file is looked at, so that `token revoke` of another process takes effect. */
const RELOAD_EVERY_MS = 400;

/** A token as it is kept. */
export const storedToken = z.strictObject({
  id: z.string().regex(TOKEN_ID),
  name: z.string().min(1).max(100),
  role: z.enum(ROLES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  elicit: z.boolean().optional(),
  toolsets: z.array(z.string().min(1).max(40)).min(1).max(20).optional(),
  expires_at: z.iso.datetime().optional(),
  owner: z.string().min(1).max(LONGEST_OWNER).optional(),
  desktops: z.array(z.string().min(1).max(LONGEST_DESKTOP_ID)).min(1).max(MOST_DESKTOPS).optional(),
});
const tokenFile = z.strictObject({ version: z.literal(1), tokens: z.array(storedToken).max(10_000) });

export type StoredToken = z.infer<typeof storedToken>;

/** Where tokens are kept. */
export interface TokenTable {
  /** In the order in which they were made. */
  readonly all: readonly StoredToken[];
  /** `isAsked`: somebody shows it, who may have had it made by another process a moment ago. */
  get(id: string, isAsked?: boolean): StoredToken | undefined;
  add(token: StoredToken): Promise<void>;
  /** The one that was taken away; null where there is none. */
  remove(id: string): Promise<StoredToken | null>;
  /** Calls it after each that others took away; absent where that is not told. */
  whenRemoved?(call: () => void): void;
  /** Waits for what is being written. */
  flush?(): Promise<void>;
}

/** The tokens of a JSON file of mode 0600, which other processes change too. */
export class TokenFile implements TokenTable {
  readonly #path: string;
  readonly #clock: Clock;
  #tokens: ReadonlyMap<string, StoredToken> = new Map();
  #fileStamp = "";
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #writes: Promise<unknown> = Promise.resolve();

  /** Throws AuthError bad_store where the file cannot be understood. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#reload();
  }

  get all(): readonly StoredToken[] {
    this.#refresh();
    return [...this.#tokens.values()];
  }

  get(id: string, isAsked = false): StoredToken | undefined {
    // It may have been made by `token create` since the file was last looked at: that is a stat, not a reading.
    if (isAsked && !this.#tokens.has(id)) this.#checkedAtMs = Number.NEGATIVE_INFINITY;
    this.#refresh();
    return this.#tokens.get(id);
  }

  add(token: StoredToken): Promise<void> {
    return this.#change((tokens) => tokens.set(token.id, token));
  }

  async remove(id: string): Promise<StoredToken | null> {
    const gone: StoredToken[] = [];
    await this.#change((tokens) => {
      const token = tokens.get(id);
      if (token !== undefined) gone.push(token);
      tokens.delete(id);
    });
    return gone[0] ?? null;
  }

  async flush(): Promise<void> {
    await this.#writes;
  }

  /** Reads the file afresh, changes it and replaces it, one change at a time. */
  #change(edit: (tokens: Map<string, StoredToken>) => void): Promise<void> {
    const change = this.#writes.then(async () => {
      this.#reload();
      const tokens = new Map(this.#tokens);
      edit(tokens);
      await writePrivateFile(
        this.#path,
        `${JSON.stringify({ version: 1, tokens: [...tokens.values()] }, null, 2)}\n`,
      );
      this.#reload();
    });
    this.#writes = change.catch(() => undefined);
    return change;
  }

  #refresh(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#checkedAtMs < RELOAD_EVERY_MS) return;
    this.#checkedAtMs = nowMs;
    try {
      if (stampOf(this.#path) !== this.#fileStamp) this.#reload();
    } catch {
      // INVARIANT: a file that became unreadable under way never lets anyone in who was not in before.
    }
  }

  #reload(): void {
    const stamp = stampOf(this.#path);
    if (stamp === "") {
      this.#tokens = new Map();
    } else {
      const parsed = tokenFile.safeParse(parseJson(readFileSync(this.#path, "utf8")));
      if (!parsed.success) {
        throw new AuthError(
          "bad_store",
          `cannot read the tokens in ${this.#path}: restore the file from a backup, or remove it to make new tokens`,
        );
      }
      this.#tokens = new Map(parsed.data.tokens.map((token) => [token.id, token]));
    }
    this.#fileStamp = stamp;
  }
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
