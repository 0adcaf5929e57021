import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import * as z from "zod";
import { openAnalysts } from "../../src/appliance/open-analysts.ts";
import { sealingKeyOf } from "../../src/appliance/open-secrets.ts";
import { checkConfig } from "../../src/config/check-config.ts";
import { CONFIG_KEYS, configSchema } from "../../src/config/config-schema.ts";
import { type ConfigSources, loadConfig } from "../../src/config/load-config.ts";
import { printable } from "../../src/config/printable.ts";
import { secretOfCommand } from "../../src/config/secret-command.ts";

function load(sources: Partial<ConfigSources> = {}) {
  return loadConfig({
    env: {},
    flags: {},
    file: undefined,
    connect: [],
    isDemo: false,
    isStdio: false,
    ...sources,
  });
}

function file(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "oc-")), "config.yaml");
  writeFileSync(path, text);
  return path;
}

t.test("nothing given: loopback, port 3000, assist, data in the XDG folder", async (t) => {
  const config = load({ env: { XDG_DATA_HOME: "/data" } });
  t.match(config, {
    server: { host: "127.0.0.1", port: 3000 },
    mode: "assist",
    rate_limits: { enabled: true },
  });
  t.equal(config.data_dir, "/data/overlay-companion");
  t.same(config.connections, []);
});

t.test("how long and how much of screenshots is kept can be set", async (t) => {
  t.same(load().screenshots, { keep_minutes: 60, memory_mb: 64 });
  const env = { OC_SCREENSHOTS_KEEP_MINUTES: "0.5", OC_SCREENSHOTS_MEMORY_MB: "8" };
  t.same(load({ env }).screenshots, { keep_minutes: 0.5, memory_mb: 8 });
  t.throws(() => load({ env: { OC_SCREENSHOTS_KEEP_MINUTES: "-1" } }), /keep_minutes/);
});

t.test("defaults < file < environment < flags", async (t) => {
  const path = file("server: {port: 4000, host: 0.0.0.0}\nmode: passive\n");
  t.match(load({ file: path }), { server: { port: 4000, host: "0.0.0.0" }, mode: "passive" });
  t.match(load({ env: { OC_CONFIG: path, OC_PORT: "5000", PORT: "6000" } }), {
    server: { port: 5000, host: "0.0.0.0" },
  });
  t.match(load({ env: { PORT: "6000" } }), { server: { port: 6000 } });
  t.match(load({ env: { PORT: "6000" }, flags: { port: "7000" } }), { server: { port: 7000 } });
  t.match(load({ env: { OC_ALLOWED_HOSTS: "a.example, b.example:8443" } }), {
    server: { allowed_hosts: ["a.example", "b.example:8443"] },
  });
  t.match(load({ env: { OC_RATE_LIMITS: "off" } }), {
    rate_limits: { enabled: false, input: "5/s burst 10", sign_in: "10/15min", roles: {} },
  });
  const limited = file("rate_limits: off\n");
  t.equal(load({ file: limited }).rate_limits.enabled, false);
  t.equal(load({ file: limited, env: { OC_RATE_LIMITS: "on" } }).rate_limits.enabled, true);
});

t.test("sets of tools come from the file as a list, from the environment and a flag with commas", (t) => {
  const path = file("mcp: {toolsets: [core, read]}\n");
  t.same(load().mcp.toolsets, []);
  t.same(load({ file: path }).mcp.toolsets, ["core", "read"]);
  t.same(load({ file: path, env: { OC_TOOLSETS: "overlay, input" } }).mcp.toolsets, ["overlay", "input"]);
  t.same(load({ env: { OC_TOOLSETS: "input" }, flags: { toolsets: "admin,read" } }).mcp.toolsets, [
    "admin",
    "read",
  ]);
  for (const sources of [{ env: { OC_TOOLSETS: "core,all" } }, { file: file("mcp: {toolsets: [all]}") }]) {
    t.throws(() => load(sources), /mcp\.toolsets/);
  }
  t.end();
});

t.test("secrets may come from files, and are never printed", async (t) => {
  const secret = file("0123456789abcdef-token\n");
  const config = load({
    env: { OC_TOKEN_FILE: secret, OC_VNC_PASSWORD: "pass1234" },
    connect: ["vnc://:hidden99@h"],
  });
  t.equal(config.auth.token, "0123456789abcdef-token");
  const text = JSON.stringify(printable(config));
  t.notMatch(text, /0123456789|pass1234|hidden99/);
  t.match(text, /\(set\)/);
});

