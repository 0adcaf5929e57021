import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import t from "tap";
import { AgentRates } from "../../src/desktop/control/agent-rates.ts";
import { FakeClock } from "../fake-clock.ts";
import { until } from "../support/until.ts";
import { openHouse } from "./fake-house.ts";

const URL_PNG = "/api/v1/desktops/d1/screenshot.png";

t.test("a screenshot answers 304 until something that it shows changed", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const desktop = desktops.get("d1");
  const ask = (query: string, tag?: string) =>
    app.inject({
      url: `${URL_PNG}${query}`,
      headers: { ...bearer("viewer"), ...(tag === undefined ? {} : { "if-none-match": tag }) },
    });
  const first = await ask("");
  t.equal(first.statusCode, 200);
  t.equal(first.headers["content-type"], "image/png");
  t.strictSame([...first.rawPayload], [1, 2, 3, 7]);
  t.equal(first.headers["x-oc-generation"], "7");
  const tag = `${first.headers.etag}`;
  t.match(tag, /^"[A-Za-z0-9_-]{27}"$/);

  const same = await ask("", tag);
  t.equal(same.statusCode, 304);
  t.equal(same.body, "");
  t.equal(same.headers.etag, tag);
  t.equal(desktop.snapshots.length, 1, "nothing was encoded for it");
  t.equal(desktop.refreshes, 1, "the target was asked for what it shows now");
  for (const header of [`W/${tag}`, `"x", ${tag}`, "*"])
    t.equal((await ask("", header)).statusCode, 304, header);
  for (const header of ['"x"', tag.slice(1, -1), ""])
    t.equal((await ask("", header)).statusCode, 200, header);

  t.equal((await ask("?scale=0.5", tag)).statusCode, 200, "another query is another picture");
  const withOverlays = `${(await ask("?overlays=1")).headers.etag}`;
  desktop.scene.draw("o", "me");
  t.equal((await ask("?overlays=1", withOverlays)).statusCode, 200, "an overlay changed it");
  t.equal((await ask("", tag)).statusCode, 304, "but not the one without overlays");
  desktop.generation += 1;
  const changed = await ask("", tag);
  t.equal(changed.statusCode, 200);
  t.not(changed.headers.etag, tag);
});

t.test("tags of different formats and desktops never meet", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  desktops.open("d2");
  const tags = new Set<unknown>();
  for (const id of ["d1", "d2"]) {
    for (const extension of ["png", "jpg", "webp"]) {
      const url = `/api/v1/desktops/${id}/screenshot.${extension}`;
      const answer = await app.inject({ url, headers: bearer("viewer") });
      t.equal(answer.headers["content-type"], `image/${extension === "jpg" ? "jpeg" : extension}`);
      tags.add(answer.headers.etag);
    }
  }
  t.equal(tags.size, 6);
});

t.test("the query becomes the request to the view, as the role may see it", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const query =
    "?x=10&y=20&width=30&height=40&scale=0.5&quality=80&stable_ms=100&overlays=1&cursor=1&cachebuster=9";
  await app.inject({ url: `/api/v1/desktops/d1/screenshot.jpg${query}`, headers: bearer("viewer") });
  await app.inject({ url: URL_PNG, headers: bearer("agent") });
  t.match(desktops.get("d1").snapshots, [
    {
      audience: "viewer",
      region: { x: 10, y: 20, width: 30, height: 40 },
      scale: 0.5,
      quality: 80,
      stableMs: 100,
      withOverlays: true,
      withCursor: true,
      format: "jpeg",
    },
    { audience: "agent", withOverlays: false, withCursor: false, format: "png" },
  ]);
});

