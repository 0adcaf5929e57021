import t, { type Test } from "tap";
import { WebSocket } from "ws";
import * as z from "zod";
import { BRIDGE_PATH, EXTENSION_ORIGIN, SUBPROTOCOL } from "../../src/browser/wire/calls.ts";
import { parsePairingLink } from "../../src/browser/wire/pairing-link.ts";
import { proofOf } from "../../src/browser/wire/proof.ts";
import { browserInfoSchema, newPairingSchema } from "../../src/web/api/browsers-api.ts";
import { NONCE } from "../browser/fake-extension.ts";
import { type House, openHouse, SocketPeer } from "./fake-house.ts";

const PAIRINGS = "/api/v1/browsers/pairings";

async function makePairing(house: House, body: object = {}) {
  const headers = house.bearer("admin");
  return await house.app.inject({ method: "POST", url: PAIRINGS, headers, payload: body });
}

/** The status that an upgrade is answered with; 101 where it is let in. */
function statusOf(
  t: Test,
  url: string,
  headers: Record<string, string>,
  protocols: string[],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocols, { headers });
    t.teardown(() => socket.terminate());
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", (error) => {
      if (!/Unexpected server response/.test(error.message)) reject(error);
    });
  });
}

const helloSchema = z.object({ type: z.literal("hello"), nonce: z.string() });

t.test("administrators pair browsers, list them and remove them", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const made = await fetch(`http://${host}${PAIRINGS}`, { method: "POST", headers: house.bearer("admin") });
  t.equal(made.status, 201);
  t.equal(made.headers.get("cache-control"), "no-store");
  const { link } = newPairingSchema.strict().parse(await made.json());
  const { url, id, code } = parsePairingLink(link);
  t.equal(url, `ws://${host}${BRIDGE_PATH}`);
  t.match(house.audited.at(-1), { type: "browser.pairing_made", action: "every agent" });
  t.notMatch(house.log(), code);

  const peer = new SocketPeer(t, url, { origin: EXTENSION_ORIGIN }, [SUBPROTOCOL]);
  const { nonce: serverNonce } = helloSchema.parse(await peer.next());
  const mac = await proofOf(code, "extension", { keyId: id, serverNonce, extensionNonce: NONCE, url });
  const told = { nonce: NONCE, url, mac, version: "1", browser: "Test 1\u202e" };
  peer.socket.send(JSON.stringify({ type: "pair", key_id: id, ...told }));
  const welcome = z.object({ key_id: z.string(), server: z.literal("House") }).parse(await peer.next());
  for (const [role, isTold] of [
    ["admin", true],
    ["agent", true],
  ] as const) {
    const health = await house.app.inject({ url: "/health", headers: house.bearer(role) });
    t.match(health.json(), { extensionConnected: isTold }, role);
  }
  const listed = await house.app.inject({ url: "/api/v1/browsers", headers: house.bearer("admin") });
  const [browser] = z.array(browserInfoSchema.strict()).parse(JSON.parse(listed.body));
  t.match(browser, {
    id: welcome.key_id,
    name: "Test 1",
    is_connected: true,
    shared_tabs: 0,
    agent_id: null,
  });

  const remove = () =>
    house.app.inject({
      method: "DELETE",
      url: `/api/v1/browsers/${welcome.key_id}`,
      headers: house.bearer("admin"),
    });
  t.equal((await remove()).statusCode, 204);
  t.equal(await peer.closed, 4005);
  t.equal((await remove()).statusCode, 404);
  const zip = await house.app.inject({ url: "/browser-extension.zip", headers: house.bearer("viewer") });
  t.match(zip.headers, { "content-type": "application/zip" });
});

t.test("a browser is paired for one token, which must be there", async (t) => {
  const house = await openHouse(t);
  t.equal((await makePairing(house, { agent_id: "nobody" })).statusCode, 404);
  const [token] = house.tokens.list();
  t.equal((await makePairing(house, { agent_id: token?.id })).statusCode, 201);
  t.equal((await makePairing(house, { agents: [] })).statusCode, 400);
});

t.test("only the extension, dialling a name of ours, is let in", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const url = `ws://${host}${BRIDGE_PATH}`;
  const status = (headers: Record<string, string>, protocols = [SUBPROTOCOL]) =>
    statusOf(t, url, headers, protocols);
  t.equal(await status({ origin: EXTENSION_ORIGIN }), 101);
  const id = EXTENSION_ORIGIN.slice("chrome-extension://".length);
  const origins = [
    ...[
      "http://evil.example",
      "https://evil.example",
      `http://${host}`,
      `https://${host}`,
      "null",
      "file://",
      "data:",
    ],
    ...["chrome-extension://", "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", `${EXTENSION_ORIGIN}/`],
    ...[
      `${EXTENSION_ORIGIN}.evil.example`,
      `http://${id}`,
      `moz-extension://${id}`,
      `edge-extension://${id}`,
    ],
    ...[
      `${EXTENSION_ORIGIN}:80`,
      ` ${id}`,
      EXTENSION_ORIGIN.toUpperCase(),
      `${EXTENSION_ORIGIN},http://evil.example`,
    ],
    ...["http://localhost", "http://127.0.0.1", "chrome://extensions", "devtools://devtools", "about:blank"],
    ...[`chrome-extension://${id.slice(1)}`, `chrome-extension://x${id}`, "app://x", "ws://127.0.0.1"],
  ];
  for (const origin of origins) t.equal(await status({ origin }), 403, origin);
  t.equal(await status({}), 403, "no origin");
  const port = host.split(":")[1];
  const hosts = [
    ...[
      "evil.example",
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      "localhost.evil.example",
      "10.0.0.1",
    ],
    ...[
      `0.0.0.0:${port}`,
      "169.254.169.254",
      "[::ffff:10.0.0.1]",
      `evil.example@127.0.0.1:${port}`,
      "127.0.0.1:x",
    ],
  ];
  for (const name of hosts) t.equal(await status({ origin: EXTENSION_ORIGIN, host: name }), 403, name);
  t.equal(await status({ origin: EXTENSION_ORIGIN }, ["binary"]), 426, "another protocol");
  t.ok(origins.length + hosts.length + 1 >= 38);
  const other = `ws://${host}/ws/events`;
  const bearer = house.bearer("admin");
  t.equal(
    await statusOf(t, other, { origin: EXTENSION_ORIGIN, ...bearer }, []),
    403,
    "it opens nothing else",
  );
});

t.test("a relay is noticed, whatever Host header it sends", async (t) => {
  const house = await openHouse(t);
  const host = await house.listen();
  const made = await fetch(`http://${host}${PAIRINGS}`, { method: "POST", headers: house.bearer("admin") });
  const { id, code } = parsePairingLink(newPairingSchema.parse(await made.json()).link);
  // What the extension dialled is a squatter on another port, which relays with the header that it was sent.
  const url = `ws://127.0.0.1:1${BRIDGE_PATH}`;
  const peer = new SocketPeer(
    t,
    `ws://${host}${BRIDGE_PATH}`,
    { origin: EXTENSION_ORIGIN, host: "127.0.0.1:1" },
    [SUBPROTOCOL],
  );
  const { nonce: serverNonce } = helloSchema.parse(await peer.next());
  const mac = await proofOf(code, "extension", { keyId: id, serverNonce, extensionNonce: NONCE, url });
  peer.socket.send(
    JSON.stringify({ type: "pair", key_id: id, nonce: NONCE, url, mac, version: "1", browser: "x" }),
  );
  t.match(await peer.next(), { type: "denied", reason: /another address/ });
  t.equal(await peer.closed, 4003);
});
