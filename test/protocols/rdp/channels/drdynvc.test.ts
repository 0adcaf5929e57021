import fc from "fast-check";
import t from "tap";
import { type DynamicChannel, DynamicChannels } from "../../../../src/protocols/rdp/channels/drdynvc.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";

/** A channel that notes what happens to it and echoes what it gets. */
class Echo implements DynamicChannel {
  readonly name = "ECHO";
  readonly mostBytes = 5000;
  readonly seen: string[] = [];

  opened(): Uint8Array[] {
    this.seen.push("opened");
    return [Uint8Array.of(1, 2, 3)];
  }

  receive(message: Uint8Array): Uint8Array[] {
    this.seen.push(Buffer.from(message).toString("hex"));
    return message.length > 100 ? [] : [message.slice()];
  }

  closed(): void {
    this.seen.push("closed");
  }
}

function hex(messages: readonly Uint8Array[]): string[] {
  return messages.map((message) => Buffer.from(message).toString("hex"));
}

const CREATE = `1007${Buffer.from("ECHO\0").toString("hex")}`;

function open(): { echo: Echo; channels: DynamicChannels; say: (message: string) => string[] } {
  const echo = new Echo();
  const channels = new DynamicChannels([echo]);
  return { echo, channels, say: (message) => hex(channels.receive(Buffer.from(message, "hex"))) };
}

t.test("the offered version is agreed, up to 2", async (t) => {
  const { say } = open();
  t.same(say("50000100"), ["50000100"], "version 1");
  t.same(say("500002000000000000000000"), ["50000200"], "version 2 with its priorities");
  t.same(say("500003000000000000000000"), ["50000200"], "version 3 would mean compression");
});

t.test("a known channel is taken, says its first words and answers", async (t) => {
  const { echo, channels, say } = open();
  t.equal(channels.isOpen("ECHO"), false);
  t.same(channels.send("ECHO", Uint8Array.of(1)), [], "nothing goes to a channel that is not open");
  t.same(say(CREATE), ["100700000000", "3007010203"]);
  t.equal(channels.isOpen("ECHO"), true);
  t.same(say("3007aabb"), ["3007aabb"]);
  t.same(hex(channels.send("ECHO", Uint8Array.of(9))), ["300709"]);
  t.same(say("4007"), ["4007"], "a close is answered");
  t.equal(channels.isOpen("ECHO"), false);
  t.same(say("3007aabb"), [], "late data is ignored");
  t.same(say("4007"), [], "so is a second close");
  t.same(echo.seen, ["opened", "aabb", "closed"]);
});

t.test("unknown channels are refused, and a second of a name", async (t) => {
  const { say } = open();
  t.same(say(`1108ff${Buffer.from("Telemetry\0").toString("hex")}`), ["1108ff010000c0"], "a wide id");
  say(CREATE);
  t.same(say(CREATE.replace("1007", "1008")), ["1008010000c0"], "the name is taken");
});

t.test("long messages go and come in pieces, by the widths of ids and lengths", async (t) => {
  const { echo, channels, say } = open();
  say(`120000070000${""}`.slice(0, 0) || `1200000700${Buffer.from("ECHO\0").toString("hex")}`);
  const message = Uint8Array.from({ length: 4000 }, (_, i) => i & 255);
  const pieces = channels.send("ECHO", message);
  t.ok(pieces.every((piece) => piece.length <= 1600));
  t.equal(pieces.length, 3);
  for (const piece of pieces) channels.receive(piece);
  t.equal(echo.seen.at(-1), Buffer.from(message).toString("hex"), "what we send, we understand");
});

t.test("messages come back from pieces of any size", async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 101, maxLength: 5000 }),
      fc.array(fc.integer({ min: 1, max: 1590 }), { minLength: 1 }),
      (message, sizes) => {
        const { echo, channels, say } = open();
        say(CREATE);
        let at = 0;
        for (let i = 0; at < message.length; i++) {
          const part = message.subarray(at, at + (sizes[i % sizes.length] ?? 1));
          const header = at === 0 ? [0x24, 7, message.length & 255, message.length >> 8] : [0x30, 7];
          channels.receive(Uint8Array.of(...header, ...part));
          at += part.length;
        }
        return echo.seen.length === 2 && echo.seen[1] === Buffer.from(message).toString("hex");
      },
    ),
    { numRuns: 150 },
  );
  t.pass("all came back");
});

t.test("a message in a million pieces costs little more than itself", async (t) => {
  const count = 1_000_000;
  let heard = 0;
  const channels = new DynamicChannels([
    {
      name: "ECHO",
      mostBytes: count + 1,
      opened: () => [],
      receive: (message) => {
        heard = message.length;
        return [];
      },
      closed: () => undefined,
    },
  ]);
  channels.receive(Buffer.from(CREATE, "hex"));
  const before = process.memoryUsage().rss;
  const first = Buffer.from("2807000000004d", "hex");
  first.writeUInt32LE(count + 1, 2);
  channels.receive(first);
  const piece = Buffer.from("30074d", "hex");
  for (let i = 1; i < count; i++) channels.receive(piece);
  const growth = process.memoryUsage().rss - before;
  t.equal(heard, 0, "one byte is still to come");
  t.ok(growth < 64 << 20, `${growth >> 20} MiB more for a message of 1 MiB`);
  channels.receive(piece);
  t.equal(heard, count + 1);
});

t.test("what cannot be is an RdpError", async (t) => {
  const bad = (message: string, code: string) => {
    const { say } = open();
    say(CREATE);
    t.throws(() => say(message), { name: "RdpError", code, phase: "channel" });
  };
  bad("", "bad_data");
  bad("30", "bad_data");
  bad("240789131122", "too_large");
  bad("2007021122334455", "bad_data");
  bad("80", "unsupported");
  bad("6007", "unknown_message");
  bad("7007", "unknown_message");
  bad(`1009${"41".repeat(300)}00`, "bad_data");
});

t.test("any messages end in replies or an RdpError", async (t) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), (messages) => {
      const { channels, say } = open();
      say(CREATE);
      try {
        for (const message of messages) channels.receive(message);
      } catch (error) {
        return error instanceof RdpError;
      }
      return true;
    }),
    { numRuns: 500 },
  );
  t.pass("nothing else happened");
});
