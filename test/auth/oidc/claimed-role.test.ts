import t from "tap";
import { claimedRole } from "../../../src/auth/oidc/claimed-role.ts";

t.test("the strongest role that the values of a claim give", async (t) => {
  const roles = { admins: "admin", helpdesk: "operator", "a.b=c": "viewer" } as const;
  const role = (groups: unknown) => claimedRole({ groups }, { claim: "groups", roles });
  t.equal(role(["staff", "helpdesk"]), "operator");
  t.equal(role(["helpdesk", "admins"]), "admin");
  t.equal(role("helpdesk"), "operator", "one value is no list");
  t.equal(role(["a.b=c"]), "viewer");
  for (const none of [undefined, null, [], ["staff"], "ADMINS", 7, [["admins"]], { admins: true }, ["admin"]])
    t.equal(role(none), null, JSON.stringify(none));
  t.equal(role(["toString", "__proto__", "constructor"]), null);
});

t.test("a claim may lie deeper, or have dots in its name; without a map its values are roles", async (t) => {
  const rule = { claim: "realm_access.roles", roles: {} };
  t.equal(claimedRole({ realm_access: { roles: ["approver"] } }, rule), "approver");
  t.equal(
    claimedRole({ "realm_access.roles": ["viewer"], realm_access: { roles: ["admin"] } }, rule),
    "viewer",
  );
  t.equal(claimedRole({ realm_access: "roles" }, rule), null);
  t.equal(claimedRole({ realm_access: null }, rule), null);
  t.equal(
    claimedRole({}, { claim: "constructor.name", roles: { Object: "admin" } }),
    null,
    "own claims alone",
  );
  t.equal(claimedRole({ groups: ["agent"] }, { claim: "groups", roles: {} }), null, "an agent is no person");
});
