import type { MessagePort } from "node:worker_threads";
import type { Cursor } from "../../../framebuffer/cursor.ts";
import { Framebuffer } from "../../../framebuffer/framebuffer.ts";
import type { Region } from "../../../framebuffer/region.ts";
import { systemClock } from "../../../platform/clock.ts";
import type { Connection, Protocol } from "../../connections/connection.ts";
import { type ShownIdentity, TargetTrust } from "../../connections/trust-policy.ts";
import { LinkError } from "../../error.ts";
import type { Link, LinkEvents } from "../../link.ts";
import type { ForwardedEvent } from "../forwarded-events.ts";
import { linkErrorOf } from "../link-error.ts";
import type { MakeLink } from "../link-parts.ts";
import { errorData, errorOf } from "./worker-error.ts";
import {
  CONTROL,
  CONTROL_BYTES,
  type FromThread,
  type LinkFacts,
  type LinkSettings,
  type Said,
  type SharedPicture,
  type ToThread,
  type TrustPlace,
} from "./worker-messages.ts";

/** Each thread holds one link: what the other protocols need would be memory for nothing. */
const makeVncLink = async (): Promise<MakeLink> => (await import("../vnc/open-vnc.ts")).vncLink;
const MAKERS: Readonly<Record<Protocol, () => Promise<MakeLink>>> = {
  browser: async () => (await import("../browser/open-browser.ts")).browserLink,
  rdp: async () => (await import("../rdp/open-rdp.ts")).rdpLink,
  kasmvnc: async () => (await import("../kasmvnc/open-kasm.ts")).kasmLink,
  vnc: makeVncLink,
  demo: makeVncLink,
  replay: makeVncLink,
};

/** A target that rings bells faster than the main thread hears them waits after so many. */
const MOST_UNHEARD = 64;
/** How long a wait lasts before it is looked whether anybody still waits for us. */
const LOOK_MS = 1000;
/** A main thread that took no picture for so long will not have this connection go on as if nothing was. */
const MOST_WAIT_MS = 30_000;

/** What is for the link. */
type LinkMessage = Exclude<ToThread, { kind: "open" | "ping" | "judged" }>;

/**
 * A link's own thread: the real link, its socket and its decoder, driven by the main thread's messages.
 *
 * INVARIANT: between saying that an update is whole and hearing that it was taken this thread stands still, so the
 * main thread never reads a picture that is being written.
 */
