import { readFileSync } from "node:fs";
import * as z from "zod";
import { decodePicture, type RgbaPixels } from "../../../src/compositor/picture-file.ts";

/** What a line of a sheet says that is private: by a built-in kind, or a rule of one's own. */
const secret = z.object({
  kind: z.string(),
  /** In parts: who looks for secrets in files takes it for one. */
  text: z.array(z.string()).transform((parts) => parts.join("")),
  /** Columns of the picture: where each of its letters begins, and where the last one ends. */
  edges: z.array(z.number()),
});

const sheetFile = z.object({
  lines: z.array(
    z.object({
      /** Rows and columns of the picture. */
      top: z.number(),
      bottom: z.number(),
      left: z.number(),
      right: z.number(),
      /** null: nothing in it is private. */
      secret: secret.nullable(),
    }),
  ),
});

export type SheetLine = z.infer<typeof sheetFile>["lines"][number];
export type SheetSecret = z.infer<typeof secret>;

/** A picture that a real program made of lines some of which have something private in them, and where it put each. */
export interface Sheet {
  readonly name: string;
  readonly picture: RgbaPixels;
  readonly lines: readonly SheetLine[];
}

/** What `sheets.demand.ts` made. */
export const SHEETS = ["xterm-dejavu", "xterm-6x13", "chromium-dejavu", "chromium-liberation"] as const;

/** The value of a stored secret, and what a pattern of one's own finds, on all sheets. */
export const STORED = "Zq7!vX-canary-41";
export const OWN_PATTERN = "PRJ-\\d{6}";

export async function loadSheet(name: string): Promise<Sheet> {
  const file = (end: string): Buffer => readFileSync(new URL(`sheets/${name}.${end}`, import.meta.url));
  const { lines } = sheetFile.parse(JSON.parse(file("json").toString("utf8")));
  return { name, picture: await decodePicture(file("png")), lines };
}
