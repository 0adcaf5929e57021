import t from "tap";
import * as z from "zod";
import { until } from "../../support/until.ts";
import { Appliance } from "../harness/appliance.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

// Private text on a real screen is found by the built server's reader, and gone from the copy.

const redactedSchema = z.object({
  screenshot_id: z.string(),
  detections: z.array(
    z.object({
      type: z.string(),
      box: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
    }),
  ),
});

const PRIVATE = [
  ["email", "carol@example.com"],
  ["phone", "(212) 555-0123"],
  ["ssn", "123-45-6789"],
  ["credit_card", "4111 1111 1111 1111"],
  ["api_key", "AKIAIOSFODNN7EXAMPLE"],
  ["ip_address", "192.168.17.201"],
  ["iban", "DE89 3704 0044 0532 0130 00"],
] as const;

t.test(
  "private text of a terminal is found, and not to be read in the copy",
  { timeout: 120_000 },
  async (t) => {
    if (!requirePeers(t, ["Xtigervnc", "xterm", "xdotool"])) return;
    const display = await XDisplay.start(t, { geometry: "800x600" });
    const appliance = await Appliance.start(t, { connect: [`vnc://127.0.0.1:${display.vncPort}`] });
    const agent = await appliance.agent({ token: appliance.agentToken });
    await until("a picture", () => agent.shot());
    const shot = async (): Promise<unknown> => (await agent.shot()).facts["screenshot_id"];
    const read = async (id: unknown): Promise<string> =>
      z.object({ text: z.string() }).parse(await agent.call("ocr_screenshot", { screenshot_id: id })).text;
    const redact = async (id: unknown) =>
      redactedSchema.parse(await agent.call("auto_redact_pii", { screenshot_id: id }));

    const empty = await shot();
    t.same(
      await redact(empty),
      { screenshot_id: empty, detections: [] },
      "nothing is found where nothing is",
    );

    const lines = ["Nothing to see here", ...PRIVATE.map(([, text]) => `is ${text} and`), "the last line"];
    await display.openTerminal(
      "private",
      "60x12+40+60",
      `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}; exec sleep 600`,
    );
    const id = await until("all lines", async () => {
      const now = await shot();
      const text = await read(now);
      return lines.every((line) => text.split("\n").includes(line)) ? now : null;
    });
    const { screenshot_id: copy, detections } = await redact(id);
    t.same(
      detections.map(({ type }) => type),
      PRIVATE.map(([type]) => type),
    );
    t.ok(detections.every(({ box }) => box.width > 50 && box.height > 5 && box.height < 20));
    const left = await read(copy);
    for (const [, text] of PRIVATE) t.notOk(left.includes(text), `${text} is gone`);
    t.match(left, /Nothing to see here/);
    t.match(left, /the last line/);
  },
);
