import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { localFiles } from "../../src/recording/read/recording-files.ts";
import { readSeal, writeSeal } from "../../src/recording/seal/seal.ts";
import { segmentName } from "../../src/recording/write/segments.ts";
import { sha1 } from "../support/recording-desk.ts";
import { makeLongRecording } from "./long-recording.ts";

t.test("a recording that an earlier version sealed is intact, replays, and is nobody's own", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-old-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { archive, id, truth } = await makeLongRecording(dataDir, 700, { width: 320, height: 240 });
  t.equal((await archive.get(id)).startedById, "ann");
  const folder = archive.folderOf(id);
  const seal = await readSeal(localFiles(folder), archive.signer);
  if (seal === null || seal.directoryAt === undefined) throw new Error("the recording has no directory");
  // As it was written then: no directory after the last index, no id in the seal.
  const file = join(folder, segmentName(0));
  truncateSync(file, seal.directoryAt);
  const { directoryAt, startedById, ...old } = seal;
  const hash = readFileSync(file).subarray(-32).toString("hex");
  const then = { ...old, bytes: directoryAt, blocks: seal.blocks - 1, hash };
  await writeSeal(folder, then, archive.signer, archive.seals);
  t.notMatch(readFileSync(join(folder, "seal.json"), "utf8"), /directoryAt|startedById/);

  t.match(await archive.verify(id), { state: "sealed", problem: null });
  t.match(await archive.get(id), { state: "sealed", startedBy: "Ann", startedById: null });
  t.equal(startedById, "ann");
  const reader = await archive.read(id);
  for (const [second, wanted] of truth) {
    t.equal(sha1((await reader.frameAt(second * 1000 + 500)).rgba), wanted, `${second} s`);
  }
  t.ok((await reader.keyframes()).length > 1);
  await reader.close();
});

t.test("a seal that names a directory where there is none, or another, is found", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "oc-old-"));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { archive, id } = await makeLongRecording(dataDir, 700, { width: 320, height: 240 });
  const folder = archive.folderOf(id);
  const seal = await readSeal(localFiles(folder), archive.signer);
  if (seal === null) throw new Error("the recording has no seal");
  await writeSeal(folder, { ...seal, directoryAt: seal.indexAt }, archive.signer, archive.seals);
  t.equal((await archive.verify(id)).state, "tampered");
  await t.rejects(archive.read(id), { code: "damaged", message: /directory/ });
});
