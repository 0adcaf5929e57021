import t from "tap";
import { PLATFORM } from "../../../../src/appliance/open-links.ts";
import { AesCmac, AesEax } from "../../../../src/protocols/rfb/security/aes-eax.ts";

const { crypto } = PLATFORM;
const bytes = (hex: string): Uint8Array => Buffer.from(hex, "hex");
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");

t.test("AES-CMAC gives the values of RFC 4493 section 4", async (t) => {
  const mac = new AesCmac(crypto, bytes("2b7e151628aed2a6abf7158809cf4f3c"));
  const message = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" +
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
  );
  t.equal(hex(mac.of(message.subarray(0, 0))), "bb1d6929e95937287fa37d129b756746");
  t.equal(hex(mac.of(message.subarray(0, 16))), "070a16b46b4d4144f79bdd9dd04a287c");
  t.equal(hex(mac.of(message.subarray(0, 40))), "dfa66747de9ae63030ca32611497c827");
  t.equal(hex(mac.of(message)), "51f0bebf7e3b9d92fc49741779363cfe");
});

/** From the appendix of the EAX paper (Bellare, Rogaway, Wagner 2004). */
const EAX = [
  {
    plain: "",
    key: "233952dee4d5ed5f9b9c6d6ff80ff478",
    nonce: "62ec67f9c3a4a407fcb2a8c49031a8b3",
    header: "6bfb914fd07eae6b",
    sealed: "e037830e8389f27b025a2d6527e79d01",
  },
  {
    plain: "f7fb",
    key: "91945d3f4dcbee0bf45ef52255f095a4",
    nonce: "becaf043b0a23d843194ba972c66debd",
    header: "fa3bfd4806eb53fa",
    sealed: "19dd5c4c9331049d0bdab0277408f67967e5",
  },
  {
    plain: "ca40d7446e545ffaed3bd12a740a659ffbbb3ceab7",
    key: "8395fcf1e95bebd697bd010bc766aac3",
    nonce: "22e7add93cfc6393c57ec0b3c17d6b44",
    header: "126735fcc320d25a",
    sealed: "cb8920f87a6c75cff39627b56e3ed197c552d295a7cfc46afc253b4652b1af3795b124ab6e",
  },
] as const;

t.test("AES-EAX seals and opens the published messages, and no changed one", async (t) => {
  for (const { plain, key, nonce, header, sealed } of EAX) {
    const eax = new AesEax(crypto, bytes(key));
    t.equal(hex(eax.seal(bytes(nonce), bytes(header), bytes(plain))), sealed);
    t.same(eax.open(bytes(nonce), bytes(header), bytes(sealed)), bytes(plain));
    for (let i = 0; i < sealed.length / 2; i++) {
      const changed = bytes(sealed).map((byte, at) => (at === i ? byte ^ 1 : byte));
      if (eax.open(bytes(nonce), bytes(header), changed) !== null) t.fail(`byte ${i} may be changed`);
    }
    t.equal(eax.open(bytes(nonce), bytes(`${header}00`), bytes(sealed)), null, "another header");
  }
});
