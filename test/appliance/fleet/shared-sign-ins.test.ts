import t from "tap";
import { SharedSignIns } from "../../../src/appliance/fleet/shared-sign-ins.ts";
import { SignInTickets } from "../../../src/auth/oidc/sign-in-tickets.ts";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { Line } from "../../cluster/shared/nodes.ts";
import { FakeClock } from "../../fake-clock.ts";

const KEYS = "/overlay-companion/sign-ins/";
const BEGUN = {
  ...{ url: "https://provider/", redirectUri: "https://fleet.example/signin/oidc/callback" },
  ...{ state: "the-state", nonce: "the-nonce", verifier: "the-verifier" },
};
const MINUTE_MS = 60_000;

async function openNodes(onBug: (error: unknown) => void) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32), provider = "https://id.example oc") => {
    const line = new Line(store);
    const sealer = SecretBox.by(key);
    const shared = new SharedSignIns({ store: line.store, clock, sealer, onFailed: onBug });
    await shared.open();
    await clock.live(10);
    return { line, tickets: new SignInTickets(provider, { clock, sealer, shared }) };
  };
  const entries = async () => (await store.list(KEYS)).entries;
  return { clock, node, entries };
}

/** As a node does with who comes back; null: it knows of no such sign-in, or of one that is over. */
async function finish({ tickets }: { readonly tickets: SignInTickets }, ticket: string) {
  const returned = await tickets.take(ticket);
  return returned !== null && (await tickets.use(returned)) ? returned : null;
}

t.test("a sign-in that was begun at one node is gone on with at another, once", async (t) => {
  const { clock, node, entries } = await openNodes((error) => t.error(error));
  const [a, b, c] = [await node(), await node(), await node()];
  const late = await node();
  late.line.deafTo = "sign-ins";
  const ticket = a.tickets.issue(BEGUN, "/approvals");
  t.notMatch(ticket, /the-/, "its browser cannot read it");
  t.same(await entries(), [], "who begins writes nothing");
  const { url: _, ...begun } = BEGUN;
  t.same(await finish(b, ticket), { begun, next: "/approvals" });
  const stored = await entries();
  t.equal(stored.length, 1);
  t.notMatch(`${stored[0]?.key} ${stored[0]?.value}`, /the-/);
  await clock.live(10);
  for (const one of [a, b, c, late]) {
    t.equal(await one.tickets.take(ticket), null, "none asks the provider again");
  }
});

t.test("of nodes to which it comes back at once one opens a session", async (t) => {
  const { node } = await openNodes((error) => t.error(error));
  const nodes = [await node(), await node(), await node()] as const;
  for (let nth = 0; nth < 50; nth++) {
    const ticket = nodes[0].tickets.issue({ ...BEGUN, state: `state ${nth}` }, "/");
    const opened = await Promise.all([...nodes, nodes[0]].map((one) => finish(one, ticket)));
    t.equal(opened.filter((one) => one !== null).length, 1);
  }
});

t.test("another way to write the same ticket is the same ticket", async (t) => {
  const { node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  const ticket = a.tickets.issue(BEGUN, "/");
  t.not(await finish(b, `${ticket}=`), null);
  t.equal(await b.tickets.take(ticket), null);
  t.equal(await finish(a, ticket), null);
});

t.test("what is none, of another fleet or provider, changed or too old is good for nothing", async (t) => {
  const { clock, node } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  const foreign = await node("x".repeat(32));
  const other = await node("k".repeat(32), "https://id.example other");
  const ticket = a.tickets.issue(BEGUN, "/");
  t.equal(await foreign.tickets.take(ticket), null);
  t.equal(await other.tickets.take(ticket), null);
  t.equal(await a.tickets.take(`${ticket.slice(0, -3)}AAA`), null);
  for (const none of ["", "v1.", "v1.AAAA", "x".repeat(100_000)]) t.equal(await a.tickets.take(none), null);
  clock.advance(10 * MINUTE_MS - 1);
  const late = b.tickets.issue({ ...BEGUN, state: "late" }, "/");
  t.not(await b.tickets.take(ticket), null);
  clock.advance(1);
  t.equal(await a.tickets.take(ticket), null);
  t.not(await a.tickets.take(late), null);
  t.throws(() => a.tickets.issue(BEGUN, `/${"x".repeat(4000)}`), { code: "provider_refused" });
});

t.test("where the store does not answer nobody is signed in who may be at another node", async (t) => {
  const { clock, node, entries } = await openNodes((error) => t.error(error));
  const [a, b] = [await node(), await node()];
  const ticket = a.tickets.issue(BEGUN, "/");
  const returned = await b.tickets.take(ticket);
  if (returned === null) throw new Error("it is not known");
  b.line.isCut = true;
  const lost = b.tickets.use(returned).catch((error: unknown) => error);
  await clock.live(9000, 50);
  t.match(await lost, { name: "RefusedError", code: "not_held" });
  const other = a.tickets.issue({ ...BEGUN, state: "other" }, "/");
  await t.rejects(b.tickets.take(other), { name: "RefusedError", code: "not_held" }, "no provider is asked");
  t.not(await finish(a, ticket), null);
  b.line.isCut = false;
  t.equal(await finish(b, ticket), null);
  t.equal((await entries()).length, 1);
  await clock.live(32 * MINUTE_MS, 20_000);
  t.same(await entries(), [], "forgotten once no clock would take the ticket");
});
