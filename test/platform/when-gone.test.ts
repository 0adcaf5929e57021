import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import t from "tap";
import { whenGone } from "../../src/platform/when-gone.ts";

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
