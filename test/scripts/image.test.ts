import { readFileSync } from "node:fs";
import t from "tap";

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

/** What decides whether dist/ is built anew, so all that a build reads. */
function buildInputs(): string[] {
  const [, list = ""] = /^const INPUTS = \[([^\]]*)\]/m.exec(read("scripts/source-hash.mjs")) ?? [];
  return [...list.matchAll(/"([^"]+)"/g)].map(([, path = ""]) => path);
}

t.test("the image's build is given all that a build reads", async (t) => {
  const tops = [...new Set(buildInputs().map((path) => path.split("/")[0] ?? ""))];
  t.ok(tops.length > 5);
  const [build = "", ships = ""] = read("Dockerfile")
    .split(/^FROM /m)
    .slice(1);
  const copied = (stage: string): string[] =>
    [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, words = ""]) => words.split(" "));
  const sent = read(".dockerignore").split("\n");
  for (const top of tops) {
    t.ok(copied(build).includes(top), `the Dockerfile copies ${top}`);
    t.ok(sent.includes(`!${top}`), `.dockerignore lets ${top} through`);
  }
  for (const path of copied(ships)) t.ok(sent.includes(`!${path}`), `.dockerignore lets ${path} through`);
});
