import t from "tap";
import * as z from "zod";
import { recordingSchema, verificationSchema } from "../../../src/web/api/recordings-api.ts";
import { until } from "../../support/until.ts";
import { canvasShot, looksWell, openBrowser, signIn } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

const SLOW_MS = 60_000;
const RECORDINGS = "/api/v1/recordings";

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "xsetroot", "openssl", "chromium"])) {
  t.setTimeout(300_000);
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b"]);
  const screen = await XDisplay.start(t, { geometry: "400x300" });
  await screen.command("xsetroot", "-solid", "#204080");
  const { id, owner } = await fleet.add(screen.vncPort);
  const next = owner === "a" ? "b" : "a";
  const infoAt = async (name: string, recordingId: string) => {
    const answer = await fleet.node(name).fetch(`${RECORDINGS}/${recordingId}`);
    return recordingSchema.parse(await answer.json());
  };
  const listAt = async (name: string) =>
    z.array(recordingSchema).parse(await (await fleet.node(name).fetch(RECORDINGS)).json());
  const isLongerThan = (recordingId: string, ms: number) =>
    until(
      `${ms} ms of a recording`,
      async () => (await infoAt(owner, recordingId)).duration_ms > ms,
      SLOW_MS,
    );

  const started = await fleet.node(owner).fetch(RECORDINGS, { desktop_id: id });
  const first = recordingSchema.parse(await started.json());
  await isLongerThan(first.id, 1500);
  await fleet.node(owner).fetch(`/api/v1/fleet/nodes/${owner}/drain`, {});
  const second = await until(
    "it goes on at the next node",
    async () => (await listAt(next)).find((one) => one.id !== first.id) ?? null,
    SLOW_MS,
  );
  await screen.command("xsetroot", "-solid", "#a02030");
  await isLongerThan(second.id, 2500);
  const stopped = await fleet.node(owner).fetch(`${RECORDINGS}/${second.id}/stop`, {});
  t.equal(stopped.status, 200, "ended by a node that does not have it");

  await t.test("both nodes list both parts, and tell what lies between them", async (t) => {
    await until(
      "the end of the first is told",
      async () => (await infoAt(next, second.id)).continues?.ended_at ?? null,
    );
    for (const name of fleet.names) {
      const listed = await listAt(name);
      t.same(listed.map((one) => one.id).sort(), [first.id, second.id].sort(), `listed by ${name}, once`);
      const [early, late] = [await infoAt(name, first.id), await infoAt(name, second.id)];
      t.match(early, { state: "sealed", continues: null, continued_by: { id: second.id, node: next } });
      t.match(late, { state: "sealed", continues: { id: first.id, node: owner }, continued_by: null });
      t.match(late, { reason: "manual", started_by: early.started_by }, "it is of who began the first");
      const endedMs = Date.parse(early.started_at) + early.duration_ms;
      t.equal(Date.parse(late.continues?.ended_at ?? ""), Math.trunc(endedMs));
      t.equal(early.continued_by?.started_at, late.started_at);
      t.ok(Date.parse(late.started_at) >= endedMs, "nothing is in both");
      for (const one of [early, late]) {
        const verified = await fleet.node(name).fetch(`${RECORDINGS}/${one.id}/verify`, {});
        t.match(verificationSchema.parse(await verified.json()), { state: "sealed", problem: null });
      }
    }
    const none = await fleet.node(next).fetch(`${RECORDINGS}/20200101T000000Z-00000000`);
    t.equal(none.status, 404);
  });

  await t.test(
    "who plays the first part at any node is shown the second after it, and what is missing",
    async (t) => {
      const browser = await openBrowser(t);
      const { page, context, complaints } = await signIn(browser, fleet.node(next));
      await page.goto(`${fleet.node(next).url}/recordings/${first.id}`);
      await page.getByRole("link", { name: `Next part, at ${next}` }).waitFor({ timeout: SLOW_MS });
      await page.getByText(/between them were not recorded/).waitFor();
      await page.getByRole("button", { name: "Play", exact: true }).click();
      await page.waitForURL(`**/recordings/${second.id}*`, { timeout: SLOW_MS });
      await page.getByRole("link", { name: `Earlier part, at ${owner}` }).waitFor({ timeout: SLOW_MS });
      const { width, height, rgba } = await until(
        "the second part is played",
        async () => {
          const shot = await canvasShot(page, ".stage canvas");
          return shot?.rgba[0] === 0xa0 ? shot : null;
        },
        SLOW_MS,
      );
      t.same([width, height, ...rgba.subarray(0, 3)], [400, 300, 0xa0, 0x20, 0x30]);
      await looksWell(t, page, "recording-next-part");
      await page.goto(`${fleet.node(next).url}/recordings`);
      await page.getByRole("link", { name: `Earlier part, at ${owner}` }).waitFor();
      await looksWell(t, page, "recordings-parts");
      t.same(complaints, []);
      await context.close();
    },
  );
}
