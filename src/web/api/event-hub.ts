import type { DesktopEvent } from "../../desktop/desktop.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RecordingsFace } from "../../recording/library/recording-types.ts";
import type { AgentLook, ConnectedClients } from "../http/connected-clients.ts";
import type { WebDesktop, WebDesktops } from "../http/ports.ts";
import type { ActionPictures } from "./action-pictures.ts";
import type { ClientInfo, InputAsk } from "./agent-api.ts";
import { AgentActivity } from "./agents/agent-activity.ts";
import type { AgentLooks } from "./agents/agent-looks.ts";
import type { ApprovalInfo, DesktopInfo, EventMessage, GrantInfo } from "./api.ts";
import type { DesktopDescriber } from "./desktop-details.ts";
import { actionInfo, approvalInfo, grantInfo, requestInfo } from "./desktop-json.ts";
import type { RequestInfo } from "./requests-api.ts";

/** How late a page hears that an agent came or has been quiet for long enough. */
const AGENTS_PERIOD_MS = 2000;

/** Who may be told what: approvals carry typed text and are for those who decide. */
export interface EventReader {
  /** Of the principal. */
  readonly id: string;
  readonly mayApprove: boolean;
  /** What else is told is of these desktops alone. */
  reaches(desktopId: string): boolean;
  /** Reaches all, and so hears also what is about none. */
  readonly seesHouse: boolean;
  send(json: string): void;
}

export interface EventHubParts {
  readonly describer: DesktopDescriber;
  readonly pictures: Pick<ActionPictures, "placeOf">;
  /** Told of all that agents do from here. */
  readonly looks: AgentLooks;
  readonly clock: Clock;
}

/** Follows every desktop and tells all open event sockets; each message is made once for all. */
export class EventHub {
  readonly #desktops: WebDesktops;
  readonly #clients: ConnectedClients;
  readonly #describer: DesktopDescriber;
  readonly #clock: Clock;
  readonly #pictures: Pick<ActionPictures, "placeOf">;
  readonly #looks: AgentLooks;
  readonly #readers = new Set<EventReader>();
  readonly #followed = new Map<string, () => void>();
  readonly #activity: AgentActivity;
  readonly #changed = new Set<WebDesktop>();
  readonly #remasked = new Set<string>();
  readonly #stops: (() => void)[];
  /** The agents of each desktop as the pages know them, by its id. */
  readonly #toldAgents = new Map<string, string>();
  /** null while nobody reads. */
  #cancelAgentsCheck: (() => void) | null = null;

