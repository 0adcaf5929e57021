import { visibleText } from "../../../compositor/look/shown-text.ts";
import type { ApprovalInfo } from "../../api/api.ts";
import { rich, t } from "../language/language.ts";
import { hiddenFromWords } from "../masks/mask-words.ts";
import { tokenWords } from "../shell/labels.ts";
import { ApprovalPicture, isPartOf } from "./approval-picture.tsx";

export interface ApprovalBodyProps {
  readonly approval: ApprovalInfo;
  /** null: it need not be said. */
  readonly desktopName: string | null;
  /** Its picture stands there. */
  readonly onShown: () => void;
}

/** What is asked, by whom and why: all that a person has to know before they answer. */
export function ApprovalBody({ approval, desktopName, onShown }: ApprovalBodyProps) {
  const { bound, crop } = approval;
  return (
    <>
      <ApprovalPicture approval={approval} onShown={onShown} />
      <p class="approval-who">
        {rich`${<strong title={tokenWords(approval.actor)}>{approval.actor.name}</strong>} wants to do this`}
        {desktopName !== null && <>{t` on ${desktopName}`}</>}
        {approval.intent === null ? t`, and gave no reason.` : ":"}
      </p>
      {approval.intent !== null && <blockquote class="approval-intent">{approval.intent}</blockquote>}
      {approval.text !== null && (
        <p class="approval-text">
          <span class="muted">{t`Text`}</span>
          <code>{visibleText(approval.text)}</code>
        </p>
      )}
      {approval.details.length > 0 && (
        <dl class="approval-details">
          {approval.details.map(({ name, value }) => (
            <div key={name}>
              <dt class="muted">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {approval.hidden_from !== undefined && (
        <p class="approval-bound muted">
          {t`A part of this is hidden from ${hiddenFromWords(approval.hidden_from)}.`}
        </p>
      )}
      {approval.state === "pending" && bound !== null && (
        <p class="approval-bound muted">
          {voidWords(crop !== null && isPartOf(bound, crop), approval.is_exact)}
        </p>
      )}
    </>
  );
}

function voidWords(isFramed: boolean, isExact: boolean): string {
  if (isExact)
    return isFramed
      ? t`Void as soon as what is in the frame changes.`
      : t`Void as soon as this picture changes.`;
  return isFramed
    ? t`Void as soon as what is in the frame changes visibly; the desktop sends approximations.`
    : t`Void as soon as this picture changes visibly; the desktop sends approximations.`;
}
