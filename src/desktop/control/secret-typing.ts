import type { Patch } from "../../framebuffer/patch.ts";
import { boundRects, holdsPoint, type Point, type Rect, translateRect } from "../../framebuffer/rect.ts";
import type { Region } from "../../framebuffer/region.ts";
import { findExact } from "../../framebuffer/search-exact.ts";
import { type Clock, delay } from "../../platform/clock.ts";
import { RefusedError } from "../error.ts";
import type { EchoPort } from "../input/echo-port.ts";
import type { Input } from "../input/input.ts";
import { partsOf, plainText, type SecretUse, type TypedPart } from "../input/placeholders.ts";
import type { Display } from "../picture/display.ts";
import type { Action, Actor } from "./action.ts";

/** So long a screen may take to be read before a secret is typed: others wait for the input meanwhile. */
const READ_MS = 15_000;

/** A picture stands in more places than this only where it says nothing. */
const MOST_PLACES = 16;
/** What leaves a field when it is typed. */
const LEAVES_FIELD = /[\t\r\n]/;

/** A text that must be on the screen when a secret is typed. */
interface SeenText {
  readonly text: string;
  /** Where, in desktop pixels; null: anywhere. */
  readonly region: Rect | null;
}

/** What must be seen when a secret is typed, against pages that only look alike: a text, a picture, or both. */
export interface Seen {
  readonly text: string | null;
  /** Pixel by pixel. */
  readonly picture?: Patch;
  /** Where, in desktop pixels; null: anywhere. */
  readonly region: Rect | null;
  /** Where the field is, from the upper left corner of the picture, or of the text; absent: anywhere. */
  readonly field?: Rect;
}

/** A stored secret that may be typed. */
export interface NamedSecret {
  readonly seen: Seen | null;
  /** What is typed now, in code points: the value, or the code of this moment. Whoever asked wipes it. */
  open(): Promise<Uint32Array>;
}

/** What typing secrets by name needs of the house. */
export interface SecretPorts {
  /** null for one that does not exist, and in the same way for one that this actor may not have typed on this desktop. */
  find(use: SecretUse, actor: Actor, desktopId: string): Promise<NamedSecret | null>;
  /** Where a text stands on what agents are shown of the desktop. */
  locate(desktopId: string, seen: SeenText, signal: AbortSignal): Promise<Sight>;
}

/** Where a text or a picture stood as of a generation. */
interface Sight {
  readonly generation: number;
  readonly places: readonly Rect[];
  /** The click into the field beside it; absent: it may be typed anywhere. */
  readonly clickedAt?: Point | null;
}

/** What must still be on the screen while a secret is typed. */
interface SeenCheck {
  /** Looked at once more before the first key. */
  readonly bound: Rect;
  /** Throws RefusedError secret_unseen where it is not there any more, or the field was left. */
  check(): void;
  /** The same between the keys. */
  checkOn(): void;
}

/** What is typed in place of an action's text. */
export interface ResolvedText {
  /** null: nothing has to be seen. */
  readonly seen: SeenCheck | null;
  /** INVARIANT: goes to the typist and nowhere else, and is wiped when its keys were pressed. */
  open(): Promise<{ readonly typed: readonly TypedPart[]; readonly echo: EchoPort }>;
  /** Wipes what was opened. */
  close(): void;
}

interface Ports {
  readonly desktopId: string;
  readonly clock: Clock;
  readonly secrets?: SecretPorts;
  readonly display: Pick<Display, "generation" | "shownTo">;
  readonly input: Pick<Input, "clickedAt">;
  readonly echo: EchoPort;
  /** What changed of what agents are shown after a generation; null where that is not known. */
  changedSince(generation: number): Region | null;
}

/** What an agent's text names is looked up at the gate: before anybody is asked, and again before the keys. */
export class SecretTyping {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Refuses what could never be typed before a human is asked about it. Throws RefusedError invalid_parameters,
   * secret_unknown.
   */
  async check(action: Action, actor: Actor): Promise<void> {
    if (action.kind === "write_clipboard" || action.kind === "paste") plainText(action.text);
    if (action.kind !== "type") return;
    for (const part of partsOf(action.text)) if (typeof part !== "string") await this.#find(part, actor);
  }

  /**
   * Does an action with what its text stands for, null where that is itself, which is wiped afterwards. Looks for what
   * must be seen: call it once the policy, and a human where it says so, agreed. Throws RefusedError secret_unknown,
   * secret_unseen, the signal's reason, and what `act` throws.
   */
  async typing<T>(
    action: Action,
    actor: Actor,
    signal: AbortSignal,
    act: (text: ResolvedText | null) => Promise<T>,
  ): Promise<T> {
    const text = await this.#resolve(action, actor, signal);
    try {
      return await act(text);
    } finally {
      text?.close();
    }
  }

