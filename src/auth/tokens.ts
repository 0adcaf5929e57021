import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../platform/clock.ts";
import { readPrivateFile, writePrivateFile } from "../platform/private-file.ts";
import { AuthError } from "./error.ts";
import { LastUse } from "./last-use.ts";
import { isSameRights, type Rights } from "./oidc/claimed-role.ts";
import type { Principal, Role } from "./principal.ts";
import { LONGEST_DESKTOP_ID, LONGEST_OWNER, MOST_DESKTOPS } from "./principal.ts";
import { type StoredToken, storedToken, TOKEN_ID, TokenFile, type TokenTable } from "./token-file.ts";

/** `ocp_<id>_<secret>`: 64 bits to look it up by, 256 bits to prove it. */
const TOKEN = /^ocp_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;
/** Whether a principal's id is that of a token, so that it is gone when the token is. */
export function isTokenId(id: string): boolean {
  return TOKEN_ID.test(id);
}

/** A token as people are shown it: never the secret, which is not kept. */
export interface TokenInfo {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: string;
  /** The person at its own client may approve what it asks. */
  readonly mayElicit: boolean;
  /** Names of the sets of tools that its holder has; null: those of the configuration. */
  readonly toolsets: readonly string[] | null;
  /** The ids of the desktops that it is for; null: all of them. */
  readonly desktops: readonly string[] | null;
  /** The id of the person whose it is; null: nobody was named. */
  readonly owner: string | null;
  /** From then on it is nobody's; null for never. */
  readonly expiresAt: string | null;
  /** To the minute; null for never. */
  readonly lastUsedAt: string | null;
}

/** Told of each token that this process makes or takes back. */
export type TokenListener = (change: "issued" | "revoked", token: TokenInfo) => void;

/** The API tokens: of `tokens.json` in the data directory, or of a fleet. Only their SHA-256 is stored. */
export class TokenStore {
  readonly #clock: Clock;
  readonly #tell: TokenListener;
  readonly #table: TokenTable;
  #used: LastUse | null = null;
  #keeping: Promise<unknown> = Promise.resolve();
  #onRevoked: () => void = () => undefined;

  private constructor(table: TokenTable, clock: Clock, tell: TokenListener) {
    this.#clock = clock;
    this.#tell = tell;
    this.#table = table;
  }

