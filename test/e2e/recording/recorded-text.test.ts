import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import type { Rect } from "../../../src/framebuffer/rect.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// The text of a real screen is recorded, found with its time and place, and never where it was masked.

const rectSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
const foundSchema = z.object({
  total: z.int(),
  note: z.string().optional(),
  hits: z.array(
    z.object({
      recording_id: z.string(),
      at_ms: z.number(),
      kind: z.string(),
      text: z.string(),
      box: rectSchema.optional(),
      until_ms: z.number().optional(),
    }),
  ),
});
const foundInAllSchema = z.object({
  hits: z.array(z.object({ recording_id: z.string(), type: z.string(), text: z.string() })),
  unread: z.int(),
});
const startedSchema = z.object({ recording_id: z.string() });
const linesSchema = z.object({
  lines: z.array(z.object({ text: z.string(), box: rectSchema })).optional(),
});

interface Pixels {
  readonly width: number;
  readonly rgba: Uint8Array;
}

function crop({ width, rgba }: Pixels, rect: Rect): Buffer {
  const rows = Array.from({ length: rect.height }, (_, row) => {
    const from = ((rect.y + row) * width + rect.x) * 4;
    return rgba.subarray(from, from + rect.width * 4);
  });
  return Buffer.concat(rows);
}

t.test("words on the screen are found in recordings, where and when", { timeout: 240_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const display = await XDisplay.start(t, { geometry: "800x600" });
  const appliance = await Appliance.start(t, {
    connect: [`vnc://127.0.0.1:${display.vncPort}`],
    env: { OC_RECORDING_TEXT: "on" },
  });
  const flag = (name: string): string => join(appliance.dataDir, name);
  const wait = (name: string): string => `while [ ! -e ${flag(name)} ]; do sleep 0.1; done`;
  const script =
    `printf '\\033[?25lEvening harbour\\n'; ${wait("second")}; printf 'Yellow lantern glows\\n'; ` +
    `${wait("third")}; printf '\\033[2J\\033[HNothing remains\\n'; exec sleep 600`;
  await display.openTerminal("open", "40x8+40+300", script);
  const secret = "printf '\\033[?25lSecret vault 4711\\n'; exec sleep 600";
  await display.openTerminal("secret", "40x6+40+20", secret);
  const agent = await appliance.agent({ token: appliance.agentToken });
  const textSchema = z.object({ text: z.string().nullable() });
  await until("both windows", async () => {
    const { text } = textSchema.parse(await agent.call("read_text"));
    return text?.includes("vault 4711") && text.includes("harbour");
  });
  const [desktop] = z
    .array(z.object({ id: z.string() }))
    .parse(await (await appliance.fetch("/api/v1/desktops")).json());
  const masks = `/api/v1/desktops/${desktop?.id}/masks`;
  const rect = { x: 0, y: 0, width: 500, height: 200 };
  const made = await appliance.fetch(masks, { rect, label: "vault" });
  t.equal(made.status, 201);
  const mask = z.object({ id: z.string() }).parse(await made.json());
  const { recording_id } = startedSchema.parse(await agent.call("start_recording"));
  const search = async (query: string, id?: string) =>
    foundSchema.parse(
      await agent.call("search_recording", { query, ...(id === undefined ? {} : { recording_id: id }) }),
    );
  const inAll = async (text: string, token?: string) =>
    foundInAllSchema.parse(
      await (
        await appliance.fetch(`/api/v1/recordings/search?text=${encodeURIComponent(text)}`, undefined, {
          ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
        })
      ).json(),
    );
  const awaited = (query: string) =>
    until(
      `"${query}"`,
      async () => (await search(query, recording_id)).hits.find(({ kind }) => kind === "text") ?? null,
      60_000,
    );
  const first = await awaited("harbour");
  writeFileSync(flag("second"), "");
  const second = await awaited("yellow LANTERN");
  const shown = await agent.shot();
  writeFileSync(flag("third"), "");
  await awaited("Nothing remains");

  await t.test("at the picture that shows them, and not before", async (t) => {
    t.match(first, { recording_id, text: "Evening harbour" });
    t.equal(second.text, "Yellow lantern glows");
    const box = second.box ?? { x: 0, y: 0, width: 1, height: 1 };
    const at = (ms: number) => agent.picture("get_frame_at", { recording_id, at_ms: ms });
    t.same(crop(await at(second.at_ms), box), crop(shown, box), "its letters stand in the box");
    t.notSame(crop(await at(first.at_ms), box), crop(shown, box), "and came after the others");
    const [gone] = (await search("lantern", recording_id)).hits;
    t.ok(gone?.until_ms !== undefined && gone.until_ms > second.at_ms, "they went");
    const [left] = (await search("remains", recording_id)).hits;
    t.notSame(crop(await at(left?.at_ms ?? 0), box), crop(shown, box));
  });

  await t.test("the text of a moment is read instead of its picture", async (t) => {
    const told = await agent.call("get_frame_at", { recording_id, at_ms: second.at_ms, text: true });
    const { lines } = linesSchema.parse(told);
    t.same(
      lines?.map(({ text }) => text),
      ["Evening harbour", "Yellow lantern glows"],
    );
  });

  await t.test("what is masked is in no text of the recording", async (t) => {
    await agent.call("stop_recording", { recording_id });
    for (const word of ["4711", "vault", "Secret"]) {
      t.same((await search(word, recording_id)).hits, [], word);
      t.same((await search(word)).hits, [], `${word} in all`);
      t.same((await inAll(word)).hits, [], `${word} in all, by REST`);
    }
    const verified = await appliance.fetch(`/api/v1/recordings/${recording_id}/verify`, {});
    t.match(await verified.json(), { state: "sealed", problem: null });
    for (const kind of ["ndjson", "txt"]) {
      const exported = await appliance.fetch(`/api/v1/recordings/${recording_id}/export.${kind}`);
      const text = await exported.text();
      t.match(text, /Yellow lantern glows/, kind);
      t.notMatch(text, /4711|vault/, kind);
    }
  });

  await t.test("in all recordings only who may see one finds its words", async (t) => {
    t.match(await inAll("lantern"), { hits: [{ recording_id, type: "text", text: "Yellow lantern glows" }] });
    t.match(await search("harbour"), { hits: [{ recording_id, kind: "text", text: "Evening harbour" }] });
    const other = z
      .object({ token: z.string() })
      .parse(await (await appliance.fetch("/api/v1/tokens", { name: "other", role: "agent" })).json());
    const stranger = await appliance.agent({ token: other.token });
    t.match(await stranger.call("search_recording", { query: "harbour" }), { total: 0, hits: [] });
  });

  await t.test("what is hidden from agents alone, people find and agents do not", async (t) => {
    const gone = await appliance.fetch(`${masks}/${mask.id}`, undefined, { method: "DELETE" });
    t.ok(gone.ok);
    const hidden = await appliance.fetch(masks, { rect, label: "agents", audiences: ["agent"] });
    t.equal(hidden.status, 201);
    const { recording_id: id } = startedSchema.parse(await agent.call("start_recording"));
    await until("the vault", async () => (await inAll("vault 4711")).hits.length > 0, 60_000);
    t.match(await search("vault", id), { hits: [], note: /hidden from agents/ });
    t.same((await search("vault")).hits, []);
    await t.rejects(agent.call("get_frame_at", { recording_id: id, at_ms: 0, text: true }));
    await agent.call("stop_recording", { recording_id: id });
    t.match(await inAll("vault 4711"), { hits: [{ recording_id: id }] });
    t.same((await search("4711")).hits, []);
  });
});

t.test("pictures of a recording are as ever where text is not recorded", { timeout: 120_000 }, async (t) => {
  if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
  const display = await XDisplay.start(t, { geometry: "640x480" });
  await display.openTerminal("open", "40x8+40+40", "printf 'Quiet morning\\n'; exec sleep 600");
  const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const { recording_id } = startedSchema.parse(await agent.call("start_recording"));
  await until("a picture", () => agent.picture("get_frame_at", { recording_id, at_ms: 0 }).catch(() => null));
  await agent.call("stop_recording", { recording_id });
  const told = await agent.call("get_frame_at", { recording_id, at_ms: 1e9, text: true });
  t.equal(linesSchema.parse(told).lines, undefined);
  const png = await appliance.fetch(`/api/v1/recordings/${recording_id}/frame.png?at_ms=0`);
  t.ok((await decodePicture(Buffer.from(await png.arrayBuffer()))).width > 0);
});
