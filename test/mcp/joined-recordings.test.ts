import t from "tap";
import type { Principal } from "../../src/auth/principal.ts";
import { RecordingsOf } from "../../src/mcp/tool/recordings.ts";
import { AGENT, HUMAN } from "../desktop/house.ts";
import { Moved } from "../recording/join/moved.ts";

const BOT: Principal = { id: AGENT.id, name: AGENT.name, role: "agent" };
const OPERATOR: Principal = { id: HUMAN.id, name: HUMAN.name, role: "operator" };

t.test("an agent's recording goes over the seam as far as it is the agent's own", async (t) => {
  const moved = await Moved.open(t);
  const first = await moved.begin("a", 1000, 64, 0x112233, AGENT);
  await moved.end("a", first, 0x223344);
  const second = await moved.begin("b", 5000, 80, 0x334455, AGENT);
  await moved.end("b", second, 0x445566);
  const third = await moved.begin("a", 8000, 64, 0x556677);
  await moved.end("a", third, 0x667788);
  const own = new RecordingsOf(moved.a.recordings, BOT);
  const redAt = (of: RecordingsOf, ms: number) =>
    of.pictures(first, async (reader) => (await reader.frameAt(ms)).rgba[0]);
  t.equal(await redAt(own, 1500), 0x44);
  t.equal(await redAt(own, 5500), 0x66, "at the other node");
  const refused = { code: "permission_denied", message: /it is not for who asks/ };
  await t.rejects(redAt(own, 8900), refused, "what is a person's is not shown");
  const parts = await own.read(first, async ({ summary }) => summary.parts);
  t.match(parts, [
    { id: first, problem: null },
    { id: second, problem: null },
    { id: third, problem: "it is not for who asks" },
  ]);
  await t.rejects(redAt(new RecordingsOf(moved.a.recordings, { ...BOT, id: "other" }), 0), {
    code: "not_found",
  });
  t.equal(await redAt(new RecordingsOf(moved.a.recordings, OPERATOR), 8900), 0x88);
  t.same(
    (await own.list()).map(({ id }) => id),
    [first],
  );
  const { hits } = await own.searchAll("resized", 50);
  t.ok(hits.length > 0 && hits.every(({ recording }) => recording.id === first));
  const all = await new RecordingsOf(moved.a.recordings, OPERATOR).searchAll("resized", 50);
  const [late] = all.hits.filter(({ recording }) => recording.id === third);
  t.ok((late?.atMs ?? 0) >= 7000, "in the time of the whole");
});
