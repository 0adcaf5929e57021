import * as z from "zod";
import {
  allConnectionFields,
  type ConnectionEdit,
  SECRET_FIELDS,
} from "../../desktop/connections/connection-fields.ts";
import { hidesSomething, maskFields, maskRectSchema } from "../../desktop/masks/mask-fields.ts";
import { PRIVATE_KINDS } from "../../desktop/masks/private-kinds.ts";
import { AUDIENCES } from "../../desktop/view.ts";
import { actionSchema, actorSchema, agentSeenSchema, clientSchema, inputAskSchema } from "./agent-api.ts";
import { rect } from "./overlay-api.ts";
import { requestSchema } from "./requests-api.ts";

export { type AgentSeen, actionSchema, type ClientInfo, type InputAsk } from "./agent-api.ts";
export {
  type OverlayInfo,
  type OverlayMessage,
  overlayMessageSchema,
  overlayRequestSchema,
  overlaySchema,
} from "./overlay-api.ts";
export type {
  AddedMarkerInfo,
  ChunksInfo,
  PictureChunkInfo,
  PointerTrackInfo,
  RecordedTextInfo,
  RecordingInfo,
  ReplayInfo,
  ReplayStateInfo,
  RunHead,
  SearchAllInfo,
  SearchHitInfo,
  TimelineInfo,
  TrackInfo,
  VerificationInfo,
} from "./recordings-api.ts";
export type { RequestBody, RequestInfo } from "./requests-api.ts";
export type { RulesInfo, RulesTried, RulesTryBody } from "./rules-api.ts";

/** The REST and WebSocket shapes of the web app. The browser's code imports only the types. */

const desktopStateSchema = z.object({
  kind: z.enum(["connecting", "live", "stalled", "reconnecting", "failed", "closed"]),
  /** In words, with the next step: "Reconnecting in 3 s: …". */
  text: z.string(),
  /** How much of the first picture is there, in percent; null unless connecting and some of it came. */
  received_percent: z.int().nullable(),
  since: z.string(),
  /** Of the error, where there is one. */
  code: z.string().nullable(),
  /** When the next try starts; null unless reconnecting. */
  retry_at: z.string().nullable(),
});

const holderSchema = z.object({
  kind: z.string(),
  /** As `id` of `GET /api/v1/me`. */
  id: z.string(),
  name: z.string(),
  since: z.string(),
  /** When it ends at the earliest, if nothing more is done. */
  until: z.string().nullable(),
});

export const desktopSchema = z.object({
  id: z.string(),
  name: z.string(),
  protocol: z.string(),
  host: z.string(),
  port: z.int(),
  /** "RFB 3.8, VncAuth"; empty while not connected. */
  link: z.string(),
  is_exact: z.boolean(),
  /** Whether `GET /ws/desktops/:id/sound` plays what it plays. */
  has_sound: z.boolean(),
  /** Whether people send it files, and take files from it: `files` below `/api/v1/desktops/:id`. */
  has_files: z.boolean(),
  state: desktopStateSchema,
  width: z.int(),
  height: z.int(),
  displays: z.array(z.object({ monitor_index: z.int(), bounds: rect, is_primary: z.boolean() })),
  mode: z.enum(["passive", "assist", "autopilot", "composing", "custom"]),
  is_stopped: z.boolean(),
  /** Who has the input now; `until` is null where it lasts until given back, or for an agent. */
  holder: holderSchema.nullable(),
  generation: z.int(),
  viewers: z.int(),
  /** Agents that called a tool on it within the last minute. */
  agents: z.array(z.string()),
  /** When it was last connected to; null for never. */
  last_connected: z.string().nullable(),
  /** SHA-256 of the certificates or keys that its target has to show; `is_new`: believed at first sight, since the server started. */
  identities: z.array(z.object({ sha256: z.string(), is_configured: z.boolean(), is_new: z.boolean() })),
  /** The recording that runs on it; null for none. */
  recording_id: z.string().nullable(),
});

