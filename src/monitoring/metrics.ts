import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { LoopDelay } from "./loop-delay.ts";
import type { ReadinessPorts, WatchedArchive, WatchedReceiver } from "./readiness.ts";
import type { MetricFamily } from "./telemetry.ts";

/** What is looked up when somebody scrapes, and costs nothing otherwise. */
export interface MetricsPorts {
  readonly version: string;
  readonly loopDelay: LoopDelay;
  readonly desktops: () => readonly { readonly state: { readonly kind: string } }[];
  readonly viewers: () => number;
  readonly pendingApprovals: () => number;
  readonly audit: ReadinessPorts["audit"];
  readonly recorder: () => {
    readonly running: number;
    readonly failing: number;
    readonly pendingBytes: number;
  };
  readonly fleet?: ReadinessPorts["fleet"];
  readonly archive?: ReadinessPorts["archive"];
  /** Wall time, ms since 1970. */
  readonly nowMs: () => number;
}

/** What a question came to; an Approval of the heart is one. */
export interface SettledApproval {
  readonly state: string;
  readonly askedAt: string;
}

const UPDATE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const TOOL_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const WAIT_SECONDS = [1, 2, 5, 10, 20, 45, 120, 600];
const STATES = ["connecting", "live", "stalled", "reconnecting", "failed", "closed"];

