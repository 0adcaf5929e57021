import t from "tap";
import * as z from "zod";
import { errorSchema } from "../../src/web/api/api.ts";
import { secretInfoSchema } from "../../src/web/api/secrets-api.ts";
import { openHouse } from "./fake-house.ts";

const VALUE = "open sesame 4711";
const SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const url = "/api/v1/secrets/bank";

t.test("administrators make, list, replace and remove secrets, and nobody reads one", async (t) => {
  const house = await openHouse(t);
  const { app, bearer, audited } = house;
  const headers = bearer("admin");
  const put = (payload: object) => app.inject({ method: "PUT", url, headers, payload });
  const list = async () => {
    const answer = await app.inject({ url: "/api/v1/secrets", headers });
    t.equal(answer.headers["cache-control"], "no-store");
    t.notMatch(answer.body, VALUE);
    return z.array(secretInfoSchema.strict()).parse(answer.json());
  };
  t.same(await list(), []);
  const seen = { text: "https://bank.example/", region: { x: 80, y: 40, width: 600, height: 30 } };
  const made = await put({ value: VALUE, desktops: ["d1"], agents: ["ann", "*"], seen });
  t.equal(made.statusCode, 201);
  t.notMatch(made.body, VALUE);
  const rules = { name: "bank", kind: "secret", desktops: ["d1"], agents: ["ann", "*"], seen };
  t.match(await list(), [{ ...rules, is_configured: false }]);

  const field = { x: -4, y: 30, width: 200, height: 20 };
  t.equal((await put({ desktops: ["d1"], seen: { text: "Bank", field } })).statusCode, 200);
  t.match(await list(), [{ seen: { text: "Bank", picture: null, region: null, field } }]);

  const changed = await put({ desktops: ["d2"] });
  t.equal(changed.statusCode, 200, "other rules, the same value");
  t.match(await list(), [{ desktops: ["d2"], agents: [], seen: null }]);
  t.equal((await put({ totp: SEED, desktops: ["d1"], agents: ["*"] })).statusCode, 200);
  t.match(await list(), [{ kind: "totp" }]);
  t.equal((await put({ agents: ["ann"] })).statusCode, 200, "still the seed");
  t.match(await list(), [{ kind: "totp", agents: ["ann"] }]);

  t.equal((await app.inject({ method: "DELETE", url, headers })).statusCode, 204);
  t.equal((await app.inject({ method: "DELETE", url, headers })).statusCode, 404);
  t.same(await list(), []);
  t.same(
    audited
      .filter(({ type }) => type.startsWith("secret."))
      .map(({ type, resource }) => [type, resource?.id]),
    [
      ["secret.added", "bank"],
      ["secret.changed", "bank"],
      ["secret.changed", "bank"],
      ["secret.changed", "bank"],
      ["secret.changed", "bank"],
      ["secret.removed", "bank"],
    ],
  );
  t.match(
    audited.filter(({ type }) => type === "change.requested").at(0),
    { resource: { kind: "secret", id: "bank" } },
    "written before it is done",
  );
  t.notMatch(JSON.stringify(audited) + house.log(), new RegExp(`${VALUE}|${SEED}`));
});

t.test("what cannot be kept is refused by its field, and not shown", async (t) => {
  const house = await openHouse(t);
  const { app, bearer } = house;
  const put = (payload: object, at = url, role: "admin" | "operator" | "agent" = "admin") =>
    app.inject({ method: "PUT", url: at, headers: bearer(role), payload });
  const long = "s3cret".repeat(50);
  for (const [payload, words] of [
    [{}, /got no value/],
    [{ value: VALUE, totp: SEED }, /value or totp/],
    [{ value: long }, /value/],
    [{ value: `${VALUE}\n` }, /value/],
    [{ totp: VALUE }, /expected base32/],
    [{ value: VALUE, agents: "*" }, /agents/],
    [{ value: VALUE, seen: { text: " " } }, /seen.text/],
    [{ value: VALUE, seen: {} }, /a text, or a picture/],
    [{ value: VALUE, seen: { picture: "AAAA" } }, /seen.picture: got something else/],
    [{ value: VALUE, seen: { text: "Bank", region: { x: 0, y: 0, width: 0, height: 1 } } }, /region.width/],
    [{ value: VALUE, hidden: true }, /hidden/],
  ] as const) {
    const answer = await put(payload);
    t.equal(answer.statusCode, 400, JSON.stringify(payload));
    t.match(errorSchema.parse(answer.json()).error.message, words);
    t.notMatch(answer.body, new RegExp(`${VALUE}|s3cret`));
  }
  t.equal((await put({ value: VALUE }, "/api/v1/secrets/a%20b")).statusCode, 400);
  t.equal((await put({ value: VALUE }, url, "operator")).statusCode, 403);
  t.equal((await put({ value: VALUE }, url, "agent")).statusCode, 403);
  t.notMatch(house.log(), new RegExp(`${VALUE}|s3cret`));
});
