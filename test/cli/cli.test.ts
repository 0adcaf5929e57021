import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import t from "tap";
import { packageVersion } from "../../scripts/release.ts";
import { auditEventSchema } from "../../src/audit/audit-event.ts";
import { exportActor } from "../../src/audit/export-actor.ts";
import { HELP, readCommand } from "../../src/cli/cli.ts";
import { startMessage } from "../../src/cli/start-message.ts";
import { KnownTargets } from "../../src/desktop/connections/known-targets.ts";
import { VERSION } from "../../src/platform/version.ts";
import { eventOf, fileSink } from "../audit/file-sink.ts";

async function run(argv: readonly string[], dataDir: string): Promise<string> {
  const command = readCommand([...argv, "--data-dir", dataDir], {});
  if (command.kind === "task") return command.run();
  if (command.kind === "print") return command.text;
  throw new Error("serve is no task");
}

t.test("the version is the package's", async (t) => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  t.match(text, `"version": "${packageVersion(VERSION)}"`);
  t.match(readCommand(["--version"], {}), { kind: "print", text: `${VERSION}\n` });
  t.match(readCommand(["-h"], {}), { text: HELP });
});

t.test("serve is the default, with repeatable connections", async (t) => {
  const command = readCommand(
    ["--connect", "vnc://a", "--connect", "demo:", "--mode", "autopilot", "--stdio"],
    {},
  );
  t.match(command, { kind: "serve", config: { mode: "autopilot", isStdio: true } });
  if (command.kind === "serve")
    t.same(
      command.config.connections.map(({ protocol }) => protocol),
      ["vnc", "demo"],
    );
});

t.test("wrong words are named with what was expected", async (t) => {
  t.throws(() => readCommand(["fly"], {}), { message: /"fly", expected serve, config/ });
  t.throws(() => readCommand(["--prot", "1"], {}), { message: /--prot/ });
  t.throws(() => readCommand(["serve", "now"], {}), { message: /takes 0 words/ });
  t.throws(() => readCommand(["connections", "paint"], {}), {
    message: /connections list, add, test or remove/,
  });
});

t.test("what an export shows is said in the words of the web API", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const exported = (...words: string[]) => run(["recordings", "export", "r1", ...words], dir);
  await t.rejects(exported("--overlays", "no"), { message: 'got --overlays "no", expected 0 or 1' });
  await t.rejects(exported("--pointer", "2"), { message: 'got --pointer "2", expected 0 or 1' });
  for (const rate of ["0", "31", "fast", "-1"])
    await t.rejects(exported(`--fps=${rate}`), { message: `got --fps "${rate}", expected 0.1 to 30` });
  await t.rejects(exported("--overlays", "0", "--pointer", "1", "--fps", "5"), {
    message: /no such recording/,
  });
});

t.test("connections are added, listed without secrets, and removed", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const added = await run(["connections", "add", "vnc://:hunter2x@box:5907", "--name", "Box"], dir);
  const id = added.split(" ")[0] ?? "";
  const listed = await run(["connections", "list"], dir);
  t.match(listed, `${id}  vnc://box:5907  Box`);
  t.notMatch(listed, /hunter2x/);
  await run(["connections", "remove", id], dir);
  t.match(await run(["connections", "list"], dir), /no connections/);
  await t.rejects(run(["connections", "remove", id], dir), { message: /there is no connection/ });
});

t.test("connections test says how far the handshake got", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await t.rejects(run(["connections", "test", `vnc://127.0.0.1:${port}`], dir), {
    message: /ok {6}connect: .*\nfailed {2}version: .*not a VNC server/,
  });
  server.close();
});

