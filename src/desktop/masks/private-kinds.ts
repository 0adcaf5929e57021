/** Kinds of text that are private wherever they stand; who reads text finds them by their shape and their checksums. */
export const PRIVATE_KINDS = [
  "email",
  "iban",
  "credit_card",
  "api_key",
  "ssn",
  "ip_address",
  "phone",
] as const;
export type PrivateKind = (typeof PRIVATE_KINDS)[number];
