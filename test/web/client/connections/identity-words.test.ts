import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { KnownTargets } from "../../../../src/desktop/connections/known-targets.ts";
import { TargetTrust } from "../../../../src/desktop/connections/trust-policy.ts";
import { identityWords } from "../../../../src/web/client/connections/identity-words.ts";

const hash = (name: string): string => createHash("sha256").update(name).digest("hex");
const colons = (hex: string): string => (hex.toUpperCase().match(/../g) ?? []).join(":");
const PLACE = { host: "box", port: 5900 } as const;

t.test("both fingerprints are read out of what the server says", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "oc-identity-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const known = await KnownTargets.open(join(folder, "known.json"));
  await known.remember("box:5900", hash("other"));
  const refusal = (what: "certificate" | "key", fingerprint: string | null): Promise<string> =>
    new TargetTrust({ ...PLACE, fingerprint }, "tofu", known)
      .judge({ what, bytes: Buffer.from("shown"), distrust: "self-signed" })
      .then(
        () => "believed",
        (error: Error) => error.message,
      );
  const both = { shown: colons(hash("shown")), expected: colons(hash("other")) };
  t.same(identityWords(`Failed: ${await refusal("certificate", null)}`), {
    ...both,
    what: "certificate",
    isConfigured: false,
  });
  t.same(identityWords(await refusal("key", hash("other"))), { ...both, what: "key", isConfigured: true });
  t.equal(identityWords("Failed: the peer offers only None"), null);
});
