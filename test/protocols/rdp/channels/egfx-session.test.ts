import fc from "fast-check";
import sharp from "sharp";
import t from "tap";
import { Framebuffer } from "../../../../src/framebuffer/framebuffer.ts";
import { type DynamicChannel, DynamicChannels } from "../../../../src/protocols/rdp/channels/drdynvc.ts";
import { GRAPHICS_CHANNEL, GraphicsPipeline } from "../../../../src/protocols/rdp/channels/egfx.ts";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { distance } from "./distance.ts";
import { ChannelMessages, hostBytes, recorded } from "./egfx-session.ts";

const session = hostBytes();

async function pixelsOf(name: string): Promise<Buffer> {
  return await sharp(recorded(name)).ensureAlpha().raw().toBuffer();
}

/** The channel of a pipeline; `onFrame` is called at each frame's end. */
function graphics(pipeline: GraphicsPipeline, onFrame: () => void = () => {}): DynamicChannel {
  return {
    name: GRAPHICS_CHANNEL,
    mostBytes: pipeline.mostMessageBytes,
    opened: () => [pipeline.start()],
    closed() {},
    receive(message) {
      const before = pipeline.framesDecoded;
      const { replies } = pipeline.receive(message);
      if (pipeline.framesDecoded > before) onFrame();
      return replies;
    },
  };
}

/** Plays the session in pieces of a size; `onFrame` is called at each frame's end with its number. */
function play(pieceBytes: number, onFrame: (frame: number, output: Framebuffer) => void = () => {}) {
  const output = new Framebuffer(1, 1);
  const pipeline = new GraphicsPipeline(output);
  const sent: Uint8Array[] = [];
  const onShown = (): void => onFrame(pipeline.framesDecoded, output);
  const channels = new DynamicChannels([graphics(pipeline, onShown)]);
  const messages = new ChannelMessages((message) => sent.push(...channels.receive(message)));
  for (let at = 0; at < session.length; at += pieceBytes)
    messages.push(session.subarray(at, at + pieceBytes));
  return { output, pipeline, sent };
}

t.test(
  "GNOME 43's session decodes as FreeRDP decodes it, after its first frame and at its end",
  async (t) => {
    const freerdp = await pixelsOf("freerdp-decoded.png");
    const truth = await pixelsOf("truth.png");
    const theirs = distance(freerdp, truth);
    const check = (pixels: Uint8Array, when: string): void => {
      t.ok(distance(pixels, freerdp).worst <= 2, `${when}: rounding apart from FreeRDP`);
      const ours = distance(pixels, truth);
      t.ok(ours.worst <= theirs.worst + 1, `${when}: worst channel ${ours.worst}, FreeRDP's ${theirs.worst}`);
      t.ok(ours.psnr >= theirs.psnr - 0.1, `${when}: ${ours.psnr} dB, FreeRDP's ${theirs.psnr}`);
    };
    const { output, pipeline, sent } = play(16_384, (frame, picture) => {
      if (frame === 1) check(picture.bytes, "after frame 1");
    });
    check(output.bytes, "at the end");
    t.equal(pipeline.framesDecoded, 32);
    t.ok(pipeline.isLossy, "and it says that it is not exact");
    // Version 2; the graphics channel taken, then its capabilities; telemetry refused; 32 frames acknowledged.
    t.equal(sent.length, 1 + 2 + 1 + 32);
  },
);

t.test("the session decodes the same in pieces of any size", async (t) => {
  const whole = Buffer.from(play(session.length).output.bytes);
  for (const pieceBytes of [1, 1447, 100_000]) {
    t.ok(whole.equals(play(pieceBytes).output.bytes), `${pieceBytes} bytes`);
  }
});

t.test("the session with damaged bytes ends in pictures or an RdpError", async (t) => {
  const messages: Buffer[] = [];
  new ChannelMessages((message) => messages.push(Buffer.from(message))).push(session.subarray(0, 110_000));
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          message: fc.nat({ max: messages.length - 1 }),
          // Where the headers are, and anywhere.
          at: fc.oneof(fc.nat({ max: 120 }), fc.nat({ max: 1600 })),
          byte: fc.nat({ max: 255 }),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      (faults) => {
        const damaged = messages.map((message) => Buffer.from(message));
        for (const { message, at, byte } of faults) {
          const bytes = damaged[message];
          if (bytes !== undefined) bytes[at % bytes.length] = byte;
        }
        const output = new Framebuffer(1, 1);
        const pipeline = new GraphicsPipeline(output);
        const channels = new DynamicChannels([graphics(pipeline)]);
        try {
          for (const message of damaged) channels.receive(message);
        } catch (error) {
          return error instanceof RdpError;
        }
        return output.words.every((word) => word >>> 24 === 255);
      },
    ),
    { numRuns: 60 },
  );
  t.pass("nothing else happened");
});
