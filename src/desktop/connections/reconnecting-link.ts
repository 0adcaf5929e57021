import { type Clock, delay } from "../../platform/clock.ts";
import { LinkError } from "../error.ts";
import { DesktopFiles } from "../files/desktop-files.ts";
import type { Link, LinkEvents } from "../link.ts";
import { ConnectTurns } from "./connect-turns.ts";
import { TargetSound } from "./target-sound.ts";

/** How long the first look at an unwatched desktop waits for what the target has not been asked for. */
const REFRESH_MS = 1000;

/** A picture that nobody watches is as old as this, at most, when a person looks once: hosts of RDP send nothing by themselves then. */
const OLD_MS = 5000;

/** What a desktop is doing about its target. Times are the clock's `nowMs`. */
export type DesktopState =
  /** `received`: how much of the first picture is there, 0 to 1; absent before any of it came. */
  | { readonly kind: "connecting"; readonly sinceMs: number; readonly received?: number }
  | { readonly kind: "live"; readonly sinceMs: number; readonly description: string }
  /** Connected but silent: the last picture is kept. */
  | { readonly kind: "stalled"; readonly sinceMs: number }
  | {
      readonly kind: "reconnecting";
      readonly attempt: number;
      readonly nextAtMs: number;
      readonly error: LinkError;
    }
  /** Trying again with the same settings cannot help. */
  | { readonly kind: "failed"; readonly error: LinkError }
  | { readonly kind: "closed" };

/** What this hears itself. */
type Kept = "closed" | "stalled" | "step" | "progress" | "soundOffered" | "sound" | "files";

/** What is passed on of a link, and what this adds. */
export type ReconnectingLinkEvents = Omit<LinkEvents, Kept> & {
  state(state: DesktopState): void;
  /** The link is gone; another may follow. */
  lost(error: LinkError): void;
};

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;

/** The target of the moment. */
export interface LinkTarget {
  openLink(): Link;
  /** Where it is, for `turns`. */
  host(): string;
  /** Of all targets; absent, this one is alone. */
  readonly turns?: ConnectTurns | undefined;
  /** Where files lie that are sent to it; absent: none can be. */
  readonly fileFolder?: string | undefined;
}