t.test("a 304 comes only after the look that refreshes, and after the wait that was asked for", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const desktop = desktops.get("d1");
  const ask = async (role: "agent" | "viewer", query: string): Promise<number> => {
    const { headers } = await app.inject({ url: `${URL_PNG}${query}`, headers: bearer(role) });
    desktop.snapshots.length = 0;
    const again = { ...bearer(role), "if-none-match": `${headers.etag}` };
    return (await app.inject({ url: `${URL_PNG}${query}`, headers: again })).statusCode;
  };
  t.equal(await ask("agent", "?x=5&y=6&width=20&height=20"), 304);
  t.match(desktop.snapshots, [{ audience: "agent", region: { x: 5, y: 6, width: 1, height: 1 } }]);
  t.equal(await ask("viewer", "?stable_ms=100"), 304);
  t.match(desktop.snapshots, [{ stableMs: 100, region: { x: 0, y: 0, width: 1, height: 1 } }]);

  const stale = { ...bearer("agent"), "if-none-match": '"x"' };
  desktop.snapshots.length = 0;
  t.equal((await app.inject({ url: `${URL_PNG}?stable_ms=100`, headers: stale })).statusCode, 200);
  t.equal(desktop.snapshots.length, 2);
  t.equal(desktop.snapshots[1]?.stableMs, undefined, "it does not wait a second time");
});

t.test("queries that make no picture are refused with the field's name", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  const cases = {
    "?x=1": /come together/,
    "?x=1&y=1&width=1": /come together/,
    "?x=-1&y=0&width=1&height=1": /^x: /,
    "?x=0&y=0&width=0&height=1": /^width: /,
    "?x=0&y=0&width=99999&height=1": /^width: /,
    "?x=1e308&y=0&width=1&height=1": /^x: /,
    "?scale=0": /^scale: /,
    "?scale=1.01": /^scale: /,
    "?scale=NaN": /^scale: /,
    "?scale=0.5&scale=0.6": /^scale: /,
    "?quality=101": /^quality: /,
    "?stable_ms=10001": /^stable_ms: /,
    "?overlays=yes": /^overlays: /,
    "?cursor=true": /^cursor: /,
  };
  for (const [query, message] of Object.entries(cases)) {
    const answer = await app.inject({ url: `${URL_PNG}${query}`, headers: bearer("viewer") });
    t.equal(answer.statusCode, 400, query);
    t.match(answer.json(), { error: { code: "invalid_parameters", message } }, query);
  }
  t.equal(desktops.get("d1").snapshots.length, 0);
});

t.test("a desktop without a picture answers 503 target_down", async (t) => {
  const { app, bearer, desktops } = await openHouse(t);
  desktops.get("d1").state = { kind: "connecting", sinceMs: 0 };
  const answer = await app.inject({ url: URL_PNG, headers: bearer("viewer") });
  t.equal(answer.statusCode, 503);
  t.match(answer.json(), { error: { code: "target_down" } });
});

t.test("many screenshots on one connection leave nothing behind on it", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const accepted = once(house.app.server, "connection");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const ask = async (): Promise<number> => {
    const asked = get({
      host: "127.0.0.1",
      port: host.split(":")[1],
      path: URL_PNG,
      agent,
      headers: house.bearer("viewer"),
    });
    const [answer]: IncomingMessage[] = await once(asked, "response");
    answer?.resume();
    if (answer !== undefined) await once(answer, "end");
    return answer?.statusCode ?? 0;
  };
  t.equal(await ask(), 200);
  const [socket]: Socket[] = await accepted;
  const before = socket?.listenerCount("close");
  for (let n = 0; n < 12; n++) t.equal(await ask(), 200);
  t.equal(socket?.listenerCount("close"), before);
});

t.test("who does not read has four pictures at a time, and keeps nobody else from theirs", async (t) => {
  const house = await openHouse(t);
  const desktop = house.desktops.get("d1");
  // More than the system holds for a connection.
  desktop.surplusBytes = 32 * 1024 * 1024;
  const host = await house.listen();
  const opened: Socket[] = [];
  t.teardown(() => {
    for (const socket of opened) socket.destroy();
  });
  for (let i = 0; i < 5; i++) {
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1");
    opened.push(socket);
    const head = [`GET ${URL_PNG} HTTP/1.1`, `host: ${host}`];
    socket.write([...head, `authorization: ${house.bearer("viewer").authorization}`, "", ""].join("\r\n"));
    if (i < 4) await until(`picture ${i + 1}`, () => desktop.snapshots.length === i + 1);
  }
  desktop.surplusBytes = 0;
  const other = await fetch(`http://${host}${URL_PNG}`, { headers: house.bearer("operator") });
  t.equal(other.status, 200);
  t.equal(desktop.snapshots.length, 5, "the fifth of the one waits");
  opened[0]?.destroy();
  await until("the fifth", () => desktop.snapshots.length === 6);
});

