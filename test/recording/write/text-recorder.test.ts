import t from "tap";
import type { DesktopEvent } from "../../../src/desktop/desktop.ts";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { Region } from "../../../src/framebuffer/region.ts";
import type { TrackEvent } from "../../../src/recording/format/event-entry.ts";
import { TextRecorder } from "../../../src/recording/write/text-recorder.ts";
import { FakeClock } from "../../fake-clock.ts";

function line(text: string, y: number) {
  return { text, rect: { x: 0, y, width: 100, height: 13 }, words: [] };
}

/** A desktop, its recorder and its reader, as a test wants them. */
function room() {
  const clock = new FakeClock();
  const listeners = new Set<(event: DesktopEvent) => void>();
  const noted: TrackEvent[] = [];
  const state = {
    lines: [line("open", 0), line("secret", 50)],
    hidden: [] as Rect[],
    reads: 0,
    isFailing: false,
    /** While text is read. */
    meanwhile: () => {},
    shownSince: (_generation: number): number | null => 42,
  };
  const desktop = {
    on(listener: (event: DesktopEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hiddenFrom: () => state.hidden,
  };
  const reader = {
    isClosed: false,
    async now() {
      state.reads++;
      if (state.isFailing) throw new Error("no engine");
      const { lines } = state;
      state.meanwhile();
      return { generation: 7, lines };
    },
    close() {
      this.isClosed = true;
    },
  };
  const recorder = {
    get nowMs() {
      return clock.nowMs();
    },
    shownSince: (generation: number) => state.shownSince(generation),
    note: (event: TrackEvent) => void noted.push(event),
    flush: async () => {},
  };
  const text = new TextRecorder(desktop, reader, recorder, clock);
  const change = (): void => {
    for (const listener of listeners)
      listener({ type: "update", damage: Region.of({ x: 0, y: 0, width: 1, height: 1 }), generation: 7 });
  };
  const texts = () =>
    noted.map((event) => (event.type === "text" ? event.came.map((came) => came.text) : [event.type]));
  return { clock, state, noted, reader, text, change, texts };
}

t.test(
  "text is read when something changed, once a second at most, and never while nothing does",
  async (t) => {
    const { clock, state, change, noted, text } = room();
    await clock.live(1_500, 50);
    t.equal(state.reads, 1, "what stands at the beginning");
    t.match(noted[0], { type: "text", shownMs: 42, stands: [] });
    await clock.live(60_000, 500);
    t.equal(state.reads, 1);
    for (let i = 0; i < 50; i++) {
      change();
      await clock.live(100, 50);
    }
    t.ok(state.reads >= 4 && state.reads <= 7, `${state.reads} reads in 5 s of changes`);
    t.equal(noted.length, 1, "the same text is told once");
    await text.close();
  },
);

t.test("what is masked while it is read is not recorded", async (t) => {
  const { clock, state, texts, text } = room();
  state.meanwhile = () => {
    state.hidden = [{ x: 90, y: 40, width: 50, height: 50 }];
  };
  await clock.live(1_500, 50);
  t.same(texts(), [["open"]]);
  await text.close();
});

t.test("the time is that of a picture, which is waited for", async (t) => {
  const { clock, state, noted, text } = room();
  let isTaken = false;
  state.shownSince = () => (isTaken ? 1_300 : null);
  await clock.live(1_400, 50);
  t.equal(noted.length, 0);
  isTaken = true;
  await clock.live(400, 50);
  t.match(noted, [{ shownMs: 1_300 }]);
  await text.close();
});

t.test("an engine that fails is asked again later, and at the end what is left is read", async (t) => {
  const { clock, state, texts, text, change, reader } = room();
  state.isFailing = true;
  await clock.live(10_000, 500);
  t.equal(state.reads, 1);
  state.isFailing = false;
  await clock.live(30_000, 500);
  t.same(texts(), [["open", "secret"]]);
  state.lines = [line("last words", 0)];
  change();
  await text.close();
  t.same(texts()[1], ["last words"]);
  t.ok(reader.isClosed);
  change();
  await clock.live(5_000, 500);
  t.equal(texts().length, 2, "nothing after its end");
});
