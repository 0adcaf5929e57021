import { randomUUID } from "node:crypto";
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import { audienceOf } from "../../auth/audience.ts";
import { makeConnection } from "../../desktop/connections/connection.ts";
import { shownConnection } from "../../desktop/connections/connection-edit.ts";
import { connectionWarnings } from "../../desktop/connections/connection-warnings.ts";
import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { ActionPictures } from "../api/action-pictures.ts";
import { inputAnswerSchema } from "../api/agent-api.ts";
import type { AgentLooks } from "../api/agents/agent-looks.ts";
import type { ActionInfo, ConnectionInfo, DesktopInfo, TestReportInfo } from "../api/api.ts";
import {
  connectionBodySchema,
  connectionEditSchema,
  desktopSchema,
  identityBodySchema,
  modeBodySchema,
} from "../api/api.ts";
import type { DesktopDescriber } from "../api/desktop-details.ts";
import { actionInfo } from "../api/desktop-json.ts";
import type { InputAsks } from "../api/input-asks.ts";
import type { KeptActions } from "../api/kept-actions.ts";
import { auditedActor, auditedRequest, principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts, WebDesktop, WebDesktops } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import type { ReadingAudit } from "../http/reading-audit.ts";

/** What was added, and who took it. */
interface PlacedElsewhere {
  readonly id: string;
  readonly held_by: { readonly node: string; readonly address: string };
}

const paramsSchema = z.object({ id: z.string() });
const actionParamsSchema = z.object({ actionId: z.string().max(100) });

/** The desktops that the caller may know of. */
export function desktopsOf(ports: Pick<RoutePorts, "desktopsOf">, request: FastifyRequest): WebDesktops {
  return ports.desktopsOf(principalOf(request));
}

/** The desktop that the address names. Throws RefusedError not_found. */
export function desktopOf(ports: Pick<RoutePorts, "desktopsOf">, request: FastifyRequest): WebDesktop {
  return desktopsOf(ports, request).get(parse(paramsSchema, request.params).id);
}

export interface DesktopRouteParts {
  readonly describer: DesktopDescriber;
  readonly limits: RateLimits;
  readonly pictures: ActionPictures;
  readonly looks: AgentLooks;
  readonly kept: KeptActions;
  readonly asks: InputAsks;
  readonly reading: ReadingAudit;
}

