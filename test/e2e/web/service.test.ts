import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { requirePeers } from "../harness/peers.ts";

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const START_MS = 120_000;
const TOKEN = "operator-of-these-tests";

/** As a service manager's end: a datagram socket, each message of which is printed between lines of its own. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    data, parts, _, _ = s.recvmsg(65536, 4096)
    # systemd-notify waits until what it sent was taken: it closes its end of a pipe that came along.
    import array, os
    for level, kind, raw in parts:
        fds = array.array("i"); fds.frombytes(raw[:len(raw) - len(raw) % fds.itemsize])
        for fd in fds: os.close(fd)
    if data != b"BARRIER=1": print(data.decode().replace("\\n", " "), flush=True)
`;

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-service-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

t.test("systemd finds no fault in the units, and little that they leave open", async (t) => {
  if (!requirePeers(t, ["systemd-analyze"])) return;
  for (const [kind, args, most] of [
    ["system", ["--system", "--port", "8443"], 1.5],
    ["system", ["--system", "--port", "443"], 1.6],
    ["user", ["--user"], null],
  ] as const) {
    const root = folder(t);
    await run(process.execPath, [MAIN, "service", "install", "--root", root, ...args]);
    const unit = readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((name) => join(root, name))
      .find((name) => name.endsWith(".service"));
    if (unit === undefined) throw new Error("no unit was written");
    // It looks for a user's folder there, and starts nothing.
    const env = { ...process.env, XDG_RUNTIME_DIR: root };
    const verified = await run("systemd-analyze", ["verify", "--man=no", `--${kind}`, unit], { env });
    t.equal(verified.stdout + verified.stderr, "", `${kind}: no warning`);
    const { stdout } = await run("systemd-analyze", ["security", "--offline=yes", "--no-pager", unit]);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    t.ok(exposure > 0, `${kind} ${args.at(-1)}: exposure ${exposure}`);
    if (most !== null) t.ok(exposure <= most, `at most ${most}`);
  }
});

async function receive(t: Test, socket: string): Promise<Program> {
  const receiver = new Program(t, "/usr/bin/python3", ["-c", RECEIVER, socket]);
  await receiver.waitFor("its socket", ({ stdout }) => (stdout.startsWith("bound") ? true : null));
  return receiver;
}

t.test("it tells its manager when it serves, that it lives, and that it stops", async (t) => {
  if (!requirePeers(t, ["systemd-analyze"])) return;
  const [dir, dataDir, vncPort] = [folder(t), folder(t), await freePort()];
  const socket = join(dir, "notify");
  const receiver = await receive(t, socket);
  const start = (): Program =>
    new Program(
      t,
      process.execPath,
      [MAIN, "--demo", "--port", "0", "--vnc-port", `${vncPort}`, "--data-dir", dataDir],
      {
        env: {
          OC_TOKEN: TOKEN,
          OC_RECORDING_POLICY: "always",
          NOTIFY_SOCKET: socket,
          WATCHDOG_USEC: "400000",
        },
      },
    );
  /** Resolves with where it serves, which its nth READY says. */
  const ready = (nth: number): Promise<string> =>
    receiver.waitFor(
      `READY ${nth}`,
      ({ stdout }) =>
        [...stdout.matchAll(/^READY=1 STATUS=Serves (\S+)$/gm)].map(([, url]) => url)[nth - 1] ?? null,
      START_MS,
    );
  const watch = async (url: string): Promise<WebSocket> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${url}/api/v1/desktops`, { headers });
    const [desktop] = JSON.parse(await answer.text());
    const viewer = new WebSocket(`${url.replace("http", "ws")}/ws/desktops/${desktop.id}`, { headers });
    await new Promise((resolve, reject) => viewer.once("message", resolve).once("error", reject));
    return viewer;
  };
  const recordings = (): readonly string[] => readdirSync(join(dataDir, "recordings"));

  const killed = start();
  const watched = await watch(await ready(1));
  await until("a recording", () => recordings().length > 0);
  await until("two signs of life", () => (receiver.stdout.match(/^WATCHDOG=1$/gm)?.length ?? 0) >= 2);
  watched.on("error", () => undefined);
  await killed.stop("SIGKILL");

  const again = start();
  const url = await ready(2);
  t.equal((await fetch(`${url}/health`)).status, 200, "killed and started again on the same data");
  const viewers = await Promise.all([watch(url), watch(url), watch(url)]);
  const closed = viewers.map((viewer) => new Promise((resolve) => viewer.once("close", resolve)));
  await until("a second recording", () => recordings().length > 1);
  t.notMatch(receiver.stdout, /STOPPING/);
  // It ends itself with 1 where it takes longer than the 5 s it allows itself.
  await again.stop();
  t.equal(again.exitCode, 0, "a clean end, with viewers and a recording");
  await Promise.all(closed);
  await receiver.waitFor("STOPPING", ({ stdout }) => (/^STOPPING=1$/m.test(stdout) ? true : null));
  const list = [MAIN, "recordings", "list", "--data-dir", dataDir];
  const { stdout: listed } = await run(process.execPath, list);
  t.match(listed, /unsealed|cut off|interrupted/, "the one that was cut off is there");
  const audit = readFileSync(join(dataDir, "audit.ndjson"), "utf8");
  t.match(audit.trimEnd().split("\n").at(-1), /audit\.checkpoint/);
});

t.test("without systemd-notify it serves all the same, and says so", async (t) => {
  const [dir, dataDir] = [folder(t), folder(t)];
  const program = new Program(t, process.execPath, [MAIN, "--demo", "--port", "0", "--data-dir", dataDir], {
    env: { OC_TOKEN: TOKEN, NOTIFY_SOCKET: join(dir, "nobody"), PATH: dir },
  });
  await program.waitFor(
    "its word",
    ({ stderr }) => (/Service manager was not told/.test(stderr) ? true : null),
    START_MS,
  );
  await program.waitFor(
    "its address",
    ({ stderr }) => (/Appliance serves/.test(stderr) ? true : null),
    START_MS,
  );
  await program.stop();
  t.equal(program.exitCode, 0);
});
