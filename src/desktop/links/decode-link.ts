import type { Framebuffer } from "../../framebuffer/framebuffer.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { Region } from "../../framebuffer/region.ts";
import type { Clock } from "../../platform/clock.ts";
import { LinkError } from "../error.ts";
import type { Link, LinkEvents } from "../link.ts";
import { DecodeCandidate } from "./decode-candidate.ts";
import { heardWhile } from "./decode-ear.ts";
import { DecodeHeld } from "./decode-held.ts";
import { DecodeJudge } from "./decode-judge.ts";

/** The second link has so long to show a whole picture, and people and agents so long to let go of everything. */
const MOVE_MS = 30_000;
/** What was sent by the first link has so long to arrive; input waits meanwhile. */
const HANDOVER_MS = 5000;
/**
 * Where the target has no fences any update passes for an answer: those on their way when the first question is asked
 * are one to a request, and a link has hardly more than three under way.
 */
const QUESTIONS = 4;
const LINGER_MS = 5000;
/** After a move that came to nothing the next one waits so long, and each time twice as long. */
const FIRST_PAUSE_MS = 60_000;
const MOST_PAUSES = 6;

type Turn = (startMs: number, tookMs: number) => void;

export interface DecodeLinkOptions {
  /** A link that decodes on this thread and tells of its turns. */
  readonly openHere: (onTurn: Turn) => Link;
  /** A link to the same target that decodes on another thread. */
  readonly openThere: () => Link;
  /** The link has been found too heavy for this thread. */
  readonly onHeavy: () => void;
  /** The second link has taken the place of the first. */
  readonly onMoved: () => void;
}

/**
 * A link that begins on the main thread and moves to one of its own when its decoding keeps others waiting. The second
 * link is opened beside the first; it takes over once it has painted everything, nothing is pressed, and the target
 * has processed all that was sent before. Where any of this fails the first one stays.
 */
export class DecodeLink implements Link {
  readonly #options: DecodeLinkOptions;
  readonly #clock: Clock;
  readonly #judge = new DecodeJudge();
  readonly #held = new DecodeHeld();
  #link: Link;
  #events: LinkEvents | null = null;
  #isWatched = false;
  /** What of the present turn's time was not decoding. */
  #elsewhereMs = 0;
  #candidate: DecodeCandidate | null = null;
  /** The link whose place was taken, until its last words are surely heard. */
  #first: Link | null = null;
  #isCandidateWhole = false;
  #cancelMove: (() => void) | null = null;
  #mayMoveAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** Input that waits for the handover; null while there is none. */
  #waiting: ((link: Link) => void)[] | null = null;

  constructor(options: DecodeLinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#link = options.openHere((startMs, tookMs) => this.#onTurn(startMs, tookMs));
  }

  get framebuffer(): Framebuffer {
    return this.#link.framebuffer;
  }

  get isExact(): boolean {
    return this.#link.isExact;
  }

  get description(): string {
    return this.#link.description;
  }

  hasFence(): boolean {
    return this.#link.hasFence?.() ?? false;
  }

  get hasLatinClipboard(): boolean {
    return this.#link.hasLatinClipboard === true;
  }

  get provesClipboard(): boolean {
    return this.#link.provesClipboard === true;
  }

  get newKeys(): number | undefined {
    return this.#link.newKeys;
  }

