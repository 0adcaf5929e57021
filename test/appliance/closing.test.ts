import t from "tap";
import { Ending } from "../../src/appliance/closing.ts";

t.test(
  "what was opened last is closed first, each though another fails, and the first failure is told",
  async (t) => {
    const closed: string[] = [];
    const ending = new Ending();
    ending.add(() => closed.push("audit"));
    ending.add(async () => {
      closed.push("disk");
      throw new Error("no space left on device");
    });
    ending.add(() => {
      closed.push("port");
      throw new Error("not listening");
    });
    await t.rejects(ending.run(), { message: "not listening" });
    t.same(closed, ["port", "disk", "audit"]);
    await ending.run();
    t.equal(closed.length, 3, "once");
  },
);
