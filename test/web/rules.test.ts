import t from "tap";
import { rulesSchema, rulesTriedSchema } from "../../src/web/api/rules-api.ts";
import { openHouse } from "./fake-house.ts";

const URL = "/api/v1/desktops/d1/rules";
const AREA = { x: 100, y: 100, width: 50, height: 50 };

t.test("rules are set by an administrator alone, as a human, and audited without their names", async (t) => {
  const { app, bearer, desktops, audited } = await openHouse(t);
  const payload = {
    rules: { pointer: "allow", keys: "deny", areas: [{ ...AREA, verdict: "deny", name: "payroll" }] },
  };
  for (const role of ["operator", "approver", "viewer", "agent"] as const) {
    const refused = await app.inject({ method: "PUT", url: URL, headers: bearer(role), payload });
    t.equal(refused.statusCode, 403, role);
  }
  t.same(desktops.get("d1").calls, [], "nothing was done for them");
  const set = await app.inject({ method: "PUT", url: URL, headers: bearer("admin"), payload });
  t.equal(set.statusCode, 200);
  rulesSchema.parse(set.json());
  t.match(desktops.get("d1").calls, [/^mode custom by human the admin with .*"pointer":"allow"/]);
  t.notMatch(JSON.stringify(audited), "payroll");
});

t.test("rules that cannot be read are refused by name, and unknown desktops are not found", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const headers = bearer("admin");
  for (const rules of [
    { pointer: "maybe" },
    { mouse: "allow" },
    { areas: [{ ...AREA, verdict: "allow" }] },
    { areas: [{ ...AREA, width: 0, verdict: "deny" }] },
    { areas: Array.from({ length: 33 }, () => ({ ...AREA, verdict: "deny" })) },
    null,
    [],
  ]) {
    const answer = await app.inject({ method: "PUT", url: URL, headers, payload: { rules } });
    t.equal(answer.statusCode, 400, JSON.stringify(rules)?.slice(0, 60));
  }
  t.same(desktops.get("d1").calls, []);
  const unknown = await app.inject({ url: "/api/v1/desktops/none/rules", headers });
  t.equal(unknown.statusCode, 404);
});

t.test("an example is judged by the draft, with the area that decides", async (t) => {
  const { app, bearer } = await openHouse(t);
  const rules = {
    pointer: "allow",
    text: "deny",
    areas: [
      { ...AREA, verdict: "ask" },
      { ...AREA, x: 120, verdict: "deny" },
    ],
  };
  const tried = async (body: object): Promise<unknown> => {
    const headers = bearer("viewer");
    const answer = await app.inject({
      method: "POST",
      url: `${URL}/try`,
      headers,
      payload: { rules, ...body },
    });
    return answer.statusCode === 200 ? rulesTriedSchema.strict().parse(answer.json()) : answer.statusCode;
  };
  t.same(await tried({ subject: "pointer", x: 5, y: 5 }), { verdict: "allow", area: null });
  t.same(await tried({ subject: "pointer", x: 110, y: 110 }), { verdict: "ask", area: 0 });
  t.same(
    await tried({ subject: "pointer", x: 130, y: 110 }),
    { verdict: "deny", area: 1 },
    "the strictest counts",
  );
  t.same(
    await tried({ subject: "pointer", x: 150, y: 149 }),
    { verdict: "deny", area: 1 },
    "areas are half-open",
  );
  t.same(await tried({ subject: "text" }), { verdict: "deny", area: null });
  t.same(await tried({ subject: "keys" }), { verdict: "ask", area: null }, "what is not named is asked");
  t.equal(await tried({ subject: "pointer" }), 400);
  t.equal(await tried({ subject: "mouse", x: 1, y: 1 }), 400);
});
