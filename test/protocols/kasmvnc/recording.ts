import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const Line = z.object({
  t: z.number(),
  dir: z.enum(["s", "c"]),
  kind: z.enum(["http", "ws"]),
  op: z.number().optional(),
  conn: z.number().default(1),
  b64: z.base64(),
});

const Truth = z.object({
  file: z.string(),
  afterLine: z.number(),
  conn: z.number().default(1),
  label: z.string(),
  decodedDifference: z.object({
    pixels: z.number(),
    max: z.number().default(0),
    mean: z.number().default(0),
  }),
});

const Meta = z.object({ name: z.string(), truths: z.array(Truth).default([]) });

/** One line of a recording; `number` counts from 1, as the truths do. */
export interface RecordedLine {
  readonly number: number;
  readonly atMs: number;
  readonly isFromServer: boolean;
  readonly isHttp: boolean;
  readonly opcode: number;
  readonly connection: number;
  readonly bytes: Buffer;
}

export type RecordedTruth = z.infer<typeof Truth> & { readonly path: string };

/** A session recorded from a real KasmVNC 1.5.0, every byte both ways. */
export interface Recording {
  readonly name: string;
  readonly lines: readonly RecordedLine[];
  readonly truths: readonly RecordedTruth[];
}

const RECORDINGS = fileURLToPath(new URL("../../wire/kasmvnc/", import.meta.url));

/** Folders of all recorded sessions, by name. */
export function listRecordings(): ReadonlyMap<string, string> {
  const names = readdirSync(RECORDINGS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  return new Map(names.sort().map((name) => [name, join(RECORDINGS, name)]));
}

export function readRecording(folder: string): Recording {
  const meta = Meta.parse(JSON.parse(readFileSync(join(folder, "meta.json"), "utf8")));
  const plain = join(folder, "session.jsonl");
  const text = existsSync(plain)
    ? readFileSync(plain, "utf8")
    : gunzipSync(readFileSync(`${plain}.gz`)).toString("utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((json, i): RecordedLine => {
      const { t, dir, kind, op = 2, conn, b64 } = Line.parse(JSON.parse(json));
      return {
        number: i + 1,
        atMs: t,
        isFromServer: dir === "s",
        isHttp: kind === "http",
        opcode: op,
        connection: conn,
        bytes: Buffer.from(b64, "base64"),
      };
    });
  return {
    name: meta.name,
    lines,
    truths: meta.truths.map((truth) => ({ ...truth, path: join(folder, truth.file) })),
  };
}
