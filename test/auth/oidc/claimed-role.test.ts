import t from "tap";
import {
  claimedRights,
  isSameRights,
  ROLES_OF_PEOPLE,
  type RoleRule,
} from "../../../src/auth/oidc/claimed-role.ts";

const claimedRole = (claims: Readonly<Record<string, unknown>>, rule: Omit<RoleRule, "desktops">) =>
  claimedRights(claims, { ...rule, desktops: {} }, ROLES_OF_PEOPLE)?.role ?? null;

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
  t.equal(claimedRole({ groups: ["bots"] }, { claim: "groups", roles: { bots: "agent" } }), null);
});

t.test("groups give desktops, all of them together; an administrator reaches all", async (t) => {
  const rule = {
    claim: "groups",
    roles: { admins: "admin", helpdesk: "operator", staff: "viewer" },
    desktops: { helpdesk: ["build", "test"], night: ["test", "door"], everywhere: ["*"] },
  } as const;
  const rights = (...groups: string[]) => claimedRights({ groups }, rule, ROLES_OF_PEOPLE);
  t.strictSame(rights("helpdesk"), { role: "operator", desktops: ["build", "test"] });
  t.strictSame(rights("staff", "night", "helpdesk"), {
    role: "operator",
    desktops: ["test", "door", "build"],
  });
  t.strictSame(rights("staff"), { role: "viewer", desktops: [] }, "none of the groups that give some");
  t.strictSame(rights("staff", "everywhere", "night"), { role: "viewer" });
  t.strictSame(rights("admins"), { role: "admin" });
  t.equal(rights("night"), null, "desktops alone let nobody in");
  t.strictSame(claimedRights({ groups: ["staff"] }, { ...rule, desktops: {} }, ROLES_OF_PEOPLE), {
    role: "viewer",
  });
  t.strictSame(rights("staff", "toString"), { role: "viewer", desktops: [] });

  const same = { role: "operator", desktops: ["test", "build"] } as const;
  t.ok(isSameRights(rights("helpdesk"), same), "whatever their order");
  t.notOk(isSameRights(rights("helpdesk", "night"), same));
  t.notOk(isSameRights(rights("helpdesk", "everywhere"), same));
  t.notOk(isSameRights(rights("staff"), { role: "viewer" }));
  t.notOk(isSameRights(null, same));
});
