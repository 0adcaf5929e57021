import t from "tap";
import { ImageSlots, wireBytes } from "../../../src/mcp/tool/image-slots.ts";

function body(slots: ImageSlots, text: string): string {
  return slots
    .split(Buffer.from(text))
    .map(({ kind, bytes }) => Buffer.from(bytes).toString(kind === "text" ? "utf8" : "base64"))
    .join("");
}

t.test("a large image stands in an answer as a short token, and is written in its place", async (t) => {
  for (const size of [40_000, 40_001, 40_002]) {
    const slots = new ImageSlots();
    const image = Buffer.alloc(size, 7);
    const token = slots.put(image);
    t.ok(token.length < 100);
    t.match(token, /^[A-Za-z0-9+/]+$/, "base64 to whoever checks it");
    const answer = JSON.stringify({ data: token, ü: [token] });
    t.equal(body(slots, answer), answer.replaceAll(token, image.toString("base64")));
    const parts = slots.split(Buffer.from(answer));
    const length = parts.reduce((sum, part) => sum + wireBytes(part), 0);
    t.equal(length, Buffer.byteLength(body(slots, answer)));
  }
});

t.test("small images, other tokens and what only looks like one stay as they are", async (t) => {
  const slots = new ImageSlots();
  t.equal(slots.put(Uint8Array.of(1, 2, 3)), "AQID");
  const other = new ImageSlots().put(Buffer.alloc(50_000));
  slots.put(Buffer.alloc(50_000));
  for (const text of [other, "ocImageSlot0", `x ocImageSlot0${"A".repeat(52)} y`, ""]) {
    t.equal(body(slots, text), text);
  }
});
