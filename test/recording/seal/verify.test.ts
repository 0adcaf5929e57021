import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SealRegister } from "../../../src/recording/seal/seal-register.ts";
import { Signer } from "../../../src/recording/seal/signing-key.ts";
import { verifyFolder } from "../../../src/recording/seal/verify.ts";
import { HUMAN } from "../../desktop/house.ts";
import type { Owner } from "../../support/program.ts";
import { MUTATIONS, mutate } from "../mutation.ts";
import { randomOf, Studio } from "../studio.ts";

/** A sealed recording of a few seconds, in two segments or more. */
async function sealed(owner: Owner, isSealed = true) {
  const studio = await Studio.open(owner, { segmentBytes: 1000 });
  const { id } = await studio.recordings.start("d1", { by: HUMAN });
  const random = randomOf(3);
  for (let i = 0; i < 40; i++) {
    await studio.house.clock.live(200, 50);
    const area = { x: Math.floor(random() * 150), y: Math.floor(random() * 60), width: 40, height: 30 };
    studio.house.link.paint(area, Math.floor(random() * 0xffffff));
    studio.recordings.bookmark(id, `mark ${i}`, HUMAN);
  }
  await studio.house.clock.live(1100, 50);
  const folder = join(studio.dataDir, "recordings", id);
  const signer = await Signer.open(join(studio.dataDir, "recording-key.pem"));
  const register = new SealRegister(join(studio.dataDir, "recordings", "seals.log"), signer);
  if (isSealed) await studio.recordings.stop(id);
  else {
    const copy = join(studio.dataDir, "recordings", "copy", id);
    cpSync(folder, copy, { recursive: true });
    return { studio, id, folder: copy, signer, register };
  }
  return { studio, id, folder, signer, register };
}

const names = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".blocks"))
    .sort();

t.test("case 48: every single mutation of a sealed recording is found, with the place", async (t) => {
  const { folder, id, signer, register } = await sealed(t);
  t.ok(names(folder).length >= 2, "several segments");
  t.equal((await verifyFolder(folder, id, signer, register)).state, "sealed");
  const random = randomOf(11);
  const missed: string[] = [];
  for (let i = 0; i < 400; i++) {
    const { name, undo } = mutate(folder, i, random);
    const { state, problem } = await verifyFolder(folder, id, signer, register);
    undo();
    if (state !== "tampered" || problem === null) missed.push(`${name}: ${state}, ${problem}`);
  }
  t.same(missed, []);
  t.equal((await verifyFolder(folder, id, signer, register)).state, "sealed", "each was undone");
  t.ok(MUTATIONS.length >= 8);
});

t.test("a recording without a seal is unsealed wherever it was cut off", async (t) => {
  const { folder, id, signer, register } = await sealed(t, false);
  t.equal((await verifyFolder(folder, id, signer, register)).state, "unsealed");
  const last = join(folder, names(folder).at(-1) ?? "");
  const size = readFileSync(last).length;
  for (let cut = 1; cut < Math.min(size, 300); cut += 7) {
    truncateSync(last, size - cut);
    const found = await verifyFolder(folder, id, signer, register);
    t.equal(found.state, "unsealed", `${cut} bytes less`);
    t.ok(found.intactBytes <= found.bytes);
  }
});

t.test("a recording without a seal is tampered with where a byte before its end was changed", async (t) => {
  const { folder, id, signer, register } = await sealed(t, false);
  const random = randomOf(5);
  const missed: string[] = [];
  for (let i = 0; i < 100; i++) {
    const file = join(folder, names(folder)[0] ?? "");
    const before = readFileSync(file);
    const changed = Buffer.from(before);
    const at = Math.floor(random() * before.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, changed);
    const { state } = await verifyFolder(folder, id, signer, register);
    if (state !== "tampered") missed.push(`byte ${at}: ${state}`);
    writeFileSync(file, before);
  }
  t.same(missed, []);
});

t.test("a recording under another name, another's seal, or another's key is not ours", async (t) => {
  const one = await sealed(t);
  const other = await sealed(t);
  t.equal(
    (await verifyFolder(one.folder, other.id, one.signer, one.register)).state,
    "tampered",
    "another name",
  );
  t.match(await verifyFolder(one.folder, one.id, other.signer, other.register), {
    state: "tampered",
    problem: /another appliance/,
  });
  copyFileSync(join(other.folder, "seal.json"), join(one.folder, "seal.json"));
  t.equal(
    (await verifyFolder(one.folder, one.id, one.signer, one.register)).state,
    "tampered",
    "another seal",
  );
});

t.test("a stranger's file, a missing segment and an empty folder are told", async (t) => {
  const { folder, id, signer, register } = await sealed(t);
  writeFileSync(join(folder, "notes.txt"), "x");
  t.match(await verifyFolder(folder, id, signer, register), { state: "tampered", problem: /notes\.txt/ });
  rmSync(join(folder, "notes.txt"));
  const [first = "", second = ""] = names(folder);
  renameSync(join(folder, second), join(folder, "away"));
  t.equal((await verifyFolder(folder, id, signer, register)).state, "tampered");
  renameSync(join(folder, "away"), join(folder, second));
  rmSync(join(folder, first));
  t.equal((await verifyFolder(folder, id, signer, register)).state, "tampered");
  const empty = join(folder, "..", "empty");
  mkdirSync(empty);
  t.equal((await verifyFolder(empty, "empty", signer, register)).state, "unsealed");
});

t.test("a seal that was removed is missed, also where the end went with it", async (t) => {
  const { studio, folder, id, signer, register } = await sealed(t);
  const seal = join(folder, "seal.json");
  rmSync(seal);
  t.match(await verifyFolder(folder, id, signer, register), {
    state: "tampered",
    problem: /its seal was removed/,
  });
  t.equal((await studio.recordings.get(id)).state, "tampered", "the list says so too");
  const last = join(folder, names(folder).at(-1) ?? "");
  truncateSync(last, readFileSync(last).length - 40);
  t.equal((await verifyFolder(folder, id, signer, register)).state, "tampered", "cut as by a crash");
  const other = await Signer.open(join(studio.dataDir, "other.pem"));
  const forged = new SealRegister(join(studio.dataDir, "forged.log"), other);
  await forged.add("never", "00");
  t.notOk(await new SealRegister(join(studio.dataDir, "forged.log"), signer).has("never"), "another's line");
});

t.test("a line that a crash cut off takes the next entry of the register with it not", async (t) => {
  const { studio, id, signer } = await sealed(t);
  const path = join(studio.dataDir, "recordings", "seals.log");
  truncateSync(path, readFileSync(path).length - 20);
  const register = new SealRegister(path, signer);
  await register.add("next", "00");
  t.notOk(await register.has(id), "the line that was cut is no line");
  t.ok(await register.has("next"));
});
