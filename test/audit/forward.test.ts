import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { HttpReceiver } from "../../src/audit/forward/http-receiver.ts";
import { logFiles } from "../../src/audit/log-files.ts";
import { until } from "../support/until.ts";
import { verified } from "./file-sink.ts";
import { Collector, forwarded, httpTo, linesOfText, sendAnywhere } from "./forward-house.ts";

const upTo = (last: number): number[] => Array.from({ length: last }, (_, nth) => nth + 1);

t.test("every line of the log comes, once and in order, as it stands there", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const { write } = await forwarded(t, dir, httpTo(collector, "the-key"));
  await write(700);
  await write(1);
  t.same(
    collector.had.map(({ chain }) => chain.seq),
    upTo(701),
  );
  t.same(collector.had, linesOfText(readFileSync(join(dir, "audit.ndjson"), "utf8")));
  t.equal(collector.types[0], "application/x-ndjson");
  t.equal(collector.keys[0], "Bearer the-key");
});

t.test("a receiver that is down for an hour loses nothing and gets nothing twice", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const { write, pass, told, forwarder } = await forwarded(t, dir, httpTo(collector));
  await write(5);
  await collector.down();
  for (let n = 0; n < 6; n++) {
    await write(100);
    await pass(600_000, 60_000);
  }
  t.same(collector.unique, upTo(5));
  t.match(forwarder.state, { isWorking: false, isFull: false, dropped: 0 });
  t.ok(forwarder.state.waitingBytes > 0);
  await collector.up();
  await pass(60_000);
  t.same(
    collector.had.map(({ chain }) => chain.seq),
    upTo(605),
  );
  t.match(forwarder.state, { isWorking: true, waitingBytes: 0, dropped: 0 });
  t.same(told, [false, true], "told once each");
});

t.test("what a proxy cuts off comes again, and is seen to", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  // Cuts every second connection, by turns before the request is through and before its answer is.
  let nth = 0;
  const proxy = createServer((socket) => {
    const way = nth++ % 4;
    const behind = connect(collector.port, "127.0.0.1");
    for (const end of [socket, behind]) end.on("error", () => undefined);
    if (way === 1) {
      socket.once("data", (chunk) => {
        behind.write(chunk.subarray(0, 40));
        socket.destroy();
        behind.destroy();
      });
      return;
    }
    socket.pipe(behind);
    if (way === 3) {
      behind.once("data", () => {
        socket.destroy();
        behind.destroy();
      });
    } else behind.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.teardown(() => proxy.close());
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const endpoint = `http://127.0.0.1:${address.port}/`;
  const { write, pass } = await forwarded(
    t,
    dir,
    new HttpReceiver({ endpoint, apiKey: null, send: sendAnywhere }),
  );
  for (let n = 0; n < 12; n++) {
    await write(20);
    await pass(120_000, 60_000);
  }
  await pass(300_000, 60_000);
  t.same(collector.unique, upTo(240));
  t.ok(collector.had.length > 240, "some came twice: their answer was cut off");
  const ids = new Map(collector.had.map(({ chain, event_id }) => [event_id, chain.seq]));
  t.equal(ids.size, 240, "and each of those has the id and the number of the first");
});

t.test("it goes on through files that were put aside, and counts what was deleted before", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const { write, pass, forwarder } = await forwarded(t, dir, httpTo(collector), {
    rotation: { bytes: 9000 },
  });
  await collector.down();
  for (let n = 0; n < 8; n++) await write(10);
  const files = await logFiles(dir);
  t.ok(files.length > 2, "there are several files");
  await collector.up();
  await pass(120_000);
  t.same(collector.unique, upTo(80));
  await collector.down();
  for (let n = 0; n < 8; n++) await write(10);
  const behind = (await logFiles(dir)).filter(({ firstSeq }) => firstSeq > 80);
  const deleted = behind[0];
  const kept = behind[1];
  if (deleted === undefined || kept === undefined) throw new Error("too few files were put aside");
  // Those before as well: retention deletes the oldest.
  for (const { path, firstSeq } of await logFiles(dir)) if (firstSeq < kept.firstSeq) rmSync(path);
  await collector.up();
  await pass(120_000);
  const lost = upTo(160).filter((seq) => !collector.unique.includes(seq));
  t.ok(lost.length > 0);
  const gap = collector.had.find(({ event_type }) => event_type === "audit.gap");
  t.match(gap, { action: "http", counts: { dropped: lost.length } });
  t.equal(forwarder.state.dropped, lost.length);
});

