import type { Cursor } from "../framebuffer/cursor.ts";
import type { Framebuffer } from "../framebuffer/framebuffer.ts";
import type { CopyMove } from "../framebuffer/picture.ts";
import type { Rect } from "../framebuffer/rect.ts";
import type { Region } from "../framebuffer/region.ts";
import type { Screen } from "../framebuffer/screen.ts";
import type { FilesCommand, FilesEvent } from "../protocols/rdp/files/file-messages.ts";
import type { LinkError, RefusedError } from "./error.ts";

/** Which lock keys of a target are on. */
export interface LockKeys {
  readonly scrollLock: boolean;
  readonly numLock: boolean;
  readonly capsLock: boolean;
}

/** An update that is shown in some turns of the event loop; `done` resolves once it is, or will not be. */
export interface Showing {
  readonly done: Promise<void>;
}

/** What a link tells its desktop. All but `progress` are called between complete updates, never inside one. */
export interface LinkEvents {
  /** The handshake is over and `framebuffer` has its size; pixels follow. */
  ready(info: { readonly name: string; readonly screens: readonly Screen[] }): void;
  /**
   * One whole update was decoded. `copies` come first and in order; `painted` holds what other rectangles wrote
   * after them, and may hold more. `missing`: how many pixels of the first picture have not come, exactly; a size that
   * comes before all of them begins the count anew. Where it answers with a Showing nothing may be painted until that
   * is done, and nothing that the target said after the update be told.
   */
  update(update: {
    readonly painted: Region;
    readonly copies: readonly CopyMove[];
    readonly missing: number;
  }): Showing | undefined;
  /** Inside the update that brings the first picture: how much of it is decoded, more than 0 and at most 1. */
  progress?(part: number): void;
  /** The picture changed its size or its monitors; `framebuffer` has the new size already. */
  resize(screens: readonly Screen[]): void;
  cursor(cursor: Cursor | null): void;
  /**
   * Where the target may have drawn the pointer into the picture itself, as it does where others put it: desktop pixels,
   * which may lie outside the desktop; null: nowhere, as before this is first said.
   */
  drawnPointer?(area: Rect | null): void;
  /** Somebody copied this there; null: what is too long, or cannot be read. */
  clipboard(text: string | null): void;
  /** The target answered that it knows of the text it was offered last; only from targets that say so. */
  clipboardOffered?(): void;
  /** The target asked for the text it was offered last, and got it; only where `provesClipboard`. */
  clipboardTaken?(): void;
  name(name: string): void;
  bell(): void;
  /** The target would send its sound, were it asked by `listen`. */
  soundOffered?(): void;
  /** 16 bits with sign, little-endian, 44,100 times a second left and right; null: it fell silent. */
  sound?(samples: Uint8Array | null): void;
  /** What the target says of files; only from targets that `files` is for. */
  files?(event: FilesEvent): void;
  /** The lights of the target's keyboard changed; only from targets that tell. */
  locks?(locks: LockKeys): void;
  /** The target stopped answering, or answers again. */
  stalled(isStalled: boolean): void;
  /** The end, said once; nothing comes after it. */
  closed(error: LinkError): void;
  /** A step of the handshake is over: for connection tests and logs. */
  step(name: string, detail: string): void;
}

/** Listens to nothing: a base for listeners that need only some of the events. */
export const IGNORE_EVENTS: LinkEvents = {
  ready: () => undefined,
  update: () => undefined,
  resize: () => undefined,
  cursor: () => undefined,
  clipboard: () => undefined,
  name: () => undefined,
  bell: () => undefined,
  stalled: () => undefined,
  closed: () => undefined,
  step: () => undefined,
};

/** One conversation with a target. The only outgoing sockets of the appliance live behind it. */
export interface Link {
  /** What the decoder draws in: inside an update it is torn, so only the desktop reads it, on `update`. */
  readonly framebuffer: Framebuffer;
  /** False where the target may send approximations (JPEG-only servers). */
  readonly isExact: boolean;
  /** What it is, in words: "RFB 3.8, VncAuth, Tight". */
  readonly description: string;
  /** Why it takes no input at all, and what to do instead; absent where it does. */
  readonly inputRefusal?: string | undefined;
  /** Why nothing may be sent now, though the target takes input: another node of a fleet may have it. Absent: it may. */
  notHeld?(): RefusedError | null;
  /** True where its clipboard takes ISO 8859-1 alone; absent where it takes every character. */
  readonly hasLatinClipboard?: boolean;
  /** True where a barrier is passed by the input alone; else by pixels, which targets look for now and then. */
  hasFence?(): boolean;
  /**
   * Without a fence: how many ms after it was painted at most the target shows what changed, where that is known of it
   * and its barriers are passed by answers; else undefined.
   */
  showsWithinMs?(): number | undefined;
  /** True where a notch of the wheel is a button that stays down until it is let go (RFC 6143 section 7.5.5). */
  readonly holdsWheel?: boolean;
  /** True where it asks for the texts it is offered, and so shows that it took them. */
  readonly provesClipboard?: boolean;
  /** For so many characters that its layout lacks the target surely makes keys; absent where it needs none. */
  readonly newKeys?: number | undefined;
  /** False for a keysym that nothing makes at the target; absent where every one can be tried. */
  canType?(keysym: number): boolean;
  open(events: LinkEvents): void;
  /** Watched: changes come as fast as they happen. Unwatched: at most twice a second. */
  follow(isWatched: boolean): void;
  /** Asks for every pixel again. */
  refresh(): void;
  /** Resolves when the target has processed all that was sent before; rejects with the LinkError that ends it. */
  barrier(): Promise<void>;
  /**
   * Resolves when what had changed before the call is decoded, at least within `area`; rejects with the LinkError that
   * ends it.
   */
  latest(area?: Rect | null): Promise<void>;
  pointer(x: number, y: number, buttons: number): void;
  key(keysym: number, isDown: boolean, scancode: number | null): void;
  clipboard(text: string): void;
  /** Asks for the target's sound, or for no more of it; only where it was offered. */
  listen?(isOn: boolean): void;
  /** Offers files, asks for bytes of some, or gives them; only where the target said that it is able to. */
  files?(command: FilesCommand): void;
  /**
   * Asks for another size, and for these screens in it where the target has more than one; false where it cannot,
   * later where only another thread knows.
   */
  resize(width: number, height: number, screens?: readonly Rect[]): boolean | Promise<boolean>;
  close(): void;
}
