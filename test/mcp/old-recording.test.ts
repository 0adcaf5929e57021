import t from "tap";
import { RecordingsOf } from "../../src/mcp/tool/recordings.ts";
import { FakeRecordings, recordingSummary } from "../web/fake-recordings.ts";

const AGENT = { id: "agent-1", name: "first agent", role: "agent" } as const;
const ADMIN = { id: "admin", name: "the admin", role: "admin" } as const;

t.test(
  "a recording that names nobody by id is no agent's, whatever name it bears; people see it",
  async (t) => {
    const recordings = new FakeRecordings();
    recordings.keep(recordingSummary({ id: "mine", startedBy: "another name", startedById: "agent-1" }));
    recordings.keep(recordingSummary({ id: "old", startedBy: "first agent", startedById: null }));
    const ids = async (of: RecordingsOf): Promise<string[]> => (await of.list()).map(({ id }) => id).sort();
    const agents = new RecordingsOf(recordings, AGENT);
    t.same(await ids(agents), ["mine"]);
    await t.rejects(agents.get("old"), { code: "not_found" });
    await t.rejects(
      agents.read("old", async () => "seen"),
      { code: "not_found" },
    );
    const people = new RecordingsOf(recordings, ADMIN);
    t.same(await ids(people), ["mine", "old"]);
    t.equal(await people.read("old", async (reader) => reader.summary.id), "old");
  },
);
