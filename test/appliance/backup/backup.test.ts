import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { bytesOf, openDataFiles } from "../../../src/appliance/backup/data-files.ts";
import { type RestorePlan, restoreBackup } from "../../../src/appliance/backup/restore-backup.ts";
import { type BackupReport, backupParts } from "../../../src/appliance/backup/write-backup.ts";
import { checkDataFormat, openDataFormat } from "../../../src/appliance/data-format.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { requirePeers } from "../../e2e/harness/peers.ts";

const run = promisify(execFile);
const KEY = `${"k".repeat(43)}\n`;
const OLD = new Date("2026-01-02T03:04:05Z");

/** A data folder with what lasts and what does not. */
function dataFolder(t: Test): string {
  const dir = t.testdir({
    data: {
      "secret.key": KEY,
      "tokens.json": "{}",
      "audit.ndjson": "{}\n",
      "audit.head": "head",
      "agent-tokens": { claude: "token" },
      recordings: {
        "seals.log": "\n",
        one: { "000000.blocks": "blocks", "seal.json": "{}", "seal.json.new": "" },
      },
      "audit.lock.wanted": "",
      "control.address": "/tmp/x",
      sessions: { "3000.json": "{}" },
      "tokens.json.0123456789ab": "half",
      "before-restore-20260101T000000000Z": { "tokens.json": "older" },
    },
    elsewhere: {},
  });
  utimesSync(join(dir, "data", "audit.ndjson"), OLD, OLD);
  return dir;
}

async function backup(dir: string, isKeyApart = false): Promise<BackupReport> {
  const reports: BackupReport[] = [];
  const parts: Buffer[] = [];
  const done = (report: BackupReport): void => void reports.push(report);
  for await (const part of backupParts({ dataDir: join(dir, "data"), isKeyApart, clock: systemClock, done }))
    parts.push(part);
  writeFileSync(join(dir, "backup.tar"), Buffer.concat(parts));
  const [report] = reports;
  if (report === undefined) throw new Error("no report");
  return report;
}

function plan(dir: string, more: Partial<RestorePlan> = {}): RestorePlan {
  const dataDir = join(dir, "elsewhere");
  return {
    file: join(dir, "backup.tar"),
    dataDir,
    isReplacing: false,
    keyFile: null,
    clock: systemClock,
    ...more,
  };
}

/** The backup unpacked by GNU tar, changed, and packed again. */
async function repacked(dir: string, change: (folder: string) => void, ...last: string[]): Promise<void> {
  const folder = join(dir, "unpacked");
  mkdirSync(folder);
  await run("tar", ["-xf", join(dir, "backup.tar"), "-C", folder]);
  const { stdout } = await run("tar", ["-tf", join(dir, "backup.tar")]);
  change(folder);
  const names = [
    ...stdout
      .trim()
      .split("\n")
      .filter((name) => existsSync(join(folder, name))),
    ...last,
  ];
  await run("tar", [
    "--format=ustar",
    "--hard-dereference",
    "-P",
    "-cf",
    join(dir, "backup.tar"),
    "-C",
    folder,
    "--",
    ...names,
  ]);
}

function fixManifest(folder: string, path: string): void {
  const bytes = readFileSync(join(folder, "data", path));
  const file = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const entry = manifest.files.find((one: { path: string }) => one.path === path);
  entry.bytes = bytes.length;
  entry.sha256 = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(file, JSON.stringify(manifest));
}

t.test("what lasts comes back, private and as old as it was", async (t) => {
  const dir = dataFolder(t);
  t.equal((await backup(dir)).files, 9);
  const { manifest, putAside } = await restoreBackup(plan(dir));
  t.equal(putAside, null);
  t.match(manifest.secret_key, { is_apart: false });
  const to = join(dir, "elsewhere");
  t.same(readdirSync(to).sort(), [
    "agent-tokens",
    "audit.head",
    "audit.ndjson",
    "data-format.json",
    "recordings",
    "secret.key",
    "tokens.json",
  ]);
  t.same(readdirSync(join(to, "recordings", "one")).sort(), ["000000.blocks", "seal.json"]);
  t.equal(readFileSync(join(to, "agent-tokens", "claude"), "utf8"), "token");
  t.equal(statSync(join(to, "audit.ndjson")).mtimeMs, OLD.getTime(), "retention goes by it");
  for (const path of ["secret.key", "recordings/one/000000.blocks"])
    t.equal(statSync(join(to, path)).mode & 0o777, 0o600, path);
  t.equal(statSync(join(to, "recordings/one")).mode & 0o777, 0o700);
  await checkDataFormat(to);
});