t.test("of a connection no secret is printed, and all else is", async (t) => {
  const headers = { protocol: "vnc", host: "h", transport: "ws", http_headers: { "X-Key": "hidden99" } };
  const config = load({
    connect: [
      "vnc+wss://ada:hidden99@h/desk?token=hidden99&http_username=eve&http_password=hidden99",
      "vnc+unix:///run/desk.sock",
      "vnc+ws://h/websockify",
    ],
    file: file(JSON.stringify({ connections: [headers] })),
  });
  const { connections } = printable(config);
  t.notMatch(JSON.stringify(connections), /hidden99|token/);
  t.match(connections, [
    { http_headers: "(set)", password: null },
    { username: "ada", password: "(set)", path: "(set)", http_username: "eve", http_password: "(set)" },
    { path: "/run/desk.sock", password: null },
    { path: "/websockify", password: null },
  ]);
});

t.test("errors name the key, where it came from, the value and the fix", async (t) => {
  t.throws(() => load({ flags: { port: "70000" } }), {
    message: /server\.port \(from flag --port\): got "70000"/,
  });
  t.throws(() => load({ env: { OC_MODE: "wild" } }), {
    message: /mode \(from environment variable OC_MODE\): got "wild".*autopilot/,
  });
  t.throws(() => load({ file: file("servr: {port: 1}\n") }), { message: /servr/ });
  t.throws(() => load({ file: file("a: [1\n") }), { message: /is not YAML/ });
  t.throws(() => load({ file: "/no/such/file.yaml" }), { message: /cannot read the configuration file/ });
  t.throws(() => load({ connect: ["http://x"] }), { message: /--connect: .*scheme http/ });
  try {
    load({ env: { OC_TOKEN: "short" } });
    t.fail("a short token was accepted");
  } catch (error) {
    t.match(error, { message: /auth\.token.*\(secret\)/ });
    t.notMatch(String(error), /short/);
  }
});

t.test("connections of the file: URLs and fields, password files, ids that stay the same", async (t) => {
  const secret = file("s3cret\n");
  const text = `connections:
  - url: vnc://:pw@one.example:5901
  - {name: Build VM, protocol: vnc, host: two.example, password_file: ${secret}}
  - {name: Build VM, protocol: vnc, host: three.example}
`;
  const { connections } = load({ file: file(text), isDemo: true });
  t.same(
    connections.map(({ id }) => id),
    ["vnc-one-example-5901", "build-vm", "build-vm-2", "demo"],
  );
  t.equal(connections[1]?.password, "s3cret");
  t.throws(() => load({ file: file("connections: [{protocol: vnc}]") }), { message: /connections\.0\.host/ });
});

t.test("every key that the environment or a flag reaches exists in the schema", async (t) => {
  for (const { path } of CONFIG_KEYS) {
    const shape = path.split(".").reduce<unknown>((node, part) => {
      const unwrapped = unwrap(node);
      return typeof unwrapped === "object" && unwrapped !== null && "shape" in unwrapped
        ? Reflect.get(Object(unwrapped.shape), part)
        : undefined;
    }, configSchema);
    t.ok(shape, path);
  }
});

/** The object schema behind defaults and the like. */
function unwrap(node: unknown): unknown {
  if (typeof node !== "object" || node === null || "shape" in node) return node;
  if ("def" in node && typeof node.def === "object" && node.def !== null && "innerType" in node.def) {
    return unwrap(node.def.innerType);
  }
  if ("def" in node && typeof node.def === "object" && node.def !== null && "out" in node.def) {
    return unwrap(node.def.out);
  }
  return node;
}

