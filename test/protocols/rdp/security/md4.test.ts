import t from "tap";
import { md4 } from "../../../../src/protocols/rdp/security/md4.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** RFC 1320 appendix A.5. */
const SUITE: Readonly<Record<string, string>> = {
  "": "31d6cfe0d16ae931b73c59d7e0c089c0",
  a: "bde52cb31de33e46245e05fbdbd6fb24",
  abc: "a448017aaf21d8525fc10ae87aa6729d",
  "message digest": "d9130a8164549fe818874806e1c7014b",
  abcdefghijklmnopqrstuvwxyz: "d79e1c308aa5bbcdeea8ed63df412da9",
  ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789: "043f8582f241db351ce627e153e7f0e4",
  "12345678901234567890123456789012345678901234567890123456789012345678901234567890":
    "e33b4ddc9c38f2199c3e7b164fcc0536",
};

t.test("MD4 gives the values of its specification", async (t) => {
  for (const [message, digest] of Object.entries(SUITE))
    t.equal(hex(md4(Buffer.from(message))), digest, message);
});

t.test("MD4 of a password in UTF-16 is the NT hash", async (t) => {
  t.equal(hex(md4(Buffer.from("Password", "utf16le"))), "a4f49c406510bdcab6824ee7c30fd852");
  t.equal(hex(md4(Buffer.from("SecREt01", "utf16le"))), "cd06ca7c7e10c99b1d33b7485a2ed808");
});

t.test("MD4 leaves its message as it was, at every length around a block's end", async (t) => {
  const digests = new Set<string>();
  for (let length = 50; length < 140; length++) {
    const message = new Uint8Array(length).fill(0x61);
    digests.add(hex(md4(message)));
    t.ok(message.every((byte) => byte === 0x61));
  }
  t.equal(digests.size, 90);
});
