import type { FastifyRequest } from "fastify";

/** What the web app speaks (`language.ts` of the client), and so what it is answered in where the server words a page. */
const LANGUAGES = ["en", "de"] as const;
export type ReaderLanguage = (typeof LANGUAGES)[number];

/** Where the web app says what it speaks in this browser: what a person chose there lies in the browser alone. */
const COOKIE = "language";

/** As the web app was seen last in this browser, else the first that the browser asks for and we have, else English. */
export function readerLanguage({ cookies, headers }: FastifyRequest): ReaderLanguage {
  const asked = (headers["accept-language"] ?? "").split(",").map((tag) => tag.trim().replace(/[-;].*/, ""));
  for (const said of [cookies[COOKIE], ...asked]) {
    const known = LANGUAGES.find((language) => language === said?.toLowerCase());
    if (known !== undefined) return known;
  }
  return "en";
}
