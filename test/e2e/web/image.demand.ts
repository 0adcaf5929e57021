// On demand, as root, for it installs all packages anew, and a Debian where there is no registry of images:
// npm run test:e2e -- test/e2e/web/image.demand.ts. OC_IMAGE_BASE names a root with Node and npm as a tar that was made
// before, instead.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import * as z from "zod";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What the Dockerfile starts from. */
const BASE = "docker.io/library/node:24-bookworm-slim";
const PROGRAMS = ["buildah", "debootstrap", "unshare", "nsenter", "setpriv", "ip", "tar"];
const OPTIONS = { maxBuffer: 64 << 20 };
const PULL_MS = 120_000;
/** In the image. */
const USER = 1000;
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

const run = promisify(execFile);

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

const imageSchema = z.object({
  Docker: z.object({
    architecture: z.string(),
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      WorkingDir: z.string(),
      Volumes: z.record(z.string(), z.unknown()),
      Healthcheck: z.object({ Test: z.tuple([z.literal("CMD")], z.string()) }),
    }),
  }),
});

/** In place of that: Debian's smallest root with npm's package `node` and npm, and the user node. Resolves with an archive. */
async function makeBase(dir: string): Promise<string> {
  const root = join(dir, "root");
  await run("debootstrap", ["--variant=minbase", "bookworm", root, "http://deb.debian.org/debian"], OPTIONS);
  const packages = join(dir, "packages");
  mkdirSync(packages);
  writeFileSync(join(packages, "package.json"), '{"private": true}');
  await run("npm", ["install", "--no-audit", "--no-fund", "node@24", "npm@11"], { cwd: packages });
  copyFileSync(join(packages, "node_modules/node/bin/node"), join(root, "usr/local/bin/node"));
  mkdirSync(join(root, "usr/local/lib/node_modules"));
  cpSync(join(packages, "node_modules/npm"), join(root, "usr/local/lib/node_modules/npm"), {
    recursive: true,
  });
  for (const name of ["npm", "npx"]) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name));
  }
  // Whom this machine trusts, for a registry behind a proxy of one's own.
  if (existsSync(AUTHORITIES)) {
    copyFileSync(AUTHORITIES, join(root, "etc/authorities.pem"));
    writeFileSync(join(root, "root/.npmrc"), "cafile=/etc/authorities.pem\n");
  }
  await run("chroot", [root, "useradd", "--create-home", "--uid", `${USER}`, "node"]);
  const archive = join(dir, "root.tar");
  await run("tar", ["-C", root, "-cf", archive, "."], OPTIONS);
  rmSync(root, { recursive: true, force: true });
  return archive;
}

function isInstalled(name: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}

/** Runs the image as compose.yaml says: root read-only, no privileges, a network of its own with loopback alone. */
function start(t: Test, root: string, data: string, words: readonly string[]) {
  const mounts = [
    "mount --make-rprivate /",
    'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"',
    'mount -t tmpfs tmpfs "$1/tmp" && mount -t proc proc "$1/proc" && mount --bind "$2" "$1/data"',
    'mount --bind /dev "$1/dev"',
    "ip link set lo up",
    'root=$1; shift 2; exec chroot "$root" "$@"',
  ].join(" && ");
  const env = { PATH: process.env["PATH"] ?? "" };
  return follow(
    t,
    spawn("unshare", ["--mount", "--net", "sh", "-c", mounts, "sh", root, data, ...words], { env }),
  );
}

/** Runs a program as root in a root folder, on this machine's network; it ends with the test, and all that it started. */
function startBare(t: Test, root: string, words: readonly string[]) {
  const mounts = [
    "mount --make-rprivate /",
    'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev"',
    'root=$1; shift; exec chroot "$root" "$@"',
  ].join(" && ");
  const inside = ["env", "-i", "HOME=/root", "PATH=/usr/local/bin:/usr/bin:/bin", ...words];
  const own = ["--mount", "--pid", "--fork", "--kill-child"];
  return follow(t, spawn("unshare", [...own, "sh", "-c", mounts, "sh", root, ...inside]));
}

