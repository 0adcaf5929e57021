import * as z from "zod";
import { inputAnswerSchema } from "../agent-api.ts";
import { answerBodySchema, openAnswerSchema, openedAnswerSchema } from "../answers-api.ts";
import {
  actionSchema,
  approvalSchema,
  configSchema,
  connectionBodySchema,
  connectionEditSchema,
  decisionBodySchema,
  desktopSchema,
  eventMessageSchema,
  grantSchema,
  identityBodySchema,
  maskBodySchema,
  maskSchema,
  masksSchema,
  meSchema,
  modeBodySchema,
  overlayMessageSchema,
  overlayRequestSchema,
  screenshotQuerySchema,
  signInBodySchema,
  testReportSchema,
  viewerQuerySchema,
} from "../api.ts";
import { auditPageSchema, auditQuerySchema } from "../audit-api.ts";
import {
  browserInfoSchema,
  connectInfoSchema,
  newPairingSchema,
  pairingBodySchema,
} from "../browsers-api.ts";
import { filesSchema, partQuerySchema, sendBodySchema, sendingSchema } from "../files/files-api.ts";
import { drainBodySchema, fleetQuerySchema, fleetSchema, openSchema } from "../fleet-api.ts";
import { overlaySchema } from "../overlay-api.ts";
import { pushInfoSchema, subscriptionBodySchema, subscriptionEndSchema } from "../push-api.ts";
import { requestBodySchema, requestSchema } from "../requests-api.ts";
import { rulesBodySchema, rulesSchema, rulesTriedSchema, rulesTryBodySchema } from "../rules-api.ts";
import { secretBodySchema, secretInfoSchema } from "../secrets-api.ts";
import { newTicketSchema, ticketBodySchema } from "../tickets-api.ts";
import { newTokenSchema, tokenBodySchema, tokenInfoSchema } from "../tokens-api.ts";
import type { Operations } from "./operation.ts";
import { RECORDING_OPERATIONS } from "./recording-operations.ts";

const connectionSchema = z.object({
  connection: connectionEditSchema,
  is_stored: z.boolean(),
  warnings: z.array(z.string()),
});
const statusSchema = z.object({ status: z.string() });
const healthSchema = statusSchema.extend({
  reason: z.literal("audit_down").optional(),
  /** Whether a browser is connected that the caller's agents may use; an administrator's: any. */
  extensionConnected: z.boolean().optional(),
  /** Open MCP sessions of the caller; to an administrator: of all. */
  sessions: z.int().optional(),
});
const png = { type: "image/png" } as const;
const desktop = "/api/v1/desktops/:id";

const SYSTEM: Operations = {
  "GET /health": {
    summary:
      "Whether it answers, and whether the audit log can be written; to who is signed in also of browsers and MCP sessions",
    answer: healthSchema,
  },
  "GET /livez": { summary: "Whether the event loop turns", answer: statusSchema },
  "GET /readyz": {
    summary: "How it is: desktops, disk, event loop, audit; 503 where it is not ready",
    answer: z.looseObject({ status: z.string() }),
  },
  "GET /metrics": { summary: "Numbers for Prometheus", answer: { type: "text/plain" } },
  "GET /config": {
    summary: "What to paste into MCP clients",
    query: z.object({ client: z.string().max(100).optional() }),
    answer: configSchema,
  },
  "GET /config/stdio": { summary: "How MCP clients start it over stdio", answer: z.looseObject({}) },
  "GET /.well-known/oauth-protected-resource": {
    summary: "OAuth 2.0 Protected Resource Metadata, RFC 9728",
    answer: z.looseObject({ resource: z.string() }),
  },
  "GET /.well-known/oauth-protected-resource/mcp": {
    summary: "The same of /mcp",
    answer: z.looseObject({ resource: z.string() }),
  },
  "GET /connect": {
    summary:
      "A new pairing link for one browser, for administrators, and where agents connect; a page for browsers",
    answer: connectInfoSchema,
  },
  "GET /browser-extension.zip": { summary: "The browser extension", answer: { type: "application/zip" } },
  "GET /api/openapi.json": { summary: "This document", answer: z.looseObject({ openapi: z.string() }) },
  "GET /api/v1/audit": {
    summary: "Events of the audit log, the newest first, by pages",
    query: auditQuerySchema,
    answer: auditPageSchema,
  },
};

