import { once } from "node:events";
import type { Writable } from "node:stream";
import * as z from "zod";
import { linesOf, logFiles } from "./log-files.ts";

const actorSchema = z.looseObject({
  actor: z.looseObject({ name: z.string(), user_id: z.string() }).nullable(),
});

/** Writes every line of one actor, by name or id, as it stands in the log; gives how many there were. */
export async function exportActor(dataDir: string, actor: string, out: Writable): Promise<number> {
  let count = 0;
  for (const { path, bytes } of await logFiles(dataDir)) {
    for await (const { text, isWhole } of linesOf(path, bytes)) {
      if (!isWhole) continue;
      const line = Buffer.from(text, "latin1").toString("utf8");
      const found = actorSchema.safeParse(jsonOf(line)).data?.actor;
      if (found?.name !== actor && found?.user_id !== actor) continue;
      count++;
      if (!out.write(`${line}\n`)) await once(out, "drain");
    }
  }
  return count;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
