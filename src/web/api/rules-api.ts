import * as z from "zod";
import { ACTION_CLASSES, VERDICT_WORDS } from "../../desktop/control/action-class.ts";
import { customRulesSchema } from "../../desktop/control/custom-rules-fields.ts";

/** The rules of custom mode, as an operator edits them; where the desktop is in another mode, those that it would start with. */
export const rulesSchema = z.object({ is_in_force: z.boolean(), rules: customRulesSchema });

/** `PUT /api/v1/desktops/:id/rules`: puts the desktop into custom mode with these. What GET gave is taken back as it is. */
export const rulesBodySchema = z.strictObject({
  rules: customRulesSchema,
  is_in_force: z.boolean().optional().describe("Of the answer; ignored: rules that are put are in force."),
});

/** `POST /api/v1/desktops/:id/rules/try`: what rules that nobody saved would say; x and y for pointing. */
export const rulesTryBodySchema = z.strictObject({
  rules: customRulesSchema,
  subject: z.enum(ACTION_CLASSES),
  x: z.int().min(0).max(65_535).optional(),
  y: z.int().min(0).max(65_535).optional(),
});

export const rulesTriedSchema = z.object({
  verdict: z.enum(VERDICT_WORDS),
  /** Which of the areas decided; null where none did. */
  area: z.int().nullable(),
});

export type RulesInfo = z.infer<typeof rulesSchema>;
export type RulesTryBody = z.input<typeof rulesTryBodySchema>;
export type RulesTried = z.infer<typeof rulesTriedSchema>;
