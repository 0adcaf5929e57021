import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import { readCommand } from "../../../src/cli/cli.ts";
import { StoreError } from "../../../src/cluster/error.ts";
import { PATIENT } from "../../../src/cluster/etcd/etcd-servers.ts";
import { EtcdStore } from "../../../src/cluster/etcd/etcd-store.ts";
import { commitSurely } from "../../../src/cluster/store/commit-surely.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { Heard, storeContract } from "../../cluster/store-contract.ts";
import { until } from "../../support/until.ts";
import { ETCD_PEERS, EtcdCluster } from "../harness/etcd.ts";
import { requirePeers } from "../harness/peers.ts";

const WITHIN = { clock: systemClock, withinMs: 20_000 };

if (requirePeers(t, ETCD_PEERS)) {
  const etcd = await EtcdCluster.start(t);
  const [first, second, third] = etcd.members;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three members");

  await t.test("the contract, by two clients of different servers", async (t) => {
    // What machines under load take long for is not what is tested.
    const a = new EtcdStore({ ...etcd.options([first.url]), limits: PATIENT });
    const b = new EtcdStore({ ...etcd.options([second.url, third.url]), limits: PATIENT });
    t.teardown(() => a.close());
    const compact = async (): Promise<void> => {
      const { revision } = await a.list("/t/");
      await etcd.control(first, "compaction", String(revision));
    };
    await storeContract(t, { a, b, compact });
  });

  await t.test("who has no certificate, no password or no rights is refused, in words", async (t) => {
    const asked = async (options: Partial<ReturnType<typeof etcd.options>>, key = "/t/x") => {
      const store = new EtcdStore({
        ...etcd.options([first.url]),
        limits: { ...PATIENT, callMs: 3000 },
        ...options,
      });
      t.teardown(() => store.close());
      return await store.get(key);
    };
    const { login, tls } = etcd;
    const other = await EtcdCluster.foreignAuthority(t);
    await Promise.all([
      t.rejects(asked({ login: { ...login, password: "wrong" } }), { code: "refused" }),
      t.rejects(asked({ login: null }), { code: "refused" }),
      t.rejects(asked({}, "/not/ours"), { code: "refused" }),
      t.rejects(asked({ tls: { ...tls, cert: null, key: null } }), { code: "unavailable" }),
      t.rejects(asked({ tls: { ...tls, ca: other } }), { code: "unavailable" }),
    ]);
    for (const url of ["http://127.0.0.1:2379", "127.0.0.1:2379", "https://u:p@host:1", "https://host/x"]) {
      t.throws(() => new EtcdStore(etcd.options([url])), { code: "invalid" });
    }
    const store = new EtcdStore(etcd.options());
    t.teardown(() => store.close());
    const heard = new Heard();
    store.watch("/not/ours", 1n, heard);
    await until("the refusal", () => heard.failure?.code === "refused", 60_000);
  });

  await t.test("cluster check says what is well and what is not", async (t) => {
    const dir = t.testdir({ password: `${etcd.login.password}\n`, wrong: "wrong" });
    const file = (name: string): string => join(etcd.dir, name);
    const check = async (password: string, ...endpoints: string[]): Promise<string> => {
      const command = readCommand(
        [
          ...["cluster", "check", "--endpoints", endpoints.join(), "--ca", file("ca.crt")],
          ...["--cert", file("client.crt"), "--key", file("client.key")],
          ...["--login", etcd.login.name, "--password-file", join(dir, password)],
        ],
        {},
      );
      if (command.kind !== "task") throw new Error("a task");
      const said = await command.run();
      const isWell = process.exitCode !== 1;
      process.exitCode = 0;
      t.equal(isWell, !said.includes("wrong "), "the exit status says the same");
      return said;
    };
    const well = await check("password", ...etcd.urls);
    t.comment(well);
    t.match(
      well,
      /^ok {6}members: 3 members; .*, leads.*\nok .*swap: one of 8 .*\nok .*watch: .*\nok .*lease: .*\n$/,
    );
    t.match(await check("password", first.url), /^wrong {3}members: .*expected three members/);
    t.match(await check("wrong", first.url), /^wrong {3}members: refused: /);
    const { stdout } = await etcd.control(first, "get", "/overlay-companion/", "--prefix", "--keys-only");
    t.equal(stdout.trim(), "", "nothing of it is left");
    t.throws(() => readCommand(["cluster", "join"], {}), { name: "UsageError" });
  });

  await t.test(
    "the leader is killed: writers go on, nothing is lost or done twice, a watch misses nothing",
    async (t) => {
      const stores = [0, 1, 2].map((nth) => {
        const urls = [...etcd.urls.slice(nth), ...etcd.urls.slice(0, nth)];
        const store = new EtcdStore({ ...etcd.options(urls), limits: { answerMs: 2000, callMs: 20_000 } });
        t.teardown(() => store.close());
        return store;
      });
      const heard = new Heard();
      const [watcher] = stores;
      if (watcher === undefined) throw new Error("three stores");
      const { revision: start } = await watcher.list("/t/kill/");
      watcher.watch("/t/kill/", start, heard);
      let isOver = false;
      let unknown = 0;
      let longestMs = 0;
      const failures: unknown[] = [];
      // Each adds one to a number of its own, and knows from the port alone what became of it.
      const write = async (store: EtcdStore, nth: number): Promise<number> => {
        const key = `/t/kill/${nth}`;
        const made = await commitSurely(store, [{ kind: "create", key, value: "0" }], WITHIN);
        let revision = made.revision;
        let count = 0;
        let lastMs = performance.now();
        const counting = {
          commit: (changes: Parameters<EtcdStore["commit"]>[0]) =>
            store.commit(changes).catch((error: unknown) => {
              if (error instanceof StoreError && error.code === "outcome_unknown") unknown++;
              else failures.push(error);
              throw error;
            }),
        };
        while (!isOver) {
          const change = { kind: "update", key, value: `${count + 1}`, revision } as const;
          const outcome = await commitSurely(counting, [change], WITHIN);
          t.equal(outcome.isDone, true, "nobody else writes it");
          revision = outcome.revision;
          count++;
          longestMs = Math.max(longestMs, performance.now() - lastMs);
          await pause(5);
          lastMs = performance.now();
        }
        return count;
      };
      const writing = Promise.all(stores.map(write));
      await until("some writes", () => heard.commits.length > 30);
      const leader = await etcd.leader();
      await leader.program.stop("SIGKILL");
      const atKill = heard.commits.length;
      await until("writes behind it", () => heard.commits.length > atKill + 60, 60_000);
      etcd.restart(leader);
      // Another one is silent, and says nothing at all.
      const mute = await etcd.leader();
      mute.program.freeze(true);
      const atFreeze = heard.commits.length;
      await until("writes behind that", () => heard.commits.length > atFreeze + 60, 60_000);
      mute.program.freeze(false);
      isOver = true;
      const counts = await writing;
      for (const [nth, count] of counts.entries()) {
        t.equal((await watcher.get(`/t/kill/${nth}`))?.value, `${count}`, `writer ${nth}`);
      }
      await until(
        "the last change",
        () => heard.commits.length >= counts.reduce((sum, count) => sum + count + 1, 0),
      );
      for (const [nth, count] of counts.entries()) {
        t.same(
          heard.lines.filter((line) => line.startsWith(`/t/kill/${nth}=`)),
          Array.from({ length: count + 1 }, (_, value) => `/t/kill/${nth}=${value}`),
          `each value of writer ${nth}, once, in order`,
        );
      }
      for (const error of failures) t.match(error, { name: "StoreError", code: "unavailable" });
      t.comment(
        `${counts.join(", ")} writes, ${unknown} of unknown outcome, none took longer than ${Math.round(longestMs)} ms`,
      );
      t.ok(unknown > 0, "some were under way");
    },
  );
}
