import type { FastifyInstance } from "fastify";
import { actorOf } from "../../auth/actor.ts";
import { customWord, decidingArea, readCustomRules } from "../../desktop/control/custom-rules.ts";
import { RefusedError } from "../../desktop/error.ts";
import type { RulesInfo, RulesTried } from "../api/api.ts";
import { rulesBodySchema, rulesTryBodySchema } from "../api/rules-api.ts";
import { principalOf } from "../http/access.ts";
import { parse } from "../http/parse.ts";
import type { RoutePorts, WebDesktop } from "../http/ports.ts";
import { desktopOf } from "./desktops.ts";

/** The rules of a desktop's custom mode: everybody may read and try them, an administrator sets them. */
export function ruleRoutes(app: FastifyInstance, ports: RoutePorts): void {
  const url = "/api/v1/desktops/:id/rules";
  const view = { config: { access: "view" } } as const;
  app.get(url, view, (request): RulesInfo => rulesInfo(desktopOf(ports, request)));
  app.put(url, { config: { access: "admin" } }, async (request): Promise<RulesInfo> => {
    const desktop = desktopOf(ports, request);
    const { rules } = parse(rulesBodySchema, request.body);
    ports.settings?.check(desktop.id);
    desktop.setMode("custom", actorOf(principalOf(request), request.ip), rules);
    await ports.settings?.settled(desktop.id);
    return rulesInfo(desktop);
  });
  app.post(`${url}/try`, { config: { access: "view", isAuditedFirst: false } }, (request): RulesTried => {
    desktopOf(ports, request);
    const { rules, subject, x, y } = parse(rulesTryBodySchema, request.body);
    if (subject !== "pointer") return { verdict: customWord(rules, subject, []), area: null };
    if (x === undefined || y === undefined) {
      throw new RefusedError("invalid_parameters", "got pointing without a place, expected x and y");
    }
    const point = { x, y };
    return { verdict: customWord(rules, subject, [point]), area: decidingArea(rules, point) };
  });
}

function rulesInfo(desktop: WebDesktop): RulesInfo {
  const rules = desktop.rules?.() ?? null;
  return { is_in_force: rules !== null, rules: rules ?? readCustomRules({}) };
}
