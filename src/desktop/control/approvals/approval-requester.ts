import type { Picture } from "../../../framebuffer/picture.ts";
import { boundRects, type Point, type Rect, rectOfSize, type Size } from "../../../framebuffer/rect.ts";
import type { Region } from "../../../framebuffer/region.ts";
import { encodePng } from "../../../imaging/png/png.ts";
import { scalePicture } from "../../../imaging/scale/scale.ts";
import type { Clock } from "../../../platform/clock.ts";
import { notConnected, RefusedError } from "../../error.ts";
import type { AudienceDisplay } from "../../picture/audience-display.ts";
import type { Display } from "../../picture/display.ts";
import { AUDIENCES, type Audience, VIEWER_AUDIENCES } from "../../view.ts";
import type { Action, Actor, Edit, PerformOptions } from "../action.ts";
import { actionClassOf, type InputState, pathOf } from "../action-class.ts";
import {
  besideWords,
  type HeldBeside,
  heldBeside,
  isSameHeld,
  pointOf,
  summaryOf,
} from "../action-summary.ts";
import { type Approvals, type Granted, withEdit } from "./approvals.ts";
import { areaAround, isOneColour, MOST_WIDENED, widened } from "./asked-area.ts";
import { ScreenBinding } from "./screen-binding.ts";
import { type GrantPorts, type GrantUse, MOST_OWN_CHANGE, StandingGrants } from "./standing-grants.ts";

/** What blinks and is no larger is a caret: the keyboard's focus. */
const CARET = { width: 4, minHeight: 8, maxHeight: 48 } as const;

/** Up to this size a picture is kept pixel for pixel; a larger one is scaled down, so that its memory is bounded. */
const MOST_SHOWN: Size = Object.freeze({ width: 640, height: 400 });

/** A yes, with all that must still hold when the action is done. */
export interface Permit {
  readonly action: Action;
  readonly by: Actor;
  /** What they changed of what was asked; null where nothing. */
  readonly edit: Edit | null;
  /** It is about a place that is hidden from agents: what a person wrote there, or where, is not told to them. */
  readonly isHiddenEdit: boolean;
  /** The approval was given to an earlier action and covers this one too: no person was asked again. */
  readonly isStanding: boolean;
  /** Where it is bound; null where it is to its arguments alone. */
  readonly bound: Rect | null;
  /** Throws RefusedError stale_screen or approval_expired; call it right before anything is sent. */
  check(): void;
  /** The same between the keys of an action that has begun, which changes some of the screen itself. */
  checkOn(): void;
  /** The action is over, or will not be done. */
  close(): void;
}

export interface ApprovalRequesterPorts {
  readonly desktopId: string;
  readonly approvals: Approvals;
  readonly display: Display;
  readonly clock: Clock;
  /** Where the pointer of an actor is, and what they hold. */
  inputState(actor: Actor): InputState;
  /** Where a button was last pressed; null where none was. */
  lastPress(): Point | null;
  /** What changes again and again by itself. */
  periodic(): Region;
  isExact(): boolean;
  /** See DesktopPorts. */
  secured?(): Promise<void>;
  readonly granted: GrantPorts["tell"];
}

/** What a question, or a yes to it, is bound to. `stale` aborts the moment that changes: what changes back stays void. */
interface Bound {
  readonly binding: ScreenBinding;
  readonly stale: AbortController;
}

/** Asks people about actions, and binds each answer to what they saw. */
export class ApprovalRequester {
  /** What people allowed for a while. */
  readonly standing: StandingGrants;
  readonly #ports: ApprovalRequesterPorts;
  /** To people: they say yes to what they see, and that is what is bound. */
  readonly #shown: AudienceDisplay;
  readonly #bound = new Set<Bound>();

  constructor(ports: ApprovalRequesterPorts) {
    const { clock } = ports;
    const shown = ports.display.shownTo("viewer");
    this.#ports = ports;
    this.#shown = shown;
    this.standing = new StandingGrants({
      clock,
      shown,
      rebind: (binding) => (shown.frame === null ? binding : binding.again(shown.frame, ports.periodic())),
      tell: ports.granted,
    });
  }

