import { composePicture } from "../../compositor/compose.ts";
import type { Scene } from "../../compositor/scene.ts";
import { FramePicture, type FrameSource } from "../../framebuffer/frame-picture.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import { Region } from "../../framebuffer/region.ts";
import { RefusedError } from "../error.ts";
import type { Audience } from "../view.ts";
import type { MaskedFrame } from "./masked-frame.ts";
import { Watchers } from "./watchers.ts";

/**
 * What an audience is shown of a desktop: the only way to its pixels from outside of this folder.
 *
 * INVARIANT: what an audience must not see is missing here, and so from its screenshots, its viewers' updates, its
 * recordings, its anchors and what approvals show and are bound to.
 */
export class AudienceDisplay {
  readonly audience: Audience;
  readonly watchers: Watchers;
  readonly #scene: Scene;
  readonly #real: () => Framebuffer | null;
  /** Its own pixels; null where nothing is kept from it. */
  masked: MaskedFrame | null = null;
  /** When what it shows last changed. */
  changedAtMs = 0;

  /** `watched` is told when a watcher came or went. */
  constructor(
    audience: Audience,
    scene: Scene,
    real: () => Framebuffer | null,
    watched: () => void = () => {},
  ) {
    this.audience = audience;
    this.watchers = new Watchers(watched);
    this.#scene = scene;
    this.#real = real;
  }

  /** Pictures made of one are good for all of the same name. */
  get name(): string {
    return this.masked?.name ?? "all";
  }

  /** To compare and search; null before the first picture. */
  get frame(): Framebuffer | null {
    return this.masked?.frame ?? this.#real();
  }

  /** What is kept from it: painted over with one colour. */
  get hidden(): Region {
    return this.masked?.hidden ?? Region.empty;
  }

  /** The picture, always as it is now. Throws RefusedError target_down before the first one. */
  picture(withOverlays: boolean): Picture {
    if (this.frame === null) throw noPictureYet();
    const source = this.#source();
    return withOverlays ? composePicture(source, this.#scene) : new FramePicture(source);
  }

  /** Whoever keeps a picture sees what is hidden from now on as hidden. */
  #source(): FrameSource {
    const now = (): Framebuffer => {
      const { frame } = this;
      if (frame === null) throw noPictureYet();
      return frame;
    };
    return {
      get width() {
        return now().width;
      },
      get height() {
        return now().height;
      },
      get strideBytes() {
        return now().strideBytes;
      },
      get bytes() {
        return now().bytes;
      },
    };
  }
}

export function noPictureYet(): RefusedError {
  return new RefusedError("target_down", "there is no picture yet: wait until the target is live");
}
