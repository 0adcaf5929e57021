import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { sendResponse } from "../../../src/mcp/server/http.ts";
import { ImageSlots } from "../../../src/mcp/tool/image-slots.ts";
import { until } from "../../support/until.ts";

const IMAGE = Buffer.alloc(3_000_000, 7);

/** Serves answers by `respond`; the returned function asks for one, and resolves when it was sent. */
async function serve(
  t: Test,
  respond: (slots: ImageSlots) => Response,
  read: (response: IncomingMessage) => void,
): Promise<ImageSlots> {
  const slots = new ImageSlots();
  return await new Promise((resolve, reject) => {
    const server = createServer((_req, res: ServerResponse) => {
      sendResponse(res, respond(slots), slots).then(() => resolve(slots), reject);
    });
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      get({ host: "127.0.0.1", port }, read).on("error", () => undefined);
    });
  });
}

/** As a tool's answer is, in the form that a type of content asks for. */
function answer(type: string): (slots: ImageSlots) => Response {
  return (slots) => {
    const message = JSON.stringify({ data: slots.put(IMAGE) });
    const body = type === "text/event-stream" ? `data: ${message}\n\n` : message;
    return new Response(body, { headers: { "content-type": type } });
  };
}

for (const type of ["application/json", "text/event-stream"]) {
  t.test(`the images of an answer are let go when it is written: ${type}`, async (t) => {
    let received = 0;
    const slots = await serve(t, answer(type), (response) => {
      response.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
    });
    t.equal(slots.size, 0);
    await until("the whole answer", () => received > (IMAGE.length * 4) / 3);
  });

  t.test(`the images of an answer that nobody reads any more are let go: ${type}`, async (t) => {
    const slots = await serve(t, answer(type), (response) => response.destroy());
    t.equal(slots.size, 0);
  });
}