  /** Pixels changed, null: maybe all of them. Whatever is bound to others is void from now on. */
  onDamage(damage: Region | null): void {
    const { frame } = this.#shown;
    for (const bound of [...this.#bound]) {
      const { binding, stale } = bound;
      if (frame === null || (damage !== null && !binding.isTouchedBy(damage)) || binding.holds(frame))
        continue;
      this.#bound.delete(bound);
      stale.abort();
    }
    this.standing.onDamage(damage);
  }

  /** What a person allowed for a while, where it covers this; null where they must be asked. */
  standingPermit(action: Action, actor: Actor): Permit | null {
    const input = this.#ports.inputState(actor);
    const held = heldBeside(action, input);
    const use = this.standing.find(action, held, actor, this.#targetsOf(action, input));
    if (use === null) return null;
    const { by, area } = use.grant;
    let hasBegun = false;
    const check = (): void => {
      if (!hasBegun) this.#checkHeld(action, actor, held);
      if (!hasBegun && !use.holds()) {
        throw new RefusedError(
          "stale_screen",
          "what a human allowed for a while does not hold any more: the screen there, or what they want, has changed; call again and a human is asked",
        );
      }
      hasBegun = true;
      use.begin();
    };
    const checkOn = (): void => {
      if (use.holds()) return;
      throw new RefusedError("stale_screen", "a human took back what they had allowed: ask again");
    };
    const close = (): void => use.end();
    const facts = { action, by, edit: null, isHiddenEdit: false, isStanding: true, bound: area };
    return { ...facts, check, checkOn, close };
  }

  /** What people of each role see of it. */
  #picturesOf(crop: Rect): ReadonlyMap<Audience, Promise<Uint8Array>> {
    const { display } = this.#ports;
    const made = new Map<Audience, Promise<Uint8Array>>();
    for (const audience of VIEWER_AUDIENCES) {
      const alike = made.get(display.kindOf(audience));
      made.set(audience, alike ?? askedPicture(display.shownTo(audience).picture(false), crop));
    }
    return made;
  }

  /**
   * What is kept of the bound pixels. Where anybody must not see all of them it is nothing: people's pixels are bound, and
   * what is under a mask of others, a digit, is soon guessed by its hash.
   */
  #hashOf(binding: ScreenBinding): string | null {
    const { bounds } = binding;
    const { display } = this.#ports;
    const isHidden = AUDIENCES.some((audience) => {
      const { hidden } = display.shownTo(audience);
      return bounds !== null && hidden.overlaps(bounds);
    });
    return isHidden ? null : binding.hash;
  }

