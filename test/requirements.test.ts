import { existsSync, readFileSync } from "node:fs";
import t from "tap";
import { MILESTONES_REACHED, REQUIREMENTS } from "./requirements.ts";

const at = (path: string): URL => new URL(path, import.meta.url);

t.test("every requirement stands once", async (t) => {
  const ids = REQUIREMENTS.map(({ id }) => id);
  t.same([...new Set(ids)], ids);
});

t.test("what is reached has a proof", async (t) => {
  for (const { id, title, milestone, proofs } of REQUIREMENTS) {
    if (MILESTONES_REACHED.includes(milestone)) t.ok(proofs.length > 0, `${id} ${title}`);
  }
});

t.test("what is not reached says what is missing", async (t) => {
  for (const { id, milestone, missing = "" } of REQUIREMENTS) {
    t.equal(missing !== "", milestone === "later", id);
  }
});

t.test("every proof is a test that exists", async (t) => {
  for (const { id, proofs } of REQUIREMENTS) {
    for (const proof of proofs) {
      const [file = "", name = ""] = proof.split(" :: ");
      t.ok(name !== "" && existsSync(at(`../${file}`)), `${id}: ${file} is there`);
      if (existsSync(at(`../${file}`)))
        t.ok(readFileSync(at(`../${file}`), "utf8").includes(name), `${id}: ${proof}`);
    }
  }
});

t.test("the manifest has the ids of docs/requirements.md", async (t) => {
  const list = readFileSync(at("../docs/requirements.md"), "utf8");
  const rows = [...list.matchAll(/^\| ([A-Z]\d+b?) \| ([^|]*)/gm)];
  const listed = rows.flatMap(([, id = "", words = ""]) => [id, ...(words.match(/\bT\d{2}b?\b/g) ?? [])]);
  t.ok(listed.length > 40, "the list was read");
  t.same(REQUIREMENTS.map(({ id }) => id).sort(), [...new Set(listed)].sort());
});
