import { once } from "node:events";
import { request } from "node:http";
import { inflateRawSync } from "node:zlib";
import sharp from "sharp";
import t, { type Test } from "tap";
import type { Role } from "../../src/auth/principal.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { trackInfos } from "../../src/web/api/recording-json.ts";
import { until } from "../support/until.ts";
import { type House, openHouse } from "./fake-house.ts";
import { colourAt, FakeReader, FakeRecordings, recordingSummary, SIZE, TRACK } from "./fake-recordings.ts";

const URL = "/api/v1/recordings";

async function open(t: Test): Promise<{ house: House; recordings: FakeRecordings }> {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary());
  recordings.entries = TRACK;
  return { house: await openHouse(t, { recordings }), recordings };
}

function ask(
  house: House,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  role: Role,
  body?: object,
) {
  const headers = house.bearer(role);
  return house.app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
}

t.test("who controls desktops sees recordings, nobody else does", async (t) => {
  const { house } = await open(t);
  for (const role of ["admin", "operator", "approver"] as const) {
    const answer = await ask(house, "GET", URL, role);
    t.match(answer.json(), [{ id: "r1", title: "Build VM", state: "sealed", duration_ms: 10_000 }], role);
  }
  const addresses = [
    ...[
      "",
      "/r1",
      "/r1/timeline",
      "/r1/chunks",
      "/r1/chunks/0",
      "/r1/run?at_ms=0",
      "/r1/pointer",
      "/r1/search?query=x",
      "/r1/text?at_ms=0",
      "/search?text=x",
    ],
    ...[
      "/r1/frame.png",
      "/r1/frame.webp",
      "/r1/export.png",
      "/r1/export.ndjson",
      "/r1/export.txt",
      "/r1/export.html",
    ],
  ];
  for (const role of ["viewer", "agent"] as const) {
    for (const address of addresses) {
      t.equal((await ask(house, "GET", `${URL}${address}`, role)).statusCode, 403, `${role} ${address}`);
    }
    t.equal((await ask(house, "POST", URL, role, { desktop_id: "d1" })).statusCode, 403);
    t.equal((await ask(house, "POST", `${URL}/r1/stop`, role, {})).statusCode, 403);
  }
  t.equal((await house.app.inject({ url: URL })).statusCode, 401);
  t.equal((await ask(house, "DELETE", `${URL}/r1`, "operator")).statusCode, 403, "deleting is an admin's");
  t.equal((await ask(house, "DELETE", `${URL}/r1`, "admin")).statusCode, 204);
  t.equal((await ask(house, "GET", `${URL}/r1`, "admin")).statusCode, 404);
});

t.test("text that was shown is found, read at a moment and exported with its times", async (t) => {
  const { house, recordings } = await open(t);
  const line = { x: 4, y: 8, width: 120, height: 12, words: [0, 56, 64, 120] };
  recordings.entries = [
    {
      ...{ atMs: 2100, type: "text", shownMs: 2000, moved: [], gone: [], stands: [] },
      came: [{ ...line, id: 1, text: "Evening har" }],
    },
    {
      ...{ atMs: 3100, type: "text", shownMs: 3000, moved: [], gone: [1] },
      came: [{ ...line, id: 2, text: "Evening harbour" }],
    },
    {
      ...{ atMs: 5100, type: "text", shownMs: 5000, moved: [], gone: [2] },
      came: [{ ...line, id: 3, y: 40, text: "Nothing remains" }],
    },
  ];
  const get = async (path: string) => (await ask(house, "GET", `${URL}${path}`, "operator")).json();
  const box = { x: 68, y: 8, width: 56, height: 12 };
  const hit = { at_ms: 2000, type: "text", text: "Evening har", until_ms: 5000 };
  t.match(await get("/r1/search?query=har"), [hit]);
  const all = await get("/search?text=harbour&limit=5");
  t.match(all, {
    more: false,
    unread: 0,
    hits: [{ recording_id: "r1", title: "Build VM", type: "text", box }],
  });
  t.equal((await ask(house, "GET", `${URL}/search?text=`, "operator")).statusCode, 400);
  t.match(await get("/r1/text?at_ms=3500&query=harbour"), {
    ...{ at_ms: 3000, until_ms: 5000 },
    lines: [{ text: "Evening harbour", box }],
  });
  t.same(await get("/r1/text?at_ms=3500&query=lantern"), { at_ms: 3000, until_ms: 5000, lines: [] });
  t.match(await get("/r1/text?at_ms=100"), { at_ms: null, lines: [] });
  const told = await ask(house, "GET", `${URL}/r1/export.txt`, "operator");
  t.match(told.headers["content-type"], /text\/plain/);
  t.equal(
    told.body,
    "Build VM, 2026-11-21T08:00:00.000Z\n0:00:02.000  Evening harbour\n0:00:05.000  Nothing remains\n",
  );
  const part = await ask(house, "GET", `${URL}/r1/export.txt?from_ms=4000`, "operator");
  t.match(part.body, /0:00:04\.000 {2}Evening harbour\n0:00:05\.000 {2}Nothing remains\n$/);
  t.ok(house.audited.some(({ type, action }) => type === "recording.exported" && action === "txt"));
});

