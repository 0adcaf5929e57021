import fc from "fast-check";
import t from "tap";
import { rect } from "../../../../src/framebuffer/rect.ts";
import { DisplayControl } from "../../../../src/protocols/rdp/channels/display-control.ts";
import { DynamicChannels } from "../../../../src/protocols/rdp/channels/drdynvc.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text.replace(/\s/g, ""), "hex");
const hex = (message: Uint8Array | null): string | null =>
  message === null ? null : Buffer.from(message).toString("hex");

/** DISPLAYCONTROL_CAPS_PDU: 16 monitors, 8192 and 8192. */
const CAPABILITIES = bytes("05000000 14000000 10000000 00200000 00200000");

function ready(): DisplayControl {
  const control = new DisplayControl();
  control.receive(CAPABILITIES);
  return control;
}

t.test("one monitor is asked for as MS-RDPEDISP 2.2.2.2 draws it", async (t) => {
  t.equal(
    hex(ready().arrange([rect(0, 0, 1024, 704)])),
    hex(
      bytes(`02000000 38000000 28000000 01000000
        01000000 00000000 00000000 00040000 c0020000 00000000 00000000 00000000 64000000 64000000`),
    ),
  );
});

t.test("several monitors count from the first one", async (t) => {
  const message = Buffer.from(
    ready().arrange([rect(800, 100, 640, 480), rect(0, 0, 800, 600), rect(1440, 100, 801, 600)]) ?? [],
  );
  t.equal(message.readUInt32LE(4), message.length);
  const monitors = [0, 1, 2].map((i) => {
    const at = 16 + i * 40;
    return [0, 4, 8, 12, 16].map((field) => message.readInt32LE(at + field));
  });
  t.same(monitors, [
    [1, 0, 0, 640, 480],
    [0, -800, -100, 800, 600],
    [0, 640, 0, 800, 600],
  ]);
});

t.test("nothing is asked of a host that has not said what it takes", async (t) => {
  let told = 0;
  const control = new DisplayControl(() => told++);
  t.equal(control.isReady, false);
  t.equal(control.arrange([rect(0, 0, 800, 600)]), null);
  control.receive(CAPABILITIES);
  t.equal(told, 1);
  t.equal(control.isReady, true);
  control.closed();
  t.equal(control.arrange([rect(0, 0, 800, 600)]), null, "the host closed the channel");
});

t.test("a host is not asked for more than it takes", async (t) => {
  const control = new DisplayControl();
  control.receive(bytes("05000000 14000000 02000000 00040000 00030000"));
  t.ok(control.arrange([rect(0, 0, 1024, 768), rect(1024, 0, 1024, 768)]));
  t.equal(control.arrange([rect(0, 0, 1024, 768), rect(1024, 0, 1024, 770)]), null, "pixels");
  const three = [0, 1, 2].map((i) => rect(i * 200, 0, 200, 200));
  t.equal(control.arrange(three), null, "monitors");
  t.equal(control.arrange([]), null);
});

t.test("sides are what a monitor may have", async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      (width, height) => {
        const message = Buffer.from(ready().arrange([rect(0, 0, width, height)]) ?? []);
        const [gotWidth, gotHeight] = [message.readUInt32LE(28), message.readUInt32LE(32)];
        const isAllowed = (side: number): boolean => side >= 200 && side <= 8192;
        return gotWidth % 2 === 0 && isAllowed(gotWidth) && isAllowed(gotHeight);
      },
    ),
  );
  t.pass();
});

t.test("messages that are none are RdpErrors", async (t) => {
  for (const wire of [
    "",
    "05000000",
    "05000000 14000000 10000000",
    "05000000 15000000 10000000 00200000 00200000",
  ]) {
    t.throws(() => new DisplayControl().receive(bytes(wire)), RdpError, wire);
  }
  t.throws(() => new DisplayControl().receive(bytes("02000000 08000000")), { code: "unknown_message" });
  const greedy = new DisplayControl();
  greedy.receive(bytes("05000000 14000000 ffffffff ffffffff ffffffff"));
  t.ok(greedy.arrange([rect(0, 0, 8192, 8192)]), "more than there is does no harm");
});

t.test("it goes through the dynamic channels", async (t) => {
  const control = new DisplayControl();
  const channels = new DynamicChannels([control]);
  channels.receive(bytes("5000 0200 0000 0000 0000 0000"));
  channels.receive(Buffer.concat([bytes("1001"), Buffer.from(`${control.name}\0`)]));
  channels.receive(Buffer.concat([bytes("3001"), CAPABILITIES]));
  t.equal(control.isReady, true);
  channels.receive(bytes("4001"));
  t.equal(control.isReady, false);
});
