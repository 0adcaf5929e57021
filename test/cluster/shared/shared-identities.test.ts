import { createHash } from "node:crypto";
import t from "tap";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { SharedIdentities } from "../../../src/cluster/shared/shared-identities.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { KnownTargets } from "../../../src/desktop/connections/known-targets.ts";
import { TargetTrust } from "../../../src/desktop/connections/trust-policy.ts";
import { FakeClock } from "../../fake-clock.ts";
import { Line } from "./nodes.ts";

const TARGET = { host: "desk.example", port: 5900, fingerprint: null };
const shown = (text: string) =>
  ({ what: "certificate", bytes: Buffer.from(text), distrust: "self-signed" }) as const;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

async function openNodes(onBug: (error: unknown) => void) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32)) => {
    const line = new Line(store);
    const table = new SharedIdentities({
      ...{ store: line.store, clock, sealer: SecretBox.by(key), onFailed: onBug },
    });
    await table.open();
    const known = new KnownTargets(table);
    return { line, known, trust: new TargetTrust(TARGET, "tofu", known) };
  };
  return { clock, store, node };
}

t.test("what one node saw of a target is what all others want to see", async (t) => {
  const { store, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  await a.trust.judge(shown("one"));
  t.equal(b.trust.needsIdentity, true, "it may not sign us in without proving itself");
  await b.trust.judge(shown("one"));
  t.match(b.trust.identity, { isNew: false }, "believed at first sight elsewhere");
  await t.rejects(b.trust.judge(shown("another")), { code: "cert_mismatch", isFinal: true });
  const late = await node();
  await t.rejects(late.trust.judge(shown("another")), { code: "cert_mismatch" });
  t.equal(await b.known.trustShown("desk.example:5900", sha256("another")), true, "a person believes it");
  await a.trust.judge(shown("another"));
  await t.rejects(a.trust.judge(shown("one")), { code: "cert_mismatch" });
  t.equal(await a.known.forget("desk.example:5900"), true);
  t.equal(b.trust.identity, null);
  t.equal(await a.known.forget("desk.example:5900"), false);
  await b.trust.judge(shown("third"));
  await t.rejects(a.trust.judge(shown("one")), { code: "cert_mismatch" });
  const { entries } = await store.list("/overlay-companion/identities/");
  t.equal(entries.length, 1);
  t.notMatch(entries[0]?.value, sha256("third"), "sealed");
});

t.test("a node that was not told believes nothing at first sight that others know otherwise", async (t) => {
  const { node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  b.line.deafTo = "/identities/";
  await a.trust.judge(shown("one"));
  t.equal(b.trust.identity, null, "it does not know yet");
  await t.rejects(b.trust.judge(shown("another")), { code: "unreachable", isFinal: false });
  await t.rejects(b.trust.judge(shown("another")), { code: "cert_mismatch" }, "now it does");
  await b.trust.judge(shown("one"));
  t.match(b.trust.identity, { isNew: false }, "the other node saw it first");
});

t.test("a node that was not told and sees the same is not the first that does", async (t) => {
  const { node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  b.line.deafTo = "/identities/";
  await a.trust.judge(shown("one"));
  t.match(a.trust.identity, { isNew: true });
  await b.trust.judge(shown("one"));
  t.match(b.trust.identity, { isNew: false });
});

t.test("nothing is believed at first sight that cannot be kept, or read", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const a = await node();
  a.line.isCut = true;
  const judged = a.trust.judge(shown("one")).catch((error: unknown) => error);
  await clock.live(6000, 20);
  t.match(await judged, { code: "unreachable", isFinal: false });
  t.equal(a.trust.identity, null);
  a.line.isCut = false;
  await a.trust.judge(shown("one"));
  const stranger = await node("x".repeat(32));
  await t.rejects(stranger.trust.judge(shown("one")), { code: "unreachable" });
});
