/** What a person is told of by push. */
export const PUSH_SUBJECTS = ["approval", "request"] as const;
export type PushSubject = (typeof PUSH_SUBJECTS)[number];

/** Where the link of a push leads: nowhere, to the web app, or to one question, which whoever has the link may answer. */
export const PUSH_LINKS = ["none", "page", "ticket"] as const;
export type PushLink = (typeof PUSH_LINKS)[number];

/**
 * That somebody is asked something.
 *
 * INVARIANT: no pixels, no typed text and no reason: it passes through services that others run.
 */
export interface Notice {
  /** Of the approval or the request. */
  readonly id: string;
  readonly subject: PushSubject;
  /** Of the action that is asked about, or what a person is needed for. */
  readonly kind: string;
  /** null: about no desktop yet. */
  readonly desktop: { readonly id: string; readonly name: string } | null;
  /** Who asks. */
  readonly agent: string;
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** A notice as one receiver gets it. */
export interface PushMessage {
  readonly notice: Notice;
  /** null: none. */
  readonly link: string | null;
}

/** A notification: its first line, and the second. */
interface PushWords {
  readonly title: string;
  readonly message: string;
}

/** What a person reads; programs are told in English. */
export const PUSH_LANGUAGES = ["en", "de"] as const;
export type PushLanguage = (typeof PUSH_LANGUAGES)[number];

/** In German; what is not here is called by its own name. */
const GERMAN_KINDS: ReadonlyMap<string, string> = new Map([
  ["key", "Taste"],
  ["click", "Klick"],
  ["move", "Zeiger bewegen"],
  ["button", "Maustaste"],
  ["drag", "Ziehen"],
  ["scroll", "Rollen"],
  ["chords", "Tasten"],
  ["hold", "Tasten halten"],
  ["release", "Tasten loslassen"],
  ["type", "Text eingeben"],
  ["read_clipboard", "Zwischenablage lesen"],
  ["write_clipboard", "Zwischenablage setzen"],
  ["paste", "Einfügen"],
  ["resize", "Größe ändern"],
  ["browser", "Browser"],
  ["browser_script", "Skript im Browser"],
  ["add_connection", "Desktop hinzufügen"],
  ["login", "Anmeldung"],
  ["code", "Code"],
  ["captcha", "Captcha"],
  ["decide", "Entscheidung"],
  ["other", "Sonstiges"],
]);

/** Told once of each thing. Neither line begins with what somebody chose. */
export function wordsOf(notice: Notice, language: PushLanguage = "en"): PushWords {
  const { subject, kind, desktop, agent } = notice;
  if (language === "de") {
    const where = desktop === null ? "" : ` auf ${desktop.name}`;
    return {
      title: subject === "approval" ? `Freigabe erbeten${where}` : `Ein Mensch wird gebraucht${where}`,
      message: `Gefragt von ${agent}: ${GERMAN_KINDS.get(kind) ?? kind.replaceAll("_", " ")}`,
    };
  }
  const where = desktop === null ? "" : ` on ${desktop.name}`;
  return {
    title: subject === "approval" ? `Approval wanted${where}` : `A person is wanted${where}`,
    message: `Asked by ${agent}: ${kind.replaceAll("_", " ")}`,
  };
}

/** A message as programs read it. */
export function jsonOf({ notice, link }: PushMessage): string {
  const { id, subject, kind, desktop, agent, askedAt, expiresAt } = notice;
  return JSON.stringify({
    ...{ version: 1, id, subject, kind, desktop, agent },
    ...{ asked_at: askedAt, expires_at: expiresAt, url: link, ...wordsOf(notice) },
  });
}
