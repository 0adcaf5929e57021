import { shownName } from "../../../desktop/control/action.ts";
import type { Point } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { AgentLook } from "../../http/connected-clients.ts";
import type { WebDesktop } from "../../http/ports.ts";
import type { AgentSeen } from "../agent-api.ts";

/** What an agent does meanwhile is told in one message: a drag moves the pointer a thousand times a second. */
const TOLD_EVERY_MS = 60;
/** Of one message; those before are of no use to anybody any more. */
const MOST_CLICKS = 8;

/** The input of a desktop: `DesktopEvent` of the heart, of type `input`. */
type SeenInput =
  | { readonly kind: "mouse_move" | "mouse_click"; readonly x: number; readonly y: number }
  | { readonly kind: "key_press" }
  | { readonly kind: "clipboard" };

/** What is not told yet of one desktop. */
interface Pending {
  readonly name: string;
  point: Point | null;
  clicks: readonly Point[];
  keys: number;
  cancel: (() => void) | null;
}

/** Tells pages what agents do on desktops while they do it, in few messages. People's own input is not told. */
export class AgentActivity {
  readonly #clock: Clock;
  readonly #tell: (seen: AgentSeen) => void;
  readonly #pending = new Map<string, Pending>();

  constructor(clock: Clock, tell: (seen: AgentSeen) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Input went to the desktop: it is that of who holds it. */
  input({ id, holder }: Pick<WebDesktop, "id" | "holder">, input: SeenInput): void {
    if (holder?.actor.kind !== "agent" || input.kind === "clipboard") return;
    const pending = this.#of(id, shownName(holder.actor));
    if (input.kind === "key_press") pending.keys++;
    else {
      pending.point = { x: input.x, y: input.y };
      pending.keys = 0;
      if (input.kind === "mouse_click") {
        pending.clicks = [...pending.clicks, pending.point].slice(-MOST_CLICKS);
      }
    }
    pending.cancel ??= this.#clock.after(TOLD_EVERY_MS, () => this.#flush(id, pending));
  }

  /** An action of an agent is over: it types no more. */
  ended(desktopId: string): void {
    const pending = this.#pending.get(desktopId);
    if (pending === undefined) return;
    this.#flush(desktopId, pending);
    this.forget(desktopId);
    if (pending.keys > 0) this.#say(desktopId, { name: pending.name, keys: 0 });
  }

  /** A look at all of it marks nothing. */
  looked({ desktopId, name, area }: AgentLook): void {
    if (area === null) return;
    const { x, y, width, height } = area;
    this.#say(desktopId, { name, area: { x, y, width, height } });
  }

  forget(desktopId: string): void {
    this.#pending.get(desktopId)?.cancel?.();
    this.#pending.delete(desktopId);
  }

  close(): void {
    for (const id of this.#pending.keys()) this.forget(id);
  }

  #of(desktopId: string, name: string): Pending {
    const known = this.#pending.get(desktopId);
    if (known?.name === name) return known;
    this.ended(desktopId);
    const made: Pending = { name, point: null, clicks: [], keys: 0, cancel: null };
    this.#pending.set(desktopId, made);
    return made;
  }

  #flush(desktopId: string, pending: Pending): void {
    const { cancel, name, point, clicks, keys } = pending;
    if (cancel === null) return;
    cancel();
    pending.cancel = null;
    this.#say(desktopId, { name, point, clicks: [...clicks], keys });
    pending.clicks = [];
  }

  #say(desktopId: string, seen: Pick<AgentSeen, "name"> & Partial<AgentSeen>): void {
    const nothing = { point: null, clicks: [], keys: 0, area: null };
    this.#tell({ type: "agent", desktop_id: desktopId, ...nothing, ...seen });
  }
}
