import t from "tap";
import { ViewerSessions } from "../../../src/web/viewer/sessions.ts";
import { FakeClock } from "../../fake-clock.ts";
import { DrawnDesktop } from "../drawn-desktop.ts";
import { FakeTransport } from "../fake-transport.ts";
import { KeptLog, rfbPorts } from "../viewer-ports.ts";

t.test("a viewer that comes before the first picture is greeted when it is there", async (t) => {
  const desktop = new DrawnDesktop(64, 48);
  desktop.hasPicture = false;
  let arrives = (): void => {};
  desktop.whenReady = () =>
    new Promise((resolve) => {
      arrives = resolve;
    });
  const log = new KeptLog();
  const sessions = new ViewerSessions({ rfb: rfbPorts, clock: new FakeClock(), log, audit: () => {} });
  t.teardown(() => sessions.close());
  const transport = new FakeTransport();
  sessions.admit(transport, desktop, {
    ...{ security: [{ type: "none" }], isComposited: false, viewport: null },
    rights: () => {
      throw new Error("nobody is let in before the handshake");
    },
  });
  t.equal(transport.bufferedBytes, 0, "it waits");
  desktop.hasPicture = true;
  arrives();
  await transport.whenSent();
  t.equal(Buffer.from(transport.drain()).toString("latin1"), "RFB 003.008\n");
  t.same(transport.closed, []);
});
