import t from "tap";
import { LoopDelay } from "../../src/monitoring/loop-delay.ts";
import { Metrics } from "../../src/monitoring/metrics.ts";
import { FakeClock } from "../fake-clock.ts";

function open(t: { teardown(call: () => void): void }) {
  const clock = new FakeClock();
  const loopDelay = new LoopDelay(clock);
  t.teardown(() => loopDelay.close());
  const metrics = new Metrics({
    version: "2026.11.21",
    loopDelay,
    desktops: () => [{ state: { kind: "live" } }, { state: { kind: "live" } }, { state: { kind: "failed" } }],
    viewers: () => 3,
    pendingApprovals: () => 1,
    audit: () => ({
      ...{ isWorking: false, waiting: 7, dropped: 2 },
      receivers: [{ name: "http", isWorking: false, isFull: true, waitingBytes: 99, dropped: 5 }],
    }),
    recorder: () => ({ running: 2, failing: 1, pendingBytes: 4096 }),
    archive: () => ({
      ...{ archived: 4, waiting: 3, failing: 2, cachedBytes: 8, isReachable: true, sharedWith: [] },
      audit: { archived: 9, waiting: 6, failing: 5 },
    }),
    nowMs: () => clock.date().getTime(),
  });
  const line = async (start: string): Promise<string | undefined> =>
    (await metrics.text()).text.split("\n").find((text) => text.startsWith(`${start} `));
  return { clock, loopDelay, metrics, line };
}

t.test("what happened is counted, what is so is looked up", async (t) => {
  const { clock, metrics, line } = open(t);
  metrics.called({ tool: "click_at", code: null, durationMs: 40 });
  metrics.called({ tool: "click_at", code: "rate_limited", durationMs: 1 });
  metrics.sent(100);
  metrics.sent(23);
  metrics.updated(30);
  const askedAt = clock.date().toISOString();
  metrics.asked({ state: "pending", askedAt });
  clock.advance(3000);
  metrics.asked({ state: "granted", askedAt });
  const expected = {
    'oc_tool_calls_total{tool="click_at",outcome="ok"}': 1,
    'oc_tool_calls_total{tool="click_at",outcome="rate_limited"}': 1,
    'oc_tool_call_seconds_count{tool="click_at"}': 2,
    oc_viewer_bytes_total: 123,
    'oc_viewer_update_delay_seconds_bucket{le="0.025"}': 0,
    'oc_viewer_update_delay_seconds_bucket{le="0.05"}': 1,
    'oc_approvals_total{outcome="granted"}': 1,
    oc_approval_wait_seconds_sum: 3,
    oc_approval_wait_seconds_count: 1,
    oc_approvals_pending: 1,
    'oc_desktops{state="live"}': 2,
    'oc_desktops{state="failed"}': 1,
    'oc_desktops{state="stalled"}': 0,
    oc_viewers: 3,
    oc_audit_up: 0,
    oc_audit_waiting_events: 7,
    oc_audit_dropped_events: 2,
    'oc_audit_receiver_up{receiver="http"}': 0,
    'oc_audit_receiver_waiting_bytes{receiver="http"}': 99,
    'oc_audit_receiver_dropped_events{receiver="http"}': 5,
    oc_archive_waiting: 3,
    oc_archive_audit_files: 9,
    oc_archive_audit_waiting: 6,
    oc_archive_audit_failing: 5,
    oc_recordings: 2,
    oc_recordings_failing: 1,
    oc_recording_waiting_bytes: 4096,
    'oc_build_info{version="2026.11.21"}': 1,
  };
  for (const [name, value] of Object.entries(expected)) t.equal(await line(name), `${name} ${value}`);
});

t.test(
  "the event loop is measured from the first scrape on, and no longer when nobody scrapes",
  async (t) => {
    const { clock, loopDelay, metrics, line } = open(t);
    t.notOk(loopDelay.isMeasured, "nothing costs anything before");
    t.equal(await line('oc_event_loop_delay_seconds{percentile="100"}'), undefined);
    t.ok(loopDelay.isMeasured);
    const value = await new Promise<string | undefined>((resolve) => {
      const look = async (): Promise<void> => {
        const found = await line('oc_event_loop_delay_seconds{percentile="100"}');
        if (found === undefined) setTimeout(() => void look(), 5);
        else resolve(found);
      };
      void look();
    });
    t.match(value, /^oc_event_loop_delay_seconds\{percentile="100"\} [0-9.e-]+$/);
    clock.advance(149_000);
    t.ok(loopDelay.isMeasured);
    await metrics.text();
    clock.advance(149_000);
    t.ok(loopDelay.isMeasured, "each scrape counts");
    clock.advance(2000);
    t.notOk(loopDelay.isMeasured);
  },
);