export const approvalSchema = z.object({
  id: z.string(),
  /** Empty where it is about no desktop yet: an agent wants to add one. */
  desktop_id: z.string(),
  kind: z.string(),
  summary: z.string(),
  /** The text of a typing action, shown to the approver only. */
  text: z.string().nullable(),
  actor: actorSchema,
  intent: z.string().nullable(),
  /** Every argument that summary and text do not say. */
  details: z.array(z.object({ name: z.string(), value: z.string() })),
  point: z.object({ x: z.int(), y: z.int() }).nullable(),
  /** The pointer's way, desktop pixels; empty for what has none. */
  path: z.array(z.object({ x: z.int(), y: z.int() })),
  crop: rect.nullable(),
  /** `GET`: PNG of the crop as it was when it was bound; 404 once decided. null where there is no crop. */
  picture_url: z.string().nullable(),
  /** What must still look the same when it is done; null where nothing must. */
  bound: rect.nullable(),
  /** False where the desktop sends approximations and pixels are compared with tolerance. */
  is_exact: z.boolean(),
  /** From whom a part of what it is about is hidden, viewer or of a role: perhaps from who decides; absent: from nobody. */
  hidden_from: z.array(z.enum(AUDIENCES)).optional(),
  /** What the approver may change. */
  editable: z.enum(["text", "point"]).nullable(),
  /** What `allow_for_ms` would allow, in words; null where only this once is possible. */
  scope: z.string().nullable(),
  asked_at: z.string(),
  expires_at: z.string(),
  /** A yes is taken from whom the picture (the words, where there is none) was shown to for so long. */
  arming_ms: z.int(),
  /** Who owns the agent does not approve it: the id of that person, null where nobody knows them, who nobody approves; absent: anybody may. */
  four_eyes: z.object({ owner: z.string().nullable() }).optional(),
  state: z.enum(["pending", "granted", "denied", "expired", "cancelled", "stale"]),
  decided_by: z.string().nullable(),
  /** A no whose person does it themselves; absent: it is none. */
  is_taken_over: z.literal(true).optional(),
});

/** What a person allowed an agent for a while: `GET /api/v1/grants`, and `DELETE /api/v1/grants/:id` ends it. */
export const grantSchema = z.object({
  id: z.string(),
  desktop_id: z.string(),
  actor: actorSchema,
  given_by: z.string(),
  /** In words: "Click left here". */
  scope: z.string(),
  /** Here; null for what has no place. */
  area: rect.nullable(),
  given_at: z.string(),
  expires_at: z.string(),
  uses: z.int(),
});

/** `GET /api/v1/me` */
export const meSchema = z.object({
  id: z.string(),
  /** Of the person behind it, as `four_eyes.owner` of a question; null: nobody knows. */
  person: z.string().nullable(),
  name: z.string(),
  role: z.string(),
  permissions: z.array(z.string()),
  version: z.string(),
  /** Which node of a fleet answers; null: this server is alone. */
  node: z.string().nullable(),
});

/** `POST /api/v1/desktops` and, with the same body, `POST /api/v1/desktops/test` */
export const connectionBodySchema = z.strictObject(allConnectionFields);

/**
 * `PUT /api/v1/desktops/:id/connection`: all of it, but the secrets that stay as they are, which are named and go to no
 * other place than before.
 */
export const connectionEditSchema = connectionBodySchema.extend({
  kept_secrets: z.array(z.enum(SECRET_FIELDS)).exactOptional(),
});

