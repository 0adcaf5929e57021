import t from "tap";
import { CloseStack } from "../../src/appliance/close-stack.ts";

t.test(
  "what was opened last is closed first, each though another fails, and the first failure is told",
  async (t) => {
    const closed: string[] = [];
    const closeStack = new CloseStack();
    closeStack.add(() => closed.push("audit"));
    closeStack.add(async () => {
      closed.push("disk");
      throw new Error("no space left on device");
    });
    closeStack.add(() => {
      closed.push("port");
      throw new Error("not listening");
    });
    await t.rejects(closeStack.run(), { message: "not listening" });
    t.same(closed, ["port", "disk", "audit"]);
    await closeStack.run();
    t.equal(closed.length, 3, "once");
  },
);