t.test("what is wrong is told by its own key, without the secrets around it", async (t) => {
  const told = (text: string): string => {
    try {
      load({ file: file(text) });
    } catch (error) {
      const { message } = z.object({ message: z.string() }).parse(error);
      t.notMatch(message, /hush|hunter2/, text);
      return message;
    }
    return t.fail(`accepted: ${text}`) ? "" : "";
  };
  const secrets = "auth: {token: hush-hush-hush-hush}\nvnc: {password: hunter2}\n";
  t.match(
    told(`${secrets}servr: {port: 1}\n`),
    /^servr \(from .*yaml\): there is no such key: expected one of server, auth/,
  );
  t.match(told("auth: {token: hush-hush-hush-hush, tokn: 1}\n"), /^auth\.tokn .*expected one of token$/);
  t.match(told("rate_limits: {input: 5}\n"), /^rate_limits\.input .*expected/);
  t.match(
    told('rate_limits: {input: "5/day"}\n'),
    /^rate_limits\.input .*got "5\/day": expected a rate such as 5\/s/,
  );
  t.match(
    told('rate_limits: {roles: {viewer: {input: "5/s"}}}\n'),
    /^rate_limits\.roles\.viewer .*no such key/,
  );
  t.match(told('server: {cors_origins: ["*"]}\n'), /^server\.cors_origins.*expected an origin such as/);
  t.match(
    told("server: {cors_origins: [https://a.example/x]}\n"),
    /^server\.cors_origins.*expected an origin/,
  );
  t.match(told("auth: hush-hush-hush-hush\n"), /^auth .*got a string: .*expected object/);
  t.match(
    told("connections: [{protocol: vnc, host: a, password: hunter2, prot: 1}]\n"),
    /^connections\.0\.prot .*there is no such key: expected one of .*password_file/,
  );
  t.match(
    told('connections: [{url: "vnc://:hunter2@a", mode: assist}]\n'),
    /^connections\.0\.mode .*no such key/,
  );
  t.match(told('connections: ["vnc://:hunter2@a"]\n'), /^connections\.0 .*got a string/);
  t.match(told('connections: "vnc://:hunter2@a"\n'), /^connections .*got a string/);
  t.match(
    told("connections: [{protocol: vpn, host: a, password: hunter2}]\n"),
    /^connections\.0\.protocol .*got "vpn"/,
  );
  t.match(told('rate_limits: "maybe"\n'), /^rate_limits .*got "maybe": expected on or off$/);
  t.match(told("- hunter2\n"), /got a list, expected keys and values/);
  t.match(
    told("connections: [{protocol: rdp, host: a, password: hunter2}]\n"),
    /^connections\.0: got no username, expected host, username and password/,
  );
  t.throws(() => load({ connect: ["vnc://:50%off@a"] }), { message: /^--connect: .*%25/ });
});

t.test("a key without a value says nothing", async (t) => {
  const config = load({ file: file("server:\n  port:\n  host: 127.0.0.2\nvnc:\nconnections:\n") });
  t.match(config, { server: { port: 3000, host: "127.0.0.2" }, connections: [] });
  t.match(load({ env: { OC_CONFIG: "", OC_PORT: "" } }), { server: { port: 3000 } });
  t.throws(() => load({ flags: { port: "" } }), { message: /server\.port \(from flag --port\): got ""/ });
});

t.test(
  "an OpenID provider: groups and roles from the file as a map, from the environment in words",
  async (t) => {
    const OC_OIDC_ISSUER = "https://login.example.com/realms/main";
    const env = { OC_OIDC_ISSUER, OC_OIDC_CLIENT_ID: "desk", OC_OIDC_CLIENT_SECRET: "s3cret-of-the-client" };
    const { oidc } = load({ env: { ...env, OC_OIDC_ROLES: "ops=eu=admin, helpdesk=operator," } });
    t.match(oidc, {
      ...{ issuer: OC_OIDC_ISSUER, client_id: "desk", scopes: ["openid", "profile", "email"] },
      ...{ role_claim: "groups", roles: { "ops=eu": "admin", helpdesk: "operator" }, check_seconds: 60 },
    });
    const path = file(
      `oidc: { issuer: "${OC_OIDC_ISSUER}", client_id: desk, roles: { "a,b": viewer }, scopes: [openid, groups] }`,
    );
    t.match(load({ file: path }).oidc, { roles: { "a,b": "viewer" }, scopes: ["openid", "groups"] });
    t.equal(load().oidc.issuer, undefined, "off");
    const desktops = { OC_OIDC_DESKTOPS: "helpdesk=build-vm + test-vm,staff=*" };
    t.strictSame(load({ env: { ...env, ...desktops } }).oidc.desktops, {
      helpdesk: ["build-vm", "test-vm"],
      staff: ["*"],
    });
    const listed = file(
      `oidc: { issuer: "${OC_OIDC_ISSUER}", client_id: desk, desktops: { night: [door] }, mcp_resource: "https://desk.example.com/mcp", mcp_scopes: [ocp:mcp] }`,
    );
    t.match(load({ file: listed }).oidc, {
      ...{ desktops: { night: ["door"] }, mcp_resource: "https://desk.example.com/mcp" },
      mcp_scopes: ["ocp:mcp"],
    });
    t.throws(() => load({ env: { OC_OIDC_MCP_RESOURCE: "https://desk.example.com/mcp" } }), {
      message: /oidc\.mcp_resource: got one without oidc\.issuer/,
    });
    for (const [more, message] of [
      [{ OC_OIDC_CLIENT_ID: "" }, /oidc\.issuer and oidc\.client_id belong together/],
      [{ OC_OIDC_ROLES: "staff=king" }, /oidc\.roles/],
      [{ OC_OIDC_DESKTOPS: "staff" }, /oidc\.desktops/],
      [{ OC_OIDC_DESKTOPS: "staff=" }, /oidc\.desktops/],
      [{ OC_OIDC_MCP_RESOURCE: "desk.example.com/mcp" }, /oidc\.mcp_resource.*https:/],
      [{ OC_OIDC_MCP_RESOURCE: "https://desk.example.com/mcp#a" }, /oidc\.mcp_resource.*fragment/],
      [{ OC_OIDC_ROLES: "staff" }, /oidc\.roles/],
      [{ OC_OIDC_SCOPES: "profile" }, /oidc\.scopes.*openid/],
      [{ OC_OIDC_ISSUER: "ldap://login" }, /oidc\.issuer.*https:/],
      [{ OC_OIDC_CLIENT_SECRET: "x".repeat(1025) }, /oidc\.client_secret.*\(secret\)/],
    ] as const)
      t.throws(() => load({ env: { ...env, ...more } }), { message }, JSON.stringify(more).slice(0, 60));
    t.notMatch(JSON.stringify(printable(load({ env }))), /s3cret/);
    t.match(printable(load({ env })), { oidc: { client_secret: "(set)" } });
  },
);

