import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server as NetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import * as z from "zod";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const END_MS = 60_000;

function folder(owner: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-"));
  owner.teardown(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Runs the program until it ends by itself. */
async function run(
  owner: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const program = new Program(owner, process.execPath, ["--enable-source-maps", MAIN, ...args], { env });
  await until(`the end of ${args.join(" ")}`, () => !program.isRunning, END_MS);
  return program;
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

interface Server {
  readonly program: Program;
  readonly url: string;
  readonly dataDir: string;
}

const TOKEN = "operator-of-these-tests";

/** Starts it on a port of its own choice, and waits until it says where. */
async function serve(
  owner: Test,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const dataDir = folder(owner);
  const program = new Program(owner, process.execPath, [MAIN, "--port=0", "--data-dir", dataDir, ...args], {
    env: { OC_TOKEN: TOKEN, ...env },
  });
  const address = ({ stderr }: Program): string | null =>
    /Overlay Companion: (\S+) /.exec(stderr)?.[1] ?? null;
  return { program, url: await program.waitFor("its address", address, END_MS), dataDir };
}

function auditOf(dataDir: string): { event_type: string; actor: { name: string } | null }[] {
  const line = z.looseObject({
    event_type: z.string(),
    actor: z.looseObject({ name: z.string() }).nullable(),
  });
  const lines = readFileSync(join(dataDir, "audit.ndjson"), "utf8").trimEnd().split("\n");
  return lines.map((text) => line.parse(JSON.parse(text)));
}

t.test("what keeps it from starting is said in one message, and the process ends", async (t) => {
  const refused = async (
    t: Test,
    message: RegExp,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const { exitCode, stderr } = await run(t, ["--port", "0", ...args], env);
    t.equal(exitCode, 1);
    t.match(stderr, message);
    t.notMatch(stderr, /\n +at /, "no stack");
  };

  for (const [file, message] of [
    ["connections.json", /connections\.json is not a connections file/],
    ["known-targets.json", /known-targets\.json is not a file of known targets/],
    ["rules.json", /rules\.json is not a file of rules/],
    ["tokens.json", /cannot read the tokens in .*tokens\.json/],
    ["secret.key", /the key in .*secret\.key has \d+ bytes, expected 32/],
    ["recording-key.pem", /recording-key\.pem holds no ed25519 key/],
    ["vnc-rsa-key.pem", /vnc-rsa-key\.pem holds no RSA key/],
  ] as const) {
    await t.test(`a broken ${file}`, async (t) => {
      const dataDir = folder(t);
      writeFileSync(join(dataDir, file), '{"broken');
      // A thread and a timer that wait: both have to go for the process to end.
      await refused(
        t,
        message,
        ["--data-dir", dataDir, ...(file === "vnc-rsa-key.pem" ? ["--vnc-port=0"] : [])],
        {
          OC_RECORDING_POLICY: "always",
        },
      );
      t.equal(readFileSync(join(dataDir, file), "utf8"), '{"broken', "left as it was");
    });
  }

  await t.test("a certificate that is not there, or is none", async (t) => {
    const dataDir = folder(t);
    const pem = join(dataDir, "rubbish.pem");
    writeFileSync(pem, "rubbish\n");
    const env = { OC_TLS_CERT: "/no/such.pem", OC_TLS_KEY: pem };
    await refused(t, /server\.tls_cert: cannot read the file \/no\/such\.pem/, ["--data-dir", dataDir], env);
    const both = { OC_TLS_CERT: pem, OC_TLS_KEY: pem };
    await refused(t, /expected a certificate and its own private key/, ["--data-dir", dataDir], both);
    const checked = await run(t, ["config", "validate"], both);
    t.equal(checked.exitCode, 1, "config validate looks into the files too");
  });

  await t.test("a data directory that cannot be one", async (t) => {
    const file = join(folder(t), "file");
    writeFileSync(file, "");
    await refused(t, /cannot use .*file \(mkdir, EEXIST\)/, ["--data-dir", file]);
  });

  await t.test("a port that is taken is named by its own key", async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    t.teardown(() => server.close());
    const port = `${portOf(server)}`;
    const dataDir = folder(t);
    const words = new RegExp(`^overlay-companion: vnc\\.port: 127\\.0\\.0\\.1:${port} is in use`, "m");
    await refused(t, words, ["--vnc-port", port, "--data-dir", dataDir]);
    await refused(t, words, ["--stdio", "--vnc-port", port, "--data-dir", dataDir]);
    await refused(t, /server\.port: .* is in use already/, ["--port", port, "--data-dir", dataDir]);
    await refused(t, /server\.host: got 192\.0\.2\.1, which is no address of this machine/, [
      "--host=192.0.2.1",
      "--data-dir",
      dataDir,
    ]);
  });
});

t.test("a terminal that is closed is a clean end: recordings are sealed, the audit tells it", async (t) => {
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    const { dataDir, program } = await serve(t, [], { OC_RECORDING_POLICY: "always" });
    const recordings = join(dataDir, "recordings");
    await until("a recording", () => readdirSync(recordings).length > 0);
    const { pid } = program;
    if (pid === undefined) throw new Error("a running process without an id");
    process.kill(pid, signal);
    await until("its end", () => !program.isRunning, END_MS);
    t.equal(program.exitCode, 0, signal);
    const id = readdirSync(recordings).find((name) => !name.includes(".")) ?? "";
    const verified = await run(t, ["recordings", "verify", id, "--data-dir", dataDir]);
    t.match(verified.stdout, /intact/, signal);
    const types = auditOf(dataDir).map(({ event_type }) => event_type);
    t.equal(types[0], "audit.started");
    t.same(types.slice(-2), ["audit.stopped", "audit.checkpoint"], `${signal}: the last line is signed`);
  }
});

t.test("commands beside a running server lose nothing, and are in its audit log", async (t) => {
  const { url, dataDir } = await serve(t);
  const command = (...words: string[]): Promise<Program> => run(t, [...words, "--data-dir", dataDir]);
  const added = await command("connections", "add", "vnc://127.0.0.1:1", "--name", "By hand");
  t.equal(added.exitCode, 0, added.stderr);
  const answer = await fetch(`${url}/api/v1/desktops`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ protocol: "vnc", host: "127.0.0.1", port: 2, name: "By web" }),
  });
  t.equal(answer.status, 201);
  const { stdout } = await command("connections", "list");
  t.match(stdout, /By hand/);
  t.match(stdout, /By web/);
  await command("connections", "remove", added.stdout.split(" ")[0] ?? "");
  const byCommand = auditOf(dataDir).filter(({ actor }) => actor?.name === "command line");
  t.same(
    byCommand.map(({ event_type }) => event_type),
    ["connection.added", "connection.removed"],
  );
});

