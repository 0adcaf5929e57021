import t from "tap";
import { whyNotYours } from "../../../../src/web/client/approvals/four-eyes.ts";
import { approvalInfo } from "../infos.ts";

t.test("who may not say yes is told why", async (t) => {
  const words = (owner: string | null | undefined, person: string | null) =>
    whyNotYours(approvalInfo(owner === undefined ? {} : { four_eyes: { owner } }), { person });
  t.equal(words(undefined, "alice"), null, "without the rule");
  t.equal(words("alice", "bob"), null);
  t.match(words("alice", "alice"), /claude-code is yours: somebody else has to approve this/);
  t.match(words("alice", null), /is yours/, "who is nobody known may be the owner");
  t.match(words(null, "bob"), /Nobody is known to own claude-code/);
});
