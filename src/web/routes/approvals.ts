import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { actorOf } from "../../auth/actor.ts";
import { RefusedError } from "../../desktop/error.ts";
import { principalOf } from "../access.ts";
import type { ApprovalInfo } from "../api.ts";
import { decisionBodySchema } from "../api.ts";
import { approvalInfo } from "../desktop-facts.ts";
import { pendingApprovals } from "../event-hub.ts";
import { parse } from "../parse.ts";
import type { AppPorts } from "../ports.ts";

const paramsSchema = z.object({ approvalId: z.string().max(100) });

/** The open questions of all desktops, oldest first, and the one way to answer them over HTTP. */
export function approvalRoutes(app: FastifyInstance, ports: AppPorts): void {
  const approve = { config: { access: "approve" } } as const;
  app.get("/api/v1/approvals", approve, (): ApprovalInfo[] => pendingApprovals(ports.desktops));
  app.post("/api/v1/approvals/:approvalId", approve, (request): ApprovalInfo => {
    const { approvalId } = parse(paramsSchema, request.params);
    const { decision } = parse(decisionBodySchema, request.body);
    const desktop = ports.desktops.all.find(({ approvals }) =>
      approvals.pending.some(({ id }) => id === approvalId),
    );
    if (desktop === undefined) {
      throw new RefusedError(
        "not_found",
        "there is no such open approval: it was decided, cancelled or expired",
      );
    }
    const by = actorOf(principalOf(request));
    return approvalInfo(desktop.approvals.decide(approvalId, decision === "approve", by));
  });
}
