import type { CopyMove, Picture } from "../framebuffer/picture.ts";
import type { Rect, Size } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Screen } from "../framebuffer/screen.ts";

/** People who look on, by their role; `viewer` alone: administrators, from whom only that is hidden which is from all. */
export const VIEWER_AUDIENCES = ["viewer", "viewer:operator", "viewer:approver", "viewer:viewer"] as const;
export type ViewerAudience = (typeof VIEWER_AUDIENCES)[number];

/** In the order in which they are told. */
export const AUDIENCES = ["agent", ...VIEWER_AUDIENCES, "recording"] as const;

/** Who gets the pixels: decides which masks and overlays are in them. */
export type Audience = (typeof AUDIENCES)[number];

/** One thing for each. */
export function byAudience<Thing>(make: (audience: Audience) => Thing): Readonly<Record<Audience, Thing>> {
  return {
    agent: make("agent"),
    viewer: make("viewer"),
    "viewer:operator": make("viewer:operator"),
    "viewer:approver": make("viewer:approver"),
    "viewer:viewer": make("viewer:viewer"),
    recording: make("recording"),
  };
}

export function isViewer(audience: Audience): audience is ViewerAudience {
  return audience !== "agent" && audience !== "recording";
}

/** Whether what is hidden from these is hidden from one: what is from `viewer` is from people of every role. */
export function isAmong(audiences: readonly Audience[], audience: Audience): boolean {
  return audiences.includes(audience) || (isViewer(audience) && audiences.includes("viewer"));
}

export const IMAGE_FORMATS = ["png", "jpeg", "webp"] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** For whose eyes a picture is made small; see `fitSize`. */
export const FITS = ["none", "claude", "openai", "gemini"] as const;
export type Fit = (typeof FITS)[number];

/** In the order of the line: what answers an input, what somebody looks at, what is shown small beside others. */
export const PICTURE_URGENCIES = ["act", "look", "glance"] as const;
export type PictureUrgency = (typeof PICTURE_URGENCIES)[number];

export interface SnapshotRequest {
  /** Desktop pixels, within the desktop; default all of it. */
  readonly region?: Rect | undefined;
  /** Factor of both sides, more than 0, at most MOST_SCALE; default 1. */
  readonly scale?: number | undefined;
  /** The largest size, of the same shape, that these models see all of; never larger than 1. Not with `scale`. */
  readonly fit?: Fit;
  /** Only what changed since: see `isUnchanged` and `parts`. Not with overlays or the cursor, which are not counted. */
  readonly sinceGeneration?: number;
  /** With `sinceGeneration`: what counts as changed beside it, for whoever asks has not seen it. */
  readonly untold?: Region;
  /** With `sinceGeneration`: never in parts. */
  readonly isWhole?: boolean;
  /**
   * Only these parts of the desktop as they are now, and all that changed after that generation: `region` is then what
   * holds them all, or with a `fit` that shrinks that the whole. Not with `region` or `sinceGeneration`.
   */
  readonly changes?: { readonly rects: readonly Rect[]; readonly generation: number };
  readonly format?: ImageFormat;
  /** 1 to 100, for jpeg and webp. */
  readonly quality?: number | undefined;
  readonly withOverlays?: boolean;
  readonly withCursor?: boolean;
  /** Waits until nothing changed for so long, at most 10 s. */
  readonly stableMs?: number | undefined;
  readonly signal?: AbortSignal;
  /** Who asks, by principal: of large pictures a few are made at a time, and those who ask take turns. */
  readonly ownerId?: string;
  /** Default "look". */
  readonly urgency?: PictureUrgency;
}

/** A part of a picture that changed. */
export interface SnapshotPart {
  /** What of the desktop it shows. */
  readonly rect: Rect;
  /** Where it lies in the whole picture; its size is the part's. */
  readonly place: Rect;
  readonly bytes: Uint8Array;
}

export interface Snapshot {
  readonly format: ImageFormat;
  /** Empty where `isUnchanged`, and where there are `parts`. */
  readonly bytes: Uint8Array;
  /** True where nothing in the region changed since `sinceGeneration`. */
  readonly isUnchanged?: boolean;
  /** What changed since `sinceGeneration`: instead of the whole, where that is known and pays. */
  readonly parts?: readonly SnapshotPart[];
  /** Of the image. */
  readonly width: number;
  readonly height: number;
  /** What of the desktop it shows. */
  readonly region: Rect;
  readonly generation: number;
  /** True where the wait for stability was fulfilled or not asked for. */
  readonly isStable: boolean;
  /** True while the target is down: the last picture it sent. */
  readonly isStale: boolean;
  /** Since the picture last changed. */
  readonly frameAgeMs: number;
  readonly takenAt: string;
}

/** What brings a picture up to date: first the moves, in order, then the pixels. */
export interface Change {
  readonly painted: Region;
  readonly copies: readonly CopyMove[];
}

/** What a watcher owes its owner: damage since it last took some. Never waits; those who took at the same time share it. */
export interface Watcher {
  /** Damage not taken yet. */
  readonly pending: Region;
  /** What `take` would hand out. */
  readonly owed: Change;
  /** Hands out all pending damage; its moves may be pixels instead. The same object to all who are owed the same. */
  take(): Change;
  /** Gives back what could not be sent of what was taken last; moves that come later carry it along. */
  putBack(region: Region): void;
  close(): void;
}

export interface WatchOptions {
  readonly withOverlays?: boolean;
  /** Notes what changes, but is no reason to ask the target for it. */
  readonly isPassive?: boolean;
}

/** The door up: pixels of one desktop as one audience may see them. */
export interface View extends Size {
  readonly audience: Audience;
  /** Whose picture it is now: people of several roles from whom the same is hidden share one, and what is encoded of it. */
  readonly kind: Audience;
  readonly generation: number;
  readonly screens: readonly Screen[];
  /** What is kept from this audience: its pixels are of one colour. */
  readonly hidden: Region;
  snapshot(request?: SnapshotRequest): Promise<Snapshot>;
  /** The picture as of now, for encoders that send at once. */
  picture(withOverlays: boolean): Picture;
  /** Calls back when damage came in; the whole desktop is pending at first. */
  watch(onDamage: () => void, options?: WatchOptions): Watcher;
}
