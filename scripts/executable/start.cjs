// What the stand-alone executable starts with: puts the program and its native parts, which the system loads from files
// alone, into a folder of this user's, once for each build, and goes on there.
"use strict";
const { createHash } = require("node:crypto");
const { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { homedir, tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const { getAsset, getRawAsset } = require("node:sea");
const { promisify } = require("node:util");
const gunzip = promisify(require("node:zlib").gunzip);

const NAME = "overlay-companion";

/** Files of an archive of scripts/executable.mjs: path, bytes, whether they are not packed, SHA-256 (hex), and bytes as they lie in it. */
function readIndex() {
  const archive = Buffer.from(getRawAsset("archive"));
  const length = archive.readUInt32LE(0);
  const files = JSON.parse(archive.toString("utf8", 4, 4 + length));
  let at = 4 + length;
  for (const file of files) {
    file.packedBytes = archive.subarray(at, at + file.packed);
    at += file.packed;
  }
  return files;
}

/** The folders to try, the first that may be written to is taken. */
function places() {
  const named = process.env.OC_UNPACK_DIR;
  if (named) return [named];
  const user = process.getuid?.() ?? "user";
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return [join(cache, NAME), join(tmpdir(), `${NAME}-${user}`)];
}

/** Makes it where it is absent. Throws where somebody else could put files there: they would be run. */
function takeFolder(path) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = expectFolder(path);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) {
    throw new Error(`${path} belongs to user ${uid}, expected user ${process.getuid()}`);
  }
  if ((mode & 0o022) !== 0) {
    const bits = (mode & 0o777).toString(8);
    throw new Error(`${path} has mode ${bits}, so others may write to it; expected 700`);
  }
}

function expectFolder(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) throw new Error(`${path} is no folder`);
  return stat;
}

/** Whether all is there: those who tidy caches may have taken some of it. */
function isWhole(folder, files) {
  try {
    takeFolder(folder);
    return files.every(({ path, size }) => {
      const stat = lstatSync(join(folder, path));
      return stat.isFile() && stat.size === size;
    });
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

/** zlib works in four threads at a time. */
async function unpack(folder, files) {
  mkdirSync(folder, { mode: 0o700 });
  for (const path of new Set(files.map((file) => dirname(file.path)))) {
    mkdirSync(join(folder, path), { recursive: true, mode: 0o700 });
  }
  await Promise.all(
    files.map(async ({ path, size, isStored, sha256, packedBytes }) => {
      const bytes = isStored
        ? packedBytes
        : await gunzip(packedBytes, { maxOutputLength: Math.max(size, 1) });
      if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
        throw new Error(`${path} in this executable is not as it was built: get it anew`);
      }
      writeFileSync(join(folder, path), bytes, { flag: "wx", mode: 0o600 });
    }),
  );
}

/** The folder with the program, unpacked where it is not there yet. */
async function programFolder() {
  const files = readIndex();
  const key = getAsset("key", "utf8");
  const faults = [];
  for (const place of places()) {
    try {
      takeFolder(place);
      const folder = join(place, key);
      if (isWhole(folder, files)) return folder;
      const part = join(place, `${key}.${process.pid}.part`);
      rmSync(part, { recursive: true, force: true });
      try {
        await unpack(part, files);
        rmSync(folder, { recursive: true, force: true });
        renameSync(part, folder);
      } catch (error) {
        rmSync(part, { recursive: true, force: true });
        // Another process that was started at the same time was faster.
        if (!["EEXIST", "ENOTEMPTY"].includes(error.code) || !isWhole(folder, files)) throw error;
      }
      return folder;
    } catch (error) {
      faults.push(error.message);
    }
  }
  throw new Error(
    `cannot unpack the program: ${faults.join("; ")}. Set OC_UNPACK_DIR to a folder of your own where programs may be run`,
  );
}

programFolder().then(
  (folder) => createRequire(join(folder, "go-on.cjs"))("./go-on.cjs"),
  (error) => {
    process.stderr.write(`${NAME}: ${error.message}\n`);
    process.exitCode = 1;
  },
);
