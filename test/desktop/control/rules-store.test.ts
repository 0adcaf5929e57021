import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PLATFORM } from "../../../src/appliance/open-links.ts";
import { configuredId } from "../../../src/desktop/connections/configured-id.ts";
import { type ConnectionInput, makeConnection } from "../../../src/desktop/connections/connection.ts";
import { readCustomRules } from "../../../src/desktop/control/custom-rules.ts";
import type { Mode } from "../../../src/desktop/control/policy.ts";
import { RulesStore } from "../../../src/desktop/control/rules-store.ts";
import type { Desktop } from "../../../src/desktop/desktop.ts";
import { Desktops } from "../../../src/desktop/desktops.ts";
import { FakeClock } from "../../fake-clock.ts";
import { FakeLink } from "../fake-link.ts";
import { AGENT, HUMAN } from "../house.ts";

const HOST: ConnectionInput = { protocol: "vnc", host: "desk.example" };
const RULES = {
  pointer: "allow",
  text: "deny",
  areas: [{ x: 1, y: 2, width: 3, height: 4, verdict: "deny", name: "Payroll" }],
};

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "oc-rules-"));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** One run of the server, from its start to its end. */
async function run(
  t: Test,
  path: string,
  use: (desktops: Desktops) => unknown,
  options: { readonly mode?: Mode; readonly configured?: readonly ConnectionInput[] } = {},
): Promise<void> {
  const desktops = new Desktops(
    { mode: options.mode ?? "assist", approvalExpiryMs: 45_000 },
    {
      ...PLATFORM,
      clock: new FakeClock(),
      random: () => 0.5,
      onBug: (error) => t.error(error),
      openLink: () => new FakeLink(),
      store: { load: async () => [], save: async () => {} },
      rules: await RulesStore.open(path, (error) => t.error(error)),
      ownListeners: () => [],
    },
  );
  await desktops.open(options.configured ?? [HOST]);
  await use(desktops);
  await desktops.close();
}

function only({ all }: Desktops): Desktop {
  const [desktop] = all;
  if (desktop === undefined || all.length !== 1) throw new Error(`${all.length} desktops`);
  return desktop;
}

t.test("rules that people put in force hold after a restart, and until another mode is set", async (t) => {
  const path = join(folder(t), "deep", "rules.json");
  await run(t, path, (desktops) => only(desktops).setMode("custom", HUMAN, RULES));
  t.equal(statSync(path).mode & 0o777, 0o600);
  await run(t, path, (desktops) => {
    const desktop = only(desktops);
    t.equal(desktop.mode, "custom");
    t.match(desktop.rules(), RULES);
    t.match(desktop.rules(), { keys: "ask" });
    desktop.setMode("assist", HUMAN);
  });
  await run(t, path, (desktops) => t.equal(only(desktops).mode, "assist"));
  t.same(JSON.parse(readFileSync(path, "utf8")), { version: 1, desktops: {} });
});

t.test("what an agent chooses for itself is not kept", async (t) => {
  const path = join(folder(t), "rules.json");
  await run(t, path, (desktops) => only(desktops).setMode("custom", AGENT, { text: "deny" }));
  await run(t, path, (desktops) => t.equal(only(desktops).mode, "assist"));
});

t.test("a server that is started passive stays so, and the rules wait", async (t) => {
  const path = join(folder(t), "rules.json");
  await run(t, path, (desktops) => only(desktops).setMode("custom", HUMAN, RULES));
  await run(t, path, (desktops) => t.equal(only(desktops).mode, "passive"), { mode: "passive" });
  await run(t, path, (desktops) => t.equal(only(desktops).mode, "custom"), { mode: "autopilot" });
});

