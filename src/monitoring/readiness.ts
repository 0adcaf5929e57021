/** A part of the appliance, and what to do where it is red. */
export interface PartState {
  readonly ok: boolean;
  /** What is so, in words for people. */
  readonly detail: string;
  /** null where nothing is to be done. */
  readonly advice: string | null;
}

export interface Readiness {
  /** `degraded`: only what lies outside is red, a target, a receiver or the archive, and all else is served. `unready`: the appliance itself is. */
  readonly status: "ready" | "degraded" | "unready";
  readonly parts: {
    readonly targets: PartState;
    readonly disk: PartState;
    readonly audit: PartState;
    readonly audit_receivers: PartState;
    readonly recorder: PartState;
    /** Absent where none is configured. */
    readonly archive?: PartState;
    readonly event_loop: PartState;
    /** Absent where this server is alone. */
    readonly fleet?: PartState;
  };
}

/** What readiness is judged by. */
export interface ReadinessPorts {
  readonly targets: () => readonly {
    readonly id: string;
    readonly state: { readonly kind: string; readonly error?: { readonly message: string } };
  }[];
  /** Of the disk that the data directory is on. Rejects with what the system said. */
  readonly freeBytes: () => Promise<number>;
  /** Recordings leave so much free. */
  readonly floorBytes: number;
  readonly audit: () => {
    readonly isWorking: boolean;
    readonly waiting: number;
    readonly dropped: number;
    readonly receivers: readonly WatchedReceiver[];
  };
  readonly recorder: () => { readonly running: number; readonly failing: number };
  /** Of a fleet; absent: this server is alone. */
  readonly fleet?: () => FleetState;
  /** null: none is configured. */
  readonly archive?: () => WatchedArchive | null;
  /** How late the event loop is at this moment. */
  readonly loopDelayMs: () => Promise<number>;
}

/** This server as a node of a fleet. */
export interface FleetState {
  /** For so long its lease is surely held. */
  readonly leaseMs: number;
  readonly nodes: number;
  readonly isDraining: boolean;
  /** Desktops of the fleet, those of this node, and those that no node has. */
  readonly desktops: number;
  readonly own: number;
  readonly nobodys: number;
  /** Desktops whose connections this node cannot read. */
  readonly unreadable: number;
}

/** Where recordings, and files of the audit log, are archived. */
export interface WatchedArchive {
  /** null: the audit log is not. */
  readonly audit: { readonly archived: number; readonly waiting: number; readonly failing: number } | null;
  readonly archived: number;
  readonly waiting: number;
  readonly failing: number;
  /** Of blocks that were read there and are kept in memory. */
  readonly cachedBytes: number;
  /** null: it was not asked yet. */
  readonly isReachable: boolean | null;
  /** Names of other nodes of the fleet that archive below the same prefix. */
  readonly sharedWith: readonly string[];
}

/** One that the audit log is sent to. */
export interface WatchedReceiver {
  readonly name: string;
  readonly isWorking: boolean;
  /** More waits for it than may. */
  readonly isFull: boolean;
  readonly waitingBytes: number;
  readonly dropped: number;
}

const MIB = 2 ** 20;
/** Below this tokens, rules and connections may fail to be written, whatever floor recordings have. */
const LEAST_FREE_BYTES = 16 * MIB;
/** Later than this, and people feel it at the mouse. */
const LOOP_DELAY_MS = 250;
/** What a desktop is that no one has to look after. */
const WELL = ["live", "connecting", "closed"];

/** Looks at every part now; nothing is measured between two questions. */
export async function readinessOf(ports: ReadinessPorts): Promise<Readiness> {
  const load = ports.archive?.() ?? null;
  const parts: Readiness["parts"] = {
    targets: targetsState(ports),
    disk: await diskState(ports),
    audit: auditState(ports),
    audit_receivers: receiversState(ports),
    recorder: recorderState(ports),
    ...(load === null ? {} : { archive: archiveState(load) }),
    event_loop: loopState(await ports.loopDelayMs()),
    ...(ports.fleet === undefined ? {} : { fleet: fleetState(ports.fleet()) }),
  };
  // Without its etcd it shows its desktops on, which nobody else does.
  const { targets, audit_receivers, archive, fleet, ...own } = parts;
  if (!Object.values(own).every(({ ok }) => ok)) return { status: "unready", parts };
  const isWell = [targets, audit_receivers, archive, fleet].every((part) => part?.ok !== false);
  return { status: isWell ? "ready" : "degraded", parts };
}

