import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { WAYS_OUT, WITHOUT_SCREEN } from "../scripts/docs-ways-out.ts";
import { listPrompts } from "../src/mcp/prompts/prompts.ts";
import { FIXED_RESOURCES, RESOURCE_TEMPLATES } from "../src/mcp/resources/resources.ts";
import { BROWSER_TOOLS } from "../src/mcp/tools/browser/list.ts";
import { TOOLS } from "../src/mcp/tools/list.ts";
import { openHouse } from "./web/fake-house.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What the server answers to, by what registers it. */
async function routesOf(t: Parameters<typeof openHouse>[0]): Promise<string[]> {
  const { app } = await openHouse(t);
  const found: string[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    found.push(...[method].flat().map((one) => `${one} ${url}`));
  });
  await app.ready();
  // What else than GETs answers with something of a screen is named; their other answers are of what was asked.
  const isLookedAt = (route: string): boolean =>
    route.startsWith("GET ") || WAYS_OUT.some(({ way }) => way === route);
  return found
    .filter(isLookedAt)
    .filter((route) => route.includes("/api/v1/") || route.includes("/ws/") || route.endsWith("/websockify"));
}

/** Names of what is kept in the data folder, by the code that opens it. */
function filesOf(): string[] {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const texts = sources.map((path) => readFileSync(join(ROOT, "src", path), "utf8"));
  const constantsIn = (source: string, pattern: RegExp) =>
    [...source.matchAll(pattern)].map(([, name, value]) => [name, value] as const);
  // What another file exports counts where a file has no constant of that name itself.
  const exported = texts.flatMap((source) => constantsIn(source, /export const ([A-Z_]+) = "([^"]+)"/g));
  return texts.flatMap((source) => {
    const constants = new Map([...exported, ...constantsIn(source, /const ([A-Z_]+) = "([^"]+)"/g)]);
    return [...source.matchAll(/join\((?:config\.)?data_?[dD]ir, (?:"([^"]+)"|([A-Z_]+))/g)].map(
      ([, name, constant]) => `file ${name ?? constants.get(constant) ?? constant}`,
    );
  });
}

t.test(
  "every route, tool, resource, prompt and file is known as a way out, or to carry nothing",
  async (t) => {
    const code = new Set([
      ...(await routesOf(t)),
      ...[...TOOLS, ...BROWSER_TOOLS].map(({ name }) => `tool ${name}`),
      ...[
        ...FIXED_RESOURCES.map(({ uri }) => uri),
        ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate),
      ].map((uri) => `resource ${uri}`),
      ...listPrompts().map(({ name }) => `prompt ${name}`),
      ...filesOf(),
    ]);
    const told = WAYS_OUT.map(({ way }) => way);
    t.equal(new Set(told).size, told.length, "each once");
    const known = new Set([...told, ...WITHOUT_SCREEN]);
    t.same(
      [...code].filter((way) => !known.has(way)),
      [],
      "say in scripts/docs-ways-out.ts what these carry",
    );
    const isStream = (way: string): boolean => way.startsWith("stream ");
    t.same(
      [...known].filter((way) => !code.has(way) && !isStream(way)),
      [],
      "these are no more",
    );
    t.same(
      told.filter((way) => WITHOUT_SCREEN.has(way)),
      [],
    );
  },
);

t.test("each way out has a test that looks for what is hidden", async (t) => {
  for (const file of new Set(WAYS_OUT.map(({ test }) => test))) {
    t.match(readFileSync(join(ROOT, file), "utf8"), /masks|hidden/, file);
  }
});
