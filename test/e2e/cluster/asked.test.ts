import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import t from "tap";
import * as z from "zod";
import { approvalSchema, desktopSchema, errorSchema, grantSchema } from "../../../src/web/api/api.ts";
import { requestSchema } from "../../../src/web/api/requests-api.ts";
import { newTokenSchema } from "../../../src/web/api/tokens-api.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { accessTokenOf, signInUntilBack } from "../audit/oidc-visit.ts";
import { decodePicture } from "../harness/browser.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";
import { differenceOf } from "../harness/xwd.ts";

const SLOW_MS = 60_000;
const PROVIDER = fileURLToPath(new URL("../web/oidc-host.mjs", import.meta.url));
/** What the provider calls MCP of all nodes, which have one name. */
const RESOURCE = "https://fleet.example/mcp";
const CLIENT_SECRET = "the-secret-of-the-client-0123456789";

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc", "xwd", "xev", "xsetroot", "openssl"])) {
  t.setTimeout(300_000);
  const etcd = await EtcdCluster.start(t, 1);
  const provider = new Program(t, process.execPath, [PROVIDER]);
  const issuer = await provider.waitFor("its issuer", ({ stdout }) => /^http:\S+/m.exec(stdout)?.[0] ?? null);
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"], {
    more: {
      ...{ OC_OIDC_ISSUER: issuer, OC_OIDC_CLIENT_ID: "desk", OC_OIDC_SCOPES: "openid,profile,groups" },
      ...{ OC_OIDC_CLIENT_SECRET: CLIENT_SECRET, OC_OIDC_ROLES: "desk-admins=admin,watchers=viewer" },
      ...{ OC_OIDC_MCP_RESOURCE: RESOURCE, OC_OIDC_MCP_SCOPES: "ocp:mcp" },
    },
  });
  const screen = await XDisplay.start(t, { geometry: "400x300" });
  await screen.command("xsetroot", "-mod", "7", "11", "-fg", "#204080", "-bg", "#c0a020");
  const probe = await screen.openButtonProbe("200x150+100+80");
  const { id, owner } = await fleet.add(screen.vncPort);
  const [far = "", third = ""] = fleet.names.filter((name) => name !== owner);
  const { agentToken } = fleet.node(far);

  const list = async <T>(name: string, path: string, schema: z.ZodType<T>): Promise<T[]> =>
    z.array(schema).parse(await (await fleet.node(name).fetch(path)).json());
  const approvalsAt = (name: string) => list(name, "/api/v1/approvals", approvalSchema);
  const answer = (name: string, approvalId: string, body: object) =>
    fleet.node(name).fetch(`/api/v1/approvals/${approvalId}`, body);
  const codeOf = async (response: Response): Promise<string> =>
    errorSchema.parse(await response.json()).error.code;
  /** What a call came to: its refusal, or null. */
  const refusalOf = (call: Promise<unknown>): Promise<string | null> =>
    call.then(
      () => null,
      (error: unknown) => (error instanceof ToolRefusal ? error.code : String(error)),
    );
  const yes = { decision: "approve" };
  /** Looks at a question by a node, and says yes by it once that is taken. */
  const approve = async (name: string, approvalId: string, body: object = yes): Promise<void> => {
    await fleet.node(name).fetch(`/api/v1/approvals/${approvalId}/picture.png`);
    await until("the yes is taken", async () => (await answer(name, approvalId, body)).ok, SLOW_MS);
  };
  await fleet.node(far).fetch(`/api/v1/desktops/${id}/mode`, { mode: "assist" });
  const agent = await fleet.node(far).agent({ token: agentToken, name: "far agent" });
  const click = (x: number) => agent.call("click_at", { connection_id: id, x, y: 120 });
  /** A click and the question that it waits for; made anew where its node could not renew its lease in time, as on a busy machine. */
  const clickAsked = async (x: number, name: string, but = "") => {
    for (;;) {
      let isOver = false;
      const clicked = refusalOf(click(x)).finally(() => {
        isOver = true;
      });
      const look = async () =>
        isOver ? "over" : ((await approvalsAt(name)).find((one) => one.id !== but) ?? null);
      const question = await until(`a question is listed by ${name}`, look, SLOW_MS);
      if (question !== "over") return { clicked, question };
      const code = await clicked;
      if (code !== "not_held") throw new Error(`nobody was asked about the click: ${code ?? "it was done"}`);
    }
  };

  await t.test("a target proves itself to the next node by what another saw", async (t) => {
    const certificates = [await etcd.nodeCertificate("first"), await etcd.nodeCertificate("second")] as const;
    const target = await XDisplay.start(t, { geometry: "100x80", certificate: certificates[0] });
    const { id: proven, owner: saw } = await fleet.add(target.vncPort);
    t.not(saw, owner, "placed evenly");
    const at = `/api/v1/desktops/${proven}`;
    const told = async () => desktopSchema.parse(await (await fleet.node(owner).fetch(at)).json());
    const [before] = (await told()).identities;
    t.match(before, { is_configured: false, is_new: true });

    await target.server.stop();
    await XDisplay.start(t, { geometry: "100x80", certificate: certificates[1], after: target });
    await fleet.node(owner).fetch(`/api/v1/fleet/nodes/${saw}/drain`, {});
    const next = await until(
      "another node refuses it",
      async () => {
        const has = await fleet.ownerOf(proven, owner);
        return has !== saw && (await told()).state.code === "cert_mismatch" ? has : null;
      },
      SLOW_MS,
    );
    t.match((await told()).identities, [{ sha256: before?.sha256, is_new: false }]);
    await fleet.node(owner).fetch(`/api/v1/fleet/nodes/${saw}/drain`, { is_draining: false });
    const [asker = ""] = fleet.names.filter((name) => name !== next);
    t.equal((await fleet.node(asker).fetch(`${at}/forget-identity`, {})).status, 200);
    await until("a person believes it", async () => (await told()).state.kind === "live", SLOW_MS);
    const headers = { authorization: `Bearer ${fleet.node(asker).adminToken}` };
    t.equal((await fleet.node(asker).fetch(at, undefined, { method: "DELETE", headers })).status, 204);
  });

  await t.test("who signs in at one node is signed in at all, and out of all", async (t) => {
    const made = await fleet.node(far).fetch("/api/v1/tokens", { name: "Ann", role: "operator" });
    const { token } = newTokenSchema.parse(await made.json());
    const signedIn = await fetch(`${fleet.node(far).url}/api/v1/session`, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify({ token }),
    });
    const [cookie = ""] = signedIn.headers.getSetCookie();
    const session = /=([^;]+)/.exec(cookie)?.[1] ?? "";
    /** As her browser would, where all nodes have one name and port: cookies are called after that. */
    const asAnn = (name: string, path: string, method = "GET") => {
      const { url } = fleet.node(name);
      return fetch(`${url}${path}`, {
        ...{ method, headers: { cookie: `oc_session_${new URL(url).port}=${session}` } },
      });
    };
    for (const name of fleet.names) {
      const isIn = async () => (await asAnn(name, "/api/v1/me")).ok;
      await until(`she is signed in at ${name}`, isIn, SLOW_MS);
    }
    t.match(await (await asAnn(third, "/api/v1/me")).json(), { name: "Ann", role: "operator" });
    const desktop = await asAnn(third, `/api/v1/desktops/${id}`);
    t.match(await desktop.json(), { id }, "also for what is carried on");
    t.equal((await asAnn(third, "/api/v1/session", "DELETE")).status, 200);
    for (const name of fleet.names) {
      await until(`she is signed out at ${name}`, async () => !(await asAnn(name, "/api/v1/me")).ok, SLOW_MS);
    }
    t.equal((await asAnn(far, "/api/v1/me")).status, 401);
  });

  await t.test("a sign-in at a provider that began at one node goes on at another, once", async (t) => {
    const written = etcd.history(t, "/overlay-companion/");
    const { url } = fleet.node(far);
    await fetch(`${issuer}/_test/start`, { method: "POST", body: JSON.stringify({ app: url }) });
    const { answer, ticket } = await signInUntilBack(url, "vera");
    const portOf = (name: string): string => new URL(fleet.node(name).url).port;
    /** As behind one name and port, after which cookies are called. */
    const comeBack = (name: string) =>
      fetch(`${fleet.node(name).url}/signin/oidc/callback?${answer}`, {
        ...{ redirect: "manual", headers: { cookie: `oc_oidc_${portOf(name)}=${ticket}` } },
      });
    const back = await comeBack(third);
    t.equal(back.status, 200);
    const cookies = back.headers.getSetCookie().join();
    const session = new RegExp(`oc_session_${portOf(third)}=([^;]+)`).exec(cookies)?.[1] ?? "";
    const me = (name: string) =>
      fetch(`${fleet.node(name).url}/api/v1/me`, {
        headers: { cookie: `oc_session_${portOf(name)}=${session}` },
      });
    t.match(await (await me(third)).json(), { id: "oidc:vera", role: "viewer" });
    for (const name of [far, owner]) {
      await until(`she is signed in at ${name}`, async () => (await me(name)).ok, SLOW_MS);
      const again = await comeBack(name);
      t.equal(again.headers.get("location"), "/signin?error=expired");
      t.notMatch(again.headers.getSetCookie().join(), "oc_session");
    }
    // The provider tells a node that did not open the session, which alone knows of it by the others.
    const over = { app: url, claims: { sub: "vera" } };
    const notice = await fetch(`${issuer}/_test/logout`, { method: "POST", body: JSON.stringify(over) });
    t.equal(await notice.text(), "200");
    t.equal((await me(far)).status, 401, "at once where it was told");
    for (const name of [third, owner]) {
      await until(`she is signed out at ${name}`, async () => !(await me(name)).ok, SLOW_MS);
    }
    await until("all is told", () => JSON.stringify(written()).includes("/sign-ins/"), SLOW_MS);
    const seen = JSON.stringify(written());
    for (const secret of [ticket, answer.get("state"), answer.get("code")]) t.notMatch(seen, secret);
  });

  await t.test("what a provider gave somebody's agent ends at all nodes by a notice to one", async (t) => {
    const written = etcd.history(t, "/overlay-companion/sign-outs/");
    const { url } = fleet.node(far);
    const token = await accessTokenOf(issuer, "ada", RESOURCE);
    const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
    const open = (name: string) =>
      fetch(`${fleet.node(name).url}/mcp`, {
        ...{ method: "POST", headers: { ...headers, "content-type": "application/json" } },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      });
    const isRefused = async (name: string): Promise<boolean> => {
      const answer = await open(name);
      await answer.body?.cancel();
      return answer.status === 401;
    };
    for (const name of fleet.names) t.equal(await isRefused(name), false, `it opens ${name}`);
    const over = { app: url, claims: { sub: "ada" } };
    const notice = await fetch(`${issuer}/_test/logout`, { method: "POST", body: JSON.stringify(over) });
    t.equal(await notice.text(), "200");
    t.equal(await isRefused(far), true, "at once where it was told");
    for (const name of [third, owner]) await until(`it is over at ${name}`, () => isRefused(name), SLOW_MS);
    await until("it is shared", () => written().length > 0, SLOW_MS);
    t.notMatch(JSON.stringify(written()), /oidc:ada/, "sealed");
  });

  await t.test("wrong tokens at one node lock their address out of all", async (t) => {
    const written = etcd.history(t, "/overlay-companion/lockouts/");
    /** From an address of its own, so that nobody else waits; the status. */
    const guess = async (name: string): Promise<number> => {
      const headers = { authorization: "Bearer wrong" };
      const asked = get(`${fleet.node(name).url}/api/v1/me`, { localAddress: "127.0.0.7", headers });
      const [answer]: IncomingMessage[] = await once(asked, "response");
      answer?.resume();
      return answer?.statusCode ?? 0;
    };
    for (let nth = 0; nth < 5; nth++) t.equal(await guess(far), 401);
    t.equal(await guess(far), 429);
    await until("all is shared", () => written().length >= 2, SLOW_MS);
    let guesses = 0;
    await until(
      "the owner has it wait too",
      async () => {
        guesses += 1;
        return (await guess(owner)) === 429;
      },
      SLOW_MS,
    );
    t.ok(guesses < 5, `after ${guesses} of its own: alone it would take six`);
    t.equal((await fleet.node(owner).fetch("/api/v1/me")).status, 200, "others need not");
    t.notMatch(JSON.stringify(written()), /127\.0|failures/, "sealed");
  });

  await t.test("a question is answered at any node, once, by the right of who answers", async (t) => {
    const { clicked, question } = await clickAsked(150, third);
    for (const name of fleet.names) {
      t.same(
        (await approvalsAt(name)).map((one) => one.id),
        [question.id],
        `listed by ${name}, once`,
      );
    }
    const made = await fleet.node(third).fetch("/api/v1/tokens", { name: "looker", role: "viewer" });
    const { token } = newTokenSchema.parse(await made.json());
    const looker = { headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
    const denied = await fleet.node(third).fetch(`/api/v1/approvals/${question.id}`, undefined, {
      ...looker,
      ...{ method: "POST", body: JSON.stringify(yes) },
    });
    t.equal(await codeOf(denied), "permission_denied");
    t.equal(await codeOf(await answer(third, question.id, yes)), "too_early", "nobody saw its picture");
    const picture = await fleet.node(third).fetch(`/api/v1/approvals/${question.id}/picture.png`);
    const { crop } = question;
    const { width, height } = await decodePicture(Buffer.from(await picture.arrayBuffer()));
    t.same({ width, height }, { width: crop?.width, height: crop?.height }, "the picture that is bound");
    t.same(probe.presses(), [], "nothing was done yet");
    await approve(third, question.id);
    t.equal(await clicked, null);
    await until("the click on the desktop", () => probe.presses().length === 1, SLOW_MS);
    t.same(probe.presses(), [{ x: 150, y: 120, button: 1 }]);
    t.equal(await codeOf(await answer(far, question.id, { decision: "deny" })), "not_found", "it is over");
    const audit = JSON.stringify(await (await fleet.node(owner).fetch("/api/v1/audit?limit=200")).json());
    t.match(audit, new RegExp(`"approval.granted".*"via":"${third}"`), "told by the owner");
  });

  await t.test("two nodes that answer at once: one counts, the other is told", async (t) => {
    const { clicked, question } = await clickAsked(160, far);
    const answers = await Promise.all([
      answer(far, question.id, { decision: "deny" }),
      answer(third, question.id, { decision: "deny" }),
      answer(owner, question.id, { decision: "deny" }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses, [200, 404, 404]);
    t.equal(await clicked, "denied_by_human");
    t.equal(probe.presses().length, 1, "and nothing was done");
  });

  await t.test("what is allowed for a while is listed and taken back at any node", async (t) => {
    const { clicked, question } = await clickAsked(170, far);
    await approve(far, question.id, { ...yes, allow_for_ms: 600_000 });
    t.equal(await clicked, null);
    const grantsAt = (name: string) => list(name, "/api/v1/grants", grantSchema);
    const [grant] = await grantsAt(third);
    t.match(grant, { desktop_id: id });
    const revoke = (name: string) =>
      fleet.node(name).fetch(`/api/v1/grants/${grant?.id}`, undefined, {
        method: "DELETE",
        headers: { authorization: `Bearer ${fleet.node(name).adminToken}` },
      });
    t.equal((await revoke(third)).status, 204);
    t.equal((await revoke(far)).status, 404);
    for (const name of fleet.names) t.same(await grantsAt(name), []);
    t.equal(probe.presses().length, 2);
  });

  /** Kills the node that has the desktop; gives who has it then. `look`: what is asked of the others meanwhile. */
  const killed = async (
    by: string,
    look: () => Promise<unknown> = async () => undefined,
  ): Promise<string> => {
    const has = (await fleet.ownerOf(id, by)) ?? "";
    await fleet.node(has).program.stop("SIGKILL");
    return await until(
      "the next node has it",
      async () => {
        await look();
        const next = await fleet.ownerOf(id, by);
        return next === has ? null : next;
      },
      SLOW_MS,
    );
  };

  /** What an agent is told at a node that has it not, as long as all goes on. */
  const updates: string[] = [];
  const uri = `screen://${id}`;
  const listener = new Client(
    { name: "listener", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  t.teardown(() => listener.close());
  await t.test("an agent that listens at one node is told of the screen of another", async (t) => {
    const requestInit = { headers: { authorization: `Bearer ${fleet.node(third).agentToken}` } };
    const at = new URL(`${fleet.node(third).url}/mcp`);
    await listener.connect(new StreamableHTTPClientTransport(at, { requestInit }));
    listener.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updates.push(params.uri);
    });
    await listener.listen({ resourceSubscriptions: [uri] });
    // The stream is open here; the other node hears of it a moment later.
    await until("told of a change", async () => {
      await screen.command("xsetroot", "-solid", updates.length % 2 === 0 ? "#305020" : "#503020");
      return updates.length > 0;
    });
    t.same([...new Set(updates)], [uri]);
  });

  let next = "";
  await t.test(
    "a question that was open when its node died is asked again, and no late yes counts",
    async (t) => {
      const { clicked, question } = await clickAsked(180, third);
      await fleet.node(third).fetch(`/api/v1/approvals/${question.id}/picture.png`);
      const before = updates.length;
      next = await killed(third);
      t.not(await clicked, null, "who waited is told that no yes came");
      t.same(await approvalsAt(third), []);
      t.equal(await codeOf(await answer(third, question.id, yes)), "not_found");
      await until("it is live", () => agent.shot({ connection_id: id }).catch(() => null), SLOW_MS);
      await until("who listens is told of the move", () => updates.length > before, SLOW_MS);
      const moved = updates.length;
      await screen.command("xsetroot", "-solid", "#203050");
      await until("who listens is told by the next node", () => updates.length > moved, SLOW_MS);
      t.same([...new Set(updates)], [uri]);
      t.equal(probe.presses().length, 2, "nothing was granted by the move");
      const { clicked: again, question: anew } = await clickAsked(180, third, question.id);
      await approve(third, anew.id);
      t.equal(await again, null);
      await until("the click on the desktop", () => probe.presses().length === 3, SLOW_MS);
      t.match(probe.presses()[2], { x: 180, y: 120 });
    },
  );

  await t.test("what a person has for themselves is so on the next node as well", async (t) => {
    const [last = ""] = [far, third].filter((name) => name !== next);
    const lone = await fleet.node(last).agent({ token: fleet.node(last).agentToken, name: "last agent" });
    const shot = () => lone.shot({ connection_id: id });
    const askedFor = { kind: "code", reason: "enter the code", private: true, connection_id: id };
    const requestId = String((await lone.call("request_human", askedFor))["request_id"]);
    const requests = () => list(last, "/api/v1/requests", requestSchema);
    t.match(await requests(), [{ id: requestId, state: "open" }], "told by a node that has it not");
    const answerRequest = (body: object) => fleet.node(last).fetch(`/api/v1/requests/${requestId}`, body);
    t.match(await (await answerRequest({ do: "take", private: true })).json(), { is_private: true });
    t.equal(await refusalOf(shot()), "private_time");

    const seen: (string | null)[] = [];
    const look = async (): Promise<boolean> => {
      const refusal = await refusalOf(shot());
      seen.push(refusal);
      return refusal === "private_time";
    };
    t.equal(await killed(last, look), last);
    await until("it says why", look, SLOW_MS);
    t.notOk(seen.includes(null), "no picture on the way");
    t.match(await requests(), [{ id: requestId, state: "taken", is_private: true }]);
    const done = await answerRequest({ do: "done", answer: "4711" });
    t.match(await done.json(), { state: "done", is_private: false });
    const shown = await until("the agent sees it again", () => shot().catch(() => null), SLOW_MS);
    t.equal(differenceOf(shown, await screen.shot()), null, "the X server's own picture");
  });
}