/**
 * The numbers of /metrics, in Prometheus' text format. What happens is counted as it happens; what is so is looked up
 * at a scrape. No label holds a name, an id or anything that a peer says.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #ports: MetricsPorts;
  readonly #updates = this.#histogram(
    "oc_viewer_update_delay_seconds",
    "From when a desktop's picture changed until the update with it was given to a viewer's socket. What a slow viewer makes wait counts.",
    UPDATE_SECONDS,
  );
  readonly #bytes = this.#counter("oc_viewer_bytes_total", "Bytes given to sockets of viewers.");
  readonly #calls = new Counter({
    name: "oc_tool_calls_total",
    help: "Tool calls of agents by outcome: ok, or the code of the error.",
    labelNames: ["tool", "outcome"],
    registers: [this.#registry],
  });
  readonly #callSeconds = new Histogram({
    name: "oc_tool_call_seconds",
    help: "How long tool calls of agents took, with what they waited for people.",
    labelNames: ["tool"],
    buckets: TOOL_SECONDS,
    registers: [this.#registry],
  });
  readonly #approvals = new Counter({
    name: "oc_approvals_total",
    help: "Questions to people by what they came to.",
    labelNames: ["outcome"],
    registers: [this.#registry],
  });
  readonly #approvalWait = this.#histogram(
    "oc_approval_wait_seconds",
    "How long questions to people waited until they were settled.",
    WAIT_SECONDS,
  );

  constructor(ports: MetricsPorts) {
    this.#ports = ports;
    this.#lookUp();
  }

  /** A viewer was given what changed so long ago. */
  updated(delayMs: number): void {
    this.#updates.observe(delayMs / 1000);
  }

  sent(bytes: number): void {
    this.#bytes.inc(bytes);
  }

  /** `code` of the error, null where it was done. */
  called(call: { readonly tool: string; readonly code: string | null; readonly durationMs: number }): void {
    this.#calls.inc({ tool: call.tool, outcome: call.code ?? "ok" });
    this.#callSeconds.observe({ tool: call.tool }, call.durationMs / 1000);
  }

  /** Told of each question as it is asked and as it is settled; only the latter is counted. */
  asked({ state, askedAt }: SettledApproval): void {
    if (state === "pending") return;
    this.#approvals.inc({ outcome: state });
    this.#approvalWait.observe(Math.max(0, this.#ports.nowMs() - Date.parse(askedAt)) / 1000);
  }

  async text(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** The same, not written yet. */
  async families(): Promise<readonly MetricFamily[]> {
    const families: readonly unknown[] = await this.#registry.getMetricsAsJSON();
    return families as readonly MetricFamily[];
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] });
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.#registry] });
  }

  /** `look` at each scrape. */
  #gauge(name: string, help: string, look: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(look());
      },
    });
  }

  /** One value for each that the audit log is sent to. */
  #receiverGauge(name: string, help: string, look: (receiver: WatchedReceiver) => number): void {
    const { audit } = this.#ports;
    new Gauge({
      name,
      help,
      labelNames: ["receiver"],
      registers: [this.#registry],
      collect() {
        for (const receiver of audit().receivers) this.set({ receiver: receiver.name }, look(receiver));
      },
    });
  }

  #lookUpFleet(look: NonNullable<ReadinessPorts["fleet"]>): void {
    this.#gauge(
      "oc_fleet_lease_seconds",
      "For so long this node surely has its desktops; 0: it sends no input.",
      () => look().leaseMs / 1000,
    );
    this.#gauge("oc_fleet_nodes", "Nodes that have a lease, as this one knows.", () => look().nodes);
    this.#gauge("oc_fleet_desktops", "Desktops of the fleet.", () => look().desktops);
    this.#gauge("oc_fleet_own_desktops", "Desktops of the fleet that this node has.", () => look().own);
    this.#gauge("oc_fleet_waiting_desktops", "Desktops that no node has.", () => look().nobodys);
    this.#gauge("oc_fleet_draining", "1 while this node hands over all that it has.", () =>
      Number(look().isDraining),
    );
  }

  #auditArchiveGauges(load: () => WatchedArchive["audit"] | undefined): void {
    this.#gauge(
      "oc_archive_audit_files",
      "Files of the audit log in the archive.",
      () => load()?.archived ?? 0,
    );
    this.#gauge(
      "oc_archive_audit_waiting",
      "Files of it that are not there yet.",
      () => load()?.waiting ?? 0,
    );
    this.#gauge(
      "oc_archive_audit_failing",
      "Of them those whose last try failed.",
      () => load()?.failing ?? 0,
    );
  }

  #lookUp(): void {
    if (this.#ports.fleet !== undefined) this.#lookUpFleet(this.#ports.fleet);
    const { version, loopDelay, desktops, viewers, pendingApprovals, audit, recorder, archive } = this.#ports;
    const registers = [this.#registry];
    new Gauge({ name: "oc_build_info", help: "The version.", labelNames: ["version"], registers })
      .labels({ version })
      .set(1);
    new Gauge({
      name: "oc_desktops",
      help: "Desktops by the state of their link.",
      labelNames: ["state"],
      registers,
      collect() {
        for (const state of STATES) this.set({ state }, 0);
        for (const { state } of desktops()) this.inc({ state: state.kind });
      },
    });
    new Gauge({
      name: "oc_event_loop_delay_seconds",
      help: "How late the event loop was since the last scrape; measured while somebody scrapes.",
      // Only summaries may have a label "quantile": promtool check metrics.
      labelNames: ["percentile"],
      registers,
      collect() {
        const delays = loopDelay.take();
        if (delays === null) return;
        this.set({ percentile: "50" }, delays.p50);
        this.set({ percentile: "99" }, delays.p99);
        this.set({ percentile: "100" }, delays.max);
      },
    });
    this.#gauge("oc_viewers", "Viewers connected now.", viewers);
    this.#gauge("oc_approvals_pending", "Questions that wait for a person.", pendingApprovals);
    this.#gauge("oc_audit_up", "1 while the audit log takes what it is given.", () =>
      Number(audit().isWorking),
    );
    this.#gauge("oc_audit_waiting_events", "Audit events that are not written yet.", () => audit().waiting);
    this.#gauge(
      "oc_audit_dropped_events",
      "Audit events dropped since the log failed.",
      () => audit().dropped,
    );
    this.#receiverGauge("oc_audit_receiver_up", "1 while it takes what it is sent.", ({ isWorking }) =>
      Number(isWorking),
    );
    this.#receiverGauge(
      "oc_audit_receiver_waiting_bytes",
      "Bytes of the audit log that it does not have yet.",
      ({ waitingBytes }) => waitingBytes,
    );
    this.#receiverGauge(
      "oc_audit_receiver_dropped_events",
      "Events that it was not sent, or refused.",
      ({ dropped }) => dropped,
    );
    this.#gauge("oc_recordings", "Recordings that run.", () => recorder().running);
    this.#gauge("oc_recordings_failing", "Recordings that cannot be written.", () => recorder().failing);
    this.#gauge(
      "oc_recording_waiting_bytes",
      "Bytes of recordings that are not on the disk yet.",
      () => recorder().pendingBytes,
    );
    if (archive !== undefined && archive() !== null) {
      const load = (name: "archived" | "waiting" | "failing" | "cachedBytes") => (): number =>
        archive()?.[name] ?? 0;
      this.#gauge("oc_archive_recordings", "Recordings in the archive.", load("archived"));
      this.#gauge("oc_archive_waiting", "Recordings that are not in the archive yet.", load("waiting"));
      this.#gauge("oc_archive_failing", "Of them those whose last try failed.", load("failing"));
      this.#gauge("oc_archive_cached_bytes", "Blocks from the archive in memory.", load("cachedBytes"));
      if (archive()?.audit) this.#auditArchiveGauges(() => archive()?.audit);
    }
    this.#gauge("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
    new Counter({
      name: "process_cpu_seconds_total",
      help: "CPU time of the process.",
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
    const startedAt = this.#ports.nowMs() / 1000 - process.uptime();
    this.#gauge("process_start_time_seconds", "When the process began, since 1970.", () => startedAt);
  }
}
