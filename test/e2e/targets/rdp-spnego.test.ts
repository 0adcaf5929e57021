import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startRdpFake } from "../hostile/rdp-fake.ts";
import { RdpSession } from "./rdp-session.ts";
import { makeCertificate } from "./rdp-target.ts";
import { requireSpnego, SpnegoHost, type SpnegoHostOptions } from "./spnego-host.ts";

// A host that takes NTLM in SPNEGO alone. Its SPNEGO is MIT Kerberos', its NTLM gss-ntlmssp's: nobody's here.

const ACCOUNT = { username: "ada", password: "Päss wörd €" } as const;

async function start(t: Test, options: Partial<SpnegoHostOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "oc-spnego-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const { fingerprint, ...identity } = makeCertificate(folder);
  const host = new SpnegoHost(t, folder, { account: ACCOUNT, identity, ...options });
  const { port } = await startRdpFake(
    t,
    identity,
    async (client) => {
      await client.reach("secured");
      if (!(await host.admit(client))) return;
      await client.reach("live");
      await client.listen();
    },
    "nla",
  );
  return { host, target: { port, fingerprint, ...ACCOUNT } };
}

for (const bareAnswer of ["code", "hangs up"] as const) {
  t.test(
    `a host that insists on SPNEGO (${bareAnswer}) lets us in by a second connection`,
    { timeout: 60_000 },
    async (t) => {
      if (!requireSpnego(t)) return;
      const { host, target } = await start(t, { bareAnswer });
      const { ear, link } = new RdpSession(t, target, { size: { width: 64, height: 64 } });
      await ear.next("ready");
      await ear.next("update");
      t.equal(link.description, "RDP, TLS, NLA");
      t.same(host.offers, ["bare", "wrapped"]);
      t.same(host.credentials, ACCOUNT, "and it has what it needs, sealed by the keys of that sign-in");
      link.close();
    },
  );

  t.test(`a wrong password is refused, once (${bareAnswer})`, { timeout: 60_000 }, async (t) => {
    if (!requireSpnego(t)) return;
    const { host, target } = await start(t, { bareAnswer });
    const { ear } = new RdpSession(t, target, { password: "not the password" });
    const { error } = await ear.next("closed");
    t.match(error, { code: "auth_failed", isFinal: true, message: /denied the sign-in \(0x8009030c\)/ });
    t.notMatch(error.message, "not the password");
    t.same(host.offers, ["bare", "wrapped"]);
    t.equal(host.credentials, null);
  });
}

const TAMPERED = "a signature over the mechanisms that is another one ends it, without the password";

t.test(TAMPERED, { timeout: 60_000 }, async (t) => {
  if (!requireSpnego(t)) return;
  // The signature is the last of the token, its last four bytes are the message's number.
  const tamper = (token: Buffer): Buffer => {
    const changed = Buffer.from(token);
    const at = changed.length - 8;
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    return changed;
  };
  const { host, target } = await start(t, { tamper });
  const { ear } = new RdpSession(t, target);
  const { error } = await ear.next("closed");
  t.match(error, { isFinal: true, message: /signature over the mechanisms/ });
  t.equal(host.credentials, null);
});
