import type { Test } from "tap";
import * as z from "zod";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import { until } from "../../support/until.ts";
import type { Shot } from "../harness/xwd.ts";
import type { Stage } from "./tool-cells.ts";

/** A tool that the policy does not judge: it reads, draws over the picture, or is judged by the token's role. */
export interface ReadingCell {
  readonly tool: string;
  play(t: Test, stage: Stage, mode: Mode): Promise<void>;
}

const listSchema = z.array(z.looseObject({ id: z.string() }));
const stateSchema = z.object({ is_stopped: z.boolean(), mode: z.string() });

async function rest({ appliance }: Stage, path: string): Promise<unknown> {
  return await (await appliance.fetch(path)).json();
}

async function overlayIds(stage: Stage): Promise<string[]> {
  const list = await rest(stage, `/api/v1/desktops/${stage.desktopId}/overlays`);
  return listSchema.parse(list).map(({ id }) => id);
}

async function stateOf(stage: Stage): Promise<z.infer<typeof stateSchema>> {
  return stateSchema.parse(await rest(stage, `/api/v1/desktops/${stage.desktopId}`));
}

const COLOURS = ["navy", "darkgreen", "maroon", "indigo"];
let colour = 0;

/** Something on the screen is another colour, done from outside. */
export async function repaint({ display }: Stage): Promise<void> {
  colour = (colour + 1) % COLOURS.length;
  await display.command("xsetroot", "-solid", COLOURS[colour] ?? "navy");
}

/** Until the picture is the target's own, pixel for pixel. */
export async function settled({ agent, display }: Stage): Promise<Shot & { facts: Record<string, unknown> }> {
  return await until("the target's picture", async () => {
    const [truth, shot] = [await display.shot(), await agent.shot({ wait_for_stable_ms: 50 })];
    return Buffer.compare(truth.rgba, shot.rgba) === 0 ? shot : null;
  });
}

export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "done",
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

const box = { x: 20, y: 20, width: 60, height: 40 };
const matchesSchema = z.object({ matches: z.array(z.looseObject({ box: z.object({ y: z.int() }) })) });
const idSchema = z.object({ subscription_id: z.string() });
const eventsSchema = z.object({ events: z.array(z.looseObject({ type: z.string() })) });

