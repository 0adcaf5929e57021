import { randomUUID } from "node:crypto";
import type { Overlay, OverlaySpec } from "../../src/compositor/overlay.ts";
import { Scene } from "../../src/compositor/scene.ts";
import { Anchors } from "../../src/desktop/anchors/anchors.ts";
import {
  type Connection,
  type ConnectionInput,
  makeConnection,
} from "../../src/desktop/connections/connection.ts";
import type { DesktopState } from "../../src/desktop/connections/reconnecting-link.ts";
import {
  type Action,
  type ActionResult,
  type Actor,
  type PerformOptions,
  unseenEffect,
} from "../../src/desktop/control/action.ts";
import type { Mode } from "../../src/desktop/control/policy.ts";
import { HumanRequests } from "../../src/desktop/control/requests/human-requests.ts";
import type { DesktopEvent } from "../../src/desktop/desktop.ts";
import type { TestReport } from "../../src/desktop/desktops.ts";
import { type LinkError, RefusedError } from "../../src/desktop/error.ts";
import type { Audience, Snapshot, SnapshotPart, SnapshotRequest, View } from "../../src/desktop/view.ts";
import { Framebuffer } from "../../src/framebuffer/framebuffer.ts";
import { boundRects, intersectRects, type Rect, rect, rectOfSize } from "../../src/framebuffer/rect.ts";
import { Region } from "../../src/framebuffer/region.ts";
import type { Screen } from "../../src/framebuffer/screen.ts";
import type { McpDesktop, McpDesktops } from "../../src/mcp/tool/ports.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { drawText } from "../framebuffer/frames.ts";

/** The smallest PNG there is: 1x1, grey. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64",
);

/** What perform was called with. */
export interface Performed {
  readonly action: Action;
  readonly actor: Actor;
  readonly options: PerformOptions;
}

/** A desktop of two monitors, 1280x800 and, right of it, 640x480, that does what a test tells it. */
export class FakeDesktop implements McpDesktop {
  readonly connection: Connection;
  readonly performed: Performed[] = [];
  readonly snapshots: SnapshotRequest[] = [];
  readonly overlays: Overlay[] = [];
  readonly screens: readonly Screen[] = [
    { id: 1, rect: rect(0, 0, 1280, 800), flags: 0 },
    { id: 2, rect: rect(1280, 0, 640, 480), flags: 0 },
  ];
  size = { width: 1920, height: 800 };
  pointer = { x: 5, y: 6 };
  readonly drawnPointer = () => this.pointerArea;
  readonly hiddenFrom = () => this.hidden;
  /** From agents. */
  hidden: readonly Rect[] = [];
  /** Where its target may have drawn the pointer. */
  pointerArea: Rect | null = null;
  /** What is known to change by itself. */
  readonly blinking: Rect[] = [];
  readonly periodic = () => Region.from(this.blinking);
  /** Before a snapshot is taken. */
  onSnapshot: (request: SnapshotRequest) => void = () => {};
  /** Whether it comes to rest where that is waited for. */
  isRestful = true;
  isStale = false;
  /** Without a picture yet. */
  isBlank = false;
  /** What every snapshot is, whatever its region and size. */
  png: Buffer = PNG;
  /** What every snapshot of changes comes in. */
  parts: readonly SnapshotPart[] | undefined;
  isStopped = false;
  readonly listeners = new Set<(event: DesktopEvent) => void>();
  #sizedSince = 0;
  readonly #changes: { readonly at: number; readonly rects: readonly Rect[] }[] = [];
  readonly #watchers = new Set<{ damage: Region; onDamage: () => void }>();
  /** The colour of every pixel, 0xRRGGBB. */
  colour = 0x204060;
  readonly isExact = true;
  state: DesktopState = { kind: "live", sinceMs: 0, description: "RFB 3.8, None, Raw" };
  mode: Mode = "autopilot";
  generation = 7;
  problem: LinkError | RefusedError | null = null;
  clipboard: string | null = null;
  /** Principals that have left something pressed. */
  readonly pressedBy = new Set<string>();
  /** What perform does next; throws, waits or answers. */
  onPerform: (performed: Performed) => Promise<Partial<ActionResult>> = async () => ({});

  readonly requests: HumanRequests;
  /** Whether a person has all of it hidden. */
  isBlind = false;

  constructor(input: ConnectionInput) {
    this.connection = makeConnection(input, new Date(0));
    const hideAll = (audiences: readonly unknown[]): void => {
      this.isBlind = audiences.length > 0;
    };
    this.requests = new HumanRequests(
      { id: this.id, holder: null, masks: { hideAll }, setHolding: () => {}, on: (call) => this.on(call) },
      {},
      { clock: systemClock, tell: (event) => this.emit(event) },
    );
  }