  /** `pictures` hear of each event before this does. */
  constructor(
    desktops: WebDesktops,
    clients: ConnectedClients,
    { describer, pictures, looks, clock }: EventHubParts,
    recordings: Pick<RecordingsFace, "on"> | null = null,
  ) {
    this.#desktops = desktops;
    this.#pictures = pictures;
    this.#looks = looks;
    this.#clients = clients;
    this.#describer = describer;
    this.#clock = clock;
    this.#activity = new AgentActivity(clock, (seen) => this.#tell(seen));
    for (const desktop of desktops.all) this.#follow(desktop);
    this.#stops = [
      clients.onLook((look) => this.#looked(look)),
      desktops.on(({ type, desktop }) => {
        if (type === "added") this.#added(desktop);
        else if (type === "removed") this.#removed(desktop);
        else this.#changedDesktop(desktop);
      }),
      desktops.questions.on((approval) => {
        for (const reader of this.#readers) {
          if (reader.mayApprove && reader.reaches(approval.desktopId)) this.#shown(approval.id, reader);
        }
        this.#tell({ type: "approval", approval: approvalInfo(approval) });
      }),
      clients.on(() => this.#tell({ type: "clients", clients: clientInfos(clients) })),
      recordings?.on((event) => {
        if (event.type !== "started" && event.type !== "stopped") return;
        const desktop = desktops.all.find(({ id }) => id === event.recording.desktopId);
        if (desktop !== undefined) this.#changedDesktop(desktop);
      }) ?? (() => {}),
    ];
  }

  /** Sends the whole state, then every change until the returned function is called. */
  attach(reader: EventReader): () => void {
    const hello: EventMessage = {
      type: "hello",
      desktops: this.#desktops.all
        .filter(({ id }) => reader.reaches(id))
        .map((desktop) => this.#info(desktop)),
      approvals: reader.mayApprove ? this.#pendingFor(reader) : [],
      grants: reader.mayApprove
        ? standingGrants(this.#desktops).filter(({ desktop_id }) => reader.reaches(desktop_id))
        : [],
      requests: reader.mayApprove
        ? openRequests(this.#desktops.all).filter(({ desktop_id }) => reader.reaches(desktop_id))
        : [],
      clients: reader.seesHouse ? clientInfos(this.#clients) : [],
    };
    reader.send(JSON.stringify(hello));
    this.#readers.add(reader);
    if (this.#cancelAgentsCheck === null) this.#awaitAgentsCheck();
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size > 0) return;
      this.#endAgentsCheck();
      this.#activity.close();
    };
  }

  /** To the pages of one principal alone. */
  tellOne(principalId: string, message: InputAsk): void {
    const json = JSON.stringify(message);
    for (const reader of this.#readers) {
      if (reader.id === principalId && reader.reaches(message.desktop_id)) reader.send(json);
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const stop of this.#followed.values()) stop();
    this.#followed.clear();
    this.#readers.clear();
    this.#endAgentsCheck();
    this.#activity.close();
  }

  #pendingFor(reader: EventReader): ApprovalInfo[] {
    const pending = pendingApprovals(this.#desktops).filter(({ desktop_id }) => reader.reaches(desktop_id));
    for (const { id } of pending) this.#shown(id, reader);
    return pending;
  }

  #shown(id: string, reader: EventReader): void {
    this.#desktops.questions.shown(id, reader, "words");
  }

  #added(desktop: WebDesktop): void {
    this.#follow(desktop);
    this.#changedDesktop(desktop);
  }

  #removed(desktop: WebDesktop): void {
    this.#followed.get(desktop.id)?.();
    this.#followed.delete(desktop.id);
    this.#changed.delete(desktop);
    this.#toldAgents.delete(desktop.id);
    this.#clients.forget(desktop.id);
    this.#activity.forget(desktop.id);
    this.#looks.forget(desktop.id);
    this.#tell({ type: "desktop_removed", desktop_id: desktop.id });
  }

  #follow(desktop: WebDesktop): void {
    this.#followed.get(desktop.id)?.();
    this.#followed.set(
      desktop.id,
      desktop.on((event) => this.#onEvent(desktop, event)),
    );
  }

  #onEvent(desktop: WebDesktop, event: DesktopEvent): void {
    switch (event.type) {
      // Pixels go through the viewers' sockets; a text for each frame would drown the rest.
      case "update":
      case "cursor":
      case "bell":
        return;
      case "clipboard":
        // Agents' tokens read these too.
        if (event.isHidden !== true)
          this.#tell({ type: "clipboard", desktop_id: desktop.id, length: event.text.length });
        return;
      case "approval":
        return;
      case "input":
        if (this.#readers.size > 0) this.#activity.input(desktop, event.input);
        return;
      case "request":
        this.#tell({ type: "request", request: requestInfo(event.request) });
        return;
      case "masks":
        this.#tellMasks(desktop.id);
        return;
      case "grant": {
        const grants = desktop.grants.all.map((grant) => grantInfo(desktop.id, grant));
        this.#tell({ type: "grants", desktop_id: desktop.id, grants });
        return;
      }
      case "holder":
        this.#tell({
          type: "holder",
          desktop_id: desktop.id,
          holder: this.#describer.holder(event.holder),
        });
        return;
      case "action":
        this.#activity.ended(desktop.id);
        this.#looks.acted(desktop.id, event.record.actor);
        this.#tell({
          type: "action",
          action: actionInfo(desktop.id, event.record, this.#pictures.placeOf(desktop.id, event.record.id)),
        });
        this.#checkAgents(desktop);
        return;
      default:
        this.#changedDesktop(desktop);
    }
  }

  #looked(look: AgentLook): void {
    this.#activity.looked(look);
    const action = this.#looks.looked(look);
    if (action !== null) this.#tell({ type: "action", action });
  }

  /** Who is an agent here changes by the passing of time alone, which nothing else tells. */
  #awaitAgentsCheck(): void {
    this.#cancelAgentsCheck = this.#clock.after(AGENTS_PERIOD_MS, () => {
      for (const desktop of this.#desktops.all) this.#checkAgents(desktop);
      this.#awaitAgentsCheck();
    });
  }

  #endAgentsCheck(): void {
    this.#cancelAgentsCheck?.();
    this.#cancelAgentsCheck = null;
  }

  #checkAgents(desktop: WebDesktop): void {
    if (this.#readers.size === 0) return;
    const agents = agentsKey(this.#describer.agents(desktop));
    if (agents !== (this.#toldAgents.get(desktop.id) ?? agentsKey([]))) this.#changedDesktop(desktop);
  }

  #info(desktop: WebDesktop): DesktopInfo {
    const info = this.#describer.info(desktop);
    this.#toldAgents.set(desktop.id, agentsKey(info.agents));
    return info;
  }

  /** Several changes at one moment (a resize, a name, a state) make one message. */
  #changedDesktop(desktop: WebDesktop): void {
    if (this.#readers.size === 0) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tellChanged());
    this.#changed.add(desktop);
  }

  /** Once for all that moved with one update. */
  #tellMasks(id: string): void {
    if (this.#readers.size === 0 || this.#remasked.has(id)) return;
    this.#remasked.add(id);
    queueMicrotask(() => {
      this.#remasked.delete(id);
      this.#tell({ type: "masks", desktop_id: id });
    });
  }

  #tellChanged(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const desktop of changed) this.#tell({ type: "desktop", desktop: this.#info(desktop) });
  }

  #tell(message: EventMessage): void {
    if (this.#readers.size === 0) return;
    const json = JSON.stringify(message);
    const desktopId = desktopIn(message);
    const isForAll = !["approval", "grants", "request"].includes(message.type);
    for (const reader of this.#readers) {
      const isMeant = desktopId === null ? reader.seesHouse : reader.reaches(desktopId);
      if (isMeant && (isForAll || reader.mayApprove)) reader.send(json);
    }
  }
}

