import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { TargetReach } from "../../../src/desktop/connections/target-guard.ts";
import { guardedTransfer, keptConnections } from "../../../src/desktop/links/guarded-transfer.ts";

const REACH: TargetReach = { only: [], deny: [], own: [] };

/** An HTTP server on loopback, by its port. */
async function serve(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
  return address.port;
}

function put(
  port: number,
  body: readonly Uint8Array[],
  { reach = REACH, signal = new AbortController().signal } = {},
) {
  const url = `http://127.0.0.1:${port}/a/b?c=d`;
  return guardedTransfer({ url, method: "PUT", headers: { "x-told": "yes" }, body, signal }, reach);
}

t.test("all chunks of a body arrive, with their length, and the answer is read as it comes", async (t) => {
  const port = await serve(t, async (request, answer) => {
    const got = await text(request);
    const { "content-length": length, "x-told": told } = request.headers;
    answer
      .writeHead(207, { etag: "e" })
      .end(`${request.method} ${request.url} ${length} ${told} ${got.length}`);
  });
  const chunks = Array.from({ length: 40 }, () => Buffer.alloc(100_000, "a"));
  const { status, headers, body } = await put(port, chunks);
  t.match({ status, headers }, { status: 207, headers: { etag: "e" } });
  t.equal(await text(body), "PUT /a/b?c=d 4000000 yes 4000000");
  t.equal(await text((await put(port, [])).body), "PUT /a/b?c=d 0 yes 0");
});

t.test(
  "one that is cut off in the middle of what is sent is an error, and so is one that is not there",
  async (t) => {
    const port = await serve(t, (request) => {
      request.once("data", () => request.socket.destroy());
    });
    const chunks = Array.from({ length: 200 }, () => Buffer.alloc(100_000));
    await t.rejects(put(port, chunks), {
      name: "GuardError",
      isForbidden: false,
      message: /^cannot be reached: E/,
    });
    await t.rejects(put(1, chunks), { name: "GuardError", message: "cannot be reached: ECONNREFUSED" });
  },
);

t.test("an answer that breaks off fails where it is read", async (t) => {
  const port = await serve(t, (request, answer) => {
    request.resume();
    answer.writeHead(200, { "content-length": "100" }).write("some");
    setImmediate(() => request.socket.destroy());
  });
  const { body } = await put(port, []);
  await t.rejects(text(body));
});

t.test("who refuses before all has come is heard", async (t) => {
  const port = await serve(
    t,
    (_request, answer) => void answer.writeHead(403, { connection: "close" }).end("no"),
  );
  const { status, body } = await put(port, [Buffer.alloc(100)]);
  t.equal(status, 403);
  t.equal(await text(body), "no");
});

t.test("nothing is sent to where no desktop may be, nor to ourselves", async (t) => {
  let asked = 0;
  const port = await serve(t, (_request, answer) => {
    asked++;
    answer.end();
  });
  const own = put(port, [], { reach: { ...REACH, own: [{ port }] } });
  await t.rejects(own, { name: "GuardError", isForbidden: true, message: "lies where nothing is sent to" });
  const cloud = { url: "http://169.254.169.254/", method: "GET", headers: {}, body: [] };
  await t.rejects(guardedTransfer({ ...cloud, signal: new AbortController().signal }, REACH), {
    name: "GuardError",
    isForbidden: true,
  });
  t.equal(asked, 0);
});

t.test("what is given up ends", async (t) => {
  const port = await serve(t, () => undefined);
  const controller = new AbortController();
  const sent = put(port, [], { signal: controller.signal });
  setImmediate(() => controller.abort());
  await t.rejects(sent, { name: "GuardError" });
  await t.rejects(put(port, [], { signal: controller.signal }), { name: "GuardError" });
});

t.test(
  "a kept connection that is closed as it is used again is asked once more, what is done once is not",
  async (t) => {
    const asked: string[] = [];
    const sockets = new Map<unknown, number>();
    const port = await serve(t, (request, answer) => {
      request.resume();
      const nth = (sockets.get(request.socket) ?? 0) + 1;
      sockets.set(request.socket, nth);
      asked.push(`${request.method} ${nth}`);
      if (nth > 1) request.socket.resetAndDestroy();
      else answer.end("yes");
    });
    const kept = keptConnections();
    t.teardown(() => kept.close());
    const send = async (method: string): Promise<string> => {
      const { signal } = new AbortController();
      const transfer = {
        url: `http://127.0.0.1:${port}/`,
        method,
        headers: {},
        body: [Buffer.alloc(10)],
        signal,
      };
      return text((await guardedTransfer(transfer, REACH, undefined, kept)).body);
    };
    t.equal(await send("PUT"), "yes");
    t.equal(await send("PUT"), "yes");
    t.same(asked, ["PUT 1", "PUT 2", "PUT 1"], "by one more request, on a connection of its own");
    t.equal(await send("PUT"), "yes");
    t.equal(await send("POST"), "yes");
    t.same(asked.slice(3), ["PUT 1", "POST 1"]);
  },
);
