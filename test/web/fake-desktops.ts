import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Overlay, Remover, SceneEvent } from "../../src/compositor/scene.ts";
import type { Connection, ConnectionInput } from "../../src/desktop/connections/connection.ts";
import { makeConnection } from "../../src/desktop/connections/connection.ts";
import { editedConnection } from "../../src/desktop/connections/connection-edit.ts";
import type { ConnectionEdit } from "../../src/desktop/connections/connection-fields.ts";
import type { DesktopState } from "../../src/desktop/connections/reconnecting-link.ts";
import { TargetSound } from "../../src/desktop/connections/target-sound.ts";
import type { Actor } from "../../src/desktop/control/action.ts";
import type { ActionRecord } from "../../src/desktop/control/action-record.ts";
import type { Approval, Decision, ShownPart } from "../../src/desktop/control/approvals/approvals.ts";
import { Questions } from "../../src/desktop/control/approvals/questions.ts";
import type { Grant } from "../../src/desktop/control/approvals/standing-grants.ts";
import type { Holder } from "../../src/desktop/control/arbiter.ts";
import type { Mode } from "../../src/desktop/control/policy.ts";
import { HumanRequests } from "../../src/desktop/control/requests/human-requests.ts";
import type { DesktopEvent } from "../../src/desktop/desktop.ts";
import type { TestReport } from "../../src/desktop/desktops.ts";
import { RefusedError } from "../../src/desktop/error.ts";
import { DesktopFiles } from "../../src/desktop/files/desktop-files.ts";
import { DesktopMasks } from "../../src/desktop/masks/desktop-masks.ts";
import type { Audience, SnapshotRequest, View } from "../../src/desktop/view.ts";
import { FramePicture } from "../../src/framebuffer/frame-picture.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { Region } from "../../src/framebuffer/region.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { FilesCommand } from "../../src/protocols/rdp/files/file-messages.ts";
import type { WebDesktop, WebDesktops } from "../../src/web/http/ports.ts";

class Emitter<Event> {
  readonly listeners = new Set<(event: Event) => void>();

