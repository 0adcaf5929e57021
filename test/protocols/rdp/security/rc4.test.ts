import fc from "fast-check";
import t from "tap";
import { Rc4 } from "../../../../src/protocols/rdp/security/rc4.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

t.test("RC4 gives the classic values", async (t) => {
  for (const [key, plain, sealed] of [
    ["Key", "Plaintext", "bbf316e8d940af0ad3"],
    ["Wiki", "pedia", "1021bf0420"],
    ["Secret", "Attack at dawn", "45a01f645fc35b383552544b9bf5"],
  ] as const) {
    t.equal(hex(new Rc4(Buffer.from(key)).apply(Buffer.from(plain))), sealed);
  }
});

t.test("RC4 gives the key streams of RFC 6229", async (t) => {
  const stream = (keyHex: string, at: number): string =>
    hex(new Rc4(Buffer.from(keyHex, "hex")).apply(new Uint8Array(at + 16)).subarray(at));
  t.equal(stream("0102030405", 0), "b2396305f03dc027ccc3524a0a1118a8");
  t.equal(stream("0102030405", 16), "6982944f18fc82d589c403a47a0d0919");
  t.equal(stream("0102030405060708090a0b0c0d0e0f10", 0), "9ac7cc9a609d1ef7b2932899cde41b97");
});

t.test("RC4 undoes itself, in pieces as in one", async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 256 }),
      fc.uint8Array(),
      fc.nat(),
      (key, data, cut) => {
        const at = cut % (data.length + 1);
        const sealed = new Rc4(key).apply(data);
        const again = new Rc4(key);
        const pieces = [again.apply(sealed.subarray(0, at)), again.apply(sealed.subarray(at))];
        return hex(Buffer.concat(pieces)) === hex(data);
      },
    ),
  );
  t.throws(() => new Rc4(new Uint8Array(0)), RangeError);
  t.throws(() => new Rc4(new Uint8Array(257)), RangeError);
});
