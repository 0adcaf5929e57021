import type { Clock } from "../platform/clock.ts";
import { configuredId } from "./connections/configured-id.ts";
import { ConnectTurns } from "./connections/connect-turns.ts";
import type { ConnectedTimes } from "./connections/connected-times.ts";
import { type Connection, type ConnectionInput, makeConnection } from "./connections/connection.ts";
import { changeOf, editedConnection } from "./connections/connection-edit.ts";
import type { ConnectionEdit } from "./connections/connection-fields.ts";
import type { ConnectionStore } from "./connections/connection-store.ts";
import { type TestReport, testLink } from "./connections/connection-test.ts";
import { Proposals } from "./connections/proposals.ts";
import { isSamePlace } from "./connections/same-place.ts";
import type { SharedDesktops } from "./connections/shared-desktops.ts";
import { guardConnection, type OwnListener, type ResolvedTarget } from "./connections/target-guard.ts";
import { type AllowedTargets, isAllowed, NO_LIMITS, type TargetLimits } from "./connections/target-rules.ts";
import type { Actor } from "./control/action.ts";
import { Questions } from "./control/approvals/questions.ts";
import type { CustomRules } from "./control/custom-rules-fields.ts";
import { PrincipalState } from "./control/principal-state.ts";
import type { RequestsStore } from "./control/requests/requests-store.ts";
import type { RulesStore } from "./control/rules-store.ts";
import { Desktop } from "./desktop.ts";
import type { DesktopOptions, DesktopPorts } from "./desktop-options.ts";
import { LinkError, noDesktops, RefusedError } from "./error.ts";
import { Listeners } from "./listeners.ts";
import { allFromAgents, type ConfiguredMask, configuredMasks, type FirstMask } from "./masks/masks.ts";
import type { MasksStore } from "./masks/masks-store.ts";

export type { TestReport } from "./connections/connection-test.ts";

export interface DesktopsEvent {
  readonly type: "added" | "changed" | "removed";
  readonly desktop: Desktop;
  /** Who asked for it; null: the appliance itself, as its configuration says. */
  readonly by: Actor | null;
  /** It was taken from another node of a fleet, or given to one. */
  readonly isMove?: boolean;
}

const MAX_DESKTOPS = 200;

export interface DesktopsPorts extends DesktopPorts {
  readonly clock: Clock;
  readonly store: ConnectionStore;
  /** Other nodes have desktops of the same store; absent: this process has all. */
  readonly fleet?: SharedDesktops | undefined;
  /** Rules that outlast the process; absent, they end with it. */
  readonly rules?: Pick<RulesStore, "first"> & Partial<Pick<RulesStore, "set" | "flush">>;
  /** What people hid, which outlasts the process; absent, it ends with it. */
  readonly masks?: Pick<MasksStore, "of"> & Partial<Pick<MasksStore, "set" | "flush">>;
  /** What agents asked people for, which outlasts the process; absent, it ends with it. */
  readonly requests?: Pick<RequestsStore, "of" | "set" | "flush">;
  /** What the configuration hides; absent: nothing. */
  readonly configuredMasks?: readonly ConfiguredMask[];
  /** Times that outlast the process; absent, they end with it. */
  readonly times?: Pick<ConnectedTimes, "get" | "set" | "forget" | "flush">;
  ownListeners(): readonly OwnListener[];
  /** Where connections may lead, whoever asks for them; default everywhere. */
  readonly limits?: TargetLimits;
  /** Where agents may add desktops without a human being asked; default nowhere. */
  readonly allowedTargets?: readonly AllowedTargets[];
  /** Told of each test, whoever asked for it. */
  tested?(test: ConnectionTested): void;
}

/** That a connection was tried. */
export interface ConnectionTested {
  readonly connectionId: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly by: Actor;
}

/** The registry: every configured connection and its live desktop. */
export class Desktops {
  /** Every open question of the appliance. */
  readonly questions: Questions;
  readonly #ports: DesktopsPorts;
  readonly #options: DesktopOptions;
  readonly #all = new Map<string, Desktop>();
  /** Connections that were added while running, and so are kept by the store. */
  readonly #stored = new Set<string>();
  readonly #active = new PrincipalState<string>();
  readonly #proposals: Proposals;
  readonly #connectTurns: ConnectTurns;
  readonly #lastConnected = new Map<string, string>();
  readonly #listeners: Listeners<DesktopsEvent>;

