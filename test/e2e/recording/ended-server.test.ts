import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { freePort } from "../../support/free-port.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { RFB2_SECURITY, Rfb2Client } from "../harness/rfb2-client.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const VIEWERS = 10;
const PASSWORD = "look-on!";
const LIMIT = { timeout: 600_000 };
/** The machine may be busy: what is late is not what is looked for here. */
const START_MS = 240_000;

/** A server that records its demo while ten people look on and one of them works there. */
async function busyServer(owner: Test, dataDir: string) {
  const [port, vncPort] = [await freePort(), await freePort()];
  const args = ["--demo", "--port", `${port}`, "--vnc-port", `${vncPort}`, "--data-dir", dataDir];
  const program = new Program(owner, process.execPath, [MAIN, ...args], {
    env: { OC_RECORDING_POLICY: "always", OC_VNC_PASSWORD: PASSWORD },
  });
  await program.waitFor("its address", ({ stderr }) => /Overlay Companion: (\S+) /.exec(stderr), START_MS);
  const viewers: Rfb2Client[] = [];
  for (let count = 0; count < VIEWERS; count++) {
    viewers.push(await Rfb2Client.connect(vncPort, RFB2_SECURITY.vncAuth, PASSWORD));
  }
  let steps = 0;
  const work = setInterval(() => {
    steps += 1;
    for (const viewer of viewers) viewer.request(true);
    viewers[0]?.click(100 + ((steps * 37) % 800), 100 + ((steps * 23) % 500));
  }, 40);
  owner.teardown(() => clearInterval(work));
  const recordings = join(dataDir, "recordings");
  const ids = () => readdirSync(recordings).filter((name) => !name.includes("."));
  await until("a recording with inputs in it", () => steps > 50 && ids().length > 0, START_MS);
  return { program, ids, rest: () => clearInterval(work) };
}

async function run(owner: Test, args: readonly string[]): Promise<Program> {
  const program = new Program(owner, process.execPath, [MAIN, ...args]);
  await until(`the end of ${args.join(" ")}`, () => !program.isRunning, START_MS);
  return program;
}

function folder(owner: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-"));
  owner.teardown(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

// The process ends itself with status 1 where its end takes more than five seconds.
t.test(
  "asked to stop, it ends in time with ten viewers and a recording, which is whole",
  LIMIT,
  async (t) => {
    const dataDir = folder(t);
    const { program, ids, rest } = await busyServer(t, dataDir);
    await program.stop();
    rest();
    t.equal(program.exitCode, 0, program.stderr.slice(-500));
    const [id = ""] = ids();
    const verified = await run(t, ["recordings", "verify", id, "--data-dir", dataDir]);
    t.match(verified.stdout, /intact: \d+ blocks, \d+ bytes, sealed/, verified.stderr);
    const audit = await run(t, ["audit", "verify", "--data-dir", dataDir]);
    t.equal(audit.exitCode, 0, audit.stderr);
    t.equal(countOf(dataDir, "viewer.joined"), VIEWERS);
    t.equal(countOf(dataDir, "viewer.left"), VIEWERS, "each viewer is told to have left");
  },
);

t.test(
  "killed, it goes on with the same data: the log holds, the recording to where it ends",
  LIMIT,
  async (t) => {
    const dataDir = folder(t);
    const { program, ids, rest } = await busyServer(t, dataDir);
    const [id = ""] = ids();
    await program.stop("SIGKILL");
    rest();
    const again = new Program(t, process.execPath, [MAIN, "--demo", "--port=0", "--data-dir", dataDir]);
    await again.waitFor("its address", ({ stderr }) => /Overlay Companion: (\S+) /.exec(stderr), START_MS);
    await again.stop();
    t.equal(again.exitCode, 0);
    const audit = await run(t, ["audit", "verify", "--data-dir", dataDir]);
    t.equal(audit.exitCode, 0, audit.stderr + audit.stdout);
    const verified = await run(t, ["recordings", "verify", id, "--data-dir", dataDir]);
    t.match(verified.stderr, /unsealed: .* its process ended/, "nobody takes it for a whole one");
    const [, intact = "0", all = "0"] = /\((\d+) of (\d+) bytes are as they were/.exec(verified.stderr) ?? [];
    t.ok(Number(intact) > 10_000, `${intact} of ${all} bytes are proven`);
    const output = join(dataDir, "kept.ndjson");
    const exported = await run(t, [
      ...["recordings", "export", id, "--format", "ndjson", "--output", output, "--data-dir", dataDir],
    ]);
    t.equal(exported.exitCode, 0, exported.stderr);
    t.match(readFileSync(output, "utf8"), /"/, "what it holds until then is there");
  },
);

function countOf(dataDir: string, type: string): number {
  return readFileSync(join(dataDir, "audit.ndjson"), "utf8").split(`"event_type":"${type}"`).length - 1;
}
