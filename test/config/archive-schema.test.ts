import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openArchive, openAuditArchive } from "../../src/appliance/open-archive.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { printable } from "../../src/config/printable.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openLog } from "../../src/platform/log.ts";

const ENV = {
  OC_RECORDING_ARCHIVE_ENDPOINT: "https://s3.example.com/",
  OC_RECORDING_ARCHIVE_BUCKET: "desks",
  OC_RECORDING_ARCHIVE_ACCESS_KEY: "AKEY",
  OC_RECORDING_ARCHIVE_SECRET_KEY: "s3cret of it",
};

function load(env: Readonly<Record<string, string>> = {}) {
  return loadConfig({ env, flags: {}, file: undefined, connect: [], isDemo: false, isStdio: false });
}

t.test("without an endpoint there is no archive; with one there are defaults for the rest", async (t) => {
  t.match(load().recording.archive, { endpoint: undefined, prefix: "recordings", region: "us-east-1" });
  t.match(load(ENV).recording.archive, {
    ...{ endpoint: "https://s3.example.com", bucket: "desks", path_style: true },
    ...{ access_key: "AKEY", secret_key: "s3cret of it" },
  });
});

t.test("both keys may come from files, and neither is printed", async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), "oc-")), "key");
  writeFileSync(path, "from a file\n");
  const { OC_RECORDING_ARCHIVE_SECRET_KEY: _secret, OC_RECORDING_ARCHIVE_ACCESS_KEY: _access, ...rest } = ENV;
  const files = { OC_RECORDING_ARCHIVE_SECRET_KEY_FILE: path, OC_RECORDING_ARCHIVE_ACCESS_KEY_FILE: path };
  const config = load({ ...rest, ...files });
  t.match(config.recording.archive, { access_key: "from a file", secret_key: "from a file" });
  const printed = JSON.stringify(printable(config));
  t.match(printed, "s3.example.com");
  t.notMatch(printed, "from a file");
});

t.test("what is missing or cannot be is named", async (t) => {
  for (const key of ["bucket", "access_key", "secret_key"]) {
    const { [`OC_RECORDING_ARCHIVE_${key.toUpperCase()}`]: _left, ...rest } = ENV as Record<string, string>;
    t.throws(() => load(rest), {
      name: "ConfigError",
      message: new RegExp(`recording\\.archive\\.${key}.*expected one`),
    });
  }
  for (const [name, value] of [
    ["ENDPOINT", "ftp://s3.example.com"],
    ["ENDPOINT", "https://s3.example.com/path"],
    ["BUCKET", "No"],
    ["PREFIX", "/begins"],
    ["PREFIX", "a b"],
    ["PREFIX", "a//b"],
    ["PATH_STYLE", "maybe"],
  ] as const) {
    const env = { ...ENV, [`OC_RECORDING_ARCHIVE_${name}`]: value };
    t.throws(
      () => load(env),
      { name: "ConfigError", message: new RegExp(`archive\\.${name.toLowerCase()}`) },
      value,
    );
  }
  const prefix = (text: string) =>
    load({ ...ENV, OC_RECORDING_ARCHIVE_PREFIX: text }).recording.archive.prefix;
  t.same([prefix("a/b.c/"), prefix("a-1")], ["a/b.c", "a-1"]);
});

t.test("a file of authorities that is not there is told of at the start", async (t) => {
  const config = { ...load({ ...ENV, OC_RECORDING_ARCHIVE_CA: "/nowhere/ca.pem" }), data_dir: t.testdir() };
  const rooms = { clock: systemClock, own: [], record: () => undefined, fleet: null };
  await t.rejects(openArchive(config, openLog("silent"), rooms), {
    name: "ConfigError",
    message: /recording\.archive\.ca: cannot read the file \/nowhere\/ca\.pem/,
  });
});

t.test("the audit log goes there only where there is one, and it is kept in a file", async (t) => {
  t.equal(load(ENV).recording.archive.audit, false);
  const on = { OC_RECORDING_ARCHIVE_AUDIT: "on" };
  t.throws(() => load(on), { name: "ConfigError", message: /recording\.archive\.endpoint.*audit is on/ });
  const config = { ...load({ ...ENV, ...on, AUDIT_SINK: "stdout" }), data_dir: t.testdir() };
  await t.rejects(
    openAuditArchive(config, openLog("silent"), systemClock, () => undefined),
    {
      name: "ConfigError",
      message: /recording\.archive\.audit: got on with audit\.sink stdout: expected file/,
    },
  );
});
