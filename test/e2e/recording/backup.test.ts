import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import * as z from "zod";
import { RecordingArchive } from "../../../src/recording/library/archive.ts";
import { desktopSchema } from "../../../src/web/api/api.ts";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XScene } from "../harness/x-scene.ts";
import { startTarget } from "../targets/target.ts";

const MAIN = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));
const run = promisify(execFile);
const DESKTOPS = 5;
const idSchema = z.object({ id: z.string() });
const outcome = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/** A command of the program on a data directory; its exit code is told, not thrown. */
async function command(dataDir: string, ...words: string[]): Promise<z.infer<typeof outcome>> {
  try {
    return {
      code: 0,
      ...(await run(process.execPath, [MAIN, ...words, "--data-dir", dataDir], { maxBuffer: 2 ** 24 })),
    };
  } catch (error) {
    return outcome.parse(error);
  }
}

async function liveDesktops(appliance: Appliance): Promise<readonly string[]> {
  return until(
    "all desktops",
    async () => {
      const answer = await appliance.fetch("/api/v1/desktops");
      const desktops = z.array(desktopSchema).parse(await answer.json());
      const live = desktops.filter(({ state }) => state.kind === "live").map(({ id }) => id);
      return live.length === DESKTOPS ? live.sort() : null;
    },
    60_000,
  );
}

