/** What a target showed, and what was expected of it: SHA-256 fingerprints as openssl prints them. */
export interface IdentityWords {
  readonly what: "certificate" | "key";
  readonly shown: string;
  readonly expected: string;
  /** The expected one is in the desktop's settings: it cannot be forgotten, only corrected. */
  readonly isConfigured: boolean;
}

const FINGERPRINT = "[0-9A-F]{2}(?::[0-9A-F]{2}){31}";
const MISMATCH = new RegExp(
  `the (certificate|key) of .* fingerprint (${FINGERPRINT}), and (${FINGERPRINT}) (is configured|was seen before)`,
);

/** Reads them out of the server's message of a `cert_mismatch`; null where it is about something else. */
export function identityWords(message: string): IdentityWords | null {
  const [, what, shown, expected, how] = MISMATCH.exec(message) ?? [];
  if (shown === undefined || expected === undefined) return null;
  return {
    what: what === "key" ? "key" : "certificate",
    shown,
    expected,
    isConfigured: how === "is configured",
  };
}
