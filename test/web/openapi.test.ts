import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import * as z from "zod";
import { OPERATIONS } from "../../src/web/api/openapi/operations.ts";
import { openHouse } from "./fake-house.ts";
import { ROUTES } from "./http/route-table.ts";

const documentSchema = z.looseObject({
  openapi: z.string(),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ operationId: z.string(), "x-access": z.string() })),
  ),
});

/** Pages, what they load, MCP, and a provider's redirects. */
const NO_PROGRAMS =
  /^\/($|mcp$|sse$|message$|assets\/|favicon\.svg|desktops\/|recordings($|\/)|approvals$|setup$|access$|secrets$|fleet$|audit$|signin|answer$)/;

t.test("the document is valid OpenAPI 3.1, says an outside validator", async (t) => {
  const { app, bearer } = await openHouse(t);
  t.equal((await app.inject({ url: "/api/openapi.json" })).statusCode, 401, "for who is signed in");
  const answer = await app.inject({ url: "/api/openapi.json", headers: bearer("viewer") });
  t.match(answer.headers["content-type"], /^application\/json/);
  const validator = new Validator();
  const { valid, errors } = await validator.validate(answer.json());
  t.equal(valid, true, JSON.stringify(errors)?.slice(0, 500));
  t.equal(validator.version, "3.1");
  const broken = { ...answer.json(), info: {} };
  t.equal((await new Validator().validate(broken)).valid, false, "and it would say no");
  const document = documentSchema.parse(answer.json());
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  t.equal(new Set(ids).size, ids.length, "each has a name of its own");
});

t.test("every route that programs may call is in it, with who may use it, and nothing else", async (t) => {
  const { app, bearer } = await openHouse(t, { basePath: "/oc" });
  const { paths, servers } = documentSchema.parse(
    (await app.inject({ url: "/api/openapi.json", headers: bearer("admin") })).json(),
  );
  t.same(servers, [{ url: "/oc" }]);
  const told = new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { "x-access": access }]) => [
        `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
        access,
      ]),
    ),
  );
  const wanted = ROUTES.filter(([, url]) => !NO_PROGRAMS.test(url));
  t.same([...told].sort(), wanted.map(([method, url, access]) => [`${method} ${url}`, access]).sort());
  t.same(Object.keys(OPERATIONS).sort(), [...told.keys()].sort(), "no description is left over");
});

t.test("what routes answer is what it says", async (t) => {
  const { app, bearer } = await openHouse(t);
  const headers = bearer("admin");
  for (const [name, { query, body, answer, status = 200 }] of Object.entries(OPERATIONS)) {
    const [method, url = ""] = name.split(" ");
    if (method !== "GET" || body !== undefined || answer === undefined || url.includes(":")) continue;
    if (!(answer instanceof z.ZodType) || url === "/metrics") continue;
    const asked = await app.inject({
      url: query === undefined ? url : `${url}?${EXAMPLES[name] ?? ""}`,
      headers,
    });
    t.equal(asked.statusCode, status, name);
    const parsed = answer.safeParse(asked.json());
    t.equal(parsed.success, true, `${name}: ${parsed.error?.message}`);
  }
});

/** Queries of routes that need one. */
const EXAMPLES: Readonly<Record<string, string>> = { "GET /api/v1/recordings/search": "text=hello" };

t.test("the reference that people read has them all", async (t) => {
  const page = readFileSync(new URL("../../docs/reference/rest.md", import.meta.url), "utf8");
  for (const name of Object.keys(OPERATIONS)) t.ok(page.includes(`### ${name}\n`), name);
});
