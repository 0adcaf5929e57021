import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { readHead } from "../../src/audit/chain-head.ts";
import { ChainKey } from "../../src/audit/chain-key.ts";
import { type LogReport, verifyLog } from "../../src/audit/verify-log.ts";
import { eventOf, fileSink } from "./file-sink.ts";

/** A log of a few lines with all that a chain can tell, and what is needed to check it. */
async function openLog(dir: string) {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, "audit.ndjson");
  for (let run = 0; run < 2; run++) {
    const sink = await fileSink(dir);
    for (let n = 0; n < 4; n++) {
      const actor = { id: `${n}`, name: "Änn \u2028", kind: "human" };
      await sink.write([eventOf({ type: "auth.login", actor })]);
    }
    await sink.write([eventOf({ type: "audit.checkpoint" })]);
    await sink.close();
    if (run === 0) writeFileSync(path, '{"event_id":"cut', { flag: "a" });
  }
  const key = await ChainKey.open(dir, null);
  const head = await readHead(join(dir, "audit.head"), key);
  const check = (bytes: Buffer, name = "changed"): Promise<LogReport> => {
    const changed = join(dir, name);
    writeFileSync(changed, bytes);
    return verifyLog([{ path: changed }], { key, head });
  };
  return { bytes: readFileSync(path), check };
}

/** What somebody may do to a log without its key. */
function mutated(
  log: Buffer,
  others: readonly Buffer[],
  how: string,
  a: number,
  b: number,
  byte: number,
): Buffer {
  const lines = log.toString("latin1").split("\n").slice(0, -1);
  const at = a % lines.length;
  const to = b % lines.length;
  const line = lines[at] ?? "";
  const joined = (): Buffer => Buffer.from(lines.map((one) => `${one}\n`).join(""), "latin1");
  const place = a % log.length;
  switch (how) {
    case "a byte is another":
      return Buffer.concat([log.subarray(0, place), Buffer.from([byte]), log.subarray(place + 1)]);
    case "a bit flips":
      return Buffer.concat([
        log.subarray(0, place),
        Buffer.from([(log[place] ?? 0) ^ (1 << (byte % 8))]),
        log.subarray(place + 1),
      ]);
    case "bytes are gone":
      return Buffer.concat([log.subarray(0, place), log.subarray(place + 1 + (b % 2000))]);
    case "bytes come in":
      return Buffer.concat([log.subarray(0, place), Buffer.alloc(1 + (b % 30), byte), log.subarray(place)]);
    case "the end is cut":
      return log.subarray(0, place);
    case "the beginning is cut":
      return log.subarray(place + 1);
    case "a line is gone":
      lines.splice(at, 1 + (byte % 3));
      return joined();
    case "a line is there twice":
      lines.splice(to, 0, line);
      return joined();
    case "lines change places":
      lines[at] = lines[to] ?? "";
      lines[to] = line;
      return joined();
    case "a line moves":
      lines.splice(at, 1);
      lines.splice(to, 0, line);
      return joined();
    case "a line of another log": {
      const foreign = (others[byte % others.length] ?? log).toString("latin1").split("\n");
      lines.splice(at, byte % 2, foreign[b % (foreign.length - 1)] ?? "");
      return joined();
    }
    default:
      lines.splice(at, byte % 2, '{"event_type":"auth.login","chain":{}}');
      return joined();
  }
}

const HOW = [
  "a byte is another",
  "a bit flips",
  "bytes are gone",
  "bytes come in",
  "the end is cut",
  "the beginning is cut",
  "a line is gone",
  "a line is there twice",
  "lines change places",
  "a line moves",
  "a line of another log",
  "a made-up line",
] as const;

t.test("10,000 mutations of a log are all found", async (t) => {
  const dir = t.testdir();
  const { bytes, check } = await openLog(join(dir, "log"));
  const others = [(await openLog(join(dir, "other"))).bytes];
  t.match(await check(bytes), { fault: null, lines: 11, checkpoints: 2 });
  const found = new Set<string>();
  const number = fc.nat({ max: 1_000_000 });
  const byte = fc.nat({ max: 255 });
  const changes = fc
    .tuple(fc.constantFrom(...HOW), number, number, byte)
    .map(([how, a, b, c]) => ({ how, changed: mutated(bytes, others, how, a, b, c) }))
    .filter(({ changed }) => !changed.equals(bytes));
  const mutations = fc.sample(changes, 10_000);
  // Some at a time: most of each is waiting for a file.
  for (let from = 0; from < mutations.length; from += 50) {
    const some = mutations.slice(from, from + 50).map(async ({ how, changed }, nth) => {
      const { fault } = await check(changed, `changed${nth}`);
      if (fault === null) t.fail(`not found: ${how}`, { changed: changed.toString("latin1") });
      else found.add(fault.kind);
    });
    await Promise.all(some);
  }
  t.equal(mutations.length, 10_000);
  for (const kind of ["changed", "missing", "added", "reordered", "half"]) t.ok(found.has(kind), kind);
});

t.test("the first line that is not as it was written is named, with what happened to it", async (t) => {
  const { bytes, check } = await openLog(t.testdir());
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  const without = (change: (lines: string[]) => void): Promise<LogReport> => {
    const copy = [...lines];
    change(copy);
    return check(Buffer.from(`${copy.join("\n")}\n`, "latin1"));
  };
  t.match((await without((all) => all.splice(2, 1))).fault, {
    ...{ kind: "missing", line: 3, message: "line 3 is missing before this one" },
  });
  t.match((await without((all) => all.splice(2, 0, "{}"))).fault, { kind: "added", line: 3 });
  t.match((await without((all) => all.splice(2, 1, "{}"))).fault, { kind: "changed", line: 3 });
  t.match((await without((all) => all.splice(3, 0, all[1] ?? ""))).fault, { kind: "added", line: 4 });
  t.match((await without((all) => all.splice(1, 2, all[2] ?? "", all[1] ?? ""))).fault, {
    ...{ kind: "reordered", line: 2 },
  });
  t.match((await without((all) => all.splice(0, 1))).fault, { kind: "missing", line: 1 });
  t.match((await without((all) => all.pop())).fault, { kind: "missing", message: /after this one/ });
});

t.test("files of a log can be checked by themselves, from any line on", async (t) => {
  const dir = t.testdir();
  const { bytes } = await openLog(dir);
  const key = await ChainKey.open(dir, null);
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  const part = (name: string, from: number, to: number) => {
    const path = join(dir, name);
    writeFileSync(path, `${lines.slice(from, to).join("\n")}\n`, "latin1");
    return { path };
  };
  const [one, two, three] = [part("one", 2, 4), part("two", 4, 8), part("three", 8, 10)];
  t.match(await verifyLog([one, two, three], { key }), { fault: null, firstSeq: 3, lastSeq: 9 });
  t.match(await verifyLog([one, three], { key }), { fault: { kind: "missing", path: three.path, line: 1 } });
});

t.test("under another key nothing holds", async (t) => {
  const dir = t.testdir();
  const { bytes } = await openLog(dir);
  const path = join(dir, "audit.ndjson");
  writeFileSync(path, bytes);
  const key = new ChainKey("another secret of many characters");
  t.match(await verifyLog([{ path }], { key }), { fault: { line: 1 } });
});