  on(listener: (event: Event) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(event: Event): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

class FakeScene extends Emitter<SceneEvent> {
  version = 1;
  overlays: readonly Overlay[] = [];

  draw(id: string, ownerId: string): Overlay {
    const overlay: Overlay = {
      id,
      ownerId,
      kind: "box",
      x: 100,
      y: 200,
      width: 300,
      height: 120,
      color: "#ffcc00",
      opacity: 0.5,
      label: "Save",
      temporaryMs: null,
      clickThrough: true,
      monitorIndex: 0,
      createdAt: "2026-11-21T08:10:00.000Z",
    };
    this.overlays = [...this.overlays, overlay];
    this.version += 1;
    this.emit({ type: "created", overlay, damage: Region.empty, isMove: false });
    return overlay;
  }

  remove(id: string, by: Remover | null = null): Overlay | null {
    const overlay = this.overlays.find((one) => one.id === id);
    if (overlay === undefined) return null;
    this.overlays = this.overlays.filter((one) => one !== overlay);
    this.version += 1;
    this.emit({ type: "removed", overlay, damage: Region.empty, isMove: false, by });
    return overlay;
  }

  clear(ownerId: string | null, by: Remover | null = null): readonly Overlay[] {
    const overlays = this.overlays.filter((one) => ownerId === null || one.ownerId === ownerId);
    this.overlays = this.overlays.filter((one) => !overlays.includes(one));
    this.version += 1;
    this.emit({ type: "cleared", overlays, damage: Region.empty, by });
    return overlays;
  }
}

export class FakeDesktop extends Emitter<DesktopEvent> implements WebDesktop {
  readonly id: string;
  connection: Connection;
  readonly name: string;
  readonly scene = new FakeScene();
  readonly isExact = true;
  readonly cursor = null;
  readonly pointer = { x: 0, y: 0 };
  readonly viewers = 0;
  readonly screens = [{ id: 0, rect: { x: 0, y: 0, width: 640, height: 480 }, flags: 0 }];
  state: DesktopState = { kind: "live", sinceMs: 0, description: "RFB 3.8, None" };
  size = { width: 640, height: 480 };
  mode: Mode = "assist";
  isStopped = false;
  holder: Holder | null = null;
  /** What questions were answered with. */
  readonly decisions: Decision[] = [];
  generation = 7;
  /** Of each picture, after its first four bytes. */
  surplusBytes = 0;
  actions: readonly ActionRecord[] = [];
  pending: readonly Approval[] = [];
  /** What was done, in words. */
  readonly calls: string[] = [];
  readonly snapshots: (SnapshotRequest & { readonly audience: Audience })[] = [];

  /** Its target takes part in `calls`. */
  readonly targetSound = new TargetSound(() => ({
    listen: (isOn) => this.calls.push(`listen ${isOn ? "on" : "off"}`),
  }));
  readonly sound = () => this.targetSound;

  /** Its target is asked by `fileCommands`, and answers by `hear`. */
  readonly fileCommands: FilesCommand[] = [];
  readonly desktopFiles = new DesktopFiles({
    clock: systemClock,
    folder: join(tmpdir(), `oc-files-${process.pid}`),
    link: () => ({ files: (command) => this.fileCommands.push(command) }),
  });
  readonly files = () => this.desktopFiles;

  readonly masks: DesktopMasks = new DesktopMasks(undefined, {
    clock: { nowMs: () => 0, date: () => new Date(0), after: () => () => {} },
    desktopId: "one",
    display: () => ({ unmasked: null, remask: () => {} }),
    link: () => null,
    nudgePointer: () => false,
    onBug: (error) => {
      throw error;
    },
    tell: (event) => this.emit(event),
  });

  readonly requests: HumanRequests;

  constructor(connection: Connection) {
    super();
    this.requests = new HumanRequests(
      this,
      {},
      {
        clock: { nowMs: () => 0, date: () => new Date(0), after: () => () => {} },
        tell: (event) => this.emit(event),
      },
    );
    this.masks.maskSource.layOut({ x: 0, y: 0, width: 1024, height: 768 }, []);
    this.id = connection.id;
    this.connection = connection;
    this.name = connection.name;
  }

  standing: readonly Grant[] = [];
  readonly grants = {
    owner: this,
    get all(): readonly Grant[] {
      return this.owner.standing;
    },
    revoke: (id: string, by: Actor): boolean => {
      const isKnown = this.standing.some((one) => one.id === id);
      this.standing = this.standing.filter((one) => one.id !== id);
      if (isKnown) this.calls.push(`revoked by ${by.name}`);
      return isKnown;
    },
  };

  readonly approvals = {
    owner: this,
    get pending(): readonly Approval[] {
      return this.owner.pending;
    },
    belongsTo: () => false,
    shown: (id: string, to: { readonly id: string }, part: ShownPart) => {
      this.calls.push(`${part} of ${id} shown to ${to.id}`);
    },
    picture: (id: string) => (this.pending.some((one) => one.id === id) ? Promise.resolve(PICTURE) : null),
    decide(id: string, answer: boolean | Decision, by: Actor): Approval {
      const decision: Decision = typeof answer === "boolean" ? { kind: answer ? "approve" : "deny" } : answer;
      this.owner.decisions.push(decision);
      const isGranted = decision.kind === "approve";
      const found = this.pending.find((one) => one.id === id);
      if (found === undefined) throw new RefusedError("not_found", "no such approval");
      this.owner.pending = this.pending.filter((one) => one !== found);
      return { ...found, state: isGranted ? "granted" : "denied", decidedBy: by };
    },
  };

  ask(id: string): Approval {
    const approval: Approval = {
      id,
      desktopId: this.id,
      action: { kind: "type", text: "typed words", wordsPerMinute: null, clearExisting: false },
      summary: "Type 11 characters",
      actor: { kind: "agent", id: "bot", name: "Bot" },
      intent: "greet",
      point: { x: 10, y: 20 },
      crop: { x: 0, y: 0, width: 100, height: 80 },
      bound: { x: 0, y: 0, width: 100, height: 80 },
      held: { keys: [], buttons: 0 },
      screenHash: "aa",
      isExact: true,
      argumentsHash: "bb",
      askedAt: "2026-11-21T08:10:00.000Z",
      expiresAt: "2026-11-21T08:10:45.000Z",
      armingMs: 0,
      isFourEyes: false,
      state: "pending",
      decidedBy: null,
    };
    this.pending = [...this.pending, approval];
    this.emit({ type: "approval", approval });
    return approval;
  }

  /** How often it was asked what the target shows now. */
  refreshes = 0;
  readonly refreshed = async (): Promise<void> => {
    this.refreshes++;
  };

  view(audience: Audience): Pick<View, "snapshot" | "picture" | "kind" | "hidden"> {
    return {
      kind: audience,
      hidden: Region.empty,
      picture: () => new FramePicture(new Framebuffer(this.size.width, this.size.height)),
      snapshot: async (request = {}) => {
        if (this.state.kind !== "live") throw new RefusedError("target_down", "there is no picture yet");
        this.snapshots.push({ ...request, audience });
        return {
          format: request.format ?? "png",
          bytes: Buffer.concat([Buffer.of(1, 2, 3, this.generation), Buffer.alloc(this.surplusBytes)]),
          width: 640,
          height: 480,
          region: request.region ?? { x: 0, y: 0, width: 640, height: 480 },
          generation: this.generation,
          isStable: true,
          isStale: false,
          frameAgeMs: 5,
          takenAt: "2026-11-21T08:10:00.000Z",
        };
      },
    };
  }

  setMode(mode: Mode, actor: Actor, metadata?: unknown): void {
    this.mode = mode;
    const rules = metadata === undefined ? "" : ` with ${JSON.stringify(metadata)}`;
    this.calls.push(`mode ${mode} by ${actor.kind} ${actor.name}${rules}`);
    this.emit({ type: "mode", mode, by: actor });
  }

  setHolding(isHolding: boolean, actor: Actor): void {
    this.holder = isHolding ? { actor, sinceMs: 0, untilMs: null, isDeclared: true } : null;
    this.calls.push(`${isHolding ? "take over" : "give back"} by ${actor.kind} ${actor.name}`);
    this.emit({ type: "holder", holder: this.holder });
  }

  stop(actor: Actor): void {
    this.isStopped = true;
    this.calls.push(`stop by ${actor.kind} ${actor.name}`);
    this.emit({ type: "stopped", isStopped: true, by: actor });
  }

  resume(actor: Actor): void {
    this.isStopped = false;
    this.calls.push(`resume by ${actor.kind} ${actor.name}`);
    this.emit({ type: "stopped", isStopped: false, by: actor });
  }

  reconnect(): void {
    this.calls.push("reconnect");
  }
}

/** What every question shows. */
export const PICTURE = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

export class FakeDesktops
  extends Emitter<{ readonly type: "added" | "changed" | "removed"; readonly desktop: FakeDesktop }>
  implements WebDesktops
{
  all: readonly FakeDesktop[] = [];
  readonly questions = new Questions((error) => {
    throw error;
  });
  /** What add and test were given. */
  readonly inputs: ConnectionInput[] = [];

  get(id: string): FakeDesktop {
    const desktop = this.all.find((one) => one.id === id);
    if (desktop === undefined) throw new RefusedError("not_found", "there is no such desktop");
    return desktop;
  }

  active(_principalId: string): FakeDesktop {
    const first = this.all[0];
    if (first === undefined) throw new RefusedError("not_found", "there is no desktop");
    return first;
  }

  open(id: string): FakeDesktop {
    const desktop = new FakeDesktop(makeConnection({ id, protocol: "vnc", host: "127.0.0.1" }, new Date(0)));
    this.all = [...this.all, desktop];
    this.questions.add(desktop);
    this.emit({ type: "added", desktop });
    return desktop;
  }

  async add(input: ConnectionInput): Promise<FakeDesktop> {
    this.inputs.push(input);
    if (input.host === "169.254.169.254") {
      throw new RefusedError("permission_denied", "the address is not allowed as a target");
    }
    return this.open(`added-${this.inputs.length}`);
  }

  async edit(id: string, edit: ConnectionEdit): Promise<FakeDesktop> {
    const desktop = this.get(id);
    desktop.connection = editedConnection(desktop.connection, edit);
    this.emit({ type: "changed", desktop });
    return desktop;
  }

  isStored(id: string): boolean {
    return id.startsWith("added");
  }

  async remove(id: string): Promise<void> {
    const desktop = this.get(id);
    this.all = this.all.filter((one) => one !== desktop);
    this.questions.remove(desktop);
    this.emit({ type: "removed", desktop });
  }

  async test(connection: Connection): Promise<TestReport> {
    this.inputs.push(connection);
    return { success: true, message: "works", steps: [{ name: "Connect", ok: true, detail: "in 1 ms" }] };
  }
}
