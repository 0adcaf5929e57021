import { shownName } from "../../desktop/control/action.ts";
import type { TrackEntry } from "../format/event-entry.ts";

/** Something that happened, as a replay page lists it. Times are milliseconds since the export begins. */
export interface ReplayMoment {
  readonly kind: "action" | "approval" | "marker";
  readonly at: number;
  readonly until: number;
  readonly words: string;
  /** Why, who, and how it ended. */
  readonly detail: string;
  readonly tone: "good" | "busy" | "warn" | "bad" | "idle";
}

interface Told extends Omit<ReplayMoment, "until" | "detail" | "tone"> {
  until: number;
  detail: string;
  tone: ReplayMoment["tone"];
}

type Entry<Type extends TrackEntry["type"]> = Extract<TrackEntry, { type: Type }>;

/**
 * Actions, questions and markers of a range, by beginning. `entries`: those of the range, in order; a question that was
 * asked before it is told from its answer.
 */
export function replayMoments(
  entries: readonly TrackEntry[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly ReplayMoment[] {
  const told: Told[] = [];
  const questions = new Map<string, Told>();
  /** When the last question about something was over, by its words: nothing of it was done before. */
  const answeredMs = new Map<string, number>();
  const mark = (
    atMs: number,
    words: string,
    by: string | null,
    tone: ReplayMoment["tone"] = "idle",
  ): void => {
    told.push({ kind: "marker", at: atMs - fromMs, until: atMs - fromMs, words, detail: by ?? "", tone });
  };
  for (const entry of entries) {
    if (entry.atMs < fromMs || entry.atMs > toMs) continue;
    switch (entry.type) {
      case "action":
        told.push(actionTold(entry, startOf(entry, answeredMs) - fromMs, fromMs));
        break;
      case "approval": {
        const asked = questions.get(entry.id) ?? questionTold(entry, fromMs, toMs);
        if (!questions.has(entry.id)) {
          questions.set(entry.id, asked);
          told.push(asked);
        }
        if (entry.state === "pending") break;
        answeredMs.set(entry.summary, entry.atMs);
        answer(asked, entry, fromMs);
        break;
      }
      case "bookmark":
        mark(entry.atMs, entry.label, entry.by.name);
        break;
      case "mode":
        mark(entry.atMs, `Mode ${entry.mode}`, entry.by?.name ?? null);
        break;
      case "stopped":
        mark(entry.atMs, entry.isStopped ? "Agents stopped" : "Agents resumed", entry.by.name);
        break;
      case "gap":
        mark(Math.max(fromMs, entry.fromMs), `Not recorded: ${entry.reason}`, null, "bad");
        break;
      default:
    }
  }
  return told.sort((a, b) => a.at - b.at);
}

function startOf(
  { atMs, durationMs, summary, wasConfirmed, outcome }: Entry<"action">,
  answered: ReadonlyMap<string, number>,
): number {
  const startMs = atMs - durationMs;
  const wasAsked = wasConfirmed || outcome === "refused";
  const answeredMs = wasAsked ? (answered.get(summary) ?? startMs) : startMs;
  return Math.max(startMs, Math.min(atMs, answeredMs));
}

function actionTold(entry: Entry<"action">, at: number, fromMs: number): Told {
  const { atMs, summary, intent, outcome, changed, code, actor, wasConfirmed } = entry;
  const effect =
    outcome !== "done"
      ? `${outcome}${code === null ? "" : `: ${code.replaceAll("_", " ")}`}`
      : changed === null
        ? "sent"
        : changed
          ? "screen changed"
          : "no change";
  const facts = [
    intent === null ? "" : `“${intent}”`,
    effect,
    wasConfirmed ? "approved" : "",
    shownName(actor),
  ];
  return {
    kind: "action",
    at: Math.max(0, at),
    until: atMs - fromMs,
    words: summary,
    detail: joined(facts),
    tone: outcome === "done" ? "busy" : outcome === "refused" ? "warn" : "bad",
  };
}

/** As it stands while nobody has answered: until the end. */
function questionTold(entry: Entry<"approval">, fromMs: number, toMs: number): Told {
  const { atMs, summary, intent, actor } = entry;
  const asked = joined([intent === null ? "" : `“${intent}”`, shownName(actor)]);
  const at = atMs - fromMs;
  return {
    kind: "approval",
    at,
    until: toMs - fromMs,
    words: `Asked: ${summary}`,
    detail: asked,
    tone: "warn",
  };
}

function answer(asked: Told, { atMs, state, decidedBy }: Entry<"approval">, fromMs: number): void {
  asked.until = atMs - fromMs;
  asked.tone = state === "granted" ? "good" : state === "denied" ? "bad" : "warn";
  asked.detail = joined([asked.detail, decidedBy === null ? state : `${state} by ${decidedBy.name}`]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
