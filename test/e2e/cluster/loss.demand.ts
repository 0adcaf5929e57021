import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import * as z from "zod";
import { WebViewer } from "../../../bench/web-viewer.ts";
import { FLEET } from "../../../src/cluster/fleet/fleet.ts";
import { until } from "../../support/until.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { FleetNodes } from "../harness/fleet-nodes.ts";
import { type Agent, ToolRefusal } from "../harness/mcp-client.ts";
import { requirePeers } from "../harness/peers.ts";
import { XDisplay } from "../harness/x-display.ts";

/** Of which each stops a node, servers of etcd or both for some time. */
const FAULTS = Number(process.env["OC_TEST_FLEET_FAULTS"] ?? 50);
const LEADERS = 5;
const DARK_MS = 60_000;
const SLOW_MS = 60_000;
const KEY_EVERY_MS = 50;
/** From less than a lease to more: a node that wakes may have been replaced or not. */
const LEAST_STOPPED_MS = 300;
const MOST_STOPPED_MS = 12_000;
const SETTLE_MS = 5000;

const assignmentSchema = z.looseObject({ owner: z.string().nullable() });
const nodeSchema = z.looseObject({ id: z.string(), name: z.string() });

/** What a key that a node was asked to type ended as; "unsure": there was no answer. */
type Answer = "typed" | "unsure" | ToolRefusal;