  get id(): string {
    return this.connection.id;
  }

  get name(): string {
    return this.connection.name;
  }

  /** What anchors are looked for in. */
  readonly picture = textPicture(1920, 800);
  /** What goes with anchors: `scene` only notes what it is told. */
  readonly anchored = new Scene(systemClock);
  readonly anchors = new Anchors(this.anchored, {
    clock: systemClock,
    shown: { frame: this.picture },
    isExact: () => true,
    onBug: (error) => {
      throw error;
    },
  });

  readonly scene = {
    overlays: this.overlays,
    ownerOf: (id: string): string | null =>
      this.overlays.find((overlay) => overlay.id === id)?.ownerId ?? null,
    add: (spec: OverlaySpec, ownerId: string, bounds: Rect): Overlay => {
      const overlay = {
        ...spec,
        ...intersectRects(spec, bounds),
        id: randomUUID(),
        ownerId,
        createdAt: new Date(0).toISOString(),
      };
      this.overlays.push(overlay);
      return overlay;
    },
    remove: (id: string): Overlay | null => {
      const index = this.overlays.findIndex((overlay) => overlay.id === id);
      return index < 0 ? null : (this.overlays.splice(index, 1)[0] ?? null);
    },
    clear: (ownerId: string | null): readonly Overlay[] => {
      const gone = this.overlays.filter((overlay) => ownerId === null || overlay.ownerId === ownerId);
      for (const { id } of gone) this.scene.remove(id);
      return gone;
    },
  };

  isPressedBy(agentId: string): boolean {
    return this.pressedBy.has(agentId);
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  emit(event: DesktopEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }

  changedSince(generation: number, until = Number.POSITIVE_INFINITY): Region {
    const later = this.#changes.filter(({ at }) => at > generation && at <= until);
    return Region.from(later.flatMap(({ rects }) => [...rects]));
  }

  /** Pixels change, as a target would make them. */
  paint(area: Rect, colour = this.colour): void {
    this.colour = colour;
    this.generation++;
    const damage = Region.of(area);
    this.#changes.push({ at: this.generation, rects: [area] });
    for (const watcher of [...this.#watchers]) {
      watcher.damage = watcher.damage.union(damage);
      watcher.onDamage();
    }
    this.emit({ type: "update", damage, generation: this.generation });
  }

  sizedSince(): number {
    return this.#sizedSince;
  }

  resize(width: number, height: number): void {
    this.generation++;
    this.#sizedSince = this.generation;
    this.size = { width, height };
    this.emit({ type: "resize", size: this.size, screens: this.screens });
  }

  setMode(mode: Mode, actor: Actor): void {
    if (actor.kind !== "human" && mode === "autopilot" && this.mode !== "autopilot")
      throw new RefusedError("permission_denied", "only a human may raise the mode");
    this.mode = mode;
  }

  modeOf(): Mode {
    return this.mode;
  }

  stop(): void {
    this.isStopped = true;
  }

  async whenReady(): Promise<void> {
    if (this.problem !== null) throw this.problem;
  }

  view(audience: Audience): View {
    if (this.isBlank) throw new RefusedError("target_down", "there is no picture yet");
    const { generation, screens, size } = this;
    return {
      ...size,
      audience,
      kind: audience,
      generation,
      screens,
      hidden: Region.from(this.hidden),
      snapshot: async (request = {}) => this.#snapshot(request),
      picture: () => ({
        ...size,
        pixels: ({ width, height }) => {
          const bytes = new Uint8Array(width * height * 4);
          new DataView(bytes.buffer).setUint32(0, ((this.colour << 8) | 0xff) >>> 0);
          for (let i = 4; i < bytes.length; i += 4) bytes.copyWithin(i, 0, 4);
          return { bytes, offset: 0, strideBytes: width * 4 };
        },
      }),
      watch: (onDamage) => {
        const watcher = { damage: Region.of(rectOfSize(size)), onDamage };
        this.#watchers.add(watcher);
        return {
          get pending() {
            return watcher.damage;
          },
          get owed() {
            return { painted: watcher.damage, copies: [] };
          },
          take: () => {
            const { damage } = watcher;
            watcher.damage = Region.empty;
            return { painted: damage, copies: [] };
          },
          putBack() {},
          close: () => this.#watchers.delete(watcher),
        };
      },
    };
  }

  async perform(action: Action, actor: Actor, options: PerformOptions = {}): Promise<ActionResult> {
    const performed = { action, actor, options };
    this.performed.push(performed);
    const generationBefore = this.generation;
    const told = await this.onPerform(performed);
    if (action.kind !== "read_clipboard") this.generation++;
    const changedRects = told.effect?.changedRects ?? [rect(1, 2, 3, 4)];
    this.#changes.push({ at: this.generation, rects: changedRects });
    return {
      wasConfirmed: false,
      effect: {
        ...unseenEffect(generationBefore),
        ...{ changed: true, changedRects, repaintedRects: changedRects, settleMs: 12 },
        generationAfter: this.generation,
      },
      position: this.#point(action),
      notTyped: [],
      unverified: null,
      wasNeeded: true,
      clipboard: this.clipboard === null ? null : { text: this.clipboard, origin: "desktop" },
      ...told,
    };
  }

  /** Where the pointer is after an action, null for those without a place. */
  #point(action: Action): { readonly x: number; readonly y: number } | null {
    switch (action.kind) {
      case "click":
      case "button":
      case "scroll":
        this.pointer = { x: action.x ?? this.pointer.x, y: action.y ?? this.pointer.y };
        return this.pointer;
      case "move":
        this.pointer = { x: action.x, y: action.y };
        return this.pointer;
      case "drag":
        this.pointer = action.path.at(-1) ?? this.pointer;
        return this.pointer;
      default:
        return null;
    }
  }

  #snapshot(request: SnapshotRequest): Snapshot {
    this.snapshots.push(request);
    this.onSnapshot(request);
    const region = request.changes?.rects.reduce(boundRects) ?? request.region ?? rectOfSize(this.size);
    const scale = request.scale ?? 1;
    const { sinceGeneration, untold = Region.empty } = request;
    const changed =
      sinceGeneration === undefined ? null : this.changedSince(sinceGeneration).union(untold).clip(region);
    return {
      format: request.format ?? "png",
      bytes: changed?.isEmpty === true ? Buffer.alloc(0) : this.png,
      ...(changed === null ? {} : { isUnchanged: changed.isEmpty }),
      width: Math.round(region.width * scale),
      height: Math.round(region.height * scale),
      region,
      generation: this.generation,
      isStable: request.stableMs === undefined || this.isRestful,
      isStale: this.isStale,
      frameAgeMs: 3,
      takenAt: new Date(1_800_000_000_000).toISOString(),
      ...(this.parts === undefined || request.changes === undefined ? {} : { parts: this.parts }),
    };
  }
}

