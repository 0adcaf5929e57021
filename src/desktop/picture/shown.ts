import { composePicture } from "../../compositor/compose.ts";
import type { Scene } from "../../compositor/scene.ts";
import { FramePicture } from "../../framebuffer/frame-picture.ts";
import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Picture } from "../../framebuffer/picture.ts";
import { RefusedError } from "../error.ts";

/**
 * What an audience is shown of a desktop: the only way to its pixels from outside of this folder.
 *
 * INVARIANT: what an audience must not see is missing here, and so from its screenshots, its viewers' updates, its
 * recordings, its anchors and what approvals show and are bound to.
 */
export class Shown {
  /** Pictures made of one are good for all of the same name. */
  readonly name: string;
  readonly #scene: Scene;
  readonly #frame: () => Framebuffer | null;

  constructor(name: string, scene: Scene, frame: () => Framebuffer | null) {
    this.name = name;
    this.#scene = scene;
    this.#frame = frame;
  }

  /** To compare and search; null before the first picture. */
  get frame(): Framebuffer | null {
    return this.#frame();
  }

  /** The picture, always as it is now. Throws RefusedError target_down before the first one. */
  picture(withOverlays: boolean): Picture {
    const frame = this.#frame();
    if (frame === null) throw noPictureYet();
    return withOverlays ? composePicture(frame, this.#scene) : new FramePicture(frame);
  }
}

export function noPictureYet(): RefusedError {
  return new RefusedError("target_down", "there is no picture yet: wait until the target is live");
}