t.test("a recording is started, marked and stopped, and the desktop says so", async (t) => {
  const { house, recordings } = await open(t);
  const started = await ask(house, "POST", URL, "operator", { desktop_id: "d1" });
  t.equal(started.statusCode, 201);
  t.match(started.json(), { id: "r2", state: "recording", started_by: "the operator", reason: "manual" });
  t.equal(started.headers["location"], `${URL}/r2`);
  const desktop = async () => (await ask(house, "GET", "/api/v1/desktops/d1", "viewer")).json();
  t.equal((await desktop()).recording_id, "r2", "everybody sees that it is recorded");
  await ask(house, "POST", `${URL}/r2/bookmarks`, "approver", { label: "look here" });
  t.same(recordings.bookmarks, ["look here"]);
  t.match((await ask(house, "POST", `${URL}/r2/stop`, "approver", {})).json(), { state: "sealed" });
  t.equal((await desktop()).recording_id, null);
  t.equal((await ask(house, "POST", `${URL}/r2/stop`, "admin", {})).statusCode, 404);
});

t.test("a recording is shown as a desktop by those who may add one", async (t) => {
  const recordings = new FakeRecordings();
  recordings.keep(recordingSummary());
  const opened: (readonly [string, number])[] = [];
  const replays = {
    open: async (id: string, startMs: number) => {
      opened.push([id, startMs]);
      return { id: "replay-1" };
    },
    player(): never {
      throw new Error("nobody asked for it");
    },
  };
  const house = await openHouse(t, { recordings, replays });
  t.equal((await ask(house, "POST", `${URL}/r1/replay`, "approver", {})).statusCode, 403);
  t.match((await ask(house, "POST", `${URL}/r1/replay`, "operator", { at_ms: 2500 })).json(), {
    desktop_id: "replay-1",
  });
  t.same(opened, [["r1", 2500]]);
  const without = await openHouse(t, { recordings });
  t.equal((await ask(without, "POST", `${URL}/r1/replay`, "operator", {})).statusCode, 422);
});

