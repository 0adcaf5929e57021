import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { AuthError } from "../../src/auth/error.ts";
import { faultMessage } from "../../src/cli/fault-message.ts";
import { LinkError, RefusedError } from "../../src/desktop/error.ts";
import { RecordingError } from "../../src/recording/library/error.ts";

t.test("errors with words for people are told by them alone", async (t) => {
  const words = "got a, expected b";
  for (const error of [
    new AuthError("bad_key", words),
    new LinkError("refused", words),
    new RefusedError("not_found", words),
    new RecordingError("locked", words),
  ])
    t.equal(faultMessage(error), words, error.name);
});

t.test("a file that cannot be used is named, with what to do", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "oc-"));
  const path = join(folder, "file");
  await writeFile(path, "");
  const faultOf = (what: string): Promise<string> => readFile(what).then(() => "", faultMessage);
  t.equal(
    await faultOf(folder),
    "cannot use a file of its own (read, EISDIR): got a folder, expected a file",
  );
  t.equal(
    await faultOf(join(path, "below")),
    `cannot use ${join(path, "below")} (open, ENOTDIR): a part of that path is no folder`,
  );
});

t.test("what nobody expected comes with its stack", async (t) => {
  t.match(faultMessage(new TypeError("x is not a function")), /TypeError: x is not a function\n +at /);
  t.equal(faultMessage("thrown"), "thrown");
});
