import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import * as z from "zod";
import { readCommand } from "../../src/cli/cli.ts";
import {
  checkArchive,
  checkClock,
  checkDataDir,
  checkDisk,
  checkFilmEncoder,
  checkModels,
  checkNode,
  checkPorts,
  checkProvider,
  checkPush,
  checkReceivers,
  checkTargets,
  checkTls,
} from "../../src/cli/doctor-checks.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { makeConnection } from "../../src/desktop/connections/connection.ts";
import { Collector } from "../audit/forward-house.ts";
import { PostServer } from "../push/push-house.ts";

const configOf = (dataDir: string, env: Record<string, string> = {}) =>
  loadConfig({
    env: { OC_DATA_DIR: dataDir, ...env },
    ...{ flags: {}, file: undefined, connect: [], isDemo: false, isStdio: false },
  });

async function portOf(t: Test, server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `${address.port}`;
}

t.test("Node that is too old", (t) => {
  for (const version of ["18.20.0", "20.18.9"])
    t.match(checkNode(version), { ok: false, advice: /20\.19/ }, version);
  for (const version of ["20.19.0", "22.1.0"])
    t.match(checkNode(version), { ok: true, advice: null }, version);
  t.end();
});

t.test("a data folder that is open to others, is no folder, or is not there yet", async (t) => {
  const dir = t.testdir({ file: "", data: {} });
  const data = join(dir, "data");
  chmodSync(data, 0o755);
  t.match(await checkDataDir(configOf(data)), { ok: false, advice: `run chmod 700 ${data}` });
  chmodSync(data, 0o700);
  t.match(await checkDataDir(configOf(data)), { ok: true });
  t.match(await checkDataDir(configOf(join(dir, "file"))), { ok: false, detail: /is no folder/ });
  t.match(await checkDataDir(configOf(join(dir, "new"))), { ok: true, detail: /made at the first start/ });
});

t.test("a disk with less than recordings leave", async (t) => {
  const dir = t.testdir();
  t.match(await checkDisk(configOf(dir, { OC_RECORDING_DISK_FLOOR_MB: "10000000" })), {
    ok: false,
    advice: /disk_floor_mb/,
  });
  t.match(await checkDisk(configOf(dir, { OC_RECORDING_DISK_FLOOR_MB: "0" })), { ok: true });
});

const EMBEDDED = { vision: { engine: "embedded" } } as const;

t.test("models of text that are missing, empty, or not there at all", async (t) => {
  t.match(await checkModels(EMBEDDED), { ok: true, detail: "deu, eng", advice: null });
  const dir = t.testdir({
    some: { "eng.traineddata": "x" },
    empty: { "eng.traineddata": "", "deu.traineddata": "x" },
  });
  const at = (folder: string) => checkModels(EMBEDDED, pathToFileURL(`${join(dir, folder)}/`));
  t.match(await at("some"), { ok: false, detail: "eng; deu missing", advice: /data\/tessdata/ });
  t.match(await at("empty"), { ok: false, detail: "deu, eng; eng cannot be read" });
  t.match(await at("nowhere"), { ok: false, detail: "none; deu, eng missing" });
});

t.test("the encoder of films: one that works, none, one that was named and is not there", async (t) => {
  const of = (film_encoder: string) => checkFilmEncoder({ viewer: { film_encoder } });
  t.match(await of("ffmpeg"), { ok: true, detail: "ffmpeg encodes H.264", advice: null });
  t.match(await of("off"), { ok: true, detail: /^off/ });
  t.match(await of("/nowhere/ffmpeg"), {
    ok: false,
    detail: /could not be started/,
    advice: /apt-get install/,
  });
  t.match(await of("true"), { ok: false, detail: /ended with status 0/ });
});

t.test("a clock before the release, and one before what was written last", async (t) => {
  const config = configOf(t.testdir({ "audit.ndjson": "" }));
  t.match(await checkClock(config), { ok: true });
  t.match(await checkClock(config, Date.UTC(2000, 0, 1)), { ok: false, detail: /before the release/ });
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(join(config.data_dir, "audit.ndjson"), ahead, ahead);
  t.match(await checkClock(config), { ok: false, detail: /before the audit log was written last/ });
});

