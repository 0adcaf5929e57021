import t from "tap";
import * as z from "zod";
import { SecretBox } from "../../../src/auth/secret-box.ts";
import { SharedDocuments } from "../../../src/cluster/shared/shared-documents.ts";
import { MemoryStore } from "../../../src/cluster/store/memory-store.ts";
import { FakeClock } from "../../fake-clock.ts";
import { Line } from "./nodes.ts";

async function open(t: Tap) {
  const clock = new FakeClock();
  const store = await MemoryStore.open(clock, null);
  const node = async (key = "k".repeat(32)) => {
    const line = new Line(store);
    const told: string[] = [];
    const documents = new SharedDocuments({
      ...{ store: line.store, clock, sealer: SecretBox.by(key), prefix: "/d/", purpose: "test" },
      schema: z.object({ words: z.array(z.string()) }),
      onChange: (id) => told.push(id),
      onFailed: (error) => t.error(error),
    });
    await documents.open();
    await clock.live(10, 5);
    return { line, told, documents };
  };
  return { clock, store, node };
}

type Tap = Pick<typeof t, "error">;

const add = (word: string) => (now: { words: string[] } | null) => ({ words: [...(now?.words ?? []), word] });

t.test("of two who change one at once both changes are made", async (t) => {
  const { clock, store, node } = await open(t);
  const [a, b] = [await node(), await node()];
  b.line.deafTo = "/d/";
  await a.documents.change("x", add("a"));
  t.equal(b.documents.get("x"), null, "it has not heard of it");
  await b.documents.change("x", add("b"));
  await Promise.all([a.documents.change("x", add("c")), b.documents.change("x", add("d"))]);
  await clock.live(10, 5);
  t.same(a.documents.get("x")?.words.toSorted(), ["a", "b", "c", "d"]);
  const { entries } = await store.list("/d/");
  t.notMatch(entries[0]?.value, "words", "sealed");

  await a.documents.change("x", () => null);
  t.equal(a.documents.get("x"), null);
  await b.documents.change("x", (now) => (now === null ? null : add("e")(now)));
  t.equal(b.documents.get("x"), null, "told of it by its own try");
  t.equal(await b.documents.remove("x"), true);
  t.equal((await store.list("/d/")).entries.length, 0);

  const stranger = await node("s".repeat(32));
  await a.documents.change("y", add("a"));
  await clock.live(10, 5);
  t.equal(stranger.documents.get("y"), undefined);
  await t.rejects(stranger.documents.change("y", add("b")), { code: "not_held" });
  await t.rejects(a.documents.change("z", add("long".repeat(20_000))), { code: "invalid_parameters" });
});

t.test("what was read ahead of the watch is not taken back by it", async (t) => {
  const { node } = await open(t);
  const [a, b] = [await node(), await node()];
  const held: (() => void)[] = [];
  b.line.held = held;
  await a.documents.change("x/1", add("a"));
  await a.documents.change("x/1", add("b"));
  await a.documents.change("x/2", add("c"));
  await a.documents.remove("x/2");
  await a.documents.change("y", add("d"));
  await b.documents.refresh("x/");
  const seen = (): unknown[] => ["x/1", "x/2", "y"].map((id) => b.documents.get(id)?.words ?? null);
  const known = seen();
  t.same(known, [["a", "b"], null, null]);
  t.equal(held.length, 5);
  for (const tell of held) {
    tell();
    t.same(seen().slice(0, 2), known.slice(0, 2));
  }
  t.same(seen()[2], ["d"]);
});
