import t from "tap";
import { readCall, writeCall } from "../../../src/cluster/calls/call.ts";

t.test("who calls is read as it was written, and nothing else is", async (t) => {
  const call = { node: "a", caller: { id: "ann", name: "Änn", role: "admin" } };
  t.same(readCall(writeCall(call)), call);
  t.match(writeCall(call), /^[A-Za-z0-9_-]+$/, "a header");
  const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const broken = [
    "",
    "{}",
    coded(null),
    coded({}),
    coded({ node: "" }),
    coded({ node: "x".repeat(129) }),
    "%%%",
  ];
  for (const header of [undefined, ["a", "b"], ...broken]) t.equal(readCall(header), null);
});
