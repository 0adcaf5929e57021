import { once } from "node:events";
import { connect, type Socket } from "node:net";
import Fastify from "fastify";
import t from "tap";
import { readBodiesInTurns } from "../../../src/web/http/body-turns.ts";
import { openHouse } from "../fake-house.ts";

const LARGE = Buffer.from(JSON.stringify({ protocol: "vnc", host: "h", surplus: "x".repeat(300_000) }));

t.test("of one caller four large bodies are read at a time, small ones wait for none", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const head = (role: "admin" | "operator", length: number): string =>
    [
      "POST /api/v1/desktops HTTP/1.1",
      `host: ${host}`,
      `authorization: ${house.bearer(role).authorization}`,
      "content-type: application/json",
      `content-length: ${length}`,
      "",
      "",
    ].join("\r\n");
  const opened: Socket[] = [];
  t.teardown(() => {
    for (const socket of opened) socket.destroy();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1");
    opened.push(socket);
    await once(socket, "connect");
    return socket;
  };
  const ask = async (role: "admin" | "operator", body: Buffer): Promise<Socket> => {
    const socket = await open();
    socket.write(head(role, body.length));
    socket.write(body);
    return socket;
  };
  const answer = async (socket: Socket): Promise<string> => {
    const [bytes]: unknown[] = await once(socket, "data");
    return String(bytes).split("\r\n", 1)[0] ?? "";
  };
  const begun: Socket[] = [];
  for (let i = 0; i < 4; i++) {
    const socket = await open();
    socket.write(head("admin", LARGE.length));
    // All but its end: it is being read.
    socket.write(LARGE.subarray(0, LARGE.length - 1));
    begun.push(socket);
  }
  // Asked later on the same server: by then the four have their turns.
  t.match(await answer(await ask("admin", Buffer.from("{}"))), /^HTTP\/1.1 400/);
  const fifth = await ask("admin", LARGE);
  let isAnswered = false;
  const answered = answer(fifth).then((status) => {
    isAnswered = true;
    return status;
  });
  t.match(await answer(await ask("operator", LARGE)), /^HTTP\/1.1 40/, "another caller's is read");
  t.match(await answer(await ask("admin", Buffer.from("{}"))), /^HTTP\/1.1 400/);
  t.notOk(isAnswered, "it waits for one of the four");
  begun[2]?.destroy();
  t.match(await answered, /^HTTP\/1.1 400/);
  begun[0]?.write(LARGE.subarray(LARGE.length - 1));
  t.match(await answer(begun[0] ?? fifth), /^HTTP\/1.1 400/);
});

t.test("who went away before the turn came holds none", async (t) => {
  const app = Fastify();
  const gone: Promise<unknown>[] = [];
  app.decorateRequest("credential", null);
  app.addHook("onRequest", async (request, reply) => {
    Object.assign(request, { credential: { principal: { id: "ann" } } });
    if (request.headers["x-late"] === undefined) return;
    const { socket } = request.raw;
    const closed = once(reply.raw, "close");
    socket.destroy();
    gone.push(closed);
    await closed;
  });
  readBodiesInTurns(app);
  app.post("/", async () => "read");
  t.teardown(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const body = JSON.stringify("x".repeat(100_000));
  const headers = { "content-type": "application/json" };
  for (let i = 0; i < 4; i++) {
    await t.rejects(fetch(url, { method: "POST", headers: { ...headers, "x-late": "1" }, body }));
  }
  await Promise.all(gone);
  t.equal(gone.length, 4);
  const answer = await fetch(url, { method: "POST", headers, body });
  t.equal(await answer.text(), "read");
});