t.test("a certificate that is about to end, and a key that is not its own", async (t) => {
  const dir = t.testdir();
  const make = (name: string, days: number): void => {
    const files = ["-keyout", join(dir, `${name}.key`), "-out", join(dir, `${name}.pem`)];
    const kind = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=localhost",
      "-days",
      `${days}`,
    ];
    execFileSync("openssl", [...kind, ...files], { stdio: "ignore" });
  };
  make("long", 90);
  make("short", 5);
  const tls = (cert: string, key = cert) =>
    checkTls(configOf(dir, { OC_TLS_CERT: join(dir, `${cert}.pem`), OC_TLS_KEY: join(dir, `${key}.key`) }));
  t.match(await tls("long"), { ok: true, detail: /CN=localhost until/ });
  t.match(await tls("short"), { ok: false, advice: /renew/ });
  t.match(await tls("long", "short"), { ok: false, advice: /config validate/ });
  t.match(await checkTls(configOf(dir)), { ok: true, detail: "not configured" });
});

t.test("a port that something else has, and one that an appliance has", async (t) => {
  const dir = t.testdir();
  const other = await portOf(
    t,
    createHttp((_request, response) => response.end("hello")),
  );
  t.match(await checkPorts(configOf(dir, { OC_PORT: other })), [{ ok: false, detail: /EADDRINUSE/ }]);
  const ours = await portOf(
    t,
    createHttp((_request, response) => response.end('{"status":"ok"}')),
  );
  t.match(await checkPorts(configOf(dir, { OC_PORT: ours })), [{ ok: true, detail: /appliance that runs/ }]);
  const both = await checkPorts(configOf(dir, { OC_PORT: "0", OC_VNC_PORT: other }));
  t.match(both, [{ ok: true }, { part: "port vnc.port", ok: false }]);
});

t.test("targets, step by step; RDP hosts are left their sessions", async (t) => {
  const tested: string[] = [];
  const connections = [
    makeConnection({ id: "a", protocol: "vnc", host: "127.0.0.1" }, new Date(0)),
    makeConnection(
      { id: "b", protocol: "rdp", host: "127.0.0.1", username: "u", password: "p" },
      new Date(0),
    ),
  ];
  const findings = await checkTargets(connections, async ({ id }) => {
    tested.push(id);
    const steps = [
      { name: "version", ok: true, detail: "3.8" },
      { name: "authentication", ok: false, detail: "the password is wrong" },
    ];
    return { success: false, steps, message: "authentication: the password is wrong" };
  });
  t.match(findings, [
    { ok: false, detail: "authentication: the password is wrong (got as far as version)" },
    { ok: true, detail: /not signed in to/ },
  ]);
  t.same(tested, ["a"]);
});

t.test("receivers of the audit log", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const config = configOf(dir, { AUDIT_HTTP_ENDPOINT: collector.url });
  t.match(await checkReceivers(config), [{ part: "audit receiver http", ok: true }]);
  await collector.down();
  t.match(await checkReceivers(config), [{ ok: false, advice: /audit\.http/ }]);
});

