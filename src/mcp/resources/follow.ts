import { RefusedError } from "../../desktop/error.ts";
import type { Reader } from "./reader.ts";
import { isRequestUri, onRequest, requestIdOf, requestOf } from "./requests.ts";
import { desktopOfScreen, screenOf } from "./resources.ts";

/** What is not where it should be yet is looked for again so much later, and then less and less often. */
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** Who asks, and what of this node they may know. */
export interface Follower extends Pick<Reader, "principal" | "mcpState"> {
  readonly desktops: Pick<Reader["desktops"], "all" | "get">;
}

export interface Following {
  /** Resolves once changes are heard of; rejects with the first RefusedError, and it is tried again until `stop`. */
  readonly begun: Promise<void>;
  stop(): void;
}

/**
 * Tells of changes of a screen or a request, wherever its desktop is: here, or at the node of the fleet that has it, and at the
 * next one when it moves. What begins late, or anew, tells once by itself, since something may have been missed.
 */
export function follow(uri: string, follower: Follower, tell: () => void): Following {
  return new Followed(uri, follower, tell);
}

class Followed implements Following {
  readonly begun: Promise<void>;
  readonly #uri: string;
  readonly #follower: Follower;
  readonly #tell: () => void;
  readonly #unfollow: () => void;
  /** null: of a request, where it is not known. */
  #desktopId: string | null;
  /** The id of the node that had it when it was last asked for; null: nobody, or this server is alone. */
  #owner: string | null = null;
  /** Ends what listens now; null: nothing does. */
  #end: (() => void) | null = null;
  #mayHaveMissed = false;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: () => void = () => {};
  #isOver = false;

  constructor(uri: string, follower: Follower, tell: () => void) {
    const { principal, mcpState } = follower;
    this.#uri = uri;
    this.#follower = follower;
    this.#tell = tell;
    this.#desktopId = isRequestUri(uri)
      ? mcpState.far.desktopOf(requestIdOf(uri), principal)
      : desktopOfScreen(uri);
    this.begun = this.#begin();
    this.#untold(this.begun);
    this.#unfollow = mcpState.far.whenChanged(() => this.#look());
  }

  stop(): void {
    this.#isOver = true;
    this.#unfollow();
    this.#cancelRetry();
    this.#end?.();
    this.#end = null;
  }

  #look(): void {
    if (this.#isOver || this.#ownerNow === this.#owner) return;
    this.#mayHaveMissed = true;
    this.#retryMs = FIRST_RETRY_MS;
    this.#beginAnew();
  }

  get #ownerNow(): string | null {
    return this.#desktopId === null ? null : this.#follower.mcpState.far.ownerIdOf(this.#desktopId);
  }

  #beginAnew(): void {
    this.#end?.();
    this.#untold(this.#begin());
  }

  /** A refusal is told to who waits for it, if anybody does. */
  #untold(begun: Promise<void>): void {
    begun.catch((error: unknown) => {
      if (!(error instanceof RefusedError)) this.#follower.mcpState.onBug(error);
    });
  }

  /** What is here is heard of before this returns. */
  async #begin(): Promise<void> {
    const { principal, mcpState } = this.#follower;
    const over = new AbortController();
    const { signal } = over;
    this.#cancelRetry();
    this.#owner = this.#ownerNow;
    this.#end = () => over.abort();
    const told = (): void => {
      if (!signal.aborted) this.#tell();
    };
    const lost = (): void => {
      if (signal.aborted) return;
      over.abort();
      this.#end = null;
      this.#mayHaveMissed = true;
      this.#retryLater();
    };
    let refusal: RefusedError | null = null;
    try {
      const node = this.#desktopId === null ? null : mcpState.far.nodeOf(this.#desktopId, principal);
      if (node === null) refusal = this.#hear(signal, told, lost);
      else await mcpState.far.listen(node, this.#uri, principal, { signal, told, lost });
    } catch (error) {
      // Who stopped it, or began it anew, has no use for this.
      if (signal.aborted) return;
      lost();
      throw error;
    }
    if (signal.aborted) return;
    if (refusal !== null) throw refusal;
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#mayHaveMissed) this.#tell();
    this.#mayHaveMissed = true;
  }

  /** Without a fleet nothing comes from elsewhere; an address of nothing that changes never does. */
  #retryLater(): void {
    const { far } = this.#follower.mcpState;
    if (this.#isOver || !far.hasOthers || (this.#desktopId === null && !isRequestUri(this.#uri))) return;
    this.#cancelRetry = far.later(this.#retryMs, () => this.#beginAnew());
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
  }

  /** What is on this node; gives why a screen is not heard of yet: then it is as soon as it has a picture. Throws RefusedError not_found. */
  #hear(signal: AbortSignal, told: () => void, lost: () => void): RefusedError | null {
    const { principal, mcpState } = this.#follower;
    const offs: (() => void)[] = [];
    signal.addEventListener("abort", () => {
      for (const off of offs) off();
    });
    if (isRequestUri(this.#uri)) {
      const { request, desktop } = requestOf(this.#uri, this.#follower);
      this.#desktopId = desktop.id;
      this.#owner = this.#ownerNow;
      // It goes along with its desktop.
      mcpState.far.remember(request.id, desktop.id, principal);
      offs.push(onRequest(desktop, request.id, told), whenClosed(desktop, lost));
      return null;
    }
    const desktop = screenOf(this.#uri, this.#follower);
    const { id } = principal;
    const { events } = mcpState;
    const begin = (): RefusedError | null => {
      try {
        offs.push(events.listen(id, desktop));
        return null;
      } catch (error) {
        if (error instanceof RefusedError) return error;
        throw error;
      }
    };
    const refusal = begin();
    let isHeard = refusal === null;
    offs.push(
      events.onDue((due) => {
        if (due.principalId === id && due.desktopId === desktop.id) told();
      }),
      whenClosed(desktop, lost),
      desktop.on((event) => {
        if (isHeard || event.type !== "state" || event.state.kind !== "live") return;
        isHeard = begin() === null;
        if (isHeard) told();
      }),
    );
    return refusal;
  }
}

function whenClosed(desktop: ReturnType<typeof screenOf>, lost: () => void): () => void {
  return desktop.on((event) => {
    if (event.type === "state" && event.state.kind === "closed") lost();
  });
}