/** The desktop that a message is about; null for the house. */
function desktopIn(message: EventMessage): string | null {
  switch (message.type) {
    case "hello":
    case "clients":
      return null;
    case "desktop":
      return message.desktop.id;
    case "approval":
      return message.approval.desktop_id;
    case "request":
      return message.request.desktop_id;
    case "action":
      return message.action.desktop_id;
    default:
      return message.desktop_id;
  }
}

function clientInfos({ all }: Pick<ConnectedClients, "all">): ClientInfo[] {
  return all.map(({ name, seenAt }) => ({ name, seen_at: seenAt }));
}

/** Who they are, in whatever order. */
function agentsKey(agents: readonly string[]): string {
  return JSON.stringify([...agents].sort());
}

/** What people allowed agents for a while, on all desktops. */
export function standingGrants({ all }: WebDesktops): GrantInfo[] {
  return all.flatMap(({ id, grants }) => grants.all.map((grant) => grantInfo(id, grant)));
}

/** Every open question, oldest first. */
export function pendingApprovals(desktops: WebDesktops): ApprovalInfo[] {
  return desktops.questions.pending.map(approvalInfo);
}

/** What agents ask people to do and is not over, oldest first. */
export function openRequests(desktops: readonly Pick<WebDesktop, "requests">[]): RequestInfo[] {
  return desktops
    .flatMap(({ requests }) => requests?.open ?? [])
    .map(requestInfo)
    .sort((a, b) => a.asked_at.localeCompare(b.asked_at));
}
