import type { FastifyRequest } from "fastify";

/** What the web app speaks (`language.ts` of the client), and so what it is answered in where the server words a page. */
const LANGUAGES = ["en", "de"] as const;
export type ReaderLanguage = (typeof LANGUAGES)[number];

/** The first that the browser asks for and we have, else English: what a person chose in the web app lies in the browser alone. */
export function readerLanguage({ headers }: Pick<FastifyRequest, "headers">): ReaderLanguage {
  const asked = (headers["accept-language"] ?? "").split(",").map((tag) => tag.trim().replace(/[-;].*/, ""));
  for (const said of asked) {
    const known = LANGUAGES.find((language) => language === said.toLowerCase());
    if (known !== undefined) return known;
  }
  return "en";
}
