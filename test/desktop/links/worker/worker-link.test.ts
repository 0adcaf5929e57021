import { Worker } from "node:worker_threads";
import t from "tap";
import { makeConnection } from "../../../../src/desktop/connections/connection.ts";
import type { OwnListener } from "../../../../src/desktop/connections/target-guard.ts";
import { type ShownIdentity, TargetTrust } from "../../../../src/desktop/connections/trust-policy.ts";
import type { LinkEvents } from "../../../../src/desktop/link.ts";
import type { ReverseListen } from "../../../../src/desktop/links/streams/reverse-stream.ts";
import {
  openLinkThread,
  WorkerLink,
  type WorkerLinkOptions,
} from "../../../../src/desktop/links/worker/worker-link.ts";
import { type Clock, systemClock } from "../../../../src/platform/clock.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { join, rectangle, solid, u32, update } from "../../../protocols/rfb/client/server-bytes.ts";
import { until } from "../../../support/until.ts";
import { LinkEar } from "../link-ear.ts";
import { TcpTarget } from "../tcp-target.ts";

type Test = Pick<typeof t, "teardown">;

const RED = [200, 0, 0] as const;
const BLUE = [0, 0, 200] as const;
const RED_WORD = 0xff0000c8;
const BLUE_WORD = 0xffc80000;
const DESKTOP_SIZE = -223;

interface Rig {
  readonly link: WorkerLink;
  readonly ear: LinkEar;
  readonly threads: Worker[];
}

/** A link in a thread to a port of this machine. Its thread has ended when the test has. */
function openRig(
  test: Test,
  port: number,
  options: {
    readonly events?: Partial<LinkEvents>;
    readonly clock?: Clock;
    readonly url?: Partial<Parameters<typeof makeConnection>[0]>;
    readonly trust?: TargetTrust;
    readonly thread?: WorkerLinkOptions["openThread"];
    readonly own?: OwnListener[];
  } = {},
): Rig {
  const { clock = systemClock, own = [], thread = openLinkThread } = options;
  const connection = makeConnection(
    { protocol: "vnc", host: "127.0.0.1", port, ...options.url },
    systemClock.date(),
  );
  const trust =
    options.trust ?? new TargetTrust({ host: "127.0.0.1", port, fingerprint: null }, "tofu", null);
  const threads: Worker[] = [];
  const reverseListen: ReverseListen = "loopback";
  const link = new WorkerLink(
    {
      settings: () => ({
        ...{ connection, reach: { only: [], deny: [], own }, reverseListen, needsNla: false },
        browsers: { profiles: null, environment: {} },
        needsIdentity: { outer: trust.needsIdentity, inside: false },
      }),
      trusts: { outer: trust, inside: trust },
      openThread: () => {
        const opened = thread();
        threads.push(opened);
        return opened;
      },
    },
    clock,
  );
  const ear = new LinkEar();
  test.teardown(async () => {
    link.close();
    await Promise.all(threads.map(ended));
  });
  link.open({ ...ear.events, ...options.events });
  return { link, ear, threads };
}

/** Resolves when a thread is no more. */
function ended(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (thread.threadId === -1) resolve();
    else thread.once("exit", () => resolve());
  });
}

/** A thread that does what a script says instead of holding a link; `port` is its end of the messages. */
function threadOf(script: string, heapMb?: number): () => Worker {
  const limits = heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } };
  return () =>
    new Worker(`const port = require("node:worker_threads").parentPort; ${script}`, {
      eval: true,
      ...limits,
    });
}

function page(width: number, height: number, colour: readonly [number, number, number]): Uint8Array {
  return update(rectangle(0, 0, width, height, 0, solid(width, height, colour)));
}

t.test("a link in a thread shakes hands, paints in shared memory and takes input in order", async (t) => {
  const target = await TcpTarget.start(t);
  const { link, ear } = openRig(t, target.port);
  await ear.next("ready");
  t.match(link.description, /^RFB 3\.8/);
  t.equal(link.isExact, true);
  t.equal(link.hasLatinClipboard, true);
  t.ok(link.canType(0x20ac));
  t.same([link.framebuffer.width, link.framebuffer.height], [8, 8]);
  await target.say(page(8, 8, RED));
  const { painted } = await ear.next("update");
  t.same(painted.rects, [{ x: 0, y: 0, width: 8, height: 8 }]);
  t.ok(link.framebuffer.memory instanceof SharedArrayBuffer);
  t.ok(link.framebuffer.words.every((word) => word === RED_WORD));
  link.key(0x61, true, null);
  link.pointer(3, 4, 1);
  link.key(0x61, false, null);
  link.pointer(3, 4, 0);
  const expected = [4, 1, 0, 0, 0, 0, 0, 0x61, 5, 1, 0, 3, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0x61, 5, 0, 0, 3, 0, 4];
  // The next request for changes may come between, for it is sent in its own time.
  const input = (): string => target.heard.join().replaceAll("3,1,0,0,0,0,0,8,0,8,", "");
  await until("the input, in order", () => input().includes(expected.join()));
  t.equal(await link.resize(100, 100), false, "this target has no way to change its size");
});

