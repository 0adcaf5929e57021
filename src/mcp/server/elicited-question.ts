import { visibleText } from "../../compositor/look/shown-text.ts";
import { detailsOf } from "../../desktop/control/action-details.ts";
import { type Approval, isProposal } from "../../desktop/control/approvals/approvals.ts";

/** Text that is asked about is shown, but not a novel. */
const MAX_TEXT = 500;

/** What a client declares of elicitation, as MCP has it. */
interface Declared {
  readonly elicitation?:
    | { readonly form?: object | undefined; readonly url?: object | undefined }
    | undefined;
}

/** How a question is put to the person at an agent's client. */
export type ElicitMode = "form" | "url";

/**
 * How a client can put questions; null where it cannot. One that opens pages is sent to the question's card, with the
 * pixels that a yes is bound to; a form has words alone, and the address of that card.
 */
export function elicitModeOf(capabilities: Declared | undefined, baseUrl: string | null): ElicitMode | null {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return null;
  if (elicitation.url !== undefined && baseUrl !== null) return "url";
  return elicitation.form !== undefined || elicitation.url === undefined ? "form" : null;
}

/**
 * The card of a question in the web app. It names the question and opens nothing: who follows it signs in as somebody
 * who may approve.
 */
function cardUrl(approval: Approval, baseUrl: string): string {
  return `${baseUrl}/approvals?card=${approval.id}`;
}

/** A question that is answered in the client. */
export function formOf(approval: Approval, baseUrl: string | null) {
  const link =
    baseUrl === null
      ? ""
      : `\n\n${approval.crop === null ? "The question" : "The picture of the place"}: ${cardUrl(approval, baseUrl)}`;
  return {
    message: `${wordsOf(approval)}${link}\n\nVoid as soon as the screen around the target changes.`,
    requestedSchema: {
      type: "object" as const,
      properties: { approve: { type: "boolean" as const, title: "Allow this once" } },
      required: ["approve"],
    },
  };
}

/** A question that is answered on its card. */
export function pageOf(approval: Approval, baseUrl: string) {
  return {
    message: `${wordsOf(approval)}\n\nThe page shows the place on the screen and takes the answer.`,
    url: cardUrl(approval, baseUrl),
  };
}

function wordsOf({ action, summary, intent }: Approval): string {
  const text =
    "text" in action
      ? `\n\nText: ${visibleText(action.text.slice(0, MAX_TEXT))}${action.text.length > MAX_TEXT ? `… (${action.text.length} characters in all)` : ""}`
      : "";
  const details = (isProposal(action) ? action.details : detailsOf(action))
    .map(({ name, value }) => `\n${name}: ${value}`)
    .join("");
  const why = intent === null ? "" : `\n\nReason given: ${intent}`;
  return `${summary}?${details === "" ? "" : `\n${details}`}${text}${why}`;
}