  /** From whom a part of what is asked about is hidden; of what has no place, anything. */
  #hiddenIn(crop: Rect | null): { readonly hiddenFrom?: readonly Audience[] } {
    const { display } = this.#ports;
    const audiences = AUDIENCES.filter((audience) => {
      // What is hidden from all people is not said of each.
      if (audience === "recording" || (audience !== "agent" && display.kindOf(audience) !== audience))
        return false;
      const { hidden } = display.shownTo(audience);
      return crop === null ? !hidden.isEmpty : hidden.overlaps(crop);
    });
    return audiences.length === 0 ? {} : { hiddenFrom: audiences };
  }

  #isHiddenFromAgents({ x, y }: Edit, area: Rect | null): boolean {
    const place = x === undefined || y === undefined ? area : { x, y, width: 1, height: 1 };
    return this.#hiddenIn(place).hiddenFrom?.includes("agent") === true;
  }

  /** Throws RefusedError where the answer is not yes. `options`: of the call that wants it. */
  async ask(
    action: Action,
    actor: Actor,
    { intent, subject, signal: call }: Pick<PerformOptions, "intent" | "subject" | "signal">,
    signal: AbortSignal,
  ): Promise<Permit> {
    const { desktopId, approvals } = this.#ports;
    const input = this.#ports.inputState(actor);
    const held = heldBeside(action, input);
    const targets = this.#targetsOf(action, input);
    const area = this.#areaOf(targets);
    const bound = this.#bind(area, targets);
    // INVARIANT: in the turn of the binding, so that the card shows the pixels that are bound, and perhaps more.
    const crop = this.#shownAround(area);
    const pictures = crop === null ? null : this.#picturesOf(crop);
    const askedAtMs = this.#ports.clock.nowMs();
    try {
      const granted = await approvals.ask(
        {
          desktopId,
          action,
          summary: summaryOf(action, subject) + besideWords(held),
          held,
          actor,
          intent: intent ?? null,
          point: pointOf(action, input.position),
          crop,
          bound: bound?.binding.bounds ?? null,
          screenHash: bound === null ? null : this.#hashOf(bound.binding),
          isExact: bound?.binding.isExact ?? true,
          ...this.#hiddenIn(crop),
        },
        { signal, call, stale: bound?.stale.signal, pictures },
      );
      // An approval that could not be written to the audit log does not count.
      await this.#ports.secured?.();
      return this.#permit(action, actor, granted, bound, askedAtMs);
    } catch (error) {
      this.#release(bound);
      throw error;
    }
  }

  #permit(
    asked: Action,
    actor: Actor,
    granted: Granted,
    askedBound: Bound | null,
    askedAtMs: number,
  ): Permit {
    const { approval, by, edit, allowForMs } = granted;
    const action = edit === null ? asked : withEdit(asked, edit);
    let bound = askedBound;
    let area = approval.bound;
    // A person who names another place means what is there as they say so.
    if (edit?.x !== undefined) {
      const targets = this.#targetsOf(action, this.#ports.inputState(actor));
      this.#release(askedBound);
      area = this.#areaOf(targets);
      bound = this.#bind(area, targets);
    }
    const use: GrantUse | null =
      allowForMs === 0
        ? null
        : this.standing.add(action, approval.held, actor, by, area, bound?.binding ?? null, allowForMs);
    // The clock on the wall may be set meanwhile.
    const lastsMs = Date.parse(approval.expiresAt) - Date.parse(approval.askedAt);
    let generation = -1;
    return {
      action,
      by,
      edit,
      isHiddenEdit: edit !== null && this.#isHiddenFromAgents(edit, area),
      isStanding: false,
      bound: bound?.binding.bounds ?? null,
      check: () => {
        if (this.#ports.clock.nowMs() > askedAtMs + lastsMs) {
          throw new RefusedError(
            "approval_expired",
            "the approval was too old when the action's turn came: ask again",
          );
        }
        this.#checkHeld(action, actor, approval.held);
        this.#checkScreen(bound);
      },
      checkOn: () => {
        const { display } = this.#ports;
        const { frame } = this.#shown;
        if (bound === null || frame === null || display.generation === generation) return;
        generation = display.generation;
        if (bound.binding.changedShare(frame) > MOST_OWN_CHANGE) throw changedOnTheWay();
      },
      close: () => {
        this.#release(bound);
        use?.end();
      },
    };
  }

  /** What went down or came up since makes another action of it. */
  #checkHeld(action: Action, actor: Actor, held: HeldBeside): void {
    if (isSameHeld(heldBeside(action, this.#ports.inputState(actor)), held)) return;
    throw new RefusedError(
      "stale_screen",
      "the keys or buttons that are held are others than when a human was asked about this: ask again",
    );
  }

  #checkScreen(bound: Bound | null): void {
    if (bound === null) return;
    const { frame } = this.#shown;
    if (frame === null || !this.#ports.display.isFresh) {
      throw notConnected();
    }
    if (!bound.stale.signal.aborted && bound.binding.holds(frame)) return;
    throw new RefusedError(
      "stale_screen",
      "the screen around the target changed after a human approved this: take a new screenshot and ask again",
    );
  }

  #bind(area: Rect | null, targets: readonly Point[]): Bound | null {
    const { periodic, isExact } = this.#ports;
    const { frame } = this.#shown;
    if (frame === null || area === null) return null;
    const binding = ScreenBinding.of(frame, [area], targets, periodic(), isExact());
    const bound = { binding, stale: new AbortController() };
    this.#bound.add(bound);
    return bound;
  }

  #release(bound: Bound | null): void {
    if (bound !== null) this.#bound.delete(bound);
  }

  /**
   * What a card shows: the area that is bound, and more around it as long as all of it is one colour, which tells
   * nobody where that is.
   */
  #shownAround(area: Rect | null): Rect | null {
    const { frame } = this.#shown;
    if (frame === null || area === null) return area;
    let shown = area;
    for (let times = 2; times <= MOST_WIDENED && isOneColour(frame, shown); times *= 2) {
      shown = widened(area, times, frame);
    }
    return shown;
  }

  /** Everything around where an action goes, which is what a yes to it is bound to. */
  #areaOf(targets: readonly Point[]): Rect | null {
    const { hasPicture, size } = this.#ports.display;
    const [first, ...rest] = targets.map((point) => areaAround(point, size));
    return !hasPicture || first === undefined ? null : rest.reduce(boundRects, first);
  }

  /** Where an action goes: the pointer's way, or for keys and text where the focus most likely is. */
  #targetsOf(action: Action, input: InputState): readonly Point[] {
    const actionClass = actionClassOf(action);
    if (actionClass === "pointer") return pathOf(action, input);
    return actionClass === "keys" || actionClass === "text" ? [this.#focus(input)] : [];
  }

  /** The one caret that blinks, else where was last clicked, else where the pointer is. */
  #focus(input: InputState): Point {
    const carets = this.#ports
      .periodic()
      .rects.filter(
        ({ width, height }) => width <= CARET.width && height >= CARET.minHeight && height <= CARET.maxHeight,
      );
    const [caret] = carets;
    if (caret !== undefined && carets.length === 1) {
      return { x: caret.x + (caret.width >> 1), y: caret.y + (caret.height >> 1) };
    }
    return this.#ports.lastPress() ?? input.position;
  }
}

function changedOnTheWay(): RefusedError {
  return new RefusedError(
    "stale_screen",
    "the screen around the target became another one while this was done, so that the rest was left undone: take a screenshot to see how far it came",
  );
}

/**
 * What a question shows, as PNG, encoded once.
 *
 * INVARIANT: the pixels are taken before this returns, so that who binds in the same turn binds to what is shown.
 */
function askedPicture(live: Picture, area: Rect): Promise<Uint8Array> {
  const picture = encodeAsked(live, area);
  // Who asks for it hears why there is none.
  picture.catch(() => undefined);
  return picture;
}

async function encodeAsked(live: Picture, area: Rect): Promise<Uint8Array> {
  const share = Math.min(1, MOST_SHOWN.width / area.width, MOST_SHOWN.height / area.height);
  if (share === 1) return encodePng(live, area);
  const size = {
    width: Math.max(1, Math.round(area.width * share)),
    height: Math.max(1, Math.round(area.height * share)),
  };
  return encodePng(await scalePicture(live, area, size), rectOfSize(size));
}