t.test("a picture is never read while it is written", async (t) => {
  const [width, height] = [400, 300];
  const pages = 40;
  const target = await TcpTarget.start(t, width, height);
  let read = 0;
  let torn = 0;
  const { link, ear } = openRig(t, target.port, {
    events: {
      update: () => {
        const { words } = link.framebuffer;
        const expected = read++ % 2 === 0 ? RED_WORD : BLUE_WORD;
        // Several looks: one that is written meanwhile would differ in one of them.
        for (let look = 0; look < 5; look++) if (!words.every((word) => word === expected)) torn++;
      },
    },
  });
  await ear.next("ready");
  const both = join(page(width, height, RED), page(width, height, BLUE));
  for (let i = 0; i < pages / 2; i++) await target.say(both);
  await until("all pages", () => read === pages || null);
  t.equal(torn, 0);
});

t.test("nor while it takes turns until it is shown", async (t) => {
  const [width, height] = [400, 300];
  const pages = 6;
  const target = await TcpTarget.start(t, width, height);
  let read = 0;
  let torn = 0;
  const { link, ear } = openRig(t, target.port, {
    events: {
      update: () => {
        const expected = read++ % 2 === 0 ? RED_WORD : BLUE_WORD;
        const look = (): void => {
          if (!link.framebuffer.words.every((word) => word === expected)) torn++;
        };
        const done = (async () => {
          for (let turn = 0; turn < 20; turn++) {
            look();
            await new Promise((resolve) => setImmediate(resolve));
          }
          look();
        })();
        return { done };
      },
    },
  });
  await ear.next("ready");
  const both = join(page(width, height, RED), page(width, height, BLUE));
  for (let i = 0; i < pages / 2; i++) await target.say(both);
  await until("all pages", () => read === pages || null);
  t.equal(torn, 0);
});

t.test("sizes change in the middle, and each page has the size that was told before it", async (t) => {
  const target = await TcpTarget.start(t, 8, 8);
  const seen: string[] = [];
  const { link, ear } = openRig(t, target.port, {
    events: {
      resize: () => seen.push(`resize ${link.framebuffer.width}x${link.framebuffer.height}`),
      update: ({ painted }) => {
        const { width, height, words } = link.framebuffer;
        if (painted.isEmpty) return;
        seen.push(`${width}x${height} ${words.every((word) => word === RED_WORD) ? "red" : "torn"}`);
      },
    },
  });
  await ear.next("ready");
  const sized = (width: number, height: number): Uint8Array =>
    join(update(rectangle(0, 0, width, height, DESKTOP_SIZE)), page(width, height, RED));
  await target.say(join(page(8, 8, RED), sized(300, 200), sized(5, 700), sized(64, 64)));
  await until("the last page", () => seen.includes("64x64 red") || null);
  t.same(seen, [
    "8x8 red",
    ...["resize 300x200", "300x200 red"],
    ...["resize 5x700", "5x700 red"],
    ...["resize 64x64", "64x64 red"],
  ]);
});

t.test("questions are answered in order, and end with the link", async (t) => {
  const target = await TcpTarget.start(t);
  const { link, ear } = openRig(t, target.port);
  await ear.next("ready");
  const asked = link.latest();
  // The question is one for a single pixel.
  const isAsked = (): boolean => target.heard.slice(-10).join() === "3,0,0,0,0,0,0,1,0,1";
  await until("the question", () => isAsked() || null);
  await target.say(page(8, 8, BLUE));
  await asked;
  const unanswered = link.latest();
  target.sockets[0]?.destroy();
  await t.rejects(unanswered, { name: "LinkError", code: "target_closed" });
  t.equal((await ear.next("closed")).error.code, "target_closed");
  await t.rejects(link.barrier(), { code: "target_closed" });
});

t.test("errors cross as they are: code, words and whether another try helps", async (t) => {
  const target = await TcpTarget.start(t);
  const own = openRig(t, target.port, { own: [{ port: target.port }] });
  const { error } = await own.ear.next("closed");
  t.match(error, { name: "LinkError", code: "target_forbidden", isFinal: true });
  t.match(error.message, /is this appliance itself/);
  const { ear } = openRig(t, target.port);
  await ear.next("ready");
  await target.say(Uint8Array.of(99));
  const fault = (await ear.next("closed")).error;
  t.match(fault, { code: "protocol_error", isFinal: false });
  t.match(fault.message, /message type 99/);
});

/** Answers as it is told, and keeps what it was shown. */
class ToldTrust extends TargetTrust {
  readonly shown: ShownIdentity[] = [];
  readonly #answer: Promise<void>;