if (requirePeers(t, [...ETCD_PEERS, "Xtigervnc"])) {
  t.setTimeout(3_600_000);
  const etcd = await EtcdCluster.start(t, 3);
  // Each answers for its own desktops alone: which of them typed a letter is known by the letter.
  const fleet = await FleetNodes.start(t, etcd, ["a", "b", "c"], { hasCalls: false });
  const history = etcd.history(t, FLEET);
  const agents = new Map<string, Agent>();
  for (const name of fleet.names) agents.set(name, await fleet.node(name).agent());
  const type = async (name: string, id: string): Promise<Answer> => {
    try {
      await agents.get(name)?.call("type_text", { connection_id: id, text: name });
      return "typed";
    } catch (error) {
      return error instanceof ToolRefusal ? error : "unsure";
    }
  };
  const desks = await Promise.all(
    fleet.names.map(async (name) => {
      const screen = await XDisplay.start(t);
      const file = join(etcd.dir, `typed-${name}`);
      const run = `stty -icanon -echo; exec cat > '${file}'`;
      const window = await screen.openTerminal(`typed ${name}`, "60x20+10+10", run);
      await screen.command("xdotool", "windowfocus", window);
      const numbers = "i=0; while :; do i=$((i+1)); echo $i; sleep 0.2; done";
      await screen.openTerminal(`numbers ${name}`, "60x10+10+400", numbers);
      return { typed: () => readFileSync(file, "utf8"), ...(await fleet.add(screen.vncPort)) };
    }),
  );

  /** Who had a desktop, one after the other, by the word of etcd. */
  const ownersOf = (desktop: string): readonly string[] => {
    const [names, owners] = [new Map<string, string>(), [] as string[]];
    for (const [key, value] of history()) {
      if (key.startsWith(`${FLEET}nodes/`)) {
        const { id, name } = nodeSchema.parse(JSON.parse(value));
        names.set(id, name);
      }
      if (key !== `${FLEET}desktops/${desktop}`) continue;
      const { owner } = assignmentSchema.parse(JSON.parse(value));
      if (owner === null) continue;
      const name = names.get(owner);
      if (name === undefined) throw new Error(`${owner} has ${desktop} and was never a node`);
      if (owners.at(-1) !== name) owners.push(name);
    }
    return owners;
  };
  const places = async (): Promise<readonly string[]> => {
    const [name = ""] = fleet.names;
    return (await fleet.view(name)).desktops.map(({ id, node }) => `${id} ${node}`).sort();
  };
  /** Every node is asked to type its letter on every desktop, again and again, until `isOver`. */
  const typeAll = async (isOver: () => boolean): Promise<void> => {
    const loops = fleet.names.flatMap((name) =>
      desks.map(async ({ id }) => {
        while (!isOver()) {
          await type(name, id);
          await pause(KEY_EVERY_MS);
        }
      }),
    );
    await Promise.all(loops);
  };
  const allType = async (): Promise<boolean> => {
    const answers = await Promise.all(
      desks.map(async ({ id }) => {
        const owner = await fleet.ownerOf(id);
        return owner !== null && (await type(owner, id)) === "typed";
      }),
    );
    return answers.every(Boolean);
  };

  await t.test("etcd's leader is killed: input goes on soon, and nothing moves", async (t) => {
    await until("input", allType, SLOW_MS);
    const before = await places();
    const pausesMs: number[] = [];
    for (let nth = 0; nth < LEADERS; nth++) {
      const leader = await etcd.leader();
      let isOver = false;
      const longest = desks.map(async ({ id, owner }) => {
        let [mostMs, typedAtMs] = [0, performance.now()];
        while (!isOver) {
          if ((await type(owner, id)) === "typed") {
            mostMs = Math.max(mostMs, performance.now() - typedAtMs);
            typedAtMs = performance.now();
          }
          await pause(KEY_EVERY_MS);
        }
        return Math.max(mostMs, performance.now() - typedAtMs);
      });
      await pause(500);
      await leader.program.stop("SIGKILL");
      await pause(SETTLE_MS * 2);
      isOver = true;
      pausesMs.push(...(await Promise.all(longest)));
      etcd.restart(leader);
      await until("three again", () => etcd.control(leader, "endpoint", "health").then(() => true), SLOW_MS);
    }
    const told = pausesMs.map(Math.round).toSorted((a, b) => a - b);
    t.comment(
      `of ${LEADERS} leaders killed, longest time between two keys that were typed: ${told.join(", ")} ms`,
    );
    t.same(await places(), before, "nothing moved");
  });

  await t.test("all of etcd is down for a minute: nothing is lost and nothing moves", async (t) => {
    const [desk] = desks;
    if (desk === undefined) throw new Error("no desktop");
    const { id, owner } = desk;
    const node = fleet.node(owner);
    const mask = await node.fetch(`/api/v1/desktops/${id}/masks`, {
      rect: { x: 0, y: 0, width: 9, height: 9 },
    });
    t.equal(mask.status, 201);
    const stateOf = async (name: string): Promise<unknown> => {
      const paths = ["tokens", "fleet", ...(name === owner ? [`desktops/${id}/masks`] : [])];
      const answers = paths.map(async (path) => (await fleet.node(name).fetch(`/api/v1/${path}`)).json());
      return JSON.stringify(await Promise.all(answers), (key, value: unknown) =>
        ["lease_ms", "remaining_ms", "last_used_at", "load"].includes(key) ? undefined : value,
      );
    };
    const before = [await places(), await stateOf(owner)];
    const viewer = await WebViewer.open(`${node.url.replace("http", "ws")}/ws/desktops/${id}`, {
      authorization: `Bearer ${node.adminToken}`,
    });
    t.teardown(() => viewer.close());
    for (const { program } of etcd.members) await program.stop("SIGKILL");
    const darkAtMs = performance.now();
    const refused = await until(
      "a refusal",
      async () => {
        const answer = await type(owner, id);
        return answer instanceof ToolRefusal ? answer : null;
      },
      SLOW_MS,
    );
    t.comment(
      `input was refused ${Math.round(performance.now() - darkAtMs)} ms after etcd was gone: ${refused.message}`,
    );
    t.equal(refused.code, "not_held");
    while (performance.now() - darkAtMs < DARK_MS) {
      const seen = viewer.updates;
      await pause(2000);
      if (viewer.updates === seen) t.fail("the viewer is shown nothing");
      const shot = await node.fetch(`/api/v1/desktops/${id}/screenshot.png`);
      if (!shot.ok) t.fail(`a screenshot is answered by ${shot.status}`);
      for (const name of fleet.names) {
        if ((await type(name, id)) === "typed") t.fail(`${name} types without a lease`);
      }
    }
    for (const member of etcd.members) etcd.restart(member);
    const backAtMs = performance.now();
    await until("input again", async () => (await type(owner, id)) === "typed", SLOW_MS);
    t.comment(`input went on ${Math.round(performance.now() - backAtMs)} ms after etcd was started again`);
    await until("input everywhere", allType, SLOW_MS);
    await pause(SETTLE_MS);
    t.same([await places(), await stateOf(owner)], before, "nothing moved, and all is known that was");
  });

  await t.test("whatever stops for however long, no two nodes type on one desktop", async (t) => {
    let isOver = false;
    const typing = typeAll(() => isOver);
    const stopped = new Map<string, number>();
    for (let nth = 0; nth < FAULTS; nth++) {
      const kind = ["node", "two nodes", "etcd", "one of etcd", "node and one of etcd"][nth % 5] ?? "";
      const nodes = kind.includes("two") ? 2 : kind.includes("node") ? 1 : 0;
      const members = kind === "etcd" ? 3 : kind.includes("etcd") ? 1 : 0;
      const pick = <T>(all: readonly T[], count: number): T[] =>
        all.toSorted(() => Math.random() - 0.5).slice(0, count);
      const programs = [
        ...pick(fleet.names, nodes).map((name) => fleet.node(name).program),
        ...pick(etcd.members, members).map(({ program }) => program),
      ];
      for (const program of programs) program.freeze(true);
      await pause(LEAST_STOPPED_MS + Math.random() ** 2 * (MOST_STOPPED_MS - LEAST_STOPPED_MS));
      for (const program of programs) program.freeze(false);
      stopped.set(kind, (stopped.get(kind) ?? 0) + 1);
      await pause(Math.random() * SETTLE_MS);
    }
    await until("input everywhere", allType, SLOW_MS);
    isOver = true;
    await typing;
    t.comment(`stopped: ${[...stopped].map(([kind, count]) => `${kind} ${count}`).join(", ")}`);
    for (const { id, typed } of desks) {
      const text = typed();
      const runs = text.match(/(.)\1*/g)?.map(([letter = ""]) => letter) ?? [];
      const owners = ownersOf(id);
      // Who had it without typing is not in the runs: each run has to be of a later time of its node than the run before.
      let at = 0;
      for (const letter of runs) {
        const next = owners.indexOf(letter, at);
        if (next < 0) {
          t.fail(
            `${letter} typed after it had lost ${id}: typed by ${runs.join("")}, had by ${owners.join("")}`,
          );
          break;
        }
        at = next;
      }
      t.ok(
        text.length > FAULTS,
        `${text.length} letters on ${id}, in ${runs.length} runs of ${owners.length} owners`,
      );
    }
  });
}
