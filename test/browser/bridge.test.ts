import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type BrowserChange, Browsers } from "../../src/browser/browsers.ts";
import { Pairings } from "../../src/browser/pairings.ts";
import { isAllowedMethod, METHODS } from "../../src/browser/wire/calls.ts";
import { formatPairingLink, parsePairingLink } from "../../src/browser/wire/pairing-link.ts";
import { framesOf, MOST_MESSAGE_BYTES } from "../../src/browser/wire/pieces.ts";
import { isSameProof, proofOf } from "../../src/browser/wire/proof.ts";
import { FakeClock } from "../fake-clock.ts";
import { DIALLED, FakeExtension, joined } from "./fake-extension.ts";

interface Bridge {
  readonly browsers: Browsers;
  readonly clock: FakeClock;
  readonly dir: string;
  readonly changes: BrowserChange[];
  dial(url?: string): FakeExtension;
  /** A browser that is paired and connected, and its key. */
  paired(agentId?: string | null): Promise<{ extension: FakeExtension; id: string; key: string }>;
}

async function openBridge(t: Test, dir = mkdtempSync(join(tmpdir(), "oc-bridge-"))): Promise<Bridge> {
  const clock = new FakeClock();
  const changes: BrowserChange[] = [];
  const browsers = new Browsers({
    ...{ pairings: await Pairings.open(dir, clock), clock, serverName: "Test" },
    onBug: (error) => t.fail(String(error)),
    changed: (change) => changes.push(change),
  });
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const dial = (url = DIALLED): FakeExtension => {
    const extension = new FakeExtension();
    extension.accepted = browsers.accept(extension.socket, url);
    return extension;
  };
  return {
    ...{ browsers, clock, dir, changes, dial },
    async paired(agentId = null) {
      const { id, code } = browsers.issue(DIALLED, agentId);
      const extension = dial();
      const handshake = await extension.introduce("pair", id, code);
      await extension.accepted;
      const welcome = extension.newest("welcome");
      return { extension, id: String(welcome?.["key_id"]), key: await proofOf(code, "key", handshake) };
    },
  };
}

const EVERYBODY = { id: "an-agent" };

t.test("a code pairs one browser once, and what is kept then opens it again", async (t) => {
  const { browsers, changes, dial, dir } = await openBridge(t);
  const { id, code } = browsers.issue(DIALLED, null);
  const first = dial();
  const handshake = await first.introduce("pair", id, code);
  await first.accepted;
  const welcome = first.newest("welcome");
  t.ok(
    isSameProof(await proofOf(code, "server", handshake), String(welcome?.["mac"])),
    "the server proves itself too",
  );
  t.notOk(JSON.stringify(first.said).includes(code), "no secret crosses the wire");
  t.same(changes, ["paired", "connected"]);
  t.match(browsers.all, [{ name: "Test 1 on Linux", isConnected: true, sharedTabs: 0 }]);

  const replayed = dial();
  await replayed.introduce("pair", id, code);
  await replayed.accepted;
  t.match(replayed.newest("denied"), { reason: /unknown, used or too old/ });
  t.equal(replayed.closed?.code, 4003);

  const keyId = String(welcome?.["key_id"]);
  const key = await proofOf(code, "key", handshake);
  t.match(readFileSync(join(dir, "browsers.json"), "utf8"), key);
  t.equal(statSync(join(dir, "browsers.json")).mode & 0o777, 0o600);
  const again = dial();
  await again.introduce("auth", keyId, key);
  await again.accepted;
  t.ok(again.newest("welcome"));
  t.match(first.closed, { code: 4002 }, "the same browser has one socket");
  t.equal(browsers.all.length, 1);
});

t.test("who cannot prove what they say is denied, and a code is used up by any try", async (t) => {
  const { browsers, dial, clock, changes } = await openBridge(t);
  const denied = async (extension: FakeExtension, reason: RegExp): Promise<void> => {
    await extension.accepted;
    t.match(extension.newest("denied"), { reason });
    t.equal(extension.closed?.code, 4003);
  };
  const wrong = browsers.issue(DIALLED, null);
  const guess = dial();
  await guess.introduce("pair", wrong.id, "AAAAAAAAAAAAAAAAAAAAAA");
  await denied(guess, /does not hold/);
  const late = dial();
  await late.introduce("pair", wrong.id, wrong.code);
  await denied(late, /unknown, used/);

  const old = browsers.issue(DIALLED, null);
  clock.advance(10 * 60_000 + 1);
  const tooLate = dial();
  await tooLate.introduce("pair", old.id, old.code);
  await denied(tooLate, /too old/);

  const relayed = browsers.issue(DIALLED, null);
  // The extension dialled a squatter on the paired port, which relays to where the server truly is.
  const squatted = dial("ws://127.0.0.1:3001/ws/browser");
  await squatted.introduce("pair", relayed.id, relayed.code);
  await denied(squatted, /another address/);
  const forged = browsers.issue(DIALLED, null);
  const relay = dial("ws://127.0.0.1:3001/ws/browser");
  await relay.introduce("pair", forged.id, forged.code, { told: { url: "ws://127.0.0.1:3001/ws/browser" } });
  await denied(relay, /does not hold/);

  const replay = dial();
  const noncePair = browsers.issue(DIALLED, null);
  await replay.introduce("pair", noncePair.id, noncePair.code, { serverNonce: "AAAAAAAAAAAAAAAAAAAAAA" });
  await denied(replay, /does not hold/);

  for (const nonsense of [
    "{",
    "[]",
    '{"type":"pair"}',
    "x".repeat(3000),
    JSON.stringify({ id: "1", success: true }),
  ]) {
    const stranger = dial();
    stranger.say(nonsense);
    await denied(stranger, /expected the proof/);
  }
  const silent = dial();
  clock.advance(5001);
  await denied(silent, /expected the proof/);
  t.same(browsers.all, []);
  t.ok(changes.every((change) => change === "denied"));
});