export class LinkThread {
  readonly #port: MessagePort;
  readonly #framebuffer = Framebuffer.shared(1, 1);
  readonly #judging = new Map<number, (error: LinkError | null) => void>();
  #control = new Int32Array(new SharedArrayBuffer(CONTROL_BYTES));
  #link: Link | null = null;
  /** What was said before there was a link; null once there was one. */
  #early: LinkMessage[] | null = [];
  #sequence = 0;
  #questions = 0;
  /** Of this thread's time, how much it stood still. */
  #waitedMs = 0;
  #facts: LinkFacts | null = null;
  #typeable: readonly number[] | null = null;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  start(): void {
    this.#port.on("message", (message: ToThread) => this.#hear(message));
    this.#say({ kind: "up" });
  }

  #hear(message: ToThread): void {
    if (message.kind === "open") this.#load(message.settings, message.control);
    else if (message.kind === "ping") this.#say({ kind: "pong" });
    else if (message.kind === "judged") {
      this.#judging.get(message.id)?.(message.error === null ? null : errorOf(message.error));
      this.#judging.delete(message.id);
    } else if (this.#link !== null) this.#tell(this.#link, message);
    else this.#early?.push(message);
  }

  #tell(link: Link, message: LinkMessage): void {
    switch (message.kind) {
      case "follow":
        link.follow(message.isWatched);
        break;
      case "refresh":
        link.refresh();
        break;
      case "barrier":
        this.#answer(message.id, link.barrier());
        break;
      case "latest":
        this.#answer(message.id, link.latest(message.area));
        break;
      case "pointer":
        link.pointer(message.x, message.y, message.buttons);
        break;
      case "key":
        link.key(message.keysym, message.isDown, message.scancode);
        break;
      case "clipboard":
        link.clipboard(message.text);
        break;
      case "listen":
        link.listen?.(message.isOn);
        break;
      case "files":
        link.files?.(message.command);
        break;
      case "resize":
        this.#resize(link, message);
        break;
      case "close":
        link.close();
        this.#end();
        break;
    }
  }

  #load(settings: LinkSettings, control: SharedArrayBuffer): void {
    this.#control = new Int32Array(control);
    MAKERS[settings.connection.protocol]().then(
      (make) => this.#open(settings, make),
      (error: unknown) => this.#giveUp(error),
    );
  }

  #giveUp(error: unknown): void {
    this.#say({ kind: "closed", error: errorData(linkErrorOf(error)) });
    this.#end();
  }

  #open(settings: LinkSettings, make: MakeLink): void {
    const { connection, reach, reverseListen, needsNla, needsIdentity, browsers } = settings;
    const ask = (place: TrustPlace, shown: ShownIdentity): Promise<void> => this.#ask(place, shown);
    try {
      const link = make(connection, {
        reach,
        reverseListen,
        needsNla,
        browsers,
        trust: new WorkerTrust("outer", connection, needsIdentity.outer, ask),
        trustInside: new WorkerTrust("inside", connection, needsIdentity.inside, ask),
        framebuffer: this.#framebuffer,
        // A link learns from the time what its target costs: what it waits for us is none of that.
        clock: { ...systemClock, nowMs: () => performance.now() - this.#waitedMs },
      });
      this.#link = link;
      link.open(this.#events(link));
      const early = this.#early ?? [];
      this.#early = null;
      for (const message of early) this.#tell(link, message);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #events(link: Link): LinkEvents {
    const plain = (event: ForwardedEvent): void => this.#say({ kind: "plain", event });
    return {
      step: (name, detail) => this.#say({ kind: "step", name, detail }),
      ready: ({ name, screens }) => {
        this.#typeable = typeableOf(link);
        this.#tellFacts(link);
        this.#say({ kind: "ready", picture: this.#picture, name, screens });
        this.#await(0);
      },
      update: ({ painted, copies, missing }) => {
        this.#tellFacts(link);
        this.#say({ kind: "update", painted: numbersOf(painted), copies, missing });
        this.#await(0);
      },
      resize: (screens) => {
        this.#typeable = typeableOf(link);
        this.#tellFacts(link);
        this.#say({ kind: "resize", picture: this.#picture, screens });
        this.#await(0);
      },
      cursor: (cursor) => plain({ type: "cursor", cursor: cursor === null ? null : copyOf(cursor) }),
      drawnPointer: (area) => plain({ type: "drawnPointer", area }),
      clipboard: (text) => plain({ type: "clipboard", text }),
      clipboardOffered: () => plain({ type: "clipboardOffered" }),
      clipboardTaken: () => plain({ type: "clipboardTaken" }),
      name: (name) => plain({ type: "name", name }),
      bell: () => plain({ type: "bell" }),
      soundOffered: () => plain({ type: "soundOffered" }),
      sound: (samples) => plain({ type: "sound", samples }),
      files: (event) => plain({ type: "files", event }),
      progress: (part) => plain({ type: "progress", part }),
      locks: (locks) => plain({ type: "locks", locks }),
      stalled: (isStalled) => this.#say({ kind: "stalled", isStalled }),
      closed: (error) => {
        this.#say({ kind: "closed", error: errorData(error) });
        this.#end();
      },
    };
  }

  get #picture(): SharedPicture {
    const { memory, width, height } = this.#framebuffer;
    if (memory === null) throw new LinkError("protocol_error", "the picture does not lie in shared memory");
    return { memory, width, height };
  }

  #tellFacts(link: Link): void {
    const { isExact, description, newKeys } = link;
    const { hasLatinClipboard = false, provesClipboard = false, holdsWheel = false } = link;
    const hasFence = link.hasFence?.() ?? false;
    const showsWithinMs = link.showsWithinMs?.();
    const typeable = this.#typeable;
    const known = this.#facts;
    if (
      known?.isExact === isExact &&
      known.description === description &&
      known.hasLatinClipboard === hasLatinClipboard &&
      known.hasFence === hasFence &&
      known.showsWithinMs === showsWithinMs &&
      known.provesClipboard === provesClipboard &&
      known.holdsWheel === holdsWheel &&
      known.newKeys === newKeys &&
      known.typeable === typeable
    )
      return;
    this.#facts = {
      isExact,
      description,
      hasLatinClipboard,
      hasFence,
      showsWithinMs,
      provesClipboard,
      holdsWheel,
      newKeys,
      typeable,
    };
    this.#say({ kind: "facts", facts: this.#facts });
  }

  #answer(id: number, answer: Promise<void>): void {
    answer.then(
      () => this.#say({ kind: "passed", id }),
      (error: unknown) => this.#say({ kind: "failed", id, error: errorData(linkErrorOf(error)) }),
    );
  }

  #resize(link: Link, { id, width, height, screens }: Extract<ToThread, { kind: "resize" }>): void {
    const asked = link.resize(width, height, ...(screens === null ? [] : [screens]));
    Promise.resolve(asked).then(
      (isAsked) => this.#say({ kind: "resized", id, isAsked }),
      (error: unknown) => this.#say({ kind: "failed", id, error: errorData(linkErrorOf(error)) }),
    );
  }

  #ask(place: TrustPlace, shown: ShownIdentity): Promise<void> {
    const id = ++this.#questions;
    return new Promise((resolve, reject) => {
      this.#judging.set(id, (error) => (error === null ? resolve() : reject(error)));
      this.#say({ kind: "judge", id, place, shown });
    });
  }

  #say(said: Said): void {
    this.#sequence = (this.#sequence + 1) | 0;
    const message: FromThread = { sequence: this.#sequence, said };
    this.#port.postMessage(message);
    this.#await(MOST_UNHEARD);
  }

  /** Stands still until at most `unheard` messages are left. Throws a LinkError where none is read for long. */
  #await(unheard: number): void {
    if (this.#link === null) return;
    const control = this.#control;
    const since = performance.now();
    try {
      this.#standStill(control, unheard, since);
    } finally {
      this.#waitedMs += performance.now() - since;
    }
  }

  #standStill(control: Int32Array, unheard: number, since: number): void {
    for (;;) {
      const heard = Atomics.load(control, CONTROL.heard);
      if (((this.#sequence - heard) | 0) <= unheard || Atomics.load(control, CONTROL.closed) === 1) return;
      Atomics.wait(control, CONTROL.heard, heard, LOOK_MS);
      if (performance.now() - since > MOST_WAIT_MS) {
        throw new LinkError("stalled", "the main thread took no picture for 30 s");
      }
    }
  }

  /** The thread ends when its last socket has. */
  #end(): void {
    this.#link = null;
    this.#port.close();
  }
}

