import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import type * as z from "zod";
import type { AuditEntry, AuditRequests } from "../../audit/audit-event.ts";
import type { AuditLog } from "../../audit/read-back.ts";
import type { AnswerLinks } from "../../auth/answer-links.ts";
import type { Authenticator } from "../../auth/authenticator.ts";
import type { AccessTokens } from "../../auth/oidc/access-tokens.ts";
import type { OidcSignIn } from "../../auth/oidc/oidc-sign-in.ts";
import type { OneTimeCodes } from "../../auth/one-time-codes.ts";
import type { Principal } from "../../auth/principal.ts";
import type { SecretStore } from "../../auth/secrets/secret-store.ts";
import type { TokenStore } from "../../auth/tokens.ts";
import type { Browsers } from "../../browser/browsers.ts";
import type { Fleet } from "../../cluster/fleet/fleet.ts";
import type { SharedRequests } from "../../cluster/shared/shared-requests.ts";
import type { SharedSettings } from "../../cluster/shared/shared-settings.ts";
import type { Scene } from "../../compositor/scene.ts";
import type { Connection, ConnectionInput } from "../../desktop/connections/connection.ts";
import type { ConnectionEdit } from "../../desktop/connections/connection-fields.ts";
import type { TargetSound } from "../../desktop/connections/target-sound.ts";
import type { KnownIdentity } from "../../desktop/connections/trust-policy.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { AgentRates } from "../../desktop/control/agent-rates.ts";
import type { Approvals } from "../../desktop/control/approvals/approvals.ts";
import type { Questions } from "../../desktop/control/approvals/questions.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { TestReport } from "../../desktop/desktops.ts";
import type { DesktopFiles } from "../../desktop/files/desktop-files.ts";
import type { Audience, View } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Readiness } from "../../monitoring/readiness.ts";
import type { Clock } from "../../platform/clock.ts";
import type { WebPushes } from "../../push/web-pushes.ts";
import type { RecordingsFace } from "../../recording/library/recording-types.ts";
import type { PlayerLink } from "../../recording/read/player-link.ts";
import type { DesktopOwner, FarViewer } from "../cascade/far-viewers.ts";
import type { ConnectedClients } from "./connected-clients.ts";
import type { FarEvents } from "./far/far-events.ts";
import type { TierSettings } from "./rate-limits.ts";

/** What the web face needs of paired browsers. */
export interface BrowsersFace {
  readonly browsers: Pick<Browsers, "all" | "issue" | "of" | "unpair" | "accept">;
  /** The extension as a zip; null where it is not built. */
  readonly extension: Uint8Array | null;
}

/** What the web face needs of a live desktop; Desktop of the heart is one. */
export interface WebDesktop
  extends Pick<
    Desktop,
    | "id"
    | "connection"
    | "name"
    | "state"
    | "mode"
    | "isStopped"
    | "isExact"
    | "generation"
    | "refreshed"
    | "size"
    | "screens"
    | "cursor"
    | "pointer"
    | "actions"
    | "viewers"
    | "on"
    | "setMode"
    | "stop"
    | "resume"
    | "reconnect"
    | "holder"
    | "setHolding"
    | "grants"
  > {
  readonly scene: Pick<Scene, "version" | "overlays" | "remove" | "clear" | "on">;
  readonly approvals: Pick<Approvals, "pending" | "decide" | "belongsTo" | "picture" | "shown">;
  /** What is hidden on it; absent where nothing can be. */
  readonly masks?: Pick<Desktop["masks"], "all" | "hide" | "show">;
  /** What it plays; absent where nothing can be heard. */
  sound?(): Pick<TargetSound, "isOffered" | "listen">;
  /** Files to and from it; absent where none go. */
  files?(): DesktopFiles;
  /** What agents ask people to do on it; absent where none can. */
  readonly requests?: Pick<Desktop["requests"], "open" | "isPrivate" | "take" | "end">;
  /** Of custom mode; null in any other. */
  readonly rules?: Desktop["rules"];
  view(audience: Audience): Pick<View, "snapshot" | "picture" | "kind" | "hidden">;
}

