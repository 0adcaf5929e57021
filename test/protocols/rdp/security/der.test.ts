import fc from "fast-check";
import t, { type Test } from "tap";
import { RdpError } from "../../../../src/protocols/rdp/error.ts";
import { DerReader, der, derInteger, field, TAG } from "../../../../src/protocols/rdp/security/der.ts";
import {
  passwordCredentials,
  readTsRequest,
  writeTsRequest,
} from "../../../../src/protocols/rdp/security/ts-request.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");

function expectBad(t: Test, run: () => unknown, message: string): void {
  try {
    run();
    t.fail(message, { got: "no error" });
  } catch (error) {
    if (!(error instanceof RdpError)) throw error;
    t.equal(error.code, "bad_data", `${message}: ${error.message}`);
  }
}

t.test("lengths have the shortest form, X.690 section 10.1", async (t) => {
  for (const [count, head] of [
    [0, "0400"],
    [127, "047f"],
    [128, "048180"],
    [255, "0481ff"],
    [256, "04820100"],
    [65_536, "0483010000"],
  ] as const) {
    t.ok(hex(der(TAG.octetString, new Uint8Array(count))).startsWith(head), `${count}`);
  }
});

t.test("numbers are read and written, with their sign bit kept apart", async (t) => {
  for (const [value, wire] of [
    [0, "020100"],
    [6, "020106"],
    [127, "02017f"],
    [128, "02020080"],
    [256, "02020100"],
    [0xc000_006d, "020500c000006d"],
  ] as const) {
    t.equal(hex(derInteger(value)), wire);
    t.equal(new DerReader(bytes(wire), "a test").integer(), value);
  }
  t.equal(
    new DerReader(bytes("0204c000006d"), "a test").integer(),
    0xc000_006d,
    "an NTSTATUS as a negative number",
  );
  t.equal(new DerReader(bytes("0201ff"), "a test").integer(), 0xffff_ffff);
  for (const wire of ["0200", "02050100000000", "0206000000000001", "0101ff"]) {
    expectBad(t, () => new DerReader(bytes(wire), "a test").integer(), wire);
  }
});

t.test("what does not fit its frame is refused before anything is taken", async (t) => {
  for (const wire of [
    "",
    "04",
    "0405",
    "04050102",
    "0480",
    "0484ffffffff",
    "048500000000ff",
    "1f8101",
    "0481",
  ]) {
    expectBad(t, () => new DerReader(bytes(wire), "a test").skip(), `"${wire}"`);
  }
  expectBad(t, () => new DerReader(bytes("0401ff"), "a test").take(TAG.sequence), "another tag");
});

t.test("longer forms of a length are read too", async (t) => {
  for (const wire of ["0401ff", "048101ff", "04820001ff", "048400000001ff"]) {
    t.same(new DerReader(bytes(wire), "a test").take(TAG.octetString), bytes("ff"));
  }
});

t.test("a TSRequest comes back as it was, whatever it holds", async (t) => {
  const optional = (arbitrary: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array | undefined> =>
    fc.option(arbitrary, { nil: undefined });
  const octets = optional(fc.uint8Array({ maxLength: 700 }));
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 0x7fff_ffff }),
      fc.tuple(octets, octets, octets, octets),
      fc.option(fc.integer({ min: 0, max: 0xffff_ffff }), { nil: undefined }),
      (version, [negoToken, authInfo, pubKeyAuth, clientNonce], errorCode) => {
        const given = Object.fromEntries(
          Object.entries({ negoToken, authInfo, pubKeyAuth, errorCode, clientNonce }).filter(
            ([, value]) => value !== undefined,
          ),
        );
        const wire = writeTsRequest({ version, ...given });
        const got = readTsRequest(wire);
        return (
          got.version === version &&
          got.errorCode === errorCode &&
          hex(got.negoToken ?? bytes("")) === hex(negoToken ?? bytes("")) &&
          hex(got.authInfo ?? bytes("")) === hex(authInfo ?? bytes("")) &&
          hex(got.pubKeyAuth ?? bytes("")) === hex(pubKeyAuth ?? bytes("")) &&
          hex(got.clientNonce ?? bytes("")) === hex(clientNonce ?? bytes(""))
        );
      },
    ),
  );
  t.same(
    readTsRequest(bytes("300ca003020106a7050403010203")),
    { version: 6 },
    "an unknown field is passed over",
  );
});

t.test("a TSRequest has the form of MS-CSSP 2.2.1, byte by byte", async (t) => {
  const wire = writeTsRequest({ version: 2, negoToken: Buffer.from("NTLMSSP\0") });
  t.equal(hex(wire), "3017a003020102a110300e300ca00a04084e544c4d53535000");
});

t.test("the credentials have the form of MS-CSSP 2.2.1.2.1", async (t) => {
  t.equal(
    hex(passwordCredentials("D", "u", "pä")),
    "301fa003020101a11804163014a00404024400a10404027500a20604047000e400",
  );
});

t.test("hostile bytes are RdpErrors, however deep they nest", async (t) => {
  const isOk = (wire: Uint8Array): boolean => {
    try {
      readTsRequest(wire);
      return true;
    } catch (error) {
      return error instanceof RdpError;
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), isOk), { numRuns: 1000 });
  // Bytes that look like elements get deeper than noise.
  const piece = fc.oneof(
    fc.constantFrom(0x30, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x02, 0x04, 0x80, 0x81, 0x82, 0x84, 0xff),
    fc.nat(255),
    fc.nat(20),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (list) => isOk(Uint8Array.from(list))),
    { numRuns: 3000 },
  );
  let deep: Uint8Array = new Uint8Array(0);
  for (let i = 0; i < 2000; i++) deep = der(field(1), deep);
  t.ok(isOk(deep));
});
