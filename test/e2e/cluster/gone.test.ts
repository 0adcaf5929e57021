import t from "tap";
import { decodePng, pngSize } from "../../../src/imaging/png/png-decode.ts";
import { recordingSchema, verificationSchema } from "../../../src/web/api/recordings-api.ts";
import { until } from "../../support/until.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { requirePeers } from "../harness/peers.ts";
import { RADOSGW_PEERS, Radosgw } from "../harness/radosgw.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf, type Shot } from "../harness/xwd.ts";
import { FleetRecordings, RECORDINGS, SLOW_MS } from "./moved-recording.ts";

if (requirePeers(t, [...ETCD_PEERS, ...RADOSGW_PEERS, "Xtigervnc", "xsetroot", "openssl"])) {
  t.setTimeout(300_000);
  const server = await Radosgw.start(t);
  await server.makeBucket("desks");
  const etcd = await EtcdCluster.start(t, 1);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b"], {
    more: {
      OC_RECORDING_ENCRYPT: "on",
      OC_RECORDING_ARCHIVE_ENDPOINT: server.url,
      OC_RECORDING_ARCHIVE_BUCKET: "desks",
      OC_RECORDING_ARCHIVE_ACCESS_KEY: server.accessKey,
      OC_RECORDING_ARCHIVE_SECRET_KEY: server.secretKey,
    },
    own: (name) => ({ OC_RECORDING_ARCHIVE_PREFIX: `recordings/${name}` }),
  });
  const screen = await XDisplay.start(t, { geometry: "400x300" });
  await screen.command("xsetroot", "-solid", "#204080");
  const { id, owner } = await fleet.add(screen.vncPort);
  const next = owner === "a" ? "b" : "a";
  const recordings = new FleetRecordings(fleet);
  const begin = async () => {
    const started = await fleet.node(owner).fetch(RECORDINGS, { desktop_id: id });
    const begun = recordingSchema.parse(await started.json());
    await recordings.lasts(owner, begun.id);
    return begun;
  };
  const alone = await begin();
  await fleet.node(owner).fetch(`${RECORDINGS}/${alone.id}/stop`, {});
  const first = await begin();
  const blue = await screen.shot();
  const moved = { from: owner, to: next, old: [alone.id, first.id] };
  const { second, red } = await recordings.move(screen, moved);
  await fleet.node(next).fetch(`${RECORDINGS}/${second.id}/stop`, {});
  await until(
    "all are in the archive",
    async () => {
      const listed = await recordings.listAt(next);
      return listed.length === 2 && listed.every(({ archive }) => archive?.state === "archived");
    },
    SLOW_MS,
  );
  await fleet.node(owner).program.stop("SIGKILL");
  await until("its lease is over", async () => (await fleet.view(next)).nodes.length === 1, SLOW_MS);

  const differsAt = async (recordingId: string, ms: number, wanted: Shot) => {
    const answer = await fleet.node(next).fetch(`${RECORDINGS}/${recordingId}/frame.png?at_ms=${ms}`);
    const png = new Uint8Array(await answer.arrayBuffer());
    return differenceOf(await decodePng(png, pngSize(png)), wanted);
  };
  const verify = async (recordingId: string) => {
    const verified = await fleet.node(next).fetch(`${RECORDINGS}/${recordingId}/verify`, {});
    return verificationSchema.parse(await verified.json());
  };

  await t.test("what a node archived that is gone for good is read at the other one", async (t) => {
    await until("what it had is found", async () => (await recordings.listAt(next)).length > 1, SLOW_MS);
    t.match(await recordings.listAt(next), [
      { id: second.id, started_at: first.started_at, state: "sealed", is_encrypted: true },
      { id: alone.id, state: "sealed", archive: { state: "archive_only" } },
    ]);
    for (const part of [first.id, second.id]) {
      const whole = await recordings.infoAt(next, part);
      t.match(whole, { id: part, started_at: first.started_at, state: "sealed", counts: { gaps: 1 } });
      const [early, late] = whole.parts;
      t.match(early, { id: first.id, node: owner, from_ms: 0, problem: null });
      t.match(late, { id: second.id, node: next, problem: null });
      t.equal(await differsAt(part, (early?.to_ms ?? 0) - 100, blue), null, "sought in the archive");
      t.equal(await differsAt(part, whole.duration_ms, red), null);
      t.match(await verify(part), { state: "sealed", problem: null });
    }
    t.equal(await differsAt(alone.id, 1000, blue), null);
    t.match(await verify(alone.id), { state: "sealed", problem: null });
    const file = await fleet.node(next).fetch(`${RECORDINGS}/${first.id}/export.ndjson`);
    t.match(await file.text(), /"type":"gap".*the desktop moved/, "an export goes over the seam");
  });

  await t.test(
    "it is only read: a change is refused, and a byte that was changed there is found",
    async (t) => {
      const before = await server.versions("desks");
      const gone = await fleet.node(next).fetch(`${RECORDINGS}/${alone.id}`, undefined, { method: "DELETE" });
      t.equal(gone.status, 502);
      t.match(await gone.json(), { error: { code: "node_unreachable" } });
      t.same(await server.versions("desks"), before);
      const key = `recordings/${owner}/${alone.id}/000000.blocks`;
      const bytes = Buffer.from(await server.read("desks", key));
      const at = bytes.length - 200;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await server.ask("PUT", `desks/${key}`, Uint8Array.from(bytes));
      t.match(await verify(alone.id), { state: "tampered" });
      t.match(await verify(first.id), { state: "sealed" }, "no other one");
    },
  );
}
