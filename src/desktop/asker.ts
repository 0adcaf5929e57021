import { boundRects, type Point, type Rect } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Action, Actor, Edit } from "./action.ts";
import { cropAround, pointOf, summaryOf } from "./action-summary.ts";
import { type Approvals, type Granted, withEdit } from "./approvals.ts";
import type { Clock } from "./clock.ts";
import type { Display } from "./display.ts";
import { RefusedError } from "./error.ts";
import { ScreenBinding } from "./screen-binding.ts";
import { StandingGrants } from "./standing-grants.ts";
import { pointsOf, subjectOf } from "./subject.ts";

/** A card that shows more than this of a desktop shows nothing clearly. */
const MAX_CROP = { width: 640, height: 400 } as const;
/** What blinks and is no larger is a caret: the keyboard's focus. */
const CARET = { width: 4, minHeight: 8, maxHeight: 48 } as const;

/** A yes, with all that must still hold when the action is done. */
export interface Permit {
  readonly action: Action;
  readonly by: Actor;
  /** What they changed of what was asked; null where nothing. */
  readonly edit: Edit | null;
  /** Throws RefusedError stale_screen or approval_expired; call it right before anything is sent. */
  check(): void;
}

export interface AskerPorts {
  readonly desktopId: string;
  readonly approvals: Approvals;
  readonly display: Display;
  readonly clock: Clock;
  pointer(): Point;
  /** Where a button was last pressed; null where none was. */
  lastPress(): Point | null;
  /** What changes again and again by itself. */
  periodic(): Region;
  isExact(): boolean;
}

/** Asks people about actions, and binds each answer to what they saw. */
export class Asker {
  readonly #ports: AskerPorts;
  readonly #standing: StandingGrants;

  constructor(ports: AskerPorts) {
    this.#ports = ports;
    this.#standing = new StandingGrants(ports.clock);
  }

  /** Whether a person allowed this kind of action here for a while. */
  isAllowedFor(action: Action, actor: Actor): boolean {
    return this.#standing.covers(action, actor, this.#targetsOf(action));
  }

  forgetStanding(): void {
    this.#standing.clear();
  }

  /** Throws RefusedError where the answer is not yes. `call`: the signal of the call that wants it. */
  async ask(
    action: Action,
    actor: Actor,
    intent: string | null,
    signal: AbortSignal,
    call: AbortSignal | undefined,
  ): Promise<Permit> {
    const { desktopId, approvals, display } = this.#ports;
    const targets = this.#targetsOf(action);
    const crops = display.frame === null ? [] : targets.map((point) => cropAround(point, display.size));
    const binding = this.#bind(crops, targets);
    const askedAtMs = this.#ports.clock.nowMs();
    const granted = await approvals.ask(
      {
        desktopId,
        action,
        summary: summaryOf(action),
        actor,
        intent,
        point: pointOf(action, this.#ports.pointer()),
        crop: cropOf(crops),
        bound: binding?.bounds ?? null,
        screenHash: binding?.hash ?? null,
        isExact: binding?.isExact ?? true,
      },
      signal,
      call,
    );
    return this.#permit(action, actor, granted, binding, askedAtMs);
  }

  #permit(
    asked: Action,
    actor: Actor,
    granted: Granted,
    binding: ScreenBinding | null,
    askedAtMs: number,
  ): Permit {
    const { approval, by, edit, allowForMs } = granted;
    const action = edit === null ? asked : withEdit(asked, edit);
    let bound = binding;
    let { crop } = approval;
    // A person who names another place means what is there as they say so.
    if (edit?.x !== undefined) {
      const targets = this.#targetsOf(action);
      const crops = targets.map((point) => cropAround(point, this.#ports.display.size));
      bound = this.#bind(crops, targets);
      crop = cropOf(crops);
    }
    if (allowForMs > 0) {
      const here = subjectOf(asked) === "pointer" || subjectOf(asked) === "text" ? crop : null;
      this.#standing.add(action, actor, here, allowForMs);
    }
    // The clock on the wall may be set meanwhile.
    const lastsMs = Date.parse(approval.expiresAt) - Date.parse(approval.askedAt);
    return {
      action,
      by,
      edit,
      check: () => {
        if (this.#ports.clock.nowMs() > askedAtMs + lastsMs) {
          throw new RefusedError(
            "approval_expired",
            "the approval was too old when the action's turn came: ask again",
          );
        }
        this.#checkScreen(bound);
      },
    };
  }

  #checkScreen(binding: ScreenBinding | null): void {
    if (binding === null) return;
    const { frame, isFresh } = this.#ports.display;
    if (frame === null || !isFresh) {
      throw new RefusedError(
        "target_down",
        "the target is not connected: wait until it is live, then try again",
      );
    }
    if (binding.holds(frame)) return;
    throw new RefusedError(
      "stale_screen",
      "the screen around the target changed after a human approved this: take a new screenshot and ask again",
    );
  }

  #bind(crops: readonly Rect[], targets: readonly Point[]): ScreenBinding | null {
    const { display, periodic, isExact } = this.#ports;
    const { frame } = display;
    if (frame === null || crops.length === 0) return null;
    return ScreenBinding.of(frame, crops, targets, periodic(), isExact());
  }

  /** Where an action goes: its points, or for keys and text where the focus most likely is. */
  #targetsOf(action: Action): readonly Point[] {
    const subject = subjectOf(action);
    if (subject === "pointer") return ends(pointsOf(action, this.#ports.pointer()));
    return subject === "keys" || subject === "text" ? [this.#focus()] : [];
  }

  /** The one caret that blinks, else where was last clicked, else where the pointer is. */
  #focus(): Point {
    const carets = this.#ports
      .periodic()
      .rects.filter(
        ({ width, height }) => width <= CARET.width && height >= CARET.minHeight && height <= CARET.maxHeight,
      );
    const [caret] = carets;
    if (caret !== undefined && carets.length === 1) {
      return { x: caret.x + (caret.width >> 1), y: caret.y + (caret.height >> 1) };
    }
    return this.#ports.lastPress() ?? this.#ports.pointer();
  }
}

/** A drag is judged by where it begins and where it ends. */
function ends(points: readonly Point[]): readonly Point[] {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  return first === last ? [first] : [first, last];
}

/** One picture of all crops, or of the first where they lie too far apart. */
function cropOf(crops: readonly Rect[]): Rect | null {
  const [first, ...rest] = crops;
  if (first === undefined) return null;
  const all = rest.reduce(boundRects, first);
  const isClear = all.width <= MAX_CROP.width && all.height <= MAX_CROP.height;
  return isClear ? all : first;
}