const PEOPLE: Operations = {
  "POST /api/v1/session": {
    summary: "Sign in by a token or a one-time code: the answer sets a cookie",
    body: signInBodySchema,
    status: 204,
  },
  "DELETE /api/v1/session": {
    summary: "Sign out",
    answer: z.object({ provider_url: z.string().nullable() }),
  },
  "GET /api/v1/session/ways": {
    summary: "How people may sign in beside by a token",
    answer: z.object({ provider: z.string().nullable() }),
  },
  "GET /api/v1/me": { summary: "Who one is, and what one may", answer: meSchema },
  "GET /api/v1/tokens": { summary: "The tokens, without their secrets", answer: z.array(tokenInfoSchema) },
  "POST /api/v1/tokens": {
    summary: "Make a token: the answer alone shows it",
    body: tokenBodySchema,
    status: 201,
    answer: newTokenSchema,
  },
  "DELETE /api/v1/tokens/:id": { summary: "Revoke a token", status: 204 },
  "GET /api/v1/fleet": {
    summary: "The nodes of the fleet that this server is of, and who has which desktop, in parts",
    query: fleetQuerySchema,
    answer: fleetSchema,
  },
  "POST /api/v1/fleet/nodes/:id/drain": {
    summary: "Have a node hand over all its desktops and take none, or take some again; the id is its name",
    body: drainBodySchema,
    answer: fleetSchema,
  },
  "GET /api/v1/fleet/open/:id": {
    summary: "Whether a question, a grant or a request of that id is open at the node that is asked",
    answer: openSchema,
  },
  "GET /api/v1/secrets": {
    summary: "The secrets that agents may have typed, by name, without their values",
    answer: z.array(secretInfoSchema),
  },
  "PUT /api/v1/secrets/:id": {
    summary: "Keep a secret, or replace one",
    body: secretBodySchema,
    answer: secretInfoSchema,
  },
  "DELETE /api/v1/secrets/:id": { summary: "Forget a secret", status: 204 },
  "GET /api/v1/push": {
    summary: "The key with which browsers subscribe to pushes; null where there are none",
    answer: pushInfoSchema,
  },
  "PUT /api/v1/push/subscription": {
    summary: "Have a browser told of questions",
    body: subscriptionBodySchema,
    status: 204,
  },
  "DELETE /api/v1/push/subscription": {
    summary: "Have it told no more",
    body: subscriptionEndSchema,
    status: 204,
  },
  [`GET ${desktop}/files`]: {
    summary: "Files that were copied there, and those that you send",
    answer: filesSchema,
  },
  [`POST ${desktop}/files`]: {
    summary: "Begin to send files, which are offered for pasting once all their bytes are here",
    body: sendBodySchema,
    status: 201,
    answer: sendingSchema,
  },
  [`PUT ${desktop}/files/:sendingId/:index`]: {
    summary: "The next bytes of a file that is sent, as application/octet-stream",
    query: partQuerySchema,
    answer: sendingSchema,
  },
  [`DELETE ${desktop}/files/:sendingId`]: { summary: "Take files back that were sent", status: 204 },
  [`GET ${desktop}/files/copied/:list/:index`]: {
    summary: "A file that was copied there",
    answer: { type: "application/octet-stream" },
  },
  [`POST ${desktop}/tickets`]: {
    summary: "Make a link for a guest, to this one desktop, for a while",
    body: ticketBodySchema,
    status: 201,
    answer: newTicketSchema,
  },
  "GET /api/v1/browsers": { summary: "Browsers that are paired", answer: z.array(browserInfoSchema) },
  "POST /api/v1/browsers/pairings": {
    summary: "Make a link that pairs a browser, once",
    body: pairingBodySchema,
    status: 201,
    answer: newPairingSchema,
  },
  "DELETE /api/v1/browsers/:id": { summary: "End a pairing", status: 204 },
};

const QUESTIONS: Operations = {
  "GET /api/v1/approvals": { summary: "What agents ask leave for now", answer: z.array(approvalSchema) },
  "GET /api/v1/approvals/:approvalId/picture.png": {
    summary: "What the question is bound to, as it was",
    answer: png,
  },
  "POST /api/v1/approvals/:approvalId": {
    summary: "Say yes or no, or take over",
    body: decisionBodySchema,
    answer: approvalSchema,
  },
  "GET /api/v1/grants": {
    summary: "What agents may do for a while without being asked",
    answer: z.array(grantSchema),
  },
  "DELETE /api/v1/grants/:grantId": { summary: "Take that back", status: 204 },
  "GET /api/v1/requests": { summary: "What agents ask people to do", answer: z.array(requestSchema) },
  "POST /api/v1/requests/:id": {
    summary: "Take a request, answer it, or decline",
    body: requestBodySchema,
    answer: requestSchema,
  },
  "POST /api/v1/answers/open": {
    summary: "Open the one question of a pushed link",
    body: openAnswerSchema,
    answer: openedAnswerSchema,
  },
  "POST /api/v1/answers": { summary: "Answer it, once", body: answerBodySchema, answer: approvalSchema },
};