t.test("enforced: nothing is done while more waits than may", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const options = { delivery: "enforced", spoolBytes: 5000 } as const;
  const { audit, write, pass } = await forwarded(t, dir, httpTo(collector), options);
  collector.status = () => 503;
  await write(2);
  await audit.secured();
  await write(30);
  await t.rejects(audit.secured(), {
    code: "audit_down",
    message: /audit\.spool_mb waits for the http receiver/,
  });
  collector.status = () => 200;
  await pass(120_000);
  await audit.secured();
  t.same(collector.unique, upTo(32), "and nothing was lost");
});

t.test("best effort: the oldest is passed over, counted and told", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const options = { delivery: "best_effort", spoolBytes: 5000 } as const;
  const { audit, write, pass, forwarder } = await forwarded(t, dir, httpTo(collector), options);
  await collector.down();
  for (let n = 0; n < 10; n++) {
    await write(10);
    await audit.secured();
  }
  await collector.up();
  await pass(120_000);
  const seqs = collector.unique;
  const last = seqs.at(-1) ?? 0;
  const gaps = collector.had.filter(({ event_type }) => event_type === "audit.gap");
  const counted = gaps.reduce((sum, { counts }) => sum + (counts?.["dropped"] ?? 0), 0);
  const missing = upTo(last).filter((seq) => !seqs.includes(seq));
  // A gap that was passed over itself tells nobody here; the state and the log have all.
  t.equal(forwarder.state.dropped, missing.length);
  t.ok(counted > 0 && counted <= missing.length);
  t.equal((await verified(dir)).fault, null, "the log has all");
});

t.test("one that says too much is sent less at a time", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  collector.status = (lines) => (lines.length > 30 ? 413 : 200);
  const { write, pass } = await forwarded(t, dir, httpTo(collector));
  await write(100);
  await pass(1_200_000, 60_000);
  t.same(collector.unique, upTo(100));
});

t.test("a cursor that cannot be written loses nothing: what was sent comes again", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const { write, pass, forwarder } = await forwarded(t, dir, httpTo(collector));
  // As on a full disk: what is written cannot take the place of what was there.
  const cursor = join(dir, "audit.cursor.http");
  rmSync(cursor, { force: true });
  mkdirSync(cursor);
  await write(3);
  t.notOk(forwarder.state.isWorking);
  rmSync(cursor, { recursive: true });
  await pass(60_000);
  t.same(collector.unique, upTo(3));
  t.ok(forwarder.state.isWorking);
});

t.test("while a cursor cannot be written, what the receiver has is not sent again", async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const receiver = httpTo(collector);
  // Its cursor has a name that can be looked for, and the draft beside it one that is too long for a file.
  const { write, pass, forwarder } = await forwarded(t, dir, {
    name: "x".repeat(235),
    send: (lines) => receiver.send(lines),
  });
  await write(3);
  await pass(3_600_000, 60_000);
  t.same(
    collector.had.map(({ chain }) => chain.seq),
    upTo(3),
    "once in an hour of tries",
  );
  t.notOk(forwarder.state.isWorking);
});

t.test("who is killed goes on where the receiver is", { timeout: 120_000 }, async (t) => {
  const dir = t.testdir();
  const collector = await Collector.open(t);
  const scenario = fileURLToPath(new URL("forward-scenario.ts", import.meta.url));
  const start = () =>
    spawn(process.execPath, ["--import=tsx", scenario, dir, collector.url], { stdio: "inherit" });
  for (const enough of [200, 500]) {
    const child = start();
    const ended = once(child, "exit");
    await until(`${enough} lines`, () => collector.unique.length >= enough, 60_000);
    child.kill("SIGKILL");
    await ended;
  }
  const child = start();
  const lastOf = () =>
    linesOfText(readFileSync(join(dir, "audit.ndjson"), "utf8").replace(/^\{(?!.*\}\}$).*$/gm, "")).at(-1);
  await until("more", () => collector.unique.length >= 700, 60_000);
  child.kill("SIGTERM");
  await once(child, "exit");
  const seqs = collector.unique;
  t.same(seqs, upTo(seqs.length), "none is missing and all came in order");
  t.equal(lastOf()?.chain.seq, seqs.length, "up to the last of the log");
});
