import { targetsOf } from "../../../framebuffer/copy-move.ts";
import type { CopyMove, Picture } from "../../../framebuffer/picture.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import { raw } from "../encodings/raw.ts";
import { ENCODING } from "../numbers.ts";
import type { Announcements, Layout } from "./announcements.ts";
import { type EncodedUpdate, reachOf, servesAlso } from "./encoded-update.ts";
import { updateFence } from "./fence.ts";
import { cannotResize } from "./layout-check.ts";
import type { MessageQueue } from "./message-queue.ts";
import { atMost, inTurn, piecesOf } from "./pieces.ts";
import { PixelSender } from "./pixel-sender.ts";
import { cutRect } from "./rect-encoder.ts";
import type { PixelStyle, RfbServerPorts } from "./server-context.ts";
import type { UpdateRequests } from "./update-requests.ts";
import { joinParts, UpdateWriter } from "./update-writer.ts";
import type { ViewerSettings } from "./viewer-settings.ts";

/** Bytes of an update in which lossy pixels are sent again exactly: what is new must not wait long for them. */
const MAX_REFINEMENT_BYTES = 256 * 1024;

/** Of an open update, or of one that may become open, in one turn. */
const MAX_PART_BYTES = 512 * 1024;

/** Damage of more rectangles than this is sent as its bounds: the headers would cost more than the pixels. */
const MAX_DAMAGE_RECTS = 1024;

/** A pixel of a picture that is gone: what stands for it in an update that was announced to have more. */
const GONE: Rect = { x: 0, y: 0, width: 1, height: 1 };

export interface UpdateSenderParts {
  readonly ports: RfbServerPorts;
  readonly queue: MessageQueue;
  readonly settings: ViewerSettings;
  readonly requests: UpdateRequests;
  readonly announcements: Announcements;
  readonly maxUpdateBytes: number;
}

/** An update that takes more than one turn of the event loop: some of it has gone, its header with it. */
interface OpenUpdate {
  readonly writer: UpdateWriter;
  /** As the viewer wished when it began: all of an update is of one pixel format. */
  readonly style: PixelStyle;
  /** All that its header counts. */
  readonly pieces: readonly Rect[];
  /** The first of the pieces that is not encoded. */
  readonly next: number;
}

/**
 * Makes the updates of one viewer, and spreads a large one over turns of the event loop.
 *
 * What a viewer asks for by a request that is not incremental comes in one update, however large (RFC 6143 sections
 * 7.5.3 and 7.6.1): programs that take one picture ask once and take the first update for all of it (gvnccapture 1.3.1
 * and vncsnapshot 1.2a, 2026-11). It goes out by parts, for which the owner waits until there is room.
 *
 * INVARIANT: pixels of a piece are those of the picture at the turn that encodes it. So what changes meanwhile in the
 * pieces still to come comes with them and is damage no longer, what changes elsewhere stays damage for the next
 * update, and nothing that the viewer shows is out of date without being owed: it may see an old part beside a new one
 * for as long as the update lasts, and no longer than until the next.
 */
export class UpdateSender {
  readonly pixels: PixelSender;
  readonly #parts: UpdateSenderParts;
  #open: OpenUpdate | null = null;
  /** The row where the last update that had to stop did. */
  #stoppedAtY = 0;
  #made: EncodedUpdate | null = null;
  readonly #joinUpdate: NonNullable<RfbServerPorts["joinUpdate"]>;
  readonly #pictureNumber: NonNullable<RfbServerPorts["pictureNumber"]>;
  readonly #takeFilms: NonNullable<RfbServerPorts["takeFilms"]>;
  readonly #encodedRects: NonNullable<RfbServerPorts["encodedRects"]>;

  constructor(parts: UpdateSenderParts) {
    this.#parts = parts;
    this.#joinUpdate = parts.ports.joinUpdate ?? joinParts;
    this.#pictureNumber = parts.ports.pictureNumber ?? (() => 0);
    this.#takeFilms = parts.ports.takeFilms ?? (() => []);
    this.#encodedRects = parts.ports.encodedRects ?? (() => []);
    this.pixels = new PixelSender(parts.ports, parts.settings);
  }

  get #partBytes(): number {
    return Math.min(MAX_PART_BYTES, this.#parts.maxUpdateBytes);
  }

  /** True while the viewer has got a part of an update and waits for the rest. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** The last update, where others who are owed the same may get the very bytes. */
  get made(): EncodedUpdate | null {
    return this.#made;
  }

