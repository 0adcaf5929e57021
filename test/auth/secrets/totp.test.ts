import t from "tap";
import { readTotp, totpAt } from "../../../src/auth/secrets/totp.ts";
import { plain } from "../../support/opened.ts";

/** RFC 6238 appendix B: the seeds are "12345678901234567890" repeated to 20, 32 and 64 bytes. */
const SEEDS = {
  SHA1: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  SHA256: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
  SHA512:
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
} as const;

const VECTORS = [
  [59, "94287082", "46119246", "90693936"],
  [1111111109, "07081804", "68084774", "25091201"],
  [1111111111, "14050471", "67062674", "99943326"],
  [1234567890, "89005924", "91819424", "93441116"],
  [2000000000, "69279037", "90698825", "38618901"],
  [20000000000, "65353130", "77737706", "47863826"],
] as const;

t.test("codes are those of RFC 6238, appendix B", async (t) => {
  for (const [seconds, sha1, sha256, sha512] of VECTORS) {
    const at = new Date(seconds * 1000);
    for (const [algorithm, expected] of [
      ["SHA1", sha1],
      ["SHA256", sha256],
      ["SHA512", sha512],
    ] as const) {
      const uri = `otpauth://totp/test?secret=${SEEDS[algorithm]}&algorithm=${algorithm}&digits=8&period=30`;
      t.equal(plain(totpAt(readTotp(uri), at)), expected, `${algorithm} at ${seconds}`);
    }
  }
});

t.test("a seed alone means SHA-1, 6 digits and 30 s, however it is grouped", async (t) => {
  const at = new Date(59_000);
  for (const seed of [
    SEEDS.SHA1,
    SEEDS.SHA1.toLowerCase(),
    "gezd gnbv gy3t qojq gezd gnbv gy3t qojq",
    ` ${SEEDS.SHA1}\n`,
    "GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ",
  ]) {
    t.equal(plain(totpAt(readTotp(seed), at)), "287082");
  }
  t.same(readTotp(`otpauth://totp/Bank:ann?secret=${SEEDS.SHA1}&issuer=Bank&algorithm=sha-256&period=60`), {
    seed: readTotp(SEEDS.SHA1).seed,
    algorithm: "SHA256",
    digits: 6,
    periodS: 60,
  });
  t.equal(
    plain(totpAt(readTotp(`otpauth://totp/x?secret=${SEEDS.SHA1}&period=60`), new Date(119_000))),
    "287082",
  );
});

t.test("what is no seed is refused, and not shown", async (t) => {
  const broken = [
    "",
    "GEZDGNBV",
    "GEZDGNBVGY3TQOJ1",
    "not a seed, surely",
    "A",
    `${SEEDS.SHA1}A`,
    "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ&counter=1",
    "otpauth://totp/x",
    `otpauth://totp/x?secret=${SEEDS.SHA1}&digits=7`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}&algorithm=MD5`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}&period=0`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}&period=many`,
    "otpauth:",
  ];
  for (const text of broken) {
    const error = t.throws(() => readTotp(text), { code: "invalid_parameters" }, text);
    if (text.length > 8) t.notMatch(String(error), text);
  }
});

t.test("a seed is read from bytes as from text, wherever it stands in its address", async (t) => {
  const { seed } = readTotp(SEEDS.SHA1);
  for (const uri of [
    `otpauth://totp/x?secret=${SEEDS.SHA1}`,
    `otpauth://totp/secret=x?period=60&secret=${SEEDS.SHA1}`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}&digits=8#end`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}%3D%3d&issuer=a`,
    ` OTPAUTH://totp/x?secret=GEZD+GNBV%20GY3TQOJQGEZDGNBVGY3TQOJQ\n`,
  ]) {
    t.same(readTotp(Buffer.from(uri)).seed, seed, uri);
    t.same(readTotp(uri), readTotp(Buffer.from(uri)));
  }
  t.equal(readTotp(`otpauth://totp/x?secret=${SEEDS.SHA1}&digits=8`).digits, 8);
  t.equal(readTotp(`otpauth://totp/x?period=60&secret=${SEEDS.SHA1}`).periodS, 60);
  for (const uri of [
    `otpauth://hotp/x?secret=${SEEDS.SHA1}`,
    "otpauth://totp/x?issuer=a",
    `otpauth://totp/x#secret=${SEEDS.SHA1}`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}=A`,
    `otpauth://totp/x?secret=${SEEDS.SHA1}%`,
  ])
    t.throws(() => readTotp(uri), { code: "invalid_parameters" }, uri);
});
