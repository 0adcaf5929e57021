import { readFileSync } from "node:fs";
import t from "tap";
import { decodePicture } from "../../../src/compositor/picture-file.ts";
import { rect } from "../../../src/framebuffer/rect.ts";
import { VisionError } from "../../../src/vision/error.ts";
import type { LinesRequest } from "../../../src/vision/ocr-pool.ts";
import type { TextDesktop, TextThread } from "../../../src/vision/text/desktop-text.ts";
import { DesktopTexts } from "../../../src/vision/text/desktop-texts.ts";
import type { FromTextThread, ToTextThread } from "../../../src/vision/text/text-messages.ts";
import { TextServer } from "../../../src/vision/text/text-server.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeDesktop } from "../../mcp/fake-desktop.ts";
import { until } from "../../support/until.ts";

const PAGE = await decodePicture(readFileSync(new URL("../page.png", import.meta.url)));
const never = new AbortController().signal;

/** A desktop that shows the page on a light ground, below an empty strip of `top` rows. */
class PageDesktop extends FakeDesktop {
  top = 0;

  override view(audience: "agent" | "viewer" | "recording") {
    return {
      ...super.view(audience),
      picture: () => ({
        ...this.size,
        pixels: (area: Parameters<typeof this.pixels>[0]) => this.pixels(area),
      }),
    };
  }

  pixels({ x, y, width, height }: ReturnType<typeof rect>) {
    const bytes = new Uint8Array(width * height * 4).fill(0xfa);
    for (let row = 0; row < height; row++) {
      const from = y + row - this.top;
      if (from < 0 || from >= PAGE.height || x >= PAGE.width) continue;
      const part = PAGE.rgba.subarray(
        (from * PAGE.width + x) * 4,
        (from * PAGE.width + Math.min(PAGE.width, x + width)) * 4,
      );
      bytes.set(part, row * width * 4);
    }
    return { bytes, offset: 0, strideBytes: width * 4 };
  }
}

/** Texts whose threads run in this one, and whose engine reads each line as its height and width. */
function open(startedAt = new Date(1_790_000_000_000)) {
  const clock = new FakeClock();
  const requests: LinesRequest[] = [];
  const threads = new Set<{ lose(): void }>();
  let fault: VisionError | null = null;
  const engines = { free: Promise.resolve() };
  const hanging = { threads: false };
  const ports = {
    timer: clock,
    reader: {
      readLines: async (request: LinesRequest) => {
        requests.push(request);
        await engines.free;
        if (fault !== null) throw fault;
        return request.lines.map(({ inkBox, top, bottom }) => [
          {
            text: `${inkBox.right - inkBox.left}x${bottom - top}`,
            rect: { x: inkBox.left + 2, y: top, width: inkBox.right - inkBox.left - 4, height: bottom - top },
            confidence: 90,
          },
        ]);
      },
    },
    openThread: (): TextThread => {
      let told: (message: FromTextThread) => void = () => {};
      let lost = (): void => {};
      const server = new TextServer((message) => setImmediate(() => told(message)));
      const thread = { lose: (): void => lost() };
      threads.add(thread);
      return {
        post: (message: ToTextThread) => void (hanging.threads || setImmediate(() => server.take(message))),
        on(onTold, onLost) {
          told = onTold;
          lost = onLost;
        },
        end: () => void threads.delete(thread),
      };
    },
  };
  const texts = new DesktopTexts(ports, startedAt);
  const fail = (next: VisionError | null): void => {
    fault = next;
  };
  return { texts, clock, requests, threads, fail, engines, hanging };
}

function pageDesktop(id = "one"): PageDesktop {
  return new PageDesktop({ id, name: id, protocol: "vnc", host: "127.0.0.1" });
}

t.test("the text of a desktop is kept from the first question on, and read once", async (t) => {
  const { texts, requests, threads, clock } = open();
  t.teardown(() => texts.close());
  const desktop = pageDesktop();
  t.equal(threads.size, 0, "nobody asked yet");
  const first = await texts.now(desktop, null, never);
  t.equal(first.generation, desktop.generation);
  t.ok(first.lines.length >= 6, JSON.stringify(first.lines.map(({ text }) => text)));
  t.ok(requests.every(({ ownerId, lines }) => ownerId === "text of one for agent" && lines.length <= 12));
  const read = requests.length;
  t.same((await texts.now(desktop, null, never)).lines, first.lines);
  t.equal(requests.length, read, "what did not change is not read again");

  desktop.top = 100;
  desktop.paint(rect(0, 0, 1920, 800));
  const since = await texts.since(desktop, first.generation, null, never);
  t.equal(since.generation, desktop.generation);
  t.same(
    since.changes?.map(({ change, rect }) => `${change} ${rect.y - 100}`),
    first.lines.map(({ rect }) => `moved ${rect.y}`),
  );
  t.equal(requests.length, read, "nor what only moved");
  const [line] = first.lines;
  const query = { text: line?.text ?? "", match: "exact", isCaseSensitive: true } as const;
  const found = await texts.find(desktop, query, null, never);
  t.match(found.matches, [{ text: line?.text, rect: { y: (line?.rect.y ?? 0) + 100 } }]);

  clock.advance(119_000);
  t.equal(threads.size, 1);
  clock.advance(1_000);
  t.equal(threads.size, 0, "it ends when nobody asks");
  t.equal(texts.count, 0);
});