  /** As RfbServer's `update`, of what is visible of a desktop. */
  update(
    picture: Picture,
    layout: Layout,
    visible: Rect,
    painted: Region,
    copies: readonly CopyMove[],
  ): Region {
    this.#made = null;
    const moved = Region.from(copies.map((move) => move.to));
    const damage = painted.union(moved).clip(visible);
    if (this.#open !== null) {
      const left = damage.subtract(Region.from(this.#open.pieces.slice(this.#open.next)));
      this.#goOn(this.#open, picture);
      return left;
    }
    const { announcements, requests, settings, maxUpdateBytes } = this.#parts;
    if (!requests.isOpen) return damage;
    const writer = new UpdateWriter();
    const isPlain = announcements.isEmpty && requests.refresh.isEmpty;
    if (!announcements.isEmpty) {
      const isSizeDue = announcements.isSizeDue;
      if (isSizeDue && !settings.takesResize) throw cannotResize(layout);
      announcements.put(writer, settings, layout);
      if (isSizeDue) {
        this.#finish(writer, Region.empty);
        return damage;
      }
    }
    const { style } = settings;
    const { isWhole, asked, canCopy, region, pieces } = this.#plan(visible, painted, copies);
    if (canCopy) this.pixels.copy(writer, copies);
    const films = this.#takeFilms(asked);
    this.pixels.film(writer, films);
    const limitBytes = isWhole ? this.#partBytes : maxUpdateBytes;
    const hadBegun = this.pixels.hasBegun(style.encoding.number);
    const { next, exact, lossy } = this.pixels.put(writer, picture, pieces, 0, style, limitBytes);
    const owed = canCopy ? painted.clip(visible) : damage;
    const isSpread = next < pieces.length && !writer.isEmpty && (isWhole || this.#maySpread(writer));
    this.#stoppedAtY = isSpread ? 0 : (pieces[next]?.y ?? 0);
    if (isSpread) {
      const planned = this.#begin(
        writer,
        style,
        isWhole ? pieces : this.#planned(writer, style, pieces, next),
        next,
      );
      return owed.subtract(planned);
    }
    const sent = next === pieces.length ? region : Region.from(pieces.slice(0, next));
    const left = owed.subtract(sent);
    if (writer.isEmpty) return left;
    const message = this.#finish(writer, sent);
    if (isPlain && films.length === 0 && hadBegun && left.isEmpty) {
      const moves = canCopy ? copies : [];
      const { sizeBytes } = writer;
      const { hasCopyRect } = settings;
      const reach = reachOf(region, moves);
      // One literal, since every viewer reads it: objects of spread parts have no shape that the engine knows.
      this.#made = { message, sizeBytes, style, hasCopyRect, visible, region, moves, exact, lossy, reach };
    }
    return left;
  }

  /** As RfbServer's. */
  get isPlain(): boolean {
    const { announcements, requests } = this.#parts;
    return this.#open === null && announcements.isEmpty && requests.refresh.isEmpty;
  }

  /** As RfbServer's `prepare`. */
  prepare(picture: Picture, visible: Rect, painted: Region, copies: readonly CopyMove[]): boolean {
    const { pieces } = this.#plan(visible, painted, copies);
    return this.pixels.prepare(picture, pieces, this.#parts.settings.style, this.#parts.maxUpdateBytes);
  }

  /** What an update of this damage is made of. */
  #plan(visible: Rect, painted: Region, copies: readonly CopyMove[]) {
    const { requests, settings } = this.#parts;
    const asked = requests.region.clip(visible);
    const isWhole = !requests.refresh.intersect(asked).isEmpty;
    const canCopy = requests.refresh.isEmpty && this.pixels.canCopy(copies, asked);
    const pixels = canCopy ? painted : painted.union(targetsOf(copies));
    const due = pixels.union(requests.refresh).intersect(asked);
    const region = due.simplified(MAX_DAMAGE_RECTS).intersect(asked);
    const { style } = settings;
    const encoded = isWhole ? [] : this.#encodedRects(style);
    const pieces = style.encoding === raw ? region.rects.flatMap(cutRect) : piecesOf(region, asked, encoded);
    return { isWhole, asked, canCopy, region, pieces: inTurn(pieces, this.#stoppedAtY) };
  }

  /** As RfbServer's `repeat`. */
  repeat(made: EncodedUpdate, visible: Rect): boolean {
    const { requests, settings } = this.#parts;
    if (!this.isPlain || !servesAlso(made, settings, visible) || !requests.holds(made.reach)) return false;
    if (!this.pixels.hasBegun(made.style.encoding.number)) return false;
    this.pixels.repeat(made);
    requests.answered(made.region);
    this.#end(made.message, made.sizeBytes);
    return true;
  }

  /** As RfbServer's `refine`. */
  refine(picture: Picture, visible: Rect): void {
    const { announcements, requests, settings, maxUpdateBytes } = this.#parts;
    const { still } = this.pixels.lossy;
    if (this.isOpen || !requests.isOpen || still.isEmpty || announcements.isSizeDue) return;
    const pieces = still.clip(visible).intersect(requests.region).rects.flatMap(cutRect);
    const writer = new UpdateWriter();
    const style = { ...settings.style, jpegQuality: null };
    const limitBytes = Math.min(MAX_REFINEMENT_BYTES, maxUpdateBytes);
    const { next } = this.pixels.put(writer, picture, pieces, 0, style, limitBytes);
    if (!writer.isEmpty) this.#finish(writer, Region.from(pieces.slice(0, next)));
  }

  /** Ends an open update before all of it is encoded: the picture that it was of is gone, and all is new anyway. */
  cutShort(): void {
    const open = this.#open;
    if (open === null) return;
    const { writer, style, pieces, next } = open;
    const pixelBytes = style.format.bitsPerPixel >> 3;
    for (let i = next; i < pieces.length; i++) writer.begin(GONE, ENCODING.raw).pad(pixelBytes);
    this.#close(writer);
  }

  /**
   * Only the turn's end spreads an update of what changed, and only where the viewer asks for each: with continuous
   * updates the next one needs no asking, and other messages may go between.
   */
  #maySpread(writer: UpdateWriter): boolean {
    const { requests, maxUpdateBytes } = this.#parts;
    return !writer.isFull && writer.sizeBytes < maxUpdateBytes && !requests.isContinuous;
  }

  /** Of what changed, as much as may be in one update: what is newest then shows soon. */
  #planned(writer: UpdateWriter, style: PixelStyle, pieces: readonly Rect[], next: number): readonly Rect[] {
    return atMost(pieces, next, (this.#parts.maxUpdateBytes - writer.sizeBytes) / pixelBytesOf(style));
  }

  /**
   * Sends the first part, and with it the header; returns all pixels that the update will hold. The header counts them,
   * also for viewers with LastRect: vncsnapshot 1.2a asks for that, speaks 3.3, and does not know it (2026-11).
   */
  #begin(writer: UpdateWriter, style: PixelStyle, pieces: readonly Rect[], next: number): Region {
    const { requests, queue } = this.#parts;
    const counted = pieces.slice(0, next + writer.room);
    this.#open = { writer, style, pieces: counted, next };
    queue.part(this.#joinUpdate(writer.take(writer.count + counted.length - next)));
    const region = Region.from(counted);
    requests.answered(region);
    return region;
  }

  /** Encodes what this turn has time for. */
  #goOn(open: OpenUpdate, picture: Picture): void {
    const { writer, style, pieces } = open;
    const before = writer.sizeBytes;
    const { next } = this.pixels.put(writer, picture, pieces, open.next, style, before + this.#partBytes);
    if (next === pieces.length) {
      this.#close(writer);
      return;
    }
    this.#open = { ...open, next };
    if (writer.sizeBytes > before) this.#parts.queue.part(this.#joinUpdate(writer.take()));
  }

  #close(writer: UpdateWriter): void {
    this.#open = null;
    this.#end(this.#joinUpdate(writer.take()), writer.sizeBytes);
  }

  /** Returns the message. */
  #finish(writer: UpdateWriter, sent: Region): Uint8Array {
    const message = this.#joinUpdate(writer.take());
    this.#parts.requests.answered(sent);
    this.#end(message, writer.sizeBytes);
    return message;
  }

  /** The fence goes along with the message: a write of its own costs as much as one of many kilobytes. */
  #end(message: Uint8Array, sizeBytes: number): void {
    const { requests, queue } = this.#parts;
    const number = requests.isContinuous ? requests.launch(sizeBytes, this.#pictureNumber()) : null;
    if (number === null) {
      queue.end(message);
      return;
    }
    queue.end(this.#joinUpdate([message, updateFence(number)]));
  }
}

/** What a pixel takes at most, roughly: compressed, a byte is more than most do. */
function pixelBytesOf({ encoding, format }: PixelStyle): number {
  return encoding === raw ? format.bitsPerPixel >> 3 : 1;
}
