import * as z from "zod";
import type { Principal } from "../../auth/principal.ts";
import type { SessionKeeper } from "../../auth/sessions.ts";
import {
  dateAt,
  type KeptSession,
  readSession,
  type SessionReader,
  storedSessionSchema,
  writeSession,
} from "../../auth/stored-session.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import { SharedDocuments, type SharedPorts } from "../../cluster/shared/shared-documents.ts";
import { Slice } from "../../platform/loop-turns.ts";

const SESSIONS = "/overlay-companion/sessions/";
/** What a session was used last is as new as that on other nodes. */
const USED_EVERY_MS = 60_000;
const AGAIN_AFTER_MS = 1000;

const SCHEMA = z.strictObject({
  used_at: z.iso.datetime(),
  /** Where it was opened: that node alone asks a provider about it, so it counts while the node is there. */
  node: z.string().max(128),
  session: storedSessionSchema,
});
type SharedSession = z.infer<typeof SCHEMA>;

interface SharedSessionsOptions extends SharedPorts, SessionReader {
  /** Which node this is, and all that are there. */
  readonly fleet: Pick<Fleet, "name" | "nodes" | "whenChanged">;
  /** A session could not be shared. */
  onFault(error: unknown): void;
}

/**
 * The sessions of people on all nodes of a fleet, by the hashes of their identifiers, sealed. One that is opened here opens
 * the other nodes as soon as that is told there, and one that is ended here is ended there. Where the store does not answer
 * one that is opened counts here alone, and one that is ended is ended here at once, there as soon as it answers.
 */
export class SharedSessions implements SessionKeeper {
  readonly #options: SharedSessionsOptions;
  readonly #documents: SharedDocuments<SharedSession>;
  readonly #unfollow: () => void;
  /** Those that were written by this run of the node. */
  readonly #opened = new Set<string>();
  /** Writes of a session, one after the other. */
  readonly #writes = new Map<string, Promise<void>>();
  /** Those that were ended here, and are there still. */
  readonly #ended = new Set<string>();
  /** Those that `told` has as open. */
  readonly #toldOpen = new Set<string>();
  #isClosed = false;
  #told: (key: string, session: KeptSession | null) => void = () => undefined;

  constructor(options: SharedSessionsOptions) {
    const { store, clock, sealer, onFailed } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<SharedSession>({
      ...{ store, clock, sealer, onFailed, prefix: SESSIONS, purpose: "fleet/session", schema: SCHEMA },
      onChange: (key, isGone) => {
        if (isGone) this.#ended.delete(key);
        this.#look(key);
      },
    });
    const { fleet } = options;
    let known = "";
    this.#unfollow = fleet.whenChanged(() => {
      const names = fleet.nodes
        .map(({ name }) => name)
        .sort()
        .join();
      if (names === known) return;
      known = names;
      for (const key of this.#documents.ids) this.#look(key);
    });
  }

  /** Resolves when they were read once. */
  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#isClosed = true;
    this.#unfollow();
    this.#documents.close();
  }

  /** Those of this node with their proofs, to be judged again; those of others as they count here. */
  async read(): Promise<readonly KeptSession[]> {
    const { name } = this.#options.fleet;
    return this.#documents.ids
      .flatMap((key) => {
        const document = this.#documents.get(key);
        if (document?.node !== name) return this.#countsAs(key) ?? [];
        this.#opened.add(key);
        this.#toldOpen.add(key);
        return readSession({ key, usedAt: document.used_at, stored: document.session }, this.#options) ?? [];
      })
      .sort((a, b) => a.usedAtMs - b.usedAtMs);
  }

  follow(told: (key: string, session: KeptSession | null) => void): void {
    this.#told = told;
    for (const key of this.#documents.ids) this.#look(key);
  }

  write(open: () => readonly KeptSession[], changed: ReadonlySet<string>): void {
    if (changed.size === 0) return;
    const kept = new Map(open().map((session) => [session.key, session]));
    for (const key of changed) {
      const session = kept.get(key);
      if (session === undefined) this.#ended.add(key);
      this.#queue(key, () => (session === undefined ? this.#remove(key) : this.#put(session)));
    }
  }

  used(session: KeptSession): void {
    const { clock } = this.#options;
    const { key, usedAtMs } = session;
    const known = this.#documents.get(key);
    if (known === null || known === undefined || this.#writes.has(key)) return;
    if (clock.date().getTime() - Date.parse(known.used_at) < USED_EVERY_MS) return;
    const used_at = dateAt(usedAtMs, clock);
    const edit = (now: SharedSession | null) =>
      now === null || now.used_at >= used_at ? now : { ...now, used_at };
    this.#queue(key, async () => void (await this.#documents.change(key, edit)));
  }

  async endElsewhere(isMeant: (proof: unknown) => boolean): Promise<readonly Principal[]> {
    const { name } = this.#options.fleet;
    const over: Principal[] = [];
    const slice = new Slice("later");
    for (const key of this.#documents.ids) {
      if (slice.isOver) await slice.next();
      const document = this.#documents.get(key);
      if (document === null || document === undefined || document.node === name || this.#ended.has(key))
        continue;
      const { used_at: usedAt, session: stored } = document;
      const session = readSession({ key, usedAt, stored }, this.#options);
      if (session === null || !isMeant(session.proof)) continue;
      this.#ended.add(key);
      this.#look(key);
      this.#queue(key, () => this.#remove(key));
      over.push(session.principal);
    }
    return over;
  }

  async flush(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  async #put(session: KeptSession): Promise<void> {
    const { clock, fleet } = this.#options;
    const { key } = session;
    const next: SharedSession = {
      ...{ used_at: dateAt(session.usedAtMs, clock), node: fleet.name },
      session: writeSession(session, this.#options),
    };
    const isNew = !this.#opened.has(key);
    this.#opened.add(key);
    // One that another node ended meanwhile is not opened again.
    await this.#documents.change(key, (now) => (now === null && !isNew ? null : next));
  }

  async #remove(key: string): Promise<void> {
    this.#opened.delete(key);
    try {
      await this.#documents.remove(key);
      if (this.#documents.get(key) === null) this.#ended.delete(key);
    } catch (error) {
      this.#options.onFault(error);
      const { clock } = this.#options;
      const again = (): void => {
        if (!this.#isClosed) this.#queue(key, () => this.#remove(key));
      };
      clock.after(AGAIN_AFTER_MS, again, { isIdle: true });
    }
  }

  #queue(key: string, write: () => Promise<void>): void {
    const before = this.#writes.get(key) ?? Promise.resolve();
    const done = before.then(write).catch((error: unknown) => this.#options.onFault(error));
    this.#writes.set(key, done);
    void done.finally(() => {
      if (this.#writes.get(key) === done) this.#writes.delete(key);
    });
  }

  #look(key: string): void {
    const session = this.#countsAs(key);
    if (session !== null) this.#toldOpen.add(key);
    else if (!this.#toldOpen.delete(key)) return;
    this.#told(key, session);
  }

  /** What another node's session is here, and this node's own; null: it does not count here, or no more. */
  #countsAs(key: string): KeptSession | null {
    const { name, nodes } = this.#options.fleet;
    const document = this.#documents.get(key);
    if (document === null || document === undefined || this.#ended.has(key)) return null;
    const { node, used_at: usedAt, session: stored } = document;
    const session = readSession({ key, usedAt, stored }, this.#options);
    if (session === null) return null;
    if (node === name) return this.#opened.has(key) ? session : null;
    if (session.proof !== null && !nodes.some((one) => one.name === node)) return null;
    return { ...session, proof: null };
  }
}
