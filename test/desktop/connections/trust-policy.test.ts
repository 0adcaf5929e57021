import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { connectionFromUrl, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { KnownTargets } from "../../../src/desktop/connections/known-targets.ts";
import { hostBehind, placeOf } from "../../../src/desktop/connections/target-place.ts";
import {
  type ShownIdentity,
  TargetTrust,
  type TlsTrust,
} from "../../../src/desktop/connections/trust-policy.ts";
import { LinkError } from "../../../src/desktop/error.ts";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

function shown(text: string, distrust: string | null = "self-signed"): ShownIdentity {
  return { what: "certificate", bytes: Buffer.from(text), distrust };
}

/** "believed", or the code of the error; every error is final. */
async function verdict(trust: TargetTrust, identity: ShownIdentity): Promise<string> {
  try {
    await trust.judge(identity);
    return "believed";
  } catch (error) {
    if (!(error instanceof LinkError) || !error.isFinal) throw error;
    return error.code;
  }
}

function trustOf(mode: TlsTrust, known: KnownTargets | null = null, fingerprint: string | null = null) {
  return new TargetTrust({ host: "Desk.example", port: 5900, fingerprint }, mode, known);
}

t.test("tofu believes the first one, and later only that one or what an authority signed", async (t) => {
  const file = join(t.testdir(), "data", "known-targets.json");
  const known = await KnownTargets.open(file);
  t.notOk(trustOf("tofu", known).needsIdentity);
  t.equal(await verdict(trustOf("tofu", known), shown("one")), "believed");
  t.equal(statSync(file).mode & 0o777, 0o600);
  const again = await KnownTargets.open(file);
  t.ok(trustOf("tofu", again).needsIdentity, "it may not go back to ways without proof");
  t.equal(await verdict(trustOf("tofu", again), shown("one")), "believed");
  t.equal(await verdict(trustOf("tofu", again), shown("two")), "cert_mismatch");
  t.equal(await verdict(trustOf("tofu", again), shown("renewed", null)), "believed");
  t.equal(await verdict(trustOf("tofu", again), shown("one")), "cert_mismatch");
});

t.test("people are told by what a target is known, and whether that was just believed", async (t) => {
  const file = join(t.testdir(), "known-targets.json");
  const known = await KnownTargets.open(file);
  const colons = (hex: string): string => (hex.toUpperCase().match(/../g) ?? []).join(":");
  t.equal(trustOf("tofu", known).identity, null, "it has shown nothing yet");
  await trustOf("tofu", known).judge(shown("one"));
  const sha256 = colons(hashOf("one"));
  t.same(trustOf("tofu", known).identity, { sha256, isConfigured: false, isNew: true });
  const again = await KnownTargets.open(file);
  t.same(trustOf("tofu", again).identity, { sha256, isConfigured: false, isNew: false });
  await verdict(trustOf("tofu", again), shown("two"));
  t.match(trustOf("tofu", again).identity, { sha256 }, "not what was not believed");
  t.equal(trustOf("insecure", again).identity, null, "anything is believed");
  const configured = trustOf("tofu", again, hashOf("mine")).identity;
  t.same(configured, { sha256: colons(hashOf("mine")), isConfigured: true, isNew: false });
});

t.test("ca, insecure and a configured fingerprint are what they say", async (t) => {
  t.equal(await verdict(trustOf("ca"), shown("one")), "refused");
  t.equal(await verdict(trustOf("ca"), shown("one", null)), "believed");
  t.equal(await verdict(trustOf("insecure"), shown("one")), "believed");
  for (const mode of ["ca", "tofu", "insecure"] as const) {
    const pinned = trustOf(mode, null, hashOf("one"));
    t.ok(pinned.needsIdentity);
    t.equal(await verdict(pinned, shown("one")), "believed");
    t.equal(await verdict(pinned, shown("two", null)), "cert_mismatch");
  }
});

t.test("the file keeps what another process added, and is refused when it is another's", async (t) => {
  const file = join(t.testdir(), "known-targets.json");
  const [first, second] = [await KnownTargets.open(file), await KnownTargets.open(file)];
  await first.remember("a:1", "11");
  await second.remember("b:2", "22");
  t.same(JSON.parse(readFileSync(file, "utf8")), { version: 1, targets: { "a:1": "11", "b:2": "22" } });
  writeFileSync(file, "[]");
  await t.rejects(KnownTargets.open(file), { code: "refused" });
});

t.test("a URL names security types and a fingerprint", async (t) => {
  const hex = hashOf("one");
  const colons = (hex.toUpperCase().match(/../g) ?? []).join(":");
  const input = connectionFromUrl(`vnc://:pw@desk?security=x509vnc,VncAuth&fingerprint=${colons}`);
  const now = new Date(0);
  t.match(makeConnection(input, now), { security: ["X509Vnc", "VncAuth"], fingerprint: hex });
  t.throws(() => connectionFromUrl("vnc://desk?security=Best"), {
    code: "invalid_parameters",
    message: /^got security "Best", expected one of .*X509Vnc/,
  });
  t.throws(() => connectionFromUrl("vnc://desk?fingerprint=abc"), {
    code: "invalid_parameters",
    message: 'got fingerprint "abc", expected the 64 hex digits of a SHA-256, with or without colons',
  });
});

t.test("a web server's path, which may hold a token, is in no file and no error", async (t) => {
  const file = join(t.testdir(), "known-targets.json");
  const paths = ["/ws?token=s3cret", "/s3cret/a@b", "/ws:1?s3cret"];
  const hosts = ["desk", "::1"];
  const old: Record<string, string> = { "desk:1": "00", "/run/a@s.sock:0": "aa", "@desk:1": "bb" };
  let count = 0;
  for (const path of paths) for (const host of hosts) old[placeOf(`${path}@${host}`, 5901)] = `${++count}`;
  writeFileSync(file, JSON.stringify({ version: 1, targets: old }));
  const known = await KnownTargets.open(file);
  t.notMatch(readFileSync(file, "utf8"), "s3cret", "an older file is written anew");
  t.equal(statSync(file).mode & 0o777, 0o600);
  for (const place of ["desk:1", "/run/a@s.sock:0", "@desk:1"])
    t.equal(known.fingerprintOf(place), old[place]);
  count = 0;
  for (const path of paths) {
    for (const host of hosts) {
      const place = placeOf(hostBehind(path, host), 5901);
      t.equal(known.fingerprintOf(place), `${++count}`, `${path} at ${host} is known still`);
    }
  }
  const trust = new TargetTrust(
    { host: hostBehind("/ws?token=s3cret", "desk"), port: 5901, fingerprint: null },
    "tofu",
    known,
  );
  const error: unknown = await trust.judge(shown("another")).catch((thrown: unknown) => thrown);
  t.match(error, { code: "cert_mismatch", message: /path-[0-9a-f]{16}@desk:5901/ });
  t.notMatch(String(error), "s3cret");
});