t.test("a provider elsewhere has to speak https", async (t) => {
  const env = (issuer: string) => ({ OC_OIDC_ISSUER: issuer, OC_OIDC_CLIENT_ID: "desk" });
  for (const issuer of [
    "http://localhost:4000",
    "http://127.0.0.1/x",
    "http://[::1]:4000",
    "https://example.com",
  ])
    t.equal(await checkConfig(load({ env: env(issuer) })), null, issuer);
  for (const issuer of [
    "http://example.com",
    "http://10.0.0.7:8080/realms/main",
    "http://localhost.example.com",
  ])
    await t.rejects(
      checkConfig(load({ env: env(issuer) })),
      { message: /oidc\.issuer.*expected https/ },
      issuer,
    );
});

t.test(
  "models that agents may ask: off without one, keys from files, never over http to elsewhere",
  async (t) => {
    t.equal(openAnalysts(load()), null, "off");
    const keyFile = file("a-key\n");
    const { analysis } = load({
      env: {
        ...{ OC_ANALYSIS_PROVIDER: "ollama", OC_ANALYSIS_CLAUDE_MODEL: "m1", OC_ANALYSIS_OLLAMA_MODEL: "m2" },
        ...{ OC_ANALYSIS_CLAUDE_API_KEY_FILE: keyFile, OC_ANALYSIS_TIMEOUT_S: "5" },
      },
    });
    t.match(analysis, {
      ...{ provider: "ollama", timeout_s: 5 },
      claude: { model: "m1", api_key: "a-key", endpoint: "https://api.anthropic.com" },
      ollama: { model: "m2", endpoint: "http://127.0.0.1:11434" },
    });
    const analysts = openAnalysts({ analysis });
    t.same([analysts?.providers, analysts?.preferred], [["claude", "ollama"], "ollama"]);
    t.doesNotThrow(() => analysts?.check("claude"));
    const elsewhere = { OC_ANALYSIS_OPENAI_API_KEY: "k", OC_ANALYSIS_OPENAI_ENDPOINT: "http://10.0.0.9/" };
    await t.rejects(checkConfig(load({ env: elsewhere })), { message: /openai\.endpoint.*expected https/ });
    t.notMatch(
      JSON.stringify(printable(load({ env: { ...elsewhere, OC_ANALYSIS_OPENAI_API_KEY: "hush" } }))),
      /hush/,
    );
    await t.resolves(checkConfig(load({ env: { OC_ANALYSIS_OLLAMA_ENDPOINT: "http://10.0.0.9:11434" } })));
    t.throws(() => load({ env: { OC_ANALYSIS_PROVIDER: "grok" } }), { message: /analysis\.provider/ });
  },
);

t.test("where connections may lead is a list of rules", async (t) => {
  const { targets } = load({
    env: { OC_TARGETS_ONLY: "10.0.0.0/8:5900, unix:/run/vnc", OC_TARGETS_DENY: "*:22" },
  });
  t.same([targets.only, targets.deny], [["10.0.0.0/8:5900", "unix:/run/vnc"], ["*:22"]]);
  t.throws(() => load({ env: { OC_TARGETS_DENY: "example.com" } }), {
    message: /targets\.deny.*expected targets such as/,
  });
});

