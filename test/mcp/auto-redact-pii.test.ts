import sharp from "sharp";
import t from "tap";
import type { Rect } from "../../src/framebuffer/rect.ts";
import type { OcrLine } from "../../src/vision/ocr-messages.ts";
import { callsTo } from "./call.ts";
import { fakeHouse, OTHER } from "./fake-house.ts";

/** A line whose words begin at these columns, 8 pixels a letter. */
function line(y: number, ...placed: readonly (readonly [number, string])[]): OcrLine {
  const words = placed.map(([x, text]) => ({
    text,
    rect: { x, y, width: text.length * 8, height: 12 },
    confidence: 90,
  }));
  const last = words.at(-1)?.rect ?? { x: 0, width: 0 };
  const left = words[0]?.rect.x ?? 0;
  return {
    text: placed.map(([, text]) => text).join(" "),
    rect: { x: left, y, width: last.x + last.width - left, height: 14 },
    confidence: 90,
    words,
  };
}

async function open(lines: readonly OcrLine[], pointerArea: Rect | null = null) {
  const house = fakeHouse({ reader: { read: async () => lines } });
  house.desktops.get("one").png = await sharp({
    create: { width: 400, height: 200, channels: 3, background: "white" },
  })
    .png()
    .toBuffer();
  house.desktops.get("one").pointerArea = pointerArea;
  const call = callsTo(house);
  const region = { x: 100, y: 50, width: 400, height: 200 };
  const shot = await call("take_screenshot", { region });
  return { call, id: shot.structured["screenshot_id"], shot };
}

t.test("private text is blackened in a copy, and told by kind and place on the desktop", async (t) => {
  const { call, id } = await open([
    line(20, [10, "Mail"], [60, "bob@example.com"]),
    line(80, [10, "Card"], [60, "4111"], [100, "1111"], [140, "1111"], [180, "1111"]),
    line(120, [10, "nothing"], [100, "here"]),
  ]);
  const { structured, images, text } = await call("auto_redact_pii", { screenshot_id: id });
  t.same(structured["detections"], [
    { type: "email", box: { x: 160, y: 70, width: 120, height: 14 } },
    { type: "credit_card", box: { x: 160, y: 130, width: 152, height: 14 } },
  ]);
  t.notMatch(text, /bob|4111/);
  const { data, info } = await sharp(Buffer.from(images[0]?.data ?? "", "base64"))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): number => data[(y * info.width + x) * info.channels] ?? -1;
  for (const [x, y] of [
    [60, 20],
    [179, 33],
    [60, 80],
    [211, 93],
    [58, 18],
  ] as const)
    t.equal(at(x, y), 0, `${x},${y}`);
  for (const [x, y] of [
    [57, 20],
    [182, 20],
    [60, 17],
    [60, 36],
    [12, 22],
    [12, 122],
  ] as const) {
    t.equal(at(x, y), 255, `${x},${y}`);
  }
  const copy = structured["screenshot_id"];
  t.not(copy, id, "the screenshot stays as it was");
  t.match((await call("list_screenshots")).structured, {
    screenshots: [{ screenshot_id: copy }, { screenshot_id: id }],
  });
});

t.test("what the reader doubts is blackened where the target may have drawn its pointer on it", async (t) => {
  const mail = line(20, [10, "Mail"], [60, "bob.smith@exa"], [180, "now"]);
  const card = line(80, [10, "Card"], [60, "4111"], [100, "11X1"], [140, "1111"], [180, "1111"]);
  const doubted = [mail, card].map((one) => ({
    ...one,
    words: one.words.map((word) => ({ ...word, confidence: /exa|11X1/.test(word.text) ? 41 : 95 })),
  }));
  const without = await open(doubted);
  const { structured } = await without.call("auto_redact_pii", { screenshot_id: without.id });
  t.same(structured["detections"], []);
  const { call, id } = await open(doubted, { x: 0, y: 0, width: 9999, height: 9999 });
  t.same((await call("auto_redact_pii", { screenshot_id: id })).structured["detections"], [
    { type: "email", box: { x: 160, y: 70, width: 104, height: 14 } },
    { type: "credit_card", box: { x: 160, y: 130, width: 152, height: 14 } },
  ]);
});

t.test("where nothing is private the image is the same, byte for byte", async (t) => {
  const { call, id, shot } = await open([line(20, [10, "File"], [60, "Edit"])]);
  const { structured, images } = await call("auto_redact_pii", { screenshot_id: id });
  t.same(structured, { screenshot_id: id, detections: [] });
  t.same(images, shot.images);
});

t.test("others' screenshots and unknown ones are not found, and one must be named", async (t) => {
  const { call, id } = await open([]);
  t.match((await call("auto_redact_pii", { screenshot_id: id }, { principal: OTHER })).error, {
    code: "not_found",
  });
  t.match((await call("auto_redact_pii", { screenshot_id: "nope" })).error, { code: "not_found" });
  t.match((await call("auto_redact_pii")).error, { code: "invalid_parameters" });
});