  constructor(options: DesktopOptions, ports: DesktopsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#listeners = new Listeners(ports.onBug);
    this.#connectTurns = new ConnectTurns(ports.clock);
    this.questions = new Questions(ports.onBug);
    this.#proposals = new Proposals(ports.clock, options, () => this.questions.pending, ports.onBug);
    this.questions.add(this.#proposals);
  }

  /** Opens what was configured and what the store remembers; `fallback` where there is neither. */
  async open(configured: readonly ConnectionInput[], fallback?: ConnectionInput): Promise<void> {
    for (const input of configured) this.#open(this.#configured(input));
    for (const connection of await this.#ports.store.load()) {
      if (this.#all.has(connection.id)) continue;
      this.#stored.add(connection.id);
      this.#open(connection);
    }
    if (this.#all.size === 0 && fallback !== undefined) {
      this.#open(makeConnection(fallback, this.#ports.clock.date()));
    }
  }

  /** In the order they were added. */
  get all(): readonly Desktop[] {
    return [...this.#all.values()];
  }

  /** Throws RefusedError not_found; held_elsewhere and not_held for one of a fleet that is not here. */
  get(id: string): Desktop {
    const desktop = this.#all.get(id);
    if (desktop !== undefined) return desktop;
    const elsewhere = this.#ports.fleet?.elsewhere(id) ?? null;
    if (elsewhere !== null) throw elsewhere;
    throw new RefusedError("not_found", "no such connection: list the connections to see their ids");
  }

  /** The principal's choice, else the first; throws RefusedError not_found where there is none. */
  active(principalId: string): Desktop {
    const chosen = this.#all.get(this.#active.get(principalId) ?? "") ?? this.all[0];
    if (chosen === undefined) throw noDesktops();
    return chosen;
  }

  setActive(principalId: string, id: string): Desktop {
    const desktop = this.get(id);
    this.#active.set(principalId, id);
    return desktop;
  }

  /** Validates, guards the address, stores and opens. Throws RefusedError. */
  async add(input: ConnectionInput, by: Actor | null = null): Promise<Desktop> {
    if (this.#all.size >= MAX_DESKTOPS) {
      throw tooMany();
    }
    const connection = makeConnection(input, this.#ports.clock.date());
    if (by !== null) this.#checkSeen(connection, by);
    if (connection.protocol !== "demo") await this.#guard(connection);
    return this.#keep(connection, by);
  }

  /**
   * Opens one that is not stored: it is gone at the next start. `isForPeople`: all of it is hidden from agents. Throws
   * RefusedError too_many.
   */
  show(input: ConnectionInput, by: Actor | null = null, isForPeople = false): Desktop {
    if (this.#all.size >= MAX_DESKTOPS) throw tooMany();
    const connection = makeConnection(input, this.#ports.clock.date());
    return this.#open(connection, by, false, isForPeople ? [allFromAgents(connection)] : []);
  }

  /**
   * As `add`, for who may not add by itself: at once within the allowed networks, else when a human said yes.
   * Throws RefusedError; the address is judged before anybody is asked.
   */
  async propose(input: ConnectionInput, actor: Actor, signal: AbortSignal): Promise<Desktop> {
    const connection = makeConnection(input, this.#ports.clock.date());
    if (connection.protocol === "demo") return this.add(input, actor);
    const { transport = "tcp" } = connection;
    if (transport !== "tcp") {
      throw new RefusedError(
        "permission_denied",
        `got the transport ${transport}, which only people and their tokens add: it carries a path, headers or an id of an agent's choice to whatever listens there; expected tcp`,
      );
    }
    const { address = connection.host } = (await this.#guard(connection)) ?? {};
    const allowed = this.#ports.allowedTargets ?? [];
    if (!isAllowed(allowed, [address], connection.port)) {
      await this.#proposals.ask(connection, address, actor, signal);
      await this.#ports.secured?.();
    }
    if (this.#all.size >= MAX_DESKTOPS) throw tooMany();
    this.#checkSeen({ ...connection, host: address }, actor);
    // What was allowed is an address: where the name leads later is whoever's choice that holds the name.
    return this.#keep({ ...connection, host: address }, actor);
  }

  /** Whether it outlasts the process: one of the configuration is there again as that says. */
  isStored(id: string): boolean {
    return this.#stored.has(id);
  }

  /** Gives a desktop another connection; its id, mode and rules stay. Throws RefusedError. */
  async edit(id: string, edit: ConnectionEdit, by: Actor): Promise<Desktop> {
    const edited = (): Connection => editedConnection(this.get(id).connection, edit);
    const isMoved = changeOf(this.get(id).connection, edited()) === "place";
    if (isMoved) await this.#guard(edited());
    // Others may have changed or removed it meanwhile.
    const desktop = this.get(id);
    const connection = edited();
    const isRuled = desktop.limits() !== null || this.#limitsAt(connection) !== null;
    if (isMoved && isRuled && by.authority !== "rules") {
      throw new RefusedError(
        "permission_denied",
        "an administrator's rules hold for this desktop or for that place: an administrator moves it there",
      );
    }
    // Another target has not been connected to yet.
    if (isMoved) this.#forgetTime(id);
    desktop.change(connection);
    this.#listeners.tell({ type: "changed", desktop, by });
    if (this.#stored.has(id)) await this.#save();
    return desktop;
  }

  /** Throws RefusedError not_found. */
  async remove(id: string, by: Actor | null = null): Promise<void> {
    const desktop = this.get(id);
    if (by !== null && by.authority !== "rules" && desktop.limits() !== null) {
      throw new RefusedError(
        "permission_denied",
        "an administrator's rules hold for this desktop and would end with it: an administrator removes it",
      );
    }
    // It would be there again at once under another id, for all to see.
    if (by !== null) desktop.requests.checkSeen(by.kind);
    desktop.requests.cancelAll();
    this.#all.delete(id);
    this.#forgetTime(id);
    this.#active.prune((active) => active === id);
    desktop.close();
    this.questions.remove(desktop);
    this.#ports.rules?.set?.(id, null);
    this.#ports.masks?.set?.(id, []);
    this.#ports.requests?.set(id, []);
    this.#listeners.tell({ type: "removed", desktop, by });
    if (this.#stored.delete(id)) await this.#save();
  }

  /** Opens one that the fleet gave this node. */
  take(connection: Connection): void {
    this.#stored.add(connection.id);
    this.#open(connection, null, true, [], true);
  }

  /** Closes one that another node has from now on; what is kept of it stays. */
  release(id: string): void {
    const desktop = this.#all.get(id);
    if (desktop === undefined) return;
    this.#all.delete(id);
    this.#stored.delete(id);
    this.#active.prune((active) => active === id);
    desktop.close();
    this.questions.remove(desktop);
    this.#listeners.tell({ type: "removed", desktop, by: null, isMove: true });
  }

  /** A handshake of its own, closed afterwards. Records `lastConnected`. */
  async test(connection: Connection, by: Actor): Promise<TestReport> {
    const { clock } = this.#ports;
    const startMs = clock.nowMs();
    const report = await testLink(this.#ports.openLink(connection), clock);
    const { success } = report;
    if (success) this.#connected(connection.id);
    this.#ports.tested?.({ connectionId: connection.id, success, durationMs: clock.nowMs() - startMs, by });
    return report;
  }

  /** ISO time of the last handshake that succeeded, null for never. */
  lastConnected(id: string): string | null {
    return this.#lastConnected.get(id) ?? this.#ports.times?.get(id) ?? null;
  }

  on(listener: (event: DesktopsEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    for (const desktop of this.#all.values()) desktop.close();
    this.#proposals.approvals.cancelAll();
    this.#all.clear();
    this.#listeners.clear();
    const { rules, masks, requests, times } = this.#ports;
    await Promise.all([rules, masks, requests, times].map((kept) => kept?.flush?.()));
  }

  #configured(input: ConnectionInput): Connection {
    const connection = makeConnection(input, this.#ports.clock.date());
    if (input.id !== undefined) return connection;
    for (let nth = 0; ; nth++) {
      const id = configuredId(connection, nth);
      if (!this.#all.has(id)) return { ...connection, id };
    }
  }

  /** `isLasting`: its rules are kept. */
  #open(
    connection: Connection,
    by: Actor | null = null,
    isLasting = true,
    masks: readonly FirstMask[] = [],
    isMove = false,
  ): Desktop {
    const rules = isLasting ? this.#ports.rules : undefined;
    const limits = isLasting && this.#options.mode !== "passive" ? this.#limitsAt(connection) : null;
    const configured = limits === null ? this.#options : ({ mode: "custom", customRules: limits } as const);
    const first = rules?.first(connection.id, configured) ?? configured;
    const requests = isLasting ? (this.#ports.requests?.of(connection.id) ?? []) : [];
    const desktop = new Desktop(
      connection,
      { ...this.#options, ...first, requests, masks: [...masks, ...this.#masksOf(connection, isLasting)] },
      { ...this.#ports, connectTurns: this.#connectTurns, openQuestions: () => this.questions.pending },
    );
    this.#all.set(connection.id, desktop);
    this.questions.add(desktop);
    desktop.on((event) => {
      if (event.type === "state" && event.state.kind === "live") this.#connected(connection.id);
      if (event.type === "masks" && event.change !== "moved" && isLasting)
        this.#ports.masks?.set?.(connection.id, desktop.masks.kept);
      if (event.type === "request" && isLasting)
        this.#ports.requests?.set(connection.id, desktop.requests.kept);
      if (event.type === "mode" && event.by.kind === "human") rules?.set?.(connection.id, desktop.limits());
    });
    this.#listeners.tell({ type: "added", desktop, by, isMove });
    desktop.open();
    return desktop;
  }

  #masksOf(connection: Connection, isLasting: boolean): FirstMask[] {
    const { masks, configuredMasks: configured = [] } = this.#ports;
    const kept = isLasting ? (masks?.of(connection.id) ?? []) : [];
    return [
      ...configuredMasks(configured, connection),
      ...kept.map((mask) => ({ ...mask, isConfigured: false })),
    ];
  }

  /** An administrator's rules for a place hold for it when somebody adds it once more. */
  #limitsAt(place: Connection): CustomRules | null {
    const limited = this.all.find(
      ({ connection, limits }) => limits() !== null && isSamePlace(connection, place),
    );
    return limited?.limits() ?? null;
  }

  /** An agent does not look by another way at what a person has for themselves; throws RefusedError private_time. */
  #checkSeen(connection: Connection, by: Actor): void {
    for (const { connection: other, requests } of this.all) {
      if (isSamePlace(other, connection)) requests.checkSeen(by.kind);
    }
  }

  #connected(id: string): void {
    const at = this.#ports.clock.date().toISOString();
    this.#lastConnected.set(id, at);
    // A connection that is tested before it is added has an id of its own, which is never used again.
    if (this.#all.has(id)) this.#ports.times?.set(id, at);
  }

  #forgetTime(id: string): void {
    this.#lastConnected.delete(id);
    this.#ports.times?.forget(id);
  }

  async #keep(connection: Connection, by: Actor | null): Promise<Desktop> {
    const { fleet } = this.#ports;
    if (fleet !== undefined) {
      await fleet.add(connection, by);
      return this.get(connection.id);
    }
    const desktop = this.#open(connection, by);
    this.#stored.add(connection.id);
    await this.#save();
    return desktop;
  }

  /** For an answer at once: the stream that connects judges again, by the address that it finds then. */
  async #guard(connection: Connection): Promise<ResolvedTarget | null> {
    const { limits = NO_LIMITS } = this.#ports;
    try {
      return await guardConnection(connection, { ...limits, own: [...this.#ports.ownListeners()] });
    } catch (cause) {
      if (!(cause instanceof LinkError)) throw cause;
      const code = cause.code === "target_forbidden" ? "permission_denied" : "invalid_parameters";
      throw new RefusedError(code, cause.message, { cause });
    }
  }

  #save(): Promise<void> {
    const kept = this.all.filter(({ id }) => this.#stored.has(id)).map(({ connection }) => connection);
    return this.#ports.store.save(kept);
  }
}

function tooMany(): RefusedError {
  return new RefusedError(
    "too_many",
    `there are ${MAX_DESKTOPS} connections, the most allowed: remove one first`,
  );
}