t.test("a replay is played, paused and sent elsewhere by those who may control it", async (t) => {
  const recordings = new FakeRecordings();
  const did: string[] = [];
  const state = { positionMs: 1000.4, durationMs: 60_000, isPlaying: false, speed: 1 };
  const player = {
    state,
    play: () => void did.push("play"),
    pause: () => void did.push("pause"),
    seek: async (ms: number) => void did.push(`seek ${ms}`),
    setSpeed: (speed: number) => void did.push(`speed ${speed}`),
  };
  const replays = {
    open: async () => ({ id: "replay-1" }),
    player(id: string) {
      if (id === "replay-1") return player;
      throw new RefusedError("not_found", "this desktop is no replay: open one first");
    },
  };
  const house = await openHouse(t, { recordings, replays });
  house.desktops.open("replay-1");
  const steer = (role: Role, body: object, id = "replay-1") =>
    ask(house, "PATCH", `/api/v1/desktops/${id}/replay`, role, body);
  const told = { at_ms: 1000, duration_ms: 60_000, is_playing: false, speed: 1 };
  t.same((await steer("approver", { is_playing: true, at_ms: 2500, speed: 4 })).json(), told);
  t.same(did, ["speed 4", "seek 2500", "play"], "what it plays from is there first");
  await steer("operator", { is_playing: false });
  t.same(did.slice(3), ["pause"]);
  t.same((await ask(house, "GET", "/api/v1/desktops/replay-1/replay", "admin")).json(), told);
  t.equal((await steer("viewer", { is_playing: true })).statusCode, 403);
  t.equal((await steer("admin", { is_playing: true }, "d1")).statusCode, 404);
  for (const body of [{ speed: 0 }, { speed: 17 }, { at_ms: -1 }, { playing: true }])
    t.equal((await steer("admin", body)).statusCode, 400, JSON.stringify(body));
  t.equal(did.length, 4, "what is refused does nothing");
});

t.test("verifying says what is wrong", async (t) => {
  const { house, recordings } = await open(t);
  recordings.keep(recordingSummary({ id: "bad", state: "tampered" }));
  t.match((await ask(house, "POST", `${URL}/r1/verify`, "approver", {})).json(), {
    state: "sealed",
    problem: null,
  });
  t.match((await ask(house, "POST", `${URL}/bad/verify`, "approver", {})).json(), {
    state: "tampered",
    problem: /segment 1/,
    intact_bytes: 1000,
  });
});

t.test("a frame is the picture of its moment, whole, in part, and small", async (t) => {
  const { house } = await open(t);
  const pixels = async (query: string, format = "png") => {
    const answer = await ask(house, "GET", `${URL}/r1/frame.${format}?${query}`, "approver");
    t.equal(answer.statusCode, 200, query);
    return sharp(answer.rawPayload).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  };
  for (const ms of [0, 999, 1000, 4321, 99_999]) {
    const { data, info } = await pixels(`at_ms=${ms}`);
    t.same([...data.subarray(0, 3)], colourAt(Math.min(ms, 9999)), `${ms}`);
    t.match(info, SIZE);
  }
  t.match((await pixels("x=10&y=10&width=20&height=10")).info, { width: 20, height: 10 });
  t.match((await pixels("x=60&y=40&width=20&height=10")).info, { width: 4, height: 8 }, "clipped");
  t.match((await pixels("max_width=16", "webp")).info, { width: 16, height: 12 });
  t.match((await pixels("max_width=1600")).info, SIZE, "never larger than it was");
  const wrong = async (query: string) =>
    (await ask(house, "GET", `${URL}/r1/frame.png?${query}`, "approver")).json().error.code;
  t.equal(await wrong("x=1"), "invalid_parameters");
  t.equal(await wrong("at_ms=-1"), "invalid_parameters");
  t.equal(await wrong("at_ms=Infinity"), "invalid_parameters");
  t.equal(await wrong("x=200&y=0&width=10&height=10"), "out_of_bounds");
});

