import { randomUUID } from "node:crypto";
import { type Actor, shownName } from "../../../desktop/control/action.ts";
import { equalRects } from "../../../framebuffer/rect.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { AgentLook } from "../../http/connected-clients.ts";
import type { ActionInfo } from "../api.ts";

/** Of each desktop, as many as it has actions. */
const MOST_LOOKS = 200;

/** What an agent looked at, once or several times one after the other. */
interface Looks {
  readonly id: string;
  readonly look: AgentLook;
  readonly times: number;
  readonly at: string;
}

/** What is known of one desktop. */
interface Room {
  looks: readonly Looks[];
  /** What happened last is the newest look: one like it is counted with it. */
  isLookLast: boolean;
  /** The agent that acted last, and when. */
  acted: { readonly name: string; readonly atMs: number } | null;
}

/**
 * What agents looked at, for the list of what they did. The pictures that come with an action's answer are that action's.
 * Kept in memory, as pictures are.
 */
export class AgentLooks {
  readonly #clock: Clock;
  readonly #rooms = new Map<string, Room>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  of(desktopId: string): readonly ActionInfo[] {
    return (this.#rooms.get(desktopId)?.looks ?? []).map(lookInfo);
  }

  /** An action of somebody is over. */
  acted(desktopId: string, actor: Pick<Actor, "name" | "client">): void {
    const room = this.#roomOf(desktopId);
    room.isLookLast = false;
    room.acted = { name: shownName(actor), atMs: this.#clock.nowMs() };
  }

  /** What the list has now of it, an entry of its own or one that it had; null where it belongs to an action. */
  looked(look: AgentLook): ActionInfo | null {
    const { desktopId, name, sinceMs } = look;
    const room = this.#roomOf(desktopId);
    if (room.acted?.name === name && room.acted.atMs >= sinceMs) return null;
    const last = room.isLookLast ? room.looks.at(-1) : undefined;
    const isAgain = last !== undefined && isAlike(last.look, look);
    const looks = {
      ...(isAgain ? { id: last.id, times: last.times + 1 } : { id: randomUUID(), times: 1 }),
      look,
      at: this.#clock.date().toISOString(),
    };
    room.looks = [...(isAgain ? room.looks.slice(0, -1) : room.looks), looks].slice(-MOST_LOOKS);
    room.isLookLast = true;
    return lookInfo(looks);
  }

  forget(desktopId: string): void {
    this.#rooms.delete(desktopId);
  }

  #roomOf(desktopId: string): Room {
    const room = this.#rooms.get(desktopId) ?? { looks: [], isLookLast: false, acted: null };
    this.#rooms.set(desktopId, room);
    return room;
  }
}

/** Of one agent, of the same part. */
function isAlike(a: AgentLook, b: AgentLook): boolean {
  if (a.name !== b.name || a.token !== b.token) return false;
  return a.area === null || b.area === null ? a.area === b.area : equalRects(a.area, b.area);
}

function lookInfo({ id, look, times, at }: Looks): ActionInfo {
  const { desktopId, name, token, area } = look;
  const place = area === null ? "the screen" : `${area.width}x${area.height} at ${area.x},${area.y}`;
  return {
    id,
    desktop_id: desktopId,
    at,
    actor: { kind: "agent", name, ...(token === name ? {} : { token }) },
    kind: "look",
    summary: `Look at ${place}${times === 1 ? "" : ` ${times} times`}`,
    intent: null,
    outcome: "done",
    code: null,
    was_confirmed: false,
    changed: null,
    settle_ms: null,
    duration_ms: 0,
    pictures: null,
  };
}