t.test("tokens are made, listed without their secret, and revoked", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const made = await run(["token", "create", "viewer", "--name", "Wall screen"], dir);
  const token = made.split("\n")[0] ?? "";
  t.match(token, /^ocp_/);
  const listed = await run(["token", "list"], dir);
  t.match(listed, /viewer {2}Wall screen {2}last used: never/);
  t.notMatch(listed, token);
  await run(["token", "revoke", listed.split(" ")[0] ?? ""], dir);
  t.match(await run(["token", "list"], dir), /no tokens/);
  await run(["token", "create", "agent", "--owner", "oidc:alice"], dir);
  t.match(await run(["token", "list"], dir), / --owner oidc:alice\n/);
  t.match(readFileSync(join(dir, "audit.ndjson"), "utf8"), /"token.issued".*"owner":"oidc:alice"/);
  await run(["token", "create", "agent", "--toolsets", "core,overlay"], dir);
  t.match(await run(["token", "list"], dir), /--toolsets core,overlay/);
  await t.rejects(run(["token", "create", "agent", "--toolsets", "cor"], dir), {
    message: /mcp.toolsets .*"cor".*"core"/,
  });
  await run(["token", "create", "viewer", "--expires", "12h"], dir);
  t.match(await run(["token", "list"], dir), / {2}expires: \d{4}-\d\d-\d\dT/);
  for (const when of ["soon", "2020-01-01", "0d", "12", "2026-13-01"]) {
    await t.rejects(run(["token", "create", "viewer", "--expires", when], dir), {
      message: `got --expires "${when}", expected a length such as 12h or 30d, or a moment to come`,
    });
  }
  await run(["token", "create", "operator", "--desktops", "build-vm, test-vm"], dir);
  t.match(await run(["token", "list"], dir), /operator .*--desktops build-vm,test-vm\n/);
  await t.rejects(run(["token", "create", "viewer", "--desktops", " , "], dir), {
    message: /^got --desktops " , ", expected 1 to 200 ids/,
  });
  await t.rejects(run(["token", "create", "admin", "--desktops", "build-vm"], dir), {
    message: "got --desktops for an administrator, who reaches all: expected another role",
  });
  await t.rejects(run(["token", "create", "king"], dir), { message: /"king", expected one of admin/ });
});

t.test("at start a terminal gets the link and the snippet, others only the files' names", async (t) => {
  const facts = {
    url: "http://127.0.0.1:3000",
    fingerprint: null,
    adminTokenFile: "/d/admin-token",
    agentTokenFile: "/d/agent-token",
  };
  const seen = startMessage({ ...facts, code: "once", agentToken: "ocp_x" });
  t.match(seen, "http://127.0.0.1:3000/?token=once");
  t.match(seen, "Bearer ocp_x");
  const unseen = startMessage({ ...facts, code: null, agentToken: null });
  t.match(unseen, "/d/admin-token");
  t.notMatch(unseen, /ocp_|token=/);
  for (const code of ["once", null]) {
    const told = startMessage({ ...facts, code, agentToken: code, fingerprint: "AB:CD" });
    t.match(told, "AB:CD");
  }
});

t.test("--network asks for TLS, unless --insecure is said beside it", async (t) => {
  const networkOf = (...words: string[]) => {
    const command = readCommand(words, { OC_NETWORK: "off" });
    return command.kind === "serve" ? command.config.server.network : null;
  };
  t.equal(networkOf(), "off");
  t.equal(networkOf("--network"), "tls");
  t.equal(networkOf("--network", "--insecure"), "plain");
  t.throws(() => networkOf("--insecure"), /--insecure alone/);
});

t.test("a URL in the place of the command is not repeated: it may hold a password", async (t) => {
  try {
    readCommand(["vnc://:hunter2x@box"], {});
    t.fail("accepted");
  } catch (error) {
    t.match(error, { message: /--connect URL/ });
    t.notMatch(String(error), /hunter2x/);
  }
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  for (const url of ["vnc://:50%offhunter2x@box", "vnc://:hun/ter2x@box"]) {
    await t.rejects(run(["connections", "add", url], dir), { message: /with %40, %2F and %25 for @/ });
    await t.rejects(run(["connections", "add", url], dir), { message: /^((?!ter2x).)*$/ });
  }
});

t.test("what commands change is in the audit log, by the command line", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  const added = await run(["connections", "add", "vnc://:hunter2x@box"], dir);
  await run(["connections", "remove", added.split(" ")[0] ?? ""], dir);
  await run(["token", "create", "viewer"], dir);
  const known = await KnownTargets.open(join(dir, "known-targets.json"));
  await known.remember("box:5900", "ab".repeat(32));
  await run(["targets", "forget", "box:5900"], dir);
  const lines = readFileSync(join(dir, "audit.ndjson"), "utf8").trimEnd().split("\n");
  const events = lines.map((line) => auditEventSchema.parse(JSON.parse(line)));
  t.same(
    events.map(({ event_type, actor }) => `${event_type} ${actor?.name}`),
    [
      "connection.added command line",
      "connection.removed command line",
      "token.issued command line",
      "target.identity_forgotten command line",
    ],
  );
  t.notMatch(lines.join(""), "hunter2x");
});

