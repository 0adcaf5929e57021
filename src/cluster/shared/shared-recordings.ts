import * as z from "zod";
import type { Desktops } from "../../desktop/desktops.ts";
import { RefusedError } from "../../desktop/error.ts";
import { Slice } from "../../platform/loop-turns.ts";
import type { Change } from "../store/store.ts";
import { DesktopWrites } from "./desktop-writes.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const RECORDINGS = "/overlay-companion/recordings/";
/** Of a desktop: older ones still say what they go on from. */
const MOST_PARTS = 32;
const LONGEST_NAME = 512;

const name = z.string().max(LONGEST_NAME);
const REASON = z.enum(["manual", "always", "agent_activity"]);
const PART = z.strictObject({
  id: name,
  /** Where it was made, by its name. */
  node: name,
  started_at: name,
  /** As that node told; null: not yet. */
  ended_at: name.nullable(),
  /** It goes on from the one before it. */
  continues: z.boolean(),
  reason: REASON,
  owner: z.strictObject({ id: name, name }),
});
type Part = z.infer<typeof PART>;

const SCHEMA = z.strictObject({
  /** In the order of their beginnings. */
  parts: z.array(PART).max(MOST_PARTS),
  /** The last one ends with its node alone: who has the desktop next records on. */
  goes_on: z.boolean(),
});
type Parts = z.infer<typeof SCHEMA>;

const NONE: Parts = { parts: [], goes_on: false };

interface Recording {
  readonly id: string;
  readonly desktopId: string;
  readonly startedAt: string;
  readonly reason: Part["reason"];
  readonly startedBy: string;
  readonly startedById: string | null;
  readonly continues?: { readonly id: string };
}

/** What it must be told of recordings; RecordingsEvent of that room is one. */
type RecordingsEvent =
  | { readonly type: "started"; readonly recording: Recording }
  | { readonly type: "kept"; readonly recording: Recording; readonly by: Part["owner"] }
  | { readonly type: "stopped"; readonly recording: Recording; readonly isInterrupted: boolean }
  | { readonly type: "removed" | "failed" };

interface Recordings {
  on(listener: (event: RecordingsEvent) => void): () => void;
  /** When a recording of this node ended, ISO 8601; null where it runs, or is not there. */
  endOf(id: string): Promise<string | null>;
}

/** A recording of another node. */
export interface AskedPart {
  readonly id: string;
  readonly node: string;
  readonly desktopId: string;
}

interface SharedRecordingsOptions extends SharedPorts {
  /** Of this node. */
  readonly name: string;
  /** See Fleet.bindingOf: what is recorded is said by who has the desktop alone. */
  bindingOf(desktopId: string): Change | null;
  /** Asks another node about a recording that is there: see RecordingParts. */
  ask(part: AskedPart, ask: unknown): Promise<Buffer>;
  /** What is recorded could not be kept. */
  onFault(error: unknown): void;
}

/**
 * What was recorded of the desktops of a fleet, at which node, so that who has one next goes on with it and says from what. What is
 * recorded stays with the node that did. INVARIANT: parts are added under the fence of who has the desktop; when one ended
 * is told by its node alone, at any time.
 */
export class SharedRecordings {
  readonly #options: SharedRecordingsOptions;
  readonly #documents: SharedDocuments<Parts>;
  readonly #writes: DesktopWrites<Parts>;
  /** Of desktops that this node has and recorded since it does. */
  readonly #own = new Map<string, Parts>();
  /** Whose parts of this node may have ended without being told. */
  readonly #unseen = new Set<string>();
  #recordings: Recordings | null = null;
  #isLooking = false;
  #isClosed = false;

  constructor(options: SharedRecordingsOptions) {
    const { store, clock, sealer, onFailed, onFault } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<Parts>({
      ...{ store, clock, sealer, onFailed, prefix: RECORDINGS, purpose: "fleet/recordings", schema: SCHEMA },
      onChange: (desktopId, isGone) => {
        if (!isGone) this.#lookAt(desktopId);
      },
    });
    this.#writes = new DesktopWrites({ clock, onFault, write: (id, parts) => this.#write(id, parts) });
  }

