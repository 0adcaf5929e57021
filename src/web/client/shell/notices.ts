import { signal } from "@preact/signals";
import { ofServer, t } from "../language/language.ts";
import { ApiError } from "./api-client.ts";

/** A short message in the corner. Errors stay until they are dismissed. */
export interface Notice {
  readonly id: number;
  readonly kind: "info" | "error";
  readonly text: string;
  readonly hint: string | null;
  /** For the Copy details button; null where there is nothing more to say. */
  readonly details: string | null;
  /** Where it leads, in the words of the link. */
  readonly link?: { readonly href: string; readonly text: string };
  /** What a person may answer. */
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly text: string;
  readonly run: () => void;
}

const MAX_NOTICES = 3;
const INFO_MS = 4000;
/** There is something to press. */
const LINK_MS = 12_000;

export const notices = signal<readonly Notice[]>([]);
let lastId = 0;

function show(notice: Omit<Notice, "id">, lastsMs = INFO_MS): void {
  const id = ++lastId;
  const others = notices.value.filter((known) => known.text !== notice.text);
  // No message pushes a question away.
  const told = others.filter(({ choices }) => choices === undefined).slice(1 - MAX_NOTICES);
  const kept = others.filter((known) => known.choices !== undefined || told.includes(known));
  notices.value = [...kept, { ...notice, id }];
  if (notice.kind === "info") setTimeout(() => dismissNotice(id), lastsMs);
}

export function dismissNotice(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function showNotice(text: string, link?: Notice["link"]): void {
  const words = { kind: "info", text, hint: null, details: null } as const;
  if (link === undefined) show(words);
  else show({ ...words, link }, LINK_MS);
}

/** Stays until it is answered, or for so long. */
export function askNotice(text: string, choices: readonly Choice[], lastsMs: number): void {
  show({ kind: "info", text, hint: null, details: null, choices }, lastsMs);
}

/** An error in a person's words; `what` is what was tried: "Could not add the desktop". */
export function showError(what: string, error: unknown): void {
  const words = errorWords(error);
  show({ kind: "error", text: `${what}: ${words.message}`, hint: words.hint, details: words.details });
}

export interface ErrorWords {
  readonly message: string;
  readonly hint: string | null;
  readonly details: string;
}

export function errorWords(error: unknown): ErrorWords {
  if (error instanceof ApiError) {
    const message = ofServer(error.code, error.message);
    return {
      message,
      // The server's is for its own message.
      hint: message === error.message ? error.hint : null,
      details: `${error.code} (HTTP ${error.status}): ${error.message}`,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message, hint: null, details: message };
}

/** For event handlers: runs a request and shows its failure. */
export function attempt(what: string, task: Promise<unknown>): void {
  task.catch((error: unknown) => showError(what, error));
}

export function copyText(text: string, done: string): void {
  navigator.clipboard.writeText(text).then(
    () => showNotice(done),
    () => showError(t`Could not copy`, new Error(t`the browser refused access to the clipboard`)),
  );
}