t.test(
  "a backup of a server that records five desktops is whole elsewhere",
  { timeout: 900_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xwd", "xsetroot", "tar"])) return;
    const dir = t.testdir({ apart: {}, other: {} });
    const target = await startTarget(t, "tigervnc", dir, { geometry: "800x600" });
    const scene = new XScene(t, target.display.name, dir);
    await scene.open();
    const appliance = await Appliance.start(t);
    const { dataDir } = appliance;
    // The demo desktop is of no interest: all five are stored, each with a password that is sealed.
    const given = z.array(desktopSchema).parse(await (await appliance.fetch("/api/v1/desktops")).json());
    for (const { id } of given)
      await appliance.fetch(`/api/v1/desktops/${id}`, undefined, {
        method: "DELETE",
        headers: { authorization: `Bearer ${appliance.adminToken}` },
      });
    for (let nth = 0; nth < DESKTOPS; nth++) {
      const added = await appliance.fetch("/api/v1/desktops", {
        protocol: "vnc",
        host: "127.0.0.1",
        port: target.port,
        password: target.password,
        name: `Desk ${nth}`,
      });
      t.equal(added.status, 201);
    }
    const ids = await liveDesktops(appliance);
    const record = async (desktop_id: string): Promise<string> =>
      idSchema.parse(await (await appliance.fetch("/api/v1/recordings", { desktop_id })).json()).id;
    const move = async (times: number): Promise<void> => {
      for (let nth = 0; nth < times; nth++) await scene.move();
    };

    const sealed: string[] = [];
    for (const id of ids) sealed.push(await record(id));
    await move(4);
    for (const id of sealed)
      t.equal((await appliance.fetch(`/api/v1/recordings/${id}/stop`, {})).status, 200);
    const running: string[] = [];
    for (const id of ids) running.push(await record(id));

    // Made again and again while the screen moves, recordings begin and end, and the audit log is written.
    const isDone = { backups: false };
    const busy = (async () => {
      for (let nth = 0; !isDone.backups; nth++) {
        await move(1);
        const id = running[nth % DESKTOPS] ?? "";
        await appliance.fetch(`/api/v1/recordings/${id}/stop`, {});
        running[nth % DESKTOPS] = await record(ids[nth % DESKTOPS] ?? "");
      }
    })();
    const files: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const file = join(dir, `backup-${nth}.tar`);
      const made = await command(dataDir, "backup", file);
      t.match(made, { code: 0, stdout: /the key of stored passwords is inside/ }, made.stderr);
      t.equal(statSync(file).mode & 0o777, 0o600);
      files.push(file);
    }
    isDone.backups = true;
    await busy;

    for (const [nth, file] of files.entries()) {
      await t.test(`backup ${nth}`, async (t) => {
        const folder = join(dir, `restored-${nth}`);
        t.match(await command(folder, "restore", file), { code: 0, stdout: /files as they were at/ });
        t.match(await command(folder, "audit", "verify"), {
          code: 0,
          stdout: /^(note: .*\n)*intact: lines 1 to/,
        });
        const recordings = readdirSync(join(folder, "recordings")).filter((name) => name !== "seals.log");
        t.ok(recordings.length >= 2 * DESKTOPS);
        const archive = await RecordingArchive.open(folder, null);
        for (const id of recordings) {
          const hasSeal = existsSync(join(folder, "recordings", id, "seal.json"));
          const { state, problem } = await archive.verify(id);
          t.equal(state, hasSeal ? "sealed" : "unsealed", `${id}: ${problem}`);
        }
        for (const id of sealed) t.equal((await archive.get(id)).state, "sealed");
        const verified = await command(folder, "recordings", "verify", sealed[0] ?? "");
        t.match(verified, { code: 0, stdout: /intact: .* sealed/ });
      });
    }

    await t.test("a server on it is signed in to as before, and every stored connection works", async (t) => {
      const restored = await Appliance.start(t, { args: ["--data-dir", join(dir, "restored-2")] });
      t.same(await liveDesktops(restored), ids);
      const token = readFileSync(join(dataDir, "agent-token"), "utf8").trim();
      const agent = await restored.agent({ token });
      t.ok((await agent.shot()).width > 0);
      const list = z.array(z.object({ id: z.string(), state: z.string() }));
      const recordings = list.parse(await (await restored.fetch("/api/v1/recordings")).json());
      for (const { id, state } of recordings) t.ok(["sealed", "unsealed"].includes(state), `${id}: ${state}`);
      const again = await command(join(dir, "restored-2"), "restore", files[0] ?? "", "--replace");
      t.match(again, { code: 1, stderr: /a server runs on .*: stop it first/ });
    });

    await t.test("with its key apart, and without it", async (t) => {
      const [file, key] = [join(dir, "apart", "backup.tar"), join(dir, "apart", "key")];
      const made = await command(dataDir, "backup", file, "--key-file", key);
      t.match(made, { code: 0, stdout: /the key of stored passwords, which restore needs/ });
      t.equal(statSync(key).mode & 0o777, 0o600);
      const { stdout } = await run("tar", ["-tf", file]);
      t.notMatch(stdout, /secret\.key/);
      const folder = join(dir, "restored-apart");
      t.match(await command(folder, "restore", file), { code: 1, stderr: /--key-file FILE/ });
      t.match(await command(folder, "restore", file, "--key-file", key), { code: 0 });
      const [id] = ids;
      t.match(await command(folder, "connections", "list"), { code: 0, stdout: new RegExp(`^${id}`, "m") });
    });

    await t.test("places that cannot be", async (t) => {
      t.match(await command(dataDir, "backup", join(dataDir, "b.tar")), {
        code: 1,
        stderr: /lies in the data folder/,
      });
      t.match(await command(dataDir, "backup", files[0] ?? ""), { code: 1, stderr: /is there already/ });
      t.match(await command(join(dir, "nowhere"), "backup", join(dir, "n.tar")), {
        code: 1,
        stderr: /there is no data folder/,
      });
      const text = join(dir, "no-archive");
      writeFileSync(text, "no archive\n".repeat(1000));
      t.match(await command(join(dir, "other"), "restore", text), { code: 1, stderr: /got no ustar header/ });
      writeFileSync(join(dir, "other", "data-format.json"), '{"format":2,"version":"2030.01.02"}');
      t.match(await command(join(dir, "other"), "token", "list"), {
        code: 1,
        stderr: /use version 2030\.01\.02/,
      });
      t.match(await command(join(dir, "other"), "serve", "--port", "0"), {
        code: 1,
        stderr: /use version 2030\.01\.02/,
      });
    });
  },
);
