import t from "tap";
import { RfbError } from "../../../src/protocols/rfb/error.ts";
import { listRecordings, readRecording } from "./recording.ts";
import { type Difference, differences, Replay } from "./replay.ts";

const recordings = listRecordings();

/** A session's folder; those asked for by name are committed. */
function folderOf(name: string): string {
  const folder = recordings.get(name);
  if (folder === undefined) throw new Error(`no recording ${name}`);
  return folder;
}

/** H.264 is never asked for, so it is refused; and here nobody gets as far as a picture. */
const WITHOUT_PICTURES = new Set(["12-http-answers", "23-kasmvideo-h264"]);

/** JPEG through libjpeg-turbo's fast transform, which the recording's checker did not use: nearly the same. */
const LOSSY_JPEG = /^(06b|18-|18c)/;

const PIECES = [Number.POSITIVE_INFINITY, 997, 1];

for (const [name, folder] of recordings) {
  if (WITHOUT_PICTURES.has(name)) continue;
  t.test(`${name}: every picture is the true one, however the stream is cut`, async (t) => {
    const recording = readRecording(folder);
    for (const piece of PIECES) {
      for (const found of await differences(recording, piece)) {
        if (LOSSY_JPEG.test(name)) checkNearly(t, found);
        else {
          const { pixels, max, mean } = found.expected;
          t.same(
            [found.pixels, found.max, Math.round(found.mean * 100) / 100],
            [pixels, max, mean],
            `${found.label}, pieces of ${piece}`,
          );
        }
      }
    }
    t.equal(recording.truths.length > 0 || name === "19-notices", true);
  });
}

function checkNearly(test: Pick<typeof t, "ok">, { label, pixels, max, mean, expected }: Difference): void {
  test.ok(
    pixels <= expected.pixels * 1.2,
    `${label}: ${pixels} pixels differ, about ${expected.pixels} expected`,
  );
  test.ok(max <= expected.max * 1.1, `${label}: by at most ${max}, about ${expected.max} expected`);
  test.ok(mean <= expected.mean * 1.1, `${label}: by ${mean} in the mean, about ${expected.mean} expected`);
}

/** Everything a session's connections said, as events. */
async function replayOf(name: string, connection: number, options = {}): Promise<Replay> {
  const recording = readRecording(folderOf(name));
  const replay = new Replay(recording, connection, options);
  for (const line of recording.lines) {
    const isTheirs = line.isFromServer && !line.isHttp && line.opcode === 2;
    if (isTheirs && line.connection === connection) await replay.receive(line, 4096);
  }
  return replay;
}

t.test(
  "09: clipboards come as the desktop had them, and types that are not text are passed over",
  async (t) => {
    const { events } = await replayOf("09-clipboard", 1);
    const texts = events.flatMap((event) => (event.type === "clipboard" ? [event.text] : []));
    const poem = "Grüße, naïve café, Ελλάδα, 東京, 😀 ✓\nsecond line\nthird line";
    t.same(texts.slice(0, 4), [poem, "äöüß A", poem, poem]);
    t.equal(texts[4]?.length, 80_000);
    t.equal(texts.length, 5);
  },
);

t.test("14: each of 35 requests for frame statistics is answered", async (t) => {
  const { sent } = await replayOf("14-stats-and-small-messages", 1);
  t.equal(sent.filter((bytes) => bytes[0] === 179 && bytes.length === 12).length, 35);
});

t.test("17: pointers of the desktop come with their pictures, and where a program put them", async (t) => {
  const { events } = await replayOf("17-cursor", 1);
  const shapes = events.flatMap((event) =>
    event.type === "cursor" ? [event.cursor === null ? null : [event.cursor.width, event.cursor.height]] : [],
  );
  t.same(shapes, [null, [9, 16], [9, 16], [15, 21], [20, 22], [15, 21], null, [15, 21]]);
  const places = events.flatMap((event) => (event.type === "pointer" ? [[event.x, event.y]] : []));
  t.same(places, [[100, 500]]);
});

t.test("19: why the server closes is told", async (t) => {
  const { events } = await replayOf("19-notices", 1);
  t.match(
    events.filter(({ type }) => type === "farewell"),
    [{ reason: "Idle timeout", isGraceful: true }],
  );
});

t.test("20: a user without rights is told nothing but the desktop's size", async (t) => {
  const { events } = await replayOf("20-rights", 2);
  t.notOk(events.some(({ type }) => type === "update"));
});

t.test("23: video that nobody asked for is refused by its number, not taken for ZYWRLE", async (t) => {
  const error = await replayOf("23-kasmvideo-h264", 1).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof RfbError)) throw new Error("expected an RfbError");
  t.match(error, { code: "unsolicited_encoding", message: /encoding 17/ });
});
