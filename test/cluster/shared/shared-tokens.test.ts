import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { SharedTokens } from "../../../src/appliance/fleet/shared-tokens.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { TokenStore } from "../../../src/auth/tokens.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { Line } from "./nodes.ts";

t.test("a token is good at every node, and nowhere once any took it back", async (t) => {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32)) => {
    const dir = mkdtempSync(join(tmpdir(), "oc-tokens-"));
    t.teardown(() => rmSync(dir, { recursive: true, force: true }));
    const line = new Line(store);
    const table = new SharedTokens({
      ...{ store: line.store, clock, sealer: SecretBox.by(key) },
      onFailed: (error) => t.error(error),
    });
    await table.open();
    const told: string[] = [];
    const tokens = await TokenStore.open(
      dir,
      clock,
      (change, { name }) => told.push(`${change} ${name}`),
      table,
    );
    tokens.whenRevoked(() => told.push("one is gone"));
    await clock.live(10, 5);
    return { line, tokens, told };
  };
  const [a, b, c] = [await node(), await node(), await node()];
  const { token, info } = await a.tokens.create("agent", "agent", { mayElicit: true });
  t.match(b.tokens.verify(token), { id: info.id, role: "agent", mayElicit: true });
  t.equal(b.tokens.verify(`${token.slice(0, -1)}_`), null);
  t.match(c.tokens.list(), [{ name: "agent" }]);
  const { entries } = await store.list("/overlay-companion/tokens/");
  t.equal(entries.length, 1);
  t.notMatch(entries[0]?.value, token.slice(-43), "no secret of it");
  t.notMatch(entries[0]?.value, "agent", "sealed");

  const stranger = await node("x".repeat(32));
  t.equal(stranger.tokens.verify(token), null, "what cannot be read lets nobody in");

  b.line.isCut = true;
  const refused = b.tokens.revoke(info.id).catch((error: unknown) => error);
  await clock.live(9000, 50);
  t.match(await refused, { code: "not_held" });
  t.match(b.tokens.verify(token), { id: info.id }, "what is known counts on");
  const made = b.tokens.create("other", "agent").catch((error: unknown) => error);
  await clock.live(9000, 50);
  t.match(await made, { code: "not_held" });
  b.line.isCut = false;

  t.equal(await c.tokens.revoke(info.id), true);
  for (const { tokens } of [a, b, c]) {
    t.equal(tokens.verify(token), null);
    t.equal(tokens.has(info.id), false);
  }
  t.equal(await a.tokens.revoke(info.id), false);
  t.same(a.told, ["issued agent", "one is gone"]);
  t.ok(c.told.includes("revoked agent"));
});
