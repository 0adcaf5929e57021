import sentences from "../../../desktop/words/german.json" with { type: "json" };
import { sentencesOf } from "../../../desktop/words/sentences.ts";
import catalogue from "./german.json" with { type: "json" };
import { reviverOf } from "./reviver.ts";

export const german = { ...catalogue, reviver: reviverOf(sentencesOf(sentences)) };