t.test("the timeline tells of spans, and of an action when it was allowed", async (t) => {
  const { house } = await open(t);
  const timeline = (await ask(house, "GET", `${URL}/r1/timeline`, "approver")).json();
  t.match(timeline.recording, { id: "r1" });
  t.equal(Math.max(...timeline.activity), 1);
  t.equal(timeline.human[Math.floor(480 / 2)], 1, "people pressed keys in the middle");
  const of = (type: string) => timeline.entries.filter((entry: { type: string }) => entry.type === type);
  t.match(of("approval"), [{ at_ms: 1000, state: "granted", decided_by: "Ann", decided_at_ms: 3000 }]);
  t.match(of("action"), [
    {
      at_ms: 3000,
      duration_ms: 300,
      intent: "open the menu",
      changed_rect: { x: 4, y: 4, width: 20, height: 10 },
      point: { x: 10, y: 10 },
    },
  ]);
  t.match(of("overlay"), [{ at_ms: 4000, until_ms: 6000, overlay: { id: "o1", label: "Here" } }]);
  t.match(of("marker"), [
    { at_ms: 7000, label: "Mode passive", by: "Ann", is_set: false },
    { at_ms: 8000, label: "look here", is_set: true },
  ]);
  t.same(
    timeline.entries.map((entry: { at_ms: number }) => entry.at_ms),
    timeline.entries.map((entry: { at_ms: number }) => entry.at_ms).sort((a: number, b: number) => a - b),
  );
});

t.test(
  "an action is told to have pressed where it did, and nowhere where it pressed nothing that was recorded",
  async (t) => {
    const action = TRACK.find(({ type }) => type === "action");
    const click = TRACK.find(({ type }) => type === "click");
    if (action?.type !== "action" || click?.type !== "click") throw new Error("no click is recorded");
    const alone = { ...action, wasConfirmed: false, durationMs: 300 };
    const cases = {
      "its own": { entries: [click, alone], point: { x: 10, y: 10 } },
      "a person's": { entries: [{ ...click, by: "human" as const }, alone], point: null },
      "one of before": { entries: [{ ...click, atMs: 2000 }, alone], point: null },
      "of typing": { entries: [click, { ...alone, kind: "type" as const }], point: null },
      "of a drag": { entries: [click, { ...alone, kind: "drag" as const }], point: { x: 10, y: 10 } },
      "on a hidden place": { entries: [alone], point: null },
    };
    for (const [what, { entries, point }] of Object.entries(cases)) {
      t.match(trackInfos(entries), [{ type: "action", point }], what);
    }
  },
);

t.test("an agent is told by its program with its token, as the viewer tells it", async (t) => {
  const action = TRACK.find(({ type }) => type === "action");
  if (action?.type !== "action") throw new Error("no action is recorded");
  const named = { ...action, actor: { ...action.actor, client: "claude-code" } };
  t.match(trackInfos([named]), [{ actor: { kind: "agent", name: "claude-code", token: "Bot" } }]);
  t.same(
    trackInfos([action]).map((told) => "actor" in told && told.actor),
    [{ kind: "agent", name: "Bot" }],
  );
});

t.test("a timeline of any length is told page by page", async (t) => {
  const { house, recordings } = await open(t);
  const by = { kind: "human", id: "h", name: "Ann" } as const;
  recordings.entries = Array.from({ length: 45_000 }, (_, i) => ({
    ...({ type: "bookmark", label: `mark ${i}`, by, atMs: Math.floor(i / 5) } as const),
  }));
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const answer: Awaited<ReturnType<typeof ask>> = await ask(
      house,
      "GET",
      `${URL}/r1/timeline?from_entry=${next}`,
      "approver",
    );
    const page: { entries: { label: string }[]; next_entry: number | null } = answer.json();
    sizes.push(page.entries.length);
    for (const { label } of page.entries) seen.push(label);
    next = page.next_entry;
  }
  t.same(sizes, [20_000, 20_000, 5000]);
  t.same(
    seen,
    recordings.entries.map((_, i) => `mark ${i}`),
  );
  t.equal((await ask(house, "GET", `${URL}/r1/timeline?from_entry=-1`, "approver")).statusCode, 400);
});

t.test("all that a moment needs comes in one answer", async (t) => {
  const { house } = await open(t);
  const answer = await ask(house, "GET", `${URL}/r1/run?at_ms=4500`, "approver");
  const bytes = answer.rawPayload;
  const headBytes = bytes.readUInt32BE(0);
  const head = JSON.parse(bytes.toString("utf8", 4, 4 + headBytes));
  t.equal(head.chunks[0].is_key, true);
  t.equal(head.until_ms, null);
  let at = 4 + headBytes;
  for (const { index, bytes: length } of head.chunks) {
    t.equal(inflateRawSync(bytes.subarray(at, at + length)).toString(), `chunk ${index}`);
    at += length;
  }
  t.equal(at, bytes.length, "and nothing else");
  t.equal((await ask(house, "GET", `${URL}/r1/run`, "approver")).statusCode, 400);
});

