import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import t from "tap";
import { TAR_END, TarError, TarReader, tarHeader, tarPadding } from "../../src/platform/tar.ts";
import { requirePeers } from "../e2e/harness/peers.ts";

const run = promisify(execFile);

interface File {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mtimeSeconds: number;
}

const LONG = `${"folder/".repeat(20)}${"n".repeat(90)}`;
const FILES: readonly File[] = [
  { name: "empty", bytes: Buffer.alloc(0), mtimeSeconds: 0 },
  { name: "data/one.json", bytes: Buffer.from("{}\n"), mtimeSeconds: 1_700_000_000 },
  { name: "data/ünïcode", bytes: Buffer.alloc(512, 7), mtimeSeconds: 1_700_000_001 },
  { name: LONG, bytes: Buffer.alloc(70_001, "x"), mtimeSeconds: 8 ** 10 },
];

function archiveOf(files: readonly File[]): Buffer {
  const parts = files.flatMap(({ name, bytes, mtimeSeconds }) => [
    tarHeader({ name, size: bytes.length, mtimeSeconds }),
    bytes,
    tarPadding(bytes.length),
  ]);
  return Buffer.concat([...parts, TAR_END]);
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(archive: Buffer, chunk = 65_536): Promise<File[]> {
  const tar = new TarReader(inChunks(archive, chunk));
  const files: File[] = [];
  for (let entry = await tar.next(); entry !== null; entry = await tar.next()) {
    const parts: Buffer[] = [];
    for await (const part of tar.content()) parts.push(part);
    files.push({ name: entry.name, mtimeSeconds: entry.mtimeSeconds, bytes: Buffer.concat(parts) });
  }
  return files;
}

t.test("GNU tar reads what is written, and what it writes is read", async (t) => {
  if (!requirePeers(t, ["tar"])) return;
  const dir = t.testdir({ out: {} });
  const path = join(dir, "ours.tar");
  writeFileSync(path, archiveOf(FILES));
  await run("tar", ["-xf", path, "-C", join(dir, "out")]);
  for (const { name, bytes } of FILES) t.ok(readFileSync(join(dir, "out", name)).equals(bytes), name);
  const { stdout } = await run("tar", ["-tvf", path, "--utc"]);
  t.match(stdout, /^-rw------- 0\/0 +3 2023-11-14 22:13 data\/one\.json$/m);

  const theirs = join(dir, "theirs.tar");
  const names = FILES.map(({ name }) => name);
  await run("tar", ["--format=ustar", "-cf", theirs, "-C", join(dir, "out"), "--", ...names]);
  const found = await read(readFileSync(theirs));
  t.same(
    found.map(({ name, bytes, mtimeSeconds }) => ({ name, mtimeSeconds, length: bytes.length })),
    FILES.map(({ name, bytes, mtimeSeconds }) => ({ name, mtimeSeconds, length: bytes.length })),
  );
});

t.test("what GNU tar writes of other kinds is refused", async (t) => {
  if (!requirePeers(t, ["tar"])) return;
  const dir = t.testdir({
    file: "1",
    folder: {},
    link: t.fixture("symlink", "file"),
    [`long${"g".repeat(120)}`]: "2",
  });
  const written = async (...words: string[]): Promise<Buffer> => {
    await run("tar", ["-cf", join(dir, "x.tar"), "-C", dir, ...words]);
    return readFileSync(join(dir, "x.tar"));
  };
  for (const words of [
    ["--format=gnu", "file"],
    ["--format=ustar", "folder"],
    ["--format=ustar", "link"],
    ["--format=pax", "--pax-option=comment=hello", "file"],
  ]) {
    await t.rejects(
      read(await written(...words)),
      { name: "TarError", code: "unsupported" },
      words.join(" "),
    );
  }
});

t.test("the size of chunks makes no difference", async (t) => {
  const archive = archiveOf(FILES.slice(0, 3));
  for (const chunk of [1, 2, 511, 512, 513])
    t.same(await read(archive, chunk), FILES.slice(0, 3), `${chunk}`);
});

t.test("an archive that was cut anywhere is refused", async (t) => {
  const archive = archiveOf(FILES.slice(0, 2));
  for (let length = 0; length < archive.length; length += 64) {
    await t.rejects(
      read(archive.subarray(0, length)),
      { name: "TarError", code: "cut_off" },
      `${length} bytes`,
    );
  }
});

t.test("a header with a changed byte is refused, or another one that adds up", async (t) => {
  const archive = archiveOf(FILES.slice(1, 2));
  for (let at = 0; at < 512; at++) {
    const changed = Buffer.from(archive);
    changed[at] = (changed[at] ?? 0) ^ 4;
    await t.rejects(read(changed), { name: "TarError" }, `byte ${at}`);
  }
});

t.test("hostile bytes end in an error of the archive, or in files", async (t) => {
  const header = tarHeader({ name: "a", size: 600, mtimeSeconds: 1 });
  const place = fc.record({ at: fc.nat(511), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { maxLength: 6 }),
      fc.uint8Array({ maxLength: 2000 }),
      async (places, rest) => {
        const bytes = Buffer.from(header);
        for (const { at, byte } of places) bytes[at] = byte;
        // The checksum is made right again, so that the fields behind it are looked at.
        bytes.fill(" ", 148, 156);
        bytes.write(
          `${bytes
            .reduce((sum, one) => sum + one, 0)
            .toString(8)
            .padStart(6, "0")}\0 `,
          148,
          "latin1",
        );
        try {
          const files = await read(Buffer.concat([bytes, rest]), 100);
          t.ok(files.every(({ bytes: { length } }) => length <= rest.length));
        } catch (error) {
          if (!(error instanceof TarError)) throw error;
        }
      },
    ),
    { numRuns: 500 },
  );
});

t.test("what does not fit into a header is refused before it is written", async (t) => {
  t.throws(() => tarHeader({ name: "a", size: 8 ** 11, mtimeSeconds: 0 }), { code: "too_large" });
  t.throws(() => tarHeader({ name: "n".repeat(101), size: 0, mtimeSeconds: 0 }), { code: "too_large" });
});
