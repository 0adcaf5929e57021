import { networkInterfaces } from "node:os";
import t from "tap";
import { guardTarget } from "../../../src/desktop/connections/target-guard.ts";

t.test("addresses that are never a desktop are refused in every spelling", async (t) => {
  const spellings = [
    "169.254.169.254",
    "169.254.0.1",
    "0.0.0.0",
    "0",
    "224.0.0.1",
    "255.255.255.255",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "::",
    "fe80::1",
    "ff02::1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::7f00:1",
    "2002:a9fe:a9fe::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "168.63.129.16",
    "0xa83f8110",
    "100.100.100.200",
    "::ffff:100.100.100.200",
    "192.0.0.192",
    "::ffff:0.0.0.0",
  ];
  for (const host of spellings)
    await t.rejects(guardTarget(host, 5900, []), { code: "target_forbidden" }, host);
});

t.test("our own listeners are refused in every spelling of loopback", async (t) => {
  for (const host of [
    "127.0.0.1",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.8.9.10",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
  ]) {
    await t.rejects(guardTarget(host, 3000, [{ port: 3000 }]), { code: "target_forbidden" }, host);
  }
});

t.test("our own listeners are refused at every address of this machine", async (t) => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outward = own.filter(({ internal, address }) => !internal && !address.startsWith("fe80"));
  if (outward.length === 0) t.comment("this machine has loopback alone");
  for (const { address } of [...own.filter(({ internal }) => internal), ...outward]) {
    await t.rejects(guardTarget(address, 3000, [{ port: 3000 }]), { code: "target_forbidden" }, address);
  }
  for (const { address } of outward) t.match(await guardTarget(address, 5900, [{ port: 3000 }]), { address });
});

t.test("loopback desktops and private networks are what this is for", async (t) => {
  t.match(await guardTarget("127.0.0.1", 5901, [{ port: 3000 }]), { address: "127.0.0.1", family: 4 });
  t.match(await guardTarget("192.168.7.7", 5900, []), { address: "192.168.7.7" });
  t.match(await guardTarget("::1", 5901, []), { family: 6 });
});

t.test("a name nobody knows is unreachable", async (t) => {
  await t.rejects(guardTarget("no-such-host.invalid", 5900, []), { code: "unreachable" });
});
