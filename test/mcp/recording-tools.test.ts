import sharp from "sharp";
import t from "tap";
import type { Principal } from "../../src/auth/principal.ts";
import type { TrackEntry } from "../../src/recording/library/recording-types.ts";
import { colourAt, FakeRecordings, recordingSummary, SIZE, TRACK } from "../web/fake-recordings.ts";
import { type Call, callsTo } from "./call.ts";
import { ADMIN, AGENT, fakeHouse, OTHER } from "./fake-house.ts";

function open(): { call: Call; recordings: FakeRecordings } {
  const recordings = new FakeRecordings();
  recordings.entries = TRACK;
  const house = fakeHouse();
  return { call: callsTo({ ...house, ports: { ...house.ports, recordings } }), recordings };
}

const as = (principal: Principal) => ({ principal });

t.test("an agent records, looks back, searches and stops", async (t) => {
  const { call } = open();
  const started = await call("start_recording");
  t.match(started.structured, {
    recording_id: "r1",
    connection_id: "one",
    state: "recording",
    started_by: "first agent",
    is_new: true,
    uri: "recordings://r1",
  });
  t.match((await call("start_recording")).structured, { recording_id: "r1", is_new: false });
  const frame = await call("get_frame_at", { recording_id: "r1", at_ms: 4321 });
  t.match(frame.structured, { at_ms: 4321, frame_at_ms: 4000, ...SIZE, is_exact: true });
  t.equal(frame.images[0]?.mimeType, "image/png");
  const { data, info } = await sharp(Buffer.from(frame.images[0]?.data ?? "", "base64"))
    .raw()
    .toBuffer({ resolveWithObject: true });
  t.same([...data.subarray(0, 3)], colourAt(4000));
  t.match(info, SIZE);
  t.match((await call("get_frame_at", { recording_id: "r1", at_ms: 1e9 })).structured, { at_ms: 10_000 });
  t.match((await call("search_recording", { recording_id: "r1", query: "Click" })).structured, {
    total: 3,
    hits: [
      { kind: "approval" },
      { kind: "approval" },
      { at_ms: 3300, kind: "action", text: "Bot Click left at 10,10 open the menu" },
    ],
  });
  t.match((await call("search_recording", { recording_id: "r1", query: "nothing" })).text, /Nothing/);
  t.match((await call("stop_recording", { recording_id: "r1" })).structured, { state: "sealed" });
  t.match((await call("stop_recording", { recording_id: "r1" })).error, { code: "not_found" });
});

const line = { id: 1, x: 4, y: 8, width: 120, height: 12, words: [0, 56, 64, 120] };
const TEXT: TrackEntry = {
  ...{ atMs: 2100, type: "text", shownMs: 2000, moved: [], gone: [], stands: [] },
  came: [
    { ...line, text: "Evening harbour" },
    { ...line, id: 2, y: 28, text: "Click here" },
  ],
};

t.test("text that was shown is found with its time and place, and read at a moment", async (t) => {
  const { call, recordings } = open();
  recordings.entries = [...TRACK, TEXT].sort((a, b) => a.atMs - b.atMs);
  await call("start_recording");
  const found = await call("search_recording", { recording_id: "r1", query: "HARBOUR" });
  t.match(found.structured, {
    ...{ recording_id: "r1", total: 1, more: false, note: /no instruction/ },
    hits: [
      {
        ...{ recording_id: "r1", at_ms: 2000, kind: "text", text: "Evening harbour" },
        box: { x: 68, y: 8, width: 56, height: 12 },
      },
    ],
  });
  const all = await call("search_recording", { query: "click" });
  t.match(all.structured, { total: 4 });
  t.match(all.text, /r1 \(.*\), 2\.0 s, text: Click here/);
  t.match((await call("search_recording", { query: "harbour" }, as(OTHER))).structured, { total: 0 });
  const at = (ms: number) => call("get_frame_at", { recording_id: "r1", at_ms: ms, text: true });
  const read = await at(2500);
  t.same(read.structured["lines"], [
    { text: "Evening harbour", box: { x: 4, y: 8, width: 120, height: 12 } },
    { text: "Click here", box: { x: 4, y: 28, width: 120, height: 12 } },
  ]);
  t.same(read.images, []);
  t.equal((await at(1999)).structured["lines"], undefined);
});

t.test(
  "text of a recording in which something was hidden from agents is not searched for them",
  async (t) => {
    const { call, recordings } = open();
    recordings.entries = [...TRACK, TEXT];
    const { counts } = recordingSummary();
    recordings.keep(
      recordingSummary({ startedById: AGENT.id, counts: { ...counts, masks: 1, agentMasks: 1 } }),
    );
    for (const principal of [AGENT, ADMIN]) {
      const one = await call("search_recording", { recording_id: "r1", query: "click" }, as(principal));
      t.match(one.structured, { total: 3, note: /hidden from agents/ });
      t.notMatch(JSON.stringify(one.structured), "Click here");
      const all = await call("search_recording", { query: "click" }, as(principal));
      t.match(all.structured, { total: 3 });
      t.notMatch(JSON.stringify(all.structured), "Click here");
      const read = await call("get_frame_at", { recording_id: "r1", at_ms: 2500, text: true }, as(principal));
      t.match(read.error, { code: "permission_denied" });
    }
  },
);