t.test("links: followed at the top, as the server does, left out and told below", async (t) => {
  const dir = dataFolder(t);
  renameSync(join(dir, "data", "recordings"), join(dir, "disk"));
  symlinkSync(join(dir, "disk"), join(dir, "data", "recordings"));
  symlinkSync("/etc/hostname", join(dir, "disk", "one", "name"));
  t.same((await backup(dir)).leftOut, ["recordings/one/name"]);
  await restoreBackup(plan(dir));
  t.equal(readFileSync(join(dir, "elsewhere/recordings/one/000000.blocks"), "utf8"), "blocks");
});

t.test(
  "a file that grows is copied as it was when it was opened, one that shrinks is an error",
  async (t) => {
    const dir = dataFolder(t);
    const path = join(dir, "data", "recordings", "one", "000000.blocks");
    const read: string[] = [];
    const files = openDataFiles(join(dir, "data"), systemClock, () => undefined);
    for await (const file of files) {
      if (!file.path.endsWith(".blocks")) continue;
      writeFileSync(path, "blocks and more");
      for await (const part of bytesOf(file)) read.push(part.toString());
      writeFileSync(path, "b");
      const again = async () => {
        for await (const _ of bytesOf(file));
      };
      await t.rejects(again(), { name: "BackupError", code: "changed" });
    }
    t.same(read, ["blocks"]);
  },
);

t.test("a key kept apart is asked for, and has to be the right one", async (t) => {
  const dir = dataFolder(t);
  await backup(dir, true);
  t.notOk(readFileSync(join(dir, "backup.tar")).includes(KEY.trim()), "not inside");
  const keyFile = join(dir, "key");
  await t.rejects(restoreBackup(plan(dir)), { code: "bad_key", message: /--key-file FILE/ });
  await t.rejects(restoreBackup(plan(dir, { keyFile })), { code: "bad_key", message: /not there/ });
  writeFileSync(keyFile, "another\n");
  await t.rejects(restoreBackup(plan(dir, { keyFile })), { code: "bad_key", message: /another key/ });
  t.same(readdirSync(join(dir, "elsewhere")), [], "nothing is left");
  writeFileSync(keyFile, KEY);
  await restoreBackup(plan(dir, { keyFile }));
  t.equal(readFileSync(join(dir, "elsewhere", "secret.key"), "utf8"), KEY);

  const other = dataFolder(t);
  await backup(other);
  await t.rejects(restoreBackup(plan(other, { keyFile: join(other, "key") })), {
    code: "bad_key",
    message: /leave it out/,
  });
});

t.test("a folder with something in it is refused, or what is there is put aside", async (t) => {
  const dir = dataFolder(t);
  await backup(dir);
  const to = join(dir, "elsewhere");
  await openDataFormat(to);
  await restoreBackup(plan(dir));
  writeFileSync(join(to, "tokens.json"), "mine");
  await t.rejects(restoreBackup(plan(dir)), { code: "not_empty", message: /--replace/ });
  const { putAside } = await restoreBackup(plan(dir, { isReplacing: true }));
  t.equal(readFileSync(join(putAside ?? "", "tokens.json"), "utf8"), "mine");
  t.ok(existsSync(join(putAside ?? "", "data-format.json")));
  t.equal(readFileSync(join(to, "tokens.json"), "utf8"), "{}");
  // Aside is not in the way of the next one, and in no backup.
  t.notOk((await backup(dir)).leftOut.length);
});

