import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import t from "tap";
import {
  guardConnection,
  guardPeer,
  guardTarget as guardPlace,
  guardSocket,
  type OwnListener,
  type TargetReach,
} from "../../../src/desktop/connections/target-guard.ts";
import { targetRule } from "../../../src/desktop/connections/target-rules.ts";

const guardTarget = (host: string, port: number, own: OwnListener[]) =>
  guardPlace({ protocol: "vnc", host, port }, { only: [], deny: [], own });

function reach(only: readonly string[], deny: readonly string[] = [], own: OwnListener[] = []): TargetReach {
  const rules = (texts: readonly string[]) => texts.flatMap((text) => targetRule(text) ?? []);
  return { only: rules(only), deny: rules(deny), own };
}

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
    "::7f00:1",
    "::ffff:0:7f00:1",
    "2001:0:7f00:1::",
    "::1%1",
    "fec0::1",
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

t.test("the operator's lists hold by address, port and protocol", async (t) => {
  const vnc = { protocol: "vnc", host: "127.0.0.1", port: 5901 } as const;
  t.match(await guardPlace(vnc, reach(["127.0.0.0/8:5900-5999"])), { address: "127.0.0.1" });
  await t.rejects(guardPlace({ ...vnc, port: 22 }, reach(["127.0.0.0/8:5900-5999"])), {
    code: "target_forbidden",
    isFinal: true,
    message: "127.0.0.1:22 is not to be reached: targets.only does not name it, ask who runs this appliance",
  });
  await t.rejects(guardPlace({ ...vnc, host: "2130706433" }, reach([], ["127.0.0.0/8"])), {
    code: "target_forbidden",
    message: /^2130706433:5901 \(127\.0\.0\.1\) .* targets\.deny refuses it \(127\.0\.0\.0\/8\)/,
  });
  await t.rejects(guardPlace({ ...vnc, protocol: "rdp" }, reach(["vnc://*"])), { code: "target_forbidden" });
  await t.rejects(guardPlace({ ...vnc, host: "169.254.169.254" }, reach(["*"])), {
    message: /never a desktop/,
  });
  await t.rejects(guardPlace(vnc, reach(["*"], [], [{ port: 5901 }])), { message: /this appliance itself/ });
});

t.test("what a repeater would go on to is judged too, and has to be an address", async (t) => {
  const hub = { protocol: "vnc", host: "127.0.0.1", port: 5901, transport: "repeater" } as const;
  const limits = reach([], ["10.0.0.0/8:5907"], [{ port: 3000 }]);
  const ask = (repeater_id: string) => guardPlace({ ...hub, repeater_id }, limits);
  for (const id of [
    "ID:1234",

    "10.0.0.1:5908",
    "10.0.0.1::5908",
    "[fd00::1]:5900",
    "10.0.0.1",
  ])
    t.match(await ask(id), { address: "127.0.0.1" }, id);
  for (const id of [
    ...["10.0.0.1:5907", "10.0.0.1::5907", "10.0.0.1:7", "[::ffff:10.0.0.1]:5907", "127.0.0.1:3000"],
    ...["169.254.169.254:80", "169.254.169.254", "[64:ff9b::a9fe:a9fe]:80", "[::1%lo]:5900", "fd00::1:5900"],
    ...[
      "metadata.google.internal:80",
      "localhost:5900",
      "inner",
      "0x7f.1:5900",
      "2130706433:5900",
      "[]:1",
      "[10.0.0.1]:1",
      "id:1234",
      ":5900",
    ],
  ])
    await t.rejects(ask(id), { code: "target_forbidden" }, id);
});

t.test("sockets are judged by where their links lead, ours are never targets", async (t) => {
  const dir = t.testdir();
  const [ours, theirs] = [join(dir, "data"), join(dir, "run")];
  mkdirSync(ours);
  mkdirSync(theirs);
  writeFileSync(join(ours, "control.sock"), "");
  writeFileSync(join(theirs, "vnc.sock"), "");
  symlinkSync(join(ours, "control.sock"), join(theirs, "link.sock"));
  symlinkSync(ours, join(theirs, "folder"));
  const limits = reach([`unix:${theirs}`], [`unix:${theirs}/denied`], [{ path: ours }]);
  t.equal(await guardSocket(join(theirs, "vnc.sock"), limits), join(theirs, "vnc.sock"));
  t.equal(await guardSocket(join(theirs, "later.sock"), limits), join(theirs, "later.sock"));
  for (const path of [
    ...[
      `${ours}/control.sock`,
      `${theirs}/link.sock`,
      `${theirs}/folder/control.sock`,
      `${theirs}/../data/control.sock`,
    ],
    ...["/run/other.sock", `${theirs}/denied/x.sock`, `${theirs}/../absent.sock`, `${theirs}x`],
  ])
    await t.rejects(guardSocket(path, limits), { code: "target_forbidden" }, path);
  const unix = { protocol: "vnc", host: "localhost", port: 0, transport: "unix" } as const;
  await t.rejects(guardConnection({ ...unix, path: `${theirs}/link.sock` }, limits), {
    message: /this appliance itself/,
  });
  t.equal(await guardConnection({ ...unix, path: `${theirs}/vnc.sock` }, limits), null);
  await t.rejects(guardConnection({ ...unix, path: "/x.sock" }, reach(["*"])), { message: /targets\.only/ });
});

t.test("servers that come to us are judged by their address and the port they came to", async (t) => {
  const limits = reach(["10.0.0.0/8:5500"], ["10.6.6.6"]);
  guardPeer("vnc", "10.0.0.1", 5500, limits);
  guardPeer("vnc", "::ffff:10.0.0.1", 5500, limits);
  for (const [address, port] of [
    ["10.0.0.1", 5501],
    ["10.6.6.6", 5500],
    ["192.0.2.1", 5500],
    ["fe80::1%eth0", 5500],
    ["169.254.1.1", 5500],
  ] as const)
    t.throws(() => guardPeer("vnc", address, port, limits), { code: "target_forbidden" }, address);
  const reverse = { protocol: "vnc", host: "0.0.0.0", port: 5500, transport: "reverse" } as const;
  t.equal(await guardConnection(reverse, limits), null, "nothing is reached from here");
});