const DESKTOPS: Operations = {
  "GET /api/v1/desktops": { summary: "The desktops that one may see", answer: z.array(desktopSchema) },
  "POST /api/v1/desktops": {
    summary: "Add a desktop, and connect to it",
    body: connectionBodySchema,
    status: 201,
    answer: desktopSchema,
  },
  "POST /api/v1/desktops/test": {
    summary: "Shake hands with a target, and say how far it got",
    body: connectionBodySchema,
    answer: testReportSchema,
  },
  [`GET ${desktop}`]: { summary: "One desktop", answer: desktopSchema },
  [`DELETE ${desktop}`]: { summary: "Remove a desktop", status: 204 },
  [`GET ${desktop}/connection`]: { summary: "How it is reached, without secrets", answer: connectionSchema },
  [`PUT ${desktop}/connection`]: {
    summary: "Reach it otherwise",
    body: connectionEditSchema,
    answer: connectionSchema,
  },
  [`GET ${desktop}/actions`]: {
    summary: "What was done on it lately, and what agents looked at (kind look)",
    answer: z.array(actionSchema),
  },
  [`GET ${desktop}/actions/:actionId/before.png`]: {
    summary: "The place that an agent acted at, before it did",
    answer: png,
  },
  [`GET ${desktop}/actions/:actionId/after.png`]: {
    summary: "The same place once that had its effect",
    answer: png,
  },
  [`POST ${desktop}/mode`]: {
    summary: "Change what agents may do",
    body: modeBodySchema,
    answer: desktopSchema,
  },
  [`POST ${desktop}/stop`]: {
    summary: "Stop agents, release every held key and button",
    answer: desktopSchema,
  },
  [`POST ${desktop}/resume`]: { summary: "Let agents go on", answer: desktopSchema },
  [`POST ${desktop}/reconnect`]: { summary: "Connect anew", answer: desktopSchema },
  [`POST ${desktop}/forget-identity`]: {
    summary: "Believe the certificate or key that it showed, or else the next that it shows",
    body: identityBodySchema,
    answer: desktopSchema,
  },
  [`POST ${desktop}/take-over`]: { summary: "Take the input", answer: desktopSchema },
  [`POST ${desktop}/give-back`]: { summary: "Give the input back", answer: desktopSchema },
  [`POST ${desktop}/ask-input`]: { summary: "Ask who holds the input for it", answer: desktopSchema },
  [`POST ${desktop}/answer-input`]: {
    summary: "Give the input to who asks for it, or keep it",
    body: inputAnswerSchema,
    answer: desktopSchema,
  },
  [`GET ${desktop}/rules`]: { summary: "The rules of the mode custom", answer: rulesSchema },
  [`PUT ${desktop}/rules`]: {
    summary: "Put it into the mode custom with these rules",
    body: rulesBodySchema,
    answer: rulesSchema,
  },
  [`POST ${desktop}/rules/try`]: {
    summary: "What rules that are not saved would say",
    body: rulesTryBodySchema,
    answer: rulesTriedSchema,
  },
  [`GET ${desktop}/masks`]: { summary: "What is hidden, and from whom", answer: masksSchema },
  [`POST ${desktop}/masks`]: {
    summary: "Hide a place or a text",
    body: maskBodySchema,
    status: 201,
    answer: maskSchema,
  },
  [`DELETE ${desktop}/masks/:maskId`]: { summary: "Hide it no more", status: 204 },
  [`GET ${desktop}/overlays`]: { summary: "What is drawn over it", answer: z.array(overlaySchema) },
  [`DELETE ${desktop}/overlays`]: {
    summary: "Remove all overlays that one may remove",
    answer: z.object({ removed_count: z.int() }),
  },
  [`DELETE ${desktop}/overlays/:overlayId`]: {
    summary: "Remove one; pressed=1: by the hand that presses it",
    query: z.object({ pressed: z.literal("1").optional() }),
    status: 204,
  },
  [`GET ${desktop}/screenshot.png`]: {
    summary: "A picture of it",
    query: screenshotQuerySchema,
    answer: png,
  },
  [`GET ${desktop}/screenshot.jpg`]: {
    summary: "A picture of it",
    query: screenshotQuerySchema,
    answer: { type: "image/jpeg" },
  },
  [`GET ${desktop}/screenshot.webp`]: {
    summary: "A picture of it",
    query: screenshotQuerySchema,
    answer: { type: "image/webp" },
  },
};

const SOCKETS: Operations = {
  "GET /ws/events": {
    summary: "What changes: `hello` first, then each change",
    receives: eventMessageSchema,
  },
  "GET /ws/overlays": {
    summary: "What is drawn over a desktop",
    query: z.object({ desktop: z.string().max(100).optional() }),
    receives: overlayMessageSchema,
    sends: overlayRequestSchema,
  },
  "GET /ws/desktops/:id": {
    summary: "A viewer of one desktop: RFB 3.8 (RFC 6143) in binary messages",
    query: viewerQuerySchema,
  },
  "GET /ws/desktops/:id/sound": {
    summary:
      "What a desktop plays, while the socket is open, to people: binary messages of samples, 16 bits with sign, little-endian, 44,100 times a second left and right",
  },
  "GET /websockify": {
    summary: "The same for the active desktop, as noVNC expects it",
    query: viewerQuerySchema,
  },
  "GET /ws/browser": { summary: "The browser extension's own socket" },
};

/** Every route that programs may call. */
export const OPERATIONS: Operations = {
  ...SYSTEM,
  ...PEOPLE,
  ...QUESTIONS,
  ...DESKTOPS,
  ...RECORDING_OPERATIONS,
  ...SOCKETS,
};