t.test("several browsers are connected at once, each for whom it was paired", async (t) => {
  const bridge = await openBridge(t);
  const one = await bridge.paired();
  const two = await bridge.paired("claude");
  t.equal(one.extension.closed, null, "nobody evicts another");
  t.equal(bridge.browsers.all.filter(({ isConnected }) => isConnected).length, 2);
  const idsOf = (user: { id: string; desktops?: string[] }) =>
    bridge.browsers.of(user).map(({ pairing }) => pairing.id);
  t.same(idsOf({ id: "claude" }), [one.id, two.id]);
  t.same(idsOf(EVERYBODY), [one.id]);
  t.same(
    idsOf({ id: "claude", desktops: ["d1"] }),
    [two.id],
    "who is for certain desktops has only their own",
  );
  t.notOk(bridge.browsers.hasFor({ id: "x", desktops: ["d1"] }));

  two.extension.say({ event: "shared", tabs: [7] });
  const short = two.id.slice(0, 6);
  t.throws(
    () => bridge.browsers.page(EVERYBODY, `${short}-7`),
    { code: "tab_unknown" },
    "as one that is not there",
  );
  t.equal(bridge.browsers.page({ id: "claude" }, `${short}-7`).number, 7);
  t.throws(() => bridge.browsers.page({ id: "claude" }, `${short}-8`), { code: "tab_not_shared" });
  two.extension.say({ event: "shared", tabs: [] });
  t.throws(() => bridge.browsers.page({ id: "claude" }, `${short}-7`), { code: "tab_not_shared" });
  two.extension.hangUp();
  t.throws(() => bridge.browsers.page({ id: "claude" }, `${short}-7`), { code: "browser_away" });
  t.ok(await bridge.browsers.unpair(one.id));
  t.equal(one.extension.closed?.code, 4005);
  t.notOk(await bridge.browsers.unpair(one.id));
  const gone = bridge.dial();
  await gone.introduce("auth", one.id, one.key);
  await gone.accepted;
  t.match(gone.newest("denied"), { reason: /not paired any more/ });
});

t.test("a call has an id, a limit, and one answer", async (t) => {
  const bridge = await openBridge(t);
  const { extension, id } = await bridge.paired();
  const peer = bridge.browsers.of(EVERYBODY).find(({ pairing }) => pairing.id === id)?.peer;
  if (!peer) throw new Error("no peer");
  const first = peer.call("tabs", {});
  const asked = extension.newest("tabs");
  extension.say({ id: "of nobody", success: true, result: 1 });
  extension.say({ id: asked?.["id"], success: true, result: { tabs: [] } });
  extension.say({ id: asked?.["id"], success: true, result: "again" });
  t.same(await first, { tabs: [] });

  const tree = peer.tree(1, null, { frameId: "F" });
  const treeId = extension.newest("cdp")?.["id"];
  extension.say({ id: treeId, nodes: [{ nodeId: "1", role: "button", name: "Save" }] });
  extension.say({ id: treeId, nodes: [{ nodeId: "2" }] });
  extension.say({ id: treeId, success: true, result: {} });
  t.match(await tree, { nodes: [{ nodeId: "1", name: "Save" }, { nodeId: "2" }], left: 0 });

  const refused = peer.call("attach", { tab_id: 1 });
  const refusal = { code: "not_shared", message: "the tab is not shared" };
  extension.say({ id: extension.newest("attach")?.["id"], success: false, error: refusal });
  await t.rejects(refused, { code: "tab_not_shared" });

  const slow = peer.call("tabs", {});
  bridge.clock.advance(30_000);
  await t.rejects(slow, { code: "browser_timeout" });
  t.ok(extension.newest("ping"), "it is kept awake");

  const abort = new AbortController();
  const left = peer.call("tabs", {}, abort.signal);
  abort.abort(new Error("the caller left"));
  await t.rejects(left, /the caller left/);

  const lost = peer.call("tabs", {});
  extension.hangUp();
  await t.rejects(lost, { code: "browser_away" });
  await t.rejects(peer.call("tabs", {}), { code: "browser_away" });
});