t.test(
  "while the audit's disk is full nothing changes but by people who stop, and then it goes on",
  { skip: existsSync("/dev/full") ? false : "no /dev/full here" },
  async (t) => {
    const { url, dataDir } = await serve(t, ["--mode=autopilot"]);
    const file = join(dataDir, "audit.ndjson");
    const ask = (path: string, body: unknown, token = TOKEN): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(body),
      });
    const agent = readFileSync(join(dataDir, "agent-token"), "utf8").trim();
    const call = async (name: string, args: object): Promise<string> => {
      const params = { name, arguments: args };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      return await (await ask("/mcp", body, agent)).text();
    };
    const get = async (path: string): Promise<unknown> =>
      await (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })).json();
    const desktopSchema = z.array(z.object({ id: z.string(), mode: z.string(), is_stopped: z.boolean() }));
    const desktop = async () => desktopSchema.parse(await get("/api/v1/desktops"))[0];
    const { id = "" } = (await desktop()) ?? {};
    await until(
      "the demo",
      async () => !(await call("click_at", { x: 1, y: 1 })).includes('"isError":true'),
      END_MS,
    );

    rmSync(file);
    symlinkSync("/dev/full", file);
    t.match(await call("click_at", { x: 5, y: 5 }), /audit_down/, "the very first is refused");
    t.equal((await ask(`/api/v1/desktops/${id}/mode`, { mode: "passive" })).status, 503);
    t.match(await desktop(), { mode: "autopilot", is_stopped: false });
    t.match(await get("/health"), { status: "degraded", reason: "audit_down" });
    t.equal((await fetch(`${url}/config`, { headers: { authorization: `Bearer ${TOKEN}` } })).status, 503);
    t.notMatch(await call("take_screenshot", {}), /audit_down/, "looking goes on");
    t.equal((await ask(`/api/v1/desktops/${id}/stop`, {})).status, 200, "people may always stop");
    t.match(await desktop(), { is_stopped: true });

    rmSync(file);
    t.equal((await ask(`/api/v1/desktops/${id}/resume`, {})).status, 200);
    t.match(await get("/health"), { status: "ok" });
    t.notMatch(await call("click_at", { x: 5, y: 5 }), /audit_down/);
    const types = auditOf(dataDir).map(({ event_type }) => event_type);
    for (const type of ["mcp.tool_call", "change.requested", "desktop.stopped", "desktop.resumed"]) {
      t.ok(types.includes(type), `${type} is told once it can be`);
    }
  },
);

t.test("a desktop that cannot be reached is in the log and in the audit, once", async (t) => {
  let tries = 0;
  const target = createServer((socket) => {
    tries++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  t.teardown(() => target.close());
  const { program, dataDir } = await serve(t, ["--connect", `vnc://:hush1234@127.0.0.1:${portOf(target)}`]);
  await until("a third try", () => tries >= 3, END_MS);
  await program.stop();
  t.match(program.stderr, /"protocol":"vnc","code":"target_closed","reason":".*Desktop is away, trying on/);
  t.equal(program.stderr.match(/Desktop is away/g)?.length, 1);
  const lost = auditOf(dataDir).filter(({ event_type }) => event_type === "session.lost");
  t.equal(lost.length, 1);
  t.notMatch(program.stderr, /hush1234/);
});

t.test("readers of its output that go away end nothing", async (t) => {
  const dataDir = folder(t);
  const child = spawn(process.execPath, [MAIN, "--port", "0", "--data-dir", dataDir], {
    env: { ...process.env, AUDIT_SINK: "stdout" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  t.teardown(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const url = await until("its address", () => /Overlay Companion: (\S+) /.exec(said)?.[1] ?? null, END_MS);
  child.stdout.destroy();
  // Each is a line of the audit.
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${url}/api/v1/desktops`, { headers: { authorization: "Bearer wrong" } });
    t.equal(answer.status, 401);
  }
  await until("what the log says of it", () => said.includes("Audit sink failed"));
  t.equal((await fetch(`${url}/health`)).status, 200);
  child.kill("SIGTERM");
  await ended;
  t.equal(child.exitCode, 0);
});
