import t from "tap";
import { type ReadinessPorts, readinessOf } from "../../src/monitoring/readiness.ts";

const MIB = 2 ** 20;

function ports(changes: Partial<ReadinessPorts> = {}): ReadinessPorts {
  return {
    targets: () => [{ id: "d1", state: { kind: "live" } }],
    freeBytes: async () => 1000 * MIB,
    floorBytes: 500 * MIB,
    audit: () => ({ isWorking: true, waiting: 0, dropped: 0, receivers: [] }),
    recorder: () => ({ running: 1, failing: 0 }),
    loopDelayMs: async () => 1,
    ...changes,
  };
}

t.test("all is well", async (t) => {
  const { status, parts } = await readinessOf(ports());
  t.equal(status, "ready");
  for (const [name, { ok, advice }] of Object.entries(parts))
    t.same({ ok, advice }, { ok: true, advice: null }, name);
});

t.test("each part turns red by itself, says what is so and what to do, and turns green again", async (t) => {
  const reds = {
    targets: [
      { targets: () => [{ id: "d2", state: { kind: "failed", error: new Error("the password is wrong") } }] },
      /^d2 is failed \(the password is wrong\)$/,
      "degraded",
    ],
    disk: [{ freeBytes: async () => 499 * MIB }, /^499 MiB free, expected 500 or more$/, "unready"],
    audit: [
      { audit: () => ({ isWorking: false, waiting: 3, dropped: 2, receivers: [] }) },
      /3 events wait, 2 were dropped/,
      "unready",
    ],
    audit_receivers: [
      {
        audit: () => ({
          ...{ isWorking: true, waiting: 0, dropped: 0 },
          receivers: [{ name: "http", isWorking: false, isFull: false, waitingBytes: 70, dropped: 0 }],
        }),
      },
      /^http does not take it, 70 bytes wait$/,
      "degraded",
    ],
    recorder: [{ recorder: () => ({ running: 2, failing: 1 }) }, /^1 of 2 recordings/, "unready"],
    event_loop: [{ loopDelayMs: async () => 251 }, /^251 ms late, expected 250 ms or less$/, "unready"],
  } as const;
  for (const [name, [change, detail, status]] of Object.entries(reds)) {
    const readiness = await readinessOf(ports(change));
    t.equal(readiness.status, status, name);
    for (const [other, part] of Object.entries(readiness.parts)) {
      t.equal(part.ok, other !== name, `${other} while ${name} is red`);
      if (other !== name) continue;
      t.match(part.detail, detail);
      t.type(part.advice, "string");
    }
  }
});

t.test("a disk without a floor is red before nothing can be written, and one that is gone is", async (t) => {
  const floorBytes = 0;
  const full = await readinessOf(ports({ floorBytes, freeBytes: async () => 15 * MIB }));
  t.match(full.parts.disk, { ok: false, detail: "15 MiB free, expected 16 or more" });
  const gone = await readinessOf(
    ports({ freeBytes: () => Promise.reject(new Error("ENOENT: no such file")) }),
  );
  t.match(gone.parts.disk, { ok: false, detail: /cannot be looked at: ENOENT/ });
});

t.test("a desktop that is still connecting is nobody's fault", async (t) => {
  const { parts } = await readinessOf(
    ports({ targets: () => [{ id: "d1", state: { kind: "connecting" } }] }),
  );
  t.ok(parts.targets.ok);
});

t.test(
  "an archive is red where it does not answer, something failed, or another node has the same prefix",
  async (t) => {
    const counts = { archived: 2, waiting: 1, failing: 0, cachedBytes: 0 };
    const well = { ...counts, isReachable: true, audit: null, sharedWith: [] };
    const audit = { archived: 5, waiting: 4, failing: 0 };
    for (const [load, isWell, detail] of [
      [well, true, "2 recordings are archived, 1 wait"],
      [
        { ...well, audit },
        true,
        "2 recordings are archived, 1 wait; 5 files of the audit log are archived, 4 wait",
      ],
      [{ ...well, failing: 1 }, false, "2 recordings are archived, 1 wait, 1 of them failed"],
      [{ ...well, audit: { ...audit, failing: 3 } }, false, /; 5 files .* 4 wait, 3 of them failed$/],
      [{ ...well, isReachable: false }, false, /^the archive does not answer; 2 recordings/],
      [{ ...well, sharedWith: ["b"] }, false, /^this node and b archive below the same prefix; 2 recordings/],
    ] as const) {
      const { status, parts } = await readinessOf(ports({ archive: () => load }));
      t.match(parts.archive, { ok: isWell, detail });
      t.equal(status, isWell ? "ready" : "degraded");
    }
  },
);
