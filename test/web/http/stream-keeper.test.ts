import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import t from "tap";
import type { Credential } from "../../../src/auth/authenticator.ts";
import { whenGone } from "../../../src/platform/when-gone.ts";
import { StreamKeeper } from "../../../src/web/http/stream-keeper.ts";
import { FakeClock } from "../../fake-clock.ts";

function answer(): ServerResponse {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  response.assignSocket(request.socket);
  return response;
}

async function closed(response: ServerResponse): Promise<ServerResponse> {
  const over = new Promise<void>((resolve) => void response.once("close", resolve));
  response.req.socket.destroy();
  await over;
  return response;
}

t.test("who went away is told of once, before or after it is asked", async (t) => {
  const response = answer();
  const calls: string[] = [];
  whenGone(response, () => calls.push("first"));
  t.same(calls, []);
  await closed(response);
  whenGone(response, () => calls.push("second"));
  t.same(calls, ["first", "second"]);
});

t.test("an answer that is over already is not kept", async (t) => {
  const keeper = new StreamKeeper({ isStillValid: () => true }, new FakeClock());
  t.teardown(() => keeper.close());
  const credential: Credential = {
    kind: "session",
    sessionId: "s",
    principal: { id: "a", name: "A", role: "agent" },
  };
  const open = answer();
  keeper.add(open, credential);
  keeper.add(await closed(answer()), credential);
  t.equal(keeper.size, 1);
  await closed(open);
  t.equal(keeper.size, 0);
});
