import type { FastifyBaseLogger } from "fastify";
import { WebSocket } from "ws";
import * as z from "zod";
import type { Fleet } from "../../../cluster/fleet/fleet.ts";
import type { NodeRecord } from "../../../cluster/nodes/records.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type ApprovalInfo, type EventMessage, eventMessageSchema } from "../../api/api.ts";

const RETRY_MS = 1000;
const OPEN_WITHIN_MS = 5000;
/** A node tells at most so much at once: the state of 200 desktops. */
const MOST_MESSAGE_BYTES = 4 * 1024 * 1024;

interface FarEventsOptions {
  readonly fleet: Pick<Fleet, "name" | "calls" | "whenChanged"> & {
    /** All desktops by their ids, wherever they are. */
    readonly placed: ReadonlyMap<string, unknown>;
  };
  /** On whose behalf the other nodes are asked; see carriedPrincipal. */
  readonly caller: unknown;
  /** Whether the reader may know of a desktop. */
  reaches(desktopId: string): boolean;
  readonly clock: Clock;
  readonly log: Pick<FastifyBaseLogger, "warn">;
  /** To who reads the events of the whole fleet here. */
  send(json: string): void;
}

/** What all of them name, whatever else is in them. */
const named = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("desktop"), desktop: z.looseObject({ id: z.string() }) }),
  z.looseObject({ type: z.literal("desktop_removed"), desktop_id: z.string() }),
]);

/**
 * Events of the desktops of all nodes as one stream: those of this node as they are, and those of each other one on behalf of the
 * same reader. A desktop that moves is not told as removed: whoever has it next tells how it is. What was asked at a node that is
 * gone is told as cancelled: it died with it, and so did what people allowed for a while.
 */
export class FarEvents {
  readonly #options: FarEventsOptions;
  /** Which node told of a desktop last, by its name. */
  readonly #tellers = new Map<string, string>();
  /** Those that the table has and no node told of, or none has any more. */
  readonly #moving = new Set<string>();
  /** One a node, by its id; null: it is tried again later. */
  readonly #sockets = new Map<string, WebSocket | null>();
  /** The questions that each other node has open, by its name and their ids. */
  readonly #asked = new Map<string, Map<string, ApprovalInfo>>();
  readonly #unfollow: () => void;
  #isOpen = false;
  #isClosed = false;

  constructor(options: FarEventsOptions) {
    this.#options = options;
    this.#unfollow = options.fleet.whenChanged(() => this.#look());
  }

  /** Tells what this node itself has to tell, its `hello` first: what the others tell follows that. */
  own(json: string): void {
    this.#tell(this.#options.fleet.name, json);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#look();
  }

