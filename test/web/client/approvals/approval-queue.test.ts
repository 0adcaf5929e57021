import t from "tap";
import {
  type Card,
  cardsFor,
  frontCard,
  pendingCards,
  swept,
  withApproval,
  withSnapshot,
} from "../../../../src/web/client/approvals/approval-queue.ts";
import { approvalInfo } from "../infos.ts";

const ids = (cards: readonly Card[]): readonly string[] => cards.map((card) => card.approval.id);
const queue = (...names: readonly string[]): readonly Card[] =>
  names.reduce<readonly Card[]>((cards, id) => withApproval(cards, approvalInfo({ id }), 0), []);

t.test("new questions come below the ones that wait", async (t) => {
  t.same(ids(queue("a", "b", "c")), ["a", "b", "c"]);
});

t.test("a question that expires greys out in its place", async (t) => {
  const cards = withApproval(queue("a", "b"), approvalInfo({ id: "a", state: "expired" }), 100);
  t.same(ids(cards), ["a", "b"]);
  t.equal(cards[0]?.settledAtMs, 100);
  t.same(ids(pendingCards(cards)), ["b"]);
});

t.test("a settled card keeps the time at which it was settled first", async (t) => {
  const once = withApproval(queue("a"), approvalInfo({ id: "a", state: "granted" }), 100);
  const twice = withApproval(once, approvalInfo({ id: "a", state: "granted", decided_by: "me" }), 900);
  t.equal(twice[0]?.settledAtMs, 100);
  t.equal(twice[0]?.approval.decided_by, "me");
});

t.test("a decision about a question that was never shown makes no card", async (t) => {
  t.same(withApproval([], approvalInfo({ state: "denied" }), 0), []);
});

t.test("settled cards are swept after a while, waiting ones never", async (t) => {
  const cards = withApproval(queue("a", "b"), approvalInfo({ id: "a", state: "denied" }), 1000);
  t.equal(swept(cards, 6999), cards, "nothing to do keeps the same array, so nothing is drawn again");
  t.same(ids(swept(cards, 7000)), ["b"]);
});

t.test("after a reconnect what the server no longer asks is withdrawn, and the order stays", async (t) => {
  const cards = withSnapshot(queue("a", "b"), [approvalInfo({ id: "c" }), approvalInfo({ id: "b" })], 50);
  t.same(ids(cards), ["a", "b", "c"]);
  t.equal(cards[0]?.approval.state, "cancelled");
  t.equal(cards[1]?.settledAtMs, null);
});

t.test("a flood of questions drops settled cards but no open one", async (t) => {
  let cards = withApproval(queue("old"), approvalInfo({ id: "old", state: "denied" }), 0);
  for (let i = 0; i < 220; i++) cards = withApproval(cards, approvalInfo({ id: `n${i}` }), 0);
  t.equal(cards.length, 220);
  t.notOk(ids(cards).includes("old"));
});

t.test("the question in front is the chosen one while it waits, else the oldest", async (t) => {
  const cards = withApproval(queue("a", "b", "c"), approvalInfo({ id: "a", state: "denied" }), 0);
  t.equal(frontCard(cards, null)?.approval.id, "b");
  t.equal(frontCard(cards, "c")?.approval.id, "c");
  t.equal(frontCard(cards, "a")?.approval.id, "b", "a settled one is never in front");
  t.equal(frontCard([], "a"), undefined);
});

t.test("a question about no desktop yet is everybody's", async (t) => {
  const cards = ["d1", "", "d2"].map(
    (desktop_id): Card => ({
      approval: approvalInfo({ id: `a-${desktop_id}`, desktop_id }),
      settledAtMs: null,
    }),
  );
  t.same(ids(cardsFor(cards, "d1")), ["a-d1", "a-"]);
});
