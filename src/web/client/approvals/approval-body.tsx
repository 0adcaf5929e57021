import { visibleText } from "../../../compositor/look/shown-text.ts";
import type { ApprovalInfo } from "../../api/api.ts";
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
        <strong title={tokenWords(approval.actor)}>{approval.actor.name}</strong> wants to do this
        {desktopName !== null && <> on {desktopName}</>}
        {approval.intent === null ? ", and gave no reason." : ":"}
      </p>
      {approval.intent !== null && <blockquote class="approval-intent">{approval.intent}</blockquote>}
      {approval.text !== null && (
        <p class="approval-text">
          <span class="muted">Text</span>
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
          A part of this is hidden from {hiddenFromWords(approval.hidden_from)}.
        </p>
      )}
      {approval.state === "pending" && bound !== null && (
        <p class="approval-bound muted">
          Void as soon as {crop !== null && isPartOf(bound, crop) ? "what is in the frame" : "this picture"}{" "}
          {approval.is_exact ? "changes." : "changes visibly; the desktop sends approximations."}
        </p>
      )}
    </>
  );
}
