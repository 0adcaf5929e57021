import type { Size } from "../../framebuffer/rect.ts";
import { pictureOf } from "../../imaging/pixels.ts";
import { encodePng } from "../../imaging/png/png.ts";
import { changedParts, type ExportFrame } from "./export-frames.ts";
import { replayPage } from "./export-html-page.ts";
import type { ReplayMoment } from "./export-moments.ts";

/** What a replay page says beside its pictures. Times are those of the export. */
export interface ReplayFacts {
  readonly title: string;
  readonly durationMs: number;
  /** ISO 8601, of the export's beginning. */
  readonly startedAt: string;
  readonly moments: readonly ReplayMoment[];
  /** The words and the detail of each moment in German. */
  readonly german: readonly (readonly [words: string, detail: string])[];
}

/**
 * One HTML file that plays by itself, offline, in any browser: the pictures as PNG, each only where it differs from the
 * one before, a whole one again before the parts weigh more than it.
 */
export async function* exportHtml(
  frames: AsyncIterable<ExportFrame & Size>,
  facts: ReplayFacts,
): AsyncGenerator<Uint8Array> {
  const page = replayPage(facts);
  const { durationMs: duration, moments, german } = facts;
  let isFirst = true;
  for await (const { width, height, ...frame } of frameParts(frames)) {
    const head = isFirst
      ? // With the first picture: where there is none, nothing was written yet.
        `${page.head}{${json({ width, height, duration, moments, german }).slice(1, -1)},"frames":[`
      : ",";
    isFirst = false;
    yield utf8(head + json(frame));
  }
  yield utf8(`]}${page.tail}`);
}

/** A line of JSON a picture, for a browser that makes a video of them: their size is in each. */
export async function* exportParts(frames: AsyncIterable<ExportFrame & Size>): AsyncGenerator<Uint8Array> {
  for await (const frame of frameParts(frames)) yield utf8(`${json(frame)}\n`);
}

/** A picture as what differs from the one before, as PNG; `key`: it is whole. */
interface FrameParts extends Size {
  /** Since the beginning of the export, and how long it stays, milliseconds. */
  readonly at: number;
  readonly duration: number;
  readonly key: boolean;
  /** x, y and a PNG in base64 each. */
  readonly parts: readonly (readonly [number, number, string])[];
}

async function* frameParts(frames: AsyncIterable<ExportFrame & Size>): AsyncGenerator<FrameParts> {
  let before: Uint8Array | null = null;
  let keyBytes = 0;
  let partBytes = 0;
  for await (const frame of frames) {
    const { width, height, rgba } = frame;
    const image = pictureOf({ width, height, rgba });
    const isKey: boolean = before === null || partBytes > keyBytes;
    const rects =
      isKey || before === null ? [{ x: 0, y: 0, width, height }] : changedParts(before, rgba, frame);
    const parts: (readonly [number, number, string])[] = [];
    let bytes = 0;
    for (const rect of rects) {
      const png = (await encodePng(image, rect)).toString("base64");
      bytes += png.length;
      parts.push([rect.x, rect.y, png]);
    }
    if (isKey) {
      keyBytes = bytes;
      partBytes = 0;
    } else partBytes += bytes;
    before = rgba;
    const at = Math.round(frame.atMs);
    yield { width, height, at, duration: Math.round(frame.durationMs), key: isKey, parts };
  }
}

/** JSON that may stand in a script element: nothing in it can end the element. */
function json(value: object): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function utf8(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}