export const testReportSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  steps: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** `POST /api/v1/desktops/:id/mode` */
export const modeBodySchema = z.strictObject({
  mode: z.enum(["passive", "assist", "autopilot", "composing", "custom"]),
  /** The rules of custom. */
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** `POST /api/v1/desktops/:id/forget-identity` */
export const identityBodySchema = z.strictObject({
  /** The certificate or key that it showed and that is believed from now on; absent: whatever it shows next. */
  trust: z
    .string()
    .transform((text) => text.replaceAll(":", "").toLowerCase())
    .refine((hex) => /^[0-9a-f]{64}$/.test(hex), { error: "expected a SHA-256 fingerprint, 64 hex digits" })
    .exactOptional(),
});

/** `GET /api/v1/desktops/:id/masks`: what is hidden, and from whom. */
export const maskSchema = z.object({
  id: z.string(),
  /** For people: agents are told null. */
  label: z.string().nullable(),
  audiences: z.array(z.enum(AUDIENCES)),
  /** fixed: it stays where it is. found: it goes with what it follows. lost: that is nowhere, and the mask where it last was. text: wherever its text is. element: wherever its elements are. */
  state: z.enum(["fixed", "found", "lost", "text", "element"]),
  /** What text it looks for; null for none, and for agents. */
  text: z
    .object({
      kinds: z.array(z.enum(PRIVATE_KINDS)),
      pattern: z.string().optional(),
      secrets: z.array(z.string()).optional(),
    })
    .nullable(),
  /** The selector of what it hides in shared tabs; null for none, and for agents. */
  element: z.string().nullable(),
  /** By the configuration: nobody removes it here. */
  is_configured: z.boolean(),
  /** What it hides now, desktop pixels. */
  places: z.array(rect),
  created_at: z.string(),
});
export const masksSchema = z.array(maskSchema);

/** `POST`: `follows` is what is there now, desktop pixels, and takes the mask along as it moves. */
export const maskBodySchema = z
  .strictObject({
    ...maskFields,
    follows: maskRectSchema.exactOptional(),
  })
  .refine(...hidesSomething);

const editCoordinate = z.int().min(0).max(65_535);

/** `POST /api/v1/approvals/:id`: `edit` and `allow_for_ms` go with approve alone. */
export const decisionBodySchema = z.union([
  z.strictObject({ decision: z.enum(["deny", "take_over"]) }),
  z.strictObject({
    decision: z.literal("approve"),
    edit: z
      .union([
        z.strictObject({ text: z.string().max(100_000) }),
        z.strictObject({ x: editCoordinate, y: editCoordinate }),
      ])
      .optional(),
    /** Not asked again for the same kind here for so long. */
    allow_for_ms: z.int().min(1000).max(600_000).optional(),
  }),
]);

/** `POST /api/v1/session`: a token or a one-time code, answered by the cookie. */
export const signInBodySchema = z.strictObject({ token: z.string().min(1).max(1024) });

/** `GET /api/v1/session/ways`: what the sign-in page offers beside a token. */
export interface SignInWays {
  /** What people call the OpenID provider; null where there is none. */
  readonly provider: string | null;
  /** Why the session that the browser still shows is over; null where it shows none, or it is open. */
  readonly ended: "idle" | "expired" | "ended" | "replaced" | "revoked" | "unknown" | null;
}

/** `DELETE /api/v1/session` */
export interface SignedOut {
  /** Where the browser may end its session at the provider too; null where it has none. */
  readonly provider_url: string | null;
}

/** `GET /config`: how MCP clients reach us. `mcpServers` is ready to paste. */
export const configSchema = z.object({
  endpoint: z.string(),
  transport: z.literal("streamable-http"),
  mcpServers: z.record(
    z.string(),
    z.object({
      type: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      description: z.string(),
    }),
  ),
  clients: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** The file that the snippet goes into, or in words where there is none. */
      file: z.string(),
      language: z.enum(["sh", "json"]),
      snippet: z.string(),
    }),
  ),
});

/** `GET /api/v1/desktops/:id/screenshot.{png,jpg,webp}`; x, y, width, height come together. */
export const screenshotQuerySchema = z
  .object({
    x: z.coerce.number().int().min(0).max(65535),
    y: z.coerce.number().int().min(0).max(65535),
    width: z.coerce.number().int().min(1).max(65535),
    height: z.coerce.number().int().min(1).max(65535),
    scale: z.coerce.number().gt(0).max(1),
    quality: z.coerce.number().int().min(1).max(100),
    stable_ms: z.coerce.number().int().min(0).max(10_000),
    overlays: z.enum(["0", "1"]),
    cursor: z.enum(["0", "1"]),
  })
  .partial();

