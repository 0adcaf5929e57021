import t from "tap";
import { openHouse } from "./fake-house.ts";

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
