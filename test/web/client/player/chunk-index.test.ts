import t from "tap";
import type { PictureChunkInfo } from "../../../../src/web/api/api.ts";
import { ChunkIndex, WINDOW_MS } from "../../../../src/web/client/player/chunk-index.ts";

function chunk(index: number, fromMs: number, toMs: number, isKey = false): PictureChunkInfo {
  return { index, is_key: isKey, from_ms: fromMs, to_ms: toMs, frames: 1, size_bytes: 10 };
}

const indexes = (run: { readonly chunks: readonly PictureChunkInfo[] } | null) =>
  run?.chunks.map(({ index }) => index);

t.test("a moment is decoded from the key before it", async (t) => {
  const index = new ChunkIndex();
  index.add(0, [
    chunk(0, 100, 900, true),
    chunk(1, 2000, 2900),
    chunk(2, 5000, 5900, true),
    chunk(3, 7000, 7100),
  ]);
  t.same(indexes(index.runAt(2500)), [0, 1]);
  t.same(indexes(index.runAt(4999)), [0, 1], "what stood still");
  t.same(indexes(index.runAt(5000)), [2]);
  t.same(indexes(index.runAt(60_000)), [2, 3]);
  t.same(indexes(index.runAt(0)), [0], "before the first picture the first is shown");
  t.equal(index.runAt(WINDOW_MS + 1), null, "a window that was not read");
});

t.test("a window holds the key that its beginning needs", async (t) => {
  const index = new ChunkIndex();
  index.add(1, [chunk(4, 100, 200, true), chunk(5, 1000, 1100), chunk(6, WINDOW_MS + 50, WINDOW_MS + 60)]);
  t.same(indexes(index.runAt(WINDOW_MS)), [4, 5]);
  t.same(indexes(index.runAt(WINDOW_MS + 55)), [4, 5, 6]);
  t.equal(index.newest?.index, 6);
});

t.test("a window that grows is added to, each chunk once", async (t) => {
  const index = new ChunkIndex();
  index.add(0, [chunk(0, 0, 900, true), chunk(1, 1000, 1900)]);
  index.add(0, [chunk(1, 1000, 1900), chunk(2, 2000, 2500)]);
  t.same(indexes(index.runAt(2200)), [0, 1, 2]);
  t.same(
    index.within({ fromMs: 500, toMs: 2000 }).map((one) => one.index),
    [1, 2],
  );
});

t.test("idle is what no chunk and no action fills", async (t) => {
  const index = new ChunkIndex();
  index.add(0, [chunk(0, 0, 1000, true), chunk(1, 20_000, 21_000)]);
  t.same(index.idle(22_000, []), [{ fromMs: 2000, toMs: 19_700 }]);
  t.same(index.idle(22_000, [10_000]), [
    { fromMs: 2000, toMs: 9700 },
    { fromMs: 11_000, toMs: 19_700 },
  ]);
});

t.test("what cannot be read is passed over from its beginning to its end", async (t) => {
  const index = new ChunkIndex();
  const lost = { ...chunk(2 ** 32 - 1, 4000, 400_000, true), frames: 0, size_bytes: 0 };
  const around = [chunk(0, 0, 1000, true), lost, chunk(2 ** 32, 400_000, 401_000, true)];
  index.add(0, around.slice(0, 2));
  index.add(1, around.slice(1));
  t.same(
    index.idle(402_000, [4000]).filter(({ fromMs }) => fromMs >= 4000),
    [{ fromMs: 4000, toMs: 400_000 }],
  );
});

t.test("a caret that blinks is idle, a letter that is typed is not", async (t) => {
  const blink = (index: number, fromMs: number, frames = 2, size = 56): PictureChunkInfo => ({
    ...chunk(index, fromMs, fromMs + 600),
    ...{ frames, size_bytes: size },
  });
  const blinking = Array.from({ length: 10 }, (_, i) => blink(i + 1, 1000 + i * 1200));
  const idleOf = (chunks: readonly PictureChunkInfo[]) => {
    const index = new ChunkIndex();
    index.add(0, [chunk(0, 0, 500, true), ...chunks]);
    return index.idle(13_000, []);
  };
  t.same(idleOf(blinking), [{ fromMs: 1500, toMs: 12_700 }]);
  const typed = blinking.with(4, blink(5, 5800, 2, 130));
  t.same(idleOf(typed), [
    { fromMs: 1500, toMs: 5500 },
    { fromMs: 7400, toMs: 12_700 },
  ]);
  t.same(
    idleOf([blink(1, 6000, 1, 40)]),
    [
      { fromMs: 1500, toMs: 5700 },
      { fromMs: 7600, toMs: 12_700 },
    ],
    "one small change alone may matter",
  );
});
