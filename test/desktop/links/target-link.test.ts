import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import {
  type ConnectionInput,
  connectionFromUrl,
  makeConnection,
} from "../../../src/desktop/connections/connection.ts";
import type { Decoding } from "../../../src/desktop/connections/connection-fields.ts";
import { FileConnectionStore } from "../../../src/desktop/connections/connection-store.ts";
import { decodingThread } from "../../../src/desktop/links/target-link.ts";

function threadOf(input: Omit<ConnectionInput, "host">, decoding?: Decoding): string {
  const wish = decoding === undefined ? {} : { decoding };
  return decodingThread(makeConnection({ host: "desk", ...input, ...wish }, new Date(0)));
}

t.test("RDP is decoded in a thread, whatever was asked", async (t) => {
  const rdp = { protocol: "rdp", username: "ada", password: "secret" } as const;
  for (const wish of [undefined, "auto", "main", "worker"] as const) t.equal(threadOf(rdp, wish), "worker");
});

t.test("VNC and KasmVNC are decoded on the main thread, unless a thread is asked for", async (t) => {
  for (const protocol of ["vnc", "kasmvnc"] as const) {
    for (const wish of [undefined, "auto", "main"] as const) t.equal(threadOf({ protocol }, wish), "main");
    t.equal(threadOf({ protocol }, "worker"), "worker");
  }
});

t.test("who comes to us stays, whom a repeater brings may have a thread", async (t) => {
  const reverse = { protocol: "vnc", transport: "reverse" } as const;
  for (const wish of [undefined, "auto", "worker"] as const) t.equal(threadOf(reverse, wish), "main");
  const repeated = { protocol: "vnc", transport: "repeater", repeater_id: "7" } as const;
  t.equal(threadOf(repeated), "main");
  t.equal(threadOf(repeated, "worker"), "worker");
});

t.test("a URL says where, and the wish is kept on disk", async (t) => {
  t.equal(connectionFromUrl("vnc://desk?decoding=worker").decoding, "worker");
  t.equal(connectionFromUrl("vnc+ws://desk/path?decoding=main&x=1").path, "/path?x=1");
  t.throws(() => connectionFromUrl("vnc://desk?decoding=elsewhere"), {
    code: "invalid_parameters",
    message: /got decoding "elsewhere", expected one of auto, worker, main/,
  });
  const folder = mkdtempSync(join(tmpdir(), "oc-decoding-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const sealer = { seal: (secret: string) => secret, open: (sealed: string) => sealed };
  const store = new FileConnectionStore(join(folder, "connections.json"), sealer);
  const connection = makeConnection(connectionFromUrl("vnc://desk?decoding=worker"), new Date(0));
  await store.save([connection]);
  t.same(await store.load(), [connection]);
});
