import t from "tap";
import { openHouse } from "./fake-house.ts";

t.test("what a desktop showed is believed by its fingerprint, and no other", async (t) => {
  const shown: (string | null)[] = [];
  const { app, bearer, audited } = await openHouse(t, {
    forgetIdentity: async (_, trust) => {
      shown.push(trust);
      return trust === "ab".repeat(32);
    },
  });
  const post = (payload: object) =>
    app.inject({
      ...{ method: "POST", url: "/api/v1/desktops/d1/forget-identity", headers: bearer("admin") },
      payload,
    });
  const colons = Array.from({ length: 32 }, () => "AB").join(":");
  t.equal((await post({ trust: colons })).statusCode, 200);
  t.same(shown, ["ab".repeat(32)]);
  t.match(
    audited.filter(({ type }) => type === "target.identity_forgotten"),
    [{ action: "trust_shown" }],
  );
  const other = await post({ trust: "cd".repeat(32) });
  t.equal(other.statusCode, 404);
  t.match(other.json(), { error: { message: /look at what it shows now/ } });
  for (const trust of ["", "ab", "zz".repeat(32), 7]) t.equal((await post({ trust })).statusCode, 400);
  t.equal(shown.length, 2);
});

t.test("who may add desktops may have one's certificate forgotten, and that is audited", async (t) => {
  const asked: string[] = [];
  const { app, bearer, audited } = await openHouse(t, {
    forgetIdentity: async ({ id }) => {
      asked.push(id);
      return asked.length === 1;
    },
  });
  const post = (role: "admin" | "viewer" | "agent") =>
    app.inject({ method: "POST", url: "/api/v1/desktops/d1/forget-identity", headers: bearer(role) });
  t.equal((await post("agent")).statusCode, 403);
  t.equal((await post("viewer")).statusCode, 403);
  t.same(asked, []);
  const done = await post("admin");
  t.equal(done.statusCode, 200);
  t.match(done.json(), { id: "d1" });
  t.match(
    audited.filter(({ type }) => type === "target.identity_forgotten"),
    [{ resource: { kind: "desktop", id: "d1" } }],
  );
  const again = await post("admin");
  t.equal(again.statusCode, 404);
  t.match(again.json(), { error: { message: /no certificate or key of that desktop is known/ } });
});
