/**
 * The thread that decodes a target's picture. "auto": the main one, until the target keeps it so busy that others
 * wait; "worker": one of its own from the beginning; "main": the main one, always.
 */
export const DECODING = ["auto", "worker", "main"] as const;
export type Decoding = (typeof DECODING)[number];
