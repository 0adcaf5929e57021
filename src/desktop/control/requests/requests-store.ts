import * as z from "zod";
import { JsonFile } from "../../../platform/json-file.ts";
import type { SecretSealer } from "../../connections/connection-store.ts";
import type { HumanRequest } from "./human-request.ts";
import { MOST_ENDED, MOST_OPEN } from "./human-requests.ts";
import { readRequest, type StoredRequest, storedRequestSchema, writeRequest } from "./stored-request.ts";

/** More desktops than an appliance may have, so that none loses its requests. */
const MAX_DESKTOPS = 1000;

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Requests that are not over, and those that ended a while ago, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), z.array(storedRequestSchema).max(MOST_OPEN + MOST_ENDED))
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});
type Stored = z.infer<typeof fileSchema>;

/** Agents' requests and how they ended, kept over a restart: a JSON file of mode 0600. What people answer is sealed in it. */
export class RequestsStore {
  readonly #file: JsonFile<Stored>;
  readonly #onFault: (error: unknown) => void;
  readonly #requests: Map<string, readonly HumanRequest[]>;
  readonly #sealer: SecretSealer;

  private constructor(
    file: JsonFile<Stored>,
    requests: Map<string, readonly HumanRequest[]>,
    onFault: (error: unknown) => void,
    sealer: SecretSealer,
  ) {
    this.#sealer = sealer;
    this.#file = file;
    this.#requests = requests;
    this.#onFault = onFault;
  }

  /**
   * Throws FileError where the file is none of ours: starting without it would show what a person had for themselves.
   * `onFault` is told when something could not be kept, and of an answer that cannot be opened, which is none then.
   */
  static async open(
    path: string,
    sealer: SecretSealer,
    onFault: (error: unknown) => void,
  ): Promise<RequestsStore> {
    const file = new JsonFile(path, "a file of requests", fileSchema);
    const kept = await file.read();
    const answerOf = ({ id, ended }: StoredRequest): string | null => {
      if (ended === undefined || ended.answer === null) return null;
      try {
        return sealer.open(ended.answer, purposeOf(id));
      } catch (error) {
        onFault(error);
        return null;
      }
    };
    const requests = Object.entries(kept?.desktops ?? {}).map(
      ([id, all]) => [id, all.map((one) => readRequest(id, one, answerOf(one)))] as const,
    );
    return new RequestsStore(file, new Map(requests), onFault, sealer);
  }

  /** Of a desktop that is opened. */
  of(id: string): readonly HumanRequest[] {
    return this.#requests.get(id) ?? [];
  }

  set(id: string, requests: readonly HumanRequest[]): void {
    if (requests.length === 0 && !this.#requests.delete(id)) return;
    if (requests.length > 0) this.#requests.set(id, requests);
    const all = [...this.#requests];
    const desktops = (): unknown =>
      Object.fromEntries(all.map(([key, kept]) => [key, kept.map((one) => this.#stored(one))]));
    this.#file.write(() => ({ version: 1, desktops: desktops() })).catch(this.#onFault);
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  #stored(request: HumanRequest): StoredRequest {
    const { id, answer } = request;
    return writeRequest(request, answer === null ? null : this.#sealer.seal(answer, purposeOf(id)));
  }
}

function purposeOf(id: string): string {
  return `request:${id}:answer`;
}