t.test("each desktop has its own rules, and takes them along when it is removed", async (t) => {
  const path = join(folder(t), "rules.json");
  const configured = [HOST, { ...HOST, host: "other.example" }, HOST];
  await run(
    t,
    path,
    async (desktops) => {
      desktops.all[0]?.setMode("custom", HUMAN, RULES);
      desktops.all[2]?.setMode("custom", HUMAN, { keys: "deny" });
    },
    { configured },
  );
  await run(
    t,
    path,
    async (desktops) => {
      t.same(
        desktops.all.map(({ mode }) => mode),
        ["custom", "assist", "custom"],
      );
      t.match(desktops.all[2]?.rules(), { keys: "deny", text: "ask" });
      await desktops.remove(desktops.all[0]?.id ?? "");
    },
    { configured },
  );
  await run(t, path, ({ all }) => t.same(all[0]?.mode, "assist"), { configured });
});

t.test("a file that is none of ours keeps the server from starting, with what is wrong in it", async (t) => {
  const path = join(folder(t), "rules.json");
  const id = configuredId(makeConnection(HOST, new Date(0)), 0);
  for (const [text, fault] of [
    ["not json", /is not a file of rules/],
    ['{"version": 2, "desktops": {}}', /version/],
    [JSON.stringify({ version: 1, desktops: { [id]: { pointer: "maybe" } } }), /pointer/],
    [JSON.stringify({ version: 1, desktops: { [id]: { mouse: "deny" } } }), /mouse/],
    [
      JSON.stringify({ version: 1, desktops: { [id]: { areas: [{ x: -1, y: 0, width: 1, height: 1 }] } } }),
      /areas/,
    ],
  ] as const) {
    writeFileSync(path, text);
    await t.rejects(
      RulesStore.open(path, () => undefined),
      { code: "invalid_parameters", message: fault },
    );
  }
});

t.test("a disk that takes nothing is told of, and the rules hold meanwhile", async (t) => {
  const dir = folder(t);
  const faults: unknown[] = [];
  const rules = await RulesStore.open(join(dir, "below", "rules.json"), (error) => void faults.push(error));
  // A file where the folder has to be.
  writeFileSync(join(dir, "below"), "");
  rules.set("a", readCustomRules(RULES));
  await rules.flush();
  t.equal(faults.length, 1);
  t.match(rules.first("a", { mode: "assist" }), { mode: "custom", customRules: RULES });
  rmSync(join(dir, "below"));
  rules.set("b", readCustomRules({}));
  await rules.flush();
  t.equal(faults.length, 1, "the next one is kept again, with all that was set before");
  t.match(JSON.parse(readFileSync(join(dir, "below", "rules.json"), "utf8")), { desktops: { a: RULES } });
});

t.test("a configured place has the same id at each start, and each of several its own", async (t) => {
  const idOf = (input: ConnectionInput, nth = 0): string =>
    configuredId(makeConnection(input, new Date(nth)), nth);
  t.equal(idOf(HOST), idOf({ ...HOST, name: "Another name", password: "changed" }));
  t.match(idOf(HOST), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  const others = [
    { ...HOST, host: "b" },
    { ...HOST, port: 5901 },
    { ...HOST, username: "ann" },
  ];
  const ids = [idOf(HOST), idOf(HOST, 1), ...others.map((input) => idOf(input))];
  t.equal(new Set(ids).size, ids.length);
});

t.test("an administrator's rules outlive removing and adding by others", async (t) => {
  const operator = { kind: "human", id: "o", name: "Olga", authority: "modes" } as const;
  await run(t, join(folder(t), "rules.json"), async (desktops) => {
    const first = await desktops.add({ protocol: "vnc", host: "127.0.0.1", port: 5955 }, HUMAN);
    first.setMode("custom", HUMAN, RULES);
    await t.rejects(desktops.remove(first.id, operator), { code: "permission_denied" });
    await t.rejects(desktops.remove(first.id, AGENT), { code: "permission_denied" });
    const again = await desktops.add({ protocol: "vnc", host: "localhost", port: 5955 }, operator);
    t.same(again.rules(), readCustomRules(RULES));
    t.equal(again.mode, "custom");
    const other = await desktops.add({ protocol: "vnc", host: "127.0.0.1", port: 5956 }, operator);
    t.equal(other.mode, "assist");
    await desktops.remove(first.id, HUMAN);
  });
});
