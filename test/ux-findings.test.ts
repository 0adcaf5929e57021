import { existsSync, readFileSync } from "node:fs";
import t from "tap";
import { UX_FINDINGS } from "./ux-findings.ts";

const FINDINGS = 24;

t.test("every finding stands once, in order", async (t) => {
  const numbers = UX_FINDINGS.map(({ nth }) => nth);
  t.same(
    numbers,
    Array.from({ length: FINDINGS }, (_, index) => index + 1),
  );
});

t.test("every finding is held by a test that exists", async (t) => {
  for (const { nth, words, untested, proofs } of UX_FINDINGS) {
    t.ok(proofs.length > 0, `${nth}: ${words}`);
    t.not(untested, "", `${nth}: what is not tested is said`);
    for (const proof of proofs) {
      const [file = "", name = ""] = proof.split(" :: ");
      const path = new URL(`../${file}`, import.meta.url);
      t.ok(name !== "" && existsSync(path) && readFileSync(path, "utf8").includes(name), `${nth}: ${proof}`);
    }
  }
});
