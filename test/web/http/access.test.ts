import t from "tap";
import { AUDIT_TYPES, type AuditType } from "../../../src/audit/audit-event.ts";
import type { Permission } from "../../../src/auth/principal.ts";
import { may, ROLES } from "../../../src/auth/principal.ts";
import { errorSchema } from "../../../src/web/api/api.ts";
import type { Access } from "../../../src/web/http/access.ts";
import { openHouse, upgradeStatus } from "../fake-house.ts";
import { ROUTES, toMethod } from "./route-table.ts";

const OPEN = new Set<Access>(["open", "entry", "page", "signed-in"]);

function addressOf(url: string): string {
  return url
    .replace(":id", "d1")
    .replace(":overlayId", "none")
    .replace(":maskId", "none")
    .replace(":markerId", "none")
    .replace(":approvalId", "none")
    .replace("*", "app-1a2b.js");
}

function permissionOf(access: Access): Permission | null {
  switch (access) {
    case "open":
    case "entry":
    case "page":
    case "signed-in":
      return null;
    default:
      return access;
  }
}

t.test("the app has exactly the routes of the table, each with its access", async (t) => {
  const { app } = await openHouse(t);
  const found: string[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    const methods = (Array.isArray(method) ? method : [method]).filter((one) => one !== "HEAD");
    found.push(...methods.map((one) => `${one} ${url} ${config?.access}`));
  });
  await app.ready();
  t.strictSame(
    found.toSorted(),
    ROUTES.map(([method, url, access]) => `${method} ${url} ${access}`).toSorted(),
  );
});

t.test("without a credential every route but the open ones answers 401", async (t) => {
  const { app, mcp } = await openHouse(t);
  for (const [method, url, access] of ROUTES) {
    const answer = await app.inject({ method: toMethod(method), url: addressOf(url) });
    if (access === "open") {
      t.not(answer.statusCode, 401, `${method} ${url}`);
      continue;
    }
    t.equal(answer.statusCode, 401, `${method} ${url}`);
    t.equal(errorSchema.parse(answer.json()).error.code, "unauthenticated");
    t.equal(
      answer.headers["www-authenticate"],
      'Bearer resource_metadata="http://localhost:80/.well-known/oauth-protected-resource"',
    );
  }
  t.equal(mcp.length, 0);
});

t.test("each role gets through to exactly the routes that its permissions name", async (t) => {
  for (const role of ROLES) {
    const { app, tokens, desktops } = await openHouse(t, { rateTiers: { isOn: false } });
    const headers = { authorization: `Bearer ${(await tokens.create(role, role)).token}` };
    const principal = { id: "x", name: role, role };
    for (const [method, url, access, kind] of ROUTES) {
      if (OPEN.has(access) && access !== "signed-in") continue;
      const permission = permissionOf(access);
      const isAllowed = permission === null || may(principal, permission);
      const answer = await app.inject({ method: toMethod(method), url: addressOf(url), headers });
      const text = `${role} ${method} ${url} ${answer.statusCode}`;
      if (isAllowed) t.notOk([401, 403].includes(answer.statusCode), text);
      else t.equal(answer.statusCode, 403, text);
      if (isAllowed && kind === "socket") t.equal(answer.statusCode, 426, text);
      if (!desktops.all.some(({ id }) => id === "d1")) desktops.open("d1");
    }
  }
});

t.test("sockets follow the same table before the upgrade", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  for (const url of ["/ws/events", "/ws/overlays", "/ws/desktops/d1", "/websockify"]) {
    t.equal(await upgradeStatus(`ws://${host}${url}`, {}), 401, url);
    t.equal(
      await upgradeStatus(`ws://${host}${url}?token=${house.token.admin}`, {}),
      401,
      "no token in a query",
    );
    for (const role of ROLES)
      t.equal(await upgradeStatus(`ws://${host}${url}`, house.bearer(role)), 101, url);
  }
  t.equal(await upgradeStatus(`ws://${host}/ws/desktops/none`, house.bearer("admin")), 404);
  t.equal(await upgradeStatus(`ws://${host}/nothing`, house.bearer("admin")), 400);
  t.equal(await upgradeStatus(`ws://${host}/?token=${house.token.admin}`, {}), 400);
  t.equal(await upgradeStatus(`ws://${host}/mcp`, house.bearer("admin")), 400);
});