/** A registry of fake desktops. */
export class FakeDesktops implements McpDesktops {
  readonly all: FakeDesktop[] = [];
  readonly #active = new Map<string, string>();

  constructor(...inputs: readonly ConnectionInput[]) {
    for (const input of inputs) this.all.push(new FakeDesktop(input));
  }

  get(id: string): FakeDesktop {
    const found = this.all.find((desktop) => desktop.id === id);
    if (found === undefined) throw new RefusedError("not_found", "got an unknown connection id");
    return found;
  }

  active(principalId: string): FakeDesktop {
    const id = this.#active.get(principalId) ?? this.all[0]?.id;
    if (id === undefined) throw new RefusedError("not_found", "there is no connection yet");
    return this.get(id);
  }

  setActive(principalId: string, id: string): FakeDesktop {
    const desktop = this.get(id);
    this.#active.set(principalId, id);
    return desktop;
  }

  problemOfAdded: LinkError | RefusedError | null = null;

  async add(input: ConnectionInput): Promise<FakeDesktop> {
    const desktop = new FakeDesktop(input);
    desktop.problem = this.problemOfAdded;
    this.all.push(desktop);
    return desktop;
  }

  /** What a human says to agents that want a desktop. */
  isAgreed = false;

  async propose(input: ConnectionInput): Promise<FakeDesktop> {
    if (!this.isAgreed) throw new RefusedError("denied_by_human", "a human denied this");
    return this.add(input);
  }

  async remove(id: string): Promise<void> {
    this.all.splice(this.all.indexOf(this.get(id)), 1);
  }

  async test(connection: Connection): Promise<TestReport> {
    const isThere = connection.port === 5901;
    return {
      success: isThere,
      steps: [
        { name: "connect", ok: true, detail: `${connection.host}:${connection.port}` },
        { name: "authenticate", ok: isThere, detail: isThere ? "VncAuth" : "wrong password" },
      ],
      message: isThere ? "it works" : "the password was refused",
    };
  }

  lastConnected(id: string): string | null {
    return this.get(id).connection.port === 5901 ? "2026-11-21T00:00:00.000Z" : null;
  }
}

function textPicture(width: number, height: number): Framebuffer {
  const picture = new Framebuffer(width, height, { hasKernels: true });
  drawText(picture, picture.rect, 11);
  return picture;
}
