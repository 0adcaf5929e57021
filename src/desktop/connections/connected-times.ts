import * as z from "zod";
import { JsonFile } from "../../platform/json-file.ts";

/** More connections than an appliance may have, so that none loses its time. */
const MAX_CONNECTIONS = 1000;

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** ISO times, by the connection's id. */
  last_connected: z.record(z.string().min(1).max(200), z.iso.datetime()),
});

/** When each connection last succeeded, kept over a restart: a JSON file of mode 0600. */
export class ConnectedTimes {
  readonly #file: JsonFile<z.infer<typeof fileSchema>>;
  readonly #onFault: (error: unknown) => void;
  readonly #times: Map<string, string>;
  #isWaiting = false;

  private constructor(
    file: JsonFile<z.infer<typeof fileSchema>>,
    times: Map<string, string>,
    onFault: (error: unknown) => void,
  ) {
    this.#file = file;
    this.#times = times;
    this.#onFault = onFault;
  }

  /** `onFault` is told of a file that cannot be read, for nothing depends on it, and when it cannot be written. */
  static async open(path: string, onFault: (error: unknown) => void): Promise<ConnectedTimes> {
    const file = new JsonFile(path, "a file of connection times", fileSchema);
    let times: Readonly<Record<string, string>> = {};
    try {
      times = (await file.read())?.last_connected ?? {};
    } catch (error) {
      onFault(error);
    }
    return new ConnectedTimes(file, new Map(Object.entries(times)), onFault);
  }

  /** null for never. */
  get(id: string): string | null {
    return this.#times.get(id) ?? null;
  }

  set(id: string, at: string): void {
    // The newest last: where there are too many, the oldest go.
    this.#times.delete(id);
    this.#times.set(id, at);
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= MAX_CONNECTIONS) break;
      this.#times.delete(oldest);
    }
    this.#save();
  }

  forget(id: string): void {
    if (this.#times.delete(id)) this.#save();
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  /** One write at a time, of what holds when it begins: targets that come and go all the time write no faster. */
  #save(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const kept = (): unknown => {
      this.#isWaiting = false;
      return { version: 1, last_connected: Object.fromEntries(this.#times) };
    };
    this.#file.write(kept).catch(this.#onFault);
  }
}
