import * as z from "zod";
import { JsonFile } from "../../../platform/json-file.ts";
import type { SecretSealer } from "../../connections/connection-store.ts";
import { type HumanRequest, LONGEST_ANSWER, LONGEST_REASON, REQUEST_KINDS } from "./human-request.ts";
import { MOST_ENDED, MOST_OPEN } from "./human-requests.ts";

/** More desktops than an appliance may have, so that none loses its requests. */
const MAX_DESKTOPS = 1000;

/** Of an answer: its UTF-8, in base64, with what sealing adds. */
const LONGEST_SEALED = 4 * LONGEST_ANSWER * 2;

const text = z.string().max(512);

const actorSchema = z.strictObject({
  kind: z.enum(["human", "agent", "extension", "replay"]),
  id: text,
  name: text,
  ip: text.exactOptional(),
});

const requestSchema = z.strictObject({
  id: z.string().min(1).max(100),
  actor: actorSchema,
  kind: z.enum(REQUEST_KINDS),
  reason: z.string().max(LONGEST_REASON),
  wants_private: z.boolean(),
  /** null: nobody was at it. */
  taken_by: actorSchema.nullable(),
  is_private: z.boolean(),
  asked_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** Absent: it is not over. */
  ended: z
    .strictObject({
      state: z.enum(["done", "declined", "expired", "cancelled"]),
      at: z.iso.datetime(),
      by: actorSchema.nullable(),
      /** Sealed, for it may be a code; null: nothing was written. */
      answer: z.string().max(LONGEST_SEALED).nullable(),
    })
    .exactOptional(),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  /** Requests that are not over, and those that ended a while ago, by the desktop's id. */
  desktops: z
    .record(z.string().min(1).max(200), z.array(requestSchema).max(MOST_OPEN + MOST_ENDED))
    .refine((desktops) => Object.keys(desktops).length <= MAX_DESKTOPS, `more than ${MAX_DESKTOPS} desktops`),
});
type Stored = z.infer<typeof fileSchema>;
type StoredRequest = z.infer<typeof requestSchema>;

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
      Object.fromEntries(all.map(([key, kept]) => [key, kept.map((one) => writeRequest(one, this.#sealer))]));
    this.#file.write(() => ({ version: 1, desktops: desktops() })).catch(this.#onFault);
  }

  /** Resolves when all that was set so far is on the disk, or could not be. */
  flush(): Promise<void> {
    return this.#file.flush();
  }
}

function purposeOf(id: string): string {
  return `request:${id}:answer`;
}

function readRequest(desktopId: string, stored: StoredRequest, answer: string | null): HumanRequest {
  const { id, actor, kind, reason, wants_private, taken_by, is_private, asked_at, expires_at, ended } =
    stored;
  return {
    ...{ id, desktopId, actor, kind, reason, wantsPrivate: wants_private },
    ...{ state: ended?.state ?? (taken_by === null ? "open" : "taken"), takenBy: taken_by },
    ...{ isPrivate: is_private && taken_by !== null, askedAt: asked_at, expiresAt: expires_at },
    ...{ answer, endedBy: ended?.by ?? null, endedAt: ended?.at ?? null },
  };
}

function writeRequest(request: HumanRequest, sealer: SecretSealer): StoredRequest {
  const { id, actor, kind, reason, wantsPrivate, takenBy, isPrivate, askedAt, expiresAt } = request;
  const { state, answer, endedBy, endedAt } = request;
  const isOver = endedAt !== null && state !== "open" && state !== "taken";
  const sealed = answer === null ? null : sealer.seal(answer, purposeOf(id));
  const by = endedBy === null ? null : writeActor(endedBy);
  return {
    ...{ id, actor: writeActor(actor), kind, reason, wants_private: wantsPrivate },
    ...{ taken_by: takenBy === null ? null : writeActor(takenBy), is_private: isPrivate },
    ...{ asked_at: askedAt, expires_at: expiresAt },
    ...(isOver ? { ended: { state, at: endedAt, by, answer: sealed } } : {}),
  };
}

/** Without what somebody may decide: who comes back is judged anew. */
function writeActor({ kind, id, name, ip }: HumanRequest["actor"]): z.infer<typeof actorSchema> {
  return { kind, id: id.slice(0, 512), name: name.slice(0, 512), ...(ip === undefined ? {} : { ip }) };
}
