import t from "tap";
import { RfbError } from "../../../../src/protocols/rfb/error.ts";
import { choose, type Means, TYPES, VENCRYPT_TYPES } from "../../../../src/protocols/rfb/security/policy.ts";

const code = (means: Means, offered: readonly number[], known = TYPES): string => {
  try {
    return choose(means, offered, known).label;
  } catch (error) {
    return error instanceof RfbError ? error.code : "a bug";
  }
};

const ALL = [1, 2, 5, 6, 16, 18, 19, 30, 113, 129, 130];
const PASSWORD: Means = { password: "x" };
const USER: Means = { username: "ada", password: "x" };
const NOTHING: Means = { password: null };

t.test("the best way is the one that protects most of what we have", async (t) => {
  t.equal(code(PASSWORD, ALL), "VeNCrypt");
  t.equal(code(PASSWORD, [1, 2, 5, 129]), "RA256");
  t.equal(code(PASSWORD, [1, 2, 30]), "VncAuth", "no user name for Apple");
  t.equal(code(USER, [1, 2, 30]), "Apple");
  t.equal(code(NOTHING, ALL), "VeNCrypt");
  t.equal(code(NOTHING, [1, 2]), "None");
  t.equal(code(PASSWORD, [257, 258, 260, 261], VENCRYPT_TYPES), "X509Vnc");
});

t.test("a password is never sent in clear, nor dropped, unless that is allowed by name", async (t) => {
  t.equal(code(USER, [256], VENCRYPT_TYPES), "no_common_auth");
  t.equal(code(PASSWORD, [1]), "no_common_auth");
  const named: Means = { ...USER, security: { allowed: ["None", "Plain"], needsIdentity: false } };
  t.equal(code(named, [256], VENCRYPT_TYPES), "Plain");
  t.equal(code(named, [1, 2]), "None");
});

t.test("a refusal says what is missing", async (t) => {
  t.equal(code(NOTHING, [2]), "password_required");
  t.equal(code(PASSWORD, [30]), "password_required");
  t.equal(code(PASSWORD, [20, 22]), "no_common_auth");
  const proven: Means = { ...PASSWORD, security: { allowed: "auto", needsIdentity: true } };
  t.equal(code(proven, [1, 2, 18]), "no_identity");
  t.equal(code(proven, [2, 6]), "RA2ne");
});