/** Keeps one target connected: opens links, tries again with growing pauses, and says what it does. */
export class ReconnectingLink {
  readonly sound = new TargetSound(() => this.#link);
  readonly files: DesktopFiles;
  readonly #target: LinkTarget;
  readonly #turns: ConnectTurns;
  readonly #events: ReconnectingLinkEvents;
  readonly #clock: Clock;
  readonly #random: () => number;
  #state: DesktopState;
  #link: Link | null = null;
  #attempt = 0;
  #lastError: LinkError | null = null;
  #cancelRetry: (() => void) | null = null;
  #endTurn: (() => void) | null = null;
  /** Until the first picture everything is asked for. */
  #isFollowed = true;
  /** Somebody looks again, and what changed before was not asked for yet. */
  #isBehind = false;
  #catchingUp: Promise<void> | null = null;
  /** When the target was last asked for what changed while nobody looked. */
  #caughtUpAtMs = Number.NEGATIVE_INFINITY;

  /** `random`: 0 to 1, spreads the retries of many desktops. */
  constructor(target: LinkTarget, events: ReconnectingLinkEvents, clock: Clock, random: () => number) {
    this.#target = target;
    this.files = new DesktopFiles({ clock, folder: target.fileFolder, link: () => this.#link });
    this.#turns = target.turns ?? new ConnectTurns(clock);
    this.#events = events;
    this.#clock = clock;
    this.#random = random;
    this.#state = { kind: "connecting", sinceMs: clock.nowMs() };
  }

  get state(): DesktopState {
    return this.#state;
  }

  /** What ended the last link, until another is live. */
  get lastError(): LinkError | null {
    return this.#lastError;
  }

  get link(): Link | null {
    return this.#link;
  }

  /** Whether somebody looks: the target is asked for what changes. */
  follow(isWatched: boolean): void {
    if (isWatched && !this.#isFollowed) this.#isBehind = true;
    this.#isFollowed = isWatched;
    this.#link?.follow(isWatched);
  }

  /** Resolves when the picture has what changed while nobody looked, or soon where the target does not answer. */
  async refreshed(): Promise<void> {
    const isOld = !this.#isFollowed && this.#clock.nowMs() - this.#caughtUpAtMs >= OLD_MS;
    if (!this.#isBehind && !isOld) return;
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#isBehind = false;
      this.#caughtUpAtMs = this.#clock.nowMs();
      this.#catchingUp = null;
    });
    await this.#catchingUp;
  }

  async #catchUp(): Promise<void> {
    if (this.#link === null || this.state.kind !== "live") return;
    const limit = new AbortController();
    const answered = this.#link.latest().catch(() => undefined); // lost: then the last picture must do, marked stale
    const timeout = delay(this.#clock, REFRESH_MS, limit.signal).catch(() => undefined);
    await Promise.race([answered, timeout]);
    limit.abort();
  }

  open(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#endTurn?.();
    this.#enter({ kind: "connecting", sinceMs: this.#clock.nowMs() });
    this.#endTurn = this.#turns.take(this.#target.host(), () => this.#connect());
  }

  #connect(): void {
    const link = this.#target.openLink();
    this.#link = link;
    link.open({
      ...this.#events,
      ready: (info) => {
        this.#endTurn?.();
        this.#events.ready(info);
      },
      update: (update) => this.#events.update(update),
      stalled: (isStalled) => {
        if (isStalled && this.#state.kind === "live") {
          this.#enter({ kind: "stalled", sinceMs: this.#clock.nowMs() });
        } else if (!isStalled && this.#state.kind === "stalled") {
          this.live();
        }
      },
      progress: (part) => this.received(part),
      soundOffered: () => this.sound.offered(),
      sound: (samples) => this.sound.played(samples),
      files: (event) => this.files.hear(event),
      step: () => undefined,
      closed: (error) => this.#onClosed(link, error),
    });
  }

  /** So much of the first picture is there, 0 to 1; told on in whole percents. */
  received(part: number): void {
    const state = this.#state;
    if (state.kind !== "connecting") return;
    const received = Math.floor(part * 100) / 100;
    if (received !== (state.received ?? 0)) this.#enter({ ...state, received });
  }

  /** The picture is whole: the target is in use. */
  live(): void {
    this.#attempt = 0;
    this.#lastError = null;
    const description = this.#link?.description ?? "";
    this.#enter({ kind: "live", sinceMs: this.#clock.nowMs(), description });
  }

  /** Gives up the present link, if there is one, and tries anew at once. */
  reconnect(): void {
    if (this.#state.kind === "closed") return;
    this.#drop("the connection was given up for a new one");
    this.#attempt = 0;
    this.open();
  }

  close(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#drop("the desktop was removed");
    this.files.close();
    if (this.#state.kind !== "closed") this.#enter({ kind: "closed" });
  }

  /** A link that is closed says nothing, so this is told for it. */
  #drop(why: string): void {
    this.#endTurn?.();
    const link = this.#link;
    this.#link = null;
    if (link === null) return;
    link.close();
    this.sound.lost();
    this.files.lost();
    this.#events.lost(new LinkError("target_closed", why));
  }

  #onClosed(link: Link, error: LinkError): void {
    if (link !== this.#link) return;
    this.#endTurn?.();
    this.#link = null;
    this.#lastError = error;
    this.sound.lost();
    this.files.lost();
    this.#events.lost(error);
    if (error.isFinal) {
      this.#enter({ kind: "failed", error });
      return;
    }
    this.#attempt++;
    const pauseMs =
      Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#attempt - 1)) * (0.8 + 0.4 * this.#random());
    this.#cancelRetry = this.#clock.after(pauseMs, () => this.open());
    this.#enter({
      kind: "reconnecting",
      attempt: this.#attempt,
      nextAtMs: this.#clock.nowMs() + pauseMs,
      error,
    });
  }

  #enter(state: DesktopState): void {
    this.#state = state;
    this.#events.state(state);
  }
}
