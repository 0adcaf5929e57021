import * as z from "zod";

/** First words of the addresses that the app has itself: a base of the same name would hide them. */
export const OWN_WORDS: ReadonlySet<string> = new Set([
  ...[".well-known", "access", "answer", "api", "approvals", "assets", "audit", "browser-extension.zip"],
  ...[
    "config",
    "connect",
    "desktops",
    "favicon.svg",
    "fleet",
    "health",
    "livez",
    "mcp",
    "message",
    "metrics",
    "push-worker.js",
    "readyz",
    "recordings",
  ],
  ...["secrets", "setup", "signin", "sse", "websockify", "ws"],
]);

/** "/oc", "/tools/desk"; "" and "/" are the root. */
export const basePath = z
  .string()
  .transform((text) => text.replace(/\/$/, ""))
  .refine(
    (path) =>
      path === "" ||
      (/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(path) && !OWN_WORDS.has(path.split("/")[1] ?? "")),
    {
      error:
        "expected a path such as /oc, of letters, digits, - and _, whose first word is no address of the app's own",
    },
  );
