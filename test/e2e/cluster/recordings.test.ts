import type { Page } from "playwright-core";
import t from "tap";
import * as z from "zod";
import { decodePng, pngSize } from "../../../src/imaging/png/png-decode.ts";
import { recordingSchema, timelineSchema, verificationSchema } from "../../../src/web/api/recordings-api.ts";
import { until } from "../../support/until.ts";
import { canvasShot, looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { FleetRecordings, RECORDINGS, SLOW_MS } from "./moved-recording.ts";

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "xsetroot", "openssl", "chromium"])) {
  t.setTimeout(300_000);
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b"]);
  const screen = await XDisplay.start(t, { geometry: "400x300" });
  await screen.command("xsetroot", "-solid", "#204080");
  const { id, owner } = await fleet.add(screen.vncPort);
  const next = owner === "a" ? "b" : "a";
  const recordings = new FleetRecordings(fleet);
  /** At each node the agent that begins the recording, and another one. */
  const [ownToken, otherToken] = [fleet.node(next).agentToken, fleet.node(owner).agentToken];
  const agents = await Promise.all(
    [next, owner].map(async (name) => ({
      name,
      agent: await fleet.node(name).agent({ token: ownToken }),
      other: await fleet.node(name).agent({ token: otherToken }),
    })),
  );
  const started = await agents[0]?.agent.call("start_recording", { connection_id: id });
  const first = await recordings.infoAt(owner, String(started?.["recording_id"]));
  await recordings.lasts(owner, first.id);
  const blue = await screen.shot();
  const { second, red } = await recordings.move(screen, { from: owner, to: next, old: [first.id] });
  await fleet.node(next).fetch(`${RECORDINGS}/${second.id}/bookmarks`, { label: "all is red" });
  const stopped = await fleet.node(owner).fetch(`${RECORDINGS}/${second.id}/stop`, {});
  t.equal(stopped.status, 200, "ended by a node that does not have it");

  const partsAt = async (name: string, recordingId: string) =>
    (await recordings.infoAt(name, recordingId)).parts;
  const frameAt = async (name: string, recordingId: string, ms: number) => {
    const answer = await fleet.node(name).fetch(`${RECORDINGS}/${recordingId}/frame.png?at_ms=${ms}`);
    const png = new Uint8Array(await answer.arrayBuffer());
    return decodePng(png, pngSize(png));
  };
  /** What differs in a recording's picture of a moment from what the X server itself showed; null: no pixel. */
  const differsAt = async (name: string, recordingId: string, ms: number, wanted: Shot) =>
    differenceOf(await frameAt(name, recordingId, ms), wanted);
  const verifyAt = async (name: string, recordingId: string) => {
    const verified = await fleet.node(name).fetch(`${RECORDINGS}/${recordingId}/verify`, {});
    return verificationSchema.parse(await verified.json());
  };

  await t.test(
    "each node lists one recording of both parts, and either part's id is the whole",
    async (t) => {
      await until(
        "the end of the first is told",
        async () => (await recordings.infoAt(next, second.id)).parts[0]?.problem === null,
        SLOW_MS,
      );
      for (const name of fleet.names) {
        const listed = await recordings.listAt(name);
        t.same(
          listed.map((one) => one.id),
          [second.id],
          `listed by ${name}, once`,
        );
        t.match(listed[0], { started_at: first.started_at, state: "sealed", started_by: first.started_by });
        for (const part of [first.id, second.id]) {
          const whole = await recordings.infoAt(name, part);
          t.match(whole, { id: part, started_at: first.started_at, state: "sealed", counts: { gaps: 1 } });
          const [early, late] = whole.parts;
          t.match(early, { id: first.id, node: owner, from_ms: 0, problem: null });
          t.match(late, { id: second.id, node: next, problem: null });
          t.ok((late?.from_ms ?? 0) > (early?.to_ms ?? 0), "nothing is in both");
          t.equal(late?.to_ms, whole.duration_ms);
          t.equal(await differsAt(name, part, (early?.to_ms ?? 0) - 100, blue), null);
          t.equal(
            await differsAt(name, part, (late?.from_ms ?? 0) - 1, blue),
            null,
            "the last one in the gap",
          );
          t.equal(await differsAt(name, part, whole.duration_ms, red), null);
          const timeline = timelineSchema.parse(
            await (await fleet.node(name).fetch(`${RECORDINGS}/${part}/timeline`)).json(),
          );
          const reason = `the desktop moved from node ${owner} to node ${next}`;
          const gap = { type: "gap", at_ms: early?.to_ms, until_ms: late?.from_ms, reason };
          t.match(
            timeline.entries.filter(({ type }) => type === "gap"),
            [gap],
          );
          t.match(await verifyAt(name, part), { state: "sealed", problem: null });
        }
        const file = await fleet.node(name).fetch(`${RECORDINGS}/${first.id}/export.ndjson`);
        t.match(await file.text(), /"type":"gap".*the desktop moved/, "an export goes over the seam");
      }
      const none = await fleet.node(next).fetch(`${RECORDINGS}/20200101T000000Z-00000000`);
      t.equal(none.status, 404);
    },
  );

  await t.test(
    "an agent lists, sees and searches it at each node as people do, if it is its own",
    async (t) => {
      const [early, late] = await partsAt(next, first.id);
      const seam = [(early?.to_ms ?? 0) - 100, (late?.from_ms ?? 0) - 1, late?.to_ms ?? 0] as const;
      for (const { name, agent, other } of agents) {
        const listed = await agent.call("list_recordings");
        const [whole] = await recordings.listAt(name);
        t.match(listed, {
          total: 1,
          recordings: [{ recording_id: second.id, started_at: first.started_at, state: "sealed" }],
        });
        t.match(listed, {
          recordings: [{ duration_ms: Math.round(whole?.duration_ms ?? 0), size_bytes: whole?.bytes }],
        });
        for (const part of [first.id, second.id]) {
          for (const [nth, at_ms] of seam.entries()) {
            const shown = await agent.picture("get_frame_at", { recording_id: part, at_ms });
            t.match(shown.facts, { recording_id: part, at_ms });
            t.equal(differenceOf(shown, await frameAt(name, part, at_ms)), null, `as over REST at ${at_ms}`);
            t.equal(differenceOf(shown, nth < 2 ? blue : red), null, `as the target was at ${at_ms}`);
          }
          const found = await agent.call("search_recording", { recording_id: part, query: "is red" });
          const atRest = await fleet.node(name).fetch(`${RECORDINGS}/${part}/search?query=is%20red`);
          const [hit] = z.array(z.object({ at_ms: z.number() })).parse(await atRest.json());
          t.ok((hit?.at_ms ?? 0) > (late?.from_ms ?? 0), "in the time of the whole");
          t.match(found, { total: 1, hits: [{ recording_id: part, kind: "bookmark", ...hit }] });
          t.match(await agent.read(`recordings://${part}`), { contents: [{ text: /"state": "sealed"/ }] });
          const asked = { recording_id: part, at_ms: 0 };
          await t.rejects(other.call("get_frame_at", asked), { code: "not_found" });
        }
        t.match(await other.call("list_recordings"), { total: 0 });
        const none = { recording_id: "20200101T000000Z-00000000", at_ms: 0 };
        await t.rejects(agent.call("get_frame_at", none), { code: "not_found" });
      }
    },
  );

  const shows = (page: Page, red: number) =>
    until(
      `a picture with ${red} in red`,
      async () => {
        const shot = await canvasShot(page, ".stage canvas");
        return shot?.rgba[0] === red ? shot : null;
      },
      SLOW_MS,
    );

  await t.test("a person plays it as one, and is told of the gap where it is", async (t) => {
    const browser = await openBrowser(t);
    const { page, context, complaints } = await signIn(browser, fleet.node(next));
    const [early, late] = await partsAt(next, first.id);
    const inGap = Math.round(((early?.to_ms ?? 0) + (late?.from_ms ?? 0)) / 2);
    await page.goto(
      `${fleet.node(next).url}/recordings/${first.id}#t=${Math.round((early?.to_ms ?? 0) / 2) / 1000}`,
    );
    t.same([...(await shows(page, 0x20)).rgba.subarray(0, 3)], [0x20, 0x40, 0x80]);
    await looksWell(t, page, "recording-before-gap");
    await page.goto(`${fleet.node(next).url}/recordings/${first.id}#t=${inGap / 1000}`);
    const said = page.locator(".player-note").getByText(/Not recorded: the desktop moved from node/);
    await said.waitFor({ timeout: SLOW_MS });
    await looksWell(t, page, "recording-in-gap");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const { width, height, rgba } = await shows(page, 0xa0);
    t.same([width, height, ...rgba.subarray(0, 3)], [400, 300, 0xa0, 0x20, 0x30], "it plays over the gap");
    await said.waitFor({ state: "detached" });
    await looksWell(t, page, "recording-after-gap");
    await page.goto(`${fleet.node(next).url}/recordings`);
    await page.locator(".recording-words").first().waitFor();
    t.equal(await page.locator(".recording-words").count(), 1);
    await looksWell(t, page, "recordings-parts");
    t.same(complaints, []);
    await context.close();
  });

  await t.test("a node is killed while it records: what it has is a gap that says so", async (t) => {
    await fleet.node(owner).fetch(`/api/v1/fleet/nodes/${owner}/drain`, { is_draining: false });
    const begun = await fleet.node(next).fetch(RECORDINGS, { desktop_id: id });
    const lost = recordingSchema.parse(await begun.json());
    await recordings.lasts(next, lost.id);
    await fleet.node(next).program.stop("SIGKILL");
    const goesOn = await until(
      "it goes on at the other node",
      async () =>
        (await recordings.listAt(owner)).find(
          (one) => one.continues?.id === lost.id && one.duration_ms > 1500,
        ) ?? null,
      SLOW_MS,
    );
    t.match(goesOn, { state: "recording", continues: { id: lost.id, node: next } });
    const admin = await fleet.node(owner).agent();
    for (const part of [goesOn.id, lost.id]) {
      const whole = await until(
        `${part} by the node that is left`,
        async () => {
          const info = await recordings.infoAt(owner, part).catch(() => null);
          return info === null || info.parts[0]?.problem === null ? null : info;
        },
        SLOW_MS,
      );
      t.match(whole.parts, [
        { id: lost.id, node: next },
        { id: goesOn.id, node: owner, problem: null },
      ]);
      t.ok((whole.parts[1]?.from_ms ?? 0) > 1500, "it begins with the part that is missing");
      t.equal(await differsAt(owner, part, whole.duration_ms, red), null);
      const shown = await admin.picture("get_frame_at", { recording_id: part, at_ms: whole.duration_ms });
      t.equal(differenceOf(shown, red), null, "over MCP as well");
      const told = await fleet.node(owner).fetch(`${RECORDINGS}/${part}/timeline`);
      const { entries } = timelineSchema.parse(await told.json());
      const gap = entries.find(({ type }) => type === "gap");
      t.match(gap, {
        at_ms: 0,
        reason: new RegExp(
          `what node ${next} recorded cannot be read: that node is not there; the desktop moved`,
        ),
      });
    }
    t.match(
      (await verifyAt(owner, goesOn.id)).problem,
      new RegExp(`part ${lost.id} of node ${next} is missing`),
    );
  });
}