t.test("the archive of recordings has to answer to the key", async (t) => {
  t.same(await checkArchive(configOf(t.testdir())), [], "none is configured");
  const status = { uploads: 200, head: 404 };
  const server = createHttp(({ method }, answer) => {
    answer.writeHead(method === "HEAD" ? status.head : status.uploads);
    answer.end(method === "HEAD" ? "" : "<ListMultipartUploadsResult/>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const config = configOf(t.testdir(), {
    OC_RECORDING_ARCHIVE_ENDPOINT: `http://127.0.0.1:${port}`,
    OC_RECORDING_ARCHIVE_BUCKET: "desks",
    OC_RECORDING_ARCHIVE_ACCESS_KEY: "AKEY",
    OC_RECORDING_ARCHIVE_SECRET_KEY: "s3cret of it",
  });
  t.match(await checkArchive(config), [{ part: "archive of recordings", ok: true }]);
  status.head = 403;
  t.match(await checkArchive(config), [{ ok: false, detail: /403.*rights/, advice: /recording\.archive/ }]);
  status.uploads = 404;
  t.match(await checkArchive(config), [{ ok: false, detail: /list uploads \(404\)/ }]);
  server.close();
  await once(server, "close");
  t.match(await checkArchive(config), [{ ok: false, detail: /cannot be reached/ }]);
});

t.test("the sign-in provider has to answer, and to be the issuer that it says", async (t) => {
  t.same(await checkProvider(configOf(t.testdir())), [], "none is configured");
  let said: object = {};
  const server = createHttp((_request, response) => {
    // A connection that is kept would be used again below, and may be found closed in place of refused.
    response
      .writeHead(200, { "content-type": "application/json", connection: "close" })
      .end(JSON.stringify(said));
  });
  const issuer = `http://127.0.0.1:${await portOf(t, server)}`;
  const config = configOf(t.testdir(), { OC_OIDC_ISSUER: issuer, OC_OIDC_CLIENT_ID: "desk" });
  said = { issuer };
  t.match(await checkProvider(config), [{ part: "sign-in provider", ok: true }]);
  t.match(await checkProvider(config), [{ detail: /each is asked about every 60 s$/ }]);
  said = { issuer, backchannel_logout_supported: true };
  t.match(await checkProvider(config), [{ ok: true, detail: /tells of sessions that end/ }]);
  said = { issuer: "http://127.0.0.1:1" };
  t.match(await checkProvider(config), [{ ok: false, detail: /issuer/, advice: /oidc\.issuer/ }]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  t.match(await checkProvider(config), [{ ok: false, detail: /cannot be reached: ECONNREFUSED/ }]);
});

t.test(
  "the command looks at everything, in words and as JSON, and its status says whether all is well",
  async (t) => {
    const dir = t.testdir();
    mkdirSync(join(dir, "data"), { mode: 0o700 });
    writeFileSync(join(dir, "config.yaml"), "server: { port: 0 }\nrecording: { disk_floor_mb: 0 }\n");
    const server = createServer((socket) => socket.destroy());
    const target = await portOf(t, server);
    const run = async (...words: string[]): Promise<string> => {
      const options = ["--data-dir", join(dir, "data"), "--config", join(dir, "config.yaml")];
      const command = readCommand(["doctor", ...words, ...options], {});
      if (command.kind !== "task") throw new Error("doctor is a task");
      return command.run();
    };
    const status = process.exitCode;
    t.teardown(() => {
      process.exitCode = status;
    });
    process.exitCode = 0;
    t.match(await run(), /^ok {5} node: /);
    t.equal(process.exitCode, 0);
    const findings = z
      .array(
        z.object({ part: z.string(), ok: z.boolean(), detail: z.string(), advice: z.string().nullable() }),
      )
      .parse(JSON.parse(await run("--json", "--connect", `vnc://127.0.0.1:${target}`)));
    t.equal(process.exitCode, 1);
    t.same(
      findings.filter(({ ok }) => !ok).map(({ part }) => part),
      [`target vnc-127-0-0-1-${target}`],
    );
    for (const { part, ok, advice } of findings) t.equal(advice === null, ok, part);
  },
);

t.test("where pushes go: what answers, what is not there, and nobody is told", async (t) => {
  const server = await PostServer.open(t);
  server.status = 405;
  const hook = (name: string, url: string) => ({ name, url });
  const dir = t.testdir();
  const file = join(dir, "config.yaml");
  const push = {
    webhooks: [
      hook("up", `${server.url}/secret-topic`),
      hook("metadata", "http://169.254.169.254/secret-topic"),
      hook("own", "http://127.0.0.1:1/secret-topic"),
    ],
    commands: [
      { name: "there", argv: ["sh"] },
      { name: "not-there", argv: ["no-such-program"] },
    ],
  };
  writeFileSync(file, JSON.stringify({ server: { port: 1 }, push }));
  const config = loadConfig({
    env: { OC_DATA_DIR: dir },
    ...{ flags: {}, file, connect: [], isDemo: false, isStdio: false },
  });
  const found = await checkPush(config);
  t.match(found, [
    { part: "push webhook up", ok: true },
    { part: "push webhook metadata", ok: false, detail: /nothing is sent to/ },
    { part: "push webhook own", ok: false, detail: /nothing is sent to/ },
    { part: "push command there", ok: true },
    { part: "push command not-there", ok: false },
  ]);
  t.notMatch(JSON.stringify(found), /secret-topic/);
  t.notMatch(JSON.stringify(server.had), /approval|request"/, "nobody was told anything");
});
