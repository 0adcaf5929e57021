import pino, { type Logger } from "pino";

export type { Logger } from "pino";

/** The log: JSON lines on standard error, so that standard output stays free for MCP. Never secrets, never URLs. */
export function openLog(level: "debug" | "info" | "warn" | "error" | "silent"): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["req.headers", "req.url", "*.password", "*.token"],
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
