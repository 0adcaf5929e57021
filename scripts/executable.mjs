// `npm run executable [-- FILE]`: the appliance as one file that needs no Node beside it, for the machine this runs on, in
// dist-executable/overlay-companion or FILE. It is this Node, by the API of single executable applications, with an archive
// of what `npm run build` made, the models and the packages with native parts (scripts/executable/start.cjs).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { inject } from "postject";
import { ROOT } from "./source-hash.mjs";

/** In dist/, beside the web app: the server's modules, the extension, and licences of what is bundled. */
const BUILT = /\.(js|zip|md)$/;

/** What is never run: types, maps, papers (but for licences), other machines' binaries and engines that are not asked for. */
const LEFT_OUT = [
  /\.(map|d\.[cm]?ts|ts|md|markdown|h|cc|gyp|gypi)$/i,
  /\/(test|tests|docs|examples|\.github)\//,
  /tesseract-core(?!-simd-lstm\.(js|wasm)$)[^/]*\.(js|wasm)$/,
  new RegExp(`/prebuilds/(?!jpeg-turbo-${process.platform}-${process.arch}/)`),
];
/** What only compiles native parts where no prebuilt one fits, or checks them as npm installs: most files of all. */
const FOR_INSTALLING = ["cmake-js", "node-addon-api", "yargs"];
const LICENCE = /\/(licen[cs]e|notice|copying)[^/]*$/i;

const GO_ON = `import("./dist/main.js").catch((error) => {
  process.stderr.write(\`overlay-companion: \${error.stack}\\n\`);
  process.exit(1);
});
`;

/** Files above so many bytes lie in it as they are: to inflate them would take as long as all others together. */
const STORED_BYTES = 20e6;

/** The fuse by which Node knows that something was put into it: nodejs.org/api/single-executable-applications.html. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Absolute paths of all files below a folder. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Folders in node_modules of these packages and of what they need, as far as it is installed: for this machine. */
function withNeeded(names, from = ROOT, found = new Map()) {
  for (const name of names.filter((name) => !FOR_INSTALLING.includes(name))) {
    const folder = folderOf(name, from);
    if (folder === null || found.has(folder)) continue;
    found.set(folder, name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    withNeeded([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], folder, found);
  }
  return [...found.keys()];
}

/** As Node looks for it. */
function folderOf(name, from) {
  for (let at = resolve(from); ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (at === resolve(ROOT) || at === dirname(at)) return null;
  }
}

/** Path in the archive to path on the disk. */
function contents(work) {
  const dist = join(ROOT, "dist");
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const packages = withNeeded(Object.keys(dependencies)).flatMap((folder) =>
    filesBelow(folder).filter((file) => {
      const path = relative(ROOT, file).split(sep).join("/");
      const isNested = relative(folder, file).split(sep).includes("node_modules");
      return !isNested && (LICENCE.test(path) || !LEFT_OUT.some((pattern) => pattern.test(path)));
    }),
  );
  const kept = [
    ...filesBelow(join(dist, "client")),
    ...readdirSync(dist)
      .filter((name) => BUILT.test(name))
      .map((name) => join(dist, name)),
    ...filesBelow(join(ROOT, "data")),
    ...["package.json", "LICENSE", "NOTICE"].map((name) => join(ROOT, name)),
    ...packages,
  ];
  return new Map(
    [
      ...kept.map((file) => [relative(ROOT, file), file]),
      ...filesBelow(work).map((file) => [relative(work, file), file]),
    ].map(([path, file]) => [path.split(sep).join("/"), file]),
  );
}

/** Length of the index (32 bits, little-endian), the index as JSON, and the files, each by gzip or as it is. */
function pack(files) {
  const packed = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, file]) => {
      const bytes = readFileSync(file);
      const isStored = bytes.length > STORED_BYTES;
      const kept = isStored ? bytes : gzipSync(bytes, { level: 9 });
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { entry: { path, size: bytes.length, packed: kept.length, isStored, sha256 }, kept };
    });
  const index = Buffer.from(JSON.stringify(packed.map(({ entry }) => entry)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, index, ...packed.map(({ kept }) => kept)]);
}

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with status ${status}`);
}

/** Resolves when FILE is written. */
async function writeExecutable(file) {
  run(process.execPath, join(ROOT, "scripts/ensure-built.mjs"));
  const work = mkdtempSync(join(tmpdir(), "oc-executable-"));
  try {
    const content = join(work, "content");
    mkdirSync(content);
    run(process.execPath, "--import=tsx", join(ROOT, "scripts/sbom.mjs"), content);
    writeFileSync(join(content, "go-on.cjs"), GO_ON);
    const archive = pack(contents(content));
    const [archiveFile, keyFile, blob] = ["archive", "key", "blob"].map((name) => join(work, name));
    writeFileSync(archiveFile, archive);
    writeFileSync(keyFile, createHash("sha256").update(archive).digest("hex").slice(0, 32));
    const settings = join(work, "sea.json");
    writeFileSync(
      settings,
      JSON.stringify({
        main: join(ROOT, "scripts/executable/start.cjs"),
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: { archive: archiveFile, key: keyFile },
      }),
    );
    run(process.execPath, "--experimental-sea-config", settings);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
    const macho = process.platform === "darwin" ? { machoSegmentName: "NODE_SEA" } : {};
    await inject(file, "NODE_SEA_BLOB", readFileSync(blob), { sentinelFuse: FUSE, ...macho });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${file}: ${megabytes} MB, Node ${process.versions.node}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const name = process.platform === "win32" ? "overlay-companion.exe" : "overlay-companion";
  await writeExecutable(resolve(process.argv[2] ?? join(ROOT, "dist-executable", name)));
}
