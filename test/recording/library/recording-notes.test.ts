import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { RecordingNotes } from "../../../src/recording/library/recording-notes.ts";

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), "oc-notes-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

t.test(
  "what people write about recordings is there after a restart, and gone with its recording",
  async (t) => {
    const dir = folder(t);
    const notes = await RecordingNotes.open(dir);
    t.same(notes.get("r1"), { name: null, text: null, markers: [] });
    // All at once: none is lost.
    await Promise.all([
      notes.change("r1", { name: "Nightly" }),
      notes.change("r1", { text: "Slow" }),
      notes.mark("r1", { atMs: 20, label: "end", by: "Ann" }),
      notes.mark("r1", { atMs: 10, label: "begin", by: "Bob" }),
      notes.change("r2", { name: "Other" }),
    ]);
    t.equal(statSync(join(dir, "recording-notes.json")).mode & 0o777, 0o600);
    const again = await RecordingNotes.open(dir);
    t.same(again.get("r1"), notes.get("r1"));
    t.match(again.get("r1"), {
      name: "Nightly",
      text: "Slow",
      markers: [{ label: "begin" }, { label: "end" }],
    });
    await again.forget("r1");
    await again.change("r2", { name: null });
    t.same(JSON.parse(readFileSync(join(dir, "recording-notes.json"), "utf8")), { version: 1, notes: [] });
  },
);

t.test("markers are bounded, and only those that were set afterwards are removed", async (t) => {
  const notes = new RecordingNotes(async () => undefined);
  for (let n = 0; n < 500; n++) await notes.mark("r1", { atMs: n, label: "x", by: "Ann" });
  await t.rejects(notes.mark("r1", { atMs: 1, label: "x", by: "Ann" }), { code: "too_many" });
  const [first] = notes.get("r1").markers;
  await notes.unmark("r1", first?.id ?? "");
  t.equal(notes.get("r1").markers.length, 499);
  await t.rejects(notes.unmark("r1", first?.id ?? ""), { code: "not_found" });
});

t.test("what cannot be written is not changed, and a later change can be made", async (t) => {
  let isFull = true;
  const notes = new RecordingNotes(async () => {
    if (isFull) throw new Error("ENOSPC");
  });
  await t.rejects(notes.change("r1", { name: "Nightly" }), /ENOSPC/);
  t.equal(notes.get("r1").name, null);
  isFull = false;
  await notes.change("r1", { name: "Nightly" });
  t.equal(notes.get("r1").name, "Nightly");
});

t.test("a file of another kind is told and left as it is", async (t) => {
  const dir = folder(t);
  const file = join(dir, "recording-notes.json");
  writeFileSync(file, '{"version":2}');
  await t.rejects(RecordingNotes.open(dir), /recording-notes\.json is not a file of notes on recordings/);
  t.equal(readFileSync(file, "utf8"), '{"version":2}');
});
