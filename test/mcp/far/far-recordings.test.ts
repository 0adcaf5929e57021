import { createServer } from "node:http";
import t from "tap";
import * as z from "zod";
import { requirePeers } from "../../e2e/harness/peers.ts";
import { recordingSummary, TRACK } from "../../web/fake-recordings.ts";
import { AGENT } from "../fake-house.ts";
import { modern, openThree } from "./mcp-nodes.ts";

const OWN = { startedBy: AGENT.name, startedById: AGENT.id };
const PARTS = { first: "20261121T080000Z-00000001", second: "20261121T081000Z-00000002" };

const found = z.object({ hits: z.array(z.object({ recording_id: z.string() })) });
const BEGAN_MS = Date.parse("2026-11-21T08:00:00.000Z");
const TOLD = [
  { id: PARTS.first, node: "a", startedMs: BEGAN_MS, endedMs: BEGAN_MS + 10_000 },
  { id: PARTS.second, node: "b", startedMs: BEGAN_MS + 600_000, endedMs: null },
];

if (requirePeers(t, ["openssl"])) {
  t.test(
    "an agent has one list of what all nodes recorded for it, and each is answered where it is",
    async (t) => {
      const { nodes, near, a, b } = await openThree(t, { told: TOLD });
      const other = "20261121T070000Z-00000003";
      a.recordings.keep(recordingSummary({ ...OWN, id: PARTS.first }));
      a.recordings.keep(recordingSummary({ id: other }));
      b.recordings.keep(
        recordingSummary({
          ...{ ...OWN, id: PARTS.second, startedAt: "2026-11-21T08:10:00.000Z", state: "recording" },
          continues: { id: PARTS.first, node: "a" },
        }),
      );
      const { client } = await modern(t, near.url);
      const call = (name: string, args: Record<string, unknown> = {}) =>
        client.callTool({ name, arguments: args });
      const whole = {
        recording_id: PARTS.second,
        started_at: "2026-11-21T08:00:00.000Z",
        duration_ms: 610_000,
      };
      const list = await call("list_recordings");
      t.match(list.structuredContent, { total: 1, recordings: [whole] });
      const refused = await call("get_frame_at", { recording_id: other, at_ms: 0 });
      t.match(
        refused.structuredContent,
        { error: { code: "not_found" } },
        "somebody else's, at whichever node",
      );
      const shown = await call("get_frame_at", { recording_id: PARTS.first, at_ms: 0 });
      t.match(shown.structuredContent, { recording_id: PARTS.first, width: 64, height: 48 });
      t.match(await client.readResource({ uri: `recordings://${PARTS.first}` }), {
        contents: [{ text: new RegExp(PARTS.first) }],
      });
      for (const { recordings } of [near, a, b]) recordings.entries = TRACK;
      const searched = await call("search_recording", { query: "menu" });
      const { hits } = found.parse(searched.structuredContent);
      t.same([...new Set(hits.map((hit) => hit.recording_id))], [PARTS.second, PARTS.first]);
      t.match(searched.content, [
        { text: new RegExp(`${PARTS.second} \\(Build VM, .*, 601\\.0 s, .*open the menu`) },
      ]);
      const stopped = await call("stop_recording", { recording_id: PARTS.first });
      t.match(stopped.structuredContent, { recording_id: PARTS.second, state: "sealed" });
      t.same(
        [near, a, b].map(({ records }) => records.map(({ tool }) => tool)),
        [["list_recordings", "get_frame_at", "search_recording"], ["get_frame_at"], ["stop_recording"]],
        "by the node that has it, and no other",
      );
      for (const uri of ["parts://", "found://menu"]) {
        await t.rejects(client.readResource({ uri }), `${uri} is for nodes alone`);
      }

      const silent = await nodes.node("c");
      await silent.listen(createServer((_request, response) => response.writeHead(500).end()));
      t.match((await call("list_recordings")).structuredContent, { total: 1 }, "of those that answer");
      const unknown = await call("get_frame_at", { recording_id: "20261121T060000Z-00000004", at_ms: 0 });
      t.match(unknown.structuredContent, { error: { code: "node_unreachable", message: /and c did not/ } });
    },
  );
}