t.test("receivers of pushes: each by a name of its own, and nothing secret is printed", async (t) => {
  const hook =
    "{name: phones, url: 'https://ntfy.example/secret-topic', key: secret-key-of-sixteen, token: secret-token}";
  const config = load({ file: file(`push: {base_url: "https://desks.example/", webhooks: [${hook}]}\n`) });
  t.match(config.push, {
    base_url: "https://desks.example",
    webhooks: [{ name: "phones", format: "json", subjects: ["approval", "request"], link: "page" }],
    commands: [],
  });
  t.notMatch(JSON.stringify(printable(config)), /secret-/);
  const twice = file(`push: {webhooks: [${hook}], commands: [{name: phones, argv: [x]}]}\n`);
  t.throws(() => load({ file: twice }), /expected each name once/);
  for (const [wrong, words] of [
    ["webhooks: [{name: a, url: 'ftp://secret-topic.example/'}]", /expected a URL/],
    ["webhooks: [{name: a, url: 'https://x.example/', key: secret-short}]", /key/],
    ["commands: [{name: a, argv: []}]", /argv/],
    ["commands: [{name: 'a b', argv: [x]}]", /expected 1 to 64/],
  ] as const) {
    let message = "";
    try {
      load({ file: file(`push: {${wrong}}\n`) });
    } catch (error) {
      message = String(error);
    }
    t.match(message, words);
    t.notMatch(message, /secret-/);
  }
});

t.test("passwords stand in a file, in the environment, or are printed by a program", async (t) => {
  const program = JSON.stringify([process.execPath, "-e", "console.log('from a program')"]);
  const path = file(`connections:
  - {name: a, protocol: vnc, host: a.example, password_env: DESK_PASSWORD}
  - {name: b, protocol: rdp, host: b.example, username: u, password_command: ${program}}
`);
  const env = { DESK_PASSWORD: "from the environment" };
  const passwords = (sources: Partial<ConfigSources>) =>
    load({ file: path, ...sources }).connections.map(({ password }) => password ?? null);
  t.same(passwords({ env }), ["from the environment", "from a program"]);
  t.same(
    passwords({ env, connects: false }),
    ["from the environment", "(not asked for)"],
    "nothing is run in vain",
  );
  t.throws(() => passwords({}), {
    name: "ConfigError",
    message: /connections\.0\.password_env: the environment variable DESK_PASSWORD holds nothing/,
  });
  const two = file("connections: [{protocol: vnc, host: a, password_env: A, password_file: b}]");
  t.throws(() => load({ file: two }), /got 2 of password_file, password_env and password_command/);
  const bad = file("connections: [{protocol: vnc, host: a, password_env: 'A B'}]");
  t.throws(() => load({ file: bad }), /expected the name of an environment variable/);
});

t.test("a program that gives no secret is told without what it printed", async (t) => {
  const cases: [readonly string[], RegExp][] = [
    [["/nowhere/to/be/found"], /cannot be started \(ENOENT\)/],
    [[process.execPath, "-e", "console.log('s3cret'); process.exit(3)"], /ended with 3: run it by hand/],
    [[process.execPath, "-e", "process.kill(process.pid, 'SIGKILL')"], /ended by SIGKILL/],
    [[process.execPath, "-e", ""], /printed nothing/],
    [[process.execPath, "-e", "console.log('s3cret'.repeat(20000))"], /printed more than 65536 bytes/],
  ];
  for (const [command, message] of cases) {
    const error = await t.rejects(async () => secretOfCommand(command, "sealing.command"), {
      name: "ConfigError",
      message,
    });
    t.notMatch(String(error), /s3cret/);
  }
  t.equal(secretOfCommand([process.execPath, "-e", "console.log(' a b ')"], "k"), " a b ");
});

t.test("a sealing key comes from one place and is never shown", async (t) => {
  const key = "k".repeat(40);
  const config = load({ env: { OC_SEALING_KEY: key } });
  t.equal(sealingKeyOf(config.sealing), key);
  t.notMatch(JSON.stringify(printable(config)), new RegExp(key));
  t.equal(sealingKeyOf(load().sealing), null);
  const command = [process.execPath, "-e", `console.log('${key}')`];
  t.equal(sealingKeyOf(load({ file: file(`sealing: {command: ${JSON.stringify(command)}}`) }).sealing), key);
  t.throws(() => load({ env: { OC_SEALING_KEY: "short" } }), /sealing\.key/);
  t.throws(
    () => load({ env: { OC_SEALING_KEY: key }, file: file("sealing: {command: [cat]}") }),
    /got sealing\.key and sealing\.command/,
  );
});
