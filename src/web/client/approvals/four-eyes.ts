import type { ApprovalInfo, Me } from "../../api/api.ts";
import { t } from "../language/language.ts";

/** Why whoever looks may not say yes to this under four eyes, in words; null where they may. */
export function whyNotYours(
  { four_eyes: rule, actor }: Pick<ApprovalInfo, "actor" | "four_eyes">,
  me: Pick<Me, "person"> | null,
): string | null {
  if (rule === undefined) return null;
  if (rule.owner === null) {
    return t`Nobody is known to own ${actor.token ?? actor.name}, so nobody can approve this. An administrator makes a token for it that names its owner.`;
  }
  const person = me?.person ?? null;
  if (person !== null && person !== rule.owner) return null;
  return t`${actor.token ?? actor.name} is yours: somebody else has to approve this. You may deny it, or do it yourself.`;
}