/** Every other tool; each is as free in one mode as in the next. */
export const READING_CELLS: readonly ReadingCell[] = [
  {
    tool: "take_screenshot",
    async play(t, stage) {
      await repaint(stage);
      t.match((await settled(stage)).facts, { width: 800, height: 600 }, "it is the target's picture");
    },
  },
  {
    tool: "zoom",
    async play(t, stage) {
      const { rgba, width } = await settled(stage);
      const region = { x: 290, y: 130, width: 120, height: 60 };
      const part = await stage.agent.picture("zoom", { region });
      let wrong = 0;
      for (let y = 0; y < region.height; y++) {
        const from = ((region.y + y) * width + region.x) * 4;
        const row = rgba.subarray(from, from + region.width * 4);
        const got = part.rgba.subarray(y * region.width * 4, (y + 1) * region.width * 4);
        if (Buffer.compare(row, got) !== 0) wrong++;
      }
      t.equal(wrong, 0, "it is that part of it");
    },
  },
  {
    tool: "wait",
    async play(t, { agent }) {
      const startMs = performance.now();
      await agent.call("wait", { duration_ms: 30 });
      t.ok(performance.now() - startMs >= 29);
    },
  },
  {
    tool: "wait_for",
    async play(t, stage) {
      let isOver = false;
      const waiting = stage.agent
        .call("wait_for", { condition: "change", timeout_ms: 10_000 })
        .finally(() => {
          isOver = true;
        });
      await until("the change to be seen", async () => {
        await repaint(stage);
        return isOver;
      });
      t.match(await waiting, { met: true });
    },
  },
  {
    tool: "list_screenshots",
    async play(t, { agent }) {
      const { facts } = await agent.shot();
      const listed = await agent.call("list_screenshots", { limit: 1 });
      t.match(listed, { screenshots: [{ screenshot_id: facts["screenshot_id"] }] });
    },
  },
  {
    tool: "compare_screenshots",
    async play(t, stage) {
      const { facts } = await settled(stage);
      const before = { screenshot_id: facts["screenshot_id"] };
      t.match(await stage.agent.call("compare_screenshots", before), { identical: true });
      await repaint(stage);
      await settled(stage);
      t.match(await stage.agent.call("compare_screenshots", before), { identical: false });
    },
  },
  {
    tool: "annotate_screenshot",
    async play(t, { agent }) {
      const { facts } = await agent.shot();
      const annotations = [{ type: "rect", ...box, color: "#FF0000", stroke_width: 4 }];
      const { screenshot_id } = facts;
      const drawn = await agent.picture("annotate_screenshot", { screenshot_id, annotations });
      const at = (box.y * drawn.width + box.x + 30) * 4;
      t.same([...drawn.rgba.subarray(at, at + 3)], [255, 0, 0]);
    },
  },
  {
    tool: "ocr_screenshot",
    async play(t, { agent }) {
      const { facts } = await agent.shot();
      const { screenshot_id } = facts;
      const read = await agent.call("ocr_screenshot", { screenshot_id, region: box });
      t.match(read, { screenshot_id, text: String, regions: Array });
    },
  },
  {
    tool: "auto_redact_pii",
    async play(t, { agent }) {
      const { facts } = await agent.shot();
      const { screenshot_id } = facts;
      t.match(await agent.call("auto_redact_pii", { screenshot_id }), { screenshot_id, detections: [] });
    },
  },
  {
    tool: "analyze_screenshot",
    async play(t, { agent }) {
      const said = await agent.call("analyze_screenshot", { prompt: "What is there?", region: box });
      t.match(said, { provider: "ollama", text: /button/, usage: { input_tokens: 600 }, untrusted: true });
    },
  },
  {
    tool: "read_text",
    async play(t, { agent }) {
      const read = await agent.call("read_text");
      t.match(read, { text: /\bevents\b/, untrusted: true }, "the window's title");
      const since = await agent.call("read_text", { since: read["generation"], region: box });
      t.match(since, { text: null, lines: [] });
    },
  },
  {
    tool: "get_elements",
    async play(t, { agent }) {
      t.match(await agent.call("get_elements"), { elements: Array, untrusted: true });
    },
  },
  {
    tool: "find_text",
    async play(t, { agent, display, window }) {
      const place = await display.placeOf(window.id);
      const { matches } = matchesSchema.parse(await agent.call("find_text", { text: "events" }));
      const isTitle = ({ box }: (typeof matches)[number]): boolean => box.y < place.y && box.y > place.y - 40;
      t.ok(matches.some(isTitle), JSON.stringify({ matches, place }));
    },
  },
  {
    tool: "cursor_position",
    async play(t, { agent, display }) {
      t.match(await agent.call("cursor_position"), await display.pointer());
    },
  },
  {
    tool: "subscribe_events",
    async play(t, { agent }) {
      const answer = await agent.call("subscribe_events", { events: ["screen_change", "window_focus"] });
      t.match(answer, { subscribed: ["screen_change"], not_available: [{ event: "window_focus" }] });
      await agent.call("unsubscribe_events", idSchema.parse(answer));
    },
  },
  {
    tool: "poll_events",
    async play(t, stage) {
      const { agent } = stage;
      const id = idSchema.parse(await agent.call("subscribe_events", { events: ["screen_change"] }));
      await repaint(stage);
      const polled = await agent.call("poll_events", { ...id, wait_ms: 5000 });
      t.equal(eventsSchema.parse(polled).events[0]?.type, "screen_change");
      await agent.call("unsubscribe_events", id);
    },
  },
  {
    tool: "unsubscribe_events",
    async play(t, { agent }) {
      const id = idSchema.parse(await agent.call("subscribe_events", { events: ["screen_change"] }));
      await agent.call("unsubscribe_events", id);
      t.equal(await codeOf(agent.call("poll_events", id)), "not_found");
    },
  },
  {
    tool: "set_screenshot_frequency",
    async play(t, { agent }) {
      const periodic = { mode: "periodic", interval_ms: 1 };
      const answer = await agent.call("set_screenshot_frequency", periodic);
      t.ok(Number(answer["applied_interval_ms"]) > 1, "no faster than the limit");
      await agent.call("set_screenshot_frequency", { mode: "manual" });
    },
  },
  {
    tool: "draw_overlay",
    async play(t, stage) {
      const { overlay_id } = await stage.agent.call("draw_overlay", box);
      t.ok((await overlayIds(stage)).includes(String(overlay_id)));
      await settled(stage);
      t.pass("and the target's picture is the same as ever");
    },
  },
  {
    tool: "batch_overlay",
    async play(t, stage) {
      const { overlay_ids } = await stage.agent.call("batch_overlay", { overlays: [box, box] });
      const drawn = z.array(z.string()).length(2).parse(overlay_ids);
      const shown = await overlayIds(stage);
      t.ok(drawn.every((id) => shown.includes(id)));
    },
  },
  {
    tool: "remove_overlay",
    async play(t, stage) {
      const { overlay_id } = await stage.agent.call("draw_overlay", box);
      await stage.agent.call("remove_overlay", { overlay_id });
      t.notOk((await overlayIds(stage)).includes(String(overlay_id)));
    },
  },
  {
    tool: "clear_overlays",
    async play(t, stage) {
      await stage.agent.call("draw_overlay", box);
      await stage.agent.call("clear_overlays");
      t.same(await overlayIds(stage), []);
    },
  },
  {
    tool: "add_anchor",
    async play(t, stage) {
      await settled(stage);
      const title = { x: 300, y: 128, width: 200, height: 20 };
      t.match(await stage.agent.call("add_anchor", { anchor_id: "title", ...title }), { bounds: title });
    },
  },
  {
    tool: "re_anchor_element",
    async play(t, stage) {
      const found = await stage.agent.call("re_anchor_element", { anchor_id: "title" });
      t.match(found, { found: true, new_position: { x: 300, y: 128 } });
    },
  },
  {
    tool: "remove_anchor",
    async play(t, { agent }) {
      t.match(await agent.call("remove_anchor", { anchor_id: "title" }), { removed: true });
      t.match(await agent.call("remove_anchor", { anchor_id: "title" }), { removed: false });
    },
  },
  {
    tool: "get_display_info",
    async play(t, { agent, display }) {
      const size = (await display.command("xdotool", "getdisplaygeometry")).trim();
      const { total_virtual_screen: screen } = await agent.call("get_display_info");
      const { width, height } = z.object({ width: z.int(), height: z.int() }).parse(screen);
      t.equal(`${width} ${height}`, size);
    },
  },
  {
    tool: "list_connections",
    async play(t, { agent, desktopId, secret }) {
      const listed = await agent.call("list_connections");
      t.match(listed, { connections: [{ id: desktopId, has_password: true }] });
      t.notMatch(JSON.stringify(listed), secret);
    },
  },
  {
    tool: "set_active_connection",
    async play(t, { agent, desktopId }) {
      t.match(await agent.call("set_active_connection", { connection_id: desktopId }), { success: true });
    },
  },
  {
    tool: "test_connection",
    async play(t, { agent, desktopId }) {
      t.match(await agent.call("test_connection", { connection_id: desktopId }), { success: true });
    },
  },
  {
    tool: "add_connection",
    async play(t, stage, mode) {
      const isAllowed = mode === "assist";
      const work = codeOf(stage.agent.call("add_connection", { name: "another", ...stage.another }));
      const open = await until("a question", async () => {
        return listSchema.parse(await rest(stage, "/api/v1/approvals"))[0] ?? null;
      });
      t.equal(open["kind"], "add_connection");
      t.equal(
        listSchema.parse(await rest(stage, "/api/v1/desktops")).length,
        1,
        "not before a human said yes",
      );
      const decision = isAllowed ? "approve" : "deny";
      await stage.appliance.fetch(`/api/v1/approvals/${open.id}`, { decision });
      t.equal(await work, isAllowed ? "done" : "denied_by_human");
      const added = listSchema
        .parse(await rest(stage, "/api/v1/desktops"))
        .filter(({ id }) => id !== stage.desktopId);
      t.equal(added.length, isAllowed ? 1 : 0);
      const headers = { authorization: `Bearer ${stage.appliance.adminToken}` };
      for (const { id } of added) {
        await stage.appliance.fetch(`/api/v1/desktops/${id}`, undefined, { method: "DELETE", headers });
      }
    },
  },
  {
    tool: "remove_connection",
    async play(t, stage) {
      const code = await codeOf(stage.agent.call("remove_connection", { connection_id: stage.desktopId }));
      t.equal(code, "permission_denied");
      t.equal(listSchema.parse(await rest(stage, "/api/v1/desktops")).length, 1);
    },
  },
  {
    tool: "set_mode",
    async play(t, stage, mode) {
      const { agent, at } = stage;
      const raised = await codeOf(agent.call("set_mode", { mode: "autopilot" }));
      t.equal(raised, mode === "autopilot" ? "done" : "permission_denied", "only a human raises");
      t.match(await agent.call("set_mode", { mode: "passive" }), { active_mode: "passive" });
      t.equal(await codeOf(agent.call("click_at", at)), "permission_denied", "lowered at once, for itself");
      t.equal((await stateOf(stage)).mode, mode, "and for nobody else");
      await stage.enter(mode);
    },
  },
  {
    tool: "request_human",
    async play(t, stage) {
      const { agent, appliance } = stage;
      const asked = await agent.call("request_human", { reason: "log in", kind: "login" });
      const listed = await (await appliance.fetch("/api/v1/requests")).json();
      t.match(listed, [{ id: Object(asked).request_id, state: "open" }], "in every mode");
      await appliance.fetch(`/api/v1/requests/${Object(asked).request_id}`, { do: "decline" });
    },
  },
  {
    tool: "session_stop",
    async play(t, stage) {
      await stage.agent.call("session_stop");
      t.equal((await stateOf(stage)).is_stopped, true);
      t.equal(await codeOf(stage.agent.call("click_at", stage.at)), "stopped");
    },
  },
  {
    tool: "session_resume",
    async play(t, stage) {
      t.equal(await codeOf(stage.agent.call("session_resume")), "permission_denied", "only a human resumes");
      t.equal((await stateOf(stage)).is_stopped, true);
      await stage.appliance.fetch(`/api/v1/desktops/${stage.desktopId}/resume`, {});
      t.equal((await stateOf(stage)).is_stopped, false);
    },
  },
];
