/**
 * The thread that decodes a target's picture. "auto": one of its own for RDP, the main one for the others; "worker":
 * one of its own; "main": the main one, which RDP never has.
 */
export const DECODING = ["auto", "worker", "main"] as const;
export type Decoding = (typeof DECODING)[number];
