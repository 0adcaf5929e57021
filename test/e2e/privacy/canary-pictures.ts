import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import type { Test } from "tap";
import * as z from "zod";
import { Framebuffer } from "../../../src/framebuffer/framebuffer.ts";
import { boundRects, type Rect } from "../../../src/framebuffer/rect.ts";
import { PictureDecoder, readHeads } from "../../../src/protocols/recording/picture-decoder.ts";
import { decodePicture } from "../harness/browser.ts";
import type { Shot } from "../harness/xwd.ts";
import { isReadIn, readForeign } from "./foreign-reader.ts";
import { frameOf, type Sight } from "./sight.ts";

/** So far a lossy film may be from one colour, in each channel. */
const FILM_NOISE = 12;

const exportedSchema = z.object({
  width: z.int(),
  height: z.int(),
  /** x, y and a PNG in base64 each. */
  parts: z.array(z.tuple([z.int(), z.int(), z.string()])),
});

/** What must not be seen, and what must, so that a picture that shows nothing else was looked at. */
interface Looked {
  readonly secrets: Sight;
  readonly clean: Sight;
  /** What another reader must not read, and what it must. */
  readonly texts: readonly string[];
  readonly cleanText: string;
}

/** Pictures that left the server, by the way that they took. */
export class CanaryPictures {
  readonly #pictures: { readonly what: string; readonly shot: Shot }[] = [];
  readonly #exports: { readonly what: string; readonly frames: readonly unknown[] }[] = [];

  add(what: string, shot: Shot): void {
    this.#pictures.push({ what, shot });
  }

  /** A recording's chunks as they come over REST, from a key on: the last picture of each. */
  addChunks(what: string, chunks: readonly Uint8Array[]): void {
    const decoder = new PictureDecoder((width, height) => new Framebuffer(width, height));
    for (const deflated of chunks) {
      const chunk = inflateRawSync(deflated);
      for (const head of readHeads(chunk)) decoder.paint(chunk, head);
      if (decoder.frame !== null) this.add(what, shotOf(decoder.frame));
    }
  }

  async addFile(what: string, file: Uint8Array): Promise<void> {
    this.add(what, await decodePicture(file));
  }

  /** Those of an export, each of which is only what differs from the one before. */
  addExport(what: string, frames: readonly unknown[]): void {
    this.#exports.push({ what, frames });
  }

  /**
   * Looks at all of them pixel by pixel, and at the last of each way by another reader. `exact`: ways that change no pixel,
   * whose last picture has the clean words.
   */
  async check(
    t: Test,
    { secrets, clean, texts, cleanText }: Looked,
    exact: readonly string[],
  ): Promise<void> {
    for (const { what, frames } of this.#exports) {
      t.ok(frames.length > 1, `${frames.length} pictures of ${what}`);
      await this.#play(what, frames, secrets);
    }
    const last = new Map<string, Shot>();
    for (const { what, shot } of this.#pictures) {
      secrets.look(frameOf(shot), what);
      last.set(what, shot);
    }
    t.same(secrets.leaks, [], `nothing in ${secrets.count} pictures of ${last.size} ways`);
    for (const what of exact) {
      const shot = last.get(what);
      const isThere = shot !== undefined && clean.find(frameOf(shot), null).length > 0;
      t.ok(isThere, `${what}: the clean words, pixel by pixel`);
    }
    const reads = new Map<string, Promise<string>>();
    for (const [what, shot] of last) {
      const hash = createHash("sha256")
        .update(`${shot.width}x${shot.height} `)
        .update(shot.rgba)
        .digest("hex");
      // Most ways show the same pixels.
      const reading = reads.get(hash) ?? readForeign(shot);
      reads.set(hash, reading);
      const read = await reading;
      const leaked = texts.filter((text) => isReadIn(text, read));
      t.same(leaked, [], `${what}, read by another reader`);
      t.ok(isReadIn(cleanText, read), `${what}: the clean words are read there`);
    }
    t.comment(`${reads.size} of ${last.size} last pictures differ`);
  }

  /** Puts them over one another, as a player does, and keeps the last. */
  async #play(what: string, frames: readonly unknown[], secrets: Sight): Promise<void> {
    let screen: Framebuffer | null = null;
    for (const { width, height, parts } of frames.map((frame) => exportedSchema.parse(frame))) {
      let changed: Rect | null = null;
      screen ??= frameOf({ width, height, rgba: new Uint8Array(width * height * 4) });
      for (const [x, y, png] of parts) {
        const part = await decodePicture(Buffer.from(png, "base64"));
        for (let row = 0; row < part.height; row++) {
          const from = row * part.width * 4;
          screen.bytes.set(part.rgba.subarray(from, from + part.width * 4), ((y + row) * width + x) * 4);
        }
        const at = { x, y, width: part.width, height: part.height };
        changed = changed === null ? at : boundRects(changed, at);
      }
      secrets.look(screen, what, changed);
    }
    if (screen !== null) this.add(what, shotOf(screen));
  }
}

/** A copy, as it is now. */
export function shotOf({ width, height, bytes }: Framebuffer): Shot {
  return { width, height, rgba: Uint8Array.from(bytes) };
}

/** Whether all of a picture is of one colour, as what hides it is. */
export function isPlain({ rgba }: Shot, noise: "none" | "film"): boolean {
  const most = noise === "none" ? 0 : FILM_NOISE;
  return rgba.every((value, at) => Math.abs(value - (rgba[at % 4] ?? 0)) <= most);
}
