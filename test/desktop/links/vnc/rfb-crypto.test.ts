import t from "tap";
import { rfbCrypto } from "../../../../src/desktop/links/vnc/rfb-crypto.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

t.test("des is that of the standard's known answers", async (t) => {
  const key = hex("0123456789abcdef");
  t.same(rfbCrypto.desEcb(key, Buffer.from("Now is t")), hex("3fa40e8a984d4815"));
  t.same(
    rfbCrypto.desEcb(key, Buffer.from("Now is the time for all ")).slice(8),
    hex("6a271787ab8883f9893d51ec4b563b53"),
  );
  t.same(rfbCrypto.desEcb(hex("0000000000000000"), hex("0000000000000000")), hex("8ca64de9c1b123a7"));
});

t.test("a 16-byte challenge gives a 16-byte answer, block by block", async (t) => {
  const key = hex("133457799bbcdff1");
  const block = hex("0123456789abcdef");
  const answer = rfbCrypto.desEcb(key, Buffer.concat([block, block]));
  t.same(answer, Buffer.concat([hex("85e813540f0ab405"), hex("85e813540f0ab405")]));
});

t.test("wrong lengths are refused without showing the key", async (t) => {
  t.throws(() => rfbCrypto.desEcb(new Uint8Array(7), new Uint8Array(8)), {
    message: "des key of 7 bytes, expected 8",
  });
  t.throws(() => rfbCrypto.desEcb(new Uint8Array(8), new Uint8Array(9)), /multiple of 8/);
});

t.test("random bytes are as many as asked, and others each time", async (t) => {
  t.equal(rfbCrypto.randomBytes(16).length, 16);
  t.notSame(rfbCrypto.randomBytes(16), rfbCrypto.randomBytes(16));
});
