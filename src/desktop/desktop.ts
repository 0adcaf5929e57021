import { Scene } from "../compositor/scene.ts";
import type { Cursor } from "../framebuffer/cursor.ts";
import type { Size } from "../framebuffer/rect.ts";
import type { Screen } from "../framebuffer/screen.ts";
import { Anchors } from "./anchors/anchors.ts";
import type { Connection } from "./connections/connection.ts";
import { changeOf } from "./connections/connection-edit.ts";
import { type DesktopState, ReconnectingLink } from "./connections/reconnecting-link.ts";
import type { Action, ActionResult, Actor, PerformOptions } from "./control/action.ts";
import { ActionLog, type ActionRecord } from "./control/action-record.ts";
import { type Approval, Approvals } from "./control/approvals/approvals.ts";
import type { StandingGrants } from "./control/approvals/standing-grants.ts";
import type { Holder } from "./control/arbiter.ts";
import { Gate } from "./control/gate.ts";
import { KeepAwake } from "./control/keep-awake.ts";
import { Modes, policyOf } from "./control/modes.ts";
import type { Mode } from "./control/policy.ts";
import { HumanRequests } from "./control/requests/human-requests.ts";
import { ViewerPresence } from "./control/viewer-presence.ts";
import { type DesktopOptions, type DesktopPorts, HUMAN_IDLE_MS } from "./desktop-options.ts";
import { recordedChange } from "./effects/seen-change.ts";
import { RefusedError } from "./error.ts";
import type { DesktopEvent } from "./events/desktop-event.ts";
import { ObservedInput } from "./events/input-events.ts";
import { NewestText } from "./input/newest-text.ts";
import { Listeners } from "./listeners.ts";
import { DesktopMasks } from "./masks/desktop-masks.ts";
import { awaitPicture } from "./picture/await-picture.ts";
import { DesktopView } from "./picture/desktop-view.ts";
import { Display } from "./picture/display.ts";
import { noPicture } from "./picture/no-picture.ts";
import { Snapshots } from "./picture/snapshots.ts";
import { RecentUse } from "./recent-use.ts";
import type { Audience, View } from "./view.ts";

export type { DesktopEvent } from "./events/desktop-event.ts";

/** A live desktop: one target, its picture, its overlays, its gate. */
export class Desktop {
  #connection: Connection;
  readonly scene: Scene;
  /** What is remembered by its looks and followed as it moves. */
  readonly anchors: Anchors;
  readonly approvals: Approvals;
  /** What agents ask people to do here. */
  readonly requests: HumanRequests;
  /** What people allowed agents for a while. */
  readonly grants: Pick<StandingGrants, "all" | "revoke">;
  readonly #ports: DesktopPorts;
  /** What is hidden here, and from whom. */
  readonly masks: DesktopMasks;
  readonly #display: Display;
  readonly #gate: Gate;
  readonly #input: ObservedInput;
  readonly #keepAwake: KeepAwake;
  readonly #reconnectingLink: ReconnectingLink;
  readonly #log = new ActionLog();
  readonly #snapshots: Snapshots;
  readonly #listeners: Listeners<DesktopEvent>;
  readonly #modes: Modes;
  /** Of custom mode; null in any other. */
  readonly rules = () => this.#modes.rules;
  readonly limits = () => this.#modes.limits;
  readonly modeState = () => this.#modes.state;
  /** The lights of the target's keyboard; null where it tells none. */
  readonly locks = () => this.#display.locks;
  /** Where the target may have drawn the pointer into the picture, for others put it there; null: nowhere. */
  readonly drawnPointer = () => this.#display.drawnPointer;
  /** Small places that were proven to change by themselves, as a caret. */
  readonly periodic = () => this.#gate.effects.periodic;
  /** What changed of what agents are shown after a generation, until another; null where that is not known. */
  readonly changedSince = (generation: number, until?: number) =>
    this.#snapshots.changedSince("agent", generation, until);
  /** Where something is hidden from an audience, in desktop pixels. */
  readonly hiddenFrom = (audience: Audience) => this.masks.placesFrom(audience);
  /** The generation since which it has its size. */
  readonly sizedSince = () => this.#display.sizedSince;
  /** Resolves when the picture has what changed while nobody watched, or soon where the target does not answer. */
  readonly refreshed = (): Promise<void> => this.#reconnectingLink.refreshed();
  /** What its target plays, and files from and to it. */
  readonly sound = () => this.#reconnectingLink.sound;
  readonly files = () => this.#reconnectingLink.files;
  /** Whether an agent has left a key or a button down. */
  readonly isPressedBy = (agentId: string) => this.#gate.arbiter.isPressedBy(agentId);
  readonly #viewerPresence: ViewerPresence;
  readonly #use: RecentUse;

