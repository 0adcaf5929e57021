import catalogue from "./german.json" with { type: "json" };
import { reviverOf, sentencesOf } from "./sentences.ts";

export const german = { ...catalogue, reviver: reviverOf(sentencesOf(catalogue.sentences)) };
