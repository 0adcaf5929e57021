import type { Provider } from "../../analysis/analysis.ts";
import type { Analysts } from "../../analysis/analysts.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Painter } from "../../compositor/painter.ts";
import type { Scene } from "../../compositor/scene.ts";
import type { Anchors } from "../../desktop/anchors/anchors.ts";
import type { Connection, ConnectionInput } from "../../desktop/connections/connection.ts";
import type { Actor } from "../../desktop/control/action.ts";
import type { AgentRates } from "../../desktop/control/agent-rates.ts";
import type { Questions } from "../../desktop/control/approvals/questions.ts";
import type { HumanRequests } from "../../desktop/control/requests/human-requests.ts";
import type { Desktop } from "../../desktop/desktop.ts";
import type { TestReport } from "../../desktop/desktops.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TraceContext } from "../../platform/trace-context.ts";
import type { RecordingsFace } from "../../recording/library/recording-types.ts";
import type { OcrPool } from "../../vision/ocr-pool.ts";
import type { DesktopTexts } from "../../vision/text/desktop-texts.ts";
import type { FarFleet } from "../far/far-calls.ts";
import type { BrowserPorts } from "./browser/browsers-of.ts";
import type { Toolset } from "./toolsets.ts";

/** What the tools need of a live desktop; Desktop of the heart is one. */
export interface McpDesktop
  extends Pick<
    Desktop,
    | "id"
    | "connection"
    | "name"
    | "state"
    | "mode"
    | "isExact"
    | "size"
    | "screens"
    | "view"
    | "whenReady"
    | "perform"
    | "pointer"
    | "drawnPointer"
    | "periodic"
    | "hiddenFrom"
    | "generation"
    | "changedSince"
    | "sizedSince"
    | "setMode"
    | "modeOf"
    | "stop"
    | "isStopped"
    | "isPressedBy"
    | "on"
  > {
  readonly scene: Pick<Scene, "overlays" | "ownerOf" | "add" | "remove" | "clear">;
  readonly anchors: Pick<Anchors, "of">;
  readonly requests: Pick<HumanRequests, "ask" | "of" | "isPrivate">;
}

/** What the tools need of the registry; Desktops of the heart is one. */
export interface McpDesktops {
  readonly all: readonly McpDesktop[];
  get(id: string): McpDesktop;
  active(principalId: string): McpDesktop;
  setActive(principalId: string, id: string): McpDesktop;
  add(input: ConnectionInput, by: Actor): Promise<McpDesktop>;
  /** As `add` for agents: at once where the configuration allows the address, else when a human said yes. */
  propose(input: ConnectionInput, actor: Actor, signal: AbortSignal): Promise<McpDesktop>;
  remove(id: string, by: Actor): Promise<void>;
  test(connection: Connection, by: Actor): Promise<TestReport>;
  lastConnected(id: string): string | null;
}

/** How a call came in. */
export type McpTransport = "http" | "stdio";

/** A request of MCP as the protocol names it; null: it has none. */
export interface RpcRequest {
  readonly id: string;
  readonly sessionId: string | null;
  readonly protocolVersion: string | null;
}

/** One tool call for the audit, as it begins: never its arguments. */
export interface ToolCallBegun {
  /** The same in both records of a call, and in no other's. */
  readonly callId: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly transport: McpTransport;
  readonly clientName: string | null;
  /** Where the call stands in a trace of the client's; absent where it told of none. */
  readonly trace?: TraceContext;
  /** The request as its protocol names it; absent where it is not known. */
  readonly rpc?: RpcRequest;
  /** null for tools that act on no desktop. */
  readonly desktopId: string | null;
}

/** How it ended. */
export interface ToolCallRecord extends ToolCallBegun {
  readonly outcome: "done" | "refused" | "failed";
  /** Of the error, null where it was done. */
  readonly code: string | null;
  readonly durationMs: number;
  /** Pictures in the answer. */
  readonly images: number;
  /** The part of the desktop that they show, desktop pixels; absent: all of it, or there are none. */
  readonly area?: Rect;
}

/** A picture of a desktop, or what is to be read in one, or a recording, that was given out by another way than a tool. */
export interface PictureGiven {
  readonly principal: Principal;
  readonly transport: McpTransport;
  readonly resource: { readonly kind: "desktop" | "recording"; readonly id: string };
  readonly via: "resources/read" | "prompts/get";
}

/** A picture that is sent to a provider's model, whatever comes of it; never what is asked about it. */
export interface PictureAnalyzed {
  readonly principal: Principal;
  readonly desktopId: string;
  readonly provider: Provider;
  /** Of the picture's file. */
  readonly bytes: number;
}

/** An MCP client that introduced itself; name and version are its own words. */
export interface McpClientSeen {
  readonly name: string;
  readonly version: string;
  readonly principal: Principal;
}

/** What pino offers; messages are constant, details are fields. */
interface McpLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the MCP face needs from the appliance. */
export interface McpPorts {
  readonly desktops: McpDesktops;
  readonly clock: Clock;
  readonly log: McpLog;
  readonly version: string;
  readonly audit: (record: ToolCallRecord) => void;
  /** Told of each call before anything is done for it; `audit` follows, whatever comes of it. */
  readonly onCall?: (call: ToolCallBegun) => void;
  /** Runs a call's own work where what it leads to is known to belong to it: for traces. */
  readonly within?: <T>(call: ToolCallBegun, work: () => Promise<T>) => Promise<T>;
  /** Resolves once what `onCall` was told is written down; rejects where that cannot be: then nothing may change. */
  readonly secured?: () => Promise<void>;
  /** Told of each picture and recording that no tool gave. */
  readonly onPicture?: (picture: PictureGiven) => void;
  /** Told of each picture before it goes to a provider. */
  readonly onAnalysis?: (analysis: PictureAnalyzed) => void;
  /** Called once for each principal, name and version. */
  readonly onClient?: (client: McpClientSeen) => void;
  /** Shared with the other faces, so that no agent gets its rates twice. */
  readonly rates: AgentRates;
  /** The tools of callers whose token names none; absent or empty: every tool. */
  readonly toolsets?: readonly Toolset[];
  /** How long and how much of screenshots is kept; default as `configSchema` has it. */
  readonly screenshots?: { readonly memoryBytes: number; readonly keepMs: number };
  /** Open questions of all desktops; without it no client is asked what people at the viewer are. */
  readonly questions?: Pick<Questions, "on" | "belongsTo" | "decide" | "shown">;
  /** Annotates aside; absent, it is done in turns of the event loop. */
  readonly painter?: Pick<Painter, "annotate">;
  /** Reads text from pictures; absent, nothing does here. */
  readonly reader?: Pick<OcrPool, "read">;
  /** Names of the languages that it reads; absent, those whose models ship. */
  readonly languages?: OcrPool["languages"];
  /** The texts of desktops; absent, none is kept here. */
  readonly texts?: Pick<DesktopTexts, "now" | "since" | "find" | "elements" | "element">;
  /** Models that say what a picture shows; absent, none is configured. */
  readonly analysts?: Pick<Analysts, "providers" | "preferred" | "check" | "ask">;
  /** Absent: this appliance records nothing. */
  readonly recordings?: RecordingsFace;
  /** Of which this server is a node; absent: it is alone. */
  readonly fleet?: FarFleet;
  /** Absent: no browser can be paired. */
  readonly browsers?: BrowserPorts;
}
