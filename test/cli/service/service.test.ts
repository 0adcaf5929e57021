import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parse } from "../../../src/cli/command-line.ts";
import { type ServiceHost, serviceCommand } from "../../../src/cli/service-cli.ts";
import { loadConfig } from "../../../src/config/load-config.ts";

/** A machine whose service manager notes what it is told. */
class FakeHost implements ServiceHost {
  readonly home: string;
  readonly platform: string;
  readonly uid: number;
  readonly told: string[] = [];
  answer = { status: 0, text: "active\n" };

  constructor(home: string, platform = "linux", uid = 1000) {
    this.home = home;
    this.platform = platform;
    this.uid = uid;
  }

  run(command: readonly string[]): Promise<{ status: number; text: string }> {
    this.told.push(command.join(" "));
    return Promise.resolve(this.answer);
  }
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-service-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function service(host: ServiceHost, ...argv: readonly string[]): Promise<string> {
  const { values, positionals } = parse(argv);
  const { port } = values;
  const config = loadConfig({
    env: {},
    flags: { port },
    file: undefined,
    connect: [],
    isDemo: false,
    isStdio: false,
  });
  const command = serviceCommand(positionals, values, config, host);
  if (command.kind === "task") return command.run();
  if (command.kind === "print") return command.text;
  throw new Error("serve is no service command");
}

/** Where this checkout lies, and whose Node runs it, is not what these files say. */
function placeless(text: string): string {
  return text
    .replaceAll(process.execPath, "/usr/bin/node")
    .replace(/[^\s"<>]*\/main\.js/g, "/opt/overlay-companion/dist/main.js");
}

t.test("what each manager is given is what was looked through and kept", async (t) => {
  for (const [name, host, ...argv] of [
    [
      "system.service",
      new FakeHost("/root", "linux", 0),
      "--port",
      "8443",
      "--config",
      "/etc/overlay companion/100%.yaml",
    ],
    ["user.service", new FakeHost("/home/ann"), "--config", "/home/ann/oc.yaml", "--data-dir", "/srv/$ann's"],
    ["agent.plist", new FakeHost("/Users/ann", "darwin"), "--config", "/Users/ann/<oc> & co.yaml"],
    [
      "task.xml",
      new FakeHost("C:\\Users\\ann", "win32"),
      "--config",
      "/Users/ann s/o.yaml",
      "--mode",
      "assist",
    ],
  ] as const) {
    const shown = placeless(await service(host, "install", "--dry-run", ...argv));
    const file = new URL(`golden/${name}`, import.meta.url);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, shown);
    t.equal(shown.replaceAll("\r\n", "\n"), readFileSync(file, "utf8").replaceAll("\r\n", "\n"), name);
    t.same(host.told, [], "a dry run tells the manager nothing");
  }
});

t.test("install writes and starts, status asks, uninstall ends and removes", async (t) => {
  const host = new FakeHost(folder(t));
  const file = join(host.home, ".config/systemd/user/overlay-companion.service");
  t.match(await service(host, "status"), /^not installed: there is no /);
  t.equal(process.exitCode, 3);
  process.exitCode = 0;
  await t.rejects(service(host, "uninstall"), { name: "UsageError", message: /nothing is installed$/ });
  t.match(await service(host, "install"), /systemd runs it/);
  t.match(readFileSync(file, "utf8"), /^Type=notify$/m);
  t.match(await service(host, "status"), /systemd says: active\n$/);
  t.equal(process.exitCode, 0);
  host.answer = { status: 3, text: "failed\n" };
  t.match(await service(host, "status"), /says: failed/);
  t.equal(process.exitCode, 3);
  process.exitCode = 0;
  await t.rejects(service(host, "uninstall"), {
    message: "$ systemctl --user disable --now overlay-companion.service failed (3): failed",
  });
  t.ok(existsSync(file), "what could not be ended is still known");
  host.answer = { status: 0, text: "" };
  await service(host, "uninstall");
  t.notOk(existsSync(file));
  const systemctl = (rest: string): string => `systemctl --user ${rest}`;
  t.same(host.told, [
    systemctl("daemon-reload"),
    systemctl("enable overlay-companion.service"),
    systemctl("restart overlay-companion.service"),
    systemctl("is-active overlay-companion.service"),
    systemctl("is-active overlay-companion.service"),
    systemctl("disable --now overlay-companion.service"),
    systemctl("disable --now overlay-companion.service"),
    systemctl("daemon-reload"),
  ]);
});

t.test("below --root files are written and nothing is run, of any platform", async (t) => {
  const root = folder(t);
  for (const [platform, file] of [
    ["linux", "etc/systemd/system/overlay-companion.service"],
    ["darwin", "root/Library/LaunchAgents/overlay-companion.plist"],
    ["win32", "root/AppData/Local/overlay-companion/overlay-companion.task.xml"],
  ] as const) {
    const host = new FakeHost("/root", "linux", 0);
    const said = await service(host, "install", "--root", root, "--platform", platform);
    t.ok(existsSync(join(root, file)), file);
    t.equal(/has not run this/.test(said), platform !== "linux", "what was never run is said");
    t.match(await service(host, "status", "--root", root, "--platform", platform), /^installed: /);
    await service(host, "uninstall", "--root", root, "--platform", platform);
    t.notOk(existsSync(join(root, file)));
    t.same(host.told, []);
  }
  const task = join(root, "x");
  const host = new FakeHost("/root");
  await service(host, "install", "--root", task, "--platform", "win32");
  const bytes = readFileSync(join(task, "root/AppData/Local/overlay-companion/overlay-companion.task.xml"));
  t.same([...bytes.subarray(0, 4)], [0xff, 0xfe, 0x3c, 0], "UTF-16 with its mark");
});

t.test("words that make no service are refused with what to do", async (t) => {
  const user = new FakeHost("/home/ann");
  const root = new FakeHost("/root", "linux", 0);
  for (const [host, argv, message] of [
    [user, ["begin"], /^got "service begin", expected service install, uninstall or status$/],
    [user, ["install", "--system", "--user"], /expected one of them$/],
    [user, ["install", "--platform", "plan9"], /^got the platform "plan9", expected linux, darwin, win32/],
    [user, ["install", "--platform", "darwin"], /expected --root or --dry-run with it$/],
    [user, ["install", "--platform", "win32", "--dry-run", "--system"], /a service of the user alone$/],
    [root, ["install", "--data-dir", "/srv"], /whose data is in \/var\/lib\/overlay-companion$/],
  ] as const) {
    await t.rejects(service(host, ...argv), { name: "UsageError", message });
  }
  await t.rejects(service(user, "install", "--connect", "vnc://:hunter2x@box"), {
    message: /^got --connect, which (?!.*hunter2x).*configuration file \(connections\)$/,
  });
});

t.test("a port below 1024 gets the one capability that it needs", async (t) => {
  const host = new FakeHost("/root", "linux", 0);
  const low = await service(host, "install", "--dry-run", "--root", "/", "--port", "443");
  t.match(low, /^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
  t.notMatch(low, /PrivateUsers/);
  const high = await service(host, "install", "--dry-run", "--root", "/", "--port", "8443");
  t.match(high, /^CapabilityBoundingSet=\nAmbientCapabilities=\nPrivateUsers=yes$/m);
});
