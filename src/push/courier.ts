import type { Clock } from "../platform/clock.ts";
import type { Notice, PushMessage } from "./notice.ts";
import { PushError, type PushReceiver } from "./receiver.ts";

/** Messages that wait for one receiver; a person could not answer more either. */
const MOST_WAITING = 100;
/** An agent that asks and takes back by turns is no alarm clock: what comes faster waits. */
const MOST_A_MINUTE = 30;
const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/** Why a message did not arrive. */
type Loss = "full" | "expired" | "refused" | "stopped";

export interface CourierPorts {
  readonly clock: Clock;
  sent(notice: Notice, receiver: string): void;
  lost(notice: Notice, receiver: string, why: Loss): void;
  /** Once when a receiver begins to fail, and once when it works again. */
  changed(receiver: string, isWorking: boolean, error: unknown): void;
}

/**
 * Brings messages to one receiver, one after the other, and tries again while what they are about is open. Nothing is kept
 * on the disk: a question does not outlast the process, and of what was not brought each is told as lost.
 */
export class Courier {
  readonly #receiver: PushReceiver;
  readonly #ports: CourierPorts;
  readonly #waiting: PushMessage[] = [];
  /** When those of the last minute were sent. */
  #sentAtMs: number[] = [];
  #retryMs = FIRST_RETRY_MS;
  #isFailing = false;
  #isSending = false;
  /** The one that is being sent is about nothing that is open any longer. */
  #isSettled = false;
  #isClosed = false;
  #cancelPause: (() => void) | null = null;

  constructor(receiver: PushReceiver, ports: CourierPorts) {
    this.#receiver = receiver;
    this.#ports = ports;
  }

  add(notice: Notice): void {
    if (this.#isClosed || !this.#receiver.wants(notice)) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#ports.lost(notice, this.#receiver.name, "full");
      return;
    }
    this.#waiting.push({ notice, link: this.#receiver.linkOf(notice) });
    this.#go();
  }

  /** Nobody need be told any longer: that is no loss. */
  settle(id: string): void {
    const at = this.#waiting.findIndex(({ notice }) => notice.id === id);
    if (at === 0 && this.#isSending) this.#isSettled = true;
    else if (at >= 0) this.#waiting.splice(at, 1);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPause?.();
    for (const { notice } of this.#waiting.splice(0)) {
      this.#ports.lost(notice, this.#receiver.name, "stopped");
    }
  }

  #go(): void {
    const { clock } = this.#ports;
    if (this.#isClosed || this.#isSending || this.#cancelPause !== null) return;
    this.#loseExpired();
    const [message] = this.#waiting;
    if (message === undefined) return;
    const sinceMs = clock.nowMs() - MINUTE_MS;
    this.#sentAtMs = this.#sentAtMs.filter((atMs) => atMs > sinceMs);
    const [oldest] = this.#sentAtMs;
    if (oldest !== undefined && this.#sentAtMs.length >= MOST_A_MINUTE) {
      this.#pause(oldest - sinceMs);
      return;
    }
    this.#isSending = true;
    this.#isSettled = false;
    this.#receiver.send(message).then(
      () => this.#arrived(message),
      (error: unknown) => this.#failed(message, error),
    );
  }

  #arrived(message: PushMessage): void {
    const { clock, sent, changed } = this.#ports;
    this.#isSending = false;
    this.#retryMs = FIRST_RETRY_MS;
    if (this.#isFailing) changed(this.#receiver.name, true, null);
    this.#isFailing = false;
    // Those that wait were lost when this was closed, and this one with them.
    if (this.#isClosed) return;
    this.#waiting.shift();
    this.#sentAtMs.push(clock.nowMs());
    sent(message.notice, this.#receiver.name);
    this.#go();
  }

  #failed({ notice }: PushMessage, error: unknown): void {
    const { lost, changed } = this.#ports;
    this.#isSending = false;
    if (!this.#isFailing) changed(this.#receiver.name, false, error);
    this.#isFailing = true;
    if (this.#isClosed) return;
    const { isFinal, pauseMs } = error instanceof PushError ? error : { isFinal: false, pauseMs: 0 };
    if (this.#isSettled) this.#waiting.shift();
    else if (isFinal) {
      this.#waiting.shift();
      lost(notice, this.#receiver.name, "refused");
      this.#go();
      return;
    }
    this.#pause(Math.min(LONGEST_RETRY_MS, Math.max(pauseMs, this.#retryMs)));
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #pause(ms: number): void {
    this.#cancelPause = this.#ports.clock.after(
      ms,
      () => {
        this.#cancelPause = null;
        this.#go();
      },
      { isIdle: true },
    );
  }

  #loseExpired(): void {
    const now = this.#ports.clock.date().getTime();
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      const notice = this.#waiting[at]?.notice;
      if (notice === undefined || Date.parse(notice.expiresAt) > now) continue;
      this.#waiting.splice(at, 1);
      this.#ports.lost(notice, this.#receiver.name, "expired");
    }
  }
}
