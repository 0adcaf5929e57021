import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { until } from "../../support/until.ts";

const toldSchema = z.looseObject({
  event_type: z.string(),
  actor: z.looseObject({ user_id: z.string(), name: z.string() }).nullable(),
  request: z.looseObject({ method: z.string(), path: z.string(), request_id: z.string() }).nullable(),
  mcp: z.looseObject({ tool: z.string() }).nullable(),
});
export type Told = z.infer<typeof toldSchema>;

/** The audit log of a running server, read from its file as it grows. */
export class AuditTail {
  readonly #path: string;
  #seen = 0;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "audit.ndjson");
  }

  #all(): Told[] {
    return readFileSync(this.#path, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}}"))
      .map((line) => toldSchema.parse(JSON.parse(line)));
  }

  /** What comes from now on. */
  mark(): void {
    this.#seen = this.#all().length;
  }

  /** What came since the mark, once all of `types` is in it, and what of these does not come. */
  async since(
    types: readonly string[],
  ): Promise<{ readonly told: readonly Told[]; readonly missing: readonly string[] }> {
    const news = (): Told[] => this.#all().slice(this.#seen);
    const missing = (): string[] => {
      const had = new Set(news().map(({ event_type }) => event_type));
      return types.filter((type) => !had.has(type));
    };
    await until("its events", () => missing().length === 0, 15_000).catch(() => undefined);
    return { told: news(), missing: missing() };
  }
}
