import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import * as z from "zod";
import { makeLongRecording } from "../../recording/long-recording.ts";
import { type Owner, Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { RADOSGW_PEERS, Radosgw } from "../harness/radosgw.ts";

/** How often a server that uploads is killed; more by hand. */
const KILLS = Number(process.env["OC_TEST_ARCHIVE_KILLS"] ?? 8);

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

const listSchema = z.array(
  z.object({
    id: z.string(),
    bytes: z.number(),
    state: z.string(),
    archive: z.object({ state: z.string(), problem: z.string().nullable() }).nullable(),
  }),
);

async function listOf(appliance: Appliance) {
  return listSchema.parse(await (await appliance.fetch("/api/v1/recordings")).json());
}

/** How a server is told of the archive: the secret by a file, as a platform hands it over. */
function archiveEnv(server: Radosgw, bucket: string): Record<string, string> {
  return {
    OC_RECORDING_ARCHIVE_ENDPOINT: server.url,
    OC_RECORDING_ARCHIVE_BUCKET: bucket,
    OC_RECORDING_ARCHIVE_ACCESS_KEY: server.accessKey,
    OC_RECORDING_ARCHIVE_SECRET_KEY: server.secretKey,
  };
}

function makeDataDir(owner: Owner): string {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-archive-"));
  owner.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** Where objects are locked the server wants it of whatever is stored. */
function md5Of(bytes: Uint8Array): Record<string, string> {
  return { "content-md5": createHash("md5").update(bytes).digest("base64") };
}

/** Every file of every recording here, by its name in the archive. */
function filesOf(dataDir: string): Map<string, Buffer> {
  const folder = join(dataDir, "recordings");
  const ids = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    ids.flatMap(({ name: id }) =>
      readdirSync(join(folder, id)).map((name) => [
        `recordings/${id}/${name}`,
        readFileSync(join(folder, id, name)),
      ]),
    ),
  );
}

t.test("recordings go to an S3 server", { timeout: 900_000 }, async (t) => {
  if (!requirePeers(t, RADOSGW_PEERS)) return;
  const server = await Radosgw.start(t);

  await t.test(
    "a recording is there as it is here when it has ended, and the list and the audit say so",
    async (t) => {
      await server.makeBucket("finished");
      const dataDir = makeDataDir(t);
      const appliance = await Appliance.start(t, {
        ...{ dataDir, args: ["--demo"], env: archiveEnv(server, "finished") },
      });
      const agent = await appliance.agent({ token: appliance.agentToken });
      const { recording_id: id } = z
        .object({ recording_id: z.string() })
        .parse(await agent.call("start_recording"));
      await agent.call("click_at", { x: 300, y: 300, intent: "Put the caret into the note" });
      t.match(await listOf(appliance), [{ id, state: "recording", archive: null }], "not while it runs");
      t.same(await server.versions("finished"), []);
      await agent.call("stop_recording", { recording_id: id });
      await until(
        "that it is archived",
        async () => (await listOf(appliance))[0]?.archive?.state === "archived",
        60_000,
      );
      const files = filesOf(dataDir);
      t.ok(files.size >= 2, "pictures and seal");
      t.same(
        (await server.versions("finished")).map(({ key }) => key).sort(),
        [...files.keys()].sort(),
        "each once",
      );
      for (const [key, bytes] of files) t.ok(bytes.equals(await server.read("finished", key)), key);
      const audit = await (await appliance.fetch("/api/v1/audit?types=recording.archived")).json();
      t.match(JSON.stringify(audit), id);
      t.notMatch(JSON.stringify(audit) + appliance.program.stderr, server.secretKey);
    },
  );

  await t.test("who may not write there is told so in the list, and recording goes on", async (t) => {
    const dataDir = makeDataDir(t);
    const { id } = await makeLongRecording(dataDir, 3, { width: 320, height: 200 });
    const env = { ...archiveEnv(server, "finished"), OC_RECORDING_ARCHIVE_SECRET_KEY: "not the right one" };
    const appliance = await Appliance.start(t, { dataDir, args: ["--demo"], env });
    await until(
      "that it failed",
      async () => (await listOf(appliance))[0]?.archive?.state === "failed",
      60_000,
    );
    t.match(await listOf(appliance), [{ id, archive: { problem: /403.*secret_key/ } }]);
    const audit = await (await appliance.fetch("/api/v1/audit?types=recording.archive_failed")).json();
    t.match(JSON.stringify(audit), id);
  });

  await t.test(
    "what is downloaded is verified by files alone, and a byte that was changed in the archive is found",
    async (t) => {
      await server.makeBucket("checked");
      const dataDir = makeDataDir(t);
      const { id } = await makeLongRecording(dataDir, 12, { width: 640, height: 480, isNoise: true });
      const env = archiveEnv(server, "checked");
      const appliance = await Appliance.start(t, { dataDir, args: ["--demo"], env });
      await until(
        "that it is archived",
        async () => (await listOf(appliance))[0]?.archive?.state === "archived",
        60_000,
      );
      await appliance.program.stop();
      const key = `recordings/${id}/000000.blocks`;
      const bytes = await server.read("checked", key);
      t.ok(bytes.length > 8 * 2 ** 20, "uploaded in parts");
      // Somewhere else, with nothing but the files and what they are checked by.
      const elsewhere = makeDataDir(t);
      mkdirSync(join(elsewhere, "recordings", id), { recursive: true });
      for (const name of ["recording-key.pem", "recordings/seals.log"])
        copyFileSync(join(dataDir, name), join(elsewhere, name));
      const verify = async () => {
        for (const name of ["000000.blocks", "seal.json"]) {
          const path = join(elsewhere, "recordings", id, name);
          writeFileSync(path, await server.read("checked", `recordings/${id}/${name}`));
        }
        const program = new Program(t, process.execPath, [
          MAIN,
          "recordings",
          "verify",
          id,
          "--data-dir",
          elsewhere,
        ]);
        await until("its end", () => !program.isRunning, 60_000);
        return { code: program.exitCode, said: program.stdout + program.stderr };
      };
      t.match(await verify(), { code: 0, said: /intact/ });
      const changed = new Uint8Array(bytes);
      const middle = Math.floor(changed.length / 2);
      changed[middle] = (changed[middle] ?? 0) ^ 1;
      await server.ask("PUT", `checked/${key}`, changed);
      t.match(await verify(), { code: 1, said: /tampered/ });
    },
  );

  await t.test(
    "the audit log goes there encrypted and locked, and is whole by its files alone",
    async (t) => {
      await server.ask("PUT", "audit", undefined, { "x-amz-bucket-object-lock-enabled": "true" });
      const dataDir = makeDataDir(t);
      const file = join(dataDir, "config.yaml");
      writeFileSync(file, "recording: { encrypt: true, archive: { audit: on, lock_days: 1 } }\n");
      const env = {
        ...archiveEnv(server, "audit"),
        // Files of some eight lines, none of which is kept here longer than it has to be.
        ...{ AUDIT_ROTATE_MB: "0.004", AUDIT_KEEP_MB: "0.001", AUDIT_REQUESTS: "changes" },
      };
      const start = () => Appliance.start(t, { dataDir, args: ["--demo", "--config", file], env });
      const work = async (appliance: Appliance): Promise<void> => {
        const token = { name: "one", role: "viewer" };
        for (let request = 0; request < 15; request++) await appliance.fetch("/api/v1/tokens", token);
      };
      const first = await start();
      await work(first);
      await first.program.stop("SIGKILL");
      const second = await start();
      await work(second);
      await until(
        "that all are there",
        async () => {
          const told = await (await second.fetch("/metrics")).text();
          return /oc_archive_audit_waiting 0\n/.test(told) && /oc_archive_audit_failing 0\n/.test(told);
        },
        60_000,
      );
      await second.program.stop();
      const versions = await server.versions("audit");
      const keys = versions.map(({ key }) => key);
      t.ok(keys.length > 5, `${keys.length} files`);
      t.equal(new Set(keys).size, keys.length, "each once, in one version");
      t.ok(keys.every((key) => /^recordings\/audit\/audit\..*\.ndjson\.enc$/.test(key)));
      for (const { key, versionId } of versions.slice(0, 2)) {
        await t.rejects(server.ask("DELETE", `audit/${key}?versionId=${versionId}`), /403/);
      }
      const here = readdirSync(dataDir).filter((name) => /^audit\..*ndjson$/.test(name));
      t.ok(here.length < keys.length, "what is there went from here");
      const log = here.map((name) => readFileSync(join(dataDir, name), "utf8")).join("");
      t.match(
        log,
        /"audit\.exported".*"action":"archive".*"counts":\{"files":\d+,"bytes":\d+\}/,
        "it tells so",
      );
      const elsewhere = makeDataDir(t);
      for (const name of [...here, "audit.head"]) copyFileSync(join(dataDir, name), join(elsewhere, name));
      const fetched = async (key: string): Promise<string> => {
        const bytes = await server.read("audit", key);
        t.notMatch(bytes.toString("latin1"), /http\.request/);
        const path = join(elsewhere, basename(key));
        writeFileSync(path, bytes);
        return path;
      };
      const verify = async () => {
        const words = ["audit", "verify", elsewhere, "--key-file", join(dataDir, "audit.key")];
        const program = new Program(t, process.execPath, [MAIN, ...words, "--data-dir", makeDataDir(t)]);
        await until("its end", () => !program.isRunning, 60_000);
        return { code: program.exitCode, said: program.stdout + program.stderr };
      };
      for (const key of keys) await fetched(key);
      t.match(await verify(), { code: 0, said: /intact: lines 1 to \d+/ });
      const [changed = "", gone = ""] = keys.sort();
      const bytes = new Uint8Array(await server.read("audit", changed));
      bytes[150] = (bytes[150] ?? 0) ^ 1;
      await server.ask("PUT", `audit/${changed}`, bytes, md5Of(bytes));
      const path = await fetched(changed);
      t.match(await verify(), { code: 1, said: /changed/ });
      for (const lost of [path, join(elsewhere, basename(gone))]) rmSync(lost);
      t.match(await verify(), { code: 1, said: /missing: lines 1 to \d+ are missing.*\n.*not whole/ });
    },
  );

  await t.test("a server that is killed while it uploads loses nothing and doubles nothing", async (t) => {
    await server.makeBucket("killed");
    const dataDir = makeDataDir(t);
    const env = archiveEnv(server, "killed");
    const isSealed = (key: string): boolean => key.endsWith("/seal.json");
    let made = 0;
    const momentsMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const there = (await server.versions("killed")).filter(({ key }) => isSealed(key)).length;
      // Files of 9 MiB are uploaded in two parts, the last one of a recording at once.
      if (made - there < 1) {
        const plan = {
          width: 640,
          height: 480,
          id: `noise-${made++}`,
          isNoise: true,
          segmentBytes: 9 * 2 ** 20,
        };
        await makeLongRecording(dataDir, 25, plan);
      }
      const appliance = await Appliance.start(t, { dataDir, args: ["--demo"], env });
      const afterMs = Math.random() * 1500;
      await pause(afterMs);
      await appliance.program.stop("SIGKILL");
      momentsMs.push(Math.round(afterMs));
    }
    t.comment(`killed after ${momentsMs.join(", ")} ms, ${made} recordings`);
    const appliance = await Appliance.start(t, { dataDir, args: ["--demo"], env });
    await until(
      "that all are archived",
      async () => (await listOf(appliance)).every(({ archive }) => archive?.state === "archived"),
      300_000,
    );
    t.equal((await listOf(appliance)).length, made);
    const files = filesOf(dataDir);
    const versions = await server.versions("killed");
    t.same(versions.map(({ key }) => key).sort(), [...files.keys()].sort(), "each file once, in one version");
    t.equal(await server.openUploads("killed"), 0, "no part is left lying");
    for (const [key, bytes] of files) t.ok(bytes.equals(await server.read("killed", key)), key);
  });
});
