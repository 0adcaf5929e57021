import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { decodePicture } from "../harness/browser.ts";
import { differenceOf } from "../harness/xwd.ts";

const recordingSchema = z.object({ id: z.string(), duration_ms: z.number() });
const replaySchema = z.object({ desktop_id: z.string() });
const stateSchema = z.object({
  at_ms: z.number(),
  duration_ms: z.number(),
  is_playing: z.boolean(),
  speed: z.number(),
});

t.test("a recording is a desktop that plays, and that nobody can act on", { timeout: 120_000 }, async (t) => {
  const appliance = await Appliance.start(t, { args: ["--demo"], mode: "autopilot" });
  const agent = await appliance.agent({ token: appliance.agentToken });
  const started = await appliance.fetch("/api/v1/recordings", { desktop_id: "demo" });
  const { id } = recordingSchema.parse(await started.json());
  await agent.call("click_at", { x: 300, y: 300 });
  await agent.call("type_text", { text: "What is played again" });
  const stopped = await appliance.fetch(`/api/v1/recordings/${id}/stop`, {});
  const { duration_ms } = recordingSchema.parse(await stopped.json());

  const opened = await appliance.fetch(`/api/v1/recordings/${id}/replay`, { at_ms: 0 });
  const { desktop_id: desktopId } = replaySchema.parse(await opened.json());
  const url = `/api/v1/desktops/${desktopId}`;
  const picture = async (path: string) => {
    const answer = await appliance.fetch(path);
    return answer.ok ? decodePicture(new Uint8Array(await answer.arrayBuffer())) : null;
  };
  const difference = async (atMs: number) => {
    const seen = await picture(`${url}/screenshot.png`);
    const wanted = await picture(`/api/v1/recordings/${id}/frame.png?at_ms=${atMs}`);
    return seen === null || wanted === null ? "no picture yet" : differenceOf(seen, wanted);
  };
  const steer = async (body: object) =>
    stateSchema.parse(await (await appliance.fetch(`${url}/replay`, body, { method: "PATCH" })).json());
  await until("the first picture", async () => (await difference(0)) === null);
  t.not(await difference(duration_ms), null, "the recording has more than one picture");

  t.match(await steer({ at_ms: duration_ms }), { at_ms: duration_ms, is_playing: false });
  t.equal(await difference(duration_ms), null, "another moment is there when it is told");
  await steer({ at_ms: 0, speed: 16, is_playing: true });
  await until("its end", async () => {
    const state = stateSchema.parse(await (await appliance.fetch(`${url}/replay`)).json());
    return !state.is_playing && state.at_ms === duration_ms;
  });
  t.equal(await difference(duration_ms), null, "it was played to its end");

  const refused = JSON.stringify(await agent.raw("click_at", { x: 10, y: 10, connection_id: desktopId }));
  t.match(refused, /replay of a recording and takes no input/);
  const none = await appliance.fetch("/api/v1/desktops/demo/replay", { at_ms: 0 }, { method: "PATCH" });
  t.equal(none.status, 404);
});