t.test("chunks are told by span and given as they were written", async (t) => {
  const { house } = await open(t);
  const told = (await ask(house, "GET", `${URL}/r1/chunks?from_ms=4500&to_ms=5000`, "approver")).json();
  t.match(told, {
    state: "sealed",
    duration_ms: 10_000,
    chunks: [
      { index: 0, is_key: true },
      { index: 2, from_ms: 4000, to_ms: 5000 },
    ],
  });
  const chunk = await ask(house, "GET", `${URL}/r1/chunks/2`, "approver");
  t.equal(chunk.headers["content-type"], "application/octet-stream");
  t.equal(inflateRawSync(chunk.rawPayload).toString(), "chunk 2");
  t.equal((await ask(house, "GET", `${URL}/r1/chunks/9`, "approver")).statusCode, 422);
  // Of a part before the one that is named: this recording has none.
  t.equal((await ask(house, "GET", `${URL}/r1/chunks/-1`, "approver")).statusCode, 422);
  t.equal((await ask(house, "GET", `${URL}/r1/chunks/0.5`, "approver")).statusCode, 400);
  t.equal((await ask(house, "GET", `${URL}/r1/chunks/1e9x`, "approver")).statusCode, 400);
});

t.test("a recording that is read again and again is opened once, and let go of", async (t) => {
  const { house, recordings } = await open(t);
  for (let i = 0; i < 5; i++) await ask(house, "GET", `${URL}/r1/frame.png?at_ms=${i * 1000}`, "approver");
  t.equal(recordings.opened.length, 1);
  t.notOk(recordings.opened[0]?.isClosed);
  house.clock.advance(60_000);
  await Promise.resolve();
  t.ok(recordings.opened[0]?.isClosed, "nobody asked for a minute");
  await ask(house, "GET", `${URL}/r1/frame.png`, "approver");
  await ask(house, "DELETE", `${URL}/r1`, "admin");
  await Promise.resolve();
  t.ok(recordings.opened[1]?.isClosed, "what is deleted is let go of");
});

t.test("of many frames at once two are in memory", async (t) => {
  const { house } = await open(t);
  let read = 0;
  let answered = 0;
  let most = 0;
  const { frameAt } = FakeReader.prototype;
  FakeReader.prototype.frameAt = function (ms) {
    read++;
    most = Math.max(most, read - answered);
    return frameAt.call(this, ms);
  };
  t.teardown(() => {
    FakeReader.prototype.frameAt = frameAt;
  });
  const asked = Array.from({ length: 20 }, async (_, i) => {
    const format = i % 2 === 0 ? "png" : "webp";
    const { statusCode } = await ask(house, "GET", `${URL}/r1/frame.${format}?at_ms=${i * 100}`, "approver");
    answered++;
    return statusCode;
  });
  t.ok((await Promise.all(asked)).every((status) => status === 200));
  t.equal(read, 20);
  // One that is encoded gives its place to the next before its answer is there.
  t.ok(most <= 6, `${most} were read and not answered`);
});