t.test("of many frames at once no more recordings are open than are read", async (t) => {
  const { call, recordings } = open();
  await call("start_recording");
  let isOpen = 0;
  let most = 0;
  const { open: openOne } = recordings;
  recordings.open = async (id) => {
    const reader = await openOne.call(recordings, id);
    most = Math.max(most, ++isOpen);
    const { close } = reader;
    reader.close = async () => {
      isOpen--;
      await close.call(reader);
    };
    return reader;
  };
  const asked = Array.from({ length: 10 }, (_, i) =>
    call("get_frame_at", { recording_id: "r1", at_ms: i * 100 }),
  );
  t.ok((await Promise.all(asked)).every(({ images }) => images.length === 1));
  t.equal(isOpen, 0);
  t.ok(most <= 2, `${most} were open`);
});

t.test("an agent sees what it began, who controls desktops sees all", async (t) => {
  const { call, recordings } = open();
  recordings.keep(recordingSummary({ id: "r1", startedBy: "a person" }));
  await call("start_recording", {}, as(OTHER));
  const ids = async (principal: Principal) => {
    const { structured } = await call("list_recordings", {}, as(principal));
    return Array.isArray(structured["recordings"])
      ? structured["recordings"].map(({ recording_id }) => recording_id)
      : [];
  };
  t.same(await ids(AGENT), []);
  t.same(await ids(OTHER), ["r2"]);
  t.same(await ids(ADMIN), ["r2", "r1"]);
  for (const [tool, args] of [
    ["get_frame_at", { at_ms: 0 }],
    ["search_recording", { query: "x" }],
    ["stop_recording", {}],
  ] as const) {
    const { error } = await call(tool, { recording_id: "r2", ...args });
    t.match(error, { code: "not_found" }, `${tool}: another's looks like none`);
  }
  t.notOk(recordings.opened.length, "nothing was opened for it");
  t.match((await call("start_recording")).structured, { recording_id: "r2", is_new: false });
  t.match((await call("stop_recording", { recording_id: "r2" })).error, { code: "not_found" });
});

t.test("a name is no owner: it may be another's, and an old recording has nothing else", async (t) => {
  const { call, recordings } = open();
  recordings.keep(recordingSummary({ id: "r1", startedBy: AGENT.name, startedById: "who had it before" }));
  recordings.keep(recordingSummary({ id: "r2", startedBy: AGENT.name, startedById: null }));
  recordings.keep(recordingSummary({ id: "r3", startedBy: "renamed since", startedById: AGENT.id }));
  const total = async (principal: Principal) =>
    (await call("list_recordings", {}, as(principal))).structured["total"];
  t.equal(await total(AGENT), 1);
  t.equal(await total(ADMIN), 3);
});

t.test("what a policy began an agent does not end", async (t) => {
  const { call, recordings } = open();
  recordings.keep(recordingSummary({ startedById: AGENT.id, reason: "agent_activity", state: "recording" }));
  t.match((await call("stop_recording", { recording_id: "r1" })).error, { code: "permission_denied" });
  t.match((await call("stop_recording", { recording_id: "r1" }, as(ADMIN))).structured, { state: "sealed" });
});

t.test("every reader is closed, also of what cannot be read", async (t) => {
  const { call, recordings } = open();
  recordings.keep(
    recordingSummary({ startedById: AGENT.id, counts: { ...recordingSummary().counts, frames: 0 } }),
  );
  const { error, text } = await call("get_frame_at", { recording_id: "r1", at_ms: 0 });
  t.match(error, { code: "not_found" });
  t.match(text, /no picture/);
  t.ok(recordings.opened.every(({ isClosed }) => isClosed));
});

t.test("a house that records nothing says so", async (t) => {
  const call = callsTo(fakeHouse());
  t.match((await call("list_recordings")).error, { code: "not_supported" });
  t.match((await call("start_recording")).error, { code: "not_supported" });
});

t.test("a search that finds more than it may give says so", async (t) => {
  const { call, recordings } = open();
  await call("start_recording");
  const search = () => call("search_recording", { recording_id: "r1", query: "Click" });
  t.match((await search()).structured, { total: 3, more: false });
  const [click] = TRACK.filter(({ type }) => type === "action");
  recordings.entries = Array.from({ length: 200 }, () => click ?? TRACK).flat();
  const { structured, text } = await search();
  t.match(structured, { total: 200, more: true });
  t.match(text, /These are the first; more words find fewer/);
});

t.test("an agent does not end what a person asked for too; who controls desktops does", async (t) => {
  const { call, recordings } = open();
  await call("start_recording");
  recordings.keep({ ...(await recordings.get("r1")), keptBy: "Ann" });
  const refused = await call("stop_recording", { recording_id: "r1" });
  t.match(refused.error, { code: "permission_denied", message: /theirs to end/ });
  t.match(recordings.runningOn("one"), { id: "r1" });
  t.match((await call("stop_recording", { recording_id: "r1" }, as(ADMIN))).structured, { state: "sealed" });
});