t.test(
  "an agent's screenshots are audited and counted as those of its tools are; a person's are not",
  async (t) => {
    const { app, bearer, audited, clock, tokens, token } = await openHouse(t);
    const ask = (role: "agent" | "viewer", tag = "") =>
      app.inject({ url: URL_PNG, headers: { ...bearer(role), "if-none-match": tag } });
    const first = await ask("agent");
    t.match(audited, [
      {
        type: "screenshot.taken",
        actor: { id: tokens.verify(token.agent)?.id, kind: "agent" },
        resource: { kind: "desktop", id: "d1" },
        request: { path: URL_PNG.replace("d1", ":id") },
      },
    ]);
    for (let n = 1; n < 10; n++) t.equal((await ask("agent")).statusCode, 200);
    t.equal(
      (await ask("agent", `${first.headers.etag}`)).statusCode,
      304,
      "what was not delivered costs nothing",
    );
    const refused = await ask("agent");
    t.equal(refused.statusCode, 429, "ten at once");
    t.equal(refused.headers["retry-after"], "1");
    for (let n = 10; n < 60; n++) {
      clock.advance(100);
      t.equal((await ask("agent")).statusCode, 200);
    }
    for (let n = 0; n < 10; n++) {
      clock.advance(100);
      await ask("agent");
    }
    t.equal((await ask("agent")).statusCode, 429, "sixty, and one a second after that");
    for (let n = 0; n < 100; n++) t.equal((await ask("viewer")).statusCode, 200);
  },
);

t.test("what an agent took over MCP counts here too", async (t) => {
  const clock = new FakeClock();
  const rates = new AgentRates(clock, { isOn: true });
  const { app, bearer, tokens, token } = await openHouse(t, { rates });
  const id = tokens.verify(token.agent)?.id ?? "";
  for (let n = 0; n < 10; n++) rates.take("screenshot", { id, role: "agent" }, "d1");
  t.equal((await app.inject({ url: URL_PNG, headers: bearer("agent") })).statusCode, 429);
});

t.test("an agent's other calls over REST take from what its calls over MCP take from", async (t) => {
  const clock = new FakeClock();
  const rates = new AgentRates(clock, { isOn: true, rates: { default: "3/s", overlay: "2/s" } });
  const { app, bearer, tokens, token } = await openHouse(t, { rates });
  const agent = { id: tokens.verify(token.agent)?.id ?? "", role: "agent" };
  const ask = async (url: string, role: "agent" | "viewer" = "agent", method: "DELETE" | "GET" = "GET") =>
    (await app.inject({ method, url, headers: bearer(role) })).statusCode;
  rates.take("default", agent, "d1");
  t.equal(await ask("/api/v1/desktops/d1/overlays"), 200);
  t.equal(await ask("/api/v1/desktops/d1/overlays"), 200);
  const answer = await app.inject({ url: "/api/v1/desktops/d1/overlays", headers: bearer("agent") });
  t.equal(answer.statusCode, 429);
  t.match(answer.headers["retry-after"], /^1$/);
  t.throws(() => rates.take("default", agent, "d1"), { code: "rate_limited" }, "and over MCP");
  t.equal(await ask("/api/v1/desktops"), 200, "what is of no desktop is counted for itself");
  for (const status of [200, 200, 429])
    t.equal(await ask("/api/v1/desktops/d1/overlays", "agent", "DELETE"), status);
  for (let n = 0; n < 30; n++)
    t.equal(await ask("/api/v1/desktops/d1/overlays", "viewer"), 200, "people are not");
  t.equal(await ask(URL_PNG), 200, "a picture is counted as one alone");
});
