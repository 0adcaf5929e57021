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

/** In what words moments are told. */
export interface MomentWords {
  /** What the server said of a desktop or an action. */
  said(english: string): string;
  /** What is said here; `{0}` stands for a value. */
  ours(english: string): string;
}

const ENGLISH_WORDS: MomentWords = { said: (text) => text, ours: (text) => text };

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
  words: MomentWords = ENGLISH_WORDS,
): readonly ReplayMoment[] {
  const told: Told[] = [];
  const questions = new Map<string, Told>();
  /** When the last question about something was over, by its words: nothing of it was done before. */
  const answeredMs = new Map<string, number>();
  const mark = (atMs: number, text: string, by: string | null, tone: ReplayMoment["tone"] = "idle"): void => {
    const at = atMs - fromMs;
    told.push({ kind: "marker", at, until: at, words: text, detail: by ?? "", tone });
  };
  for (const entry of entries) {
    if (entry.atMs < fromMs || entry.atMs > toMs) continue;
    switch (entry.type) {
      case "action":
        told.push(actionTold(entry, startOf(entry, answeredMs) - fromMs, fromMs, words));
        break;
      case "approval": {
        const asked = questions.get(entry.id) ?? questionTold(entry, fromMs, toMs, words);
        if (!questions.has(entry.id)) {
          questions.set(entry.id, asked);
          told.push(asked);
        }
        if (entry.state === "pending") break;
        answeredMs.set(entry.summary, entry.atMs);
        answer(asked, entry, fromMs, words);
        break;
      }
      case "bookmark":
        mark(entry.atMs, entry.label, entry.by.name);
        break;
      case "mode":
        mark(entry.atMs, words.said(`Mode ${entry.mode}`), entry.by?.name ?? null);
        break;
      case "stopped":
        mark(entry.atMs, words.said(`Agents ${entry.isStopped ? "stopped" : "resumed"}`), entry.by.name);
        break;
      case "gap":
        mark(
          Math.max(fromMs, entry.fromMs),
          filled(words.ours("Not recorded: {0}"), entry.reason),
          null,
          "bad",
        );
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

function actionTold(entry: Entry<"action">, at: number, fromMs: number, words: MomentWords): Told {
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
    words.ours(effect),
    wasConfirmed ? words.ours("approved") : "",
    shownName(actor),
  ];
  return {
    kind: "action",
    at: Math.max(0, at),
    until: atMs - fromMs,
    words: words.said(summary),
    detail: joined(facts),
    tone: outcome === "done" ? "busy" : outcome === "refused" ? "warn" : "bad",
  };
}

/** As it stands while nobody has answered: until the end. */
function questionTold(entry: Entry<"approval">, fromMs: number, toMs: number, words: MomentWords): Told {
  const { atMs, summary, intent, actor } = entry;
  const asked = joined([intent === null ? "" : `“${intent}”`, shownName(actor)]);
  const at = atMs - fromMs;
  return {
    kind: "approval",
    at,
    until: toMs - fromMs,
    words: filled(words.ours("Asked: {0}"), words.said(summary)),
    detail: asked,
    tone: "warn",
  };
}

function answer(
  asked: Told,
  { atMs, state, decidedBy }: Entry<"approval">,
  fromMs: number,
  { ours }: MomentWords,
): void {
  asked.until = atMs - fromMs;
  asked.tone = state === "granted" ? "good" : state === "denied" ? "bad" : "warn";
  const verdict = state === "granted" ? "approved" : state;
  const told = decidedBy === null ? ours(verdict) : filled(ours(`${verdict} by {0}`), decidedBy.name);
  asked.detail = joined([asked.detail, told]);
}

/** A text with its value, which may hold any signs. */
function filled(text: string, value: string): string {
  return text.replace("{0}", () => value);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