t.test("exports are files with a name, closed behind them", async (t) => {
  const { house, recordings } = await open(t);
  const get = (rest: string) => ask(house, "GET", `${URL}/r1/export.${rest}`, "approver");
  const png = await get("png?from_ms=2500");
  t.match(png.headers["content-disposition"], /attachment; filename="Build VM 2026-11-21 08-00.png"/);
  const { data } = await sharp(png.rawPayload).raw().toBuffer({ resolveWithObject: true });
  t.same([...data.subarray(0, 3)], colourAt(2000));
  const lines = (await get("ndjson?from_ms=3000&to_ms=4000")).body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  t.same(
    lines.map(({ type }) => type),
    ["recording", "approval", "click", "action", "overlays_shown"],
  );
  t.match((await get("gif?to_ms=3000")).rawPayload.subarray(0, 6).toString(), "GIF89a");
  t.equal((await get("html?from_ms=5000&to_ms=4000")).statusCode, 400);
  t.ok(
    recordings.opened.every(({ isClosed }) => isClosed),
    "none stays open",
  );
});

t.test("only so many exports are made at once, and the next one waits", async (t) => {
  const { house, recordings } = await open(t);
  const asked = Array.from({ length: 5 }, () => ask(house, "GET", `${URL}/r1/export.html`, "approver"));
  const codes = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
  t.ok(codes.includes(200));
  t.ok(codes.every((code) => code === 200 || code === 429));
  const after = await ask(house, "GET", `${URL}/r1/export.html`, "approver");
  t.equal(after.statusCode, 200, "there is room again");
  t.ok(recordings.opened.every(({ isClosed }) => isClosed));
});

t.test(
  "an address has a hundred recordings as files in a quarter of an hour, or any number when off",
  async (t) => {
    for (const isRateLimited of [true, false]) {
      const recordings = new FakeRecordings();
      recordings.keep(recordingSummary());
      recordings.entries = TRACK;
      const house = await openHouse(t, { recordings, rateTiers: { isOn: isRateLimited } });
      const get = (rest: string) => ask(house, "GET", `${URL}/r1${rest}`, "approver");
      for (let n = 0; n < 100; n++) await get("/export.ndjson?to_ms=1");
      const next = await get("/export.ndjson?to_ms=1");
      t.equal(next.statusCode, isRateLimited ? 429 : 200);
      if (isRateLimited) t.match(next.headers["retry-after"], /^\d+$/);
      t.equal((await get("")).statusCode, 200, "what a player reads is not limited");
      t.equal((await get("/frame.png?at_ms=1")).statusCode, 200);
    }
  },
);

t.test("who goes away before an export has begun leaves no place taken", async (t) => {
  const { house, recordings } = await open(t);
  let asked = 0;
  let letOpen = (): void => {};
  const mayOpen = new Promise<void>((resolve) => {
    letOpen = resolve;
  });
  const openNow = recordings.open.bind(recordings);
  recordings.open = async (id) => {
    asked += 1;
    await mayOpen;
    return openNow(id);
  };
  const gone: Promise<unknown>[] = [];
  house.app.server.on("connection", (socket) => gone.push(once(socket, "close")));
  const host = await house.listen();
  const headers = house.bearer("approver");
  const calls = [1, 2, 3].map(() => request(`http://${host}${URL}/r1/export.html`, { headers }).end());
  for (const call of calls) call.on("error", () => {});
  await until("three exports", () => asked === 3);
  const next = await ask(house, "GET", `${URL}/r1/export.png`, "approver");
  t.equal(next.statusCode, 429, "those that have not begun are counted too");
  for (const call of calls) call.destroy();
  await Promise.all(gone);
  letOpen();
  const after = await ask(house, "GET", `${URL}/r1/export.png`, "approver");
  t.equal(after.statusCode, 200);
  await until("all to be closed", () => recordings.opened.every(({ isClosed }) => isClosed));
  t.equal(recordings.opened.length, 4);
});

t.test("the pointer of a span is told with where it was before, a click as well", async (t) => {
  const { house, recordings } = await open(t);
  const look = { width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: "AAAAAA==" };
  recordings.entries = [
    { atMs: 100, type: "cursor", ...look },
    { atMs: 200, type: "pointer", x: 1, y: 2 },
    { atMs: 5000, type: "click", x: 30, y: 40, button: "left", by: "human" },
    { atMs: 7000, type: "pointer", x: 5, y: 6 },
  ];
  const pointer = async (fromMs: number) =>
    (await ask(house, "GET", `${URL}/r1/pointer?from_ms=${fromMs}&to_ms=10000`, "approver")).json();
  t.match(await pointer(6000), {
    moves: [
      [5000, 30, 40],
      [7000, 5, 6],
    ],
    shapes: [{ at_ms: 100 }],
  });
  t.match((await pointer(300)).moves, [
    [200, 1, 2],
    [5000, 30, 40],
    [7000, 5, 6],
  ]);
});

