import type { Worker } from "node:worker_threads";
import { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Rect } from "../../../framebuffer/rect.ts";
import { Region } from "../../../framebuffer/region.ts";
import type { Clock } from "../../../platform/clock.ts";
import { ThreadWatchdog } from "../../../platform/thread-watchdog.ts";
import { openThread, THREAD_HEAP_MB } from "../../../platform/worker-thread.ts";
import type { FilesCommand } from "../../../protocols/rdp/files/file-messages.ts";
import type { TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents, Showing } from "../../link.ts";
import { forwardEvent } from "../forwarded-events.ts";
import { linkErrorOf } from "../link-error.ts";
import { errorData, errorOf, threadError } from "./worker-error.ts";
import {
  CONTROL,
  CONTROL_BYTES,
  type ErrorData,
  type FromThread,
  type LinkFacts,
  type LinkSettings,
  type Said,
  type SharedPicture,
  type ToThread,
  type TrustPlace,
} from "./worker-messages.ts";

/** Opens the thread of one link. It sees no environment: there may be tokens in it. */
export function openLinkThread(): Worker {
  return openThread("link-worker", import.meta.url);
}

/** A thread that was told to end has so long; an RDP link says goodbye in it. */
const END_MS = 2000;

const FIRST_FACTS: LinkFacts = {
  isExact: true,
  description: "",
  hasLatinClipboard: false,
  hasFence: false,
  showsWithinMs: undefined,
  holdsWheel: false,
  provesClipboard: false,
  newKeys: undefined,
  typeable: null,
};

export interface WorkerLinkOptions {
  /** Read when the thread is up. */
  readonly settings: () => LinkSettings;
  /** What judges, and remembers, what the target shows. */
  readonly trusts: Readonly<Record<TrustPlace, TargetTrust>>;
  /** As RdpLinkOptions has it. */
  readonly claim?: () => { wasTakenByUs(): boolean };
  /** Default: a thread that holds the real link. */
  readonly openThread?: () => Worker;
}

/**
 * A link whose socket and decoder live in a thread of their own. Its picture lies in memory that both threads hold;
 * the other one stands still while an update is read here. Whatever happens to the thread ends this link alone.
 */