  constructor(connection: Connection, options: DesktopOptions, ports: DesktopPorts) {
    const { clock } = ports;
    this.#connection = connection;
    this.#ports = ports;
    this.#use = new RecentUse(clock, () => this.#follow());
    this.#listeners = new Listeners(ports.onBug);
    this.#input = new ObservedInput(clock, (input) => this.#emit({ type: "input", input }), {
      isPrivate: () => this.requests.wasPrivate,
      hasHidden: () => this.masks.mayHide("agent"),
    });
    this.#viewerPresence = new ViewerPresence(clock, {
      counted: (viewers) => this.#emit({ type: "viewers", viewers }),
      gone: (id) => this.#gate.arbiter.gone(id),
    });
    const { mode, customRules, clipboard = { read: "allow", write: "allow" } } = options;
    this.#modes = new Modes(policyOf(mode, customRules), clipboard, options.isFourEyes, options);
    this.scene = new Scene(clock, ports.painter ?? null);
    const tell = (approval: Approval): void => this.#emit({ type: "approval", approval });
    this.approvals = new Approvals(clock, options, tell, ports.openQuestions);
    this.masks = new DesktopMasks(options.masks, {
      ...ports,
      desktopId: connection.id,
      ...{ display: () => this.#display, link: () => this.#input.link },
      nudgePointer: () => this.#keepAwake.nudge(),
      tell: (event) => this.#emit(event),
    });
    this.#display = new Display(this.scene, clock, {
      maskSource: this.masks.maskSource,
      painting: (region) => this.#gate.effects.onPaint(region),
      changed: (changes, generation) => {
        const { damage, moves } = changes.agent;
        this.anchors.update(damage, moves);
        this.#gate.effects.onDamage(damage);
        this.#gate.onDamage(changes.viewer.damage);
        this.#snapshots.invalidate(changes);
        this.#emit({ type: "update", damage: changes.recording.damage, generation });
      },
      resized: (size, screens) => {
        this.#snapshots.resized();
        this.#gate.effects.onResize();
        this.anchors.resized();
        this.#gate.onDamage(null);
        this.#emit({ type: "resize", size, screens });
      },
      received: (part) => this.#reconnectingLink.received(part),
      whole: () => {
        this.#reconnectingLink.live();
        this.#follow();
      },
      watched: () => this.#follow(),
    });
    this.anchors = new Anchors(this.scene, {
      clock,
      shown: this.#display.shownTo("agent"),
      isExact: () => this.isExact,
      onBug: ports.onBug,
    });
    this.#snapshots = new Snapshots(this.#display, ports, () => this.#input.position);
    this.#gate = new Gate({
      ...{ ...ports, approvals: this.approvals, modes: this.#modes },
      ...{ desktopId: connection.id, echo: this.masks.echo, input: this.#input, display: this.#display },
      humanIdleMs: options.humanIdleMs ?? HUMAN_IDLE_MS,
      changedSince: (generation) => this.changedSince(generation),
      record: (done) => this.record(done),
      held: (holder) => this.#emit({ type: "holder", holder }),
      granted: (change, grant, by) => this.#emit({ type: "grant", change, grant, by }),
    });
    this.grants = this.#gate.standing;
    this.requests = new HumanRequests(this, options, { clock, tell: (event) => this.#emit(event) });
    this.#reconnectingLink = this.#makeReconnectingLink();
    this.#keepAwake = new KeepAwake({
      ...{ clock, gate: this.#gate, input: this.#input, display: this.#display },
      seconds: () => this.#connection.keep_awake_s,
    });
  }

  /** Begins to connect. */
  open(): void {
    this.#reconnectingLink.open();
  }

  get connection(): Connection {
    return this.#connection;
  }

  get id(): string {
    return this.connection.id;
  }

  get name(): string {
    return this.connection.name;
  }

  get state(): DesktopState {
    return this.#reconnectingLink.state;
  }

  /** What people set: no agent has more freedom. */
  get mode(): Mode {
    return this.#modes.ceiling;
  }

  /** What holds for one principal: the stricter of the desktop's mode and its own choice. */
  modeOf(principalId: string): Mode {
    return this.#modes.modeOf(principalId);
  }

  /** Who has the input now; null while nobody uses it. */
  get holder(): Holder | null {
    return this.#gate.arbiter.holder;
  }

  get isStopped(): boolean {
    return this.#gate.isStopped;
  }

  get isExact(): boolean {
    return this.#reconnectingLink.link?.isExact ?? true;
  }

  get generation(): number {
    return this.#display.generation;
  }

  /** 0x0 before the first picture. */
  get size(): Size {
    return this.#display.size;
  }

  /** At least one once there is a picture. */
  get screens(): readonly Screen[] {
    return this.#display.screens;
  }

  get cursor(): Cursor | null {
    return this.#display.cursor;
  }

  /** Where the pointer was last put. */
  get pointer(): { readonly x: number; readonly y: number } {
    return this.#input.position;
  }

  /** The newest last, at most 200. */
  get actions(): readonly ActionRecord[] {
    return this.#log.records;
  }

  /** Tells of an action that is over: of its own, and of what an agent did in a page that it shows. */
  record(done: Omit<ActionRecord, "recorded">): void {
    const recorded = recordedChange(done.effect, this.#display, this.#snapshots);
    this.#emit({ type: "action", record: this.#log.add({ ...done, recorded }) });
  }

  /** Viewers attached now. */
  get viewers(): number {
    return this.#viewerPresence.viewers;
  }

  /** Browser and VNC viewers say whose they are; call the returned function when they leave. */
  attachViewer({ id }: Pick<Actor, "id">): () => void {
    return this.#viewerPresence.came(id);
  }

  on(listener: (event: DesktopEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Throws RefusedError target_down before the first picture, private_time for agents while a person wants that. */
  view(audience: Audience): View {
    if (!this.#display.hasPicture) throw noPicture(this.name, this.state, this.#reconnectingLink.lastError);
    if (audience === "agent") this.#use.touch();
    const checkSeen = () => this.requests.checkSeen(audience);
    const refresh = this.refreshed;
    return new DesktopView(audience, this.#display, this.#snapshots, { refresh, checkSeen });
  }

  /** Resolves when there is a picture; rejects with the LinkError or RefusedError that says why not. */
  whenReady(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return awaitPicture(this, () => this.#display.hasPicture, {
      ...{ clock: this.#ports.clock, timeoutMs, signal },
      noPicture: () => noPicture(this.name, this.state, this.#reconnectingLink.lastError),
    });
  }

  async perform(action: Action, actor: Actor, options: PerformOptions = {}): Promise<ActionResult> {
    if (actor.kind === "agent") this.#use.touch();
    // What an action changes and what is on the clipboard is of a private time as the picture is.
    this.requests.checkSeen(actor.kind);
    const result = await this.#gate.perform(action, actor, options);
    if (action.kind === "read_clipboard") this.requests.checkSeen(actor.kind);
    return result;
  }

  /** People set the desktop's mode, agents lower their own; throws RefusedError permission_denied for raising it. */
  setMode(mode: Mode, actor: Actor, metadata?: unknown): void {
    const before = { mode: this.mode, rules: this.rules() };
    this.#modes.set(mode, actor, metadata);
    this.#gate.onRules();
    this.#emit({ type: "mode", mode, by: actor, before: { ...before, rulesNow: this.rules() } });
  }

  /** A person takes the input (`isDeclared`: saying so), or gives it back, see Arbiter; else RefusedError permission_denied. */
  setHolding(isHolding: boolean, actor: Actor, isDeclared = true): void {
    if (actor.kind !== "human") throw new RefusedError("permission_denied", "only a human takes the input");
    if (isHolding) this.#gate.arbiter.take(actor, isDeclared);
    else {
      this.#gate.arbiter.giveBack(actor);
      this.requests.givenBack(actor);
    }
  }

  /** Releases what is held, cancels what waits, refuses agents and hides their overlays until `resume`. */
  stop(actor: Actor): void {
    const wasStopped = this.isStopped;
    this.#gate.stop();
    this.scene.suspend();
    if (!wasStopped) this.#emit({ type: "stopped", isStopped: true, by: actor });
  }

  /** Throws RefusedError permission_denied for all but humans. */
  resume(actor: Actor): void {
    if (actor.kind !== "human") throw new RefusedError("permission_denied", "only a human may resume a stop");
    this.scene.resume();
    if (!this.isStopped) return;
    this.#gate.resume();
    this.#emit({ type: "stopped", isStopped: false, by: actor });
  }

  /** Another connection from now on, and unless only its name is another a new link. */
  change(connection: Connection): void {
    const change = changeOf(this.#connection, connection);
    this.#connection = connection;
    this.#keepAwake.changed();
    // What was asked and allowed was about what is to be seen there.
    if (change === "place") {
      this.approvals.cancelAll();
      this.#gate.standing.clear();
    }
    if (change !== "name") this.reconnect();
  }

  /** Tries again at once. */
  reconnect(): void {
    this.#input.releaseAll();
    this.#reconnectingLink.reconnect();
  }

  close(): void {
    this.approvals.cancelAll();
    this.#viewerPresence.close();
    this.#gate.close();
    this.#input.releaseAll();
    const parts = [this.#use, this.requests, this.#reconnectingLink, this.anchors, this.masks, this.scene];
    for (const part of [...parts, this.#snapshots, this.#keepAwake]) part.close();
    this.#listeners.clear();
  }

  #makeReconnectingLink(): ReconnectingLink {
    const { clock, random, openLink, connectTurns: turns, fileFolder } = this.#ports;
    const display = this.#display;
    const decoded = () => this.#reconnectingLink.link?.framebuffer;
    const newest = new NewestText(clock, (copied) => this.#emit({ type: "clipboard", ...copied }));
    return new ReconnectingLink(
      { openLink: () => openLink(this.connection), host: () => this.connection.host, turns, fileFolder },
      {
        ready: ({ name, screens }) => {
          const link = this.#reconnectingLink.link;
          if (link === null) return;
          this.#input.attach(link);
          display.begin(screens);
          this.#follow();
          this.#emit({ type: "name", name });
        },
        update: ({ painted, copies, missing }) => display.update(decoded(), painted, copies, missing),
        resize: (screens) => display.resize(decoded(), screens),
        cursor: (cursor) => {
          display.cursor = cursor;
          this.#emit({ type: "cursor", cursor });
        },
        drawnPointer: (area) => display.pointerDrawn(area),
        clipboard: (text) => {
          this.#input.copied(text);
          newest.hear(text === null ? null : { text, isHidden: this.#input.isClipboardHidden });
        },
        clipboardOffered: () => this.#input.offered(),
        clipboardTaken: () => this.#input.taken(),
        name: (name) => this.#emit({ type: "name", name }),
        bell: () => this.#emit({ type: "bell" }),
        locks: (locks) => {
          display.locks = locks;
          this.#emit({ type: "locks", locks });
        },
        state: (state) => this.#emit({ type: "state", state }),
        lost: () => {
          display.lost();
          this.#gate.onLost();
        },
      },
      clock,
      random,
    );
  }

  #follow(): void {
    const isWatched = !this.#display.isFresh || this.#display.watcherCount > 0 || this.#use.isRecent;
    this.#reconnectingLink.follow(isWatched);
  }

  #emit(event: DesktopEvent): void {
    this.#listeners.tell(event);
  }
}
