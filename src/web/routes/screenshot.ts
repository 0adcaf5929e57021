import { createHash, randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type * as z from "zod";
import { audienceOf } from "../../auth/audience.ts";
import { RefusedError } from "../../desktop/error.ts";
import { PictureScheduler } from "../../desktop/picture/picture-scheduler.ts";
import type { ImageFormat, SnapshotRequest } from "../../desktop/view.ts";
import type { Rect } from "../../framebuffer/rect.ts";
import { whenGone } from "../../platform/when-gone.ts";
import { screenshotQuerySchema } from "../api/api.ts";
import { abortedBy } from "../http/aborted-by.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts, WebDesktop } from "../http/ports.ts";
import type { ReadingAudit } from "../http/reading-audit.ts";
import { desktopOf } from "./desktops.ts";

type ScreenshotQuery = z.infer<typeof screenshotQuerySchema>;

const FORMATS = {
  png: { format: "png", type: "image/png" },
  jpg: { format: "jpeg", type: "image/jpeg" },
  webp: { format: "webp", type: "image/webp" },
} as const satisfies Record<string, { readonly format: ImageFormat; readonly type: string }>;

/** Generations start anew with the process, so its ETags must not meet those of the one before. */
const EPOCH = randomBytes(6).toString("base64url");

/** `GET /api/v1/desktops/:id/screenshot.{png,jpg,webp}`: 304 while nothing that it shows has changed. */
export function screenshotRoutes(app: FastifyInstance, ports: RoutePorts, reading: ReadingAudit): void {
  const cursors = new CursorNumbers();
  const turns = new PictureScheduler();
  for (const [extension, { format, type }] of Object.entries(FORMATS)) {
    app.get(
      `/api/v1/desktops/:id/screenshot.${extension}`,
      { config: { access: "view", rate: "own" } },
      async (request, reply) => {
        const query = parse(screenshotQuerySchema, request.query);
        const region = regionOf(query);
        const desktop = desktopOf(ports, request);
        const principal = principalOf(request);
        const audience = audienceOf(principal);
        const tagAt = (generation: number, sceneVersion: number): string =>
          etag([
            EPOCH,
            desktop.id,
            format,
            generation,
            query.overlays === "1" ? sceneVersion : 0,
            query.cursor === "1" ? cursors.state(desktop) : 0,
            audience,
            JSON.stringify(query),
          ]);
        const view = desktop.view(audience);
        const signal = abortedBy(reply);
        const stable = { stableMs: query.stable_ms };
        const asked = request.headers["if-none-match"];
        let hasWaited = false;
        if (asked !== undefined) {
          // What nobody watched is refreshed by a look, and a wait is a wait for a 304 too: one pixel does both.
          hasWaited = audience === "agent" || query.stable_ms !== undefined;
          if (!hasWaited) await desktop.refreshed();
          const pixel = { x: region?.x ?? 0, y: region?.y ?? 0, width: 1, height: 1 };
          const { generation } = hasWaited
            ? await view.snapshot({ region: pixel, signal, ...stable })
            : desktop;
          const known = tagAt(generation, desktop.scene.version);
          if (isNamed(asked, known)) return reply.code(304).header("etag", known).send();
        }
        const isAgent = audience === "agent";
        if (isAgent) ports.rates.take("screenshot", principal, desktop.id);
        // Until the answer is written: who does not read it has a few pictures in memory, and not all that they asked for.
        whenGone(reply.raw, await turns.enter(principal.id, signal));
        const sceneVersion = desktop.scene.version;
        const snapshot = await view.snapshot({
          ...snapshotRequest(query, region),
          ...(hasWaited ? {} : stable),
          format,
          signal,
          ownerId: principal.id,
        });
        const resource = { kind: "desktop", id: desktop.id };
        // An agent's are told as a tool's are; a person's are the web app's own, many a minute.
        if (isAgent) {
          ports.audit.record({
            type: "screenshot.taken",
            actor: auditedActor(principal, request),
            request: auditedRequest(request),
            resource,
            counts: { images: 1 },
          });
        } else reading.read("screenshot.taken", request, { resource });
        // Of the scene as it was before: what was drawn meanwhile makes the next request a 200, never a false 304.
        return reply
          .header("etag", tagAt(snapshot.generation, sceneVersion))
          .header("x-oc-generation", snapshot.generation)
          .header("x-oc-stale", snapshot.isStale ? "1" : "0")
          .type(type)
          .send(bufferOf(snapshot.bytes));
      },
    );
  }
}

function snapshotRequest(query: ScreenshotQuery, region: Rect | null): SnapshotRequest {
  return {
    region: region ?? undefined,
    scale: query.scale,
    quality: query.quality,
    withOverlays: query.overlays === "1",
    withCursor: query.cursor === "1",
  };
}

/** All four or none. Throws RefusedError invalid_parameters. */
function regionOf({ x, y, width, height }: ScreenshotQuery): Rect | null {
  if (x !== undefined && y !== undefined && width !== undefined && height !== undefined) {
    return { x, y, width, height };
  }
  if (x === undefined && y === undefined && width === undefined && height === undefined) return null;
  throw new RefusedError(
    "invalid_parameters",
    "x, y, width and height come together: expected all four or none",
  );
}

function etag(parts: readonly (string | number)[]): string {
  return `"${createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 27)}"`;
}

/** If-None-Match, RFC 9110 section 13.1.2: a list compared weakly, or anything at all. */
function isNamed(header: string, tag: string): boolean {
  return header.split(",").some((item) => {
    const named = item.trim();
    return named === "*" || named.replace(/^W\//, "") === tag;
  });
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Cursors have no generation: each shape gets a number when it is first seen. */
class CursorNumbers {
  readonly #numbers = new WeakMap<object, number>();
  #next = 1;

  state({ cursor, pointer }: WebDesktop): string {
    if (cursor === null) return "none";
    const number = this.#numbers.get(cursor) ?? this.#next++;
    this.#numbers.set(cursor, number);
    return `${number}:${pointer.x}:${pointer.y}`;
  }
}
