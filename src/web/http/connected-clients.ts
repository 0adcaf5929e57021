import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";

/** More names than a person reads; the oldest go first. */
const MAX_NAMES = 50;
const RECENT_MS = 60_000;
/** That a client still calls is news after so long. */
const NEWS_MS = 30_000;

/** An MCP client that showed up, and when it last did. */
export interface SeenClient {
  readonly name: string;
  readonly seenAt: string;
}

/** An agent was shown a picture of a desktop. */
export interface AgentLook {
  readonly desktopId: string;
  readonly name: string;
  /** The name of its token. */
  readonly token: string;
  /** What of the desktop, desktop pixels; null: all of it. */
  readonly area: Rect | null;
  /** When it asked for that, or for what the picture came with: milliseconds of the clock. */
  readonly sinceMs: number;
}

/** Which MCP clients showed up, and which agents used which desktop lately; filled by the composition root. */
export class ConnectedClients {
  readonly #clock: Clock;
  #all: readonly SeenClient[] = [];
  /** Desktop, then agent's name, then when. */
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #listeners = new Set<() => void>();
  readonly #lookers = new Set<(look: AgentLook) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Newest last. */
  get all(): readonly SeenClient[] {
    return this.#all;
  }

  /** A client introduced itself over MCP. */
  add(name: string): void {
    const shown = { name: name.slice(0, 100), seenAt: this.#clock.date().toISOString() };
    this.#all = [...this.#all.filter((known) => known.name !== shown.name), shown].slice(-MAX_NAMES);
    for (const listener of this.#listeners) listener();
  }

  /** It calls: told again where the last time was a while ago. */
  #still(clientName: string): void {
    const known = this.#all.find(({ name }) => name === clientName.slice(0, 100));
    const sinceMs = this.#clock.date().getTime() - Date.parse(known?.seenAt ?? "");
    if (known !== undefined && sinceMs >= NEWS_MS) this.add(known.name);
  }

  /** An agent's call of a tool has ended; `area`: what of the desktop its pictures show, where that is not all. */
  called(call: {
    readonly desktopId: string | null;
    readonly clientName: string | null;
    readonly principal: { readonly name: string };
    readonly durationMs: number;
    readonly images: number;
    readonly area?: Rect;
  }): void {
    const { desktopId, clientName, principal, durationMs, images, area = null } = call;
    if (clientName !== null) this.#still(clientName);
    if (desktopId === null) return;
    const name = clientName ?? principal.name;
    this.sawAgent(desktopId, name);
    if (images === 0) return;
    const look = { desktopId, name, token: principal.name, area, sinceMs: this.#clock.nowMs() - durationMs };
    for (const hear of this.#lookers) hear(look);
  }

  /** An agent called a tool on a desktop. */
  sawAgent(desktopId: string, name: string): void {
    const agents = this.#seen.get(desktopId) ?? new Map<string, number>();
    agents.delete(name);
    agents.set(name.slice(0, 100), this.#clock.nowMs());
    for (const oldest of agents.keys()) {
      if (agents.size <= MAX_NAMES) break;
      agents.delete(oldest);
    }
    this.#seen.set(desktopId, agents);
  }

  /** Who called a tool on it within the last minute. */
  agentsOn(desktopId: string): readonly string[] {
    const sinceMs = this.#clock.nowMs() - RECENT_MS;
    const agents = this.#seen.get(desktopId) ?? new Map<string, number>();
    return [...agents].filter(([, atMs]) => atMs >= sinceMs).map(([name]) => name);
  }

  forget(desktopId: string): void {
    this.#seen.delete(desktopId);
  }

  /** Hears of each picture that an agent was shown. */
  onLook(listener: (look: AgentLook) => void): () => void {
    this.#lookers.add(listener);
    return () => this.#lookers.delete(listener);
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