function follow(t: Test, child: ChildProcessWithoutNullStreams) {
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  t.teardown(() => child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, log: () => log };
}

t.test(
  "the image builds, and runs without rights on a root that it cannot write to; the package runs on its base",
  { timeout: 3_000_000 },
  async (t) => {
    const gone = PROGRAMS.filter((name) => !isInstalled(name));
    if (process.getuid?.() !== 0 || gone.length > 0) {
      const missing = gone.join(", ") || "root";
      process.stderr.write(`SKIPPED: needs root and ${PROGRAMS.join(", ")}; not there: ${missing}\n`);
      return;
    }
    const dir = mkdtempSync(join(tmpdir(), "oc-image-"));
    t.teardown(() => rmSync(dir, { recursive: true, force: true }));
    const store = ["--root", join(dir, "store"), "--runroot", join(dir, "run"), "--storage-driver", "vfs"];
    const buildah = async (...args: string[]): Promise<string> =>
      (await run("buildah", [...store, ...args], OPTIONS)).stdout.trim();
    const pulled = await run("buildah", [...store, "pull", "--quiet", BASE], { ...OPTIONS, timeout: PULL_MS })
      .then(() => true)
      .catch(() => false);
    t.comment(pulled ? `from ${BASE}` : `from Debian and npm's node: ${BASE} cannot be pulled`);
    if (!pulled) {
      const given = process.env["OC_IMAGE_BASE"];
      const archive = given ?? (await makeBase(dir));
      const scratch = await buildah("from", "scratch");
      await buildah("add", "--quiet", scratch, archive, "/");
      await buildah(
        "config",
        "--env",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        scratch,
      );
      await buildah("commit", "--quiet", "--rm", scratch, BASE);
      if (given === undefined) rmSync(archive);
    }
    // Without layers: with them vfs copies all of the root after each step.
    const bud = ["bud", "--isolation", "chroot", "--pull-never", "--format", "docker", "--layers=false"];
    await buildah(...bud, "--tag", "overlay-companion", ROOT);

    const { Docker: image } = imageSchema.parse(
      JSON.parse(await buildah("inspect", "--type", "image", "overlay-companion")),
    );
    const { User, Env, Entrypoint, WorkingDir, Volumes, Healthcheck } = image.config;
    t.equal(User, "node");
    t.same(Object.keys(Volumes), ["/data"]);
    const container = await buildah("from", "--pull-never", "overlay-companion");
    const root = await buildah("mount", container);

    await t.test("it has what runs and nothing else", async (t) => {
      t.same(readdirSync(join(root, "app")).sort(), [
        "LICENSE",
        "NOTICE",
        "data",
        "dist",
        "node_modules",
        "package.json",
      ]);
      t.notOk(existsSync(join(root, "app/node_modules/typescript")), "nothing of developers");
      t.equal(statSync(join(root, "data")).uid, USER, "the data folder is its user's");
    });

    await t.test("it serves the demo, and its health check tells", async (t) => {
      const data = join(dir, "data");
      mkdirSync(data, { mode: 0o700 });
      chownSync(data, USER, USER);
      const asUser = ["setpriv", "--reuid", User, "--regid", User, "--clear-groups", "--no-new-privs"];
      const bounded = [...asUser, "--bounding-set=-all", "--inh-caps=-all"];
      const inside = [...bounded, "env", "-i", `--chdir=${WorkingDir}`, ...Env];
      const { child, ended, log } = start(t, root, data, [...inside, ...Entrypoint, "--demo"]);
      const within = (...command: string[]) =>
        run("nsenter", [
          "--target",
          `${child.pid}`,
          "--mount",
          "--net",
          "chroot",
          root,
          ...inside,
          ...command,
        ]);
      const [, ...check] = Healthcheck.Test;
      const isHealthy = () =>
        within(...check).then(
          () => true,
          () => false,
        );
      await until(
        "the health check",
        () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${log().slice(-2000)}`);
          return isHealthy();
        },
        120_000,
      );
      t.match(readFileSync(`/proc/${child.pid}/status`, "utf8"), /^Uid:\t1000\t1000\t1000\t1000$/m);
      t.match(readFileSync(`/proc/${child.pid}/status`, "utf8"), /^CapBnd:\t0+$/m);
      await t.rejects(within("touch", "/app/dist/other"), /Read-only file system/);
      const token = readFileSync(join(data, "admin-token"), "utf8").trim();
      const ask = `fetch("http://127.0.0.1:3000/api/v1/desktops/demo/screenshot.png", { headers: { authorization: "Bearer ${token}" } })
      .then(async (answer) => console.log(answer.status, (await answer.arrayBuffer()).byteLength))`;
      t.match(
        (await within("node", "-e", ask)).stdout,
        /^200 \d{4,}$/m,
        "a picture of the demo, by its native parts",
      );
      child.kill("SIGTERM");
      t.equal(await ended, 0, "it stops by itself when asked to");
      const { stdout } = await run("chroot", [root, ...inside, "node", "dist/main.js", "--version"]);
      t.match(stdout, /^\d{4}\.\d\d\.\d\d/, "its commands run");
      const checked = await run("chroot", [root, ...inside, ...check]).then(
        () => 0,
        (error) => error.code,
      );
      t.equal(checked, 1, "the health check fails where nothing serves");
    });

    await t.test("where there is nothing but Node, npx serves the demo from the package", async (t) => {
      const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", dir], {
        ...OPTIONS,
        cwd: ROOT,
      });
      const [{ filename }] = packedSchema.parse(JSON.parse(stdout));
      const bare = await buildah("mount", await buildah("from", "--pull-never", BASE));
      copyFileSync(join(dir, filename), join(bare, "root/package.tgz"));
      copyFileSync("/etc/resolv.conf", join(bare, "etc/resolv.conf"));
      const port = await freePort();
      const program = ["--package=/root/package.tgz", "--", "overlay-companion"];
      const words = ["npx", "--yes", ...program, "--demo", "--port", `${port}`];
      const { child, log } = startBare(t, bare, [...words, "--data-dir", "/root/data"]);
      const health = (): Promise<string> =>
        fetch(`http://127.0.0.1:${port}/health`).then((answer) => (answer.ok ? "serves" : answer.statusText));
      await until(
        "GET /health",
        () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${log().slice(-2000)}`);
          return health().catch(() => null);
        },
        600_000,
      );
      const token = readFileSync(join(bare, "root/data/admin-token"), "utf8").trim();
      const shot = await fetch(`http://127.0.0.1:${port}/api/v1/desktops/demo/screenshot.png`, {
        headers: { authorization: `Bearer ${token}` },
      });
      t.equal(shot.status, 200);
      t.ok((await shot.arrayBuffer()).byteLength > 1000, "a picture of the demo");
    });

    await t.test("TARGETARCH says whose native parts it has", async (t) => {
      const other = image.architecture === "arm64" ? "amd64" : "arm64";
      await buildah(
        ...bud,
        "--target",
        "build",
        "--build-arg",
        `TARGETARCH=${other}`,
        "--tag",
        "other",
        ROOT,
      );
      const modules = join(
        await buildah("mount", await buildah("from", "--pull-never", "other")),
        "app/node_modules",
      );
      const cpu = other === "amd64" ? "x64" : other;
      t.ok(existsSync(join(modules, `@img/sharp-linux-${cpu}`)), `sharp's for ${cpu}`);
      t.ok(existsSync(join(modules, `@napi-rs/canvas-linux-${cpu}-gnu`)), `canvas's for ${cpu}`);
      const own = process.arch === cpu ? "none" : process.arch;
      t.notOk(existsSync(join(modules, `@napi-rs/canvas-linux-${own}-gnu`)), `none for ${own}`);
    });
  },
);