/** `/api/v1/desktops`: what there is, and what people may do with it. */
export function desktopRoutes(app: FastifyInstance, ports: RoutePorts, parts: DesktopRouteParts): void {
  const url = "/api/v1/desktops";
  const view = { config: { access: "view" } } as const;
  const connections = { config: { access: "connections" } } as const;
  const { describer } = parts;
  const connectionInfo = (desktops: WebDesktops, { id, connection }: WebDesktop): ConnectionInfo => ({
    connection: shownConnection(connection),
    is_stored: desktops.isStored(id),
    warnings: connectionWarnings(connection),
  });

  app.get(url, view, async (request): Promise<DesktopInfo[]> => {
    const here = desktopsOf(ports, request).all.map((desktop) => describer.info(desktop));
    return [...here, ...(await ports.far.gather(request, z.array(desktopSchema)))];
  });
  app.get(`${url}/:id`, view, (request): DesktopInfo => describer.info(desktopOf(ports, request)));
  actionRoutes(app, ports, parts);

  app.post(url, connections, async (request, reply): Promise<DesktopInfo | PlacedElsewhere> => {
    const input = { ...parse(connectionBodySchema, request.body), id: randomUUID() };
    try {
      const desktop = await desktopsOf(ports, request).add(input, callerOf(request));
      reply.code(201).header("location", `${url}/${encodeURIComponent(desktop.id)}`);
      return describer.info(desktop);
    } catch (error) {
      // It is added: a refusal by 421 would have fetch, which tries those again by itself, add it twice.
      if (!(error instanceof RefusedError) || error.code !== "held_elsewhere" || error.heldBy === null)
        throw error;
      reply.code(202);
      return { id: input.id, held_by: { ...error.heldBy } };
    }
  });
  app.post(`${url}/test`, connections, async (request): Promise<TestReportInfo> => {
    parts.limits.take("connection_tests", request.ip);
    const input = parse(connectionBodySchema, request.body);
    const connection = makeConnection(input, ports.clock.date());
    const report = await desktopsOf(ports, request).test(connection, callerOf(request));
    return {
      success: report.success,
      message: report.message,
      steps: report.steps.map((step) => ({ ...step })),
    };
  });
  app.get(`${url}/:id/connection`, connections, (request) =>
    connectionInfo(desktopsOf(ports, request), desktopOf(ports, request)),
  );
  app.put(`${url}/:id/connection`, connections, async (request): Promise<ConnectionInfo> => {
    const { id } = desktopOf(ports, request);
    const edit = parse(connectionEditSchema, request.body);
    const desktops = desktopsOf(ports, request);
    return connectionInfo(desktops, await desktops.edit(id, edit, callerOf(request)));
  });
  app.delete(`${url}/:id`, connections, async (request, reply) => {
    await desktopsOf(ports, request).remove(desktopOf(ports, request).id, callerOf(request));
    return reply.code(204).send();
  });

  const act = (
    name: string,
    change: (desktop: WebDesktop, request: FastifyRequest) => void,
    config: Pick<FastifyContextConfig, "access" | "isAuditedFirst"> = {},
  ): void => {
    const options = { config: { access: "control", ...config } } as const;
    app.post(`${url}/:id/${name}`, options, async (request): Promise<DesktopInfo> => {
      const desktop = desktopOf(ports, request);
      change(desktop, request);
      await ports.settings?.settled(desktop.id);
      return describer.info(desktop);
    });
  };
  act(
    "mode",
    (desktop, request) => {
      const { mode, metadata } = parse(modeBodySchema, request.body);
      ports.settings?.check(desktop.id);
      desktop.setMode(mode, callerOf(request), metadata);
    },
    { access: "modes" },
  );
  act("stop", (desktop, request) => desktop.stop(callerOf(request)), { isAuditedFirst: false });
  act("resume", (desktop, request) => {
    ports.settings?.check(desktop.id);
    desktop.resume(callerOf(request));
  });
  act("reconnect", (desktop, request) => {
    ports.audit.record({
      type: "session.reconnect_requested",
      actor: auditedActor(principalOf(request), request),
      request: auditedRequest(request),
      resource: { kind: "desktop", id: desktop.id },
    });
    desktop.reconnect();
  });
  app.post(`${url}/:id/forget-identity`, connections, async (request): Promise<DesktopInfo> => {
    const desktop = desktopOf(ports, request);
    const { trust = null } = parse(identityBodySchema, request.body ?? {});
    const wasKnown = (await ports.forgetIdentity?.(desktop.connection, trust)) ?? false;
    if (!wasKnown) {
      const expected =
        trust === null
          ? "no certificate or key of that desktop is known, expected one"
          : "that desktop did not show that certificate or key last: look at what it shows now";
      throw new RefusedError("not_found", expected);
    }
    ports.audit.record({
      ...{ type: "target.identity_forgotten", severity: "warning" },
      ...(trust === null ? {} : { action: "trust_shown" }),
      actor: auditedActor(principalOf(request), request),
      request: auditedRequest(request),
      resource: { kind: "desktop", id: desktop.id },
    });
    desktop.reconnect();
    return describer.info(desktop);
  });
  const hold = (isHolding: boolean) => (desktop: WebDesktop, request: FastifyRequest) =>
    desktop.setHolding(isHolding, callerOf(request));
  act("take-over", hold(true), { access: "input", isAuditedFirst: false });
  act("give-back", hold(false));
  act("ask-input", (desktop, request) => parts.asks.ask(desktop, callerOf(request)), { access: "input" });
  act(
    "answer-input",
    (desktop, request) =>
      parts.asks.answer(desktop, parse(inputAnswerSchema, request.body), callerOf(request)),
    { access: "input" },
  );
}

/** What was done on a desktop and looked at, in words and in pictures; of the time before this process the words alone. */
function actionRoutes(app: FastifyInstance, ports: RoutePorts, parts: DesktopRouteParts): void {
  const url = "/api/v1/desktops/:id/actions";
  const view = { config: { access: "view" } } as const;
  const { pictures, looks, kept, reading } = parts;
  app.get(url, view, async (request): Promise<ActionInfo[]> => {
    const { id, actions } = desktopOf(ports, request);
    const done = actions.map((record) => actionInfo(id, record, pictures.placeOf(id, record.id)));
    const here = [...done, ...looks.of(id)].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    // What happens now is told whatever became of the log.
    const before = await kept.of(id).catch((error: unknown) => {
      request.log.warn({ err: error }, "What was done before the start cannot be read from the audit log");
      return [];
    });
    return [...before, ...here];
  });
  for (const when of ["before", "after"] as const) {
    app.get(`${url}/:actionId/${when}.png`, view, async (request, reply) => {
      const desktop = desktopOf(ports, request);
      const { actionId } = parse(actionParamsSchema, request.params);
      const picture = await pictures.picture(desktop, actionId, when, audienceOf(principalOf(request)));
      if (picture === null) {
        throw new RefusedError(
          "not_found",
          "there is no picture of that action: those of the newest ones are kept, for people, while nothing of it is hidden",
        );
      }
      const resource = { kind: "desktop", id: desktop.id };
      reading.read("screenshot.taken", request, { resource, action: "action" });
      return reply.type("image/png").header("cache-control", "no-store").send(Buffer.from(picture));
    });
  }
}

function callerOf(request: FastifyRequest): Actor {
  return actorOf(principalOf(request), request.ip);
}