  /**
   * `table`: where they are kept, by default in the data directory. Throws AuthError bad_store where the file cannot be understood: a
   * guess would let someone in or lock all out.
   */
  static async open(
    dataDir: string,
    clock: Clock,
    tell: TokenListener = () => undefined,
    table: TokenTable = new TokenFile(join(dataDir, "tokens.json"), clock),
  ): Promise<TokenStore> {
    const store = new TokenStore(table, clock, tell);
    store.#used = await LastUse.open(
      join(dataDir, "tokens-used.json"),
      clock,
      (id) => table.get(id) !== undefined,
    );
    return store;
  }

  list(): readonly TokenInfo[] {
    return this.#table.all.map((token) => this.#info(token));
  }

  /** False for one that is revoked or has expired, or whose rights are others than those that somebody has by it. */
  has(id: string, rights: Rights | null = null): boolean {
    const token = this.#table.get(id);
    return (
      token !== undefined &&
      this.#isValid(token) &&
      (rights === null || isSameRights(rights, rightsOf(token)))
    );
  }

  /** Makes a token. The answer is the only time that its secret is seen. Throws AuthError bad_name, bad_grant. */
  async create(
    name: string,
    role: Role,
    options: {
      readonly mayElicit?: boolean;
      readonly toolsets?: readonly string[] | null;
      readonly expiresAt?: Date | null;
      /** See Principal.owner. Absent or null: nobody is named. */
      readonly owner?: string | null;
      /** Not for administrators, who reach all. Absent or null: all of them. */
      readonly desktops?: readonly string[] | null;
    } = {},
  ): Promise<{ readonly token: string; readonly info: TokenInfo }> {
    if (!storedToken.shape.name.safeParse(name).success) {
      throw new AuthError("bad_name", `the token's name has ${name.length} characters: expected 1 to 100`);
    }
    const owner = options.owner ?? undefined;
    if (!storedToken.shape.owner.safeParse(owner).success) {
      throw new AuthError(
        "bad_name",
        `the owner's id has ${owner?.length ?? 0} characters: expected 1 to ${LONGEST_OWNER}`,
      );
    }
    const desktops = options.desktops ?? null;
    if (desktops !== null) checkGrant(role, desktops);
    const id = randomBytes(8).toString("hex");
    const token = `ocp_${id}_${randomBytes(32).toString("base64url")}`;
    const stored: StoredToken = {
      id,
      name,
      role,
      sha256: sha256(token).toString("hex"),
      created_at: this.#clock.date().toISOString(),
      ...(options.mayElicit === true ? { elicit: true } : {}),
      ...(options.toolsets == null ? {} : { toolsets: [...new Set(options.toolsets)] }),
      ...(options.expiresAt == null ? {} : { expires_at: options.expiresAt.toISOString() }),
      ...(owner === undefined ? {} : { owner }),
      ...(desktops === null ? {} : { desktops: [...new Set(desktops)] }),
    };
    await this.#table.add(stored);
    const info = this.#info(stored);
    this.#tell("issued", info);
    return { token, info };
  }

  /** False where there is no such token. */
  async revoke(id: string): Promise<boolean> {
    const gone = await this.#table.remove(id);
    if (gone === null) return false;
    this.#tell("revoked", this.#info(gone));
    this.#onRevoked();
    return true;
  }

  /** Calls it after each token that this process takes back, or hears of that it is taken back. */
  whenRevoked(call: () => void): void {
    this.#onRevoked = call;
    this.#table.whenRemoved?.(call);
  }

  /** Whose token it is, null for nobody's. Takes as long for a wrong secret as for an unknown id. */
  verify(token: string): Principal | null {
    const id = TOKEN.exec(token)?.[1] ?? "";
    const stored = id === "" ? undefined : this.#table.get(id, true);
    const isRight = timingSafeEqual(
      sha256(token),
      stored === undefined ? Buffer.alloc(32) : Buffer.from(stored.sha256, "hex"),
    );
    if (stored === undefined || !isRight || !this.#isValid(stored)) return null;
    this.#used?.mark(stored.id);
    const { name, elicit = false, owner } = stored;
    return {
      id,
      name,
      ...rightsOf(stored),
      ...(elicit ? { mayElicit: true } : {}),
      ...(owner === undefined ? {} : { owner }),
    };
  }

  /**
   * The token that a file of the data directory keeps (0600), so that it can be shown again. Made anew where the
   * file is absent or its token was revoked.
   */
  kept(path: string, name: string, role: Role): Promise<string> {
    // One after the other: two that ask at once get the same.
    const kept = this.#keeping.then(() => this.#keep(path, name, role));
    this.#keeping = kept.catch(() => undefined);
    return kept;
  }

  async #keep(path: string, name: string, role: Role): Promise<string> {
    const existing = (await readPrivateFile(path))?.trim() ?? "";
    if (this.verify(existing)?.role === role) return existing;
    const { token } = await this.create(name, role);
    await writePrivateFile(path, `${token}\n`);
    return token;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#used?.close();
    await this.#table.flush?.();
  }

  #isValid(token: StoredToken | undefined): boolean {
    if (token?.expires_at === undefined) return token !== undefined;
    return this.#clock.date().getTime() < Date.parse(token.expires_at);
  }

  #info(token: StoredToken): TokenInfo {
    return {
      id: token.id,
      name: token.name,
      role: token.role,
      createdAt: token.created_at,
      mayElicit: token.elicit === true,
      toolsets: token.toolsets ?? null,
      owner: token.owner ?? null,
      desktops: token.desktops ?? null,
      expiresAt: token.expires_at ?? null,
      lastUsedAt: this.#used?.at(token.id) ?? null,
    };
  }
}

function rightsOf({ role, desktops, toolsets }: StoredToken): Rights {
  return {
    role,
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(desktops === undefined ? {} : { desktops }),
  };
}

function checkGrant(role: Role, desktops: readonly string[]): void {
  if (role === "admin") {
    throw new AuthError(
      "bad_grant",
      "got desktops for an administrator, who reaches all: expected another role",
    );
  }
  if (!storedToken.shape.desktops.safeParse(desktops).success) {
    throw new AuthError(
      "bad_grant",
      `got ${desktops.length} desktops, expected the ids of 1 to ${MOST_DESKTOPS}, each of 1 to ${LONGEST_DESKTOP_ID} characters`,
    );
  }
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
