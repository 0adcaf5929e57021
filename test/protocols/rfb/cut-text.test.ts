import t from "tap";
import { packClipboardText, unpackClipboardText } from "../../../src/protocols/rfb/extended-clipboard.ts";
import { decodeLatin1, encodeLatin1 } from "../../../src/protocols/rfb/latin1.ts";

t.test("every byte is its character, in texts of every length", async (t) => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  t.same(
    [...decodeLatin1(all)].map((character) => character.charCodeAt(0)),
    [...all],
  );
  for (const length of [0, 1, 4095, 4096, 4097, 262_144]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    t.same(encodeLatin1(decodeLatin1(bytes)), bytes, `${length}`);
  }
});

t.test("line ends of every kind are CR LF on their way, and LF behind it", async (t) => {
  const packed = packClipboardText("a\rb\nc\r\nd\r");
  t.equal(new TextDecoder().decode(packed.subarray(4)), "a\r\nb\r\nc\r\nd\r\n\0");
  t.equal(unpackClipboardText(packed), "a\nb\nc\nd\n");
});