/** `/ws/desktops/:id` and `/websockify`; vx, vy, vw, vh come together, `scale` is the browser's own business. */
export const viewerQuerySchema = z
  .object({
    vx: z.coerce.number().int().min(0).max(65535),
    vy: z.coerce.number().int().min(0).max(65535),
    vw: z.coerce.number().int().min(1).max(65535),
    vh: z.coerce.number().int().min(1).max(65535),
    scale: z.coerce.number().gt(0).max(64),
    composite: z.enum(["0", "1"]),
    view_only: z.enum(["0", "1"]),
    /** What the viewer says first, which is heard before it could say it: a page asks for its picture as it opens. */
    say: z.base64url().max(400),
  })
  .partial();

/** An error of any route: 4xx or 5xx. `hint` is the next step. */
export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string().nullable(),
    done: z.record(z.string(), z.number()).optional(),
    /** The node of a fleet that has the desktop, and where it is reached. */
    held_by: z.object({ node: z.string(), address: z.string() }).optional(),
  }),
});

/** Server to browser on `/ws/events`: `hello` first, then each change. */
export const eventMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    desktops: z.array(desktopSchema),
    approvals: z.array(approvalSchema),
    grants: z.array(grantSchema),
    requests: z.array(requestSchema),
    /** The MCP clients that connected, newest last. */
    clients: z.array(clientSchema),
    /**
     * Desktops that the fleet has and this message does not tell of: other nodes tell of them in a moment, or who takes them over. Absent: the
     * server is alone.
     */
    elsewhere: z.array(z.string()).exactOptional(),
  }),
  z.object({ type: z.literal("desktop"), desktop: desktopSchema }),
  z.object({ type: z.literal("desktop_removed"), desktop_id: z.string() }),
  z.object({ type: z.literal("approval"), approval: approvalSchema }),
  z.object({ type: z.literal("request"), request: requestSchema }),
  /** All that holds on a desktop from now on. */
  z.object({ type: z.literal("grants"), desktop_id: z.string(), grants: z.array(grantSchema) }),
  z.object({ type: z.literal("action"), action: actionSchema }),
  agentSeenSchema,
  inputAskSchema,
  /** What is hidden there, or from whom, is another: `GET /api/v1/desktops/:id/masks`. */
  z.object({ type: z.literal("masks"), desktop_id: z.string() }),
  z.object({ type: z.literal("holder"), desktop_id: z.string(), holder: holderSchema.nullable() }),
  z.object({ type: z.literal("clipboard"), desktop_id: z.string(), length: z.int() }),
  z.object({ type: z.literal("clients"), clients: z.array(clientSchema) }),
]);

export type DesktopInfo = z.infer<typeof desktopSchema>;
export type ApprovalInfo = z.infer<typeof approvalSchema>;
export type GrantInfo = z.infer<typeof grantSchema>;
export type HolderInfo = z.infer<typeof holderSchema>;
export type MaskBody = z.input<typeof maskBodySchema>;
export type MaskInfo = z.infer<typeof maskSchema>;
export type DecisionBody = z.infer<typeof decisionBodySchema>;
export type ActionInfo = z.infer<typeof actionSchema>;
export type Me = z.infer<typeof meSchema>;
export type ConnectionBody = z.infer<typeof connectionBodySchema>;
/** `GET` and `PUT /api/v1/desktops/:id/connection`: as it is now, to be edited and put back. */
export interface ConnectionInfo {
  readonly connection: ConnectionEdit;
  /** False for one of the configuration, which holds again at the next start. */
  readonly is_stored: boolean;
  readonly warnings: readonly string[];
}
export type TestReportInfo = z.infer<typeof testReportSchema>;
export type ErrorInfo = z.infer<typeof errorSchema>;
export type EventMessage = z.infer<typeof eventMessageSchema>;
export type ConfigInfo = z.infer<typeof configSchema>;