export class WorkerLink implements Link {
  readonly #options: WorkerLinkOptions;
  readonly #clock: Clock;
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));
  readonly #questions = new WorkerQuestions();
  readonly #watch: ThreadWatchdog;
  #thread: Worker | null = null;
  /** The thread has its link, and with it something to say goodbye to. */
  #isUp = false;
  #events: LinkEvents | null = null;
  #framebuffer = new Framebuffer(1, 1);
  #facts = FIRST_FACTS;
  #typeable: ReadonlySet<number> | null = null;
  #claim: { wasTakenByUs(): boolean } | null = null;

  constructor(options: WorkerLinkOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#watch = new ThreadWatchdog(
      clock,
      () => this.#tell({ kind: "ping" }),
      () => this.#end(new LinkError("stalled", "the thread that decodes the target's data hangs")),
    );
  }

  get framebuffer(): Framebuffer {
    return this.#framebuffer;
  }

  get isExact(): boolean {
    return this.#facts.isExact;
  }

  get description(): string {
    return this.#facts.description;
  }

  hasFence(): boolean {
    return this.#facts.hasFence;
  }

  showsWithinMs(): number | undefined {
    return this.#facts.showsWithinMs;
  }

  get hasLatinClipboard(): boolean {
    return this.#facts.hasLatinClipboard;
  }

  get holdsWheel(): boolean {
    return this.#facts.holdsWheel;
  }

  get provesClipboard(): boolean {
    return this.#facts.provesClipboard;
  }

  get newKeys(): number | undefined {
    return this.#facts.newKeys;
  }

  canType(keysym: number): boolean {
    return this.#typeable?.has(keysym) !== false;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    this.#claim = this.#options.claim?.() ?? null;
    let thread: Worker;
    try {
      thread = (this.#options.openThread ?? openLinkThread)();
    } catch (cause) {
      // Later, so that no callback comes before `open` has returned.
      this.#clock.after(0, () => this.#end(threadError(cause, THREAD_HEAP_MB)));
      return;
    }
    this.#thread = thread;
    thread.on("message", (message: FromThread) => this.#onMessage(message));
    thread.on("error", (error) => this.#end(threadError(error, THREAD_HEAP_MB)));
    thread.on("exit", () => this.#end(threadError(null, THREAD_HEAP_MB)));
    this.#watch.start();
  }

  follow(isWatched: boolean): void {
    this.#tell({ kind: "follow", isWatched });
  }

  refresh(): void {
    this.#tell({ kind: "refresh" });
  }

  async barrier(): Promise<void> {
    await this.#ask((id) => ({ kind: "barrier", id }));
  }

  async latest(area: Rect | null = null): Promise<void> {
    await this.#ask((id) => ({ kind: "latest", id, area }));
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#tell({ kind: "pointer", x, y, buttons });
  }

  key(keysym: number, isDown: boolean, scancode: number | null): void {
    this.#tell({ kind: "key", keysym, isDown, scancode });
  }

  clipboard(text: string): void {
    this.#tell({ kind: "clipboard", text });
  }

  listen(isOn: boolean): void {
    this.#tell({ kind: "listen", isOn });
  }

  files(command: FilesCommand): void {
    this.#tell({ kind: "files", command });
  }

  resize(width: number, height: number, screens?: readonly Rect[]): Promise<boolean> {
    return this.#ask((id) => ({ kind: "resize", id, width, height, screens: screens ?? null }));
  }

  close(): void {
    this.#events = null;
    this.#release(new LinkError("target_closed", "the connection was closed here"));
  }

  #tell(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  #ask(question: (id: number) => ToThread): Promise<boolean> {
    if (this.#events === null || this.#thread === null) {
      return Promise.reject(new LinkError("target_closed", "the target is not connected"));
    }
    return this.#questions.ask((id) => this.#tell(question(id)));
  }

  /** Once this returns the thread may go on: its messages were handled, or are no longer wanted. */
  #onMessage({ sequence, said }: FromThread): void {
    this.#watch.heard();
    const events = this.#events;
    const goOn = (): void => {
      Atomics.store(this.#control, CONTROL.heard, sequence);
      Atomics.notify(this.#control, CONTROL.heard);
    };
    let showing: Showing | undefined;
    try {
      if (events !== null) showing = this.#hear(said, events);
    } catch (error) {
      this.#end(linkErrorOf(error));
    }
    if (showing === undefined) goOn();
    else showing.done.catch((error: unknown) => this.#end(linkErrorOf(error))).finally(goOn);
  }

  /** What to wait for, as with LinkEvents. */
  #hear(said: Said, events: LinkEvents): Showing | undefined {
    switch (said.kind) {
      case "up": {
        this.#isUp = true;
        const { buffer } = this.#control;
        this.#tell({ kind: "open", settings: this.#options.settings(), control: buffer });
        break;
      }
      case "pong":
        break;
      case "facts":
        this.#facts = said.facts;
        this.#typeable = said.facts.typeable === null ? null : new Set(said.facts.typeable);
        break;
      case "step":
        events.step(said.name, said.detail);
        break;
      case "ready":
        this.#adopt(said.picture);
        events.ready({ name: said.name, screens: said.screens });
        break;
      case "update":
        return events.update({ painted: regionOf(said.painted), copies: said.copies, missing: said.missing });
      case "resize":
        this.#adopt(said.picture);
        events.resize(said.screens);
        break;
      case "plain":
        forwardEvent(said.event, events);
        break;
      case "stalled":
        events.stalled(said.isStalled);
        break;
      case "passed":
        this.#questions.answer(said.id, true);
        break;
      case "resized":
        this.#questions.answer(said.id, said.isAsked);
        break;
      case "failed":
        this.#questions.refuse(said.id, errorOf(said.error));
        break;
      case "judge":
        this.#judge(said);
        break;
      case "closed":
        this.#end(this.#endOf(said.error));
        break;
    }
    return undefined;
  }

  #adopt({ memory, width, height }: SharedPicture): void {
    this.#framebuffer = Framebuffer.over(memory, width, height);
  }

  #judge({ id, place, shown }: Extract<Said, { kind: "judge" }>): void {
    this.#options.trusts[place].judge(shown).then(
      () => this.#tell({ kind: "judged", id, error: null }),
      (error: unknown) => this.#tell({ kind: "judged", id, error: errorData(linkErrorOf(error)) }),
    );
  }

  /** Not final where it was only another link of ours that took the session. */
  #endOf(data: ErrorData): LinkError {
    const mayHaveItBack = data.isTaken && this.#claim?.wasTakenByUs() === true;
    return errorOf(mayHaveItBack ? { ...data, isFinal: false } : data);
  }

  #end(error: LinkError): void {
    const events = this.#events;
    if (events === null) return;
    this.#events = null;
    this.#release(error);
    events.closed(error);
  }

  #release(error: LinkError): void {
    this.#watch.stop();
    this.#questions.fail(error);
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null) return;
    if (!this.#isUp) {
      thread.terminate().catch(() => undefined);
      return;
    }
    thread.postMessage({ kind: "close" } satisfies ToThread);
    Atomics.store(this.#control, CONTROL.closed, 1);
    Atomics.notify(this.#control, CONTROL.heard);
    // By the machine's own clock: the thread lives by that as well.
    const timer = setTimeout(() => thread.terminate(), END_MS);
    thread.once("exit", () => clearTimeout(timer));
  }
}

function regionOf(numbers: Int32Array): Region {
  const rects: Rect[] = [];
  for (let i = 0; i + 3 < numbers.length; i += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = numbers.subarray(i, i + 4);
    rects.push({ x, y, width, height });
  }
  return Region.from(rects);
}

interface Waiting {
  readonly resolve: (answer: boolean) => void;
  readonly reject: (error: LinkError) => void;
}

/** What a link's thread was asked and has not answered: each question has a number. */
class WorkerQuestions {
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  /** `send` passes the question on under its number. */
  ask(send: (id: number) => void): Promise<boolean> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  answer(id: number, answer: boolean): void {
    this.#waiting.get(id)?.resolve(answer);
    this.#waiting.delete(id);
  }

  refuse(id: number, error: LinkError): void {
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }

  fail(error: LinkError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