  async #resolve(action: Action, actor: Actor, signal: AbortSignal): Promise<ResolvedText | null> {
    if (action.kind !== "type") return null;
    const parts = partsOf(action.text);
    if (parts.length === 1 && parts[0] === action.text) return null;
    const found = new Map<string, NamedSecret>();
    const sights: Sight[] = [];
    const opened: Uint32Array[] = [];
    const open = async ({ placeholder }: SecretUse): Promise<TypedPart> => {
      const secret = found.get(placeholder);
      if (secret === undefined) throw new Error(`${placeholder} was not looked up`);
      const letters = await secret.open();
      opened.push(letters);
      return { letters, placeholder };
    };
    for (const part of parts) {
      if (typeof part === "string" || found.has(part.placeholder)) continue;
      const secret = await this.#find(part, actor);
      found.set(part.placeholder, secret);
      const { seen } = secret;
      if (seen === null) continue;
      const before = parts.slice(0, parts.indexOf(part));
      if (
        seen.field !== undefined &&
        before.some((one) => typeof one === "string" && LEAVES_FIELD.test(one))
      ) {
        throw notInField();
      }
      sights.push(...(await this.#locate(seen, signal)));
    }
    return {
      seen: this.#checkOf(sights),
      open: async () => {
        const typed: TypedPart[] = [];
        for (const part of parts)
          typed.push(typeof part === "string" ? { text: part, placeholder: null } : await open(part));
        return { typed, echo: this.#ports.echo };
      },
      close: () => {
        this.#ports.echo.end();
        for (const letters of opened) letters.fill(0);
      },
    };
  }

  async #find(use: SecretUse, actor: Actor): Promise<NamedSecret> {
    const { secrets, desktopId } = this.#ports;
    const found = (await secrets?.find(use, actor, desktopId)) ?? null;
    if (found !== null) return found;
    throw new RefusedError(
      "secret_unknown",
      `got ${use.placeholder}, which names no secret that you may have typed on this desktop: ask the human for the name, or to allow it`,
    );
  }

  /** All that must be seen, each with the places where it is, of those beside the field that was clicked. */
  async #locate({ text, picture, region, field }: Seen, signal: AbortSignal): Promise<Sight[]> {
    const sights: Sight[] = [];
    if (picture !== undefined) sights.push(this.#locatePicture(picture, region));
    if (text !== null) sights.push(await this.#locateText({ text, region }, signal));
    const [first, ...others] = sights;
    if (first === undefined || field === undefined) return sights;
    const { clickedAt } = this.#ports.input;
    const places = first.places.filter(({ x, y }) => {
      return clickedAt !== null && holdsPoint(translateRect(field, x, y), clickedAt.x, clickedAt.y);
    });
    if (places.length === 0) throw notInField();
    return [{ ...first, places, clickedAt }, ...others];
  }

  #locatePicture(picture: Patch, region: Rect | null): Sight {
    const { display } = this.#ports;
    const { frame } = display.shownTo("agent");
    const corners = frame === null ? [] : findExact(frame, picture, region ?? frame.rect, MOST_PLACES).places;
    if (corners.length === 0) throw unseen("is not there");
    const { width, height } = picture;
    return { generation: display.generation, places: corners.map(({ x, y }) => ({ x, y, width, height })) };
  }

  async #locateText(seen: SeenText, signal: AbortSignal): Promise<Sight> {
    const { secrets, desktopId, clock } = this.#ports;
    const limit = new AbortController();
    const over = AbortSignal.any([signal, limit.signal]);
    const read = (secrets?.locate(desktopId, seen, over) ?? Promise.resolve(null)).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw unseen("could not be read", cause);
    });
    const timeUp = delay(clock, READ_MS, over).then(
      () => null,
      () => null,
    );
    try {
      const at = await Promise.race([read, timeUp]);
      signal.throwIfAborted();
      if (at === null) throw unseen(`was not read within ${READ_MS / 1000} s`);
      if (at.places.length === 0) throw unseen("is not there");
      return at;
    } finally {
      limit.abort();
      read.catch(() => undefined);
    }
  }

  #checkOf(sights: readonly Sight[]): SeenCheck | null {
    const places = sights.flatMap((sight) => sight.places);
    if (places.length === 0) return null;
    const keeps = sights.map((sight) => this.#keepOf(sight));
    const checkOn = (): void => {
      if (!keeps.every((isThere) => isThere())) throw unseen("changed since it was looked for");
    };
    const check = (): void => {
      checkOn();
      const { clickedAt: now } = this.#ports.input;
      if (sights.some(({ clickedAt }) => clickedAt !== undefined && clickedAt !== now)) throw notInField();
    };
    return { bound: places.reduce(boundRects), check, checkOn };
  }

  /** Whether one of the places is still as it was when the text was read there; each call looks at what is new alone. */
  #keepOf({ generation, places }: Sight): () => boolean {
    let left = places;
    let since = generation;
    return () => {
      const now = this.#ports.display.generation;
      if (now === since) return left.length > 0;
      const changed = this.#ports.changedSince(since);
      left = changed === null ? [] : left.filter((place) => !changed.overlaps(place));
      since = now;
      return left.length > 0;
    };
  }
}

/** Agents are told what to do, which is no secret of the page's, and not where. */
function notInField(): RefusedError {
  return new RefusedError(
    "secret_unseen",
    "the field in which this secret may be typed was not clicked last, expected a click into it and then the secret, with no tab or line end before it: click into the field, then type the secret alone",
  );
}

/** `what` is said of what has to be there, which agents are not told. */
function unseen(what: string, cause?: unknown): RefusedError {
  return new RefusedError(
    "secret_unseen",
    `what must be seen on the screen for this secret ${what}, expected it there while the secret is typed: take a screenshot and see whether this is the right place`,
    { cause },
  );
}
