import t from "tap";
import { SharedSignOuts } from "../../../src/appliance/fleet/shared-sign-outs.ts";
import { AccessTokens } from "../../../src/auth/oidc/access-tokens.ts";
import { ProviderKeys } from "../../../src/auth/oidc/provider-keys.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { Line } from "../../cluster/shared/nodes.ts";
import { FakeClock } from "../../fake-clock.ts";

const KEYS = "/overlay-companion/sign-outs/";
const HOUR_MS = 3_600_000;
const ISSUER = "https://login.example.com";
/** An agent of hers. */
const ADA = { id: "mcp:ada|client", name: "Ada, by client", role: "agent", owner: "oidc:ada" } as const;

async function openNodes() {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32)) => {
    const line = new Line(store);
    const faults: unknown[] = [];
    const onFailed = (error: unknown): void => void t.error(error);
    const onFault = (error: unknown): void => void faults.push(error);
    const sealer = SecretBox.by(key);
    const shared = new SharedSignOuts({ store: line.store, clock, sealer, onFailed, onFault });
    await shared.open();
    const tokens = new AccessTokens(
      {
        ...{ resource: "https://desk.example.com/mcp", issuer: ISSUER, scopes: [], clockSkewS: 0 },
        rule: { claim: "groups", roles: {}, desktops: {} },
      },
      {
        issuer: async () => ISSUER,
        keys: new ProviderKeys(async () => `${ISSUER}/keys`, clock),
        clock,
      },
      shared,
    );
    let checks = 0;
    tokens.whenSignedOut(() => checks++);
    return {
      line,
      shared,
      tokens,
      faults,
      isOver: (atS: number) => tokens.isOver(ADA, atS),
      checks: () => checks,
    };
  };
  const entries = async () => (await store.list(KEYS)).entries;
  return { clock, node, entries };
}

t.test(
  "what a person's agents were given counts at no node once one is told that they signed out",
  async (t) => {
    const { clock, node, entries } = await openNodes();
    const [a, b, c] = [await node(), await node(), await node()];
    for (const one of [a, b, c]) t.notOk(one.isOver(1000));
    await a.tokens.signedOut("oidc:ada", 1000);
    t.ok(a.isOver(1000), "here at once");
    await clock.live(10);
    for (const one of [b, c]) {
      t.ok(one.isOver(1000));
      t.notOk(one.isOver(1001), "what is given since counts");
      t.equal(one.checks(), 1, "and what is open is looked at");
    }
    await b.tokens.signedOut("oidc:ada", 900);
    await clock.live(10);
    for (const one of [a, b, c]) t.ok(one.isOver(1000), "an older notice changes nothing");
    await c.tokens.signedOut("oidc:ada", 2000);
    await clock.live(10);
    for (const one of [a, b, c]) t.ok(one.isOver(2000));
    const [entry, ...more] = await entries();
    t.same(more, [], "one of each person");
    t.notMatch(`${entry?.key} ${entry?.value}`, /oidc:ada/, "who it is stands nowhere in the open");
    t.ok((await node()).isOver(2000), "a node that comes later knows it");
    t.notOk((await node("x".repeat(32))).isOver(0), "one of another key knows nobody");
  },
);

t.test("where the store does not answer the others are told once it does", async (t) => {
  const { clock, node } = await openNodes();
  const [a, b] = [await node(), await node()];
  a.line.isCut = true;
  const told = a.tokens.signedOut("oidc:ada", 1000);
  t.ok(a.isOver(1000), "here at once");
  await clock.live(10_000, 100);
  await told;
  t.notOk(b.isOver(1000));
  t.equal(a.faults.length, 1, "told once");
  a.line.isCut = false;
  await clock.live(3000, 100);
  t.ok(b.isOver(1000));
});

t.test("it is kept for a day, longer than a token lasts", async (t) => {
  const { clock, node, entries } = await openNodes();
  const [a, b] = [await node(), await node()];
  await a.tokens.signedOut("oidc:ada", 1000);
  await clock.live(23 * HOUR_MS, 600_000);
  t.equal((await entries()).length, 1);
  await clock.live(2 * HOUR_MS, 60_000);
  t.same(await entries(), []);
  t.ok(b.isOver(1000), "who was told knows it on");
});