  canType(keysym: number): boolean {
    return this.#link.canType?.(keysym) !== false;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const first = this.#link;
    first.open(
      heardWhile(() => this.#link === first, {
        ...events,
        ready: (info) => this.#elsewhere(() => events.ready(info)),
        update: (update) => this.#elsewhere(() => events.update(update)),
        resize: (screens) => this.#elsewhere(() => events.resize(screens)),
        closed: (error) => this.#end(error),
      }),
    );
  }

  follow(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#link.follow(isWatched);
    this.#candidate?.link.follow(isWatched);
  }

  refresh(): void {
    this.#link.refresh();
  }

  barrier(): Promise<void> {
    return this.#ask((link) => link.barrier());
  }

  latest(area?: Rect | null): Promise<void> {
    return this.#ask((link) => link.latest(area));
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#send((link) => {
      link.pointer(x, y, buttons);
      this.#held.pointer(buttons);
    });
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    this.#send((link) => {
      link.key(keysym, isDown, scancode);
      this.#held.key(keysym, isDown);
    });
  }

  clipboard(text: string): void {
    this.#send((link) => link.clipboard(text));
  }

  resize(width: number, height: number, screens?: readonly Rect[]): boolean | Promise<boolean> {
    return this.#link.resize(width, height, screens);
  }

  close(): void {
    this.#events = null;
    this.#forget();
    this.#flush();
    this.#link.close();
  }

  #send(send: (link: Link) => void): void {
    if (this.#waiting !== null) {
      this.#waiting.push(send);
      return;
    }
    send(this.#link);
    this.#handOver();
  }

  /** What the first link was asked and did not live to answer the second one is asked again. */
  #ask(ask: (link: Link) => Promise<void>): Promise<void> {
    const asking = (link: Link): Promise<void> =>
      ask(link).catch((error: unknown) => {
        if (link === this.#link || this.#events === null) throw error;
        return ask(this.#link);
      });
    const waiting = this.#waiting;
    if (waiting === null) return asking(this.#link);
    return new Promise((resolve, reject) => {
      waiting.push((link) => {
        if (this.#events === null) reject(new LinkError("target_closed", "the connection was closed here"));
        else asking(link).then(resolve, reject);
      });
    });
  }

  #elsewhere(work: () => void): void {
    const startMs = this.#clock.nowMs();
    work();
    this.#elsewhereMs += this.#clock.nowMs() - startMs;
  }

  #onTurn(startMs: number, tookMs: number): void {
    if (this.#first !== null) return; // moved already: these are its last words
    const decodingMs = tookMs - this.#elsewhereMs;
    this.#elsewhereMs = 0;
    const isHeavy = this.#judge.took(startMs, decodingMs);
    if (!isHeavy || this.#events === null || this.#candidate !== null || startMs < this.#mayMoveAtMs) return;
    this.#options.onHeavy();
    this.#move();
  }

  #move(): void {
    const candidate = new DecodeCandidate(this.#options.openThere());
    this.#candidate = candidate;
    this.#isCandidateWhole = false;
    this.#cancelMove = this.#clock.after(MOVE_MS, () => this.#giveUp(false));
    candidate.open(() => this.#isWatched, {
      whole: () => {
        this.#isCandidateWhole = true;
        this.#handOver();
      },
      failed: (error) => {
        if (this.#candidate === candidate) this.#giveUp(error?.isFinal === true);
      },
    });
  }

  /** Begins as soon as the second link has everything and the first one holds nothing. */
  #handOver(): void {
    const candidate = this.#candidate;
    if (candidate === null || !this.#isCandidateWhole || this.#waiting !== null || !this.#held.isEmpty)
      return;
    this.#waiting = [];
    this.#cancelMove?.();
    this.#cancelMove = this.#clock.after(HANDOVER_MS, () => this.#giveUp(false));
    // Two connections have no order between them: what was sent by the first has to be there before the second speaks.
    const first = this.#link;
    first.follow(false);
    arrived(first).then(
      () => {
        if (this.#candidate === candidate && this.#events !== null) this.#swap(candidate, this.#events);
      },
      () => undefined, // the first link has ended, and said so
    );
  }

  #swap(candidate: DecodeCandidate, events: LinkEvents): void {
    const first = this.#link;
    const { width, height } = first.framebuffer;
    this.#link = candidate.link;
    this.#cancelMove?.();
    this.#candidate = null;
    this.#linger(first);
    const { framebuffer } = candidate.link;
    if (framebuffer.width !== width || framebuffer.height !== height) events.resize(candidate.screens);
    if (candidate.cursor !== undefined) events.cursor(candidate.cursor);
    if (candidate.locks !== undefined) events.locks?.(candidate.locks);
    let isFirst = true;
    candidate.speakTo({
      ...events,
      update: (update) => {
        // Its memory may only be read while it tells of an update: the first one brings all that came before.
        const whole = { painted: Region.of(candidate.link.framebuffer.rect), copies: [] };
        events.update(isFirst ? whole : update);
        isFirst = false;
      },
      closed: (error) => this.#end(error),
    });
    // So that such an update comes at once.
    candidate.link.latest().catch(() => undefined);
    this.#flush();
    this.#options.onMoved();
  }

  /** A connection that is cut while it still brings pictures may lose what was sent by it last. */
  #linger(link: Link): void {
    this.#first = link;
    link.follow(false);
    this.#cancelMove = this.#clock.after(LINGER_MS, () => link.close());
  }

  /** The first link stays. */
  #giveUp(isForGood: boolean): void {
    const pauseMs = FIRST_PAUSE_MS * 2 ** Math.min(this.#failures++, MOST_PAUSES);
    this.#mayMoveAtMs = isForGood ? Number.POSITIVE_INFINITY : this.#clock.nowMs() + pauseMs;
    this.#forget();
    this.#link.follow(this.#isWatched);
    this.#flush();
  }

  #forget(): void {
    this.#cancelMove?.();
    this.#cancelMove = null;
    const candidate = this.#candidate;
    this.#candidate = null;
    candidate?.link.close();
    this.#first?.close();
  }

  #flush(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const send of waiting) send(this.#link);
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    this.#events = null;
    this.#forget();
    this.#flush();
    events.closed(error);
  }
}

/** Resolves when a link's target has processed all that was sent; rejects where the link ends. */
async function arrived(link: Link): Promise<void> {
  for (let i = 0; i < QUESTIONS; i++) await link.barrier();
}
