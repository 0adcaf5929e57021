import t from "tap";
import { limitOf, targetRule } from "../../../src/desktop/connections/target-rules.ts";

const rules = (...texts: readonly string[]) =>
  texts.map((text) => {
    const rule = targetRule(text);
    if (rule === null) throw new Error(`${text} is no rule`);
    return rule;
  });
const at = (address: string, port = 5900, protocol = "vnc") => ({ address, port, protocol });

t.test("a rule is a network, its ports and its protocol, or a path", async (t) => {
  for (const [text, target, isMeant] of [
    ["10.0.0.0/8", at("10.9.8.7"), true],
    ["10.0.0.0/8", at("11.0.0.1"), false],
    ["10.0.0.0/8", at("::ffff:10.1.2.3"), true],
    ["10.0.0.0/8:5900", at("10.1.1.1", 5901), false],
    ["10.0.0.0/8:5900-5999", at("10.1.1.1", 5999), true],
    ["10.0.0.7", at("10.0.0.7", 1), true],
    ["[::ffff:10.0.0.0]/104", at("10.1.1.1"), true],
    ["[fd00::]/8", at("fd12::1"), true],
    ["[fd00::]/8:3389", at("fd12::1", 3390), false],
    ["*", at("192.0.2.1"), true],
    ["*", at("fd12::1"), true],
    ["*:22", at("fd12::1", 22), true],
    ["*:22", at("fd12::1", 23), false],
    ["rdp://10.0.0.0/8", at("10.1.1.1", 3389, "rdp"), true],
    ["rdp://10.0.0.0/8", at("10.1.1.1", 3389, "vnc"), false],
    ["kasmvnc://*:6901", at("10.1.1.1", 6901, "kasmvnc"), true],
    ["*", { path: "/run/vnc.sock" }, false],
    ["unix:", { path: "/run/vnc.sock" }, true],
    ["unix:/run", { path: "/run/vnc.sock" }, true],
    ["unix:/run/", { path: "/run/vnc.sock" }, true],
    ["unix:/", { path: "/run/vnc.sock" }, true],
    ["unix:/run/vnc", { path: "/run/vnc.sock" }, false],
    ["unix:/run/vnc.sock", { path: "/run/vnc.sock" }, true],
    ["unix:", at("127.0.0.1"), false],
  ] as const) {
    const limit = limitOf(target, { only: [], deny: rules(text) });
    t.equal(limit !== null, isMeant, `${text} ${JSON.stringify(target)}`);
    if (isMeant) t.equal(limit, `targets.deny refuses it (${text})`);
    t.equal(limitOf(target, { only: rules(text), deny: [] }) === null, isMeant, `only ${text}`);
  }
});

t.test("what is denied stays denied, and an empty list allows all", async (t) => {
  const limits = { only: rules("10.0.0.0/8"), deny: rules("10.0.0.5") };
  t.equal(limitOf(at("10.0.0.4"), limits), null);
  t.match(limitOf(at("10.0.0.5"), limits), /targets\.deny/);
  t.match(limitOf(at("192.0.2.1"), limits), /targets\.only/);
  t.equal(limitOf(at("192.0.2.1"), { only: [], deny: [] }), null);
});

t.test("what is no rule is told apart", async (t) => {
  for (const bad of [
    ...["", "*:", "10.0.0.0/33", "[fd00::]/129", "fd00::/8", "10.0.0.0/8:0", "10.0.0.0/8:65536", "*:9-8"],
    ...["ssh://10.0.0.0/8", "rdp://", "rdp:10.0.0.0/8", "host.example", "unix:run", "RDP://*", "**", "* :5"],
  ]) {
    t.equal(targetRule(bad), null, bad);
  }
});