function numbersOf(region: Region): Int32Array {
  const { rects } = region;
  const numbers = new Int32Array(rects.length * 4);
  for (const [index, { x, y, width, height }] of rects.entries()) {
    numbers.set([x, y, width, height], index * 4);
  }
  return numbers;
}

/** What is sent of a view is all of the memory behind it. */
function copyOf(cursor: Cursor): Cursor {
  return { ...cursor, rgba: Uint8Array.from(cursor.rgba) };
}

/** A Chinese character, which no keyboard layout has: who can type it can type every one. */
const FAR_CHARACTER = 0x100_4e2d;

/** Where keysyms are: Latin and older sets, keys without characters, Unicode up to the currency signs, media keys. */
const RANGES = [
  [0x20, 0x20ff],
  [0xfd00, 0xffff],
  [0x100_0100, 0x100_2200],
  [0x1008_ff00, 0x1008_ffff],
] as const;

/** The keysyms that a link can type, each tried; null where it can try every one. */
function typeableOf(link: Link): readonly number[] | null {
  if (link.canType === undefined || link.canType(FAR_CHARACTER)) return null;
  const typeable: number[] = [];
  for (const [first, last] of RANGES) {
    for (let keysym = first; keysym <= last; keysym++) if (link.canType(keysym)) typeable.push(keysym);
  }
  return typeable;
}

/** Asks the main thread; rejects with the LinkError that it answered. */
type AskTrust = (place: TrustPlace, shown: ShownIdentity) => Promise<void>;

/** The trust of a link's thread: everything is judged, remembered and refused by the main thread. */
class WorkerTrust extends TargetTrust {
  readonly #place: TrustPlace;
  readonly #needsIdentity: boolean;
  readonly #ask: AskTrust;

  constructor(place: TrustPlace, { host, port }: Connection, needsIdentity: boolean, ask: AskTrust) {
    super({ host, port, fingerprint: null }, "ca", null);
    this.#place = place;
    this.#needsIdentity = needsIdentity;
    this.#ask = ask;
  }

  override get needsIdentity(): boolean {
    return this.#needsIdentity;
  }

  override judge({ what, bytes, distrust }: ShownIdentity): Promise<void> {
    // A copy: what is sent of a view is all of the memory behind it.
    return this.#ask(this.#place, { what, bytes: Uint8Array.from(bytes), distrust });
  }
}