/** What the web face needs of the registry; Desktops of the heart is one. */
export interface WebDesktops {
  readonly all: readonly WebDesktop[];
  get(id: string): WebDesktop;
  active(principalId: string): WebDesktop;
  add(input: ConnectionInput, by: Actor): Promise<WebDesktop>;
  edit(id: string, edit: ConnectionEdit, by: Actor): Promise<WebDesktop>;
  isStored(id: string): boolean;
  /** When it was last connected to, ISO; null for never. Absent: not told. */
  lastConnected?(id: string): string | null;
  remove(id: string, by: Actor): Promise<void>;
  test(connection: Connection, by: Actor): Promise<TestReport>;
  /** Of all desktops, and those about none yet. */
  readonly questions: Pick<Questions, "pending" | "decide" | "on" | "picture" | "shown">;
  on(
    listener: (event: {
      readonly type: "added" | "changed" | "removed";
      readonly desktop: WebDesktop;
    }) => void,
  ): () => void;
}

/** What routes are handed of the house: desktops and recordings only as far as their caller's grant goes. */
export interface RoutePorts extends Omit<AppPorts, "desktops" | "recordings"> {
  desktopsOf(principal: Principal): WebDesktops;
  /** What other nodes of a fleet have; FarDesktops is one. */
  readonly far: {
    /** What the others answer to the same GET, put together. */
    gather<T>(request: FastifyRequest, list: z.ZodType<T[]>): Promise<T[]>;
    /** Puts the events of other nodes into a stream of this one's; null: there are none. */
    events(request: FastifyRequest, send: (json: string) => void): Pick<FarEvents, "own" | "close"> | null;
    /** Where viewers of a desktop of another node are served by this one; null: it is none. */
    ownerOf(request: FastifyRequest, id: string): DesktopOwner | null;
  };
}

/** What a viewer's address asks for. */
export interface RfbOptions {
  /** Desktop pixels; null for all of the desktop. */
  readonly viewport: Rect | null;
  /** Whether overlays are painted into the pixels. */
  readonly composite: boolean;
  /** INVARIANT: true whenever the principal may not give input. */
  readonly viewOnly: boolean;
  /** The first bytes of the viewer, before those of its socket. */
  readonly said: Uint8Array;
}

/** A recording that a desktop shows: PlayerLink of src/recording/read/player-link.ts. */
export type ReplayedRecording = Pick<PlayerLink, "state" | "play" | "pause" | "seek" | "setSpeed">;

/** The audit log; Audit is one. */
interface AuditFace {
  record(entry: AuditEntry): void;
  /** Resolves once all that was recorded is written; rejects with RefusedError audit_down where it cannot be. */
  secured(): Promise<void>;
  /** Whether it took what it was last given. */
  readonly isWorking: boolean;
}

/** A fleet that this server is a node of; Fleet is one. */
export type FleetFace = Pick<
  Fleet,
  "view" | "moves" | "drain" | "name" | "nodes" | "ownerOf" | "placed" | "whenChanged" | "calls"
>;

