/** The protocols of targets that people and agents add. Alone: the browser's code reads it, and has no node:net. */
export const TARGET_PROTOCOLS = ["vnc", "kasmvnc", "rdp"] as const;

/** Those that people and their tokens add, too. */
export const ALL_TARGET_PROTOCOLS = [...TARGET_PROTOCOLS, "browser"] as const;

/** What the debugging port of a browser that runs already is to rules and URLs, apart from the pages of our own. */
export const DEBUGGING_PORT = "browser+cdp";