  close(): void {
    this.#isClosed = true;
    this.#unfollow();
    for (const socket of this.#sockets.values()) socket?.terminate();
    this.#sockets.clear();
  }

  #look(): void {
    const { fleet, send } = this.#options;
    for (const id of this.#moving) {
      if (fleet.placed.has(id)) continue;
      this.#moving.delete(id);
      this.#tellers.delete(id);
      send(JSON.stringify({ type: "desktop_removed", desktop_id: id } satisfies EventMessage));
    }
    const others = fleet.calls?.others ?? [];
    const alive = new Set(others.map(({ id }) => id));
    for (const [id, socket] of this.#sockets) {
      if (alive.has(id)) continue;
      socket?.terminate();
      this.#sockets.delete(id);
    }
    const names = new Set(others.map(({ name }) => name));
    for (const name of [...this.#asked.keys()]) if (!names.has(name)) this.#cancelled(name, new Set());
    for (const node of others) if (!this.#sockets.has(node.id)) this.#follow(node);
  }

  #follow(node: NodeRecord): void {
    const { fleet, caller, clock, log } = this.#options;
    const call = fleet.calls?.socketTo(node, "/ws/events", caller);
    if (call === undefined) return;
    const options = {
      ...call.options,
      maxPayload: MOST_MESSAGE_BYTES,
      perMessageDeflate: false,
      handshakeTimeout: OPEN_WITHIN_MS,
    };
    const socket = new WebSocket(call.url, options);
    socket.once("close", call.hold({ destroy: () => socket.terminate() }));
    this.#sockets.set(node.id, socket);
    socket.on("message", (data, isBinary) => {
      if (isBinary || this.#isClosed) return;
      try {
        this.#heard(node.name, String(data));
      } catch (err) {
        log.warn({ err, node: node.name }, "A node told an event that this version does not know");
      }
    });
    socket.on("error", (err) => log.warn({ err, node: node.name }, "Events of a node are not heard"));
    socket.once("close", () => {
      if (this.#isClosed || this.#sockets.get(node.id) !== socket) return;
      this.#sockets.set(node.id, null);
      clock.after(
        RETRY_MS,
        () => {
          if (this.#isClosed || this.#sockets.get(node.id) !== null) return;
          this.#sockets.delete(node.id);
          this.#look();
        },
        { isIdle: true },
      );
    });
  }

  #heard(node: string, json: string): void {
    // Clients are of the node that they are connected to.
    if (json.startsWith('{"type":"clients"')) return;
    if (!json.startsWith('{"type":"hello"')) {
      this.#tell(node, json);
      return;
    }
    const hello = eventMessageSchema.parse(JSON.parse(json));
    if (hello.type !== "hello") return;
    const has = new Set(hello.desktops.map(({ id }) => id));
    for (const [id, teller] of this.#tellers) {
      if (teller === node && !has.has(id)) this.#moving.add(id);
    }
    this.#look();
    const { desktops, approvals, grants, requests } = hello;
    this.#cancelled(node, new Set(approvals.map(({ id }) => id)));
    const state: EventMessage[] = [
      ...desktops.map((desktop) => ({ type: "desktop", desktop }) as const),
      ...approvals.map((approval) => ({ type: "approval", approval }) as const),
      ...requests.map((request) => ({ type: "request", request }) as const),
      ...[...has].map(
        (id) =>
          ({
            type: "grants",
            desktop_id: id,
            grants: grants.filter((one) => one.desktop_id === id),
          }) as const,
      ),
    ];
    for (const message of state) this.#tell(node, JSON.stringify(message));
  }

  /** All that was open at a node but `open` is so no more, and nobody told what became of it. */
  #cancelled(node: string, open: ReadonlySet<string>): void {
    const asked = this.#asked.get(node);
    for (const [id, approval] of asked ?? []) {
      if (open.has(id)) continue;
      asked?.delete(id);
      const message: EventMessage = { type: "approval", approval: { ...approval, state: "cancelled" } };
      this.#options.send(JSON.stringify(message));
    }
    if (asked?.size === 0) this.#asked.delete(node);
  }

  #approval(node: string, json: string): void {
    if (node === this.#options.fleet.name) return;
    const message = eventMessageSchema.parse(JSON.parse(json));
    if (message.type !== "approval") return;
    const { approval } = message;
    const asked = this.#asked.get(node) ?? new Map<string, ApprovalInfo>();
    if (approval.state === "pending") this.#asked.set(node, asked.set(approval.id, approval));
    else asked.delete(approval.id);
  }

  #tell(node: string, json: string): void {
    if (json.startsWith('{"type":"approval"')) this.#approval(node, json);
    if (json.startsWith('{"type":"desktop') || json.startsWith('{"type":"hello"')) {
      const message = JSON.parse(json);
      const { data } = named.safeParse(message);
      if (data?.type === "desktop_removed") {
        if (this.#tellers.get(data.desktop_id) === node) this.#gone(data.desktop_id);
        return;
      }
      if (data?.type === "desktop") this.#has(node, data.desktop.id);
      const hello = eventMessageSchema.safeParse(message).data;
      if (hello?.type === "hello") {
        const { fleet, reaches, send } = this.#options;
        for (const { id } of hello.desktops) this.#has(node, id);
        const elsewhere = [...fleet.placed.keys()].filter(
          (id) => this.#tellers.get(id) !== node && reaches(id),
        );
        for (const id of elsewhere) if (!this.#tellers.has(id)) this.#moving.add(id);
        send(JSON.stringify({ ...hello, elsewhere } satisfies EventMessage));
        return;
      }
    }
    this.#options.send(json);
  }

  #has(node: string, id: string): void {
    const before = this.#tellers.get(id) ?? node;
    if (before !== node) this.#options.send(JSON.stringify(nothingAllowed(id)));
    this.#tellers.set(id, node);
    this.#moving.delete(id);
  }

  #gone(id: string): void {
    this.#moving.add(id);
    this.#look();
  }
}

function nothingAllowed(id: string): EventMessage {
  return { type: "grants", desktop_id: id, grants: [] };
}
