/** The protocols of targets that people and agents add. Alone: the browser's code reads it, and has no node:net. */
export const TARGET_PROTOCOLS = ["vnc", "kasmvnc", "rdp"] as const;