  get name(): string {
    return this.#options.name;
  }

  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#isClosed = true;
    this.#writes.close();
    this.#documents.close();
  }

  /** Those of a desktop are known. Throws StoreError. */
  refresh(desktopId: string): Promise<void> {
    return this.#documents.refresh(desktopId);
  }

  /** Keeps what is recorded from now on, and tells of what ended while this node was away. */
  follow(desktops: Pick<Desktops, "on">, recordings: Recordings): void {
    this.#recordings = recordings;
    desktops.on(({ type, desktop }) => {
      if (type !== "removed") return;
      this.#own.delete(desktop.id);
      this.#writes.forget(desktop.id);
    });
    recordings.on((event) => {
      if (event.type === "started") this.#began(event.recording);
      else if (event.type === "kept") this.#isOf(event.recording, event.by);
      else if (event.type === "stopped") this.#ended(event.recording, event.isInterrupted);
    });
    for (const id of this.#documents.ids) this.#lookAt(id);
  }

  /** As RecordingParts. */
  interrupted(desktopId: string) {
    if (this.#own.has(desktopId)) return null;
    const { parts, goes_on: goesOn } = this.#documents.get(desktopId) ?? NONE;
    const last = parts.at(-1);
    if (last === undefined || !goesOn) return null;
    const { id, node, reason, owner } = last;
    return { id, node, reason, owner };
  }

  /** As RecordingParts. */
  around({ id, desktopId }: Pick<Recording, "id" | "desktopId">) {
    const { parts } = this.#documents.get(desktopId) ?? NONE;
    const at = parts.findIndex((part) => part.id === id);
    const [part, next] = at < 0 ? [] : [parts[at], parts[at + 1]];
    return {
      earlierEndedAt: part?.continues === true ? (parts[at - 1]?.ended_at ?? null) : null,
      next: next?.continues === true ? { id: next.id, node: next.node, startedAt: next.started_at } : null,
    };
  }

  /** As RecordingParts. */
  chain(id: string, desktopId: string | null) {
    const has = (one: string): boolean =>
      this.#documents.get(one)?.parts.some((part) => part.id === id) ?? false;
    const found = desktopId === null ? this.#documents.ids.find(has) : desktopId;
    const { parts } = this.#documents.get(found ?? "") ?? NONE;
    const at = parts.findIndex((part) => part.id === id);
    if (at < 0 || found === undefined) return null;
    const first = parts.findLastIndex(({ continues }, nth) => nth <= at && !continues);
    const after = parts.findIndex(({ continues }, nth) => nth > at && !continues);
    const own = parts.slice(Math.max(0, first), after < 0 ? parts.length : after);
    const placed = own.map(({ id: partId, node, started_at, ended_at }) => ({
      ...{ id: partId, node, startedMs: Date.parse(started_at) },
      endedMs: ended_at === null ? null : Date.parse(ended_at),
    }));
    return { desktopId: found, parts: placed };
  }

  /** As RecordingParts. */
  ask(part: AskedPart, ask: unknown): Promise<Buffer> {
    return this.#options.ask(part, ask);
  }

  /** Resolves when what was recorded so far is kept. Rejects with RefusedError not_held where it is not, as yet. */
  settled(desktopId: string): Promise<void> {
    return this.#writes.settled(desktopId);
  }

  /** The desktop is gone, on all nodes. */
  async forget(desktopId: string): Promise<void> {
    await this.#documents.remove(desktopId);
  }

  #began(recording: Recording): void {
    const { id, desktopId, startedAt, reason, startedBy, startedById, continues } = recording;
    const { parts } = this.#own.get(desktopId) ?? this.#documents.get(desktopId) ?? NONE;
    const part: Part = {
      ...{ id, node: this.name, started_at: startedAt, ended_at: null, continues: continues !== undefined },
      ...{ reason, owner: ownerOf({ id: startedById ?? "", name: startedBy }) },
    };
    this.#set(desktopId, { parts: [...parts, part].slice(-MOST_PARTS), goes_on: true });
  }

  /** What a person asked for goes on for them, whoever began it. */
  #isOf({ id, desktopId }: Recording, by: Part["owner"]): void {
    const own = this.#own.get(desktopId);
    if (own?.parts.at(-1)?.id !== id) return;
    const asked = { reason: "manual", owner: ownerOf(by) } as const;
    this.#set(desktopId, {
      ...own,
      parts: own.parts.map((part) => (part.id === id ? { ...part, ...asked } : part)),
    });
  }

  #ended({ id, desktopId }: Recording, isInterrupted: boolean): void {
    const own = this.#own.get(desktopId);
    if (!isInterrupted && own?.parts.at(-1)?.id === id) this.#set(desktopId, { ...own, goes_on: false });
    this.#lookAt(desktopId);
  }

  #set(desktopId: string, parts: Parts): void {
    this.#own.set(desktopId, parts);
    this.#writes.set(desktopId, parts);
  }

  async #write(desktopId: string, { parts, goes_on }: Parts): Promise<void> {
    const bound = this.#options.bindingOf(desktopId);
    if (bound === null) return;
    const merged = (now: Parts | null): Parts => {
      const ends = new Map(now?.parts.map(({ id, ended_at }) => [id, ended_at]));
      return { goes_on, parts: parts.map((part) => ({ ...part, ended_at: ends.get(part.id) ?? null })) };
    };
    await this.#documents.change(desktopId, merged, bound);
  }

  #lookAt(desktopId: string): void {
    this.#unseen.add(desktopId);
    if (!this.#isLooking && this.#recordings !== null) void this.#lookAtAll(this.#recordings);
  }

  /** Rejects never. One after the other, in turns that have time for it: a node may come back to thousands. */
  async #lookAtAll(recordings: Recordings): Promise<void> {
    this.#isLooking = true;
    const slice = new Slice("later");
    for (const desktopId of this.#unseen) {
      this.#unseen.delete(desktopId);
      if (slice.isOver) await slice.next();
      if (this.#isClosed) break;
      try {
        await this.#tellEnds(desktopId, recordings);
      } catch (error) {
        // It is looked at again when the next node tells what it records, or this one starts.
        if (!(error instanceof RefusedError)) this.#options.onFault(error);
      }
    }
    this.#isLooking = false;
  }

  async #tellEnds(desktopId: string, recordings: Recordings): Promise<void> {
    const { parts } = this.#documents.get(desktopId) ?? NONE;
    for (const { id, node, ended_at } of parts) {
      if (node !== this.name || ended_at !== null) continue;
      const endedAt = await recordings.endOf(id);
      if (endedAt === null) continue;
      await this.#documents.change(desktopId, (now) =>
        now?.parts.some((part) => part.id === id && part.ended_at === null)
          ? {
              ...now,
              parts: now.parts.map((part) => (part.id === id ? { ...part, ended_at: endedAt } : part)),
            }
          : now,
      );
    }
  }
}

function ownerOf({ id, name }: Part["owner"]): Part["owner"] {
  return { id: id.slice(0, LONGEST_NAME), name: name.slice(0, LONGEST_NAME) };
}