t.test("a folder on which a server runs is refused", async (t) => {
  const dir = dataFolder(t);
  await backup(dir);
  // Its own path may be too long for a socket: a server names another one then.
  const folder = mkdtempSync(join(tmpdir(), "oc-backup-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const server = createServer().listen(join(folder, "control.sock"));
  writeFileSync(join(dir, "elsewhere", "control.address"), join(folder, "control.sock"));
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  await t.rejects(restoreBackup(plan(dir, { isReplacing: true })), {
    code: "in_use",
    message: /stop it first/,
  });
});

t.test("a restore that was cut off keeps the server from starting, until it is done again", async (t) => {
  const dir = dataFolder(t);
  await backup(dir);
  const to = join(dir, "elsewhere");
  writeFileSync(join(to, ".restoring"), "");
  writeFileSync(join(to, "tokens.json"), "half");
  await t.rejects(openDataFormat(to), { name: "DataFormatError", code: "unfinished_restore" });
  await restoreBackup(plan(dir, { isReplacing: true }));
  await openDataFormat(to);
});

t.test("data of a newer format is refused, with the version to use", async (t) => {
  const dir = dataFolder(t);
  writeFileSync(join(dir, "data", "data-format.json"), '{"format":2,"version":"2030.01.02"}');
  const newer = {
    name: "DataFormatError",
    code: "newer_data",
    message: /use version 2030\.01\.02 or a later one/,
  };
  await t.rejects(openDataFormat(join(dir, "data")), newer);
  await t.rejects(backup(dir), newer);
  writeFileSync(join(dir, "data", "data-format.json"), '{"format":"?"}');
  await t.rejects(openDataFormat(join(dir, "data")), { name: "FileError" });
});

t.test("a backup that is not as it was made is refused, and nothing is left of it", async (t) => {
  if (!requirePeers(t, ["tar"])) return;
  const cases: readonly {
    name: string;
    message: RegExp;
    change: (folder: string) => void;
    last?: string[];
  }[] = [
    {
      name: "a changed file",
      message: /tokens\.json is not as its manifest\.json says/,
      change: (folder) => writeFileSync(join(folder, "data", "tokens.json"), "[]"),
    },
    {
      name: "a missing file",
      message: /tokens\.json is missing/,
      change: (folder) => renameSync(join(folder, "data", "tokens.json"), join(folder, "gone")),
    },
    {
      name: "a file that its manifest does not have",
      message: /tokens\.json is in the backup and not in its manifest/,
      change: (folder) => {
        const file = join(folder, "manifest.json");
        const manifest = JSON.parse(readFileSync(file, "utf8"));
        manifest.files = manifest.files.filter(({ path }: { path: string }) => path !== "tokens.json");
        writeFileSync(file, JSON.stringify(manifest));
      },
    },
    {
      name: "a newer format",
      message: /use version 2030/,
      change: (folder) => {
        writeFileSync(join(folder, "data", "data-format.json"), '{"format":2,"version":"2030.01.02"}');
        fixManifest(folder, "data-format.json");
      },
    },
    {
      name: "a link in place of a file",
      message: /entry of type "2"/,
      change: (folder) => {
        renameSync(join(folder, "data", "tokens.json"), join(folder, "gone"));
        symlinkSync("/etc/passwd", join(folder, "data", "tokens.json"));
      },
    },
    {
      name: "a path that leaves the folder",
      message: /got the path "data\/\.\.\/\.\.\/evil"/,
      change: (folder) => {
        renameSync(join(folder, "manifest.json"), join(folder, "gone"));
        writeFileSync(join(folder, "..", "evil"), "1");
      },
      last: ["data/../../evil"],
    },
    {
      name: "an absolute path",
      message: /got the path "\/etc\/hostname"/,
      change: (folder) => renameSync(join(folder, "manifest.json"), join(folder, "gone")),
      last: ["/etc/hostname"],
    },
    {
      name: "a lock",
      message: /got the path "data\/audit\.lock"/,
      change: (folder) => {
        renameSync(join(folder, "manifest.json"), join(folder, "gone"));
        writeFileSync(join(folder, "data", "audit.lock"), "1");
      },
      last: ["data/audit.lock"],
    },
    {
      name: "a file twice",
      message: /tokens\.json is in the backup twice/,
      change: (folder) => renameSync(join(folder, "manifest.json"), join(folder, "gone")),
      last: ["data/tokens.json"],
    },
    {
      name: "something after the manifest",
      message: /follows the manifest/,
      change: () => undefined,
      last: ["data/secret.key"],
    },
    {
      name: "no manifest",
      message: /it has no manifest\.json/,
      change: (folder) => renameSync(join(folder, "manifest.json"), join(folder, "gone")),
    },
    {
      name: "another manifest",
      message: /manifest\.json of the backup is not one/,
      change: (folder) => writeFileSync(join(folder, "manifest.json"), '{"kind":"other"}'),
    },
    {
      name: "another archive",
      message: /does not begin with its data format/,
      change: (folder) => renameSync(join(folder, "data", "data-format.json"), join(folder, "gone")),
    },
  ];
  for (const { name, message, change, last = [] } of cases) {
    await t.test(name, async (t) => {
      const dir = dataFolder(t);
      await backup(dir);
      await repacked(dir, change, ...last);
      await t.rejects(restoreBackup(plan(dir)), { message });
      t.same(readdirSync(join(dir, "elsewhere")), []);
    });
  }
});

t.test("a backup that was cut off is refused", async (t) => {
  const dir = dataFolder(t);
  await backup(dir);
  const bytes = readFileSync(join(dir, "backup.tar"));
  for (const length of [0, 100, 700, 5000, bytes.length - 1]) {
    writeFileSync(join(dir, "backup.tar"), bytes.subarray(0, length));
    await t.rejects(
      restoreBackup(plan(dir)),
      { name: "BackupError", code: "bad_backup", message: /cut off/ },
      `${length}`,
    );
  }
});