t.test("hours of tracks are not read for a pointer that nobody moved", async (t) => {
  const { house, recordings } = await open(t);
  recordings.keep(recordingSummary({ durationMs: 30_000_000 }));
  const nobody = { width: 0, height: 0, hotspotX: 0, hotspotY: 0, rgba: null };
  recordings.entries = Array.from({ length: 500 }, (_, i) => ({
    ...({ type: "cursor", ...nobody, atMs: i * 60_000 } as const),
  }));
  await ask(house, "GET", `${URL}/r1/pointer?from_ms=29900000&to_ms=29960000`, "approver");
  const reads = recordings.opened.flatMap(({ spans }) => spans);
  t.ok(Math.min(...reads) > 29_000_000, `${reads}`);
});

t.test("a recording without a picture is said to have none", async (t) => {
  const { house, recordings } = await open(t);
  recordings.keep(recordingSummary({ id: "empty", counts: { ...recordingSummary().counts, frames: 0 } }));
  const answer = await ask(house, "GET", `${URL}/empty/frame.png`, "approver");
  t.equal(answer.statusCode, 404);
  t.match(answer.json().error.message, /no picture/);
  t.equal((await ask(house, "GET", `${URL}/empty/export.html`, "approver")).statusCode, 404);
});

t.test("a recording is named, written about and marked afterwards, by who may see it", async (t) => {
  const { house } = await open(t);
  const change = async (body: object, role: Role = "operator") =>
    ask(house, "PATCH", `${URL}/r1`, role, body);
  t.match((await change({ name: " The broken build ", notes: "See 0:04" })).json(), {
    title: "Build VM",
    name: "The broken build",
    notes: "See 0:04",
  });
  t.match((await change({ notes: null })).json(), { name: "The broken build", notes: null });
  t.match((await ask(house, "GET", URL, "admin")).json(), [{ name: "The broken build" }]);
  const found = await ask(house, "GET", `${URL}/search?text=menu`, "admin");
  t.match(found.json(), { hits: [{ title: "The broken build" }] });
  const mark = async (body: object) => ask(house, "POST", `${URL}/r1/markers`, "operator", body);
  t.equal((await mark({ at_ms: 4000, label: "It fails here" })).statusCode, 201);
  const early = (await mark({ at_ms: 1000, label: "Before" })).json();
  t.match(early, { id: /./, at_ms: 1000, label: "Before", by: "the operator" });
  const markers = async () => (await ask(house, "GET", `${URL}/r1/timeline`, "admin")).json().markers;
  t.match(await markers(), [
    { at_ms: 1000, label: "Before" },
    { at_ms: 4000, label: "It fails here" },
  ]);
  const remove = `${URL}/r1/markers/${early.id}`;
  t.equal((await ask(house, "DELETE", remove, "approver")).statusCode, 204);
  t.match((await ask(house, "DELETE", remove, "approver")).json(), { error: { code: "not_found" } });
  t.match(await markers(), [{ at_ms: 4000 }]);
  for (const body of [
    { at_ms: 10_001, label: "x" },
    { at_ms: 1, label: " " },
    { at_ms: -1, label: "x" },
  ]) {
    t.match((await mark(body)).json(), { error: { code: /out_of_bounds|invalid_parameters/ } });
  }
  t.match((await change({ name: "x".repeat(201) })).json(), { error: { code: "invalid_parameters" } });
  for (const role of ["viewer", "agent"] as const)
    t.equal((await change({ name: "x" }, role)).statusCode, 403);
});
