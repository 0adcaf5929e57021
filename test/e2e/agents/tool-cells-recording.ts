import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { verifyRecording } from "../../../src/cli/recordings-cli.ts";
import { until } from "../../support/until.ts";
import type { Agent } from "../harness/mcp-client.ts";
import type { Stage } from "./tool-cells.ts";
import { codeOf, type ReadingCell, repaint, settled } from "./tool-cells-reading.ts";

/** Later than any recording lasts: the newest picture is shown. */
const NOW_MS = 1e12;

const startedSchema = z.object({ recording_id: z.string(), is_new: z.boolean() });
const listSchema = z.object({
  recordings: z.array(z.looseObject({ recording_id: z.string(), state: z.string() })),
});
const hitsSchema = z.object({
  hits: z.array(z.object({ at_ms: z.number(), kind: z.string(), text: z.string() })),
});

const folderOf = ({ appliance }: Stage): string => join(appliance.dataDir, "recordings");

/** What lies on the disk: a folder each, by id. */
function onDisk(stage: Stage): string[] {
  return readdirSync(folderOf(stage), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

function bytesOnDisk(stage: Stage, id: string): number {
  const folder = join(folderOf(stage), id);
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function listed(agent: Agent): Promise<z.infer<typeof listSchema>["recordings"]> {
  return listSchema.parse(await agent.call("list_recordings", { limit: 500 })).recordings;
}

/** The one that the first of these cells has begun. */
async function runningId({ agent }: Stage): Promise<string> {
  const running = (await listed(agent)).find(({ state }) => state === "recording");
  if (running === undefined) throw new Error("nothing is recorded");
  return running.recording_id;
}

/** The recording tools, in this order: the first begins what the others look into, the last ends it. */
export const RECORDING_CELLS: readonly ReadingCell[] = [
  {
    tool: "start_recording",
    async play(t, stage) {
      const before = onDisk(stage);
      const { recording_id: id, is_new } = startedSchema.parse(await stage.agent.call("start_recording"));
      t.equal(is_new, true);
      t.same(onDisk(stage), [...before, id].sort(), "it has a folder of its own");
      await until("bytes on the disk", () => bytesOnDisk(stage, id) > 0);
      const again = startedSchema.parse(await stage.agent.call("start_recording"));
      t.same(again, { recording_id: id, is_new: false }, "one a desktop");
    },
  },
  {
    tool: "get_frame_at",
    async play(t, stage) {
      const recording_id = await runningId(stage);
      const newest = async () => {
        await repaint(stage);
        const { rgba } = await settled(stage);
        return await until("the target's picture in the recording", async () => {
          const frame = await stage.agent.picture("get_frame_at", { recording_id, at_ms: NOW_MS });
          return Buffer.compare(frame.rgba, rgba) === 0 ? { rgba, atMs: frame.facts["frame_at_ms"] } : null;
        });
      };
      const first = await newest();
      const second = await newest();
      t.not(Buffer.compare(first.rgba, second.rgba), 0);
      const then = await stage.agent.picture("get_frame_at", { recording_id, at_ms: first.atMs });
      t.equal(Buffer.compare(then.rgba, first.rgba), 0, "as the target's screen was then");
    },
  },
  {
    tool: "search_recording",
    async play(t, stage, mode) {
      const recording_id = await runningId(stage);
      const needle = `needle${stage.word().replace(/\W/g, "")}end`;
      const args = { ...stage.at, intent: `Look for ${needle}` };
      const code =
        mode === "passive" ? await codeOf(stage.agent.call("click_at", args)) : await did(stage, args);
      const hit = await until("the agent's own action", async () => {
        const answer = await stage.agent.call("search_recording", { recording_id, query: needle });
        return hitsSchema.parse(answer).hits.find(({ kind }) => kind === "action") ?? null;
      });
      t.match(hit.text, needle);
      t.equal(hit.text.includes("permission_denied"), mode === "passive");
      t.equal(code, mode === "passive" ? "permission_denied" : "done");
      const none = { recording_id, query: `${needle}not` };
      t.match(await stage.agent.call("search_recording", none), { total: 0 });
    },
  },
  {
    tool: "list_recordings",
    async play(t, stage) {
      const all = await listed(stage.agent);
      t.same(all.map(({ recording_id }) => recording_id).sort(), onDisk(stage), "those on the disk");
      const running = all.filter(({ state }) => state === "recording");
      t.same(
        running.map(({ recording_id }) => recording_id),
        [all[0]?.recording_id],
        "the newest runs",
      );
    },
  },
  {
    tool: "stop_recording",
    async play(t, stage) {
      const recording_id = await runningId(stage);
      t.match(await stage.agent.call("stop_recording", { recording_id }), { recording_id, state: "sealed" });
      // What `recordings verify` runs, in this process: it reads every byte of the files and nothing else.
      t.match(
        await verifyRecording({ data_dir: stage.appliance.dataDir, sealing: {} }, recording_id),
        /intact: .* sealed/,
      );
      const bytes = bytesOnDisk(stage, recording_id);
      await repaint(stage);
      await settled(stage);
      t.equal(bytesOnDisk(stage, recording_id), bytes, "and nothing is added any more");
    },
  },
];

async function did(stage: Stage, args: Record<string, unknown>): Promise<string> {
  await stage.insist("click_at", args);
  return "done";
}
