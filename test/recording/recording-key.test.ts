import t from "tap";
import { SecretBox } from "../../src/auth/secret-box.ts";
import { readHead, writeHead } from "../../src/recording/format/head.ts";
import { makeRecordingKey, openRecordingKey } from "../../src/recording/format/recording-key.ts";

t.test("a recording of a fleet opens by its own node's key or by the one that all nodes have", (t) => {
  const [own, other] = [SecretBox.by("o".repeat(32)), SecretBox.by("x".repeat(32))];
  const shared = SecretBox.by("f".repeat(32));
  const sealerOf = (box: SecretBox, fleet: SecretBox | null) => ({
    seal: (text: string, purpose: string) => box.seal(text, purpose),
    open: (text: string, purpose: string) => box.open(text, purpose),
    ...(fleet === null ? {} : { shared: fleet }),
  });
  const { key, kept } = makeRecordingKey("r1", sealerOf(own, shared));
  const head = readHead(
    writeHead({
      ...{ id: "r1", desktopId: "d1", title: "", startedAt: "", reason: "manual", publicKey: "" },
      ...{ startedBy: "Ann", startedById: "ann", ...kept },
    }),
  );
  t.same(openRecordingKey(head, sealerOf(own, null)), key, "its node, alone from now on");
  t.same(openRecordingKey(head, sealerOf(own, other)), key, "its node in a fleet with another key");
  t.same(openRecordingKey(head, sealerOf(other, shared)), key, "another node");
  t.equal(openRecordingKey(head, sealerOf(other, null)), null, "a stranger");
  t.equal(openRecordingKey(head, sealerOf(other, own)), null, "another fleet");
  t.equal(openRecordingKey({ ...head, id: "r2" }, sealerOf(other, shared)), null, "for another recording");
  const alone = makeRecordingKey("r1", sealerOf(own, null));
  t.same(Object.keys(alone.kept), ["sealedKey"], "nothing more where there is no fleet");
  t.end();
});
