import * as z from "zod";
import { type Change, type Entry, expectedOf, type KeyChange, type Outcome } from "../store/store.ts";

/** etcd's JSON gateway (api v3): int64 are decimal strings, bytes are base64, and what is zero is left out. */
const int64 = z
  .string()
  .regex(/^-?\d{1,20}$/)
  .transform(BigInt);

const HEADER = z.object({ revision: int64.default(0n) });
const KEY_VALUE = z.object({ key: z.string(), value: z.string().default(""), mod_revision: int64 });
const KEY_VALUES = z.array(KEY_VALUE).default([]);

export const RANGE_ANSWER = z.object({ header: HEADER, kvs: KEY_VALUES, more: z.boolean().default(false) });

export const TXN_ANSWER = z.object({
  header: HEADER,
  succeeded: z.boolean().default(false),
  responses: z.array(z.object({ response_range: z.object({ kvs: KEY_VALUES }).optional() })).default([]),
});

export const TOKEN_ANSWER = z.object({ token: z.string().min(1).max(4096) });

export const STATUS_ANSWER = z.object({
  header: HEADER.extend({ member_id: z.string() }),
  version: z.string(),
  leader: z.string().default("0"),
});

export const MEMBERS_ANSWER = z.object({
  members: z.array(z.object({ ID: z.string(), name: z.string().default("") })),
});

export const FAULT = z.object({ code: z.number(), message: z.string() });

/** A line of a watch's answer. */
export const WATCH_LINE = z.object({
  error: z.object({ message: z.string().default("") }).optional(),
  result: z
    .object({
      header: HEADER,
      created: z.boolean().default(false),
      canceled: z.boolean().default(false),
      compact_revision: int64.default(0n),
      cancel_reason: z.string().default(""),
      events: z.array(z.object({ type: z.string().default("PUT"), kv: KEY_VALUE })).default([]),
    })
    .optional(),
});

type WatchEvent = NonNullable<z.infer<typeof WATCH_LINE>["result"]>["events"][number];

export function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function text(base64ed: string): string {
  return Buffer.from(base64ed, "base64").toString("utf8");
}

/** The key behind the last one that begins with `prefix`. Keys are printable ASCII: there is always one. */
export function endOf(prefix: string): string {
  const last = prefix.length - 1;
  return `${prefix.slice(0, last)}${String.fromCharCode(prefix.charCodeAt(last) + 1)}`;
}

export function entryOf({ key, value, mod_revision }: z.infer<typeof KEY_VALUE>): Entry {
  return { key: text(key), value: text(value), revision: mod_revision };
}

/** If all keys are as expected, write; else say what is there. */
export function txnOf(changes: readonly Change[]): object {
  return {
    compare: changes.map((change) => ({
      ...{ key: base64(change.key), target: "MOD", result: "EQUAL" },
      mod_revision: String(expectedOf(change) ?? 0n),
    })),
    success: changes.flatMap((change): object[] => {
      const key = base64(change.key);
      if (change.kind === "expect") return [];
      if (change.kind === "delete") return [{ request_delete_range: { key } }];
      return [{ request_put: { key, value: base64(change.value) } }];
    }),
    failure: changes.map(({ key }) => ({ request_range: { key: base64(key) } })),
  };
}

export function outcomeOf({ header, succeeded, responses }: z.infer<typeof TXN_ANSWER>): Outcome {
  const { revision } = header;
  if (succeeded) return { isDone: true, revision };
  const found = responses.map(({ response_range }) => {
    const [first] = response_range?.kvs ?? [];
    return first === undefined ? null : entryOf(first);
  });
  return { isDone: false, revision, found };
}

/** The changes of each commit; etcd tells all of one at once. */
export function commitsOf(events: readonly WatchEvent[]): ReadonlyMap<bigint, readonly KeyChange[]> {
  const commits = new Map<bigint, KeyChange[]>();
  for (const { type, kv } of events) {
    const entry = entryOf(kv);
    const change = { key: entry.key, entry: type === "DELETE" ? null : entry };
    const others = commits.get(kv.mod_revision);
    if (others === undefined) commits.set(kv.mod_revision, [change]);
    else others.push(change);
  }
  return commits;
}