function fleetState({
  leaseMs,
  nodes,
  isDraining,
  desktops,
  own,
  nobodys,
  unreadable,
}: FleetState): PartState {
  if (leaseMs <= 0) {
    return red(
      "the fleet's etcd does not answer in time: no input is sent to any desktop",
      "bring etcd back: all goes on by itself then; overlay-companion cluster check says what is wrong with it",
    );
  }
  if (unreadable > 0) {
    return red(
      `${unreadable} connections of the fleet cannot be read`,
      "give this node the cluster.key of the others, or their version",
    );
  }
  if (nobodys > 0) {
    return red(
      `no node has room for ${nobodys} of ${desktops} desktops`,
      "add a node, end a drain, or raise cluster.capacity",
    );
  }
  const drain = isDraining ? ", drains" : "";
  return well(`${own} of ${desktops} desktops, ${nodes} nodes${drain}`);
}

function targetsState({ targets }: ReadinessPorts): PartState {
  const all = targets();
  const away = all.filter(({ state }) => !WELL.includes(state.kind));
  if (away.length === 0) return well(`${all.length} desktops, none away`);
  const told = away.map(({ id, state }) => {
    const reason = state.error === undefined ? "" : ` (${state.error.message})`;
    return `${id} is ${state.kind}${reason}`;
  });
  return red(
    told.join("; "),
    "check that each runs and can be reached: overlay-companion connections test ID says how far it gets",
  );
}

async function diskState({ freeBytes, floorBytes }: ReadinessPorts): Promise<PartState> {
  const least = Math.max(floorBytes, LEAST_FREE_BYTES);
  try {
    const free = await freeBytes();
    if (free >= least) return well(`${mib(free)} MiB free`);
    return red(
      `${mib(free)} MiB free, expected ${mib(least)} or more`,
      "make room on the disk of the data directory, or lower recording.disk_floor_mb",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return red(
      `the data directory cannot be looked at: ${reason}`,
      "check that it exists, whose it is, and that its disk is mounted",
    );
  }
}

function auditState({ audit }: ReadinessPorts): PartState {
  const { isWorking, waiting, dropped } = audit();
  if (isWorking && dropped === 0) return well(`${waiting} events wait to be written`);
  return red(
    `the audit log cannot be written: ${waiting} events wait, ${dropped} were dropped`,
    "make room on its disk and check who may write to it; until then nothing that changes anything is done",
  );
}

function receiversState({ audit }: ReadinessPorts): PartState {
  const { receivers } = audit();
  const failing = receivers.filter(({ isWorking, isFull }) => !isWorking || isFull);
  if (failing.length === 0) return well(`${receivers.length} receivers, none behind`);
  return red(
    failing
      .map(({ name, waitingBytes }) => `${name} does not take it, ${waitingBytes} bytes wait`)
      .join("; "),
    "bring the receiver back: nothing is lost until audit.spool_mb wait for it; the log on standard error says why it failed",
  );
}

function recorderState({ recorder }: ReadinessPorts): PartState {
  const { running, failing } = recorder();
  if (failing === 0) return well(`${running} recordings run`);
  return red(
    `${failing} of ${running} recordings cannot be written and have a gap`,
    "make room on the disk of the data directory; they go on by themselves",
  );
}

function archiveState({ audit, isReachable, sharedWith, ...recordings }: WatchedArchive): PartState {
  const of = (what: string, { archived, waiting, failing }: NonNullable<typeof audit>): string =>
    `${archived} ${what} are archived, ${waiting} wait${failing === 0 ? "" : `, ${failing} of them failed`}`;
  const ofAudit = audit === null ? "" : `; ${of("files of the audit log", audit)}`;
  const away = isReachable === false ? "the archive does not answer; " : "";
  const told = `${away}${of("recordings", recordings)}${ofAudit}`;
  if (sharedWith.length > 0) {
    return red(
      `this node and ${sharedWith.join(", ")} archive below the same prefix; ${told}`,
      "give each node a recording.archive.prefix of its own: until then each calls the other's recordings tampered",
    );
  }
  if (isReachable !== false && recordings.failing + (audit?.failing ?? 0) === 0) return well(told);
  return red(
    told,
    "overlay-companion doctor says what it answers; it is tried again by itself, and what is not archived stays here",
  );
}

function loopState(delayMs: number): PartState {
  const detail = `${Math.round(delayMs)} ms late`;
  if (delayMs <= LOOP_DELAY_MS) return well(detail);
  return red(
    `${detail}, expected ${LOOP_DELAY_MS} ms or less`,
    "give the process more CPU, serve fewer desktops, or set decoding: worker for large ones",
  );
}

function well(detail: string): PartState {
  return { ok: true, detail, advice: null };
}

function red(detail: string, advice: string): PartState {
  return { ok: false, detail, advice };
}

function mib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