/** Everything that the web face needs from the appliance. */
export interface AppPorts {
  readonly desktops: WebDesktops;
  readonly authenticator: Authenticator;
  readonly audit: AuditFace;
  /** Which requests have events of their own; absent: none. */
  readonly auditRequests?: AuditRequests;
  /** What the log holds; null where it is kept in no file here, absent: not told. */
  readonly auditLog?: Pick<AuditLog, "read"> | null;
  /** The MCP face: answers on the raw response; `body` is the parsed JSON of a POST, else undefined; see Mcp. */
  readonly mcp: {
    handle(
      req: IncomingMessage,
      res: ServerResponse,
      body: unknown,
      principal: Principal,
      baseUrl: string,
      whenOver: (onOver: () => void) => () => void,
    ): Promise<void>;
    /** Open sessions of one principal; null: of all. */
    sessionsOf(principalId: string | null): number;
  };
  /** Serves one viewer on an accepted socket, over its stream; the desktop was there a moment ago. */
  readonly rfb: {
    attach(
      socket: WebSocket,
      desktopId: string,
      options: RfbOptions,
      principal: Principal,
      stream: Writable,
    ): void;
    /** The same, of a desktop that another node has. */
    attachFar(viewer: FarViewer, owner: DesktopOwner, desktopId: string): void;
  };
  readonly clients: ConnectedClients;
  /** Browsers whose tabs agents may use; absent: none can be paired. */
  readonly browsers?: BrowsersFace;
  /** Believes what the target showed, else the next that it shows; false where nothing was known, or another one shown. */
  readonly forgetIdentity?: (connection: Connection, shown: string | null) => Promise<boolean>;
  /** By what its target is known; absent: nothing is told. */
  readonly identitiesOf?: (connection: Connection) => readonly KnownIdentity[];
  /** Absent: this appliance records nothing. */
  readonly recordings?: RecordingsFace;
  /** Shows a recording as a desktop of its own, from a moment on. */
  readonly replays?: {
    open(recordingId: string, startMs: number, by: Actor): Promise<Pick<WebDesktop, "id">>;
    /** Throws RefusedError not_found for a desktop that shows none. */
    player(desktopId: string): ReplayedRecording;
  };
  /** People who sign in at an OpenID provider; absent: none is configured. */
  readonly oidc?: Pick<
    OidcSignIn,
    "name" | "sessionMs" | "signedBy" | "begin" | "finish" | "signOutUrl" | "noticed"
  >;
  /** The provider's access tokens that open MCP; absent: none does. */
  readonly accessTokens?: Pick<AccessTokens, "resource" | "scopes" | "issuer">;
  /** Links for guests; absent: nobody is invited. */
  readonly tickets?: Pick<OneTimeCodes, "issue" | "lifetimeMs">;
  /** Links that show one question; absent: there are none. */
  readonly answers?: Pick<AnswerLinks, "open" | "find" | "close">;
  /** Browsers of people that are told by push; absent: none is. */
  readonly push?: Pick<WebPushes, "publicKey" | "subscribe" | "unsubscribe">;
  /** Absent: nobody makes tokens by REST. */
  readonly tokens?: Pick<TokenStore, "list" | "create" | "revoke">;
  /** Absent: no secrets are kept. */
  readonly secrets?: Pick<SecretStore, "list" | "set" | "remove">;
  /** Absent: this server is alone. */
  readonly fleet?: FleetFace;
  /** Where the next node that has a desktop is told what people set; absent: nobody else has it. */
  readonly settings?: Pick<SharedSettings, "check" | "settled">;
  /** The same of what agents ask people for. */
  readonly asked?: Pick<SharedRequests, "check" | "settled">;
  /** Who watches the appliance from outside; absent: nothing is told. */
  readonly monitoring?: {
    /** In Prometheus' text format. */
    metrics(): Promise<{ readonly type: string; readonly text: string }>;
    /** `isTold`: which targets are judged. */
    readiness(isTold: (desktopId: string) => boolean): Promise<Readiness>;
  };
  readonly logger: FastifyBaseLogger;
  readonly clock: Clock;
  readonly version: string;
  /** Where the built web app lies (index.html and assets/). */
  readonly clientDir: string;
  /** The token of one client, for the snippets that admins see; made when it is asked for first. */
  agentToken(client: { readonly id: string; readonly name: string }): Promise<string>;
  /** The command that a client of the stdio transport starts. */
  readonly stdio: { readonly command: string; readonly args: readonly string[] };
  /** The host that we listen on. */
  readonly host: string;
  /** `OC_ALLOWED_HOSTS`: name or name:port. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites whose pages may call with a token. */
  readonly corsOrigins: readonly string[];
  /** Below which path of its host the app is reached: "/oc"; "" at its root. */
  readonly basePath: string;
  /** As Fastify's option: false, or the addresses of the proxies. */
  readonly trustProxy: boolean | string | string[];
  /** Of addresses. */
  readonly rateTiers: TierSettings;
  /** Of agents, shared with MCP. */
  readonly rates: AgentRates;
  readonly tls: { readonly cert: string; readonly key: string } | null;
}
