import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { verifyCopy } from "../../src/cli/recordings-cli.ts";
import { RecordingArchive } from "../../src/recording/library/archive.ts";
import { makeLongRecording } from "../recording/long-recording.ts";
import { SEALER } from "../recording/studio.ts";

const dir = mkdtempSync(join(tmpdir(), "oc-copy-"));
t.teardown(() => rmSync(dir, { recursive: true, force: true }));

const dataDir = join(dir, "data");
mkdirSync(dataDir);

t.test("a copy is verified by its files and the public key alone", async (t) => {
  const { id } = await makeLongRecording(dataDir, 5, { width: 320, height: 200 });
  const copy = join(dir, "copies", id);
  const fresh = (): void => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(dataDir, "recordings", id), copy, { recursive: true });
  };
  fresh();
  const nowhere = { data_dir: join(dir, "nowhere") };
  mkdirSync(nowhere.data_dir);
  // As an auditor gets it: by a program that is not ours.
  const key = join(dir, "recordings.pub");
  execFileSync("openssl", ["pkey", "-in", join(dataDir, "recording-key.pem"), "-pubout", "-out", key]);
  t.match(await verifyCopy(nowhere, copy, key), /intact: \d+ blocks/);
  t.match(await verifyCopy({ data_dir: dataDir }, copy), /intact/, "by the server's own key");
  t.same(readdirSync(nowhere.data_dir), [], "nothing is written");
  t.same(readdirSync(copy).sort(), readdirSync(join(dataDir, "recordings", id)).sort());

  const file = join(copy, "000000.blocks");
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  await t.rejects(verifyCopy(nowhere, copy, key), { message: /tampered: block .* at byte \d+/ });
  fresh();
  rmSync(join(copy, "seal.json"));
  await t.rejects(verifyCopy(nowhere, copy, key), { message: /unsealed/ });
  fresh();
  const other = join(dir, "other.pem");
  execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", other]);
  await t.rejects(verifyCopy(nowhere, copy, other), { message: /tampered/ }, "another server's key");
  const rsa = join(dir, "rsa.pem");
  execFileSync("openssl", ["genpkey", "-algorithm", "rsa", "-out", rsa], { stdio: "ignore" });
  await t.rejects(verifyCopy(nowhere, copy, rsa), { code: "permission_denied", message: /no ed25519 key/ });
  await t.rejects(verifyCopy(nowhere, copy), { code: "permission_denied", message: /--key-file/ });
  t.same(readdirSync(nowhere.data_dir), [], "no key is made");
  await t.rejects(verifyCopy(nowhere, dir, key), { code: "not_found", message: /000000\.blocks/ });
});

t.test("what was being deleted when the process died is gone with the next start", async (t) => {
  const { archive, id } = await makeLongRecording(dataDir, 5, { width: 320, height: 200, id: "cut" });
  t.match(await archive.get(id), { state: "sealed" });
  // As a crash between its two steps leaves it: half of its files.
  const half = join(dataDir, "recordings", ".removed-half");
  cpSync(join(dataDir, "recordings", id), half, { recursive: true });
  rmSync(join(half, "seal.json"));
  t.notOk((await archive.list()).some((recording) => recording.id.includes("half")));
  await archive.remove(id);
  t.notOk(
    readdirSync(join(dataDir, "recordings")).some((name) => name.includes(id)),
    "no file of it is left",
  );
  const next = await RecordingArchive.open(dataDir, SEALER);
  t.notOk(existsSync(half));
  t.equal((await next.list()).length, 1);
});
