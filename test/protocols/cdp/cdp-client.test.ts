import t from "tap";
import { CdpClient, type CdpEvent, type CdpObject } from "../../../src/protocols/cdp/cdp-client.ts";
import { CdpError } from "../../../src/protocols/cdp/error.ts";

interface Rig {
  readonly client: CdpClient;
  readonly sent: CdpObject[];
  readonly events: CdpEvent[];
  /** Every timer that runs goes off. */
  expire(): void;
}

function rig(): Rig {
  const sent: CdpObject[] = [];
  const events: CdpEvent[] = [];
  const timers = new Set<() => void>();
  const client = new CdpClient({
    write: (bytes) => {
      const text = new TextDecoder().decode(bytes);
      if (!text.endsWith("\0")) throw new Error("a message ends with a zero");
      sent.push(JSON.parse(text.slice(0, -1)));
    },
    event: (event) => events.push(event),
    after: (_delayMs, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  });
  const expire = (): void => {
    for (const callback of [...timers]) callback();
  };
  return { client, sent, events, expire };
}

const bytesOf = (...messages: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode(messages.map((message) => `${JSON.stringify(message)}\0`).join(""));

t.test("answers find their calls and events their sessions, in pieces of every size", async (t) => {
  const bytes = bytesOf(
    { method: "Page.screencastFrame", params: { data: "é東" }, sessionId: "S" },
    { id: 2, result: { product: "Chrome/1" } },
    { id: 99, result: {} },
    { id: 1, error: { code: -32000, message: "No target" } },
  );
  for (let size = 1; size <= bytes.length; size++) {
    const { client, sent, events } = rig();
    const refused = t.rejects(client.call("Target.attachToTarget", { targetId: "T" }), {
      code: "refused",
      message: "the browser refused Target.attachToTarget: No target",
    });
    const answered = client.call("Browser.getVersion", {}, "S");
    for (let at = 0; at < bytes.length; at += size) client.receive(bytes.subarray(at, at + size));
    t.same(await answered, { product: "Chrome/1" });
    await refused;
    t.same(events, [{ method: "Page.screencastFrame", params: { data: "é東" }, session: "S" }]);
    t.same(sent, [
      { id: 1, method: "Target.attachToTarget", params: { targetId: "T" } },
      { id: 2, method: "Browser.getVersion", params: {}, sessionId: "S" },
    ]);
  }
});

t.test("what is no message is refused", async (t) => {
  for (const text of ["", "[]", "null", "{", "{}", '{"id":"1"}', "7"]) {
    const { client } = rig();
    t.throws(() => client.receive(new TextEncoder().encode(`${text}\0`)), { code: "bad_data" }, text);
  }
});

t.test("a message without end takes no memory without end", async (t) => {
  const { client } = rig();
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  let taken = 0;
  const feed = (): void => {
    for (; taken < 100; taken++) client.receive(piece);
  };
  t.throws(feed, { code: "too_large" });
  t.equal(taken, 64, "MiB");
});

t.test("a call ends with the time limit, and all of them with the connection", async (t) => {
  const { client, expire } = rig();
  const late = t.rejects(client.call("Page.enable"), { code: "timeout" });
  expire();
  await late;
  const lost = t.rejects(client.call("Page.enable"), CdpError);
  client.close();
  await lost;
  await t.rejects(client.call("Page.enable"), { code: "closed" });
});