t.test("what breaks the protocol ends the socket, and long messages come in pieces", async (t) => {
  const bridge = await openBridge(t);
  const broken = async (break_: (extension: FakeExtension) => void): Promise<void> => {
    const { extension } = await bridge.paired();
    break_(extension);
    t.equal(extension.closed?.code, 4004);
  };
  await broken((extension) => extension.say("{"));
  await broken((extension) => extension.say({ event: "shared", tabs: ["1"] }));
  await broken((extension) => extension.say({ what: 1 }));
  await broken((extension) => extension.frame(new Uint8Array([7, 1])));
  await broken((extension) => extension.frame(new Uint8Array()));
  await broken((extension) => {
    extension.frame(new Uint8Array([0, 123]));
    extension.say({ type: "pong" });
  });
  await broken((extension) => {
    const piece = new Uint8Array(60_000);
    for (let bytes = 0; bytes <= MOST_MESSAGE_BYTES + 120_000; bytes += piece.length) extension.frame(piece);
  });
  await broken((extension) => {
    for (let count = 0; count < 4100; count++) extension.say({ type: "pong" });
  });

  const { extension, id } = await bridge.paired();
  const peer = bridge.browsers.of(EVERYBODY).find(({ pairing }) => pairing.id === id)?.peer;
  const call = peer?.call("tabs", {});
  const long = "Ω".repeat(100_000);
  const frames = framesOf(
    JSON.stringify({ id: extension.newest("tabs")?.["id"], success: true, result: long }),
  );
  t.ok(frames !== null && frames.length > 3 && frames.every(({ length }) => length <= 60_000));
  for (const frame of frames ?? []) extension.frame(frame);
  t.equal(await call, long);
  t.equal(joined(framesOf(long) ?? []), long);
  t.equal(framesOf("x".repeat(MOST_MESSAGE_BYTES + 1)), null);

  extension.bufferedBytes = 17 * 1024 * 1024;
  const unread = peer?.call("tabs", {});
  t.equal(extension.closed?.code, 1006, "who does not read is cut off");
  await t.rejects(unread ?? Promise.resolve(), { code: "browser_away" });
});

t.test("pairings outlive the server, and only so many are kept", async (t) => {
  const bridge = await openBridge(t);
  const { id, key } = await bridge.paired();
  const later = await openBridge(t, bridge.dir);
  t.match(later.browsers.all, [{ id, isConnected: false }]);
  const extension = later.dial();
  await extension.introduce("auth", id, key);
  await extension.accepted;
  t.ok(extension.newest("welcome"));
  t.match(later.changes, ["connected"]);
});

t.test("a pairing link carries what it was given, and says what is wrong with another", async (t) => {
  const link = { url: DIALLED, id: "AAAAAAAAAAAAAAAAAAAAAA", code: "BBBBBBBBBBBBBBBBBBBBBB" };
  t.same(parsePairingLink(`  ${formatPairingLink(link)}\n`), link);
  for (const url of [
    "ws://localhost:3000/ws/browser",
    "ws://[::1]:3000/ws/browser",
    "wss://host.example/ws/browser",
  ]) {
    t.equal(parsePairingLink(formatPairingLink({ ...link, url })).url, url);
  }
  const fault = (text: string, words: RegExp): void => void t.throws(() => parsePairingLink(text), words);
  fault("http://example.org", /no pairing link/);
  fault(`vf://${"A".repeat(3000)}`, /no pairing link/);
  fault(formatPairingLink(link).slice(0, 40), /cut off/);
  fault("vf://%%%", /cut off/);
  for (const url of ["ws://host.example/ws/browser", "ws://127.0.0.1.example/ws/browser"]) {
    fault(formatPairingLink({ ...link, url }), /speaks no TLS/);
  }
  for (const url of [
    "wss://a.example/other",
    "wss://a.example/ws/browser?x=1",
    "wss://u:p@a.example/ws/browser",
  ]) {
    fault(formatPairingLink({ ...link, url }), /names no bridge/);
  }
});

t.test("nothing that reads cookies, storage, the network or other tabs is among the methods", async (t) => {
  t.notMatch(
    METHODS.join(" "),
    /Network|Storage|Cookie|Browser\.|Target\.(get|create)|Fetch|Runtime\.enable|setFileInput/,
  );
  t.notOk(isAllowedMethod("Network.getAllCookies"));
  t.notOk(isAllowedMethod("constructor"));
});
