import { composeCursor, composePicture } from "../../src/compositor/compose.ts";
import { Scene } from "../../src/compositor/scene.ts";
import type { View } from "../../src/desktop/view.ts";
import type { Cursor } from "../../src/framebuffer/cursor.ts";
import { HandTimer } from "../compositor/scenes.ts";
import { DrawnDesktop } from "./drawn-desktop.ts";

/** A drawn desktop with overlays over it. */
export class OverlaidDesktop extends DrawnDesktop {
  override readonly scene = new Scene(new HandTimer());

  constructor(width: number, height: number) {
    super(width, height);
    this.scene.on(({ damage }) => this.watchers.updateOverlays(damage));
  }

  override view(): View {
    const view = super.view();
    return {
      audience: view.audience,
      kind: view.kind,
      snapshot: (request) => view.snapshot(request),
      watch: (onDamage, options) => view.watch(onDamage, options),
      get width() {
        return view.width;
      },
      get height() {
        return view.height;
      },
      get generation() {
        return view.generation;
      },
      get screens() {
        return view.screens;
      },
      hidden: view.hidden,
      picture: (withOverlays) =>
        withOverlays ? composePicture(this.frame, this.scene) : view.picture(false),
    };
  }

  /** As a viewer has it that draws the pointer itself, and as one has it that does not. */
  shown(withPointer = true): Uint32Array {
    const bare = this.view().picture(true);
    const { cursor, pointer } = this;
    const picture =
      cursor === null || !withPointer ? bare : composeCursor(bare, cursor, pointer.x, pointer.y);
    const { bytes, offset, strideBytes } = picture.pixels(this.frame.rect);
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
    const { width, height } = this.frame;
    return Uint32Array.from({ length: width * height }, (_, i) =>
      view.getUint32(Math.floor(i / width) * strideBytes + (i % width) * 4, true),
    );
  }
}

/** A triangle; none without a side. */
export function arrow(colour: number, side: number): Cursor | null {
  if (side === 0) return null;
  const words = Uint32Array.from({ length: side * side }, (_, i) =>
    i % side <= Math.floor(i / side) ? (0xff000000 | colour) >>> 0 : 0,
  );
  const hotspot = side >> 1;
  return {
    ...{ width: side, height: side, hotspotX: hotspot, hotspotY: hotspot },
    rgba: new Uint8Array(words.buffer),
  };
}
