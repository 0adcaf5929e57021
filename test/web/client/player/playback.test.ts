import t from "tap";
import {
  afterEvent,
  LIVE_DELAY_MS,
  type Playback,
  type PlaybackEvent,
  passedOver,
  startOf,
} from "../../../../src/web/client/player/playback.ts";

const IDLE = [{ fromMs: 20_000, toMs: 40_000 }];

function after(playback: Playback, ...events: PlaybackEvent[]): Playback {
  return events.reduce((state, event) => afterEvent(state, event, IDLE), playback);
}

const FINISHED = startOf(60_000, false);
const GROWING = startOf(60_000, true);

t.test("it plays at its speed and stops at the end; playing again starts over", async (t) => {
  const playing = after(FINISHED, { type: "play" }, { type: "tick", elapsedMs: 1000 });
  t.match(playing, { positionMs: 1000, isPlaying: true });
  t.equal(after(playing, { type: "speed", speed: 16 }, { type: "tick", elapsedMs: 1000 }).positionMs, 17_000);
  t.equal(after(playing, { type: "speed", speed: 0.25 }, { type: "tick", elapsedMs: 1000 }).positionMs, 1250);
  const ended = after(playing, { type: "seek", toMs: 59_900 }, { type: "tick", elapsedMs: 500 });
  t.match(ended, { positionMs: 60_000, isPlaying: false });
  t.match(after(ended, { type: "toggle" }), { positionMs: 0, isPlaying: true });
});

t.test("a paused player does not move with time", async (t) => {
  t.equal(after(FINISHED, { type: "tick", elapsedMs: 5000 }), FINISHED);
});

t.test("what is idle is passed over, unless it is wanted", async (t) => {
  const before = after(FINISHED, { type: "seek", toMs: 19_990 }, { type: "play" });
  t.equal(after(before, { type: "tick", elapsedMs: 16 }).positionMs, 40_000);
  t.equal(
    after(before, { type: "skip_idle", isOn: false }, { type: "tick", elapsedMs: 16 }).positionMs,
    20_006,
  );
  t.equal(after(FINISHED, { type: "seek", toMs: 30_000 }).positionMs, 30_000, "seeking goes anywhere");
});

t.test("a leap over what is idle is told, and nothing else is", async (t) => {
  const leap = (fromMs: number, ...events: PlaybackEvent[]) => {
    const before = after(FINISHED, { type: "seek", toMs: fromMs }, { type: "play" }, ...events);
    return passedOver(before, after(before, { type: "tick", elapsedMs: 16 }), IDLE);
  };
  t.same(leap(19_990), { fromMs: 19_990, toMs: 40_000 });
  t.same(leap(30_000), { fromMs: 30_000, toMs: 40_000 }, "from its middle too");
  t.equal(leap(10_000), null);
  t.equal(leap(41_000), null);
  t.equal(leap(19_990, { type: "skip_idle", isOn: false }), null);
});

t.test("seeking and moving stay within the recording", async (t) => {
  t.equal(after(FINISHED, { type: "seek", toMs: -5 }).positionMs, 0);
  t.equal(after(FINISHED, { type: "move", byMs: 1e9 }).positionMs, 60_000);
});

t.test("speeds end at the slowest and the fastest", async (t) => {
  let playback = FINISHED;
  for (let i = 0; i < 10; i++) playback = after(playback, { type: "faster", by: 1 });
  t.equal(playback.speed, 16);
  for (let i = 0; i < 10; i++) playback = after(playback, { type: "faster", by: -1 });
  t.equal(playback.speed, 0.25);
});

t.test("a growing recording is followed at its end, and rewound", async (t) => {
  const live = after(GROWING, { type: "go_live" });
  t.match(live, { isLive: true, isPlaying: true, positionMs: 60_000 - LIVE_DELAY_MS });
  const grown = after(
    live,
    { type: "grew", durationMs: 61_000, isGrowing: true },
    { type: "tick", elapsedMs: 16 },
  );
  t.equal(grown.positionMs, 61_000 - LIVE_DELAY_MS);
  const rewound = after(grown, { type: "move", byMs: -30_000 });
  t.match(rewound, { isLive: false, isPlaying: true, positionMs: 31_000 - LIVE_DELAY_MS });
  const faster = after(rewound, { type: "skip_idle", isOn: false }, { type: "speed", speed: 16 });
  const caughtUp = after(faster, { type: "tick", elapsedMs: 10_000 });
  t.match(caughtUp, { isLive: true, speed: 1, positionMs: 61_000 - LIVE_DELAY_MS });
  t.match(after(caughtUp, { type: "grew", durationMs: 62_000, isGrowing: false }), {
    isLive: false,
    isPlaying: true,
  });
});

t.test("a live picture never runs backwards", async (t) => {
  const live = after(GROWING, { type: "go_live" });
  const shorter = after(
    live,
    { type: "grew", durationMs: 59_500, isGrowing: true },
    { type: "tick", elapsedMs: 1 },
  );
  t.equal(shorter.positionMs, live.positionMs);
});