  constructor(answer: Promise<void>) {
    super({ host: "", port: 0, fingerprint: null }, "ca", null);
    this.#answer = answer;
  }

  override judge(shown: ShownIdentity): Promise<void> {
    this.shown.push(shown);
    return this.#answer;
  }
}

t.test("a thread that is asked for trust tells what the target shows and obeys", async (t) => {
  const judge = `
    port.on("message", (message) => {
      if (message.kind === "open") port.postMessage({ sequence: 2, said: { kind: "judge", id: 7, place: "outer",
        shown: { what: "key", bytes: Uint8Array.of(1, 2, 3), distrust: "nobody signs keys" } } });
      if (message.kind === "judged") port.postMessage({ sequence: 3, said: { kind: "step", name: "judged",
        detail: JSON.stringify(message) } });
      if (message.kind === "close") port.close();
    });
    port.postMessage({ sequence: 1, said: { kind: "up" } });`;
  const steps: string[] = [];
  const events = { step: (_: string, detail: string) => steps.push(detail) };
  const believes = new ToldTrust(Promise.resolve());
  openRig(t, 1, { trust: believes, thread: threadOf(judge), events });
  await until("an answer", () => steps.length === 1 || null);
  t.same(believes.shown, [{ what: "key", bytes: Uint8Array.of(1, 2, 3), distrust: "nobody signs keys" }]);
  t.same(steps, [JSON.stringify({ kind: "judged", id: 7, error: null })]);
});

t.test("a thread that throws ends its own link with an error that can be read", async (t) => {
  const script = `port.on("message", () => undefined); setImmediate(() => { throw new Error("inside"); });`;
  const { ear } = openRig(t, 1, { thread: threadOf(script) });
  const { error } = await ear.next("closed");
  t.match(error, { name: "LinkError", code: "protocol_error", isFinal: false });
  t.match(error.message, /the thread that decodes the target's data failed/);
});

t.test("a thread that takes too much memory ends its own link", async (t) => {
  const script = `const all = []; for (;;) all.push(new Array(1e5).fill({}));`;
  const { ear } = openRig(t, 1, { thread: threadOf(script, 16) });
  const { error } = await ear.next("closed");
  t.match(error.message, /took more than \d+ MiB/);
});

t.test("a thread that ends without a word ends its link", async (t) => {
  const { ear } = openRig(t, 1, { thread: threadOf("process.exit(0);") });
  t.equal((await ear.next("closed")).error.code, "protocol_error");
});

t.test("a thread that hangs is found and ended", async (t) => {
  const clock = new FakeClock();
  const script = `port.postMessage({ sequence: 1, said: { kind: "up" } }); for (;;);`;
  const { ear, threads } = openRig(t, 1, { clock, thread: threadOf(script) });
  clock.advance(24_000);
  t.same(ear.said, [], "one that is slow to begin has its time");
  clock.advance(2000);
  const { error } = await ear.next("closed");
  t.match(error, { code: "stalled", isFinal: false });
  t.match(error.message, /hangs/);
  for (const thread of threads) await ended(thread);
});

t.test("a thread that waits to be heard ends at once when its link is closed", async (t) => {
  const target = await TcpTarget.start(t);
  let isClosed = false;
  const { link, ear, threads } = openRig(t, target.port, {
    events: {
      update: () => {
        // The thread stands still now: it has told of an update and this has not returned.
        link.close();
        isClosed = true;
      },
    },
  });
  await ear.next("ready");
  await target.say(page(8, 8, RED));
  await until("the update", () => isClosed || null);
  for (const thread of threads) await ended(thread);
  t.notOk(
    ear.said.some(({ type }) => type === "closed"),
    "whoever closes is not told",
  );
  await until("the socket to go", () => target.sockets.every(({ destroyed }) => destroyed) || null);
});

t.test("a link that is closed before its thread is up leaves nothing behind", async (t) => {
  const { link, threads } = openRig(t, 1);
  link.close();
  for (const thread of threads) await ended(thread);
  t.equal(threads.length, 1);
});

t.test("a listener's fault ends the link, and the thread with it", async (t) => {
  const target = await TcpTarget.start(t);
  const { ear, threads } = openRig(t, target.port, {
    events: {
      update: () => {
        throw new Error("a fault of ours");
      },
    },
  });
  await ear.next("ready");
  await target.say(page(8, 8, RED));
  t.equal((await ear.next("closed")).error.code, "protocol_error");
  for (const thread of threads) await ended(thread);
});

t.test("a target that rings without end is heard no faster than we listen", async (t) => {
  const target = await TcpTarget.start(t);
  let bells = 0;
  const { ear } = openRig(t, target.port, { events: { bell: () => bells++ } });
  await ear.next("ready");
  const most = 20_000;
  await target.say(join(new Uint8Array(most).fill(2), u32(0).subarray(0, 0)));
  await until("all bells", () => bells === most || null);
  t.equal(bells, most);
});