t.test("what fails is told to who asked, and the next question is answered", async (t) => {
  const { texts, threads, fail } = open();
  t.teardown(() => texts.close());
  const desktop = pageDesktop();
  fail(new VisionError("engine_lost", "the engine's thread ended"));
  await t.rejects(texts.now(desktop, null, never), { code: "engine_lost" });
  fail(null);
  t.ok((await texts.now(desktop, null, never)).lines.length > 0);
  const query = { text: "(", match: "regex", isCaseSensitive: true } as const;
  await t.rejects(texts.find(desktop, query, null, never), { code: "bad_pattern" });
  const left = new AbortController();
  const asked = texts.now(desktop, null, left.signal);
  left.abort(new Error("gone away"));
  await t.rejects(asked, /gone away/);
  for (const thread of threads) thread.lose();
  t.ok((await texts.now(desktop, null, never)).lines.length > 0, "in another thread");
  const waiting = texts.now(desktop, null, never);
  for (const thread of threads) thread.lose();
  await t.rejects(waiting, { code: "engine_lost" });
});

t.test(
  "waiting for engines that work for others is no fault, a thread that says nothing is one",
  async (t) => {
    const { texts, clock, requests, threads, engines, hanging } = open();
    t.teardown(() => texts.close());
    const desktop = pageDesktop();
    let release = (): void => {};
    engines.free = new Promise((resolve) => {
      release = resolve;
    });
    const asked = texts.now(desktop, null, never);
    await until("lines are handed to engines", () => requests.length > 0);
    clock.advance(200_000);
    release();
    t.ok((await asked).lines.length > 0, "answered when its turn came");

    hanging.threads = true;
    const lost = t.rejects(texts.now(desktop, rect(0, 0, 900, 300), never), { code: "engine_lost" });
    await clock.live(50_000, 10_000);
    await lost;
    t.equal(threads.size, 0, "the thread that hangs is ended");
    hanging.threads = false;
    t.ok((await texts.now(desktop, null, never)).lines.length > 0, "the next question has another one");
  },
);

t.test("few texts are kept at a time: the one that nobody asked for longest makes room", async (t) => {
  const { texts, threads } = open();
  t.teardown(() => texts.close());
  const area = rect(0, 0, 10, 10);
  for (const id of ["a", "b", "c", "d", "e"]) await texts.now(pageDesktop(id), area, never);
  t.equal(threads.size, 4);
  const asked = ["f", "g", "h", "i"].map((id) => texts.now(pageDesktop(id), null, never));
  await t.rejects(texts.now(pageDesktop("j"), null, never), { code: "too_many" });
  await Promise.all(asked);
});

t.test("a desktop of another size is read anew, one that is too large is refused", async (t) => {
  const { texts } = open();
  t.teardown(() => texts.close());
  const desktop: PageDesktop & TextDesktop = pageDesktop();
  const { lines } = await texts.now(desktop, null, never);
  desktop.resize(640, 300);
  desktop.paint(rect(0, 0, 640, 300));
  t.same((await texts.now(desktop, null, never)).lines, lines);
  desktop.resize(16_384, 16_384);
  desktop.paint(rect(0, 0, 16_384, 16_384));
  await t.rejects(texts.now(desktop, null, never), { code: "too_large" });
});

t.test("elements keep their ids while their picture moves, and numbers are never given twice", async (t) => {
  const { texts, clock } = open();
  t.teardown(() => texts.close());
  const desktop = pageDesktop();
  const first = await texts.elements(desktop, null, never);
  t.equal(first.generation, desktop.generation);
  const [element] = first.elements;
  if (element === undefined) throw new Error("no element");
  t.same(await texts.element(desktop, element.id, never), {
    ...{ generation: desktop.generation, element, isMoved: false },
  });
  desktop.top = 100;
  desktop.paint(rect(0, 0, 1920, 800));
  const moved = await texts.element(desktop, element.id, never);
  t.match(moved, { isMoved: true, element: { id: element.id, rect: { y: element.rect.y + 100 } } });
  const { elements } = await texts.elements(desktop, rect(0, 0, 1920, 100), never);
  t.same(elements, [], "none where nothing is");

  desktop.top = 800;
  desktop.paint(rect(0, 0, 1920, 800));
  await t.rejects(texts.element(desktop, element.id, never), {
    code: "element_gone",
    message: /not on the screen/,
  });
  await t.rejects(texts.element(desktop, "9999", never), { code: "element_unknown" });

  clock.advance(120_000);
  t.equal(texts.count, 0);
  desktop.top = 0;
  desktop.paint(rect(0, 0, 1920, 800));
  await t.rejects(texts.element(desktop, element.id, never), { code: "element_unknown" });
  const again = await texts.elements(desktop, null, never);
  const before = new Set(first.elements.map(({ id }) => id));
  t.equal(again.elements.length, first.elements.length);
  t.notOk(
    again.elements.some(({ id }) => before.has(id)),
    "an old id never means another element",
  );
});

t.test("an id of an element means none after the server was started anew", async (t) => {
  const first = open(new Date("2026-11-26T10:00:00.900Z"));
  const desktop = pageDesktop();
  const before = await first.texts.elements(desktop, null, never);
  first.texts.close();
  const second = open(new Date("2026-11-26T10:00:01.100Z"));
  t.teardown(() => second.texts.close());
  const after = await second.texts.elements(desktop, null, never);
  t.equal(after.elements.length, before.elements.length, "the same screen");
  t.ok(before.elements.length > 3);
  for (const { id } of before.elements) {
    await t.rejects(second.texts.element(desktop, id, never), { code: "element_unknown" }, id);
    t.ok(id.length <= 20, "click_element takes it");
  }
});
