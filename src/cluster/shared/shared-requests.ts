import type { HumanRequest } from "../../desktop/control/requests/human-request.ts";
import {
  readRequest,
  type StoredRequest,
  storedRequestSchema,
  writeRequest,
} from "../../desktop/control/requests/stored-request.ts";
import type { Desktops } from "../../desktop/desktops.ts";
import type { Change } from "../store/store.ts";
import { DesktopWrites } from "./desktop-writes.ts";
import { SharedDocuments, type SharedPorts } from "./shared-documents.ts";

const REQUESTS = "/overlay-companion/requests/";

interface SharedRequestsOptions extends SharedPorts {
  /** See Fleet.bindingOf: who has a desktop alone says what is asked there. */
  bindingOf(desktopId: string): Change | null;
  /** A request, or what became of it, could not be kept. */
  onFault(error: unknown): void;
}

/**
 * What agents ask people to do on the desktops of a fleet, and what became of it, a document each. INVARIANT: who has a
 * desktop next knows whether a person has it for themselves before it connects; what it cannot read of that is private.
 */
export class SharedRequests {
  readonly #options: SharedRequestsOptions;
  readonly #documents: SharedDocuments<StoredRequest>;
  readonly #writes: DesktopWrites<readonly HumanRequest[]>;
  /** Keys of those that were told without being read. */
  readonly #unread = new Set<string>();

  constructor(options: SharedRequestsOptions) {
    const { store, clock, sealer, onFailed, onFault } = options;
    this.#options = options;
    this.#documents = new SharedDocuments<StoredRequest>({
      ...{ store, clock, sealer, onFailed, onChange: () => undefined },
      ...{ prefix: REQUESTS, purpose: "fleet/request", schema: storedRequestSchema },
    });
    this.#writes = new DesktopWrites({ clock, onFault, write: (id, requests) => this.#write(id, requests) });
  }

  open(): Promise<void> {
    return this.#documents.open();
  }

  close(): void {
    this.#writes.close();
    this.#documents.close();
  }

  /** Those of a desktop are known. Throws StoreError. */
  refresh(desktopId: string): Promise<void> {
    return this.#documents.refresh(`${desktopId}/`);
  }

  /** In the order in which they were asked. */
  of(desktopId: string): readonly HumanRequest[] {
    return this.#keysOf(desktopId)
      .map((key) => {
        const stored = this.#documents.get(key);
        if (stored !== undefined && stored !== null) {
          return readRequest(desktopId, stored, stored.ended?.answer ?? null);
        }
        this.#unread.add(key);
        return unreadable(desktopId, key.slice(desktopId.length + 1));
      })
      .sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1));
  }

  /** All that is to be known of a desktop from now on. None of one that is taken away: see `forget`. */
  set(desktopId: string, requests: readonly HumanRequest[]): void {
    if (requests.length === 0) this.#writes.forget(desktopId);
    else this.#writes.set(desktopId, requests);
  }

  /** What was not kept of a desktop that another node has is that node's. */
  follow(desktops: Pick<Desktops, "on">): void {
    desktops.on(({ type, desktop }) => {
      if (type === "removed") this.#writes.forget(desktop.id);
    });
  }

  /** Throws RefusedError not_held where nothing could be kept now. */
  check(desktopId: string): void {
    this.#options.bindingOf(desktopId);
  }

  /** Resolves when what was set so far is kept. Rejects with RefusedError not_held where it holds here alone, as yet. */
  settled(desktopId: string): Promise<void> {
    return this.#writes.settled(desktopId);
  }

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  /** The desktop is gone, on all nodes. */
  async forget(desktopId: string): Promise<void> {
    await this.refresh(desktopId);
    for (const key of this.#keysOf(desktopId)) await this.#documents.remove(key);
  }

  async #write(desktopId: string, requests: readonly HumanRequest[]): Promise<void> {
    const bound = this.#options.bindingOf(desktopId);
    if (bound === null) return;
    const kept = new Set(requests.map(({ id }) => `${desktopId}/${id}`));
    for (const request of requests) {
      const key = `${desktopId}/${request.id}`;
      if (this.#unread.has(key)) {
        // It is not what was told of it: it stays as it is, and goes once it is over.
        if (request.endedAt !== null) kept.delete(key);
        continue;
      }
      const next = writeRequest(request, request.answer);
      if (JSON.stringify(this.#documents.get(key)) === JSON.stringify(next)) continue;
      await this.#documents.change(key, () => next, bound);
    }
    for (const key of this.#keysOf(desktopId)) {
      if (!kept.has(key)) await this.#documents.remove(key, bound);
    }
  }

  #keysOf(desktopId: string): readonly string[] {
    return this.#documents.ids.filter((id) => id.startsWith(`${desktopId}/`));
  }
}

/** An administrator ends it, or a day without anybody who could. */
function unreadable(desktopId: string, id: string): HumanRequest {
  const somebody = { kind: "human", id: "unknown", name: "somebody" } as const;
  return {
    ...{ id, desktopId, actor: { ...somebody, kind: "agent" }, kind: "other" },
    ...{ reason: "A request that this node cannot read", wantsPrivate: true, state: "taken" },
    ...{ takenBy: somebody, isPrivate: true, askedAt: new Date(0).toISOString() },
    ...{ expiresAt: "9999-12-31T00:00:00.000Z", answer: null, endedBy: null, endedAt: null },
  };
}
