import { decodePicture } from "../../compositor/picture-file.ts";
import { RefusedError } from "../../desktop/error.ts";
import { targetsOf } from "../../framebuffer/copy-move.ts";
import { coverOf } from "../../framebuffer/cover.ts";
import { intersectRects, isEmptyRect, type Point, type Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Screenshot } from "../model/screenshot-store.ts";
import type { McpDesktop } from "./ports.ts";

/** What is watched, and for how long. */
export interface Watched {
  readonly desktop: McpDesktop;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly region: Rect;
  readonly timeoutMs: number;
  /** Changes here count for nothing; default none. */
  readonly except?: Region;
}

/** quietMs: met when nothing changed for so long. holds: met when it says so; asked at once and after each change. */
export type Condition = { readonly quietMs: number } | { readonly holds: (changedSoFar: Region) => boolean };

export interface Waited {
  readonly isMet: boolean;
  /** The target is down: what is shown is the last picture it sent. */
  readonly isStale: boolean;
  readonly waitedMs: number;
  /** Within the region. */
  readonly changed: Region;
  /** The last one up to which nothing else changed: it hides nothing that is not in `changed`. */
  readonly generation: number;
}

/** Rectangles that what changed is told in. */
const MAX_RECTS = 32;

/** Waits on damage, never by asking again. Throws RefusedError cancelled, target_down, private_time, not_found for a removed desktop. */
export async function awaitOn(watched: Watched, condition: Condition): Promise<Waited> {
  const { desktop, clock, signal, region, timeoutMs, except = Region.empty } = watched;
  const view = desktop.view("agent");
  // Up to date first: what nobody looked at for a while may be old.
  await view.snapshot({ signal, region: { x: 0, y: 0, width: 1, height: 1 } });
  const startMs = clock.nowMs();
  let changed = Region.empty;
  let generation = desktop.generation;
  let isToldAll = true;
  let changedAtMs = startMs;
  let wake: () => void = () => {};
  const watcher = view.watch(() => wake());
  const wakes = (): void => wake();
  signal.addEventListener("abort", wakes);
  const off = desktop.on(({ type }) => {
    if (type !== "state") return;
    // Who is away is not at rest: the time counts from when they are back.
    changedAtMs = clock.nowMs();
    wake();
  });
  try {
    watcher.take();
    generation = desktop.generation;
    for (;;) {
      if (signal.aborted) throw new RefusedError("cancelled", "the call was cancelled");
      // Nothing is told of a time that a person has for themselves.
      desktop.view("agent");
      const { kind } = desktop.state;
      if (kind === "closed") throw new RefusedError("not_found", "the desktop was removed while this waited");
      const isStale = kind !== "live";
      const nowMs = clock.nowMs();
      const left = startMs + timeoutMs - nowMs;
      const isResting = "quietMs" in condition && !isStale;
      const quietLeft = isResting ? changedAtMs + condition.quietMs - nowMs : left;
      const isMet = "quietMs" in condition ? isResting && quietLeft <= 0 : condition.holds(changed);
      if (isMet || left <= 0) {
        return { isMet, isStale, waitedMs: Math.round(nowMs - startMs), changed, generation };
      }
      await new Promise<void>((resolve) => {
        const cancel = clock.after(Math.max(1, Math.min(left, quietLeft)), () => wake());
        wake = () => {
          wake = () => {};
          cancel();
          resolve();
        };
        // What came between the last look and this wait.
        if (!watcher.pending.isEmpty || signal.aborted) wake();
      });
      const { painted, copies } = watcher.take();
      const all = painted.union(targetsOf(copies));
      const damage = all.clip(region).subtract(except);
      isToldAll &&= all.subtract(damage).isEmpty;
      if (isToldAll) generation = desktop.generation;
      if (damage.isEmpty) continue;
      changed = Region.from(coverOf(changed.union(damage).rects, MAX_RECTS));
      changedAtMs = clock.nowMs();
    }
  } finally {
    signal.removeEventListener("abort", wakes);
    off();
    watcher.close();
  }
}

/** The colour of one pixel as agents may see it. */
export function colourAt(desktop: McpDesktop, { x, y }: Point): { isNear(hex: string, by: number): boolean } {
  const { bytes, offset } = desktop.view("agent").picture(false).pixels({ x, y, width: 1, height: 1 });
  const seen = [bytes[offset] ?? 0, bytes[offset + 1] ?? 0, bytes[offset + 2] ?? 0];
  return {
    isNear(hex, by) {
      const word = Number.parseInt(hex.slice(1), 16);
      const wanted = [word >> 16, (word >> 8) & 255, word & 255];
      return seen.every((channel, i) => Math.abs(channel - (wanted[i] ?? 0)) <= by);
    },
  };
}

/** A remembered picture that the screen may show again. */
export interface RememberedImage {
  /** Where, desktop pixels. */
  readonly region: Rect;
  isShown(desktop: McpDesktop, tolerance: number): boolean;
}

/** Decodes a native-size screenshot, or a part of it; throws RefusedError not_supported for a scaled one. */
export async function decodedImage(
  shot: Screenshot & { readonly bytes: Uint8Array },
  part: Rect | null,
): Promise<RememberedImage> {
  const { region: shown, image } = shot.framing;
  if (shown.width !== image.width || shown.height !== image.height) {
    throw new RefusedError(
      "not_supported",
      `condition image: the screenshot is scaled to ${image.width}x${image.height}, expected one of native size`,
    );
  }
  const region = part === null ? shown : intersectRects(part, shown);
  if (isEmptyRect(region)) {
    throw new RefusedError("out_of_bounds", "condition image: the screenshot does not show that region");
  }
  const { rgba, width } = await decodePicture(shot.bytes);
  return {
    region,
    isShown(desktop, tolerance) {
      const now = desktop.view("agent").picture(false).pixels(region);
      for (let row = 0; row < region.height; row++) {
        const from = ((region.y - shown.y + row) * width + region.x - shown.x) * 4;
        const at = now.offset + row * now.strideBytes;
        for (let i = 0; i < region.width * 4; i++) {
          if (i % 4 === 3) continue;
          if (Math.abs((rgba[from + i] ?? 0) - (now.bytes[at + i] ?? 0)) > tolerance) return false;
        }
      }
      return true;
    },
  };
}