t.test("a refusal for lack of a permission is audited with the route's pattern", async (t) => {
  const { app, bearer, audited } = await openHouse(t);
  await app.inject({ method: "POST", url: "/api/v1/desktops/d1/stop", headers: bearer("viewer") });
  t.match(audited, [
    {
      type: "authz.denied",
      errorCode: "permission_denied",
      action: "control",
      actor: { name: "the viewer", role: "viewer", kind: "human" },
      request: { method: "POST", path: "/api/v1/desktops/:id/stop" },
      security: { rolesChecked: ["admin", "operator", "approver"] },
    },
  ]);
});

/** Routes whose calls are not written down first: by what they are told, or null where they change nothing. */
const TOLD_OTHERWISE: Readonly<Record<string, AuditType | null>> = {
  "POST /api/v1/session": "auth.login",
  "DELETE /api/v1/session": "auth.logout",
  "POST /api/v1/desktops/:id/stop": "desktop.stopped",
  "POST /api/v1/desktops/:id/take-over": "input.taken_over",
  "POST /api/v1/approvals/:approvalId": "approval.granted",
  "POST /api/v1/requests/:id": "request.taken",
  "POST /api/v1/answers/open": "approval.viewed",
  "POST /api/v1/answers": "approval.granted",
  "POST /api/v1/desktops/:id/rules/try": null,
  // A part of what was told, with how many files and bytes, when it was begun.
  "PUT /api/v1/desktops/:id/files/:sendingId/:index": "files.sent",
  "PATCH /api/v1/desktops/:id/replay": null,
  // The node that asks writes first what it shows or changes.
  "POST /api/v1/fleet/recordings/:id": null,
  "POST /api/v1/recordings/:id/verify": null,
  "POST /signin/oidc/logout": null,
};

t.test("each route that changes something is written down first, or by an event of its own", async (t) => {
  const { app, audited, bearer } = await openHouse(t, { rateTiers: { isOn: false } });
  const otherwise: string[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.isAuditedFirst === false) otherwise.push(`${String(method)} ${url}`);
  });
  await app.ready();
  t.strictSame(otherwise.toSorted(), Object.keys(TOLD_OTHERWISE).toSorted());
  for (const type of Object.values(TOLD_OTHERWISE)) {
    if (type !== null) t.ok(AUDIT_TYPES.includes(type), type);
  }
  for (const [method, url, access] of ROUTES) {
    if (method === "GET" || access === "mcp" || `${method} ${url}` in TOLD_OTHERWISE) continue;
    audited.length = 0;
    await app.inject({ method: toMethod(method), url: addressOf(url), headers: bearer("admin") });
    const told = { type: "change.requested", request: { method, path: url }, actor: { role: "admin" } };
    t.match(audited[0], told, `${method} ${url}`);
  }
});

/** What is no GET and yet not written down first: it only looks, takes freedom from agents, or decides that itself. */
const NOT_WRITTEN_FIRST: ReadonlySet<string> = new Set([
  "POST /api/v1/session",
  "DELETE /api/v1/session",
  "POST /api/v1/desktops/:id/rules/try",
  "POST /api/v1/desktops/:id/stop",
  "POST /api/v1/desktops/:id/take-over",
  "PATCH /api/v1/desktops/:id/replay",
  "POST /api/v1/fleet/recordings/:id",
  "POST /api/v1/recordings/:id/verify",
  "POST /api/v1/requests/:id",
  "POST /api/v1/approvals/:approvalId",
  // A guess is told as a failed sign-in; a yes is written first (test/web/answers.test.ts).
  "POST /api/v1/answers/open",
  "POST /api/v1/answers",
  "POST /signin/oidc/logout",
  // Its beginning is written first, and decides what it may hold.
  "PUT /api/v1/desktops/:id/files/:sendingId/:index",
]);

t.test("every route that changes something is in the audit before it is done", async (t) => {
  const { app, audited, bearer, desktops } = await openHouse(t, { rateTiers: { isOn: false } });
  for (const [method, url, access] of ROUTES) {
    if (method === "GET" || access === "mcp") continue;
    audited.length = 0;
    await app.inject({ method: toMethod(method), url: addressOf(url), headers: bearer("admin") });
    const [first] = audited;
    const isTold = first?.type === "change.requested" && first.request?.path === url;
    t.equal(isTold, !NOT_WRITTEN_FIRST.has(`${method} ${url}`), `${method} ${url}: ${first?.type}`);
    if (isTold) t.match(first, { actor: { name: "the admin", kind: "human" }, request: { method } });
    if (!desktops.all.some(({ id }) => id === "d1")) desktops.open("d1");
  }
});
