import { readFileSync } from "node:fs";
import t from "tap";
import * as z from "zod";
import { packageVersion } from "../../scripts/release.ts";
import { VERSION } from "../../src/platform/version.ts";

t.test("the version is a date, the same everywhere", async (t) => {
  t.match(VERSION, /^20\d\d\.(?:0[1-9]|1[0-2])\.(?:0[1-9]|[12]\d|3[01])(?:\.\d+)?$/);
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  t.equal(z.object({ version: z.string() }).parse(JSON.parse(text)).version, packageVersion(VERSION));
});