t.test("audit verify tells an intact log from one that was changed, and names the line", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "oc-"));
  for (const role of ["viewer", "agent", "viewer"]) await run(["token", "create", role], dir);
  const file = join(dir, "audit.ndjson");
  t.equal(await run(["audit", "verify"], dir), "intact: lines 1 to 3, 0 signed checkpoints\n");
  t.match(await run(["audit", "verify", file], dir), /^intact: lines 1 to 3.*\nnote: whether lines follow/);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"action":"agent"', '"action":"admin"'));
  const message = /audit\.ndjson:2: changed: this is not line 2 as it was written.*\(1 lines before it are/;
  await t.rejects(run(["audit", "verify"], dir), { message });
  await t.rejects(run(["audit", "verify", file], dir), { message });
  writeFileSync(file, text);
  await t.rejects(run(["audit", "verify", join(dir, "none")], dir), { code: "ENOENT" });
  await t.rejects(run(["audit", "export"], dir), { message: /needs --actor NAME/ });
  await t.rejects(run(["audit"], dir), { message: /expected audit verify or audit export/ });
  await rm(dir, { recursive: true });
});

t.test(
  "audit verify checks all files of a log in a folder, by files and a key alone, and names gaps",
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), "oc-"));
    const sink = await fileSink(dir, { rotation: { bytes: 1200 } });
    for (let event = 0; event < 12; event++) await sink.write([eventOf({ type: "auth.login" })]);
    await sink.close();
    const folder = await mkdtemp(join(tmpdir(), "oc-"));
    const names = readdirSync(dir).filter((name) => name.endsWith(".ndjson"));
    for (const name of names) copyFileSync(join(dir, name), join(folder, name));
    const nowhere = await mkdtemp(join(tmpdir(), "oc-"));
    const verify = () => run(["audit", "verify", folder, "--key-file", join(dir, "audit.key")], nowhere);
    t.match(await verify(), /^note: without audit\.head.*\nintact: lines 1 to 12/);
    copyFileSync(join(dir, "audit.head"), join(folder, "audit.head"));
    t.match(await verify(), /^intact: lines 1 to 12/);
    t.same(readdirSync(nowhere), [], "nothing is written");
    const [first = "", second = "", third = ""] = names.sort();
    rmSync(join(folder, first));
    rmSync(join(folder, third));
    await t.rejects(verify(), {
      message:
        /lines 1 to \d+ are missing before this one\n.*missing: lines? .*\nnot whole: the \d+ lines that are there, of lines \d+ to 12, are as they were written/,
    });
    const text = readFileSync(join(folder, second), "utf8");
    writeFileSync(join(folder, second), text.replace("auth.login", "auth.logon"));
    await t.rejects(verify(), { message: /changed: this is not line/ });
    await t.rejects(run(["audit", "verify", nowhere, "--key-file", join(dir, "audit.key")], dir), {
      message: /got no file of an audit log/,
    });
    for (const made of [dir, folder, nowhere]) await rm(made, { recursive: true });
  },
);

t.test(
  "audit export gives every line of one actor as it stands in the log, and is told itself",
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), "oc-"));
    const sink = await fileSink(dir);
    const ann = { id: "u1", name: "Änn", kind: "human" };
    const bob = { id: "u2", name: "Bob", kind: "human" };
    await sink.write([ann, bob, ann].map((actor) => eventOf({ type: "auth.login", actor })));
    await sink.write([eventOf({ type: "audit.started" })]);
    await sink.close();
    const lines = readFileSync(join(dir, "audit.ndjson"), "utf8").split("\n");
    for (const name of ["Änn", "u1"]) {
      let text = "";
      const out = new Writable({
        write: (chunk, _encoding, done) => {
          text += String(chunk);
          done();
        },
      });
      t.equal(await exportActor(dir, name, out), 2);
      t.equal(text, `${lines[0]}\n${lines[2]}\n`);
    }
    await run(["audit", "export", "--actor", "nobody"], dir);
    t.match(readFileSync(join(dir, "audit.ndjson"), "utf8"), /"audit\.exported".*"id":"nobody".*"events":0/);
    await rm(dir, { recursive: true });
  },
);
