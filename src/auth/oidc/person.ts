export const LONGEST_SUBJECT = 255;
export const LONGEST_NAME = 100;

/** OpenID Connect Core section 2: ASCII, at most 255 characters. */
export function isSubject(subject: string): boolean {
  return subject.length <= LONGEST_SUBJECT && /^[\x21-\x7e]+$/.test(subject);
}

/** The id of whoever the provider calls by this subject: a person's own sessions, and the owner of their agents. */
export function personId(subject: string): string {
  return `oidc:${subject}`;
}

/** The name that people know somebody by; null where the provider says none. */
export function nameIn(claims: Readonly<Record<string, unknown>>): string | null {
  for (const name of ["name", "preferred_username", "email"]) {
    const value = claims[name];
    if (typeof value !== "string") continue;
    const plain = value.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "").trim();
    if (plain !== "") return plain.slice(0, LONGEST_NAME);
  }
  return null;
}
