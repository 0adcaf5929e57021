import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AnswerLink, AnswerLinks } from "../../auth/answer-links.ts";
import { audienceOf } from "../../auth/audience.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Actor } from "../../desktop/control/action.ts";
import { RefusedError } from "../../desktop/error.ts";
import { answerBodySchema, type OpenedAnswer, openAnswerSchema } from "../api/answers-api.ts";
import type { ApprovalInfo } from "../api/api.ts";
import { approvalInfo } from "../api/desktop-json.ts";
import { auditedRequest } from "../http/access.ts";
import { auditChange } from "../http/audit-first.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limits.ts";

/**
 * What a pushed link opens: one question, shown once, answered once with yes or no, without a sign-in. Nothing else is
 * reached by it: the caller names no question, the link does.
 */
export function answerRoutes(
  app: FastifyInstance,
  answers: Pick<AnswerLinks, "open" | "find" | "close">,
  ports: RoutePorts,
  limits: RateLimits,
): void {
  const config = { access: "open", isAuditedFirst: false } as const;
  /** Throws RefusedError not_found and counts the guess. */
  const known = <Found>(found: Found | null, request: FastifyRequest): Found => {
    if (found !== null) return found;
    limits.countFailedSignIn(request.ip);
    ports.audit.record({
      ...{ type: "auth.failed", errorCode: "not_found", request: auditedRequest(request) },
      actor: { id: "", name: "", kind: "unknown", ip: request.ip },
    });
    throw new RefusedError("not_found", "this link was used, has expired or never existed");
  };
  app.post("/api/v1/answers/open", { config }, async (request, reply): Promise<OpenedAnswer> => {
    limits.checkSignIn(request.ip);
    const { ticket } = parse(openAnswerSchema, request.body);
    const { link, key } = known(answers.open(ticket), request);
    const { questions, all } = ports.desktopsOf(principalOf(link));
    const approval = questions.pending.find(({ id }) => id === link.questionId);
    if (approval === undefined) throw settled();
    const picture = await questions.picture(link.questionId, audienceOf(principalOf(link)));
    ports.audit.record({
      ...{ type: "approval.viewed", action: "link", request: auditedRequest(request) },
      ...{ actor: actorOf(link, request), resource: { kind: "approval", id: link.questionId } },
    });
    // Before it leaves, as for all who look.
    questions.shown(link.questionId, link.by, "all");
    reply.header("cache-control", "no-store");
    return {
      ...{ key, approval: { ...approvalInfo(approval), picture_url: null } },
      desktop_name: all.find(({ id }) => id === approval.desktopId)?.name ?? null,
      picture: picture === null ? null : Buffer.from(picture).toString("base64"),
    };
  });
  app.post("/api/v1/answers", { config }, async (request): Promise<ApprovalInfo> => {
    limits.checkSignIn(request.ip);
    const { key, decision } = parse(answerBodySchema, request.body);
    const link = known(answers.find(key), request);
    const actor = actorOf(link, request);
    if (decision === "approve") {
      const resource = { kind: "approval", id: link.questionId };
      await auditChange(ports.audit, request, { actor, resource });
    }
    const { questions } = ports.desktopsOf(principalOf(link));
    if (!questions.pending.some(({ id }) => id === link.questionId)) throw settled();
    // A yes that comes too early leaves the key as it is.
    const decided = questions.decide(link.questionId, { kind: decision }, actor);
    answers.close(key);
    return { ...approvalInfo(decided), picture_url: null };
  });
}

function principalOf({ by }: AnswerLink): Principal {
  return { ...by, role: "approver" };
}

function actorOf({ by }: AnswerLink, { ip }: FastifyRequest): Actor {
  return { kind: "human", ...by, ip };
}

function settled(): RefusedError {
  return new RefusedError(
    "not_found",
    "the question of this link is over: it was answered, withdrawn, or void",
  );
}
